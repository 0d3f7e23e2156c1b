"""What a file may unpack to: four fifths of the memory at hand, and of the room on the disk.

A few kilobytes can stand for gigabytes: packed files, repeated values, a cell in the last row of a sheet. Readers look
at declared sizes before they unpack, and at their own memory while they read.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from discreet.errors import DataError

__all__ = ["MemoryWatch", "disk_ceiling", "memory_ceiling", "too_large"]

_IF_UNKNOWN = 2**33


def memory_ceiling() -> int:
    """Return four fifths of the memory at hand, in bytes."""
    return _memory_at_hand() * 4 // 5


def disk_ceiling(folder: Path) -> int:
    """Return four fifths of the room on a folder's disk, in bytes."""
    return shutil.disk_usage(folder).free * 4 // 5


def too_large(name: str, reason: str) -> DataError:
    """Return the error for a file that stands for more than there is room for."""
    return DataError(f"{name} {reason}; take a part of it, or a machine with more memory")


class MemoryWatch:
    """The memory that this program has taken since reading began; `check` ends what takes too much."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._most = _memory_taken() + memory_ceiling()

    def check(self) -> None:
        """Refuse to go on reading if what was read takes more than four fifths of the memory."""
        if _memory_taken() > self._most:
            raise too_large(self._name, "holds more than fits into memory, and reading was stopped")


def _memory_at_hand() -> int:
    """Return the available memory in bytes, within the limit of a container."""
    at_hand = _IF_UNKNOWN
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                at_hand = int(line.split()[1]) * 1024
        allowed = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        used = int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii"))
        if allowed != "max":
            at_hand = min(at_hand, max(0, int(allowed) - used))
    except OSError:
        pass  # not Linux, or no such controller: the value so far stays
    return at_hand


def _memory_taken() -> int:
    """Return the memory that this program takes now, in bytes; 0 if the system does not say."""
    try:
        with Path("/proc/self/statm").open("rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
