"""Whatever signal ends a command, it leaves nothing behind; what SIGKILL leaves, the next command removes."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.patience import PATIENCE, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROWS = gzip.compress(b'{"age": 34, "area": "N1"}\n' * 20_000 + os.urandom(1 << 20), compresslevel=0)


@contextmanager
def _unpacking(folder: Path, *, nohup: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a command that has begun to unpack people's rows, which come through a pipe that never ends."""
    scratch = folder / "scratch"
    scratch.mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "discreet", "mine", "-", "--format", "table", "-s", "2", "-o", "out.csv"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=os.environ | {"TMPDIR": str(scratch)},
        # whoever runs the tests may ignore SIGHUP, and programs inherit that
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN if nohup else signal.SIG_DFL),  # noqa: PLW1509 - no threads
    ) as process:
        assert process.stdin is not None
        process.stdin.write(ROWS[: len(ROWS) // 2])
        process.stdin.flush()
        wait_until(lambda: any(scratch.rglob("rows")) or process.poll() is not None)
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cleans_up(way: signal.Signals, tmp_path: Path) -> None:
    with _unpacking(tmp_path) as process:
        process.send_signal(way)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (130, b"", b"interrupted\n")
    assert [path.name for path in tmp_path.rglob("*")] == ["scratch"]


def test_nohup_is_respected(tmp_path: Path) -> None:
    with _unpacking(tmp_path, nohup=True) as process:
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2  # the end of its input, which was cut off
    assert b"cut off" in err


def test_what_a_kill_leaves_is_removed_by_the_next_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _unpacking(tmp_path) as process:
        process.kill()
        process.wait(timeout=PATIENCE)
    scratch = tmp_path / "scratch"
    assert any(scratch.rglob("rows")), "people's rows, unpacked"
    others = [scratch / "discreet-demo-abcdefgh", scratch / "discreet-scratch-abc", scratch / "other.csv"]
    for other in others:
        other.touch()
    monkeypatch.setenv("TMPDIR", str(scratch))
    subprocess.run([sys.executable, "-m", "discreet", "--version"], check=True, stdout=subprocess.DEVNULL)
    assert sorted(scratch.iterdir()) == others, "our leftovers are gone, and nothing else"


def test_one_command_leaves_the_work_of_another_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _unpacking(tmp_path):
        monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
        subprocess.run([sys.executable, "-m", "discreet", "--version"], check=True, stdout=subprocess.DEVNULL)
        assert any((tmp_path / "scratch").rglob("rows"))


_KILLED = """
import os, signal, sys
from discreet.tables.whole import whole_file
with whole_file("out.csv") as temporary:
    temporary.write_text("half of it")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_unfinished_file_is_removed_by_the_next_writer(tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("a b\na b\n")
    subprocess.run([sys.executable, "-c", _KILLED], cwd=tmp_path, check=False)
    assert len(list(tmp_path.glob(".out.csv.*.part"))) == 1
    (tmp_path / ".out.csv.mine.part").touch()
    words = ["mine", "rows.dat", "-s", "2", "-o", "out.csv"]
    subprocess.run([sys.executable, "-m", "discreet", *words], cwd=tmp_path, check=True, capture_output=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".out.csv.mine.part", "out.csv", "rows.dat"]
