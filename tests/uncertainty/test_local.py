"""Sensitive items that leave single rows: what the definition takes out, nothing else, and a check that passes."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

import discreet
from discreet import _kernel
from discreet.itemsets import Itemsets
from discreet.uncertainty.utility import false_rules
from tests.attacks import local_reader
from tests.uncertainty_twin import confidence, subsets, violating

if TYPE_CHECKING:
    from pathlib import Path


def endangered(rows: list[frozenset[str]], limits: dict[str, Fraction]) -> list[set[str]]:
    """Return what follows from the rest of each row: the slow twin of the kernel, from the definition."""
    return [
        {
            item
            for item in row & {*limits}
            if any(confidence(rows, (part, item)) >= limits[item] for part in subsets(row - {item}))
        }
        for row in rows
    ]


def found_by_the_kernel(
    rows: Counter[frozenset[str]], limits: dict[str, Fraction], labels: str, *, every: bool = True, steps: int = 16
) -> dict[frozenset[str], set[str]]:
    place = {label: number for number, label in enumerate(labels)}
    shares = [limits.get(label, Fraction(1)) for label in labels]
    found = _kernel.find_endangered(
        given := Itemsets.of([sorted(place[item] for item in row) for row in rows]),
        np.array([*rows.values()], np.int64),
        total=rows.total(),
        sensitive=np.array([label in limits for label in labels], np.uint8),
        rho_part=np.array([share.numerator for share in shares], np.int64),
        rho_whole=np.array([share.denominator for share in shares], np.int64),
        every=every,
        steps=steps,
    )
    said = given.keeping(found.astype(bool))
    return {row: {labels[item] for item in items} for row, items in zip(rows, map(list, said), strict=True)}


@pytest.mark.parametrize("seed", range(100))
def test_the_kernel_finds_just_what_follows_from_the_rest_of_its_row(seed: int) -> None:
    draw = random.Random(seed)
    labels = "abcdefg"[: draw.randint(2, 7)]
    rows = [frozenset(x for x in labels if draw.random() < draw.choice((0.3, 0.6))) for _ in range(draw.randint(1, 14))]
    limits = {label: Fraction(draw.randint(2, 10), 10) for label in labels if draw.random() < 0.5}
    follows = dict(zip(rows, endangered(rows, limits), strict=True))
    assert found_by_the_kernel(Counter(rows), limits, labels) == follows
    some = found_by_the_kernel(Counter(rows), limits, labels, every=False)
    assert all(some[row] <= follows[row] for row in follows)
    assert any(some.values()) == any(follows.values())


def endangered_of_many(rows: Counter[frozenset[str]], limits: dict[str, Fraction]) -> dict[frozenset[str], set[str]]:
    """Return what follows from the rest of each row, from the supports of all parts of all rows."""
    supports: Counter[frozenset[str]] = Counter()
    for row, weight in rows.items():
        for part in subsets(row):
            supports[part] += weight
    return {
        row: {
            item
            for item in row & {*limits}
            if any(
                supports[part | {item}] * limits[item].denominator >= supports[part] * limits[item].numerator
                for part in subsets(row - {item})
            )
        }
        for row in rows
    }


@pytest.mark.parametrize("seed", range(30))
def test_the_kernel_finds_the_same_in_many_rows_and_in_long_ones(seed: int) -> None:
    """Items of many rows have bitmaps; rests are searched one by one, or together once there are no steps left."""
    draw = random.Random(seed)
    labels = "abcdefghijk"[: draw.choice((6, 9, 11))]
    chances = {label: draw.choice(draw.choice(((0.1, 0.3, 0.5), (0.6, 0.8)))) for label in labels}
    count = draw.choice((40, 200, 700))
    rows = Counter(frozenset(x for x in labels if draw.random() < chances[x]) for _ in range(count))
    if seed % 3 == 0:
        rows = Counter(dict.fromkeys(rows, 1))
    elif seed % 3 == 1:
        rows = Counter({row: weight * draw.randint(1, 4) for row, weight in rows.items()})
    limits = {label: Fraction(draw.randint(2, 19), 20) for label in labels if draw.random() < 0.6}
    expected = endangered_of_many(rows, limits)
    for steps in (0, 1, 16):
        assert found_by_the_kernel(rows, limits, labels, steps=steps) == expected


@pytest.mark.parametrize("weights", [1, 3])
def test_whole_rests_are_counted_over_ten_thousands_of_rows(weights: int) -> None:
    """Bitmaps of one item then have several blocks; a sample of the rows is counted again, bit by bit."""
    draw = np.random.default_rng(weights)
    width, sensitive = 18, [0, 3, 7, 17]
    codes = np.unique(draw.integers(0, 2**width, 24_000) | draw.choice([0, 2**17, 2**9], 24_000))
    held = codes[:, None] >> np.arange(width) & 1
    counts = draw.integers(1, weights + 1, len(codes))
    flags = np.isin(np.arange(width), sensitive).astype(np.uint8)
    part, whole = np.full(width, 11), np.full(width, 20)
    given = Itemsets(np.append(0, np.cumsum(held.sum(axis=1))), np.nonzero(held)[1].astype(np.int32))
    options = {"total": int(counts.sum()), "sensitive": flags, "rho_part": part, "rho_whole": whole}
    found = _kernel.find_endangered(given, counts, **options, every=True, staged=True)
    single = [
        [counts[(held[:, item] & held[:, other]).astype(bool)].sum() for other in range(width)] for item in range(width)
    ]
    for row in draw.choice(len(codes), 300, replace=False).tolist():
        said = found[given.offsets[row] : given.offsets[row + 1]].tolist()
        for item, endangered_here in zip(given[row].tolist(), said, strict=True):
            rest = codes[row] & ~(1 << item)
            with_rest = codes & rest == rest
            whole_rest = counts[with_rest & (held[:, item] > 0)].sum(), counts[with_rest].sum()
            others = [(single[item][other], single[other][other]) for other in given[row].tolist() if other != item]
            rules = [whole_rest, (single[item][item], counts.sum()), *others]
            reaches = any(20 * together >= 11 * holding for together, holding in rules)
            assert bool(endangered_here) == (item in sensitive and reaches)
    assert found.any()
    assert not found[np.isin(given.items, sensitive)].all()


@pytest.mark.parametrize("seed", range(20))
def test_what_is_published_is_what_the_definition_gives(seed: int) -> None:
    rows, sensitive, rho = local_reader.draw(seed)
    done = discreet.anonymize(
        discreet.Transactions.from_rows(rows),
        rho=rho,
        sensitive=sorted(sensitive),
        hierarchy=local_reader.HIERARCHY,
        method="local",
        keep_order=True,
        ignore_unknown=True,
    )
    published = tuple(done.rows)
    assert published == local_reader.publish(rows, sensitive, rho)
    assert not violating(published, sensitive, rho)
    assert done.verdict == "face-value"
    assert done.to_dict()["safe"] is False


def test_the_loss_counts_what_left_and_what_was_generalized() -> None:
    for seed in range(15):
        rows, sensitive, rho = local_reader.draw(seed)
        done = discreet.anonymize(
            discreet.Transactions.from_rows(rows),
            rho=rho,
            sensitive=sorted(sensitive),
            hierarchy=local_reader.HIERARCHY,
            method="local",
            keep_order=True,
            ignore_unknown=True,
        )
        left = sum(len(row & sensitive) for row in rows) - sum(len(row & sensitive) for row in done.rows)
        others = sum(len(row - sensitive) for row in rows)
        assert done.recoding is not None
        assert done.recoding.entries == (sum(len(row & sensitive) for row in rows), left)
        generalized = Fraction(2 * others, local_reader.LEAVES) if done.generalized else 0
        assert done.information_loss == (left + generalized) / Fraction(others + done.recoding.entries[0])


def test_folded_rows_lose_the_same_items() -> None:
    rows, sensitive, rho = local_reader.draw(3)
    given = discreet.Transactions.from_rows([*rows, *rows])
    one, other = (
        discreet.anonymize(each, rho=rho, sensitive=sorted(sensitive), method="local", ignore_unknown=True)
        for each in (given, given.fold())
    )
    assert Counter(one.rows) == Counter(other.rows.unfold())
    assert one.information_loss == other.information_loss


def test_each_item_has_its_own_limit() -> None:
    rows = [["a", "x"], ["a", "x"], ["a"], ["a"], ["a"], ["b", "y"], ["b", "y"], ["b"], ["b"], ["b"]]
    given = discreet.Transactions.from_rows(rows)
    done = discreet.anonymize(given, rho="0.5", sensitive=["x @ 0.3", "y"], method="local")
    assert done.suppressed == {"sensitive": ["x"], "other": []}
    assert Counter(done.rows)[frozenset("by")] == 2


def table(folder: Path, values: list[str], wards: str) -> discreet.Transactions:
    """Return a table of wards and diagnoses; an empty text is an empty cell."""
    file = folder / "table.csv"
    file.write_text("ward,ill\n" + "".join(f"{each},{value}\n" for each, value in zip(wards, values, strict=True)))
    return discreet.read(file, format="table", missing="skip")


def test_a_column_goes_as_a_whole_if_its_empty_cells_tell_what_left(tmp_path: Path) -> None:
    rows = table(tmp_path, ["hiv", "hiv", "flu", *["flu", "cold", "hiv", "cold"] * 3], "AAA" + "BBBB" * 3)
    done = discreet.anonymize(rows, rho="0.5", sensitive=["ill=hiv"], method="local")
    assert done.safe
    assert done.suppressed == {"sensitive": ["ill=hiv"], "other": ["ill=cold", "ill=flu"]}


def test_an_empty_cell_counts_if_a_value_left_its_column(tmp_path: Path) -> None:
    empty = ["", "flu", "flu", "cold"] * 4
    rows = table(tmp_path, ["hiv", *empty, "hiv", "cold", "flu"], "A" + "AAAA" * 4 + "ABB")
    alone = discreet.anonymize(rows, rho="0.1", sensitive=["ill=hiv"], method="local")
    assert alone.safe
    assert not any("ill=hiv" in row for row in alone.rows)
    kept = discreet.anonymize(rows, rho="0.9", sensitive=["ill=hiv"], method="local")
    assert kept.information_loss == 0


def test_best_takes_what_loses_least_if_it_may_and_says_which_promise_that_keeps() -> None:
    common = [["a", "x"]] * 10 + [["a"]] * 60
    rows = discreet.Transactions.from_rows([["a", "b", "x"]] * 6 + [["a", "b", "y"]] * 3 + [["a", "b"], *common])
    asked = {"rho": "0.5", "sensitive": ["x", "y"]}
    alone, both = (discreet.anonymize(rows, **asked, allow_local=allowed) for allowed in (False, True))
    assert (alone.verdict, alone.candidates) == ("protected", ())
    assert (both.method, both.verdict) == ("local", "face-value")
    assert [(method, verdict) for method, _, verdict in both.candidates] == [
        ("best", "protected"),
        ("rare-rows", "protected"),
        ("local", "face-value"),
    ]
    assert both.information_loss < alone.information_loss
    safe = discreet.Transactions.from_rows([["a", "x"], *[["a"]] * 4])
    kept = discreet.anonymize(safe, **asked, allow_local=True, ignore_unknown=True)
    assert (kept.method, kept.verdict, kept.information_loss) == ("local", "face-value", 0)
    with pytest.raises(discreet.ParameterError, match="allow_local is for the method best"):
        discreet.anonymize(rows, **asked, method="simple", allow_local=True)


def test_a_false_rule_is_counted() -> None:
    before = discreet.Transactions.from_rows([["x", "t"], ["x", "t"], ["x"], ["x"], ["x"], ["t"]])
    after = discreet.Transactions.from_rows([["x", "t"], ["x", "t"], ["x"], [], [], ["t"]])
    found = false_rules(before, after, min_support=2, min_confidence="60%")
    assert (found.published, found.false) == (2, 1)  # x -> t had 2 of 5 rows, and has 2 of 3


@pytest.mark.parametrize("seed", [0, 2])
def test_a_reader_who_knows_the_method_is_never_certain(seed: int) -> None:
    rows, sensitive, rho = local_reader.draw(seed)
    assert local_reader.surest(rows, sensitive, rho)[0] < 1
