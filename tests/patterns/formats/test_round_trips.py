"""What is written can be read back: every form, every label that it can carry."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from discreet.errors import DataError, OutputError, ParameterError
from discreet.patterns.patternset import PatternSet
from discreet.patterns.reading import read_patterns, read_rules
from discreet.patterns.rules import rules
from discreet.patterns.tools.native import json_blocks
from discreet.patterns.writing import check_pattern_file, write_patterns, write_rules
from tests.patterns.pattern_strategies import LABELS, all_itemsets, pattern_sets
from tests.strategies import DRAWS

if TYPE_CHECKING:
    from pathlib import Path

FORMS = [
    ("x.json", None),
    ("x.csv", None),
    ("x.parquet", None),
    ("x.txt", None),
    ("x.json.gz", None),
    ("x.csv.gz", None),
    ("x.txt.gz", None),
    ("x.csv", "mlxtend"),
    ("x.json", "spark"),
    ("x.parquet", "spark"),
    ("x.csv", "arules"),
]
NAMES = [f"{form or 'by name'}-{name}" for name, form in FORMS]
SAY_ALL = {"x.json", "x.csv", "x.parquet", "x.json.gz", "x.csv.gz"}
quick = settings(max_examples=12 * DRAWS, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def _carried(found, path: Path, form: str | None, write) -> bool:
    """Write, and say whether the form could carry the labels: only SPMF and arules may refuse, and leave nothing."""
    try:
        write(found, path, form=form, force=True)
    except OutputError:
        assert form == "arules" or "txt" in path.name
        assert not path.exists()
        return False
    return True


@pytest.mark.parametrize(("name", "form"), FORMS, ids=NAMES)
@quick
@given(found=pattern_sets())
def test_patterns(tmp_path: Path, name: str, form: str | None, found: PatternSet):
    path = tmp_path / name
    path.unlink(missing_ok=True)
    if not _carried(found, path, form, write_patterns) or not (len(found) or (form is None and name in SAY_ALL)):
        return
    says_all = form is None and name in SAY_ALL
    if form in ("mlxtend", "arules"):  # counts and shares together tell n, if there are enough of them
        assert read_patterns(path).n in (found.n, None)
    given_back = read_patterns(path, n=None if says_all else found.n)
    assert list(given_back.to_patternset(None if says_all else found.target)) == list(found)
    assert given_back.n == found.n
    if says_all:
        assert given_back.to_patternset() == found
        assert (given_back.kind, given_back.max_length, given_back.origin) == (found.target, found.max_length, "ours")
    else:
        assert (given_back.kind, given_back.max_length, given_back.min_support) == ("unknown", None, None)
        assert given_back.origin == (form or "spmf")


@pytest.mark.parametrize(("name", "form"), FORMS, ids=NAMES)
@quick
@given(labels=st.lists(LABELS, min_size=2, max_size=4, unique=True), data=st.data())
def test_rules(tmp_path: Path, name: str, form: str | None, labels: list[str], data: st.DataObject):
    rows = data.draw(st.lists(st.lists(st.sampled_from(labels), min_size=2), min_size=1, max_size=6))
    found = rules(all_itemsets(rows, 1), min_confidence="40%")
    assume(len(found))
    path = tmp_path / name
    path.unlink(missing_ok=True)
    if not _carried(found, path, form, write_rules):
        return
    given_back = read_rules(path, n=len(rows) if form else None)
    assert given_back.n == (None if "txt" in name else len(rows))
    assert given_back.origin == (form or ("spmf" if "txt" in name else "ours"))
    names = given_back.vocabulary.labels
    sides = zip(given_back.antecedents.labels(names), given_back.consequents.labels(names), strict=True)
    back = {
        (frozenset(antecedent), frozenset(consequent)): (
            int(given_back.supports[at]),
            float(given_back.confidences[at]),
        )
        for at, (antecedent, consequent) in enumerate(sides)
    }
    assert back == {
        (rule.antecedent, rule.consequent): (rule.support, rule.support / rule.antecedent_support) for rule in found
    }
    if form in (None, "mlxtend", "arules") and "txt" not in name:
        assert sorted(given_back.antecedent_supports.tolist()) == sorted(found.antecedent_supports.tolist())


@quick
@given(found=pattern_sets())
def test_json_is_what_the_standard_library_writes(found: PatternSet):
    assert b"".join(json_blocks(found)).decode() == json.dumps(found.to_dict(), ensure_ascii=False)


def test_rules_json_is_what_the_standard_library_writes(tmp_path: Path):
    found = rules(all_itemsets([["a", '"'], ["a", '"'], ["a", "ü"]], 1), min_confidence=Fraction(1, 3))
    write_rules(found, tmp_path / "r.json")
    assert (tmp_path / "r.json").read_text() == json.dumps(found.to_dict(), ensure_ascii=False) + "\n"


def test_json_laid_out_otherwise_reads_the_same(tmp_path: Path):
    found = all_itemsets([["a b", 'x"y'], ["a b", "ü"], []], 1)
    for number, layout in enumerate(
        ({"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": True}, {"sort_keys": True})
    ):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(found.to_dict(), **layout))
        assert read_patterns(path).to_patternset() == found


def test_many_blocks_read_like_one(tmp_path: Path, monkeypatch):
    found = all_itemsets([[f'label {i} \\ "{i}"' for i in range(8)], ["label 3", "ü"]], 1)
    for suffix in ("json", "csv", "txt", "parquet"):
        write_patterns(found, tmp_path / f"once.{suffix}")
    monkeypatch.setattr("discreet.tables.text_blocks._BLOCK", 100)
    monkeypatch.setattr("discreet.tables.byte_source.CHUNK", 64)
    monkeypatch.setattr("discreet.tables.byte_source._HEAD", 256)
    monkeypatch.setattr("discreet.patterns.label_lists._MOST_ITEMS", 20)
    for suffix in ("json", "csv", "txt", "parquet"):
        write_patterns(found, tmp_path / f"blocks.{suffix}")
        for name in ("once", "blocks"):
            assert read_patterns(tmp_path / f"{name}.{suffix}", n=found.n).to_patternset("all") == found
        if suffix != "parquet":
            assert (tmp_path / f"once.{suffix}").read_bytes() == (tmp_path / f"blocks.{suffix}").read_bytes()


def test_the_forms_by_name(tmp_path: Path):
    found = PatternSet.from_itemsets(
        [(["34"], 7), (["85", "34"], 3)], n=9, min_support=3, target="closed", max_length=2
    )
    for name in ("p.csv", "p.txt", "p.json", "p.parquet", "p.csv.gz"):
        write_patterns(found, tmp_path / name)
    text = (
        "# n: 9\n# min_support: 3\n# target: closed\n# max_length: 2\n"
        'items,support\n"[""34""]",7\n"[""34"", ""85""]",3\n'
    )
    assert (tmp_path / "p.csv").read_text() == text
    assert gzip.decompress((tmp_path / "p.csv.gz").read_bytes()).decode() == text
    assert (tmp_path / "p.txt").read_text() == "34 #SUP: 7\n34 85 #SUP: 3\n"
    assert (tmp_path / "p.json").read_text() == (
        '{"n": 9, "min_support": 3, "target": "closed", "max_length": 2, "count": 2, "itemsets": '
        '[{"items": ["34"], "support": 7}, {"items": ["34", "85"], "support": 3}]}\n'
    )
    table = pq.read_table(tmp_path / "p.parquet")
    assert table.to_pylist() == [{"items": ["34"], "support": 7}, {"items": ["34", "85"], "support": 3}]
    assert str(table.schema.field("items").type) == "list<element: string>"
    assert {key: table.schema.metadata[key] for key in (b"n", b"min_support", b"target", b"max_length")} == {
        b"n": b"9",
        b"min_support": b"3",
        b"target": b"closed",
        b"max_length": b"2",
    }


def test_the_same_bytes_every_time(tmp_path: Path):
    found = all_itemsets([["a", "b"], ["b"]], 1)
    for name, form in FORMS:
        for folder in ("one", "two"):
            (tmp_path / folder).mkdir(exist_ok=True)
            write_patterns(found, tmp_path / folder / name, form=form, force=True)
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_an_existing_file_is_kept(tmp_path: Path):
    found = all_itemsets([["a"]], 1)
    path = tmp_path / "p.csv"
    path.write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        write_patterns(found, path)
    with pytest.raises(OutputError, match="exists already"):
        check_pattern_file(path)
    assert path.read_text() == "mine"
    write_patterns(found, path, force=True)
    assert read_patterns(path).to_patternset() == found


@pytest.mark.parametrize("name", ["p", "p.xlsx", "p.gz", "p.parquet.gz", "p.csv.zip", "no/such/p.csv"])
def test_a_name_that_does_not_tell_what_to_write_is_refused(tmp_path: Path, name: str):
    for attempt in (
        lambda: write_patterns(all_itemsets([["a"]], 1), tmp_path / name),
        lambda: check_pattern_file(tmp_path / name),
    ):
        with pytest.raises(OutputError):
            attempt()
    assert list(tmp_path.iterdir()) == []


def test_a_form_without_that_kind_of_file_is_refused(tmp_path: Path):
    found = all_itemsets([["a"]], 1)
    with pytest.raises(OutputError, match=r"must end in \.csv"):
        write_patterns(found, tmp_path / "p.parquet", form="mlxtend")
    with pytest.raises(ParameterError, match="form must be"):
        write_patterns(found, tmp_path / "p.csv", form="weka")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("label", "name", "form"),
    [
        ("secret\nb", "p.txt", None),
        ("secret\r", "p.txt", None),
        ("secret,b", "p.csv", "arules"),
        ("secret{", "p.csv", "arules"),
        (" secret", "p.csv", "arules"),
        ("secret\n", "p.csv", "arules"),
        ("secret[1", "p.csv", "arules"),
        ("", "p.csv", "arules"),
    ],
)
def test_a_label_that_the_form_cannot_carry_is_refused(tmp_path: Path, label: str, name: str, form: str | None):
    found = all_itemsets([[label, "other"]], 1)
    for write, result in ((write_patterns, found), (write_rules, rules(found, min_confidence=0))):
        with pytest.raises(OutputError, match=r"label . of the vocabulary has a") as caught:
            write(result, tmp_path / name, form=form)
        assert "secret" not in str(caught.value)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "form"), FORMS, ids=NAMES)
def test_half_a_surrogate_pair_is_refused(tmp_path: Path, name: str, form: str | None):
    found = PatternSet.from_itemsets([(["\ud800 "], 1)], n=1, min_support=1)
    with pytest.raises((DataError, OutputError)):
        write_patterns(found, tmp_path / name, form=form)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "form"), FORMS, ids=NAMES)
def test_a_label_that_is_in_no_itemset_gets_into_no_file(tmp_path: Path, monkeypatch, name: str, form: str | None):
    """Its itemsets may have been withheld; Parquet once kept every label beside the lists."""
    monkeypatch.setattr("discreet.patterns.label_lists._MOST_ITEMS", 2)  # several blocks
    rare = "5b1d8c40-7e2f"  # nothing that a compressor could shorten
    everything = PatternSet.from_itemsets(
        [("a", 5), ("b", 4), ([rare], 4), ("c", 3), ("ac", 2)], n=9, min_support=2, target="all"
    )
    kept = np.flatnonzero([rare not in labels for labels, _ in everything])
    found = replace(everything, itemsets=everything.itemsets.select(kept), supports=everything.supports[kept])
    write_patterns(found, tmp_path / name, form=form)
    content = (tmp_path / name).read_bytes()
    assert rare.encode() not in (gzip.decompress(content) if name.endswith(".gz") else content)
    assert dict(read_patterns(tmp_path / name, n=9).to_patternset("all")) == dict(found)


@pytest.mark.parametrize("name", sorted(SAY_ALL))
def test_a_file_says_that_it_holds_a_selection(tmp_path: Path, name: str):
    found = PatternSet.from_itemsets([("a", 5), ("b", 4)], n=9, min_support=2, target="selected")
    write_patterns(found, tmp_path / name)
    assert read_patterns(tmp_path / name).to_patternset() == found
