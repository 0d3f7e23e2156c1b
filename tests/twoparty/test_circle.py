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
from discreet.twoparty.oblivious_transfer import Transfers, set_up_transfers
from discreet.twoparty.ring import Ring
from discreet.twoparty.steps import Conversation
from tests.strategies import DRAWS

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

    with pytest.raises(ProtocolViolation, match="told others something else"):
        run([in_turn(each, shares) for each in circle], lie)


def in_turn(engine: CircleEngine, shares: np.ndarray) -> Generator[Turn, dict[int, bytes], Any]:
    yield from engine.at_least(shares, 3)
    return (yield from engine.open(shares))


@pytest.mark.parametrize("liar", range(3))
@pytest.mark.parametrize("length", [32, 32 + 4, 32 + 1])
def test_what_was_not_committed_to_is_not_taken(liar: int, length: int) -> None:
    circle = engines(3, 100)
    shares = np.array([5, 6], circle[0].ring.dtype)

    def lie(own: int, _: int, payload: bytes) -> bytes:
        return payload[:-1] + bytes([payload[-1] ^ 1]) if (own, len(payload)) == (liar, length) else payload

    with pytest.raises(ProtocolViolation):
        run([in_turn(each, shares) for each in circle], lie)
