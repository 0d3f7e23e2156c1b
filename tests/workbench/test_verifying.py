"""What is said of a bundle is said of the files that are listed, and of no others."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from discreet.publishing.release import release
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.workbench.desks import Desk

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.workbench.jobs import Job

EXAMPLE = Path("tests/data/running-example.dat")


class LateCrew:
    """Work that ends when the test says so, here."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Job, Callable[[], Any], Callable[[Any], None], Callable[[], None]]] = []

    def start(self, job: Job, function: Any, *arguments: Any, then: Any, ended: Any) -> None:
        self._waiting.append((job, lambda: function(lambda *_: None, *arguments), then, ended))

    def end_all(self) -> None:
        """Do what was begun and not cancelled, in its order."""
        while self._waiting:
            job, do, then, ended = self._waiting.pop(0)
            if job.running:
                job.finish(do(), then)
            ended()


@pytest.fixture
def crew() -> LateCrew:
    return LateCrew()


@pytest.fixture
def desk(tmp_path: Path, crew: LateCrew) -> Desk:
    folder = tmp_path / "desk"
    folder.mkdir()
    return Desk("desk", folder, crew)  # type: ignore[arg-type]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """Return a bundle that holds."""
    release(read(EXAMPLE), min_support=8, k=3, method="additive", output=tmp_path / "good")
    return tmp_path / "good"


@pytest.fixture
def bad(good: Path, tmp_path: Path) -> Path:
    """Return the same bundle with patterns that were changed."""
    folder = Path(shutil.copytree(good, tmp_path / "bad"))
    patterns = folder / "patterns.csv"
    patterns.write_text(patterns.read_text() + "\n")
    return folder


def packed(bundle: Path) -> Path:
    """Return a bundle as a zip."""
    return Path(shutil.make_archive(str(bundle), "zip", bundle))


def drop(desk: Desk, path: Path) -> None:
    """Drop a file of a bundle, as the server takes it."""
    arrived = desk.path_for("bundle", path.name)
    shutil.copy(path, arrived)
    desk.arrived("bundle", arrived, path.name)


def verdict(desk: Desk, crew: LateCrew) -> bool | None:
    """Verify what is there, and return whether it holds."""
    desk.verify(with_rows=desk.source.rows is not None)
    crew.end_all()
    return None if desk.verifying.verification is None else desk.verifying.verification.holds


def test_a_zip_takes_the_place_of_all_that_was_dropped_before(desk: Desk, crew: LateCrew, good: Path, bad: Path):
    for bundle, holds in ((bad, False), (good, True), (bad, False)):
        drop(desk, packed(bundle))
        assert list(desk.verifying.files) == [f"{bundle.name}.zip"]
        assert verdict(desk, crew) is holds
    assert [path.name for path in desk.path_for("bundle", "x").parent.iterdir()] == ["bad.zip"]


def test_a_loose_file_begins_anew_after_a_zip(desk: Desk, crew: LateCrew, good: Path, bad: Path):
    drop(desk, packed(good))
    drop(desk, bad / "patterns.csv")
    assert list(desk.verifying.files) == ["patterns.csv"]
    assert verdict(desk, crew) is False
    for path in good.iterdir():
        drop(desk, path)
    assert set(desk.verifying.files) == {path.name for path in good.iterdir()}
    assert verdict(desk, crew) is True
    drop(desk, bad / "patterns.csv")  # of files of one name the last one counts
    assert verdict(desk, crew) is False


def test_an_answer_about_files_that_are_no_longer_listed_is_no_answer(
    desk: Desk, crew: LateCrew, good: Path, bad: Path
):
    drop(desk, packed(good))
    desk.verify(with_rows=False)
    desk.forget_bundle()
    assert not desk.busy
    crew.end_all()
    assert desk.verifying.verification is None
    assert not desk.verifying.files
    drop(desk, packed(good))
    desk.verify(with_rows=False)
    drop(desk, packed(bad))
    assert not desk.busy
    crew.end_all()
    assert desk.verifying.verification is None
    assert list(desk.verifying.files) == ["bad.zip"]
    assert verdict(desk, crew) is False


def test_an_answer_against_rows_that_are_gone_is_no_answer(desk: Desk, crew: LateCrew, good: Path):
    desk.source.rows = read(EXAMPLE)
    drop(desk, packed(good))
    desk.verify(with_rows=True)
    desk.source.rows = Transactions.from_rows([["a"]])
    crew.end_all()
    assert desk.verifying.verification is None
    assert verdict(desk, crew) is False


def test_other_work_goes_on_when_a_bundle_arrives(desk: Desk, crew: LateCrew, good: Path):
    drop(desk, packed(good))
    assert verdict(desk, crew) is True
    desk.start("Counting", lambda _report: 3, then=lambda _: None)
    drop(desk, packed(good))
    desk.verify(with_rows=False)
    assert desk.busy
    assert desk.job is not None
    assert desk.job.title == "Counting"
    desk.forget_bundle()
    assert desk.busy
