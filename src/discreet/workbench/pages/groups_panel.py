"""The small groups: all can be reached, the arithmetic stands under the chosen one, and the owner can keep them."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING

from nicegui import ui

from discreet.answers.small_groups import group_at
from discreet.channels.derivation import bounds_of, sum_behind
from discreet.command_words import one_word
from discreet.wording import number
from discreet.workbench.jobs.patterns import MOST_PROOFS
from discreet.workbench.pages.channel_picture import channel_picture
from discreet.workbench.pages.page_kit import button, markup, part

if TYPE_CHECKING:
    from nicegui.element import Element

    from discreet.channels.derivation import Deduction
    from discreet.workbench.pages.page_kit import WorkbenchPage
    from discreet.workbench.tasks.point import PointAudit
    from discreet.workbench.tasks.publish import PublishTask

__all__ = ["GroupsPanel", "groups_csv", "proof_markup"]

_MORE_GROUPS = 50
_MOST_TERMS = 16
_MOST_FIGURES = 24


class GroupsPanel:
    """The list of groups, drawn as far as it was asked for."""

    def __init__(self, page: WorkbenchPage) -> None:
        self._page = page
        self._shown = MOST_PROOFS
        self._drawn: list[str] = []
        self._pressable: list[Element] = []
        self._places: list[Element] = []
        self._words: list[ui.html] = []
        with ui.element("div").classes("answer") as self.element:
            self._list = ui.element("div")
            self._picture = markup("").classes("picture")
            with ui.element("div").classes("buttons"):
                self._more = button("", self._show_more)
                self._keep = button("Save all groups (for you alone)", self._save)

    @property
    def _task(self) -> PublishTask:
        return self._page.workspace.publish

    def show(self, look: PointAudit) -> None:
        """Show the groups of an audit."""
        groups = [str(part("group", group_at(*each))) for each in look.worst[: self._shown]]
        if len(groups) != len(self._drawn):
            self._pressable, self._places, self._words = [], [], []
            self._picture.move(self.element)
            self._list.clear()
            with self._list:
                self._draw(groups)
        for shown, words in zip(self._words, groups, strict=True):
            shown.content = words
        self._drawn = groups
        for place, pressable in enumerate(self._pressable):
            pressable.props(f'aria-pressed="{str(place == self._task.chosen).lower()}"')
        more = look.groups - len(groups)
        self._more.visible, self._keep.visible = more > 0, bool(groups)
        self._more.text = f"Show {number(min(more, _MORE_GROUPS))} of {number(more)} more groups"
        self._show_arithmetic(look)

    def _draw(self, groups: list[str]) -> None:
        if not groups:
            return
        markup("<h3>The smallest groups that anyone can compute</h3>")
        with ui.element("ol").classes("groups"):
            for place, words in enumerate(groups):
                with ui.element("li") as line:
                    self._places.append(line)
                    with (
                        ui.element("button")
                        .props('type="button"')
                        .on("click", lambda place=place: self._choose(place)) as pressable
                    ):
                        self._words.append(markup(words))
                self._pressable.append(pressable)

    def _show_more(self) -> None:
        self._shown += _MORE_GROUPS
        if self._task.look is not None:
            self.show(self._task.look)

    def _choose(self, place: int) -> None:
        self._task.chosen = place
        if self._task.look is not None:
            self.show(self._task.look)

    def _show_arithmetic(self, look: PointAudit) -> None:
        """Show the sum behind the chosen group, right under it."""
        chosen = self._task.chosen
        if chosen >= len(look.worst) or chosen >= len(self._places):
            self._picture.content = ""
            return
        channels, which = look.worst[chosen]
        if channels is not look.audit.channels:
            low, high = int(channels.lows[which]), int(channels.highs[which])
            self._picture.content = proof_markup(look.proof(chosen), low, high)
        else:
            terms = sum_behind(look.audit, which, most=_MOST_TERMS)
            self._picture.content = "" if terms is None else channel_picture(terms, int(channels.lows[which]))
        if self._picture.parent_slot is None or self._picture.parent_slot.parent is not self._places[chosen]:
            self._picture.move(self._places[chosen])

    def _save(self) -> None:
        if self._task.look is not None:
            ui.download.content(groups_csv(self._task.look), "groups-for-the-owner.csv", "text/csv")


def groups_csv(look: PointAudit) -> str:
    """Return all groups as CSV: how many rows, what they have, what they lack, and how they were found."""
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["at_least", "at_most", "have", "lack", "found"])
    for channels, which in look.worst:
        group = group_at(channels, which)
        found = "channel" if channels is look.audit.channels else "attacker"
        writer.writerow([group.low, group.high, one_word(group.have), one_word(group.lack), found])
    return lines.getvalue()


def proof_markup(proof: Deduction | None, low: int, high: int) -> str:
    """Return the sums that bound a group which the attacker found, and whose figures are in them."""
    bounds = () if proof is None else bounds_of(proof, low, high)
    figures = {figure.items: figure for bound in bounds for figure in bound.figures or ()}
    return part("proof", bounds, list(figures.values()), _MOST_FIGURES)
