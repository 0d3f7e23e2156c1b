"""The link between two sides, with a clock that the test turns: signs of life, silence, and what is not silence."""

# ruff: noqa: SLF001 - when a side last heard something is nobody's business but the link's, and the test's

from __future__ import annotations

import socket
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING

import pytest

from discreet.errors import PartnerLost, ProtocolViolation
from discreet.twoparty.link import CHUNK, Link
from discreet.twoparty.messages import HEADER_LENGTH, Message, MessageKind, encode
from discreet.twoparty.steps import Expected
from discreet.twoparty.tls import handshake
from tests.patience import PATIENCE, wait_until

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

SAID = Message(MessageKind.EXTENSION, b"something")
DUE = Expected(SAID.kind, len(SAID.payload)).admit


class Clock:
    """Stands in for the module `time`: it goes on when it is told to, and can keep those waiting who look at it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.can_be_read = threading.Event()
        self.can_be_read.set()
        self.was_looked_at = threading.Event()

    def monotonic(self) -> float:
        self.was_looked_at.set()
        assert self.can_be_read.wait(PATIENCE)
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("discreet.twoparty.link.time", clock)
    monkeypatch.setattr("discreet.twoparty.link.LEAVE", 0.05)  # there are no last words here
    return clock


@pytest.fixture
def connected(keys, clock: Clock) -> Iterator[tuple[ssl.SSLSocket, ssl.SSLSocket, ExitStack]]:
    """Give both ends of a TLS connection; the stack is unwound at the end, when the clock can be read."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        calls = socket.create_connection(server.getsockname())
        answers, _ = server.accept()
    with ThreadPoolExecutor(1) as pool:
        hospital = pool.submit(handshake, answers, keys.hospital, listens=True, timeout=PATIENCE)
        insurer = handshake(calls, keys.insurer, listens=False, timeout=PATIENCE)
    with ExitStack() as stack:
        yield hospital.result(), insurer, stack
        clock.can_be_read.set()


def test_a_side_that_computes_for_long_is_not_taken_for_dead_however_long_it_would_wait_itself(
    connected: tuple[ssl.SSLSocket, ssl.SSLSocket, ExitStack], clock: Clock
) -> None:
    one, other, stack = connected
    patient, hasty = Link(one, timeout=3600), Link(other, timeout=30)
    stack.callback(patient.close)
    stack.callback(hasty.close)
    for _ in range(5):
        clock.now += 20
        patient._wake()
        hasty._wake()
        wait_until(lambda: patient._heard == hasty._heard == clock.now)
    patient.send(SAID)
    assert hasty.take(DUE) == SAID


def test_a_message_that_is_there_already_is_handed_over_without_a_nap(
    connected: tuple[ssl.SSLSocket, ssl.SSLSocket, ExitStack], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread naps for longer than the test has patience, unless it is woken."""
    monkeypatch.setattr("discreet.twoparty.link.LONGEST_NAP", 10 * PATIENCE)
    one, other, stack = connected
    early, late = (Link(each, timeout=100 * PATIENCE) for each in (one, other))
    stack.callback(early.close)
    stack.callback(late.close)
    early.send(SAID)
    wait_until(lambda: late._decoder.waits)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(late.take, DUE).result(PATIENCE) == SAID


def test_time_that_passes_while_a_message_goes_out_counts_as_silence(
    connected: tuple[ssl.SSLSocket, ssl.SSLSocket, ExitStack], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other, stack = connected
    at_once, sends = one.send, []

    def slowly(data: memoryview) -> int:
        sent = at_once(data)
        clock.now += 20 if not sends else 0
        sends.append(clock.now)
        return sent

    monkeypatch.setattr(one, "send", slowly)
    link, partner = Link(one, timeout=3600), Link(other, timeout=3600)
    stack.callback(link.close)
    stack.callback(partner.close)
    link.send(SAID)
    wait_until(lambda: len(sends) > 1)  # the sign of life that those 20 seconds call for


def test_a_partner_that_falls_silent_is_given_up(
    connected: tuple[ssl.SSLSocket, ssl.SSLSocket, ExitStack], clock: Clock
) -> None:
    one, silent, stack = connected
    stack.callback(silent.close)
    link = Link(one, timeout=30)
    stack.callback(link.close)
    clock.now += 31
    for _ in range(2):  # whoever asks again gets the same answer
        with pytest.raises(PartnerLost, match="fell silent for 30 seconds"):
            link.take(DUE)


def test_a_side_that_stood_still_itself_hears_first_what_was_said_meanwhile(
    connected: tuple[ssl.SSLSocket, ssl.SSLSocket, ExitStack], clock: Clock
) -> None:
    one, partner, stack = connected
    stack.callback(partner.close)
    link = Link(one, timeout=30)
    stack.callback(link.close)
    clock.can_be_read.clear()  # the link's thread stands still wherever it looks at the clock
    clock.was_looked_at.clear()
    assert clock.was_looked_at.wait(PATIENCE)
    partner.sendall(encode(SAID))
    clock.now += 3600
    clock.can_be_read.set()
    assert link.take(DUE) == SAID


def test_of_a_message_that_nobody_waits_for_no_more_is_read_than_a_chunk(
    connected: tuple[ssl.SSLSocket, ssl.SSLSocket, ExitStack],
) -> None:
    one, partner, stack = connected
    link = Link(one, timeout=30)
    stack.callback(link.close)
    length = 16 << 20
    header = encode(Message(SAID.kind, bytes(length)))[:HEADER_LENGTH]
    tracemalloc.start()
    stack.callback(tracemalloc.stop)
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(_send_all, partner, header, length)
        wait_until(lambda: link._decoder.waits)
        assert len(link._decoder._pending) <= CHUNK
        with pytest.raises(ProtocolViolation, match=r"16,777,216 bytes in a message EXTENSION where 9 were due"):
            link.take(DUE)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        assert not sent.done()  # most of it is still on its way
        partner.shutdown(socket.SHUT_RDWR)  # closing it would not wake the thread that sends
    partner.close()


def test_a_message_that_comes_before_it_is_waited_for_arrives_whole(
    connected: tuple[ssl.SSLSocket, ssl.SSLSocket, ExitStack],
) -> None:
    one, other, stack = connected
    link, partner = Link(one, timeout=30), Link(other, timeout=30)
    stack.callback(link.close)
    stack.callback(partner.close)
    large = Message(MessageKind.GARBLED, bytes(range(256)) * 16384)
    for message in (SAID, large, SAID):
        partner.send(message)
    wait_until(lambda: link._decoder.waits)
    for message in (SAID, large, SAID):
        assert link.take(Expected(message.kind, len(message.payload)).admit) == message


def test_what_comes_after_a_refusal_does_not_pile_up(
    connected: tuple[ssl.SSLSocket, ssl.SSLSocket, ExitStack],
) -> None:
    """A refusal may come at any time, and is kept until this side has computed: one of them is enough."""
    one, partner, stack = connected
    link = Link(one, timeout=30)
    stack.callback(link.close)
    stack.callback(partner.close)
    partner.sendall(encode(Message(MessageKind.REFUSED, b"\1")) * 1000)
    wait_until(lambda: link._ended)
    assert link.take(DUE).payload == b"\1"
    assert link._inbox.empty()


def _send_all(partner: ssl.SSLSocket, header: bytes, length: int) -> None:
    with suppress(OSError):
        partner.sendall(header)
        for _ in range(length // CHUNK):
            partner.sendall(bytes(CHUNK))
