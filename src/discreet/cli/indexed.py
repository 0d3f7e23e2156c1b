"""`--index`: an inverted file that is opened where it exists, and made where it does not."""

# Typer reads the annotations while the program runs.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from discreet.cli.options import ReadingOptions
    from discreet.hiding.inverted_file import InvertedFile

__all__ = ["Index", "open_or_make"]

Index = Annotated[
    Path | None,
    typer.Option(
        "--index",
        metavar="FILE",
        help="An inverted file of the rows: opened if it exists, else made of DATA and saved. As private as DATA.",
    ),
]


def open_or_make(path: Path, data: str | None, reading: "ReadingOptions", *, quiet: bool) -> "InvertedFile":
    """Open an inverted file and see that it is one of DATA; or make it, and save it."""
    from discreet.hiding.inverted_file import InvertedFile
    from discreet.hiding.saved_index import open_index, save_index
    from discreet.transactions.formats.opening import digest_of
    from discreet.transactions.output import check_output

    if reading.sql is not None or data == "-":
        raise ParameterError("--index goes with a file of rows, which can be read again", parameter="index")
    read_as = reading.words(None)
    if path.exists():
        index = open_index(path)
        if data is not None and index.source != digest_of(data):
            raise DataError(
                f"the index {path} was made of other rows than {data} holds; remove it, and it is made anew"
            )
        if read_as and tuple(read_as) != index.read_as:
            raise ParameterError(
                f"the index {path} was made with other reading options ({' '.join(index.read_as) or 'none'})",
                parameter="index",
            )
        return index
    if data is None:
        raise DataError(f"the index {path} does not exist; name DATA to have it made")
    check_output(path)
    rows = reading.rows(data, quiet=quiet)
    index = InvertedFile.build(rows, source=digest_of(data), read_as=read_as)
    save_index(index, path)
    return index
