"""The page *Verify a bundle*: files in, every question with its answer out."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from nicegui import ui

from discreet.publishing.page import text
from discreet.workbench.elements import DropZone
from discreet.workbench.equivalents import Equivalent, equivalent
from discreet.workbench.frame import Frame, SameElsewhere, button, markup, verdict_markup

if TYPE_CHECKING:
    from discreet.publishing.verifier import Verification
    from discreet.workbench.desks import Desk

__all__ = ["verify_page"]

_QUESTIONS = {
    "certificate": "Is the certificate whole?",
    "files": "Are the files those of the certificate?",
    "signature": "Is the signature right?",
    "patterns": "Do the patterns say what the certificate says?",
    "audit": "Can no small group be computed?",
    "rules": "Do the rules follow from the patterns?",
    "rows": "Do the rows keep the promise?",
    "words": "Do the words say what the figures say?",
    "data": "Are they patterns of these rows?",
}


def verify_page(desk: Desk, max_size: int) -> None:
    """Draw the page for one desk."""
    frame = Frame(desk, "verify", max_size)
    with frame.shown():
        _verdict(frame)
        frame.work()
        with ui.element("div").classes("panels two"):
            with ui.element("section").classes("panel"):
                markup("<h2>What I have</h2>")
                DropZone(
                    "Drop a bundle here, as a zip or as its files",
                    url=f"/drop/{desk.name}/bundle",
                    hint="patterns.csv, patterns.parquet, report.html, certificate.json",
                    limit=max_size,
                    multiple=True,
                )
                frame.fields.add_line("bundle")
                _files(frame)
            with ui.element("section").classes("panel"):
                markup("<h2>What was checked</h2>")
                _answers(frame)


def _verdict(frame: Frame) -> None:
    verdict, task = markup("").classes("first"), frame.desk.verifying

    def show() -> None:
        found = task.verification
        if found is None:
            words = "Drop a bundle to begin" if not task.files else "Not verified yet"
            verdict.content = verdict_markup("NOTHING YET", words, "none")
        elif found.holds:
            verdict.content = verdict_markup("HOLDS", "it is as it was published, and keeps its promise", "good")
        else:
            verdict.content = verdict_markup("DOES NOT HOLD", found.checks[-1].words, "bad")

    frame.on_change(show)


def _files(frame: Frame) -> None:
    desk = frame.desk

    names = markup("")
    with ui.element("div").classes("form") as form:
        with_rows = ui.checkbox("", value=True)
        check = button(
            "Verify", lambda: desk.verify(with_rows=with_rows.value and desk.source.rows is not None), main=True
        )
        button("Forget these files", desk.forget_bundle)

    def show() -> None:
        form.visible = bool(desk.verifying.files)
        names.content = f'<ul class="files">{"".join(f"<li>{escape(name)}</li>" for name in desk.verifying.files)}</ul>'
        with_rows.text = f"also against {desk.source.name}, the rows at hand"
        with_rows.visible = desk.source.rows is not None
        check.set_enabled(not desk.busy)

    frame.on_change(show)


def _answers(frame: Frame) -> None:
    desk = frame.desk

    @ui.refreshable
    def draw() -> None:
        found = desk.verifying.verification
        if found is None:
            ui.label(
                "Every question is answered from the files alone: digests are computed, the patterns audited anew."
            )
            return
        markup(_checks(found))
        if found.holds and found.certificate is not None:
            limits = "".join(f"<li>{text(words)}</li>" for words in found.certificate.not_promised)
            promised = f"<h3>What is promised</h3><p>{text(found.certificate.statement)}</p>"
            markup(f"{promised}<h3>What is not</h3><ul>{limits}</ul>")

    def show() -> None:
        same.show(None if desk.verifying.verification is None else _same(desk))

    draw()
    same = SameElsewhere()
    frame.on_change(draw.refresh, of=lambda: desk.verifying.verification)
    frame.on_change(show)


def _same(desk: Desk) -> Equivalent:
    """Return how to verify the same without the page."""
    if not desk.verifying.against:
        return Equivalent("discreet verify public", 'import discreet\n\ndiscreet.verify("public")')
    words = ("discreet", "verify", "public", "--data", desk.verifying.against, *desk.source.reading.words())
    return equivalent(desk.source, [words], ['discreet.verify("public", data=rows)'])


def _checks(found: Verification) -> str:
    lines = "".join(
        f'<tr><th scope="row">{_QUESTIONS.get(check.name, check.name)}</th>'
        f'<td class="{"yes" if check.holds else "no"}">{"✓ yes" if check.holds else "✗ NO"}</td>'
        f"<td>{text(check.words)}</td></tr>"
        for check in found.checks
    )
    return f'<div class="scroll"><table class="answers"><tbody>{lines}</tbody></table></div>'
