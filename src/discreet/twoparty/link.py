"""One TLS connection, and the thread that moves its bytes.

Both sides may send at once, and a side that computes for long must still show that it is alive. So sending and
receiving have a thread of their own, and callers only hand over messages. A link knows messages but no protocol: of a
message that nobody waits for yet, no more is read than the chunk that its header came in.
"""

from __future__ import annotations

import queue
import selectors
import socket
import ssl
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from discreet.errors import PartnerError, PartnerLost, param
from discreet.twoparty.messages import Message, MessageDecoder, MessageKind, encode
from discreet.twoparty.tls import discard_rest, explained_faults

if TYPE_CHECKING:
    from discreet.twoparty.messages import Admission

__all__ = ["Link"]

CHUNK: Final = 1 << 16
"""Bytes moved at a time: more than a TLS record, so that no data stays in the TLS buffer, which no selector sees."""
AT_ONCE: Final = 64
"""Chunks read before the thread looks at the time again, whatever comes."""
LEAVE: Final = 2.0
"""The seconds within which final messages must be sent."""
LONGEST_NAP: Final = 0.5
SIGN_OF_LIFE: Final = 1.0
"""Seconds of silence after which a side sends a sign of life; only the partner knows how long it waits."""


class Link:
    """Messages to and from the partner over an open TLS connection."""

    def __init__(self, connection: ssl.SSLSocket, *, timeout: float, time_limit: float | None = None) -> None:
        """Take over the connection and start the thread; `time_limit` is for all that is ever received."""
        self._connection = connection
        self._timeout = timeout
        self._time_limit = time_limit
        self._start = time.monotonic()
        self._inbox: queue.SimpleQueue[Message | PartnerError] = queue.SimpleQueue()
        self._outgoing: deque[memoryview] = deque()
        self._decoder = MessageDecoder()
        self._admit: Admission | None = None  # who waits for a message says what it may be
        self._ended = False  # nothing more will be read
        self._leave_at: float | None = None
        self._heard = self._said = time.monotonic()
        self._ear, self._bell = socket.socketpair()  # a byte here wakes the thread
        self._ear.setblocking(False)
        self._bell.setblocking(False)
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._thread = threading.Thread(target=self._move_bytes, name="discreet-link", daemon=True)
        self._thread.start()

    def send(self, message: Message) -> None:
        """Queue a message; returns at once."""
        self._outgoing.append(memoryview(encode(message)))
        self._wake()

    def take(self, admit: Admission) -> Message:
        """Wait for the partner's next message; raise if none will come, or if `admit` refuses it by its header.

        A refusal of the partner comes whatever is waited for.
        """
        self._admit = admit
        self._wake()
        while True:  # in short waits: a Ctrl-C just before a wait is noticed only after it
            with suppress(queue.Empty):
                taken = self._inbox.get(timeout=LONGEST_NAP)
                break
        if isinstance(taken, PartnerError):
            self._inbox.put(taken)  # later calls get the same answer
            raise taken
        return taken

    def close(self) -> None:
        """Send what is queued, let the partner read it, and close the connection."""
        self._leave_at = time.monotonic() + LEAVE
        self._wake()
        self._thread.join()
        discard_rest(self._connection, LEAVE)
        for each in (self._connection, self._ear, self._bell):
            each.close()

    def _wake(self) -> None:
        with suppress(BlockingIOError):
            self._bell.send(b"\0")

    def _move_bytes(self) -> None:
        """Read and write until the link is closed: the body of the thread."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._ear, selectors.EVENT_READ)
            selector.register(self._connection, selectors.EVENT_READ)
            while not self._left():
                self._show_life()
                events = selectors.EVENT_READ * self._listens | selectors.EVENT_WRITE * bool(self._outgoing)
                self._watch(selector, events)
                ready = {key.fileobj for key, _ in selector.select(min(self._timeout / 8, LONGEST_NAP))}
                if self._ear in ready:
                    with suppress(BlockingIOError):
                        self._ear.recv(CHUNK)
                now = time.monotonic()
                if self._listens:  # also since this moment: what is awaited now may have come before
                    self._read()
                    self._note_silence(now)
                else:
                    self._heard = now  # a partner that is not being read is not silent
                self._note_time_limit(now)
                if self._outgoing:
                    self._write()

    @property
    def _listens(self) -> bool:
        """Whether anything that comes is read: not what is announced, and awaited by nobody yet."""
        return not self._ended and (self._admit is not None or not self._decoder.waits)

    def _watch(self, selector: selectors.BaseSelector, events: int) -> None:
        known = selector.get_map().get(self._connection)
        if events and known is None:
            selector.register(self._connection, events)
        elif events:
            selector.modify(self._connection, events)
        elif known is not None:
            selector.unregister(self._connection)

    def _left(self) -> bool:
        if self._leave_at is None:
            return False
        return not self._outgoing or time.monotonic() > self._leave_at

    def _show_life(self) -> None:
        quiet_for = time.monotonic() - self._said
        if not self._outgoing and quiet_for > min(SIGN_OF_LIFE, self._timeout / 4) and self._leave_at is None:
            self._outgoing.append(memoryview(encode(Message(MessageKind.ALIVE))))

    def _note_silence(self, now: float) -> None:
        """Abandon the partner if everything received by `now` is read and the last of it came too long ago.

        So a side that was itself suspended, because its machine slept or was busy, first reads what arrived meanwhile.
        """
        if not self._ended and now - self._heard > self._timeout:
            self._end(
                PartnerLost(
                    f"the partner fell silent for {self._timeout:g} seconds; is it still running and connected?"
                )
            )

    def _note_time_limit(self, now: float) -> None:
        """Abandon a partner that has only signs of life to send, or never comes to an end."""
        if not self._ended and self._time_limit is not None and now - self._start > self._time_limit:
            self._end(
                PartnerLost(
                    f"the session did not end within {self._time_limit:g} seconds; give both sides a longer "
                    f"{param('time_limit')}, or ask the partner why"
                )
            )

    def _read(self) -> None:
        try:
            self._hand_over()
            for _ in range(AT_ONCE):
                if self._ended or self._decoder.waits:
                    break
                with explained_faults():
                    received = self._connection.recv(CHUNK)
                if not received:
                    raise PartnerLost(
                        "the partner ended the connection in the middle of the protocol; nothing of it is kept: start "
                        "both sides again, from the beginning"
                    )
                self._heard = time.monotonic()
                self._decoder.feed(received)
                self._hand_over()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except PartnerError as error:
            self._end(error)

    def _hand_over(self) -> None:
        """Hand the messages over that are complete: what the caller waits for, and a refusal."""
        while (message := self._decoder.next(self._admit)) is not None:
            if message.kind is MessageKind.ALIVE:
                continue
            if message.kind is MessageKind.REFUSED:
                self._ended = True  # it is the last word: what a partner sends after it would only pile up
            else:
                self._admit = None  # before the caller has the message, and may wait for another one
            self._inbox.put(message)
            if self._ended:
                return

    def _write(self) -> None:
        try:
            while self._outgoing:
                began = time.monotonic()  # the partner may have it before `send` returns
                sent = self._connection.send(self._outgoing[0][:CHUNK])
                self._said = began
                if sent == len(self._outgoing[0]):
                    self._outgoing.popleft()
                else:
                    self._outgoing[0] = self._outgoing[0][sent:]
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError:  # the reader reports what this means
            self._outgoing.clear()
            if self._leave_at is not None:
                self._ended = True

    def _end(self, error: PartnerError) -> None:
        self._ended = True
        self._inbox.put(error)
