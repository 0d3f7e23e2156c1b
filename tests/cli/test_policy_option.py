"""`--policy FILE`: what is not typed comes from the policy, on every command that reads rows."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest

from discreet.cli.main import discreet as root

pytestmark = pytest.mark.usefixtures("no_charts")

POLICY = """\
version = 1
[data]
file = "stays.csv"
drop = ["note, long"]
bins = { age = [40] }
map = { ward = { "n" = "north", "*" = "south" } }
[roles]
identifying = ["name"]
quasi_identifying = ["sex", "ward=north"]
[protect]
k = 5
exclusive = [["ill=flu", "ill=gout"]]
attack_steps = 20000
[patterns]
min_support = 0.2
method = "additive"
target = "all"
[publish]
title = "Stays"
output = "public-{data}"
ledger = "releases.ledger"
owner_report = "{name}.owner.html"
"""
READING = ["stays.csv", "--drop", '"note, long"', "--bins", "age=40", "--map", "ward:n=north,*=south"]
READING += ["--identifying", "name"]
PROMISE = ["-k", "5", "--quasi-identifiers", "sex,ward=north", "--exclusive", "ill=flu,ill=gout"]
PROMISE += ["--attack-steps", "20000"]
ILL = ["--sensitive", "ill=gout", "--rho", "0.9"]


@pytest.fixture(autouse=True)
def home(surroundings: None) -> None:  # noqa: ARG001 - the folder to write into
    """Write the policy and its rows."""
    kinds = ["30,f,n,flu"] * 40 + ["50,m,n,flu"] * 30 + ["50,f,s,gout"] * 25 + ["30,m,w,gout"] * 25
    rows = [f"Ann {number},{kind},x" for number, kind in enumerate(kinds)]
    Path("stays.csv").write_text("\n".join(['name,age,sex,ward,ill,"note, long"', *rows]) + "\n")
    Path("discreet.toml").write_text(POLICY)


@pytest.mark.parametrize(
    ("by_policy", "typed"),
    [
        (["look"], ["look", *READING]),
        (["mine"], ["mine", *READING, "-s", "20%", "--target", "all"]),
        (["mine", "-s", "50"], ["mine", *READING, "-s", "50", "--target", "all"]),
        (["mine", "--target", "closed"], ["mine", *READING, "-s", "20%", "--target", "closed"]),
        (["audit"], ["audit", *READING, "-s", "20%", *PROMISE]),
        (["audit", "-k", "30"], ["audit", *READING, "-s", "20%", *PROMISE, "-k", "30"]),
        (["audit", *ILL], ["audit", *READING, "-s", "20%", *PROMISE, *ILL]),
        (["block"], ["block", *READING, "-s", "20%", *PROMISE, "--method", "additive", "--target", "all"]),
        (["tradeoff"], ["tradeoff", *READING, "-s", "20%", "-k", "5", "--quasi-identifiers", "sex,ward=north"]),
        (["check", *ILL], ["check", *READING, *ILL]),
        (["query", "sex=f AND ill=flu"], ["query", *READING, "sex=f AND ill=flu"]),
    ],
)
def test_what_is_not_typed_comes_from_the_policy(call, by_policy: list[str], typed: list[str]) -> None:
    first, second = call(*by_policy, "--policy", "discreet.toml", "--json"), call(*typed, "--json")
    assert second.status in (0, 1), second.err
    assert (first.status, first.out) == (second.status, second.out), first.err


def test_what_is_typed_silences_what_excludes_it(call) -> None:
    Path("discreet.toml").write_text(POLICY.replace("bins = ", "# bins = ").replace("map = ", "# map = "))
    assert call("mine", "--policy", "discreet.toml", "--keep", "sex", "--json").document()["count"] == 2
    Path("other.csv").write_text("sex\n" + "f\n" * 30)
    Path("discreet.toml").write_text("version = 1\ndata.file = 'stays.csv'" + POLICY[POLICY.index("\n[protect]") :])
    outcome = call("mine", "other.csv", "--policy", "discreet.toml", "--json")
    assert (outcome.document()["n"], outcome.document()["min_support"]) == (30, 6)


def test_the_words_of_a_next_step_can_be_pasted_without_the_policy(call) -> None:
    answer = call("audit", "--policy", "discreet.toml", "-k", "30")
    assert answer.status == 1
    steps = [line.strip() for line in answer.out.splitlines() if line.startswith("    discreet ")]
    assert steps
    assert all("--policy" not in step for step in steps)
    Path("discreet.toml").unlink()
    for step in steps:
        assert call(*shlex.split(step)[1:]).status in (0, 1)


def test_a_release_takes_its_places_from_the_policy(call) -> None:
    Path("discreet.toml").write_text(
        POLICY.replace("[roles]", "rows_added = true\n[roles]").replace("[publish]", "[publish]\nfit_ledger = true")
    )
    outcome = call("release", "--policy", "discreet.toml", "--new-ledger")
    assert outcome.status == 0, outcome.err
    assert Path("public-stays/certificate.json").is_file()
    assert Path("public-stays.owner.html").is_file()
    assert call("verify", "public-stays", "--policy", "discreet.toml", "--data", "stays.csv").status == 0
    assert call("verify", "public-stays", "--policy", "discreet.toml").status == 0
    smaller = ["release", "--policy", "discreet.toml", "--from", "public-stays", "-s", "40%", "-o", "less"]
    assert call(*smaller).status == 0
    assert not Path("less.owner.html").exists()
    assert (
        "does not go with"
        not in call(
            *("release", "--policy", "discreet.toml", "--rows", "stays.csv", "--promise", "hidden", "-o", "rows")
        ).err
    )


def test_hierarchies_are_for_the_commands_that_generalize(call) -> None:
    Path("tree.csv").write_text("sex=f;*\nsex=m;*\nward=north;*\nward=south;*\nage=<=40;*\nage=>40;*\nill=flu;*\n")
    Path("discreet.toml").write_text(POLICY.replace("[publish]", '[rows]\nhierarchy = "tree.csv"\n[publish]'))
    typed = call("anonymize", *READING, *ILL, "--hierarchy", "tree.csv", "-o", "a.csv", "--json")
    by_policy = call("anonymize", "--policy", "discreet.toml", *ILL, "-o", "b.csv", "--json")
    assert typed.status == 0, typed.err
    assert by_policy.document() == typed.document()
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    assert call("release", "--policy", "discreet.toml", "--new-ledger").status == 0


def test_limits_of_single_items_are_for_rows(call) -> None:
    own = POLICY.replace("[protect]", 'sensitive = ["ill=gout @ 0.2", "ill=flu"]\n[protect]\nrho = 0.9')
    Path("discreet.toml").write_text(own)
    typed = call("check", *READING, "--sensitive", "ill=gout @ 0.2,ill=flu", "--rho", "90%", "--json").document()
    assert call("check", "--policy", "discreet.toml", "--json").document() == typed
    assert typed["limits"] == {"ill=gout": 0.2}
    assert call("anonymize", "--policy", "discreet.toml", "--curve", "0.5,0.9", "--json").status == 0
    assert "which only rows can have" in call("run", "discreet.toml", "--new-ledger").refused()
    Path("discreet.toml").write_text(own.replace('["name"]', '["name", "ill=gout"]'))
    assert "'ill=gout' is named by both" in call("check", "--policy", "discreet.toml").refused()


def test_what_is_typed_in_place_of_rows_silences_the_policy_about_them(call) -> None:
    assert call("mine", "--policy", "discreet.toml", "-o", "patterns.csv").status == 0
    outcome = call("audit", "--policy", "discreet.toml", "--patterns", "patterns.csv", "--json")
    assert outcome.status in (0, 1), outcome.err
    assert outcome.document()["k"] == 5
    assert call("query", "--policy", "discreet.toml", "--patterns", "patterns.csv", "sex=f").status == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["mine", "--policy", "nothing.toml"], "nothing.toml does not exist; write a policy with"),
        (["mine", "--policy"], "--policy needs a value"),
        (["mine", "--policy", "discreet.toml", "--nothing"], "there is no option --nothing"),
        (["keygen", "here", "--policy", "discreet.toml"], "there is no option --policy"),
    ],
)
def test_errors_stay_one_sentence(call, words: list[str], sentence: str) -> None:
    assert sentence in call(*words).refused()


def test_every_command_that_reads_rows_takes_a_policy() -> None:
    context = click.Context(root)
    for name in root.list_commands(context):
        options = [option for each in root.get_command(context, name).params for option in each.opts]
        assert options.count("--policy") == ("--person-column" in options), name
