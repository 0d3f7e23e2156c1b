"""The rendering of an answer: the answer first, then its evidence, then what to do, as commands that can be pasted.

Text from data or from the command line is escaped by `one_line` here, and never parsed as markup.
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

from discreet.answers.answer import Headline, Listing, TextTable
from discreet.answers.small_groups import GroupList, group_text
from discreet.channels.derivation import MOST_FIGURES
from discreet.cli.standard_output import colour_wanted, refusal_of, write_text
from discreet.wording import label_text, number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.answers.answer import Answer, Evidence, Step
    from discreet.channels.derivation import Bound

__all__ = ["screen_width", "show"]

WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""


_MARGIN = "  "

_SENTENCE, _SUM = 2, 4
"""The indentation of groups, and of the sums below them."""

_COLOURS = {"good": "green", "bad": "red", "open": "yellow"}


def screen_width() -> int:
    """Return how many columns an answer may use."""
    return min(shutil.get_terminal_size().columns, WIDEST)


def show(answer: Answer) -> None:
    """Print an answer, with an empty line between its parts."""
    console = Console(
        file=sys.stdout,
        width=screen_width() - len(_MARGIN),
        force_terminal=colour_wanted(),
        highlight=False,
        markup=False,
        emoji=False,
    )
    first = answer.headline
    headline = Text(one_line(first), style="bold") if isinstance(first, str) else _headline(first)
    try:
        with console.capture() as captured:
            for part in (headline, *map(_rendered, answer.evidence), *_steps(answer.next_steps)):
                console.line()
                console.print(part, crop=False)
    except BrokenPipeError:
        return  # as `write_out` has it
    except OSError as error:  # even an empty text is refused by a full disk
        raise refusal_of(error) from error
    lines = (f"{_MARGIN}{line}".rstrip(" ") for line in captured.get().rstrip("\n").split("\n"))
    write_text("\n".join(lines) + "\n")


def _rendered(part: Evidence) -> RenderableType:
    match part:
        case Headline():
            return _headline(part)
        case TextTable():
            return _table(part)
        case Listing():
            return _listing(part)
        case GroupList():
            return _group_list(part)
    return _paragraph(part)


def _headline(part: Headline) -> RenderableType:
    style = f"bold {_COLOURS[part.tone]}"
    return Text.assemble((one_line(part.verdict), style), "  ", one_line(part.sentence))


def _paragraph(text: str) -> RenderableType:
    """Return a paragraph, wrapped to the screen."""
    return Text("\n".join(one_line(line) for line in text.split("\n")))


def _table(part: TextTable) -> RenderableType:
    """Return an aligned table: numbers to the right; the last column to the left, truncated to the screen."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in part.columns[:-1]:
        grid.add_column(column, justify="right", no_wrap=True)
    grid.add_column(part.columns[-1])  # the only one that may shrink; its cells are truncated, not wrapped
    for *cells, last in part.rows:
        grid.add_row(*(Text(one_line(cell)) for cell in cells), Text(one_line(last), no_wrap=True, overflow="ellipsis"))
    return Group(_paragraph(part.title), Padding(grid, (0, 0, 0, 2)))


def _listing(part: Listing) -> RenderableType:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, purpose in part.entries:
        grid.add_row(Text(one_line(name)), Text(one_line(purpose)))
    return Group(_paragraph(part.title), Padding(grid, (0, 0, 0, 2)))


def _steps(steps: Iterable[Step]) -> list[RenderableType]:
    """Return the commands first, each on one line, however long, then the advice without a command."""
    lines: list[RenderableType] = []
    others: list[RenderableType] = []
    for step in steps:
        if step.command is None:
            others.append(_paragraph(step.words))
            continue
        lines += [
            Text(f"  {shlex.join(step.command)}", style="cyan", no_wrap=True, overflow="ignore"),
            Padding(_paragraph(step.words), (0, 0, 0, 6)),
        ]
    return [*([Group(Text("What you can do"), *lines)] if lines else []), *others]


def _group_list(part: GroupList) -> RenderableType:
    """Return groups in sentences, each above the sums that disclose it."""
    lines: list[RenderableType] = [_paragraph(part.title)]
    for place, group in enumerate(part.groups):
        text = group_text(group.have, group.lack, group.low, group.high, unit=part.unit, short=True)
        lines.append(Padding(_paragraph(text), (0, 0, 0, _SENTENCE)))
        lines += [Padding(_paragraph(_sum(bound, named=place == 0)), (0, 0, 0, _SUM)) for bound in group.bounds]
    if part.more:
        lines.append(
            Padding(_paragraph(f"… and {number(part.more)} more (--json lists them all)"), (0, 0, 0, _SENTENCE))
        )
    return Group(*lines)


def _sum(bound: Bound, *, named: bool) -> str:
    """Return a sum in full; with `named` and if there is room, with the itemset of each number."""
    text = bound.text(elsewhere="--json has it")
    if not named or bound.figures is None or len(bound.figures) > MOST_FIGURES:
        return text
    side = "" if bound.side == "exactly" else f"{bound.side} "
    names = f"{side}{bound.sum_text(_support_of)}"
    numbers = f"= {bound.sum_text()} = {bound.result}"
    room = screen_width() - 2 - _SUM
    if len(names) > room:
        return text
    return f"{names} {numbers}" if len(names) + 1 + len(numbers) <= room else f"{names}\n{numbers}"


def _support_of(items: tuple[str, ...]) -> str:
    if not items:
        return "n"
    labels = [label_text(label) for label in items]
    return f"sup({(', ' if any(' ' in label for label in labels) else ' ').join(labels)})"
