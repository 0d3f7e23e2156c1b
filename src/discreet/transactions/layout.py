"""How rows of items stand in a file: enough to write changed rows back the way they came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from discreet.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import PurePath

__all__ = ["Container", "Layout", "Shape", "container_of"]

Shape = Literal["fimi", "spmf", "basket", "long", "onehot", "table", "lists"]
"""What a file's lines mean. `lists` is one list of labels per row (JSON arrays, a list column in Parquet)."""

Container = Literal["text", "csv", "parquet", "json", "jsonl"]
"""What the bytes are; `text` is FIMI's and SPMF's plain lines."""

_WITH_COLUMNS: tuple[Container, ...] = ("csv", "parquet", "json", "jsonl")
_CONTAINERS_OF: dict[Shape, tuple[Container, ...]] = {
    "fimi": ("text",),
    "spmf": ("text",),
    "basket": ("csv",),
    "long": _WITH_COLUMNS,
    "onehot": _WITH_COLUMNS,
    "table": _WITH_COLUMNS,
    "lists": ("parquet", "json", "jsonl"),
}
_CONTAINERS: dict[str, Container] = {
    ".dat": "text",
    ".txt": "text",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".json": "json",
    ".jsonl": "jsonl",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The format that rows came in.

    `columns` are the columns of a `table`, `onehot` or `long` file in their order, the ids' column among them;
    `delimiter` and `header` say how a CSV was written; `id_column` and `item_column` are the columns of a `long` file
    (`id_column` also where another shape carries row ids; `item_column` also the list column of `lists`).
    """

    shape: Shape
    container: Container
    delimiter: str = ","
    header: bool = True
    columns: tuple[str, ...] = ()
    id_column: str | None = None
    item_column: str | None = None

    def __post_init__(self) -> None:
        """Refuse a shape in a container that has no room for it."""
        if self.container not in _CONTAINERS_OF[self.shape]:
            raise ParameterError(
                f"{self.shape} cannot stand in {self.container}, only in {' or '.join(_CONTAINERS_OF[self.shape])}",
                parameter="layout",
            )


def container_of(path: PurePath) -> tuple[Container | None, str | None]:
    """Return the container that a file's name speaks of (with or without `.gz`), and a CSV's delimiter."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    return _CONTAINERS.get(last), {".csv": ",", ".tsv": "\t"}.get(last)
