"""The reading card: the file at hand, how it was read, what to answer about it, and how to correct it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from discreet.command_words import one_word
from discreet.errors import ParameterError
from discreet.transactions.column_profile import may_be_private
from discreet.transactions.options import OPTION_TEXTS, ReadOptions
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.wording import counted, number
from discreet.workbench.input_file import SHAPES
from discreet.workbench.pages.components import ColumnsTable, DropZone, Field
from discreet.workbench.pages.page_kit import button, markup, part
from discreet.workbench.reading_questions import first_lines, ways_to_read
from discreet.workbench.typed_words import plain_list

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from discreet.transactions.column_profile import ColumnProfile
    from discreet.workbench.input_file import Preview
    from discreet.workbench.pages.page_kit import WorkbenchPage
    from discreet.workbench.reading_questions import ColumnQuestion, OneRow
    from discreet.workbench.workspace import Workspace

    GiveRoles = Callable[[dict[str, str]], Awaitable[None]]

__all__ = ["draw_reading_card"]

_WAYS: dict[tuple[str, object], str] = {
    ("header", True): "The first line names the columns",
    ("header", False): "The first line is data",
    ("format", "table"): "It is a table: a row for each line",
    ("format", "fimi"): "Labels with blanks between them",
    ("format", "basket"): "Labels with commas between them",
    ("format", "spmf"): "A file of SPMF",
    ("delimiter", ";"): "Cells are separated by semicolons",
    ("delimiter", ","): "Cells are separated by commas",
    ("delimiter", "\t"): "Cells are separated by tabs",
}
_LEAVE_OUT = {"id", "constant", "near-empty"}
_ROLE_WORDS = {
    "id": "different in every row: an id",
    "person": "says whose a row is: name it as person column",
    "group": "has several lines: a long table?",
    "constant": "the same in every row",
    "near-constant": "the same in nearly every row",
    "near-empty": "empty in nearly every row",
    "number": "numbers: cut them into intervals",
    "quasi-identifier": "strangers may know it: known?",
    "value": "",
}
_FIRST_RHO = "50%"
"""Where sensitive columns are ticked, and no rho was chosen."""
_ONE_ROW: dict[OneRow, str] = {"person": "Yes", "several": "No, some have several"}


def draw_reading_card(page: WorkbenchPage, *, slot: str, give_roles: GiveRoles | None = None) -> None:
    """Show *what I have*: the file, its first rows as they were read, what to answer, and how to correct that.

    `give_roles` takes the roles that were ticked, as texts of the policy's fields.
    """
    workspace = page.workspace
    zone = DropZone(
        "Drop the file with your rows here, or choose it",
        url=f"/drop/{workspace.name}/{slot}",
        hint="CSV, Excel, Parquet, JSON, FIMI or SPMF, packed with gzip or not; it stays on this machine"
        + ("; or patterns, a bundle, or a policy" if slot == "rows" else ""),
        limit=page.max_size,
    )
    page.on_change(lambda: zone.ask_before(workspace.unsaved))
    page.fields.add_line("rows")
    try_it = button("Try with made-up hospital data", workspace.made_up)
    _doubts(page, slot)
    _questions(page, slot)
    ticks = _Ticks(workspace)

    @ui.refreshable
    def preview() -> None:
        seen = workspace.file.preview
        if seen is None:
            return
        markup(part("file_size", workspace.file.name, seen))
        markup(part("file_told", seen, SHAPES))
        if seen.columns:
            markup(part("first_cells", seen))
            _columns(page, seen, slot, give_roles, ticks)
        else:
            markup(part("first_rows", seen))

    preview()
    page.on_change(preview.refresh, of=lambda: workspace.file.preview)

    def show() -> None:
        held = workspace.file.path is not None
        try_it.visible = not held
        zone.classes(**({"add": "held"} if held else {"remove": "held"}))

    page.on_change(show)
    _reading(page, slot)


def _doubts(page: WorkbenchPage, slot: str) -> None:
    """Ask how a file is to be read that could not be read with certainty: the ways on are buttons."""
    workspace = page.workspace

    @ui.refreshable
    def ask() -> None:
        failure = workspace.failure
        ways = [] if failure is None or workspace.file.rows is not None else ways_to_read(failure)
        if failure is None or not ways:
            return
        with ui.element("section").classes("doubt").props('aria-label="how to read it"'):
            markup(part("doubt", failure.sentence, first_lines(workspace.file.path)))
            for name, value in ways:
                reading = ReadOptions(**{name: value})
                button(
                    _WAYS.get((name, value), f"{name}: {value}"),
                    partial(workspace.read, reading, then_mine=slot == "rows"),
                )

    ask()
    page.on_change(ask.refresh, of=lambda: (workspace.failure, workspace.file.rows, workspace.file.drops))


def _questions(page: WorkbenchPage, slot: str) -> None:
    """Ask about columns that smell, and whether a row is a person."""
    workspace = page.workspace

    def leave_out(question: ColumnQuestion) -> None:
        reading = workspace.file.reading
        if question.kind == "person":
            workspace.read(replace(reading, person_column=question.columns[0]), then_mine=slot == "rows")
        else:
            _leave_out(workspace, question.columns, slot)

    def keep(question: ColumnQuestion) -> None:
        workspace.file.keep(question)
        workspace.changed()

    @ui.refreshable
    def ask() -> None:
        file = workspace.file
        for question in file.questions:
            with ui.element("section").classes("doubt").props('aria-label="about the columns"'):
                markup(part("doubt", question.sentence.removesuffix("."), ()))
                with ui.element("div").classes("answers"):
                    button(question.do, partial(leave_out, question))
                    button(question.keep, partial(keep, question))
        if file.preview is None or file.reading.person_column:
            return
        with ui.element("fieldset").classes("one-row"):
            markup("<legend>Is each row another person?</legend>")
            for value, words in _ONE_ROW.items():
                pressed = button(words, partial(workspace.publish.count_people, value)).props("dense")
                pressed.props(f'aria-pressed="{str(file.one_row == value).lower()}"')

    ask()
    page.on_change(ask.refresh, of=lambda: (workspace.file.preview, workspace.file.questions, workspace.file.one_row))


def _leave_out(workspace: Workspace, names: Sequence[str], slot: str) -> None:
    reading = workspace.file.reading
    before = reading.rules.drop if reading.drop else ()
    workspace.read(replace(reading, drop=[*before, *names]), then_mine=slot == "rows")


class _Ticks:
    """What is ticked in the table of columns, and not used yet: another reading of the same file keeps it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._opened_for = -1
        self.forget()

    @property
    def opened(self) -> bool:
        """Whether the table of this file is open."""
        return self._opened_for == self._workspace.file.drops

    def open(self, now: bool) -> None:
        """Note whether the table is open."""
        self._opened_for = self._workspace.file.drops if now else -1

    def forget(self) -> None:
        """Start over with what is chosen."""
        self._drops = -1
        self._columns: set[str] = set()
        self._ticks: dict[str, list[str]] = {}

    def take(self, columns: Sequence[ColumnProfile], ticks: dict[str, list[str]]) -> None:
        """Note what is ticked now."""
        self._drops, self._ticks = self._workspace.file.drops, ticks
        self._columns = {column.name for column in columns}

    def left(self, columns: Sequence[ColumnProfile], given: dict[str, list[str]]) -> dict[str, list[str]]:
        """Return what is ticked of the columns that are read now, or else what is given."""
        if self._drops != self._workspace.file.drops:
            return given
        gone = self._columns - {column.name for column in columns}
        return {role: [name for name in names if name not in gone] for role, names in self._ticks.items()}


def _columns(page: WorkbenchPage, seen: Preview, slot: str, give_roles: GiveRoles | None, ticks: _Ticks) -> None:
    """Show what each column holds, with check boxes for its roles."""
    workspace = page.workspace
    suggested = [column.name for column in seen.columns if column.role in _LEAVE_OUT]
    task = workspace.publish
    given = {
        "leave": suggested,
        "known": list(parse_names(task.quasi_identifiers or None, "quasi_identifiers")),
        "sensitive": list(parse_names(task.sensitive or None, "sensitive")),
    }
    columns = [
        {
            "name": column.name,
            "words": _column_words(column, seen.n),
            "hint": _ROLE_WORDS[column.role] or ("private: sensitive?" if may_be_private(column.name) else ""),
            "bars": list(bars),
        }
        for column, bars in zip(seen.columns, seen.bars, strict=True)
    ]
    boxes = {"leave": "leave out"} | ({} if give_roles is None else {"known": "known", "sensitive": "sensitive"})

    async def use(ticked: dict[str, list[str]]) -> None:
        if give_roles is not None:
            ticks.forget()
            roles = {"quasi_identifiers": one_word(ticked["known"]), "sensitive": one_word(ticked["sensitive"])}
            if roles["sensitive"] and not task.rho:
                roles["rho"] = _FIRST_RHO
            await give_roles(roles)

    with ui.expansion(f"Columns: {len(seen.columns)}").classes("columns").props("dense") as opened:
        opened.on_value_change(lambda: ticks.open(opened.value))
        opened.value = bool(suggested) or ticks.opened
        ColumnsTable(
            columns,
            boxes=boxes,
            given=ticks.left(seen.columns, given),
            on_tick=lambda ticked: ticks.take(seen.columns, ticked),
            on_leave=lambda names: _leave_out(workspace, names, slot),
            on_roles=use,
        )


def _column_words(column: ColumnProfile, n: int) -> str:
    missing = f", {number(column.missing)} of {number(n)} missing" if column.missing else ""
    return f"{column.type}, {counted(column.distinct, 'value')}{missing}"


def _reading(page: WorkbenchPage, slot: str) -> None:
    """Show the fields that correct how the file is read."""
    workspace = page.workspace
    shown = {name: text for name, text in OPTION_TEXTS.items() if text.label is not None}
    with ui.expansion("Read it differently").classes("correct").props("dense") as opened:
        shape = ui.select(
            {"": "as the name and the contents say"} | {name: name for name in SHAPES},
            label="Format",
            value=workspace.file.reading.format or "",
        ).props("dense outlined options-dense")
        page.fields.add("format", shape)
        inputs = {}
        for name, text in shown.items():
            inputs[name] = Field(text.label or name, value=_field_text(workspace.file.reading, name))
            inputs[name].props["hint"] = text.hint
            page.fields.add(name, inputs[name])
        no_header = ui.checkbox("The first line is data, not a header", value=workspace.file.reading.header is False)
        missing = ui.select(
            {"": "missing cells are left out", "drop-row": "a row with a missing cell is left out"},
            label="Missing cells",
            value=workspace.file.reading.missing or "",
        ).props("dense outlined options-dense")
        page.fields.add("missing", missing)

        def again() -> None:
            texts = {name: (field.value or "").strip() for name, field in inputs.items()}
            try:
                reading = ReadOptions(
                    format=shape.value or None,
                    header=False if no_header.value else None,
                    missing=missing.value or None,
                    **{name: _field_value(name, text) for name, text in texts.items()},
                )
            except ParameterError as error:
                workspace.fail(error)
            else:
                workspace.read(reading, then_mine=slot == "rows")

        read_again = button("Read again", again)

    def show() -> None:
        opened.visible = workspace.file.path is not None
        read_again.set_enabled(not workspace.busy)
        if workspace.failure is not None and workspace.failure.field in {*shown, "format", "missing"}:
            opened.open()

    def show_values() -> None:
        reading = workspace.file.reading
        for name, field in inputs.items():
            field.value = _field_text(reading, name)
        shape.value, missing.value = reading.format or "", reading.missing or ""
        no_header.value = reading.header is False

    page.on_change(show)
    # Nothing else may write into the fields: somebody may be typing there.
    page.on_change(show_values, of=lambda: (workspace.file.drops, workspace.file.reading))


def _field_text(reading: ReadOptions, name: str) -> str:
    """Return the text of an option's field; several values are separated by semicolons."""
    value = getattr(reading, name)
    return "; ".join(value) if isinstance(value, list) else "\\t" if value == "\t" else value or ""


def _field_value(name: str, text: str) -> Any:  # what the option holds
    """Return the option's value from its field; several values are separated by lines or semicolons."""
    if OPTION_TEXTS[name].repeats:
        return [part.strip() for part in re.split(r"[;\n]", text) if part.strip()] or None
    return plain_list(text, name) or None
