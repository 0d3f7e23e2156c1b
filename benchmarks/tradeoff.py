"""The whole trade-off, twenty supports by five values of k, against mining at the lowest of them alone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.cases import Case, data_folder
from discreet.channels.tradeoff import tradeoff
from discreet.patterns.mining import mine
from discreet.transactions.generate import quest
from discreet.transactions.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.transactions.transactions import Transactions

__all__ = ["cases"]

KS = (10, 20, 30, 40, 50)
SPANS = (("mushroom", "10%", "95%"), ("mushroom", "10%", "60%"), ("retail", "0.1%", "2%"))
"""Data, and the supports from the lowest up: mushroom over nearly all there are, and where most channels are."""


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    load = _small if small else _load
    return [
        Case(
            f"trade-off, {name} {first} to {last}, 20 supports, 5 k",
            partial(_tradeoff, load, name, first, last),
            peer="closed mining at the lowest alone",
            least=1 / 3,
            repeats=20 if name == "mushroom" else 5,
        )
        for name, first, last in SPANS
    ]


def _load(name: str) -> Transactions:
    return read(data_folder() / f"{name}.dat.gz")


def _small(name: str) -> Transactions:  # noqa: ARG001 - one stand-in for all
    return quest(rows=300, items=12, mean_length=6, pattern_length=3, patterns=20, seed=1)


def _tradeoff(
    load: Callable[[str], Transactions], name: str, first: str, last: str
) -> tuple[Callable[[], object], Callable[[], object]]:
    rows = load(name)
    ours = partial(tradeoff, rows, min_support=f"{first}..{last}:20", k=KS)
    return ours, partial(mine, rows, min_support=first)
