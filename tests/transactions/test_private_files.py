"""Encrypted files: nothing is learned from one without its passphrase, and no changed byte is believed."""

from __future__ import annotations

import hashlib
import hmac
import sys
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet import DataError, ParameterError
from discreet.tables import private_files
from discreet.tables.private_files import PassphraseKey, encrypted_bytes, is_encrypted, read_private, write_private

if TYPE_CHECKING:
    from pathlib import Path

WORDS = "correct horse battery"
CHUNK = 16
HEADER = 86


ENCRYPTED_ONCE = bytes.fromhex(
    "646973637265657420656e637279707465642066696c652c2076657273696f6e20310a0108019d820910538d36323cf5298f49c07fe78286a7"
    "521c71166e6b90e1a92947740219d305c157659a3eaf3756f74311e3405fb1dbc043ea366c515c35d5dcfcb3d6cb63b9b3dbdb382279c18ed9"
    "dea9d30cd6ae5c264443868d7b18012a3963a69fbdfd24f9"
)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_files, "_COST", 1)
    monkeypatch.setattr(private_files, "_MOST_COST", 5)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_files, "_CHUNK", CHUNK)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.binary(max_size=3 * CHUNK)))
@pytest.mark.usefixtures("small_chunks")
def test_what_is_encrypted_is_opened_again(parts: list[bytes], tmp_path: Path):
    path = tmp_path / "file"
    write_private(path, parts, passphrase=WORDS, force=True)
    assert bytes(read_private(path, WORDS.encode())) == b"".join(parts)
    assert is_encrypted(path)
    whole = len(b"".join(parts))
    assert path.stat().st_size == HEADER + 32 + whole + 16 * max(1, -(-whole // CHUNK))
    assert path.stat().st_mode & 0o777 == 0o600


def test_chunks_of_the_usual_size(tmp_path: Path):
    for size in (0, 1, 65535, 65536, 65537, 200_000):
        content = bytes(number % 251 for number in range(size))
        write_private(tmp_path / "file", [content], passphrase=WORDS, force=True)
        assert read_private(tmp_path / "file", WORDS) == content


def test_a_file_that_was_encrypted_once_can_be_opened_for_ever(tmp_path: Path):
    path = tmp_path / "file"
    path.write_bytes(ENCRYPTED_ONCE)
    assert read_private(path, WORDS) == b"a,b\n"
    header, code, chunk = ENCRYPTED_ONCE[:HEADER], ENCRYPTED_ONCE[HEADER:][:32], ENCRYPTED_ONCE[HEADER + 32 :]
    key = hashlib.scrypt(WORDS.encode(), salt=header[38:54], n=2 ** header[35], r=header[36], p=header[37], dklen=32)
    assert hmac.digest(key, b"code\0" + header, "sha256") == code
    cipher = ChaCha20Poly1305(hmac.digest(key, b"content\0" + header, "sha256"))
    assert cipher.decrypt(bytes(11) + b"\1", chunk, header) == b"a,b\n"


def test_the_same_file_is_never_encrypted_the_same():
    made = PassphraseKey.of(WORDS)
    once, twice = (b"".join(encrypted_bytes([b"content"], made)) for _ in range(2))
    assert once[-16:] != twice[-16:]
    assert PassphraseKey.of(WORDS).salt != made.salt
    assert made.key.hex() not in repr(made)
    assert repr(made.key) not in repr(made)


@pytest.mark.usefixtures("small_chunks")
def test_every_changed_byte_is_noticed(tmp_path: Path):
    path = tmp_path / "file"
    content = b"the diagnosis of everyone, in three chunks"
    write_private(path, [content], passphrase=WORDS)
    good = path.read_bytes()
    assert b"diagnosis" not in good
    for place in range(len(good)):
        for bit in (1, 128):
            path.write_bytes(good[:place] + bytes([good[place] ^ bit]) + good[place + 1 :])
            with pytest.raises(DataError) as refused:
                read_private(path, WORDS)
            assert "diagnosis" not in str(refused.value)


@pytest.mark.usefixtures("small_chunks")
def test_what_was_cut_off_appended_repeated_or_exchanged_is_noticed(tmp_path: Path):
    path, other = tmp_path / "file", tmp_path / "other"
    made = PassphraseKey.of(WORDS)
    good = b"".join(encrypted_bytes([b"x" * 5 * CHUNK], made))
    path.write_bytes(good)
    assert read_private(path, WORDS) == b"x" * 5 * CHUNK
    for size in range(len(good)):
        other.write_bytes(good[:size])
        with pytest.raises(DataError):
            read_private(other, WORDS)
    start, step = HEADER + 32, CHUNK + 16
    head, chunks = good[:start], [good[at : at + step] for at in range(start, len(good), step)]
    another = b"".join(encrypted_bytes([b"x" * 5 * CHUNK], made))[start:]
    for wrong in (
        [*chunks, chunks[-1]],
        [*chunks, b"\0"],
        [*chunks, b"\0" * 16],
        [chunks[1], chunks[0], *chunks[2:]],
        [*chunks[:3], *chunks[2:]],
        [*chunks[:2], *chunks[3:]],
        [*chunks[:4], another[4 * step :]],
    ):
        other.write_bytes(head + b"".join(wrong))
        with pytest.raises(DataError, match="was changed or cut off after it was encrypted; restore a backup"):
            read_private(other, WORDS)


def test_a_wrong_or_missing_passphrase_is_one_sentence(tmp_path: Path):
    write_private(tmp_path / "encrypted", [b"content"], passphrase=WORDS)
    write_private(tmp_path / "plain", [b"content"])
    with pytest.raises(DataError, match=r"^the passphrase does not open .*: it is another one, or the file was chan"):
        read_private(tmp_path / "encrypted", WORDS + ".")
    with pytest.raises(DataError, match=r"encrypted is encrypted; give its passphrase$"):
        read_private(tmp_path / "encrypted", None)
    with pytest.raises(
        DataError, match=r"plain is not encrypted, though a passphrase is given; discreet encrypt does that"
    ):
        read_private(tmp_path / "plain", WORDS)
    with pytest.raises(ParameterError, match=r"must not be empty"):
        write_private(tmp_path / "none", [b"content"], passphrase="")
    assert read_private(tmp_path / "plain", None) == b"content"
    assert not (tmp_path / "none").exists()
    assert not is_encrypted(tmp_path / "plain")
    assert not is_encrypted(tmp_path / "none")
    assert not is_encrypted(tmp_path)
    assert not is_encrypted(None)


def test_the_cost_in_a_file_has_a_ceiling(tmp_path: Path):
    write_private(tmp_path / "file", [b"content"], passphrase=WORDS)
    data = bytearray((tmp_path / "file").read_bytes())
    for cost in (0, 6, 40, 255):
        data[HEADER - 51] = cost
        (tmp_path / "file").write_bytes(data)
        with pytest.raises(DataError, match="was changed or cut off"):
            read_private(tmp_path / "file", WORDS)


def test_without_cryptography_one_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ParameterError, match=r"^encrypted files need the library cryptography; pip install"):
        write_private(tmp_path / "file", [b"content"], passphrase=WORDS)
    assert not any(tmp_path.iterdir())
