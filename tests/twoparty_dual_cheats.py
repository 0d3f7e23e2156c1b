"""Partners with changed software, where everything is computed twice: each follows the protocol but for one thing."""

# ruff: noqa: SLF001 - a cheat looks into its own program

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.twoparty.dual_engine import DualEngine
from discreet.twoparty.garbling import lowest
from discreet.twoparty.gmw import pack_bits, unpack_bits
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.oblivious_transfer import COLUMNS, extension_length
from discreet.twoparty.steps import exchange, receive, send

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.twoparty.dot_products import ColumnPart
    from discreet.twoparty.garbling import WireLabels
    from discreet.twoparty.local_itemsets import ItemsetNames, LocalItemsets
    from discreet.twoparty.oblivious_transfer import ReceiverRows, Transfers
    from discreet.twoparty.ring import Ring, SecretShares
    from discreet.twoparty.steps import Steps


def one_person_each(count: int, length: int) -> NDArray[np.uint8]:
    people = np.zeros((count, 8 * length), np.uint8)
    people[np.arange(count), np.arange(count)] = 1
    return pack_bits(people)


class DualCheat(DualEngine):
    """A partner's engine; what it learned beyond the result is in `learned`."""

    def __init__(self, ring: Ring, transfers: Transfers, session_id: bytes) -> None:
        """Begin with nothing learned."""
        super().__init__(ring, transfers, session_id)
        self.learned: list[Any] = []


class BringsOnePersonEach(DualCheat):
    """Attack C: its columns hold one person each, and are called frequent."""

    def bring(self, own: LocalItemsets, partner: ItemsetNames, min_support: int) -> Steps[Any]:
        """Bring other columns than its rows have."""
        people = one_person_each(len(own._columns), own._columns.shape[1])
        one = np.ones_like(own.supports)
        return super().bring(replace(own, _columns=people, supports=one), partner, min_support)


class CountsOnePersonEach(DualCheat):
    """Attack C in the computation that it garbles; in the other it is bound to columns that are frequent."""

    def _corrections(self, piece: ColumnPart, shares: NDArray[np.uint64]) -> bytes:
        kept = self._own
        if piece.partners.all():  # not where its own itemsets are counted
            self._own = np.concatenate([kept[:1], one_person_each(len(kept) - 1, kept.shape[1])])
        corrections = super()._corrections(piece, shares)
        self._own = kept
        return corrections


@dataclass(frozen=True)
class _Mixed:
    """Columns that are not made of their items: two people are exchanged in the last itemset."""

    names: ItemsetNames
    supports: NDArray[np.int64]
    own: LocalItemsets

    def columns(self, chosen: NDArray[np.int64]) -> NDArray[np.uint8]:
        columns = unpack_bits(self.own.columns(chosen), 8 * self.own._columns.shape[1])
        last = columns[-1]
        last[np.flatnonzero(last == 1)[0]], last[np.flatnonzero(last == 0)[0]] = 0, 1
        return pack_bits(columns)


class BringsMixedColumns(DualCheat):
    """Brings a column for an itemset in which one person is exchanged for another; its support stays."""

    def bring(self, own: LocalItemsets, partner: ItemsetNames, min_support: int) -> Steps[Any]:
        """Bring other columns than its items have together."""
        mixed: Any = _Mixed(own.names, own.supports, own)
        return super().bring(mixed, partner, min_support)


class EntersOtherNumbers(DualCheat):
    """Puts other bits in than those of its share: every answer would be about another number."""

    def _enter(self, shares: SecretShares) -> Steps[Any]:
        changed = shares.copy()
        changed[:, 0] += np.uint64(1)
        entered = yield from super()._enter(changed)
        self.learned.append("came to the circuit")
        return entered


class HidesSmallGroups(DualCheat):
    """Attack B, rushing: hears our answers first, and says of its labels what makes us read "no small group"."""

    hiding = False

    def any_in_interval(self, shares: SecretShares, low: int, high: int) -> Steps[NDArray[np.bool_]]:
        """Lie about itemsets of four items and more."""
        self.hiding = shares.shape[1] > 8
        answers = yield from super().any_in_interval(shares, low, high)
        self.hiding = False
        return answers

    def _open_bits(self, held: WireLabels, given: WireLabels) -> Steps[NDArray[np.bool_]]:
        if not self.hiding:
            return (yield from super()._open_bits(held, given))
        length = -(-len(held) // 8)
        theirs = yield from receive(MessageKind.OPENED_BITS, length)
        truth = lowest(held) ^ unpack_bits(np.frombuffer(theirs, np.uint8), len(held))
        yield from send(MessageKind.OPENED_BITS, pack_bits(lowest(given) ^ truth).tobytes())
        yield from self._compare(held, given)
        self.learned.append(truth)
        return np.zeros(len(held), bool)

    def open(self, shares: SecretShares) -> Steps[NDArray[np.int64]]:
        """Note the supports."""
        self.learned.append((yield from super().open(shares)))
        return self.learned[-1]


class OpensOtherNumbers(DualCheat):
    """Opens other supports than there are: blindly, 30 more."""

    def open(self, shares: SecretShares) -> Steps[NDArray[np.int64]]:
        """Say other masks."""
        masks = shares[:, 2] - np.uint64(30)
        theirs = yield from exchange(MessageKind.FINAL_SHARES, masks.tobytes(), 8 * len(shares))
        numbers = shares[:, 0] - np.frombuffer(theirs, np.uint64)
        yield from self._compare(shares[:, 1], shares[:, 3] + numbers * self._scale)
        return numbers.astype(np.int64)


class Guesses(DualCheat):
    """What remains: in the computation that it garbles, a count has another tag if a person has an itemset of ours.

    There is one guess for each time that counts are shared: that the person `lacking` gives lacks the itemset of ours
    that is counted first, by its number.
    """

    lacking: Callable[[int, int], int]
    guessed: int
    _counting = False

    def share_supports(self, pairs: NDArray[np.int64]) -> Steps[SecretShares]:
        """Begin another guess."""
        self._counting = True
        return super().share_supports(pairs)

    def _corrections(self, piece: ColumnPart, shares: NDArray[np.uint64]) -> bytes:
        corrections = super()._corrections(piece, shares)
        if not self._counting:
            return corrections
        self._counting = False
        changed = np.frombuffer(corrections, np.uint64).reshape(-1, len(piece.places), 2).copy()
        person = self.lacking(self.guessed, piece.column)
        changed[person, :, 0] += np.uint64(1)
        type(self).guessed += 1
        return changed.tobytes()


class FishesForTheSecret(DualCheat):
    """Attack A: flips a bit of many columns of each extension."""

    flipped = 40

    def __init__(self, ring: Ring, transfers: Transfers, session_id: bytes) -> None:
        """Step between the receiver of transfers and what it sends."""
        super().__init__(ring, transfers, session_id)
        receiver = transfers.receiver
        plain_point, plain_extend = receiver._point, receiver.extend

        def extend(choices: NDArray[np.uint8]) -> tuple[bytes, ReceiverRows]:
            payload, rows = plain_extend(choices)
            end = extension_length(0) - COLUMNS * 16
            return self._changed(payload[:-end]) + payload[-end:], rows

        receiver._point = lambda sent: plain_point(self._changed(sent))
        receiver.extend = extend

    def _changed(self, sent: bytes) -> bytes:
        columns = np.frombuffer(sent, np.uint8).reshape(COLUMNS, -1).copy()
        columns[1 : 1 + self.flipped, 0] ^= 1
        return columns.tobytes()
