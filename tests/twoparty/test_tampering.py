"""Messages that are not what the protocol asks for: what is malformed or out of place is refused, and nothing crashes.

On the wire TLS notices every changed bit (see test_party). These tests are about a partner whose own messages are
wrong: replayed, out of turn, or with a wrong bit. Against a partner that lies in masked bits, which look like any
others, a semi-honest protocol promises nothing but that this side comes to a clean end.
"""

from __future__ import annotations

import random

import pytest

from discreet.errors import Disagreement, DiscreetError, ProtocolViolation
from discreet.transactions.transactions import Transactions
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.alignment import rows_digest
from discreet.twoparty.messages import LIMITS, Message, MessageKind
from discreet.twoparty.session import Session
from tests.conftest import ROOT

TABLE_1A = [set(line.split()) for line in (ROOT / "tests/data/running-example.dat").read_text().splitlines()]


def session(party: Role, *, ids: bool = False, k: int = 3) -> Session:
    items = {"a", "b", "c", "d"} if party is Role.FIRST else {"e", "f", "g", "h"}
    rows = Transactions.from_rows([sorted(row & items) for row in TABLE_1A])
    parameters = Proposal(protocol="ic-sapm", rows=12, min_support=8, k=k)
    return Session(party, parameters, rows, row_ids=rows_digest(map(str, range(12))) if ids else None)


def talk(first: Session, second: Session, *, change=lambda message: message, before=lambda _: None) -> list[Message]:
    """Let two sessions talk until both finish, and return what the first one sent.

    `change` sees, and may change, what the second one sends; `before` sees it just before the first one takes it.
    """
    to_second, to_first = first.start(), [change(message) for message in second.start()]
    sent = list(to_second)
    while to_first or to_second:
        if to_second:
            to_first += [change(message) for message in second.receive(to_second.pop(0))]
        if to_first:
            before(to_first[0])
            answer = first.receive(to_first.pop(0))
            to_second += answer
            sent += answer
    return sent


@pytest.mark.parametrize("ids", [True, False], ids=["with ids", "without ids"])
def test_a_replayed_session_is_refused_before_any_share_is_sent(*, ids: bool) -> None:
    recorded = talk(session(Role.FIRST, ids=ids), session(Role.SECOND, ids=ids))
    victim = session(Role.SECOND, ids=ids)
    sent = victim.start()
    with pytest.raises(Disagreement):  # noqa: PT012 - whichever of the messages it is
        for message in recorded:
            sent += victim.receive(message)
    assert {message.kind for message in sent} == {MessageKind.PARAMETERS, MessageKind.ALIGNMENT}


def test_a_partner_that_echoes_everything_is_refused() -> None:
    victim = session(Role.FIRST)
    [message] = victim.start()
    with pytest.raises(ProtocolViolation, match="fresh number"):
        victim.receive(message)


def test_a_message_that_may_not_come_now_leaves_the_session_as_it_was() -> None:
    first, second = session(Role.FIRST), session(Role.SECOND)
    says_its_own_length = {MessageKind.PARAMETERS, MessageKind.LOCAL_ITEMSETS}

    def interrupt(due: Message) -> None:
        wrong = [Message(kind) for kind in MessageKind if kind not in (due.kind, MessageKind.INTERSECTION)]
        if due.kind not in says_its_own_length:
            payloads = due.payload[:-1], due.payload + b"\0"
            wrong += [Message(due.kind, each) for each in payloads if len(each) <= LIMITS[due.kind]]
        for message in wrong:
            with pytest.raises(ProtocolViolation):
                first.receive(message)

    talk(first, second, before=interrupt)
    assert first.result.to_dict() == second.result.to_dict()
    with pytest.raises(ProtocolViolation):
        first.receive(Message(MessageKind.OPENED_BITS))


def flip(payload: bytes, bit: int) -> bytes:
    changed = bytearray(payload)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


KINDS = [
    MessageKind.PARAMETERS,
    MessageKind.ALIGNMENT,
    MessageKind.BASE_OT,
    MessageKind.LOCAL_ITEMSETS,
    MessageKind.EXTENSION,
    MessageKind.CORRECTIONS,
    MessageKind.AND_OPENINGS,
    MessageKind.COMMITMENT,
    MessageKind.OPENED_BITS,
    MessageKind.FINAL_SHARES,
]
ALWAYS_REFUSED = {*KINDS} - {MessageKind.LOCAL_ITEMSETS, MessageKind.CORRECTIONS, MessageKind.AND_OPENINGS}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_partner_that_sends_a_wrong_bit_brings_no_side_to_fall(kind: MessageKind) -> None:
    draw = random.Random(f"a wrong bit in {kind.name}")
    refused = 0
    for turn in range(3):
        where = draw.random()
        seen = 0

        def change(message: Message) -> Message:
            nonlocal seen
            seen += message.kind is kind
            if message.kind is not kind or seen != turn + 1:  # noqa: B023 - called within this turn
                return message
            return Message(kind, flip(message.payload, int(where * 8 * len(message.payload))))  # noqa: B023 - the same

        try:
            talk(session(Role.FIRST), session(Role.SECOND), change=change)
        except DiscreetError:
            refused += 1
        else:
            assert kind not in ALWAYS_REFUSED or seen <= turn
    assert refused or kind not in ALWAYS_REFUSED
