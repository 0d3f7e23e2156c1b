"""Blocking against the audit that says it is needed: mining and detection count on both sides."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cases import Case, data_folder
from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.channels.suppressive import Kept, suppress_channels
from discreet.patterns.mining import mine
from discreet.transactions.generate import quest
from discreet.transactions.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.transactions.transactions import Transactions

    Jobs = tuple[Callable[[], object], Callable[[], object]]

__all__ = ["cases"]

K = 10
SETTINGS = (("mushroom", "10%"), ("retail", "0.1%"))


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    load = _small if small else _load
    found = [
        Case(f"block, additive, {name} {share}", partial(_additive, load, name, share), peer="audit", least=1 / 2)
        for name, share in SETTINGS
    ]
    found += [
        Case(
            f"block, suppressive, {name} {share}",
            partial(_suppressive, load, name, share),
            peer="audit, once for every round",
            least=1 / 5,
        )
        for name, share in SETTINGS
    ]
    return found


def _load(name: str) -> Transactions:
    return read(data_folder() / f"{name}.dat.gz")


def _small(name: str) -> Transactions:  # noqa: ARG001 - one stand-in for all
    return quest(rows=300, items=12, mean_length=6, pattern_length=3, patterns=20, seed=1)


def _additive(load: Callable[[str], Transactions], name: str, share: str) -> Jobs:
    rows = load(name)
    ours = partial(block, rows, k=K, min_support=share, method="additive", border=False)
    return ours, partial(audit, rows, k=K, min_support=share, border=False)


def _suppressive(load: Callable[[str], Transactions], name: str, share: str) -> Jobs:
    rows = load(name)
    closed = mine(rows, min_support=share)
    rounds = max(1, suppress_channels(Kept(rows, np.arange(len(rows)), closed, 0), k=K).rounds)
    ours = partial(block, rows, k=K, min_support=share, method="suppressive", border=False)

    def once_a_round() -> object:
        return [audit(rows, k=K, min_support=share, border=False) for _ in range(rounds)]

    return ours, once_a_round
