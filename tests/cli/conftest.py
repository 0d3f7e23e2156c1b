"""Two ways to call the command line: inside this process, and as people do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from discreet.cli.main import main

COMMAND = [sys.executable, "-m", "discreet"]


@dataclass(frozen=True)
class Outcome:
    """How a call ended."""

    status: int
    out: str
    err: str

    def refused(self) -> str:
        """Check that this is a refusal as the contract has it, and return its sentence."""
        assert self.status == 2, self
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1
        assert self.err.endswith("\n")
        return self.err.removeprefix("error: ").rstrip("\n")


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Outcome]:
    """Return a function that calls the command line in this process, from an empty folder, 80 columns wide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words: object) -> Outcome:
        status = main([str(word) for word in words])
        captured = capfd.readouterr()
        return Outcome(status, captured.out, captured.err)

    return call


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Outcome]:
    """Return a function that runs the command in a process of its own, from an empty folder."""

    def run(*words: object, timeout: float = 60, **settings: object) -> Outcome:
        settings = {"cwd": tmp_path, "stdout": subprocess.PIPE} | settings
        done = subprocess.run(  # noqa: S603
            [*COMMAND, *map(str, words)],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"COLUMNS": "80"},
            timeout=timeout,
            check=False,
            **settings,
        )
        return Outcome(done.returncode, done.stdout or "", done.stderr)

    return run
