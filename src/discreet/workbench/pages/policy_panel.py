"""The panel *The policy*: k, and the roles of columns or items. Nothing here changes but by what is typed or chosen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from discreet.errors import ParameterError
from discreet.wording import number
from discreet.workbench.pages.components import Field
from discreet.workbench.pages.page_kit import button, markup, part, tell_error
from discreet.workbench.pages.terms import named
from discreet.workbench.typed_words import plain_list, sentence_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from discreet.workbench.pages.page_kit import WorkbenchPage
    from discreet.workbench.tasks.publish import PublishTask

__all__ = ["PolicyPanel"]

_OFFERED_KS = (5, 10, 20, 50)
_ROLES = {
    "quasi_identifiers": ("Quasi-identifiers", "only these columns or items identify anyone; empty: all do"),
    "sensitive": ("Sensitive items", "nobody may conclude these columns or items of a group"),
    "rho": ("Rho", "with so much confidence or more: 50% or 0.5"),
    "exclusive": ("Exclusive items", "a row has at most one of a list: beer,wine; age"),
}


class PolicyPanel:
    """The fields of the policy.

    Parameters
    ----------
    page : WorkbenchPage
        The page that it is on.
    typed : callable
        Called once a k was typed.
    look : callable
        Called once other roles are chosen.
    """

    def __init__(
        self, page: WorkbenchPage, *, typed: Callable[[], Awaitable[None]], look: Callable[[], Awaitable[None]]
    ) -> None:
        self._page = page
        self._typed = typed
        self._look = look
        self._wrong = False
        with ui.element("div").classes("form"):
            with ui.element("div").props('role="group" aria-label="k"').classes("segments"):
                self._ks = {k: button(f"{k}", partial(self._choose_k, k)).props("dense") for k in _OFFERED_KS}
            self.k = Field("k").props('bottom-slots hint="no smaller group may be known"')
            self.k.on("keydown.enter", typed).on("blur", typed)
            self._house = ui.label("").classes("note")
            markup(named("k", "sensitive", "rho"))
            self._fields = {}
            for name, (label, hint) in _ROLES.items():
                field = Field(label, value=getattr(self._task, name))
                field.props["hint"] = hint
                field.on("keydown.enter", self.apply).on("blur", self.apply)
                self._fields[name] = field
                page.fields.add(name, field)
            self._departures = markup("")
        page.on_change(self._write, of=lambda: (page.workspace.file.preview, *self._chosen, page.workspace.policy))
        page.on_change(self._show)

    def on_edit(self, changed: Callable[[], object]) -> None:
        """Call `changed` whenever a field is edited."""
        for field in self._fields.values():
            field.on_value_change(changed)

    @property
    def _task(self) -> PublishTask:
        return self._page.workspace.publish

    @property
    def _chosen(self) -> tuple[str, ...]:
        return tuple(getattr(self._task, name) for name in _ROLES)

    @property
    def to_do_first(self) -> str:
        """What has to be done before publishing, because the fields do not match the figures shown."""
        for name, field in self._fields.items():
            if (field.value or "").strip() != getattr(self._task, name):
                return f"{_ROLES[name][0]}: others are typed now; press Enter in the field, or correct them."
        return ""

    def _write(self) -> None:
        for name, field in self._fields.items():
            field.value = getattr(self._task, name)

    def _show(self) -> None:
        task = self._task
        for k, pressed in self._ks.items():
            pressed.props(f'aria-pressed="{str(k == task.k).lower()}"')
        where = f", from {task.house.source}" if task.house.source else ""
        self._house.text = f"House rule: k = {number(task.house.k)}{where}."
        departures = task.house.departures(task.point)
        told = "Not the house rule, as the verdict and the owner's report tell: " if departures else ""
        self._departures.content = part("note", told + "; ".join(departures)) if departures else ""

    async def _choose_k(self, k: int) -> None:
        self.k.value = f"{k}"
        await self._typed()

    async def give(self, roles: dict[str, str]) -> None:
        """Choose roles as if they had been typed."""
        for name, text in roles.items():
            self._fields[name].value = text
        await self.apply()

    async def apply(self) -> None:
        """Take over the roles that were typed: other quasi-identifiers are mined for, the others are looked at."""
        task, workspace = self._task, self._page.workspace
        typed = {name: (field.value or "").strip() for name, field in self._fields.items()}
        if task.mined is None or typed == {name: getattr(task, name) for name in _ROLES}:
            return
        if typed["sensitive"] and not typed["rho"]:  # one of two fields that belong together
            return
        names = typed.pop("quasi_identifiers")
        try:
            plain_list(names, "quasi_identifiers")
            task.conceal(**typed)
        except ParameterError as error:
            tell_error(self._fields[error.parameter or "sensitive"], sentence_of(error))
            return
        for name in typed:
            tell_error(self._fields[name], "")
        workspace.forgive()
        if names != task.quasi_identifiers:
            task.mine(task.lowest, names)
        else:
            await self._look()
