"""What the order of published rows tells to someone who knows a few people and reads what stands between them."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from discreet.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

WARDS = ("alder", "birch", "cedar")
DIAGNOSES = tuple(f"d{number}" for number in range(8))
STAYS = 900


def stays(seed: int = 1) -> list[tuple[str, str, str, str]]:
    """Draw stays of which nothing but the diagnosis decides the place in the file."""
    draw = random.Random(seed)
    drawn = [
        (draw.choice(WARDS), str(draw.randint(1, 30)), str(draw.randint(20, 80)), draw.choice(DIAGNOSES))
        for _ in range(STAYS)
    ]
    return sorted(drawn, key=lambda stay: stay[3])


def table(path: Path, rows: list[tuple[str, ...]]) -> Path:
    lines = [("ward", "days", "age", "diagnosis"), *rows]
    path.write_text("".join(",".join(line) + "\n" for line in lines), encoding="utf-8")
    return path


def published(path: Path) -> list[str]:
    return [",".join(line.split(",")[:3]) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def concluded(lines: list[str], known: dict[str, str]) -> dict[int, str]:
    """Conclude for each line between two known people with the same diagnosis that it has this diagnosis, too."""
    places = [place for place, line in enumerate(lines) if line in known]
    return {
        place: known[lines[first]]
        for first, last in pairwise(places)
        if known[lines[first]] == known[lines[last]]
        for place in range(first + 1, last)
    }


def write_by(command: str, data: Path, folder: Path) -> Path:
    """Publish the rows without any diagnosis, and return the file that the attacker reads."""
    private, out = folder / "private.txt", folder / "out.csv"
    private.write_text("diagnosis\n", encoding="utf-8")
    rho = ["--sensitive", str(private), "--method", "simple", "--rho", "0.5"]
    if command == "kanon":
        words = ["kanon", str(data), "-k", "2", "--quasi-identifiers", "ward", "--drop", "diagnosis"]
    else:
        words = ["anonymize", str(data), *rho]
    kept = ["--keep-order"] if command == "release" else []
    assert main([*words, "-o", str(out), *kept]) == 0
    if command != "release":
        return out
    bundle = ["--promise", "rho=0.5", "--sensitive", str(private), "--ignore-unknown", "-o", str(folder / "public")]
    assert main(["release", "--rows", str(out), *bundle]) == 0
    return folder / "public" / "rows.csv"


@pytest.mark.parametrize("command", ["anonymize", "kanon", "release"])
def test_rows_sorted_by_diagnosis_tell_nobody_the_diagnosis(tmp_path: Path, command: str):
    rows = stays()
    true: dict[str, list[str]] = {}
    for *rest, diagnosis in rows:
        true.setdefault(",".join(rest), []).append(diagnosis)
    alone = {line: held[0] for line, held in true.items() if len(held) == 1}
    known = dict(random.Random(2).sample(sorted(alone.items()), STAYS // 25))
    before = concluded([",".join(rest) for *rest, _ in rows], known)
    assert len(before) > STAYS // 2, "the attack works on rows in their order"

    lines = published(write_by(command, table(tmp_path / "stays.csv", rows), tmp_path))
    assert Counter(lines) == Counter({line: len(held) for line, held in true.items()})
    found = concluded(lines, known)
    right = sum(alone.get(lines[place]) == diagnosis for place, diagnosis in found.items())
    assert right <= 5 + len(found) // 4, "no better than guessing among eight"


@pytest.mark.parametrize("command", ["anonymize", "kanon", "release"])
def test_the_same_rows_in_any_order_give_the_same_bytes(tmp_path: Path, command: str):
    rows, files = stays(), []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        files.append(write_by(command, table(folder / "stays.csv", rows), folder).read_bytes())
        random.Random(3).shuffle(rows)
    assert files[0] == files[1]
