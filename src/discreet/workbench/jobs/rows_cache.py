"""Rows by name: jobs are sent the name, and the process that read the rows caches them for the next job.

Rows may be large, so they never go through a pipe. A killed process loses its rows; the next one loads the snapshot
that the first reader left, which is faster than reading the file again.
"""

from __future__ import annotations

import os
import pickle
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, TypeAlias

from discreet.transactions.reading import read_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from discreet.transactions.options import ReadOptions
    from discreet.transactions.transactions import Transactions

__all__ = ["OnProgress", "RowsCache", "RowsFile"]

OnProgress: TypeAlias = "Callable[[float | None, str], None]"
"""Reports a job's progress: a share, or None if unknown, and words."""


@dataclass(frozen=True, slots=True)
class RowsFile:
    """A file, how it is read, and where the snapshot of its rows is; each set of options has its own snapshot."""

    path: Path
    reading: ReadOptions
    snapshot: Path


class RowsCache:
    """The rows that a process used last."""

    def __init__(self) -> None:
        self._file: RowsFile | None = None
        self._rows: Transactions | None = None

    def rows(self, file: RowsFile, report: OnProgress) -> Transactions:
        """Return the rows of a file, and cache them in place of the previous ones."""
        if self._rows is None or self._file != file:
            self._file = self._rows = None  # two sets of rows may not fit into memory
            self._rows, self._file = _loaded(file.snapshot) or _read(file, report), file
        return self._rows

    def save(self) -> None:
        """Save a snapshot for other processes, unless there is one; skipped if the disk is full."""
        if self._file is None or self._file.snapshot.exists():
            return
        unfinished = self._file.snapshot.with_name(f"{self._file.snapshot.name}-{os.getpid()}")
        with suppress(OSError):  # the workspace may be gone, too
            with unfinished.open("wb") as snapshot:
                pickle.dump(self._rows, snapshot, protocol=pickle.HIGHEST_PROTOCOL)
            unfinished.replace(self._file.snapshot)


def _loaded(snapshot: Path) -> Transactions | None:
    try:
        with snapshot.open("rb") as file:
            rows: Transactions = pickle.load(file)  # noqa: S301 - only our own processes write in this folder
            return rows
    except FileNotFoundError:
        return None


def _read(file: RowsFile, report: OnProgress) -> Transactions:

    with _position_reported(report, file.path):
        return read_as(file.path, file.reading)


@contextmanager
def _position_reported(report: OnProgress, path: Path) -> Iterator[None]:
    """Report how much of a file was read, if the system knows."""
    over = Event()
    size = max(1, path.stat().st_size)

    def watch() -> None:
        while not over.wait(0.2):
            at = _position(path)
            report(None if at is None else min(0.99, at / size), "Reading")

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _position(path: Path) -> int | None:
    with suppress(OSError, ValueError):
        for entry in os.scandir("/proc/self/fd"):
            if Path(entry.path).readlink() == path:
                text = Path(f"/proc/self/fdinfo/{entry.name}").read_text(encoding="ascii")
                return int(text.split(maxsplit=2)[1])
    return None
