"""How much memory the machine has, has at hand, and this program takes, as Linux, macOS and Windows say it."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

resource: Any = None
with suppress(ImportError):
    import resource

__all__ = ["memory_at_hand", "memory_taken", "whole_memory"]

_sysconf = getattr(os, "sysconf", None)
_IF_UNKNOWN = 2**33


def memory_at_hand() -> int:
    """Return the available memory in bytes, within the limit of a container; a guess if the system does not say."""
    if sys.platform == "win32":
        return _of_windows(_kernel32()).available
    if sys.platform == "darwin":  # which says how much there is, not how much it would give back
        return (_of_macos(ctypes.CDLL(None)) or _IF_UNKNOWN) // 2
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
        pass  # no such controller: the value so far stays
    return at_hand


def whole_memory() -> int | None:
    """Return the memory of this machine in bytes; None if the system does not say."""
    if sys.platform == "win32":
        return _of_windows(_kernel32()).whole
    if _sysconf is not None:
        with suppress(ValueError, OSError):
            return int(_sysconf("SC_PAGE_SIZE") * _sysconf("SC_PHYS_PAGES"))
    return None


def memory_taken() -> int:
    """Return the memory that this program takes now, in bytes, or has taken at most; 0 if the system does not say."""
    try:
        with Path("/proc/self/statm").open("rb") as file:
            return int(file.read().split()[1]) * int(_sysconf("SC_PAGE_SIZE")) if _sysconf is not None else 0
    except OSError:
        pass
    if sys.platform == "darwin" and resource is not None:
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # in bytes there
    if sys.platform == "win32":
        return _taken_on_windows(_kernel32())
    return 0


def _kernel32() -> Any:
    return ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]


class _Memory(ctypes.Structure):
    """MEMORYSTATUSEX of Windows."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("whole", ctypes.c_uint64),
        ("available", ctypes.c_uint64),
        *((f"other{place}", ctypes.c_uint64) for place in range(5)),
    )


class _Taken(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS of Windows."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("faults", ctypes.c_uint32),
        ("peak", ctypes.c_size_t),
        ("now", ctypes.c_size_t),
        *((f"other{place}", ctypes.c_size_t) for place in range(6)),
    )


def _of_windows(kernel32: Any) -> _Memory:
    """Return what Windows says about the memory of the machine."""
    told = _Memory(length=ctypes.sizeof(_Memory))
    if not kernel32.GlobalMemoryStatusEx(ctypes.byref(told)):
        told.whole = told.available = _IF_UNKNOWN
    return told


def _taken_on_windows(kernel32: Any) -> int:
    told = _Taken(length=ctypes.sizeof(_Taken))
    process = ctypes.c_void_p(-1)  # this one
    done = kernel32.K32GetProcessMemoryInfo(process, ctypes.byref(told), ctypes.sizeof(_Taken))
    return int(told.now) if done else 0


def _of_macos(library: Any) -> int | None:
    """Return the memory of a Mac in bytes."""
    value, size = ctypes.c_uint64(), ctypes.c_size_t(8)
    done = library.sysctlbyname(b"hw.memsize", ctypes.byref(value), ctypes.byref(size), None, ctypes.c_size_t(0))
    return int(value.value) if done == 0 else None
