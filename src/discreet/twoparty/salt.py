"""Salted keys: names for people that nobody can make who does not hold a secret, the salt.

Problem      ids are easy to guess, and `intersect` tells a partner which of the ids that it brings are ours.
Method       a key is the HMAC-SHA256 of an id under a salt of 32 random bytes, which travels offline. Either both
             parties hold the salt, and make keys as they search; or a third party holds it, and hands each of them the
             keys of its own people alone.
Promises     without the salt, no id can be tried against a key, or against what is sent for it. Who holds the salt can
             try any id: in the first way that is the partner too, in the second neither of the two.
Departures   none: the key of an id is what any tool that has HMAC makes of it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from discreet.errors import OutputError, ParameterError, param
from discreet.tables.system import can_others_read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

__all__ = ["SALT_FILE", "keys_of", "make_salt", "read_salt", "salted_keys"]

SALT_FILE: Final = "salt.key"
SALT_LENGTH: Final = 32
_DIGITS: Final = re.compile(rb"[0-9a-f]{%d}\s*" % (2 * SALT_LENGTH))


def make_salt(folder: str | PathLike[str]) -> Path:
    """Make a salt: the secret by which two institutions match ids that others could guess.

    Parameters
    ----------
    folder : path
        Where to put it. A new folder can be read by its owner only.

    Returns
    -------
    Path
        The file `salt.key`: 64 hexadecimal digits, for its owner only.

    Raises
    ------
    OutputError
        There is a salt already, or the folder cannot be written.

    Examples
    --------
    >>> import discreet, tempfile
    >>> discreet.make_salt(tempfile.mkdtemp()).name
    'salt.key'
    """
    from discreet.twoparty.primitives import random_bytes

    folder = Path(folder)
    path = folder / SALT_FILE
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # private from the start
    except FileExistsError:
        raise OutputError(f"{path} exists already; a salt is never replaced: choose another folder") from None
    except OSError as error:
        raise OutputError(f"cannot write a salt in {folder}: {error.strerror or error}") from None
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(random_bytes(SALT_LENGTH).hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    return path


def read_salt(path: str | PathLike[str]) -> bytes:
    """Return the salt in a file that `make_salt` made; refuse one that others can read."""
    path = Path(path)
    try:
        text, about = path.read_bytes(), path.stat()
    except OSError as error:
        raise ParameterError(f"cannot read {param('salt')} {path}: {error.strerror}", parameter="salt") from None
    if not _DIGITS.fullmatch(text):
        raise ParameterError(
            f"{param('salt')} {path} must hold {2 * SALT_LENGTH} hexadecimal digits, as discreet keygen makes "
            "them: a word or a number could be guessed",
            parameter="salt",
        )
    if can_others_read(about):
        raise ParameterError(
            f"{param('salt')} {path} can be read by others, and is a secret; do: chmod 600 {path}", parameter="salt"
        )
    return bytes.fromhex(text.decode("ascii"))


def salted_keys(ids: Iterable[str], salt: str | PathLike[str]) -> list[str]:
    """Return a key for each id, which nobody can make, or trace to the id, who does not hold the salt.

    It is for a third party, a trust centre say, that hands two institutions the keys of their own people and keeps the
    salt. `party` then matches the keys as ids: neither institution can try an id that it has no key for.

    Parameters
    ----------
    ids : iterable of str
        The ids of people.
    salt : path
        The file that `make_salt` made.

    Returns
    -------
    list of str
        The HMAC-SHA256 of each id under the salt, 64 hexadecimal digits, in the same order.

    Raises
    ------
    ParameterError
        The file is no salt, or others can read it.

    Examples
    --------
    >>> import discreet, tempfile
    >>> salt = discreet.make_salt(tempfile.mkdtemp())
    >>> [len(key) for key in discreet.salted_keys(["P107", "P114"], salt)]
    [64, 64]
    """
    return keys_of(ids, read_salt(salt))


def keys_of(ids: Iterable[str], salt: bytes) -> list[str]:
    """Return a key for each id under a salt; without one, the id itself."""
    return [hmac.new(salt, each.encode(), hashlib.sha256).hexdigest() if salt else each for each in ids]
