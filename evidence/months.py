"""Data that grow, published month after month under one ledger, and read by a program that shares no code."""

from __future__ import annotations

import random
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from discreet import NotSafe, ParameterError, Transactions, release, verify
from evidence.campaign import Campaign, Outcome
from tests.attacks.months import conclusions, small_groups, supports_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["CAMPAIGN"]

SENSITIVE = "s"


def _months(luck: random.Random) -> list[list[list[str]]]:
    """Return the rows of each month: kinds of people with their own likely items, and some more of them each month."""
    items = "abcd"[: luck.choice([3, 4])] + SENSITIVE
    kinds = [{item: luck.choice([0.05, 0.2, 0.5, 0.8, 0.95]) for item in items} for _ in range(luck.choice([2, 3]))]
    rows: list[list[str]] = []
    found = []
    for month in range(luck.choice([2, 3, 4, 5])):
        for _ in range(luck.choice([60, 120, 200]) if month == 0 else luck.choice([0, 2, 15, 40, 90])):
            kind = luck.choice(kinds)
            rows.append([item for item in items if luck.random() < kind[item]])
        found.append(list(rows))
    return found


def _published(luck: random.Random, folder: Path, *, told: bool) -> tuple[int, int, list[object]]:
    """Publish all months that may be; return how many were, how many were refused, and what is wrong or told."""
    k, rho = luck.choice([2, 3, 5, 10]), luck.choice([Fraction(3, 10), Fraction(1, 2), Fraction(4, 5)])
    known = ["a", "b", "c"] if luck.random() < 1 / 2 else None
    about: dict[str, Any] = {"k": k, "quasi_identifiers": known, "ledger": folder / "book", "fit_ledger": True}
    about |= {"sensitive": [SENSITIVE], "rho": rho} if told else {}
    bundles, refused = [], 0
    for number, rows in enumerate(_months(luck)):
        how = {"method": luck.choice(["additive", "suppressive"]), "min_support": luck.choice([k, 10, 20, 40])}
        begun = {"rows_added": True} if bundles else {"new_ledger": True}
        try:
            done = release(Transactions.from_rows(rows), output=folder / str(number), **how, **begun, **about)
        except (NotSafe, ParameterError):  # the latter where no quasi-identifier is frequent
            refused += 1
            continue
        bundles.append(done.bundle)
    wrong: list[object] = [found.reason for bundle in bundles if not (found := verify(bundle)).holds]
    printed = [supports_in(bundle) for bundle in bundles]
    if known is None and told:
        known = list("abcd")
    wrong += small_groups(printed, k, known)
    wrong += conclusions(printed, [SENSITIVE], rho, known) if told else []
    return len(bundles), refused, wrong


def _run(count: int) -> Iterator[Outcome]:
    for what, told in (("small groups", False), ("small groups and sensitive items", True)):
        published = refused = broken = 0
        for seed in range(count):
            with tempfile.TemporaryDirectory() as name:
                some, none, wrong = _published(random.Random(seed), Path(name), told=told)
            published, refused, broken = published + some, refused + none, broken + bool(wrong)
            if wrong:
                print(f"seed {seed}, {what}: {wrong}", flush=True)
        yield Outcome(f"growing data, {what}", count, refused, broken, f"bundles: {published:,}")


CAMPAIGN = Campaign(
    "Months",
    "Data to which rows are added are published month after month under one ledger, with `fit_ledger`. A program that "
    "shares no code reads all bundles, and counts those who came between any two: no group of fewer than k follows, "
    "and no conclusion of rho or more. *Refused* counts months of which nothing could be published.",
    _run,
    few=3,
    many=300,
)
