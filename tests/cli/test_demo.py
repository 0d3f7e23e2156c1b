"""`discreet demo`: no input, status 0, files to look at, in a few seconds."""

from __future__ import annotations

import json
import shlex
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from discreet import read, read_patterns, verify

if TYPE_CHECKING:
    import pytest


def test_the_demo_tells_a_story_and_leaves_its_files(call, tmp_path: Path) -> None:
    start = time.process_time()
    outcome = call("demo", "-o", "tour")
    assert time.process_time() - start < 20  # of work, however busy the machine is; a quiet one takes a quarter
    assert (outcome.status, outcome.err) == (0, "")
    assert "made-up stays" in outcome.out.splitlines()[1]
    assert "diagnosis" in outcome.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tour"]
    left = ["hospital.csv", "owner-report.html", "patterns.csv", "public"]
    assert sorted(path.name for path in (tmp_path / "tour").iterdir()) == left
    assert all(name in outcome.out for name in (*left, "Files in tour"))


def test_every_step_is_told(call, tmp_path: Path) -> None:
    out = call("demo", "-o", "tour").out
    steps = [
        "closed itemsets occur in",
        "  NOT SAFE  ",
        "1 row has",
        " = 1\n",
        "more groups follow for items that are not published together",
        "1 or 2 rows have",
        "at least (602 − 572) − (851 − 822) = 1\n",
        "at most (932 − 851) − (901 − 822) = 2\n",
        "blocked as if",
        "  SAFE  ",
        "keep its promise? Yes",
    ]
    places = [out.index(step) for step in steps]
    assert places == sorted(places)
    assert verify(tmp_path / "tour" / "public", data=read(tmp_path / "tour" / "hospital.csv")).holds
    public = (tmp_path / "tour" / "public" / "report.html").read_text()
    assert ".part" not in public + (tmp_path / "tour" / "owner-report.html").read_text()


def test_the_files_are_what_was_shown(call, tmp_path: Path) -> None:
    document = json.loads(call("demo", "-o", "tour", "--json").out)
    assert read(tmp_path / "tour" / "hospital.csv").n == document["n"] == 4000
    patterns = read_patterns(tmp_path / "tour" / "patterns.csv")
    assert len(patterns.supports) == document["count"]
    assert all((tmp_path / path).exists() for path in document["files"].values())
    assert (document["audit"]["safe"], document["verify"]["safe"]) == (False, True)
    assert document["audit"]["channels"] > 0
    assert document["audit"]["border"] > 0


def test_what_it_suggests_works_when_pasted(call) -> None:
    out = call("demo", "-o", "tour").out
    commands = [line.strip() for line in out.splitlines() if line.startswith("    discreet ")]
    assert len(commands) >= 2
    for command in commands:
        assert call(*shlex.split(command)[1:]).status == (1 if " audit " in command else 0)


def test_without_a_folder_a_new_one_is_made(call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders = {json.loads(call("demo", "--json").out)["folder"] for _ in range(2)}
    assert len(folders) == 2
    assert all(Path(folder).parent == tmp_path for folder in folders)


def test_it_is_the_same_every_time(call, tmp_path: Path) -> None:
    outs = [call("demo", "-o", name).out.replace(name, "tour") for name in ("tour-1", "tour-2")]
    assert outs[0] == outs[1]
    for name in ("hospital.csv", "patterns.csv", "public/certificate.json", "public/report.html"):
        assert (tmp_path / "tour-1" / name).read_bytes() == (tmp_path / "tour-2" / name).read_bytes()


def test_an_empty_folder_is_filled_and_force_fills_any(call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert call("demo", "-o", "empty").status == 0
    (tmp_path / "empty" / "hospital.csv").write_text("old")
    (tmp_path / "empty" / "other.txt").write_text("keep me")
    assert call("demo", "-o", "empty", "--force").status == 0
    assert read(tmp_path / "empty" / "hospital.csv").n == 4000
    assert (tmp_path / "empty" / "other.txt").read_text() == "keep me"


def test_a_failing_step_leaves_no_folder(call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def mine(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("discreet.patterns.mining.mine", mine)
    assert call("demo").status == 130
    assert call("demo", "-o", "tour").status == 130
    assert list(tmp_path.iterdir()) == []
