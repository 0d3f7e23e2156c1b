"""At every step of every protocol a side knows how long the next message may be, and refuses a longer one unread.

The partner announces more than is due, at each message in turn: the honest side refuses it when the ten bytes of the
header have come, and nothing has changed by it, so that the session then goes on to its result.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

from discreet.errors import ProtocolViolation
from discreet.transactions.transactions import Transactions
from discreet.twoparty.alignment import Intersection
from discreet.twoparty.judging import Judgement
from discreet.twoparty.messages import LIMITS, VERSION, Message, MessageDecoder, MessageKind
from tests.twoparty.test_mutations import start_engine, start_twice
from tests.twoparty_owners import run as run_owners
from tests.twoparty_owners import steps_of
from tests.twoparty_pair import columns_of, random_rows, sessions, talk

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.twoparty.circle import CircleSteps
    from discreet.twoparty.messages import Admission
    from discreet.twoparty.steps import Expected

ROWS = random_rows(3) * 3
HALVES = columns_of(ROWS, "aceg"), columns_of(ROWS, "bdfh")
WANTED: dict[str, Any] = {"min_support": len(ROWS) // 4, "k": 3}
PROTOCOLS: dict[str, dict[str, Any]] = {
    "ic-sapm": {"start_engine": start_engine},
    "ic-sapm twice": {"dual": True, "start_engine": start_twice},
    "dka-sapm": {"protocol": "dka-sapm", "start_engine": start_engine},
    "dka-sapm in rounds": {"protocol": "dka-sapm", "iterate": True, "start_engine": start_engine},
    "different people": {"labels": list("abcdefgh"), "start_engine": start_engine},
}
OWN_LENGTH = {MessageKind.PARAMETERS, MessageKind.LOCAL_ITEMSETS, MessageKind.EXCLUSIVE}
"""What says its own length; each is bounded all the same."""


def announced(kind: MessageKind, length: int, admit: Admission) -> None:
    """Hand in the header of a message, and nothing of the message itself."""
    decoder = MessageDecoder()
    decoder.feed(struct.pack(">4sBBI", b"DSC2", VERSION, kind, length))
    decoder.next(admit)


def refuses_more(due: Expected, admit: Admission) -> None:
    """Check that no message may come but the one that is due, with no byte more."""
    announced(due.kind, due.length, admit)
    assert due.exact or due.kind in OWN_LENGTH
    assert due.length <= LIMITS[due.kind]
    for length in {due.length + 1, LIMITS[due.kind], 0xFFFFFFFF} - {due.length}:
        with pytest.raises(ProtocolViolation, match=f"{due.kind.name}"):
            announced(due.kind, length, admit)
    other = MessageKind.GARBLED if due.kind is MessageKind.EXTENSION else MessageKind.EXTENSION
    with pytest.raises(ProtocolViolation, match=f"EXTENSION|{other.name}"):
        announced(other, LIMITS[other], admit)


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Callable[..., set[MessageKind]]:
    """Return a function that lets two machines talk; before each message, more is announced to whoever waits for it."""

    def converse(*machines: Any) -> set[MessageKind]:
        tried: set[MessageKind] = set()

        def watched(machine: Any, plain: Callable[[Message], list[Message]]) -> Callable[[Message], list[Message]]:
            def receive(message: Message) -> list[Message]:
                refuses_more(machine.expected, machine.admit)
                tried.add(machine.expected.kind)
                return plain(message)

            return receive

        for each in machines:
            monkeypatch.setattr(each, "receive", watched(each, each.receive))
        talk(*machines)
        return tried

    return converse


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_more_than_is_due_is_refused_at_every_step(protocol: str, hostile: Callable[..., set[MessageKind]]) -> None:
    halves = HALVES
    if protocol == "different people":
        halves = Transactions.from_rows(ROWS), Transactions.from_rows(ROWS[::2])
    pair = sessions(halves, **WANTED, **PROTOCOLS[protocol])
    tried = hostile(*pair)
    assert {MessageKind.PARAMETERS, MessageKind.EXTENSION, MessageKind.FINAL_SHARES} <= tried
    assert pair[0].result.to_dict() == pair[1].result.to_dict()
    assert len(pair[0].result.patterns)
    if protocol != "different people":  # who know nothing of each other's labels
        looks = [Judgement(pair[0].result, half) for half in halves]
        assert hostile(*looks) == {MessageKind.EXCLUSIVE}


def test_more_than_is_due_is_refused_while_looking_for_people(hostile: Callable[..., set[MessageKind]]) -> None:
    ids = [f"P{number}" for number in range(30)]
    searches = Intersection(ids[:20], first=True), Intersection(ids[5:], first=False)
    assert MessageKind.INTERSECTION in hostile(*searches)
    assert [len(each.result) for each in searches] == [15, 15]


def test_more_than_is_due_is_refused_by_each_of_three_owners() -> None:
    slices = [Transactions.from_rows(random_rows(seed, items="abcd") * 2) for seed in (1, 2, 3)]
    tried: set[MessageKind] = set()

    def watched(steps: CircleSteps[Any]) -> CircleSteps[Any]:
        turn = next(steps)
        while True:
            for due in turn.expected.values():
                refuses_more(due, due.admit)
                tried.add(due.kind)
            answers = yield turn
            try:
                turn = steps.send(answers)
            except StopIteration as end:
                return end.value

    parts = steps_of(slices, "abcd", min_support=sum(map(len, slices)) // 4, k=2)
    results = run_owners({number: watched(steps) for number, steps in parts.items()}).results
    assert {str(each.to_dict()) for each in results.values()} == {str(results[0].to_dict())}
    assert {MessageKind.PARAMETERS, MessageKind.MASKS, MessageKind.FINAL_SHARES} <= tried
