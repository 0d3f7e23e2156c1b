"""What two parties have found is looked at by the attacker: the protocols rule out channels, and no more than that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from discreet.channels.audit import audit
from discreet.errors import ProtocolViolation
from discreet.patterns.patternset import PatternSet
from discreet.transactions.transactions import Transactions
from discreet.twoparty.joint_patterns import JointPatterns
from discreet.twoparty.judging import Judgement
from discreet.twoparty.messages import Message, MessageKind
from tests.twoparty.test_party import half
from tests.twoparty_owners import mine_among
from tests.twoparty_pair import mine_together, sessions, talk

# no itemset has a channel for k = 2; but 4 of 6 with a have b, and 4 have c
LEAKING = [set(row) for row in ["abd", "bcd", "abd", "cd", "ac", "abcd", "abc", "acd", "cd", "b", "c", "bd"]]


def test_the_attacker_looks_at_what_may_be_published(mine) -> None:
    for side in mine(half("abcd"), half("efgh")):
        result = side.result()
        assert (result.verdict, result.audit.kind) == ("incomplete", "incomplete")  # of the others nothing is known
        assert (result.to_dict()["verdict"], result.to_dict()["border"]) == ("incomplete", [])
        assert result.to_dict()["attack"]["complete"]


def test_what_lets_a_group_be_computed_is_withheld_on_both_sides_alike(mine) -> None:
    before = audit(mine_together((half("ab", LEAKING), half("cd", LEAKING)), min_support=2, k=2).patterns, k=2)
    assert (len(before.channels), len(before.border) > 0) == (0, True)
    assert sum("b" in row and "c" in row and "a" not in row for row in LEAKING) == 1
    sides = [side.result() for side in mine(half("ab", LEAKING), half("cd", LEAKING), min_support=2, k=2)]
    for result in sides:
        told = result.to_dict()
        assert (told["verdict"], told["border"], told["withheld_after"]) == ("incomplete", [], [["b", "c"]])
        assert frozenset("bc") not in dict(result.patterns)
        listed = set(dict(result.patterns))
        assert all(each - {item} in listed | {frozenset()} for each in listed for item in each)
    assert sides[0].withheld_after == sides[1].withheld_after


def test_a_column_of_one_side_has_one_value_in_a_row_for_both(mine) -> None:
    """Without "sex=x", which one person has: who is neither of the other two has it."""
    table = pd.DataFrame({"sex": ["f"] * 8 + ["m"] * 8 + ["x"]})
    hospital = Transactions.from_pandas(table, format="table")
    insurer = Transactions.from_rows([["smokes"] if place % 2 else [] for place in range(17)])
    known, told = (side.result() for side in mine(hospital, insurer, min_support=4, k=3))
    assert dict(known.patterns) == dict(told.patterns)
    assert known.withheld_after == told.withheld_after
    assert [each for each in known.withheld_after if len(each) == 1] == [("sex=f",)]
    assert (known.verdict, told.verdict) == ("incomplete", "incomplete")


def people(*sexes: str) -> Transactions:
    return Transactions.from_pandas(pd.DataFrame({"sex": list("".join(sexes))}), format="table")


@pytest.mark.parametrize("owners", [2, 3])
def test_a_column_that_all_have_has_one_value_for_each_of_their_people(owners: int) -> None:
    """Of 23 people, 11 are "f" and 11 "m": who is neither is one, and only the columns tell."""
    slices = [people("ffffff", "mmmmm", "x"), people("fffff", "mmmmmm")]
    slices = [slices[0], people("fff", "mmm"), people("ff", "mmm")] if owners == 3 else slices
    labels = ["sex=f", "sex=m"]
    if owners == 2:
        pair = sessions(slices, min_support=4, k=3, labels=labels)
        talk(*pair)
        looks = [Judgement(each.result, own) for each, own in zip(pair, slices, strict=True)]
        talk(*looks)
        results = [look.result[0] for look in looks]
    else:
        results = list(mine_among(slices, labels, min_support=4, k=3).results.values())
    for result in results:
        assert result.withheld_after == (("sex=f",),)
        assert dict(result.patterns) == {frozenset({"sex=m"}): 11}


def test_items_of_which_someone_has_two_exclude_nothing() -> None:
    """One side has a table; at the other, somebody is both: nobody can say of the values that each has one."""
    table = people("ffffff", "mmmmm", "x")
    lists = Transactions.from_rows([["sex=f"]] * 4 + [["sex=m"]] * 5 + [["sex=f", "sex=m"]])
    for slices in ((table, lists), (lists, table)):
        pair = sessions(slices, min_support=4, k=3, labels=["sex=f", "sex=m"])
        talk(*pair)
        looks = [Judgement(each.result, own) for each, own in zip(pair, slices, strict=True)]
        talk(*looks)
        assert [look.result[0].withheld_after for look in looks] == [(), ()]
        assert dict(looks[0].result[0].patterns) == {frozenset({"sex=f"}): 11, frozenset({"sex=m"}): 11}


@pytest.mark.parametrize("dual", [True, False])
@pytest.mark.parametrize("turned", [False, True], ids=["rare at the first", "rare at the second"])
def test_a_label_that_both_have_is_that_of_the_side_where_it_is_frequent(*, turned: bool, dual: bool) -> None:
    """The rare one neither ends the session nor says of the other that it excludes this side's values."""
    ward = ["north"] * 5 + ["south"] * 55
    hospital = Transactions.from_pandas(pd.DataFrame({"ward": ward}), format="table")
    lived = ["north" if place % 3 else "east" for place in range(60)]
    register = Transactions.from_pandas(pd.DataFrame({"ward": lived}), format="table")
    halves = (register, hospital) if turned else (hospital, register)
    pair = sessions(halves, min_support=12, k=3, dual=dual)
    talk(*pair)
    looks = [Judgement(each.result, half) for each, half in zip(pair, halves, strict=True)]
    talk(*looks)
    results = [look.result[0] for look in looks]
    assert results[0].to_dict() == results[1].to_dict()
    assert dict(results[0].patterns)[frozenset({"ward=north"})] == 40
    assert not results[0].withheld_after


MADE_UP = {frozenset("a"): 8, frozenset("b"): 8, frozenset("ab"): 3}


def joint(supports: dict[frozenset[str], int], n: int = 20, k: int = 3) -> JointPatterns:
    patterns = PatternSet.from_itemsets([(sorted(x), count) for x, count in supports.items()], n=n, min_support=3)
    selected = replace(patterns, target="selected")
    return JointPatterns("ic-sapm", False, n, 3, k, selected, (), (0,))


def judged(first: JointPatterns, *payloads: bytes) -> JointPatterns:
    judgement = Judgement(first, Transactions.from_rows(["a"] * 8))
    judgement.start()
    for payload in payloads:
        judgement.receive(Message(MessageKind.EXCLUSIVE, payload))
    return judgement.result[0]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [({"ab": 7}, "fewer than 3 people"), ({"ab": 9}, "no data set"), ({"a": 15, "b": 15}, "no data set")],
    ids=["a channel", "more than a subset", "a negative group"],
)
def test_what_the_protocol_rules_out_is_a_violation(changed: dict[str, int], sentence: str) -> None:
    supports = MADE_UP | {frozenset(x): count for x, count in changed.items()}
    assert dict(judged(joint(MADE_UP), bytes(4)).patterns) == MADE_UP
    with pytest.raises(ProtocolViolation, match=sentence):
        judged(joint(supports), bytes(4))


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\1\0\0\0",
        (9).to_bytes(4, "little") + bytes(8),
        np.array([1, 2, 0, 1], "<u4").tobytes(),  # an item of this side
        np.array([1, 2, 1, 7], "<u4").tobytes(),  # no such item
        np.array([1, 1, 1], "<u4").tobytes(),  # an item alone
        np.array([1, 2, 1, 1], "<u4").tobytes(),
    ],
)
def test_exclusive_items_that_cannot_be_read_are_refused(payload: bytes) -> None:
    supports = MADE_UP | {frozenset(x): 8 for x in "cd"}
    with pytest.raises(ProtocolViolation, match="exclusive items cannot be read"):
        judged(joint(supports), payload)


def test_more_exclusive_items_than_the_partner_has_are_refused() -> None:
    """Of its one released item, nothing can be said but that there is no set."""
    with pytest.raises(ProtocolViolation, match="12 bytes in a message EXCLUSIVE where at most 8 were due"):
        judged(joint(MADE_UP), np.array([1, 1, 1], "<u4").tobytes())


def test_supports_that_exclusive_items_contradict_are_refused() -> None:
    supports = {frozenset(x): 8 for x in ("a", "b", "c", "bc")}
    with pytest.raises(ProtocolViolation, match="no data set"):
        judged(joint(supports), np.array([1, 2, 1, 2], "<u4").tobytes())


def test_where_nothing_is_left_nothing_is_to_be_published(mine) -> None:
    for side in mine(half("abcd"), half("efgh"), min_support=12):
        assert (side.result().verdict, len(side.result().patterns)) == ("nothing", 0)
