"""`--index`: an inverted file that is opened if it exists, and built if it does not."""

# `command` reads the annotations at run time.

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import discreet
from discreet.cli.command import Option
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import read_rows
from discreet.errors import DataError, ParameterError
from discreet.tables.byte_source import digest_of
from discreet.tables.whole import check_output

with on_first_use():
    from discreet.hiding import saved_index
    from discreet.tables import file_parts

if TYPE_CHECKING:
    from discreet.hiding.inverted_file import InvertedFile
    from discreet.transactions.options import ReadOptions

__all__ = ["Index", "NamedIndex", "open_or_make"]

Index = Annotated[
    Path | None,
    Option(
        "--index",
        writes=True,
        metavar="FILE",
        help="An inverted file of the rows: opened if it exists, otherwise made from DATA and saved. As private as "
        "DATA.",
    ),
]


@dataclass(frozen=True, slots=True)
class NamedIndex:
    """An inverted file, and where to save it; None if it was opened from there."""

    index: "InvertedFile"
    unsaved: Path | None

    def save(self, passphrase: bytes | None) -> None:
        """Save it, unless it was opened."""
        if self.unsaved is not None:
            saved_index.save_index(self.index, self.unsaved, passphrase=passphrase)


def open_or_make(
    path: Path, data: str | None, reading: "ReadOptions", *, passphrase: bytes | None, quiet: bool
) -> NamedIndex:
    """Open an inverted file and check that it is of DATA; or build one, to be saved if everything succeeds."""
    if (
        reading.sql is not None
        or data == "-"
        or (data is not None and isinstance(file_parts.files_of(data), file_parts.FileParts))
    ):
        raise ParameterError("--index goes with a file of rows, which can be read again", parameter="index")
    read_as = reading.words()
    if path.exists():
        index = saved_index.open_index(path, passphrase=passphrase)
        if data is not None and index.source != digest_of(data):
            raise DataError(
                f"the index {path} was made from other rows than those of {data}; remove it to have it made again"
            )
        if (read_as or data is not None) and tuple(read_as) != index.read_as:
            raise ParameterError(
                f"the index {path} was made with other reading options ({' '.join(index.read_as) or 'none'})",
                parameter="index",
            )
        return NamedIndex(index, None)
    if data is None:
        raise DataError(f"the index {path} does not exist; name DATA to have it made")
    check_output(path)
    digest = digest_of(data)
    rows = read_rows(data, reading, quiet=quiet)
    if digest_of(data) != digest:
        raise DataError(f"{data} changed in the meantime; start again")
    return NamedIndex(discreet.InvertedFile.build(rows, source=digest, read_as=read_as), path)
