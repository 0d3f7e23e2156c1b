"""Connect two sessions: TCP with TLS 1.3, each side pinned to the other's certificate.

A session (see `steps.Conversation`) is a state machine without sockets: messages in, messages out. This module finds
the partner and drives the session; `tls` does the handshake, `link` moves the bytes. The calling thread computes, so
that Ctrl-C reaches it.

A run ends on both sides with a result, or on both sides without one and with a `discreet.errors.PartnerError`:

- nobody connects, the partner is silent for `timeout` seconds, or its connection ends: `PartnerLost`;
- a certificate other than the pinned one: `PartnerUntrusted`; the listening side goes on waiting until `timeout`;
- the whole session takes longer than its `time_limit`, whatever signs of life come: `PartnerLost`;
- bytes that are not a message, a message that is too large or unexpected: `ProtocolViolation`;
- the session itself refuses: whatever it raised here, and for the partner a message REFUSED with the reason's number.

A result counts only when both have said farewell. No error message repeats received bytes.
"""

from __future__ import annotations

import socket
import time
from contextlib import closing
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, Self

from discreet.errors import (
    Disagreement,
    ParameterError,
    PartnerError,
    PartnerLost,
    PartnerUntrusted,
    ProtocolViolation,
    param,
)
from discreet.twoparty.door import Door
from discreet.twoparty.link import Link
from discreet.twoparty.messages import HEADER_LENGTH, LIMITS, Message, MessageKind
from discreet.twoparty.session_log import SessionLog
from discreet.twoparty.steps import Expected
from discreet.twoparty.tls import handshake

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from types import TracebackType

    from discreet.twoparty.identity import Identity
    from discreet.twoparty.messages import Admission
    from discreet.twoparty.steps import Conversation

__all__ = ["BACKLOG", "Address", "Connection", "Transcript", "checked_seconds", "connect", "listen", "open_port"]

RETRY: Final = 0.2
"""Seconds between two attempts to reach the partner."""
HIGHEST_PORT: Final = 65535
BACKLOG: Final = 16


@dataclass(frozen=True, slots=True)
class Address:
    """The address that one side listens on."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str, *, parameter: str) -> Address:
        """Parse HOST:PORT, or [HOST]:PORT for an IPv6 address."""
        host, _, digits = text.rpartition(":")
        bracketed = host.startswith("[") and host.endswith("]")
        host = host[1:-1] if bracketed else host
        port = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= len(str(HIGHEST_PORT)) else 0
        if not host or (":" in host and not bracketed) or not 0 < port <= HIGHEST_PORT:
            raise ParameterError(
                f"{param(parameter)} must be HOST:PORT, as in 127.0.0.1:7000, got {text!r}", parameter=parameter
            )
        return cls(host, port)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a run sent and received: messages before TLS wraps them, without signs of life."""

    bytes_sent: int
    bytes_received: int
    rounds: int
    seconds: float

    def to_dict(self) -> dict[str, int | float]:
        """Return the JSON form."""
        return {
            "bytes_sent": self.bytes_sent,
            "bytes_received": self.bytes_received,
            "rounds": self.rounds,
            "seconds": round(self.seconds, 3),
        }


class _Reason(IntEnum):
    """Why a side stopped, as disclosed to its partner."""

    DISAGREEMENT = 1
    VIOLATION = 2
    FAILED = 3
    INTERRUPTED = 4
    LOST = 5

    @classmethod
    def of(cls, error: BaseException) -> _Reason:
        kinds: dict[type[BaseException], _Reason] = {
            Disagreement: cls.DISAGREEMENT,
            ProtocolViolation: cls.VIOLATION,
            PartnerLost: cls.LOST,
            KeyboardInterrupt: cls.INTERRUPTED,
        }
        return next((reason for kind, reason in kinds.items() if isinstance(error, kind)), cls.FAILED)


_REFUSALS: Final[dict[int, PartnerError]] = {
    _Reason.DISAGREEMENT: Disagreement(
        "the partner refused: it asks for something else or holds other rows; its own message says what"
    ),
    _Reason.VIOLATION: ProtocolViolation(
        "the partner could not make sense of what it received; install the same release of discreet on both sides"
    ),
    _Reason.INTERRUPTED: PartnerLost("the partner was interrupted; start both sides again"),
    _Reason.LOST: PartnerLost(
        f"the partner gave up waiting for this side; give both sides a longer {param('timeout')} or "
        f"{param('time_limit')}; its own message says which"
    ),
}
_UNKNOWN_REFUSAL: Final = PartnerLost("the partner stopped because of an error on its side; its own message says which")


class Connection:
    """A connection with the partner; as a context manager, it sends the partner the reason if the block fails."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._sent = self._received = self._rounds = 0
        self._spoke = False  # since the last message from the partner
        self._start = time.monotonic()
        self.log = SessionLog()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._link.send(Message(MessageKind.REFUSED, bytes([_Reason.of(error)])))
        self._link.close()

    @property
    def transcript(self) -> Transcript:
        """What has been sent and received so far."""
        return Transcript(self._sent, self._received, self._rounds, time.monotonic() - self._start)

    def run(self, session: Conversation[Any], *, watch: Callable[[Conversation[Any]], None] | None = None) -> Any:
        """Drive one session to its end and return its result; `watch` is called between two messages."""
        self.send(session.start())
        while not session.finished:
            if watch is not None:
                watch(session)
            self.send(session.receive(self.take(session.admit)))
        return session.result

    def farewell(self, result: bytes = b"") -> None:
        """Return once both sides have the same result; before that, a result must not be used.

        `result` is a digest of what both know by now.
        """
        self.bid_farewell(result)
        self.await_farewell(result)

    def bid_farewell(self, result: bytes) -> None:
        """Send the partner a digest of the result that this side has."""
        self.send([Message(MessageKind.FAREWELL, result)])

    def await_farewell(self, result: bytes) -> None:
        """Return once the partner has the same result."""
        if self._next(_admit_farewell).payload != result:
            raise ProtocolViolation("the two sides came to different results; none of them is used, start both again")

    def close(self) -> None:
        """End the connection, without a reason."""
        self._link.close()

    def send(self, messages: list[Message]) -> None:
        """Send messages; returns at once."""
        for message in messages:
            self._sent += HEADER_LENGTH + len(message.payload)
            self.log.sent(message)
            self._link.send(message)
        self._spoke |= bool(messages)

    def take(self, admit: Admission) -> Message:
        """Wait for the partner's next message; raise an error if it left or refused, or if `admit` refuses it."""

        def in_the_middle(kind: MessageKind, length: int) -> None:
            if kind is MessageKind.FAREWELL:
                raise ProtocolViolation("the partner left in the middle of the protocol; start both sides again")
            admit(kind, length)

        return self._next(in_the_middle)

    def _next(self, admit: Admission) -> Message:
        self._rounds += self._spoke
        self._spoke = False
        message = self._link.take(admit)
        self._received += HEADER_LENGTH + len(message.payload)
        self.log.received(message)
        if message.kind is MessageKind.REFUSED:
            raise _REFUSALS.get(message.payload[0] if message.payload else 0, _UNKNOWN_REFUSAL)
        return message


def _admit_farewell(kind: MessageKind, length: int) -> None:
    if kind is not MessageKind.FAREWELL:
        raise ProtocolViolation(f"the partner sent a message {kind.name} after the end of the protocol")
    Expected(kind, LIMITS[kind], exact=False).admit(kind, length)


def open_port(address: Address, *, backlog: int = 1) -> socket.socket:
    """Return a socket that listens at this address."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family, backlog=backlog)
    except OSError as error:
        why = (error.strerror or str(error)).split(" (")[0].lower()  # Python repeats the address in brackets
        raise ParameterError(
            f"cannot listen on {address}: {why}; give {param('listen')} another HOST:PORT",
            parameter="listen",
        ) from None


def listen(address: Address, identity: Identity, *, timeout: float, time_limit: float | None = None) -> Connection:
    """Wait for the partner at this address; whoever else calls is turned away, and the wait goes on."""
    deadline = time.monotonic() + checked_seconds(timeout, "timeout")
    context = identity.context(listens=True)

    def begin(accepted: socket.socket) -> tuple[ssl.SSLSocket, Callable[[], Identity]]:
        return context.wrap_socket(accepted, server_side=True, do_handshake_on_connect=False), lambda: identity

    with closing(open_port(address, backlog=BACKLOG)) as listening, Door(listening, begin) as door:
        secured = door.wait(deadline)
        if secured is not None:
            return Connection(Link(secured, timeout=timeout, time_limit=time_limit))
    for each in door.refused:
        if isinstance(each, PartnerUntrusted):
            raise each
    others = f", and {len(door.refused):,} others were turned away" if door.refused else ""
    raise PartnerLost(
        f"no partner came to {address} within {round(timeout, 1):g} seconds{others}; start the other side, "
        f"or give a longer {param('timeout')}"
    )


def connect(
    address: Address,
    identity: Identity,
    *,
    timeout: float,
    name: str | None = None,
    time_limit: float | None = None,
) -> Connection:
    """Keep trying to reach the partner at this address; `name` is what this side calls itself, if anything.

    A connection that ends before it began is tried again: what forwards a port accepts before anyone listens behind it.
    """
    deadline = time.monotonic() + checked_seconds(timeout, "timeout")
    left = timeout
    ended: PartnerLost | None = None
    while left > 0:
        reached, why = _call(address, left)
        if reached is not None:
            try:
                patience = max(1.0, deadline - time.monotonic())
                secured = handshake(reached, identity, listens=False, timeout=patience, name=name)
                return Connection(Link(secured, timeout=timeout, time_limit=time_limit))
            except PartnerLost as error:
                ended = error
        left = deadline - time.monotonic()
        time.sleep(max(0.0, min(RETRY, left)))
    if ended is not None:
        raise ended
    raise PartnerLost(
        f"no partner could be reached at {address} within {round(timeout, 1):g} seconds ({why}); start the other "
        f"side, or give a longer {param('timeout')}"
    )


def _call(address: Address, patience: float) -> tuple[socket.socket | None, str]:
    """Return a connection to the address, or why there is none."""
    try:
        reached = socket.create_connection((address.host, address.port), timeout=patience)
    except socket.gaierror:
        return None, "its name is not known"
    except ConnectionRefusedError:
        return None, "nobody listens there"
    except OSError as error:
        return None, (error.strerror or str(error)).lower()
    if reached.getsockname() != reached.getpeername():
        return reached, ""
    reached.close()  # if nobody listens, a socket may be assigned the port it calls, and connect to itself
    return None, "nobody listens there"


def checked_seconds(seconds: float, parameter: str) -> float:
    """Return a time to wait; refuse one that never comes, or is over already."""
    if not 0 < seconds < float("inf"):
        raise ParameterError(
            f"{param(parameter)} must be a number of seconds above 0, got {seconds:g}", parameter=parameter
        )
    return seconds
