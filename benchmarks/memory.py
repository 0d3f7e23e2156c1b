"""Peak memory of reading and mining, against the rows at four bytes an item plus the output arrays.

Each measurement runs in a process of its own: `python -m benchmarks.memory FILE MIN_SUPPORT` prints the figures of one.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

from discreet.patterns.mining import mine
from discreet.transactions.reading import read

__all__ = ["peak"]


def peak(path: Path, min_support: str) -> dict[str, float]:
    """Return megabytes: of the rows, of the output arrays, and how far the process grew while it read and mined."""
    _warm_up()
    before = _resident()
    rows = read(path)
    read_peak = _high_water()
    found = mine(rows, min_support=min_support)
    grown = max(read_peak, _high_water()) - before
    output = found.offsets.nbytes + found.items.nbytes + found.supports.nbytes
    return {
        "rows": rows.items.nbytes / 1e6,
        "output": output / 1e6,
        "peak": grown / 1e6,
        "ratio": (grown - output) / rows.items.nbytes,
        "patterns": len(found),
    }


def _warm_up() -> None:
    """Load what every run loads, so that only the data is measured."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.dat"
        small.write_text("1 2 3\n1 2\n")
        mine(read(small), min_support=1)
    threading.Thread(target=time.sleep, args=(0,)).start()


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def _high_water() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    for name, value in peak(Path(sys.argv[1]), sys.argv[2]).items():
        print(f"{name:10} {value:12,.2f}")
