"""An encrypted ledger: what it shows, how it is written, and that its lock is never lost."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from discreet import DataError, OutputError, ParameterError, Transactions
from discreet.publishing.ledger import open_ledger
from discreet.publishing.release import release
from discreet.publishing.verifier import verify
from discreet.tables import private_files, system
from discreet.tables.private_files import is_encrypted, read_private, write_private
from tests.patience import PATIENCE

WORDS = "correct horse battery"
ROWS = Transactions.from_rows([["milk", "bread"]] * 20 + [["milk"]] * 20 + [[]] * 20)

pytestmark = pytest.mark.usefixtures("no_charts")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_files, "_COST", 1)
    monkeypatch.setattr(private_files, "_MOST_COST", 5)


def publish(folder: Path, name: str = "public", *, support: int = 10, **more: object):
    book = folder / "ledger"
    how = {"k": 5, "method": "none", "ledger": book, "new_ledger": not book.exists(), "passphrase": WORDS} | more
    return release(ROWS, min_support=support, output=folder / name, **how)


def begun(path: Path, passphrase: str | None = WORDS) -> Path:
    with open_ledger(path, new=True, passphrase=passphrase):
        pass
    return path


def test_it_shows_nothing_of_the_releases(tmp_path: Path):
    publish(tmp_path)
    content = (tmp_path / "ledger").read_bytes()
    assert is_encrypted(tmp_path / "ledger")
    assert stat.S_IMODE((tmp_path / "ledger").stat().st_mode) == 0o600
    plain = bytes(read_private(tmp_path / "ledger", WORDS))
    assert plain.startswith(b"SQLite format 3\0")
    for word in (b"milk", b"SQLite", b"entries", os.fsencode(tmp_path / "public")):
        assert word in plain
        assert word not in content
    publish(tmp_path, "again", support=30)
    assert (tmp_path / "ledger").read_bytes()[:86] != content[:86], "the same nonces under the same key"
    with open_ledger(tmp_path / "ledger", passphrase=WORDS.encode()) as book:
        assert [Path(entry.folder).name for entry in book.entries] == ["public", "again"]


def test_changed_bytes_and_wrong_passphrases_are_refused(tmp_path: Path):
    publish(tmp_path)
    book = tmp_path / "ledger"
    good = book.read_bytes()
    for place in (*range(140), *range(140, len(good), 211), len(good) - 1):
        book.write_bytes(good[:place] + bytes([good[place] ^ 4]) + good[place + 1 :])
        with pytest.raises(DataError), open_ledger(book, passphrase=WORDS):
            pass
    book.write_bytes(good)
    for passphrase, words in ((None, "is encrypted; give its passphrase"), ("another one", "does not open")):
        with pytest.raises(DataError, match=words):
            publish(tmp_path, "again", passphrase=passphrase)
    assert not (tmp_path / "again").exists()
    assert book.read_bytes() == good


def test_a_plain_ledger_or_another_file_is_not_taken_for_it(tmp_path: Path):
    begun(tmp_path / "plain", None)
    with pytest.raises(DataError, match=r"is not encrypted, .* of a ledger discreet ledger backup; or"):
        publish(tmp_path, ledger=tmp_path / "plain", new_ledger=False)
    write_private(tmp_path / "mapping", [b"{}"], passphrase=WORDS)
    with pytest.raises(DataError, match="mapping is not a ledger, or it is damaged"):
        publish(tmp_path, ledger=tmp_path / "mapping", new_ledger=False)
    with pytest.raises(ParameterError, match="passphrase is about files for you alone, and none is named"):
        publish(tmp_path, ledger=None, new_ledger=False)
    assert not (tmp_path / "public").exists()


def test_a_full_disk_leaves_the_ledger_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    publish(tmp_path)
    before = (tmp_path / "ledger").read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with open_ledger(tmp_path / "ledger", passphrase=WORDS) as book:
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(OutputError, match=r"cannot write the ledger .*: No space left on device; nothing was"):
                book.withdraw(1)
        assert (tmp_path / "ledger").read_bytes() == before
        assert book.entries[0].withdrawn is None
        assert book.withdraw(1, reason="there is room again").number == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger", "public", "public.receipt.json"]


def test_the_file_that_takes_its_place_is_locked_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    publish(tmp_path)
    replace, tried = Path.replace, []

    def replacing(temporary: Path, path: Path) -> Path:
        if path.name != "ledger":
            return replace(temporary, path)
        for each in (temporary, path):
            with pytest.raises(DataError, match="in use"), open_ledger(each, wait=0, passphrase=WORDS):
                pass
        done = replace(temporary, path)
        with pytest.raises(DataError, match="in use"), open_ledger(path, wait=0, passphrase=WORDS):
            pass
        tried.append(path)
        return done

    monkeypatch.setattr(Path, "replace", replacing)
    with open_ledger(tmp_path / "ledger", passphrase=WORDS) as book:
        book.withdraw(1)
        with pytest.raises(DataError, match="in use"), open_ledger(book.path, wait=0, passphrase=WORDS):
            pass
    assert len(tried) == 1


def test_whoever_waited_sees_what_was_written_meanwhile(tmp_path: Path):
    publish(tmp_path)
    waits = threading.Event()

    def waiting() -> int:
        waits.set()
        with open_ledger(tmp_path / "ledger", wait=60, passphrase=WORDS) as book:
            return book.receipt.number

    with ThreadPoolExecutor(1) as pool:
        with open_ledger(tmp_path / "ledger", passphrase=WORDS) as book:
            waited = pool.submit(waiting)
            assert waits.wait(PATIENCE)
            book.withdraw(1)
        assert waited.result() == 2


def test_a_file_that_was_replaced_just_before_it_was_locked_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    publish(tmp_path)
    flock = system.fcntl.flock

    def late(handle: int, how: int) -> None:
        monkeypatch.setattr(system.fcntl, "flock", flock)
        with open_ledger(tmp_path / "ledger", passphrase=WORDS) as other:
            other.withdraw(1)
        flock(handle, how)

    monkeypatch.setattr(system.fcntl, "flock", late)
    with open_ledger(tmp_path / "ledger", passphrase=WORDS) as book:
        assert book.receipt.number == 2


def test_a_link_to_it_stays_and_what_a_killed_run_left_goes(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    book = begun(tmp_path / "elsewhere" / "book")
    (tmp_path / "ledger").symlink_to(book)
    left = book.with_name(".book.abcd1234.next")
    left.touch(0o600)
    publish(tmp_path)
    assert (tmp_path / "ledger").is_symlink()
    assert [path.name for path in book.parent.iterdir()] == ["book"]
    with open_ledger(book, passphrase=WORDS) as opened:
        assert len(opened.entries) == 1


def test_looking_whether_a_ledger_is_encrypted_does_not_end_the_lock_on_a_plain_one(tmp_path: Path):
    """A process that closes a file, however it opened it, loses its locks on it, those of SQLite included."""
    book = begun(tmp_path / "ledger", None)
    program = "import sys, discreet\nwith discreet.open_ledger(sys.argv[1], wait=0):\n    pass"
    with open_ledger(book):
        for passphrase in (None, WORDS):
            with pytest.raises(DataError), open_ledger(book, wait=0, passphrase=passphrase):
                pass
        other = subprocess.run([sys.executable, "-c", program, str(book)], capture_output=True, text=True, check=False)
    assert "is in use" in other.stderr


def test_copies_are_encrypted_as_the_ledger_or_as_asked(tmp_path: Path):
    publish(tmp_path)
    another = WORDS + " staple"
    with open_ledger(tmp_path / "ledger", passphrase=WORDS) as book:
        book.copy(tmp_path / "same")
        book.copy(tmp_path / "other", passphrase=another)
        last = book.receipt
    begun(tmp_path / "plain", None)
    with open_ledger(tmp_path / "plain") as book:
        book.copy(tmp_path / "of-plain", passphrase=WORDS)
        book.copy(tmp_path / "plain-too")
    for name, passphrase in (("same", WORDS), ("other", another)):
        with open_ledger(tmp_path / name, passphrase=passphrase) as copy:
            assert copy.receipt == last
    with open_ledger(tmp_path / "of-plain", passphrase=WORDS) as one, open_ledger(tmp_path / "plain-too") as other:
        assert one.id == other.id


def test_the_report_and_the_proof_are_encrypted_too(tmp_path: Path):
    publish(tmp_path, owner_report=tmp_path / "report", proof=tmp_path / "proof")
    for name in ("report", "proof"):
        assert is_encrypted(tmp_path / name)
    assert b"<!doctype html>" in read_private(tmp_path / "report", WORDS)[:100].lower()
    assert verify(tmp_path / "public", proof=tmp_path / "proof", passphrase=WORDS).holds
    with pytest.raises(DataError, match="proof is encrypted; give its passphrase"):
        verify(tmp_path / "public", proof=tmp_path / "proof")
