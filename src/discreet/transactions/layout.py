"""How rows of items stand in a file: enough to write changed rows back the way they came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Container", "Layout", "Shape"]

Shape = Literal["fimi", "spmf", "basket", "long", "onehot", "table", "lists"]
"""What a file's lines mean. `lists` is one list of labels per row (JSON arrays, a list column in Parquet)."""

Container = Literal["text", "csv", "parquet", "json", "jsonl"]
"""What the bytes are; `text` is FIMI's and SPMF's plain lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The format that rows came in.

    `columns` are the columns of a `table` or `onehot` file in their order, `delimiter` and `header` say how a CSV was
    written, `id_column` and `item_column` are the columns of a `long` file (`id_column` also where another shape
    carries row ids; `item_column` also the list column of `lists`).
    """

    shape: Shape
    container: Container
    delimiter: str = ","
    header: bool = True
    columns: tuple[str, ...] = ()
    id_column: str | None = None
    item_column: str | None = None
