"""What happened in a session, for the files of both sides: digests, counts and times, never contents.

Each side hashes the messages that it sends and those that it receives, apart. What one side says it sent must be what
the other says it received: two officers who compare their files see that both were in the same session, and that
nothing was lost or changed on the way. Nothing of a message follows from the digest of all of them.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from discreet.tables.private_files import write_private
from discreet.twoparty.messages import HEADER_LENGTH, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from discreet.json_types import JsonObject
    from discreet.twoparty.messages import Message

__all__ = ["SessionLog", "write_logs"]


@dataclass(eq=False)
class SessionLog:
    """The messages of one session, counted and hashed in each direction, and when each stage began."""

    began: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    stages: list[tuple[float, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with no message."""
        self._start = time.monotonic()
        self._directions = {"sent": _Direction(), "received": _Direction()}

    def sent(self, message: Message) -> None:
        """Count a message to the partner."""
        self._directions["sent"].add(message)

    def received(self, message: Message) -> None:
        """Count a message from the partner."""
        self._directions["received"].add(message)

    def noting(self, tell: Callable[[str], None]) -> Callable[[str], None]:
        """Return a function that notes when a stage begins, and tells about it; the same one again is passed over."""

        def note(words: str) -> None:
            if not self.stages or self.stages[-1][1] != words:
                self.stages.append((time.monotonic() - self._start, words))
                tell(words)

        return note

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "began": self.began,
            "seconds": round(time.monotonic() - self._start, 3),
            "stages": [{"after_seconds": round(after, 3), "stage": words} for after, words in self.stages],
            **{name: direction.to_dict() for name, direction in self._directions.items()},
        }


def write_logs(
    logs: Sequence[SessionLog], path: str | PathLike[str], about: JsonObject, *, force: bool = False
) -> None:
    """Write the logs of a session's links with what it was about, for its owner alone; of one link, as one document."""
    links: JsonObject = logs[0].to_dict() if len(logs) == 1 else {"links": [each.to_dict() for each in logs]}
    document = {"kind": "discreet session", "form": 1, **about, **links}
    write_private(path, [json.dumps(document, indent=2).encode() + b"\n"], force=force)


class _Direction:
    """The messages in one direction."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._messages: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    def add(self, message: Message) -> None:
        self._digest.update(encode(message))
        self._messages[message.kind.name.lower()] += 1
        self._bytes[message.kind.name.lower()] += HEADER_LENGTH + len(message.payload)

    def to_dict(self) -> JsonObject:
        return {
            "messages": dict(sorted(self._messages.items())),
            "bytes": dict(sorted(self._bytes.items())),
            "sha256": self._digest.hexdigest(),
        }
