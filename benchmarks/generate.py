"""How long the generators take, and how much memory: `python -m benchmarks.generate [--small]`.

Each case runs in a process of its own, so that the peak of one does not hide behind that of another.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from discreet.transactions.generate import hospital, quest, skewed

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.transactions.transactions import Transactions

__all__ = ["cases"]

_KILOBYTES = 1 if sys.platform == "darwin" else 1024  # macOS reports bytes


def cases(small: bool) -> dict[str, Callable[[], Transactions]]:
    """Return what is measured, by name; `small` divides the rows by a thousand."""

    def rows(count: int) -> int:
        return max(500, count // 1000) if small else count

    t10i4 = partial(quest, items=1000, mean_length=10, pattern_length=4, patterns=2000)
    bms_pos = partial(skewed, items=1657, mean_length=6.5, max_length=164)
    return {
        "quest T10I4, 100,000 rows": partial(t10i4, rows=rows(100_000)),
        "quest T40I10, 100,000 rows": partial(
            quest, rows=rows(100_000), items=1000, mean_length=40, pattern_length=10, patterns=2000
        ),
        "quest T10I4, 5 million rows": partial(t10i4, rows=rows(5_000_000)),
        "skewed like BMS-POS, 515,597 rows": partial(bms_pos, rows=rows(515_597)),
        "skewed like BMS-POS, 5 million rows": partial(bms_pos, rows=rows(5_000_000)),
        "skewed like BMS-POS, 20 million rows": partial(bms_pos, rows=rows(20_000_000)),
        "hospital, 5,000 stays": partial(hospital, rows=rows(5000)),
        "hospital, 200,000 stays": partial(hospital, rows=rows(200_000)),
    }


def _measure(make: Callable[[], Transactions]) -> tuple[float, float, float]:
    """Return seconds, the growth of the process's peak in MB, and the size of the rows in MB."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    made = make()
    seconds = time.perf_counter() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return seconds, grown * _KILOBYTES / 2**20, (made.offsets.nbytes + made.items.nbytes) / 2**20


def main() -> None:
    """Run every case and print a line for each."""
    fresh = multiprocessing.get_context("spawn")
    print(f"{'case':40}{'seconds':>10}{'peak MB':>10}{'rows MB':>10}")
    for name, make in cases("--small" in sys.argv[1:]).items():
        with fresh.Pool(1) as pool:
            seconds, peak, size = pool.apply(_measure, (make,))
        print(f"{name:40}{seconds:10.2f}{peak:10.0f}{size:10.0f}", flush=True)


if __name__ == "__main__":
    main()
