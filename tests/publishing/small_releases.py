"""Releases of 80 rows, which tests of the ledger make in no time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.publishing.release import release

if TYPE_CHECKING:
    from pathlib import Path

    from discreet import Transactions

ROWS = ["abc"] * 20 + ["ab"] * 20 + ["c"] * 20 + [""] * 20


def publish(folder: Path, name: str, rows: Transactions, *, support: int | str = 10, k: int = 5, method: str = "none"):
    book = folder / "ledger"
    how = {"k": k, "method": method, "ledger": book, "new_ledger": not book.exists()}
    return release(rows, min_support=support, output=folder / name, **how)
