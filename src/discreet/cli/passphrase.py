"""How a passphrase is asked for: on the terminal, without showing it, or from a file.

Never from the command line or the environment: other people's processes can read those, and programs that are started
hand them on. A script gives the name of a file, which can be a descriptor, as in `<(secret-tool lookup ...)`.
"""

from __future__ import annotations

import getpass
import os
import stat
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from discreet.cli.command import Option
from discreet.errors import DataError, ParameterError, param
from discreet.tables.system import can_others_read
from discreet.twoparty.identity import has_passphrase
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["KeyPassphraseFile", "key_passphrases", "passphrase"]

KeyPassphraseFile: TypeAlias = Annotated[
    Path | None,
    Option(
        "--key-passphrase-file",
        metavar="FILE",
        help="The passphrase of the key is in this file; without it, the terminal asks.",
    ),
]

_SHORTEST = 12
_LONGEST = 1000


def passphrase(file: Path | None, *, twice: bool, what: str, parameter: str = "passphrase_file") -> bytes:
    """Return a passphrase, from the file if there is one, else from the terminal.

    Parameters
    ----------
    file : Path or None
        A file whose only line it is; nobody else may read it, unless it is a pipe.
    twice : bool
        Whether it is a new one: it is asked for twice, and must not be short.
    what : str
        What it is for, as in "identity.pem".
    parameter : str
        The name of the parameter that names the file.

    Returns
    -------
    bytes
        The passphrase in UTF-8.

    Raises
    ------
    DataError
        The file cannot be read, or holds no passphrase.
    ParameterError
        There is no terminal, or what was typed cannot be used.
    """
    text = _asked(what, twice=twice, parameter=parameter) if file is None else _in_file(file)
    if twice and len(text) < _SHORTEST:
        raise ParameterError(
            f"a new passphrase must have at least {_SHORTEST} characters, and this one has {len(text)}; four or five "
            "words that do not belong together are a good one",
            parameter=parameter,
        )
    return text.encode()


def key_passphrases(keys: Sequence[Path], files: Sequence[Path | None]) -> list[bytes]:
    """Return the passphrases of those keys that have one, from the files if there are any, else from the terminal."""
    encrypted = [key for key in keys if has_passphrase(key)]
    given = [file for file in files if file is not None]
    if given and len(given) != len(encrypted):
        raise ParameterError(
            f"{param('key_passphrase_file')} is for keys that are encrypted: {len(encrypted)} of those that are named "
            f"are, and {counted(len(given), 'file')} given; give one for each, in their order",
            parameter="key_passphrase_file",
        )
    return [
        passphrase(given[at] if given else None, twice=False, what=str(key), parameter="key_passphrase_file")
        for at, key in enumerate(encrypted)
    ]


def _asked(what: str, *, twice: bool, parameter: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)  # raised where it would be shown while it is typed
            text = getpass.getpass(f"{'New passphrase' if twice else 'Passphrase'} for {what}: ")
            again = getpass.getpass("The same again: ") if twice else text
    except (getpass.GetPassWarning, OSError):
        raise ParameterError(
            f"there is no terminal to ask for the passphrase for {what}; give {param(parameter)}", parameter=parameter
        ) from None
    except (EOFError, UnicodeDecodeError):
        text = again = ""
    if text != again:
        raise ParameterError("the two passphrases differ; type the same one twice", parameter=parameter)
    if not _is_one(text):
        raise ParameterError(
            f"a passphrase must be a line of 1 to {_LONGEST:,} visible characters; type the one for {what}",
            parameter=parameter,
        )
    return text


def _in_file(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            data = opened.read(4 * _LONGEST + 3)
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror}") from None
    if stat.S_ISREG(mode) and can_others_read(mode):
        raise DataError(f"{file} can be read by others, and it holds a passphrase; do: chmod 600 {file}")
    try:
        text = data.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        text = ""
    if not _is_one(text):
        raise DataError(f"{file} must hold one line of 1 to {_LONGEST:,} visible characters, the passphrase")
    return text


def _is_one(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and text.isprintable()
