"""`discreet decrypt`: open a file that was encrypted for its owner alone."""

# `command` reads the annotations at run time.

import sys
from pathlib import Path
from typing import Annotated

from discreet.answers.answer import Answer
from discreet.cli.command import Argument, Option, command
from discreet.cli.options import Force, PassphraseFile, TalkingOptions
from discreet.cli.passphrase import passphrase
from discreet.cli.standard_output import give, write_out
from discreet.errors import DataError, OutputError, ParameterError
from discreet.tables.private_files import is_encrypted, need_cryptography, read_private, write_private
from discreet.tables.whole import check_output
from discreet.wording import is_harmless

__all__ = ["decrypt"]

EXAMPLES = """
discreet generate quest --rows 2000 --items 30 --mean-length 10 --pattern-length 4 --patterns 40 --seed 1 -o rows.dat
discreet generate quest --rows 3 --items 30 --mean-length 3 --pattern-length 3 --patterns 40 --seed 1 -o private.txt
discreet hide rows.dat --restrict private.txt --method iga -o safe.dat --log log.csv --passphrase-file secret
discreet decrypt log.csv --passphrase-file secret
"""


@command(examples=EXAMPLES, files_last=True)
def decrypt(
    *,
    file: Annotated[Path, Argument(metavar="FILE", help="The encrypted file.")],
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            writes=True,
            metavar="OUT",
            help="Where to write what it holds, for you alone; standard output unless given.",
        ),
    ] = None,
    passphrase_file: PassphraseFile = None,
    force: Force = False,
    talking: TalkingOptions,
) -> None:
    """Show what an encrypted file holds.

    Nothing is shown if the passphrase is another one, or if a single byte of FILE was changed. What discreet encrypted
    itself (a mapping, an index, a ledger) need not be decrypted: the commands that read it ask for the passphrase.
    """
    if output is not None:
        check_output(output, force=force)
    elif talking.json:
        raise ParameterError("--json is about the file that -o OUT names; give that as well", parameter="json")
    if not file.exists():
        raise DataError(f"{file} does not exist; check the name")
    if not is_encrypted(file):
        raise DataError(f"{file} is not an encrypted file; name one that --encrypt or discreet encrypt wrote")
    need_cryptography()
    content = bytes(read_private(file, passphrase(passphrase_file, twice=False, what=str(file))))
    if output is None:
        _show(content)
        return
    write_private(output, [content], force=force)
    words = f"{output} is what {file} holds, not encrypted"
    give(lambda: {"output": str(output)}, lambda: Answer(words), json=talking.json)


def _show(content: bytes) -> None:
    """Write the content to standard output, unless a terminal would obey it."""
    if sys.stdout is not None and sys.stdout.isatty():
        text = content.decode("utf-8", "surrogateescape")
        if not all(letter in "\n\r\t" or is_harmless(letter) for letter in text):
            raise OutputError("what it holds is not text that a terminal can show; name a file, as in -o OUT")
    write_out([content])
