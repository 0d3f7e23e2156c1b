"""The format of rows in a file: enough to write changed rows back the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.tables.containers import Container
    from discreet.tables.table import Table

__all__ = ["Layout", "Shape"]

Shape = Literal["fimi", "spmf", "basket", "long", "onehot", "table", "lists"]
"""What a file's lines mean. `lists` is one list of labels per row (JSON arrays, a list column in Parquet)."""

_WITH_COLUMNS: tuple[Container, ...] = ("csv", "parquet", "json", "jsonl", "sheet")
_CONTAINERS_OF: dict[Shape, tuple[Container, ...]] = {
    "fimi": ("text",),
    "spmf": ("text",),
    "basket": ("csv",),
    "long": _WITH_COLUMNS,
    "onehot": _WITH_COLUMNS,
    "table": _WITH_COLUMNS,
    "lists": ("parquet", "json", "jsonl"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The format that rows were read from.

    `columns` are the columns of a `table`, `onehot` or `long` file in order, including the id column; `delimiter` and
    `header` describe a CSV; `id_column` and `item_column` are the columns of a `long` file (`id_column` also if another
    shape has row ids; `item_column` also for the list column of `lists`).
    """

    shape: Shape
    container: Container
    delimiter: str = ","
    header: bool = True
    columns: tuple[str, ...] = ()
    id_column: str | None = None
    item_column: str | None = None

    def __post_init__(self) -> None:
        """Refuse a shape that the container cannot hold."""
        if self.container not in _CONTAINERS_OF[self.shape]:
            raise ParameterError(
                f"{self.shape} cannot be stored in {self.container}, only in {' or '.join(_CONTAINERS_OF[self.shape])}",
                parameter="layout",
            )

    @classmethod
    def of(
        cls,
        table: Table,
        shape: Shape,
        *,
        columns: tuple[str, ...] = (),
        id_column: str | None = None,
        item_column: str | None = None,
    ) -> Layout:
        """Return the layout of rows of a shape in a table."""
        return cls(
            shape=shape,
            container=table.container,
            delimiter=table.delimiter,
            header=table.header,
            columns=columns,
            id_column=id_column,
            item_column=item_column,
        )
