"""How a file was read, whether it holds rows or patterns: what the two records have in common."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.json_types import JsonObject
    from discreet.tables.containers import Container

__all__ = ["FileRead"]

_SEPARATORS = {"\t": "tab", " ": "blank"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRead:
    """How a file was read.

    Attributes
    ----------
    name : str
        The file, as it was named.
    sha256, bytes : str, int or None
        The digest and the size of the file as it lies on the disk; None if there is no file.
    encoding, separator : str or None
        How a text file was read; None if it has none.
    container : str
        What the bytes are: text, csv, parquet, json, jsonl, sheet, sql, printed, folder, frame.
    """

    name: str
    sha256: str | None = None
    bytes: int | None = None
    encoding: str | None = None
    container: Container | str
    separator: str | None = None

    def unusual(self) -> list[str]:
        """Return the separator and the encoding, as words, if they are not the usual ones."""
        parts = []
        if self.separator is not None and self.separator != ",":
            parts.append(f"separator {_SEPARATORS.get(self.separator, self.separator)}")
        if self.encoding not in (None, "utf-8"):
            parts.append(str(self.encoding))
        return parts

    def to_dict(self) -> JsonObject:
        """Return the record as `--json` has it."""
        return asdict(self)
