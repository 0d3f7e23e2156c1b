"""Protocol code as generators: what to send, what to wait for.

A step of a protocol is a generator. It yields a `Frame` to send it, and is resumed at once; it yields an `Expected` to
wait for the partner's next frame, and is resumed with that frame's payload once it has come and is of the kind and
length expected. Whoever drives the generator (`session.Session`) checks frames before handing them in, so a frame that
may not come now changes nothing.

Arrays travel as their bytes, little-endian; their type and shape follow from what was agreed before.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from discreet.errors import ProtocolViolation
from discreet.twoparty.frames import Frame, FrameKind

__all__ = ["Expected", "Steps", "exchange", "receive", "send"]

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Expected:
    """The one frame that may come next; `length` is None where the payload says its own (and is parsed with care)."""

    kind: FrameKind
    length: int | None

    def check(self, frame: Frame) -> bytes:
        """Return the payload of the frame that was expected; refuse any other."""
        if frame.kind is not self.kind:
            raise ProtocolViolation(
                f"the partner sent a frame {frame.kind.name} where {self.kind.name} was due; "
                "install the same release of discreet on both sides and start both again"
            )
        if self.length is not None and len(frame.payload) != self.length:
            raise ProtocolViolation(
                f"the partner sent {len(frame.payload):,} bytes in a frame {self.kind.name} where {self.length:,} were "
                "due; start both sides again"
            )
        return frame.payload


Steps: TypeAlias = Generator[Frame | Expected, bytes, Result]
"""A step of a protocol, and what it comes to."""


def send(kind: FrameKind, payload: bytes) -> Steps[None]:
    """Send a frame."""
    yield Frame(kind, payload)


def receive(kind: FrameKind, length: int | None) -> Steps[bytes]:
    """Wait for a frame; its payload."""
    return (yield Expected(kind, length))


def exchange(kind: FrameKind, payload: bytes, length: int | None) -> Steps[bytes]:
    """Send a frame and wait for the partner's of the same kind; its payload."""
    yield Frame(kind, payload)
    return (yield Expected(kind, length))
