"""One copy for several recipients, each with a list of its own; what separate copies would cost, and give away.

Problem      a supplier must not mine one list of patterns, a partner another. Copies that differ give back together
             what each hides, so all should get the same one.
Method       the shared copy hides all lists; a pattern of several lists has the strictest threshold. To compare, a copy
             for each recipient is made as well, and each two of them are united row by row.
Promises     the shared copy is that of `hide` for all lists together, with all its promises. The figures of separate
             copies are those of `hide` for one list, and of `compare_copies` for two.
Cost         that of hiding once for all and once for each recipient, and of uniting each two copies.
Departures   the paper (section 9.3) makes a copy for every recipient, and does not ask what two of them see together.
Reference    oliveira2002, section 9.3   (docs/papers/oliveira2002.md, tests/hiding/test_recipients.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypedDict, Unpack

from discreet.errors import ParameterError, param
from discreet.hiding.copies import compare_copies
from discreet.hiding.hide import hide
from discreet.hiding.restrictions import read_restrictions, separator_of
from discreet.tables.tabular import Tabular

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from discreet.hiding.hide import Hidden, HidingMethod
    from discreet.hiding.inverted_file import InvertedFile
    from discreet.hiding.restrictions import Restrictions
    from discreet.json_types import JsonObject
    from discreet.thresholds import MinSupport, ShareLike
    from discreet.transactions.transactions import Transactions

__all__ = ["HiddenForAll", "HideOptions", "Recipient", "TwoRecipients", "hide_for"]

_MOST = 20
"""The most recipients: each two are compared."""


class HideOptions(TypedDict, total=False):
    """How the patterns are hidden: see `discreet.hide`."""

    method: HidingMethod | None
    disclosure: ShareLike
    min_support: MinSupport | None
    protect: Restrictions | None
    ignore_unknown: bool
    below: MinSupport | None
    margin: MinSupport | None


@dataclass(frozen=True, slots=True, eq=False)
class Recipient:
    """A recipient, and what a copy for it alone would be.

    Attributes
    ----------
    name : str
        Its name.
    own : Hidden
        The copy that would hide its list alone.
    seen_less : int
        How many patterns and rules the shared copy hides from it that are not in its list.
    """

    name: str
    own: Hidden
    seen_less: int

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        effects = self.own.side_effects
        return {
            "name": self.name,
            "patterns": len(self.own.restrictive) + len(self.own.rules),
            "seen_less": self.seen_less,
            "own": {
                "method": self.own.method,
                "changed_rows": self.own.changed_rows,
                "removed_items": self.own.removed_items,
                "dissimilarity": float(self.own.dissimilarity),
                "misses_cost": None if effects is None else float(effects.misses_cost),
            },
        }


@dataclass(frozen=True, slots=True)
class TwoRecipients:
    """What two recipients would mine together if each had a copy of its own.

    Attributes
    ----------
    names : tuple of str
        The two recipients.
    restored : tuple of int
        How many patterns and rules of the first one's list, and of the second one's, are back in both copies together.
    restored_items : int
        How many of the items that were removed from the first one's copy the other has.
    """

    names: tuple[str, str]
    restored: tuple[int, int]
    restored_items: int

    @property
    def safe(self) -> bool:
        """Whether the two together mine nothing that either must not."""
        return not any(self.restored)

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "between": list(self.names),
            "safe": self.safe,
            "restored": dict(zip(self.names, self.restored, strict=True)),
            "restored_items": self.restored_items,
        }


@dataclass(frozen=True, slots=True, eq=False)
class HiddenForAll(Tabular):
    """One copy for all recipients and, for the owner, what separate copies would have been.

    Attributes
    ----------
    shared : Hidden
        The copy that hides all lists: its `rows` may be handed to every recipient.
    recipients : tuple of Recipient
        The recipients, in the given order.
    pairs : tuple of TwoRecipients
        Each two of them.
    """

    shared: Hidden
    recipients: tuple[Recipient, ...]
    pairs: tuple[TwoRecipients, ...]

    @property
    def rows(self) -> Transactions:
        """The rows that may be handed to every recipient."""
        rows: Transactions = self.shared.rows
        return rows

    def to_dict(self) -> JsonObject:
        """Return the JSON form: that of `hide`, with the recipients and each two of them."""
        return self.shared.to_dict() | {
            "recipients": [each.to_dict() for each in self.recipients],
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    def to_arrow(self) -> pa.Table:
        """Return the rows that may be handed over, as an Arrow table with a column of lists."""
        return self.rows.to_arrow()

    def __repr__(self) -> str:
        return f"<HiddenForAll: {len(self.recipients):,} recipients; {self.shared!r}>"


def hide_for(
    rows: Transactions | InvertedFile, *, recipients: Mapping[str, Restrictions], **options: Unpack[HideOptions]
) -> HiddenForAll:
    """Return one copy of the rows that hides what any of several recipients must not mine.

    Parameters
    ----------
    rows : Transactions or InvertedFile
        The rows, or an index of them.
    recipients : dict
        For each recipient the patterns and rules that it must not mine: a list or a file, as `restrict` of `hide`.
    **options
        As for `hide`: `method`, `disclosure`, `min_support`, `protect`, `ignore_unknown`, `below`, `margin`.

    Returns
    -------
    HiddenForAll
        The shared copy, and what a copy for each recipient would cost, and two of them give back.

    Raises
    ------
    ParameterError
        A parameter has an unusable value, or a list names what is not in the rows.
    DataError
        A file of a list cannot be read.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows(["ABCD", "ABC", "ABD", "ACD", "ABC", "BD"])
    >>> done = discreet.hide_for(rows, recipients={"supplier": ["A B D"], "partner": ["A C D"]}, method="iga")
    >>> done.shared
    <Hidden: 2 patterns and rules; 3 items removed from 3 of 6 rows>
    >>> [(each.name, each.own.removed_items) for each in done.recipients], done.pairs[0].restored
    ([('supplier', 2), ('partner', 2)], (1, 1))
    """
    if not 1 <= len(recipients) <= _MOST:
        raise ParameterError(
            f"{param('recipients')} must name 1 to {_MOST} recipients, each with its list", parameter="recipients"
        )
    separator = separator_of(rows.layout)
    lists = {name: read_restrictions(given, separator=separator) for name, given in recipients.items()}
    shared = hide(rows, restrict=[entry for entries in lists.values() for entry in entries], **options)
    own = {name: hide(rows, restrict=entries, **options) for name, entries in lists.items()}
    every = len(shared.restrictive) + len(shared.rules)
    return HiddenForAll(
        shared,
        tuple(Recipient(name, done, every - len(done.restrictive) - len(done.rules)) for name, done in own.items()),
        tuple(_together(one, other, own) for one, other in combinations(own, 2)),
    )


def _together(one: str, other: str, own: Mapping[str, Hidden]) -> TwoRecipients:
    here, there = (compare_copies(own[a], own[b].rows) for a, b in ((one, other), (other, one)))
    counts = (
        sum(together > allowed for *_, together, allowed in each.patterns) + each.rules_restored
        for each in (here, there)
    )
    first, second = counts
    return TwoRecipients((one, other), (first, second), here.restored_items)
