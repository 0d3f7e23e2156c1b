"""Too many patterns end in one sentence, not in the machine's memory."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from discreet.engines import audit
from discreet.errors import DataError, ParameterError, TooManyPatterns
from discreet.patterns import mining
from discreet.patterns.mining import mine
from discreet.patterns.reading import read_patterns
from discreet.patterns.writing import write_patterns
from discreet.tables import ceilings
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from pathlib import Path

ALIKE = Transactions.from_rows([[f"i{number}" for number in range(60)]] * 3)
DENSE = Transactions.from_rows([[f"i{x}" for x in range(20) if x != gap] for gap in range(20)] * 2)


def test_more_subsets_than_a_number_holds_are_refused_at_once():
    with pytest.raises(TooManyPatterns, match=r"at least 1,152,921,504,606,846,975 all itemsets .* closed") as caught:
        mine(ALIKE, min_support=2, target="all")
    assert caught.value.min_support == 2
    assert caught.value.found == 2**60 - 1
    assert len(mine(ALIKE, min_support=2)) == 1


@pytest.mark.parametrize("target", ["all", "closed", "maximal"])
def test_the_limit_says_how_many_there_were_and_what_to_raise(target):
    with pytest.raises(TooManyPatterns, match="raise min_support") as caught:
        mine(DENSE, min_support=10, target=target, max_patterns=1000)
    assert caught.value.found > 1000
    assert "beyond the limit of 1,000" in str(caught.value)
    assert "raise max_patterns" in str(caught.value)


def test_the_limit_itself_is_allowed():
    count = len(mine(DENSE, min_support=34, target="all"))
    assert len(mine(DENSE, min_support=34, target="all", max_patterns=count)) == count
    with pytest.raises(TooManyPatterns):
        mine(DENSE, min_support=34, target="all", max_patterns=count - 1)


def test_memory_is_a_limit_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ceilings, "memory_at_hand", lambda: 1_000_000)
    with pytest.raises(TooManyPatterns, match="beyond what the memory holds"):
        mine(DENSE, min_support=10, target="all")


def test_a_cap_on_the_length_reaches_what_is_out_of_reach_without():
    found = mine(ALIKE, min_support=2, target="all", max_length=2)
    assert len(found) == 60 + 60 * 59 // 2


def test_more_rows_than_32_bits_count_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mining, "_MOST_ROWS", 2)
    with pytest.raises(DataError, match="one machine mines up to 2"):
        mine(ALIKE, min_support=2)


@pytest.mark.parametrize(
    "options",
    [
        {"max_patterns": 0},
        {"max_length": 0},
        {"max_length": 1.5},
        {"threads": 0},
        {"threads": "2"},
        {"target": "some"},
        {"min_support": 10**30},
    ],
)
def test_senseless_limits_are_refused(options):
    with pytest.raises(ParameterError):
        mine(DENSE, **{"min_support": 2, **options})


@pytest.mark.parametrize("options", [{"max_patterns": 10**30}, {"max_length": 10**30}, {"threads": 10**30}])
def test_limits_beyond_everything_are_none(options):
    found = mine(DENSE, **{"min_support": 38, **options})
    assert list(found) == list(mine(DENSE, min_support=38))


def test_a_file_of_patterns_with_such_a_limit_can_be_read(tmp_path: Path):
    write_patterns(mine(DENSE, min_support=38, max_length=10**30), tmp_path / "found.csv")
    assert read_patterns(tmp_path / "found.csv").max_length == 2**31


def test_progress_is_told_and_may_stop_the_work():
    class Enough(Exception):  # noqa: N818 - not a fault
        pass

    def stop(done: float, found: int) -> None:
        assert 0 <= done <= 1
        assert found >= 0
        raise Enough

    draw = random.Random(1)
    endless = Transactions.from_rows([[str(x) for x in range(40) if draw.random() < 0.8] for _ in range(2000)])
    with pytest.raises(Enough):
        mine(endless, min_support=2, max_patterns=10**9, progress=stop)


def test_rows_of_items_of_their_own_are_mined_in_proportion(tmp_path: Path):
    """Each node once looked at every frequent item, which made 200,000 rows take minutes."""
    file = tmp_path / "rows.dat"
    file.write_text("".join(f"x{row} y{row} {'z' if row % 2 else ''}\n" for row in range(100_000)))
    rows = read(file)
    for target, expected in (("closed", 100_001), ("maximal", 100_000), ("all", 1 + 3 * 50_000 + 7 * 50_000 - 50_000)):
        found = mine(rows, min_support=1, target=target)
        assert len(found) == expected
        assert found.supports.max() == (1 if target == "maximal" else 50_000)


def test_few_of_many_items_give_what_counting_subsets_gives():
    """So many items that nodes list the few that occur in their rows."""
    luck = random.Random(5)
    rows = [{f"i{luck.randrange(60)}" for _ in range(4)} | {f"u{row}", f"v{row // 2}"} for row in range(2000)]
    counts = Counter(frozenset(some) for row in rows for size in range(1, 7) for some in combinations(row, size))
    found = {itemset: count for itemset, count in counts.items() if count >= 2}
    smaller = {larger - {item}: count for larger, count in found.items() for item in larger}
    equal = {
        larger - {item} for larger, count in found.items() for item in larger if found.get(larger - {item}) == count
    }
    expected = {
        "all": found,
        "closed": {itemset: count for itemset, count in found.items() if itemset not in equal},
        "maximal": {itemset: count for itemset, count in found.items() if itemset not in smaller},
    }
    for target, itemsets in expected.items():
        assert dict(mine(Transactions.from_rows(rows), min_support=2, target=target)) == itemsets


def test_pairs_that_do_not_fit_into_memory_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ceilings, "memory_at_hand", lambda: 1_000_000)
    with pytest.raises(TooManyPatterns, match=r"400 items are frequent, and 79,800 pairs .* raise min_support to 3 or"):
        audit(Transactions.from_rows([[f"x{row}", f"y{row}"] for row in range(200)]), min_support=1, k=3)
