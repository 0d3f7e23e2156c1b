"""What the pages share: header and footer, the current file, the running job, verdicts, equivalent commands."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from nicegui import ui

from discreet.publishing import page
from discreet.wording import one_line
from discreet.workbench.jobs.patterns import PackedBundle
from discreet.workbench.pages.components import Markup
from discreet.workbench.pages.terms import words_of
from discreet.workbench.reading_questions import ways_to_read
from discreet.workbench.tasks.publish import Released

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import markupsafe
    from nicegui.element import Element

    from discreet.workbench.as_command import Equivalent
    from discreet.workbench.decisions import LogEntry
    from discreet.workbench.input_file import Preview
    from discreet.workbench.jobs.process import Job
    from discreet.workbench.tasks.point import Tone
    from discreet.workbench.tasks.task import Result, Task
    from discreet.workbench.workspace import Workspace

__all__ = [
    "TASKS",
    "SameElsewhere",
    "WorkbenchPage",
    "button",
    "dim",
    "draw_frame",
    "markup",
    "panel",
    "part",
    "percent_slider",
    "tell_error",
]

TASKS = {
    "publish": "Publish patterns",
    "hide": "Hide patterns in rows",
    "protect": "Protect sensitive items",
    "verify": "Verify a bundle",
    "books": "Keep the books",
}
"""The pages of a workspace, by their addresses."""
_CARDS = {
    "publish": ("I publish counts", "How often things occur together: is anyone exposed by these figures?"),
    "hide": ("I hand rows over", "Some patterns in them are my secret: nobody may find these."),
    "protect": (
        "I hand rows of people over",
        "Nobody who knows part of a row may conclude an illness.",
    ),
    "verify": ("I was given a bundle", "Does it keep what it promises, and who has signed it?"),
}
_REST = 0.25
"""The least number of seconds between a move of a point and the rest of the page: it would delay the next figures."""
_LONGEST = 10.0
"""The longest that the rest of the page waits for a point that never rests; for another file it does not wait."""
_LOOK = 0.05
"""Seconds between two looks at the workspace: what came in between is waited for so long at most."""
_PAUSE = 0.5
"""The least number of seconds between two changes of the bar: the framework draws the whole page for each."""
Value = TypeVar("Value")
Request = TypeVar("Request")
Button = TypeVar("Button", bound=ui.button)


def part(name: str, *values: Any) -> markupsafe.Markup:
    """Return a piece of markup by its name in `parts.html`, which escapes whatever a user wrote."""
    return page.part(name, *values, template="workbench/parts.html")


def markup(content: str) -> Markup:
    """Show our own markup; user text in it was escaped by a template."""
    return Markup(content)


@contextmanager
def panel(title: str) -> Iterator[Element]:
    """Draw a panel around what is drawn inside."""
    with ui.element("section").classes("panel").props(f'aria-label="{title}"') as section:
        markup(f"<h2>{title}</h2>")
        yield section


def dim(element: Element, *, stale: bool) -> None:
    """Dim results that do not match the current fields."""
    element.classes(**({"add": "stale"} if stale else {"remove": "stale"}))


def button(words: str, on_click: Callable[[], object], *, main: bool = False) -> ui.button:
    """Show a button; the main one of a page stands out."""
    return _styled(ui.button(words, on_click=on_click, color=None), main=main)


def _styled(shown: Button, *, main: bool) -> Button:
    return shown.props("no-caps unelevated").classes("main" if main else "other")


class _WorkButton(ui.button):
    """A button that begins work; it hears a click even if work began just before, and the page does not show it yet."""

    @property
    def is_ignoring_events(self) -> bool:
        """Whether clicks are not heard."""
        return False


def percent_slider(value: int, *, least: int, name: str, on_change: Callable[[int], object]) -> ui.slider:
    """Show a slider of whole per cents."""
    slider = ui.slider(min=least, max=100, step=1, value=value)
    slider.props(f'label label-always aria-label="{name}"')
    slider.on("change", lambda event: on_change(int(event.args)))
    return slider


class SameElsewhere:
    """The equivalent command and code, ready to copy; stays open while its contents change."""

    def __init__(self) -> None:
        self._what: Equivalent | None = None
        with ui.element("details").classes("equivalent") as self._all:
            with ui.element("summary"):
                ui.label("The same as a command, and in Python")
            self._code = {}
            for name, words in (("command", "command"), ("python", "Python")):
                with ui.element("div").classes("code"):
                    self._code[name] = markup("")
                    button("copy", partial(self._copy, name)).props(f'dense aria-label="copy the {words}"')
        self._all.visible = False

    def show(self, what: Equivalent | None) -> None:
        """Show another job, or none."""
        self._what, self._all.visible = what, what is not None
        if what is not None:
            for name, code in self._code.items():
                code.content = part("code", getattr(what, name))

    def _copy(self, name: str) -> None:
        ui.clipboard.write(getattr(self._what, name))
        ui.notify("copied")


class _Fields:
    """Inputs by the names of their options, so that an error appears next to its input.

    Anything else, such as a drop zone or a slider, has a separate line for errors below it.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._inputs: dict[str, Element] = {}
        self._lines: dict[str, Markup] = {}
        self._told: str | None = None

    def add(self, name: str, element: Element) -> None:
        """Register the input of an option; the space for its errors is reserved from the start."""
        self._inputs[name] = element.props("bottom-slots")

    def add_line(self, name: str) -> None:
        """Reserve space for errors about something other than an input."""
        self._lines[name] = markup("")

    def show_failure(self) -> str | None:
        """Show the failure next to its field; return it if it has no field."""
        failure = self._workspace.failure
        about = None if failure is None or failure.field is None else failure.field.lstrip("-").replace("-", "_")
        sentence = "" if failure is None else one_line(failure.sentence)
        if self._told in self._inputs and self._told != about:  # errors that a page shows in its own fields stay
            tell_error(self._inputs[self._told], "")
        if about in self._inputs:
            tell_error(self._inputs[about], sentence)
        self._told = about
        for name, line in self._lines.items():
            line.content = part("refusal", sentence) if name == about else ""
        return None if failure is None or about in self._inputs or about in self._lines else sentence


def tell_error(element: Element, sentence: str) -> None:
    """Show an error below an input, or none."""
    told = {"error": bool(sentence), "error-message": sentence}
    if any(element.props.get(name) != value for name, value in told.items()):
        element.props.update(told)
        element.update()


def draw_frame(workspace: Workspace | None, *, title: str, here: str = "") -> None:
    """Draw the head of a page: its style, the way to all workspaces, and the tasks of this one."""
    ui.add_head_html(
        '<link rel="stylesheet" href="/workbench.css"><link rel="stylesheet" href="/books.css">'
        '<script src="/workbench.js" defer></script>'
    )
    with ui.element("header"):
        name = "" if workspace is None else workspace.name
        markup(part("brand", f"/workspaces/{name}"))
        markup(part("heading", title))
        if workspace is not None:
            with ui.element("nav").props('aria-label="tasks"'):
                for task, words in TASKS.items():
                    markup(part("task_link", f"/{task}/{name}", words, task == here))


def _outcome(job: Job[Any] | None) -> str:
    """Return how the last job ended."""
    if job is None:
        return "Nothing is under way"
    ends = {"done": f"done in {job.seconds:.1f} s", "failed": "not done", "cancelled": "cancelled"}
    return f"{job.title}: {ends.get(job.state, job.state)}"


def _bundle_of(made: object) -> PackedBundle | None:
    """Return the bundle of a result, if it has one."""
    found = made if isinstance(made, PackedBundle) else getattr(made, "bundle", None)
    return found if isinstance(found, PackedBundle) else None


class WorkbenchPage:
    """One page on one workspace: it watches the workspace, and redraws what changed."""

    name = ""
    """Its task, as in its address."""
    panels = "panels"
    """The layout of its panels."""

    def __init__(self, workspace: Workspace, max_size: int) -> None:
        self.workspace = workspace
        self.fields = _Fields(workspace)
        self.max_size = max_size
        self._redraw: list[Callable[[], object]] = []
        self._said: tuple[str, ...] = ()
        self.moved = 0.0
        """When a hand moved a point last: what the framework draws for it waits until it rests."""
        self._told = 0.0
        """When the progress of the work was shown last."""
        self._seen = -1
        self._drawn_at = 0.0
        """When the page was drawn last, and of which rows."""
        self._drawn_of: Preview | None = None

    def draw(self) -> None:
        """Draw the panels."""

    def show_verdict(self) -> None:
        """Show the verdict by `say`; called first whenever the workspace has changed."""

    def say(self, word: str, sentence: str, tone: Tone, *, caution: str = "") -> None:
        """Show the verdict at the top of the page, with what it does not mean.

        The live region stays, and its words change: one that is replaced may never be spoken.
        """
        if self._said == (word, sentence, tone, caution):
            return
        self._said = word, sentence, tone, caution
        self._verdict_box.classes(replace=f"verdict {tone}")
        self._icon.content = part("verdict_icon", tone)
        self._word.content, self._sentence.content = part("words", word), part("words", sentence)
        self._caution.content, self._caution.visible = part("words", caution), bool(caution)

    def say_broken(self, bundle: PackedBundle) -> bool:
        """Show that the bundle of the page does not verify, if so; return whether it is so."""
        if not bundle.verification.holds:
            self.say("DOES NOT HOLD", bundle.verification.reason, "bad")
        return not bundle.verification.holds

    def say_nothing_yet(self, next_step: str) -> None:
        """Show that there is no verdict: nothing was dropped, it is being read, or it was not understood."""
        file, failure = self.workspace.file, self.workspace.failure
        if file.path is None:
            self.say("NOTHING YET", "Drop a file to begin", "none")
        elif file.rows is None and failure is not None:
            self.say("NOT UNDERSTOOD", f"{file.name} could not be read with certainty: nothing is judged", "bad")
        elif file.rows is None:
            self.say("NOTHING YET", f"{file.name} is being read", "none")
        else:
            self.say("NOTHING YET", next_step, "none")

    def _draw_verdict(self) -> None:
        with (
            ui.element("div").classes("first") as self.verdict,
            ui.element("div").classes("verdict none").props('role="status"') as self._verdict_box,
        ):
            self._icon, self._word, self._sentence, self._caution = (
                Markup(tag=tag) for tag in ("i", "strong", "span", "small")
            )

    def show(self) -> None:
        """Draw the page."""
        ui.page_title(f"{TASKS[self.name]} · discreet")
        draw_frame(self.workspace, title=TASKS[self.name], here=self.name)
        with ui.element("div").classes("sheet"):
            self._draw_verdict()
            self.on_change(self.show_verdict)
            self._draw_job()
            self._draw_cards()
            with ui.element("div").classes(self.panels):
                self.draw()
            markup(words_of(self.name))
        markup(
            "<footer>Files stay on this machine, and what was dropped here is removed when discreet ui ends.</footer>"
            '<p class="gone-words" role="alert" hidden>discreet ui has ended: what was dropped is removed, and nothing '
            "here holds any more. Start it again, and open the address that it prints.</p>"
        )
        self._watch()
        ui.timer(_LOOK, self._watch)

    def _draw_cards(self) -> None:
        """Show in plain words what the pages are for, until there is a file."""
        here = self.workspace
        cards = [(f"/{name}/{here.name}", *words, name == self.name) for name, words in _CARDS.items()]
        shown = markup(part("cards", cards))
        self.on_change(lambda: shown.set_visibility(here.file.path is None and not here.verify.files))

    def work_button(
        self, words: str, begin: Callable[[], object], *, ready: Callable[[], object] | None = None, main: bool = False
    ) -> ui.button:
        """Show a button that begins work on the workspace, or does nothing if that is not `ready` for it."""

        def act() -> None:
            if ready is None or ready():
                begin()

        clicked = partial(self.workspace.when_idle, words, act)
        return _styled(_WorkButton(words, on_click=clicked, color=None), main=main)

    def on_change(self, draw: Callable[[], object], *, of: Callable[[], object] | None = None) -> None:
        """Call `draw` whenever the workspace has changed.

        With `of`, only if its value has changed: redrawing loses the focus, and breaks a click in progress.
        """
        if of is None:
            self._redraw.append(draw)
            return
        drawn: list[object] = [WorkbenchPage]  # no page shows this class

        def draw_other() -> None:
            now = of()
            if now != drawn[0]:
                drawn[0] = now
                draw()

        self._redraw.append(draw_other)

    def _watch(self) -> None:
        self.workspace.go_on()
        job = self.workspace.shown
        if job is not None and job.running and time.monotonic() - self._told >= _PAUSE:
            self._told = time.monotonic()
            self._bar.props["indeterminate"] = job.done is None
            self._bar.value = round(job.done or 0, 3)
            self._bar_words.text = f"{job.words or job.title} · {job.estimate}{self.workspace.next_words}"
        if self.workspace.closed:
            ui.navigate.to(f"/workspaces/{self.workspace.name}")
        if self.workspace.page:
            page, self.workspace.page = self.workspace.page, ""
            if page != self.name:
                ui.navigate.to(f"/{page}/{self.workspace.name}")
        now = time.monotonic()
        same = self._drawn_of is self.workspace.file.preview
        moving = now - self.moved < _REST and now - self._drawn_at < _LONGEST and same
        if moving or self.workspace.revision == self._seen:
            return
        self._seen, self._drawn_at, self._drawn_of = self.workspace.revision, now, self.workspace.file.preview
        for draw in self._redraw:
            draw()

    def _draw_job(self) -> None:
        """Show the running job, with a button to cancel it, and the outcome of the last one.

        The line has the same height whether or not a job is running, so that nothing on the page moves.
        """
        with ui.element("section").classes("work").props('aria-label="work"') as strip:
            self._bar_words = ui.label().props('role="status"')
            self._bar = ui.linear_progress(value=0, show_value=False).props('aria-label="progress of the work"')
            cancel = button("Cancel", self.workspace.cancel).props("dense")
        refusal = markup("")

        def show() -> None:
            job = self.workspace.shown
            running = job is not None and job.running
            strip.classes(add="running" if running else "idle", remove="idle" if running else "running")
            strip.visible = job is not None or self.workspace.file.path is not None
            cancel.set_enabled(running)
            if not running:
                told = job is not None and job.page in ("", self.name)
                self._bar_words.text = _outcome(job if told else None)
            failure, sentence = self.workspace.failure, self.fields.show_failure()
            notes = () if job is None or running else job.notes
            noted = "".join(part("paragraph", f"Note: {note}.") for note in notes)
            asked = self.workspace.file.rows is None and failure is not None and bool(ways_to_read(failure))
            refusal.content = noted if sentence is None or asked else part("refusal", sentence)

        self.on_change(show)

    def result(
        self,
        made: Callable[[], Result[Value, Request] | None],
        draw: Callable[[Result[Value, Request]], object],
        *,
        same: Callable[[Result[Value, Request]], Equivalent],
        stale: Callable[[Result[Value, Request]], bool] | None = None,
        leaves: bool = True,
    ) -> Element:
        """Show what was made, with the equivalent command; it is dimmed while it is stale. Return all of it.

        A bundle is recorded in the log, and what `leaves` can be decided about.
        """
        from discreet.workbench.pages.decisions import draw_decision  # which is made of the parts of this module

        @ui.refreshable
        def contents() -> None:
            done = made()
            if done is not None:
                draw(done)

        def entry() -> LogEntry | None:
            done = made()
            bundle = None if done is None else _bundle_of(done.value)
            return None if bundle is None else self.workspace.log.of(bundle.archive)

        with ui.element("div") as shown:
            contents()
            if leaves:
                draw_decision(self, entry)
            elsewhere = SameElsewhere()

        def show() -> None:
            done = made()
            if stale is not None:
                dim(shown, stale=done is not None and stale(done))
            equal = None if done is None else same(done)
            elsewhere.show(equal)
            if done is not None and equal is not None:
                self._record(done, equal)

        self.on_change(contents.refresh, of=made)
        self.on_change(show)
        return shown

    def _record(self, done: Result[Value, Request], equal: Equivalent) -> None:
        """Add a bundle to the log of decisions, unless it is there."""
        bundle = _bundle_of(done.value)
        if bundle is None or not bundle.verification.holds:
            return
        added = self.workspace.log.record(
            self.name,
            bundle.archive,
            setting=done.of.words if isinstance(done.of, Released) else "",
            verdict=bundle.verdict,
            sentence=bundle.sentence,
            commands=equal.commands,
        )
        if added:
            self.workspace.changed()

    def show_bundle(self, task: Task, bundle: PackedBundle, more: dict[str, str]) -> None:
        """Show a bundle, with links to its files and to `more`, with the words of each link; its verdict is the page's.

        The reason why one does not verify is shown here.
        """
        holds = bundle.verification.holds
        markup(
            part("note", f"The bundle: {bundle.sentence}.") if holds else part("refusal", bundle.verification.reason)
        )
        markup(part("bundle_links", f"/files/{self.workspace.name}/{task.link}-", more))
        if holds:
            self.show_next_step(task)

    def show_next_step(self, task: Task) -> None:
        """Show what comes after a bundle: it is verified, and it can be signed."""
        button("Verify or sign it", lambda: self.workspace.check_what_was_made(task))
