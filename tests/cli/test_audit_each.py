"""`discreet audit --each`: many files in one call, as the hook and the action use it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

RUNNING_EXAMPLE = Path(__file__).parent.parent / "data" / "running-example.dat"


@pytest.fixture
def files(call, tmp_path: Path) -> tuple[Path, Path]:
    """Return a safe file of patterns, and one that is not."""
    blocked, mined = tmp_path / "blocked.csv", tmp_path / "unsafe.csv"
    assert call("mine", RUNNING_EXAMPLE, "-s", "8", "-o", mined).status == 0
    assert call("block", RUNNING_EXAMPLE, "-s", "8", "-k", "3", "--method", "additive", "-o", blocked).status == 0
    return blocked, mined


def test_every_file_has_its_verdict_and_the_status_is_that_of_the_worst(call, files: tuple[Path, Path]):
    safe, unsafe = files
    both = call("audit", "--each", "-k", "3", safe, unsafe, "--json")
    assert both.status == 1
    document = both.document()
    assert (document["passes"], document["audited"], document["failed"]) == (False, 2, 1)
    assert [(each["file"], each["passes"], each["verdict"]) for each in document["files"]] == [
        (str(safe), True, "safe"),
        (str(unsafe), False, "not-safe"),
    ]
    alone = call("audit", "--patterns", unsafe, "-k", "3", "--json").document()
    assert document["files"][1]["channels"] == alone["channels"]
    assert call("audit", "--each", "-k", "3", safe).status == 0


def test_the_summary_in_words_says_that_files_are_judged_one_by_one(call, files: tuple[Path, Path]):
    words = call("audit", "--each", "-k", "3", *files).out
    assert "NOT SAFE  1 of 2 files may pass, each on its own" in words
    assert "unsafe together" in words


@pytest.mark.parametrize("form", ["sarif", "junit", "github"])
def test_findings_name_the_file_they_are_about(call, files: tuple[Path, Path], form: str):
    safe, unsafe = files
    outcome = call("audit", "--each", "-k", "3", safe, unsafe, "--format-out", form)
    assert outcome.status == 1
    if form == "sarif":
        runs = json.loads(outcome.out)["runs"]
        assert [bool(run["results"]) for run in runs] == [False, True]
        assert "unsafe.csv" in json.dumps(runs[1]["results"])
    elif form == "junit":
        suites = ET.fromstring(outcome.out).findall("testsuite")  # noqa: S314 - our own
        assert [int(suite.attrib["failures"]) > 0 for suite in suites] == [False, True]
    else:
        assert all("unsafe.csv" in line for line in outcome.out.splitlines() if line.startswith("::error"))
        assert "::error" in outcome.out


def test_what_does_not_go_together_is_refused(call, files: tuple[Path, Path]):
    safe, _ = files
    assert "--each" in call("audit", "--each", "-k", "3", "--patterns", safe).refused()
    assert "--each" in call("audit", "--each", "-k", "3").refused()
    assert "nothing.csv" in call("audit", "--each", "-k", "3", safe, "nothing.csv").refused()
    given = safe.with_name("given.csv")
    given.write_text('items,support\n"[""a""]",9\n', encoding="utf-8")
    refused = call("audit", "--each", "-k", "3", given, safe, "--n", "40").refused()
    assert f"{safe}: --n is given as 40" in refused, "the one of the two files that says otherwise"


def test_a_tree_is_audited_by_its_own_door(call, tmp_path: Path):
    tree = tmp_path / "tree.txt"
    tree.write_text("|--- x <= 1\n|   |--- weights: [9.00, 1.00]\n|--- x >  1\n|   |--- weights: [0.00, 9.00]\n")
    found = call("audit", "--tree", tree, "-k", "3", "--json")
    assert (found.status, found.document()["verdict"]) == (1, "not-safe")
    assert "--min-support" in call("audit", "--tree", tree, "-k", "3", "-s", "2").refused()
    assert "--tree" in call("audit", RUNNING_EXAMPLE, "--tree", tree, "-k", "3").refused()
