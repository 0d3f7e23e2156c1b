"""The session agrees before it computes, refuses what may not come, and says what it is doing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import Disagreement, InternalFault, ParameterError, ProtocolViolation
from discreet.transactions.transactions import Transactions
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.local_itemsets import ItemsetNames, LocalItemsets
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.session import Session
from tests.strategies import transactions
from tests.twoparty_pair import sessions, talk

LEFT, RIGHT = Transactions.from_rows(["a"] * 5), Transactions.from_rows(["b"] * 5)
WANTED = Proposal(protocol="ic-sapm", rows=5, min_support=2, k=2)


def session(party: Role, rows: Transactions = LEFT, row_ids: bytes | None = None, **changed) -> Session:
    given_parameters = {"protocol": "ic-sapm", "rows": len(rows), "min_support": 2, "k": 2} | changed
    return Session(party, Proposal(**given_parameters), rows, row_ids=row_ids)


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (session(Role.SECOND, protocol="dka-sapm"), "the protocol: dka-sapm, and this side the protocol: ic-sapm"),
        (session(Role.SECOND, k=3), "the partner says k: 3, and this side k: 2; agree on k"),
        (session(Role.SECOND, min_support=3), "a minimum support: 3 rows, and this side a minimum support: 2 rows"),
        (session(Role.SECOND, Transactions.from_rows(["b"] * 4)), "the partner has 4 rows and this side 5"),
        (session(Role.SECOND, row_ids=bytes(32)), "give id_column on both sides or on neither"),
    ],
    ids=["protocol", "k", "min_support", "rows", "ids"],
)
def test_a_difference_is_named_before_anything_else_is_sent(other: Session, difference: str) -> None:
    one = session(Role.FIRST)
    openings = one.start(), other.start()
    assert [[message.kind for message in messages] for messages in openings] == [[MessageKind.PARAMETERS]] * 2
    with pytest.raises(Disagreement, match=difference):
        one.receive(openings[1][0])
    with pytest.raises(Disagreement):
        other.receive(openings[0][0])


def test_the_same_number_of_rows_may_be_written_as_a_share() -> None:
    assert WANTED.agree(Proposal.from_bytes(WANTED.to_bytes())).min_support == 2
    share = Proposal(protocol="ic-sapm", rows=5, min_support=Fraction(2, 5), k=2, horizontal=True)
    assert share.agree(Proposal.from_bytes(share.to_bytes())).min_support == 4


def test_another_version_of_the_protocol_is_refused() -> None:
    payload = bytearray(WANTED.to_bytes())
    payload[1] += 1
    with pytest.raises(Disagreement, match="another version of the protocol"):
        Proposal.from_bytes(bytes(payload))


@settings(deadline=None)  # machines are busy
@given(st.binary(max_size=80), st.integers(0, 60), st.integers(0, 255))
def test_bytes_that_are_no_parameters_are_refused(junk: bytes, place: int, byte: int) -> None:
    changed = bytearray(WANTED.to_bytes())
    changed[place % len(changed)] = byte
    for payload in (junk, bytes(changed)):
        try:
            parameters = Proposal.from_bytes(payload)
        except (ProtocolViolation, Disagreement):
            continue
        assert Proposal.from_bytes(parameters.to_bytes()) == parameters


def test_an_echo_is_refused() -> None:
    one = session(Role.FIRST)
    with pytest.raises(ProtocolViolation, match="no fresh number of its own"):
        one.receive(one.start()[0])


def test_a_message_out_of_turn_changes_nothing() -> None:
    one, other = session(Role.FIRST), session(Role.SECOND, RIGHT)
    opening = one.start()
    for message in (Message(MessageKind.FINAL_SHARES, b""), Message(MessageKind.LOCAL_ITEMSETS, b"")):
        with pytest.raises(ProtocolViolation, match="where PARAMETERS was due"):
            one.receive(message)
    greeting = other.start()
    answer = one.receive(greeting[0])
    with pytest.raises(ProtocolViolation, match="31 bytes in a message ALIGNMENT where 32 were due"):
        one.receive(Message(MessageKind.ALIGNMENT, bytes(31)))
    to_one, to_other = other.receive(opening[0]), answer
    while to_one or to_other:
        to_other += [each for message in to_one for each in one.receive(message)]
        to_one = [each for message in to_other for each in other.receive(message)]
        to_other = []
    assert one.result.to_dict() == other.result.to_dict()


def test_a_partner_with_intersect_is_told_so() -> None:
    one = session(Role.FIRST)
    one.start()
    with pytest.raises(Disagreement, match="intersect=True"):
        one.receive(Message(MessageKind.INTERSECTION, b""))


def test_nothing_is_taken_after_the_end() -> None:
    first, second = sessions((LEFT, RIGHT), min_support=2, k=2, plaintext=True)
    talk(first, second)
    with pytest.raises(ProtocolViolation, match="where none was due"):
        first.receive(Message(MessageKind.AND_OPENINGS, b""))
    with pytest.raises(InternalFault, match="has begun already"):
        first.start()


def test_no_result_before_the_end() -> None:
    with pytest.raises(InternalFault, match="has not come to a result"):
        session(Role.FIRST).result  # noqa: B018


def test_a_label_on_both_sides_is_refused_without_naming_it() -> None:
    first, second = sessions(
        (Transactions.from_rows([["secret"]] * 2), Transactions.from_rows([["secret"]] * 2)), min_support=1, k=2
    )
    with pytest.raises(Disagreement, match="labels that are frequent on both sides: 1") as refusal:
        talk(first, second)
    assert "secret" not in str(refusal.value)


def test_rounds_and_bytes_are_counted() -> None:
    first, second = sessions((LEFT, RIGHT), min_support=2, k=2)
    sent, received = talk(first, second)
    assert first.bytes_sent == second.bytes_received == sum(10 + len(message.payload) for message in sent)
    assert first.bytes_received == second.bytes_sent == sum(10 + len(message.payload) for message in received)
    assert 0 < first.rounds <= len(sent)


def test_labels_are_for_different_people() -> None:
    with pytest.raises(ParameterError, match="labels are for different people"):
        Session(Role.FIRST, WANTED, LEFT, labels=["a"])


def test_folded_rows_are_refused() -> None:
    with pytest.raises(ParameterError, match="rows as they are"):
        Session(Role.FIRST, WANTED, LEFT.fold())


@settings(deadline=None)  # machines are busy
@given(transactions())
def test_names_come_back_as_they_were(rows: Transactions) -> None:
    names = LocalItemsets.find(rows, 2).names
    again = ItemsetNames.from_bytes(names.to_bytes())
    assert again.vocabulary == names.vocabulary
    assert again.itemsets == names.itemsets


@settings(deadline=None)  # machines are busy
@given(transactions(), st.binary(min_size=1, max_size=4), st.integers(0, 2**16), st.booleans())
def test_names_that_do_not_hold_together_are_refused(rows: Transactions, junk: bytes, place: int, cut: bool) -> None:
    payload = LocalItemsets.find(rows, 2).names.to_bytes()
    place %= len(payload)
    changed = payload[:place] + junk + (b"" if cut else payload[place + len(junk) :])
    try:
        names = ItemsetNames.from_bytes(changed)
    except ProtocolViolation:
        return
    held = {tuple(itemset) for itemset in names.itemsets}
    assert all(np.all(np.diff(each) > 0) for each in held)
    assert all(each[:place] + each[place + 1 :] in held | {()} for each in held for place in range(len(each)))
