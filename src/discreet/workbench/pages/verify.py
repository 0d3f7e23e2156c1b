"""The page *Verify a bundle*: files in, every check with its result out."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from nicegui import ui

from discreet.answers.releases import held_words
from discreet.workbench.as_command import Equivalent, equivalent
from discreet.workbench.pages.components import DropZone, Field
from discreet.workbench.pages.page_kit import SameElsewhere, WorkbenchPage, button, markup, panel, part

if TYPE_CHECKING:
    from discreet.workbench.tasks.verify import VerifyTask

__all__ = ["VerifyPage"]

_QUESTIONS = {
    "certificate": "Is the certificate whole?",
    "files": "Are the files those of the certificate?",
    "signature": "Are the signatures right?",
    "ledger": "Does the ledger have it as a release that was not withdrawn?",
    "patterns": "Do the patterns say what the certificate says?",
    "audit": "Is every group that can be computed large enough?",
    "proof": "Is it proved?",
    "rules": "Do the rules follow from the patterns?",
    "rows": "Do the rows keep the promise?",
    "figures": "Are the figures those of what is published?",
    "tables": "Does every byte of the tables follow from what they say?",
    "words": "Do the words say what the figures say?",
    "report": "Does every byte of the report follow from the rest?",
    "free text": "Can all of the title and the labels be seen?",
    "data": "Are they patterns of these rows?",
}


class VerifyPage(WorkbenchPage):
    """The page, for one workspace."""

    name = "verify"
    panels = "panels two"

    @property
    def _task(self) -> VerifyTask:
        return self.workspace.verify

    def draw(self) -> None:
        """Draw the panels."""
        with panel("What I have"):
            DropZone(
                "Drop a bundle here, as a zip or as its files",
                url=f"/drop/{self.workspace.name}/bundle",
                hint="patterns.csv, patterns.parquet, report.html, certificate.json",
                limit=self.max_size,
                multiple=True,
            )
            self.fields.add_line("bundle")
            self._files()
            self._trusted()
            self._signing()
        with panel("What was checked"):
            self._answers()

    def show_verdict(self) -> None:
        """Show whether the bundle verifies."""
        found = self._task.verification
        if found is None:
            self.say("NOTHING YET", "Not verified yet" if self._task.files else "Drop a bundle to begin", "none")
        elif found.holds:
            zipped = "; of the zip, only the files in it were judged" if self._task.packed else ""
            self.say("HOLDS", f"it {held_words(found)}{zipped}", "good")
        elif self._task.is_none:
            self.say("NO BUNDLE", "These files are no bundle: drop the zip, or all files that are in it", "wait")
        elif found.verdict == "not-judged":
            self.say("CANNOT BE JUDGED", found.reason, "wait")
        else:
            self.say("DOES NOT HOLD", found.reason, "bad")

    def _files(self) -> None:
        task, workspace = self._task, self.workspace
        names = markup("")
        with ui.element("div").classes("form") as form:
            with_rows = ui.checkbox("", value=True)
            check = self.work_button("Verify", lambda: task.verify(with_rows=with_rows.value), main=True)
            button("Forget these files", self._forget)

        def show() -> None:
            form.visible = bool(task.files)
            names.content = part("file_list", task.files)
            with_rows.text = f"also against {workspace.file.name}, the rows at hand"
            with_rows.visible = task.rows is not None
            check.set_enabled(not workspace.busy)

        self.on_change(show)

    def _trusted(self) -> None:
        """Ask whose signatures the bundle must have, and which ledger must have it."""
        workspace = self.workspace
        with ui.expansion("Who must have signed it, and which ledger has it").props("dense").classes("correct"):
            DropZone(
                "Drop the public key of whoever must have signed it",
                url=f"/drop/{workspace.name}/trust",
                hint="public.pem of discreet keygen; several are all asked for",
                limit=self.max_size,
                multiple=True,
            )
            self.fields.add_line("trust")
            DropZone(
                "Drop the ledger that must have it as a release",
                url=f"/drop/{workspace.name}/ledger",
                hint="a copy is read, and not written; with the rows at hand, the release must be of these",
                limit=self.max_size,
            )
            self.fields.add_line("ledger")
            names = markup("")
            forget = button("Ask for no signature and no ledger", self._forget_trusted)

        def show() -> None:
            task = self._task
            asked = [*task.trusted, *([] if task.ledger is None else [task.ledger.name])]
            names.content = part("file_list", asked)
            forget.visible = bool(asked)

        self.on_change(show)

    def _forget_trusted(self) -> None:
        self._task.forget_trusted()
        self.workspace.failure = None
        self.workspace.changed()

    def _signing(self) -> None:
        """Sign the bundle with a key that is here until then."""
        workspace = self.workspace
        with ui.expansion("Sign it").props("dense").classes("correct") as all_of_it:
            DropZone(
                "Drop your identity, or choose it",
                url=f"/drop/{workspace.name}/key",
                hint="identity.pem of discreet keygen; it stays on this machine, and is removed here once it was used",
                limit=self.max_size,
            )
            self.fields.add_line("key")
            passphrase = Field("Passphrase, if it has one").classes("secret")  # no browser offers to keep it
            passphrase.props('autocomplete="off" spellcheck="false"')
            self.fields.add("passphrase", passphrase)

            def sign() -> None:
                words, passphrase.value = passphrase.value or "", ""
                self._task.sign(words)

            make = self.work_button("Sign the bundle", sign, ready=lambda: self._task.key, main=True)
            done = markup("")

        def show() -> None:
            task = self._task
            all_of_it.visible = bool(task.files)
            key = () if task.key is None else (task.key.name,)
            make.set_enabled(bool(key) and not workspace.busy)
            signed = task.signed
            done.content = part("file_list", key) + (
                "" if signed is None else part("signed", f"/files/{workspace.name}/{task.link}-", signed)
            )

        self.on_change(show)

    def _forget(self) -> None:
        self._task.forget_key()
        self._task.forget()
        self.workspace.failure = None
        self.workspace.changed()

    def _answers(self) -> None:
        @ui.refreshable
        def draw() -> None:
            found = self._task.verification
            if found is None:
                ui.label(
                    "Every question is answered from the files alone: digests are computed, the patterns audited again."
                )
                return
            markup(part("checks", found.checks, _QUESTIONS))
            if found.free_text is not None:
                markup(part("free_text", found.free_text))
            if found.holds and found.certificate is not None:
                markup(part("promised", found.certificate))

        draw()
        same = SameElsewhere()
        self.on_change(draw.refresh, of=lambda: self._task.verification)
        self.on_change(lambda: same.show(None if self._task.verification is None else self._same()))

    def _same(self) -> Equivalent:
        """Return how to verify the same without the page."""
        names = list(self._task.trusted)
        trust = [word for name in names for word in ("--trust", name)]
        book = None if self._task.ledger is None else self._task.ledger.name
        words = ["discreet", "verify", "public", *trust, *([] if book is None else ["--ledger", book])]
        more = f", trust={names!r}" if names else ""
        more += "" if book is None else ", ledger=ledger"
        if not self._task.with_rows:
            return Equivalent(shlex.join(words), f"import discreet\n\n{_opened(book, more, '')}")
        file = self.workspace.file
        words += ["--data", file.name, *file.reading.words()]
        return equivalent(file, [words], [_opened(book, more, ", data=rows")])


def _opened(ledger: str | None, more: str, data: str) -> str:
    """Return the call of `verify`, in the block that opens the ledger if there is one."""
    call = f'discreet.verify("public"{data}{more})'
    return call if ledger is None else f"with discreet.open_ledger({ledger!r}) as ledger:\n    {call}"
