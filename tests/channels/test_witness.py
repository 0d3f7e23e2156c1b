"""Rows that prove patterns safe: found, checked from the definition, written and read again."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.channels.witness import Witness, find_witness, is_witness, read_witness, write_witness
from discreet.errors import DataError, NotSafe, OutputError
from discreet.itemsets import Itemsets
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.strategies import seeds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RUNNING = Path(__file__).parent.parent / "data" / "running-example.dat"
EXAMPLE_13 = PatternSet.from_itemsets(
    [("a", 12), ("e", 17), ("ab", 8), ("ae", 8), ("de", 13), ("cde", 9)], n=21, min_support=8, target="closed"
)
OF_THE_PAPER = {"abcde": 4, "cde": 5, "de": 4, "ae": 4, "ab": 4}


def rows_of(kinds: dict[str, int]) -> Transactions:
    return Transactions.from_rows([kind for kind, count in kinds.items() for _ in range(count)])


def itemsets_of(*sets: str, patterns: PatternSet) -> Itemsets:
    codes = [sorted(patterns.vocabulary.positions[label] for label in each) for each in sets]
    return Itemsets(
        np.cumsum([0, *map(len, codes)]).astype(np.int64), np.array([item for each in codes for item in each], np.int32)
    )


def frequent_in(rows: Iterable[frozenset[str]], sigma: int) -> dict[frozenset[str], int]:
    """Return all frequent itemsets, counted one by one."""
    counts: Counter[frozenset[str]] = Counter()
    for row in rows:
        for length in range(1, len(row) + 1):
            counts.update(frozenset(each) for each in combinations(sorted(row), length))
    return {each: count for each, count in counts.items() if count >= sigma}


def closed_in(rows: Iterable[frozenset[str]], sigma: int) -> dict[frozenset[str], int]:
    frequent = frequent_in(rows, sigma)
    return {
        each: count
        for each, count in frequent.items()
        if not any(each < other and count == more for other, more in frequent.items())
    }


def proves(patterns: PatternSet, witness: Transactions, k: int, exclusive: Iterable[str] = ()) -> bool:
    """Say from the definition whether these rows agree with all that is published and nobody stands out."""
    rows = [row for row, count in zip(witness, witness.weights.tolist(), strict=True) for _ in range(count)]
    found = closed_in(rows, patterns.min_support) if patterns.target == "closed" else None
    return (
        len(rows) == patterns.n
        and min(Counter(rows).values(), default=k) >= k
        and not any(len(row & set(items)) > 1 for row in rows for items in exclusive)
        and dict(patterns) == (found if found is not None else frequent_in(rows, patterns.min_support))
        and frozenset().union(*rows) <= frozenset().union(*(items for items, _ in patterns))
    )


def some_rows(draw: random.Random) -> Transactions:
    """Draw rows of which half come from three kinds."""
    labels = "abcdefg"[: draw.randint(5, 7)]
    shares = {label: draw.uniform(0.2, 0.8) for label in labels}
    kinds = [{label for label in labels if draw.random() < 0.5} for _ in range(3)]
    rows = []
    for _ in range(draw.randint(30, 80)):
        kind = draw.choice(kinds) if draw.random() < 0.5 else None
        chance = shares if kind is None else {label: 0.9 if label in kind else 0.1 for label in labels}
        rows.append([label for label in labels if draw.random() < chance[label]])
    return Transactions.from_rows(rows)


def safe_collections(seed: int) -> Iterator[tuple[str, PatternSet, int]]:
    draw = random.Random(seed)
    rows, k = some_rows(draw), draw.choice([2, 3, 4, 5])
    sigma = max(k, int(rows.n * draw.uniform(0.15, 0.5)))
    for method in ("additive", "suppressive"):
        try:
            done = block(rows, k=k, min_support=sigma, method=method, target=draw.choice(["closed", "all"]))
        except NotSafe:
            continue
        yield method, done.patterns, k
    plain = mine(rows, min_support=sigma)
    if audit(plain, k=k).safe:
        yield "plain", plain, k


def test_most_safe_collections_are_proved_safe():
    tried: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for seed in seeds(10):
        for method, patterns, k in safe_collections(seed):
            tried[method] += 1
            witness = find_witness(patterns, k=k, steps=500)
            if witness is not None:
                assert proves(patterns, witness, k), (seed, method)
                assert is_witness(patterns, witness, k=k)
                found[method] += 1
    print({method: f"{found[method]} of {tried[method]}" for method in tried})  # noqa: T201 - read with pytest -s
    assert 5 * found["additive"] >= 2 * tried["additive"]
    assert 5 * found["suppressive"] >= 3 * tried["suppressive"]
    assert 5 * found["plain"] >= 3 * tried["plain"]


def test_the_same_answer_every_time():
    collections = [each for seed in range(3) for each in safe_collections(seed)]
    one, other = ([find_witness(patterns, k=k) for _, patterns, k in collections] for _ in range(2))
    assert one == other


def all_k_anonymous(labels: str, n: int, k: int) -> Iterator[Counter[frozenset[str]]]:
    """Yield all rows over some items in which every kind occurs at least k times."""
    kinds = [frozenset(each) for length in range(len(labels) + 1) for each in combinations(labels, length)]

    def fill(first: int, left: int) -> Iterator[dict[frozenset[str], int]]:
        if first == len(kinds):
            if not left:
                yield {}
            return
        for count in (0, *range(k, left + 1)):
            for rest in fill(first + 1, left - count):
                yield {kinds[first]: count} | rest if count else rest

    return (Counter(each) for each in fill(0, n))


@pytest.mark.parametrize(("n", "k", "exclusive"), [(8, 2, ()), (9, 2, ("ab",)), (9, 3, ()), (11, 3, ("abc",))])
def test_where_there_is_none_none_is_found_and_where_there_is_one_one(n: int, k: int, exclusive: tuple[str, ...]):
    possible = {}
    for sigma in (2, 4):
        for rows in all_k_anonymous("abc", n, k):
            if not any(len(kind & set(items)) > 1 for kind in rows for items in exclusive):
                possible[sigma, frozenset(frequent_in(rows.elements(), sigma).items())] = rows
    draw = random.Random(n * k)
    answers = Counter()
    for _ in range(60):
        sigma = draw.choice((2, 4))
        rows = Transactions.from_rows([[label for label in "abc" if draw.random() < 0.5] for _ in range(n)])
        patterns = mine(rows, min_support=sigma, target="all")
        known = itemsets_of(*exclusive, patterns=patterns) if len(patterns.vocabulary) == 3 else None
        found = find_witness(patterns, k=k, exclusive=known, rows=rows)
        there_is = (sigma, frozenset(patterns)) in possible
        assert (found is not None) == there_is
        assert found is None or proves(patterns, found, k, exclusive)
        answers[there_is] += 1
    assert min(answers[True], answers[False]) > 0


def test_atzori2008_example_13_has_the_witness_of_the_paper_and_one_is_found():
    """Additive blocking of the running example, sigma = 8 and k = 3: the paper gives a compatible data set."""
    assert is_witness(EXAMPLE_13, rows_of(OF_THE_PAPER), k=3)
    found = find_witness(EXAMPLE_13, k=3)
    assert found is not None
    assert proves(EXAMPLE_13, found, 3)


def test_where_there_is_a_channel_there_is_no_witness():
    patterns = mine(read(RUNNING), min_support=8)
    assert not audit(patterns, k=3).safe
    assert find_witness(patterns, k=3) is None
    assert find_witness(patterns, k=3, rows=read(RUNNING), starts=[rows_of(OF_THE_PAPER)]) is None


@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param(OF_THE_PAPER | {"de": 5}, id="a row more"),
        pytest.param(OF_THE_PAPER | {"cde": 4, "cd": 1}, id="a kind of one row"),
        pytest.param(OF_THE_PAPER | {"de": 0, "dez": 4}, id="an item that is not published"),
        pytest.param(
            {"abcde": 8, "cde": 1, "de": 4, "ae": 0, "ab": 0, "a": 4, "e": 4}, id="a set that is not published"
        ),
        pytest.param(OF_THE_PAPER | {"ae": 0, "a": 4}, id="another support"),
    ],
)
def test_what_is_no_witness(kinds: dict[str, int]):
    assert not is_witness(EXAMPLE_13, rows_of(kinds), k=3)


def test_exclusive_items_are_never_in_one_row():
    rows = rows_of({"ab": 3, "ac": 3, "bc": 3, "": 3})
    patterns = mine(rows, min_support=6)
    assert is_witness(patterns, rows, k=3)
    known = itemsets_of("ab", patterns=patterns)
    assert not is_witness(patterns, rows, k=3, exclusive=known)
    found = find_witness(patterns, k=3, exclusive=known, rows=rows)
    assert found is not None
    assert proves(patterns, found, 3, ["ab"])
    assert find_witness(patterns, k=3, exclusive=itemsets_of("abc", patterns=patterns)) is None


def test_rows_that_are_a_witness_are_the_answer_without_the_items_that_are_not_published():
    rows = rows_of({"ab": 5, "c": 5, "cz": 1, "bz": 4})
    patterns = mine(rows, min_support=6)
    found = find_witness(patterns, k=4, rows=rows)
    assert found is not None
    assert dict(zip(found, found.weights.tolist(), strict=True)) == {
        frozenset("b"): 9,
        frozenset("c"): 6,
    }


@pytest.mark.parametrize(("n", "found"), [(0, True), (2, False), (3, True)])
def test_where_nothing_is_frequent_only_the_number_of_rows_counts(n: int, found: bool):
    patterns = PatternSet.from_itemsets([], n=n, min_support=5, target="closed")
    assert (find_witness(patterns, k=3) is not None) == found


@pytest.mark.parametrize("target", ["maximal", "selected"])
def test_an_incomplete_collection_has_none(target: str):
    patterns = PatternSet.from_itemsets([("ab", 5)], n=5, min_support=5, target=target)
    assert find_witness(patterns, k=3) is None
    assert not is_witness(patterns, rows_of({"ab": 5}), k=3)


def test_supports_that_no_rows_can_have_have_none():
    patterns = PatternSet.from_itemsets([("a", 5), ("b", 5), ("ab", 4)], n=5, min_support=4, target="closed")
    assert find_witness(patterns, k=2) is None


@pytest.mark.parametrize("method", ["additive", "suppressive"])
def test_mushroom_at_60_percent_is_proved_safe_once_it_is_blocked(data_folder: Path, method: str):
    done = block(read(data_folder / "mushroom.dat.gz"), k=10, min_support="60%", method=method)
    found = find_witness(done.patterns, k=10)
    assert found is not None
    assert found.weights.min() >= 10
    assert mine(found, min_support=done.min_support) == done.patterns


def test_many_kinds_of_rows_are_found_by_price(data_folder: Path):
    """At 5 % no two of 28 items but three pairs are frequent, and almost any kind of row can occur."""
    rows = read(data_folder / "groceries.dat.gz")
    patterns = mine(rows, min_support="5%")
    for start in (rows, None):
        found = find_witness(patterns, k=10, rows=start)
        assert found is not None
        assert found.weights.min() >= 10
        assert mine(found, min_support="5%") == patterns


def test_a_witness_is_written_and_read_again(tmp_path: Path):
    rows = Transactions.from_rows([["10", "9"]] * 3 + [[]] * 4 + [["9"]] * 3)
    write_witness(Witness(rows, k=3, min_support=5), tmp_path / "one.json")
    write_witness(Witness(rows.fold(), k=3, min_support=5), tmp_path / "other.json")
    assert (tmp_path / "one.json").read_text() == (
        '{"k": 3, "n": 10, "min_support": 5, "rows": [\n'
        '{"items": [], "count": 4},\n'
        '{"items": ["9"], "count": 3},\n'
        '{"items": ["9", "10"], "count": 3}\n'
        "]}\n"
    )
    assert (tmp_path / "other.json").read_bytes() == (tmp_path / "one.json").read_bytes()
    assert (tmp_path / "one.json").stat().st_mode & 0o077 == 0
    again = read_witness(tmp_path / "one.json")
    assert (again.k, again.min_support, again.rows.n) == (3, 5, 10)
    assert is_witness(mine(rows, min_support=3), again.rows, k=again.k)
    with pytest.raises(OutputError, match="exists already"):
        write_witness(again, tmp_path / "one.json")


ROW = {"items": ["a"], "count": 3}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"k": 1}, "k is not a whole number of at least 2"),
        ({"k": True}, "k is not a whole number"),
        ({"n": 6.0}, "n is not a whole number"),
        ({"min_support": "5"}, "min_support is not a whole number"),
        ({"more": 1}, "nothing else"),
        ({"rows": {}}, "rows is not a list"),
        ({"rows": [ROW, ROW]}, "two of its rows hold the same items"),
        ({"rows": [ROW]}, "do not add up to n"),
        ({"rows": [ROW, {"items": ["a", "a"], "count": 3}]}, "row 2 holds an item twice"),
        ({"rows": [{"items": "a", "count": 3}]}, "row 1 has items that are not a list of texts"),
        ({"rows": [{"items": [1], "count": 3}]}, "row 1 has items that are not a list of texts"),
        ({"rows": [{"items": ["a"]}]}, "row 1 must have items and count"),
        ({"rows": [{"items": ["a"], "count": 2}]}, "row 1 does not occur at least k = 3 times"),
        ({"rows": [{"items": ["a"], "count": 10**30}]}, "row 1 does not occur"),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence(tmp_path: Path, change: dict[str, object], why: str):
    path = tmp_path / "witness.json"
    document = {"k": 3, "n": 6, "min_support": 5, "rows": [ROW, {"items": [], "count": 3}]}
    path.write_text(json.dumps(document))
    assert read_witness(path).rows.n == 6
    path.write_text(json.dumps(document | change))
    with pytest.raises(DataError, match=why):
        read_witness(path)


@pytest.mark.parametrize("content", [b"", b"[", b"[]", b"\xff", b"[" * 100_000])
def test_what_is_no_such_file_is_refused(tmp_path: Path, content: bytes):
    path = tmp_path / "witness.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match="is not a witness file of discreet"):
        read_witness(path)
    with pytest.raises(DataError, match="cannot read the witness"):
        read_witness(tmp_path / "missing.json")
