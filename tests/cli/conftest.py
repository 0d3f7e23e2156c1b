"""Two ways to call the command line: inside this process, and as people do."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from discreet.cli.main import main
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COMMAND = [sys.executable, "-m", "discreet"]


@dataclass(frozen=True)
class Outcome:
    """How a call ended."""

    status: int
    out: str
    err: str

    def document(self) -> dict[str, Any]:
        """Return the document of `--json` without how DATA was read, which has tests of its own."""
        found: dict[str, Any] = json.loads(self.out)
        found.pop("read", None)
        return found

    def refused(self) -> str:
        """Check that this is a refusal as docs/command-line.md has it, and return its sentence."""
        assert self.status == 2, self
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1
        assert self.err.endswith("\n")
        return self.err.removeprefix("error: ").rstrip("\n")


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Work in an empty folder, 80 columns wide, with a place of its own for temporary files."""
    temporary = str(tmp_path_factory.mktemp("temporary"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TMPDIR", temporary)
    monkeypatch.setattr(tempfile, "tempdir", temporary)


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Return a function that calls the command line in this process."""

    def call(*words: object) -> Outcome:
        status = main([str(word) for word in words])
        captured = capfd.readouterr()
        return Outcome(status, captured.out, captured.err)

    return call


@pytest.fixture
def run() -> Callable[..., Outcome]:
    """Return a function that runs the command in a process of its own."""

    def run(*words: object, **settings: object) -> Outcome:
        settings = {"stdout": subprocess.PIPE} | settings
        done = subprocess.run(
            [*COMMAND, *map(str, words)],
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
            **settings,
        )
        return Outcome(done.returncode, done.stdout or "", done.stderr)

    return run


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """Return the restrictive patterns of the paper's example, as the file private.txt."""
    path = tmp_path / "private.txt"
    path.write_text("A B D\nA C D\n")
    return path
