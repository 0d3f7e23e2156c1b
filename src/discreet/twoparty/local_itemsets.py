"""What each party contributes: its own frequent itemsets, their names for the partner, their rows for itself.

An itemset over one party's columns is frequent in the joint data if and only if it is frequent at that party, so its
name is part of the result; its support and its rows are not sent.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet import _kernel
from discreet.errors import Disagreement, ParameterError, ProtocolViolation, param
from discreet.itemsets import Itemsets
from discreet.patterns.mining import mine
from discreet.patterns.patternset import trimmed
from discreet.stages import share_of
from discreet.transactions.vocabulary import Vocabulary
from discreet.twoparty.gmw import pack_bits
from discreet.twoparty.messages import LIMITS, MessageKind
from discreet.twoparty.steps import exchange

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.steps import Steps

__all__ = ["ItemsetNames", "LocalItemsets", "exchange_names"]

_COUNTS: Final = struct.Struct("<II")


@dataclass(frozen=True, eq=False, slots=True)
class ItemsetNames:
    """Itemsets by name: in canonical order, closed under subsets, with every label as a single item."""

    vocabulary: Vocabulary
    itemsets: Itemsets

    def __len__(self) -> int:
        return len(self.itemsets)

    def to_bytes(self) -> bytes:
        """Return the bytes for the partner."""
        labels = [label.encode() for label in self.vocabulary]
        lengths = np.array([len(label) for label in labels], "<u4")
        sizes = self.itemsets.lengths.astype("<u4")
        return b"".join(
            (
                _COUNTS.pack(len(labels), len(sizes)),
                lengths.tobytes(),
                *labels,
                sizes.tobytes(),
                self.itemsets.items.astype("<i4").tobytes(),
            )
        )

    @classmethod
    def from_bytes(cls, payload: bytes) -> ItemsetNames:
        """Parse the partner's bytes; refuse anything inconsistent."""
        try:
            return cls._read(payload)
        except (ValueError, struct.error) as error:
            raise ProtocolViolation("the partner's list of itemsets cannot be read; start both sides again") from error

    @classmethod
    def _read(cls, payload: bytes) -> ItemsetNames:
        label_count, set_count = _COUNTS.unpack_from(payload)
        at = _COUNTS.size
        lengths = np.frombuffer(payload, "<u4", label_count, at).astype(np.int64)
        at += lengths.size * 4
        ends = at + np.cumsum(lengths)
        labels = [payload[end - length : end].decode() for end, length in zip(ends, lengths, strict=True)]
        at += int(lengths.sum())
        sizes = np.frombuffer(payload, "<u4", set_count, at).astype(np.int64)
        at += sizes.size * 4
        items = np.frombuffer(payload, "<i4", int(sizes.sum()), at).astype(np.int32)
        if at + items.size * 4 != len(payload):
            raise ValueError("bytes are left over")
        itemsets = Itemsets.from_lengths(sizes, items)
        vocabulary = Vocabulary(labels)
        if list(vocabulary) != labels or (sizes == 0).any() or (sizes == 1).sum() != label_count:
            raise ValueError("labels or sizes are not canonical")
        itemsets.check(label_count)
        if itemsets.first_out_of_order() is not None:
            raise ValueError("itemsets are not in order")
        if (_kernel.one_item_less(itemsets, label_count) == -1).any():
            raise ValueError("an itemset is listed without its subsets")
        return cls(vocabulary, itemsets)


@dataclass(frozen=True, eq=False, slots=True)
class LocalItemsets:
    """One party's frequent itemsets: names for both, supports and columns of bits for itself."""

    names: ItemsetNames
    supports: NDArray[np.int64]
    _columns: NDArray[np.uint8]  # of the labels, packed

    @classmethod
    def find(cls, rows: Transactions, min_support: int) -> LocalItemsets:
        """Mine one party's own rows."""
        found = trimmed(
            mine(rows, min_support=min_support, target="all", progress=share_of("mining this side's own columns"))
        )  # no other label may be disclosed
        columns = _columns_of(rows, [rows.vocabulary.positions[label] for label in found.vocabulary])
        return cls(ItemsetNames(found.vocabulary, found.itemsets), found.supports, columns)

    def columns(self, chosen: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the rows that contain each of the chosen itemsets, as packed bits."""
        columns = np.empty((len(chosen), self._columns.shape[1]), np.uint8)
        for place, number in enumerate(chosen.tolist()):
            np.bitwise_and.reduce(self._columns[self.names.itemsets[number]], out=columns[place])
        return columns


def _columns_of(rows: Transactions, wanted: list[int]) -> NDArray[np.uint8]:
    """Return the rows that contain each of the wanted items, as packed bits."""
    place = np.full(len(rows.vocabulary), -1, np.int32)
    place[wanted] = np.arange(len(wanted), dtype=np.int32)
    column = place[rows.items]
    row = np.repeat(np.arange(len(rows), dtype=np.int32), rows.itemsets.lengths)[column >= 0]
    column = column[column >= 0]
    order = np.argsort(column, kind="stable")
    ends = np.searchsorted(column[order], np.arange(len(wanted) + 1))
    packed = np.empty((len(wanted), -(-len(rows) // 8)), np.uint8)
    for number in range(len(wanted)):
        flags = np.zeros(len(rows), np.uint8)
        flags[row[order[ends[number] : ends[number + 1]]]] = 1
        packed[number] = pack_bits(flags)
    return packed


def exchange_names(own: ItemsetNames, frequent: Collection[str] | None = None) -> Steps[ItemsetNames]:
    """Exchange the names; return the partner's. No label may be on both sides.

    `frequent` are this side's labels that were frequent before rows were cleared, if any were.
    """
    payload, most = own.to_bytes(), LIMITS[MessageKind.LOCAL_ITEMSETS]  # how many names there are, nobody knows before
    if len(payload) > most:
        raise ParameterError(
            f"{len(own):,} itemsets are frequent on this side alone, too many to name; raise {param('min_support')}",
            parameter="min_support",
        )
    received = yield from exchange(MessageKind.LOCAL_ITEMSETS, payload, most, exact=False)
    partner = ItemsetNames.from_bytes(received)
    ours = own.vocabulary if frequent is None else frozenset(frequent)
    common = sum(label in ours for label in partner.vocabulary)
    if common:
        raise Disagreement(
            f"labels that are frequent on both sides: {common:,}; each column must belong to one side, "
            "rename or drop those that both have (for different people with the same items, see "
            f"{param('horizontal', value=True)})"
        )
    return partner
