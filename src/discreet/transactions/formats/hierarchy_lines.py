"""Lines of ARX's hierarchy files: CSV without a header, cells between semicolons, a value, then what it becomes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from discreet.transactions.formats.arrow_arrays import arrow_numbers
from discreet.transactions.formats.delimited import cell_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["HierarchyLine", "given_lines", "hierarchy_lines"]

HierarchyLine: TypeAlias = "tuple[Callable[[], int], tuple[str, ...]]"
"""A line's cells, and before them how to find its number: only errors ask for it."""


def hierarchy_lines(chunks: Iterator[bytes], *, name: str) -> Iterator[HierarchyLine]:
    """Yield the lines of a file, blanks around the cells taken off, blank lines left out."""
    for block in cell_blocks(chunks, delimiter=";", name=name):
        cells = block.texts.take(arrow_numbers(block.codes)).to_pylist()
        start = 0
        for row, length in enumerate(block.lengths.tolist()):
            yield partial(block.line_of, row), tuple(cells[start : start + length])
            start += length


def given_lines(lines: Iterable[Sequence[str]]) -> Iterator[HierarchyLine]:
    """Yield lines that come from Python, numbered from 1."""
    for number, line in enumerate(lines, 1):
        yield partial(int, number), tuple(map(str, line))
