"""Oblivious transfer: the sender has two pads per row, the receiver gets the one it chose, and neither learns more.

Problem      per row, the receiver has a bit c. The sender gets two pseudorandom pads, the receiver the c-th one; the
             sender learns nothing about c, the receiver nothing about the other pad.
Method       128 base transfers on the curve (Masny and Rindal 2019, "endemic" transfers from Diffie-Hellman), extended
             to any number by Ishai, Kilian, Nissim and Petrank (2003): the roles of base and extension are reversed,
             columns of pseudorandom bits are transposed into rows, and rows are hashed into pads.
Check        whoever sends columns that do not all have the same choices in them could learn the other's secret bit by
             bit. So with every extension come hashes of the columns and of the choices, to 128 bits each, by a
             polynomial over GF(2^128) at a point that is a hash of what was sent (Fiat and Shamir); the other side
             compares. It is the check of Keller, Orsini and Scholl (2015) in the form that Roy (2022) proved: one hash
             per column, linear over GF(2). 128 more rows with random choices mask the hash of the choices.
Promises     a row is used once: `take` removes rows and pads from their queue, and their numbers, which tweak the hash,
             only grow. A key stream never returns a byte twice. The session's id is in every hash. Active cheating in
             an extension that changes c columns passes with probability 2^-c, and then reveals these c bits of the
             secret and no more; otherwise the session ends.
Cost         16 bytes from receiver to sender per row, 4 kB per extension; 512 multiplications of points to set up.
Departures   not constant time: the base choices decide which of two computed points is sent. jiang2006 builds on
             homomorphic encryption instead.
Reference    jiang2006   (docs/papers/jiang2006.md, tests/twoparty/test_engine.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet import _kernel
from discreet.errors import InternalFault, ProtocolViolation
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.primitives import (
    KEY_LENGTH,
    POINT_LENGTH,
    KeyStream,
    RowHash,
    check_point,
    digest,
    hash_to_group,
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
    "extension_length",
    "set_up_transfers",
]

COLUMNS: Final = 128
"""The number of base transfers, and of bits in a row."""

_WORDS: Final = COLUMNS // 64
_BLOCK: Final = 16
"""Bytes of an element of GF(2^128), and of the choices that mask a check."""


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

    def take_plain(self, count: int) -> tuple[NDArray[np.uint64], int]:
        """Remove the next rows and return them as they are, with the number of the first; the caller hashes them."""
        return self._next(count)


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


def extension_length(length: int) -> int:
    """Return the bytes of a message that extends by `length` packed choices: columns, with the masking rows, and check.

    >>> extension_length(1) - extension_length(0)
    128
    """
    return COLUMNS * (length + _BLOCK) + (COLUMNS + 1) * _BLOCK


class _Extension:
    """What both ends of the transfers in one direction have in common: how a check is made, and how many rows exist."""

    def __init__(self, session_id: bytes, direction: bytes) -> None:
        self._session_id = session_id
        self._direction = direction
        self._hash = RowHash(session_id, domain=direction)
        self._made = 0

    @property
    def row_hash(self) -> RowHash:
        """The hash that turns rows into pads."""
        return self._hash

    def hash_for(self, purpose: bytes) -> RowHash:
        """Return a hash for what is made of pads: another one for each purpose, and after each extension."""
        return RowHash(self._session_id, domain=b"%s after %d/%s" % (purpose, self._made, self._direction))

    def _point(self, sent: bytes) -> NDArray[np.uint8]:
        """Return the point at which columns are hashed: it follows from the session and from what was sent."""
        made = self._made.to_bytes(8, "big")
        point = digest(self._session_id, self._direction, made, sent, domain=b"extension")
        return np.frombuffer(point, np.uint8)[:_BLOCK]

    def _rows(self, columns: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], int]:
        """Turn columns into rows, without those that only mask; return them and the number of the first."""
        rows = _kernel.transpose_columns(columns.reshape(-1)).reshape(-1, _WORDS)
        first, self._made = self._made, self._made + len(rows)
        return rows[: -8 * _BLOCK], first


def _hashes(columns: NDArray[np.uint8], point: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Hash columns, one per row of the matrix, at a point."""
    return _kernel.hash_columns(columns.reshape(-1), count=len(columns), key=point).reshape(-1, _BLOCK)


class TransferSender(_Extension):
    """Makes the sender's rows from what the receiver sends."""

    def __init__(self, secret: NDArray[np.uint8], keys: list[bytes], session_id: bytes, direction: bytes) -> None:
        """Start from the packed choices of the base transfers, and the keys they chose."""
        super().__init__(session_id, direction)
        self._bits = np.unpackbits(secret, bitorder="little")
        self._secret = np.frombuffer(secret.tobytes(), np.uint64)
        self._streams = [(bit, KeyStream(key)) for bit, key in zip(self._bits.tolist(), keys, strict=True)]

    @property
    def secret(self) -> NDArray[np.uint64]:
        """What the two rows of a transfer differ by: two words, of which the partner knows nothing."""
        return self._secret

    def extend(self, payload: bytes) -> SenderRows:
        """Return the rows for the receiver's columns, eight for each byte of a column; refuse columns that differ."""
        sent, check = payload[: -(COLUMNS + 1) * _BLOCK], payload[-(COLUMNS + 1) * _BLOCK :]
        received = np.frombuffer(sent, np.uint8).reshape(COLUMNS, -1)
        own = np.empty_like(received)
        for column, (bit, stream) in enumerate(self._streams):
            stream.fill(own[column])
            if bit:
                own[column] ^= received[column]
        claimed = np.frombuffer(check, np.uint8).reshape(COLUMNS + 1, _BLOCK)
        if (_hashes(own, self._point(sent)) != claimed[:-1] ^ self._bits[:, None] * claimed[-1]).any():
            raise ProtocolViolation(
                "the partner's transfers contradict each other; it did not follow the protocol, and nothing was kept"
            )
        rows, first = self._rows(own)
        return SenderRows(rows, first, self._hash, self._secret)


class TransferReceiver(_Extension):
    """Makes the receiver's rows, and what the sender needs to make its own."""

    def __init__(self, key_pairs: list[tuple[bytes, bytes]], session_id: bytes, direction: bytes) -> None:
        """Start from both keys of every base transfer."""
        super().__init__(session_id, direction)
        self._streams = [(KeyStream(zero), KeyStream(one)) for zero, one in key_pairs]

    def extend(self, choices: NDArray[np.uint8]) -> tuple[bytes, ReceiverRows]:
        """Return the columns to send, with their check, and the rows, for packed choices, eight per byte."""
        choices = np.concatenate([choices, random_bits(_BLOCK)])
        own = np.empty((COLUMNS, len(choices)), np.uint8)
        columns = np.empty_like(own)
        for column, (zero, one) in enumerate(self._streams):
            zero.fill(own[column])
            one.fill(columns[column])
            columns[column] ^= own[column]
            columns[column] ^= choices
        sent = columns.tobytes()
        point = self._point(sent)
        check = np.concatenate([_hashes(own, point), _hashes(choices[None], point)])
        rows, first = self._rows(own)
        return sent + check.tobytes(), ReceiverRows(rows, first, self._hash)


@dataclass(frozen=True, slots=True)
class Transfers:
    """One party's ends of the transfers in both directions."""

    party: Role
    sender: TransferSender
    receiver: TransferReceiver


def set_up_transfers(party: Role, session_id: bytes, *, odd: bool = False) -> Steps[Transfers]:
    """Run the base transfers of both directions at once; with `odd`, the secret's lowest bit is 1, as garbling needs.

    The chooser sends two points per transfer that sum, after a hash of the other is added, to one whose logarithm it
    knows for the point of its choice, and to one whose logarithm nobody knows for the other.
    """
    scalar = random_scalar()
    mine = multiply_generator(scalar)
    sending, receiving = _direction(party), _direction(party.other)
    secret = random_bits(COLUMNS // 8)
    if odd:
        secret = secret | np.array([1] + [0] * (len(secret) - 1), np.uint8)
    scalars, pairs = [], []
    for number, choice in enumerate(np.unpackbits(secret, bitorder="little").tolist()):
        own, other = random_scalar(), multiply_generator(random_scalar())
        scalars.append(own)
        chosen = subtract_points(multiply_generator(own), _offset(session_id, sending, number, choice, other))
        pairs.append((other, chosen) if choice else (chosen, other))
    payload = yield from exchange(
        MessageKind.BASE_OT, mine + b"".join(zero + one for zero, one in pairs), (1 + 2 * COLUMNS) * POINT_LENGTH
    )
    theirs, *points = (check_point(payload[at : at + POINT_LENGTH]) for at in range(0, len(payload), POINT_LENGTH))

    keys = [
        _key(session_id, sending, number, theirs, *pair, multiply(own, theirs))
        for number, (own, pair) in enumerate(zip(scalars, pairs, strict=True))
    ]
    key_pairs = []
    for number in range(COLUMNS):
        pair = points[2 * number], points[2 * number + 1]
        shared = (
            multiply(scalar, pair[choice], _offset(session_id, receiving, number, choice, pair[1 - choice]))
            for choice in (0, 1)
        )
        zero, one = (_key(session_id, receiving, number, mine, *pair, each) for each in shared)
        key_pairs.append((zero, one))
    return Transfers(
        party,
        TransferSender(secret, keys, session_id, sending),
        TransferReceiver(key_pairs, session_id, receiving),
    )


def _offset(session_id: bytes, direction: bytes, number: int, choice: int, other: bytes) -> bytes:
    """Return the point that is added to the point of a choice: a hash of the point for the other choice."""
    return hash_to_group(
        session_id, direction, number.to_bytes(2, "big"), bytes([choice]), other, domain=b"base-offset"
    )


def _direction(sender: Role) -> bytes:
    return b"from party %d" % sender


def _key(session_id: bytes, direction: bytes, number: int, *points: bytes) -> bytes:
    """Derive a key from a base transfer: from its index, the three points that were sent, and the shared one."""
    return digest(session_id, direction, number.to_bytes(2, "big"), *points, domain=b"base-transfer")[:KEY_LENGTH]
