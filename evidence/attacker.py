"""The independent attacker of tests/attacks against everything that discreet calls safe."""

from __future__ import annotations

import csv
import gzip
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import discreet
from discreet.transactions.generate import hospital
from evidence.campaign import Campaign, Outcome, data_folder
from tests.attacks.twin import Publication, entailed, entailed_by_milp, expand_closed, outside
from tests.papers.adult import read_adult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from discreet import PatternSet, Transactions

__all__ = ["CAMPAIGN"]

Method = Literal["additive", "suppressive"]
METHODS: tuple[Method, ...] = ("additive", "suppressive")
DIABETIC = (
    *("race", "gender", "age", "admission_type_id", "discharge_disposition_id", "time_in_hospital", "num_procedures"),
    *("A1Cresult", "insulin", "change", "diabetesMed", "readmitted", "max_glu_serum", "metformin"),
)
MANY = 500
MUSHROOM = tuple((share, k) for share in ("60%", "50%", "40%", "30%") for k in (5, 10, 25, 50))


@dataclass(slots=True)
class _Score:
    """What became of several attempts to publish, all by one method."""

    tried: int = 0
    refused: int = 0
    broken: int = 0
    proved: int = 0
    distortions: list[tuple[float, float, float]] = field(default_factory=list)  # ours, the paper's alone, k/n

    def block(self, rows: Transactions, k: int, min_support: int | str, method: Method) -> None:
        """Block the rows and let the attacker loose on the result."""
        self.tried += 1
        try:
            blocked = discreet.block(rows, k=k, min_support=min_support, method=method)
        except discreet.NotSafe:
            self.refused += 1
            return
        self.proved += blocked.proof.proved
        exclusive = blocked.proof.exclusive.sets
        self.broken += _leaks(blocked.patterns, k, blocked.witness, exclusive)
        paper = discreet.block(rows, k=k, min_support=min_support, method=method, border=False)
        figures = float(blocked.distortion.average), float(paper.distortion.average), k / blocked.n_before
        self.distortions.append(figures)

    def audit(self, rows: Transactions, k: int, min_support: int) -> None:
        """Audit the rows as they are; patterns that are not safe count as refused."""
        self.tried += 1
        found = discreet.audit(rows, k=k, min_support=min_support)
        if not found.safe:
            self.refused += 1
            return
        self.proved += found.proved
        self.broken += _leaks(discreet.mine(rows, min_support=min_support, target="closed"), k, rows)

    def outcome(self, what: str) -> Outcome:
        """Return the figures, the average distortion among them."""
        note = f"proved: {self.proved}"
        if self.distortions:
            ours, paper, share = (sum(one) / len(self.distortions) for one in zip(*self.distortions, strict=True))
            note += f"; distortion {ours:.4f}, of the paper alone {paper:.4f}, k/n {share:.4f}"
        return Outcome(what, self.tried, self.refused, self.broken, note)


def _leaks(
    patterns: PatternSet, k: int, rows: Iterable[Iterable[str]], exclusive: Iterable[Iterable[str]] = ()
) -> bool:
    """Tell whether a group of 1 to k - 1 rows follows. `rows` is a data set that fits; it only saves time."""
    supports = expand_closed(_supports(patterns))
    if not supports:
        return False
    publication = Publication(
        patterns.n, supports, patterns.min_support, tuple(frozenset(together) for together in exclusive)
    )
    items = frozenset(publication.items)
    return bool(outside(publication, entailed(publication, k, Counter(frozenset(row) & items for row in rows))))


def _run(count: int) -> Iterator[Outcome]:
    yield _groups_found(count)
    yield from _random_rows(count)
    if count < MANY:
        return
    yield from _baskets()
    yield from _tables()


def _groups_found(count: int) -> Outcome:
    """Compare what an audit lists with every group that integer programs over all items find, on tiny data."""
    entailed_groups = found_groups = false_groups = 0
    for seed in range(count):
        luck = random.Random(seed)
        rows = discreet.Transactions.from_rows([row[:5] for row in _drawn(luck)[:14]])
        k, min_support = luck.randint(2, 4), luck.randint(2, 5)
        patterns = discreet.mine(rows, min_support=min_support)
        if not len(patterns):
            continue
        publication = Publication(patterns.n, expand_closed(_supports(patterns)), min_support)
        exact = outside(publication, entailed_by_milp(publication, k))
        ours = {(group.base, group.absent) for group in discreet.audit(patterns, k=k).border}
        entailed_groups += len(exact)
        found_groups += len(ours & exact.keys())
        false_groups += len(ours - exact.keys())
    note = f"of {entailed_groups:,} entailed groups {found_groups:,} are found"
    return Outcome("tiny rows: groups that an audit lists", entailed_groups, 0, false_groups, note)


def _supports(patterns: PatternSet) -> dict[frozenset[str], int]:
    return {frozenset(itemset): int(support) for itemset, support in patterns}


def _random_rows(count: int) -> Iterator[Outcome]:
    scores = {"as they are": _Score(), **{method: _Score() for method in METHODS}}
    for seed in range(count):
        luck = random.Random(seed)
        rows = discreet.Transactions.from_rows(_drawn(luck))
        k = luck.randint(2, 6)
        min_support = max(k, int(len(rows) * luck.uniform(0.1, 0.5)))
        scores["as they are"].audit(rows, k, min_support)
        for method in METHODS:
            scores[method].block(rows, k, min_support, method)
    for name, score in scores.items():
        yield score.outcome(f"random rows of 3 to 8 items, {name}")


def _drawn(luck: random.Random) -> list[list[str]]:
    """Draw rows that are mostly noisy copies of a few prototypes, as people's rows are."""
    items = "abcdefgh"[: luck.randint(3, 8)]
    shares = {item: luck.uniform(0.2, 0.9) for item in items}
    prototypes = [[item for item in items if luck.random() < shares[item]] for _ in range(luck.randint(2, 8))]
    rows = []
    for _ in range(luck.randint(12, 80)):
        row = {item for item in items if luck.random() < shares[item]}
        if luck.random() < 0.7:
            row = {item for item in luck.choice(prototypes) if luck.random() < 0.93}
            row |= {item for item in items if luck.random() < 0.05}
        rows.append(sorted(row))
    return rows


def _baskets() -> Iterator[Outcome]:
    settings: list[tuple[str, Transactions, tuple[tuple[str, int], ...]]] = [
        ("hospital, 5,000 stays, 20 to 5 %", hospital(rows=5000), (("20%", 10), ("10%", 10), ("5%", 10))),
        ("hospital, 4,000 stays of the demo, 14 %", hospital(rows=4000), (("14%", 10),)),
        ("mushroom, 60 to 30 %, k 5 to 50", _public("mushroom"), MUSHROOM),
        ("chess, 95 and 93 %", _public("chess"), (("95%", 10), ("93%", 5))),
        ("connect, 97 %", _public("connect"), (("97%", 10),)),
        ("accidents' prefix, 70 %", _public("accidents_first15224"), (("70%", 10),)),
    ]
    for name, rows, pairs in settings:
        yield from _blocked(name, [(rows, k, share) for share, k in pairs])


def _tables() -> Iterator[Outcome]:
    yield from _blocked("adult, 18,100, k = 50", [(read_adult(data_folder()), 50, 18_100)])
    luck = random.Random(1)
    for size, count in ((2, 10), (3, 10), (5, 8)):
        chosen = luck.sample(list(combinations(DIABETIC, size)), count)
        yield from _blocked(
            f"hospital table, {size} of its columns, 20 %", [(_diabetic(columns), 10, "20%") for columns in chosen]
        )
    path = data_folder() / "agaricus-lepiota.data.csv.gz"
    table = discreet.read(path, format="table", header=False, columns=[f"c{column}" for column in range(23)])
    yield from _blocked("mushroom as a table, 60 to 40 %", [(table, 10, share) for share in ("60%", "50%", "40%")])


def _blocked(name: str, settings: list[tuple[Transactions, int, int | str]]) -> Iterator[Outcome]:
    for method in METHODS:
        score = _Score()
        for rows, k, min_support in settings:
            score.block(rows, k, min_support, method)
        yield score.outcome(f"{name}, {method}")


def _public(name: str) -> Transactions:
    return discreet.read(data_folder() / f"{name}.dat.gz")


def _diabetic(columns: tuple[str, ...]) -> Transactions:
    path = data_folder() / "diabetic_data.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        header = next(csv.reader(file))
    return discreet.read(path, drop=[name for name in header if name not in columns], missing="skip")


CAMPAIGN = Campaign(
    "The attacker",
    "From patterns that are called safe no group of 1 to k − 1 rows follows. An attacker that was written from the "
    "definition alone solves linear programs over all items where they are at most 11, else over every union of two "
    "maximal itemsets of at most 9 items. *Refused* counts data that discreet would not publish.",
    _run,
    few=3,
    many=MANY,
)
