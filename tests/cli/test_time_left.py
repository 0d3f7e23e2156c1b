"""The time left is told within a factor of two, or not at all; clocks count work, so no test depends on the machine."""

from __future__ import annotations

import gzip
import random
from typing import TYPE_CHECKING

from discreet.cli.progress import Pace
from discreet.transactions.generate.skewed import skewed
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read_as
from discreet.uncertainty.hierarchy import fanout_hierarchy
from discreet.uncertainty.perturb import perturb

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

Course = list[tuple[float, float]]
"""The clock, and the share that is done."""


def estimates(course: Course) -> list[float]:
    """Return how long the whole work was said to take, over how long it took, each time that something was said."""
    pace, end = Pace(), course[-1][0]
    left = [(clock, pace.left(clock, done)) for clock, done in course]
    return [(clock + more) / end for clock, more in left if more is not None]


def assert_good(course: Course) -> None:
    said = estimates(course)
    assert len(said) >= len(course) // 2
    assert all(0.5 <= ratio <= 2 for ratio in said), said


def test_reading_rows_that_grow_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock counts rows, of which the first half of the file has two thirds."""
    monkeypatch.setattr("discreet.tables.byte_source.CHUNK", 4096)
    path, lines = tmp_path / "rows.dat", ["1 2 3\n"] * 20_000 + ["1 2 3 4 5 6\n"] * 10_000
    path.write_text("".join(lines))
    course: Course = []
    text = "".join(lines)
    read_as(path, ReadOptions(), progress=lambda done, size: course.append((text.count("\n", 0, size), done)))
    assert_good(course)


def test_reading_a_packed_file_half_of_which_packs_well(tmp_path: Path) -> None:
    """The clock counts bytes once they are unpacked; the share is that of packed ones."""
    draw = random.Random(5)
    path, packed, unpacked = tmp_path / "rows.dat.gz", [], []
    for number in range(20):
        lines = [" ".join(map(str, draw.sample(range(99 if number < 10 else 9999), 8))) for _ in range(8000)]
        text = "\n".join(lines).encode() + b"\n"
        packed.append(gzip.compress(text))
        unpacked.append(len(text))
    path.write_bytes(b"".join(packed))
    ends = [sum(map(len, packed[:number])) for number in range(21)]
    course: Course = []

    def heard(done: float, size: int) -> None:
        members = sum(end <= size for end in ends) - 1
        inside = (size - ends[members]) / len(packed[members]) if members < len(packed) else 0
        course.append((sum(unpacked[:members]) + (inside * unpacked[members] if inside else 0), done))

    read_as(path, ReadOptions(), progress=heard)
    assert_good(course)


def test_flipping_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock counts what is held by the rows that are done, a few of which are long."""
    monkeypatch.setattr("discreet.uncertainty.perturb._CELLS", 5_000)
    rows = skewed(rows=2_000, items=100, mean_length=6, max_length=90, seed=2)
    course: Course = []
    perturb(
        rows,
        beta="0.1",
        hierarchy=fanout_hierarchy(rows.vocabulary.labels, 4),
        progress=lambda done, last: course.append((float(rows.itemsets.offsets[last]), done)),
    )
    assert_good(course)


def test_making_rows_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock counts items, of which a few rows have many."""
    monkeypatch.setattr("discreet.transactions.generate.batches._BATCH_ROWS", 100)
    course: Course = []
    options = {"rows": 5_000, "items": 500, "mean_length": 6, "max_length": 400, "seed": 4}
    rows = skewed(**options, progress=lambda done, last: course.append((float(last), done)))
    assert_good([(float(rows.itemsets.offsets[int(last)]), done) for last, done in course])


def test_work_that_slows_down_or_speeds_up_tells_nothing() -> None:
    """As a search whose first branches are small, whose share says nothing of the time."""
    slower = [(share**3, share) for share in (number / 100 for number in range(1, 101))]
    faster = [(share ** (1 / 3), share) for share in (number / 100 for number in range(1, 101))]
    assert estimates(slower) == estimates(faster) == []


def test_nothing_is_told_before_a_tenth_is_done() -> None:
    pace = Pace()
    assert [pace.left(float(number), number / 100) for number in range(1, 10)] == [None] * 9
    assert pace.left(10.0, 0.1) == 90.0
