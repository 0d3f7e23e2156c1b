"""`discreet audit --format-out`: the findings as JUnit, as SARIF and as workflow commands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FORMS = ("junit", "sarif", "github")
EVIL = "x\u202e%,:<&\"'{0}[a](b)\x1b"


@pytest.fixture
def leaky(tmp_path: Path) -> str:
    """Return patterns in which one channel and nothing else is found, with a label that means mischief."""
    path = tmp_path / "handed in.json"
    sets = [(["p"], 900), ([EVIL], 700), (["p", EVIL], 697)]
    path.write_text(
        json.dumps(
            {"n": 2500, "min_support": 600, "target": "all", "itemsets": [{"items": i, "support": s} for i, s in sets]}
        )
    )
    return path.name


def run_of(text: str) -> dict[str, Any]:
    """Check what SARIF 2.1.0 requires of a log, field by field, and return its run."""
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    assert set(log) == {"$schema", "version", "runs"}
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    check_tool(run, driver)
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        check_result(result)
    prints = [result["partialFingerprints"]["finding/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)
    return run


def check_tool(run: dict[str, Any], driver: dict[str, Any]) -> None:
    assert driver["name"] == "discreet"
    for rule in driver["rules"]:
        assert set(rule) == {"id", "shortDescription"}
        assert rule["shortDescription"]["text"]
    (call,) = run["invocations"]
    assert call["executionSuccessful"] is True
    assert isinstance(call["exitCode"], int)
    for note in call["toolExecutionNotifications"]:
        assert note["level"] in ("none", "note", "warning", "error")
        assert note["message"]["text"]


def check_result(result: dict[str, Any]) -> None:
    assert result["level"] in ("none", "note", "warning", "error")
    assert result["message"]["text"]
    assert all(isinstance(each, str) for each in result["partialFingerprints"].values())
    for place in result.get("locations", []):
        physical = place["physicalLocation"]
        assert physical["artifactLocation"]["uri"]
        assert physical["region"]["startLine"] >= 1


def test_sarif_has_the_finding_its_file_and_its_rule(call, leaky: str) -> None:
    outcome = call("audit", "--patterns", leaky, "-k", 10, "--format-out", "sarif")
    assert outcome.status == 1
    run = run_of(outcome.out)
    assert run["invocations"][0]["exitCode"] == 1
    assert run["properties"]["totals"] == {"small-group": 1}
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("small-group", "error")
    assert result["message"]["text"].startswith("3 rows have x")
    assert r"{{0}}\[a\](b)" in result["message"]["text"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "handed%20in.json"}
    assert "\u202e" not in outcome.out


def test_junit_fails_the_verdict_and_each_finding(call, leaky: str) -> None:
    outcome = call("audit", "--patterns", leaky, "-k", 10, "--format-out", "junit")
    assert outcome.status == 1
    root = ET.fromstring(outcome.out.encode())  # noqa: S314 - our own document
    suite = root.find("testsuite")
    assert suite is not None
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "2",
        "failures": "2",
        "errors": "0",
        "skipped": "0",
    }
    verdict, finding = suite.iter("testcase")
    assert verdict.get("name") == "verdict"
    assert verdict.find("failure").get("message").startswith("NOT SAFE: anyone can compute 1 group of 1 to ")
    assert finding.get("classname") == "discreet.audit.small-group"
    assert finding.get("file") == leaky
    assert finding.find("failure").get("type") == "small-group"
    assert "x\\u202e%,:<&\"'{0}[a](b)\\x1b" in finding.get("name")


def test_github_gets_commands_that_no_label_can_end(call, leaky: str) -> None:
    outcome = call("audit", "--patterns", leaky, "-k", 10, "--format-out", "github")
    assert outcome.status == 1
    verdict, finding, *notes = outcome.out.splitlines()
    assert verdict.startswith("::error file=handed in.json,title=discreet audit::NOT SAFE: anyone can compute 1 group")
    assert finding.startswith("::error file=handed in.json,title=small-group::3 rows have x\\u202e%25,:<")
    assert all(note.startswith("::notice file=handed in.json,title=discreet audit::") for note in notes)
    assert "complete" in notes[-1]


def test_names_of_files_are_escaped_too(call, tmp_path: Path) -> None:
    (tmp_path / "a,b:c%<.dat").write_text("a b\na b\na\n")
    words = ["audit", "a,b:c%<.dat", "-s", 1, "-k", 2, "--format-out"]
    assert call(*words, "github").out.startswith("::error file=a%2Cb%3Ac%25<.dat,title=discreet audit::")
    place = run_of(call(*words, "sarif").out)["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%2Cb%3Ac%25%3C.dat"
    root = ET.fromstring(call(*words, "junit").out.encode())  # noqa: S314 - our own document
    assert {case.get("file") for case in root.iter("testcase")} == {"a,b:c%<.dat"}


@pytest.mark.parametrize("accepted", [False, True])
def test_an_incomplete_collection_shuts_the_gate_unless_accepted(call, tmp_path: Path, accepted: bool) -> None:
    (tmp_path / "some.csv").write_text('"items","support","count"\n"{a,b}",0.2,500\n"{b,c}",0.12,300\n"{a}",0.28,700\n')
    words = ["audit", "--patterns", "some.csv", "-k", 10, *(["--accept-incomplete"] if accepted else [])]
    outcomes = {form: call(*words, "--format-out", form) for form in FORMS}
    assert {outcome.status for outcome in outcomes.values()} == {0 if accepted else 1}
    (result,) = run_of(outcomes["sarif"].out)["results"]
    level = "warning" if accepted else "error"
    assert (result["ruleId"], result["level"]) == ("incomplete", level)
    assert outcomes["github"].out.startswith(f"::{level} file=some.csv,title=discreet audit::NO CHANNEL FOUND: ")
    assert f"<{'skipped' if accepted else 'failure'} " in outcomes["junit"].out


def test_nothing_to_judge_is_a_finding(call, tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("a\nb\n")
    outcome = call("audit", "rows.dat", "-s", 2, "-k", 2, "--format-out", "sarif")
    assert outcome.status == 1
    assert [result["ruleId"] for result in run_of(outcome.out)["results"]] == ["nothing"]


def test_safe_patterns_have_no_finding(call, tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("a b\n" * 9)
    outcomes = {form: call("audit", "rows.dat", "-s", 2, "-k", 2, "--format-out", form) for form in FORMS}
    assert {outcome.status for outcome in outcomes.values()} == {0}
    assert run_of(outcomes["sarif"].out)["results"] == []
    assert outcomes["github"].out.startswith("::notice file=rows.dat,title=discreet audit::SAFE")
    assert "::error" not in outcomes["github"].out
    assert 'tests="1" failures="0"' in outcomes["junit"].out


def test_conclusions_and_bounded_groups_are_bounded_in_number_with_their_total(call, tmp_path: Path) -> None:
    rows = [" ".join(f"v{i}" for i in range(7) if (each * 37 >> i) % 2 or i == each % 7) for each in range(60)]
    (tmp_path / "rows.dat").write_text("".join(f"{row}\n" for row in rows))
    words = ["audit", "rows.dat", "-s", 5, "-k", 4, "--sensitive", "v0", "--rho", "0.3", "--attack-steps", 60]
    document = call(*words, "--json").document()
    run = run_of(call(*words, "--format-out", "sarif").out)
    totals = run["properties"]["totals"]
    assert totals["small-group"] == document["count"] > 20
    assert totals.get("bounded-group", 0) == len(document["border"])
    assert totals["conclusion"] == len(document["conclusions"]) + len(document["bounded_conclusions"]) > 20
    for rule, total in totals.items():
        texts = [result["message"]["text"] for result in run["results"] if result["ruleId"] == rule]
        assert len(texts) <= 21
        if total > 20:
            assert f"of {total:,} are listed" in texts[-1]
    assert call(*words, "--format-out", "github").out.count("\n") < 70


def test_what_has_no_file_has_no_location(call, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,b\n" + "1,2\n" * 3 + "1,3\n")
    words = ["audit", "--sql", "select * from 'rows.csv'", "-s", 1, "-k", 2, "--format-out"]
    assert "locations" not in run_of(call(*words, "sarif").out)["results"][0]
    assert call(*words, "github").out.startswith("::error title=discreet audit::NOT SAFE")


def test_one_form_at_a_time(call, leaky: str) -> None:
    said = call("audit", "--patterns", leaky, "-k", 10, "--format-out", "sarif", "--json").refused()
    assert said == "--json and --format-out both say what standard output gets; give one of them"
    assert "junit, sarif or github" in call("audit", leaky, "-k", 10, "--format-out", "html").refused()
