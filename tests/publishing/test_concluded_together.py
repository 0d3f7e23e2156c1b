"""Releases that are each safe for rho, and tell together who has a sensitive item."""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from discreet import (
    NotSafe,
    ParameterError,
    PatternSet,
    Transactions,
    audit,
    open_ledger,
    release,
    verify,
    verify_bundle,
)
from discreet.channels.conclusions import Asked
from discreet.channels.exclusive import Exclusive
from discreet.cli.main import main
from discreet.errors import ConcludedTogether, UnsafeTogether
from discreet.publishing.combined_attack import AllReleases, PrintedRelease
from discreet.publishing.combined_conclusions import Snapshot, counted_in_all, itemsets_reached
from discreet.publishing.earlier_releases import check_entries
from discreet.publishing.mixed_supports import support_table
from discreet.thresholds import Rho
from tests.attacks.months import conclusions, small_groups, supports_in
from tests.publishing.test_fit_ledger import months
from tests.strategies import seeds

if TYPE_CHECKING:
    from pathlib import Path

JANUARY = [*["a s"] * 20, *["a"] * 40, *["b s"] * 20, *["b"] * 40, *[""] * 40]
SETTINGS: dict[str, Any] = {"k": 5, "min_support": 10, "method": "none", "sensitive": ["s"], "rho": "0.6"}


def rows_of(kinds: list[str]) -> Transactions:
    return Transactions.from_rows([kind.split() for kind in kinds])


def test_rows_that_were_added_are_a_group_of_their_own(tmp_path: Path):
    """Of ten rows with a that came in February, nine have s; February by itself has 29 of 70."""
    first, ledger = rows_of(JANUARY), tmp_path / "ledger"
    release(first, **SETTINGS, output=tmp_path / "january", ledger=ledger, new_ledger=True)
    february = rows_of([*JANUARY, *["a s"] * 25, *["a"] * 5, *["b"] * 10])
    assert audit(february, k=5, min_support=10, sensitive=["s"], rho="0.6").safe
    with pytest.raises(ConcludedTogether, match="not together with release 1") as refusal:
        release(february, **SETTINGS, output=tmp_path / "february", ledger=ledger, rows_added=True)
    found = refusal.value
    assert (found.kind, found.item, found.base, found.rows) == ("conclusion", "s", frozenset("a"), 30)
    assert found.share == Fraction(5, 6)
    assert found.words == "of the 30 rows of this one beyond those of release 1 with a, 25 have s"
    assert not (tmp_path / "february").exists()
    less = rows_of([*JANUARY, *["a s"] * 15, *["a"] * 15, *["b"] * 10])
    release(less, **SETTINGS, output=tmp_path / "february", ledger=ledger, rows_added=True)
    with open_ledger(ledger) as book:
        assert check_entries(book.entries) == ()
        assert [entry.certificate.promise["rho"] for entry in book.entries] == ["3/5", "3/5"]


def test_two_releases_of_the_same_rows_count_together_what_neither_does(tmp_path: Path):
    """One names s as sensitive, the other has all itemsets, and neither would be refused by itself."""
    rows, ledger = rows_of([*["a s"] * 30, *["a"] * 10, *["s"] * 10, *["b"] * 50]), tmp_path / "ledger"
    plain = SETTINGS | {"sensitive": None, "rho": None}
    release(rows, **plain, output=tmp_path / "all", ledger=ledger, new_ledger=True)
    concealed = SETTINGS | {"method": "suppressive"}
    assert release(rows, **concealed, output=tmp_path / "alone").published.selected
    with pytest.raises(UnsafeTogether) as refusal:
        release(rows, **concealed | {"rho": "0.5"}, output=tmp_path / "less", ledger=ledger)
    assert refusal.value.kind == "conclusion"
    other = tmp_path / "other-ledger"
    release(rows, **concealed, output=tmp_path / "first", ledger=other, new_ledger=True)
    with pytest.raises(UnsafeTogether) as refusal:
        release(rows, **plain, output=tmp_path / "second", ledger=other)
    assert (refusal.value.kind, refusal.value.item) == ("conclusion", "s")


def test_the_smallest_rho_and_all_sensitive_items_of_the_ledger_count(tmp_path: Path):
    rows, ledger = rows_of([*["a s"] * 30, *["a t"] * 30, *["a"] * 20, *["b"] * 40]), tmp_path / "ledger"
    first = SETTINGS | {"rho": "0.9"}
    release(rows, **first, output=tmp_path / "one", ledger=ledger, new_ledger=True)
    for given in ({"sensitive": ["t"], "rho": "0.9"}, {"sensitive": ["s", "t"], "rho": "0.9"}):
        release(rows, **first | given, output=tmp_path / f"more-{len(given['sensitive'])}", ledger=ledger)
    with pytest.raises(ConcludedTogether) as refusal:
        release(
            rows,
            **first | {"sensitive": ["t"], "rho": "0.3", "method": "suppressive"},
            output=tmp_path / "x",
            ledger=ledger,
        )
    assert refusal.value.item in "st"


def test_what_follows_by_bounds_from_both():
    """One tells how many of the eye clinic's patients are ill, the other how many stayed, and that those were not."""
    ill = PatternSet.from_itemsets([(["eye"], 100), (["ill"], 60), (["eye", "ill"], 38)], n=300, min_support=38)
    stays = [(["eye"], 100), (["stay"], 80), (["eye", "stay"], 60), (["ill"], 60)]
    stay = PatternSet.from_itemsets(stays, n=300, min_support=60, target="selected")
    apart = Exclusive(named=(("ill", "stay"),))
    releases = [PrintedRelease(replace(ill, target="selected"), "rows", "release 1")]
    releases += [PrintedRelease(stay, "rows", "this one", apart)]
    asked = Asked(frozenset({"ill"}), None, Rho(Fraction(9, 10)))
    told = AllReleases(releases).conclusion(asked)
    assert told is not None
    assert (told.conclusion.present, told.conclusion.absent) == ({"eye"}, {"stay"})
    assert (told.conclusion.rows, told.conclusion.having) == ((40, 40), (38, 38))
    assert AllReleases(releases[:1]).conclusion(asked) is None
    assert AllReleases(releases[1:]).conclusion(asked) is None
    assert AllReleases(releases).conclusion(replace(asked, quasi_identifiers=("stay",))) is None


def brute_force(before: list[str], after: list[str], items: str, rho: Fraction, sigma: int) -> bool:
    """Return whether a group of the added rows, of items that both print together with s, reaches rho."""
    rows = [frozenset(row.split()) for row in after[len(before) :]]
    old, new = ([frozenset(row.split()) for row in some] for some in (before, after))

    def listed(itemset: frozenset[str]) -> bool:
        return all(sum(itemset <= row for row in some) >= sigma for some in (old, new))

    for signs in product((0, 1, 2), repeat=len(items)):
        present = frozenset(item for item, sign in zip(items, signs, strict=True) if sign == 1)
        absent = frozenset(item for item, sign in zip(items, signs, strict=True) if sign == 2)
        if not listed(present | absent | {"s"}):
            continue
        group = [row for row in rows if present <= row and not absent & row]
        if group and sum("s" in row for row in group) >= rho * len(group):
            return True
    return False


@pytest.mark.usefixtures("no_charts")
def test_no_group_of_added_rows_that_can_be_counted_passes(tmp_path: Path):
    seen: Counter[str] = Counter()
    for seed in seeds(40):
        draw, folder = random.Random(seed), tmp_path / str(seed)
        folder.mkdir()
        made = [" ".join(item for item in "abs" if draw.random() < 0.5) for _ in range(6)]
        before = [kind for kind in made for _ in range(10 * draw.randint(0, 4))]
        after = before + [kind for kind in made for _ in range(10 * draw.randint(0, 3))]
        rho = Fraction(draw.randint(5, 9), 10)
        settings = SETTINGS | {"k": 2, "rho": rho, "ignore_unknown": True}
        with suppress(NotSafe, ParameterError):  # not safe by itself, or nothing sensitive in it
            release(rows_of(before), **settings, output=folder / "old", ledger=folder / "ledger", new_ledger=True)
            release(rows_of(after), **settings, output=folder / "alone")
            told = brute_force(before, after, "ab", rho, 10)
            try:
                release(rows_of(after), **settings, output=folder / "new", ledger=folder / "ledger", rows_added=True)
            except UnsafeTogether as refusal:
                seen[f"refused: {refusal.kind}"] += told
                continue
            assert not told
            seen["accepted"] += 1
    assert seen["refused: conclusion"], seen
    assert seen["accepted"], seen


def test_the_command_says_what_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for name, kinds in (("january", JANUARY), ("february", [*JANUARY, *["a s"] * 25, *["a"] * 5, *["b"] * 10])):
        (tmp_path / f"{name}.dat").write_text("".join(f"{kind}\n" for kind in kinds))
    words = [
        "-s",
        "10",
        "-k",
        "5",
        "--method",
        "none",
        "--sensitive",
        "s",
        "--rho",
        "0.6",
        "--ledger",
        str(tmp_path / "book"),
    ]
    january = ["release", str(tmp_path / "january.dat"), *words, "--new-ledger", "-o", str(tmp_path / "one")]
    assert main(january) == 0
    assert main(["release", str(tmp_path / "february.dat"), *words, "-o", str(tmp_path / "two")]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "of the 30 rows of this one beyond those of release 1 with a, 25 have s" in shown
    assert main(["release", str(tmp_path / "february.dat"), *words, "-o", str(tmp_path / "two"), "--json"]) == 1
    together = json.loads(capsys.readouterr().out)["together"]
    assert (together["kind"], together["item"], together["share"]) == ("conclusion", "s", "5/6")


@pytest.mark.usefixtures("no_charts")
def test_next_month_withholds_what_would_tell(tmp_path: Path):
    ledger, rho = tmp_path / "book", Fraction(11, 20)
    settings: dict[str, Any] = {"k": 5, "min_support": 20, "method": "suppressive", "sensitive": ["a"], "rho": rho}
    for month, rows in enumerate(months(4)):
        again = {"rows_added": True, "fit_ledger": True} if month else {"new_ledger": True}
        done = release(rows, output=tmp_path / str(month), ledger=ledger, **settings, **again)
        assert verify(done.bundle).holds
        assert verify_bundle.verify(done.bundle)[0] == 0
        release(rows, output=tmp_path / f"alone-{month}", **settings)
    printed, alone = ([supports_in(tmp_path / f"{name}{month}") for month in range(4)] for name in ("", "alone-"))
    assert list(conclusions(alone, ["a"], rho)), "without the ledger, some months tell together"
    assert list(conclusions(printed, ["a"], rho)) == []
    assert list(small_groups(printed, k=5)) == []
    assert any(frozenset("a") in supports for supports in printed)
    with open_ledger(ledger) as book:
        assert check_entries(book.entries) == ()


def test_figures_that_contradict_each_other_hide_no_conclusion():
    """Of the 39 rows by which they differ, 80 would have b: it was changed. But that 31 of them have s is told."""
    january = {"a": 175, "b": 175, "c": 116, "s": 93, "ab": 139, "ac": 89, "as": 75, "bc": 87, "bs": 85, "abc": 72}
    february = {"b": 255, "c": 141, "s": 124, "bc": 129, "bs": 118}
    printed = [
        PatternSet.from_itemsets(list(supports.items()), n=n, min_support=60, target="selected")
        for supports, n in ((january, 240), (february, 279))
    ]
    asked = Asked(frozenset("s"), ("a", "b", "c"), Rho(Fraction(1, 2)))
    table, snapshots = support_table(printed), [Snapshot((0,), "January"), Snapshot((1,), "this one")]
    told = counted_in_all(table, snapshots, asked, again=False)
    assert told is not None
    assert (told.conclusion.item, told.conclusion.share, told.conclusion.rows) == ("s", Fraction(31, 39), (39, 39))
    reached = itemsets_reached(table, snapshots, asked)
    assert [table.labels(number) for number in reached.nonzero()[0].tolist()] == [["s"]]
