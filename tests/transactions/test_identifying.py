"""What tells whose a row is: left out when rows are read, and refused in what is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import discreet
from discreet.errors import ParameterError
from discreet.transactions.read_record import record_of

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "name,mail_1,mail_2,ward,ill\nAnn,a@x,,1,flu\nBob,b@x,b@y,1,flu\nCid,c@x,,2,hiv\nDan,d@x,,2,flu\n"
LEFT = [{"ill=flu", "ward=1"}, {"ill=flu", "ward=1"}, {"ill=hiv", "ward=2"}, {"ill=flu", "ward=2"}]
SHAPES = {
    "table": ("rows.csv", TABLE, {"format": "table"}, "name,mail*", LEFT),
    "items of a table": ("rows.csv", TABLE, {"keep": "ward,ill"}, "ill=h*", [*LEFT[:2], {"ward=2"}, LEFT[3]]),
    "table and an item": ("rows.csv", TABLE, {"format": "table"}, "na*,mail*,ill=hiv",
                          [*LEFT[:2], {"ward=2"}, LEFT[3]]),
    "onehot": ("rows.csv", "tea,Ann,wine\n1,1,0\n0,0,1\n", {}, "Ann", [{"tea"}, {"wine"}]),
    "long": ("rows.csv", "who,what\n1,tea\n1,Ann\n2,Bob\n", {"format": "long"}, "Ann,Bob", [{"tea"}, set()]),
    "basket": ("rows.csv", "tea,Ann\nwine\n", {"format": "basket"}, "A*", [{"tea"}, {"wine"}]),
    "fimi": ("rows.dat", "1 2 Ann\n10 2\n", {}, "Ann", [{"1", "2"}, {"2", "10"}]),
    "lists": ("rows.json", '[["tea", "Ann"], ["wine"]]', {}, "Ann", [{"tea"}, {"wine"}]),
    "persons": ("rows.csv", TABLE, {"person_column": "ward", "drop": "mail_2"}, "ward,name,mail_1",
                [{"ill=flu"}, {"ill=flu", "ill=hiv"}]),
}  # fmt: skip


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_not_in_the_rows_whatever_their_shape(tmp_path: Path, shape: str) -> None:
    name, text, options, identifying, left = SHAPES[shape]
    rows = discreet.read(write(tmp_path / name, text), identifying=identifying, **options)
    assert [set(row) for row in rows] == left
    assert not any(gone in label for label in rows.vocabulary for gone in ("Ann", "Bob", "@", "hiv=")), "no trace"
    record = record_of(rows)
    assert record.identifying == tuple(identifying.split(","))
    assert (record.items, record.empty_rows) == (len(set().union(*left)), sum(not row for row in left))
    assert rows == discreet.Transactions.from_rows(left, ids=rows.ids), "in the usual order of labels"


@pytest.mark.parametrize("how", [{"drop": "name,mail*"}, {"keep": "w*,ill"}, {"keep": ["ill", "war*", "ward"]}])
def test_columns_are_left_out_or_kept_by_how_they_begin(tmp_path: Path, how: dict[str, Any]) -> None:
    rows = discreet.read(write(tmp_path / "rows.csv", TABLE), **how)
    assert [set(row) for row in rows] == LEFT
    with pytest.raises(discreet.DiscreetError, match=r"has no column 'x\*', which (drop|keep) names"):
        discreet.read(tmp_path / "rows.csv", **dict.fromkeys(how, "x*"))


def test_it_is_left_out_of_queries_frames_and_several_files(tmp_path: Path) -> None:
    import pandas as pd

    file = write(tmp_path / "one.csv", TABLE)
    write(tmp_path / "two.csv", TABLE.replace("hiv", "flu"))
    query = discreet.read(sql=f"SELECT * FROM '{file}'", identifying="name,mail*")  # noqa: S608 - our own file
    assert [set(row) for row in query] == LEFT
    frame = discreet.Transactions.from_pandas(pd.read_csv(file), identifying=["name", "mail*"])
    assert [set(row) for row in frame] == LEFT
    both = discreet.read(tmp_path, identifying="name,mail*,ill=hiv")
    assert both.n == 8, "a label that one of the files lacks is fine"
    assert "ill=hiv" not in both.vocabulary


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            {"identifying": "nmae"},
            "entry 1 of identifying names the label 'nmae', which is neither an item nor a column",
        ),
        ({"identifying": "name,x*"}, r"entry 2 of identifying names the label 'x\*'"),
        ({"identifying": "name", "keep": "name,ill"}, "'name' is named by both identifying and keep"),
        ({"identifying": "na*", "id_column": "name"}, "'name' is named by both identifying and id_column"),
        ({"identifying": "name", "bins": {"name": [1]}}, "bins names column 'name', which is not an item"),
        ({"identifying": "*"}, "identifying names the label"),
    ],
)
def test_what_stands_for_nothing_or_has_two_roles_is_refused(tmp_path: Path, options: dict[str, Any], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        discreet.read(write(tmp_path / "rows.csv", TABLE), **options)


def test_a_hierarchy_does_not_bring_it_back(tmp_path: Path) -> None:
    rows = discreet.read(write(tmp_path / "rows.csv", "area,x\nRome,1\nMilan,2\n"), identifying="area=Rome")
    levels = {"area": [("Milan", "Rome"), ("?", "Rome")]}
    with pytest.raises(ParameterError, match="the anonymous table would hold 'area=Rome', which identifying names"):
        discreet.kanon(rows, k=2, quasi_identifiers="area", hierarchies=levels)
