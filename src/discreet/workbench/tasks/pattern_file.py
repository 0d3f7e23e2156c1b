"""A file of patterns or rules: it is audited as such, for the k of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.thresholds import whole_number
from discreet.workbench.jobs.pattern_file import audit_pattern_file
from discreet.workbench.jobs.process import Job
from discreet.workbench.tasks.task import Result, Task
from discreet.workbench.typed_words import plain_number

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.workbench.jobs.pattern_file import PatternFileAudit
    from discreet.workbench.workspace import Workspace

    Asked = tuple[int, int | None]  # k, and the number of rows

__all__ = ["PatternFileTask"]


class PatternFileTask(Task):
    """What there is to know about a dropped file of patterns."""

    link = "audit"
    page = "publish"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.path: Path | None = None
        self.n: int | None = None
        """The number of rows, where the file has shares."""
        self.audited: Result[PatternFileAudit, Asked] | None = None

    @property
    def made(self) -> tuple[Path, ...]:
        """The checker's report."""
        return () if self.audited is None else self.audited.value.files

    @property
    def asked(self) -> Asked:
        """What the file is audited for."""
        return self.workspace.publish.k, self.n

    @property
    def shown(self) -> PatternFileAudit | None:
        """The audit, if it is for what is chosen."""
        done = self.audited
        return done.value if done is not None and done.answers(self.asked) else None

    def count(self, text: str) -> None:
        """Set the number of rows."""
        text = plain_number(text)
        self.n = whole_number(int(text) if text.isdecimal() else text, parameter="n", least=1) if text else None

    def audit(self) -> None:
        """Audit the file."""
        asked, path, workspace = self.asked, self.path, self.workspace

        def take(found: PatternFileAudit) -> None:
            self.audited = Result(found, asked)
            workspace.clear_away()

        if path is not None and not workspace.busy:
            workspace.start(
                Job("Auditing the patterns", audit_pattern_file, workspace.new_folder(), path, *asked, then=take),
                place="n",
            )
