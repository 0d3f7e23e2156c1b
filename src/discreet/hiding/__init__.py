"""Hide patterns: make given patterns unminable from rows that are handed over (oliveira2002).

`restrictions` parses what must not be minable, and `request` translates it to item numbers. `inverted_file` finds the
rows that contain it. `victims` chooses the items to remove, and `rule_bounds` does the same for rules. `hide` combines
these steps and proves the result. `side_effects` measures the cost, and `copies` what two recipients could restore
together.
"""
