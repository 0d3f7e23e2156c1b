"""`discreet mine`: the documented JSON, the summary, the file."""

from __future__ import annotations

import csv
import gzip
import json
import shlex
from pathlib import Path

import duckdb
import pytest
from rich.cells import cell_len

from discreet import Transactions, mine
from discreet.wording import is_harmless

RUNNING_EXAMPLE = Path(__file__).parent.parent / "data" / "running-example.dat"
ROWS = [["a", "b", "c"], ["a", "b"], ["a", "b", "d"], ["d"], []]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.dat"
    path.write_text("".join(" ".join(row) + "\n" for row in ROWS))
    return path


@pytest.mark.parametrize("target", ["all", "closed", "maximal"])
def test_json_is_as_documented(call, shop: Path, target: str) -> None:
    outcome = call("mine", shop, "-s", "2", "--target", target, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    document = outcome.document()
    assert list(document) == ["n", "min_support", "target", "count", "itemsets"]
    assert document == mine(Transactions.from_rows(ROWS), min_support=2, target=target).to_dict()
    assert document["n"] == 5


def test_a_share_is_reported_as_the_number_of_rows_it_stands_for(call, shop: Path) -> None:
    assert json.loads(call("mine", shop, "-s", "0.41", "--json").out)["min_support"] == 3


def test_numbers_stay_text_and_are_sorted_as_numbers(call, tmp_path: Path) -> None:
    (tmp_path / "n.dat").write_text("10 9\n9 10 2\n")
    itemsets = json.loads(call("mine", "n.dat", "-s", "1", "--json").out)["itemsets"]
    assert itemsets == [{"items": ["9", "10"], "support": 2}, {"items": ["2", "9", "10"], "support": 1}]


def test_a_cap_on_the_length_is_part_of_the_document(call, shop: Path) -> None:
    document = json.loads(call("mine", shop, "-s", "2", "--target", "all", "--max-length", "1", "--json").out)
    assert [itemset["items"] for itemset in document["itemsets"]] == [["a"], ["b"], ["d"]]
    assert document["max_length"] == 1


def test_standard_input(run, shop: Path) -> None:
    with shop.open() as rows:
        outcome = run("mine", "-", "--format", "fimi", "-s", "2", "--json", stdin=rows)
    assert outcome.status == 0
    assert json.loads(outcome.out)["n"] == 5


def test_the_reading_options_reach_the_reader(call, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("39;0;x\n50;7;x\n20;0;?\n")
    outcome = call(
        *("mine", "t.csv", "-s", "1", "--target", "all", "--max-length", "1", "--json", "--format", "table"),
        *("--delimiter", ";", "--no-header", "--columns", "age,gain,other", "--bins", "age=30,45"),
        *("--map", "gain:0=no,*=yes", "--missing", "drop-row"),
    )
    assert outcome.err == ""
    document = outcome.document()
    assert document["n"] == 2
    assert {itemset["items"][0] for itemset in document["itemsets"]} == {
        *("age=(30,45]", "age=>45", "gain=no", "gain=yes", "other=x")
    }


def test_a_list_may_stand_in_a_file(call, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,c\n1,2,3\n1,5,3\n")
    (tmp_path / "unwanted.txt").write_text("a\nc\n")
    document = json.loads(call("mine", "t.csv", "--drop", "@unwanted.txt", "-s", "1", "--json").out)
    assert [itemset["items"] for itemset in document["itemsets"]] == [["b=2"], ["b=5"]]


def test_a_query_needs_no_data(call, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.db")) as database:
        database.execute("CREATE TABLE bought (who INT, what TEXT)")
        database.executemany("INSERT INTO bought VALUES (?, ?)", [(1, "a"), (1, "b"), (2, "a"), (3, "b")])
    outcome = call(
        *("mine", "--sql", "SELECT who, what FROM bought", "--database", "shop.db", "--format", "long"),
        *("--id-column", "who", "--item-column", "what", "-s", "2", "--json"),
    )
    assert outcome.err == ""
    assert [itemset["items"] for itemset in json.loads(outcome.out)["itemsets"]] == [["a"], ["b"]]


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet", "txt"])
def test_the_file_is_written_and_named(call, shop: Path, tmp_path: Path, suffix: str) -> None:
    outcome = call("mine", shop, "-s", "2", "-o", f"out.{suffix}")
    assert (outcome.status, outcome.err) == (0, "")
    assert f"Written to out.{suffix}." in outcome.out
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"out.{suffix}", "shop.dat"]


def test_the_csv_holds_lists_of_labels(call, shop: Path, tmp_path: Path) -> None:
    call("mine", shop, "-s", "2", "-o", "out.csv")
    lines = [line for line in (tmp_path / "out.csv").read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    assert [(json.loads(row["items"]), int(row["support"])) for row in rows] == [(["d"], 2), (["a", "b"], 3)]


def test_json_and_a_file_go_together(call, shop: Path, tmp_path: Path) -> None:
    outcome = call("mine", shop, "-s", "2", "-o", "out.json", "--json")
    assert outcome.document() == json.loads((tmp_path / "out.json").read_text())


def test_the_same_bytes_every_time(call, shop: Path) -> None:
    first, second = (call("mine", shop, "-s", "1", "--json", "--threads", threads).out for threads in (1, 2))
    assert first == second


def test_the_first_line_is_the_answer(call, shop: Path) -> None:
    lines = call("mine", shop, "-s", "40%").out.splitlines()
    assert lines[1] == "  2 closed itemsets occur in at least 2 of 5 rows (40 %)"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-s", "3"], "1 closed itemset occurs in at least 3 of 5 rows (60 %)"),
        (["-s", "4"], "No itemset occurs in at least 4 of 5 rows (80 %)"),
        (["-s", "9"], "No itemset occurs in at least 9 of 5 rows"),
        (["-s", "2", "--target", "all"], "4 itemsets occur in at least 2 of 5 rows (40 %)"),
        (["-s", "2", "--max-length", "1"], "1 closed itemset of at most 1 item occurs in at least 2 of 5 rows (40 %)"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_answer_in_other_cases(call, shop: Path, words: list[str], line: str) -> None:
    assert call("mine", shop, *words).out.splitlines()[1] == f"  {line}"


@pytest.mark.parametrize("words", [[], ["--target", "all", "--max-length", "2"], ["-s", "4"], ["-o", "out.csv"]])
def test_what_to_do_next_can_be_pasted(call, shop: Path, words: list[str]) -> None:
    outcome = call("mine", shop, "-s", "2", *words)
    commands = [line.strip() for line in outcome.out.splitlines() if line.startswith("    discreet ")]
    assert commands
    for command in commands:
        again = call(*shlex.split(command)[1:])
        assert (again.status, again.err) == (0, "")


def test_the_summary_repeats_the_options_that_reading_needs(call, tmp_path: Path) -> None:
    (tmp_path / "a file.csv").write_text("x;y\nx;y\n")
    out = call("mine", "a file.csv", "--format", "basket", "--delimiter", ";", "-s", "1").out
    assert "discreet mine 'a file.csv' --format basket --delimiter ';' -s 1 -o patterns.csv" in out


def test_a_suggested_output_is_free(call, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "patterns.csv").write_text("mine")
    assert "-o patterns-2.csv" in call("mine", shop, "-s", "2").out


def test_a_file_named_like_an_option_is_suggested_so_that_it_works(call, shop: Path, tmp_path: Path) -> None:
    shop.rename(tmp_path / "-shop.dat")
    assert "discreet mine ./-shop.dat -s 2" in call("mine", "-s", "2", "--", "-shop.dat").out


def test_hostile_labels_are_shown_as_text(call, tmp_path: Path) -> None:
    labels = ["[red]danger[/red]", "\x1b[31mred", "\u202egnirts", "back\bspace", ":smile:", "x" * 5000]
    (tmp_path / "h.csv").write_text("\n".join([",".join(labels)] * 3 + ["alone"]) + "\n")
    outcome = call("mine", "h.csv", "--format", "basket", "-s", "2")
    assert outcome.status == 0
    assert not {"\x1b", "\u202e", "\b"} & set(outcome.out)
    assert max(len(line) for line in outcome.out.splitlines() if "discreet" not in line) <= 80
    printed = call("mine", "h.csv", "--format", "basket", "-s", "2", "--json").out
    assert json.loads(printed)["itemsets"][0]["items"] == sorted(labels)
    assert all(map(is_harmless, printed.rstrip("\n"))), "a terminal obeys none of it"


@pytest.mark.parametrize("words", [("mine", "-s", "2"), ("audit", "-s", "2", "-k", "3"), ("look",)])
def test_json_holds_nothing_that_a_terminal_obeys(call, tmp_path: Path, words: tuple[str, ...]) -> None:
    labels = ["\x9b31mred", "\u202egnirts", "\u2066a\u2069", "\x7f", "a\u2028b", "\U000e0041", "日本語", "é\u200d"]
    (tmp_path / "h.csv").write_text("\n".join(["what", *labels * 3]) + "\n")
    command, *more = words
    outcome = call(command, "h.csv", *more, "--format", "table", "--json")
    assert outcome.status in (0, 1)
    assert json.loads(outcome.out)
    assert all(map(is_harmless, outcome.out.rstrip("\n")))


@pytest.mark.parametrize("label", ["[red]danger[/red]", ":smile:", r"\[x]", "a\\", "日本語", "\x1b[31m"])
def test_markup_in_a_label_is_not_obeyed(call, tmp_path: Path, label: str) -> None:
    (tmp_path / "h.csv").write_text(f"{label},b\n{label},b\nc\n")
    out = call("mine", "h.csv", "--format", "basket", "-s", "2").out
    assert label.replace("\x1b", r"\x1b") in out


def test_wide_letters_keep_the_table_within_the_screen(call, tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text(("糖尿病" * 20 + "," + "高血圧" * 20 + "\n") * 3 + "c\n")
    out = call("mine", "w.csv", "--format", "basket", "-s", "2").out
    assert max(cell_len(line) for line in out.splitlines() if "discreet" not in line) <= 80


def test_too_many_patterns_is_an_error_that_says_how_many(call, tmp_path: Path) -> None:
    (tmp_path / "wide.dat").write_text((" ".join(map(str, range(40))) + "\n") * 2)
    sentence = call(
        *("mine", "wide.dat", "-s", "1", "--target", "all", "--max-patterns", "1000", "-o", "out.csv")
    ).refused()
    assert "1,000" in sentence
    assert "--min-support" in sentence
    assert "--max-patterns" in sentence
    assert not (tmp_path / "out.csv").exists()


def test_the_running_example(call) -> None:
    document = json.loads(call("mine", RUNNING_EXAMPLE, "-s", "8", "--json").out)
    assert (document["n"], document["min_support"]) == (12, 8)


def test_half_a_million_itemsets_stream_out(run, data_folder: Path) -> None:
    outcome = run("mine", data_folder / "mushroom.dat.gz", "-s", "10%", "--target", "all", "--json")
    assert outcome.status == 0
    assert '"count": 574431, ' in outcome.out
    assert outcome.out.count('"support": ') == 574_431
    assert outcome.out.endswith("]}\n")


def test_gzip_is_read_whatever_the_format(call, tmp_path: Path) -> None:
    with gzip.open(tmp_path / "g.csv.gz", "wt") as file:
        file.write("a,b\na,b,c\n")
    assert json.loads(call("mine", "g.csv.gz", "-s", "2", "--json").out)["count"] == 1


def test_where_one_row_is_asked_for_nothing_less_is_suggested(call, tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("\n")
    outcome = call("mine", "rows.dat", "-s", 1)
    assert outcome.status == 0
    assert "What you can do" not in outcome.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["rows.csv", "--columns", "a,b"], "--columns names the columns of a file without a header"),
        (["rows.xyz"], "the format of rows.xyz does not follow from its name; give --format"),
    ],
)
def test_a_word_is_no_option_where_the_option_is_named_anyway(call, tmp_path: Path, words, sentence) -> None:
    for name in ("rows.csv", "rows.xyz"):
        (tmp_path / name).write_text("a,b\n1,2\n")
    assert call("mine", *words, "-s", 1).refused().startswith(sentence)


@pytest.mark.parametrize("command", [["mine", "-s", "2"], ["audit", "-s", "2", "-k", "2"]])
def test_rows_on_the_disk_give_the_same_document(call, shop: Path, command: list[str]) -> None:
    here, on_disk = (call(command[0], shop, *command[1:], "--json", "--engine", name) for name in ("local", "disk"))
    assert (on_disk.status, on_disk.out, on_disk.err) == (here.status, here.out, here.err)
    shown = call(command[0], shop, *command[1:], "--engine", "disk")
    assert shown.status == here.status
    assert shown.err == ""


@pytest.mark.parametrize(
    "command",
    [
        ["release", "-s", "2", "-o", "bundle", "--method", "dp", "--epsilon", "1"],
    ],
)
def test_what_needs_all_rows_in_memory_says_how_much(call, shop: Path, command: list[str]) -> None:
    Path("a.txt").write_text("a\n")
    outcome = call(command[0], shop, *command[1:], "--engine", "disk")
    assert outcome.status == 2
    assert f"{command[0]} needs all rows in memory, here about 0.0 GB; use --engine local" in " ".join(
        outcome.err.split()
    )
