"""Thresholds as people write them."""

from __future__ import annotations

import json
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from discreet import thresholds
from discreet.cli.main import main
from discreet.errors import ParameterError
from discreet.thresholds import K, Rho, Share, Support, one_of, whole_number


@pytest.mark.parametrize(
    ("written", "share"),
    [
        ("60%", Fraction(3, 5)),
        (" 12.5 % ", Fraction(1, 8)),
        ("0.6", Fraction(3, 5)),
        (".5", Fraction(1, 2)),
        ("1", Fraction(1)),
        ("0", Fraction(0)),
        ("100%", Fraction(1)),
        (0.1, Fraction(1, 10)),
        (np.float64(0.7), Fraction(7, 10)),
        (1.0, Fraction(1)),
        (1e-7, Fraction(1, 10**7)),
        (Decimal("0.30"), Fraction(3, 10)),
        (Fraction(2, 3), Fraction(2, 3)),
        (1, Fraction(1)),
        (0, Fraction(0)),
    ],
)
def test_a_share_is_exact(written, share):
    assert Share.parse(written, parameter="min_confidence") == share


@pytest.mark.parametrize(
    "written",
    [
        *("", "x", "-0.1", "1.1", "101%", "1/2", "nan", "0.5.5", "1" * 5000, "0." + "1" * 5000),
        *(2, -1, 1.5, True, None, [0.5], float("nan"), float("inf"), Fraction(3, 2)),
        *(Decimal("NaN"), Decimal("1e-999999999"), Decimal("1e999999999")),
    ],
    ids=lambda written: str(written)[:20],
)
def test_what_is_no_share_is_refused(written):
    with pytest.raises(ParameterError, match=r"^min_confidence must be a share between 0 and 1, got ") as caught:
        Share.parse(written, parameter="min_confidence")
    assert caught.value.parameter == "min_confidence"
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("written", "n", "rows"),
    [("60%", 8124, 4875), (0.07, 100, 7), (np.float64(0.07), 100, 7), (8, 12, 8), ("8", 12, 8), (Decimal("0.5"), 3, 2)],
)
def test_a_minimum_support_is_a_number_of_rows(written, n, rows):
    assert Support.parse(written).of(n) == rows


@pytest.mark.parametrize(
    "written", ["0", "0%", "101%", "1.0", "0." + "1" * 5000, Decimal("1e-999999999"), 0, -3, True, None]
)
def test_what_is_no_minimum_support_is_refused(written):
    with pytest.raises(ParameterError, match="min_support"):
        Support.parse(written).of(10)


def test_a_value_that_is_parsed_again_is_itself():
    for kind, value in ((Support, "60%"), (K, 10), (Rho, "0.5")):
        parsed = kind.parse(value)
        assert kind.parse(parsed) is parsed
    share = Share.parse(0.7, parameter="beta")
    assert Share.parse(share, parameter="beta") is share


def test_values_are_numbers_that_travel():
    assert json.dumps({"k": K.parse(np.int64(7))}) == '{"k": 7}'
    for value in (K.parse(5), Rho.parse("50%"), Support.parse(" 12.5 %")):
        again = pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes
        assert (type(again), again) == (type(value), value)
    assert str(Support.parse("60%")) == "60%"


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "-s", "20%", "-k", "2"),
        ("mine", "-s", "20%"),
        ("block", "-s", "20%", "-k", "2", "--method", "additive"),
    ],
)
def test_a_command_reads_its_support_once(words, tmp_path, monkeypatch, capfd):
    rows = tmp_path / "rows.dat"
    rows.write_text("a b c\na b c\na b\nc\nc\n" * 3, encoding="utf-8")
    read = []
    parse = thresholds._support_in_text  # noqa: SLF001 - where text becomes a number
    monkeypatch.setattr(thresholds, "_support_in_text", lambda text: read.append(text) or parse(text))
    assert main([words[0], str(rows), *words[1:]]) in (0, 1)
    assert capfd.readouterr().out
    assert read == ["20%"]


def test_choices_are_listed_where_another_is_given():
    one_of("best", ("best", "paper"), parameter="merging")
    with pytest.raises(ParameterError, match=r"^method must be a, b or c, got None$"):
        one_of(None, "abc", parameter="method")


@pytest.mark.parametrize("given", [0, True, 1.0, "3", None])
def test_what_is_no_whole_number_is_refused(given):
    with pytest.raises(ParameterError, match=r"^take must be a whole number of at least 1, got "):
        whole_number(given, parameter="take")


@pytest.mark.parametrize(("typed", "meant"), [("0,05", "0.05"), ("12,5%", "12.5%"), (" 0,5 ", "0.5")])
def test_a_decimal_comma_is_answered_with_the_point(typed: str, meant: str) -> None:
    for parse in (Support.parse, Share.parse):
        with pytest.raises(ParameterError, match=f"; write {meant}$"):
            parse(typed, parameter="min_support")


@pytest.mark.parametrize("typed", ["1,5", "0,5,3", "101,5%"])
def test_another_comma_is_answered_with_examples(typed: str) -> None:
    for parse in (Support.parse, Share.parse):
        with pytest.raises(ParameterError, match="; write a "):
            parse(typed, parameter="min_support")
