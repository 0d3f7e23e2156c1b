"""Files with some of their bytes changed: what is read is what an independent reader finds, or the file is refused.

The other readers are `tests/rows_twin.py` and `tests/patterns_twin.py`. Files are read by the thousand in processes of
their own, so that one that would end the reader, or never let it end, counts as broken, too.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING

import discreet
from discreet.transactions.read_record import record_of
from evidence.campaign import Campaign, Outcome
from evidence.fuzz_samples import PATTERNS, ROWS, RULES
from tests.cells_twin import Refused
from tests.patterns_twin import patterns_of, rules_of
from tests.rows_twin import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evidence.fuzz_samples import Sample

__all__ = ["CAMPAIGNS"]

PART = 20_000
"""How many files one process reads."""

FIRST = {"rows": 10_000_000, "patterns": 20_000_000, "rules": 20_000_000}
"""The first seeds: hardly any from here on was looked at while the two readers were compared and mended."""

LONGEST = 3600
"""After how many seconds a process of so many files hangs."""

N = 8
"""How many rows patterns and rules come from."""

NOTHING = "read as nothing at all"
UNHARMED = "read as before the damage"
UNSURE = "Parquet, read otherwise by pyarrow"
REDUNDANT = (".parquet", ".xlsx", ".ods")
"""Files with parts that say nothing about cells, or say it twice; Parquet has no checksum that libraries rely on."""


@dataclass(slots=True)
class _Seen:
    """What became of a number of files."""

    tried: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    allowed: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def add(self, other: _Seen) -> None:
        """Count what another saw, too."""
        self.tried.update(other.tried)
        self.refused.update(other.refused)
        self.allowed.update(other.allowed)
        self.broken += other.broken


def _rows(path: Path, sample: Sample) -> object:
    rows = discreet.read(path, **sample.options)
    ids, about = None if rows.ids is None else list(rows.ids), record_of(rows)
    return list(rows), ids, about.shape, about.separator, about.header


def _rows_twin(sample: Sample, content: bytes) -> object:
    found = rows_of(sample.name, content, **sample.options)
    return found.rows, found.ids, found.shape, found.separator, found.header


def _patterns(path: Path, sample: Sample) -> object:
    given = discreet.read_patterns(path, **{"n": N} | sample.options)
    given.to_patternset("all")  # whose constructor checks everything
    sets = map(frozenset, given.itemsets.labels(given.vocabulary.labels))
    return sorted(zip(map(sorted, sets), given.supports.tolist(), strict=True)), given.n


def _patterns_twin(sample: Sample, content: bytes) -> object:
    return patterns_of(sample.name, content, **{"n": N} | sample.options)


def _rules(path: Path, sample: Sample) -> object:
    given = discreet.read_rules(path, **{"n": N} | sample.options)
    labels = given.vocabulary.labels
    sides = (map(sorted, each.labels(labels)) for each in (given.antecedents, given.consequents))
    return sorted(zip(*sides, given.supports.tolist(), given.confidences, strict=True)), given.n


def _rules_twin(sample: Sample, content: bytes) -> object:
    return rules_of(sample.name, content, **{"n": N} | sample.options)


READERS: dict[str, tuple[Callable[[Path, Sample], object], Callable[[Sample, bytes], object], dict[str, Sample]]] = {
    "rows": (_rows, _rows_twin, ROWS),
    "patterns": (_patterns, _patterns_twin, PATTERNS),
    "rules": (_rules, _rules_twin, RULES),
}


def read_files(kind: str, start: int, end: int) -> _Seen:
    """Read one damaged file for each seed."""
    samples = READERS[kind][2]
    names, weights = list(samples), [sample.weight for sample in samples.values()]
    seen = _Seen()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(start, end):
            luck = random.Random(seed)
            key = luck.choices(names, weights)[0]
            whole = samples[key].whole(samples[key].content, luck)
            wrong = _compared(kind, key, Path(folder), whole, samples[key].damage(whole, luck), seen)
            if wrong:
                seen.broken.append(f"seed {seed}, {key}: {wrong}")
    return seen


def _compared(kind: str, key: str, folder: Path, whole: bytes, content: bytes, seen: _Seen) -> str:  # noqa: PLR0917
    """Read a file twice; return what is wrong with it."""
    read, twin, samples = READERS[kind]
    sample = samples[key]
    path = folder / sample.name
    path.write_bytes(content)
    seen.tried[key] += 1
    try:
        found = read(path, sample)
    except discreet.InputError as error:
        seen.refused[key] += 1
        return "" if str(error) and "\n" not in str(error) else "the error is not one sentence"
    except Exception as error:  # noqa: BLE001 - which must not happen
        return f"{type(error).__name__}: {error}"
    try:
        wrong = "" if found == (expected := twin(sample, content)) else f"it was read as {found}, not as {expected}"
    except Refused as error:
        wrong = f"it was read, though {error}"
        if isinstance(found, tuple) and found[0] == []:
            seen.allowed[NOTHING] += 1
            return ""
    if wrong and sample.name.endswith(REDUNDANT):
        try:
            same = found == twin(sample, whole)
        except Refused:  # some are damaged from the start
            same = False
        if same or sample.name.endswith(".parquet"):
            seen.allowed[UNHARMED if same else UNSURE] += 1
            return ""
    return wrong


def _in_a_process(kind: str, start: int, end: int) -> _Seen:
    """Do the same in a process of its own."""
    command = [sys.executable, "-m", "evidence.fuzzing", kind, str(start), str(end)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return _Seen(Counter({"": end - start}), broken=[f"seeds {start} to {end - 1}: the process hangs"])
    if done.returncode:
        words = f"seeds {start} to {end - 1}: the process ended with {done.returncode}"
        return _Seen(Counter({"": end - start}), broken=[words])
    told = json.loads(done.stdout)
    return _Seen(*(Counter(told[name]) for name in ("tried", "refused", "allowed")), told["broken"])


def _fuzz(kind: str) -> Callable[[int], Iterator[Outcome]]:
    def run(count: int) -> Iterator[Outcome]:
        first = FIRST[kind]
        last = first + count
        parts = [(kind, start, min(start + PART, last)) for start in range(first, last, PART)]
        seen = _Seen()
        with ThreadPoolExecutor(int(environ.get("DISCREET_PROCESSES", "2"))) as pool:
            for one in pool.map(lambda part: _in_a_process(*part), parts):
                seen.add(one)
        yield _outcome(kind, seen)

    return run


def _outcome(kind: str, seen: _Seen) -> Outcome:
    for each in seen.broken[:20]:
        print(each, file=sys.stderr)
    allowed = [f"{words}: {times:,}" for words, times in sorted(seen.allowed.items())]
    what = f"damaged files of {kind}, in {len(seen.tried)} forms"
    note = "; ".join(seen.broken[:1] + allowed)
    return Outcome(what, seen.tried.total(), seen.refused.total(), len(seen.broken), note)


WHAT = {
    "rows": "the rows, their labels and ids, and how the file is said to have been read",
    "patterns": "the itemsets, their supports and n",
    "rules": "both sides of the rules, their supports, confidences and n",
}
SEEDS = {
    "rows": "Two of the files tried here were such cases, the others come from other seeds.",
    "patterns": "Three of the files tried here were such cases, the others come from other seeds.",
    "rules": "One of the files tried here was such a case, the others come from other seeds.",
}
CAMPAIGNS = tuple(
    Campaign(
        f"Fuzzed files of {kind}",
        f"A damaged file of {kind} is refused in one sentence, or {WHAT[kind]} are the same that a second reader finds "
        "in it. That one was begun from the page of formats alone; where the two then differed, each case was judged "
        f"and one of them mended, with the code of both at hand. {SEEDS[kind]} "
        "Each format in turn has bytes changed, removed, put in, repeated, or its end cut off. What the second reader "
        "refuses may be read only as counted in the last column.",
        _fuzz(kind),
        few=300,
        many=many,
    )
    for kind, many in (("rows", 600_000), ("patterns", 300_000), ("rules", 100_000))
)

if __name__ == "__main__":
    told = read_files(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    print(json.dumps({name: getattr(told, name) for name in ("tried", "refused", "allowed", "broken")}))
