"""Bad input: status 2, one sentence, nothing on standard output, nothing created or changed."""

from __future__ import annotations

import gzip
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS = b"1 2 3\n1 2\n2 3\n" * 50


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def _bytes(name: str, content: bytes) -> Callable[[Path], str]:
    def prepare(folder: Path) -> str:
        (folder / name).write_bytes(content)
        return name

    return prepare


def _folder(folder: Path) -> str:
    (folder / "rows.dat").mkdir()
    return "rows.dat"


def _unreadable(folder: Path) -> str:
    (folder / "loop.dat").symlink_to("loop.dat")
    return "loop.dat"


DATA = {
    "truncated gzip": (_bytes("rows.dat.gz", gzip.compress(ROWS * 100)[:-30]), "rows.dat.gz"),
    "not gzip": (_bytes("rows.dat.gz", ROWS), "rows.dat.gz"),
    "gzip with a flipped bit": (
        _bytes("rows.dat.gz", bytes(b ^ (i == 40) for i, b in enumerate(gzip.compress(ROWS * 99)))),
        "rows.dat.gz",
    ),
    "a folder": (_folder, "rows.dat"),
    "missing": (lambda _: "rows.dat", "rows.dat"),
    "a link to itself": (_unreadable, "loop.dat"),
    "binary junk": (_bytes("rows.dat", bytes(range(256)) * 40), "rows.dat"),
    "binary junk in a csv": (_bytes("rows.csv", bytes(range(256)) * 40), "rows.csv"),
    "binary junk as parquet": (_bytes("rows.parquet", bytes(range(256)) * 40), "rows.parquet"),
    "binary junk as json": (_bytes("rows.json", bytes(range(256)) * 40), "rows.json"),
    "half a json": (_bytes("rows.json", b'[["a", "b"], ["a"'), "rows.json"),
    "NUL": (_bytes("rows.dat", b"1 2\n1 \x00 2\n"), "line 2"),
    "NUL in a csv": (_bytes("rows.csv", b"a,b\n1,\x002\n"), "line 2"),
    "invalid UTF-8": (_bytes("rows.dat", b"a b\na \xff\xfe\n"), "line 2"),
    "invalid UTF-8 in a csv": (_bytes("rows.csv", b"a,b\n1,\xff\xfe\n"), "line 2"),
    "an unknown suffix": (_bytes("rows.xyz", b"a b\n"), "--format"),
    "no suffix": (_bytes("rows", b"a;b\n"), "--format"),
    "an empty csv": (_bytes("rows.csv", b""), "rows.csv"),
    "ragged table": (_bytes("rows.csv", b"a,b\n1,2\n1,2,3\n"), "line 3"),
}
NEEDS = {"ragged table": ["--format", "table"]}


@pytest.mark.parametrize("case", DATA)
@pytest.mark.parametrize("json", [False, True], ids=["summary", "json"])
def test_data_that_cannot_be_read(call, tmp_path: Path, case: str, *, json: bool) -> None:
    prepare, place = DATA[case]
    name = prepare(tmp_path)
    before = snapshot(tmp_path)
    sentence = call(
        "mine", name, "-s", "2", "-o", "out.csv", *(["--json"] if json else []), *NEEDS.get(case, [])
    ).refused()
    assert place in sentence
    assert snapshot(tmp_path) == before


OPTIONS = {
    "a missing column": (["rows.csv", "--format", "long", "--id-column", "who", "--item-column", "b"], "who"),
    "a missing column to drop": (["rows.csv", "--drop", "a,zz"], "zz"),
    "bins of a missing column": (["rows.csv", "--bins", "zz=1,2"], "zz"),
    "bins that are none": (["rows.csv", "--bins", "a"], "--bins"),
    "bins out of order": (["rows.csv", "--bins", "a=3,2"], "--bins"),
    "a map that is none": (["rows.csv", "--map", "a"], "--map"),
    "a list file that is missing": (["rows.csv", "--drop", "@nothing.txt"], "nothing.txt"),
    "columns beside a header": (["rows.csv", "--columns", "x,y"], "--no-header"),
    "too long a delimiter": (["rows.csv", "--delimiter", "ab"], "--delimiter"),
    "sql that names no file": (["--sql", "SELECT * FROM nowhere"], "--sql"),
    "a database without sql": (["rows.csv", "--database", "x.db"], "sql"),
    "sql and data": (["rows.csv", "--sql", "SELECT 1", "--database", "x.db"], "--sql"),
    "a database that is missing": (["--sql", "SELECT 1", "--database", "x.db"], "x.db"),
    "an option that says nothing": (["rows.dat", "--bins", "a=1"], "--bins"),
    "a name with a line end": (["no\nsuch\x1bfile.dat"], r"no\nsuch\x1bfile.dat"),
    "a name that is too long": (["x" * 5000], "x"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_reading_options_that_do_not_fit(call, tmp_path: Path, case: str) -> None:
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "rows.dat").write_bytes(ROWS)
    before = snapshot(tmp_path)
    words, place = OPTIONS[case]
    assert place in call("mine", *words, "-s", "2", "-o", "out.csv").refused()
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    "line", [b"7 8 9 " * 1_700_000, b"x" * 10_000_000, b"x," * 5_000_000], ids=["tokens", "one token", "cells"]
)
@pytest.mark.parametrize("name", ["rows.dat", "rows.csv"])
def test_ten_megabytes_on_one_line(call, tmp_path: Path, line: bytes, name: str) -> None:
    (tmp_path / name).write_bytes(line + b"\n")
    where = "the lines of rows.dat" if name == "rows.dat" and b"," in line else "line 1"
    assert where in call("mine", name, "-s", "1", "-o", "out.csv").refused()
    assert [path.name for path in tmp_path.iterdir()] == [name]


OUTPUTS = {
    "no such folder": ("nowhere/out.csv", "nowhere"),
    "an existing file": ("old.csv", "--force"),
    "a folder": ("folder", "folder"),
    "an unknown suffix": ("out.xlsx", ".xlsx"),
    "no suffix": ("out", ".csv"),
    "below a file": ("old.csv/out.csv", "old.csv"),
}


@pytest.mark.parametrize("case", OUTPUTS)
def test_an_output_that_cannot_be_is_refused_before_any_row_is_read(call, tmp_path: Path, case: str) -> None:
    (tmp_path / "old.csv").write_text("keep me")
    (tmp_path / "folder").mkdir()
    before = snapshot(tmp_path)
    output, place = OUTPUTS[case]
    assert place in call("mine", "no-such-rows.dat", "-s", "2", "-o", output).refused()
    assert snapshot(tmp_path) == before


def test_force_replaces_an_existing_output(call, tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_bytes(ROWS)
    (tmp_path / "old.csv").write_text("replace me")
    assert call("mine", "rows.dat", "-s", "2", "-o", "old.csv", "--force").status == 0
    assert "replace me" not in (tmp_path / "old.csv").read_text()


def test_force_keeps_the_old_output_where_the_rows_are_bad(call, tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_bytes(b"1 \x00\n")
    (tmp_path / "old.csv").write_text("keep me")
    call("mine", "rows.dat", "-s", "2", "-o", "old.csv", "--force").refused()
    assert (tmp_path / "old.csv").read_text() == "keep me"


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet", "txt"])
def test_a_file_that_may_not_grow_is_no_file(call, tmp_path: Path, suffix: str) -> None:
    """A limit on the size of files, where no small disk can be mounted, ends writing the same way."""
    (tmp_path / "rows.dat").write_text("".join(f"{i} {i + 1} {i * 7919} x{i}\n" for i in range(3000)))
    before = snapshot(tmp_path)
    limit, highest = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, highest))
    try:
        outcome = call("mine", "rows.dat", "-s", "1", "-o", f"out.{suffix}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, highest))
    assert f"out.{suffix}" in outcome.refused()
    assert snapshot(tmp_path) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a disk of 64 KiB, where mounting is allowed; elsewhere the limit above must do."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount") or "mount"
    words = [mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    mounted = os.geteuid() == 0 and subprocess.run(words, capture_output=True, check=False).returncode == 0
    try:
        yield disk if mounted else Path()
    finally:
        if mounted:
            subprocess.run([shutil.which("umount") or "umount", str(disk)], check=True)


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet", "txt"])
def test_a_full_disk_leaves_nothing_behind(call, small_disk: Path, tmp_path: Path, suffix: str) -> None:
    if small_disk == Path():
        return
    (tmp_path / "rows.dat").write_text("".join(f"{i} {i + 1} {i * 7919} x{i}\n" for i in range(8000)))
    output = small_disk / f"out.{suffix}"
    assert str(output) in call("mine", "rows.dat", "-s", "1", "-o", output).refused()
    assert list(small_disk.iterdir()) == []


@pytest.mark.parametrize("command", [["generate", "quest"], ["generate", "skewed"], ["generate", "hospital"]])
@pytest.mark.parametrize("suffix", ["dat", "csv", "parquet", "json"])
def test_generating_onto_a_full_disk_leaves_nothing_behind(call, small_disk, command: list[str], suffix: str) -> None:
    if small_disk == Path():
        return
    if command[1] == "hospital" and suffix == "dat":
        suffix = "csv.gz"  # labels with blanks are no FIMI tokens
    output = small_disk / f"rows.{suffix}"
    assert str(output) in call(*command, "--rows", "30000", "-o", output).refused()
    assert list(small_disk.iterdir()) == []


@pytest.mark.parametrize(
    ("output", "place"),
    [("old.csv", "--force"), ("nowhere/x.csv", "nowhere"), ("x.xyz", ".xyz"), (".", "folder")],
)
def test_generate_refuses_an_output_that_cannot_be(call, tmp_path: Path, output: str, place: str) -> None:
    (tmp_path / "old.csv").write_text("keep me")
    before = snapshot(tmp_path)
    assert place in call("generate", "quest", "-o", output).refused()
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("output", "place"),
    [("full", "--force"), ("nowhere/x", "nowhere"), ("file", "not a folder")],
)
def test_demo_refuses_a_folder_that_cannot_be(call, tmp_path: Path, output: str, place: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("keep me")
    (tmp_path / "file").write_text("keep me")
    before = snapshot(tmp_path)
    assert place in call("demo", "-o", output).refused()
    assert snapshot(tmp_path) == before


WRITING = {
    "mine": ["mine", "rows.csv", "-s", "1", "-o"],
    "block": ["block", "rows.csv", "-s", "1", "-k", "2", "--method", "suppressive", "-o"],
    "witness": ["block", "rows.csv", "-s", "1", "-k", "2", "--method", "suppressive", "--witness"],
    "tradeoff": ["tradeoff", "rows.csv", "-s", "1", "-k", "2", "-o"],
    "hide": ["hide", "rows.csv", "--restrict", "private.txt", "--method", "iga", "-o"],
    "log": ["hide", "rows.csv", "--restrict", "private.txt", "--method", "iga", "-o", "out.csv", "--log"],
    "anonymize": ["anonymize", "rows.csv", "--rho", "0.5", "--sensitive", "private.txt", "-o"],
    "mapping": ["anonymize", "rows.csv", "--rho", "0.5", "--sensitive", "private.txt", "-o", "o.csv", "--mapping"],
    "kanon": ["kanon", "rows.csv", "-k", "2", "--quasi-identifiers", "@private.txt", "-o"],
    "owner report": ["release", "rows.csv", "-s", "1", "-k", "2", "--method", "none", "-o", "pub", "--owner-report"],
    "several": ["mine", "other.csv", "rows.csv", "-s", "1", "-o"],
    "a glob": ["mine", "r*.csv", "-s", "1", "-o"],
    "a query": ["mine", "--sql", "SELECT * FROM 'rows.csv'", "-s", "1", "-o"],
}


@pytest.mark.parametrize("name", ["rows.csv", "./rows.csv", "symbolic.csv", "hard.csv", "folder/../rows.csv"])
@pytest.mark.parametrize("words", WRITING.values(), ids=WRITING)
def test_data_are_never_written_over(call, tmp_path: Path, words: list[str], name: str):
    files = {"rows.csv": "a,b\n1,2\n1,3\n", "other.csv": "a,b\n1,2\n", "private.txt": "a\n"}
    for each, text in files.items():
        (tmp_path / each).write_text(text)
    (tmp_path / "folder").mkdir()
    (tmp_path / "symbolic.csv").symlink_to("rows.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "rows.csv")
    before = sorted(path.name for path in tmp_path.iterdir())
    assert "is read here, and what it holds would be lost" in call(*words, name, "--force").refused()
    assert {each: (tmp_path / each).read_text() for each in files} == files
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", ["mine", "block", "witness", "tradeoff", "hide", "log", "anonymize", "kanon"])
def test_an_answer_that_cannot_be_printed_leaves_no_file_behind(
    call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
):
    (tmp_path / "rows.csv").write_text("a,b\n" + "1,2\n1,3\n" * 5)
    (tmp_path / "private.txt").write_text("b=3\n" if command != "kanon" else "a\n")
    words = [*WRITING[command], "new.svg" if command == "tradeoff" else "new.csv"]
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        outcome = call(*words)
        monkeypatch.undo()
    assert outcome.status == 2
    assert "error: cannot write to standard output: No space left on device" in outcome.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["private.txt", "rows.csv"]


@pytest.mark.parametrize(
    "words",
    [
        ["hide", "rows.dat", "--restrict", "private.txt", "--method", "iga"],
        ["anonymize", "rows.dat", "--rho", "0.5", "--sensitive", "private.txt"],
    ],
    ids=["hide", "anonymize"],
)
def test_a_list_that_is_read_is_never_written_over(call, tmp_path: Path, words: list[str]):
    files = {"rows.dat": "a b\nb c\n", "private.txt": "a\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert "is read here, and what it holds would be lost" in call(*words, "-o", "./private.txt", "--force").refused()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == files


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "audit --patterns rules.csv -k 3",
            "found antecedents and consequents, as a file of rules has; give it as --rules",
        ),
        ("audit --rules sets.csv -k 3", "found itemsets and support, as a file of patterns has; give it as --patterns"),
        (
            "mine https://example.org/rows.csv -s 1",
            "rows.csv is an address, and only files of this machine",
        ),
        ("mine ~/rows.csv -s 1", "~/rows.csv does not exist; write the whole path, since only a shell knows what ~"),
        ("mine table.csv -s 1 -o .", ". is a folder that holds what is read here, and what it holds would be lost"),
        ("mine one.csv -s 1", "holds no rows below its first line, which names the columns; give --no-header if that"),
        (
            "mine old.dat -s 1",
            "not text (UTF-8 without control characters or byte order marks); give --encoding",
        ),
        ("hide table.csv --restrict blanks.txt --method iga -o out.csv", "labels of the data: separate them by commas"),
        ("hide rows.dat --restrict commas.txt --method iga -o out.dat", "labels of the data: separate them by blanks"),
    ],
)
def test_what_is_wrong_is_said_with_the_way_on(call, tmp_path: Path, words: str, sentence: str) -> None:
    files = {
        "rules.csv": b"antecedents,consequents,support,confidence\nfrozenset({'a'}),frozenset({'b'}),0.5,0.5\n",
        "sets.csv": b"support,itemsets\n0.5,frozenset({'a'})\n",
        "one.csv": b"m,A\n",
        "old.dat": "größe A\n".encode("cp1252"),
        "table.csv": b"sex,ward\nm,A\nf,B\n",
        "blanks.txt": b"sex=m ward=A\n",
        "rows.dat": b"A B\nB\n",
        "commas.txt": b"A,B\n",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    outcome = call(*words.split())
    assert (outcome.status, outcome.out) == (2, "")
    assert sentence in outcome.err
    assert {path.name for path in tmp_path.iterdir()} == files.keys()
