"""Every exception that discreet raises on purpose.

    DiscreetError
    ├── InputError          the user's input cannot be used (exit status 2)
    │   ├── ParameterError      an option or argument
    │   ├── DataError           a file or table that is read
    │   │   └── LedgerDiffers       a ledger that lost entries, or holds others than it did
    │   ├── OutputError         a file or folder that would be written
    │   └── TooManyPatterns     more itemsets than the caller allowed for
    ├── NotSafe             the request cannot be made safe (exit status 1)
    │   ├── NothingToPublish    no itemset is left that could be published
    │   ├── PolicyDiffers       the data, or the policy, are no longer what they were
    │   └── UnsafeTogether      it is not safe together with what was published earlier
    │       ├── EntailedTogether    a group follows from all of it, whatever the rows were
    │       └── ConcludedTogether   a sensitive item can be concluded of a group
    ├── EngineError         a partner or an engine failed (exit status 3)
    │   └── PartnerError        the other party of a two-party run
    │       ├── PartnerLost         it cannot be reached, fell silent or disconnected
    │       ├── PartnerUntrusted    it is not who `--trust` says, or does not trust us
    │       ├── ProtocolViolation   it sent something that the protocol does not allow
    │       └── Disagreement        it wants other parameters, or holds other rows
    └── InternalFault       a fault of discreet itself (exit status 3)

`LabelWarning` is the one warning: an answer is given, but perhaps not about all that was meant.

A message is one sentence: what is wrong, where (a line number or a parameter, never a person's items), what was
expected, what to do. Any other exception that escapes is reported as an `InternalFault` as well.

A message names a parameter with `param` instead of spelling it. Then every reader sees the familiar spelling:

    ParameterError(f"{param('k')} must be at least 2", parameter="k")    k must be at least 2     in Python
                                                                         -k must be at least 2    on the command line
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

__all__ = [
    "ConcludedTogether",
    "DataError",
    "Disagreement",
    "DiscreetError",
    "EngineError",
    "EntailedTogether",
    "InputError",
    "InternalFault",
    "LabelWarning",
    "LedgerDiffers",
    "NotSafe",
    "NothingToPublish",
    "OutputError",
    "ParameterError",
    "PartnerError",
    "PartnerLost",
    "PartnerUntrusted",
    "PolicyDiffers",
    "ProtocolViolation",
    "TooManyPatterns",
    "UnsafeTogether",
    "param",
    "spelled",
]

# Unicode reserves these code points for internal use, so no user text can contain them.
_OPEN, _VALUE, _CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
_PARAM = re.compile(f"{_OPEN}(\\w+)(?:{_VALUE}([^{_CLOSE}]*))?{_CLOSE}")


def param(name: str, value: object = None) -> str:
    """Return a parameter, and the value to set it to, as part of a message that `spelled` completes."""
    return f"{_OPEN}{name}{_CLOSE}" if value is None else f"{_OPEN}{name}{_VALUE}{value!r}{_CLOSE}"


def _in_python(name: str, value: str | None) -> str:
    return name if value is None else f"{name}={value}"


def spelled(message: str, spell: Callable[[str, str | None], str] = _in_python) -> str:
    """Return a message with its parameters spelled by `spell`, which gets a name and a value in Python's notation.

    >>> spelled(f"give {param('format', 'table')}")
    "give format='table'"
    """
    return _PARAM.sub(lambda found: spell(found[1], found[2]), message)


class DiscreetError(Exception):
    """The root of the tree: catch this to catch everything discreet raises on purpose."""

    def __init__(self, message: str) -> None:
        """Spell the parameters for Python, and keep the message for other spellings."""
        super().__init__(spelled(message))
        self.message = message


class InputError(DiscreetError, ValueError):
    """Some user input cannot be used."""


class ParameterError(InputError):
    """An option or argument has a value that makes no sense.

    Attributes
    ----------
    parameter : str
        The parameter's name.
    """

    def __init__(self, message: str, *, parameter: str) -> None:
        super().__init__(message)
        self.parameter = parameter


class DataError(InputError):
    """Data that was read is invalid.

    Attributes
    ----------
    line : int or None
        The line of the file, counted from 1, if known.
    """

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class LedgerDiffers(DataError):  # noqa: N818 - says what was found
    """A ledger is not what it was.

    Attributes
    ----------
    problem : str
        "damaged": an entry was changed. "gap": an entry is missing. "rollback": the ledger ends before an entry that it
        had. "fork": it has another entry in the place of one that it had. "another": it is another ledger.
    """

    def __init__(self, sentence: str, problem: Literal["damaged", "gap", "rollback", "fork", "another"]) -> None:
        super().__init__(sentence)
        self.problem = problem


class OutputError(InputError):
    """A file cannot be written; nothing was created or changed."""


class TooManyPatterns(InputError):  # noqa: N818 - reads as what happened
    """Mining was stopped because it found more itemsets than allowed, or than fit into memory.

    Attributes
    ----------
    found : int
        How many itemsets had been found by then.
    min_support : int
        The minimum support in rows.
    """

    def __init__(self, message: str, *, found: int, min_support: int) -> None:
        super().__init__(message)
        self.found = found
        self.min_support = min_support


class NotSafe(DiscreetError):  # noqa: N818 - says what was found
    """The request cannot be made safe; nothing was written."""


class NothingToPublish(NotSafe):
    """No itemset is left that could be published; nothing was written."""


class PolicyDiffers(NotSafe):
    """A policy cannot be followed as before; nothing was written.

    Attributes
    ----------
    problem : str
        "columns": the data have other columns than the policy says. "labels": an item or a column that it names does
        not occur. "policy": it says something else than when the last release was made.
    """

    def __init__(self, message: str, problem: Literal["columns", "labels", "policy"]) -> None:
        super().__init__(message)
        self.problem = problem


class UnsafeTogether(NotSafe):
    """A release is safe on its own, but not together with earlier ones; nothing was written.

    Attributes
    ----------
    kind : str
        Why it is unsafe. "mixed": supports of this release and of earlier ones together disclose a group of `rows`
        rows that contain all of `base` and nothing else of `full`. "difference": the numbers of such rows differ by
        `rows`. "changed": the releases are of the same rows, and their supports of `base` differ by `rows`.
    releases : mapping of int to str
        The earlier releases it conflicts with: number in the ledger and folder.
    base : frozenset of str
        Items that every row of the group holds.
    full : frozenset of str
        `base` and the items that no row of the group holds.
    rows : int
        The size of the group, or the difference.
    selection : int
        A support at which a selection from the first of `releases` is safe.
    instead : int or None
        A support at which this release would be safe, if one was found.
    publishable : int or None
        How many of `itemsets` would be published with `fit_ledger`; None if none can be, or it was not looked for.
    itemsets : int or None
        How many itemsets this release has, closed or not.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        releases: Mapping[int, str],
        base: frozenset[str],
        full: frozenset[str],
        rows: int,
        selection: int,
        instead: int | None = None,
        publishable: int | None = None,
        itemsets: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.releases = releases
        self.base = base
        self.full = full
        self.rows = rows
        self.selection = selection
        self.instead = instead
        self.publishable = publishable
        self.itemsets = itemsets


class ConcludedTogether(UnsafeTogether):
    """A sensitive item can be concluded of a group from several releases together; nothing was written.

    Attributes
    ----------
    item : str
        The sensitive item.
    share : Fraction
        The share of the group that is known to have it at least.
    words : str
        The conclusion in words.
    """

    def __init__(self, message: str, *, item: str, share: Fraction, words: str, **evidence: Any) -> None:
        super().__init__(message, kind="conclusion", **evidence)
        self.item = item
        self.share = share
        self.words = words


class EntailedTogether(UnsafeTogether):
    """A group follows from several releases together, whatever the rows were; nothing was written.

    Attributes
    ----------
    rows, high : int
        The group has `rows` to `high` rows.
    of : str
        A description of the rows that the group is part of.
    proof : str
        The sums behind it.
    """

    def __init__(self, message: str, *, high: int, of: str, proof: str, **evidence: Any) -> None:
        super().__init__(message, kind="entailed", **evidence)
        self.high = high
        self.of = of
        self.proof = proof


class EngineError(DiscreetError):
    """A partner or an engine (Spark, the other party) failed."""


class PartnerError(EngineError):
    """The other party of a two-party run failed; nothing was written."""


class PartnerLost(PartnerError):  # noqa: N818 - says what happened
    """The other party cannot be reached, fell silent or disconnected."""


class PartnerUntrusted(PartnerError):  # noqa: N818 - says what happened
    """The other party is not the trusted one, or does not trust us."""


class ProtocolViolation(PartnerError):  # noqa: N818 - says what happened
    """The other party sent something that the protocol does not allow at this point."""


class Disagreement(PartnerError):  # noqa: N818 - says what happened
    """The two parties requested different things, or do not hold the same rows; both learn the difference."""


class InternalFault(DiscreetError):  # noqa: N818 - says whose fault it is
    """A check of discreet's own work failed: never a verdict about data, and nothing was written."""

    @classmethod
    def from_unexpected(cls, error: BaseException) -> InternalFault:
        """Return the fault for an unexpected exception, naming only its type: its text may quote data.

        Parameters
        ----------
        error : BaseException
            The exception.

        Returns
        -------
        InternalFault
            What to report.
        """
        return cls(f"internal fault ({type(error).__name__})")

    def __str__(self) -> str:
        return f"{super().__str__()}: this is a fault of discreet, please report it in its issue tracker"


class LabelWarning(UserWarning):
    """A label of the data differs from a named one only in case, blanks or Unicode form, and was not named."""
