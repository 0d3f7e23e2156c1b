"""An audit as an output of ACRO: the form that its loader reads, as its version 1.0.2 writes it."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from typing import TYPE_CHECKING

import pytest

import discreet
from discreet.cli.main import main
from discreet.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [["a", "b", "c"]] * 6 + [["a", "b"]] * 5 + [["a"]] * 2 + [["c"]] * 7 + [[]] * 9
FIELDS = {
    "uid": str,
    "status": str,
    "type": str,
    "properties": dict,
    "files": list,
    "outcome": dict,
    "command": str,
    "summary": str,
    "timestamp": str,
    "comments": list,
    "exception": str,
    "fair": dict,
}
"""What ACRO's loader takes from a record."""


def record(folder: Path) -> dict[str, object]:
    """Load a folder as ACRO's loader does, and check what it relies on."""
    document = json.loads((folder / "results.json").read_text())
    assert document["version"] == "1.0.2"  # another version is refused
    [(uid, found)] = document["results"].items()
    assert {name: type(value) for name, value in found.items()} == FIELDS
    assert found["uid"] == uid
    assert found["status"] in {"pass", "fail", "review"}
    assert all(set(file) == {"name", "sdc"} and (folder / file["name"]).is_file() for file in found["files"])
    return found


def audit(k: int = 4) -> discreet.Audit:
    return discreet.audit(discreet.Transactions.from_rows(ROWS), k=k, min_support=5)


def test_a_failing_audit_is_an_output_that_fails(tmp_path: Path) -> None:
    discreet.acro_output(audit(), tmp_path / "acro")
    found = record(tmp_path / "acro")
    assert (found["status"], found["type"]) == ("fail", "table")
    status, verdict, *groups = found["summary"].split("; ")  # as SACRO's viewer takes it apart: a badge, then the rest
    assert (status, verdict) == ("fail", "NOT SAFE: 2 of 29 rows are in a group of 1 to 3 that anyone can compute")
    assert any("13 − 11 − 6 + 6 = 2" in group for group in groups)
    [file] = found["files"]
    with (tmp_path / "acro" / file["name"]).open(newline="") as cells:
        header, *lines = csv.reader(cells)
    assert header == ["items", "support"]
    marked = {lines[row][0] for row, _ in file["sdc"]["cells"]["DifferencingOfItemsets"]}
    assert marked == {'["a"]', '["a", "b", "c"]'}
    assert file["sdc"]["summary"] == {"DifferencingOfItemsets": 2}


def test_what_is_safe_passes_and_what_is_incomplete_is_for_review(tmp_path: Path) -> None:
    discreet.acro_output(audit(k=2), tmp_path / "safe")
    assert record(tmp_path / "safe")["status"] == "pass"
    some = discreet.PatternSet.from_itemsets([(["a"], 13)], n=29, min_support=5, target="selected")
    discreet.acro_output(discreet.audit(some, k=4), tmp_path / "some")
    assert record(tmp_path / "some")["status"] == "review"


def test_items_are_text_in_the_page_of_the_viewer(tmp_path: Path) -> None:
    """It puts the summary and the comments into its page unescaped, and cuts the summary at semicolons."""
    named = {"a": "<img src=x onerror=alert(1)>", "b": "one; two", "c": "age <= 30 & female"}
    rows = discreet.Transactions.from_rows([[named[item] for item in row] for row in ROWS])
    discreet.acro_output(discreet.audit(rows, k=4, min_support=5), tmp_path / "acro")
    found = record(tmp_path / "acro")
    shown = [found["summary"], *found["comments"]]
    assert not any("<" in text for text in shown)
    assert "&lt;img src=x" in found["summary"]
    assert "one, two" in found["summary"]
    with (tmp_path / "acro" / "output_0_0.csv").open(newline="") as cells:
        assert json.dumps([named["a"]]) in {line[0] for line in csv.reader(cells)}, "what is released is as it is"


def test_every_file_has_its_checksum(tmp_path: Path) -> None:
    discreet.acro_output(audit(), tmp_path / "acro")
    files = {path.name for path in (tmp_path / "acro").iterdir() if path.is_file()}
    assert files == {"output_0_0.csv", "results.json", "config.json"}
    for name in files:
        digest = hashlib.sha256((tmp_path / "acro" / name).read_bytes()).hexdigest()
        assert (tmp_path / "acro" / "checksums" / f"{name}.txt").read_text() == digest
    assert json.loads((tmp_path / "acro" / "config.json").read_text())["safe_threshold"] == 4


def test_rules_and_existing_folders_are_refused(tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("a ==> b #SUP: 2 #CONF: 0.5\n")
    with pytest.raises(OutputError, match="made of itemsets"):
        discreet.acro_output(discreet.audit(discreet.read_rules(rules, n=6), k=2), tmp_path / "acro")
    assert not (tmp_path / "acro").exists()
    discreet.acro_output(audit(), tmp_path / "acro")
    with pytest.raises(OutputError):
        discreet.acro_output(audit(), tmp_path / "acro")


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.dat"
    rows.write_text("".join(" ".join(row) + "\n" for row in ROWS))
    assert main(["audit", str(rows), "-k", "4", "-s", "5", "--acro", str(tmp_path / "acro"), "--quiet"]) == 1
    assert record(tmp_path / "acro")["command"] == f"discreet audit {rows} -k 4 -s 5"
    assert main(["audit", str(rows), "-k", "4", "-s", "5", "--acro", str(tmp_path / "acro")]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert "acro" not in sys.modules  # the form alone
