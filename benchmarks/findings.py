"""What a paper says beside what we get: one finding for each claim, and a page of them for each paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

__all__ = ["Finding", "share_of", "write_page"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim of a paper.

    where   the figure, table, example or section
    says    the claim, in our words
    paper   what the paper gives for it
    here    what we get
    holds   whether it does here; `None` where there was nothing to compare
    why     why the two differ, where they do
    """

    where: str
    says: str
    paper: str
    here: str
    holds: bool | None
    why: str = ""

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return {True: "holds", False: "does not hold", None: "not compared"}[self.holds]


def share_of(cases: Iterable[bool]) -> tuple[str, bool | None]:
    """Return in how many cases something held, in words, and whether it did in all of them."""
    found = list(cases)
    return f"{sum(found)} of {len(found)} cases", all(found) if found else None


def write_page(path: Path, title: str, findings: Sequence[Finding], drawn: Sequence[str], notes: str = "") -> None:
    """Write the page of one paper: claims as a table, those that fail first in its summary, then the figures."""
    failed = [each for each in findings if each.holds is False]
    compared = [each for each in findings if each.holds is not None]
    lines = [f"# {title}", "", f"{len(compared) - len(failed)} of {len(compared)} claims hold here.", ""]
    if failed:
        lines += ["Those that do not:", ""]
        lines += [f"- {each.where}: {each.says}. {each.why}".rstrip() for each in failed]
        lines.append("")
    lines += ["| where | the paper says | its figure | we get | verdict | why they differ |", "| --- " * 6 + "|"]
    lines += [f"| {e.where} | {e.says} | {e.paper} | {e.here} | {e.verdict} | {e.why} |" for e in findings]
    lines += ["", *([notes, ""] if notes else [])]
    lines += [f"![{name}]({path.stem}/{name}.svg)\n" for name in drawn]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
