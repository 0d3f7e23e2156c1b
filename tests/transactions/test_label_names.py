"""What the labels of a user's list stand for: items, columns, or nothing; and labels that look alike."""

from __future__ import annotations

import unicodedata
import warnings

import pytest

import discreet
from discreet.errors import LabelWarning, ParameterError
from discreet.transactions.label_names import folded, listed, matches, resolve

LABELS = ["milk", "sex=f", "sex=m", "tea"]


def test_a_name_stands_for_an_item_a_column_or_both() -> None:
    assert matches(["tea", "sex", "coffee"], LABELS) == {"tea": ["tea"], "sex": ["sex=f", "sex=m"], "coffee": []}
    assert matches(["a"], ["a", "a=1", "ab=1"]) == {"a": ["a", "a=1"]}
    assert matches(["a=b", "a"], ["a=b=c"]) == {"a=b": ["a=b=c"], "a": ["a=b=c"]}, "a column's name may hold ="


def test_a_star_stands_for_what_begins_so_unless_something_has_just_that_name() -> None:
    assert matches(["s*", "*", "sex=*", "x*"], LABELS) == {
        "s*": ["sex=f", "sex=m"], "*": [], "sex=*": ["sex=f", "sex=m"], "x*": [],
    }  # fmt: skip
    starred = ["C*", "C1", "D*=1", "D2"]
    assert matches(["C*", "D*"], starred) == {"C*": ["C*"], "D*": ["D*=1"]}
    with pytest.warns(
        LabelWarning, match=r"'C\*' is an item or a column of the data, so it does not stand for the other"
    ):
        resolve(listed(["C*"], "sensitive"), starred, parameter="sensitive")
    assert resolve(listed(["w*"], "x"), LABELS, parameter="x", known=["ward"]) == {"w*": []}, "a column without a value"
    with pytest.raises(ParameterError, match=r"names the label 'w\*'"):
        resolve(listed(["w*"], "x"), LABELS, parameter="x")


def test_the_first_unknown_label_is_named_with_its_place_and_the_number_of_others() -> None:
    with pytest.raises(ParameterError, match=r"entry 2 of sensitive names the label 'tee'.*and 1 more.*ignore"):
        resolve(listed(["tea", "tee", "coffee", "tee"], "sensitive"), LABELS, parameter="sensitive")
    assert resolve(listed(["tee"], "sensitive"), LABELS, parameter="sensitive", ignore_unknown=True) == {"tee": []}
    assert resolve(listed(["tee"], "sensitive"), LABELS, parameter="sensitive", known=["tee"]) == {"tee": []}


@pytest.mark.parametrize(
    ("named", "label"),
    [("HIV", "hiv"), (" hiv", "hiv"), ("caf\u00e9", unicodedata.normalize("NFD", "caf\u00e9")), ("Sex", "sex")],
)
def test_a_label_that_differs_in_form_only_is_offered(named: str, label: str) -> None:
    data = ["sex=f", "sex=m"] if label == "sex" else [label, "other"]
    with pytest.raises(ParameterError) as caught:
        resolve(listed([named], "sensitive"), data, parameter="sensitive")
    assert f"the data has {label!r}" in str(caught.value)
    assert folded(named) == folded(label)


def test_an_error_quotes_no_item_that_the_user_did_not_type() -> None:
    with pytest.raises(ParameterError) as caught:
        resolve(listed(["hepatitis C"], "sensitive"), ["hepatitis B", "diagnosis=flu"], parameter="sensitive")
    assert "hepatitis B" not in str(caught.value)
    with pytest.raises(ParameterError, match="the data has 'diagnosis'"):  # a column is no person's item
        resolve(listed(["diagnoses"], "sensitive"), ["hepatitis B", "diagnosis=flu"], parameter="sensitive")


def test_a_look_alike_that_is_not_named_is_told() -> None:
    rows = discreet.Transactions.from_rows([["HIV", "a"], ["hiv"], ["b"], ["c"]])
    with pytest.warns(LabelWarning, match="the data also has 'hiv', which is not named"):
        discreet.check(rows, rho="0.9", sensitive=["HIV"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        discreet.check(rows, rho="0.9", sensitive=["HIV", "hiv"])
        resolve(listed(["sex"], "x"), ["sex=f", "sex=F"], parameter="x")


@pytest.mark.parametrize("name", ["ill", "il*"])
def test_a_column_stands_for_its_values_in_every_function(name: str) -> None:
    table = discreet.Transactions.from_rows([["ill=a", "ward=1"], ["ill=b", "ward=1"], ["ill=a", "ward=2"], []])
    assert discreet.check(table, rho="0.5", sensitive=[name]).affected == ("ill=a", "ill=b")
    done = discreet.anonymize(table, rho="0.5", sensitive=[name], method="simple")
    assert done.suppressed["sensitive"] == ["ill=a", "ill=b"]
    hidden = discreet.hide(table, restrict=[[name, "ward=1"]], method="naive")
    assert [sorted(each.items) for each in hidden.restrictive] == [["ill=a", "ward=1"], ["ill=b", "ward=1"]]
    assert not any("ward=1" in row and row & {"ill=a", "ill=b"} for row in hidden.rows)
    assert discreet.audit(table, k=2, min_support=1, quasi_identifiers=[name]).collection is not None


def test_columns_with_too_many_values_are_refused() -> None:
    wide = discreet.Transactions.from_rows([[f"{column}={value}" for column in "abc"] for value in range(40)])
    with pytest.raises(ParameterError, match="entry 1 of restrict names columns whose values make 64,000 patterns"):
        discreet.hide(wide, restrict=[["a", "b", "c"]], method="naive")
