"""Example 3 of atzori2008, from the table to the bundle: two rules link what readers know to a religion."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = ["--quasi-identifiers", "Age,ZIP,Native_*"]
PERSON = {"Age=27", "ZIP=45254"}
ABROAD = {"Native_Country=USA"}


@pytest.fixture
def people(tmp_path: Path) -> str:
    """One Christian of 27 in this ZIP is not from the USA."""
    groups = {"27,45254,USA,Christian": 758, "27,45254,USA,none": 295, "27,45254,India,Christian": 1,
              "40,10115,USA,Christian": 600, "40,10115,India,none": 400}  # fmt: skip
    lines = [line for line, count in groups.items() for _ in range(count)]
    (tmp_path / "people.csv").write_text("\n".join(["Age,ZIP,Native_Country,Religion", *lines]) + "\n")
    return "people.csv"


def read_rules(path: Path) -> dict[tuple[frozenset[str], frozenset[str]], tuple[int, float]]:
    lines = (line for line in path.read_text().splitlines() if not line.startswith("#"))
    return {
        (frozenset(json.loads(line["antecedent"])), frozenset(json.loads(line["consequent"]))): (
            int(line["support"]),
            float(line["confidence"]),
        )
        for line in csv.DictReader(lines)
    }


def test_the_two_rules_are_not_published_as_they_are(call, people: str):
    words = [people, "-s", 200, "-k", 10, *KNOWN]
    document = json.loads(call("audit", *words, "--json").out)
    assert {"base": sorted(PERSON), "full": sorted(PERSON | ABROAD), "support": 1} in [
        {**channel, "base": sorted(channel["base"]), "full": sorted(channel["full"])}
        for channel in document["channels"]
    ]
    assert not any("Religion" in label for channel in document["channels"] for label in channel["full"])
    assert call("release", *words, "--method", "none", "--rules", "--min-confidence", "0.9", "-o", "out").status == 1


@pytest.mark.parametrize("method", ["additive", "suppressive"])
def test_what_is_published_has_the_religion_and_not_the_link(call, tmp_path: Path, people: str, method: str):
    words = [people, "-s", 200, "-k", 10, "--method", method, *KNOWN]
    assert call("release", *words, "--rules", "--min-confidence", "0.5", "-o", "out").status == 0
    assert call("verify", "out").status == 0
    rules = read_rules(tmp_path / "out" / "rules.csv")
    both, confidence = rules[frozenset(PERSON | {"Religion=Christian"}), frozenset(ABROAD)]
    assert both >= 758, "the religion is published"
    if (frozenset(PERSON), frozenset(ABROAD)) in rules:
        support, share = rules[frozenset(PERSON), frozenset(ABROAD)]
        others = round(support / share) - support
        assert others == 0 or others >= 10, "nobody is told apart by what readers know"
    assert confidence > 0
    assert call("audit", "--patterns", "out/patterns.csv", "-k", 10, *KNOWN).status == 0
