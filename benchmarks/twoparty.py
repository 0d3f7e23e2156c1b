"""Two parties, both sides in one process: what the engine and the protocols cost without a network."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cases import Case, data_folder
from discreet import _kernel
from discreet.thresholds import Support
from discreet.transactions.generate import quest
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.engine import start_transfer_engine
from discreet.twoparty.ring import Ring
from discreet.twoparty.session import Session
from discreet.twoparty.steps import Conversation

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from discreet.twoparty.agreement import Protocol
    from discreet.twoparty.engine import TransferEngine
    from discreet.twoparty.session import StartEngine

    Jobs = tuple[Callable[[], object], Callable[[], object] | None]

__all__ = ["cases", "dealt", "mine_together", "talk"]


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    load = _small if small else partial(read, data_folder() / "mushroom.dat.gz")
    rows = 500 if small else 8124
    mining = [
        Case(
            f"{protocol}, mushroom {share}, k = {k}, both sides",
            partial(_mining, load, protocol, share, k),
            repeats=2,
        )
        for protocol, share, k in (("ic-sapm", "35%", 2), ("ic-sapm", "60%", 10), ("dka-sapm", "60%", 50))
    ]
    return [
        *mining,
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
    halves: tuple[Transactions, Transactions], protocol: Protocol, min_support: int, k: int, **engine: StartEngine
) -> Session:
    """Run both sides; the first one, finished. `start_engine` may be another engine's than the real one's."""
    first, second = (
        Session(party, Proposal(protocol=protocol, rows=len(half), min_support=min_support, k=k), half, **engine)
        for party, half in zip(Role, halves, strict=True)
    )
    talk(first, second)
    return first


def _small() -> Transactions:
    return quest(rows=300, items=12, mean_length=6, pattern_length=3, patterns=8, seed=1)


def _mining(load: Callable[[], Transactions], protocol: Protocol, share: str, k: int) -> Jobs:
    rows = load()
    sigma = Support.parse(share).of(rows.n)
    return partial(mine_together, dealt(rows, sigma), protocol, sigma, k), None


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
