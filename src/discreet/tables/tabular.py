"""Results as tables: a result that has an Arrow table has a pandas and a polars one, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Tabular"]


class Tabular:
    """Something that is a table of named columns, as its `to_arrow` says."""

    __slots__ = ()

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table."""
        raise NotImplementedError

    def to_pandas(self) -> Any:  # pandas is not needed otherwise
        """Return the same as a pandas DataFrame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:  # polars is not needed otherwise
        """Return the same as a polars DataFrame."""
        import polars as pl

        return pl.DataFrame(self.to_arrow())
