"""Groups of equal rows: counted or sorted, few columns or many, always the ones that a dictionary would count."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from discreet.microdata.equivalence_classes import combined_codes, group_rows


def random_rows(seed: int, rows: int, radices: list[int]) -> np.ndarray:
    """Draw rows of which about half are repeated."""
    draw = np.random.default_rng(seed)
    distinct = np.stack([draw.integers(0, radix, rows) for radix in radices], axis=1).astype(np.int32)
    return distinct[draw.integers(0, max(1, rows // 2), rows)]


@pytest.mark.parametrize(
    "radices",
    [[3], [2, 3, 2], [100, 100, 100], [2**31 - 1] * 2, [2**31 - 1] * 5, [2**20] * 9, [1] * 4],
    ids=["one column", "fewer than rows", "more than rows", "62 bits", "155 bits", "180 bits", "one value each"],
)
def test_groups_are_those_of_a_dictionary(radices: list[int]):
    codes = random_rows(len(radices), 200, radices)
    sizes = np.random.default_rng(1).integers(1, 5, len(codes))
    expected: Counter[tuple[int, ...]] = Counter()
    for row, size in zip(codes.tolist(), sizes.tolist(), strict=True):
        expected[tuple(row)] += size
    groups = group_rows(codes, sizes, radices)
    found = dict(zip(map(tuple, groups.codes.tolist()), groups.sizes.tolist(), strict=True))
    assert len(groups) == len(found)
    assert found == expected
    assert groups.rows_below(3) == sum(size for size in expected.values() if size < 3)
    small = [at for at, radix in enumerate(radices) if radix <= 1000]
    assert [groups.distinct(at) for at in small] == [len({row[at] for row in expected}) for at in small]


@pytest.mark.parametrize("radices", [[7, 2**31 - 1, 2**31 - 1, 5], [2, 2]])
def test_numbers_are_equal_exactly_where_rows_are(radices: list[int]):
    codes = random_rows(3, 100, radices)
    codes[0], codes[1] = 0, np.array(radices) - 1  # the smallest and the largest there can be
    numbers = combined_codes(codes, radices).tolist()
    assert min(numbers) >= 0
    assert len(set(zip(numbers, map(tuple, codes.tolist()), strict=True))) == len(set(numbers))
    assert len(set(numbers)) == len(set(map(tuple, codes.tolist())))
