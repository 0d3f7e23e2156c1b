"""What hiding loses, over ten draws of restrictive patterns each: python -m benchmarks.hiding_least [FOLDER [DRAWS]].

Restrictive patterns are drawn from all frequent itemsets of two to four items (of two, where it says pairs; from the
300 most frequent ones, where it says frequent; of two or three items from the 100 most frequent, where it says most
frequent), with the seeds 0 to 9. Every line is one draw: the misses cost of the four algorithms of oliveira2002, of the
row-wise search, and of `best`, with how few itemsets any way of hiding can lose; then that of `--below` at the same
support. The last lines are the ranges, in how many draws `best` loses at most half of what IGA loses, in how many
nothing could, and the seconds of the row-wise search and of `best` against IGA's on 100,000 rows of at least 40 items.
FOLDER gets hiding.csv, a line for each figure as soon as it is measured. Draws that are there already are not measured
again.
"""

from __future__ import annotations

import csv
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cases import data_folder
from benchmarks.hiding_data import paper_rows, restrictive_patterns
from discreet.hiding.hide import hide
from discreet.patterns.mining import mine
from discreet.transactions.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from discreet.transactions.transactions import Transactions

__all__ = ["CASES", "draw_patterns", "main", "measure"]

CASES: dict[str, tuple[str, str, int, int, int | None]] = {
    "retail": ("retail", "0.2%", 10, 4, None),
    "retail, frequent": ("retail", "0.2%", 10, 4, 300),
    "retail, most frequent": ("retail", "0.2%", 10, 3, 100),
    "T10I4D100K": ("T10I4D100K", "0.2%", 10, 4, None),
    "T10I4D100K, pairs": ("T10I4D100K", "0.2%", 10, 2, None),
    "T10I4D100K, frequent": ("T10I4D100K", "0.2%", 10, 4, 300),
    "mushroom": ("mushroom", "40%", 5, 4, None),
}
"""Data, support, how many patterns, their most items, and of how many of the most frequent ones they are drawn."""


def draw_patterns(
    rows: Transactions, share: str, count: int, longest: int, seed: int, *, most: int | None = None
) -> list[frozenset[str]]:
    """Draw restrictive patterns from the frequent itemsets of two items or more, or the `most` frequent of them."""
    found = mine(rows, min_support=share, target="all", max_length=longest)
    several = np.flatnonzero(found.itemsets.lengths > 1)
    if most is not None:
        several = several[np.argsort(-found.supports[several], kind="stable")[:most]]
    chosen = random.Random(seed).sample(several.tolist(), count)
    return [frozenset(found.vocabulary[item] for item in found.itemsets[place].tolist()) for place in chosen]


def measure(rows: Transactions, patterns: list[frozenset[str]], share: str) -> dict[str, float]:
    """Return per cent of the legitimate itemsets that are lost: by each method, at least, and below the support."""
    start = time.process_time()
    done = hide(rows, restrict=patterns, min_support=share)
    seconds = time.process_time() - start
    below = hide(rows, restrict=patterns, method="rowwise", below=share)
    if done.side_effects is None or below.side_effects is None:
        raise AssertionError("a support was given")
    effects = done.side_effects
    legitimate = effects.patterns_before - effects.restrictive_before
    lost = {each.method: 100 * float(each.misses_cost) for each in done.candidates}
    lost["best"] = 100 * float(effects.misses_cost)
    if done.at_least is not None:
        lost["at least"] = 100 * done.at_least / legitimate
    return lost | {"below": 100 * float(below.side_effects.misses_cost), "seconds of best": seconds}


def main() -> None:
    """Measure all cases, and print the ranges."""
    words = sys.argv[1:]
    folder = Path(words[0]) if words else None
    draws = int(words[1]) if words[1:] else 10
    known = {} if folder is None else _read(folder / "hiding.csv")
    for name, (file, share, count, longest, most) in CASES.items():
        rows = read(data_folder() / f"{file}.dat.gz")
        lines = []
        for seed in range(draws):
            line = known.get((name, seed))
            if line is None:
                line = measure(rows, draw_patterns(rows, share, count, longest, seed, most=most), share)
                if folder is not None:
                    _write(folder / "hiding.csv", name, seed, line)
            lines.append(line)
            print(f"{name} {seed}:", ", ".join(f"{each} {value:.2f}" for each, value in line.items()), flush=True)
        for sentence in ranges(name, lines):
            print(sentence, flush=True)
    _time_them(known, folder)


def ranges(name: str, lines: Sequence[Mapping[str, float]]) -> Iterator[str]:
    """Yield the range of each figure, and in how many draws the best is at most half of IGA's, or nothing could be."""
    for each in dict.fromkeys(each for line in lines for each in line):
        values = [line[each] for line in lines if each in line]
        yield f"{name}, {each}: {min(values):.2f} to {max(values):.2f} ({len(values)} draws)"
    halved = sum(2 * line["best"] <= line["iga"] for line in lines)
    never = sum(2 * line.get("at least", 0) > line["iga"] for line in lines)
    yield f"{name}: best loses at most half of IGA in {halved} draws, nothing could in {never}"


def _time_them(known: Mapping[tuple[str, int], Mapping[str, float]], folder: Path | None) -> None:
    """Print the seconds of three methods in one run, so that they can be compared."""
    rows = paper_rows()
    for hubs, seed in ((3, 6), (0, 1)):
        name = f"100,000 x 40, hubs {hubs}"
        line = dict(known.get((name, seed), {}))
        if not line:
            patterns = restrictive_patterns(rows, hubs=hubs, seed=seed)
            for method in ("iga", "rowwise", "best"):
                start = time.process_time()
                done = hide(rows, restrict=patterns, method=method, min_support="10%")
                line[f"{method}, seconds"] = time.process_time() - start
                line[method] = 0 if done.side_effects is None else 100 * float(done.side_effects.misses_cost)
            if folder is not None:
                _write(folder / "hiding.csv", name, seed, line)
        print(f"{name}:", ", ".join(f"{each} {value:.2f}" for each, value in line.items()), flush=True)


def _write(path: Path, name: str, seed: int, line: Mapping[str, float]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if fresh:
            writer.writerow(["case", "seed", "figure", "value"])
        writer.writerows([name, seed, each, round(value, 4)] for each, value in line.items())


def _read(path: Path) -> dict[tuple[str, int], dict[str, float]]:
    if not path.exists():
        return {}
    found: dict[tuple[str, int], dict[str, float]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            found.setdefault((line["case"], int(line["seed"])), {})[line["figure"]] = float(line["value"])
    return found


if __name__ == "__main__":
    main()
