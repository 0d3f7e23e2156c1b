"""HIDE: make given patterns unminable from rows that are handed over (oliveira2002).

`restrictions` says what must not be minable, and `request` puts it in numbers; `inverted_file` finds the rows that show
it; `victims` chooses what leaves these rows, `rule_bounds` does the same for rules; `hide` puts it all together and
proves the result; `side_effects` says what it cost, and `copies` what two recipients could restore together.
"""
