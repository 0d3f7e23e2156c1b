"""Protocol code as generators: what to send, what to wait for.

A step of a protocol is a generator. It yields a `Message` to send it, and is resumed at once. It yields an `Expected`
to wait for the partner's next message, and is resumed with that message's payload once it has arrived with the expected
kind and length, or with at most that length if the payload says its own. So the length of every message is known before
any of it is read. It yields `SO_FAR` to be resumed at once with digests of what it has sent and received up to there,
which the partner has at the same step, the other way round. `Conversation` drives a generator: it checks messages
before handing them in, so an unexpected message changes nothing.

Arrays are sent as their bytes, little-endian; their type and shape follow from what was agreed before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar, cast

from discreet.errors import InternalFault, ProtocolViolation
from discreet.twoparty.messages import HEADER_LENGTH, Message, MessageKind

__all__ = ["SO_FAR", "Conversation", "Expected", "SoFar", "Steps", "exchange", "receive", "send"]

Result = TypeVar("Result")

_END: Final = 4096
"""How much of the end of an extension is hashed."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The one message that may come next; unless `exact`, it may be shorter, and the payload itself is validated."""

    kind: MessageKind
    length: int
    exact: bool = True

    def admit(self, kind: MessageKind, length: int) -> None:
        """Refuse any other message than the expected one, by what its header says."""
        if kind is not self.kind:
            raise ProtocolViolation(
                f"the partner sent a message {kind.name} where {self.kind.name} was due; "
                "install the same release of discreet on both sides and start both again"
            )
        if length > self.length or (self.exact and length < self.length):
            due = f"{self.length:,}" if self.exact else f"at most {self.length:,}"
            raise ProtocolViolation(
                f"the partner sent {length:,} bytes in a message {self.kind.name} where {due} were due; start both "
                "sides again"
            )

    def check(self, message: Message) -> bytes:
        """Return the payload of the expected message; refuse any other."""
        self.admit(message.kind, len(message.payload))
        return message.payload


class SoFar:
    """The question for digests of what was sent and received so far: 32 bytes each."""


SO_FAR: Final = SoFar()

Steps: TypeAlias = Generator[Message | Expected | SoFar, bytes, Result]
"""A step of a protocol, and its result."""


def send(kind: MessageKind, payload: bytes) -> Steps[None]:
    """Send a message."""
    yield Message(kind, payload)


def receive(kind: MessageKind, length: int) -> Steps[bytes]:
    """Wait for a message; return its payload."""
    return (yield Expected(kind, length))


def exchange(kind: MessageKind, payload: bytes, length: int, *, exact: bool = True) -> Steps[bytes]:
    """Send a message and wait for the partner's of the same kind; return its payload."""
    yield Message(kind, payload)
    return (yield Expected(kind, length, exact))


class Conversation(Generic[Result]):
    """One party's side of a protocol as a state machine without sockets: messages in, messages out.

    `start` and `receive` return the messages to send next. An unexpected message raises ProtocolViolation and changes
    nothing; any other failure of a step ends the conversation. `rounds` counts how often this side waited for an answer
    to something it had sent.
    """

    def __init__(self, steps: Steps[Result]) -> None:
        self._steps = steps
        self._expected: Expected | None = None
        self._result: Result | None = None
        self.started = False
        self.finished = False
        self.rounds = 0
        self.bytes_sent = 0
        self.bytes_received = 0
        self._sent, self._received = hashlib.sha256(), hashlib.sha256()

    @property
    def result(self) -> Result:
        """The result of the protocol, once finished."""
        if not self.finished:
            raise InternalFault("the conversation has not come to a result")
        return cast("Result", self._result)

    @property
    def expected(self) -> Expected | None:
        """The message that may come next, None before the start and after the end."""
        return self._expected

    def start(self) -> list[Message]:
        """Begin; return the messages to send."""
        if self.started:
            raise InternalFault("the conversation has begun already")
        self.started = True
        return self._go_on(None)

    def admit(self, kind: MessageKind, length: int) -> None:
        """Refuse a message that may not come now, by what its header says; nothing changes."""
        if self._expected is None:
            raise ProtocolViolation("the partner sent a message where none was due; start both sides again")
        self._expected.admit(kind, length)

    def receive(self, message: Message) -> list[Message]:
        """Process the partner's next message; return the messages to send."""
        self.admit(message.kind, len(message.payload))
        self._expected = None
        self.bytes_received += HEADER_LENGTH + len(message.payload)
        _note(self._received, message)
        return self._go_on(message.payload)

    def _go_on(self, payload: bytes | None) -> list[Message]:
        messages: list[Message] = []
        try:
            step = next(self._steps) if payload is None else self._steps.send(payload)
            while not isinstance(step, Expected):
                if isinstance(step, Message):
                    messages.append(step)
                    _note(self._sent, step)
                    step = next(self._steps)
                else:
                    step = self._steps.send(self._sent.digest() + self._received.digest())
            self._expected = step
        except StopIteration as end:
            self._result = end.value
            self.finished = True
        self.rounds += bool(messages) and not self.finished
        self.bytes_sent += sum(HEADER_LENGTH + len(message.payload) for message in messages)
        return messages


def _note(digest: hashlib._Hash, message: Message) -> None:
    """Hash a message; of the longest kind its end alone, a check that depends on all that comes before."""
    digest.update(bytes([message.kind]) + len(message.payload).to_bytes(8, "big"))
    digest.update(message.payload[-_END:] if message.kind is MessageKind.EXTENSION else message.payload)
