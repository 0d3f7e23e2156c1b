"""Limits of single sensitive items, in place of rho: the notation, the check and every method against brute force."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.errors import ParameterError
from discreet.transactions.label_names import NamedLabel, entry_of, entry_text
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.best import best
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.mapping import mapping_of, read_mapping, write_mapping
from discreet.uncertainty.sensitive_items import named_labels
from discreet.uncertainty.suppress_control import suppress_control
from discreet.uncertainty.td_control import td_control
from tests import uncertainty_twin as twin
from tests.uncertainty.settings import Setting, random_setting

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.uncertainty.publication import Publication

HALF = Fraction(1, 2)


def own_limits(setting: Setting, seed: int) -> tuple[dict[str, Fraction], Limits, list[str]]:
    """Draw a limit for each sensitive item, rho for some: for the twin, for the package, and as users write it."""
    draw = random.Random(seed)
    own = {x: Fraction(draw.randint(1, 10), 10) if draw.random() < 0.7 else None for x in setting.sensitive}
    written = [x if limit is None else f"{x} @ {float(limit)}" for x, limit in own.items()]
    each = {x: setting.rho if limit is None else limit for x, limit in own.items()}
    return each, Limits(setting.rho, own), written


# ---------------------------------------------------------------------------------------------------- notation


def test_an_entry_may_have_a_limit_of_its_own() -> None:
    assert entry_of("hiv @ 0.1", "line 1") == NamedLabel("hiv", "line 1", Fraction(1, 10))
    assert entry_of("my  disease  @  20%", "x").label == "my  disease"
    assert entry_of("hiv", "x").limit is None
    assert entry_of("a@b", "x") == ("a@b", "x", None)
    assert entry_of("ann @ work late", "x").label == "ann @ work late"  # no number could stand there
    assert entry_of('"hiv @ 0.1"', "x") == ("hiv @ 0.1", "x", None)
    assert entry_of('"hiv @ 0.1" @ 0.2', "x") == ("hiv @ 0.1", "x", Fraction(1, 5))
    assert entry_of('"hiv"', "x").label == '"hiv"'  # as ever: quotes matter only where there is an @


@pytest.mark.parametrize("wrong", ["hiv @", "hiv @ home", "hiv @ 1.5", "hiv @ 0"])
def test_what_follows_the_at_must_be_a_share(wrong: str) -> None:
    with pytest.raises(ParameterError, match=r"the number after @ in entry 2 of sensitive .* in double quotes$"):
        named_labels(["flu", wrong])


@given(st.text(st.sampled_from('ab "@0.1'), max_size=9))
def test_every_label_can_be_written(label: str) -> None:
    assert entry_of(entry_text(label), "x") == (label, "x", None)


def test_a_list_a_file_and_a_line_have_the_same_notation(tmp_path: Path) -> None:
    path = tmp_path / "private.txt"
    path.write_text('hiv @ 0.1\nflu\n"a @ b"\n', encoding="utf-8")
    expected = [("hiv", Fraction(1, 10)), ("flu", None), ("a @ b", None)]
    for given_ in (path, ["hiv @ 0.1", "flu", '"a @ b"'], 'hiv @ 0.1,flu,"""a @ b"""'):
        assert [(each.label, each.limit) for each in named_labels(given_)] == expected
    with pytest.raises(ParameterError, match=r"write a label with a limit of its own as 'label @ 0\.1'"):
        named_labels({"hiv": 0.1})


def test_the_narrowest_entry_counts_and_a_lower_wider_one_is_refused() -> None:
    labels = ["ill=flu", "ill=hiv", "illness", "tea"]

    def limits(*entries: str) -> dict[str, str]:
        named = [entry_of(entry, "here") for entry in entries]
        return {x: str(limit) for x, limit in Limits.of(HALF, named).of_items(labels[:3], labels).items()}

    assert limits("ill* @ 0.4", "ill @ 0.3", "ill=hiv @ 0.1") == {
        "ill=flu": "3/10",
        "ill=hiv": "1/10",
        "illness": "2/5",
    }
    assert limits("ill*", "ill=hiv @ 0.1") == {"ill=flu": "1/2", "ill=hiv": "1/10", "illness": "1/2"}
    with pytest.raises(ParameterError, match=r"'ill=hiv' with the limit 0.9, and 'ill\*', which stands for it as well"):
        limits("ill*", "ill=hiv @ 0.9")
    with pytest.raises(ParameterError, match="names 'illness' once more, with another limit"):
        limits("illness @ 0.1", "illness")


def test_patterns_have_one_limit() -> None:
    rows = Transactions.from_rows([["a", "hiv"]] * 4)
    with pytest.raises(ParameterError, match="entry 1 of sensitive has a limit of its own, which only rows can have"):
        discreet.audit(rows, k=2, min_support=2, sensitive=["hiv @ 0.1"], rho=0.5)


# ---------------------------------------------------------------------------------------------------- the check


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_the_check_agrees_with_brute_force(start: int) -> None:
    for seed in range(start, start + 50):
        setting = random_setting(seed)
        each, _, written = own_limits(setting, seed)
        checked = discreet.check(setting.rows, rho=setting.rho, sensitive=written, ignore_unknown=True)
        rules = twin.sensitive_rules(setting.listed, setting.sensitive)
        broken = twin.violating(setting.listed, setting.sensitive, each)
        assert checked.safe == (not broken), seed
        assert checked.affected == tuple(sorted({consequent for _, consequent in broken})), seed
        highest = max((twin.confidence(setting.listed, rule) for rule in rules), default=None)
        assert (None if checked.worst_rule is None else checked.worst_rule.confidence) == highest
        nearest = max((twin.confidence(setting.listed, rule) / each[rule[1]] for rule in rules), default=None)
        found = checked.critical_rule
        assert (None if found is None else found.confidence / each[found.consequent]) == nearest
        if found is not None:
            both = frozenset([*found.antecedent, found.consequent])
            assert checked.endangered.tolist() == [r for r, row in enumerate(setting.listed) if both <= row]


@pytest.mark.parametrize("start", range(0, 200, 100))
def test_limits_that_equal_rho_change_nothing(start: int) -> None:
    for seed in range(start, start + 100):
        setting = random_setting(seed)
        written = [f"{x} @ {float(setting.rho)}" for x in setting.sensitive]
        one, other = (
            discreet.check(setting.rows, rho=setting.rho, sensitive=each, ignore_unknown=True, exact_knowledge=True)
            for each in (setting.sensitive, written)
        )
        assert (one.safe, one.worst_rule, one.affected) == (other.safe, other.worst_rule, other.affected)
        assert one.critical_rule == one.worst_rule


def test_who_knows_the_whole_row_is_held_to_each_items_limit() -> None:
    rows = Transactions.from_rows([["a", "x"], ["a"], ["a"], ["a", "b"], ["b", "y"], ["b"], [], [], [], []])
    asked = {"rho": 0.6, "ignore_unknown": True}
    assert discreet.check(rows, **asked, sensitive=["x @ 0.3", "y"], exact_knowledge=False).safe
    exact = discreet.check(rows, **asked, sensitive=["x @ 0.3", "y"], exact_knowledge=True)
    assert not exact.safe  # of the three rows that are {a} but for x, one has x
    assert exact.affected == ("x",)
    assert (exact.critical_rule.consequent, exact.critical_rule.confidence) == ("x", Fraction(1, 3))
    assert (exact.worst_rule.consequent, exact.worst_rule.confidence) == ("y", HALF)
    assert exact.endangered.tolist() == [0]


def test_an_empty_cell_has_the_lowest_limit_of_what_was_dropped_there(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("ill,age\n" + "flu,30\nflu,30\nflu,30\ncold,30\ncold,30\n,30\n,30\n" * 2, encoding="utf-8")
    rows = discreet.read(path)
    asked = {"rho": "0.5", "ignore_unknown": True}
    assert discreet.check(rows, **asked, sensitive=["ill=hiv"]).safe  # two of seven are empty
    found = discreet.check(rows, **asked, sensitive=["ill=hiv @ 0.2", "ill=gout @ 0.9"])
    assert not found.safe
    assert found.critical_rule.consequent == "ill="


# ---------------------------------------------------------------------------------------------------- the methods


@pytest.mark.parametrize("start", range(0, 240, 40))
def test_suppress_and_tdcontrol_agree_with_the_printed_algorithms(start: int) -> None:
    for seed in range(start, start + 40):
        setting = random_setting(seed)
        each, limits, _ = own_limits(setting, seed)
        asked = {"rho": limits, "sensitive": setting.codes, "hierarchy": setting.hierarchy}
        label = setting.rows.vocabulary
        printed = twin.suppress_control(setting.listed, setting.sensitive, each)
        done = suppress_control(setting.rows, **asked)
        assert [label[choice.code] for level in done.levels for choice in level.chosen] == printed.dropped, seed
        for level, rules in zip(done.levels, printed.levels, strict=False):
            assert level.rules == len(rules)
        top_down = twin.td_control(setting.listed, setting.sensitive, setting.tree, each)
        split = td_control(setting.rows, **asked)
        assert [label[choice.code] for choice in split.start] == top_down.start, seed
        nets = [Fraction(each_.net, len(setting.leaves)) for each_ in split.splits]
        assert nets == [tried[node] for node, tried, _ in top_down.steps], seed


@pytest.mark.parametrize("start", range(0, 100, 25))
def test_best_is_safe_never_worse_than_another_method_and_no_better_than_the_optimum(start: int) -> None:
    for seed in range(start, start + 25):
        setting = random_setting(seed)
        each, limits, _ = own_limits(setting, seed)
        asked = {"rho": limits, "sensitive": setting.codes, "hierarchy": setting.hierarchy}

        def loss(publication: Publication, setting: Setting = setting) -> Fraction:
            return publication.information_loss(setting.rows)

        found = best(setting.rows, **asked).publication
        assert not twin.violating(list(found.apply(setting.rows)), setting.sensitive, each), seed
        assert loss(found) <= loss(td_control(setting.rows, **asked).publication)
        if len(setting.leaves) <= 4:
            assert loss(found) >= twin.optimum(setting.listed, setting.sensitive, setting.tree, each)


@pytest.mark.parametrize("method", ["best", "tdcontrol", "suppress", "simple"])
def test_what_is_published_keeps_every_limit_and_the_items_that_may_stay(method: str) -> None:
    rows = Transactions.from_rows([["a", "hiv"], ["a"], ["a"], ["a", "flu"], ["b", "flu"], ["b"], ["b"], ["c"]] * 3)
    done = discreet.anonymize(rows, rho="0.5", sensitive=["hiv @ 0.2", "flu"], method=method)
    assert done.safe
    assert not twin.violating(list(done.rows), ["hiv", "flu"], {"hiv": Fraction(1, 5), "flu": HALF})
    if method == "best":
        assert done.suppressed["sensitive"] in ([], ["hiv"])  # at 0.5 nothing had to go
        document = done.to_dict()
        assert document["limits"] == {"hiv": 0.2}
        assert document["critical_rule"] is not None
    plain = discreet.anonymize(rows, rho="0.5", sensitive=["hiv", "flu"], method=method).to_dict()
    assert "limits" not in plain


def test_a_mapping_keeps_the_limits(tmp_path: Path) -> None:
    rows = Transactions.from_rows([["a", "hiv"], ["a"], ["a"], ["b", "flu"], ["b"], ["b"], [], []])
    done = discreet.anonymize(rows, rho="0.5", sensitive=["hiv @ 0.2", "flu"])
    limits = Limits(HALF, {"hiv": Fraction(1, 5), "flu": None})
    path = tmp_path / "map.json"
    write_mapping(mapping_of(done.publication, limits=limits, method="best"), path)
    assert read_mapping(path).limits == limits
    document = json.loads(path.read_text())
    assert (document["version"], document["limits"]) == (3, {"hiv": "1/5"})
    for change in ({"limits": {"hiv": "0"}}, {"limits": {"tea": "1/5"}}, {"limits": {}}, {"version": 2}):
        path.write_text(json.dumps(document | change))
        with pytest.raises(discreet.DataError, match="is not a mapping of discreet"):
            read_mapping(path)
