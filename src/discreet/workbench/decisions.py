"""The decision log: what was made in a session, and who released or rejected it, and why.

Each result that a page shows becomes an entry, undecided. A decision names who took it, and the reason; it can be
changed, and the log keeps the earlier one. What was rejected cannot be downloaded.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Literal

from discreet.errors import InputError, ParameterError
from discreet.wording import counted, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

__all__ = ["KINDS", "Decision", "DecisionLog", "LogEntry", "Outcome"]

Outcome = Literal["released", "rejected"]
KINDS = {
    "publish": "Patterns",
    "hide": "Rows with patterns hidden",
    "protect": "Rows with sensitive items protected",
}
"""What the pages make."""
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about a result, by whom, and why."""

    outcome: Outcome
    who: str
    why: str
    when: str

    @property
    def words(self) -> str:
        """The decision in one line."""
        return f"{self.outcome} by {self.who}, {self.when}: {self.why}"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A result that was made, and what was decided about it.

    `commands` are the words of the commands that make the same; none for what an earlier session made.
    """

    page: str
    made: str
    setting: str
    verdict: str
    sentence: str
    commands: tuple[tuple[str, ...], ...] = ()
    decisions: tuple[Decision, ...] = ()
    left: bool = False
    """Whether a file of it was opened or saved."""
    earlier: bool = False
    """Whether an earlier session made it."""
    archive: Path | None = field(default=None, compare=False)

    @property
    def decision(self) -> Decision | None:
        """The decision that holds."""
        return self.decisions[-1] if self.decisions else None

    @property
    def kind(self) -> str:
        """What was made."""
        return KINDS.get(self.page, self.page)


def _now() -> str:
    return datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")


class DecisionLog:
    """The results of a workspace in the order in which they were made, with the decisions about them."""

    def __init__(self) -> None:
        self.entries: tuple[LogEntry, ...] = ()
        self.who = ""
        """Who decided last."""
        self._lock = Lock()

    def record(
        self,
        page: str,
        archive: Path,
        *,
        setting: str,
        verdict: str,
        sentence: str,
        commands: tuple[tuple[str, ...], ...],
    ) -> bool:
        """Add a result, by the archive of its bundle; return whether it was not there yet."""
        with self._lock:
            if any(each.archive == archive for each in self.entries):
                return False
            made = LogEntry(page, _now(), setting, verdict, sentence, commands, archive=archive)
            self.entries = (*self.entries, made)
            return True

    def take(self, earlier: Iterable[LogEntry]) -> None:
        """Put what an earlier session decided in front, in place of what was there of such."""
        with self._lock:
            here = [each for each in self.entries if not each.earlier]
            self.entries = (*(replace(each, earlier=True) for each in earlier), *here)

    def of(self, archive: Path) -> LogEntry | None:
        """Return the entry of a bundle."""
        return next((each for each in self.entries if each.archive == archive), None)

    def decide(self, entry: LogEntry, outcome: Outcome, who: str, why: str) -> None:
        """Record a decision about an entry; refuse one without a name or a reason."""
        said = {name: one_line(text.strip())[:_LONGEST] for name, text in (("who", who), ("why", why))}
        for name, words in (("who", "who decides it"), ("why", "the reason")):
            if not said[name]:
                raise ParameterError(f"a decision needs {words}; write it down first", parameter=name)
        self.who = said["who"]
        decided = Decision(outcome, said["who"], said["why"], _now())
        self._change(entry, lambda each: replace(each, decisions=(*each.decisions, decided)))

    def leaves(self, archive: Path) -> None:
        """Record that a file of a bundle leaves; refuse if that was rejected."""
        entry = self.of(archive)
        if entry is None:
            return
        if entry.decision is not None and entry.decision.outcome == "rejected":
            raise InputError(
                f"this was rejected by {entry.decision.who}: {entry.decision.why}; decide again on its page to release "
                "it"
            )
        self._change(entry, lambda each: replace(each, left=True))

    def _change(self, entry: LogEntry, change: Callable[[LogEntry], LogEntry]) -> None:
        with self._lock:
            self.entries = tuple(change(each) if each is entry else each for each in self.entries)

    @property
    def unjudged(self) -> str:
        """What has to be said where no ledger has what left in earlier sessions."""
        count = sum(each.earlier and each.left and each.page == "publish" for each in self.entries)
        if not count:
            return ""
        them = "it" if count == 1 else "them"
        return (
            f"{counted(count, 'bundle')} left in an earlier session, and what is made now is not judged together with "
            f"{them}: start discreet ui with the ledger that has {them}."
        )
