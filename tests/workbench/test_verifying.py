"""What is said of a bundle is said of the files that are listed, and of no others."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from discreet import DataError
from discreet.publishing.release import release
from discreet.transactions.reading import read
from discreet.workbench.jobs.patterns import check_bundle
from discreet.workbench.jobs.process import Job
from discreet.workbench.jobs.rows_cache import RowsCache, RowsFile
from discreet.workbench.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable


EXAMPLE = Path("tests/data/running-example.dat")


def quiet(share: float | None, words: str) -> None:
    """Report nothing."""


class LatePool:
    """Work that ends when the test says so, here."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Job[Any], Callable[[], None]]] = []
        self._cache = RowsCache()

    def start(self, job: Job[Any], *, ended: Callable[[], None]) -> None:
        self._waiting.append((job, ended))

    def end_all(self) -> None:
        """Do what was begun and not cancelled, in its order."""
        while self._waiting:
            job, ended = self._waiting.pop(0)
            if job.running:
                function, arguments = job.work
                named = [self._cache.rows(x, quiet) if isinstance(x, RowsFile) else x for x in arguments]
                job.finish(function(quiet, *named))
            ended()


def test_a_ledger_must_have_the_bundle(workspace: Workspace, pool: LatePool, tmp_path: Path):
    books = [tmp_path / name / "releases.ledger" for name in ("one", "other")]
    for place, book in enumerate(books):
        book.parent.mkdir()
        out = tmp_path / f"public{place}"
        release(read(EXAMPLE), min_support=8, k=3, method="additive", output=out, ledger=book, new_ledger=True)
    bundle = Path(shutil.make_archive(str(tmp_path / "bundle"), "zip", tmp_path / "public0"))
    for book, holds in zip(books, (True, False), strict=True):
        before = book.read_bytes()
        for slot, path in (("bundle", bundle), ("ledger", book)):
            arrived = workspace.path_for(slot, path.name)
            shutil.copy(path, arrived)
            workspace.arrived(slot, arrived, path.name)
        assert workspace.verify.verification is None
        workspace.verify.verify(with_rows=False)
        pool.end_all()
        assert workspace.verify.verification is not None
        assert workspace.verify.verification.holds is holds
        assert book.read_bytes() == before
    workspace.verify.forget_trusted()
    assert workspace.verify.ledger is None
    assert not workspace.path_for("ledger", books[0].name).exists()


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


def dropped(workspace: Workspace, path: Path) -> Path:
    """Put a file of rows where the server would."""
    return Path(shutil.copy(path, workspace.path_for("rows-only", path.name)))


def drop(workspace: Workspace, path: Path) -> None:
    """Drop a file of a bundle, as the server takes it."""
    arrived = workspace.path_for("bundle", path.name)
    shutil.copy(path, arrived)
    workspace.arrived("bundle", arrived, path.name)


def verdict(workspace: Workspace, pool: LatePool) -> bool | None:
    """Verify what is there, and return whether it holds."""
    workspace.verify.verify(with_rows=True)
    pool.end_all()
    return None if workspace.verify.verification is None else workspace.verify.verification.holds


def test_a_zip_takes_the_place_of_all_that_was_dropped_before(
    workspace: Workspace, pool: LatePool, good: Path, bad: Path
):
    for bundle, holds in ((bad, False), (good, True), (bad, False)):
        drop(workspace, packed(bundle))
        assert list(workspace.verify.files) == [f"{bundle.name}.zip"]
        assert verdict(workspace, pool) is holds
    assert [path.name for path in workspace.path_for("bundle", "x").parent.iterdir()] == ["bad.zip"]


def _with_comment(packed_bundle: zipfile.ZipFile) -> None:
    packed_bundle.comment = b"5,000 rows"


def _with_member_comment(packed_bundle: zipfile.ZipFile) -> None:
    packed_bundle.infolist()[0].comment = b"5,000 rows"
    packed_bundle.comment = b""  # so that the directory is written again


def _with_extra(packed_bundle: zipfile.ZipFile) -> None:
    member = zipfile.ZipInfo("x.txt")
    member.extra = b"\x99\x99" + (400).to_bytes(2, "little") + b"r" * 400
    packed_bundle.writestr(member, "")


def _with_link(packed_bundle: zipfile.ZipFile) -> None:
    member = zipfile.ZipInfo("x.txt")
    member.external_attr = 0o120777 << 16
    packed_bundle.writestr(member, "/etc/hostname")


def _with_folder(packed_bundle: zipfile.ZipFile) -> None:
    packed_bundle.writestr("5,000 rows/patterns.csv", "")


@pytest.mark.parametrize("way", [_with_comment, _with_member_comment, _with_extra, _with_link, _with_folder])
def test_a_zip_that_holds_more_than_files_is_refused(good: Path, tmp_path: Path, way: Callable):
    archive = Path(shutil.copy(packed(good), tmp_path / "more.zip"))
    with zipfile.ZipFile(archive, "a") as more:
        way(more)
    with pytest.raises(DataError, match="holds more than the files of one folder"):
        check_bundle(quiet, [archive], tmp_path / "work", None)


def test_a_file_with_a_zip_in_it_is_no_zip(good: Path, tmp_path: Path):
    other = tmp_path / "patterns.csv"
    other.write_bytes((good / "patterns.csv").read_bytes() + packed(good).read_bytes())
    files = [other, *(path for path in good.iterdir() if path.name != "patterns.csv")]
    assert not check_bundle(quiet, files, tmp_path / "work", None).holds


def test_a_loose_file_begins_anew_after_a_zip(workspace: Workspace, pool: LatePool, good: Path, bad: Path):
    drop(workspace, packed(good))
    drop(workspace, bad / "patterns.csv")
    assert list(workspace.verify.files) == ["patterns.csv"]
    assert verdict(workspace, pool) is False
    for path in good.iterdir():
        drop(workspace, path)
    assert set(workspace.verify.files) == {path.name for path in good.iterdir()}
    assert verdict(workspace, pool) is True
    drop(workspace, bad / "patterns.csv")  # of files of one name the last one counts
    assert verdict(workspace, pool) is False


def test_an_answer_about_files_that_are_no_longer_listed_is_no_answer(
    workspace: Workspace, pool: LatePool, good: Path, bad: Path
):
    drop(workspace, packed(good))
    workspace.verify.verify(with_rows=False)
    workspace.verify.forget()
    assert not workspace.busy
    pool.end_all()
    assert workspace.verify.verification is None
    assert not workspace.verify.files
    drop(workspace, packed(good))
    workspace.verify.verify(with_rows=False)
    drop(workspace, packed(bad))
    assert not workspace.busy
    pool.end_all()
    assert workspace.verify.verification is None
    assert list(workspace.verify.files) == ["bad.zip"]
    assert verdict(workspace, pool) is False


def test_an_answer_against_rows_that_are_gone_is_no_answer(
    workspace: Workspace, pool: LatePool, good: Path, tmp_path: Path
):
    workspace.arrived("rows-only", dropped(workspace, EXAMPLE), EXAMPLE.name)
    pool.end_all()
    drop(workspace, packed(good))
    workspace.verify.verify(with_rows=True)
    pool.end_all()
    assert workspace.verify.verification.holds
    assert workspace.verify.with_rows
    workspace.verify.verify(with_rows=True)
    other = tmp_path / "other.dat"
    other.write_text("a\n")
    workspace.arrived("rows-only", dropped(workspace, other), other.name)
    pool.end_all()
    assert workspace.verify.verification is None
    assert verdict(workspace, pool) is False


def test_other_work_goes_on_when_a_bundle_arrives(workspace: Workspace, pool: LatePool, good: Path):
    drop(workspace, packed(good))
    assert verdict(workspace, pool) is True
    workspace.start(Job("Counting", lambda _report: 3, then=lambda _: None))
    drop(workspace, packed(good))
    workspace.verify.verify(with_rows=False)
    assert workspace.busy
    assert workspace.job is not None
    assert workspace.job.title == "Counting"
    workspace.verify.forget()
    assert workspace.busy
