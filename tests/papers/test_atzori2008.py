"""Atzori, Bonchi, Giannotti, Pedreschi: Anonymity Preserving Pattern Discovery. Detection: sections 4-6, 8.3, 9."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from discreet.channels.advice import lowest_safe_support
from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.channels.channel import Channel
from discreet.channels.quasi_identifiers import restrict_rows
from discreet.patterns.confidence import possible_antecedents
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.patterns.reading import read_rules
from discreet.thresholds import Support
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.laws.test_channels import quick_look
from tests.papers.adult import COLUMNS, read_adult

METHODS = ("auto", "direct", "closed", "projection")
RUNNING = Path(__file__).parent.parent / "data" / "running-example.dat"


def spelled(channels) -> list[tuple[str, str, int]]:
    """Write one-letter itemsets as words."""
    return [("".join(sorted(c.base)), "".join(sorted(c.full)), c.support) for c in channels]


class TestRules:
    """Examples 2 and 3: what a rule's support and confidence give away."""

    def test_example_2_a_printed_confidence_leaves_one_support_for_the_premise(self):
        assert possible_antecedents(80, Decimal("0.987"), None) == (81, 81)  # cut off from 0.98765
        assert possible_antecedents(80, Decimal("0.988"), None) == (81, 81)  # rounded

    @pytest.mark.parametrize("known", [None, "a1,a2,a3,a4", "a*"])
    def test_example_2_singles_one_person_out(self, tmp_path: Path, known: str | None):
        (tmp_path / "rules.txt").write_text("a1 a2 a3 ==> a4 #SUP: 80 #CONF: 0.987\n")
        found = audit(read_rules(tmp_path / "rules.txt"), k=10, quasi_identifiers=known)
        assert not found.safe
        assert found.kind == "incomplete"
        assert list(found.channels) == [
            Channel(frozenset({"a1", "a2", "a3"}), frozenset({"a1", "a2", "a3", "a4"}), 1, 1)
        ]
        assert found.to_dict()["channels"][0]["certain"] is True

    def test_example_3_two_rules_link_a_person_to_a_religion(self, tmp_path: Path):
        (tmp_path / "rules.txt").write_text(
            "Age=27 ZIP=45254 Religion=Christian ==> Native_Country=USA #SUP: 758 #CONF: 0.998\n"
            "Age=27 ZIP=45254 ==> Native_Country=USA #SUP: 1053 #CONF: 0.999\n"
        )
        found = audit(read_rules(tmp_path / "rules.txt"), k=10, quasi_identifiers=["Age", "ZIP", "Native_Country"])
        known, abroad = frozenset({"Age=27", "ZIP=45254"}), frozenset({"Native_Country=USA"})
        assert list(found.channels) == [Channel(known, known | abroad, 1, 2)], "1053/1055 may be printed as 0.999 too"
        others = audit(read_rules(tmp_path / "rules.txt"), k=10)
        assert Channel(known | {"Religion=Christian"}, known | abroad | {"Religion=Christian"}, 1, 2) in others.channels

    @pytest.mark.parametrize("method", ["additive", "suppressive"])
    def test_example_3_blocking_breaks_the_link_and_publishes_the_religion(self, method: str):
        person = ["Age=27", "ZIP=45254"]
        rows = Transactions.from_rows(
            [[*person, "Native_Country=USA", "Religion=Christian"]] * 758
            + [[*person, "Native_Country=USA"]] * 295
            + [[*person, "Religion=Christian"]]
            + [["Religion=Christian"]] * 600
        )
        done = block(rows, k=10, min_support=200, method=method, quasi_identifiers=["Age", "ZIP", "Native_Country"])
        supports = dict(done.patterns)
        both = supports.get(frozenset(person), supports.get(frozenset([*person, "Native_Country=USA"])))
        at_home = supports[frozenset([*person, "Native_Country=USA"])]
        assert (both, at_home) == ((1064, 1053) if method == "additive" else (1053, 1053))
        assert both - at_home == 0 or both - at_home >= 10
        assert supports[frozenset([*person, "Native_Country=USA", "Religion=Christian"])] == 758

    def test_few_digits_leave_channels_that_are_only_possible(self, tmp_path: Path):
        (tmp_path / "rules.txt").write_text("a ==> b #SUP: 80 #CONF: 0.9\n")
        found = audit(read_rules(tmp_path / "rules.txt"), k=10)
        (channel,) = found.channels
        assert (channel.low, channel.high) == (1, 19)  # 81 to 99 rows: 80/81 < 1.0 and 80/99 > 0.8
        assert found.to_dict()["channels"][0]["certain"] is False
        assert not found.safe


class TestRunningExample:
    """Figure 1(a) and Examples 5 to 10."""

    rows = read(RUNNING)

    def test_example_6_nobody_else_lacks_c_d_and_e(self):
        assert ("", "cde", 1) in spelled(audit(self.rows, k=3, min_support=8).channels)

    @pytest.mark.parametrize("method", METHODS)
    def test_example_8_all_channels_at_8(self, method):
        found = audit(self.rows, k=3, min_support=8, method=method, all_channels=True)
        assert set(spelled(found.channels)) == {
            ("", "d", 2), ("", "de", 1), ("e", "de", 1), ("d", "cd", 1), ("", "cd", 2), ("de", "cde", 1),
            ("", "cde", 1), ("e", "cde", 1), ("", "ce", 1), ("e", "ce", 2), ("a", "ae", 1), ("a", "ab", 1),
            ("", "e", 1),
        }  # fmt: skip

    @pytest.mark.parametrize("method", METHODS)
    def test_example_10_maximal_channels_at_8(self, method):
        found = audit(self.rows, k=3, min_support=8, method=method)
        assert spelled(found.channels) == [
            ("a", "ab", 1), ("a", "ae", 1), ("", "cde", 1), ("e", "cde", 1), ("de", "cde", 1),
        ]  # fmt: skip

    @pytest.mark.parametrize("method", METHODS)
    def test_figure_1e_channels_at_6(self, method):
        found = audit(self.rows, k=3, min_support=6, method=method)
        assert sorted(spelled(found.channels)) == [
            ("ab", "abcde", 1), ("abde", "abcde", 1), ("ae", "abcde", 1), ("g", "eg", 1), ("g", "fg", 1),
        ]  # fmt: skip
        assert len(audit(self.rows, k=3, min_support=6, method=method, all_channels=True).channels) == 58

    def test_the_order_of_channels(self):
        finer = Channel(frozenset(), frozenset("de"), 1, 1)
        coarser = Channel(frozenset(), frozenset("e"), 1, 1)
        assert coarser.implied_by(finer)
        assert not finer.implied_by(coarser)


class TestBorder:
    """Section 9."""

    def test_example_16_the_blocked_collection_lets_nothing_be_deduced(self):
        closed = [("a", 12), ("e", 17), ("ab", 8), ("ae", 8), ("de", 13), ("cde", 9)]
        blocked = PatternSet.from_itemsets(closed, n=21, min_support=8, target="closed")
        found = audit(blocked, k=3)
        assert found.safe
        assert list(found.border) == []

    def test_example_17_an_unpublished_support_follows_from_the_others(self):
        collection = [("ab", 9), ("ac", 8), ("bc", 5), ("a", 14), ("b", 14), ("c", 13)]
        found = audit(PatternSet.from_itemsets(collection, n=22, min_support=5), k=3)
        assert list(found.channels) == []
        assert [(c.base, c.full, c.low, c.high) for c in found.border] == [(frozenset("bc"), frozenset("abc"), 2, 2)]
        assert not found.safe
        assert audit(PatternSet.from_itemsets(collection, n=22, min_support=5), k=3, border=False).safe


class TestMushroom:
    """Example 12, on the file of the FIMI repository."""

    def test_example_12(self, data_folder: Path):
        rows = read(data_folder / "mushroom.dat.gz")
        found = audit(rows, k=10, min_support="60%")
        assert [(sorted(c.base, key=int), sorted(c.full, key=int), c.support) for c in found.channels] == [
            (["34", "85"], ["34", "39", "85", "86"], 8),
            (["34", "85"], ["34", "59", "85", "86"], 8),
            (["34", "85", "90"], ["34", "36", "85", "86", "90"], 8),
        ]
        assert len(audit(rows, k=10, min_support="60%", all_channels=True).channels) == 20
        assert found.exposed_rows == 8

    def test_the_lowest_support_that_needs_no_change_is_7907(self, data_folder: Path):
        rows = read(data_folder / "mushroom.dat.gz")
        lowest = lowest_safe_support(rows, k=10, min_support=4875)
        assert lowest == 7907
        assert audit(rows, k=10, min_support=lowest).safe
        assert not audit(rows, k=10, min_support=lowest - 1).safe
        patterns = mine(rows, min_support="60%")
        assert lowest_safe_support(patterns, k=10, min_support=4875) == lowest

    @pytest.mark.parametrize(
        ("name", "share", "counts"),
        [
            ("mushroom", "10%", (1118, 2641, 3707)),
            ("mushroom", "5%", (5507, 12295, 19027)),
            ("chess", "75%", (5646, 7606, 8069)),
            ("chess", "60%", (69924, 90788, 96164)),
        ],
    )
    def test_numbers_of_maximal_channels(self, data_folder: Path, name: str, share: str, counts: tuple[int, ...]):
        rows = read(data_folder / f"{name}.dat.gz")
        closed = mine(rows, min_support=share)
        for k, count in zip((10, 30, 50), counts, strict=True):
            assert len(audit(rows, k=k, min_support=share, border=False).channels) == count
            assert len(audit(closed, k=k, border=False).channels) == count

    @pytest.mark.parametrize(
        ("name", "share", "k", "sets", "with_channel"),
        [
            ("mushroom", "40%", 10, 161, 11),
            ("mushroom", "30%", 25, 324, 34),
            ("chess", "88%", 10, 117, 61),
            ("accidents_first15224", "60%", 15, 134, 25),
        ],
    )
    def test_border_of_dense_data(self, data_folder: Path, name: str, share: str, k: int, sets: int, with_channel: int):
        rows = read(data_folder / f"{name}.dat.gz")
        found = quick_look(rows, k=k, depth=1, min_support=Support.parse(share).of(rows.n))
        assert len(found.looked_at) + found.at_a_glance == sets
        assert len({c.full for c in found.channels}) == with_channel


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> Transactions:
    return read_adult(data_folder)


class TestAdult:
    """Section 8.3, Tables 2 to 4; k = 50, sigma = 18,100."""

    def test_table_2(self, adult: Transactions):
        assert adult.n == 30162
        everything = mine(adult, min_support=18100, target="all")
        assert len(everything) + 1 == 41  # with the empty itemset
        assert dict(mine(adult, min_support=18100)) == dict(everything)
        maximal = {frozenset(items): support for items, support in mine(adult, min_support=18100, target="maximal")}
        usa, white, male, private = "native-country=United-States", "race=White", "sex=Male", "workclass=Private"
        gain, loss, low = "capital-gain=0", "capital-loss=0", "income=<=50K"
        assert maximal == {
            frozenset({usa, loss, private}): 19237,
            frozenset({loss, male}): 19290,
            frozenset({white, gain, low}): 18275,
            frozenset({white, loss, low}): 18489,
            frozenset({male, gain}): 18403,
            frozenset({white, loss, private}): 18273,
            frozenset({usa, male}): 18572,
            frozenset({white, usa, loss, gain}): 20836,
            frozenset({usa, private, gain}): 18558,
            frozenset({"hours-per-week=(20,40]"}): 18577,
            frozenset({loss, private, gain}): 19623,
            frozenset({usa, loss, gain, low}): 19009,
        }

    @pytest.mark.parametrize("method", METHODS)
    def test_table_3(self, adult: Transactions, method: str):
        found = audit(adult, k=50, min_support=18100, method=method, border=False)
        usa, gain, loss = "native-country=United-States", "capital-gain=0", "capital-loss=0"
        assert {(c.base, c.full, c.support) for c in found.channels} == {
            (frozenset(), frozenset({usa, loss, "workclass=Private"}), 36),
            (frozenset(), frozenset({"race=White", loss, "workclass=Private"}), 49),
            (frozenset({gain}), frozenset({"race=White", usa, loss, gain}), 48),
            (frozenset({gain}), frozenset({usa, loss, gain, "income=<=50K"}), 48),
        }

    def test_table_4_without_age_race_and_country(self, adult: Transactions):
        kept = [c for c in COLUMNS.split(",") if c not in ("age", "race", "native-country", "fnlwgt", "education-num")]
        maximal = mine(restrict_rows(adult, kept), min_support=18100, target="maximal")
        assert {frozenset(items): support for items, support in maximal} == {
            frozenset({"hours-per-week=(20,40]"}): 18577,
            frozenset({"sex=Male", "capital-gain=0"}): 18403,
            frozenset({"sex=Male", "capital-loss=0"}): 19290,
            frozenset({"workclass=Private", "capital-gain=0", "capital-loss=0"}): 19623,
            frozenset({"income=<=50K", "capital-gain=0", "capital-loss=0"}): 21021,
        }

    def test_quasi_identifiers_leave_the_other_columns_out(self, adult: Transactions):
        found = audit(adult, k=50, min_support=18100, quasi_identifiers=["race", "native-country", "sex", "workclass"])
        assert all(len(label) for c in found.channels for label in c.full)
        assert not any(label.startswith("capital") for c in [*found.channels, *found.border] for label in c.full)

    @pytest.mark.parametrize("method", ["additive", "suppressive"])
    def test_table_3_with_what_its_channels_are_made_of(self, adult: Transactions, method: str):
        """The four channels as printed; once they are blocked, every itemset of all columns is published."""
        names = ["workclass", "race", "native-country", "capital-*", "income"]
        found = audit(adult, k=50, min_support=18100, border=False, quasi_identifiers=names)
        assert sorted(channel.support for channel in found.channels) == [36, 48, 48, 49]
        done = block(adult, k=50, min_support=18100, method=method, target="all", quasi_identifiers=names)
        assert audit(done.patterns, k=50, quasi_identifiers=names).safe
        before = {itemset for itemset, _ in mine(adult, min_support=18100, target="all")}
        after = {itemset for itemset, _ in done.patterns}
        assert after == before
        assert frozenset({"sex=Male", "capital-loss=0"}) in after, "sex is no quasi-identifier, and published"

    @pytest.mark.parametrize("method", ["additive", "suppressive"])
    def test_table_3_with_quasi_identifiers_publishes_every_itemset(self, adult: Transactions, method: str):
        """None of the channels of Table 3 is made of these five columns alone, so nothing has to change."""
        names = ["age", "race", "sex", "native-country", "workclass"]
        done = block(adult, k=50, min_support=18100, method=method, target="all", quasi_identifiers=names)
        assert done.patterns == mine(adult, min_support=18100, target="all")
        assert done.distortion.rows == 0
        assert len(done.patterns) == 40, "all, where the quasi-identifiers alone would give 8"
