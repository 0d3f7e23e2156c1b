"""A signal may come right after a temporary file is made, before anything is there that would remove it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from discreet.cli.main import main
from discreet.tables import scratch, whole


@pytest.mark.parametrize("made", ["locked_file", "locked_folder"])
def test_what_was_just_made_is_removed_when_a_signal_comes(tmp_path: Path, monkeypatch, made: str):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.dat").write_text("a b\n" * 20 + "\n" * 20, encoding="utf-8")
    making = getattr(scratch, made)

    def interrupted(*where: object) -> None:
        making(*where)
        raise KeyboardInterrupt

    monkeypatch.setattr(whole, made, interrupted)
    words = ["mine", "rows.dat", "-s", "5", "-o", "out.csv"]
    if made == "locked_folder":
        words = ["release", "rows.dat", "-s", "5", "-k", "3", "--method", "none", "-o", "out"]
    assert main(words) == 130
    assert [path.name for path in tmp_path.iterdir()] == ["rows.dat"]


def test_a_fork_removes_nothing_of_another_process(tmp_path: Path):
    file, handle = scratch.locked_file(tmp_path, ".x.", ".part")
    child = os.fork()
    if not child:
        scratch.remove_own()
        os._exit(0)
    os.waitpid(child, 0)
    assert file.exists()
    scratch.remove_own()
    assert not file.exists()
    os.close(handle)


def test_a_folder_that_another_program_takes_for_abandoned_is_made_again(tmp_path: Path, monkeypatch):
    """Between making it and locking it, it looks like one that a killed program left."""
    making, taken = Path.mkdir, []

    def mkdir(folder: Path, mode: int) -> None:
        making(folder, mode)
        if not taken:
            scratch.remove_abandoned(tmp_path, ".x.", ".part")
            taken.append(folder)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    folder, handle = scratch.locked_folder(tmp_path, ".x.", ".part")
    assert not taken[0].exists()
    scratch.remove_abandoned(tmp_path, ".x.", ".part")
    assert folder.is_dir()
    scratch.remove_own()
    os.close(handle)
