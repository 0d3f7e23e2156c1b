"""The kernel built with sanitizers, which see what a test does not: reads out of bounds, undefined behaviour, races.

The tests of what the kernel does run with each build. Needs a C++ compiler with the sanitizers, as GCC and Clang have.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evidence.campaign import Campaign, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CAMPAIGN"]

ROOT: Final = Path(__file__).parents[1]
_SHOWN: Final = 2000
BUILDS: Final = {
    "addresses and undefined behaviour": ("address,undefined", "libasan.so"),
    "races between threads": ("thread", "libtsan.so"),
}
# With the second build, tests run some twenty times as long: those that use threads, and no large data.
TESTS: Final = {
    "addresses and undefined behaviour": ("tests/laws", "tests/papers", "tests/hiding", "tests/uncertainty"),
    "races between threads": (
        "tests/laws/test_mining.py",
        "tests/patterns/test_mining_limits.py",
        *(f"tests/channels/test_{name}.py" for name in ("derivation", "exclusive", "removal", "unknown_n", "witness")),
    ),
}


def _build(sanitizers: str, folder: Path) -> Path:
    """Build the kernel; return its file."""
    cmake_dir = subprocess.run(
        [sys.executable, "-m", "nanobind", "--cmake_dir"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    flags = f"-g -fno-omit-frame-pointer -fsanitize={sanitizers}"
    settings = {
        "SKBUILD_PROJECT_NAME": "discreet",
        "nanobind_DIR": cmake_dir,
        "Python_EXECUTABLE": sys.executable,
        "CMAKE_CXX_FLAGS": flags,
        "CMAKE_MODULE_LINKER_FLAGS": flags,
        "CMAKE_BUILD_TYPE": "RelWithDebInfo",
        "OPTIMIZATION": "-O1",  # -O3 takes half an hour
    }
    words = [f"-D{name}={value}" for name, value in settings.items()]
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), *words], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(folder), "--parallel", "2"], check=True, stdout=subprocess.DEVNULL)
    (file,) = folder.glob("_kernel*.so")
    return file


def _library(name: str) -> str:
    """Return the path of a library that comes with the compiler."""
    command = ["c++", f"-print-file-name={name}"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def _run(_count: int) -> Iterator[Outcome]:
    for what, (sanitizers, library) in BUILDS.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            kernel = _build(sanitizers, folder / "build")
            options = f"log_path={folder}/report:detect_leaks=0:exitcode=0:halt_on_error=0:print_stacktrace=1"
            variables = {f"{sanitizer}_OPTIONS": options for sanitizer in ("ASAN", "UBSAN", "TSAN")}
            preload = " ".join(map(_library, (library, "libstdc++.so.6")))
            environment = os.environ | variables | {"DISCREET_KERNEL": str(kernel), "LD_PRELOAD": preload}
            runs = [_tested(tests, environment) for tests in TESTS[what]]
            reports = "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in folder.glob("report.*"))
        passed, failed = (sum(_number(done.stdout, word) for done in runs) for word in ("passed", "failed"))
        found = len(re.findall(r"^SUMMARY: |runtime error: ", reports, re.MULTILINE))
        print(reports, end="")
        for done in runs:
            print(done.stdout[-_SHOWN:] if done.returncode else "", end="")
        # a run that came to no end found nothing, and tells nothing
        broken = failed + found or sum(done.returncode != 0 for done in runs)
        yield Outcome(f"{what}, tests", passed + failed, 0, broken, f"reports: {found:,}")


def _tested(tests: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run tests with the build that the environment names."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "evidence.instrumented_kernel", *tests.split()]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT)


def _number(text: str, word: str) -> int:
    found = re.search(rf"(\d+) {word}", text)
    return int(found[1]) if found else 0


CAMPAIGN = Campaign(
    "Sanitizers",
    "The kernel reads and writes only what is its own, does nothing that C++ leaves undefined, and its threads do not "
    "race. Each number is a test that ran with a build that looks for it.",
    _run,
    few=0,
    many=1,
)
