"""The look of an answer: the answer first, then its evidence, then what to do, as commands that can be pasted.

Text that comes from data or from the command line passes through `one_line` here, and is never read as markup.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from discreet.cli.standard_output import colour_wanted, write_text
from discreet.wording import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["answer", "listing", "next_steps", "paragraph", "screen_width", "show", "table"]

WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""


_MARGIN = "  "


def screen_width() -> int:
    """Return how many columns an answer may take."""
    return min(shutil.get_terminal_size().columns, WIDEST)


def show(*parts: RenderableType) -> None:
    """Print the parts of an answer with an empty line between them."""
    console = Console(
        file=sys.stdout,
        width=screen_width() - len(_MARGIN),
        force_terminal=colour_wanted(),
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        for part in parts:
            console.line()
            console.print(part, crop=False)
    lines = (f"{_MARGIN}{line}".rstrip(" ") for line in captured.get().rstrip("\n").split("\n"))
    write_text("\n".join(lines) + "\n")


def answer(text: str, *, verdict: str | None = None, style: str = "bold") -> RenderableType:
    """Return the line that comes first; `verdict` is the word before it where the command answers yes or no."""
    if verdict is None:
        return Text(one_line(text), style=style)
    return Text.assemble((one_line(verdict), style), "  ", one_line(text))


def paragraph(text: str) -> RenderableType:
    """Return a paragraph, broken into lines where the screen ends."""
    return Text("\n".join(one_line(line) for line in text.split("\n")))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, title: str) -> RenderableType:
    """Return an aligned table: numbers to the right; the last column to the left, cut where the screen ends."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns[:-1]:
        grid.add_column(column, justify="right", no_wrap=True)
    grid.add_column(columns[-1])  # the only one that may shrink; its cells are cut, not wrapped
    for *cells, last in rows:
        grid.add_row(*(Text(one_line(cell)) for cell in cells), Text(one_line(last), no_wrap=True, overflow="ellipsis"))
    return Group(paragraph(title), Padding(grid, (0, 0, 0, 2)))


def listing(entries: Iterable[tuple[str, str]], *, title: str) -> RenderableType:
    """Return names, each with what it is."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, purpose in entries:
        grid.add_row(Text(one_line(name)), Text(one_line(purpose)))
    return Group(paragraph(title), Padding(grid, (0, 0, 0, 2)))


def next_steps(steps: Iterable[tuple[Sequence[str], str]]) -> RenderableType:
    """Return commands, each with what it is good for; a command is one line, however long."""
    lines: list[RenderableType] = [Text("What you can do")]
    for words, purpose in steps:
        lines += [
            Text(f"  {shlex.join(words)}", style="cyan", no_wrap=True, overflow="ignore"),
            Padding(paragraph(purpose), (0, 0, 0, 6)),
        ]
    return Group(*lines)
