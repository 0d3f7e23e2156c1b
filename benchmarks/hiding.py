"""Hiding against reading and writing the same file, and as rows and restrictive patterns grow."""

from __future__ import annotations

import tempfile
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import Case
from benchmarks.hiding_data import grown_rows, paper_rows, restrictive_patterns
from discreet.hiding.hide import hide
from discreet.hiding.inverted_file import InvertedFile
from discreet.patterns.query import query
from discreet.transactions.reading import read
from discreet.transactions.writing import write

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.hiding.hide import HidingMethod

    Jobs = tuple[Callable[[], object], Callable[[], object] | None]

__all__ = ["cases"]

METHODS = ("naive", "minfia", "maxfia", "iga")


def cases(*, small: bool) -> list[Case]:
    """Return every case; none needs public data."""
    rows = 400 if small else 100_000
    found = [
        Case(
            f"index and sanitize, {rows:,} rows of 40 items and more, ten patterns, {method}",
            partial(_whole_job, rows, method),
            peer="reading and writing the file (x2 allowed)",
            least=0.5,
        )
        for method in METHODS
    ]
    found += [
        Case(f"index and sanitize, iga, ten patterns, {size:,} rows", partial(_grown, rows, size), repeats=3)
        for size in ((200, 400) if small else (20_000, 100_000, 500_000, 2_000_000))
    ]
    found += [
        Case(f"sanitize, iga, {rows:,} rows, {count:,} patterns", partial(_patterns, rows, count), repeats=3)
        for count in ((2, 10) if small else (2, 10, 100, 1000))
    ]
    found += [
        Case(
            f"hide with the least lost, {rows:,} rows of 40 items and more, ten patterns, {method}, {words}",
            partial(_least_lost, rows, method, hubs, seed),
            peer="iga" if method == "rowwise" else "",
            least=1 / 3 if method == "rowwise" else None,
            repeats=2,
            goal_seconds=10 if method == "best" else None,
        )
        for hubs, seed, words in ((3, 6, "that share items"), (0, 1, "one by one"))
        for method in ("rowwise", "best")
    ]
    found.append(
        Case(
            f"query by the inverted file, {rows:,} rows",
            partial(_query, rows),
            peer="the same query by looking at the rows",
        )
    )
    return found


def _whole_job(rows: int, method: str) -> Jobs:
    data = paper_rows(rows)
    path = Path(tempfile.mkdtemp(prefix="discreet-bench-")) / "rows.dat"
    write(data, path)

    def copy() -> None:
        write(read(path), path.with_name("copy.dat"), force=True)

    return partial(hide, data, restrict=restrictive_patterns(data), method=method), copy


def _grown(base: int, size: int) -> Jobs:
    few = paper_rows(base)
    return partial(hide, grown_rows(few, size), restrict=restrictive_patterns(few), method="iga"), None


def _patterns(rows: int, count: int) -> Jobs:
    data = paper_rows(rows)
    restrict = restrictive_patterns(data, lengths=tuple(islice(cycle((2, 3, 4, 5)), count)), least="10%")
    return partial(hide, InvertedFile.build(data), restrict=restrict, method="iga"), None


def _least_lost(rows: int, method: HidingMethod, hubs: int, seed: int) -> Jobs:
    data = paper_rows(rows)
    asked = {"restrict": restrictive_patterns(data, hubs=hubs, seed=seed), "min_support": "10%"}
    iga = partial(hide, data, method="iga", **asked) if method == "rowwise" else None
    return partial(hide, data, method=method, **asked), iga


def _query(rows: int) -> Jobs:
    data = paper_rows(rows)
    one, two, three = restrictive_patterns(data, lengths=(2, 2, 2))
    text = f"{' AND '.join(one)} AND NOT ({' OR '.join(two)}) OR {' AND '.join(three)}"
    return partial(query, InvertedFile.build(data), text), partial(query, data, text)
