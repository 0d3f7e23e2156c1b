"""The promises of channels/widening.py: raising supports closes what follows across the border, whatever the base."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.channels import audit
from discreet.channels.blocking import block
from discreet.errors import NotSafe
from discreet.patterns.mining import mine
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.channels_twin import border_channels
from tests.laws.test_blocking import check_laws

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


def test_every_channel_across_the_border_is_closed_though_nobody_may_hold_its_base():
    unpublished = 0
    for seed in range(60):
        rows, sigma, k = dense_data(seed)
        frequent = dict(mine(rows, min_support=sigma, target="all"))
        within = block(rows, k=k, min_support=sigma, method="additive", border=False)
        left = audit(within.patterns, k=k).border
        unpublished += any(channel.base and channel.base not in frequent for channel in left)
        done = block(rows, k=k, min_support=sigma, method="additive", target="all")
        after = dict(done.patterns)
        assert after.keys() == frequent.keys(), seed
        assert border_channels(after, n=done.n_after, sigma=sigma, k=k, depth=2) == {}, seed
    assert unpublished >= 5


@pytest.mark.parametrize("depth", [1, 3, 4])
def test_however_far_is_looked(depth: int):
    for seed in range(100, 140):
        rows, sigma, k = dense_data(seed)
        done = block(rows, k=k, min_support=sigma, method="additive", border_depth=depth)
        assert audit(done.patterns, k=k, border_depth=depth).safe, seed
        assert not ((done.patterns.supports - done.before) % k).any()


@pytest.mark.parametrize(("name", "share"), [("mushroom", "30%"), ("chess", "90%"), ("chess", "85%")])
def test_public_data_with_unpublished_bases(data_folder: Path, name: str, share: str):
    rows = read(data_folder / f"{name}.dat.gz")
    assert check_laws(rows, 10, mine(rows, min_support=share).min_support, "additive", border=True)


def test_what_would_take_thousands_of_rows_is_refused():
    """Three rows lack each of 14 items, and one row has them all: so much follows, and it pins down that row."""
    labels = "abcdefghijklmn"
    rows = [labels.replace(label, "") for label in labels for _ in range(3)] + [labels]
    data = Transactions.from_rows(rows)
    with pytest.raises(NotSafe, match="thousands of virtual rows"):
        block(data, k=2, min_support=3, method="additive", border_depth=1)
    assert np.all(block(data, k=2, min_support=3, method="suppressive", border_depth=1).patterns.supports >= 3)
