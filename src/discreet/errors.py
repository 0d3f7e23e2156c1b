"""Every exception that discreet raises on purpose.

    DiscreetError
    ├── InputError          what the user gave cannot be used (exit status 2)
    │   ├── ParameterError      an option or argument
    │   ├── DataError           a file or table that is read
    │   ├── OutputError         a file or folder that would be written
    │   └── TooManyPatterns     more itemsets than the caller allowed for
    ├── NotSafe             what was asked for cannot be made safe (exit status 1)
    └── EngineError         a partner or an engine failed (exit status 3)

A message is one sentence: what is wrong, where (a line number or an option, never a person's items), what was
expected, what to do. Anything else that escapes is a bug of ours.
"""

from __future__ import annotations

__all__ = [
    "DataError",
    "DiscreetError",
    "EngineError",
    "InputError",
    "NotSafe",
    "OutputError",
    "ParameterError",
    "TooManyPatterns",
]


class DiscreetError(Exception):
    """The root of the tree: catch this to catch everything discreet raises on purpose."""


class InputError(DiscreetError, ValueError):
    """What the user gave cannot be used."""


class ParameterError(InputError):
    """An option or argument has a value that makes no sense; `parameter` is its name."""

    def __init__(self, message: str, *, parameter: str) -> None:
        """Keep the parameter's name beside the sentence."""
        super().__init__(message)
        self.parameter = parameter


class DataError(InputError):
    """Data that is read is not what it should be; `line` is 1-based where it is known."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        """Keep the position beside the sentence."""
        super().__init__(message)
        self.line = line


class OutputError(InputError):
    """A file cannot be written; nothing was created or changed."""


class TooManyPatterns(InputError):  # noqa: N818 - reads as what happened
    """Mining was stopped because it found more itemsets than allowed or than the memory holds."""

    def __init__(self, message: str, *, found: int, min_support: int) -> None:
        """Keep how many were found, and at which support, beside the sentence."""
        super().__init__(message)
        self.found = found
        self.min_support = min_support


class NotSafe(DiscreetError):  # noqa: N818 - says what was found
    """What was asked for cannot be made safe; nothing was written."""


class EngineError(DiscreetError):
    """A partner or an engine (Spark, the other party) failed."""
