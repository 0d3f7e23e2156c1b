"""`discreet encrypt`: encrypt a file for its owner alone."""

# `command` reads the annotations at run time.

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Annotated

from discreet.answers.answer import Answer, Step
from discreet.cli.command import Argument, Option, command
from discreet.cli.options import Force, PassphraseFile, TalkingOptions
from discreet.cli.passphrase import passphrase
from discreet.cli.standard_output import give
from discreet.errors import DataError
from discreet.tables.private_files import is_encrypted, need_cryptography, write_private
from discreet.tables.whole import check_output

__all__ = ["encrypt"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet release hospital.csv -s 20% -k 10 --method suppressive -o public --owner-report owner.html
discreet encrypt owner.html -o owner.encrypted --passphrase-file secret
"""

_DATABASE = b"SQLite format 3\0"
_AT_ONCE = 1 << 20


@command(examples=EXAMPLES, files_last=True)
def encrypt(
    *,
    file: Annotated[Path, Argument(metavar="FILE", help="The file to encrypt, or - for standard input.")],
    output: Annotated[
        Path, Option("--output", "-o", writes=True, metavar="OUT", help="The encrypted file to write. For you alone.")
    ],
    passphrase_file: PassphraseFile = None,
    force: Force = False,
    talking: TalkingOptions,
) -> None:
    """Encrypt a file with a passphrase, for you alone.

    Without the passphrase nobody learns anything from OUT but its size, and nobody can change it unnoticed. If the
    passphrase is lost, so is OUT. FILE stays as it is: remove it if nobody may find it.

    What hide, query, anonymize and release write for you alone is encrypted as it is written, with --encrypt.
    """
    check_output(output, force=force)
    need_cryptography()
    with _plain(file) as content:
        secret = passphrase(passphrase_file, twice=True, what=str(output))
        write_private(output, content, passphrase=secret, force=force)
    more = [] if passphrase_file is None else ["--passphrase-file", str(passphrase_file)]
    give(
        lambda: {"output": str(output)},
        lambda: Answer(
            f"{output} is {'standard input' if str(file) == '-' else file}, encrypted",
            next_steps=[Step(["discreet", "decrypt", str(output), *more], "shows what it holds")],
        ),
        json=talking.json,
    )


@contextmanager
def _plain(file: Path) -> Iterator[Iterator[bytes]]:
    """Yield the content of a file that is to be encrypted; refuse it at once if it cannot be."""
    piped = str(file) == "-"
    try:
        with nullcontext(sys.stdin.buffer if sys.stdin else BytesIO()) if piped else file.open("rb") as source:
            first = source.read(_AT_ONCE)
            if not first:
                raise DataError(f"{'standard input' if piped else file} is empty; there is nothing to encrypt")
            if is_encrypted(file):
                raise DataError(f"{file} is encrypted already; to change its passphrase, decrypt it first")
            if first.startswith(_DATABASE) and not piped:
                raise DataError(
                    f"{file} is a database, which can change while it is copied; of a ledger, make an encrypted copy: "
                    f"discreet ledger backup {file} -o COPY --encrypt"
                )
            yield chain([first], iter(lambda: source.read(_AT_ONCE), b""))
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror}") from None
