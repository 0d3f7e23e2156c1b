"""`discreet audit`: what follows beyond the itemsets published, with its proofs, limits, hints and advice."""

from __future__ import annotations

import json
import re
import shlex
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from discreet import audit as run_audit
from discreet import thresholds
from discreet.channels import addable, advice, row_source
from discreet.channels.attacker import DEFAULT_ATTACK_STEPS
from discreet.cli.options import AttackOptions
from discreet.patterns.mining import mine
from discreet.transactions.generate import hospital
from discreet.transactions.writing import write

if TYPE_CHECKING:
    from pathlib import Path

SMALLEST = """# n: 6
# min_support: 2
# target: all
items,support
"[""a""]",2
"[""b""]",4
"[""c""]",4
"[""b"",""c""]",2
"""


@pytest.fixture
def smallest(tmp_path: Path) -> Path:
    """Return four supports of six rows from which ten groups of one follow."""
    path = tmp_path / "smallest.csv"
    path.write_text(SMALLEST)
    return path


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Return a table in which three people have neither of the two frequent genders."""
    path = tmp_path / "people.csv"
    path.write_text("race,gender\n" + "A,f\n" * 60 + "A,m\n" * 50 + "B,f\n" * 40 + "B,m\n" * 55 + "B,x\n" * 3)
    return path


def words_of(text: str) -> str:
    return " ".join(text.split())


def total(terms: list[list[object]], supports: dict[frozenset[str], int], n: int, sigma: int) -> Fraction:
    """Redo the sum of a proof."""
    known = {**supports, frozenset(): n}
    value = {True: lambda _: sigma - 1, False: lambda items: known[frozenset(items)]}
    return sum((Fraction(times) * value[items == "sigma"](items) for times, items in terms), Fraction(0))


def test_the_smallest_case_has_ten_groups_of_one_each_with_its_sum(call, smallest: Path):
    document = json.loads(call("audit", "--patterns", smallest, "-k", 2, "--json").out)
    assert (document["verdict"], document["count"], len(document["border"])) == ("not-safe", 0, 10)
    assert document["attack"]["complete"] is True
    supports = {frozenset("a"): 2, frozenset("b"): 4, frozenset("c"): 4, frozenset("bc"): 2}
    for group in document["border"]:
        assert (group["low"], group["high"]) == (1, 1)
        assert total(group["proof"]["low"], supports, 6, 2) == total(group["proof"]["high"], supports, 6, 2) == 1


def test_the_smallest_case_in_words_with_pencil_proofs(call, smallest: Path):
    outcome = call("audit", "--patterns", smallest, "-k", 2)
    lines = [line.strip() for line in outcome.out.splitlines() if line]
    assert outcome.status == 1
    assert lines[0] == "NOT SAFE  anyone can compute 10 groups of 1 of 6 rows"
    first = lines.index("1 row has none of a, b")
    assert lines[first + 1 : first + 6] == [
        "at least sup(c) − sup(b c) − (threshold − 1) = 4 − 2 − (2 − 1) = 1",
        "at most n − sup(a) − sup(b) + (threshold − 1) = 6 − 2 − 4 + (2 − 1) = 1",
        "1 row has a, and not b",
        "at least 2 − (2 − 1) = 1",
        "at most (6 − 4) + (2 − 1) − (4 − 2) = 1",
    ]
    assert "… and 7 more (--json lists them all)" in lines
    assert "The attacker looked at all 3 items together: complete." in lines
    assert all(len(line) <= 80 for line in outcome.out.splitlines())


def test_values_of_one_column_exclude_each_other(call, people: Path):
    outcome = call("audit", people.name, "-s", "20%", "-k", 10)
    lines = [line.strip() for line in outcome.out.splitlines() if line]
    assert outcome.status == 1
    place = lines.index("3 rows have none of gender=f, gender=m")
    assert lines[place + 1] == "n − sup(gender=f) − sup(gender=m) = 208 − 100 − 105 = 3"
    assert "at most one value of each of the columns race, gender." in words_of(outcome.out)
    document = json.loads(call("audit", people.name, "-s", "20%", "-k", 10, "--json").out)
    first = document["border"][0]
    assert (first["base"], first["full"], first["low"], first["high"]) == ([], ["gender=f", "gender=m"], 3, 3)
    assert first["proof"]["low"] == [[1, []], [-1, ["gender=f"]], [-1, ["gender=m"]]]


def test_without_the_attacker_the_answer_is_the_papers_alone(call, people: Path):
    outcome = call("audit", people.name, "-s", "20%", "-k", 10, "--no-border")
    assert outcome.status == 0
    said = words_of(outcome.out)
    assert said.startswith(
        "SAFE no group of fewer than 10 of 208 rows can be computed by the paper's sums; the attacker"
    )
    assert "The attacker is off (--no-border): this is the answer of the paper alone" in said
    assert "columns race" not in said


def test_chess_blocked_as_in_the_paper_gives_one_row_away(call, data_folder: Path):
    rows = data_folder / "chess.dat.gz"
    call("block", rows, "-s", "95%", "-k", 10, "--method", "additive", "--no-border", "-o", "paper.csv")
    assert call("audit", "--patterns", "paper.csv", "-k", 10, "--no-border").status == 0
    document = json.loads(call("audit", "--patterns", "paper.csv", "-k", 10, "--json").out)
    group = next(each for each in document["border"] if each["full"] == ["36", "40", "58", "60"])
    assert (group["base"], group["low"], group["high"]) == (["36", "40", "60"], 1, 1)
    out = call("audit", "--patterns", "paper.csv", "-k", 10).out
    assert "1 row has 36, 40 and 60, and not 58\n" in out


@pytest.mark.parametrize(
    ("text", "options", "status", "verdict", "word"),
    [
        ("a b\n" * 20 + "a\n" * 20 + "b\n" * 20 + "\n" * 20, (), 0, "safe", "SAFE, PROVED"),
        ("a b\n" * 20 + "a\n" * 20 + "\n" * 20, ("--no-border",), 0, "safe", "SAFE"),
        ("a b\n" * 20 + "a\n" * 2, (), 1, "not-safe", "NOT SAFE"),
        ("a\n" * 4 + "b\n" * 30, ("-s", 40), 1, "nothing", "NOTHING TO PUBLISH"),
    ],
)
def test_each_verdict_has_its_word_and_its_status(call, tmp_path: Path, text, options, status, verdict, word):
    (tmp_path / "rows.dat").write_text(text)
    words = ("audit", "rows.dat", "-k", 10, *(() if "-s" in options else ("-s", 10)), *options)
    outcome = call(*words)
    assert outcome.status == status
    assert outcome.out.startswith(f"\n  {word}  ")
    document = json.loads(call(*words, "--json").out)
    assert document["verdict"] == verdict
    assert document["safe"] is run_audit_is_safe(document)
    assert document["proved"] is (word == "SAFE, PROVED")
    assert call(*words, "--accept-incomplete").status == status, "it is about incomplete collections alone"


def run_audit_is_safe(document: dict[str, object]) -> bool:
    return not document["channels"] and not document["border"] and document["verdict"] != "nothing"


def test_nothing_to_publish_says_why_and_nothing_of_an_attacker(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a\n" * 4 + "b\n" * 30)
    out = call("audit", "rows.dat", "-s", 40, "-k", 10).out
    verdict = "\n  NOTHING TO PUBLISH  no itemset occurs in at least 40 of 34 rows\n"
    assert out == f"{verdict}\n  Read as rows of tokens: 34 rows, 2 items.\n"


def test_what_was_looked_at_and_left_out_is_told(call, tmp_path: Path):
    write(hospital(rows=500, seed=2), tmp_path / "rows.csv")
    words = ("audit", "rows.csv", "-s", "20%", "-k", 2, "--attack-steps")
    few, many = (json.loads(call(*words, steps, "--json").out)["attack"] for steps in (1, 300))
    assert few["windows"] < many["windows"]
    assert few["left_out"] > many["left_out"]
    said = words_of(call(*words, 1).out)
    assert f"{few['left_out']:,} windows were left out; more may follow there (--attack-steps)." in said


def test_many_windows_left_out_are_not_counted_out(call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr("discreet.answers.audit_and_block._MANY", 3)
    write(hospital(rows=500, seed=2), tmp_path / "rows.csv")
    said = words_of(call("audit", "rows.csv", "-s", "20%", "-k", 2, "--attack-steps", 1).out)
    assert "Over a million windows were left out" in said


@pytest.mark.parametrize("steps", ["0", "-3", "some", "1.5", "", "²"])
def test_steps_are_a_number_or_all(call, smallest: Path, steps: str):
    refused = call("audit", "--patterns", smallest, "-k", 2, f"--attack-steps={steps}").refused()
    assert "attack-steps must be a whole number of at least 1, or all" in refused
    assert call("audit", "--patterns", smallest, "-k", 2, "--attack-steps", "all").status == 1


def test_steps_without_an_attacker_make_no_sense(call, smallest: Path):
    refused = call("audit", "--patterns", smallest, "-k", 2, "--no-border", "--attack-steps", "all").refused()
    assert "omit --attack-steps or --no-border" in refused


def test_the_default_is_the_attackers_and_the_help_says_it(call):
    assert AttackOptions().keywords()["attack_steps"] == DEFAULT_ATTACK_STEPS
    assert f"({DEFAULT_ATTACK_STEPS} unless" in words_of(call("audit", "--help").out)
    assert "--border-depth" in call("audit", "rows.dat", "-s", 1, "-k", 2, "--border-depth", 2).refused()


def test_sets_that_are_named_are_used_and_told(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("f\n" * 50 + "m\n" * 47 + "\n" * 3)
    words = ("audit", "rows.dat", "-s", 10, "-k", 5)
    assert call(*words).status == 0
    outcome = call(*words, "--exclusive", "f,m")
    assert outcome.status == 1
    said = words_of(outcome.out)
    assert "3 rows have none of f, m n − sup(f) − sup(m) = 100 − 50 − 47 = 3" in said
    assert "a row has at most one of 2 items named as exclusive." in said
    assert "entry 1 of --exclusive names the label 'x'" in call(*words, "--exclusive", "x,f").refused()
    (tmp_path / "sets.txt").write_text("f\nm\n")
    assert call(*words, "--exclusive", "@sets.txt").status == 1


def test_two_sets_are_named_one_after_the_other(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("f old\n" * 50 + "m young\n" * 47 + "f young\n" * 30)
    words = ("audit", "rows.dat", "-s", 10, "-k", 5, "--exclusive", "f,m", "--exclusive", "old,young")
    assert "at most one of each of 2 sets of items named as exclusive" in words_of(call(*words).out)


def test_a_set_that_the_rows_contradict_is_refused(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("f m\n" + "f\n" * 50 + "m\n" * 47)
    assert "holds two of the items" in call("audit", "rows.dat", "-s", 10, "-k", 5, "--exclusive", "f,m").refused()


@pytest.mark.parametrize("door", ["rows", "patterns"])
def test_items_that_look_exclusive_are_pointed_out(call, tmp_path: Path, door: str):
    ages = ["age 60-69"] * 40 + ["age 70-79"] * 40 + [""] * 3
    rows = "".join(f"{age},tea\n" if number % 2 else f"{age}\n" for number, age in enumerate(ages))
    (tmp_path / "rows.csv").write_text(rows)
    words = ("audit", "rows.csv", "--format", "basket", "-s", 10, "-k", 5)
    if door == "patterns":
        call("mine", "rows.csv", "--format", "basket", "-s", 10, "-o", "patterns.csv")
        words = ("audit", "--patterns", "patterns.csv", "-k", 5)
    out = call(*words).out
    said = words_of(out)
    assert "age 60-69, age 70-79 never occur together and look like values of one attribute" in said
    (command,) = [line.strip() for line in out.splitlines() if line.strip().endswith("--exclusive age")]
    told = call(*shlex.split(command)[1:])
    assert "look like values" not in told.out
    assert told.status == 1, "three have no age, which only follows once it is told"
    (advice,) = json.loads(call(*words, "--json").out)["advice"]
    assert advice == {"command": shlex.split(command), "words": advice["words"]}
    assert "look like values of one attribute" in advice["words"]


def test_rules_use_the_quasi_identifiers(call, tmp_path: Path):
    (tmp_path / "rules.txt").write_text("a ==> b #SUP: 80 #CONF: 0.987\nc ==> d #SUP: 80 #CONF: 0.987\n")
    words = ("audit", "--rules", "rules.txt", "-k", 10, "--json")
    assert len(json.loads(call(*words).out)["channels"]) == 2
    (channel,) = json.loads(call(*words, "--quasi-identifiers", "c,d").out)["channels"]
    assert (channel["base"], channel["full"]) == (["c"], ["c", "d"])
    assert "neither an item nor a column" in call(*words, "--quasi-identifiers", "shoe").refused()
    outcome = call(*words, "--quasi-identifiers", "b")
    assert (outcome.status, json.loads(outcome.out)["verdict"]) == (1, "incomplete")
    assert call(*words, "--quasi-identifiers", "b", "--accept-incomplete").status == 0


def test_the_advice_of_json_is_that_of_the_words(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a b\n" * 20 + "a\n" * 20 + "b\n" * 20 + "\n" * 20 + "a b c\n" * 30 + "c\n" * 3)
    words = ("audit", "rows.dat", "-s", 10, "-k", 10)
    advice = json.loads(call(*words, "--json").out)["advice"]
    out = call(*words).out
    shown = [shlex.split(line) for line in out.splitlines() if line.startswith("    discreet ")]
    assert [each["command"] for each in advice] == shown
    assert [command[1] for command in shown] == ["block", "block", "audit"]
    assert advice[-1]["words"] in words_of(out)


def test_blocking_is_not_tried_out_where_that_takes_long(call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a b\n" * 20 + "a\n" * 2)
    tried = words_of(call("audit", "rows.dat", "-s", 10, "-k", 10).out)
    assert "adds 10 rows virtually; supports change by" in tried
    monkeypatch.setattr(advice, "_QUICK_TO_BLOCK", 0)
    untried = words_of(call("audit", "rows.dat", "-s", 10, "-k", 10).out)
    assert "raises supports, as if rows had been added, and shows the cost" in untried
    assert "adds 10 rows" not in untried


@pytest.mark.parametrize(
    ("options", "most"),
    [
        (("-s", "20%", "--json"), 1),
        (("-s", "20%"), 2),
        (("-s", "5%"), 1),
        (("-s", 9), 3),
        (("-s", "20%", "--quasi-identifiers", "sex female,sex male,drug paracetamol,drug enoxaparin"), 3),
    ],
)
def test_an_audit_with_its_advice_mines_at_most_three_times(
    call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: tuple[object, ...], most: int
):
    write(hospital(rows=500, seed=2), tmp_path / "rows.csv")
    mined: list[object] = []
    for module in (row_source, addable):  # proofs mine data sets of their own
        monkeypatch.setattr(module, "mine", lambda *given, **named: mined.append(1) or mine(*given, **named))
    parsed: list[str] = []
    in_text = thresholds._support_in_text  # noqa: SLF001 - the only way from text to a support
    monkeypatch.setattr(thresholds, "_support_in_text", lambda text: parsed.append(text) or in_text(text))
    outcome = call("audit", "rows.csv", "-k", 10, *options)
    assert outcome.status == 1
    assert "discreet block" in outcome.out or '"block"' in outcome.out
    assert len(mined) <= most, "the closed itemsets once, and once what blocking could make frequent"
    assert parsed == [str(options[1])]


def test_the_support_that_is_recommended_is_the_lowest_safe_one(call, tmp_path: Path):
    rows = hospital(rows=500, seed=2)
    write(rows, tmp_path / "rows.csv")
    advice = json.loads(call("audit", "rows.csv", "-s", "20%", "-k", 10, "--json").out)["advice"]
    (lowest,) = [int(each["command"][-1]) for each in advice if "lowest support" in each["words"]]
    assert run_audit(rows, k=10, min_support=lowest).safe
    assert not run_audit(rows, k=10, min_support=lowest - 1).safe


def test_definitions_of_the_attacker_are_explained(call, smallest: Path):
    said = words_of(call("audit", "--patterns", smallest, "-k", 2, "--explain").out)
    assert "a group follows where every data set that agrees with all that is published has 1 to k-1 rows in it" in said


def test_labels_that_do_not_fit_are_left_out(call, tmp_path: Path):
    write(hospital(rows=4000, seed=1), tmp_path / "rows.csv")
    out = call("audit", "rows.csv", "-s", "13%", "-k", 10).out
    assert re.search(r"at least \(561 − 530\) − \(851 − 822\) = 2\n", out)
    assert "sup(" not in out.partition("more groups follow")[2]
    assert all(len(line) <= 80 or "discreet " in line for line in out.splitlines())
