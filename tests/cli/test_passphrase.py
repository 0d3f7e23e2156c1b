"""A passphrase is asked for without showing it, or read from a file that nobody else can read; keys that have one."""

from __future__ import annotations

import base64
import getpass
import os
import pty
import ssl
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from discreet.cli.passphrase import passphrase
from discreet.errors import DataError, ParameterError
from discreet.publishing.signing import load_signer, load_signers, trusted_keys
from discreet.twoparty import primitives
from discreet.twoparty.identity import Identity, has_passphrase, keygen

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

    def ended(_: str) -> str:
        raise EOFError

    monkeypatch.setattr(getpass, "getpass", ended)
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


@pytest.fixture
def locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Return the identity and the public half of someone whose key has a passphrase, at less cost than usual."""
    monkeypatch.setattr(primitives, "SCRYPT_COST", 16)
    return keygen(tmp_path / "locked", passphrase=GOOD)


def test_a_key_is_encrypted_as_others_can_read_it() -> None:
    """As PKCS #8 with scrypt: the library and OpenSSL open it, with its passphrase and no other."""
    identity, _ = keygen(Path("real"), passphrase=GOOD)
    text = identity.read_bytes()
    assert text.startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
    assert b"-----BEGIN PRIVATE KEY-----" not in text
    plain = load_pem_private_key(text, GOOD.encode()).private_bytes_raw()
    assert plain not in text
    der = base64.b64decode(b"".join(text.partition(b"-----END")[0].splitlines()[1:]))
    assert bytes.fromhex("06092b06010401da47040b") in der  # scrypt
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identity, password=GOOD)
    with pytest.raises(OSError):  # noqa: PT011 - SSLError, or what the system said last (CPython looks at errno first)
        context.load_cert_chain(identity, password=GOOD.upper())
    with pytest.raises(ParameterError, match="must not be empty"):
        keygen(Path("empty"), passphrase="")
    assert not Path("empty").exists()


def test_only_the_right_passphrase_signs(locked: tuple[Path, Path]) -> None:
    identity, public = locked
    plain, _ = keygen(Path("plain"))
    assert [*trusted_keys(public)] == [load_signer(identity, GOOD).public_key]
    with pytest.raises(
        DataError, match=r"^the passphrase does not open .*: it is another one, or the file was changed"
    ):
        load_signer(identity, "another one")
    with pytest.raises(DataError, match=r"identity.pem is encrypted; give its passphrase$"):
        load_signer(identity)
    with pytest.raises(DataError, match=r"plain/identity.pem has no passphrase, though one is given"):
        load_signer(plain, GOOD)
    for given in ([GOOD, GOOD], [GOOD] * 3):
        with pytest.raises(ParameterError, match=r"key_passphrase is for keys that are encrypted: 1 of those"):
            load_signers([plain, identity], given)
    assert len(load_signers([plain, identity], GOOD)) == len(load_signers([identity, plain], [GOOD])) == 2


def test_only_the_right_passphrase_meets_a_partner(locked: tuple[Path, Path]) -> None:
    identity, _ = locked
    plain, partner = keygen(Path("partner"))
    who = Identity.load(identity, partner, GOOD)
    assert GOOD not in repr(who)
    who.context(listens=False)
    with pytest.raises(ParameterError, match=r"^the passphrase does not open identity .*: it is another one"):
        Identity.load(identity, partner, "another one")
    with pytest.raises(ParameterError, match=r"is encrypted; give its passphrase$"):
        Identity.load(identity, partner)
    with pytest.raises(ParameterError, match=r"has no passphrase, though one is given"):
        Identity.load(plain, locked[1], GOOD)


def test_commands_ask_for_the_passphrase_of_a_key(call, locked: tuple[Path, Path], monkeypatch) -> None:
    identity, public = (str(path) for path in locked)
    Path("rows.dat").write_text("a b\n" * 20 + "a\n" * 20)
    publish = ["release", "rows.dat", "-s", "10", "-k", "5", "--method", "none", "-o", "public"]
    right, wrong = a_file(GOOD.encode()), Path("wrong")
    wrong.write_text("another passphrase")
    wrong.chmod(0o600)
    typing(monkeypatch, ["another"])
    refused = call(*publish, "--sign", identity).refused()
    assert refused == f"the passphrase does not open {identity}: it is another one, or the file was changed"
    assert not Path("public").exists()
    typing(monkeypatch, [])
    refused = call(*publish, "--key-passphrase-file", right).refused()
    assert refused.startswith("--key-passphrase-file is for keys that are encrypted: 0 of those that are named are")
    asked = typing(monkeypatch, [GOOD])
    assert call(*publish, "--sign", identity).status == 0
    assert asked == [f"Passphrase for {identity}: "]
    assert call("verify", "public", "--trust", public).status == 0
    assert "open" in call("sign", "public", "--key", identity, "--key-passphrase-file", wrong).refused()
    said = call("sign", "public", "--key", identity, "--key-passphrase-file", right).refused()
    assert "is signed with the key of --key already" in said
    words = ["party", "--connect", "127.0.0.1:1", "--data", "rows.dat", "-s", "10", "-k", "5", "--identity", identity]
    call("keygen", "partner")
    refused = call(*words, "--trust", "partner/public.pem", "--key-passphrase-file", wrong).refused()
    assert refused.startswith(f"the passphrase does not open --identity {identity}: it is another one")


def test_keygen_asks_for_a_new_passphrase(call, monkeypatch) -> None:
    asked = typing(monkeypatch, [GOOD, GOOD])
    assert call("keygen", "one", "--encrypt").status == 0
    assert asked == ["New passphrase for the key in one: ", "The same again: "]
    assert has_passphrase("one/identity.pem")
    assert call("keygen", "two", "--key-passphrase-file", a_file(GOOD.encode())).status == 0
    assert load_signer("two/identity.pem", GOOD)
    assert "at least 12 characters" in call("keygen", "three", "--key-passphrase-file", a_file(b"short")).refused()
    assert not Path("three").exists()


def test_without_a_terminal_a_key_stays_locked(locked: tuple[Path, Path]) -> None:
    words = ["-m", "discreet", "sign", "public", "--key", str(locked[0])]
    done = subprocess.run(
        [sys.executable, *words], input=GOOD, capture_output=True, text=True, start_new_session=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: there is no terminal to ask for the passphrase for {locked[0]}; give --key-passphrase-file\n"
    )
