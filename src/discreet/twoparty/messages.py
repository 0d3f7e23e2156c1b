"""The messages of the two parties and their bytes.

A message is a kind and a payload. On the wire: four magic bytes, the version of the wire format, the kind, the
payload's length (32 bits, big-endian), the payload. Each kind has its own length limit, which is checked as soon as the
ten bytes of the header have arrived, before anything is allocated for the payload. Payloads are plain bytes in a layout
that the kind defines; nothing is ever unpickled.

The decoder accepts bytes in chunks of any size and returns whole messages. It holds no socket and knows no protocol:
the session decides which message may come when.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NoReturn

from discreet.errors import InternalFault, ProtocolViolation

__all__ = ["HEADER_LENGTH", "LIMITS", "VERSION", "Message", "MessageDecoder", "MessageKind", "encode"]

MAGIC: Final = b"DSC2"
VERSION: Final = 1  # of the wire format; the protocols' version is one of the agreed parameters
HEADER: Final = struct.Struct(">4sBBI")
HEADER_LENGTH: Final = HEADER.size

KIBIBYTE: Final = 1 << 10
MEBIBYTE: Final = 1 << 20


class MessageKind(IntEnum):
    """What a message carries."""

    PARAMETERS = 1  # what this party wants to compute, and its fresh part of the session's id
    ALIGNMENT = 2  # are the rows the same people in the same order? masked points, never ids
    INTERSECTION = 3  # masked ids, to find the people that both have
    LOCAL_ITEMSETS = 4  # the names of the itemsets that are frequent in this party's own columns
    BASE_OT = 5  # points of the base oblivious transfers
    EXTENSION = 6  # the columns that extend those to as many as are needed
    CORRECTIONS = 7  # what the sender of a correlated transfer sends per candidate
    AND_OPENINGS = 8  # masked inputs of AND gates
    OPENED_BITS = 9  # shares of bits that both may see: frequent or not, released or not
    FINAL_SHARES = 10  # shares of the supports that are released
    REFUSED = 11  # this party stops; the reason is a number
    ALIVE = 12  # still computing; handled by the transport, never seen by a session
    FAREWELL = 13  # this party has its result, and a digest of it; handled by the transport
    EXCLUSIVE = 14  # which of this party's released items exclude each other, as readers of the labels know
    COMMITMENT = 15  # to what is opened next, so that neither chooses after it has seen the partner's
    COLUMN_PROOF = 16  # that the columns of itemsets are those of their items (dual engine)
    GARBLED = 17  # tables of a garbled circuit
    COMPARISON = 18  # do both computations agree? masked points
    MASKS = (
        19  # random numbers for one of several owners: the sender subtracts them from its shares, the other adds them
    )


LIMITS: Final = {
    MessageKind.PARAMETERS: KIBIBYTE,
    MessageKind.ALIGNMENT: 32,
    MessageKind.INTERSECTION: 512 * KIBIBYTE,
    MessageKind.LOCAL_ITEMSETS: 64 * MEBIBYTE,
    MessageKind.BASE_OT: 257 * 32,
    MessageKind.EXTENSION: 64 * MEBIBYTE,
    MessageKind.CORRECTIONS: 64 * MEBIBYTE,
    MessageKind.AND_OPENINGS: 64 * MEBIBYTE,
    MessageKind.OPENED_BITS: 16 * MEBIBYTE,
    MessageKind.FINAL_SHARES: 64 * MEBIBYTE,
    MessageKind.REFUSED: 1,
    MessageKind.ALIVE: 0,
    MessageKind.FAREWELL: 32,
    MessageKind.EXCLUSIVE: MEBIBYTE,
    MessageKind.COMMITMENT: 32,
    MessageKind.COLUMN_PROOF: 32,
    MessageKind.GARBLED: 64 * MEBIBYTE,
    MessageKind.COMPARISON: 32,
    MessageKind.MASKS: 64 * MEBIBYTE,
}


@dataclass(frozen=True, slots=True)
class Message:
    """One message: its kind and its payload."""

    kind: MessageKind
    payload: bytes = b""

    def __post_init__(self) -> None:
        """Refuse to create what the other side would refuse to read: that would be a bug of discreet."""
        if len(self.payload) > LIMITS[self.kind]:
            raise InternalFault(
                f"a message {self.kind.name} holds at most {LIMITS[self.kind]} bytes, not {len(self.payload)}"
            )


def encode(message: Message) -> bytes:
    """Return the bytes of one message."""
    return HEADER.pack(MAGIC, VERSION, message.kind, len(message.payload)) + message.payload


class MessageDecoder:
    """Turns received bytes into messages.

    After a violation it accepts nothing more: what follows junk is junk.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self._kind: MessageKind | None = None  # of the message whose payload is incomplete
        self._length = 0
        self._broken = False

    def feed(self, received: bytes) -> list[Message]:
        """Add received bytes; return the messages they complete."""
        if self._broken:
            raise ProtocolViolation("the partner sent bytes after an unreadable message; start both sides again")
        self._pending += received
        messages = []
        while (message := self._next()) is not None:
            messages.append(message)
        return messages

    def _next(self) -> Message | None:
        if self._kind is None:
            if len(self._pending) < HEADER_LENGTH:
                self._check_magic(bytes(self._pending[: len(MAGIC)]))
                return None
            self._kind, self._length = self._read_header(bytes(self._pending[:HEADER_LENGTH]))
            del self._pending[:HEADER_LENGTH]
        if len(self._pending) < self._length:
            return None
        message = Message(self._kind, bytes(self._pending[: self._length]))
        del self._pending[: self._length]
        self._kind = None
        return message

    def _read_header(self, header: bytes) -> tuple[MessageKind, int]:
        magic, version, number, length = HEADER.unpack(header)
        self._check_magic(magic)
        if version != VERSION:
            self._break(
                f"the partner speaks version {version} of the wire format and this program version {VERSION}; "
                "install the same release of discreet on both sides"
            )
        try:
            kind = MessageKind(number)
        except ValueError:
            self._break(
                f"the partner sent a message of the unknown kind {number}; install the same release of discreet on "
                "both sides"
            )
        if length > LIMITS[kind]:
            self._break(
                f"the partner announced a message {kind.name} of {length} bytes where at most {LIMITS[kind]} are "
                "allowed; nothing of it was read"
            )
        return kind, length

    def _check_magic(self, start: bytes) -> None:
        if not MAGIC.startswith(start):
            self._break(
                "the partner sent bytes that are not a message of discreet; is another program behind that port?"
            )

    def _break(self, sentence: str) -> NoReturn:
        self._broken = True
        self._pending.clear()
        raise ProtocolViolation(sentence)
