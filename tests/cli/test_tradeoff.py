"""`discreet tradeoff`: the documented JSON, the sentence and the table, the chart."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from rich.cells import cell_len

from discreet import Transactions
from discreet.channels.tradeoff import tradeoff

ROWS = [["a", "b", "c"], ["a", "b", "c"], ["a", "b"], ["a", "b"], ["c"], ["c"], ["c"], []]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.dat"
    path.write_text("".join(" ".join(row) + "\n" for row in ROWS))
    return path


def test_json_is_as_documented(call, shop: Path) -> None:
    outcome = call("tradeoff", shop, "-s", "50%,2,3", "-k", "3,2", "--json")
    assert (outcome.status, outcome.err) == (0, "")
    document = outcome.document()
    assert document == tradeoff(Transactions.from_rows(ROWS), min_support=[2, 3, 4], k=[2, 3]).to_dict()
    assert list(document) == ["n", "verdict", "points", "lowest"]
    assert [(point["min_support"], point["k"]) for point in document["points"]] == [
        *((2, 2), (2, 3)),
        *((3, 2), (3, 3)),
        *((4, 2), (4, 3)),
    ]
    assert all(list(point) == ["min_support", "k", "closed", "channels"] for point in document["points"])


def test_mushroom_s_sentence_comes_first(call, data_folder: Path) -> None:
    outcome = call("tradeoff", data_folder / "mushroom.dat.gz", "-s", "60%,70%", "-k", "10")
    assert (outcome.status, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[1] == "  The lowest support with no channel for k = 10 is 97.3 % (7,907 rows)"
    assert "       60 %  4,875               19       3" in lines
    assert "-s 7907 -k 10" in outcome.out


def test_a_range_stands_for_its_supports(call, shop: Path) -> None:
    documents = [
        call("tradeoff", shop, "-s", text, "-k", "2", "--json").out for text in ("2..4:3", "2,3,4", "25%..0.5:3")
    ]
    assert documents[0] == documents[1] == documents[2]


def test_lists_may_stand_in_files(call, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("2\n3\n")
    (tmp_path / "k.txt").write_text("2\n")
    assert (
        call("tradeoff", shop, "-s", "@s.txt", "-k", "@k.txt", "--json").out
        == call("tradeoff", shop, "-s", "2,3", "-k", "2", "--json").out
    )


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_answer_fits_the_screen(call, shop: Path, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    supports = ",".join(map(str, range(1, 40)))
    outcome = call("tradeoff", shop, "-s", supports, "-k", ",".join(map(str, range(2, 30))))
    lines = [line for line in outcome.out.splitlines() if not line.startswith("    discreet ")]
    assert max(cell_len(line) for line in lines) <= min(columns, 100)
    assert "--json lists all" in outcome.out
    assert sum(line.lstrip()[:1].isdigit() for line in lines) <= 30


def test_what_to_do_next_can_be_pasted(call, shop: Path) -> None:
    outcome = call("tradeoff", shop, "-s", "1,2,3,4", "-k", "2,3")
    commands = [line.strip() for line in outcome.out.splitlines() if line.startswith("    discreet ")]
    assert [command.split()[1] for command in commands] == ["audit", "block", "tradeoff"]
    for command in commands:
        again = call(*shlex.split(command)[1:])
        assert again.status in (0, 1), (command, again)
    assert Path("tradeoff.svg").exists()


def test_standard_input_is_not_offered_again(run, shop: Path) -> None:
    with shop.open() as rows:
        outcome = run("tradeoff", "-", "--format", "fimi", "-s", "2", "-k", "2", stdin=rows)
    assert (outcome.status, outcome.err) == (0, "")
    assert "discreet" not in outcome.out


@pytest.mark.parametrize("suffix", [".svg", ".html", ".SVG"])
def test_the_chart_is_written_and_named(call, shop: Path, tmp_path: Path, suffix: str) -> None:
    name = f"chart{suffix}"
    outcome = call("tradeoff", shop, "-s", "1,2,3", "-k", "2,3", "-o", name)
    assert (outcome.status, outcome.err) == (0, "")
    assert f"Written to {name}." in outcome.out
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, "shop.dat"]
    first = (tmp_path / name).read_bytes()
    assert call("tradeoff", shop, "-s", "1,2,3", "-k", "2,3", "-o", name, "--force", "--json").status == 0
    assert (tmp_path / name).read_bytes() == first


def test_quasi_identifiers_are_passed_on(call, shop: Path) -> None:
    document = json.loads(call("tradeoff", shop, "-s", "1", "-k", "2", "--quasi-identifiers", "c", "--json").out)
    assert document["points"] == [{"min_support": 1, "k": 2, "closed": 3, "channels": 0}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-s", "0", "-k", "2"], "--min-support must be at least one row"),
        (["-s", "2,150%", "-k", "2"], "--min-support must be at least one row and at most all of them, got '150%'"),
        (["-s", "", "-k", "2"], "--min-support must be"),
        (["-s", "2,,3", "-k", "2"], "--min-support must be"),
        (["-s", "1..50%:3", "-k", "2"], "--min-support 1..50%:3 is not a range"),
        (
            ["-s", "10%..50%", "-k", "2"],
            "--min-support 10%..50% is not a range; write its two ends in the same way, and",
        ),
        (["-s", "@nothing.txt", "-k", "2"], "--min-support: cannot read nothing.txt: No such file"),
        (["-s", "2", "-k", "1"], "k must be a whole number of at least 2, got 1"),
        (["-s", "2", "-k", "x"], "k must be a whole number of at least 2, got 'x'"),
        (["-s", "2", "-k", ""], "k must be a whole number of at least 2, got ''"),
        (["-s", "2"], "-k is missing"),
        (["-k", "2"], "-s/--min-support is missing"),
        (["-s", "2", "-k", "2", "-o", "chart.png"], "chart.png has no suffix of a chart; name it .svg or .html"),
        (["-s", "2", "-k", "2", "-o", "chart"], "chart has no suffix of a chart"),
        (["-s", "2", "-k", "2", "-o", "nowhere/chart.svg"], "the folder nowhere does not exist"),
        (["-s", "2", "-k", "2", "-o", "shop.svg"], "shop.svg exists already"),
        (["-s", "2", "-k", "2", "--quasi-identifiers", "x"], "entry 1 of --quasi-identifiers names the label 'x'"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_touched(call, shop: Path, tmp_path: Path, words: list[str], said: str):
    (tmp_path / "shop.svg").write_text("mine")
    assert said in call("tradeoff", shop, *words).refused()
    assert (tmp_path / "shop.svg").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shop.dat", "shop.svg"]


@pytest.mark.parametrize(
    "words", [["-s", "0", "-k", "2"], ["-s", "2", "-k", "1"], ["-s", "2", "-k", "2", "-o", "c.pdf"]]
)
def test_bad_options_are_refused_before_any_row_is_read(call, words: list[str]) -> None:
    assert "no-such-file" not in call("tradeoff", "no-such-file.dat", *words).refused()
