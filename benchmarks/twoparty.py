"""Two parties, both sides in one process: what the engine and the protocols cost without a network.

A session is measured from the parameters to the look before anything is written, on both sides. `twoparty_ratios` has
the ratios in bytes as well.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from unittest import mock

import numpy as np

from benchmarks.cases import Case, data_folder
from discreet import _kernel
from discreet.thresholds import Support
from discreet.transactions.generate import quest
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.engine import start_transfer_engine
from discreet.twoparty.judging import Judgement
from discreet.twoparty.oblivious_transfer import extension_length
from discreet.twoparty.ring import Ring
from discreet.twoparty.session import Session
from discreet.twoparty.steps import Conversation, exchange

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from discreet.twoparty.agreement import Protocol
    from discreet.twoparty.engine import TransferEngine
    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.messages import MessageKind
    from discreet.twoparty.session import StartEngine
    from discreet.twoparty.steps import Steps

    Jobs = tuple[Callable[[], object], Callable[[], object] | None]

__all__ = ["Done", "cases", "dealt", "mine_together", "talk", "trusting"]


@dataclass(frozen=True, slots=True)
class Done:
    """What all sides came to, how many there were, and the bytes that all sent together."""

    result: JointPatterns
    sides: int
    bytes: int


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    load = _small if small else partial(read, data_folder() / "mushroom.dat.gz")
    rows = 500 if small else 8124
    mining = [
        Case(
            f"{protocol}, mushroom {share}, k = {k}, both sides",
            partial(_mining, load, protocol, share, k),
            peer="without the checks against a partner who cheats",
            least=2 / 3,
            repeats=2,
        )
        for protocol, share, k in (("ic-sapm", "35%", 2), ("ic-sapm", "60%", 10), ("dka-sapm", "60%", 50))
    ]
    twice = Case(
        "ic-sapm, mushroom 40%, k = 2, computed twice, both sides",
        partial(_twice, load),
        peer="computed once",
        least=1 / 20,
        repeats=2,
    )
    return [
        *mining,
        twice,
        Case(f"20 × 20 dot products of {rows:,} rows, both sides", partial(_dot_products, rows), repeats=3),
        Case(f"{rows:,} comparisons, both sides", partial(_comparisons, rows), repeats=3),
        Case("128 × 65,536 bits turned round", partial(_turning, 1 << 13), peer="NumPy", least=5),
    ]


def talk(first: Conversation[Any], second: Conversation[Any]) -> None:
    """Let two machines talk until both have finished."""
    machines = first, second
    waiting = deque(second.start()), deque()
    waiting[1].extend(first.start())
    while any(waiting):
        for which in (0, 1):
            while waiting[which]:
                waiting[1 - which].extend(machines[which].receive(waiting[which].popleft()))


def dealt(rows: Transactions, min_support: int) -> tuple[Transactions, Transactions]:
    """Deal the frequent columns alternately to two parties, as section 5 of jiang2006 does; the others to the first."""
    frequent = [x for x, count in zip(rows.vocabulary, rows.item_supports(), strict=True) if count >= min_support]
    second = frozenset(frequent[1::2])
    return (
        Transactions.from_rows([sorted(row - second) for row in rows]),
        Transactions.from_rows([sorted(row & second) for row in rows]),
    )


def mine_together(
    halves: tuple[Transactions, Transactions],
    protocol: Protocol,
    min_support: int,
    k: int,
    *,
    iterate: bool = False,
    dual: bool = False,
    labels: list[str] | None = None,
    judged: bool = True,
    **engine: StartEngine,
) -> Done:
    """Run both sides, and let both look at what was opened. `start_engine` may be another engine's."""
    first, second = (
        Session(
            party,
            Proposal(
                protocol=protocol,
                rows=len(half),
                min_support=min_support,
                k=k,
                horizontal=labels is not None,
                iterate=iterate,
                dual=dual,
            ),
            half,
            labels=labels,
            **engine,
        )
        for party, half in zip(Role, halves, strict=True)
    )
    talk(first, second)
    machines: list[Conversation[Any]] = [first, second]
    result = first.result
    if judged:
        looks = [Judgement(each.result, half) for each, half in zip((first, second), halves, strict=True)]
        talk(*looks)
        result = looks[0].result[0]
        machines += looks
    return Done(result, len(Role), sum(each.bytes_sent for each in machines))


def _small() -> Transactions:
    return quest(rows=300, items=12, mean_length=6, pattern_length=3, patterns=8, seed=1)


def _mining(load: Callable[[], Transactions], protocol: Protocol, share: str, k: int) -> Jobs:
    rows = load()
    sigma = Support.parse(share).of(rows.n)
    job = partial(mine_together, dealt(rows, sigma), protocol, sigma, k)
    return job, partial(trusting, job)


def _twice(load: Callable[[], Transactions]) -> Jobs:
    rows = load()
    sigma = Support.parse("40%").of(rows.n)
    job = partial(mine_together, dealt(rows, sigma), "ic-sapm", sigma, 2)
    return partial(job, dual=True), job


def trusting(job: Callable[[], Done]) -> Done:
    """Run both sides without hashing extensions, and without commitments to what is opened.

    The place of the hashes is sent all the same, and not counted.
    """

    def exchange_at_once(kind: MessageKind, payload: bytes, _: Role) -> Steps[bytes]:
        return exchange(kind, payload, len(payload))

    package = "discreet.twoparty"
    with (
        mock.patch(f"{package}.oblivious_transfer._hashes", lambda columns, _: np.zeros((len(columns), 16), np.uint8)),
        mock.patch(f"{package}.oblivious_transfer._Extension._point", return_value=np.zeros(16, np.uint8)) as points,
        mock.patch(f"{package}.gmw.reveal", exchange_at_once),
        mock.patch(f"{package}.engine.reveal", exchange_at_once),
    ):
        done = job()
    extensions = points.call_count // 2  # each is hashed on both sides
    return replace(done, bytes=done.bytes - extensions * extension_length(0))


def _engines(n: int) -> tuple[TransferEngine, TransferEngine]:
    machines = [Conversation(start_transfer_engine(party, Ring(n), b"benchmark")) for party in Role]
    talk(machines[0], machines[1])
    return machines[0].result, machines[1].result


def _dot_products(n: int) -> Jobs:
    engines = _engines(n)
    columns = np.random.default_rng(1).integers(0, 256, (20, -(-n // 8)), dtype=np.uint8)
    pairs = np.stack(np.divmod(np.arange(400), 20), axis=1)
    return lambda: talk(*(Conversation(engine.share_dot_products(columns, pairs)) for engine in engines)), None


def _comparisons(n: int) -> Jobs:
    engines = _engines(n)
    shares = np.arange(n).astype(Ring(n).dtype)
    return lambda: talk(*(Conversation(engine.at_least(shares, n // 2)) for engine in engines)), None


def _turning(length: int) -> Jobs:
    columns = np.random.default_rng(1).integers(0, 256, (128, length), dtype=np.uint8)
    flat = columns.reshape(-1)

    def with_numpy() -> object:
        bits = np.unpackbits(columns, axis=1, bitorder="little")
        return np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little")

    return partial(_kernel.transpose_columns, flat), with_numpy
