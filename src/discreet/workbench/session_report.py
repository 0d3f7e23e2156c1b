"""The session in the owner's report: settings that were compared, decisions, and the script.

The report is made with the bundle, and decisions come later. So this part is written into it whenever it is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.publishing import page
from discreet.workbench.session_script import session_script

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.workbench.workspace import Workspace

__all__ = ["tell_session"]

_BEFORE = '<section id="repeat">'
_BEGIN, _END = "<!-- the session -->", "<!-- the session ends -->"


def tell_session(workspace: Workspace, report: Path) -> None:
    """Write the session into the owner's report, in place of what was there of it."""
    text = report.read_text(encoding="utf-8")
    head, begun, rest = text.partition(_BEGIN)
    text = head + rest.partition(_END)[2] if begun else text
    entries = workspace.log.entries
    pinned = [(each.setting, each.weighed) for each in workspace.pins.pinned]
    told = page.part("session", pinned, entries, session_script(entries), template="workbench/books.html")
    made = text.replace(_BEFORE, f"{_BEGIN}{told}{_END}{_BEFORE}", 1)
    unfinished = report.with_name(f".{report.name}")
    unfinished.write_text(made, encoding="utf-8")
    unfinished.replace(report)
