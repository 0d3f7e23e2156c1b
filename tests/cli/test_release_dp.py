"""`release --method dp`: options, statuses and what is shown."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from discreet import read_patterns
from discreet.publishing.certificate import CERTIFICATE

DP = ("--method", "dp", "--format", "fimi", "--epsilon", "1")


@pytest.fixture(autouse=True)
def drinks() -> None:
    """Write rows, so many that noise misses none of their items but with e^-100, and the items that could occur."""
    Path("drinks.dat").write_text("tea milk\n" * 6000 + "tea\n" * 4000, encoding="utf-8")
    Path("items.txt").write_text("tea\nmilk\ngin\n", encoding="utf-8")


def test_a_release_with_noise(call):
    outcome = call("release", "drinks.dat", "-s", "20%", *DP, "--universe", "items.txt", "-o", "public", "--json")
    assert outcome.status == 0
    document = outcome.document()
    assert (document["verdict"], document["epsilon"], document["delta"]) == ("noisy", "1", "0")
    assert {frozenset(items) for items, _ in read_patterns("public/patterns.csv").to_patternset()} == {
        frozenset(["tea"]),
        frozenset(["milk"]),
        frozenset(["tea", "milk"]),
    }
    verified = call("verify", "public")
    assert verified.status == 0
    assert verified.out.strip().startswith("HOLDS")
    assert "rests on the program that ran" in " ".join(verified.out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*DP, "-s", "20%"), "--universe is missing"),
        ((*DP, "-s", "20%", "-k", "5", "--delta", "1e-6"), "-k does not go with --method dp"),
        ((*DP, "-s", "20%", "--rules", "--delta", "1e-6"), "--rules does not go with --method dp"),
        ((*DP, "-s", "20%", "--sensitive", "tea", "--delta", "1e-6"), "--sensitive does not go with --method dp"),
        ((*DP, "-s", "20%", "--fit-ledger", "--delta", "1e-6"), "--fit-ledger does not go with --method dp"),
        ((*DP, "--delta", "1e-6"), "--min-support is missing"),
        (("--method", "dp", "-s", "5"), "--epsilon is missing"),
        (("--method", "dp", "-s", "5", "--epsilon", "1", "--delta", "1e-6"), "it would be read with --format fimi now"),
        (("--method", "dp", "-s", "5", "--epsilon", "x", "--delta", "1e-6"), "--epsilon must be a decimal"),
        ((*DP, "-s", "5", "--universe", "items.txt", "--delta", "1e-6"), "--delta is for items that are found"),
        ((*DP, "-s", "5", "--universe", "nowhere.txt"), "--universe: cannot read nowhere.txt"),
        (("-s", "5", "-k", "5", "--method", "none", "--top", "3"), "--top does not go with --method none"),
        (("-s", "5", "-k", "5", "--epsilon", "3"), "--epsilon does not go with what has no --method dp"),
    ],
)
def test_what_is_refused(call, words: tuple[str, ...], said: str):
    assert said in call("release", "drinks.dat", *words, "-o", "public").refused()
    assert not Path("public").exists()


ONE_HOT = "tea,milk\n" + "1,1\n" * 400 + "1,0\n" * 200
SAYS = ("--format", "onehot", "--delimiter", ",", "--header")
OF_TABLES = ("--method", "dp", "--epsilon", "1", "-s", "100", "--universe", "items.txt", "-o")


def test_one_row_does_not_choose_the_format(call):
    """A cell that is neither 0 nor 1 made the whole file a table with other items, and all itemsets vanish."""
    Path("a.csv").write_text(ONE_HOT, encoding="utf-8")
    Path("b.csv").write_text(ONE_HOT + "2,0\n", encoding="utf-8")
    as_now = {"a.csv": "--format onehot --delimiter , --header", "b.csv": "--format table --delimiter , --header"}
    for name, words in as_now.items():
        refused = call("release", name, *OF_TABLES, "public").refused()
        assert f"it would be read with {words} now" in " ".join(refused.split())
        assert not Path("public").exists()
    assert call("release", "a.csv", *SAYS, *OF_TABLES, "public").status == 0
    fixed = json.loads(Path("public", CERTIFICATE).read_bytes())["promise"]["fixed"]
    assert fixed["reading"] == {"container": "csv", "delimiter": ",", "format": "onehot", "header": True}
    assert call("verify", "public").status == 0
    assert "neither 0" in call("release", "b.csv", *SAYS, *OF_TABLES, "other").refused()  # refused, not read otherwise


@pytest.mark.parametrize("left_out", [0, 2, 4])
def test_each_part_of_how_a_csv_is_read_is_asked_for(call, left_out: int):
    Path("a.csv").write_text(ONE_HOT, encoding="utf-8")
    said = SAYS[:left_out] + SAYS[left_out + 2 :]
    refused = " ".join(call("release", "a.csv", *said, *OF_TABLES, "public").refused().split())
    assert f"it would be read with {' '.join(SAYS[left_out : left_out + 2])} now" in refused


def test_one_row_does_not_choose_the_kind_of_file(call):
    """An empty first row made lines of JSON an array, and a cell made a table without a name JSON."""
    given = ("--method", "dp", "--epsilon", "1", "-s", "100", "--universe", "items.txt", "-o")
    lines = '["tea", "milk"]\n' * 300
    for name in ("lines.json", "lines"):
        Path(name).write_text(lines, encoding="utf-8")
        refused = " ".join(call("release", name, "--format", "lists", *given, "public").refused().split())
        assert "was found by looking at it" in refused
        assert "name it so that it ends in .jsonl" in refused
    Path("lines.jsonl").write_text(lines, encoding="utf-8")
    assert call("release", "lines.jsonl", "--format", "lists", *given, "public").status == 0
    Path("table.txt").write_text("tea\nyes\n" * 300, encoding="utf-8")
    said = ("--format", "table", "--delimiter", ",", "--header")
    refused = call("release", "table.txt", *said, *given, "other").refused()
    assert "ends in .csv" in " ".join(refused.split())
    Path("marked.csv").write_text("tea,milk\n" + "1,1\n" * 300, encoding="utf-16")
    refused = call("release", "marked.csv", *SAYS, *given, "other").refused()
    assert "--encoding utf-16" in " ".join(refused.split())
    assert call("release", "marked.csv", *SAYS, "--encoding", "utf-16", *given, "other").status == 0


def test_a_query_does_not_go_with_noise(call):
    Path("a.csv").write_text(ONE_HOT, encoding="utf-8")
    refused = call("release", "--sql", "SELECT * FROM 'a.csv'", "--format", "onehot", *OF_TABLES, "public").refused()
    assert "a query can make one row of several people's" in " ".join(refused.split())


def test_a_public_number_of_rows_is_said_in_the_promise(call):
    given = ("release", "drinks.dat", "-s", "20%", *DP, "--universe", "items.txt", "--public-n", "-o", "public")
    document = call(*given, "--json").document()
    assert (document["neighbours"], document["n"]) == ("one row replaced", 10_000)
    assert document["fixed"]["universe_sha256"] == sha256(b"gin\nmilk\ntea\n").hexdigest()
    told = " ".join(call("verify", "public").out.split())
    assert "replacing any one row by another changes the probability" in told


def test_a_ledger_keeps_its_budget(call):
    given = ("release", "drinks.dat", "-s", "20%", *DP[:-1], "0.5", "--universe", "items.txt", "--ledger", "a.ledger")
    assert call(*given, "--budget-epsilon", "1", "--new-ledger", "-o", "one").status == 0
    assert "may spend epsilon = 1 together" in call("ledger", "show", "a.ledger").out
    larger = tuple("5" if word == "0.5" else word for word in given)
    refused = call(*larger, "-o", "two")  # without the option, too
    assert refused.status == 1
    assert "0.5 is left, and this one asks for 5" in " ".join(refused.out.split())
    raised = " ".join(call(*larger, "--budget-epsilon", "9", "-o", "two").refused().split())
    assert "raise the budget first, which is recorded: discreet ledger budget a.ledger" in raised
    assert call(*larger[:-2], "-o", "apart").status == 0  # without the ledger
    assert call("ledger", "check", "a.ledger", "apart").status == 1
    assert not Path("two").exists()
    assert call("ledger", "budget", "a.ledger", "--epsilon", "5.5", "--reason", "a second survey").status == 0
    assert call("ledger", "check", "a.ledger", "apart").status == 0
    assert call(*larger, "-o", "two").status == 0
    assert call("ledger", "show", "a.ledger", "--json").document()["budget"] == {"epsilon": "5.5"}
    assert call("ledger", "check", "a.ledger").status == 0
    assert call("ledger", "budget", "a.ledger", "--epsilon", "2").status == 0  # lower than what was spent
    assert "have spent 5.5" in " ".join(call("ledger", "check", "a.ledger").out.split())
    assert "--epsilon is missing" in call("ledger", "budget", "a.ledger").refused()


def test_void_is_accepted_for_selections_and_rows_too(call):
    noisy = ("release", "drinks.dat", "-s", "20%", *DP, "--universe", "items.txt")
    exact = ("release", "drinks.dat", "-s", "20%", "-k", "5", "--method", "none", "-o", "exact")
    assert call(*noisy, "--ledger", "a.ledger", "--new-ledger", "-o", "noisy").status == 0
    assert call(*exact).status == 0
    select = ("release", "--from", "exact", "-s", "60%", "-o", "less", "--ledger", "a.ledger")
    assert "would void its promise" in " ".join(call(*select).out.split())
    assert call(*noisy, "--ledger", "b.ledger", "--new-ledger", "-o", "more").status == 0
    rows = ("release", "--rows", "drinks.dat", "--promise", "rho=0.9", "--sensitive", "milk", "-o", "rows")
    assert "would void its promise" in " ".join(call(*rows, "--ledger", "b.ledger").out.split())
    assert call(*select, "--accept-void").status == 0
    assert call(*rows, "--ledger", "b.ledger", "--accept-void").status == 0


def test_a_ledger_counts_what_was_spent(call):
    given = ("release", "drinks.dat", "-s", "20%", *DP, "--universe", "items.txt", "--budget-epsilon", "1.5")
    assert call(*given, "-o", "one", "--ledger", "a.ledger", "--new-ledger").status == 0
    refused = call(*given, "-o", "two", "--ledger", "a.ledger")
    assert refused.status == 1
    assert "0.5 is left" in " ".join(refused.out.split())
    assert not Path("two").exists()
    assert "Noise has spent epsilon = 1 so far." in call("ledger", "show", "a.ledger").out
    assert call("ledger", "check", "a.ledger").status == 0
    exact = ("release", "drinks.dat", "-s", "20%", "-k", "5", "--method", "none", "-o", "exact", "--ledger", "a.ledger")
    assert call(*exact).status == 1
    assert call(*exact, "--accept-void").status == 0
    assert "is void" in call("ledger", "show", "a.ledger").out
    checked = call("ledger", "check", "a.ledger", "--json")
    assert checked.status == 1
    assert json.loads(checked.out)["safe"] is False
