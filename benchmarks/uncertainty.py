"""Checking and anonymizing rows at full length, on public data and on a stand-in for BMS-POS (515,597 rows)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.cases import Case, data_folder
from discreet.transactions.generate import skewed
from discreet.transactions.reading import read
from discreet.uncertainty.best import best
from discreet.uncertainty.check import check
from discreet.uncertainty.hierarchy import fanout_hierarchy
from discreet.uncertainty.sensitive_items import draw_sensitive, sensitive_codes
from discreet.uncertainty.suppress_control import suppress_control
from discreet.uncertainty.td_control import td_control
from discreet.uncertainty.time_budget import TimeBudget

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.transactions.transactions import Transactions

    Jobs = tuple[Callable[[], object], None]

__all__ = ["cases"]

RHO, SHARE, FANOUT, SEED = Fraction(1, 2), "40%", 4, 1
DATA = ("BMS-WebView-1", "BMS-WebView-2_spmf", "retail", "like BMS-POS")
METHODS: dict[str, Callable[..., object]] = {"suppress": suppress_control, "tdcontrol": td_control}


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    load = _small if small else _load
    found = []
    for name in DATA[:1] if small else DATA:
        found.append(Case(f"check, {name}", partial(_check, load, name), repeats=3))
        found += [Case(f"{method}, {name}", partial(_anonymize, load, name, method), repeats=1) for method in METHODS]
        found.append(Case(f"check what tdcontrol gives, {name}", partial(_check_published, load, name), repeats=3))
        found.append(Case(f"best for 2 seconds, {name}", partial(_best, load, name), repeats=1))
    return found


def _load(name: str) -> Transactions:
    if name == DATA[-1]:
        return skewed(rows=515_597, items=1_657, mean_length=6.5, max_length=164, seed=1)
    return read(data_folder() / f"{name}.dat.gz")


def _small(name: str) -> Transactions:  # noqa: ARG001 - one stand-in for all
    return skewed(rows=300, items=30, mean_length=3, max_length=10, seed=1)


def _setting(rows: Transactions) -> tuple[list[str], dict[str, object]]:
    sensitive = list(draw_sensitive(rows.vocabulary, SHARE, seed=SEED))
    others = (label for label in rows.vocabulary if label not in set(sensitive))
    return sensitive, {
        "rho": RHO,
        "sensitive": sensitive_codes(sensitive, rows.vocabulary),
        "hierarchy": fanout_hierarchy(others, FANOUT),
    }


def _check(load: Callable[[str], Transactions], name: str) -> Jobs:
    rows = load(name)
    return partial(check, rows, rho=RHO, sensitive=_setting(rows)[0]), None


def _check_published(load: Callable[[str], Transactions], name: str) -> Jobs:
    rows = load(name)
    sensitive, setting = _setting(rows)
    published = td_control(rows, **setting).publication.apply(rows)
    return partial(check, published, rho=RHO, sensitive=sensitive, ignore_unknown=True), None


def _anonymize(load: Callable[[str], Transactions], name: str, method: str) -> Jobs:
    rows = load(name)
    return partial(METHODS[method], rows, **_setting(rows)[1]), None


def _best(load: Callable[[str], Transactions], name: str) -> Jobs:
    rows = load(name)
    setting = _setting(rows)[1]
    return lambda: best(rows, **setting, budget=TimeBudget(2.0)), None
