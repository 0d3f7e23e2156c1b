"""A bundle is there as a whole, or not at all: whatever happens, whenever."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from discreet import DataError, OutputError, Transactions
from discreet.publishing.ledger import open_ledger
from discreet.publishing.release import release
from discreet.publishing.verifier import verify
from discreet.tables.whole import whole_folder
from tests.patience import PATIENCE


def begin(path: Path) -> Path:
    with open_ledger(path, new=True):
        return path


ROWS = Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + [""] * 20)


@pytest.mark.parametrize(("moments", "passphrase"), [(30, []), (20, ["correct horse battery"])])
def test_a_kill_at_any_of_50_moments_leaves_no_bundle_or_a_whole_one(
    tmp_path: Path, moments: int, passphrase: list[str]
):
    program = Path(__file__).with_name("killed_releases.py")
    (tmp_path / "work").mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(program), str(tmp_path / "work"), str(moments), *passphrase],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
        cwd=program.parents[2],
    )
    told = json.loads(done.stdout)
    outcomes = told["outcomes"]
    assert told["total"] >= 500
    assert len(outcomes) == moments
    assert not any(outcome["finished"] for outcome in outcomes), "every one was killed"
    for outcome in outcomes:
        assert outcome["there"] == outcome["holds"], outcome
        assert outcome["recorded"] >= outcome["there"], outcome  # never public without being in the ledger
        assert outcome["after"] in (None, {"there": True, "holds": True, "recorded": 1, "hidden": []}), outcome
    assert sum(not outcome["there"] for outcome in outcomes) >= moments * 4 // 5
    assert sum(bool(outcome["hidden"]) for outcome in outcomes) >= moments * 2 // 5, (
        "killed while files were being written"
    )


def test_a_failure_while_writing_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.publishing.bundle.public_report", fail)
    ledger = begin(tmp_path / "ledger")
    with pytest.raises(KeyboardInterrupt):
        release(ROWS, k=5, min_support=10, method="none", output=tmp_path / "public", ledger=ledger)
    assert [path.name for path in tmp_path.iterdir()] == ["ledger"]
    with open_ledger(tmp_path / "ledger") as book:
        assert book.entries == ()


def test_a_folder_that_cannot_be_put_in_place_is_taken_out_of_the_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("discreet.publishing.bundle.public_report", lambda _: "")
    monkeypatch.setattr("discreet.tables.whole._settle", fail)
    ledger = begin(tmp_path / "ledger")
    with pytest.raises(OutputError, match="No space left"):
        release(ROWS, k=5, min_support=10, method="none", output=tmp_path / "public", ledger=ledger)
    with open_ledger(tmp_path / "ledger") as book:
        assert book.entries == ()


def test_what_is_there_is_replaced_only_with_force_and_only_a_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("discreet.publishing.bundle.public_report", lambda _: "")

    def again(*, force: bool, method: str = "none") -> None:
        release(ROWS, k=5, min_support=10, method=method, output=tmp_path / "public", force=force)

    again(force=False)
    with pytest.raises(OutputError, match="not empty"):
        again(force=False)
    again(force=True)
    assert verify(tmp_path / "public").holds
    assert [path.name for path in tmp_path.iterdir()] == ["public"]
    (tmp_path / "public" / "certificate.json").unlink()
    with pytest.raises(OutputError, match="holds no bundle"):
        again(force=True)


def test_a_folder_that_somebody_writes_to_is_left_alone(tmp_path: Path):
    with whole_folder(tmp_path / "out") as first:
        (first / "a").write_text("1")
        with whole_folder(tmp_path / "out") as second:
            assert first.exists()
            (second / "a").write_text("2")
        assert (tmp_path / "out" / "a").read_text() == "2"
        (tmp_path / "out" / "a").unlink()
    assert (tmp_path / "out" / "a").read_text() == "1"


@pytest.mark.parametrize("at_once", [True, False])
def test_a_folder_that_is_replaced_has_its_name_at_every_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: bool
):
    """Where two folders cannot be exchanged in one step, the old one comes back if the new one cannot come."""
    out = tmp_path / "out"
    (out / "sub").mkdir(parents=True)
    (out / "old").write_text("old")
    (out / "sub" / "deep").write_text("deep")
    if not at_once:
        monkeypatch.setattr("ctypes.CDLL", lambda _: None)
    rename, seen = Path.rename, []

    def watched(self: Path, target: Path) -> Path:
        seen.append(self.name)
        if self != out and not at_once and len(seen) == 2:
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", watched)
    if at_once:
        with whole_folder(out, force=True, keep_others=True) as folder:
            (folder / "new").write_text("new")
        assert not seen
        assert (out / "sub" / "deep").read_text() == "deep"
    else:
        with pytest.raises(OutputError, match="No space left"), whole_folder(out, force=True) as folder:
            (folder / "new").write_text("new")
    assert (out / "old").read_text() == "old"
    assert (out / "new").exists() == at_once
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_ledger_that_was_just_begun_takes_one_entry(tmp_path: Path):
    """A second one would be in a journal of the hidden name, where nobody finds it after a kill."""
    one = release(ROWS, k=5, min_support=10, method="none", output=tmp_path / "one").bundle
    two = release(ROWS, k=5, min_support=30, method="none", output=tmp_path / "two").bundle

    def both() -> None:
        with open_ledger(tmp_path / "book", new=True) as book:
            book.add(one)
            book.add(two)

    with pytest.raises(DataError, match="open it again"):
        both()
    with open_ledger(tmp_path / "book") as book:
        assert len(book.entries) == 1
        book.add(two)
        book.withdraw(1)
