"""`--identifying`: what tells whose a row is has no other role, and is in nothing that is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import discreet
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "name,mail_1,mail_2,ward,ill\nAnn,a@x,,1,flu\nBob,b@x,b@y,1,flu\nCid,c@x,,2,hiv\nDan,d@x,,2,flu\n"


def test_it_has_no_other_role(call, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(TABLE)
    words = ["audit", "rows.csv", "-s", 2, "-k", 2, "--identifying", "name,mail*"]
    assert (
        "'name' is named by both --identifying and --quasi-iden"
        in call(*words, "--quasi-identifiers", "name").refused()
    )
    more = ["--sensitive", "mail*", "--rho", "0.5"]
    assert "'mail*' is named by both --identifying and --sensitive" in call(*words, *more).refused()
    assert "names the label 'mail_1'" in call(*words, "--quasi-identifiers", "mail_1").refused()
    document = json.loads(call(*words, "--quasi-identifiers", "ward", "--json").out)
    assert document["read"]["identifying"] == ["name", "mail*"]
    assert document["read"]["columns"]["dropped"] == ["name", "mail_1", "mail_2"]


@pytest.mark.parametrize(
    "words",
    [
        "mine rows.csv -s 1 -o out.csv",
        "block rows.csv -s 2 -k 2 --method suppressive -o out.csv",
        "hide rows.csv --restrict hidden.txt --method naive -o out.csv",
        "anonymize rows.csv --rho 0.9 --sensitive ill=hiv -o out.csv",
        "kanon rows.csv -k 2 --quasi-identifiers ward -o out.csv",
    ],
)
def test_it_is_in_nothing_that_is_written(call, tmp_path: Path, words: str) -> None:
    (tmp_path / "rows.csv").write_text(TABLE)
    (tmp_path / "hidden.txt").write_text("ill=hiv\n")
    done = call(*words.split(), "--identifying", "name,mail*")
    assert done.status == 0, done.err
    written = (tmp_path / "out.csv").read_text()
    assert "ward" in written
    assert not any(each in written for each in ("Ann", "name", "mail", "@"))


def test_rows_that_still_have_it_are_not_released(call, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(TABLE)
    (tmp_path / "handed.csv").write_text(TABLE.replace("mail_1,mail_2", "x,y"))
    (tmp_path / "private.txt").write_text("ill=hiv\n")
    (tmp_path / "less.csv").write_text("ward,ill\n1,flu\n1,flu\n2,flu\n2,flu\n")
    promise = ["--promise", "rho=0.9", "--sensitive", "private.txt", "--format", "table", "-o", "out"]
    for data, names in ((["rows.csv"], "name,mail*"), ([], "name")):
        words = ["release", *data, "--rows", "handed.csv", *promise, "--identifying", names]
        assert "the bundle would hold 'name', which --identifying names" in call(*words).refused()
        assert not (tmp_path / "out").exists()
    words = ["release", "rows.csv", "--rows", "less.csv", *promise, "--identifying", "name,mail*"]
    assert call(*words).status == 0
    rows = discreet.read(tmp_path / "rows.csv", identifying="name,mail*")
    handed = discreet.read(tmp_path / "handed.csv", format="table")
    with pytest.raises(ParameterError, match="the bundle would hold 'name'"):
        discreet.release_rows(
            handed, name="x.csv", promise="rho=0.9", sensitive=["ill=hiv"], original=rows, output=tmp_path / "no"
        )


@pytest.mark.parametrize("by_index", [False, True])
def test_people_are_not_named_in_hidden_rows(call, tmp_path: Path, by_index: bool) -> None:
    """The ids of people were once written next to what each of them has."""
    (tmp_path / "rows.csv").write_text(TABLE)
    (tmp_path / "hidden.txt").write_text("ill=hiv\n")
    words = ["hide", "rows.csv", "--person-column", "name", "--drop", "mail_1,mail_2", "--restrict", "hidden.txt"]
    words += ["--index", "rows.index"] if by_index else []
    assert call(*words, "--method", "naive", "-o", "out.jsonl").status == 0
    assert "Ann" not in (tmp_path / "out.jsonl").read_text()


def test_a_selection_and_a_policy_refuse_it_as_well(call, tmp_path: Path) -> None:
    """A policy was once silent about it where a file of rows or a bundle was named instead of its data."""
    (tmp_path / "rows.csv").write_text("name,ward\n" + "Ann,1\n" * 12 + "Bob,2\n" * 10)
    (tmp_path / "private.txt").write_text("ward=1\n")
    assert call("release", "rows.csv", "-s", 10, "-k", 5, "--method", "none", "-o", "first").status == 0
    words = ["release", "--from", "first", "-s", 12, "-o", "less"]
    assert "the selection would hold 'na*', which --identifying" in call(*words, "--identifying", "na*").refused()
    assert "--drop does not go with --from" in call(*words, "--drop", "name").refused()
    policy = "version = 1\n[data]\nfile = 'rows.csv'\n[roles]\nidentifying = ['name']\n[protect]\nk = 5\n"
    policy += "[patterns]\nmin_support = 10\nmethod = 'none'\n[publish]\noutput = 'out'\n"
    (tmp_path / "discreet.toml").write_text(policy)
    said = ["--policy", "discreet.toml"]
    assert "the selection would hold 'name', which --identifying" in call(*words, *said).refused()
    rows = ["release", "--rows", "rows.csv", "--format", "table", "--promise", "rho=0.9", "--sensitive", "private.txt"]
    assert "the bundle would hold 'name', which --identifying" in call(*rows, "-o", "less", *said).refused()
    assert not (tmp_path / "less").exists()
    assert call(*words, "--identifying", "mail*").status == 0
