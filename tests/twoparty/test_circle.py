"""Computing among three to eight owners: sums and comparisons on shares, and an owner that does not behave."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import ProtocolViolation
from discreet.twoparty.agreement import Role
from discreet.twoparty.circle import CircleEngine, Turn
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.oblivious_transfer import Transfers, set_up_transfers
from discreet.twoparty.ring import Ring
from discreet.twoparty.steps import Conversation
from tests.strategies import DRAWS
from tests.twoparty_owners import Table
from tests.twoparty_owners import run as run_owners

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


def pair(one: int, other: int) -> tuple[Transfers, Transfers]:
    sides = [Conversation(set_up_transfers(role, b"session %d %d" % (one, other))) for role in Role]
    waiting = [side.start() for side in sides]
    while not all(side.finished for side in sides):
        waiting = [[each for message in waiting[1 - at] for each in sides[at].receive(message)] for at in (0, 1)]
    return sides[0].result, sides[1].result


def engines(owners: int, n: int) -> list[CircleEngine]:
    transfers: list[dict[int, Transfers]] = [{} for _ in range(owners)]
    for one, other in combinations(range(owners), 2):
        transfers[one][other], transfers[other][one] = pair(one, other)
    return [CircleEngine(Ring(n), each, own) for own, each in enumerate(transfers)]


def run(parts: list[Generator[Turn, dict[int, bytes], Any]], lie: Callable[[int, int, bytes], bytes] | None = None):
    """Run all owners turn by turn; `lie` may change what one owner sends to another."""
    turns: dict[int, Turn] = {own: next(part) for own, part in enumerate(parts)}
    results: dict[int, Any] = {}
    while turns:
        box = {}
        for own, turn in turns.items():
            for partner, messages in turn.outgoing.items():
                (message,) = messages or (None,)
                if message is not None:
                    payload = message.payload if lie is None else lie(own, partner, message.payload)
                    box[own, partner] = message.kind, payload
        following = {}
        for own, turn in turns.items():
            got = {}
            for partner, expected in turn.expected.items():
                kind, payload = box[partner, own]
                assert (kind, len(payload)) == (expected.kind, expected.length or len(payload))
                got[partner] = payload
            try:
                following[own] = parts[own].send(got)
            except StopIteration as end:
                results[own] = end.value
        turns = following
    return [results[own] for own in range(len(parts))]


COUNTS = st.integers(3, 4).flatmap(
    lambda owners: st.tuples(
        st.just(owners),
        st.lists(st.lists(st.integers(0, 40), min_size=owners, max_size=owners), min_size=1, max_size=9),
    )
)


@settings(max_examples=4 * DRAWS, deadline=None)
@given(given=COUNTS, threshold=st.integers(0, 130))
def test_sums_are_compared_and_opened_as_plain_numbers_are(given: tuple[int, list[list[int]]], threshold: int) -> None:
    owners, counts = given
    circle = engines(owners, 40 * owners)
    columns = np.array(counts).T.astype(circle[0].ring.dtype)
    truth = np.array(counts).sum(axis=1)
    for found in run([each.at_least(columns[own], threshold) for own, each in enumerate(circle)]):
        assert found.tolist() == (truth >= threshold).tolist()
    inside = [each.any_in_interval(columns[own][:, None], 1, 50) for own, each in enumerate(circle)]
    for found in run(inside):
        assert found.tolist() == ((truth >= 1) & (truth < 50)).tolist()
    for found in run([each.open(columns[own]) for own, each in enumerate(circle)]):
        assert found.tolist() == truth.tolist()


def test_an_owner_that_says_different_things_to_different_others_is_noticed() -> None:
    circle = engines(3, 100)
    shares = np.array([5, 6], circle[0].ring.dtype)

    def lie(own: int, partner: int, payload: bytes) -> bytes:
        return bytes([payload[0] ^ 1]) + payload[1:] if (own, partner, len(payload)) == (1, 2, 2) else payload

    with pytest.raises(ProtocolViolation, match="said different things"):
        run([in_turn(each, shares) for each in circle], lie)


def in_turn(engine: CircleEngine, shares: np.ndarray) -> Generator[Turn, dict[int, bytes], Any]:
    yield from engine.at_least(shares, 3)
    return (yield from engine.open(shares))


@pytest.mark.parametrize("liar", range(3))
@pytest.mark.parametrize("length", [64, 32 + 4, 32 + 1])
def test_what_was_not_committed_to_is_not_taken(liar: int, length: int) -> None:
    circle = engines(3, 100)
    shares = np.array([5, 6], circle[0].ring.dtype)

    def lie(own: int, _: int, payload: bytes) -> bytes:
        return payload[:-1] + bytes([payload[-1] ^ 1]) if (own, len(payload)) == (liar, length) else payload

    with pytest.raises(ProtocolViolation):
        run([in_turn(each, shares) for each in circle], lie)


# ------------------------------------------------------------------------------------ one owner against another alone

LANES, HALF = 64, 64
"""How many counts are compared, and the highest bit that a count of the victim has or lacks."""


def compared(change: Callable[[int, int, Message, int], Message]) -> tuple[Table, np.ndarray]:
    """Compare sums of 90 with 40, of which owner 1 holds 70 or 20; return what was said, and where it holds 70."""
    circle = engines(3, 127)
    large = np.random.default_rng(7).random(LANES) < 0.5
    held = np.where(large, 70, 20)
    counts = [np.zeros_like(held), held, 90 - held]
    parts = {own: each.at_least(counts[own].astype(each.ring.dtype), 40) for own, each in enumerate(circle)}
    return run_owners(parts, change), large


def of_highest_bits(payload: bytes, parts: int) -> slice:
    """Return where the highest of seven bits of all counts is in the first of some parts of a message."""
    size = LANES // 8
    assert len(payload) >= parts * 7 * size
    return slice(6 * size, 7 * size)


def test_an_owner_cannot_read_the_counts_of_one_other_by_spoiling_its_products() -> None:
    """Owner 0 spoils what owner 1 gets for the highest bits, and sees by the answers which random bits it had.

    With these it takes the masks off what owner 1 said next: a share, which must not be its count.
    """
    heard: list[bytes] = []

    def change(own: int, partner: int, message: Message, place: int) -> Message:
        payload = bytearray(message.payload)
        if (own, partner, message.kind, place) == (0, 1, MessageKind.CORRECTIONS, 0):
            where = of_highest_bits(payload, 1)
            payload[where] = bytes(each ^ 255 for each in payload[where])
        if (own, partner, message.kind, place) == (1, 0, MessageKind.AND_OPENINGS, 0):
            heard.append(message.payload)
        return Message(message.kind, bytes(payload))

    table, large = compared(change)
    answers = table.results[0]  # all are frequent, and those that are not called so were spoiled
    assert isinstance(answers, np.ndarray)
    masked = np.frombuffer(heard[0], np.uint8).reshape(2, 7, -1)[1, 6]
    read = np.unpackbits(masked, bitorder="little").astype(bool) ^ ~answers
    assert 10 < (read == large).sum() < LANES - 10


def test_nothing_is_opened_to_an_owner_that_said_different_things() -> None:
    def change(own: int, partner: int, message: Message, place: int) -> Message:
        if (own, partner, message.kind, place) != (0, 1, MessageKind.AND_OPENINGS, 0):
            return message
        payload = bytearray(message.payload)
        where = of_highest_bits(payload, 2)
        payload[where] = bytes(each ^ 255 for each in payload[where])
        return Message(message.kind, bytes(payload))

    table, _ = compared(change)
    assert all(isinstance(table.results[own], ProtocolViolation) for own in (1, 2))
    assert not [own for own, _, message in table.sent if own and message.kind is MessageKind.OPENED_BITS]
