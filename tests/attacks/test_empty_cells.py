"""What empty cells and known absence tell, by enumeration: written from the definitions, on random tables."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from discreet import anonymize, check, read

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ("age", "ill", "job")
VALUES = {"age": ("30", "40", "50"), "ill": ("flu", "HIV", "none"), "job": ("a", "b")}
Row = dict[str, str]


def random_table(seed: int) -> tuple[list[Row], list[str], Fraction]:
    """Draw a table, sometimes with cells that are missing from the start, sensitive names and rho."""
    draw = random.Random(seed)
    missing = draw.choice((0, 0, 0.1))
    rows = [
        {column: draw.choice(VALUES[column]) for column in COLUMNS if draw.random() >= missing}
        for _ in range(draw.randint(6, 24))
    ]
    names = draw.choice((["ill=HIV"], ["ill=HIV", "ill=flu"], ["ill"], ["ill=HIV", "job=b"]))
    return rows, names, Fraction(draw.randint(3, 8), 10)


def table(path: Path, rows: list[Row]) -> Path:
    lines = [",".join(row.get(column, "") for column in COLUMNS) for row in rows]
    path.write_text("\n".join([",".join(COLUMNS), *lines]) + "\n", encoding="utf-8")
    return path


def sensitive(names: list[str], column: str, value: str | None) -> bool:
    return value is not None and (column in names or f"{column}={value}" in names)


def surest(published: list[Row], names: list[str], gone: set[str]) -> Fraction:
    """Return how sure someone who knows cells of a row can be of a sensitive value, or of a cell that was emptied.

    `gone` are the columns from which a sensitive value was dropped: there, an empty cell is taken for one.
    """
    best = Fraction(0)
    cells = [tuple((column, row.get(column)) for column in COLUMNS) for row in published]
    for row in cells:
        known = [cell for cell in row if cell[1] is not None or cell[0] in gone]
        for size in range(len(known) + 1):
            for part in combinations(known, size):
                holding = [each for each in cells if {*part} <= {*each}]
                for column, value in row:
                    told = sensitive(names, column, value) or (value is None and column in gone)
                    if told and column not in {name for name, _ in part}:
                        together = sum((column, value) in each for each in holding)
                        best = max(best, Fraction(together, len(holding)))
    return best


def as_rows(transactions: object) -> list[Row]:
    return [dict(label.split("=") for label in row) for row in transactions]


@pytest.mark.parametrize("method", ["best", "suppress", "tdcontrol", "simple"])
def test_no_empty_cell_tells_a_value_that_was_dropped(tmp_path: Path, method: str):
    told = 0
    for seed in range(150):
        rows, names, rho = random_table(seed)
        given = read(table(tmp_path / "rows.csv", rows), format="table", header=True)
        done = anonymize(given, rho=rho, sensitive=names, method=method, ignore_unknown=True)
        published = as_rows(done.rows)
        dropped = {label.split("=")[0] for label in done.suppressed["sensitive"]}
        filled = {column for row in published for column in row}
        assert done.verdict == "protected", seed
        assert surest(published, names, dropped & filled) < rho, seed
        emptied = [
            {column: value for column, value in row.items() if not sensitive(names, column, value)} for row in rows
        ]
        left = {column for row in emptied for column in row}
        told += surest(emptied, [], {name.split("=")[0] for name in names} & left) >= rho
    assert told > 50, "dropping the sensitive values alone would tell them"


def test_the_check_finds_what_the_definition_does(tmp_path: Path):
    for seed in range(150):
        rows, names, rho = random_table(seed)
        given = read(table(tmp_path / "rows.csv", rows), format="table", header=True)
        held = {f"{column}={value}" for row in rows for column, value in row.items()}
        gone = {name.split("=")[0] for name in names if name not in held}
        gone |= {
            column for column in COLUMNS if all(sensitive(names, column, row[column]) for row in rows if column in row)
        }
        for how, gaps in (("auto", gone), ("sensitive", {name.split("=")[0] for name in names}), ("missing", set())):
            found = check(given, rho=rho, sensitive=names, ignore_unknown=True, empty_cells=how)
            wanted = surest(rows, names, gaps & {column for row in rows for column in row})
            assert (0 if found.worst_rule is None else found.worst_rule.confidence) == wanted, (seed, how)
            assert found.safe == (wanted < rho)


def known_exactly(rows: list[frozenset[str]], named: set[str], group: dict[str, frozenset[str]]) -> Fraction:
    """Return how sure someone can be who knows everything about a row but the answer."""
    best = Fraction(0)
    for row in rows:
        for item in row & named:
            rest = row - group[item]
            same = [each for each in rows if each - group[item] == rest]
            best = max(best, Fraction(sum(item in each for each in same), len(same)))
    return best


def test_exact_knowledge_is_what_the_definition_says():
    from discreet import Transactions

    for seed in range(150):
        draw = random.Random(seed)
        rows = [frozenset(label for label in "abcde" if draw.random() < 0.4) for _ in range(draw.randint(4, 30))]
        given = Transactions.from_rows(rows)
        named = {"a", "b"} & {*given.vocabulary}
        if not named:
            continue
        alone = check(given, rho="0.5", sensitive=sorted(named))
        found = check(given, rho="0.5", sensitive=sorted(named), exact_knowledge=True)
        wanted = known_exactly(rows, named, {label: frozenset(label) for label in "abcde"})
        before = Fraction(0) if alone.worst_rule is None else alone.worst_rule.confidence
        assert found.worst_rule is not None
        assert found.worst_rule.confidence == max(wanted, before), seed
        assert found.safe == (max(wanted, before) < Fraction(1, 2))


def test_exact_knowledge_of_a_table_is_about_its_other_cells(tmp_path: Path):
    for seed in range(100):
        rows, names, rho = random_table(seed)
        given = read(table(tmp_path / "rows.csv", rows), format="table", header=True)
        sets = [frozenset(f"{column}={value}" for column, value in row.items()) for row in rows]
        labels = frozenset().union(*sets)
        group = {each: frozenset(x for x in labels if x.split("=")[0] == each.split("=")[0]) for each in labels}
        named = {each for each in labels if sensitive(names, *each.split("="))}
        found = check(given, rho=rho, sensitive=names, ignore_unknown=True, empty_cells="missing", exact_knowledge=True)
        plain = check(given, rho=rho, sensitive=names, ignore_unknown=True, empty_cells="missing")
        before = Fraction(0) if plain.worst_rule is None else plain.worst_rule.confidence
        now = Fraction(0) if found.worst_rule is None else found.worst_rule.confidence
        assert now == max(before, known_exactly(sets, named, group)), seed
