"""The dropped file, the options for its format, and its rows as they were read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import TYPE_CHECKING

from discreet.errors import InternalFault
from discreet.transactions.options import ReadOptions
from discreet.workbench.jobs.rows_cache import RowsFile

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.transactions.layout import Layout
    from discreet.transactions.transactions import Transactions

__all__ = ["SHAPES", "InputFile", "Preview", "plain_name"]

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
_SNAPSHOT = "snapshot-"


def plain_name(name: str) -> str:
    """Return a file's name without folders and special characters.

    >>> plain_name("../../etc/Kunden 2024.csv.gz"), plain_name("..")
    ('Kunden_2024.csv.gz', 'rows')
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = re.sub(r"[^\w.\-]", "_", last, flags=re.ASCII).lstrip(".-")
    return kept[-_LONGEST_NAME:].lstrip(".-") or "rows"


@dataclass(frozen=True, slots=True, eq=False)
class Preview:
    """The first rows as they were read, and the total counts."""

    shape: str
    n: int
    items: int
    mean: float
    rows: tuple[tuple[str, ...], ...]
    more: tuple[int, ...]
    labels: tuple[str, ...]
    """Every item that occurs in a row."""
    layout: Layout | None

    @classmethod
    def of(cls, rows: Transactions) -> Preview:
        """Summarize rows that were read."""
        label = rows.vocabulary.labels
        bounds = list(pairwise(rows.offsets[: _SHOWN_ROWS + 1].tolist()))
        shown = [rows.items[start : min(stop, start + _SHOWN_ITEMS)].tolist() for start, stop in bounds]
        held = (rows.item_supports() > 0).tolist()
        labels = tuple(compress(label, held))
        return cls(
            shape="fimi" if rows.layout is None else rows.layout.shape,
            n=rows.n,
            items=len(labels),
            mean=len(rows.items) / max(1, len(rows)),
            rows=tuple(tuple(label[item] for item in codes) for codes in shown),
            more=tuple(max(0, stop - start - _SHOWN_ITEMS) for start, stop in bounds),
            labels=labels,
            layout=rows.layout,
        )


class InputFile:
    """One file: where it is stored while the workbench runs, and how its rows were read."""

    def __init__(self, snapshots: Path) -> None:
        self.path: Path | None = None
        self.name = ""
        """The original name of the file."""
        self.drops = 0
        """How many files were dropped: the same one may come again."""
        self.rows: RowsFile | None = None
        """The name of the rows for jobs; None until they are read. A read that is only requested does not count."""
        self.preview: Preview | None = None
        self._snapshots = snapshots
        self._readings = 0

    @property
    def reading(self) -> ReadOptions:
        """How the rows were read."""
        return ReadOptions() if self.rows is None else self.rows.reading

    @property
    def layout(self) -> Layout | None:
        """The layout of the rows that were read."""
        return None if self.preview is None else self.preview.layout

    def dropped(self, path: Path, name: str) -> None:
        """Replace the file."""
        if self.path is not None and self.path != path:
            self.path.unlink(missing_ok=True)
        self.name = re.split(r"[/\\]", name)[-1] or path.name
        self.drops += 1
        self.path = path
        self.read(None, None)

    def named(self, reading: ReadOptions) -> RowsFile:
        """Return a name for the rows of the file with these options; no other options get the same."""
        if self.path is None:
            raise InternalFault("nothing was dropped")
        self._readings += 1
        return RowsFile(self.path, reading, self._snapshots / f"{_SNAPSHOT}{self._readings}")

    def read(self, rows: RowsFile | None, preview: Preview | None) -> None:
        """Set the rows that were read, and remove the snapshots of all others."""
        self.rows, self.preview = rows, preview
        for snapshot in self._snapshots.glob(f"{_SNAPSHOT}*"):
            if rows is None or snapshot != rows.snapshot:
                snapshot.unlink(missing_ok=True)
