"""Hiding, anonymizing and generalizing against the slow twins of tests/, on many draws."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import discreet
from discreet.channels.withholding import withhold
from discreet.hiding.restrictions import Restriction
from evidence.campaign import Campaign, Outcome
from tests import conclusions_twin, hiding_twin, uncertainty_twin
from tests.attacks import local_reader
from tests.attacks.twin import Publication, entailed_by_enumeration, expand_closed
from tests.laws.test_conclusions import asked, random_case
from tests.microdata.kanon_twin import Twin

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CAMPAIGNS"]

HIDING = ("naive", "minfia", "maxfia", "iga")
ANONYMIZING = ("best", "tdcontrol", "suppress", "simple", "local")


def _hide(count: int) -> Iterator[Outcome]:
    """Compare rows that were hidden with what the paper's steps give, one row at a time."""
    for method in HIDING:
        broken = 0
        for seed in range(count):
            luck = random.Random(seed)
            labels = "abcdefghij"[: luck.randint(2, 10)]
            density = luck.choice([0.3, 0.5, 0.8])
            rows = [[x for x in labels if luck.random() < density] for _ in range(luck.randint(1, 40))]
            sizes = [luck.randint(1, min(4, len(labels))) for _ in range(luck.randint(1, 8))]
            patterns = list(dict.fromkeys(frozenset(luck.sample(labels, size)) for size in sizes))
            shares = [Fraction(luck.choice([0, 0, 1, 2, 5, 6]), 6) for _ in patterns]
            wanted = [Restriction(*each) for each in zip(patterns, shares, strict=True)]
            given = discreet.Transactions.from_rows(rows)
            hidden = discreet.hide(given, restrict=wanted, method=method, ignore_unknown=True)
            broken += [set(row) for row in hidden.rows] != hiding_twin.hide(rows, patterns, method, shares)
        yield Outcome(f"rows of 2 to 10 items, {method}", count, 0, broken)


def _anonymize(count: int) -> Iterator[Outcome]:
    """Try every antecedent in rows that were published, and in rows as they are."""
    for method in ANONYMIZING:
        broken = 0
        for seed in range(count):
            rows, sensitive, rho, fanout = _rows_with_secrets(random.Random(seed))
            given = discreet.Transactions.from_rows(rows)
            done = discreet.anonymize(
                given, rho=rho, sensitive=sensitive, fanout=fanout, method=method, ignore_unknown=True
            )
            published = list(done.rows)
            said = None if done.worst_rule is None else done.worst_rule.confidence
            worst = uncertainty_twin.highest_confidence(published, sensitive)
            broken += said != worst or bool(uncertainty_twin.violating(published, sensitive, rho))
        yield Outcome(f"rows of 1 to 11 items, {method}", count, 0, broken)
    safe = broken = 0
    for seed in range(count):
        rows, sensitive, rho, _ = _rows_with_secrets(random.Random(seed))
        found = discreet.check(discreet.Transactions.from_rows(rows), rho=rho, sensitive=sensitive, ignore_unknown=True)
        safe += found.safe
        broken += found.safe == bool(uncertainty_twin.violating(rows, sensitive, rho))
    yield Outcome("rows of 1 to 11 items, check", count, 0, broken, f"safe as they are: {safe:,}")


def _read_local(count: int) -> Iterator[Outcome]:
    """Look at small data sets as a reader does who knows how items are taken out of single rows."""
    changed = guessed = certain = broken = 0
    for seed in range(count):
        rows, sensitive, rho = local_reader.draw(seed)
        done = discreet.anonymize(
            discreet.Transactions.from_rows(rows),
            rho=rho,
            sensitive=sorted(sensitive),
            hierarchy=local_reader.HIERARCHY,
            method="local",
            keep_order=True,
            ignore_unknown=True,
        )
        published = tuple(done.rows)
        broken += published != local_reader.publish(rows, sensitive, rho)
        if published == rows:
            continue
        changed += 1
        sure, surer = local_reader.surest(rows, sensitive, rho)
        guessed += sure >= rho
        certain += surer == 1
        broken += sure == 1
    note = f"changed: {changed:,}; rho is reached in {guessed:,}; certain who knows what was taken out: {certain:,}"
    yield Outcome("6 to 10 rows of 5 or 6 items", count, 0, broken, note)


def _read_decisions(count: int) -> Iterator[Outcome]:
    """Look at tiny data sets as a reader does who works every decision out again, from all inputs there can be."""
    for method in ("simple", "best", "rare-rows"):
        changed = guessed = certain = 0
        for seed in range(count):
            luck = random.Random(seed)
            others = [frozenset(x for x in "abc" if luck.random() < 0.5) for _ in range(luck.randint(5, 6))]
            rho = luck.choice(
                (Fraction(3, 5), Fraction(2, 3), Fraction(3, 4))
            )  # above one half, which he guesses anyway
            worlds = [
                tuple(row | {"x"} if has else row for row, has in zip(others, held, strict=True))
                for held in product((False, True), repeat=len(others))
            ]
            made: dict[tuple[frozenset[str], ...], list[tuple[frozenset[str], ...]]] = {}
            for world in worlds:
                done = discreet.anonymize(
                    discreet.Transactions.from_rows(world),
                    rho=rho,
                    sensitive=["x"],
                    method=method,
                    keep_order=True,
                    ignore_unknown=True,
                )
                made.setdefault(tuple(done.rows), []).append(world)
            for published, inputs in made.items():
                if inputs == [published]:
                    continue
                changed += 1
                sure = _surest_guess(published, inputs)
                guessed += sure >= rho
                certain += sure == 1
        note = f"outputs: {changed:,}; rho is reached in {guessed:,}; certain: {certain:,}"
        yield Outcome(f"5 or 6 rows of 4 items, every input, {method}", count, 0, 0, note)


def _surest_guess(published: tuple[frozenset[str], ...], inputs: list[tuple[frozenset[str], ...]]) -> Fraction:
    """Return how sure of x someone can be who knows other items of a row, if all inputs are equally likely."""
    held: Counter[frozenset[str]] = Counter()
    with_x: Counter[frozenset[str]] = Counter()
    for world in inputs:
        for row in world:
            for part in local_reader.parts(row - {"x"}):
                held[part] += 1
                with_x[part] += "x" in row
    shown = {part for row in published for part in local_reader.parts(row - {"x"})}
    return max((Fraction(with_x[part], held[part]) for part in shown if held[part]), default=Fraction(0))


def _rows_with_secrets(luck: random.Random) -> tuple[list[frozenset[str]], list[str], Fraction, int]:
    items, sensitive = "abcdefg"[: luck.randint(0, 7)], "wxyz"[: luck.randint(1, 4)]
    density = luck.choice([0.15, 0.3, 0.5])
    rows = [frozenset(x for x in items + sensitive if luck.random() < density) for _ in range(luck.randint(1, 14))]
    rows += luck.choices(rows, k=luck.randint(0, 6))
    return rows, list(sensitive), Fraction(luck.randint(1, 10), 10), luck.randint(2, 4)


def _generalize(count: int) -> Iterator[Outcome]:
    """Compare generalizations with what trying all of them gives, and look at every row of the result."""
    for method in ("datafly", "incognito"):
        refused = broken = 0
        for seed in range(count):
            rows, hierarchies, k, limit = _table(random.Random(seed))
            twin = Twin(rows, hierarchies)
            best = twin.minimal(k, limit) if method == "incognito" else [twin.datafly(k, limit)]
            names = [f"q{at}" for at in range(len(hierarchies))]
            given = [[f"{name}={value}" for name, value in zip(names, row, strict=True)] for row in rows]
            try:
                made = discreet.kanon(
                    discreet.Transactions.from_rows(given),
                    k=k,
                    quasi_identifiers=names,
                    hierarchies=dict(zip(names, hierarchies, strict=True)),
                    method=method,
                    suppress=limit,
                )
            except discreet.InputError:
                refused += 1
                broken += best not in ([], [None])
                continue
            levels = tuple(made.generalization.values())
            found = [tuple(each.values()) for each in made.alternatives] or [levels]
            broken += found != best or not _anonymous(made.rows, twin, rows, levels, k)
        yield Outcome(f"tables of 1 to 4 columns, {method}", count, refused, broken)


def _anonymous(
    published: discreet.Transactions, twin: Twin, rows: list[list[str]], levels: tuple[int, ...], k: int
) -> bool:
    """Say whether just the rows in groups of at least k are there, each generalized as it must be."""
    sizes = twin.groups(levels)
    general = [twin.generalized(row, levels) for row in rows]
    expected = [frozenset(f"q{at}={x}" for at, x in enumerate(row)) for row in general if sizes[row] >= k]
    return Counter(published) == Counter(expected)  # in another order, which follows from their content


def _table(luck: random.Random) -> tuple[list[list[str]], list[list[list[str]]], int, int]:
    """Draw rows, a hierarchy for each column, k, and how many rows may be left out."""
    hierarchies = []
    for _ in range(luck.randint(1, 4)):
        level = [f"v{number}" for number in range(luck.randint(1, 5))]
        lines = [[value] for value in level]
        for number in range(1, luck.randint(1, 3) + 1):
            parents = luck.randint(1, 3)
            parent_of = {value: f"l{number}-{luck.randint(1, parents)}" for value in sorted(set(level))}
            level = [parent_of[value] for value in level]
            for line, value in zip(lines, level, strict=True):
                line.append(value)
        if luck.random() < 0.75:
            for line in lines:
                line.append("*")
        hierarchies.append(lines)
    rows = [[luck.choice(lines)[0] for lines in hierarchies] for _ in range(luck.randint(1, 40))]
    return rows, hierarchies, luck.randint(2, 5), luck.randint(0, 6)


def _conclude(count: int) -> Iterator[Outcome]:
    """Count every group in the rows, write down every data set that fits, and look again after withholding."""
    broken = held = 0
    for seed in range(count):
        rows, sigma, known, rho = random_case(seed)
        options = asked(rows, known, rho)
        found = discreet.audit(discreet.Transactions.from_rows(rows), k=2, min_support=sigma, border=False, **options)
        labels = options["quasi_identifiers"] or {label for row in rows for label in row} - {"s", "t"}
        true = conclusions_twin.by_counting(rows, sigma, labels, ["s", "t"], found.rho)
        listed = {(one.present, one.absent, one.item): (one.rows[0], one.having[0]) for one in found.conclusions}
        missed = [one for one in true if not any(one[2] == s and one[0] <= x and one[1] <= y for x, y, s in listed)]
        broken += bool(missed) or not listed.items() <= true.items()
        held += len(true)
    yield Outcome("rows of 3 to 6 items, by counting", count, 0, broken, f"conclusions: {held:,}")
    broken = held = refused = 0
    for seed in range(count):
        rows, sigma, known, rho = random_case(seed, most_items=4, most_rows=12)
        times = seed % 2 + 1
        rows, sigma, k = rows * times, sigma * times, 2 + seed % 3 // 2
        options = asked(rows, known, rho)
        patterns = discreet.mine(discreet.Transactions.from_rows(rows), min_support=sigma, target="closed")
        labels = set(options["quasi_identifiers"] or patterns.vocabulary.labels) - {"s", "t"}
        if not len(patterns):
            continue
        found = discreet.audit(patterns, k=k, **options)
        publication = Publication(patterns.n, expand_closed(dict(patterns)), sigma)
        true = conclusions_twin.by_enumeration(publication, labels, ["s", "t"], found.rho)
        broken += not {(one.present, one.absent, one.item) for one in found.conclusions} <= true
        broken += bool(true) != bool(found.conclusions)
        groups = labels if options["quasi_identifiers"] else {*publication.items}
        broken += _small(publication, k, groups) == found.groups_safe
        try:
            left = withhold(patterns, k=k, **options).patterns
        except discreet.NotSafe:
            refused += 1
            continue
        if len(left) and left.target == "selected":
            held += 1
            again = Publication(left.n, dict(left))
            broken += bool(conclusions_twin.by_enumeration(again, labels, ["s", "t"], found.rho))
            broken += _small(again, k, groups)
    note = f"itemsets were withheld {held:,} times"
    yield Outcome("rows of 3 to 4 items, every data set that fits", count, refused, broken, note)


def _small(publication: Publication, k: int, items: set[str]) -> bool:
    """Tell whether a group of 1 to k-1 rows over these items follows."""
    return publication.n < k or any(
        present | absent <= items for present, absent in entailed_by_enumeration(publication, k)
    )


CAMPAIGNS = (
    Campaign(
        "Sensitive items",
        "Every conclusion about a sensitive item that an audit lists is true in every data set that fits, and within "
        "the published itemsets none is missed. After withholding none is left. *Refused* counts patterns with a small "
        "group.",
        _conclude,
        few=40,
        many=2000,
    ),
    Campaign(
        "Hiding",
        "What each method hides is what the paper's steps give, followed row by row in an implementation of its own.",
        _hide,
        few=25,
        many=50_000,
    ),
    Campaign(
        "Anonymizing",
        "From rows that were anonymized no sensitive item follows with confidence rho or more: every part of every row "
        "is tried as an antecedent. The surest rule that is named is the surest there is.",
        _anonymize,
        few=25,
        many=20_000,
    ),
    Campaign(
        "Reading what was taken out of rows",
        "From rows that `local` made, a reader who knows part of a published row, all other items of all rows, and the "
        "method, is certain of nothing: all inputs that give the same rows are tried, and are equally likely. How "
        "often a guess about someone reaches rho is counted, in data sets that were changed.",
        _read_local,
        few=4,
        many=300,
    ),
    Campaign(
        "Reading decisions",
        "PROTECTED is a promise about the published rows. A reader who knows all other items of all rows and works "
        "out again, for every input there can be, what the method decides, and takes those that give the published "
        "rows to be equally likely, can be surer. (Before he sees them he is sure by one half; rho is above that.) How "
        "often he reaches rho is counted, in outputs that another input than themselves can give; nothing is promised "
        "about it, so that nothing is broken.",
        _read_decisions,
        few=1,
        many=25,
    ),
    Campaign(
        "Generalizing",
        "A generalized table is k-anonymous, with no more rows left out than allowed, and its levels are those that "
        "trying every generalization gives. *Refused* counts tables that cannot be made anonymous.",
        _generalize,
        few=40,
        many=50_000,
    ),
)
