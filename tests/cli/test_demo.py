"""`discreet demo`: no input, status 0, files to look at, in a few seconds."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

from discreet import read, read_patterns, verify

if TYPE_CHECKING:
    from pathlib import Path

FILES = ["hospital.csv", "owner-report.html", "patterns.csv", "public"]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return what `demo -o tour` prints where `tour` is an empty folder, and the folder that has it."""
    folder = tmp_path_factory.mktemp("demo")
    (folder / "tour").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "discreet", "demo", "-o", "tour"],
        cwd=folder,
        env=os.environ | {"COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout, folder


@pytest.fixture
def tour(shown: tuple[str, Path], tmp_path: Path) -> str:
    """Work where the tour is, as if it had been made here; return what was printed."""
    shutil.copytree(shown[1] / "tour", tmp_path / "tour")
    return shown[0]


def test_the_demo_tells_a_story_and_leaves_its_files_in_an_empty_folder(shown: tuple[str, Path]) -> None:
    out, folder = shown
    assert "made-up stays" in out.splitlines()[1]
    assert "diagnosis" in out
    assert "\x1b" not in out  # no colour in a pipe
    assert [path.name for path in folder.iterdir()] == ["tour"]
    assert sorted(path.name for path in (folder / "tour").iterdir()) == FILES
    assert all(name in out for name in (*FILES, "Files in tour"))


def test_every_step_is_told(tour: str, tmp_path: Path) -> None:
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
    places = [tour.index(step) for step in steps]
    assert places == sorted(places)
    assert verify(tmp_path / "tour" / "public", data=read(tmp_path / "tour" / "hospital.csv")).holds
    public = (tmp_path / "tour" / "public" / "report.html").read_text()
    assert ".part" not in public + (tmp_path / "tour" / "owner-report.html").read_text()


def test_the_files_are_what_was_shown(call, tmp_path: Path) -> None:
    document = json.loads(call("demo", "-o", "new", "--json").out)
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == FILES
    assert read(tmp_path / "new" / "hospital.csv").n == document["n"] == 4000
    patterns = read_patterns(tmp_path / "new" / "patterns.csv")
    assert len(patterns.supports) == document["count"]
    assert all((tmp_path / path).exists() for path in document["files"].values())
    assert (document["audit"]["safe"], document["verify"]["safe"]) == (False, True)
    assert document["audit"]["channels"] > 0
    assert document["audit"]["border"] > 0


def test_what_it_suggests_works_when_pasted(call, tour: str) -> None:
    commands = [line.strip() for line in tour.splitlines() if line.startswith("    discreet ")]
    assert len(commands) >= 2
    for command in commands:
        assert call(*shlex.split(command)[1:]).status == (1 if " audit " in command else 0)


def test_without_a_folder_a_new_one_is_made_with_the_same_in_it_every_time(
    call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    outs, folders = [], []
    for _ in range(2):
        outcome = call("demo")
        assert (outcome.status, outcome.err) == (0, "")
        (made,) = set(tmp_path.iterdir()) - set(folders)
        folders.append(made)
        outs.append("".join(outcome.out.split()).replace(made.name, "tour"))  # a name may go on in the next line
    assert outs[0] == outs[1]
    for name in ("hospital.csv", "patterns.csv", "public/certificate.json", "public/report.html"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()


def test_force_fills_any_folder(call, tour: str, tmp_path: Path) -> None:  # noqa: ARG001 - what is replaced
    (tmp_path / "tour" / "hospital.csv").write_text("old")
    (tmp_path / "tour" / "other.txt").write_text("keep me")
    assert call("demo", "-o", "tour", "--force").status == 0
    assert read(tmp_path / "tour" / "hospital.csv").n == 4000
    assert (tmp_path / "tour" / "other.txt").read_text() == "keep me"


def test_a_failing_step_leaves_no_folder(call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def mine(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("discreet.patterns.mining.mine", mine)
    assert call("demo").status == 130
    assert call("demo", "-o", "tour").status == 130
    assert list(tmp_path.iterdir()) == []
