"""What is said of a bundle is said of the files that are listed, and of no others."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from discreet.publishing.release import release
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.workbench.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.workbench.jobs.process import Job

EXAMPLE = Path("tests/data/running-example.dat")


class LatePool:
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
def pool() -> LatePool:
    return LatePool()


@pytest.fixture
def workspace(tmp_path: Path, pool: LatePool) -> Workspace:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return Workspace("workspace", folder, pool)  # type: ignore[arg-type]


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


def drop(workspace: Workspace, path: Path) -> None:
    """Drop a file of a bundle, as the server takes it."""
    arrived = workspace.path_for("bundle", path.name)
    shutil.copy(path, arrived)
    workspace.arrived("bundle", arrived, path.name)


def verdict(workspace: Workspace, pool: LatePool) -> bool | None:
    """Verify what is there, and return whether it holds."""
    workspace.verify(with_rows=workspace.source.rows is not None)
    pool.end_all()
    return None if workspace.verifying.verification is None else workspace.verifying.verification.holds


def test_a_zip_takes_the_place_of_all_that_was_dropped_before(
    workspace: Workspace, pool: LatePool, good: Path, bad: Path
):
    for bundle, holds in ((bad, False), (good, True), (bad, False)):
        drop(workspace, packed(bundle))
        assert list(workspace.verifying.files) == [f"{bundle.name}.zip"]
        assert verdict(workspace, pool) is holds
    assert [path.name for path in workspace.path_for("bundle", "x").parent.iterdir()] == ["bad.zip"]


def test_a_loose_file_begins_anew_after_a_zip(workspace: Workspace, pool: LatePool, good: Path, bad: Path):
    drop(workspace, packed(good))
    drop(workspace, bad / "patterns.csv")
    assert list(workspace.verifying.files) == ["patterns.csv"]
    assert verdict(workspace, pool) is False
    for path in good.iterdir():
        drop(workspace, path)
    assert set(workspace.verifying.files) == {path.name for path in good.iterdir()}
    assert verdict(workspace, pool) is True
    drop(workspace, bad / "patterns.csv")  # of files of one name the last one counts
    assert verdict(workspace, pool) is False


def test_an_answer_about_files_that_are_no_longer_listed_is_no_answer(
    workspace: Workspace, pool: LatePool, good: Path, bad: Path
):
    drop(workspace, packed(good))
    workspace.verify(with_rows=False)
    workspace.forget_bundle()
    assert not workspace.busy
    pool.end_all()
    assert workspace.verifying.verification is None
    assert not workspace.verifying.files
    drop(workspace, packed(good))
    workspace.verify(with_rows=False)
    drop(workspace, packed(bad))
    assert not workspace.busy
    pool.end_all()
    assert workspace.verifying.verification is None
    assert list(workspace.verifying.files) == ["bad.zip"]
    assert verdict(workspace, pool) is False


def test_an_answer_against_rows_that_are_gone_is_no_answer(workspace: Workspace, pool: LatePool, good: Path):
    workspace.source.rows = read(EXAMPLE)
    drop(workspace, packed(good))
    workspace.verify(with_rows=True)
    workspace.source.rows = Transactions.from_rows([["a"]])
    pool.end_all()
    assert workspace.verifying.verification is None
    assert verdict(workspace, pool) is False


def test_other_work_goes_on_when_a_bundle_arrives(workspace: Workspace, pool: LatePool, good: Path):
    drop(workspace, packed(good))
    assert verdict(workspace, pool) is True
    workspace.start("Counting", lambda _report: 3, then=lambda _: None)
    drop(workspace, packed(good))
    workspace.verify(with_rows=False)
    assert workspace.busy
    assert workspace.job is not None
    assert workspace.job.title == "Counting"
    workspace.forget_bundle()
    assert workspace.busy
