"""Rows that `local` made, released in every way: no certificate claims more than is known about them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

import discreet
from discreet import Transactions, release_rows, verify
from discreet.cli.main import main

if TYPE_CHECKING:
    from discreet.publishing.rows_bundle import RowsRelease

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "certificate.schema.json").read_text())
ROWS = [["milk", "test"], ["tea", "test"], ["tea", "test"], *[["tea"]] * 4, ["milk"], ["water", "pill"], ["water"], []]
PRIVATE = ["test", "pill"]
FULL = "Nobody who knows part of a row concludes"
AT_FACE_VALUE = f"In the rows as they stand: {FULL}"


def made(method: str, rho: str = "0.5", rows: list[list[str]] = ROWS) -> tuple[Transactions, Transactions]:
    before = Transactions.from_rows(rows)
    done = discreet.anonymize(before, rho=rho, sensitive=PRIVATE, method=method, ignore_unknown=True)
    return before, done.rows


def released(rows: Transactions, folder: Path, **more: object) -> RowsRelease:
    return release_rows(
        rows, name="rows.dat", promise="rho=0.5", sensitive=PRIVATE, ignore_unknown=True, output=folder, **more
    )


def promises_all(done: RowsRelease) -> bool:
    """Return whether a bundle makes the full promise; words, figures and verdict must agree on that."""
    certificate, told = done.certificate, done.to_dict()
    everything = done.verdict == "protected"
    assert told["safe"] is everything
    assert certificate.statement.startswith(FULL if everything else AT_FACE_VALUE)
    assert (certificate.promise["recoding"] in ("global", "rare-rows")) is everything
    left_single_rows = [line for line in certificate.not_promised if "left single rows" in line]
    assert bool(left_single_rows) is not everything
    report = (done.bundle / "report.html").read_text()
    assert certificate.statement in report
    assert all(line in report for line in left_single_rows)
    Draft202012Validator(SCHEMA).validate(json.loads((done.bundle / "certificate.json").read_bytes()))
    assert verify(done.bundle).holds
    return everything


@pytest.mark.parametrize("given", [{}, {"face_value": True}, {"original": True}, {"original": "others"}])
def test_rows_that_lost_single_items_never_get_the_full_promise(tmp_path: Path, given: dict[str, object]):
    """Without the original rows they once were PROTECTED: nothing in them tells how they were made."""
    before, rows = made("local")
    assert 0 < rows.item_supports()[rows.vocabulary.positions["test"]] < 3
    if given.get("original") == "others":
        given = {"original": Transactions.from_rows([["tea"]] * rows.n)}
    elif given.get("original"):
        given = {"original": before}
    assert not promises_all(released(rows, tmp_path / "public", **given))


def test_the_full_promise_needs_original_rows_that_show_it(tmp_path: Path):
    before, rows = made("suppress")
    assert rows.item_supports()[rows.vocabulary.positions["test"]] == 3
    assert promises_all(released(rows, tmp_path / "shown", original=before))
    assert not promises_all(released(rows, tmp_path / "unknown"))
    assert not promises_all(released(rows, tmp_path / "told", original=before, face_value=True))
    kept = [[*row] for row in rows]
    moved = Transactions.from_rows([*kept[1:], ["water", "tea"]])
    assert not promises_all(released(moved, tmp_path / "moved", original=before))
    fewer = Transactions.from_rows(kept[1:])
    assert not promises_all(released(fewer, tmp_path / "fewer", original=before))


COMMON = [["tea"]] * 30 + [["tea", "test"]] * 10 + [["milk", "test"], ["milk", "pill"], ["water", "pill", "test"]]


def test_rare_rows_are_told_from_the_original_ones(tmp_path: Path):
    before, rows = made("rare-rows", rows=COMMON)
    assert rows.item_supports()[rows.vocabulary.positions["test"]] == 10
    done = released(rows, tmp_path / "public", original=before, rare_rows=True)
    assert promises_all(done)
    assert done.certificate.promise["recoding"] == "rare-rows"
    assert not promises_all(released(rows, tmp_path / "not said", original=before))
    assert verify(tmp_path / "public", data=before).holds
    assert not verify(tmp_path / "public", data=rows).holds
    assert not promises_all(released(rows, tmp_path / "unknown"))
    _, global_ = made("suppress", rows=COMMON)
    assert promises_all(released(global_, tmp_path / "global", original=before, rare_rows=True))
    others = Transactions.from_rows([*COMMON[1:], ["milk", "tea"]])
    for refused in ({}, {"original": before, "face_value": True}, {"original": others}):
        with pytest.raises(discreet.ParameterError, match="rare_rows needs original rows"):
            released(rows, tmp_path / "refused", rare_rows=True, **refused)
    for other in ({"rare_below": 1}, {"rare_below": None}, {"rare_below": 40}, {"recoding": "global"}):
        promise = {**done.certificate.promise, **other}
        (tmp_path / "public" / "certificate.json").write_bytes(replace(done.certificate, promise=promise).to_bytes())
        assert verify(tmp_path / "public").verdict == "does-not-hold"


def test_one_item_less_in_a_row_that_is_not_rare_is_not_the_method(tmp_path: Path):
    before, rows = made("rare-rows", rows=COMMON)
    kept = [[*row] for row in rows]
    kept[kept.index(next(row for row in kept if "test" in row))] = ["tea"]
    with pytest.raises(discreet.ParameterError, match="rare_rows needs original rows"):
        released(Transactions.from_rows(kept), tmp_path / "public", original=before, rare_rows=True)


def test_generalized_rare_rows_need_their_hierarchy(tmp_path: Path):
    """What an item became is only known with the tree."""
    rows = [["a", "x"], ["b", "x"], ["c"], ["d"]] * 10 + [["a"], ["b"], ["c"], ["d"]] * 5 + [["e", "x"], ["f", "x"]]
    (tmp_path / "tree.csv").write_text("a;ab;ALL\nb;ab;ALL\nc;cd;ALL\nd;cd;ALL\ne;e;ALL\nf;f;ALL\n")
    before = Transactions.from_rows(rows)
    ab = [frozenset({"a": "ab", "b": "ab"}.get(label, label) for label in row) for row in rows]
    veiled = [row - {"x"} if row & {"e", "f"} else row for row in ab]
    published = Transactions.from_rows(veiled)
    asked = {"name": "rows.dat", "promise": "rho=0.7", "sensitive": ["x"], "original": before, "rare_rows": True}
    known = release_rows(published, **asked, hierarchy=tmp_path / "tree.csv", output=tmp_path / "known")
    assert (known.verdict, known.certificate.promise["recoding"]) == ("protected", "rare-rows")
    assert verify(tmp_path / "known", data=before).holds
    with pytest.raises(discreet.ParameterError, match="rare_rows needs original rows"):
        release_rows(published, **asked, output=tmp_path / "unknown")


def test_rows_without_any_sensitive_item_lost_it_everywhere(tmp_path: Path):
    before, rows = made("simple")
    assert promises_all(released(rows, tmp_path / "public", original=before))


@pytest.mark.parametrize("said", ["local", "unknown"])
def test_a_certificate_that_says_more_does_not_hold_with_the_original_rows(tmp_path: Path, said: str):
    """Who has the folder alone cannot tell; who has the original rows can."""
    before, rows = made("local")
    given = {"face_value": True} if said == "local" else {}
    weak = released(rows, tmp_path / "public", **given)
    strong = released(rows, tmp_path / "strong", original=rows)
    assert promises_all(strong)  # the owner named rows that are not the original ones
    assert not verify(tmp_path / "strong", data=before).holds
    assert verify(tmp_path / "public", data=before).holds
    words = {"statement": strong.certificate.statement, "not_promised": strong.certificate.not_promised}
    (tmp_path / "public" / "certificate.json").write_bytes(replace(weak.certificate, **words).to_bytes())
    assert verify(tmp_path / "public").verdict == "does-not-hold"
    silent = {key: value for key, value in strong.certificate.promise.items() if key != "recoding"}
    (tmp_path / "strong" / "certificate.json").write_bytes(replace(strong.certificate, promise=silent).to_bytes())
    assert verify(tmp_path / "strong").verdict == "not-judged"


def test_the_command_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    before, rows = made("suppress")
    for name, each in (("before.dat", before), ("rows.dat", rows)):
        discreet.write(each, tmp_path / name)
    (tmp_path / "private.txt").write_text("test\npill\n")
    promise = ["--promise", "rho=0.5", "--sensitive", str(tmp_path / "private.txt"), "--ignore-unknown", "-o"]
    words = ["release", "--rows", str(tmp_path / "rows.dat"), *promise]
    assert main([*words, str(tmp_path / "one")]) == 0
    told = capsys.readouterr().out
    assert told.split("  ")[1].strip() == "PROTECTED AT FACE VALUE"
    assert "name the original rows as well" in told
    assert main(["release", str(tmp_path / "before.dat"), *words[1:], str(tmp_path / "two")]) == 0
    assert capsys.readouterr().out.split("  ")[1].strip() == "PROTECTED"
    assert main(["verify", str(tmp_path / "two"), "--data", str(tmp_path / "before.dat")]) == 0
    assert "items left all of them or none" in " ".join(capsys.readouterr().out.split())


def test_empty_cells_that_are_not_counted_are_said(tmp_path: Path):
    """If it is not known how rows were made, an empty cell can be one that a value left."""
    (tmp_path / "t.csv").write_text("ill,age\nflu,3\n,3\ncold,3\n,4\ncold,4\ncold,4\ncold,4\n")
    rows = discreet.read(tmp_path / "t.csv", format="table")
    asked = {"name": "t.csv", "promise": "rho=0.5", "sensitive": ["ill=flu"]}
    unknown = release_rows(rows, **asked, output=tmp_path / "unknown")
    assert any(line.startswith("Empty cells of 1 column") for line in unknown.certificate.not_promised)
    shown = release_rows(rows, **asked, original=rows, output=tmp_path / "shown")
    assert not any(line.startswith("Empty cells") for line in shown.certificate.not_promised)
    assert verify(tmp_path / "unknown").holds
    assert verify(tmp_path / "shown").holds
