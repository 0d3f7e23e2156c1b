"""Three to eight owners in one process: what each sends to another passes through lists, and may be changed there."""

# ruff: noqa: SLF001 - the steps of one owner are driven here as the transport drives them

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet.errors import PartnerError, PartnerLost
from discreet.twoparty import owners as owning
from discreet.twoparty.agreement import Proposal
from discreet.twoparty.messages import HEADER_LENGTH, Message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.circle import CircleSteps, Turn
    from discreet.twoparty.joint_patterns import JointPatterns

    Change = Callable[[int, int, Message, int], Message]
    """What one owner (number) sends to another: a message, the how-manieth of its kind between the two."""


@dataclass(frozen=True)
class Seat:
    """An owner's place among all, without keys: nothing is sent over a network."""

    number: int
    certificates: list[bytes]


@dataclass
class Table:
    """What owners said to each other, and what each came to."""

    results: dict[int, JointPatterns | PartnerError] = field(default_factory=dict)
    sent: list[tuple[int, int, Message]] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        """What all sent, together."""
        return sum(HEADER_LENGTH + len(message.payload) for *_, message in self.sent)


def steps_of(
    slices: Sequence[Transactions], labels: Sequence[str], **wanted: Any
) -> dict[int, CircleSteps[JointPatterns]]:
    """Return what each owner of a slice does, up to what was opened."""
    certificates = [bytes([number]) * 32 for number in range(len(slices))]
    return {
        number: owning._mine(
            Seat(number, certificates),  # type: ignore[arg-type]
            Proposal(protocol="ic-sapm", rows=len(rows), horizontal=True, **wanted),
            rows,
            labels,
            lambda _: None,
        )
        for number, rows in enumerate(slices)
    }


def mine_among(
    slices: Sequence[Transactions], labels: Sequence[str], *, change: Change | None = None, **wanted: Any
) -> Table:
    """Mine among all owners of slices; each result is what the owner would write, after it has looked at it."""
    parts = steps_of(slices, labels, **wanted)

    def looking(number: int) -> CircleSteps[JointPatterns]:
        found = yield from parts[number]
        others = [each for each in parts if each != number]
        return (yield from owning._look(found, slices[number], others))[0]

    return run({number: looking(number) for number in parts}, change)


def run(parts: dict[int, CircleSteps[Any]], change: Change | None = None) -> Table:
    """Drive all owners until each has a result, an error, or nothing to go on with."""
    post = _Post(parts, change)
    for number in parts:
        post.go_on(number, None)
    while ready := [number for number in post.turns if post.has_all_for(number)]:
        for number in ready:
            post.deliver(number)
    for number in post.turns:
        post.table.results[number] = PartnerLost("another owner stopped")
    return post.table


class _Post:
    """What lies ready for each owner, and what each waits for."""

    def __init__(self, parts: dict[int, CircleSteps[Any]], change: Change | None) -> None:
        self.table = Table()
        self.turns: dict[int, Turn] = {}
        self._parts, self._change = parts, change
        self._boxes: dict[tuple[int, int], deque[Message]] = defaultdict(deque)
        self._seen: Counter[tuple[int, int, int]] = Counter()

    def has_all_for(self, number: int) -> bool:
        return all(self._boxes[partner, number] for partner in self.turns[number].expected)

    def deliver(self, number: int) -> None:
        expected = self.turns.pop(number).expected
        try:
            answers = {each: due.check(self._boxes[each, number].popleft()) for each, due in expected.items()}
        except PartnerError as error:
            self.table.results[number] = error
        else:
            self.go_on(number, answers)

    def go_on(self, number: int, answers: dict[int, bytes] | None) -> None:
        try:
            turn = next(self._parts[number]) if answers is None else self._parts[number].send(answers)
        except StopIteration as end:
            self.table.results[number] = end.value
        except PartnerError as error:
            self.table.results[number] = error
        else:
            self.turns[number] = turn
            for partner, messages in turn.outgoing.items():
                for message in messages:
                    self._post(number, partner, message)

    def _post(self, number: int, partner: int, message: Message) -> None:
        place = self._seen[number, partner, message.kind]
        self._seen[number, partner, message.kind] += 1
        if self._change is not None:
            message = self._change(number, partner, message, place)
        self.table.sent.append((number, partner, message))
        self._boxes[number, partner].append(message)
