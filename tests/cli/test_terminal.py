"""What only happens on a terminal: colours and the progress bar; and what must not happen elsewhere."""

from __future__ import annotations

import io
import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

import discreet
from discreet import stages
from discreet.cli import progress
from discreet.cli.main import Commands, main
from discreet.cli.progress import patience_note, progress_bar
from tests.patience import PATIENCE, wait_until

if TYPE_CHECKING:
    from pathlib import Path


class Terminal(io.StringIO):
    """Standard error as a terminal has it."""

    def isatty(self) -> bool:
        return True


def a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return terminal


def test_work_that_is_soon_done_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    with progress_bar("Mining", unit="itemsets") as report:
        report(0.5, 1000)
    assert terminal.getvalue() == ""


def test_work_that_lasts_shows_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress_bar("Writing", unit="itemsets") as report:
        now[0] += 10.0
        report(0.25, 1_234_560)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    for part in ("Writing", "25%", "1,234,560 itemsets", "123,456/s", "0:30 left"):
        assert part in shown


def test_mining_shows_no_time_left(monkeypatch: pytest.MonkeyPatch, data_folder: Path) -> None:
    """Its share is that of branches, most of which are soon done, so what it says of the time would be wrong."""
    terminal = a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    told: list[float] = []
    mine = discreet.mine

    def reporting(*given, progress, **named):
        for done in (0.2, 0.5, 0.9):
            progress(done, 10)
            told.append(done)
        return mine(*given, **named)

    monkeypatch.setattr("discreet.mine", reporting)
    assert main(["mine", str(data_folder / "mushroom.dat.gz"), "-s", "50%"]) == 0
    assert told == [0.2, 0.5, 0.9]
    assert "90%" in terminal.getvalue()
    assert "left" not in terminal.getvalue()


def test_work_that_cannot_tell_how_far_it_is_says_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    with patience_note("Reading a\x1bb.dat"):
        wait_until(terminal.getvalue)
        assert terminal.getvalue() == r"Reading a\x1bb.dat …"
    assert terminal.getvalue().endswith("\r")


def test_work_that_is_soon_done_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    with patience_note("Reading"):
        pass
    with patience_note("Reading", quiet=True):
        pass
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("quiet", [True, False])
def test_no_bar_where_nobody_sees_it(monkeypatch: pytest.MonkeyPatch, *, quiet: bool) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal() if quiet else io.StringIO())
    with progress_bar("Mining", unit="itemsets", quiet=quiet) as report:
        assert report is None


def _rest(terminal: int) -> bytes:
    """Return what is shown on a terminal from now on."""
    shown = b""
    with suppress(OSError):  # how Linux reports that the other side has closed
        while chunk := os.read(terminal, 65536):
            shown += chunk
    os.close(terminal)
    return shown


def _on_a_terminal(words: list[str], folder: Path, **environment: str) -> str:
    """Run the command with a terminal as standard output, and return what it would show."""
    ours, theirs = pty.openpty()
    settings = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    with subprocess.Popen(
        [sys.executable, "-m", "discreet", *words],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=settings | {"TERM": "xterm", "COLUMNS": "80"} | environment,
    ) as process:
        os.close(theirs)
        shown = _rest(ours)
    assert process.returncode == 0
    return shown.decode()


@pytest.mark.parametrize("words", [["mine", "rows.dat", "-s", "2"], ["--help"]])
def test_colour_on_a_terminal_that_wants_it(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "rows.dat").write_text("a b\na b\n")
    assert "\x1b[1m" in _on_a_terminal(words, tmp_path)
    assert "\x1b[" not in _on_a_terminal(words, tmp_path, NO_COLOR="1")
    assert "\x1b[" not in _on_a_terminal(words, tmp_path, TERM="dumb")


def test_no_colour_in_a_pipe(run, tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("a b\na b\n")
    assert "\x1b" not in run("mine", "rows.dat", "-s", 2).out


def test_ctrl_c_ends_mining_and_takes_the_bar_away(data_folder: Path, tmp_path: Path) -> None:
    """The bar says when mining is well under way; then the key is pressed."""
    ours, theirs = pty.openpty()
    words = ["mine", str(data_folder / "chess.dat.gz"), "-s", "20%", "--max-patterns", str(10**12), "-o", "out.csv"]
    with subprocess.Popen(
        [sys.executable, "-m", "discreet", *words],
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=tmp_path,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(theirs)
        shown = b""
        while b"itemsets" not in shown:
            shown += os.read(ours, 65536)
        process.send_signal(signal.SIGINT)
        shown += _rest(ours)
        out, _ = process.communicate(timeout=PATIENCE)  # mining would take hours
    assert (process.returncode, out) == (130, b"")
    assert b"itemsets" in shown
    assert shown.endswith(b"interrupted\r\n")
    assert b"\x1b[?25h" in shown, "the cursor is hidden for good"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("discreet ", set(Commands.modules)),
        ("discreet ge", {"generate"}),
        ("discreet generate ", {"quest", "skewed", "hospital", "like"}),
        ("discreet mine x --ta", {"--target"}),
        ("discreet mine x --target ", {"all", "closed", "maximal"}),
        ("discreet mine x --format o", {"onehot"}),
    ],
)
def test_the_shell_completes(run, monkeypatch: pytest.MonkeyPatch, typed: str, offered: set[str]) -> None:
    monkeypatch.setenv("_DISCREET_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split(" ")) - 1))
    outcome = run()
    assert (outcome.status, outcome.err) == (0, "")
    assert {line.partition(",")[2] for line in outcome.out.split()} == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_shown(run, shell: str) -> None:
    outcome = run("--show-completion", shell)
    assert (outcome.status, outcome.err) == (0, "")
    assert "_DISCREET_COMPLETE" in outcome.out


def test_an_audit_says_how_much_of_it_is_done(data_folder: Path) -> None:
    seen: list[float] = []
    rows = discreet.read(data_folder / "mushroom.dat.gz")
    discreet.audit(rows, k=10, min_support="40%", progress=lambda done, _: seen.append(done))
    assert seen == sorted(seen)
    assert 0.4 < seen[-1] <= 1


def test_a_bar_takes_the_place_of_the_note(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    with patience_note("Reading", unit="bytes") as report:
        wait_until(terminal.getvalue)
        report(0.5, 2000)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    assert shown.startswith("Reading …\r")
    for part in ("50%", "2,000 bytes"):
        assert part in shown


def test_the_note_follows_the_stages_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    with patience_note("Blocking"):
        stages.tell("round 1, attacking the result", 0.25)
        wait_until(terminal.getvalue)
        stages.tell("round 2")
    assert terminal.getvalue() == (
        f"Blocking: round 1, attacking the result, 25 % …\r{'Blocking: round 2 …':<47}\r{' ' * 47}\r"
    )


def test_a_bar_says_the_stage_until_the_whole_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with progress_bar("Auditing", unit="steps") as report:
        stages.tell("the border", 0.5)
        first = terminal.getvalue()
        report(0.75, 10)
    assert "Auditing: the border, 50 %" in first
    assert "75%" in terminal.getvalue()[len(first) :]
