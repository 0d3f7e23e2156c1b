"""Every kind of message, wrong in the first or the last place where it comes, against either side.

The partner is authenticated and follows the protocol but for one message. The honest side ends with an error, or with
what it may write: no channel, its own columns as it counted them, and nothing that cannot be. Where everything is
computed twice, it ends with an error or with the true result.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

import discreet
from discreet.errors import Disagreement, PartnerError, ProtocolViolation
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.dual_engine import DualEngine
from discreet.twoparty.engine import TransferEngine
from discreet.twoparty.judging import Judgement
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.oblivious_transfer import TransferReceiver, Transfers, TransferSender
from discreet.twoparty.primitives import random_bits, random_bytes
from discreet.twoparty.session import Session
from tests.twoparty_pair import columns_of

if TYPE_CHECKING:
    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.ring import Ring
    from discreet.twoparty.steps import Conversation, Steps

COLUMNS = 128
SIGMA, K, N = 12, 4, 80
REFUSED = {
    MessageKind.PARAMETERS,
    MessageKind.ALIGNMENT,
    MessageKind.EXTENSION,
    MessageKind.COMMITMENT,
    MessageKind.FINAL_SHARES,
}
JUDGED = {
    MessageKind.LOCAL_ITEMSETS,
    MessageKind.CORRECTIONS,
    MessageKind.AND_OPENINGS,
    MessageKind.OPENED_BITS,
    MessageKind.EXCLUSIVE,
}
TRUE_OR_REFUSED = {MessageKind.CORRECTIONS, MessageKind.GARBLED, MessageKind.COMPARISON}
"""What a side may not use: a correction for a row it has not, a table's line for another label, a point's top bit."""
REFUSED_TWICE = REFUSED - {MessageKind.COMMITMENT} | {MessageKind.COLUMN_PROOF}
JUDGED_TWICE = {MessageKind.LOCAL_ITEMSETS, MessageKind.OPENED_BITS, MessageKind.EXCLUSIVE}
WAYS = ["first bit", "last bit", "all ones", "older session"]


@cache
def halves() -> tuple[Transactions, Transactions]:
    chance = np.random.default_rng(5)
    held = chance.random((N, 6)) < [0.7, 0.5, 0.8, 0.6, 0.9, 0.4]
    rows = [[label for label, has in zip("abcdef", row, strict=True) if has] for row in held]
    return columns_of(rows, "ace"), columns_of(rows, "bdf")


@cache
def base_transfers() -> dict[Role, tuple[np.ndarray, list[bytes], list[tuple[bytes, bytes]]]]:
    """Draw what base transfers give, once for all tests: each takes a fifth of a second."""
    pairs = {party: [(random_bytes(16), random_bytes(16)) for _ in range(COLUMNS)] for party in Role}
    odd = np.array([1] + [0] * (COLUMNS // 8 - 1), np.uint8)  # as garbling needs it
    secrets = {party: random_bits(COLUMNS // 8) | odd for party in Role}
    chosen = {
        party: [
            pair[bit]
            for bit, pair in zip(np.unpackbits(secrets[party], bitorder="little"), pairs[party.other], strict=True)
        ]
        for party in Role
    }
    return {party: (secrets[party], chosen[party], pairs[party]) for party in Role}


def transfers_of(party: Role, session_id: bytes) -> Transfers:
    secret, chosen, pairs = base_transfers()[party]
    sending, receiving = (b"from party %d" % each for each in (party, party.other))
    return Transfers(
        party,
        TransferSender(secret, chosen, session_id, sending),
        TransferReceiver(pairs, session_id, receiving),
    )


def start_engine(party: Role, ring: Ring, session_id: bytes) -> Steps[TransferEngine]:
    yield from ()
    return TransferEngine(ring, transfers_of(party, session_id))


def start_twice(party: Role, ring: Ring, session_id: bytes) -> Steps[DualEngine]:
    yield from ()
    return DualEngine(ring, transfers_of(party, session_id), session_id)


class Partner:
    """What one party sends in a whole run, with one message changed."""

    def __init__(self, change: tuple[MessageKind, int, str] | None, older: list[Message]) -> None:
        self.sent: list[Message] = []
        self._change, self._older = change, older

    def say(self, messages: list[Message]) -> list[Message]:
        return [self._changed(message) for message in messages]

    def _changed(self, message: Message) -> Message:
        seen = sum(each.kind is message.kind for each in self.sent)
        self.sent.append(message)
        if self._change is None or self._change[:2] != (message.kind, seen) or not message.payload:
            return message
        payload, way = bytearray(message.payload), self._change[2]
        if way == "older session":
            fitting = [each for each in self._older if each.kind is message.kind]
            return fitting[min(seen, len(fitting) - 1)]
        if way == "all ones":
            payload = bytearray(b"\xff" * len(payload))
        else:
            payload[0 if way == "first bit" else -1] ^= 1 if way == "first bit" else 128
        return Message(message.kind, bytes(payload))


def run(honest: Conversation, cheat: Conversation, partner: Partner) -> None:
    """Let an honest machine talk with one whose messages pass through a partner's hands."""
    to_honest, to_cheat = partner.say(cheat.start()), honest.start()
    while not honest.finished:
        if not (to_honest or to_cheat):  # each waits for the other, until the time is up
            raise ProtocolViolation("the partner is silent")
        if to_honest:
            to_cheat += honest.receive(to_honest.pop(0))
        elif to_cheat:
            try:
                to_honest += partner.say(cheat.receive(to_cheat.pop(0)))
            except PartnerError as error:  # the changed message led it astray; it says no more
                raise ProtocolViolation("the partner is silent") from error


def outcome(role: Role, partner: Partner, *, dual: bool = False) -> JointPatterns:
    """Run the honest party of a role; what it would write."""
    rows = dict(zip(Role, halves(), strict=True))
    honest, cheat = (
        Session(
            each,
            Proposal(protocol="ic-sapm", rows=N, min_support=SIGMA, k=K, dual=dual),
            rows[each],
            start_engine=start_twice if dual else start_engine,
        )
        for each in (role, role.other)
    )
    run(honest, cheat, partner)
    judgement = Judgement(honest.result, rows[role])
    run(judgement, Judgement(honest.result, rows[role.other]), partner)
    return judgement.result[0]


@cache
def recorded(role: Role, *, dual: bool = False) -> list[Message]:
    """Return what the partner of a role sends in an honest session."""
    partner = Partner(None, [])
    outcome(role, partner, dual=dual)
    return partner.sent


@cache
def truth() -> JointPatterns:
    """Return what an honest session comes to."""
    return outcome(Role.FIRST, Partner(None, []))


def check(result: JointPatterns, role: Role) -> None:
    """Check that what is written has no channel, and that a side's own columns are as it counted them."""
    own = dict(zip(Role, halves(), strict=True))[role]
    audit = discreet.audit(result.patterns, k=K)
    assert not len(audit.channels)
    assert not len(audit.border or ())
    for itemset, support in result.patterns:
        if itemset <= set(own.vocabulary):
            assert support == sum(itemset <= set(row) for row in own)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("kind", sorted(REFUSED | JUDGED), ids=lambda kind: kind.name)
def test_one_wrong_message_never_leads_to_a_wrong_file(kind: MessageKind, place: str, way: str) -> None:
    for role in Role:
        older = recorded(role)
        count = sum(each.kind is kind for each in older)
        partner = Partner((kind, 0 if place == "first" else count - 1, way), older)
        try:
            result = outcome(role, partner)
        except (ProtocolViolation, Disagreement):
            continue
        assert kind in JUDGED
        check(result, role)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("kind", sorted(REFUSED_TWICE | TRUE_OR_REFUSED | JUDGED_TWICE), ids=lambda kind: kind.name)
def test_where_everything_is_computed_twice_the_result_is_true_or_refused(
    kind: MessageKind, place: str, way: str
) -> None:
    for role in Role:
        older = recorded(role, dual=True)
        count = sum(each.kind is kind for each in older)
        partner = Partner((kind, 0 if place == "first" else count - 1, way), older)
        try:
            result = outcome(role, partner, dual=True)
        except (ProtocolViolation, Disagreement):
            continue
        assert kind not in REFUSED_TWICE
        if kind in TRUE_OR_REFUSED:
            assert result.to_dict() == truth().to_dict()
        else:
            check(result, role)


def test_every_kind_of_message_of_two_computations_is_among_them() -> None:
    sent = {message.kind for role in Role for message in recorded(role, dual=True)}
    assert sent == REFUSED_TWICE | TRUE_OR_REFUSED | JUDGED_TWICE


def test_every_kind_of_message_is_among_them() -> None:
    sent = {message.kind for role in Role for message in recorded(role)}
    assert sent == REFUSED | JUDGED


def test_the_honest_session_has_something_to_get_wrong() -> None:
    result = outcome(Role.FIRST, Partner(None, []))
    assert any(len(itemset) > 1 and itemset & set("ace") and itemset & set("bdf") for itemset, _ in result.patterns)
    assert result.withheld
