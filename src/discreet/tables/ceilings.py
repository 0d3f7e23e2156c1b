"""What a file may unpack to: four fifths of the memory at hand, and of the room on the disk.

A few kilobytes can stand for gigabytes: packed files, repeated values, a cell in the last row of a sheet. Readers look
at declared sizes before they unpack, and at their own memory while they read.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.tables.machine_memory import memory_at_hand, memory_taken

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MemoryWatch", "disk_ceiling", "memory_ceiling", "too_large"]


def memory_ceiling() -> int:
    """Return four fifths of the memory at hand, in bytes."""
    return memory_at_hand() * 4 // 5


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
        self._most = memory_taken() + memory_ceiling()

    def check(self) -> None:
        """Refuse to go on reading if what was read takes more than four fifths of the memory."""
        if memory_taken() > self._most:
            raise too_large(self._name, "holds more than fits into memory, and reading was stopped")
