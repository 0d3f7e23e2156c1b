"""`discreet compare`: the document, the answer in words, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

TABLE = "name,age,area,illness\n" + "".join(
    f"{number},{30 + number % 8},{'N1' if number % 5 else 'N2'},{'flu' if number % 4 else 'cold'}\n"
    for number in range(80)
)
WORDS = ["people.csv", "--drop", "name", "-s", 10, "-k", 12, "--quasi-identifiers", "age,area", "--epsilon", "none"]


@pytest.fixture(autouse=True)
def files(surroundings: None) -> None:  # noqa: ARG001 - the folder it makes is where they go
    Path("people.csv").write_text(TABLE)
    Path("levels").mkdir()
    Path("levels/age.csv").write_text("".join(f"{age};{age // 4 * 4}+;*\n" for age in range(30, 38)))
    Path("levels/area.csv").write_text("N1;*\nN2;*\n")


def test_the_document(call) -> None:
    outcome = call("compare", *WORDS, "--hierarchies", "levels", "--json")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.count("\n") == 1
    document = json.loads(outcome.out)
    assert [document[name] for name in ("n", "k", "min_support")] == [80, 12, 12]
    assert document["quasi_identifiers"] == ["age", "area"]
    assert [(way["road"], way["method"]) for way in document["ways"]] == [
        ("patterns-first", "additive"),
        ("patterns-first", "suppressive"),
        ("data-first", "datafly"),
        ("data-first", "incognito"),
    ]
    assert all(way["kept"] + way["lost"] == document["itemsets"] > 0 for way in document["ways"])
    assert document["ways"][0]["lost"] == 0
    assert document["ways"][3]["alternatives"] > 0
    assert set(document["ways"][2]["generalization"]) == {"age", "area"}


def test_the_answer_comes_first_and_fits(call) -> None:
    outcome = call("compare", *WORDS, "--hierarchies", "levels")
    document = json.loads(call("compare", *WORDS, "--hierarchies", "levels", "--json").out)
    assert (outcome.status, outcome.err) == (0, "")
    text = " ".join(outcome.out.split())
    ways = document["ways"]

    def kept(some: list[dict[str, int]]) -> str:
        least, most = sorted(way["kept"] for way in some)
        return str(least) if least == most else f"{least} to {most}"

    assert text.startswith(
        f"patterns-first keeps {kept(ways[:2])} of {document['itemsets']} itemsets, data-first {kept(ways[2:])} "
    )
    assert "kept invented exact coarser average worst rows cells way" in text
    assert all(way["method"] in text for way in ways)
    assert all(way["promise"] in text for way in ways)
    assert "Not compared: anonymize, since no sensitive items are named" in text
    assert "The minimum support was raised to 12" in text
    assert "generalized values." in text
    assert all(cell_len(line) <= 80 for line in outcome.out.splitlines())


def test_what_more_knowledge_finds_is_told(call) -> None:
    """A rare illness is no quasi-identifier, and all patterns tell how few have it."""
    rows = ["30,flu,yes"] * 30 + ["31,flu,yes"] * 28 + ["31,cold,yes"] * 3 + ["30,flu,no"] * 9
    Path("rare.csv").write_text("\n".join(["age,illness,insured", *rows]) + "\n")
    words = ["compare", "rare.csv", "-s", 40, "-k", 5, "--quasi-identifiers", "age"]
    ways = json.loads(call(*words, "--json").out)["ways"]
    most = max(way["channels"] for way in ways)
    assert most > 0
    text = " ".join(call(*words).out.split())
    assert f"Whoever knows other items than age of a person can compute up to {most} group" in text


def test_rows_protected_for_sensitive_items_are_beside_them(call) -> None:
    words = [*WORDS, "--sensitive", "illness=co*", "--rho", "0.3"]
    outcome = call("compare", *words, "--hierarchies", "levels")
    assert (outcome.status, outcome.err) == (0, "")
    text = " ".join(outcome.out.split())
    assert "k rho small groups conclusions way" in text
    assert "yes yes" in text
    assert "concludes no other sensitive item with 30 % or more" in text
    assert "Not compared" not in text
    assert all(cell_len(line) <= 80 for line in outcome.out.splitlines())
    document = json.loads(call("compare", *words, "--json").out)
    assert [way["method"] for way in document["ways"]][-1] == "anonymize"
    assert (document["rho"], document["absent"]) == ("3/10", {})
    alone = ["compare", "people.csv", "--identifying", "name", "-s", 10, "-k", 12, *words[-4:]]
    assert "Not compared: datafly, incognito, since no quasi-identifiers are named" in " ".join(
        call(*alone).out.split()
    )


def test_columns_that_identify_are_left_out_or_allowed(call) -> None:
    words = ["compare", "people.csv", *WORDS[3:]]
    assert "leave it out (--identifying name), or give --allow-identifiers name" in call(*words).refused()
    assert call(*words, "--identifying", "name").status == 0
    assert call(*words, "--allow-identifiers", "name").status == 0


def test_nothing_is_written(call) -> None:
    before = sorted(Path().rglob("*"))
    assert call("compare", *WORDS).status == 0
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-k", 1, "-s", 10, "--quasi-identifiers", "age"], "must be a whole number of at least 2, got 1"),
        (["-k", 2, "--quasi-identifiers", "age"], "-s/--min-support is missing"),
        (
            ["-k", 2, "-s", 10, "--epsilon", "none"],
            "there is nothing to compare blocking with: give --quasi-identifiers",
        ),
        (["-k", 2, "-s", 10, "--sensitive", "illness"], "--sensitive needs --rho"),
        (["-k", 2, "-s", 10, "--quasi-identifiers", "shoe"], "names the label 'shoe', which is not a column"),
        (
            ["-k", 2, "-s", 10, "--quasi-identifiers", "illness", "--hierarchies", "levels"],
            "levels/illness.csv does not exist",
        ),
        (["-k", 2, "-s", 10, "--quasi-identifiers", "age", "--format", "fimi"], "--format must be table, got 'fimi'"),
        (["-k", 2, "-s", 10, "--quasi-identifiers", "age", "--suppress", "-1"], "--suppress must be a whole number"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_refused(call, words: list[object], sentence: str) -> None:
    assert sentence in call("compare", "people.csv", *words).refused()


def test_where_nothing_is_frequent_this_is_said(call) -> None:
    out = call("compare", "people.csv", "--drop", "name", "-s", 81, "-k", 12, "--quasi-identifiers", "age").out
    assert "No itemset of the data has 81 rows: there is nothing to keep; lower -s." in out


def test_all_ways_in_one_chart(call):
    Path("drinks.dat").write_text("tea milk\n" * 30_000 + "tea\n" * 20_000 + "gin\n" * 1000, encoding="utf-8")
    words = (
        "compare",
        "drinks.dat",
        "-s",
        "20%",
        "-k",
        "5",
        "--sensitive",
        "gin",
        "--rho",
        "0.9",
        "--epsilon",
        "0.5,2",
    )
    for name in ("ways.svg", "ways.html"):
        assert call(*words, "-o", name).status == 0
        text = Path(name).read_text(encoding="utf-8")
        for way in ("additive", "suppressive", "anonymize", "dp, epsilon 0.5", "dp, epsilon 2"):
            assert f"{way}: 3 kept, 0 invented" in text
    assert "changes no probability by a factor of more than exp(0.5)" in text
    assert "exists" in call(*words, "-o", "ways.svg").refused()
    assert "ways.txt" in call(*words, "-o", "ways.txt").refused()


def test_noise_is_enough_to_compare_with(call):
    """Without roles there was nothing to compare; noise needs none."""
    Path("drinks.dat").write_text("tea milk\n" * 30_000 + "tea\n" * 20_000 + "gin\n" * 19_000, encoding="utf-8")
    words = ("compare", "drinks.dat", "-s", "20%", "-k", "5", "--exclusive", "gin,milk")
    outcome = call(*words, "--epsilon", "1")
    assert (outcome.status, outcome.err) == (0, "")
    text = " ".join(outcome.out.split())
    assert text.startswith("patterns-first keeps 4 of 4 itemsets, noise 4 ")
    assert "against whoever reads these patterns" in text
    assert "against everyone, whatever they know or will know" in text
    document = json.loads(call(*words, "--json").out)
    assert set(document["absent"]) == {"datafly", "incognito", "anonymize"}
    assert [way["epsilon"] for way in document["noisy"]] == ["0.1", "0.5", "1", "2"]
    assert {way["against"] for way in document["noisy"]} == {"everyone, whatever they know or will know"}
    assert "at most one" in call(*words[:-1], "tea,milk").refused()
