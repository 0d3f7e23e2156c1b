"""How rows were read: said with every answer, since an answer is about what was read and not about a file's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.errors import InternalFault
from discreet.tables.file_read import FileRead
from discreet.transactions.cell_notes import cell_notes
from discreet.wording import Unit, counted

if TYPE_CHECKING:
    from discreet.transactions.layout import Shape
    from discreet.transactions.transactions import Transactions

__all__ = ["ReadColumns", "ReadRecord", "record_of"]

_SHAPES = {
    "fimi": "rows of tokens",
    "spmf": "rows of numbers (SPMF)",
    "basket": "baskets",
    "long": "a long table",
    "onehot": "a one-hot table",
    "table": "a table",
    "lists": "lists of labels",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadColumns:
    """What became of a table's columns: those that are items, those left out, and those made into intervals."""

    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    binned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRecord(FileRead):
    """How rows were read.

    Attributes
    ----------
    name : str
        The file, as it was named.
    sha256, bytes : str, int or None
        The digest and the size of the file as it lies on the disk; None if there is no file.
    encoding, separator, header : str, str, bool or None
        How a text file was read; None if it has none.
    container : str
        What the bytes are: text, csv, parquet, json, jsonl, sheet, sql, frame.
    shape : str
        What the cells mean: see `discreet.read`.
    columns : ReadColumns or None
        A table's columns.
    rows, empty_rows, items : int
        How many rows there are, how many of them without an item, and how many different items they hold.
    persons : int or None
        How many people the rows are about, where a column said whose they are.
    unit : str or None
        What a row is, in the plural, where that was said.
    identifying : tuple of str
        The columns and items that were left out because they tell whose a row is, as they were named.
    notes : tuple of str
        What an owner should look at: none of it makes the rows unusable.
    """

    header: bool | None = None
    shape: Shape
    columns: ReadColumns | None = None
    rows: int
    empty_rows: int
    items: int
    persons: int | None = None
    unit: str | None = None
    identifying: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: Transactions, **about: Any) -> ReadRecord:  # the other fields
        """Return the record of rows, with what they show of themselves.

        Parameters
        ----------
        rows : Transactions
            What was read.
        **about
            The other attributes of the record.

        Returns
        -------
        ReadRecord
            The record.
        """
        supports = rows.item_supports()
        columns = about.get("columns")
        of_table = columns.kept if about["shape"] == "table" and columns is not None else ()
        notes = (*about.pop("notes", ()), *cell_notes(rows, supports, about["shape"], of_table))
        return cls(
            rows=rows.n,
            empty_rows=rows.itemsets.count_empty(),
            items=int((supports > 0).sum()),
            notes=notes,
            **about,
        )

    @property
    def what_a_row_is(self) -> Unit:
        """What a row is: what the owner said, a person if a column said whose it is, and otherwise a row."""
        return Unit.parse(self.unit or (None if self.persons is None else "person/people"))

    def sentence(self) -> str:
        """Return how the rows were read, in one line."""
        parts = []
        if self.columns is not None:
            parts.append(counted(len(self.columns.kept), "column"))
            parts += [f"{len(self.columns.dropped):,} left out"] if self.columns.dropped else []
        if self.header is not None and self.shape != "basket":
            parts.append("header" if self.header else "no header")
        parts += self.unusual()
        parts.append(
            counted(self.rows, "row") if self.persons is None else f"{counted(self.rows, 'row')}, one for each person"
        )
        if self.empty_rows:
            parts.append(f"{self.empty_rows:,} of them empty")
        return f"Read as {_SHAPES[self.shape]}: {', '.join(parts)}, {counted(self.items, 'item')}."

    def sentences(self) -> str:
        """Return how the rows were read, and below it what an owner should look at."""
        return "\n".join((self.sentence(), *self.notes))


def record_of(rows: Transactions) -> ReadRecord:
    """Return how rows were read; rows that nobody read have no record."""
    if rows.read is None:
        raise InternalFault("these rows were not read from anything")
    return rows.read
