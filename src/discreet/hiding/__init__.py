"""HIDE: make given patterns unminable from rows that are handed over (oliveira2002).

`restrictions` says what must not be minable, and `asked` puts it in numbers; `inverted_file` finds the rows that show
it; `naive`, `minfia`, `maxfia` and `iga` choose what leaves these rows, `rule_bounds` does the same for rules; `hiding`
puts it all together and proves the result; `side_effects` says what it cost, and `copies` what two recipients could
restore together.
"""
