"""What a file says about itself, what the caller says of it, and what nobody says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from discreet.errors import DataError, ParameterError
from discreet.patterns.reading import read_patterns

if TYPE_CHECKING:
    from pathlib import Path


def test_what_the_caller_says_must_agree(tmp_path: Path):
    path = tmp_path / "p.csv"
    path.write_text("# n: 5\n# min_support: 2\n# target: all\nitems,support\n" + '"[""a""]",4\n')
    assert read_patterns(path, n=5).n == 5
    assert [read_patterns(path, min_support=rows).min_support for rows in (None, 2, 3, "4", "80%")] == [2, 2, 3, 4, 4]
    for options, words in (
        ({"n": 6}, "n is given as 6, but the patterns say 5"),
        ({"n": "5"}, "n must be a whole number of rows"),
        ({"n": -1}, "n must be a whole number of rows"),
        ({"min_support": 1}, "min_support is given as 1, but the patterns were mined with 2"),
        ({"min_support": 5}, "min_support is given as 5, but the patterns go down to 4"),
        ({"min_support": "x"}, "min_support must be"),
    ):
        with pytest.raises(ParameterError, match=words):
            read_patterns(path, **options)


def test_what_nobody_says_is_not_guessed(tmp_path: Path):
    path = tmp_path / "p.txt"
    path.write_text("a #SUP: 4\na b #SUP: 3\n")
    given = read_patterns(path)
    assert (given.n, given.min_support, given.kind, given.max_length) == (None, None, "unknown", None)
    with pytest.raises(DataError, match="give n"):
        given.to_patternset("all")
    with pytest.raises(DataError, match="give target"):
        read_patterns(path, n=5).to_patternset()
    with pytest.raises(ParameterError, match="min_support as a share needs n"):
        read_patterns(path, min_support="50%")
    assert read_patterns(path, min_support=2).min_support == 2
    assert read_patterns(path, n=5).to_patternset("all").min_support == 3
    assert repr(given) == "<ImportedPatterns: 2 itemsets (unknown), n None, from spmf>"
