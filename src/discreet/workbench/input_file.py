"""The file that was dropped, what was said about its format, and its rows as they were understood."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import InternalFault

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.transactions.transactions import Transactions
    from discreet.workbench.jobs.rows import Handed

__all__ = ["SHAPES", "InputFile", "Preview", "Reading", "plain_name", "start_supports"]

SHAPES = {
    "fimi": "labels with blanks between them, a row per line (FIMI)",
    "spmf": "numbers with blanks between them (SPMF)",
    "basket": "labels with commas between them, no header (baskets)",
    "long": "an id and an item per line (long table)",
    "onehot": "a column per item, with 0 and 1 (one-hot)",
    "table": "a table: each cell is an item column=value",
    "lists": "a list of labels per row (JSON, Parquet)",
}
_SHOWN_ROWS = 8
_SHOWN_ITEMS = 30
_LONGEST_NAME = 80


def plain_name(name: str) -> str:
    """Return a file's name without folders and without anything that a system could take for more than a letter.

    >>> plain_name("../../etc/Kunden 2024.csv.gz"), plain_name("..")
    ('Kunden_2024.csv.gz', 'rows')
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = re.sub(r"[^\w.\-]", "_", last, flags=re.ASCII).lstrip(".-")
    return kept[-_LONGEST_NAME:].lstrip(".-") or "rows"


@dataclass(frozen=True, slots=True)
class Reading:
    """The options of `discreet.read`, as they stand in the fields of the page: texts, empty where nothing was said."""

    format: str = ""
    delimiter: str = ""
    id_column: str = ""
    item_column: str = ""
    no_header: bool = False
    columns: str = ""
    drop: str = ""
    bins: str = ""
    map: str = ""
    missing: str = ""

    def keywords(self) -> dict[str, Any]:
        """Return them as the keywords of `discreet.read`; several bins or maps stand on lines, or behind semicolons."""
        given = {field.name: getattr(self, field.name) for field in fields(self) if getattr(self, field.name)}
        if given.pop("no_header", False):
            given["header"] = False
        for name in ("bins", "map"):
            if name in given:
                given[name] = _parts(given[name])
        return given

    def words(self) -> list[str]:
        """Return them as words of the command line."""
        words: list[str] = []
        for name, value in self.keywords().items():
            if name == "header":
                words.append("--no-header")
                continue
            for each in value if isinstance(value, list) else [value]:
                words += [f"--{name.replace('_', '-')}", each]
        return words


def _parts(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[;\n]", text) if part.strip()]


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows as they were understood, and what there is in all."""

    shape: str
    n: int
    items: int
    mean: float
    rows: tuple[tuple[str, ...], ...]
    more: tuple[int, ...]
    columns: tuple[str, ...]

    @classmethod
    def of(cls, rows: Transactions) -> Preview:
        """Look at rows that were read."""
        label = rows.vocabulary.labels
        bounds = list(pairwise(rows.offsets[: _SHOWN_ROWS + 1].tolist()))
        shown = [rows.items[start : min(stop, start + _SHOWN_ITEMS)].tolist() for start, stop in bounds]
        layout = rows.layout
        return cls(
            shape="fimi" if layout is None else layout.shape,
            n=rows.n,
            items=int(np.count_nonzero(rows.item_supports())),
            mean=len(rows.items) / max(1, len(rows)),
            rows=tuple(tuple(label[item] for item in codes) for codes in shown),
            more=tuple(max(0, stop - start - _SHOWN_ITEMS) for start, stop in bounds),
            columns=tuple(islice(dict.fromkeys(text.partition("=")[0] for text in label if "=" in text), 200))
            if layout is not None and layout.shape == "table"
            else (),
        )


class InputFile:
    """One file: where it is kept while the workbench runs, and its rows with the way in which they were read."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.path: Path | None = None
        self.name = ""
        """The name that the file had where it came from."""
        self.drops = 0
        """How many files were dropped: the same one may come again."""
        self.reading = Reading()
        """How the rows were read; what is only asked for does not stand here."""
        self.rows: Transactions | None = None
        self.preview: Preview | None = None

    def dropped(self, path: Path, name: str) -> None:
        """Take a new file, and forget the last one."""
        if self.path is not None and self.path != path:
            self.path.unlink(missing_ok=True)
        self.name = re.split(r"[/\\]", name)[-1] or path.name
        self.drops += 1
        self.path, self.rows, self.preview = path, None, None
        self.reading = Reading()

    def handed(self) -> Handed:
        """Return the rows with their file, for work that writes them again."""
        from discreet.workbench.jobs.rows import Handed

        if self.rows is None or self.path is None:
            raise InternalFault("nothing was read")
        said = self.reading
        whole = not (said.drop or said.bins or said.map or said.missing == "drop-row")
        return Handed(self.rows, self.path, whole)

    def read(self, rows: Transactions, preview: Preview, reading: Reading) -> None:
        """Take the rows that were read, and how."""
        self.rows, self.preview, self.reading = rows, preview, reading


_ENOUGH_ITEMS = 30
_LOW = (20, 10, 5, 2, 1)
_HIGH = (40, 60, 80, 90, 95, 99)
"""Both in per cent."""


def start_supports(rows: Transactions) -> list[str]:
    """Return supports to start with, the best first: 20 %, or less where few items are that frequent.

    The others are for rows in which so many items stand nearly everywhere that the first gives too many itemsets.

    >>> from discreet.transactions.transactions import Transactions
    >>> start_supports(Transactions.from_rows(["ab", "a", "b", "ab"]))
    ['1%', '40%', '60%', '80%', '90%', '95%', '99%']
    """
    supports = rows.item_supports()
    enough = (low for low in _LOW if np.count_nonzero(supports * 100 >= low * rows.n) >= _ENOUGH_ITEMS)
    return [f"{percent}%" for percent in (next(enough, _LOW[-1]), *_HIGH)]
