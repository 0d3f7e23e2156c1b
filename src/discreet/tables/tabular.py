"""Results as tables: a result that has an Arrow table has a pandas and a polars one, too."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from discreet.errors import EngineError
from discreet.wording import html_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Tabular", "library_of_frames"]

_SHOWN = 10
"""Rows of a table that a notebook shows."""


class Tabular:
    """Something that is a table of named columns, as its `to_arrow` says."""

    __slots__ = ()

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table."""
        raise NotImplementedError

    def to_pandas(self) -> Any:  # pandas is not needed otherwise
        """Return the same as a pandas DataFrame."""
        library_of_frames("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:  # polars is not needed otherwise
        """Return the same as a polars DataFrame."""
        return library_of_frames("polars").DataFrame(self.to_arrow())

    def _repr_html_(self) -> str:
        """Show what it is, and the first rows of its table, in a notebook."""
        table = self.to_arrow()
        rows = [[_cell(value) for value in row.values()] for row in table.slice(0, _SHOWN).to_pylist()]
        more = f"… and {len(table) - _SHOWN:,} more" if len(table) > _SHOWN else ""
        return html_table(table.column_names, rows, above=repr(self)[1:-1], below=more)


def _cell(value: object) -> str:
    """Return a value as a notebook shows it."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def library_of_frames(name: Literal["pandas", "polars"]) -> Any:  # a module
    """Return a library of data frames, which a result needs only where one is asked for."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise EngineError(
            f"a frame of {name} needs {name}, which is not installed; pip install 'discreet[{name}]'"
        ) from None
