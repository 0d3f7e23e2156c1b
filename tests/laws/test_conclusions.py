"""What patterns tell about sensitive items: as the definition has it, from rows and from every form of patterns."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from discreet.channels.audit import audit
from discreet.channels.collection import collection_of
from discreet.channels.conclusions import Conclusions, shortest
from discreet.errors import ParameterError
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.transactions.transactions import Transactions
from tests import conclusions_twin as twin
from tests.attacks.twin import Publication, expand_closed, subsets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.channels.audit import Audit

RHOS = ("1/3", "0.5", "0.6", "0.75", "0.9", "100%")


def random_case(seed: int, *, most_items: int = 6, most_rows: int = 40) -> tuple[list[list[str]], int, list[str], str]:
    """Draw rows, a minimum support, the quasi-identifiers and rho; s and t are sensitive, and a, b, … are not."""
    draw = random.Random(seed)
    labels = [*"abcdefgh"[: draw.randint(1, most_items - 2)], "s", "t"][: most_items if draw.random() < 0.7 else -1]
    shares = [draw.choice([0.2, 0.5, 0.8]) for _ in labels]
    kinds = [
        [label for label, share in zip(labels, shares, strict=True) if draw.random() < share]
        for _ in range(draw.randint(2, 7))
    ]
    rows = [[label for label in draw.choice(kinds) if draw.random() < 0.9] for _ in range(draw.randint(1, most_rows))]
    known = [label for label in labels if label not in "st"]
    if draw.random() < 0.3:
        known = [label for label in known if draw.random() < 0.6] or known
    return rows, draw.randint(1, max(1, len(rows) // 3)), known, draw.choice(RHOS)


def asked(rows: list[list[str]], known: list[str], rho: str) -> dict[str, object]:
    """Return the options of an audit that ask for conclusions about s and t."""
    data = {label for row in rows for label in row}
    given = [label for label in known if label in data]
    return {
        "sensitive": ["s", "t"],
        "quasi_identifiers": given if given and given != sorted(data - {"s", "t"}) else None,
        "rho": Fraction(rho) if "/" in rho else rho,
        "ignore_unknown": True,
    }


def as_dict(conclusions: Iterable[object]) -> dict[twin.Conclusion, twin.Numbers]:
    return {(one.present, one.absent, one.item): (one.rows[0], one.having[0]) for one in conclusions}


def certain(found: Audit) -> Conclusions:
    assert found.conclusions is not None
    return found.conclusions.certain


@pytest.mark.parametrize("seed", range(150))
def test_within_the_collection_nothing_is_missed_and_nothing_is_wrong(seed: int) -> None:
    rows, sigma, known, rho = random_case(seed)
    options = asked(rows, known, rho)
    found = audit(Transactions.from_rows(rows), k=2, min_support=sigma, border=False, **options)
    labels = options["quasi_identifiers"] or {label for row in rows for label in row} - {"s", "t"}
    true = twin.by_counting(rows, sigma, labels, ["s", "t"], found.rho)
    listed = as_dict(certain(found))
    assert len(listed) == len(found.conclusions)
    assert listed.items() <= true.items()
    for present, absent, item in true:  # each is made of the finest groups, of which one reaches rho
        assert any(item == s and present <= x and absent <= y for x, y, s in listed)
    assert (found.verdict == "not-safe") >= bool(true)


@pytest.mark.parametrize("seed", range(150, 220))
def test_every_form_of_the_patterns_tells_the_same(seed: int) -> None:
    rows, sigma, known, rho = random_case(seed)
    options, given = asked(rows, known, rho), Transactions.from_rows(rows)
    closed, everything = (mine(given, min_support=sigma, target=target) for target in ("closed", "all"))
    listed = PatternSet.from_itemsets(everything, n=everything.n, min_support=sigma, target="selected")
    from_rows = audit(given, k=2, min_support=sigma, border=False, **options)
    if not len(everything):
        assert not len(from_rows.conclusions)
        return
    for patterns in (closed, everything, listed):
        same = audit(patterns, k=2, border=False, **options)
        assert [*same.conclusions] == [*from_rows.conclusions]


@pytest.mark.parametrize("seed", range(300, 360))
def test_what_is_listed_is_what_every_data_set_that_fits_has(seed: int) -> None:
    """Written down for every data set that fits: nothing listed is wrong, and nothing beyond counting is missed."""
    rows, sigma, known, rho = random_case(seed, most_items=4, most_rows=9)
    options, draw = asked(rows, known, rho), random.Random(seed)
    patterns = mine(Transactions.from_rows(rows), min_support=sigma, target="all")
    complete = draw.random() < 0.5
    if not complete:
        kept = [each for each in patterns if len(each[0]) == 1 or draw.random() < 0.6]
        patterns = PatternSet.from_itemsets(kept, n=patterns.n, min_support=sigma, target="selected")
    if not len(patterns):
        return
    found = audit(patterns, k=2, **options)
    publication = Publication(patterns.n, dict(patterns), sigma if complete else None)
    labels = set(options["quasi_identifiers"] or publication.items) - {"s", "t"}
    true = twin.by_enumeration(publication, labels, ["s", "t"], found.rho)
    listed = {(one.present, one.absent, one.item) for one in found.conclusions}
    assert listed <= true
    pure = twin.by_enumeration(publication, labels, ["s", "t"], Fraction(1))
    for one in true - listed:
        if any(one[2] == s and (x, y) != one[:2] and x <= one[0] and y <= one[1] for x, y, s in pure):
            continue  # everybody in a larger group has the item
        every = frozenset().union(one[0], one[1], {one[2]})
        assert all(part in publication.supports for part in subsets(every) if part)
        assert any(one[2] == s and one[0] <= x and one[1] <= y for x, y, s in listed)


@pytest.mark.parametrize("seed", range(500, 512))
def test_exclusive_items_are_known_to_readers(seed: int) -> None:
    rows, sigma, _, rho = random_case(seed, most_items=5, most_rows=30)
    apart = [[*(label for label in row if label not in "ab"), *row[:1]] for row in rows]
    apart = [[label for label in row if label != "b" or "a" not in row] for row in apart]
    patterns = mine(Transactions.from_rows(apart), min_support=sigma, target="closed")
    labels = patterns.vocabulary.labels
    if not {"a", "b"} <= {item for items, _ in patterns for item in items}:
        return
    found = audit(patterns, k=2, exclusive=[["a", "b"]], **(asked(apart, [*labels], rho) | {"quasi_identifiers": None}))
    publication = Publication(patterns.n, expand_closed(dict(patterns)), sigma, (frozenset("ab"),))
    for one in found.conclusions[:20]:
        assert twin.follows(publication, (one.present, one.absent, one.item), found.rho)


@pytest.mark.parametrize("others", [0, 20])
def test_what_is_left_of_an_overlap_follows(others: int) -> None:
    """Of 100 with a, 90 have s, and 50 have b: at least 40 of these 50 have s. Alone, and among many other items."""
    told = [("a", 100), ("b", 60), ("s", 110), ("as", 90), ("ab", 50)]
    more = [(f"x{number}", 50 + number) for number in range(others)]
    patterns = PatternSet.from_itemsets([*told, *(([label], count) for label, count in more)], n=5000, min_support=45)
    found = audit(patterns, k=2, sensitive="s", rho="0.8")
    by_group = {(one.present, one.absent): one for one in found.conclusions}
    one = by_group[frozenset("ab"), frozenset()]
    assert (one.rows, one.having, one.share) == ((50, 50), (40, 44), Fraction(4, 5))
    assert by_group[frozenset("a"), frozenset()].having == (90, 90)


def test_of_printed_rules_only_bounds_are_known() -> None:
    """A confidence of two digits leaves a range of antecedents, and the conclusion is one of bounds."""
    frame = pd.DataFrame(
        {"antecedents": [frozenset("a")], "consequents": [frozenset("s")], "support": [0.45], "confidence": [0.9]}
    )
    found = audit(frame, k=2, n=1000, sensitive="s", rho="0.8")
    (one,) = (each for each in found.conclusions if each.present == {"a"})
    assert one.having == (450, 450)
    assert one.share >= Fraction(4, 5)


@pytest.mark.parametrize("seed", range(400, 430))
def test_fewer_words_tell_no_less(seed: int) -> None:
    rows, sigma, known, rho = random_case(seed)
    options = asked(rows, known, rho) | {"quasi_identifiers": None}
    patterns = mine(Transactions.from_rows(rows), min_support=sigma, target="closed")
    if not len(patterns):
        return
    found = audit(patterns, k=2, border=False, **options)
    if not found.conclusions:
        return
    short = shortest(collection_of(patterns), found.conclusions)
    true = twin.by_counting(rows, sigma, {*"abcdefgh"} & {*patterns.vocabulary.labels}, ["s", "t"], found.rho)
    assert as_dict(short).items() <= true.items()
    assert max(one.share for one in short) == max(one.share for one in found.conclusions)
    for one in found.conclusions:
        assert any(s.item == one.item and s.present <= one.present and s.absent <= one.absent for s in short)


def test_half_a_question_is_refused() -> None:
    rows = Transactions.from_rows(["as", "a", "b"])
    with pytest.raises(ParameterError, match="needs rho"):
        audit(rows, k=2, min_support=1, sensitive="s")
    with pytest.raises(ParameterError, match="needs sensitive"):
        audit(rows, k=2, min_support=1, rho="0.5")
    with pytest.raises(ParameterError, match="name it in one of the two"):
        audit(rows, k=2, min_support=1, sensitive="s,a", quasi_identifiers="a", rho="0.5")
    with pytest.raises(ParameterError, match="neither an item nor a column"):
        audit(rows, k=2, min_support=1, sensitive="z", rho="0.5")
    with pytest.raises(ParameterError, match="9 decimals"):
        audit(rows, k=2, min_support=1, sensitive="s", rho="0.12345678901")


def test_the_share_is_compared_exactly() -> None:
    """0.07 of 100 rows is 7, which floats take for 7.000000000000001."""
    rows = Transactions.from_rows([*["as"] * 7, *["a"] * 93])
    assert len(audit(rows, k=2, min_support=5, sensitive="s", rho=0.07).conclusions) == 1
    assert not len(audit(rows, k=2, min_support=5, sensitive="s", rho="0.070000001").conclusions)
