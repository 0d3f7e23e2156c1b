"""Oblivious transfer: the sender has two pads per row, the receiver gets the one it chose, and neither learns more.

Problem      per row, the receiver has a bit c. The sender gets two pseudorandom pads, the receiver the c-th one; the
             sender learns nothing about c, the receiver nothing about the other pad.
Method       128 base transfers on the curve (Chou and Orlandi 2015, passive), extended to any number by Ishai, Kilian,
             Nissim and Petrank (2003): the roles of base and extension are reversed, columns of pseudorandom bits are
             transposed into rows, and rows are hashed into pads.
Promises     a row is used once: `take` removes rows and pads from their queue, and their numbers, which tweak the hash,
             only grow. A key stream never returns a byte twice. The session's id is in every hash.
Cost         16 bytes from receiver to sender per row; 256 multiplications of points to set up, per direction and party.
Departures   semi-honest: there is no check that a partner extends consistently. Not constant time: the base choices
             decide which of two computed points is sent. jiang2006 builds on homomorphic encryption instead.
Reference    jiang2006   (docs/papers/jiang2006.md, tests/twoparty/test_engine.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet import _kernel
from discreet.errors import InternalFault
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.primitives import (
    KEY_LENGTH,
    POINT_LENGTH,
    KeyStream,
    RowHash,
    add_points,
    check_point,
    digest,
    multiply,
    multiply_generator,
    random_bits,
    random_scalar,
    subtract_points,
)
from discreet.twoparty.steps import exchange

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.twoparty.agreement import Role
    from discreet.twoparty.steps import Steps

__all__ = [
    "COLUMNS",
    "ReceiverRows",
    "SenderRows",
    "TransferReceiver",
    "TransferSender",
    "Transfers",
    "set_up_transfers",
]

COLUMNS: Final = 128
"""The number of base transfers, and of bits in a row."""

_WORDS: Final = COLUMNS // 64


class _Rows:
    """A queue of rows, each used once."""

    def __init__(self, rows: NDArray[np.uint64], first: int, row_hash: RowHash) -> None:
        self._rows = rows
        self._first = first
        self._hash = row_hash

    def __len__(self) -> int:
        return len(self._rows)

    def _next(self, count: int) -> tuple[NDArray[np.uint64], int]:
        if count > len(self._rows):
            raise InternalFault(f"{count} rows of transfers are wanted where {len(self._rows)} are left")
        rows, first = self._rows[:count], self._first
        self._rows = self._rows[count:]
        self._first += count
        return rows, first


class SenderRows(_Rows):
    """The sender's side of some transfers."""

    def __init__(self, rows: NDArray[np.uint64], first: int, row_hash: RowHash, secret: NDArray[np.uint64]) -> None:
        """Start with rows numbered from `first`, and the secret that separates the two pads of a row."""
        super().__init__(rows, first, row_hash)
        self._secret = secret

    def take(self, count: int, blocks: int = 1) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Remove the next rows and return both pads of each, `blocks` times 128 bits, as words."""
        rows, first = self._next(count)
        return (
            self._hash.pads(rows, first=first, blocks=blocks),
            self._hash.pads(rows ^ self._secret, first=first, blocks=blocks),
        )


class ReceiverRows(_Rows):
    """The receiver's side of some transfers."""

    def take(self, count: int, blocks: int = 1) -> NDArray[np.uint64]:
        """Remove the next rows and return the chosen pad of each, `blocks` times 128 bits, as words."""
        rows, first = self._next(count)
        return self._hash.pads(rows, first=first, blocks=blocks)


class TransferSender:
    """Makes the sender's rows from what the receiver sends."""

    def __init__(self, secret: NDArray[np.uint8], keys: list[bytes], row_hash: RowHash) -> None:
        """Start from the packed choices of the base transfers, and the keys they chose."""
        bits = np.unpackbits(secret, bitorder="little").tolist()
        self._secret = np.frombuffer(secret.tobytes(), np.uint64)
        self._streams = [(bit, KeyStream(key)) for bit, key in zip(bits, keys, strict=True)]
        self._hash = row_hash
        self._made = 0

    def extend(self, columns: bytes) -> SenderRows:
        """Return the rows for the receiver's columns, eight for each byte of a column."""
        received = np.frombuffer(columns, np.uint8).reshape(COLUMNS, -1)
        own = np.empty_like(received)
        for column, (bit, stream) in enumerate(self._streams):
            stream.fill(own[column])
            if bit:
                own[column] ^= received[column]
        rows = _kernel.transpose_columns(own.reshape(-1)).reshape(-1, _WORDS)
        first, self._made = self._made, self._made + len(rows)
        return SenderRows(rows, first, self._hash, self._secret)


class TransferReceiver:
    """Makes the receiver's rows, and what the sender needs to make its own."""

    def __init__(self, key_pairs: list[tuple[bytes, bytes]], row_hash: RowHash) -> None:
        """Start from both keys of every base transfer."""
        self._streams = [(KeyStream(zero), KeyStream(one)) for zero, one in key_pairs]
        self._hash = row_hash
        self._made = 0

    def extend(self, choices: NDArray[np.uint8]) -> tuple[bytes, ReceiverRows]:
        """Return the columns to send and the rows, for packed choices, eight per byte."""
        own = np.empty((COLUMNS, len(choices)), np.uint8)
        columns = np.empty_like(own)
        for column, (zero, one) in enumerate(self._streams):
            zero.fill(own[column])
            one.fill(columns[column])
            columns[column] ^= own[column]
            columns[column] ^= choices
        rows = _kernel.transpose_columns(own.reshape(-1)).reshape(-1, _WORDS)
        first, self._made = self._made, self._made + len(rows)
        return columns.tobytes(), ReceiverRows(rows, first, self._hash)


@dataclass(frozen=True, slots=True)
class Transfers:
    """One party's ends of the transfers in both directions."""

    party: Role
    sender: TransferSender
    receiver: TransferReceiver


def set_up_transfers(party: Role, session_id: bytes) -> Steps[Transfers]:
    """Run the base transfers of both directions at once."""
    scalar = random_scalar()
    mine = multiply_generator(scalar)
    theirs = check_point((yield from exchange(MessageKind.BASE_OT, mine, POINT_LENGTH)))
    secret = random_bits(COLUMNS // 8)
    scalars = [random_scalar() for _ in range(COLUMNS)]
    points = []
    for choice, own in zip(np.unpackbits(secret, bitorder="little").tolist(), scalars, strict=True):
        both = multiply_generator(own), add_points(multiply_generator(own), theirs)
        points.append(both[choice])
    payload = yield from exchange(MessageKind.BASE_OT, b"".join(points), COLUMNS * POINT_LENGTH)

    sending, receiving = _direction(party), _direction(party.other)
    keys = [
        _key(session_id, sending, number, theirs, point, multiply(own, theirs))
        for number, (own, point) in enumerate(zip(scalars, points, strict=True))
    ]
    pairs = []
    squared = multiply(scalar, mine)
    for number in range(COLUMNS):
        point = payload[number * POINT_LENGTH : (number + 1) * POINT_LENGTH]
        zero = multiply(scalar, point)
        one = subtract_points(zero, squared)
        key_of_zero = _key(session_id, receiving, number, mine, point, zero)
        pairs.append((key_of_zero, _key(session_id, receiving, number, mine, point, one)))
    return Transfers(
        party,
        TransferSender(secret, keys, RowHash(session_id, domain=sending)),
        TransferReceiver(pairs, RowHash(session_id, domain=receiving)),
    )


def _direction(sender: Role) -> bytes:
    return b"from party %d" % sender


def _key(session_id: bytes, direction: bytes, number: int, *points: bytes) -> bytes:
    """Derive a key from a base transfer: from its index, the two points that were sent, and the shared one."""
    return digest(session_id, direction, number.to_bytes(2, "big"), *points, domain=b"base-transfer")[:KEY_LENGTH]
