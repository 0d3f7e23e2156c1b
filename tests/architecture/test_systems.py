"""Linux, macOS, Windows: what not every system has is called in two modules, and has its counterpart there."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import discreet
from discreet.tables import machine_memory, system

ROOT = Path(discreet.__file__).parent
DOORS = {"tables/system.py", "tables/machine_memory.py"}
MODULES = {"fcntl", "msvcrt", "resource", "ctypes", "pwd", "grp", "termios", "posix", "winreg", "syslog"}
CALLS = {
    "os": {"geteuid", "getuid", "fchown", "chown", "sysconf", "fork", "killpg", "mkfifo", "sched_getaffinity"}
    | {"O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_CLOEXEC", "O_TEMPORARY", "O_BINARY", "statvfs", "uname"},
    "signal": {"SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCHLD", "setitimer", "pthread_kill"},
}


def special(source: str) -> set[str]:
    """Return the modules and names in a module that not every system has."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name.partition(".")[0] in MODULES}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            found |= {module} if module.partition(".")[0] in MODULES else set()
            found |= {f"{module}.{name.name}" for name in node.names if name.name in CALLS.get(module, set())}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found |= {f"{node.value.id}.{node.attr}"} if node.attr in CALLS.get(node.value.id, set()) else set()
    return found


def test_what_not_every_system_has_is_called_in_two_modules():
    assert special("import fcntl\nfrom os import fork\nos.geteuid()\nsignal.SIGHUP") == {
        "fcntl",
        "os.fork",
        "os.geteuid",
        "signal.SIGHUP",
    }
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in ROOT.rglob("*.py")
        if (names := special(path.read_text(encoding="utf-8")))
    }
    assert {place: names for place, names in found.items() if place not in DOORS} == {}


ELSEWHERE = """
import os, signal, sys, types

held = {}
def locking(handle, how, count):
    assert count == 1 and how == "LK_NBLCK"
    about = os.fstat(handle)
    if held.get((about.st_dev, about.st_ino), handle) != handle:
        raise PermissionError(13, "locked")
    held[about.st_dev, about.st_ino] = handle

gone = {name: getattr(os, name) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "geteuid", "sysconf", "fchown")}
for name in gone:
    delattr(os, name)
hangup = signal.SIGHUP
del signal.SIGHUP
sys.modules["fcntl"] = sys.modules["resource"] = None
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK="LK_NBLCK", locking=locking)
import discreet, discreet.tables.system, discreet.tables.machine_memory
for name, value in gone.items():  # Python's own modules use them here
    setattr(os, name, value)
signal.SIGHUP = hangup
del sys.modules['msvcrt'], sys.modules['resource']
assert not discreet.tables.system.RENAMES_OPEN_FILES
assert len(discreet.tables.system.ENDING_SIGNALS) == 1
assert discreet.tables.system.can_others_read(0o644) is False
from discreet.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def elsewhere(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command as if this were a system without locks of folders, owners, and most signals."""
    settings = os.environ | {"TMPDIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", ELSEWHERE, *words], cwd=folder, env=settings, capture_output=True, text=True, check=False
    )


def test_commands_work_without_what_linux_alone_has(tmp_path: Path):
    (tmp_path / "rows.csv").write_text("id,items\n" + "".join(f"{row},{'ab'[row % 2]}\n" for row in range(40)))
    mined = elsewhere(tmp_path, "mine", "rows.csv", "--format", "long", "-s", "5", "-o", "patterns.csv")
    assert (mined.returncode, mined.stderr) == (0, "")
    for again in ((), ("--force",)):  # a folder that is new, and one that is replaced
        made = elsewhere(tmp_path, "demo", "-o", "tour", *again)
        assert made.returncode == 0, made.stderr
    verified = elsewhere(tmp_path, "verify", "tour/public")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(("discreet-scratch", "."))]


def test_windows_and_macos_say_how_much_memory_there_is():
    def status(told: Any) -> int:
        told._obj.whole, told._obj.available = 16 * 2**30, 5 * 2**30  # noqa: SLF001 - what byref refers to
        return 1

    def taken(_process: object, told: Any, size: int) -> int:
        assert size == told._obj.length  # noqa: SLF001 - what byref refers to
        told._obj.now = 7 * 2**20  # noqa: SLF001 - what byref refers to
        return 1

    def sysctl(name: bytes, value: Any, *_: object) -> int:
        assert name == b"hw.memsize"
        value._obj.value = 8 * 2**30  # noqa: SLF001 - what byref refers to
        return 0

    kernel32 = SimpleNamespace(GlobalMemoryStatusEx=status, K32GetProcessMemoryInfo=taken)
    told = machine_memory._of_windows(kernel32)  # noqa: SLF001 - no Windows is at hand
    assert (told.whole, told.available) == (16 * 2**30, 5 * 2**30)
    assert machine_memory._taken_on_windows(kernel32) == 7 * 2**20  # noqa: SLF001
    assert machine_memory._of_macos(SimpleNamespace(sysctlbyname=sysctl)) == 8 * 2**30  # noqa: SLF001
    silent = SimpleNamespace(GlobalMemoryStatusEx=lambda _: 0)
    assert machine_memory._of_windows(silent).available == 2**33  # noqa: SLF001


def test_folders_are_exchanged_as_macos_does_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked = []
    library = SimpleNamespace(renamex_np=lambda *given: asked.append(given) or 0)
    monkeypatch.setattr("ctypes.CDLL", lambda _: library)
    system.exchange(tmp_path / "new", tmp_path / "old")
    assert asked == [(os.fsencode(tmp_path / "new"), os.fsencode(tmp_path / "old"), 2)]


def test_a_lock_that_is_taken_is_said_so(tmp_path: Path):
    handles = [system.handle_of(tmp_path, folder=True) for _ in range(2)]
    try:
        system.lock(handles[0], wait=False)
        with pytest.raises(BlockingIOError):
            system.lock(handles[1], wait=False)
    finally:
        for handle in handles:
            os.close(handle)
