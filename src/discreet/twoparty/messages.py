"""The messages of the two parties and their bytes.

A message is a kind and a payload. On the wire: four magic bytes, the version of the wire format, the kind, the
payload's length (32 bits, big-endian), the payload. Payloads are plain bytes in a layout that the kind defines; nothing
is ever unpickled.

The decoder accepts bytes in chunks of any size and returns whole messages. It holds no socket and knows no protocol:
whoever waits for a message says which kind and length it may have, and is asked as soon as the ten bytes of the header
have arrived. Before that, nothing of the payload is wanted. Each kind also has a limit that no step exceeds.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NoReturn

from discreet.errors import InternalFault, PartnerError, ProtocolViolation

if TYPE_CHECKING:
    from collections.abc import Callable

    Admission = Callable[["MessageKind", int], None]
    """Asked with the kind and the length of a message that is announced; raises a PartnerError if it may not come."""

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
    MASKS = 19  # a seed for one of several owners: both make the numbers from it that they add and subtract


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
    MessageKind.COMMITMENT: 64,  # among several owners, with a hash of what was heard
    MessageKind.COLUMN_PROOF: 32,
    MessageKind.GARBLED: 64 * MEBIBYTE,
    MessageKind.COMPARISON: 32,
    MessageKind.MASKS: 32,
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


_ALWAYS: Final = {MessageKind.ALIVE, MessageKind.REFUSED}
"""What may come at any time: a byte at most."""


class MessageDecoder:
    """Turns received bytes into messages.

    After a violation it accepts nothing more: what follows junk is junk.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self._header: tuple[MessageKind, int] | None = None  # of the message whose payload is incomplete
        self._admitted = False
        self._broken = False

    @property
    def waits(self) -> bool:
        """Whether a message is announced that nobody has admitted yet: its payload is not wanted before that."""
        return self._header is not None and not self._admitted

    def feed(self, received: bytes) -> None:
        """Add received bytes."""
        if self._broken:
            raise ProtocolViolation("the partner sent bytes after an unreadable message; start both sides again")
        self._pending += received

    def next(self, admit: Admission | None = None) -> Message | None:
        """Return the next message if it is complete; `admit` is asked once, when the message is announced.

        Without `admit`, only signs of life and refusals are returned; anything else waits.
        """
        if self._header is None:
            if len(self._pending) < HEADER_LENGTH:
                self._check_magic(bytes(self._pending[: len(MAGIC)]))
                return None
            self._header = self._read_header(bytes(self._pending[:HEADER_LENGTH]))
            self._admitted = self._header[0] in _ALWAYS
            del self._pending[:HEADER_LENGTH]
        kind, length = self._header
        if not self._admitted:
            if admit is None:
                return None
            try:
                admit(kind, length)
            except PartnerError:
                self._end()
                raise
            self._admitted = True
        if len(self._pending) < length:
            return None
        message = Message(kind, bytes(self._pending[:length]))
        del self._pending[:length]
        self._header = None
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
        self._end()
        raise ProtocolViolation(sentence)

    def _end(self) -> None:
        self._broken = True
        self._pending.clear()
