"""Reading text against a Python loop over split()."""

from __future__ import annotations

import gzip
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import Case, data_folder
from discreet.channels.audit import audit
from discreet.errors import TooManyPatterns
from discreet.patterns.mining import mine
from discreet.transactions.generate.skewed import skewed
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read, read_as
from discreet.transactions.writing import write

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["cases"]


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    return [
        Case("read retail.dat, unpacked", partial(_reading, small), peer="[line.split() for line in file]", least=20),
        Case(
            "read retail.dat, unpacked, to integers",
            partial(_reading, small, numbered=True),
            peer="the same loop with a dictionary of labels",
            least=20,
        ),
        Case(
            "read a table of 50 columns", partial(_table, small), peer="DuckDB to Arrow, one thread", goal=1, repeats=3
        ),
        Case(
            "refuse what explodes, a table of 50 columns at 20%",
            partial(_explosion, small),
            repeats=1,
            goal_seconds=2,
            goal_megabytes=400,
        ),
        *(
            Case(
                f"audit a table of 50 columns at 50%, {word} the attacker",
                partial(_audit, small, attacker=word == "with"),
                repeats=1,
                goal_seconds=5,
                goal_megabytes=600,
            )
            for word in ("without", "with")
        ),
        Case(
            "audit many rows that repeat each other",
            partial(_many_rows, small),
            peer="the same from the disk",
            repeats=1,
        ),
    ]


def _table_path(small: bool) -> Path:
    if not small:
        return data_folder() / "diabetic_data.csv.gz"
    path = Path(tempfile.mkdtemp(prefix="discreet-bench-")) / "rows.csv"
    lines = [",".join(str(row % (column + 2)) for column in range(6)) for row in range(200)]
    path.write_text("\n".join(["a,b,c,d,e,f", *lines]) + "\n")
    return path


def _table(small: bool) -> tuple[Callable[[], object], Callable[[], object]]:
    import duckdb

    path = _table_path(small)
    connection = duckdb.connect(config={"threads": 1})
    query = f"select * from read_csv('{path}', all_varchar = true)"  # noqa: S608 - a path of our own

    def peer() -> object:
        found = connection.sql(query).arrow()
        return found.read_all() if hasattr(found, "read_all") else found

    return partial(read, path, format="table"), peer


def _explosion(small: bool) -> tuple[Callable[[], object], None]:
    rows = read(_table_path(small), format="table")

    def refuse() -> object:
        try:
            return mine(rows, min_support="20%")
        except TooManyPatterns as error:
            return error

    return refuse, None


def _audit(small: bool, *, attacker: bool) -> tuple[Callable[[], object], None]:
    rows = read(_table_path(small), format="table")
    return partial(audit, rows, k=10, min_support="50%", border=attacker), None


def _many_rows(small: bool) -> tuple[Callable[[], object], Callable[[], object]]:
    path = Path(tempfile.mkdtemp(prefix="discreet-bench-")) / "rows.dat"
    count = 1_000 if small else 1_000_000
    write(skewed(rows=count, items=1657, mean_length=6.5, max_length=100 if small else 164, seed=3), path)
    options = {"k": 10, "min_support": "1%" if not small else "20%"}

    def job(*, on_disk: bool) -> object:
        return audit(read_as(path, ReadOptions(), on_disk=on_disk), **options)

    return partial(job, on_disk=False), partial(job, on_disk=True)


def _reading(small: bool, *, numbered: bool = False) -> tuple[Callable[[], object], Callable[[], object]]:
    folder = Path(tempfile.mkdtemp(prefix="discreet-bench-"))
    path = folder / "rows.dat"
    path.write_bytes(
        b"1 2 3\n4 5\n" * 100 if small else gzip.decompress((data_folder() / "retail.dat.gz").read_bytes())
    )

    def loop() -> object:
        with path.open() as file:
            if not numbered:
                return [line.split() for line in file]
            numbers: dict[str, int] = {}
            return [[numbers.setdefault(token, len(numbers)) for token in line.split()] for line in file]

    return partial(read, path), loop
