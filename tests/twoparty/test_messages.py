"""Messages on the wire: what is sent arrives, in whatever pieces; what is no message is refused before it is kept."""

from __future__ import annotations

import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InternalFault, ProtocolViolation
from discreet.twoparty.messages import HEADER_LENGTH, LIMITS, VERSION, Message, MessageDecoder, MessageKind, encode

messages = st.builds(
    lambda kind, payload: Message(kind, payload[: LIMITS[kind]]), st.sampled_from(MessageKind), st.binary(max_size=80)
)


def header(*, magic: bytes = b"DSC2", version: int = VERSION, kind: int = 1, length: int = 0) -> bytes:
    return struct.pack(">4sBBI", magic, version, kind, length)


def anything(_: MessageKind, __: int) -> None:
    """Admit every message."""


def read(decoder: MessageDecoder, received: bytes) -> list[Message]:
    """Feed bytes; the messages that they complete."""
    decoder.feed(received)
    return list(iter(lambda: decoder.next(anything), None))


def test_every_kind_has_a_limit() -> None:
    assert set(LIMITS) == set(MessageKind)


@given(st.lists(messages, max_size=6), st.lists(st.integers(1, 40), min_size=1))
def test_what_is_sent_arrives_in_whatever_pieces(sent: list[Message], pieces: list[int]) -> None:
    stream = b"".join(encode(message) for message in sent)
    decoder, received, position, turn = MessageDecoder(), [], 0, 0
    while position < len(stream):
        length = pieces[turn % len(pieces)]
        received += read(decoder, stream[position : position + length])
        position, turn = position + length, turn + 1
    assert received == sent


@given(messages)
def test_a_message_that_was_cut_off_is_not_given_before_its_end(message: Message) -> None:
    decoder, sent = MessageDecoder(), encode(message)
    assert read(decoder, sent[:-1]) == []
    assert read(decoder, sent[-1:]) == [message]


@given(st.binary(min_size=1, max_size=60))
def test_random_bytes_are_messages_or_a_violation(junk: bytes) -> None:
    decoder = MessageDecoder()
    try:
        received = read(decoder, junk)
    except ProtocolViolation:
        with pytest.raises(ProtocolViolation):
            decoder.feed(encode(Message(MessageKind.ALIVE)))
    else:
        rest = b"".join(encode(message) for message in received)
        assert junk.startswith(rest)


@given(messages, st.integers(0, 8 * HEADER_LENGTH - 1))
def test_a_flipped_bit_in_a_header_never_gives_the_same_message(message: Message, bit: int) -> None:
    stream = bytearray(encode(message))
    stream[bit // 8] ^= 1 << bit % 8
    try:
        received = read(MessageDecoder(), bytes(stream))
    except ProtocolViolation:
        return
    assert message not in received


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (b"GET / HTTP/1.1\r\n", "not a message of discreet"),
        (b"\x16", "not a message of discreet"),
        (header(magic=b"DSC3"), "not a message of discreet"),
        (header(version=VERSION + 1), f"version {VERSION + 1}"),
        (header(kind=0), "unknown kind 0"),
        (header(kind=200), "unknown kind 200"),
        (header(kind=MessageKind.PARAMETERS, length=1025), "1025 bytes where at most 1024"),
        (header(kind=MessageKind.ALIVE, length=1), "1 bytes where at most 0"),
    ],
)
def test_what_is_no_message_is_refused_with_its_reason(start: bytes, sentence: str) -> None:
    with pytest.raises(ProtocolViolation, match=sentence):
        read(MessageDecoder(), start)


@pytest.mark.parametrize("kind", MessageKind)
def test_a_message_of_4_gb_is_refused_before_anything_is_kept_for_it(kind: MessageKind) -> None:
    tracemalloc.start()
    with pytest.raises(ProtocolViolation, match="4294967295 bytes"):
        read(MessageDecoder(), header(kind=kind, length=0xFFFFFFFF))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000


def test_one_byte_more_than_the_limit_is_never_made() -> None:
    with pytest.raises(InternalFault, match="at most 1024 bytes"):
        Message(MessageKind.PARAMETERS, bytes(1025))


def test_no_message_repeats_what_was_received() -> None:
    with pytest.raises(ProtocolViolation) as refusal:
        read(MessageDecoder(), b"patient Miller, HIV positive")
    assert "Miller" not in str(refusal.value)


NO_SIGNS = [kind for kind in MessageKind if kind not in (MessageKind.ALIVE, MessageKind.REFUSED)]


@pytest.mark.parametrize("kind", NO_SIGNS)
def test_a_message_waits_at_its_header_until_someone_says_what_it_may_be(kind: MessageKind) -> None:
    decoder, asked = MessageDecoder(), []
    payload = bytes(min(LIMITS[kind], 20))
    decoder.feed(header(kind=kind, length=len(payload)))
    assert decoder.next() is None
    assert decoder.waits
    assert decoder.next(lambda *said: asked.append(said)) is None
    assert not decoder.waits
    decoder.feed(payload)
    assert decoder.next() == Message(kind, payload)
    assert asked == [(kind, len(payload))]  # once


@pytest.mark.parametrize("sign", [Message(MessageKind.ALIVE), Message(MessageKind.REFUSED, b"\1")])
def test_signs_of_life_and_refusals_wait_for_nobody(sign: Message) -> None:
    decoder = MessageDecoder()
    decoder.feed(encode(sign))
    assert decoder.next() == sign


def test_what_is_refused_at_its_header_is_not_kept_and_nothing_follows_it() -> None:
    def refuse(_: MessageKind, length: int) -> None:
        raise ProtocolViolation(f"{length} bytes are too many")

    decoder = MessageDecoder()
    decoder.feed(header(kind=MessageKind.EXTENSION, length=1000) + bytes(500))
    with pytest.raises(ProtocolViolation, match="1000 bytes are too many"):
        decoder.next(refuse)
    with pytest.raises(ProtocolViolation, match="after an unreadable message"):
        decoder.feed(bytes(500))
