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
from discreet.workbench.pages.components import GroupButtons
from discreet.workbench.pages.page_kit import button, markup, part

if TYPE_CHECKING:
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
        with ui.element("div").classes("answer") as self.element:
            self._heading = markup("")
            self._list = GroupButtons(on_choose=self._choose)
            with ui.element("div").classes("buttons"):
                self._more = button(f"Show {_MORE_GROUPS} more groups", self._show_more)
                self._keep = button("Save all groups (for you alone)", self._save)
            self._count = markup("")

    @property
    def _task(self) -> PublishTask:
        return self._page.workspace.publish

    def show(self, look: PointAudit) -> None:
        """Show the groups of an audit."""
        groups = [str(part("group", group_at(*each))) for each in look.worst[: self._shown]]
        some = len(groups) < look.groups
        self._more.visible, self._keep.visible = some, bool(groups)
        self._heading.content = part("subheading", "The smallest groups that anyone can compute") if groups else ""
        count = f"The smallest {number(len(groups))} of {number(look.groups)} groups are shown."
        self._count.content = part("note", count) if some else ""
        self._list.show(groups, chosen=self._task.chosen, picture=self._arithmetic(look) if groups else "")

    def _show_more(self) -> None:
        self._shown += _MORE_GROUPS
        if self._task.look is not None:
            self.show(self._task.look)

    def _choose(self, place: int) -> None:
        self._task.chosen = place
        if self._task.look is not None:
            self.show(self._task.look)

    def _arithmetic(self, look: PointAudit) -> str:
        """Return the sum behind the chosen group."""
        chosen = self._task.chosen
        if chosen >= len(look.worst):
            return ""
        channels, which = look.worst[chosen]
        if channels is not look.audit.channels:
            low, high = int(channels.lows[which]), int(channels.highs[which])
            return str(proof_markup(look.proof(chosen), low, high))
        terms = sum_behind(look.audit, which, most=_MOST_TERMS)
        return "" if terms is None else str(channel_picture(terms, int(channels.lows[which])))

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
