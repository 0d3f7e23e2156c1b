"""Columns and items whose removal opens most: what is named is true, however it was chosen."""

from __future__ import annotations

import random

import pytest

import discreet
from discreet.channels.advice import advise
from discreet.channels.collection import collection_of
from discreet.channels.removal import find_removal
from discreet.channels.row_source import LocalRows
from discreet.channels.tradeoff import tradeoff
from discreet.errors import NotSafe
from tests.channels_twin import channels

TABLE = (
    "a,b,c,d\n"
    + "x,x,x,x\n" * 5
    + "x,x,x,y\n" * 5
    + "x,y,x,x\n" * 4
    + "x,y,x,y\n" * 3
    + "y,x,x,x\n" * 3
    + "y,x,x,y\n" * 4
    + "y,y,x,x\n" * 2
    + "y,y,x,y\n" * 1
)
COLUMNS = ("a", "b", "c", "d", "e")


def dense_table(seed: int) -> discreet.Transactions:
    """Return rows of five columns, most of which nearly always have one value."""
    chance = random.Random(seed)
    odd = [chance.choice((0, 0.01, 0.03, 0.3)) for _ in COLUMNS]
    lines = [
        ",".join("odd" if chance.random() < share else "usual" for share in odd) for _ in range(chance.randint(60, 200))
    ]
    return discreet.Transactions.from_rows(
        [[f"{column}={value}" for column, value in zip(COLUMNS, line.split(","), strict=True)] for line in lines]
    )


def without(rows: discreet.Transactions, names: tuple[str, ...]) -> discreet.Transactions:
    gone = tuple(f"{name}=" for name in names)
    return discreet.Transactions.from_rows(
        [[x for x in row if not x.startswith(gone) and x not in names] for row in rows]
    )


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("columns", [COLUMNS, ()])
def test_the_support_named_is_the_lowest_with_no_channel(seed: int, columns: tuple[str, ...]):
    rows = dense_table(seed)
    patterns, k = discreet.mine(rows, min_support="40%"), 5
    least = patterns.min_support
    lowest = tradeoff(patterns, min_support=[least], k=[k]).lowest[k]
    found = find_removal(collection_of(patterns), k=k, lowest=lowest, columns=columns)
    if found is None:
        singly = [tradeoff(without(rows, (name,)), min_support=[least], k=[k]) for name in columns or rows.vocabulary]
        assert all(one.lowest[k] >= lowest or one.lowest[k] > one.highest for one in singly)
        return
    assert found.columns is bool(columns)
    left = without(rows, found.names)
    assert found.support == tradeoff(left, min_support=[least], k=[k]).lowest[k] < lowest
    assert dict(discreet.mine(left, min_support=found.support)) == dict(found.left.at_support(found.support))
    assert not channels(left, found.support, k)


def test_advice_names_them_where_hardly_any_support_is_safe(data_folder):
    rows = discreet.read(data_folder / "mushroom.dat.gz")
    source = LocalRows(rows)
    advice = advise(source, discreet.audit(source, k=10, min_support="60%"), try_out=False)
    assert advice.leave_out is not None
    assert (advice.lowest, advice.leave_out.names, advice.leave_out.columns) == (7907, ("86",), False)
    left = without(rows, advice.leave_out.names)
    assert discreet.audit(left, k=10, min_support=advice.leave_out.lowest).verdict == "safe"


def test_block_names_them_where_it_refuses(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text(TABLE)
    with pytest.raises(NotSafe, match=r"no virtual row .* without the column b, nothing has to be changed at 9 rows"):
        discreet.block(discreet.read(file), k=5, min_support="30%", method="additive")
    left = discreet.read(file, drop="b")
    assert discreet.audit(left, k=5, min_support=9).safe
