"""Which released items exclude each other, as readers of the labels know: every owner tells it of its tables.

Problem      an audit needs the items of which a row holds at most one, the values of a column. Each owner knows them of
             its own rows, and all have to look at a result in the same way.
Method       same people: an item is one owner's, who names the sets of its own items. Different people: all have the
             same items, so each names the sets that are columns of its table, then says of all sets named whether none
             of its rows holds two of one. What holds at all of them is taken.
Promises     what others learn is sets of released labels and, for different people, one bit for each.
Cost         a message, or two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.channels.exclusive import Exclusive, exclusive_in_rows, first_meetings
from discreet.errors import ProtocolViolation
from discreet.itemsets import Itemsets
from discreet.twoparty.gmw import pack_bits, unpack_bits
from discreet.twoparty.horizontal import over_labels
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.steps import exchange

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.transactions.transactions import Transactions
    from discreet.transactions.vocabulary import Vocabulary
    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.steps import Steps

    Sets = tuple[tuple[str, ...], ...]
    TellAll = Callable[[bytes, int, bool], Any]
    """Sends the same to all others; takes the longest message that may come back, and whether it must be as long."""

__all__ = ["exclusive_among_owners", "exclusive_of_both"]

_COUNT: Final = 4  # bytes
_UNREADABLE: Final = "the partner's exclusive items cannot be read; start both sides again"


def exclusive_of_both(found: JointPatterns, rows: Transactions) -> Steps[Exclusive]:
    """Exchange which released items exclude each other: of the same people, or of different ones."""
    if found.horizontal:
        agreed: Exclusive = yield from exclusive_among_owners(found, rows, _tell_partner)
        return agreed
    vocabulary = found.patterns.vocabulary
    ours = _ours(found, rows)
    own = exclusive_in_rows(rows).within(ours)
    received = yield from _tell_partner(_to_bytes(own, vocabulary), _longest(len(vocabulary) - len(ours)), False)
    return Exclusive(sets=own.sets + _read(received[0], vocabulary, ours))


def exclusive_among_owners(found: JointPatterns, rows: Transactions, tell: TellAll) -> Any:
    """Agree with all others, who hold other people, on which released items exclude each other."""
    vocabulary = found.patterns.vocabulary
    over = over_labels(rows, vocabulary)
    own = exclusive_in_rows(over, layout=rows.layout).within(vocabulary)
    heard = yield from tell(_to_bytes(own, vocabulary), _longest(len(vocabulary)), False)
    theirs = [each for payload in heard for each in _read(payload, vocabulary, frozenset())]
    named = sorted({tuple(sorted(each)) for each in (*own.sets, *theirs)})
    holds = np.array([row is None for row in first_meetings(over, named)], bool)
    length = -(-len(named) // 8)
    for payload in (yield from tell(pack_bits(holds).tobytes(), length, True)) if named else ():
        holds &= unpack_bits(np.frombuffer(payload, np.uint8), len(named)).astype(bool)
    return Exclusive(sets=tuple(each for each, held in zip(named, holds.tolist(), strict=True) if held))


def _tell_partner(payload: bytes, length: int, exact: bool) -> Steps[list[bytes]]:
    return [(yield from exchange(MessageKind.EXCLUSIVE, payload, length, exact=exact))]


def _ours(found: JointPatterns, rows: Transactions) -> frozenset[str]:
    """Return which of the released labels are this side's: both may have one, frequent at one of them."""
    counts = zip(rows.vocabulary, rows.item_supports(), strict=True)
    frequent = {label for label, count in counts if count >= found.min_support}
    return frozenset(label for label in found.patterns.vocabulary if label in frequent)


def _longest(labels: int) -> int:
    """Return the most bytes of sets of so many labels: a label is in one set at most, and a set has two or more."""
    return _COUNT + 4 * (labels // 2 + labels)


def _to_bytes(exclusive: Exclusive, vocabulary: Vocabulary) -> bytes:
    sets = exclusive.itemsets(vocabulary)
    return b"".join(
        (len(sets).to_bytes(_COUNT, "little"), sets.lengths.astype("<u4").tobytes(), sets.items.astype("<i4").tobytes())
    )


def _read(payload: bytes, vocabulary: Vocabulary, own: frozenset[str]) -> Sets:
    """Read another's sets: where items have owners, of none of ours."""
    try:
        count = int.from_bytes(payload[:_COUNT], "little")
        lengths = np.frombuffer(payload, "<u4", count, _COUNT).astype(np.int64)
        items = np.frombuffer(payload, "<i4", -1, _COUNT + 4 * count).astype(np.int32)
        sets = Itemsets.from_lengths(lengths, items)
        sets.check(len(vocabulary))
        named = tuple(tuple(each) for each in sets.labels(vocabulary.labels))
    except ValueError as error:
        raise ProtocolViolation(_UNREADABLE) from error
    if (lengths < 2).any() or any(label in own for each in named for label in each):  # noqa: PLR2004 - a pair at least
        raise ProtocolViolation(_UNREADABLE)
    return named
