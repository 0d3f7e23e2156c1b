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

from discreet.answers.answer import Answer, Headline, Step, TextTable
from discreet.answers.small_groups import GroupList
from discreet.cli.standard_output import colour_wanted, write_text
from discreet.wording import itemset_text, label_text, number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.answers.answer import Evidence
    from discreet.answers.small_groups import Group as GroupOfRows
    from discreet.channels.derivation import Bound

__all__ = ["answer", "listing", "next_steps", "paragraph", "rendered", "screen_width", "show", "show_answer", "table"]

WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""


_MARGIN = "  "

_SENTENCE, _SUM = 2, 4
"""How far groups are indented, and the sums below them."""

_COLOURS = {"good": "green", "bad": "red", "open": "yellow"}


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


def show_answer(result: Answer) -> None:
    """Print an answer."""
    show(rendered(result.headline), *(rendered(part) for part in result.evidence), *_steps(result.next_steps))


def rendered(part: Headline | Evidence) -> RenderableType:
    """Return a piece of an answer as it looks on a screen."""
    if isinstance(part, Headline):
        return answer(part.sentence, verdict=part.verdict, style=f"bold {_COLOURS[part.tone]}")
    if isinstance(part, TextTable):
        return table(part.columns, part.rows, title=part.title)
    if isinstance(part, GroupList):
        return _group_list(part)
    return paragraph(part)


def _steps(steps: Iterable[Step]) -> list[RenderableType]:
    """Return the commands first, then what there is nothing to run for."""
    listed = list(steps)
    commands = [(step.command, step.words) for step in listed if step.command is not None]
    others = [paragraph(step.words) for step in listed if step.command is None]
    return [*([next_steps(commands)] if commands else []), *others]


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


def _group_list(part: GroupList) -> RenderableType:
    """Return groups in sentences, each above the sums that give it away."""
    lines: list[RenderableType] = [paragraph(part.title)]
    for place, group in enumerate(part.groups):
        lines.append(Padding(paragraph(_group(group)), (0, 0, 0, _SENTENCE)))
        lines += [Padding(paragraph(_sum(bound, named=place == 0)), (0, 0, 0, _SUM)) for bound in group.bounds]
    if part.more:
        lines.append(
            Padding(paragraph(f"… and {number(part.more)} more (--json lists them all)"), (0, 0, 0, _SENTENCE))
        )
    return Group(*lines)


def _group(group: GroupOfRows) -> str:
    """Say whom a group singles out, with labels as far as they fit."""
    few = _range(max(group.low, 0), group.high)
    rows = f"{few} {'row has' if few == '1' else 'rows have'}"
    if not group.have and not group.lack:
        return f"{few} {'row is' if few == '1' else 'rows are'} all there are"
    if not group.have:
        return f"{rows} none of {itemset_text(group.lack)}"
    if not group.lack:
        return f"{rows} {_joined(group.have)}"
    lack = f"not {label_text(group.lack[0])}" if len(group.lack) == 1 else f"none of {itemset_text(group.lack)}"
    return f"{rows} {_joined(group.have)}, and {lack}"


def _range(low: int, high: int) -> str:
    if low == high:
        return number(low)
    return f"{number(low)} {'or' if high == low + 1 else 'to'} {number(high)}"


def _joined(labels: Sequence[str]) -> str:
    if len(labels) == 1:
        return label_text(labels[0])
    if len(labels) > 4:  # noqa: PLR2004 - a list reads better than a long chain
        return itemset_text(labels)
    return f"{', '.join(label_text(label) for label in labels[:-1])} and {label_text(labels[-1])}"


def _sum(bound: Bound, *, named: bool) -> str:
    """Spell a sum out; with `named` and where there is room, with whose support each number is."""
    from discreet.channels.derivation import MOST_FIGURES

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
