"""How long the generators take."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.cases import Case
from discreet.transactions.generate import hospital, quest, skewed

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.transactions.transactions import Transactions

__all__ = ["cases"]


def cases(*, small: bool) -> list[Case]:
    """Return every case; `small` divides the rows by a thousand."""

    def rows(count: int) -> int:
        return max(500, count // 1000) if small else count

    t10i4 = partial(quest, items=1000, mean_length=10, pattern_length=4, patterns=2000)
    bms_pos = partial(skewed, items=1657, mean_length=6.5, max_length=164)
    makers: dict[str, Callable[[], Transactions]] = {
        "quest T10I4, 100,000 rows": partial(t10i4, rows=rows(100_000)),
        "skewed like BMS-POS, 515,597 rows": partial(bms_pos, rows=rows(515_597)),
        "skewed like BMS-POS, 5 million rows": partial(bms_pos, rows=rows(5_000_000)),
        "hospital, 5,000 stays": partial(hospital, rows=rows(5000)),
    }
    return [Case(f"generate {name}", partial(_jobs, make), repeats=1) for name, make in makers.items()]


def _jobs(make: Callable[[], Transactions]) -> tuple[Callable[[], object], None]:
    return make, None
