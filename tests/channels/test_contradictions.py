"""Supports that no rows can have: every thread of the kernel hears that one of them has found it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
from dataclasses import replace
from discreet import DataError, Transactions, audit, mine

rows = Transactions.from_rows(["abcd"] * 5 + ["ab"] * 5 + ["cd"] * 5 + ["ef"] * 9)
patterns = mine(rows, min_support=5, target="all")
for _ in range(3000):
    try:
        audit(replace(patterns, n=10), k=2, border=False)
    except DataError:
        continue
    raise SystemExit("not noticed")
"""


def test_a_contradiction_ends_all_threads_every_time():
    """A thread that was about to wait for work used to miss the signal, once in some thousand times."""
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=100)
