"""Write rows in Spark atomically as Parquet, a folder of parts.

Spark's workers write into a hidden folder next to the target, which is renamed once all of them are done. A job that
fails, or is killed, leaves nothing behind under the target's name.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from discreet.errors import OutputError, param
from discreet.spark.failures import asking_spark
from discreet.spark.shapes import ID, ITEMS

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from pyspark.sql import DataFrame

    from discreet.spark.rows import SparkRows

__all__ = ["check_folder", "write_parquet"]


def check_folder(path: str | PathLike[str], *, force: bool = False) -> None:
    """Refuse an unwritable output before any work is done for it; URLs are checked later."""
    text = str(path)
    if not text.rstrip("/").endswith(".parquet"):
        raise OutputError(f"Spark writes rows as Parquet; end {text} in .parquet")
    if "://" in text:
        return
    path = Path(path)
    if not path.parent.is_dir():
        raise OutputError(f"the folder {path.parent} does not exist; create it or choose another output")
    if not force and (path.exists() or path.is_symlink()):
        raise OutputError(
            f"{path} exists already; choose another name, or give {param('force', value=True)} to replace it"
        )


def write_parquet(
    rows: SparkRows,
    path: str | PathLike[str],
    *,
    force: bool = False,
    check: Callable[[SparkRows], None] | None = None,
) -> None:
    """Write rows in the shape they came in: arrays, a long table or a one-hot table.

    `check` is called with the rows as they were written, before they take their name, and raises an error if they must
    not.
    """
    check_folder(path, force=force)
    text = str(path).rstrip("/")
    address = text if "://" in text else Path(text).absolute().as_uri()
    parent, _, name = address.rpartition("/")
    frame = _shaped_as_it_came(rows)
    with asking_spark():
        store = _Store(frame, address)
        part, old = (f"{parent}/.{name}.{uuid4().hex}.{kind}" for kind in ("part", "old"))
        there = store.exists(address)
        if there and not force:
            raise OutputError(
                f"{text} exists already; choose another name, or give {param('force', value=True)} to replace it"
            )
        try:
            frame.write.parquet(part)
            if check is not None:
                with _as_written(rows, part) as written:
                    check(written)
            if there:
                store.rename(address, old)
            store.rename(part, address)
        finally:
            store.delete(part)
        store.delete(old)


def _shaped_as_it_came(rows: SparkRows) -> DataFrame:
    from pyspark.sql import functions as sql

    source = rows.source
    frame = source.frame
    ids = [sql.col(ID).alias(source.id_column or ID)] if ID in frame.columns else []
    if source.shape == "long":
        return frame.select(*ids, sql.explode_outer(ITEMS).alias(source.item_column or "item"))
    if source.shape == "onehot" and source.labels:
        return frame.select(*ids, *(sql.array_contains(ITEMS, label).alias(label) for label in source.labels))
    return frame.select(*ids, sql.col(ITEMS).alias(source.item_column or ITEMS))


def _as_written(rows: SparkRows, address: str) -> SparkRows:
    source = rows.source
    frame = rows.sparkSession.read.parquet(address)
    shape = "onehot" if source.shape == "onehot" and source.labels else "long" if source.shape == "long" else "lists"
    item_column = None if shape == "onehot" else source.item_column or ("item" if shape == "long" else ITEMS)
    id_column = (source.id_column or ID) if ID in source.frame.columns else None
    return type(rows).from_frame(frame, format=shape, id_column=id_column, item_column=item_column)


class _Store:
    """The file system of a URL, accessed through Hadoop's library."""

    def __init__(self, frame: DataFrame, address: str) -> None:
        session: Any = frame.sparkSession
        self._path = session._jvm.org.apache.hadoop.fs.Path  # noqa: SLF001 - PySpark has no public way to it
        conf = session._jsparkSession.sessionState().newHadoopConf()  # noqa: SLF001
        self._files = self._path(address).getFileSystem(conf)

    def exists(self, address: str) -> bool:
        return bool(self._files.exists(self._path(address)))

    def rename(self, address: str, to: str) -> None:
        if not self._files.rename(self._path(address), self._path(to)):
            raise OutputError(f"cannot write {to.removeprefix('file://')}; nothing was changed")

    def delete(self, address: str) -> None:
        self._files.delete(self._path(address), True)
