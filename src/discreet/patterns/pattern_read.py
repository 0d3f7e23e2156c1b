"""How patterns or rules were read: said with every answer about them, as it is of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from discreet.tables.file_read import FileRead
from discreet.wording import counted

if TYPE_CHECKING:
    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules, Origin
    from discreet.tables.byte_source import ByteSource

__all__ = ["PatternRead"]

_TOOLS: dict[Origin, str] = {
    "ours": "of discreet",
    "spmf": "of SPMF",
    "mlxtend": "of mlxtend",
    "spark": "of Spark",
    "arules": "of arules",
    "pami": "of PAMI",
    "weka": "of WEKA",
    "orange": "of Orange",
    "rapidminer": "of RapidMiner",
    "unnamed": "in a table",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRead(FileRead):
    """How itemsets or rules were read.

    Attributes
    ----------
    name : str
        The file, as it was named.
    sha256, bytes : str, int or None
        The digest and the size of the file as it lies on the disk; None if there is no file.
    encoding, separator : str or None
        How a text file was read; None if it has none.
    container : str
        What the bytes are: csv, json, parquet, sheet, text, printed, folder, frame.
    tool : str
        Whose form it is.
    shape : str
        "itemsets" or "rules".
    count, items : int
        How many of them there are, and how many different items they hold.
    supports : str
        "counts", or "shares" that were turned into counts.
    n : int or None
        The number of rows, if known.
    n_is_least : bool
        Whether nothing says the number of rows, and `n` is the least that the shares fit.
    """

    tool: Origin
    shape: Literal["itemsets", "rules"]
    count: int
    items: int
    supports: Literal["counts", "shares"]
    n: int | None
    n_is_least: bool = False

    @classmethod
    def of(
        cls,
        given: ImportedPatterns | ImportedRules,
        *,
        name: str,
        container: str,
        source: ByteSource | None,
        separator: str | None,
        shape: Literal["itemsets", "rules"],
    ) -> PatternRead:
        """Return the record of what was read.

        Parameters
        ----------
        given : ImportedPatterns or ImportedRules
            What was read.
        name : str
            The file, as it was named.
        container : str
            What the bytes are.
        source : ByteSource or None
            The file, if there is one.
        separator : str or None
            What separates the cells of a text file.
        shape : {"itemsets", "rules"}
            Which of them were read.

        Returns
        -------
        PatternRead
            The record.
        """
        sha256, size = (None, None) if source is None else source.digest()
        is_text = source is not None and container not in ("parquet", "sheet")
        return cls(
            name=name,
            sha256=sha256,
            bytes=size,
            encoding=source.encoding if source is not None and is_text else None,
            container=container,
            separator=separator,
            tool=given.origin,
            shape=shape,
            count=len(given),
            items=len(given.vocabulary),
            supports="counts" if given.factor is None else "shares",
            n=given.n,
            n_is_least=getattr(given, "n_is_least", False),
        )

    def sentence(self) -> str:
        """Return how the patterns were read, in one line."""
        parts = [counted(self.count, self.shape.removesuffix("s")), counted(self.items, "item")]
        parts += self.unusual()
        of = "" if self.n is None else f" of n = {self.n:,}{' or a multiple of it' if self.n_is_least else ''}"
        parts.append(f"{self.supports}{of}" if of else f"{self.supports}, n is not known")
        return f"Read as {self.shape} {_TOOLS[self.tool]}: {', '.join(parts)}."

    def sentences(self) -> str:
        """Return how the patterns were read."""
        return self.sentence()
