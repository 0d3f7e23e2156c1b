"""Which wheel goes where, and that what is configured for other machines is what is built here."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tomllib
import types
import zipfile
import zlib
from typing import TYPE_CHECKING

import pytest
import yaml

from benchmarks.pack_wheel import main as pack_wheel
from benchmarks.wheels import ROOT, Python, main, pythons, unwanted, wheel_for

if TYPE_CHECKING:
    from pathlib import Path

WHEELS = ["discreet-1-cp311-cp311-manylinux_2_35_x86_64.whl", "discreet-1-cp312-abi3-manylinux_2_35_x86_64.whl"]


@pytest.mark.parametrize(("python", "place"), [("3.11", 0), ("3.12", 1), ("3.13", 1), ("3.14", 1)])
def test_every_python_has_its_wheel(python: str, place: int):
    assert wheel_for(python, WHEELS) == WHEELS[place]


def test_the_same_two_are_built_elsewhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    elsewhere = project["tool"]["cibuildwheel"]
    assert elsewhere["build"] == ["cp311-*", "cp312-*"]
    assert elsewhere["linux"]["archs"] == ["x86_64", "aarch64"]
    assert elsewhere["macos"]["archs"] == ["x86_64", "arm64"]
    assert elsewhere["windows"]["environment"]["CXX"] == "clang-cl"
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8"))
    runners = workflow["jobs"]["wheels"]["strategy"]["matrix"]["runner"]
    machines = sum(len(elsewhere[system]["archs"]) for system in ("linux", "macos", "windows"))
    assert len(set(runners)) == machines, "a runner for each"


def test_interpreters_are_run_before_they_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A shim that does not start hides no interpreter of pyenv's."""
    shims, version = tmp_path / "shims", f"{sys.version_info[0]}.{sys.version_info[1]}"
    inside = tmp_path / "pyenv" / "versions" / f"{version}.9" / "bin"
    for folder, program in ((shims, "exit 127"), (inside, f'exec "{sys.executable}" "$@"')):
        folder.mkdir(parents=True)
        (folder / f"python{version}").write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
        (folder / f"python{version}").chmod(0o755)
    monkeypatch.setenv("PATH", str(shims))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    assert pythons() == [Python(version, str(inside / f"python{version}"))]


def test_without_two_pythons_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("benchmarks.wheels.pythons", lambda: [Python("3.11", "python3.11")])
    monkeypatch.setattr("sys.argv", ["wheels", str(tmp_path / "dist")])
    with pytest.raises(SystemExit, match=r"3\.12 or a later one"):
        main()


def test_a_packed_wheel_holds_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """With zlib in the place of zopfli, which only those have who build wheels."""
    wheel = tmp_path / "a.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(zipfile.ZipInfo("a/b.py", (2026, 1, 2, 3, 4, 6)), b"print(1)\n" * 50)
        made.writestr("empty", b"")
    before = wheel.read_bytes()
    monkeypatch.setitem(sys.modules, "zopfli", types.ModuleType("zopfli"))
    monkeypatch.setitem(sys.modules, "zopfli.zlib", zlib)
    monkeypatch.setattr("sys.argv", ["pack_wheel", str(wheel)])
    pack_wheel()
    with zipfile.ZipFile(wheel) as packed, zipfile.ZipFile(io.BytesIO(before)) as old:
        assert packed.testzip() is None
        assert [(each.filename, each.date_time) for each in packed.infolist()] == [
            (each.filename, each.date_time) for each in old.infolist()
        ]
        assert [packed.read(name) for name in packed.namelist()] == [b"print(1)\n" * 50, b""]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.whl"]


def test_the_sdist_holds_sources_alone(tmp_path: Path):
    """Object files lie in the build folder of everyone who has compiled the kernel; they are not packed."""
    program = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, tmp_path], cwd=ROOT, check=True, capture_output=True)
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
    assert unwanted(names) == []
    inside = {name.partition("/")[2] for name in names}
    assert {"CMakeLists.txt", "LICENSE", "cpp/mining.cpp", "src/discreet/__init__.py"} <= inside
    assert unwanted(["d/cpp/mining.o", "d/build/cp311/x.ninja", "d/LICENSE"]) == [
        "d/cpp/mining.o",
        "d/build/cp311/x.ninja",
    ]
