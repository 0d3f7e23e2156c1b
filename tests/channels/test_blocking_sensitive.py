"""Blocking with sensitive items: what is published is safe for k, and concludes nothing of rho or more."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from discreet import NotSafe, ParameterError, Transactions, audit, block, read


def hospital(seed: int, rows: int = 300) -> Transactions:
    """Everybody in ward c has hiv, and a fifth of the others."""
    draw = random.Random(seed)
    made = []
    for _ in range(rows):
        ward = draw.choice("abc")
        row = [f"ward={ward}", f"sex={draw.choice('mf')}"]
        row += ["hiv"] if ward == "c" or draw.random() < 0.2 else []
        row += ["cough"] if draw.random() < 0.5 else []
        made.append(row)
    return Transactions.from_rows(made)


def surest(published: dict[frozenset[str], int], n: int, item: str) -> float:
    """Return the largest share of an item in any group that the listed supports count, by inclusion and exclusion."""
    listed = {frozenset(): n, **published}
    best = 0.0
    for both in (items for items in listed if item in items):
        others = both - {item}
        subsets = [frozenset(some) for size in range(len(others) + 1) for some in combinations(sorted(others), size)]
        if not all(some in listed and some | {item} in listed for some in subsets):
            continue
        for base in subsets:
            between = [some for some in subsets if base <= some]
            size = sum((-1) ** (len(some) - len(base)) * listed[some] for some in between)
            having = sum((-1) ** (len(some) - len(base)) * listed[some | {item}] for some in between)
            best = max(best, having / size if size else 0.0)
    return best


@pytest.mark.parametrize("method", ["additive", "suppressive"])
@pytest.mark.parametrize("names", [None, ["ward", "sex"]])
def test_nothing_is_concluded_from_what_is_left(method: str, names: list[str] | None):
    for seed in range(4):
        rows = hospital(seed)
        plain = block(rows, k=5, min_support=20, method=method, target="all", quasi_identifiers=names)
        assert surest(dict(plain.patterns), plain.n_after, "hiv") == 1, "all of ward c"
        done = block(rows, k=5, min_support=20, method=method, quasi_identifiers=names, sensitive=["hiv"], rho="0.6")
        assert surest(dict(done.patterns), done.n_after, "hiv") < 0.6
        assert (done.patterns.target, done.verdict, done.rho is not None) == ("selected", "safe", True)
        again = audit(done.patterns, k=5, quasi_identifiers=names, sensitive=["hiv"], rho="0.6")
        assert again.safe
        assert done.withheld is not None
        known = dict(plain.patterns)
        assert {**dict(done.patterns), **dict(done.withheld)} == known, "withheld or published, with the same supports"
        assert done.before.tolist() == [dict(zip(*_before(plain), strict=True))[items] for items, _ in done.patterns]


def _before(done: object) -> tuple[list[frozenset[str]], list[int]]:
    return [items for items, _ in done.patterns], done.before.tolist()  # type: ignore[attr-defined]


def test_nothing_is_withheld_where_nothing_is_concluded():
    done = block(hospital(1), k=5, min_support=20, method="suppressive", sensitive=["cough"], rho="0.9")
    assert (done.patterns.target, len(done.withheld or ())) == ("closed", 0)
    rare = Transactions.from_rows(["ab"] * 20 + ["a"] * 10 + ["z"])
    done = block(rare, k=5, min_support=8, method="additive", sensitive=["z"], rho="0.5")
    assert (done.patterns.target, done.withheld) == ("closed", None)


def test_the_two_go_together_and_unknown_labels_are_refused():
    rows = hospital(1)
    for one in ({"sensitive": ["hiv"]}, {"rho": "0.5"}):
        with pytest.raises(ParameterError, match="go together"):
            block(rows, k=5, min_support=20, method="additive", **one)
    with pytest.raises(ParameterError, match="'hvi', which is neither an item nor a column"):
        block(rows, k=5, min_support=20, method="additive", sensitive=["hvi"], rho="0.5")
    with pytest.raises((ParameterError, NotSafe)):
        block(rows, k=5, min_support=20, method="additive", sensitive=["ward"], quasi_identifiers=["ward"], rho="0.5")


def test_a_column_does_not_tell_the_value_that_was_withheld(tmp_path):
    """Eleven of the fifteen men of ward B have the flu: who has not a cold has it, if only the flu is withheld."""
    kinds = {"A,f,flu": 20, "B,f,cold": 30, "B,m,flu": 11, "B,m,cold": 4, "C,f,cold": 25}
    table = tmp_path / "wards.csv"
    table.write_text("ward,sex,ill\n" + "".join(f"{kind}\n" * times for kind, times in kinds.items()))
    rows = read(table)
    done = block(rows, k=3, min_support=4, method="suppressive", sensitive=["ill=flu"], rho="0.6")
    left = {item for items, _ in done.patterns for item in items}
    assert left == {"ward=A", "ward=B", "ward=C", "sex=f", "sex=m"}
    some = block(rows, k=3, min_support=4, method="suppressive", sensitive=["ill"], rho="1")
    assert {item for items, _ in some.patterns for item in items if item.startswith("ill=")} in (
        set(),
        {"ill=flu", "ill=cold"},
    )
