"""The evidence must not undo the protection: what a reader of the bundle can find out about what was changed.

Section 7.2 of atzori2008 (docs/papers/atzori2008.md): on mushroom 60 %, k = 10, the published patterns together with "8
of 52 supports changed, at most 0.14 %" leave one possible base, {34, 85, 90}, and all 20 channels come back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet import DiscreetError, PatternSet, Transactions, audit, block, mine, read_patterns
from discreet.channels.collection import collection_of
from discreet.publishing.certificate import Certificate
from discreet.publishing.release import release

if TYPE_CHECKING:
    from pathlib import Path

K = 10
TRUTH = frozenset({"34", "85", "90"})


@dataclass(frozen=True)
class Explanation:
    """Virtual rows, k of each, that may have been added."""

    bases: tuple[frozenset[str], ...]


def before(patterns: PatternSet, bases: tuple[frozenset[str], ...], min_support: int) -> PatternSet | None:
    """Return the patterns as they were if these virtual rows had been added, None where that cannot be."""
    less = np.array([K * sum(itemset <= base for base in bases) for itemset, _ in patterns])
    try:
        return replace(
            patterns, supports=patterns.supports - less, n=patterns.n - K * len(bases), min_support=min_support
        )
    except DiscreetError:
        return None


def explanations(patterns: PatternSet, min_support: int, most_bases: int) -> list[Explanation]:
    """Return every number of bases up to `most_bases` that fits what is published.

    Nothing changed fits where the patterns are safe. Some bases fit if the patterns without them can come from rows,
    and are not safe: else nothing would have been added.
    """
    found = [Explanation(())] if audit(patterns, k=K).safe else []
    candidates = [frozenset(), *(itemset for itemset, _ in patterns)]
    for number in range(1, most_bases + 1):
        for bases in combinations(candidates, number):
            earlier = before(patterns, bases, min_support)
            try:
                if earlier is not None and not audit(earlier, k=K).safe:
                    found.append(Explanation(bases))
            except DiscreetError:  # no rows have such supports
                continue
    return found


def published_in(bundle: Path) -> PatternSet:
    return collection_of(read_patterns(bundle / "patterns.csv")).everything


def test_the_attack_works_where_the_number_of_bases_is_known(mushroom_bundle: Path):
    """Otherwise the next test would show nothing: with one base given away, only the true one is left."""
    fitting = explanations(published_in(mushroom_bundle), 4875, most_bases=1)
    assert [explanation.bases for explanation in fitting if explanation.bases] == [(TRUTH,)]


def test_the_bundle_does_not_single_out_a_base(mushroom_bundle: Path):
    """A reader of the bundle cannot exclude that nothing was changed, or that more was: no base is in every answer."""
    patterns = published_in(mushroom_bundle)
    fitting = explanations(patterns, patterns.min_support - 2 * K, most_bases=2)
    assert Explanation(()) in fitting
    assert len({len(explanation.bases) for explanation in fitting}) == 3
    in_all = frozenset.intersection(*(frozenset(explanation.bases) for explanation in fitting))
    assert in_all == frozenset()


def test_neither_the_support_asked_for_nor_the_number_of_rows_before_is_told(mushroom_bundle: Path):
    """60 % of 8,124 rows is 4,875. Beside 8,134 published rows it would tell that one base was added."""
    for name, text in texts_of(mushroom_bundle).items():
        for number in ("4875", "4,875", "8124", "8,124"):
            assert not re.search(rf"(?<![\d.,]){number}(?![\d.,]*\d)", text), (name, number)
    promise = Certificate.from_bytes((mushroom_bundle / "certificate.json").read_bytes()).promise
    assert promise["min_support"] == published_in(mushroom_bundle).supports.min()


def texts_of(bundle: Path) -> dict[str, str]:
    """Return every file of a bundle as text; Parquet is decoded, with its metadata."""
    import pyarrow.parquet as pq

    texts = {}
    for path in bundle.iterdir():
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            texts[path.name] = f"{table.to_pydict()} {table.schema.metadata} {pq.read_metadata(path).to_dict()}"
        else:
            texts[path.name] = path.read_text(encoding="utf-8")
    return texts


@pytest.mark.parametrize("method", ["additive", "suppressive"])
def test_no_support_that_was_changed_is_anywhere_in_the_bundle(mushroom: Transactions, tmp_path: Path, method: str):
    release(mushroom, k=K, min_support="60%", method=method, min_confidence="50%", output=tmp_path / "public")
    done = block(mushroom, k=K, min_support="60%", method=method, target="all")
    original = {frozenset(): mushroom.n} | dict(mine(mushroom, min_support="60%", target="all"))
    after = {frozenset(): done.patterns.n} | dict(done.patterns)
    changed = {original[itemset] for itemset in original if original[itemset] != after.get(itemset)}
    secret = changed - set(after.values())
    assert len(secret) >= 4  # others are also the support of something published
    for name, text in texts_of(tmp_path / "public").items():
        printed = {int(number.replace(",", "")) for number in re.findall(r"(?<![\d.,])\d[\d,]*(?![\d.])", text)}
        assert not printed & secret, name
        words = set(re.findall(r"[a-z]+", text.lower()))
        assert not words & {"additive", "suppressive", "distortion", "virtual"}, name


def test_labels_that_no_published_itemset_has_are_not_in_the_bundle(tmp_path: Path):
    rows = Transactions.from_rows([["flu", "cough"]] * 30 + [["flu"]] * 30 + [["rare-disease"]] * 3)
    release(rows, k=4, min_support=20, method="suppressive", output=tmp_path / "public")
    for name, text in texts_of(tmp_path / "public").items():
        assert "rare-disease" not in text, name
    assert all(b"rare-disease" not in path.read_bytes() for path in (tmp_path / "public").iterdir())
