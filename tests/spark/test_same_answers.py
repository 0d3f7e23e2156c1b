"""Both engines give the same JSON, byte for byte."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import discreet
from discreet.hiding.restrictions import RuleBound
from tests.strategies import DRAWS, seeds

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.spark.rows import SparkRows

RUNNING = Path(__file__).parent.parent / "data" / "running-example.dat"
STEPS = 1_000  # the attacker works in this process, whatever the engine; a long search would be the same twice
WORDS = ("abcdefgh", ["1", "2", "10", "03", "3"], ["1", "b", "20", "ä", "ö ü"])


def random_rows(seed: int) -> tuple[list[list[str]], int, int]:
    """Return rows with empty ones, repeated items and, often, an item in every row; and a support and a k."""
    draw = random.Random(seed)
    labels = draw.choice(WORDS)
    everywhere = ["7"] if seed % 3 == 0 else []
    rows = [[*draw.choices(labels, k=draw.randrange(9)), *everywhere] for _ in range(draw.randrange(1, 40))]
    return rows, draw.randrange(1, 8), draw.randrange(2, 6)


def some_of(ways: tuple[str, ...], place: int) -> tuple[str, ...]:
    """Return all ways in `make evidence`, else one of them, in turn."""
    return ways if DRAWS > 1 else (ways[place % len(ways)],)


def told(job: Callable[..., Any], rows: object, **options: object) -> str:
    """Return what a job answers, as JSON, or why it cannot."""
    try:
        return json.dumps(job(rows, **options).to_dict())
    except discreet.NotSafe as error:
        return str(error)


FEW = (0, 1, 3, 6, 7, 10)
"""Draws that, few as they are, have every kind of label, target and method, and some that cannot be made safe."""


@pytest.mark.parametrize("seed", FEW if DRAWS == 1 else seeds(len(FEW)))
def test_on_random_rows(there: Callable[..., SparkRows], seed: int) -> None:
    rows, sigma, k = random_rows(seed)
    here, spark_rows = discreet.Transactions.from_rows(rows), there(rows)

    def same(job: Callable[..., Any], **options: object) -> None:
        assert told(job, spark_rows, **options) == told(job, here, **options)

    for target in some_of(("all", "closed", "maximal"), seed // 3):
        same(discreet.mine, min_support=sigma, target=target)
    publishing = {"k": k, "min_support": sigma, "attack_steps": STEPS}
    same(discreet.audit, **publishing, border=seed % 2 == 0, all_channels=seed % 5 == 0)
    method = ("additive", "suppressive")[seed % 2]
    same(discreet.block, **publishing, method=method, target=("closed", "all")[seed // 2 % 2])
    same(discreet.hide, **hiding(rows, seed))


def hiding(rows: list[list[str]], seed: int) -> dict[str, Any]:
    """Return something to hide: parts of rows, some of which may stay, and now and then a rule."""
    draw = random.Random(seed)
    held = [row for row in rows if row] or [["none"]]
    restrict: list[Any] = [draw.sample(row, min(len(row), draw.randrange(1, 4))) for row in draw.choices(held, k=3)]
    if seed % 4 == 0:
        one, other = sorted({"a", "b", "1", "3"} & {label for row in rows for label in row} | {"x", "y"})[:2]
        restrict.append(RuleBound(frozenset([one]), frozenset([other]), Fraction(1, 2)))
    return {
        "restrict": restrict,
        "method": ("naive", "minfia", "maxfia", "iga")[seed % 4],
        "disclosure": ("0", "0.25", "1", "0.6")[(seed // 3 + seed // 12) % 4],
        "min_support": 2 if seed % 5 == 0 else None,
        "ignore_unknown": True,
    }


@pytest.mark.parametrize("seed", seeds(4))
def test_the_same_rows_are_left(there: Callable[..., SparkRows], seed: int) -> None:
    rows, _, _ = random_rows(seed)
    here = discreet.hide(discreet.Transactions.from_rows(rows), **hiding(rows, seed))
    done = discreet.hide(there(rows), **hiding(rows, seed))
    assert [set(row["items"]) for row in done.rows.frame.collect()] == list(here.rows)


BELOW = {"disclosure": 0, "below": 3}
LEAST = [(5, "best", {}), (8, "best", BELOW), (8, "rowwise", {})]
EVERY_LEAST = [(seed, method, more) for seed in seeds(1) for method in ("best", "rowwise") for more in ({}, BELOW)]


@pytest.mark.parametrize(("seed", "method", "more"), LEAST if DRAWS == 1 else EVERY_LEAST)
def test_what_loses_least_is_the_same(
    there: Callable[..., SparkRows], seed: int, method: str, more: dict[str, Any]
) -> None:
    """The same rows are left, and `best` has the same candidates, which are all methods."""
    rows, _, _ = random_rows(seed)
    asked = hiding(rows, seed) | {"method": method, "min_support": 2} | more
    here = discreet.hide(discreet.Transactions.from_rows(rows), **asked)
    done = discreet.hide(there(rows), **asked)
    assert done.to_dict() == here.to_dict()
    assert [set(row["items"]) for row in done.rows.frame.collect()] == list(here.rows)


def test_more_than_fits_is_refused(there: Callable[..., SparkRows], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.spark.hide.MOST_ITEMS", 3)
    with pytest.raises(discreet.ParameterError, match="they hold 4 items, and 3 are the most that are taken out of Sp"):
        discreet.hide(there([["a", "b"], ["a", "b"], ["c"]]), restrict=["a,b"], method="rowwise", min_support=1)


@pytest.mark.parametrize("seed", seeds(3))
def test_check(there: Callable[..., SparkRows], seed: int) -> None:
    rows, _, _ = random_rows(seed)
    first, *others = sorted({label for row in rows for label in row})[:2]
    sensitive = [f"{first} @ 0.{seed + 1}" if seed % 2 else first, *others, "nobody"]
    here, spark = (
        discreet.check(each, rho="0.5", sensitive=sensitive, ignore_unknown=True) for each in (_rows(rows), there(rows))
    )
    assert (spark.safe, spark.affected, spark.n) == (here.safe, here.affected, here.n)
    if all(rule is None or len(rule.antecedent) < 2 for rule in (here.worst_rule, here.critical_rule)):
        assert spark.to_dict() == here.to_dict()
    else:  # of rules that are equally sure, any will do
        assert spark.worst_rule.confidence == here.worst_rule.confidence


def _rows(rows: list[list[str]]) -> discreet.Transactions:
    return discreet.Transactions.from_rows(rows)


PUBLIC = [
    ("mushroom.dat.gz", "40%", 10),
    ("retail.dat.gz", "2%", 25),
    ("groceries.csv.gz", "2%", 10),
    ("kosarak_first36682.dat.gz", "3%", 10),
]


@pytest.mark.parametrize(("name", "sigma", "k"), PUBLIC, ids=[name.partition(".")[0] for name, _, _ in PUBLIC])
def test_on_public_data(
    both_engines: Callable[..., None], data_folder: Path, tmp_path: Path, name: str, sigma: str, k: int
) -> None:
    """Each command on one of them; `make evidence` has all on all, with each target and each method."""
    data, place = data_folder / name, [each for each, _, _ in PUBLIC].index(name)
    commands = some_of(("block", "mine", "audit", "hide"), place)
    if "mine" in commands:
        for target in some_of(("all", "closed", "maximal"), place):
            both_engines("mine", data, "-s", sigma, "--target", target, "--json")
    if "audit" in commands:
        both_engines("audit", data, "-s", sigma, "-k", k, "--json")
    if "block" in commands:
        for method in some_of(("additive", "suppressive"), place):
            both_engines("block", data, "-s", sigma, "-k", k, "--method", method, "--json")
    if "hide" in commands:
        found = discreet.mine(discreet.read(data), min_support=sigma, target="maximal")
        restrict = tmp_path / "private.txt"
        separator = "," if name.endswith(".csv.gz") else " "
        restrict.write_text("\n".join(separator.join(items) for items, _ in list(found)[-3:]))
        for how in some_of(("--method iga --disclosure 10%", f"-s {sigma}", f"-s {sigma} --method rowwise"), 0):
            both_engines("hide", data, "--restrict", restrict, *how.split(), "--json")


def test_empty_cells_of_a_table_count(both_engines: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("age,ill\n30,\n30,flu\n40,flu\n40,none\n40,none\n")
    (tmp_path / "private.txt").write_text("ill=HIV\n")
    words = ["--rho", "0.5", "--sensitive", tmp_path / "private.txt", "--ignore-unknown", "--json"]
    for how in ("auto", "missing"):
        both_engines("check", tmp_path / "rows.csv", *words, "--empty-cells", how)


def test_in_words(both_engines: Callable[..., None]) -> None:
    both_engines("mine", RUNNING, "-s", 8, "--max-length", 2)
    both_engines("audit", RUNNING, "-s", 8, "-k", 3)
    both_engines("block", RUNNING, "-s", 8, "-k", 3, "--method", "additive", "--target", "all")


def test_quasi_identifiers_and_methods(both_engines: Callable[..., None]) -> None:
    for method in ("auto", "direct", "closed", "projection"):
        asked = ("-s", 4, "-k", 3, "--method", method, "--quasi-identifiers", "a,c,e", "--json")
        both_engines("audit", RUNNING, *asked, but="advice")  # which support would do is looked for in memory alone
    both_engines("audit", RUNNING, "-s", 4, "-k", 3, "--quasi-identifiers", "a,nobody")
    both_engines("audit", RUNNING, "-s", 4, "-k", 3, "--quasi-identifiers", "a*,c*", "--json", but="advice")
    told = ["audit", RUNNING, "-s", 4, "-k", 3, "--sensitive", "c", "--rho", "0.5", "--json"]
    both_engines(*told, but="advice")  # release, which is advised here, takes no engine
