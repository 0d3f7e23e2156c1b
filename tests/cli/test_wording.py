"""Numbers and labels as they are shown."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.wording import counted, itemset_text, label_text, number, one_line, percent, shortened


@given(st.text())
def test_nothing_that_a_terminal_obeys_gets_through(text: str) -> None:
    shown = one_line(text)
    kinds = {unicodedata.category(letter) for letter in shown if letter not in "\u200c\u200d"}
    assert kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()


@given(st.text(alphabet=st.characters(codec="latin-1", exclude_categories=["Cc", "Cf"])))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert one_line(text) == text


@pytest.mark.parametrize("text", ["naïve", "日本語", "نمی‌خواهم", "👩‍⚕️", "Ærøskøbing"])
def test_the_scripts_of_the_world_stay_as_they_are(text: str) -> None:
    assert one_line(text) == text


@given(st.text(), st.integers(5, 50))
def test_a_shortened_text_fits(text: str, width: int) -> None:
    assert len(shortened(text, width)) <= width


@given(st.text(max_size=500), st.integers(12, 60))
def test_a_label_fits_with_its_quotes(label: str, width: int) -> None:
    assert len(label_text(label, width)) <= width + 2


def test_a_label_of_a_megabyte_is_shown_at_once() -> None:
    assert len(label_text("\x1b[2J" * 250_000)) <= 42


@given(st.lists(st.text(max_size=30), min_size=1, max_size=30), st.integers(40, 100))
def test_an_itemset_fits_on_its_line(labels: list[str], width: int) -> None:
    assert len(itemset_text(labels, width)) <= width + 12


@given(st.integers(0, 10**12), st.integers(1, 10**12))
def test_a_share_is_never_rounded_to_all_or_nothing(part: int, whole: int) -> None:
    part = min(part, whole)
    assert (percent(part, whole) == "100 %") == (part == whole)
    assert (percent(part, whole) == "0 %") == (part == 0)
    assert "e" not in percent(part, whole).replace("under", "").replace("over", "")


def test_numbers_have_separators_and_nouns_agree() -> None:
    assert number(1234567) == "1,234,567"
    assert counted(1, "row") == "1 row"
    assert counted(0, "row") == "0 rows"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("mine rows.dat -s 2", "2 closed itemsets occur in at least 2 of 8 patients"),
        ("query rows.dat a", "4 of 8 patients have a"),
        ("tradeoff rows.dat -s 4 -k 2", "(4 patients)"),
        ("block rows.dat -s 2 -k 2 --method additive", "no group of fewer than 2 patients"),
        ("block rows.dat -s 5 -k 2 --method additive", "no itemset is left that occurs in at least 5 of 8 patients"),
        ("audit rows.dat -s 2 -k 5", "of 8 patients are in a group of 1 to 4"),
    ],
)
def test_first_lines_count_what_a_row_is(call, tmp_path, words: str, said: str) -> None:
    (tmp_path / "rows.dat").write_text("a\n" * 4 + "b\n" * 4)
    assert said in " ".join(call(*words.split(), "--unit", "patients").out.split()[:30])
