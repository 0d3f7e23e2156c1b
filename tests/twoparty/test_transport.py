"""Two sides over loopback: they agree, or both end with an error that says why."""

from __future__ import annotations

import socket
import struct
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from discreet.errors import (
    Disagreement,
    ParameterError,
    PartnerError,
    PartnerLost,
    PartnerUntrusted,
    ProtocolViolation,
)
from discreet.transactions.transactions import Transactions
from discreet.twoparty.link import Link
from discreet.twoparty.messages import Message, MessageKind, encode
from discreet.twoparty.party import party
from discreet.twoparty.steps import Expected
from discreet.twoparty.tls import handshake
from discreet.twoparty.transport import Address, Connection, connect, listen
from tests.patience import PATIENCE

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator

    from discreet.twoparty.identity import Identity


class Exchange:
    """A toy protocol: both send numbered messages of a given size at once, `turns` times."""

    def __init__(self, *, turns: int = 3, size: int = 10, fault: Exception | None = None) -> None:
        self.turns, self.size, self.fault = turns, size, fault
        self.received: list[bytes] = []

    def start(self) -> list[Message]:
        return [self._message(0)]

    def _message(self, turn: int) -> Message:
        return Message(MessageKind.EXTENSION, bytes([turn]) * self.size)

    def admit(self, kind: MessageKind, length: int) -> None:
        Expected(MessageKind.EXTENSION, self.size).admit(kind, length)

    def receive(self, message: Message) -> list[Message]:
        if self.fault is not None:
            raise self.fault
        self.received.append(message.payload)
        return [] if self.finished else [self._message(len(self.received))]

    @property
    def finished(self) -> bool:
        return len(self.received) == self.turns

    @property
    def result(self) -> list[bytes]:
        return self.received


def free_address() -> Address:
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        return Address("127.0.0.1", probe.getsockname()[1])


def run_side(opening: Callable[[], Connection], session: Exchange) -> tuple[list[bytes], dict[str, int | float]]:
    with opening() as connection:
        result = connection.run(session)
        connection.farewell()
        return result, connection.transcript.to_dict()


def run_both(
    hospital: Identity, insurer: Identity, one: Exchange, other: Exchange, *, wait: float = PATIENCE
) -> list[Future]:
    address = free_address()
    with ThreadPoolExecutor(2) as pool:
        return [
            pool.submit(run_side, lambda: listen(address, hospital, timeout=wait), one),
            pool.submit(run_side, lambda: connect(address, insurer, timeout=PATIENCE), other),
        ]


@contextmanager
def against(partner: Callable[[socket.socket], None], identity: Identity) -> Iterator[Future]:
    """Run a listening side against a partner that does what it likes with a connected socket."""
    address = free_address()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run_side, lambda: listen(address, identity, timeout=PATIENCE), Exchange())
        future.address = address
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                raw = socket.create_connection((address.host, address.port))
                break
            except ConnectionRefusedError:
                assert time.monotonic() < deadline
                time.sleep(0.01)
        with closing(raw):
            partner(raw)
            yield future


def test_both_sides_finish_and_count_the_same_bytes(keys) -> None:
    hospital, insurer = (each.result() for each in run_both(keys.hospital, keys.insurer, Exchange(), Exchange()))
    assert hospital[0] == insurer[0] == [bytes([turn]) * 10 for turn in range(3)]
    assert hospital[1]["bytes_sent"] == insurer[1]["bytes_received"] == 3 * (10 + 10) + 10
    assert insurer[1]["bytes_sent"] == hospital[1]["bytes_received"]
    assert hospital[1]["rounds"] == insurer[1]["rounds"] == 4


def test_both_may_send_much_at_once(keys) -> None:
    big = 8 << 20
    done = run_both(keys.hospital, keys.insurer, Exchange(turns=4, size=big), Exchange(turns=4, size=big))
    for each in done:
        assert [len(payload) for payload in each.result()[0]] == [big] * 4


def test_the_connecting_side_may_come_first(keys, monkeypatch: pytest.MonkeyPatch) -> None:
    address = free_address()
    called_in_vain = threading.Event()
    plain = socket.create_connection

    def call(*where: object, **how: object) -> socket.socket:
        try:
            return plain(*where, **how)
        except ConnectionRefusedError:
            called_in_vain.set()
            raise

    monkeypatch.setattr(socket, "create_connection", call)
    with ThreadPoolExecutor(2) as pool:
        early = pool.submit(run_side, lambda: connect(address, keys.insurer, timeout=PATIENCE), Exchange())
        assert called_in_vain.wait(PATIENCE)
        late = pool.submit(run_side, lambda: listen(address, keys.hospital, timeout=PATIENCE), Exchange())
        assert early.result()[0] == late.result()[0]


@pytest.mark.parametrize(
    ("hospital", "insurer"),
    [
        (("hospital", "insurer"), ("stranger", "hospital")),
        (("hospital", "stranger"), ("insurer", "hospital")),
        (("hospital", "insurer"), ("insurer", "stranger")),
        (("stranger", "insurer"), ("insurer", "hospital")),
    ],
    ids=["a stranger connects", "the listener trusts another", "the caller trusts another", "a stranger listens"],
)
def test_an_untrusted_certificate_ends_both_sides_before_a_message_is_sent(keys, hospital, insurer) -> None:
    one, other = Exchange(), Exchange()
    done = run_both(keys.identity(*hospital), keys.identity(*insurer), one, other, wait=1.5)
    for each in done:
        with pytest.raises(PartnerUntrusted, match="nothing was sent"):
            each.result()
    assert one.received == other.received == []


def test_nobody_comes(keys) -> None:
    with pytest.raises(PartnerLost, match=r"no partner came to .* within 0.2 seconds"):
        listen(free_address(), keys.hospital, timeout=0.2)


def test_nobody_listens(keys) -> None:
    with pytest.raises(PartnerLost, match=r"within 0.3 seconds \(nobody listens there\)"):
        connect(free_address(), keys.insurer, timeout=0.3)


def test_a_socket_that_reaches_itself_is_nobody(keys, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody listens, the system may give a calling socket the very port that it calls."""
    address = free_address()

    reached = socket.socket()
    reached.bind((address.host, address.port))
    reached.connect((address.host, address.port))
    answers = iter([reached])

    def call(*_: object, **__: object) -> socket.socket:
        return next(answers, None) or plain(("127.0.0.1", address.port))

    plain = socket.create_connection
    monkeypatch.setattr(socket, "create_connection", call)
    with pytest.raises(PartnerLost, match=r"within 0.3 seconds \(nobody listens there\)"):
        connect(address, keys.insurer, timeout=0.3)


def test_an_address_that_is_taken_is_a_fault_of_the_option(keys) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        address = Address("127.0.0.1", taken.getsockname()[1])
        with pytest.raises(ParameterError, match="cannot listen on"):
            listen(address, keys.hospital, timeout=0.2)


@pytest.mark.parametrize("text", ["", "host", ":80", "host:", "host:0", "host:65536", "host:x", "a:b:1", "host:-1"])
def test_an_address_is_host_and_port(text: str) -> None:
    with pytest.raises(ParameterError, match="must be HOST:PORT"):
        Address.parse(text, parameter="listen")


def test_addresses_are_read_as_they_are_written() -> None:
    for text in ("localhost:7000", "10.0.0.1:1", "[::1]:65535"):
        assert str(Address.parse(text, parameter="listen")) == text


def test_a_refusal_reaches_both_sides(keys) -> None:
    fault = Disagreement("the partner wants k = 3 where this side has k = 4")
    one, other = run_both(keys.hospital, keys.insurer, Exchange(fault=fault), Exchange(turns=9))
    with pytest.raises(Disagreement, match="k = 3"):
        one.result()
    with pytest.raises(Disagreement, match="the partner refused"):
        other.result()


def test_a_fault_of_ours_reaches_the_partner_without_its_text(keys) -> None:
    one, other = run_both(keys.hospital, keys.insurer, Exchange(fault=KeyError("Miller")), Exchange(turns=9))
    with pytest.raises(KeyError):
        one.result()
    with pytest.raises(PartnerLost, match="an error on its side") as told:
        other.result()
    assert "Miller" not in str(told.value)


def test_sides_with_different_results_have_none(keys) -> None:
    address = free_address()

    def side(opening: Callable[[], Connection], digest: bytes) -> None:
        with opening() as connection:
            connection.run(Exchange())
            connection.farewell(digest)

    with ThreadPoolExecutor(2) as pool:
        sides = [
            pool.submit(side, lambda: listen(address, keys.hospital, timeout=PATIENCE), b"one"),
            pool.submit(side, lambda: connect(address, keys.insurer, timeout=PATIENCE), b"other"),
        ]
    for each in sides:
        with pytest.raises(ProtocolViolation, match="different results"):
            each.result()


def test_a_partner_that_wants_to_end_early_is_refused(keys) -> None:
    one, other = run_both(keys.hospital, keys.insurer, Exchange(turns=2), Exchange(turns=3))
    for each in (one, other):
        with pytest.raises(PartnerError):
            each.result()


def secured(raw: socket.socket, keys) -> ssl.SSLSocket:
    return handshake(raw, keys.insurer, listens=False, timeout=PATIENCE)


def test_a_partner_that_dies(keys) -> None:
    def dies(raw: socket.socket) -> None:
        connection = secured(raw, keys)
        connection.sendall(encode(Message(MessageKind.EXTENSION, bytes(10)))[:-1])
        connection.close()

    with against(dies, keys.hospital) as side, pytest.raises(PartnerLost, match=r"ended the connection|broke"):
        side.result()


def test_a_partner_that_is_torn_away(keys) -> None:
    def torn(raw: socket.socket) -> None:
        connection = secured(raw, keys)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    with against(torn, keys.hospital) as side, pytest.raises(PartnerLost, match=r"ended the connection|broke"):
        side.result()


def test_a_partner_that_never_shakes_hands(keys) -> None:
    here, there = socket.socketpair()

    def waits() -> bytes:
        with closing(there):
            return there.recv(1)  # until it is left alone

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(waits)
        with pytest.raises(PartnerLost, match="handshake"):
            handshake(here, keys.hospital, listens=True, timeout=0.2)
        assert waiting.result() == b""


def test_only_the_partner_ends_the_wait(keys, monkeypatch: pytest.MonkeyPatch) -> None:
    """A port scan, another program, one that says nothing, and a stranger come first."""
    monkeypatch.setattr("discreet.twoparty.door.HANDSHAKE", 0.3)

    def speaks_http(raw: socket.socket) -> None:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: hospital\r\n\r\n")
        while raw.recv(4096):
            pass

    with against(speaks_http, keys.hospital) as side, ThreadPoolExecutor(1) as pool:
        where = side.address
        silent = socket.create_connection((where.host, where.port))
        socket.create_connection((where.host, where.port)).close()
        with pytest.raises(PartnerError):
            connect(where, keys.identity("stranger", "hospital"), timeout=PATIENCE)
        partner = pool.submit(run_side, lambda: connect(where, keys.insurer, timeout=PATIENCE), Exchange())
        assert side.result()[0] == partner.result()[0]
        silent.close()


def test_callers_that_say_nothing_do_not_keep_the_partner_waiting(keys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.twoparty.door.HANDSHAKE", 100 * PATIENCE)
    with against(lambda _: None, keys.hospital) as side, ThreadPoolExecutor(1) as pool, ExitStack() as stack:
        where = side.address
        for begun in [b"", b"\x16\x03\x01"] * 15:
            silent = stack.enter_context(socket.create_connection((where.host, where.port)))
            silent.sendall(begun)
        partner = pool.submit(run_side, lambda: connect(where, keys.insurer, timeout=PATIENCE), Exchange())
        assert side.result()[0] == partner.result()[0]


def test_more_callers_than_there_are_places_leave_again(keys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.twoparty.door.HANDSHAKE", 0.1)
    monkeypatch.setattr("discreet.twoparty.door.MOST_CALLERS", 3)
    with against(lambda _: None, keys.hospital) as side, ThreadPoolExecutor(1) as pool, ExitStack() as stack:
        where = side.address
        for _ in range(10):
            stack.enter_context(socket.create_connection((where.host, where.port)))
        monkeypatch.setattr("discreet.twoparty.door.HANDSHAKE", 5.0)
        partner = pool.submit(run_side, lambda: connect(where, keys.insurer, timeout=PATIENCE), Exchange())
        assert side.result()[0] == partner.result()[0]


def test_what_forwards_a_port_may_accept_before_anyone_listens_behind_it(keys) -> None:
    """Two calls are accepted and dropped, as a tunnel does, before the partner is there."""
    dropped = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as tunnel:
        address = Address("127.0.0.1", tunnel.getsockname()[1])

        def drops() -> None:
            for _ in range(2):
                tunnel.accept()[0].close()
            tunnel.close()
            dropped.set()

        with ThreadPoolExecutor(3) as pool:
            early = pool.submit(run_side, lambda: connect(address, keys.insurer, timeout=PATIENCE), Exchange())
            pool.submit(drops)
            assert dropped.wait(PATIENCE)
            late = pool.submit(run_side, lambda: listen(address, keys.hospital, timeout=PATIENCE), Exchange())
            assert early.result()[0] == late.result()[0]


def test_a_door_that_is_never_opened_is_named_at_the_end(keys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as tunnel, ThreadPoolExecutor(1) as pool:
        tunnel.settimeout(0.1)
        address = Address("127.0.0.1", tunnel.getsockname()[1])
        calling = pool.submit(connect, address, keys.insurer, timeout=0.5)
        while not calling.done():
            with suppress(TimeoutError):
                tunnel.accept()[0].close()
        with pytest.raises(PartnerLost, match="the connection"):
            calling.result()


def test_callers_that_are_not_the_partner_are_counted(keys) -> None:
    address = free_address()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(listen, address, keys.hospital, timeout=1.5)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection((address.host, address.port)).close()
                break
            except ConnectionRefusedError:
                assert time.monotonic() < deadline
        with pytest.raises(PartnerLost, match=r"no partner came .*, and 1 others were turned away"):
            waiting.result()


def test_signs_of_life_do_not_hold_a_side_for_ever(keys) -> None:
    address = free_address()
    with ThreadPoolExecutor(2) as pool:
        lively = pool.submit(connect, address, keys.insurer, timeout=PATIENCE)
        waiting = listen(address, keys.hospital, timeout=PATIENCE, time_limit=1.5)
        with pytest.raises(PartnerLost, match=r"did not end within 1.5 seconds; give both sides a longer time_limit"):
            run_side(lambda: waiting, Exchange())
        lively.result().close()


def test_a_flood_of_signs_of_life_does_not_hold_a_side_either(keys) -> None:
    """They come faster than they are read: there is always one more."""
    address = free_address()
    flood = encode(Message(MessageKind.ALIVE)) * 100_000

    def floods() -> None:
        raw = socket.create_connection((address.host, address.port))
        with closing(secured(raw, keys)) as connection, suppress(OSError):
            while True:
                connection.sendall(flood)

    with ThreadPoolExecutor(1) as pool, closing(socket.create_server((address.host, address.port))) as server:
        flooding = pool.submit(floods)
        accepted, _ = server.accept()
        link = Link(handshake(accepted, keys.hospital, listens=True, timeout=PATIENCE), timeout=9, time_limit=1)
        with pytest.raises(PartnerLost, match="did not end within 1 seconds"), Connection(link) as connection:
            connection.run(Exchange())
        flooding.result()


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        (b"\x00" * 64, "not a message of discreet"),
        (struct.pack(">4sBBI", b"DSC2", 1, MessageKind.EXTENSION, 0xFFFFFFFF), "4294967295 bytes"),
        (struct.pack(">4sBBI", b"DSC2", 1, 99, 5) + b"12345", "unknown kind 99"),
        (struct.pack(">4sBBI", b"DSC2", 9, 1, 5) + b"12345", "version 9"),
        (encode(Message(MessageKind.FAREWELL)), "left in the middle"),
        (encode(Message(MessageKind.REFUSED, b"\x03")), "an error on its side"),
        (encode(Message(MessageKind.REFUSED, b"\xff")), "an error on its side"),
        (encode(Message(MessageKind.REFUSED)), "an error on its side"),
    ],
    ids=["junk", "4 GB", "unknown kind", "unknown version", "farewell", "refusal", "odd refusal", "empty refusal"],
)
def test_a_partner_that_sends_what_it_may_not_is_refused_and_told(keys, sent: bytes, sentence: str) -> None:
    heard = bytearray()

    def sends(raw: socket.socket) -> None:
        connection = secured(raw, keys)
        connection.sendall(sent)
        while received := connection.recv(4096):
            heard.extend(received)
        connection.close()

    with against(sends, keys.hospital) as side, pytest.raises(PartnerError, match=sentence):
        side.result()
    assert heard[-11:-1] == encode(Message(MessageKind.REFUSED, b"\x02"))[:-1]


def test_no_thread_is_left_behind(keys) -> None:
    before = threading.active_count()
    run_both(keys.hospital, keys.insurer, Exchange(), Exchange())
    assert threading.active_count() <= before


def test_a_timeout_must_be_a_time(keys) -> None:
    for timeout in (0, -1, float("inf"), float("nan")):
        with pytest.raises(ParameterError, match="timeout must be"):
            connect(free_address(), keys.insurer, timeout=timeout)
        with pytest.raises(ParameterError, match="time_limit must be"):
            party(
                Transactions.from_rows(["ab"] * 5),
                min_support=2,
                k=2,
                identity=keys.folder / "hospital" / "identity.pem",
                trust=keys.folder / "insurer" / "public.pem",
                listen="127.0.0.1:7000",
                time_limit=timeout,
            )
