"""The same people in the same order: one bit for both; and the people that both have, without a word about the rest."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import DataError, Disagreement, ProtocolViolation
from discreet.transactions.transactions import Transactions
from discreet.twoparty import alignment
from discreet.twoparty.alignment import check_ids, confirm_rows, intersect, rows_digest, select_people
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.steps import Conversation

SESSION = b"a session's id"
names = st.text(min_size=1, max_size=4)


def talk(first: Conversation, second: Conversation) -> tuple[list[Message], list[Message]]:
    """Hand each other's messages over until both have finished; return what each has sent."""
    to_second, to_first = first.start(), second.start()
    sent: tuple[list[Message], list[Message]] = (list(to_second), list(to_first))
    while to_first or to_second:
        if to_second:
            answer = second.receive(to_second.pop(0))
            to_first += answer
            sent[1].extend(answer)
        if to_first:
            answer = first.receive(to_first.pop(0))
            to_second += answer
            sent[0].extend(answer)
    assert first.finished
    assert second.finished
    return sent


def confirming(ids: list[str] | None, *, first: bool, session: bytes = SESSION) -> Conversation[None]:
    return Conversation(confirm_rows(first=first, rows=None if ids is None else rows_digest(ids), session_id=session))


@pytest.mark.parametrize("ids", [None, [], ["7"], ["7", "8", "9"]])
def test_the_same_people_in_the_same_order_agree(ids) -> None:
    talk(confirming(ids, first=True), confirming(ids, first=False))


@pytest.mark.parametrize(
    "others",
    [None, [], ["7", "8"], ["8", "7", "9"], ["7", "8", "9", "10"], ["7", "89"], ["78", "9"], ["7", "8", "9 "]],
)
def test_other_people_or_another_order_is_refused_on_both_sides(others) -> None:
    one, other = confirming(["7", "8", "9"], first=True), confirming(others, first=False)
    [mine], [theirs] = one.start(), other.start()
    [my_tag], [their_tag] = one.receive(theirs), other.receive(mine)
    with pytest.raises(Disagreement):
        one.receive(their_tag)
    with pytest.raises(Disagreement):
        other.receive(my_tag)


def test_what_is_sent_is_fresh_in_every_session_and_no_digest_of_ids() -> None:
    ids = ["7", "8", "9"]
    runs = [talk(confirming(ids, first=True), confirming(ids, first=False)) for _ in range(2)]
    payloads = [message.payload for run in runs for side in run for message in side]
    assert len(set(payloads)) == len(payloads) == 8
    assert all(len(payload) == 32 for payload in payloads)
    assert rows_digest(ids) not in payloads


def test_a_partner_from_another_session_is_refused() -> None:
    recorded, _ = talk(confirming(["7"], first=True), confirming(["7"], first=False))
    side = confirming(["7"], first=False, session=b"another session's id")
    side.start()
    side.receive(recorded[0])
    with pytest.raises(Disagreement):
        side.receive(recorded[1])


def test_a_partner_that_echoes_is_refused() -> None:
    side = confirming(["7"], first=True)
    [point] = side.start()
    [tag] = side.receive(point)
    with pytest.raises(Disagreement):
        side.receive(tag)


@pytest.mark.parametrize("payload", [bytes(32), (1).to_bytes(32, "little")], ids=["zero", "of small order"])
def test_points_that_come_to_nothing_are_refused(payload: bytes) -> None:
    side = confirming(["7"], first=True)
    side.start()
    with pytest.raises(ProtocolViolation, match="not a point"):
        side.receive(Message(MessageKind.ALIGNMENT, payload))


@pytest.mark.parametrize(
    "message",
    [
        Message(MessageKind.ALIGNMENT, bytes(31)),
        Message(MessageKind.BASE_OT, bytes(32)),
        Message(MessageKind.ALIGNMENT),
    ],
)
def test_an_illegal_message_leaves_the_state_unchanged(message: Message) -> None:
    one, other = confirming(["7"], first=True), confirming(["7"], first=False)
    one.start()
    with pytest.raises(ProtocolViolation):
        one.receive(message)
    [point] = other.start()
    assert len(one.receive(point)) == 1


@settings(max_examples=30, deadline=None)
@given(st.lists(names, unique=True, max_size=12), st.lists(names, unique=True, max_size=12), st.integers(1, 5))
def test_both_find_the_people_both_have_in_one_order(here: list[str], there: list[str], batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "BATCH", batch)
        first, second = Conversation(intersect(here, first=True)), Conversation(intersect(there, first=False))
        talk(first, second)
    expected = sorted(set(here) & set(there), key=str.encode)
    assert [here[position] for position in first.result.tolist()] == expected
    assert [there[position] for position in second.result.tolist()] == expected


def test_what_is_sent_tells_the_count_and_no_order() -> None:
    ids = [str(number) for number in range(40)]
    sent, _ = talk(Conversation(intersect(ids, first=True)), Conversation(intersect(ids[20:], first=False)))
    _, _, _, count, masked, answer = (message.payload for message in sent)  # first a nonce, and whether salts are equal
    assert int.from_bytes(count, "big") == 40
    points = [masked[start : start + 32] for start in range(0, len(masked), 32)]
    assert points == sorted(points)
    assert len(set(points)) == 40
    assert len(answer) == 20 * 32
    assert not {hashlib.sha256(each.encode()).digest() for each in ids} & set(points)


def test_an_absurd_count_is_refused() -> None:
    side, other = (Conversation(intersect(["7"], first=first)) for first in (True, False))
    to_side, to_other = other.start(), side.start()
    for _ in range(3):
        to_side, to_other = other.receive(to_other[0]), side.receive(to_side[0])
    with pytest.raises(ProtocolViolation, match="more than"):
        side.receive(Message(MessageKind.INTERSECTION, b"\xff" * 8))


def test_selected_people_keep_their_rows_and_ids() -> None:
    rows = Transactions.from_rows([["a"], [], ["a", "b"]], ids=["3", "1", "2"])
    chosen = select_people(rows, np.array([1, 2], np.int64))
    assert [sorted(row) for row in chosen] == [[], ["a", "b"]]
    assert chosen.ids == ["1", "2"]


def test_ids_must_be_there_and_name_one_row_each() -> None:
    with pytest.raises(DataError, match="intersect needs id_column"):
        check_ids(None, what_for="intersect")
    with pytest.raises(DataError, match="rows 1 and 3 have the same id") as refusal:
        check_ids(["Miller", "Smith", "Miller"], what_for="intersect")
    assert "Miller" not in str(refusal.value)
