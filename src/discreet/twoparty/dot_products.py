"""Count the rows that have both items: shares of dot products, by correlated oblivious transfer.

Problem      one party holds a column x of bits, the other a column y; compute for each a share of the sum of x * y,
             modulo a power of two, so that neither learns it.
Method       the chooser's bits y are the choices of one transfer per row. The other party's two pads of a row differ,
             after a correction that it sends, by x of that row: the chooser's pad minus the other's is x * y. Summed
             over the rows, these are the shares. All columns x that are paired with the same y are corrected together.
Promises     a correction is masked by a pad that is used nowhere else; columns are masked by fresh key streams.
Cost         per row, 16 bytes for each column of the chooser and one number of the ring for each pair; two messages per
             batch. The party with fewer columns is the chooser.
Departures   each call makes its own transfers and uses them up, batch by batch, so memory does not grow with n.
Reference    jiang2006, section 2.3 (SDP)   (docs/papers/jiang2006.md, tests/twoparty/test_engine.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.stages import tell_share
from discreet.twoparty.agreement import Role
from discreet.twoparty.gmw import unpack_bits
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.oblivious_transfer import COLUMNS, extension_length
from discreet.twoparty.steps import receive, send

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.twoparty.oblivious_transfer import TransferReceiver, Transfers, TransferSender
    from discreet.twoparty.ring import Ring, SecretShares
    from discreet.twoparty.steps import Steps

__all__ = ["ColumnPart", "among_kept", "chooser_of", "in_batches", "share_dot_products"]

_BATCH: Final = 1 << 22
"""The approximate number of bytes of columns and corrections per batch."""


@dataclass(frozen=True, slots=True)
class ColumnPart:
    """Some rows of one of the chooser's columns, and the columns to multiply them with."""

    column: int
    start: int  # bytes of packed bits
    stop: int
    partners: NDArray[np.int64]  # the other party's columns
    places: NDArray[np.int64]  # where the sums go

    @property
    def rows(self) -> int:
        """How many rows there are, with the padding of the last byte."""
        return 8 * (self.stop - self.start)


def among_kept(columns: NDArray[np.uint8], kept: NDArray[np.uint8], party: Role) -> NDArray[np.uint8]:
    """Return columns twice as long, whose dot products count only the rows whose shared bit `kept` is 1; packed.

    A bit p XOR q is 1 if p = 1 and q = 0, or the other way round: x y (p XOR q) = (x p)(y (1 - q)) + (x (1 - p))(y q).
    """
    with_bit, without = columns & kept, columns & ~kept
    return np.concatenate([with_bit, without] if party is Role.FIRST else [without, with_bit], axis=1)


def chooser_of(pairs: NDArray[np.int64]) -> Role:
    """Return the party whose columns are the choices: the one with fewer columns."""
    first, second = (len(np.unique(side)) for side in pairs.T)
    return Role.FIRST if first < second else Role.SECOND


def share_dot_products(
    transfers: Transfers, ring: Ring, columns: NDArray[np.uint8], pairs: NDArray[np.int64]
) -> Steps[SecretShares]:
    """Return this party's shares, one per pair (index of a first party's column, index of a second party's column).

    `columns` are this party's own, packed, one per row of the matrix.
    """
    chooser = chooser_of(pairs)
    shares = np.zeros(len(pairs), ring.dtype)
    choosing = pairs[:, chooser - 1]
    width = ring.dtype.itemsize
    batches = list(in_batches(choosing, pairs[:, chooser.other - 1], columns.shape[1], COLUMNS // 8, width))
    for number, batch in enumerate(batches):
        tell_share(number / len(batches))
        if transfers.party is chooser:
            yield from _choose(transfers.receiver, ring, columns, batch, shares)
        else:
            yield from _correct(transfers.sender, ring, columns, batch, shares)
    return shares


def in_batches(
    choosing: NDArray[np.int64], partners: NDArray[np.int64], length: int, per_row: int, per_pair: int
) -> Iterator[list[ColumnPart]]:
    """Split the work into batches, the same on both sides: long columns are cut by rows, short columns are combined.

    Columns have `length` bytes; `per_row` bytes are sent for each row of a chooser's column, and `per_pair` for each
    column that it is multiplied with.
    """
    order = np.argsort(choosing, kind="stable")
    batch: list[ColumnPart] = []
    filled = 0
    for places in np.split(order, np.flatnonzero(np.diff(choosing[order])) + 1):
        if not len(places):
            continue
        each = 8 * (per_row + per_pair * len(places))  # bytes sent per byte of packed rows
        start = 0
        while start < length:
            stop = min(length, start + max(1, (_BATCH - filled) // each))
            batch.append(ColumnPart(int(choosing[places[0]]), start, stop, partners[places], places))
            filled += each * (stop - start)
            start = stop
            if filled >= _BATCH - each:
                yield batch
                batch, filled = [], 0
    if batch:
        yield batch


def _choose(
    receiver: TransferReceiver,
    ring: Ring,
    columns: NDArray[np.uint8],
    batch: list[ColumnPart],
    shares: SecretShares,
) -> Steps[None]:
    choices = np.concatenate([columns[piece.column, piece.start : piece.stop] for piece in batch])
    payload, rows = receiver.extend(choices)
    yield from send(MessageKind.EXTENSION, payload)
    width = ring.dtype.itemsize
    length = sum(piece.rows * len(piece.places) for piece in batch) * width
    corrections = np.frombuffer((yield from receive(MessageKind.CORRECTIONS, length)), ring.dtype)
    at = 0
    for piece in batch:
        count, size = piece.rows, len(piece.places)
        pads = ring.numbers(rows.take(count, ring.blocks(size)), size)
        received = corrections[at : at + count * size].reshape(count, size)
        at += count * size
        chosen = unpack_bits(columns[piece.column, piece.start : piece.stop], count).astype(bool)
        shares[piece.places] += pads.sum(axis=0, dtype=ring.dtype) + received[chosen].sum(axis=0, dtype=ring.dtype)


def _correct(
    sender: TransferSender,
    ring: Ring,
    columns: NDArray[np.uint8],
    batch: list[ColumnPart],
    shares: SecretShares,
) -> Steps[None]:
    length = extension_length(sum(piece.stop - piece.start for piece in batch))
    rows = sender.extend((yield from receive(MessageKind.EXTENSION, length)))
    corrections = []
    for piece in batch:
        count, size = piece.rows, len(piece.places)
        zero, one = (ring.numbers(pads, size) for pads in rows.take(count, ring.blocks(size)))
        bits = unpack_bits(columns[piece.partners, piece.start : piece.stop], count)
        corrections.append((zero - one + bits.T).astype(ring.dtype, copy=False).tobytes())
        shares[piece.places] -= zero.sum(axis=0, dtype=ring.dtype)
    yield from send(MessageKind.CORRECTIONS, b"".join(corrections))
