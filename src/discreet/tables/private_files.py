"""Files for the owner alone, encrypted under a passphrase if there is one.

Problem      keep what a file says from whoever gets hold of it, and notice if one byte of it was changed.
Method       a line that names the format; the cost of scrypt, its salt, and a salt for this file, all random; a code
             that shows whether the passphrase fits; then the content in chunks of 64 KiB, each under
             ChaCha20-Poly1305. The key is scrypt of the passphrase, and from it HMAC-SHA256 of the header gives that of
             the content. A nonce is the number of its chunk and whether it is the last.
Promises     without the passphrase nothing follows but the size; chunks that were changed, exchanged, repeated or cut
             off are refused before anything is used; nothing plain is ever on the disk.
Cost         128 MiB and about half a second for scrypt, then memory for one chunk to encrypt, for the content to open.
Departures   from STREAM (Hoang, Reyhanitabar, Rogaway, Vizar, 2015): each file has a key of its own, so that nonces
             can begin at 0.

This is the only module below publishing that uses `cryptography`.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError, OutputError, ParameterError
from discreet.tables.ceilings import memory_ceiling, too_large
from discreet.tables.whole import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

__all__ = [
    "ENCRYPTED",
    "PassphraseKey",
    "check_encrypted",
    "decrypted",
    "encrypted_bytes",
    "is_encrypted",
    "need_cryptography",
    "read_private",
    "write_private",
]

ENCRYPTED = b"discreet encrypted file, version "
"""How an encrypted file begins."""
_MAGIC = ENCRYPTED + b"1\n"
_COST = 17
"""The binary logarithm of scrypt's N."""
_MOST_COST = 18
_BLOCK_SIZE, _PARALLEL = 8, 1
_SALT, _OWN_SALT, _CODE = 16, 32, 32
_HEADER = len(_MAGIC) + 3 + _SALT + _OWN_SALT
_CHUNK, _TAG = 1 << 16, 16


@dataclass(frozen=True, slots=True)
class PassphraseKey:
    """What a passphrase gives with a salt, at a cost: it encrypts and opens files that have the same two."""

    cost: int
    salt: bytes
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, passphrase: str | bytes, *, cost: int | None = None, salt: bytes | None = None) -> PassphraseKey:
        """Return the key of a passphrase, with a new salt by default."""
        secret = passphrase.encode() if isinstance(passphrase, str) else passphrase
        if not secret:
            raise ParameterError("a passphrase must not be empty; give one", parameter="passphrase")
        cost = _COST if cost is None else cost
        salt = secrets.token_bytes(_SALT) if salt is None else salt
        room = 2**cost * _BLOCK_SIZE * 128 + 2**20
        key = hashlib.scrypt(secret, salt=salt, n=2**cost, r=_BLOCK_SIZE, p=_PARALLEL, maxmem=room, dklen=32)
        return cls(cost, salt, key)

    def header(self) -> bytes:
        """Return the header of one more file."""
        return _MAGIC + bytes([self.cost, _BLOCK_SIZE, _PARALLEL]) + self.salt + secrets.token_bytes(_OWN_SALT)

    def code(self, header: bytes) -> bytes:
        """Return what shows that a header was made with this passphrase."""
        return hmac.digest(self.key, b"code\0" + header, "sha256")

    def cipher(self, header: bytes) -> ChaCha20Poly1305:
        """Return the cipher for the content below a header."""
        need_cryptography()
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        return ChaCha20Poly1305(hmac.digest(self.key, b"content\0" + header, "sha256"))


def need_cryptography() -> None:
    """Raise an error if the package is not installed."""
    try:
        import cryptography  # noqa: F401 - only checks that it is installed
    except ModuleNotFoundError:
        raise ParameterError(
            "encrypted files need the library cryptography; pip install 'discreet[twoparty]'",
            parameter="passphrase",
        ) from None


def is_encrypted(path: str | os.PathLike[str] | None) -> bool:
    """Return whether a file says that it is encrypted; False if there is none, or it cannot be read."""
    try:
        if path is None or not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            return file.read(len(ENCRYPTED)) == ENCRYPTED
    except OSError:
        return False


def encrypted_bytes(parts: Iterable[bytes], key: PassphraseKey) -> Iterator[bytes]:
    """Encrypt the parts of a file; each call makes another file, also of the same parts."""
    header = key.header()
    cipher = key.cipher(header)
    yield header + key.code(header)
    for number, (chunk, last) in enumerate(_chunks(parts)):
        yield cipher.encrypt(_nonce(number, last=last), chunk, header)


def decrypted(file: BinaryIO, passphrase: str | bytes, name: str) -> tuple[bytearray, PassphraseKey]:
    """Open an encrypted file, which errors call `name`: its content, and what it was encrypted with."""
    size = os.fstat(file.fileno()).st_size - _HEADER - _CODE
    header = file.read(_HEADER)
    if not header.startswith(_MAGIC):
        raise DataError(f"{name} was encrypted by another version of discreet, which can open it, or is damaged")
    if size < _TAG:
        raise _changed(name)
    cost, *others = header[len(_MAGIC) : len(_MAGIC) + 3]
    if not 0 < cost <= _MOST_COST or others != [_BLOCK_SIZE, _PARALLEL]:
        raise _changed(name)
    key = PassphraseKey.of(passphrase, cost=cost, salt=header[len(_MAGIC) + 3 : -_OWN_SALT])
    if not hmac.compare_digest(key.code(header), file.read(_CODE)):
        raise DataError(f"the passphrase does not open {name}: it is another one, or the file was changed")
    return _content(file, size, key.cipher(header), header, name), key


def _content(file: BinaryIO, size: int, cipher: ChaCha20Poly1305, header: bytes, name: str) -> bytearray:
    from cryptography.exceptions import InvalidTag

    chunks = -(-size // (_CHUNK + _TAG))
    content = bytearray(max(0, size - chunks * _TAG))
    for number in range(chunks):
        chunk = file.read(_CHUNK + _TAG)
        try:
            plain = cipher.decrypt(_nonce(number, last=number == chunks - 1), chunk, header)
        except InvalidTag:
            raise _changed(name) from None
        content[number * _CHUNK : (number + 1) * _CHUNK] = plain
    return content


def _changed(name: str) -> DataError:
    return DataError(f"{name} was changed or cut off after it was encrypted; restore a backup")


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _chunks(parts: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield a file in whole chunks, with whether each is the last; an empty file is one empty chunk."""
    waiting = bytearray()
    for part in parts:
        rest = memoryview(part)
        while rest:
            if len(waiting) == _CHUNK:
                yield bytes(waiting), False
                waiting.clear()
            taken = rest[: _CHUNK - len(waiting)]
            waiting += taken
            rest = rest[len(taken) :]
    yield bytes(waiting), True


def write_private(
    path: str | os.PathLike[str],
    parts: Iterable[bytes],
    *,
    force: bool = False,
    passphrase: str | bytes | PassphraseKey | None = None,
) -> None:
    """Write a file that only its owner can read, whole or not at all, encrypted if there is a passphrase.

    An encrypted file is not replaced by a plain one.
    """
    if passphrase is None and is_encrypted(path):
        raise OutputError(f"{path} is encrypted; give a passphrase for what replaces it, or remove it first")
    if passphrase is not None:
        key = passphrase if isinstance(passphrase, PassphraseKey) else PassphraseKey.of(passphrase)
        parts = encrypted_bytes(parts, key)
    with whole_file(path, force=force, private=True) as temporary, temporary.open("wb") as file:
        file.writelines(parts)


def read_private(path: str | os.PathLike[str], passphrase: str | bytes | None) -> bytes | bytearray:
    """Return what a file of `write_private` holds.

    With a passphrase it must be encrypted: what was put in its place is not taken for it.
    """
    path = Path(path)
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > memory_ceiling():
            raise too_large(str(path), "is larger than the memory at hand")
        encrypted = file.read(len(ENCRYPTED)) == ENCRYPTED
        file.seek(0)
        check_encrypted(path, encrypted=encrypted, passphrase=passphrase)
        return file.read() if passphrase is None else decrypted(file, passphrase, str(path))[0]


def check_encrypted(path: Path, *, encrypted: bool, passphrase: str | bytes | None) -> None:
    """Refuse an encrypted file without a passphrase, and a passphrase for one that is not encrypted."""
    if encrypted and passphrase is None:
        raise DataError(f"{path} is encrypted; give its passphrase")
    if not encrypted and passphrase is not None:
        raise DataError(
            f"{path} is not encrypted, though a passphrase is given; discreet encrypt does that, of a ledger discreet "
            "ledger backup; or give none"
        )
