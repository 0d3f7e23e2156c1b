"""A passphrase is asked for without showing it, or read from a file that nobody else can read."""

from __future__ import annotations

import getpass
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet.cli.passphrase import passphrase
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

GOOD = "correct horse battery"


def a_file(content: bytes, *, mode: int = 0o600) -> Path:
    path = Path("secret")
    path.write_bytes(content)
    path.chmod(mode)
    return path


def typing(monkeypatch: pytest.MonkeyPatch, lines: Iterable[str]) -> list[str]:
    """Type these lines; return what was asked."""
    asked: list[str] = []
    answers = iter(lines)

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return next(answers)

    monkeypatch.setattr(getpass, "getpass", answer)
    return asked


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n"])
def test_a_file_holds_it_on_its_only_line(ending: bytes) -> None:
    assert passphrase(a_file(GOOD.encode() + ending), twice=True, what="it") == GOOD.encode()
    assert passphrase(a_file("höchst geheimes Wort".encode() + ending), twice=False, what="it")[1:3] == "ö".encode()


@pytest.mark.parametrize("content", [b"", b"\n", b"two\nlines", b"\xff\xfe", b"x" * 5000, b"a\x00b", b"a\n\n"])
def test_a_file_with_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(DataError, match=r"^secret must hold one line of 1 to 1,000 visible characters"):
        passphrase(a_file(content), twice=False, what="it")


def test_a_file_that_others_can_read_is_refused_and_a_pipe_is_not() -> None:
    with pytest.raises(DataError, match=r"^secret can be read by others, .*; do: chmod 600 secret$"):
        passphrase(a_file(GOOD.encode(), mode=0o640), twice=False, what="it")
    with pytest.raises(DataError, match=r"^cannot read nowhere: No such file"):
        passphrase(Path("nowhere"), twice=False, what="it")
    reading, writing = os.pipe()
    os.write(writing, GOOD.encode() + b"\n")
    os.close(writing)
    assert passphrase(Path(f"/dev/fd/{reading}"), twice=False, what="it") == GOOD.encode()
    os.close(reading)


def test_a_new_one_is_asked_for_twice_and_not_short(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = typing(monkeypatch, [GOOD, GOOD])
    assert passphrase(None, twice=True, what="identity.pem") == GOOD.encode()
    assert asked == ["New passphrase for identity.pem: ", "The same again: "]
    typing(monkeypatch, [GOOD, GOOD.upper()])
    with pytest.raises(ParameterError, match=r"^the two passphrases differ; type the same one twice$"):
        passphrase(None, twice=True, what="it")
    typing(monkeypatch, ["short"] * 2)
    with pytest.raises(ParameterError, match=r"^a new passphrase must have at least 12 characters"):
        passphrase(None, twice=True, what="it")
    with pytest.raises(ParameterError, match=r"^a new passphrase must have at least 12 characters"):
        passphrase(a_file(b"short"), twice=True, what="it")


def test_an_existing_one_is_asked_for_once_however_short(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = typing(monkeypatch, ["short", ""])
    assert passphrase(None, twice=False, what="identity.pem") == b"short"
    assert asked == ["Passphrase for identity.pem: "]
    with pytest.raises(ParameterError, match=r"^a passphrase must be a line of 1 to 1,000 visible characters"):
        passphrase(None, twice=False, what="it")


ASK = "from discreet.cli.passphrase import passphrase; print('GOT', passphrase(None, twice=True, what='it').decode())"


def test_without_a_terminal_it_is_not_asked_for() -> None:
    asked = subprocess.run(
        [sys.executable, "-c", ASK],
        input=f"{GOOD}\n{GOOD}\n",
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )
    assert "GOT" not in asked.stdout
    assert "there is no terminal to ask for the passphrase for it; give passphrase_file" in asked.stderr


def test_a_terminal_does_not_show_it() -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", ASK])  # noqa: S606
    shown = b""
    for prompt in (b"New passphrase for it: ", b"The same again: "):
        while prompt not in shown:
            shown += os.read(terminal, 1000)
        os.write(terminal, GOOD.encode() + b"\n")
    with suppress(OSError):  # the end of a terminal
        while more := os.read(terminal, 1000):
            shown += more
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert shown.count(GOOD.encode()) == 1  # where the test prints it
    assert b"GOT " + GOOD.encode() in shown
