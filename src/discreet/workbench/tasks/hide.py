"""Hide patterns in rows: which ones, how much may stay, and what each method costs."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, get_args

from discreet.hiding.hide import HidingMethod
from discreet.wording import counted, number, percent
from discreet.workbench.history import History
from discreet.workbench.jobs.hiding import Hiding, Original, compare_hiding, hide_rows
from discreet.workbench.pattern_lines import pattern_line
from discreet.workbench.tasks.task import Result, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from discreet.hiding.hide import RestrictedPattern
    from discreet.workbench.jobs.hiding import HiddenRows, HidingCost
    from discreet.workbench.project_file import Marks
    from discreet.workbench.workspace import Workspace

__all__ = ["HideTask", "not_anonymous", "what_is_left"]


def what_is_left(restrictive: Sequence[RestrictedPattern], rules: int) -> str:
    """Return in how many rows hidden itemsets remain, whatever share was allowed, and how many rules were bounded."""
    parts = []
    if restrictive:
        what = counted(len(restrictive), "itemset")
        left = [pattern for pattern in restrictive if pattern.after]
        if not left:
            parts.append(f"{what}, in no row any more")
        else:
            most = max(left, key=lambda pattern: Fraction(pattern.after, pattern.before))
            which = "" if len(restrictive) == 1 else f"{number(len(left))} of them "
            where = "in" if len(left) == 1 else "in at most"
            rows = f"{number(most.after)} of {number(most.before)} rows ({percent(most.after, most.before)})"
            parts.append(f"{what}, {which}still {where} {rows}, as allowed")
    if rules:
        parts.append(f"{counted(rules, 'rule')} below {'its' if rules == 1 else 'their'} bound")
    return "; ".join(parts)


def not_anonymous(unique: int, n: int) -> str:
    """Return what a promise about rows does not mean: how many of them nobody else has.

    >>> not_anonymous(4106, 5000)
    'This does not make anyone anonymous: 4,106 of 5,000 rows are like no other.'
    """
    alike = "every row is like another" if not unique else f"{number(unique)} of {counted(n, 'row')}"
    are = "" if not unique else (" is" if unique == 1 else " are") + " like no other"
    return f"This does not make anyone anonymous: {alike}{are}."


def _lines_in(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


class _Choice(NamedTuple):
    """What can be undone."""

    picked: tuple[tuple[str, ...], ...]
    pasted: str
    method: HidingMethod
    percent: int


class HideTask(Task):
    """The state of the page *Hide patterns in rows*."""

    link = "hidden"
    page = "hide"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.lowest = ""
        """The support at which side effects are measured."""
        self.picked: tuple[tuple[str, ...], ...] = ()
        self.pasted = ""
        self.recipients: tuple[tuple[str, str], ...] = ()
        """The recipients of one copy, each with the lines that it must not mine."""
        self.method: HidingMethod = "best"
        self.percent = 0
        self.costs: Result[tuple[HidingCost, ...], tuple[str, ...]] | None = None
        self.hidden: Result[HiddenRows, Hiding] | None = None
        self._history = History(self._choice)

    @property
    def made(self) -> tuple[Path, ...]:
        """The rows, their bundle, and the hidden lines."""
        return () if self.hidden is None else self.hidden.value.files

    # What can be undone

    @property
    def _choice(self) -> _Choice:
        return _Choice(self.picked, self.pasted, self.method, self.percent)

    def remember(self) -> None:
        """Make what is chosen a step that can be undone, if it is another."""
        self._history.choose(self._choice)

    @property
    def can_undo(self) -> bool:
        """Whether something can be taken back."""
        return self._history.can_undo or self._history.now != self._choice

    @property
    def can_redo(self) -> bool:
        """Whether something that was taken back can be done again."""
        return self._history.can_redo

    def undo(self) -> None:
        """Take back the last change."""
        self.remember()
        self._go_to(self._history.undo())

    def redo(self) -> None:
        """Do again what was taken back."""
        self._go_to(self._history.redo())

    def _go_to(self, choice: _Choice) -> None:
        self.picked, self.pasted, self.method, self.percent = choice
        self.workspace.changed()

    def take(self, marks: Marks) -> None:
        """Take over what a project says."""
        self.pasted = "\n".join(marks.marked)
        self.percent = self.percent if marks.percent is None else marks.percent
        self.method = next((each for each in get_args(HidingMethod) if each == marks.method), self.method)

    @property
    def lines(self) -> tuple[str, ...]:
        """What must not be minable, one line for each."""
        each = (line for _, lines in self.lists for line in lines)
        return tuple(dict.fromkeys([*self._for_all, *each]))

    @property
    def _for_all(self) -> tuple[str, ...]:
        return *(self._line(labels) for labels in self.picked), *_lines_in(self.pasted)

    @property
    def lists(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What each recipient must not mine: its own list, and what is for all; none without recipients."""
        named = [(name.strip(), _lines_in(text)) for name, text in self.recipients if name.strip() or text.strip()]
        for_all = self._for_all
        return tuple(
            (name or f"recipient {place}", (*for_all, *lines)) for place, (name, lines) in enumerate(named, start=1)
        )

    def _line(self, labels: Iterable[str]) -> str:
        return pattern_line(labels, self.workspace.file.layout)

    @property
    def wanted(self) -> Hiding:
        """What is chosen: patterns, method, threshold, and the support for side effects."""
        return Hiding(self.lines, self.method, self.percent, self.lowest, self.lists)

    @property
    def nearest_tried(self) -> int:
        """The tried threshold nearest to the chosen one."""
        tried = [] if self.costs is None else [cost.percent for cost in self.costs.value]
        return min(tried, key=lambda each: abs(each - self.percent), default=self.percent)

    @property
    def least_lost(self) -> str:
        """The compared method that loses the fewest itemsets at the tried threshold."""
        tried = [] if self.costs is None else [cost for cost in self.costs.value if cost.percent == self.nearest_tried]
        return min(tried, key=lambda cost: (cost.misses_cost, cost.removed_items)).method

    def pick(self, added: Iterable[tuple[str, ...]], removed: Iterable[tuple[str, ...]]) -> None:
        """Add and remove picked itemsets; the others stay picked."""
        gone = set(removed)
        kept = [labels for labels in self.picked if labels not in gone]
        self.picked = tuple(dict.fromkeys([*kept, *added]))

    def paste_what_is_not_offered(self, offered: Iterable[tuple[str, ...]]) -> bool:
        """Turn picked itemsets that are no longer offered into lines, so that the page still shows them.

        Returns whether there were any.
        """
        there = set(offered)
        gone = [labels for labels in self.picked if labels not in there]
        if gone:
            self.pick((), gone)
            self.pasted = "\n".join([*map(self._line, gone), *([self.pasted] if self.pasted else [])])
        return bool(gone)

    def compare(self) -> None:
        """Try the methods of hiding."""
        lines = self.lines

        def take(costs: tuple[HidingCost, ...]) -> None:
            self.costs = Result(costs, lines)

        self._start("Comparing the methods", compare_hiding, lines, self.lowest, self.percent, then=take)

    def hide(self) -> None:
        """Hide the patterns by the chosen method."""
        wanted, rows = self.wanted, self.rows

        def take(hidden: HiddenRows) -> None:
            self.hidden = Result(hidden, wanted)

        if rows is not None:
            original = Original(rows.path, rows.reading.whole)
            self._make("Hiding", hide_rows, original, wanted, then=take)
