"""What a ledger forgets is noticed: older copies, other ledgers, and what was withdrawn."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from discreet import DataError, OutputError, ParameterError, Transactions
from discreet.errors import LedgerDiffers, UnsafeTogether
from discreet.publishing.ledger import open_ledger
from discreet.publishing.ledger_entries import PolicyNote
from discreet.publishing.ledger_upgrade import upgrade_ledger
from discreet.publishing.receipts import parse_receipt
from discreet.publishing.release import release, release_from
from discreet.publishing.verifier import verify
from discreet.tables import private_files
from tests.publishing.small_releases import ROWS, publish

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("no_charts")


def releases(folder: Path) -> list[Path]:
    """Publish twice, and return a copy of the ledger after each."""
    made = []
    for number, support in enumerate((10, 40), 1):
        publish(folder, f"public-{number}", Transactions.from_rows(ROWS), support=support)
        with open_ledger(folder / "ledger") as book:
            book.copy(folder / f"copy-{number}")
        made.append(folder / f"copy-{number}")
    return made


def problem(book: Path, shown: Path | str) -> str | None:
    """Return what a receipt shows about a ledger."""
    try:
        with open_ledger(book) as opened:
            opened.check(parse_receipt(str(shown)), str(shown))
    except LedgerDiffers as differs:
        return differs.problem
    return None


@pytest.mark.usefixtures("either")
def test_an_older_copy_that_was_restored_is_noticed(tmp_path: Path):
    older, _ = releases(tmp_path)
    receipt = tmp_path / "public-2.receipt.json"
    assert problem(tmp_path / "ledger", receipt) is None
    assert problem(tmp_path / "ledger", tmp_path / "public-1.receipt.json") is None
    shutil.copy(older, tmp_path / "ledger")
    assert problem(tmp_path / "ledger", receipt) == "rollback"
    with pytest.raises(LedgerDiffers, match=r"ends with entry 1, but public-2\.receipt\.json shows that it had 2"):
        publish(tmp_path, "next", Transactions.from_rows(ROWS))
    assert not (tmp_path / "next").exists()
    with open_ledger(tmp_path / "ledger") as book:
        assert book.add(tmp_path / "public-2").number == 2  # the way on
    assert problem(tmp_path / "ledger", receipt) is None
    publish(tmp_path, "next", Transactions.from_rows(ROWS))


@pytest.mark.usefixtures("either")
def test_two_copies_that_went_on_apart_are_noticed(tmp_path: Path):
    older, _ = releases(tmp_path)
    with open_ledger(older) as book:
        head = book.withdraw(1, reason="in the copy alone")
    assert problem(tmp_path / "ledger", f"{head.number}:{head.head}") == "fork"
    assert problem(older, tmp_path / "public-2.receipt.json") == "fork"


@pytest.mark.usefixtures("either")
def test_another_ledger_is_noticed(tmp_path: Path):
    releases(tmp_path)
    with open_ledger(tmp_path / "other", new=True):
        pass
    assert problem(tmp_path / "other", tmp_path / "public-1.receipt.json") == "another"


def test_a_mistyped_name_begins_no_ledger(tmp_path: Path):
    releases(tmp_path)
    how = {"k": 5, "min_support": 10, "method": "none", "output": tmp_path / "next"}
    with pytest.raises(DataError, match="ledgr does not exist; check the name, or begin a ledger with new_ledger=True"):
        release(Transactions.from_rows(ROWS), ledger=tmp_path / "ledgr", **how)
    with pytest.raises(OutputError, match="exists already"):
        release(Transactions.from_rows(ROWS), ledger=tmp_path / "ledger", new_ledger=True, **how)
    with pytest.raises(ParameterError, match="give both"):
        release(Transactions.from_rows(ROWS), new_ledger=True, **how)
    assert not (tmp_path / "ledgr").exists()
    assert not (tmp_path / "next").exists()


@pytest.mark.usefixtures("either")
def test_what_is_withdrawn_or_superseded_is_told(tmp_path: Path):
    releases(tmp_path)
    with open_ledger(tmp_path / "ledger") as book:
        book.supersede(1, by=2)
        assert verify(tmp_path / "public-1", ledger=book).recorded.superseded.by == 2
        book.withdraw(1, reason="a wrong table")
        found = verify(tmp_path / "public-1", ledger=book)
        assert not found.holds
        assert found.checks[-1].words.endswith(": a wrong table")
        assert verify(tmp_path / "public-2", ledger=book).holds
        for again, told in (
            (lambda: book.withdraw(1), "withdrawn already"),
            (lambda: book.withdraw(3), "number of a release"),
            (lambda: book.supersede(2, by=1), "later release"),
            (lambda: book.supersede(1, by=2), "superseded already"),
            (lambda: book.withdraw(2, reason="two\nlines"), "one line"),
        ):
            with pytest.raises(ParameterError, match=told):
                again()
        assert len(book.entries) == 2
        assert book.receipt.number == 4
    assert problem(tmp_path / "copy-2", tmp_path / "public-1.receipt.json") == "rollback", "its receipt is newer"
    with pytest.raises(UnsafeTogether):  # what was public once can be known
        publish(tmp_path, "next", Transactions.from_rows([*ROWS, "abc"]))


def test_a_ledger_of_the_first_version_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(private_files, "_COST", 1)
    done = publish(tmp_path, "public", Transactions.from_rows(ROWS))
    with closing(sqlite3.connect(tmp_path / "ledger")) as file:
        (key,) = file.execute("SELECT key FROM owner").fetchone()
    old = tmp_path / "old"
    with closing(sqlite3.connect(old)) as file, file:
        file.executescript(
            "CREATE TABLE owner (form INTEGER NOT NULL, key BLOB NOT NULL);"
            "CREATE TABLE releases (number INTEGER PRIMARY KEY, seal TEXT NOT NULL UNIQUE, day TEXT NOT NULL, "
            "folder TEXT NOT NULL, certificate BLOB NOT NULL, patterns BLOB);"
        )
        file.execute("INSERT INTO owner VALUES (1, ?)", [key])
        content = [(tmp_path / "public" / name).read_bytes() for name in ("certificate.json", "patterns.csv")]
        file.execute(
            "INSERT INTO releases VALUES (1, ?, '2026-01-01', ?, ?, ?)", [done.certificate.seal, "somewhere", *content]
        )
    old.chmod(0o600)
    with pytest.raises(DataError, match=r"a ledger of discreet 0\.1; take it over once with: discreet ledger upgrade"):
        release_from(tmp_path / "public", min_support=30, output=tmp_path / "less", ledger=old)
    before = old.read_bytes()
    upgrade_ledger(old, tmp_path / "encrypted", passphrase="correct horse battery")  # noqa: S106 - of a test
    with open_ledger(tmp_path / "encrypted", passphrase="correct horse battery") as book:  # noqa: S106 - of a test
        assert book.entries[0].folder == "somewhere"
    upgrade_ledger(old, tmp_path / "new")
    assert old.read_bytes() == before
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    with open_ledger(tmp_path / "new") as book:
        (entry,) = book.entries
        assert (entry.day, entry.folder, entry.rows_left) == ("2026-01-01", "somewhere", False)
        assert verify(tmp_path / "public", data=Transactions.from_rows(ROWS), ledger=book).holds
    with pytest.raises(DataError, match="nothing to take over"):
        upgrade_ledger(tmp_path / "new", tmp_path / "newer")
    assert not (tmp_path / "newer").exists()


def test_the_policy_of_a_release_is_for_the_owner_alone(tmp_path: Path):
    note = PolicyNote("0123abcd" * 8, {"protect.k": 5})
    rows, report = Transactions.from_rows(ROWS), tmp_path / "owner.html"
    done = release(
        rows,
        k=5,
        min_support=10,
        method="none",
        output=tmp_path / "public",
        ledger=tmp_path / "ledger",
        new_ledger=True,
        owner_report=report,
        policy=note,
    )
    with open_ledger(tmp_path / "ledger") as book:
        assert [entry.policy for entry in book.entries] == [note]
        assert book.entries[0].to_dict()["policy"] == note.digest
    assert note.digest in report.read_text()
    for name in done.files:
        assert note.digest.encode() not in (tmp_path / "public" / name).read_bytes()
    assert note.digest not in (tmp_path / "public.receipt.json").read_text()
