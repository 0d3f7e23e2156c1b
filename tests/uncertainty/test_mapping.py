"""A publication kept as a file, and carried over to other rows."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.errors import DataError, OutputError
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.hierarchy import Hierarchy, hierarchy_for, leaf_of_items
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.mapping import Mapping, carry_over, mapping_of, read_mapping, write_mapping
from discreet.uncertainty.publication import Publication
from discreet.uncertainty.sensitive_items import sensitive_codes
from discreet.uncertainty.simple import simple

if TYPE_CHECKING:
    from pathlib import Path

ROWS = Transactions.from_rows([["beer", "fish", "x"], ["wine", "y"], ["fish", "beef", "cake"]])
TREE = Hierarchy.from_lines(
    line.split(";")
    for line in (
        "beer;alcohol;ALL",
        "wine;alcohol;ALL",
        "fish;meat;ALL",
        "beef;meat;ALL",
        "pork;meat;ALL",
        "cake;sweets;ALL",
        "pie;sweets;ALL",
    )
)


def made() -> Mapping:
    """Publish fish and beef as meat, drop cake and x."""
    vocabulary = ROWS.vocabulary
    private = sensitive_codes(["x", "y"], vocabulary)
    leaves = leaf_of_items(TREE, vocabulary, private)
    meat = TREE.labels.index("meat")
    node_of = np.array(
        [meat if label in {"fish", "beef"} else leaf for label, leaf in zip(vocabulary, leaves, strict=True)], np.int32
    )
    dropped = sensitive_codes(["x", "cake"], vocabulary)
    return mapping_of(Publication(vocabulary, TREE, dropped, node_of), limits=Limits(Fraction(1, 2)), method="best")


def test_a_mapping_says_what_becomes_of_every_item_it_can_know() -> None:
    assert made().published_as == {
        "beer": "beer",
        "wine": "wine",
        "fish": "meat",
        "beef": "meat",
        "pork": "meat",  # no row holds it, but the node stands for it
        "cake": None,
        "x": None,
        "y": "y",
    }


def test_a_file_is_read_back(tmp_path: Path) -> None:
    mapping = made()
    write_mapping(mapping, tmp_path / "map.json")
    again = read_mapping(tmp_path / "map.json")
    assert (again.limits, again.method, again.sensitive) == (mapping.limits, "best", ("x", "y"))
    assert again.published_as == mapping.published_as
    assert again.hierarchy.labels == mapping.hierarchy.labels
    with pytest.raises(OutputError, match="exists already"):
        write_mapping(mapping, tmp_path / "map.json")


def test_other_rows_are_published_alike_and_unknown_items_dropped() -> None:
    rows = Transactions.from_rows([["pork", "x", "y"], ["beer", "pie"], ["tea"]])
    publication, unknown = carry_over(made(), rows)
    assert list(publication.apply(rows)) == [{"meat", "y"}, {"beer"}, set()]
    assert unknown == ("pie", "tea")
    assert publication.information_loss(rows) == (Fraction(3, 8) + 1 + 1 + 1) / 6


def test_a_sensitive_label_that_no_row_had_stays_sensitive(tmp_path: Path) -> None:
    """Once forgotten, pork was published as meat as soon as a row had it, and no check looked at it."""
    first = replace(made(), limits=Limits(Fraction(1, 2), dict.fromkeys(("x", "y", "pork", "sex"))))
    write_mapping(first, tmp_path / "map.json")
    mapping = read_mapping(tmp_path / "map.json")
    assert mapping.named == first.named
    assert mapping.knows(["pork", "sex", "beer", "tea"]) == {"pork", "sex", "beer"}
    rows = Transactions.from_rows([["pork", "sex=f", "fish"], ["y"]])
    publication, unknown = carry_over(mapping, rows)
    assert list(publication.apply(rows)) == [{"meat"}, {"y"}]
    assert [rows.vocabulary[item] for item in np.flatnonzero(publication.node_of < 0)] == ["pork", "sex=f", "y"]
    assert unknown == ("sex=f",)


@pytest.mark.filterwarnings("ignore:'e:discreet.errors.LabelWarning")
def test_a_star_means_what_it_meant_in_the_first_rows() -> None:
    first = Transactions.from_rows([["d1", "a"], ["d2", "b"], ["a"], ["b"], ["c"], ["e*", "e1"]])
    done = anonymize(first, rho="0.9", sensitive=["d*", "e*"])
    assert done.publication is not None
    mapping = mapping_of(done.publication, limits=Limits(done.rho, dict.fromkeys(["d*", "e*"])), method="best")
    assert mapping.private(["a", "d*", "d3", "e*", "e1"]) == {"d*", "d3", "e*"}
    assert mapping.private(["e1"]) == set()


def test_rows_that_hold_a_node_were_published_already() -> None:
    with pytest.raises(
        DataError, match=r"1 item of the rows is a node of the hierarchy: .* may have been published already"
    ):
        carry_over(made(), Transactions.from_rows([["meat", "beer"]]))


def test_where_everything_is_sensitive_there_is_no_hierarchy(tmp_path: Path) -> None:
    rows = Transactions.from_rows([["x"], ["y"]])
    private = sensitive_codes(["x", "y"], rows.vocabulary)
    plan = simple(rows, sensitive=private, hierarchy=hierarchy_for(rows, private, None))
    write_mapping(mapping_of(plan, limits=Limits(Fraction(1)), method="simple"), tmp_path / "map.json")
    other = Transactions.from_rows([["x", "a"], ["b"]])
    publication, unknown = carry_over(read_mapping(tmp_path / "map.json"), other)
    assert list(publication.apply(other)) == [set(), set()]
    assert unknown == ("a", "b")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"kind": "something"}, "does not say that it is one"),
        ({"version": 1}, "another version, which may have forgotten"),
        ({"rho": "0"}, "missing or wrong"),
        ({"rho": None}, "missing or wrong"),
        ({"published_as": []}, "missing or wrong"),
        ({"published_as": {"x": None}}, "missing or wrong"),
        ({"published_as": {"x": "beer", "y": "y"}}, "missing or wrong"),
        ({"published_as": {"x": None, "y": "y", "beer": "nothing"}}, "missing or wrong"),
        ({"hierarchy": [["a", "X"], ["b", "Y"]]}, "two roots"),
        ({"hierarchy": 5}, "missing or wrong"),
    ],
)
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, change: dict[str, object], why: str) -> None:
    path = tmp_path / "map.json"
    write_mapping(made(), path)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(DataError, match=f"is not a mapping of discreet: .*{why}"):
        read_mapping(path)


def test_files_that_are_not_there_or_not_json_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read the mapping"):
        read_mapping(tmp_path / "none.json")
    (tmp_path / "map.json").write_bytes(b"\xff{")
    with pytest.raises(DataError, match="it is not JSON"):
        read_mapping(tmp_path / "map.json")
