"""The page *Verify a bundle*: files in, every question with its answer out."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from nicegui import ui

from discreet.publishing.page import text
from discreet.workbench.as_command import Equivalent, equivalent
from discreet.workbench.pages.components import DropZone
from discreet.workbench.pages.page_kit import PageKit, SameElsewhere, button, markup, verdict_markup

if TYPE_CHECKING:
    from discreet.publishing.verifier import Verification
    from discreet.workbench.workspace import Workspace

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


def verify_page(workspace: Workspace, max_size: int) -> None:
    """Draw the page for one workspace."""
    kit = PageKit(workspace, "verify", max_size)
    with kit.shown():
        _verdict(kit)
        kit.work()
        with ui.element("div").classes("panels two"):
            with ui.element("section").classes("panel"):
                markup("<h2>What I have</h2>")
                DropZone(
                    "Drop a bundle here, as a zip or as its files",
                    url=f"/drop/{workspace.name}/bundle",
                    hint="patterns.csv, patterns.parquet, report.html, certificate.json",
                    limit=max_size,
                    multiple=True,
                )
                kit.fields.add_line("bundle")
                _files(kit)
            with ui.element("section").classes("panel"):
                markup("<h2>What was checked</h2>")
                _answers(kit)


def _verdict(kit: PageKit) -> None:
    verdict, task = markup("").classes("first"), kit.workspace.verifying

    def show() -> None:
        found = task.verification
        if found is None:
            words = "Drop a bundle to begin" if not task.files else "Not verified yet"
            verdict.content = verdict_markup("NOTHING YET", words, "none")
        elif found.holds:
            verdict.content = verdict_markup("HOLDS", "it is as it was published, and keeps its promise", "good")
        else:
            verdict.content = verdict_markup("DOES NOT HOLD", found.checks[-1].words, "bad")

    kit.on_change(show)


def _files(kit: PageKit) -> None:
    workspace = kit.workspace

    names = markup("")
    with ui.element("div").classes("form") as form:
        with_rows = ui.checkbox("", value=True)
        check = button(
            "Verify",
            lambda: workspace.verify(with_rows=with_rows.value and workspace.source.rows is not None),
            main=True,
        )
        button("Forget these files", workspace.forget_bundle)

    def show() -> None:
        form.visible = bool(workspace.verifying.files)
        names.content = (
            f'<ul class="files">{"".join(f"<li>{escape(name)}</li>" for name in workspace.verifying.files)}</ul>'
        )
        with_rows.text = f"also against {workspace.source.name}, the rows at hand"
        with_rows.visible = workspace.source.rows is not None
        check.set_enabled(not workspace.busy)

    kit.on_change(show)


def _answers(kit: PageKit) -> None:
    workspace = kit.workspace

    @ui.refreshable
    def draw() -> None:
        found = workspace.verifying.verification
        if found is None:
            ui.label(
                "Every question is answered from the files alone: digests are computed, the patterns audited again."
            )
            return
        markup(_checks(found))
        if found.holds and found.certificate is not None:
            limits = "".join(f"<li>{text(words)}</li>" for words in found.certificate.not_promised)
            promised = f"<h3>What is promised</h3><p>{text(found.certificate.statement)}</p>"
            markup(f"{promised}<h3>What is not</h3><ul>{limits}</ul>")

    def show() -> None:
        same.show(None if workspace.verifying.verification is None else _same(workspace))

    draw()
    same = SameElsewhere()
    kit.on_change(draw.refresh, of=lambda: workspace.verifying.verification)
    kit.on_change(show)


def _same(workspace: Workspace) -> Equivalent:
    """Return how to verify the same without the page."""
    if not workspace.verifying.against:
        return Equivalent("discreet verify public", 'import discreet\n\ndiscreet.verify("public")')
    words = ("discreet", "verify", "public", "--data", workspace.verifying.against, *workspace.source.reading.words())
    return equivalent(workspace.source, [words], ['discreet.verify("public", data=rows)'])


def _checks(found: Verification) -> str:
    lines = "".join(
        f'<tr><th scope="row">{_QUESTIONS.get(check.name, check.name)}</th>'
        f'<td class="{"yes" if check.holds else "no"}">{"✓ yes" if check.holds else "✗ NO"}</td>'
        f"<td>{text(check.words)}</td></tr>"
        for check in found.checks
    )
    return f'<div class="scroll"><table class="answers"><tbody>{lines}</tbody></table></div>'
