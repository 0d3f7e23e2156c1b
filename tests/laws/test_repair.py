"""The promises of channels/repair.py: whatever the attacker finds in raised supports, more virtual rows set free."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.errors import NotSafe
from discreet.patterns.mining import mine
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.attacks.twin import Publication, entailed, expand_closed, outside
from tests.laws.test_blocking import check_laws
from tests.strategies import seeds

if TYPE_CHECKING:
    from pathlib import Path


def dense_data(seed: int) -> tuple[Transactions, int, int]:
    """Draw rows of very different lengths, among which unpublished sets of 1 to k-1 rows are common."""
    draw = random.Random(seed)
    k = draw.randint(2, 4)
    rows = []
    for _ in range(draw.randint(3 * k, 40)):
        density = draw.uniform(0.2, 0.95)
        rows.append([label for label in "abcdefg" if draw.random() < density])
    return Transactions.from_rows(rows), draw.randint(k, max(k, len(rows) // 2)), k


def test_every_group_that_follows_is_freed_though_nobody_may_hold_its_base():
    unpublished, refused = 0, []
    for seed in seeds(6):
        rows, sigma, k = dense_data(seed)
        frequent = dict(mine(rows, min_support=sigma, target="all"))
        within = block(rows, k=k, min_support=sigma, method="additive", border=False)
        left = audit(within.patterns, k=k).border
        unpublished += any(channel.base and channel.base not in frequent for channel in left)
        try:
            done = block(rows, k=k, min_support=sigma, method="additive", target="all")
        except NotSafe:
            refused.append(seed)
            continue
        after = dict(done.patterns)
        assert after.keys() == frequent.keys(), seed
        assert not ((done.patterns.supports - done.before) % k).any()
        published = Publication(done.n_after, after, sigma)
        assert outside(published, entailed(published, k, rows=Counter(done.witness))) == {}, seed
    assert unpublished >= max(1, len(seeds(6)) // 10)
    assert len(refused) <= len(seeds(6)) // 10, refused


def test_repairs_free_groups_and_pin_down_no_others():
    """To every data set that fitted before, the new rows can be added: what was free stays free."""
    repaired = 0
    for seed in (100 + each for each in seeds(3)):
        rows, sigma, k = dense_data(seed)
        plain = block(rows, k=k, min_support=sigma, method="additive", border=False)
        done = block(rows, k=k, min_support=sigma, method="additive")
        repaired += done.n_after > plain.n_after
        before = Publication(plain.n_after, expand_closed(dict(plain.patterns)), sigma)
        after = Publication(done.n_after, expand_closed(dict(done.patterns)), sigma)
        assert entailed(after, k).keys() <= entailed(before, k).keys(), seed
    assert repaired


@pytest.mark.parametrize(("name", "share"), [("mushroom", "30%"), ("chess", "95%")])
def test_public_data_with_unpublished_bases(data_folder: Path, name: str, share: str):
    rows = read(data_folder / f"{name}.dat.gz")
    assert check_laws(rows, 10, mine(rows, min_support=share).min_support, "additive", border=True)


def test_what_no_virtual_row_can_free_is_refused():
    """Three rows lack each of 14 items, and one row has them all: so much follows, and it pins down that row."""
    labels = "abcdefghijklmn"
    rows = [labels.replace(label, "") for label in labels for _ in range(3)] + [labels]
    data = Transactions.from_rows(rows)
    with pytest.raises(NotSafe, match="leave rows out instead"):
        block(data, k=2, min_support=3, method="additive")
    assert np.all(block(data, k=2, min_support=3, method="suppressive").patterns.supports >= 3)
