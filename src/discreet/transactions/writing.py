"""Write rows of items in their original format, or in the one that the file name implies."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DiscreetError, OutputError
from discreet.stages import share_of
from discreet.tables.containers import container_of, refuse_unwritable, usual_suffix, writer_of
from discreet.tables.whole import check_output, output_file
from discreet.transactions.disk_rows import are_on_disk, parts_of
from discreet.transactions.layout import Layout
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read_as
from discreet.transactions.shapes.fimi import fimi_bytes, spmf_bytes
from discreet.transactions.shapes.row_columns import written_columns

if TYPE_CHECKING:
    import os

    from discreet.transactions.transactions import Transactions

__all__ = ["holds", "layout_for", "write"]


def write(
    rows: Transactions,
    path: str | os.PathLike[str],
    *,
    layout: Layout | None = None,
    force: bool = False,
    private: bool = False,
    checked: bool = False,
) -> None:
    r"""Write rows to a file atomically.

    Empty rows are kept: a blank line in fimi, `""` in a basket file, empty cells in a table, an id with an empty item
    in a long table. Folded rows (`Transactions.fold`) are written as often as they occur.

    Parameters
    ----------
    rows : Transactions
        The rows to write; there must be at least one.
    path : path
        The file; a name that ends in `.gz` compresses it.
    layout : Layout, optional
        The format. By default the one the rows were read from, if the file name allows it; rows built in Python
        follow the name: `.dat` and `.txt` fimi, `.csv` and `.tsv` baskets, `.parquet`, `.json` and `.jsonl` lists.
    force : bool, default False
        Whether to replace an existing file.
    private : bool, default False
        Whether only the current user may read the file.
    checked : bool, default False
        Whether to read the finished file again before it takes its name, and to refuse it if it holds other rows.

    Raises
    ------
    OutputError
        The file exists or cannot be written, or the format cannot represent a label: blanks in fimi labels, blanks
        around labels of baskets and tables, a table label that is not `column=value`, a NUL. Lists can hold any other
        label.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "rows.dat")
    >>> discreet.write(discreet.Transactions.from_rows([["tea", "milk"], ["tea"]]), file)
    >>> file.read_text()
    'milk tea\ntea\n'
    """
    path = check_output(path, force=force)
    layout = layout or layout_for(rows, path)
    if not len(rows):
        raise OutputError("there are no rows to write")
    rows = rows.unfold()
    check = None if not checked else partial(_check_written, rows=rows, layout=layout, name=path)
    with output_file(path, force=force, private=private, check=check) as file:
        if layout.shape in ("fimi", "spmf"):
            file.writelines(fimi_bytes(rows) if layout.shape == "fimi" else spmf_bytes(rows))
            return
        writer_of(layout.container)(written_columns(rows, layout), file)


def _check_written(path: Path, *, rows: Transactions, layout: Layout, name: Path) -> None:
    if not holds(path, rows, layout):
        raise OutputError(f"{name} would not hold the rows that were checked; choose another format for them")


def holds(path: Path, rows: Transactions, layout: Layout, *, encoding: str | None = None) -> bool:
    """Return whether a file of this layout, whatever its name, holds just these rows in this order."""
    as_csv = layout.container == "csv"
    options = replace(
        ReadOptions.of_layout(layout),
        delimiter=layout.delimiter if as_csv else None,
        header=layout.header if as_csv and layout.shape != "basket" else None,
        encoding=None if encoding is None or encoding.startswith("utf-8") else encoding,
        id_column=layout.id_column if rows.ids is not None or layout.shape == "long" else None,
    )
    try:
        name = Path(f"rows{usual_suffix(layout.container)}")
        found = read_as(path, options, named=name, on_disk=are_on_disk(rows), progress=share_of("reading it again"))
    except DiscreetError:
        return False
    item = rows.vocabulary.positions
    numbers = np.array([item.get(label, -1) for label in found.vocabulary], np.int32)
    return len(found) == len(rows) and all(
        bool((numbers[part.items] >= 0).all())
        and part.itemsets.renumbered(numbers) == rows.itemsets.part(first, first + len(part))
        for first, part in parts_of(found, "comparing what was written")
    )


def layout_for(rows: Transactions, path: Path) -> Layout:
    """Return the layout for writing rows: the original one, unless the file name contradicts it."""
    container, delimiter = container_of(path)
    came = rows.layout
    if container is None:
        if came is None:
            raise OutputError(
                f"the name of {path} says nothing about the format; end it in .dat, .csv, .parquet, .json or .jsonl"
            )
        refuse_unwritable(path, came.container)
        return came
    refuse_unwritable(path, container)
    shape = "basket" if came is None else came.shape
    if container == "text":
        return Layout(shape="spmf" if shape == "spmf" else "fimi", container="text")
    if came is None or shape in ("fimi", "spmf", "basket", "lists"):
        if container == "csv":
            kept = came.delimiter if came is not None and came.container == "csv" else None
            return Layout(shape="basket", container="csv", delimiter=_delimiter(kept, delimiter), header=False)
        came = came if came is not None and shape == "lists" else Layout(shape="lists", container=container)
        named = rows.ids is not None
        return replace(came, container=container, id_column=(came.id_column or "id") if named else None)
    if container == "csv":
        return replace(came, container="csv", delimiter=_delimiter(came.delimiter, delimiter))
    return replace(came, container=container)


def _delimiter(came: str | None, named: str | None) -> str:
    """Return the rows' original delimiter, unless the name says that it is a tab, or that it is not."""
    if came is None or "\t" in (came, named):
        return named or ","
    return came
