"""Two parties in one process: sessions that talk through lists, and what passed between them."""

from __future__ import annotations

import random
from collections import deque
from typing import TYPE_CHECKING, Any

from discreet.transactions.transactions import Transactions
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.session import Session
from discreet.twoparty.steps import Conversation
from tests.twoparty_plaintext import TrustedParty

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.messages import Message
    from discreet.twoparty.steps import Steps

Itemset = frozenset[str]


def talk(first: Conversation[Any], second: Conversation[Any]) -> tuple[list[Message], list[Message]]:
    """Let two machines talk until both have finished; the messages that each sent."""
    machines = first, second
    sent: tuple[list[Message], list[Message]] = ([], [])
    waiting: tuple[deque[Message], deque[Message]] = (deque(), deque())
    for which in (0, 1):
        messages = machines[which].start()
        sent[which].extend(messages)
        waiting[1 - which].extend(messages)
    while any(waiting):
        for which in (0, 1):
            while waiting[which]:
                messages = machines[which].receive(waiting[which].popleft())
                sent[which].extend(messages)
                waiting[1 - which].extend(messages)
    assert first.finished
    assert second.finished
    return sent


def both(first: Steps[Any], second: Steps[Any]) -> tuple[Any, Any]:
    """Run the steps of both parties; their results."""
    machines = Conversation(first), Conversation(second)
    talk(*machines)
    return machines[0].result, machines[1].result


def sessions(
    halves: Sequence[Transactions],
    *,
    min_support: Any,
    k: int,
    protocol: Any = "ic-sapm",
    iterate: bool = False,
    dual: bool = False,
    labels: Sequence[str] | None = None,
    plaintext: bool = False,
    start_engine: Any = None,
) -> tuple[Session, Session]:
    """Make the two sessions of a pair, on the real engine, the plaintext one or another."""
    start = TrustedParty().start_engine if plaintext else start_engine
    first, second = (
        Session(
            party,
            Proposal(
                protocol=protocol,
                rows=len(rows),
                min_support=min_support,
                k=k,
                horizontal=labels is not None,
                iterate=iterate,
                dual=dual,
            ),
            rows,
            labels=labels,
            start_engine=start,
        )
        for party, rows in zip(Role, halves, strict=True)
    )
    return first, second


def mine_together(halves: Sequence[Transactions], **wanted: Any) -> JointPatterns:
    """Run both sides; what they found, which must be the same."""
    first, second = sessions(halves, **wanted)
    talk(first, second)
    assert first.result.to_dict() == second.result.to_dict()
    return first.result


def found(result: JointPatterns) -> dict[Itemset, int]:
    """Return the released itemsets as a dictionary."""
    return dict(result.patterns)


def withheld(result: JointPatterns) -> set[Itemset]:
    """Return the withheld itemsets as sets."""
    return set(map(frozenset, result.withheld))


def columns_of(rows: Iterable[Iterable[str]], labels: Iterable[str]) -> Transactions:
    """Return the part of the rows that is in some columns."""
    kept = frozenset(labels)
    return Transactions.from_rows([sorted(kept & frozenset(row)) for row in rows])


def dealt(rows: Transactions, min_support: int) -> tuple[Transactions, Transactions]:
    """Deal the frequent columns alternately to two parties, as the paper's section 5 does; the others to the first."""
    frequent = [x for x, count in zip(rows.vocabulary, rows.item_supports(), strict=True) if count >= min_support]
    second = frequent[1::2]
    return columns_of(rows, set(rows.vocabulary) - set(second)), columns_of(rows, second)


def random_rows(seed: int, *, most_rows: int = 40, items: str = "abcdefgh") -> list[Itemset]:
    """Make random rows, from nearly empty to nearly full, some of them often."""
    chance = random.Random(seed)
    dense = {x: chance.choice([0.2, 0.5, 0.8, 0.95, 1.0]) for x in items}
    rows = [frozenset(x for x in items if chance.random() < dense[x]) for _ in range(chance.randint(1, most_rows))]
    return [chance.choice(rows[: 1 + len(rows) // 4]) if chance.random() < 0.5 else row for row in rows]
