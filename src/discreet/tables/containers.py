"""Which bytes a file holds, by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import PurePath

__all__ = ["Container", "container_of"]

Container = Literal["text", "csv", "parquet", "json", "jsonl"]
"""What the bytes are; `text` is FIMI's and SPMF's plain lines."""

_CONTAINERS: dict[str, Container] = {
    ".dat": "text",
    ".txt": "text",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".json": "json",
    ".jsonl": "jsonl",
}


def container_of(path: PurePath) -> tuple[Container | None, str | None]:
    """Return the container that a file's name speaks of (with or without `.gz`), and a CSV's delimiter."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    return _CONTAINERS.get(last), {".csv": ",", ".tsv": "\t"}.get(last)
