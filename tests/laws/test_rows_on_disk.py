"""Hiding and checking rows on the disk: the answers and the rows that rows in memory give."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet import Transactions, check, hide
from discreet.errors import DataError, ParameterError
from discreet.hiding import sensitive_part
from discreet.hiding.restrictions import Restriction, RuleBound
from discreet.transactions import disk_rows
from discreet.transactions.disk_rows import are_on_disk
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read_as
from tests.laws.test_hiding import random_job
from tests.strategies import seeds

if TYPE_CHECKING:
    from pathlib import Path

METHODS = ["naive", "minfia", "maxfia", "iga", "rowwise", "best"]


@pytest.fixture(autouse=True)
def _few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read rows in many slices."""
    monkeypatch.setattr(disk_rows.parts_of, "__kwdefaults__", {"slice_items": 7})


def both(folder: Path, rows: list[list[str]]) -> list[Transactions]:
    """Return the same rows in memory and on the disk."""
    path = folder / "rows.dat"
    path.write_text("".join(f"{' '.join(row)}\n" for row in rows))
    found = [read_as(path, ReadOptions(), on_disk=on_disk) for on_disk in (False, True)]
    assert [are_on_disk(each) for each in found] == [False, any(rows)]
    return found


def told(done) -> str:
    return json.dumps([done.to_dict(), [[sorted(each.items), each.allowed] for each in done.restrictive]])


@pytest.mark.parametrize("method", METHODS)
def test_hiding_on_the_disk_is_hiding_in_memory(method: str, tmp_path: Path) -> None:
    for seed in seeds(25):
        draw = random.Random(seed)
        rows, patterns, shares = random_job(seed)
        asked: list[Restriction | RuleBound] = [Restriction(*each) for each in zip(patterns, shares, strict=True)]
        if draw.random() < 0.4:
            one, other = draw.sample("abcdefgh", 2)
            asked.append(RuleBound(frozenset(one), frozenset(other), Fraction(draw.randint(1, 6), 6)))
        options = {"restrict": asked, "method": method, "ignore_unknown": True}
        if method in ("rowwise", "best") or draw.random() < 0.5:
            options["min_support"] = draw.randint(1, 5)
        if draw.random() < 0.3:
            options |= {"below": draw.randint(2, 8), "margin": 1}
        if draw.random() < 0.3 and not any(pattern <= {"a", "b"} for pattern in patterns):
            options["protect"] = [["a", "b"]]
        here, there = (hide(each, **options) for each in both(tmp_path, rows))
        assert told(there) == told(here), f"seed {seed}"
        assert there.rows == here.rows, f"seed {seed}"
        assert np.array_equal(there.removed_from, here.removed_from)
        assert np.array_equal(there.removed, here.removed)
        if here.side_effects is not None:
            effects = [each.side_effects.lost for each in (here, there)]
            assert [None if each is None else list(each) for each in effects[:1]] == [
                None if each is None else list(each) for each in effects[1:]
            ]


def compared(found) -> tuple[object, ...]:
    return json.dumps(found.to_dict()), found.affected, found.endangered.tolist(), found.endangered_by_one.tolist()


@pytest.mark.parametrize("exact", [False, True])
def test_checking_on_the_disk_is_checking_in_memory(exact: bool, tmp_path: Path) -> None:
    for seed in seeds(80):
        draw = random.Random(seed)
        rows, *_ = random_job(seed)
        named = [f"{label} @ {draw.randint(1, 9) / 10}" if draw.random() < 0.3 else label for label in "abcdefgh"]
        options = {
            "sensitive": draw.sample(named, draw.randint(1, 4)),
            "rho": Fraction(draw.randint(1, 20), 20),
            "exact_knowledge": exact,
            "ignore_unknown": True,
        }
        here, there = (check(each, **options) for each in both(tmp_path, rows))
        assert compared(there) == compared(here), f"seed {seed}"


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("empty_cells", ["auto", "sensitive", "missing"])
def test_tables_with_gaps_are_checked_alike(exact: bool, empty_cells: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    for seed in seeds(15):
        draw = random.Random(seed)
        cells = ["", *"xyzuvw"[: draw.randint(3, 6)]]
        lines = [",".join(draw.choice(cells) for _ in range(4)) for _ in range(draw.randint(3, 20))]
        path.write_text("\n".join(["p,q,r,s", *lines, ",,,x", ",,,z", ""]))
        named = draw.sample(["p=x", "q=y", "r", "r=w", "s=x"], draw.randint(1, 2))
        options = {"sensitive": named, "rho": "0.5", "exact_knowledge": exact, "empty_cells": empty_cells}
        reading = ReadOptions(format="table")
        here, there = (
            check(read_as(path, reading, on_disk=on_disk), ignore_unknown=True, **options) for on_disk in (False, True)
        )
        assert compared(there) == compared(here), f"seed {seed}"


def test_what_does_not_fit_is_refused_with_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(1)
    _, rows = both(tmp_path, [draw.sample("abcdefgh", 5) for _ in range(400)])
    monkeypatch.setattr(disk_rows, "memory_ceiling", lambda: 1_000)
    with pytest.raises(DataError, match=r"rows hold something that is to be hidden; all such rows would need about"):
        hide(rows, restrict=["a b"], method="iga")
    with pytest.raises(DataError, match=r"cut down to frequent items, .* come in .* kinds; all of them would need"):
        hide(rows, restrict=["a b c d e f"], method="iga", min_support=2)
    with pytest.raises(DataError, match=r"together with a sensitive one, .* kinds; all of them would need about"):
        check(rows, rho=1, sensitive=["a"])


def test_few_rows_are_in_memory_where_few_hold_a_pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, rows = both(tmp_path, [["a", "b", "c"] if row % 50 == 0 else ["a", f"u{row}"] for row in range(2000)])
    taken: list[int] = []
    take = sensitive_part.SensitivePart

    def watched(*parts):
        taken.append(len(parts[0]))
        return take(*parts)

    monkeypatch.setattr(sensitive_part, "SensitivePart", watched)
    done = hide(rows, restrict=["a b"], method="minfia")
    assert (taken, done.changed_rows) == ([40], 40)
    assert are_on_disk(done.rows)


def test_a_restricted_label_must_be_in_the_rows(tmp_path: Path) -> None:
    _, rows = both(tmp_path, [["a", "b"]])
    with pytest.raises(ParameterError, match="zz"):
        hide(rows, restrict=["a zz"], method="iga")
