"""`discreet hide`: the documented JSON, rows that may be handed over, and what is for the owner alone."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shlex
import stat
import subprocess
from functools import partial
from typing import TYPE_CHECKING

import pytest

from discreet import hide, read
from tests.cli.hiding import EXAMPLE, hidden

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("private")

METHODS = ["naive", "minfia", "maxfia", "iga"]


def test_json_is_as_documented(call, private: Path, tmp_path: Path):
    outcome = hidden(call, "-s", 2, "--json", method="minfia")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.count("\n") == 1
    document = json.loads(outcome.out)
    assert {name: document[name] for name in ("method", "disclosure", "n", "sensitive_rows", "changed_rows")} == {
        "method": "minfia",
        "disclosure": 0,
        "n": 6,
        "sensitive_rows": 3,
        "changed_rows": 3,
    }
    assert document["removed_items"] == 3
    assert document["dissimilarity"] == pytest.approx(3 / 18)
    assert document["side_effects"] == {
        "min_support": 2,
        "hiding_failure": 0,
        "misses_cost": pytest.approx(3 / 11),
        "artifactual_patterns": 0,
        "patterns_before": 13,
        "patterns_after": 8,
        "restrictive_before": 2,
        "restrictive_after": 0,
    }
    assert (tmp_path / "out.dat").read_text() == "A B C\nA B C\nA B\nA D\nA B C\nB D\n"
    assert private.exists()


def test_without_a_support_nothing_is_measured(call):
    assert json.loads(hidden(call, "--json").out)["side_effects"] is None


@pytest.mark.parametrize("method", METHODS)
def test_the_same_input_gives_the_same_bytes(call, tmp_path: Path, method: str):
    for name in ("one.dat.gz", "two.dat.gz"):
        assert hidden(call, method=method, out=name).status == 0
    assert (tmp_path / "one.dat.gz").read_bytes() == (tmp_path / "two.dat.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.dat.gz").read_bytes()).endswith(b"\nB D\n")


def test_the_first_line_says_what_is_hidden(call):
    lines = hidden(call).out.splitlines()
    assert lines[1] == "  HIDDEN  2 restrictive itemsets, in no row any more"
    assert max(map(len, lines)) <= 80


def test_a_share_may_stay_and_a_line_may_have_its_own(call, private: Path, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a b\n" * 10 + "c d\n" * 10)
    private.write_text("a b @ 30%\nc d\n")
    document = json.loads(hidden(call, "--disclosure", "0.55", "--json", data="rows.dat").out)
    assert [(each["before"], each["after"]) for each in document["restrictive"]] == [(10, 3), (10, 5)]
    assert "in no more rows than allowed" in hidden(call, "--disclosure", 1, "--force", data="rows.dat").out


def test_a_rule_falls_below_its_bound(call, private: Path):
    private.write_text("B => C @ 0.5\nA B D\n")
    document = json.loads(hidden(call, "--json").out)
    assert document["rules"] == [{"antecedent": ["B"], "consequent": ["C"], "below": 0.5, "before": 0.6, "after": 0.4}]
    assert "1 rule below its bound" in hidden(call, "--force").out
    assert json.loads(call("query", "out.dat", "B AND C", "--json").out)["count"] == 2


def test_the_change_log_is_the_owners_alone_and_undoes_everything(call, tmp_path: Path):
    assert hidden(call, "--log", "log.csv", method="naive").status == 0
    log = tmp_path / "log.csv"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    with log.open(newline="") as file:
        removed = [(int(line["row"]), line["item"]) for line in csv.DictReader(file)]
    assert removed == [(1, "A"), (1, "B"), (1, "D"), (3, "B"), (3, "D"), (4, "C"), (4, "D")]
    again = [set(row) for row in read(tmp_path / "out.dat")]
    for row, item in removed:
        again[row - 1].add(item)
    assert again == [set(row) for row in read(EXAMPLE)]
    assert b"log" not in (tmp_path / "out.dat").read_bytes()


@pytest.mark.parametrize("name", ["lost.csv", "lost.parquet"])
def test_the_itemsets_lost_are_listed_with_both_supports(call, tmp_path: Path, name: str):
    assert hidden(call, "-s", 2, "--lost", name).status == 0
    if name.endswith("csv"):
        with (tmp_path / name).open(newline="") as file:
            lost = [
                (json.loads(line["items"]), int(line["before"]), int(line["after"])) for line in csv.DictReader(file)
            ]
    else:
        import pyarrow.parquet as pq

        lost = [(line["items"], line["before"], line["after"]) for line in pq.read_table(tmp_path / name).to_pylist()]
    assert lost == [(["D"], 4, 1), (["A", "D"], 3, 0), (["B", "D"], 3, 1), (["C", "D"], 2, 0)]


def test_the_command_says_what_who_mines_lower_finds(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a b\n" * 9 + "c d\n" * 9)
    (tmp_path / "private.txt").write_text("a b\nc d\n")
    asked = ("hide", "rows.dat", "--restrict", "private.txt", "--below", 5, "-o", "out.dat", "--force")
    said = " ".join(call(*asked).out.split())
    assert "HIDDEN (below 5) 2 restrictive itemsets, each in fewer than 5 rows" in said
    assert "Whoever mines at 4 rows or fewer finds some of them still, and 2 of them at exactly 4" in said
    document = json.loads(call(*asked, "--margin", 1, "--json").out)
    assert (document["verdict"], document["below"], document["margin"]) == ("hidden", 5, 1)
    assert document["side_effects"]["min_support"] == 5
    assert "exactly" not in call(*asked, "--margin", 2).out


def test_below_shows_what_hiding_wholly_would_cost(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a b\n" * 9)
    (tmp_path / "private.txt").write_text("a b\n")
    asked = ("hide", "rows.dat", "--restrict", "private.txt", "--below", 5, "-o", "out.dat", "--force")
    document = json.loads(call(*asked, "--json").out)
    assert document["side_effects"]["misses_cost"] == 0
    assert document["hidden_wholly"] == {"method": "rowwise", "misses_cost": 0.5}  # a or b
    told = " ".join(call(*asked).out.split())
    assert "If no row kept any of them, 50 % of the other itemsets would be lost (by rowwise), in place of 0 %." in told
    assert "hidden_wholly" not in json.loads(call(*asked[:4], "-s", 5, *asked[6:], "--json").out)


class TestFormats:
    """Rows go back the way they came; labels of the restrictive file are those of the rows' format."""

    def test_a_table(self, call, private: Path, tmp_path: Path):
        (tmp_path / "rows.csv").write_text("ward,drug,sex\n3, x y ,m\n3,x y,f\n4,z,m\n", newline="")
        private.write_text('ward=3,"drug=x y"\n')
        assert hidden(call, data="rows.csv", out="out.csv").status == 0
        assert (tmp_path / "out.csv").read_text() == "ward,drug,sex\n3,,m\n3,,f\n4,z,m\n"

    def test_dropped_columns_do_not_come_back(self, call, private: Path, tmp_path: Path):
        (tmp_path / "rows.csv").write_text("name,ward,drug\nann,3,x\nbob,4,x\n")
        private.write_text("ward=3,drug=x\n")
        assert hidden(call, "--drop", "name", "--format", "table", data="rows.csv", out="out.csv").status == 0
        assert (tmp_path / "out.csv").read_text() == "ward,drug\n,x\n4,x\n"

    def test_baskets_with_commas_in_labels(self, call, private: Path, tmp_path: Path):
        (tmp_path / "rows.csv").write_text('"milk, whole",tea\ntea,bread\n"milk, whole",tea,bread\n')
        private.write_text('"milk, whole", tea => bread @ 40%\n"milk, whole",tea @ 0.5\n')
        assert hidden(call, data="rows.csv", out="out.csv", method="maxfia").status == 0
        assert [set(row) for row in read(tmp_path / "out.csv", format="basket")] == [
            {"milk, whole"},
            {"tea", "bread"},
            {"milk, whole", "tea"},
        ]

    @pytest.mark.parametrize("name", ["rows.parquet", "rows.json", "rows.jsonl"])
    def test_lists(self, call, private: Path, tmp_path: Path, name: str):
        from discreet import Transactions, write

        write(Transactions.from_rows(["ABCD", "AB", ""]), tmp_path / name)
        private.write_text("A,B\n")
        assert hidden(call, data=name, out=f"out-{name}").status == 0
        assert [set(row) for row in read(tmp_path / f"out-{name}")] == [set("BCD"), {"B"}, set()]

    def test_long_tables(self, call, private: Path, tmp_path: Path):
        (tmp_path / "rows.csv").write_text("who,item\n1,b\n2,a\n1,a\n3,a\n")
        private.write_text("a,b\n")
        words = ["--format", "long", "--id-column", "who", "--item-column", "item"]
        assert hidden(call, *words, data="rows.csv", out="out.csv").status == 0
        assert [set(row) for row in read(tmp_path / "out.csv", format="long")] == [{"a"}, {"a"}, {"a"}]

    def test_standard_input_and_databases_have_no_bytes_to_keep(self, run, tmp_path: Path):
        words = ["--restrict", "private.txt", "--method", "iga", "-o", "out.dat", "--format", "fimi"]
        with EXAMPLE.open() as file:
            outcome = run("hide", "-", *words, stdin=file)
        assert outcome.status == 0, outcome.err
        assert len(read(tmp_path / "out.dat")) == 6


class TestAgainst:
    """`--against`: what a pair of copies gives back."""

    def test_the_same_copy_gives_nothing_back(self, call):
        hidden(call, out="one.dat")
        outcome = hidden(call, "--against", "one.dat", "--json", out="two.dat")
        assert outcome.status == 0
        assert json.loads(outcome.out)["against"] == {
            "safe": True,
            "restored_items": 0,
            "restrictive": [{"this": 0, "other": 0, "together": 0, "allowed": 0}] * 2,
            "rules_restored": 0,
        }

    def test_another_method_gives_back_what_each_removed(self, call):
        hidden(call, out="one.dat", method="maxfia")
        outcome = hidden(call, "--against", "one.dat", "--json", out="two.dat", method="minfia")
        assert outcome.status == 1
        pair = json.loads(outcome.out)["against"]
        assert (pair["safe"], pair["restored_items"]) == (False, 3)
        assert [each["together"] for each in pair["restrictive"]] == [2, 2]
        shown = hidden(call, "--against", "one.dat", out="three.dat", method="minfia")
        assert (shown.status, shown.err) == (1, "")
        assert shown.out.splitlines()[1].startswith("  NOT HIDDEN  together with one.dat")
        assert "NOT together with one.dat" in shown.out

    def test_a_rule_can_come_back_too(self, call, private: Path):
        private.write_text("B => C @ 0.5\n")
        outcome = hidden(call, "--against", EXAMPLE, "--json")
        assert outcome.status == 1
        assert json.loads(outcome.out)["against"]["rules_restored"] == 1

    def test_no_copy_of_these_rows(self, call, tmp_path: Path):
        (tmp_path / "fewer.dat").write_text("A\n")
        (tmp_path / "other.dat").write_text("A B C D\n" * 6)
        assert "1 rows where 6" in hidden(call, "--against", "fewer.dat").refused()
        assert "not a copy of these rows" in hidden(call, "--against", "other.dat").refused()
        assert not (tmp_path / "out.dat").exists()


BAD_LINES = {
    "an unknown label": ("A B\nA X\n", "line 2 of private.txt names the label 'X'"),
    "an unknown label in a rule": ("A => X @ 0.5\n", "line 1 of private.txt names the label 'X'"),
    "an empty line": ("A B\n\nA C\n", "line 2 of private.txt holds no item"),
    "only a threshold": ("@ 0.5\n", "line 1 of private.txt holds no item"),
    "an empty file": ("", "names no pattern"),
    "only a newline": ("\n", "line 1 of private.txt holds no item"),
    "a threshold above 1": ("A B\nA C @ 1.5\n", "after @ in line 2 of private.txt"),
    "a threshold below 0": ("A C @ -0.5\n", "after @ in line 1 of private.txt"),
    "a threshold that is no number": ("A C @ some\n", "after @ in line 1 of private.txt"),
    "a threshold without a number": ("A C @\n", "after @ in line 1 of private.txt"),
    "a rule without a bound": ("A => C\n", "line 1 of private.txt is a rule without a bound"),
    "a rule without a left side": ("=> C @ 0.5\n", "line 1 of private.txt needs items on both sides"),
    "a rule without a right side": ("A => @ 0.5\n", "line 1 of private.txt needs items on both sides"),
    "a rule with two arrows": ("A => B => C @ 0.5\n", "line 1 of private.txt has more than one =>"),
    "an item on both sides": ("A B => B @ 0.5\n", "line 1 of private.txt has an item on both sides"),
    "a bound that nothing is below": ("A => B @ 0\n", "line 1 of private.txt asks for a confidence below 0"),
}


@pytest.mark.parametrize("case", BAD_LINES)
@pytest.mark.parametrize("words", [[], ["--json", "-s", "2"]], ids=["summary", "json"])
def test_lines_that_ask_for_nothing(call, private: Path, tmp_path: Path, case: str, words: list[str]):
    text, sentence = BAD_LINES[case]
    private.write_text(text)
    assert sentence in hidden(call, *words, "--log", "log.csv", "--index", "rows.index").refused()
    assert [path.name for path in tmp_path.iterdir()] == ["private.txt"]


def test_bytes_that_are_no_text(call, private: Path):
    private.write_bytes(b"A B\nA \xff\n")
    assert "line 2 of private.txt has bytes that are not UTF-8" in hidden(call).refused()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--disclosure", "1.5"], "--disclosure"),
        (["--disclosure", "-1"], "--disclosure"),
        (["--disclosure", "x"], "--disclosure"),
        (["-s", "0"], "--min-support"),
        (["--lost", "lost.csv"], "give -s"),
        (["--lost", "lost.xyz", "-s", "2"], "--lost"),
        (["--log", "out.dat"], "different files"),
        (["--index", "out.dat"], "different files"),
        (["--protect", "nothing.txt"], "nothing.txt"),
        (["--protect", "private.txt"], "cannot be spared"),
        (["--against", "nothing.dat"], "nothing.dat"),
    ],
)
def test_options_that_do_not_fit(call, tmp_path: Path, words: list[str], sentence: str):
    assert sentence in hidden(call, *words).refused()
    assert [path.name for path in tmp_path.iterdir()] == ["private.txt"]


def test_where_the_rows_cannot_be_written_nothing_is(call, tmp_path: Path):
    (tmp_path / "rows.csv").write_text("a b,A,B,D\nA,B,D\n")
    (tmp_path / "private.txt").write_text("A,B\n")
    words = ["--log", "log.csv", "--lost", "lost.csv", "-s", 1, "--index", "rows.index"]
    assert "fimi" in hidden(call, *words, data="rows.csv", out="out.dat").refused()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["private.txt", "rows.csv"]


def test_rows_that_change_meanwhile_are_noticed(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rows = tmp_path / "rows.dat"
    rows.write_bytes(EXAMPLE.read_bytes())

    def hide_and_change(*words, **options):
        done = hide(*words, **options)
        rows.write_bytes(EXAMPLE.read_bytes().replace(b"A B C\n", b"A C B\n"))
        return done

    monkeypatch.setattr("discreet.hide", hide_and_change)
    assert "rows.dat changed in the meantime" in hidden(call, "--log", "log.csv", data="rows.dat").refused()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["private.txt", "rows.dat"]


@pytest.mark.parametrize("packed", [False, True])
def test_rows_that_change_behind_the_same_size_and_date_are_noticed(
    call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
):
    rows = tmp_path / ("rows.dat.gz" if packed else "rows.dat")
    pack = partial(gzip.compress, mtime=0, compresslevel=0) if packed else bytes
    rows.write_bytes(pack(b"A B D\nA C D\nB X X\nC C C\n"))
    before = rows.stat()

    def hide_and_change(*words, **options):
        done = hide(*words, **options)
        rows.write_bytes(pack(b"A B D\nA C D\nA B D\nC C C\n"))
        os.utime(rows, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert rows.stat().st_size == before.st_size
        return done

    monkeypatch.setattr("discreet.hide", hide_and_change)
    assert f"{rows.name} changed in the meantime" in hidden(call, data=rows.name).refused()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["private.txt", rows.name]


def test_a_pipe_is_read_once(run, tmp_path: Path):
    os.mkfifo(tmp_path / "rows.dat")
    with subprocess.Popen(["/bin/cp", str(EXAMPLE), "rows.dat"]):
        words = ["--restrict", "private.txt", "--method", "iga", "-o", "out.dat"]
        assert run("hide", "rows.dat", *words).status == 0
    assert len(read(tmp_path / "out.dat")) == 6


def test_what_must_be_given(call, tmp_path: Path):
    assert "--restrict" in call("hide", EXAMPLE, "--method", "iga", "-o", "out.dat").refused()
    assert "--method" in call("hide", EXAMPLE, "--restrict", "private.txt", "-o", "out.dat").refused()
    assert "--method" in hidden(call, method="magic").refused()
    assert "-o" in call("hide", EXAMPLE, "--restrict", "private.txt", "--method", "iga").refused()
    assert (
        "missing.txt" in call("hide", EXAMPLE, "--restrict", "missing.txt", "--method", "iga", "-o", "o.dat").refused()
    )
    (tmp_path / "out.dat").write_text("mine")
    assert "exists already" in hidden(call).refused()
    assert (tmp_path / "out.dat").read_text() == "mine"
    assert hidden(call, "--force").status == 0


def test_an_owner_need_not_know_whether_a_pattern_exists(call, private: Path, tmp_path: Path):
    private.write_text("A X\nY\nA B D\nX => A @ 0.5\n")
    document = json.loads(hidden(call, "--ignore-unknown", "--json").out)
    assert [(each["items"], each["before"]) for each in document["restrictive"]] == [
        (["A", "X"], 0),
        (["Y"], 0),
        (["A", "B", "D"], 2),
    ]
    assert document["rules"][0]["before"] is None
    private.write_text("X Y\n")
    outcome = hidden(call, "--ignore-unknown", out="same.dat")
    assert "None of the 6 rows had to be changed" in outcome.out
    assert (tmp_path / "same.dat").read_bytes() == EXAMPLE.read_bytes()


def test_what_to_do_next_can_be_pasted(call):
    outcome = hidden(call, out="a file.dat")
    (command,) = [line.strip() for line in outcome.out.splitlines() if line.startswith("    discreet ")]
    again = call(*shlex.split(command)[1:])
    assert again.out.splitlines()[1].startswith("  0 of 6 rows have A, B and D")


@pytest.mark.parametrize(
    ("data", "words", "out", "line"),
    [
        (
            "who,hours,ward\n1,38,a\n2,50,b\n",
            ["--bins", "hours=40", "--id-column", "who"],
            "out.csv",
            "hours=<=40,ward=a",
        ),
        ("x,y\n1,2\n3,2\n", ["--format", "table", "--drop", "y"], "out.csv", "x=1"),
        ("1;2\n3;2\n", ["--no-header", "--columns", "x,y", "--delimiter", ";"], "out.csv", "x=1,y=2"),
        ("a,b\na,b,c\nc\n", [], "out.json", "a,b"),
        ("a;b\na;b;c\nc\n", ["--delimiter", ";", "--format", "basket"], "out.dat", "a,b"),
        ("id,x\n1,a\n1,b\n2,a\n", ["--format", "long", "--id-column", "id", "--item-column", "x"], "out.csv", "a,b"),
    ],
)
def test_what_to_do_next_and_other_copies_in_every_format(
    call, private: Path, tmp_path: Path, data: str, words: list[str], out: str, line: str
):
    (tmp_path / "rows.csv").write_text(data)
    private.write_text(f"{line}\n")
    outcome = hidden(call, *words, data="rows.csv", out=out)
    assert outcome.status == 0, outcome.err
    (command,) = [each.strip() for each in outcome.out.splitlines() if each.startswith("    discreet ")]
    again = call(*shlex.split(command)[1:])
    assert (again.status, again.out[:5]) == (0, "\n  0 "), again
    pair = hidden(call, *words, "--against", out, data="rows.csv", out=f"again-{out}")
    assert pair.status == 0, pair.err


def test_rows_never_replace_those_they_came_from(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_bytes(EXAMPLE.read_bytes())
    assert "rows.dat is read here" in hidden(call, "--force", data="rows.dat", out="rows.dat").refused()
    assert (tmp_path / "rows.dat").read_bytes() == EXAMPLE.read_bytes()


def test_lists_by_recipient_give_one_copy_for_all(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("A B C D\nA B C\nA B D\nA C D\nA B C\nB D\n")
    (tmp_path / "supplier.txt").write_text("A B D\n")
    (tmp_path / "partner.txt").write_text("A C D\nB D\n")
    lists = ["--restrict", "supplier=supplier.txt", "--restrict", "partner=partner.txt"]
    outcome = call("hide", "rows.dat", *lists, "--method", "iga", "-o", "out.dat")
    assert outcome.status == 0
    said = " ".join(outcome.out.split())
    assert said.startswith("HIDDEN 3 restrictive itemsets, in no row any more")
    assert "What two separate copies would give back together" in said
    assert "0 2 supplier and partner" in said
    out = [frozenset(line.split()) for line in (tmp_path / "out.dat").read_text().splitlines()]
    assert not any({*"ABD"} <= row or {*"ACD"} <= row or {*"BD"} <= row for row in out)
    told = call("hide", "rows.dat", *lists, "--method", "iga", "-o", "again.dat", "--json").document()
    assert [(each["name"], each["patterns"], each["seen_less"]) for each in told["recipients"]] == [
        ("supplier", 1, 2),
        ("partner", 2, 1),
    ]
    assert told["pairs"][0]["restored"] == {"supplier": 0, "partner": 2}


def test_lists_of_several_recipients_must_be_told_apart(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("A B\nA\n")
    (tmp_path / "a.txt").write_text("A B\n")
    (tmp_path / "b=c.txt").write_text("A B\n")
    words = ["hide", "rows.dat", "--method", "iga", "-o", "out.dat"]
    for lists in (["x=a.txt", "a.txt"], ["x=a.txt", "x=a.txt"], ["a.txt", "b=c.txt"]):
        typed = [word for each in lists for word in ("--restrict", each)]
        assert "each must name another recipient" in call(*words, *typed).refused()
    assert call(*words, "--restrict", "b=c.txt").status == 0  # a file of that name
    lost = call("hide", "rows.dat", "--method", "iga", "-o", "a.txt", "--force", "--restrict", "x=a.txt").refused()
    assert "a.txt is read here" in lost
    assert (tmp_path / "a.txt").read_text() == "A B\n"


def test_rows_in_an_old_encoding_keep_their_bytes(call, tmp_path: Path) -> None:
    lines = ["größe;stadt", "groß;Köln", "klein;Bonn", "groß;Bonn"]
    (tmp_path / "rows.csv").write_bytes("\r\n".join([*lines, ""]).encode("cp1252"))
    (tmp_path / "restrict.txt").write_text('"größe=groß","stadt=Köln"\n', encoding="utf-8")
    words = (
        "hide",
        "rows.csv",
        "--encoding",
        "cp1252",
        "--restrict",
        "restrict.txt",
        "--method",
        "iga",
        "-o",
        "out.csv",
    )
    outcome = call(*words)
    assert outcome.status == 0
    written = (tmp_path / "out.csv").read_bytes().decode("cp1252").split("\r\n")
    assert [written[0], *written[2:]] == [lines[0], *lines[2:], ""]
    assert "--encoding cp1252" in outcome.out.split("What you can do")[1]
