"""`hide` and `check` with `--engine disk`: the output and the files of rows in memory, or a refusal."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet import write
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read_as

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def groceries(data_folder: Path) -> bytes:
    with gzip.open(data_folder / "groceries.dat.gz") as file:
        return file.read()


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("rows.dat", ["--method", "iga", "--log", "log.csv"]),
        ("rows.dat", ["--disclosure", "10%", "-s", "1%", "--lost", "lost.csv"]),
        ("rows.csv", ["--method", "naive"]),
        ("rows.json", ["--below", "50"]),
    ],
)
def test_the_command_writes_the_same_files(call, groceries: bytes, tmp_path: Path, name: str, command: list[str]):
    text = b"".join(line + b"\n" for line in groceries.splitlines()[:3000])
    (tmp_path / "plain.dat").write_bytes(text)
    rows = read_as(tmp_path / "plain.dat", ReadOptions())
    if name == "rows.dat":
        (tmp_path / name).write_bytes(text.replace(b" ", b"  "))  # what is not changed keeps its bytes
    else:
        write(rows, tmp_path / name)
    often = np.argsort(-rows.item_supports())[:3].tolist()
    label = rows.vocabulary.labels
    between = " " if name == "rows.dat" else ","
    (tmp_path / "private.txt").write_text(
        f"{label[often[0]]}{between}{label[often[1]]}\n{label[often[1]]}{between}{label[often[2]]}\n"
    )
    written = []
    for engine in ("local", "disk"):
        words = ["--restrict", "private.txt", "-o", f"safe{name[4:]}", "--json", "--force", "--engine", engine]
        outcome = call("hide", name, *words, *command)
        assert outcome.status == 0
        files = [path for path in tmp_path.iterdir() if path.name.startswith(("safe", "log", "lost"))]
        written.append((outcome.out, outcome.err, {path.name: path.read_bytes() for path in files}))
        for path in files:
            path.unlink()
    assert written[0] == written[1]
    assert len(written[0][2]) == 1 + any(word in command for word in ("--log", "--lost"))


@pytest.mark.parametrize("words", [["--json"], ["--explain"]])
def test_the_command_checks_alike(call, groceries: bytes, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "rows.dat").write_bytes(groceries[:40_000])
    (tmp_path / "private.txt").write_text("\n".join(groceries[:2000].decode().split()[:4]))
    outcomes = [
        call("check", "rows.dat", "--rho", "0.4", "--sensitive", "private.txt", "--engine", engine, *words)
        for engine in ("local", "disk")
    ]
    assert outcomes[0].status == 1
    assert (outcomes[0].out, outcomes[0].err) == (outcomes[1].out, outcomes[1].err)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--index", "rows.index"], "--index holds all rows in memory, which --engine disk does without"),
        (["--against", "rows.dat"], "--against needs all rows in memory, here about"),
    ],
)
def test_what_compares_rows_with_others_is_refused(call, tmp_path: Path, words: list[str], sentence: str) -> None:
    (tmp_path / "rows.dat").write_text("a b\nb c\n")
    (tmp_path / "private.txt").write_text("a b\n")
    outcome = call(
        "hide", "rows.dat", "--restrict", "private.txt", "--method", "iga", "-o", "o.dat", "--engine", "disk", *words
    )
    assert sentence in " ".join(outcome.refused().split())
    assert not (tmp_path / "o.dat").exists()


def test_a_list_for_each_recipient_is_refused(call, tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("a b\nb c\n")
    (tmp_path / "one.txt").write_text("a b\n")
    (tmp_path / "two.txt").write_text("b c\n")
    lists = ["--restrict", "x=one.txt", "--restrict", "y=two.txt"]
    outcome = call("hide", "rows.dat", *lists, "--method", "iga", "-o", "o.dat", "--engine", "disk")
    assert "a list for each recipient needs all rows in memory" in " ".join(outcome.refused().split())
