"""`discreet query`: the documented JSON, the answer in words, and what is refused."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import duckdb
import pytest
from rich.cells import cell_len

RUNNING_EXAMPLE = Path(__file__).parent.parent / "data" / "running-example.dat"


@pytest.fixture
def published(call, tmp_path: Path) -> Path:
    """Return a file of the running example's closed itemsets."""
    assert call("mine", RUNNING_EXAMPLE, "-s", "6", "-o", "patterns.csv").status == 0
    return tmp_path / "patterns.csv"


@pytest.mark.parametrize(
    ("text", "count", "rows"),
    [
        ("a ∨ f", 11, [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12]),  # noqa: RUF001
        ("e ∧ (¬b ∨ ¬d)", 4, [8, 9, 10, 11]),  # noqa: RUF001
        ("h and not b", 1, [11]),
        ('"b" AND NOT d AND NOT e', 1, [12]),
        ("a and not a", 0, []),
    ],
)
def test_the_document_from_rows(call, text: str, count: int, rows: list[int]) -> None:
    outcome = call("query", RUNNING_EXAMPLE, text, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.count("\n") == 1
    assert outcome.document() == {"count": count, "rows": rows}


@pytest.mark.parametrize(("text", "count"), [("e ∧ (¬b ∨ ¬d)", 4), ("b∧¬d∧¬e", 1), ("not a", 3)])  # noqa: RUF001
def test_the_document_from_patterns(call, published: Path, text: str, count: int) -> None:
    outcome = call("query", "--patterns", published, text, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.document() == {"count": count, "rows": None}
    assert call("query", text, "--patterns", published, "--json").out == outcome.out


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("a", "9 of 12 rows have a"),
        ("a and b and f", "3 of 12 rows have a, b and f"),
        ("e and d and not (c or f)", "1 of 12 rows has e and d, and none of c, f"),
        ("b and not d", "1 of 12 rows has b, and not d"),
        ("not b", "4 of 12 rows do not have b"),
        ("not e", "1 of 12 rows does not have e"),
        ("not b and not c", "1 of 12 rows has none of b, c"),
        ("a or X", "9 of 12 rows match a OR X"),
        ("e and (not b or not d)", "4 of 12 rows match e AND (NOT b OR NOT d)"),
        ("a and b and c and d and e and f and g and h", "1 of 12 rows has a, b, c, d, e, f and 2 more"),
    ],
)
def test_the_first_line_is_the_answer(call, text: str, answer: str) -> None:
    outcome = call("query", RUNNING_EXAMPLE, text, "--ignore-unknown")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.splitlines()[1] == f"  {answer}"


def test_the_rows_come_next(call, tmp_path: Path) -> None:
    assert call("query", RUNNING_EXAMPLE, "h").out.splitlines()[5] == "  Rows 1, 11."
    assert call("query", RUNNING_EXAMPLE, "h and not b").out.splitlines()[5] == "  Row 11."
    assert len(call("query", RUNNING_EXAMPLE, "h and not h").out.splitlines()) == 4
    (tmp_path / "many.dat").write_text("a b\n" * 2000)
    lines = call("query", "many.dat", "a").out.splitlines()
    assert " ".join(line.strip() for line in lines[5:7]).startswith("Rows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,")
    assert "15 and 1,985 more." in " ".join(lines[5:7])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a and not ('b' or c)", []),
        ('"-5" or a', []),
        ("(x or a) and not c", ["--ignore-unknown"]),
        ("'b'", ["--format", "fimi"]),
    ],
)
def test_what_to_do_next_can_be_pasted(call, tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "a file.dat").write_text("a\na 'b' -5\nc\n" * 20)
    outcome = call("query", "a file.dat", text, *words)
    (command,) = [line.strip() for line in outcome.out.splitlines() if line.startswith("    discreet ")]
    again = call(*shlex.split(command)[1:])
    assert (again.status, again.err) == (0, "")
    assert again.out == call("query", "a file.dat", text, *words, "--json").out


def test_patterns_show_the_arithmetic(call, published: Path) -> None:
    lines = call("query", "--patterns", published, "b and not (e or d)").out.splitlines()
    assert lines[1:] == [
        "  1 of 12 rows has b, and none of e, d",
        "",
        "  Read as itemsets of discreet: 11 itemsets, 7 items, counts of n = 12.",
        "",
        "  sup(b) − sup(b e) − sup(b d) + sup(b d e)",
        "  = 8 − 7 − 7 + 7 = 1",
    ]


@pytest.mark.parametrize(
    ("text", "sum_"),
    [
        ("a and b", "sup(a b) = 8"),
        ("a or not a", "n = 12"),
        ("a and not a", "Computed from the laws of logic alone."),
        ("(a and not b) or (b and not a)", "sup(a) + sup(b) − 2 × sup(a b)\n  = 9 + 8 − 2 × 8 = 1"),
        ("not (a or c or d or e)", "Computed from the supports of 16 itemsets alone."),
    ],
)
def test_the_arithmetic_in_other_cases(call, published: Path, text: str, sum_: str) -> None:
    assert call("query", "--patterns", published, text).out.split("\n\n", 2)[2] == f"  {sum_}\n"


def test_other_tools_patterns_need_to_be_told_n_and_what_they_are(call, tmp_path: Path) -> None:
    (tmp_path / "spmf.txt").write_text("a b #SUP: 3\na b c #SUP: 2\n")
    words = ("query", "--patterns", "spmf.txt")
    assert call(*words, "a and b and not c").out.splitlines()[1] == "  1 row has a and b, and not c"
    assert "give --n" in call(*words, "not (a and b)").refused()
    assert json.loads(call(*words, "not (a and b)", "--n", "7", "--json").out)["count"] == 4
    assert 'give --target "closed"' in call(*words, "a").refused()
    assert json.loads(call(*words, "a", "--target", "closed", "--json").out)["count"] == 3
    assert "above the number of rows" in call(*words, "a", "--n", "2").refused()


def test_standard_input(run, published: Path) -> None:
    with RUNNING_EXAMPLE.open() as rows:
        outcome = run("query", "-", "a or f", "--format", "fimi", stdin=rows)
    assert outcome.status == 0
    assert "11 of 12 rows match a OR f" in outcome.out
    assert "discreet query" not in outcome.out
    with published.open() as patterns:
        answer = json.loads(run("query", "--patterns", "-", "a", "--json", stdin=patterns).out)
    assert (answer["count"], answer["rows"], answer["read"]["name"]) == (9, None, "standard input")


def test_a_database_needs_no_data(call, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.db")) as database:
        database.execute("CREATE TABLE bought (who INT, what TEXT)")
        database.executemany("INSERT INTO bought VALUES (?, ?)", [(1, "a"), (1, "b"), (2, "a"), (3, "b")])
    outcome = call(
        *("query", "a and not b", "--sql", "SELECT who, what FROM bought ORDER BY who", "--database", "shop.db"),
        *("--format", "long", "--id-column", "who", "--item-column", "what", "--json"),
    )
    assert outcome.err == ""
    assert outcome.document() == {"count": 1, "rows": [2]}


def test_labels_of_a_table_stand_in_quotes(call, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,town\n39,New York\n50,Bern\n20,New York\n")
    outcome = call("query", "t.csv", '"town=New York" and not "age=(30,45]"', "--bins", "age=30,45", "--json")
    assert outcome.document() == {"count": 1, "rows": [3]}


REFUSED = {
    "no words": ([], "EXPRESSION is missing"),
    "no expression": ([RUNNING_EXAMPLE], "EXPRESSION is missing: give DATA and EXPRESSION"),
    "no expression for patterns": (["--patterns", "patterns.csv"], "EXPRESSION is missing"),
    "a stray parenthesis": ([RUNNING_EXAMPLE, "a AND )"], "query: expected a label, NOT or '(' at column 7, got ')'"),
    "an empty expression": ([RUNNING_EXAMPLE, ""], "at column 1, got the end"),
    "an expression before the file": (["nowhere.dat", "a b"], "at column 3, got 'b'"),
    "an unknown label": (
        [RUNNING_EXAMPLE, "a or x"],
        "the query names the label 'x', which is neither an item nor a column of the data; check the spelling, or",
    ),
    "an unknown label for patterns": (
        ["--patterns", "patterns.csv", "a or h"],
        "the query names the label 'h', which is in no pattern",
    ),
    "what patterns do not give": (["--patterns", "patterns.csv", "a or f"], "needs the support of a AND f"),
    "both": ([RUNNING_EXAMPLE, "a", "--patterns", "patterns.csv"], "DATA and --patterns do not go together"),
    "a reading option": (
        ["a", "--patterns", "patterns.csv", "--format", "fimi"],
        "--format is for rows, but --patterns is given",
    ),
    "n for rows": ([RUNNING_EXAMPLE, "a", "--n", "12"], "--n says something about --patterns"),
    "a target for rows": ([RUNNING_EXAMPLE, "a", "--target", "all"], "--target says something about --patterns"),
    "unknown labels in patterns": (
        ["--patterns", "patterns.csv", "a", "--ignore-unknown"],
        "--ignore-unknown is for rows",
    ),
    "another n": (["--patterns", "patterns.csv", "a", "--n", "13"], "--n is given as 13, but the patterns say 12"),
    "another target": (["--patterns", "patterns.csv", "a", "--target", "all"], "--target is given as all, but"),
    "a missing file": (["nowhere.dat", "a"], "nowhere.dat"),
    "a missing file of patterns": (["--patterns", "nowhere.csv", "a"], "nowhere.csv"),
    "a million parentheses": ([RUNNING_EXAMPLE, "(" * 100_000], "nested more than 50 deep at column 51"),
    "a negative n": (["--patterns", "patterns.csv", "a", "--n", "-1"], "--n must be a whole number of at least 0"),
}


@pytest.mark.parametrize("json_", [[], ["--json"]], ids=["summary", "json"])
@pytest.mark.parametrize("case", REFUSED)
def test_refused(call, published: Path, case: str, json_: list[str]) -> None:
    assert published.exists()
    words, sentence = REFUSED[case]
    assert sentence in call("query", *words, *json_).refused()


def test_the_answer_fits_the_screen(call, tmp_path: Path) -> None:
    labels = [
        "x" * 300,
        "糖尿病" * 30,
        "\x1b[31mred",
        "[bold]b[/bold]",
        *(f"a label of several words {i}" for i in range(9)),
    ]
    (tmp_path / "h.csv").write_text((",".join(labels) + "\n") * 40)
    quoted = [f'"{label}"' for label in labels]
    call("mine", "h.csv", "--format", "basket", "-s", "2", "-o", "h.json")
    for text in (" and ".join(quoted), " or ".join(quoted), f"{quoted[0]} and not ({' or '.join(quoted[1:5])})"):
        for source in (["h.csv", text, "--format", "basket"], ["--patterns", "h.json", text]):
            outcome = call("query", *source)
            assert outcome.status == 0
            assert "\x1b" not in outcome.out
            assert max(cell_len(line) for line in outcome.out.splitlines() if "    discreet" not in line) <= 80


def test_whether_an_expression_is_made_of_published_itemsets_alone(call, published: Path) -> None:
    asked = ("query", "--patterns", published, "--vulnerable")
    assert call(*asked, "(a AND NOT b) OR (d AND NOT c)", "--json").document()["vulnerable"]
    answer = call(*asked, "(a AND NOT h) OR b", "--json").document()
    parts = [{"items": ["a", "h"], "published": False}, {"items": ["b"], "published": True}]
    assert answer == {"vulnerable": False, "parts": parts}
    words = call(*asked, "(a AND NOT h) OR b").out
    assert "Not vulnerable" in words
    assert "Not published together: a, h." in words
    assert "Vulnerable: " in call(*asked, "a AND NOT b").out


def test_only_patterns_are_asked_whether_an_expression_is_made_of_them(call) -> None:
    assert "--vulnerable" in call("query", RUNNING_EXAMPLE, "a", "--vulnerable").refused()
