"""What a paper says beside what we get: one finding for each claim, and a page of them for each paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

__all__ = ["Case", "Finding", "share_of", "write_page"]


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


@dataclass(frozen=True, slots=True)
class Case:
    """Two figures, of which a claim says that the first is not above the second, below it, or the same.

    first, second   what they are the figures of, in a word or two
    at              where they were measured
    """

    low: float
    high: float
    first: str
    second: str
    at: str = ""
    relation: Literal["<=", "<", "=="] = "<="

    @property
    def holds(self) -> bool:
        """Whether it is as the claim says."""
        return {"<=": self.low <= self.high, "<": self.low < self.high, "==": self.low == self.high}[self.relation]

    @property
    def margin(self) -> float:
        """How far it is from not holding, as a part of the larger figure."""
        difference = (self.high - self.low) / (max(abs(self.low), abs(self.high)) or 1)
        return -abs(difference) if self.relation == "==" else difference

    def __str__(self) -> str:
        where = f" ({self.at})" if self.at else ""
        return f"{self.first}: {_number(self.low)}, {self.second}: {_number(self.high)}{where}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or abs(value) >= _WHOLE else f"{value:.3g}"


_WHOLE = 1000


def share_of(cases: Iterable[Case]) -> tuple[str, bool | None]:
    """Return in how many cases something held, with the figures of the tightest, and whether it did in all of them."""
    found = list(cases)
    if not found:
        return "0 of 0 cases", None
    held = sum(case.holds for case in found)
    word = "closest" if held == len(found) else "furthest off"
    tightest = min(found, key=lambda case: case.margin)
    return f"{held} of {len(found)} cases; {word}: {tightest}", held == len(found)


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
    for name in drawn:
        title = name.replace("-", " ").capitalize()
        lines += [f"## {title}", "", f"![{title}]({path.stem}/{name}.svg)", ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
