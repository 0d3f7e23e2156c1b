"""What a ledger says about a release: the release itself, and what was recorded about it later."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from discreet.errors import DataError, LedgerDiffers, ParameterError, param
from discreet.patterns.reading import patterns_of
from discreet.publishing.bundle import PATTERNS
from discreet.publishing.certificate import Certificate, FileDigest, digest_of
from discreet.publishing.fingerprint import same_rows
from discreet.tables.byte_source import ByteSource
from discreet.tables.csv import csv_table

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from discreet.json_types import JsonObject, ParsedDocument
    from discreet.patterns.patternset import PatternSet

__all__ = [
    "Entry",
    "Note",
    "PolicyNote",
    "checked_heads",
    "checked_reason",
    "ledger_id",
    "next_head",
    "patterns_in",
    "release_entry",
]

_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Note:
    """What was said later about a release: the day (UTC), the reason, and the release that supersedes it, if one does.

    `number` is that of the entry which says so.
    """

    number: int
    day: str
    reason: str | None
    by: int | None = None


@dataclass(frozen=True, slots=True)
class PolicyNote:
    """The policy that a release follows: its digest, and what it says, by section and key; for the owner alone."""

    digest: str
    says: ParsedDocument

    @classmethod
    def recorded(cls, record: ParsedDocument | None) -> PolicyNote | None:
        """Return what an entry of a ledger says about its policy; None if it has none."""
        return None if record is None else cls(record["digest"], record["says"])

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {"digest": self.digest, "says": dict(self.says)}


@dataclass(frozen=True, eq=False)
class Entry:
    """An earlier release: its number in the ledger, the day (UTC), the folder it was written to, and its contents.

    `rows_left` is whether the owner said that rows of earlier releases had left when it was made, `rows_added` whether
    the owner said that none had. `withdrawn` and `superseded` are what was recorded about it later. `policy` is the
    policy that it follows, if it was made by one.
    """

    number: int
    day: str
    folder: str
    certificate: Certificate
    patterns: PatternSet | None
    rows_left: bool = False
    rows_added: bool = False
    withdrawn: Note | None = None
    superseded: Note | None = None
    policy: PolicyNote | None = None

    @property
    def k(self) -> int:
        """The k of its promise; 0 for rows, which promise something else."""
        k: int = self.certificate.promise.get("k", 0)
        return k

    @property
    def snapshot(self) -> str | None:
        """What is equal for releases of the same rows; None if the rows are not known."""
        return same_rows(self.certificate.input)

    @property
    def state(self) -> str:
        """Whether it was withdrawn or superseded, in words; empty if neither."""
        words = []
        if self.superseded is not None:
            words.append(f"superseded by release {self.superseded.by} on {self.superseded.day}")
        if self.withdrawn is not None:
            reason = f": {self.withdrawn.reason}" if self.withdrawn.reason else ""
            words.append(f"withdrawn on {self.withdrawn.day}{reason}")
        return "; ".join(words)

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        notes = {"withdrawn": self.withdrawn, "superseded": self.superseded}
        return {
            "number": self.number,
            "day": self.day,
            "folder": self.folder,
            "kind": self.certificate.kind,
            "seal": self.certificate.seal,
            "input": self.certificate.input,
            "rows_left": self.rows_left,
            "rows_added": self.rows_added,
            "promise": dict(self.certificate.promise),
            "policy": None if self.policy is None else self.policy.digest,
            **{
                name: None if note is None else {"day": note.day, "reason": note.reason, "by": note.by}
                for name, note in notes.items()
            },
        }


def ledger_id(key: bytes) -> str:
    """Return the id of a ledger, the head before its first entry."""
    return _mac(key, "id")


def next_head(key: bytes, previous: str, number: int, record: str) -> str:
    """Return the head of an entry: a digest under the owner's key of it and of all before it."""
    return _mac(key, "entry", previous, str(number), record)


def _mac(key: bytes, *parts: str) -> str:
    return hmac.new(key, "\0".join(("discreet ledger 2", *parts)).encode(), hashlib.sha256).hexdigest()


def checked_heads(file: sqlite3.Connection, path: Path, key: bytes, *, number: int, head: str) -> list[str]:
    """Return the heads of all entries of a ledger, its id first, unless the chain is broken."""
    heads = [ledger_id(key)]
    for found, stored, record in file.execute("SELECT number, head, record FROM entries ORDER BY number"):
        if found != len(heads):
            raise LedgerDiffers(
                f"entry {len(heads)} of {path} is missing; restore a backup, or add its bundle again: "
                "docs/how-to/publish.md",
                "gap",
            )
        if next_head(key, heads[-1], found, record) != stored:
            raise LedgerDiffers(f"entry {found} of {path} was changed; restore a backup", "damaged")
        heads.append(stored)
    if (number, head) != (len(heads) - 1, heads[-1]):
        raise LedgerDiffers(
            f"{path} ends with entry {len(heads) - 1}, and it had {number}: entries at its end are missing; restore a "
            "backup",
            "gap",
        )
    return heads


def checked_reason(reason: str | None) -> str | None:
    """Return the reason for an entry; refuse one that is not a line, or too long."""
    if reason is not None and not (reason.isprintable() and 0 < len(reason) <= _LONGEST_REASON):
        raise ParameterError(
            f"{param('reason')} must be one line of at most {_LONGEST_REASON} characters", parameter="reason"
        )
    return reason


def release_entry(path: Path, number: int, record: ParsedDocument, certificate: bytes, patterns: bytes | None) -> Entry:
    """Return a recorded release of the ledger at a path; refuse one that no longer matches its digests."""
    held = None if patterns is None else FileDigest(len(patterns), digest_of(patterns))
    try:
        read = Certificate.from_bytes(certificate)
    except (DataError, TypeError):
        read = None
    if read is None or digest_of(certificate) != record["certificate"] or read.files.get(PATTERNS) != held:
        raise LedgerDiffers(f"release {number} in {path} is damaged; restore a backup of the ledger", "damaged")
    published = None if patterns is None else patterns_in(patterns)
    told = {name: record.get(name, False) for name in ("rows_left", "rows_added")}
    told["policy"] = PolicyNote.recorded(record.get("policy"))
    return Entry(number, record["day"], record["folder"], read, published, **told)


def patterns_in(content: bytes) -> PatternSet:
    """Return the patterns of a release, from the bytes of its file."""
    with csv_table(ByteSource(BytesIO(content), PATTERNS, None)) as table:
        return patterns_of(table, n=None, min_support=None).to_patternset()
