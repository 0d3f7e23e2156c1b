"""Encrypted owner files on the command line: opened again, refused in one sentence, never plain on the disk."""

from __future__ import annotations

import getpass
import io
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet.errors import OutputError
from discreet.tables import private_files
from tests.cli.conftest import COMMAND
from tests.cli.hiding import hidden

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = "correct horse battery"
PASS = ("--passphrase-file", "pass")
SENSITIVE = "diagnosis HIV"
pytestmark = pytest.mark.usefixtures("private")


@pytest.fixture(autouse=True)
def _passphrases(monkeypatch: pytest.MonkeyPatch, surroundings: None) -> None:  # noqa: ARG001 - it changes the folder
    monkeypatch.setattr(private_files, "_COST", 1)
    for name, words in (("pass", WORDS), ("wrong", "staple battery horse"), ("short", "horse")):
        Path(name).touch(0o600)
        Path(name).write_text(words + "\n")


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> list[str]:
    """Type these lines when a passphrase is asked for; return what was asked."""
    asked: list[str] = []
    answers = iter(lines)

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return next(answers)

    monkeypatch.setattr(getpass, "getpass", answer)
    return asked


def rows_and_labels() -> None:
    rows = ["milk,bread,diagnosis HIV", "milk,beer", "bread,beer", "milk,bread", "beer", "milk,diagnosis HIV,beer"]
    Path("rows.csv").write_text("\n".join(rows * 4) + "\n")
    Path("labels.txt").write_text(SENSITIVE + "\n")


ANONYMIZE = ("anonymize", "rows.csv", "--format", "basket", "--rho", "0.2", "--sensitive", "labels.txt")
CHECK = ("check", "safe.csv", "--format", "basket", "--rho", "0.2", "--sensitive", "labels.txt", "--mapping", "map")


def is_encrypted(path: Path) -> bool:
    content = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return content.startswith(b"discreet encrypted file, version 1\n") and b"milk" not in content


def test_a_mapping_is_encrypted_and_applied(call, tmp_path: Path):
    rows_and_labels()
    assert call(*ANONYMIZE, "--mapping", "map", *PASS, "-o", "safe.csv").status == 0
    assert is_encrypted(tmp_path / "map")
    assert call("anonymize", "rows.csv", "--format", "basket", "--apply", "map", *PASS, "-o", "again.csv").status == 0
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "safe.csv").read_bytes()
    assert call(*CHECK, *PASS).status == 0
    for more, words in (
        (("--passphrase-file", "wrong"), "the passphrase does not open map: it is another one"),
        ((), "there is no terminal to ask for the passphrase for map; give --passphrase-file"),
    ):
        assert words in call(*CHECK, *more).refused()
        refused = call("anonymize", "rows.csv", "--format", "basket", "--apply", "map", *more, "-o", "no.csv").refused()
        assert words in refused
    assert not (tmp_path / "no.csv").exists()


def test_the_terminal_asks_twice_for_a_new_passphrase_and_once_for_a_known_one(call, monkeypatch, tmp_path: Path):
    rows_and_labels()
    asked = typed(monkeypatch, WORDS, WORDS, WORDS)
    assert call(*ANONYMIZE, "--mapping", "map", "--encrypt", "-o", "safe.csv").status == 0
    assert is_encrypted(tmp_path / "map")
    assert call(*CHECK).status == 0
    assert asked == ["New passphrase for map: ", "The same again: ", "Passphrase for map: "]


def test_a_log_and_an_index_are_encrypted_under_one_passphrase(call, tmp_path: Path):
    plain = hidden(call, "--log", "plain.csv", "--index", "plain.index", "-s", 2, "--lost", "lost", out="a.dat")
    assert "--lost writes .csv or .parquet" in plain.refused()
    more = ("--log", "log.csv", "--index", "rows.index", "-s", 2, "--lost", "lost.csv")
    assert hidden(call, *more, *PASS, out="made.dat").status == 0
    assert all(is_encrypted(tmp_path / name) for name in ("log.csv", "rows.index", "lost.csv"))
    log = call("decrypt", "log.csv", *PASS)
    assert log.out.startswith("row,item\n")
    assert hidden(call, "--log", "plain.csv", out="plain.dat").status == 0
    assert (tmp_path / "plain.csv").read_text() == log.out
    assert (tmp_path / "plain.dat").read_bytes() == (tmp_path / "made.dat").read_bytes()
    before = (tmp_path / "rows.index").read_bytes()
    assert hidden(call, "--index", "rows.index", "--log", "second.csv", *PASS, out="opened.dat").status == 0
    assert (tmp_path / "rows.index").read_bytes() == before
    assert is_encrypted(tmp_path / "second.csv")
    assert call("query", "--index", "rows.index", "A", *PASS, "--json").document()["count"] == 5


def test_what_is_read_with_a_encrypted_file_is_encrypted_without_being_told(call, monkeypatch, tmp_path: Path):
    assert hidden(call, "--index", "rows.index", *PASS, out="made.dat").status == 0
    asked = typed(monkeypatch, WORDS)
    assert hidden(call, "--index", "rows.index", "--log", "log.csv", out="opened.dat").status == 0
    assert asked == ["Passphrase for rows.index: "]
    assert is_encrypted(tmp_path / "log.csv")


def test_what_was_encrypted_is_not_replaced_by_something_plain(call, monkeypatch, tmp_path: Path):
    rows_and_labels()
    assert call(*ANONYMIZE, "--mapping", "map", *PASS, "-o", "safe.csv").status == 0
    again = (*ANONYMIZE, "--mapping", "map", "-o", "safe.csv", "--force")
    assert "there is no terminal to ask for the passphrase for map" in call(*again).refused()
    asked = typed(monkeypatch, WORDS, WORDS)
    assert call(*again).status == 0
    assert asked == ["New passphrase for map: ", "The same again: "]
    assert is_encrypted(tmp_path / "map")
    with pytest.raises(OutputError, match="map is encrypted; give a passphrase for what replaces it, or remove it"):
        private_files.write_private("map", [b"milk"], force=True)
    assert is_encrypted(tmp_path / "map")


def test_plain_files_are_not_taken_for_encrypted_ones(call, tmp_path: Path):
    rows_and_labels()
    assert hidden(call, "--index", "rows.index", out="made.dat").status == 0
    assert call(*ANONYMIZE, "--mapping", "map", "-o", "safe.csv").status == 0
    for outcome in (
        hidden(call, "--index", "rows.index", *PASS, out="no.dat"),
        hidden(call, "--index", "rows.index", "--encrypt", out="no.dat"),
        call("query", "--index", "rows.index", "A", *PASS),
        call(*CHECK, *PASS),
    ):
        assert "is not encrypted, though a passphrase is given; discreet encrypt does that" in outcome.refused()
    assert not (tmp_path / "no.dat").exists()


def test_options_that_would_do_nothing_are_refused(call, tmp_path: Path):
    rows_and_labels()
    files = sorted(tmp_path.iterdir())
    for option in (PASS, ("--encrypt",)):
        words = f"{option[0]} is about files for you alone, and none is named"
        assert words in hidden(call, *option, out="no.dat").refused()
        assert words in call(*ANONYMIZE, *option, "-o", "no.csv").refused()
        assert words in call("query", "rows.csv", "milk", *option).refused()
    assert "--passphrase-file is about files for you" in call(*CHECK[:-2], *PASS).refused()
    drawn = ("--sensitive-share", "50%", "--drawn", "drawn.txt", "--mapping", "map", "-o", "no.csv")
    assert "--drawn is plain text" in call(*ANONYMIZE[:-2], *drawn, *PASS).refused()
    assert (
        "at least 12 characters"
        in call(*ANONYMIZE, "--mapping", "map", "--passphrase-file", "short", "-o", "no.csv").refused()
    )
    assert sorted(tmp_path.iterdir()) == files


def test_any_file_can_be_encrypted_and_opened(call, tmp_path: Path):
    Path("report.html").write_bytes(b"<b>milk</b>\xff\x00")
    assert call("encrypt", "report.html", "-o", "encrypted", *PASS).status == 0
    assert is_encrypted(tmp_path / "encrypted")
    assert call("decrypt", "encrypted", "-o", "again.html", *PASS, "--json").document() == {"output": "again.html"}
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "report.html").read_bytes()
    assert stat.S_IMODE((tmp_path / "again.html").stat().st_mode) == 0o600
    for words, *arguments in (
        ("--json is about the file", "decrypt", "encrypted", "--json"),
        ("report.html is not an encrypted file", "decrypt", "report.html"),
        ("nothing does not exist; check the name", "decrypt", "nothing"),
        ("cannot read nothing: No such file", "encrypt", "nothing", "-o", "new"),
        ("encrypted is encrypted already", "encrypt", "encrypted", "-o", "new"),
        ("again.html exists already", "decrypt", "encrypted", "-o", "again.html"),
        ("encrypted is read here", "decrypt", "encrypted", "-o", "encrypted", "--force"),
        ("pass is read here", "encrypt", "report.html", "-o", "pass", "--force"),
    ):
        assert words in call(*arguments, *PASS).refused()
    Path("book").write_bytes(b"SQLite format 3\0...")
    assert "book is a database, which can change" in call("encrypt", "book", "-o", "new", *PASS).refused()
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["rows.csv", "rows.dat", "rows.json", "rows.parquet", "rows.csv.gz"])
def test_where_plain_files_are_read_a_sentence_says_what_an_encrypted_one_is(call, name: str):
    Path("plain").write_text("milk,bread\n")
    assert call("encrypt", "plain", "-o", name, *PASS).status == 0
    words = f"{name} is encrypted, and not read as it is; discreet decrypt shows what it holds"
    for arguments in (("mine", name, "-s", 1), ("audit", "--patterns", name, "-k", 2), ("look", name)):
        assert call(*arguments).refused() == words


def test_a_changed_file_is_refused_and_nothing_is_written(call, tmp_path: Path):
    rows_and_labels()
    assert call(*ANONYMIZE, "--mapping", "map", *PASS, "-o", "safe.csv").status == 0
    content = bytearray((tmp_path / "map").read_bytes())
    content[-1] ^= 1
    (tmp_path / "map").write_bytes(content)
    words = "map was changed or cut off after it was encrypted; restore a backup"
    assert call(*CHECK, *PASS).refused() == words
    assert call("decrypt", "map", *PASS, "-o", "new").refused() == words
    assert not (tmp_path / "new").exists()
    (tmp_path / "map").write_bytes(content[:-100])
    assert call(*CHECK, *PASS).refused() == words


def test_nothing_plain_is_on_the_disk_while_it_is_written_or_after_a_kill(call, tmp_path: Path):
    label = b"diagnosis-that-nobody-may-know"
    Path("rows.dat").write_bytes(b"".join(b"%s x%d y%d\n" % (label, row % 97, row % 89) for row in range(3_000)))
    Path("private.txt").write_bytes(label + b"\n")
    given = {Path("rows.dat"), Path("private.txt")}
    command = ("hide", "rows.dat", "--restrict", "private.txt", "--method", "naive", "-o", "out.dat", "-q")
    command += ("--log", "log.csv", "--index", "rows.index", *PASS)
    found: list[Path] = []
    run = subprocess.Popen([*COMMAND, *command], stdout=subprocess.DEVNULL)
    while run.poll() is None:
        found += _holding(label, given)
        if any(path.stat().st_size for path in tmp_path.glob(".rows.index.*")):
            run.kill()
        time.sleep(0.005)
    assert run.wait() == -signal.SIGKILL
    assert found == _holding(label, given) == []
    assert call(*command).status == 0
    assert _holding(label, given) == []
    assert is_encrypted(tmp_path / "log.csv")
    assert is_encrypted(tmp_path / "rows.index")
    assert not list(tmp_path.glob(".*.part"))
    assert label.decode() in call("decrypt", "log.csv", *PASS).out


def _holding(label: bytes, but: set[Path]) -> list[Path]:
    holding = []
    for folder in (Path(), Path(os.environ["TMPDIR"])):
        for path in folder.rglob("*"):
            try:
                if path not in but and path.is_file() and label in path.read_bytes():
                    holding.append(path)
            except FileNotFoundError:
                continue  # it had its turn
    return holding


def test_a_pipe_gives_a_file_another_passphrase(call, monkeypatch: pytest.MonkeyPatch):
    content = b"SQLite format 3\0, of a ledger" * 100_000
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert call("encrypt", "-", "-o", "new", *PASS).status == 0
    assert call("decrypt", "new", "-o", "again", *PASS).status == 0
    assert Path("again").read_bytes() == content
    assert "standard input is empty" in call("encrypt", "-", "-o", "none", *PASS).refused()
    monkeypatch.setattr(sys, "stdin", None)
    assert "standard input is empty" in call("encrypt", "-", "-o", "none", *PASS).refused()


RELEASE = ("release", "rows.dat", "-k", "2", "--method", "suppressive", "--ledger", "book", "-s")


def test_a_ledger_is_encrypted_and_opened_by_every_command(call, monkeypatch, tmp_path: Path):
    Path("rows.dat").write_text("milk bread\n" * 4 + "milk\n" * 4)
    assert "book does not exist; check the name, or begin a ledger" in call(*RELEASE, 2, "-o", "a", *PASS).refused()
    with monkeypatch.context() as typing:
        asked = typed(typing, WORDS, WORDS, WORDS, WORDS)
        assert call(*RELEASE, 2, "--new-ledger", "--encrypt", "-o", "a").status == 0
        assert is_encrypted(tmp_path / "book")
        assert asked == ["New passphrase for book: ", "The same again: "]
        assert call(*RELEASE, 6, "-o", "b").status == 0
        assert call("ledger", "show", "book", "--json").document()["number"] == 2
        assert asked[2:] == ["Passphrase for book: "] * 2
    for arguments in (
        ("verify", "a", "--ledger", "book"),
        ("ledger", "show", "book"),
        ("ledger", "check", "book", "a"),
        ("ledger", "add", "book", "b"),
        ("ledger", "withdraw", "book", "1"),
        ("ledger", "supersede", "book", "1", "--by", "2"),
        ("ledger", "backup", "book", "-o", "copy"),
        ("ledger", "backup", "book", "-o", "copy", "--force"),
    ):
        for more, words in (((), "there is no terminal"), (("--passphrase-file", "wrong"), "does not open book")):
            before = (tmp_path / "book").read_bytes()
            assert words in call(*arguments, *more).refused()
            assert (tmp_path / "book").read_bytes() == before
        assert call(*arguments, *PASS).status == 0
        assert is_encrypted(tmp_path / "book")
    assert is_encrypted(tmp_path / "copy")
    shown, copied = (call("ledger", "show", each, *PASS, "--json").document() for each in ("book", "copy"))
    assert shown["head"] == copied["head"]
    assert "withdrawn on" in call("verify", "a", "--ledger", "book", *PASS).out


def test_a_plain_ledger_gets_an_encrypted_copy(call, tmp_path: Path):
    Path("rows.dat").write_text("milk bread\n" * 4 + "milk\n" * 4)
    assert call(*RELEASE, 2, "--new-ledger", "-o", "a").status == 0
    assert "book is not encrypted" in call("ledger", "show", "book", *PASS).refused()
    assert call("ledger", "backup", "book", "-o", "plain").status == 0
    assert call("ledger", "backup", "book", "-o", "copy", *PASS).status == 0
    assert is_encrypted(tmp_path / "copy")
    assert call("decrypt", "copy", "-o", "again", *PASS).status == 0
    for name, more in (("book", ()), ("plain", ()), ("copy", PASS), ("again", ())):
        assert call("ledger", "show", name, *more, "--json").document()["number"] == 1


def test_a_report_for_the_owner_is_encrypted_too(call, tmp_path: Path):
    Path("rows.dat").write_text("milk bread\n" * 4 + "milk\n" * 4)
    how = ("release", "rows.dat", "-k", "2", "-s", "2", "--method", "suppressive", "-o", "a")
    assert call(*how, "--owner-report", "report", "--proof", "proof", *PASS).status == 0
    assert is_encrypted(tmp_path / "report")
    assert is_encrypted(tmp_path / "proof")
    assert call("verify", "a", "--proof", "proof", *PASS).status == 0
    assert "--encrypt is about files for you alone" in call(*how[:-1], "b", "--encrypt").refused()


def test_the_passphrase_is_never_shown(call: Callable[..., object]):
    rows_and_labels()
    assert WORDS not in str(call(*ANONYMIZE, "--mapping", "map", *PASS, "-o", "safe.csv"))
    assert WORDS not in str(call(*CHECK, "--passphrase-file", "wrong", "--debug"))
