"""Rows on the disk: the same answers as in memory, with few rows in memory at a time."""

from __future__ import annotations

import gc
import json
import tempfile
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Transactions, _kernel, audit, block, mine
from discreet.channels import row_source
from discreet.errors import DataError, NotSafe, ParameterError
from discreet.patterns import mining
from discreet.transactions import disk_rows, row_folder
from discreet.transactions.disk_rows import are_on_disk, frequent_rows, refuse_on_disk
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read_as

if TYPE_CHECKING:
    from pathlib import Path

SHAPES = {
    "rows.dat": ("1 2 3\n\n3 2 2\n7 x\n" * 40, {}),
    "basket.csv": ("a,b,a\nc\nb,c,d\n" * 40, {}),
    "table.csv": ("b,a,c,d\n" + "1,x,?,2\n2,y,z,2\n1,x,q,3\n" * 40, {}),
    "dropped.csv": ("b,a,c,d\n" + "1,x,?,2\n2,y,z,2\n1,x,q,3\n" * 40, {"missing": "drop-row", "bins": {"d": [2]}}),
    "onehot.csv": ("p,q,r\n" + "1,0,1\n0,0,0\n1,1,0\n" * 40, {}),
    "lists.json": (json.dumps([["a", "b"], [], ["c", "b"]] * 40), {}),
}


@pytest.fixture(params=SHAPES)
def both(request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Transactions, Transactions]:
    """Return the same rows on the disk, written in many slices, and in memory."""
    monkeypatch.setattr(disk_rows, "_SLICE", 16)
    text, options = SHAPES[request.param]
    path = tmp_path / request.param
    path.write_text(text)
    on_disk = read_as(path, ReadOptions(**options), on_disk=True)
    return on_disk, read_as(path, ReadOptions(**options))


def test_every_shape_is_read_as_it_is_into_memory(both) -> None:
    on_disk, here = both
    assert are_on_disk(on_disk)
    assert not are_on_disk(here)
    assert on_disk == here
    assert (on_disk.read, on_disk.layout, on_disk.n) == (here.read, here.layout, here.n)


@pytest.mark.parametrize("min_support", [1, 20, "50%"])
def test_answers_are_those_of_rows_in_memory(both, min_support) -> None:
    on_disk, here = both
    for target in ("closed", "all", "maximal"):
        assert mine(on_disk, min_support=min_support, target=target) == mine(
            here, min_support=min_support, target=target
        )
    answers = [audit(rows, k=50, min_support=min_support).to_dict() for rows in both]
    assert json.dumps(answers[0]) == json.dumps(answers[1])


@pytest.mark.parametrize("repeated", [True, False])
def test_many_rows_in_memory_are_folded_where_they_repeat(monkeypatch: pytest.MonkeyPatch, repeated: bool) -> None:
    made = [[f"k{row % 3}", f"l{row % (5 if repeated else 80)}", "all"] for row in range(80)]
    rows = Transactions.from_rows(made)
    options = {"k": 5, "min_support": 1, "border": False}
    expected = audit(rows, **options)
    folded: list[int] = []

    def watched(*args, **more):
        folded.append(1)
        return frequent_rows(*args, **more)

    monkeypatch.setattr(row_source, "_MANY_ROWS", 50)
    monkeypatch.setattr(row_source, "frequent_rows", watched)
    found = audit(rows, **options)
    assert json.dumps(found.to_dict()) == json.dumps(expected.to_dict())
    assert found.exposed_rows == expected.exposed_rows
    assert len(folded) == repeated


@pytest.mark.parametrize("repeated", [True, False])
def test_many_rows_are_mined_folded_where_they_repeat(monkeypatch: pytest.MonkeyPatch, repeated: bool) -> None:
    rows = Transactions.from_rows([[f"k{row % 3}", f"l{row % (5 if repeated else 80)}", "all"] for row in range(80)])
    expected = {target: mine(rows, min_support=1, target=target) for target in ("closed", "all", "maximal")}
    folded: list[int] = []

    def watched(*args, **more):
        folded.append(1)
        return frequent_rows(*args, **more)

    monkeypatch.setattr(mining, "_MANY_ROWS", 50)
    monkeypatch.setattr(mining, "frequent_rows", watched)
    for target, found in expected.items():
        assert mine(rows, min_support=1, target=target) == found
    assert len(folded) == 3 * repeated


ROWS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), min_size=1, max_size=40)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(1, 8), st.integers(1, 30))
def test_folding_by_slices_is_folding_at_once(rows, min_support: int, slice_items: int) -> None:
    here = Transactions.from_rows(rows)
    frequent = here.itemsets.keeping((here.item_supports() >= min_support)[here.items])
    expected = Transactions(frequent, here.vocabulary).fold()
    assert frequent_rows(here, min_support, slice_items=slice_items) == expected
    assert frequent_rows(here.fold(), min_support, slice_items=slice_items).n == here.n


def test_no_more_than_a_slice_and_twice_the_distinct_rows_are_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds, n, slice_items = 50, 20_000, 400
    rows = Transactions.from_rows([[f"k{row * 7 % kinds}", "all", f"u{row}"] for row in range(n)])
    held: list[int] = []
    kernel = _kernel.fold_rows

    class Watching:
        @staticmethod
        def fold_rows(itemsets, weights):
            held.append(len(itemsets))
            return kernel(itemsets, weights)

    monkeypatch.setattr(row_folder, "_kernel", Watching)
    assert len(frequent_rows(rows, 2, slice_items=slice_items)) == kinds
    assert len(held) > 100  # many slices
    assert max(held) <= slice_items + 2 * kinds


def test_quasi_identifiers_and_exclusive_items(tmp_path: Path) -> None:
    path = tmp_path / "rows.dat"
    path.write_text("a b x\na c y\nb c x\na b c z\n" * 30 + "a z\n")
    rows = [read_as(path, ReadOptions(), on_disk=on_disk) for on_disk in (True, False)]
    options = {"k": 5, "min_support": 3, "quasi_identifiers": "a,b", "exclusive": [["x", "y"]]}
    assert json.dumps(audit(rows[0], **options).to_dict()) == json.dumps(audit(rows[1], **options).to_dict())
    for each in rows:  # of the items that meet, one is rare
        with pytest.raises(ParameterError, match="holds two of the items"):
            audit(each, k=5, min_support=50, exclusive=[["a", "z"]])


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(st.sets(st.sampled_from("abcdef"), max_size=5), min_size=4, max_size=40),
    min_support=st.integers(2, 6),
    k=st.integers(2, 4),
    method=st.sampled_from(["suppressive", "additive"]),
)
def test_blocking_is_that_of_rows_in_memory(tmp_path_factory, rows, min_support: int, k: int, method: str) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.dat"
    path.write_text("".join(f"{' '.join(sorted(row))}\n" for row in rows))
    told = []
    for on_disk in (True, False):
        source = read_as(path, ReadOptions(), on_disk=on_disk)
        try:
            done = block(source, min_support=min_support, k=k, method=method)
        except NotSafe as refusal:
            told.append(str(refusal))
            continue
        told.append(json.dumps([done.to_dict(), done.patterns.to_dict(), done.proof.to_dict()]))
        assert (done.witness is None) == are_on_disk(source)
    assert told[0] == told[1]


def test_what_needs_all_rows_is_refused_with_its_size(tmp_path: Path) -> None:
    path = tmp_path / "rows.dat"
    path.write_text("a b\n" * 9)
    with pytest.raises(ParameterError, match=r"hiding needs all rows in memory, here about 0\.0 GB"):
        refuse_on_disk(read_as(path, ReadOptions(), on_disk=True), "hiding")
    refuse_on_disk(read_as(path, ReadOptions()), "hiding")


def test_too_many_distinct_rows_are_refused_with_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Transactions.from_rows([[row % 97, row % 89] for row in range(4000)])
    monkeypatch.setattr(disk_rows, "memory_ceiling", lambda: 2_000)
    with pytest.raises(DataError, match=r"of 4,000 rows already come in .* kinds; all of them would need about"):
        frequent_rows(rows, 1, slice_items=200)


@pytest.mark.parametrize(
    ("name", "text", "options", "words"),
    [
        ("long.csv", "id,item\n1,a\n1,b\n2,a\n", {"format": "long"}, "a long table"),
        ("ids.csv", "id,a,b,c\n1,2,3,4\n", {"id_column": "id"}, "id_column"),
        ("spmf.txt", "@ITEM=1=a\n1 2\n", {}, "a file of SPMF"),
        ("narrow.csv", "a,b\n1,2\n2,3\n", {}, "could be a long table"),
    ],
)
def test_what_cannot_be_read_onto_the_disk_is_refused(tmp_path: Path, name, text, options, words) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ParameterError, match=words):
        read_as(path, ReadOptions(**options), on_disk=True)


def test_several_files_of_rows_are_refused_and_several_tables_are_one(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.dat").write_text("a b\n")
        (tmp_path / f"{number}.csv").write_text(f"a,b,c,d\n1,2,3,{number}\n")
    with pytest.raises(ParameterError, match="several files without columns"):
        read_as(str(tmp_path / "*.dat"), ReadOptions(), on_disk=True)
    tables = [read_as(str(tmp_path / "*.csv"), ReadOptions(), on_disk=on_disk) for on_disk in (True, False)]
    assert tables[0] == tables[1]


def test_the_files_are_private_and_go_with_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "rows.dat"
    path.write_text("a b\nc\n")
    rows = read_as(path, ReadOptions(), on_disk=True)
    [folder] = tmp_path.glob("discreet-scratch-*")
    assert folder.stat().st_mode & 0o077 == 0
    assert sorted(file.name for file in folder.iterdir()) == ["items", "offsets"]
    part = rows.itemsets.part(1, 2)
    del rows
    gc.collect()
    assert part.items.tolist() == [2]  # a part keeps the files
    del part
    gc.collect()
    assert not folder.exists()


def test_a_file_that_breaks_off_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "rows.csv"
    path.write_text('a,b,c,d\n1,2,3,4\n1,"2,3,4\n')
    with pytest.raises(DataError, match="quote that is not closed"):
        read_as(path, ReadOptions(format="table"), on_disk=True)
    gc.collect()
    assert not list(tmp_path.glob("discreet-scratch-*"))


def test_rows_without_items(tmp_path: Path) -> None:
    path = tmp_path / "rows.dat"
    path.write_text("\n\n")
    assert read_as(path, ReadOptions(), on_disk=True) == read_as(path, ReadOptions())
    (tmp_path / "none.dat").write_text("")
    with pytest.raises(DataError, match="holds no rows"):
        read_as(tmp_path / "none.dat", ReadOptions(), on_disk=True)
    assert np.array_equal(mine(read_as(path, ReadOptions(), on_disk=True), min_support=1).supports, [])
