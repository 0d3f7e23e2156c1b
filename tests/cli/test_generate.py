"""`discreet generate`: what is written is what was asked for, and the same every time."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from discreet import read

KINDS = ["quest", "skewed", "hospital"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet", "jsonl"])
def test_what_was_written_can_be_read(call, tmp_path: Path, kind: str, suffix: str) -> None:
    outcome = call("generate", kind, "--rows", "500", "-o", f"rows.{suffix}")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("\n  500 rows of ")
    assert read(tmp_path / f"rows.{suffix}").n == 500


@pytest.mark.parametrize("kind", ["quest", "skewed"])
def test_numbered_items_make_fimi_files(call, tmp_path: Path, kind: str) -> None:
    assert call("generate", kind, "--rows", "300", "-o", "rows.dat.gz").status == 0
    with gzip.open(tmp_path / "rows.dat.gz", "rt") as file:
        assert len(file.readlines()) == 300


def test_labels_with_blanks_are_refused_in_a_fimi_file(call, tmp_path: Path) -> None:
    call("generate", "hospital", "--rows", "100", "-o", "rows.dat").refused()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_same_seed_same_bytes(call, tmp_path: Path, kind: str) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        call("generate", kind, "--rows", "200", "--seed", seed, "-o", f"{name}.csv")
    a, b, c = ((tmp_path / f"{name}.csv").read_bytes() for name in "abc")
    assert a == b
    assert a != c


def test_json(call) -> None:
    document = json.loads(call("generate", "quest", "--rows", "200", "-o", "rows.dat", "--json").out)
    assert list(document) == ["n", "items", "output"]
    assert (document["n"], document["output"]) == (200, "rows.dat")


def test_the_parameters_reach_the_generator(call, tmp_path: Path) -> None:
    call(
        *("generate", "skewed", "--rows", "400", "--items", "60", "--mean-length", "5", "--max-length", "30"),
        *("--exponent", "1.2", "--clusters", "3", "--cluster-strength", "0.5", "-o", "rows.dat"),
    )
    rows = read(tmp_path / "rows.dat")
    assert (rows.n, len(rows.vocabulary), len(rows.items)) == (400, 60, 2000)


def test_force(call, tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("old")
    assert call("generate", "quest", "--rows", "10", "-o", "rows.dat", "--force").status == 0
    assert read(tmp_path / "rows.dat").n == 10


def test_rows_like_those_of_a_bundle(call):
    Path("rows.dat").write_text("tea milk\n" * 60 + "tea\n" * 60, encoding="utf-8")
    assert call("release", "rows.dat", "-s", "20", "-k", "5", "--method", "none", "-o", "public").status == 0
    Path("rows.dat").unlink()
    outcome = call("generate", "like", "public", "-o", "synthetic", "--json")
    assert outcome.status == 0, outcome.err
    assert (outcome.document()["n"], outcome.document()["off"]["worst"]) == (120, 0)
    shown = call("generate", "like", "public", "-o", "again")
    assert "120 made-up rows that fit 2 itemsets; supports are off by 0 rows at most" in " ".join(shown.out.split())
    one, two = (Path(name, "synthetic-rows.csv").read_bytes() for name in ("synthetic", "again"))
    assert one == two
    verified = call("verify", "synthetic")
    assert verified.status == 0
    assert "made-up rows that follow from published patterns" in " ".join(verified.out.split())
    assert "expected one of patterns" in call("generate", "like", "synthetic", "-o", "more").refused()
    assert "is not a" in call("generate", "like", "rows.dat", "-o", "more").refused() or not Path("more").exists()


def test_the_longest_row_has_no_more_than_all_items(call, tmp_path):
    assert call("generate", "skewed", "--items", 20, "--rows", 50, "-o", "rows.dat").status == 0
    assert call("generate", "skewed", "--items", 20, "--max-length", 21, "-o", "more.dat").status == 2
    assert not (tmp_path / "more.dat").exists()
