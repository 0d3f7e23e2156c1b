"""What channels/attacker.py promises, tried by someone who does not know its code: tests/attacks/twin.py."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import product
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet.channels.attacker import attack
from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.channels.collection import collection_of
from discreet.channels.derivation import deduce
from discreet.channels.exclusive import Exclusive, exclusive_in_patterns
from discreet.channels.knowledge import Knowledge
from discreet.errors import DataError, NotSafe
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.attacks.twin import Publication, entailed, entailed_by_enumeration, expand_closed, outside
from tests.strategies import seeds

if TYPE_CHECKING:
    from discreet.channels.attacker import Attack

GOLDEN = json.loads((Path(__file__).parent.parent / "data" / "entailed.json").read_text())


def random_rows(seed: int, *, items: int = 8, most: int = 80) -> tuple[list[list[str]], int, int]:
    """Draw rows that cluster around a few kinds, as real ones do, a minimum support and k."""
    draw = random.Random(seed)
    labels = "abcdefgh"[: draw.randint(3, items)]
    shares = [draw.uniform(0.2, 0.9) for _ in labels]

    def one() -> list[str]:
        return [label for label, share in zip(labels, shares, strict=True) if draw.random() < share]

    kinds = [one() for _ in range(draw.randint(2, 8))]
    rows = []
    for _ in range(draw.randint(12, most)):
        if draw.random() < 0.7:
            kept = [label for label in draw.choice(kinds) if draw.random() < 0.93]
            rows.append(sorted({*kept, *(label for label in labels if draw.random() < 0.05)}))
        else:
            rows.append(one())
    k = draw.randint(2, 6)
    return rows, max(k, int(len(rows) * draw.uniform(0.1, 0.5))), k


def publication_of(patterns: PatternSet, exclusive: tuple[frozenset[str], ...] = ()) -> Publication:
    return Publication(patterns.n, expand_closed(dict(patterns)), patterns.min_support, exclusive)


def look(patterns: PatternSet, k: int, exclusive: Exclusive | None = None) -> Attack:
    collection = collection_of(patterns)
    apart = (exclusive or Exclusive()).itemsets(patterns.vocabulary)
    return attack(Knowledge.of(collection, apart), k=k, maximal=collection.maximal)


def as_sizes(found: Attack) -> dict[tuple[frozenset[str], frozenset[str]], tuple[int, int]]:
    return {(group.base, group.absent): (group.low, group.high) for group in found.groups}


def golden(case: dict) -> tuple[PatternSet, Exclusive]:
    patterns = PatternSet.from_itemsets(
        [(row["items"], row["support"]) for row in case["itemsets"]],
        n=case["n"],
        min_support=case["min_support"],
        target="all",
    )
    return patterns, exclusive_in_patterns(patterns, case["exclusive"] or None)


@pytest.mark.parametrize("case", GOLDEN, ids=[case["name"] for case in GOLDEN])
def test_the_golden_publications_entail_just_these_groups(case: dict):
    patterns, exclusive = golden(case)
    found = look(patterns, case["k"], exclusive)
    expected = {
        (frozenset(group["present"]), frozenset(group["absent"])): (group["low"], group["high"])
        for group in case["entailed"]
    }
    assert as_sizes(found) == expected
    assert found.complete
    assert not audit(patterns, k=case["k"], exclusive=exclusive).safe


def check_proofs(found: Attack, exclusive: Exclusive, sigma: int) -> int:
    """Redo every sum with fractions, and look at every kind of row whether the sum may count it so."""
    for group, why in zip(found.groups, deduce(found), strict=True):
        for figures, high in ((why.low, False), (why.high, True)):
            bound = sum((figure.times * figure.value for figure in figures), Fraction(0))
            assert (floor(bound) == group.high) if high else (ceil(bound) == group.low)
            # of ceilings only the sign is known here: the support of some unpublished set is at most that
            free = [figure.times for figure in figures if figure.items is None]
            assert all(times > 0 if high else times < 0 for times in free)
            assert all(figure.value == sigma - 1 for figure in figures if figure.items is None)
            if not free:
                check_every_row(group, figures, exclusive, high=high)
    return len(found.groups)


def check_every_row(group, figures, exclusive: Exclusive, *, high: bool) -> None:
    named = sorted({*group.full}.union(*(figure.items or () for figure in figures)))
    for held in product([False, True], repeat=len(named)):
        row = {label for label, has in zip(named, held, strict=True) if has}
        if any(len(row & set(one)) > 1 for one in exclusive.sets):
            continue
        counts = sum((figure.times for figure in figures if row.issuperset(figure.items)), Fraction(0))
        inside = group.base <= row and not row & group.absent
        assert (counts >= inside) if high else (counts <= inside)


def test_every_proof_can_be_redone():
    proved = 0
    for case in GOLDEN:
        patterns, exclusive = golden(case)
        proved += check_proofs(look(patterns, case["k"], exclusive), exclusive, case["min_support"])
    for seed in range(60):
        rows, sigma, k = random_rows(seed, items=6)
        patterns = mine(Transactions.from_rows(rows), min_support=sigma)
        if len(patterns):
            proved += check_proofs(look(patterns, k), Exclusive(), sigma)
    assert proved > 300


def test_no_figure_of_a_proof_can_be_spared():
    """Without any one of its figures, the rest of them says less: checked by the twin's programs."""
    from tests.attacks.twin import entailed_by_lp

    case = GOLDEN[1]
    patterns, _ = golden(case)
    found = look(patterns, case["k"])
    group, why = found.groups[0], deduce(found, [0])[0]
    listed = {frozenset(figure.items): figure.value for figure in why.low if figure.items}
    pair = (group.base, group.absent)
    whole = entailed_by_lp(Publication(case["n"], listed), 10**6, items=sorted(group.full))
    assert whole[pair][0] == group.low
    for left in listed:
        fewer = {itemset: support for itemset, support in listed.items() if itemset != left}
        some = entailed_by_lp(Publication(case["n"], fewer), 10**6, items=sorted(group.full))
        assert some.get(pair, (0, 0))[0] < group.low


def test_of_what_enumeration_finds_at_least_99_percent_is_found_and_nothing_else():
    there, found_of_them = 0, 0
    for seed in seeds(40):
        draw = random.Random(seed)
        labels = "abcd"[: draw.randint(3, 4)]
        rows = [[x for x in labels if draw.random() < 0.6] for _ in range(draw.randint(5, 10))]
        sigma, k = draw.randint(2, 4), draw.randint(2, 3)
        patterns = mine(Transactions.from_rows(rows), min_support=sigma)
        if not len(patterns):
            continue
        published = publication_of(patterns)
        truth = outside(published, entailed_by_enumeration(published, k))
        found = as_sizes(look(patterns, k))
        assert found.keys() <= truth.keys(), seed
        assert all(found[group][0] <= truth[group][0] and truth[group][1] <= found[group][1] for group in found), seed
        there += len(truth)
        found_of_them += len(found)
    assert there > len(seeds(40))
    assert found_of_them >= 0.99 * there


@pytest.mark.parametrize("method", ["none", "additive", "suppressive"])
def test_nothing_follows_from_what_is_called_safe(method: str):
    safe = refused = 0
    for seed in seeds(20):
        rows, sigma, k = random_rows(seed)
        data = Transactions.from_rows(rows)
        if method == "none":
            found = audit(data, k=k, min_support=sigma)
            if found.verdict != "safe":
                continue
            patterns, witness = mine(data, min_support=sigma), rows
        else:
            try:
                done = block(data, k=k, min_support=sigma, method=method)
            except NotSafe:
                refused += 1
                continue
            patterns, witness = done.patterns, list(done.witness)
        if not len(patterns):
            continue
        published = publication_of(patterns)
        known = Counter(frozenset(row) for row in witness)
        assert outside(published, entailed(published, k, rows=known)) == {}, (method, seed)
        safe += 1
    assert safe >= len(seeds(20)) * (0.1 if method == "none" else 0.8)
    assert refused <= len(seeds(20)) // 20


@pytest.mark.parametrize(
    ("name", "share", "k", "method"),
    [
        ("mushroom", "60%", 10, "additive"),
        ("mushroom", "60%", 50, "suppressive"),
        ("chess", "95%", 10, "additive"),
        ("connect", "97%", 10, "additive"),
    ],
)
def test_nothing_follows_from_public_data_that_was_blocked(
    data_folder: Path, name: str, share: str, k: int, method: str
):
    done = block(read(data_folder / f"{name}.dat.gz"), k=k, min_support=share, method=method)
    published = publication_of(done.patterns)
    witness = Counter(frozenset(row) & frozenset(published.items) for row in done.witness)
    assert outside(published, entailed(published, k, rows=witness)) == {}


def test_the_rows_at_hand_shorten_the_search_and_change_nothing_else():
    for seed in seeds(20):
        rows, sigma, k = random_rows(seed)
        data = Transactions.from_rows(rows)
        patterns = mine(data, min_support=sigma)
        if len(patterns):
            from_rows = audit(data, k=k, min_support=sigma).border
            assert from_rows == audit(patterns, k=k).border, seed


def test_a_budget_of_steps_finds_a_part_of_it_and_says_so():
    patterns, _ = golden(GOLDEN[1])
    whole = audit(patterns, k=GOLDEN[1]["k"], attack_steps="all")
    part = audit(patterns, k=GOLDEN[1]["k"], attack_steps=3)
    assert len(part.border) < len(whole.border)
    assert not part.attack.complete
    assert part.attack.left_out == 1


def wide_patterns(*, items: int, rows: int, min_support: int) -> PatternSet:
    """Mine rows of many items: one large window of 12, many small ones of more."""
    draw = random.Random(797926)
    drawn = [[f"i{item}" for item in range(items) if draw.random() < 0.47] for _ in range(rows)]
    return mine(Transactions.from_rows(drawn), min_support=min_support)


def test_a_budget_also_bounds_the_work_within_one_program():
    """A first solution over 12 items takes hundreds of pivots, more than a step: smaller windows take its place."""
    patterns = wide_patterns(items=12, rows=12, min_support=4)
    found = audit(patterns, k=3, attack_steps=1).attack
    assert found.left_out > 1
    assert not found.complete


@pytest.mark.parametrize("steps", [300, "all"])
def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch, steps: int | str):
    patterns = wide_patterns(items=14, rows=40, min_support=12)
    answers = []
    for cores in (1, 2):
        monkeypatch.setattr("discreet.channels.attacker.os.cpu_count", lambda cores=cores: cores)
        found = audit(patterns, k=3, attack_steps=steps)
        answers.append((found.attack.to_dict(), [(g.base, g.absent, g.low, g.high) for g in found.border]))
    assert answers[0][0]["windows"] > 16, "more than threads take at once"
    assert answers[0] == answers[1]


def test_columns_of_a_table_give_the_rest_away(tmp_path: Path):
    """Of 200 rows 3 have neither sex: the public hospital table has three such people, and they were published."""
    lines = ["sex,ward"] + ["f,a"] * 60 + ["f,b"] * 40 + ["m,a"] * 50 + ["m,b"] * 47 + ["u,a"] * 3
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    rows = read(tmp_path / "people.csv")
    found = audit(rows, k=5, min_support=20)
    assert ("sex=f", "sex=m") in found.exclusive.sets
    sizes = {(group.base, group.absent): (group.low, group.high) for group in found.border}
    assert sizes[frozenset(), frozenset({"sex=f", "sex=m"})] == (3, 3)
    blocked = block(rows, k=5, min_support=20, method="additive")
    assert audit(blocked.patterns, k=5, exclusive=blocked.proof.exclusive).safe


def test_virtual_rows_have_a_value_where_every_row_has_one(tmp_path: Path):
    draw = random.Random(5)
    lines = ["class,odor,ring"]
    lines += [f"{draw.choice('ep')},{draw.choice('nf')},{draw.choice('opq')}" for _ in range(150)]
    lines += ["e,n,o"] * 40 + ["p,f,p"] * 30
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    rows = read(tmp_path / "rows.csv")
    for sigma in (12, 15, 20, 25):
        done = block(rows, k=5, min_support=sigma, method="additive")
        supports = dict(done.patterns)
        for column in ("class", "odor"):
            values = [support for items, support in supports.items() if len(items) == 1 and min(items)[0] == column[0]]
            before = [label for label in rows.vocabulary if label.startswith(f"{column}=")]
            if len(values) == len(before):
                assert sum(values) == done.n_after


@pytest.mark.parametrize("items", [2, 7, 10, 11, 12, 13, 15])
def test_however_many_items_there_are_something_is_looked_at(items: int):
    """Three of 3,000 rows are neither f nor m, beside items that occur in every combination."""
    draw = random.Random(items)
    others = [f"x{number}" for number in range(items - 2)]
    rows = [[sex, *(label for label in others if draw.random() < 0.5)] for sex in ["f"] * 1600 + ["m"] * 1397]
    rows += [[label for label in others if draw.random() < 0.5] for _ in range(3)]
    found = audit(Transactions.from_rows(rows), k=10, min_support=1000, exclusive=["f", "m"])
    sizes = {(group.base, group.absent): (group.low, group.high) for group in found.border}
    assert sizes[frozenset(), frozenset("fm")] == (3, 3)
    assert found.attack.looked_at


def test_what_only_whole_rows_show_is_found_and_has_no_sum():
    """Four items with all their pairs, seven rows: a, b and d together are in one row, of half rows in none."""
    listed = {"a": 4, "b": 3, "c": 3, "d": 5, "ab": 1, "ac": 2, "ad": 3, "bc": 1, "bd": 2, "cd": 2}
    patterns = PatternSet.from_itemsets(listed.items(), n=7, min_support=1, target="maximal")
    found = audit(patterns, k=2)
    assert found.verdict == "not-safe"
    truth = entailed_by_enumeration(Publication(7, {frozenset(x): s for x, s in listed.items()}), 2)
    sizes = {(group.base, group.absent): (group.low, group.high) for group in [*found.channels, *found.border]}
    assert sizes[frozenset("abd"), frozenset()] == (1, 1)
    assert sizes.items() <= truth.items()
    whole = [row for row in found.to_dict()["border"] if row["base"] == ["a", "b", "d"] == row["full"]]
    assert whole[0]["proof"] is None


def test_supports_that_no_data_set_has_are_refused():
    patterns = PatternSet.from_itemsets(
        [("a", 8), ("b", 8), ("c", 8), ("ab", 2), ("ac", 2), ("bc", 2)], n=10, min_support=2, target="all"
    )
    with pytest.raises(DataError, match="contradict each other"):
        audit(patterns, k=2)
