"""The dropped file, the options for its format, and its rows as they were read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import TYPE_CHECKING

from discreet.errors import InternalFault
from discreet.transactions.column_profile import column_profiles
from discreet.transactions.options import ReadOptions
from discreet.wording import ROWS, Unit
from discreet.workbench.jobs.rows_cache import RowsFile
from discreet.workbench.label_list import LabelList
from discreet.workbench.reading_questions import column_questions

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.transactions.column_profile import ColumnProfile
    from discreet.transactions.layout import Layout
    from discreet.transactions.transactions import Transactions
    from discreet.workbench.reading_questions import ColumnQuestion, OneRow

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
_SHOWN_CELLS = 200
_BARS = 12
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
    labels: LabelList
    """Every item that occurs in a row."""
    layout: Layout | None
    told: str = ""
    """How the rows were read, in one sentence."""
    notes: tuple[str, ...] = ()
    """What an owner should look at."""
    unit: Unit = ROWS
    columns: tuple[ColumnProfile, ...] = ()
    """What the columns of a table hold."""
    bars: tuple[tuple[float, ...], ...] = ()
    """How the values of each column are spread, as shares of its most frequent one."""

    @property
    def cells(self) -> list[list[str]]:
        """The first rows of a table, a cell for each column."""
        found = []
        for labels in self.rows:
            row = dict(label.partition("=")[::2] for label in labels)
            found.append([row.get(column.name, "") for column in self.columns])
        return found

    @classmethod
    def of(cls, rows: Transactions) -> Preview:
        """Summarize rows that were read."""
        label = rows.vocabulary.labels
        bounds = list(pairwise(rows.offsets[: _SHOWN_ROWS + 1].tolist()))
        most = _SHOWN_CELLS if rows.layout is not None and rows.layout.shape == "table" else _SHOWN_ITEMS
        shown = [rows.items[start : min(stop, start + most)].tolist() for start, stop in bounds]
        held = (rows.item_supports() > 0).tolist()
        labels = LabelList.of(list(compress(label, held)))
        return cls(
            shape="fimi" if rows.layout is None else rows.layout.shape,
            n=rows.n,
            items=len(labels),
            mean=len(rows.items) / max(1, len(rows)),
            rows=tuple(tuple(label[item] for item in codes) for codes in shown),
            more=tuple(max(0, stop - start - most) for start, stop in bounds),
            labels=labels,
            layout=rows.layout,
            told="" if rows.read is None else rows.read.sentence(),
            notes=() if rows.read is None else rows.read.notes,
            unit=ROWS if rows.read is None else rows.read.what_a_row_is,
            columns=(columns := _profiles(rows)),
            bars=tuple(_bars(rows, columns)),
        )


def _profiles(rows: Transactions) -> tuple[ColumnProfile, ...]:
    layout = rows.layout
    if layout is None or layout.shape != "table":
        return ()
    return tuple(column_profiles(rows, [name for name in layout.columns if name != layout.id_column]))


def _bars(rows: Transactions, columns: tuple[ColumnProfile, ...]) -> list[tuple[float, ...]]:
    """Return the most frequent values of each column, numbers in their order; only for the eye."""
    found: dict[str, list[tuple[str, int]]] = {column.name: [] for column in columns}
    if not found:
        return []
    for label, support in zip(rows.vocabulary.labels, rows.item_supports().tolist(), strict=True):
        name, _, value = label.partition("=")
        if support and name in found:
            found[name].append((value, support))
    return [_spread(found[column.name], numbers=column.type == "number") for column in columns]


def _spread(counts: list[tuple[str, int]], *, numbers: bool) -> tuple[float, ...]:
    if numbers and len(counts) > _BARS:
        values = [float(value) for value, _ in counts]
        low, wide = min(values), (max(values) - min(values)) / _BARS or 1.0
        sums = [0] * _BARS
        for value, (_, count) in zip(values, counts, strict=True):
            sums[min(_BARS - 1, int((value - low) / wide))] += count
    else:
        order = (lambda each: float(each[0])) if numbers else (lambda each: -each[1])
        sums = [count for _, count in sorted(counts, key=order)[:_BARS]]
    most = max(sums, default=1)
    return tuple(round(each / most, 2) for each in sums)


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
        self.one_row: OneRow = ""
        """Whether a row is a person, as the owner says."""
        self.answered: set[tuple[str, ...]] = set()
        """The questions about columns that were answered with: keep them."""
        self._snapshots = snapshots
        self._readings = 0

    @property
    def reading(self) -> ReadOptions:
        """How the rows were read."""
        return ReadOptions() if self.rows is None else self.rows.reading

    @property
    def questions(self) -> tuple[ColumnQuestion, ...]:
        """What is to be answered about the columns before anything is called safe."""
        if self.preview is None:
            return ()
        asked = column_questions(self.preview, self.reading)
        return tuple(each for each in asked if (each.kind, *each.columns) not in self.answered)

    def keep(self, question: ColumnQuestion) -> None:
        """Record that the columns are as they should be."""
        self.answered.add((question.kind, *question.columns))

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
        self.one_row = ""
        self.answered = set()
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
