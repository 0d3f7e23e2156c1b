"""How a file of patterns or rules is to be read, where it does not say so itself."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from discreet.errors import ParameterError, param

__all__ = ["FileHints"]

_TAB = {"\\t": "\t", "tab": "\t"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHints:
    """What the caller says about a file: keywords of `read_patterns` and `read_rules`.

    Attributes
    ----------
    items_column, support_column : str or None
        The columns of the itemsets and of their supports.
    item_separator : str or None
        What separates the labels in a cell.
    delimiter : str or None
        What separates the cells of a text file.
    encoding : str or None
        The encoding of a text file.
    sheet : str or None
        The sheet of a workbook, by its name or number.
    """

    items_column: str | None = None
    support_column: str | None = None
    item_separator: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | int | None = None

    def __post_init__(self) -> None:
        """Refuse values that no file can have."""
        for name in ("item_separator", "delimiter"):
            given = getattr(self, name)
            object.__setattr__(self, name, _TAB.get(given, given) if isinstance(given, str) else given)
        if self.item_separator is not None and (not self.item_separator or "\n" in self.item_separator):
            raise ParameterError(
                f"{param('item_separator')} must be what stands between two labels, like a comma, got "
                f"{self.item_separator!r}",
                parameter="item_separator",
            )
        if self.delimiter is not None and (len(self.delimiter) != 1 or not self.delimiter.isascii()):
            raise ParameterError(
                f"{param('delimiter')} must be one ASCII character, like ; or \\t, got {self.delimiter!r}",
                parameter="delimiter",
            )
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except LookupError:
                raise ParameterError(
                    f"{param('encoding')} must be the name of an encoding, like cp1252 or utf-16, got "
                    f"{self.encoding!r}",
                    parameter="encoding",
                ) from None

    @property
    def about_columns(self) -> bool:
        """Whether anything is said about the columns."""
        return any(given is not None for given in (self.items_column, self.support_column, self.item_separator))
