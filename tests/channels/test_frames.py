"""An audit takes the frames that other miners give, in pandas, polars and Arrow."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from mlxtend.frequent_patterns import association_rules, fpgrowth

from discreet import Transactions, audit, mine, query, read
from discreet.errors import ParameterError
from tests.papers.test_atzori2008 import RUNNING

ROWS = read(RUNNING)
FOUND = mine(ROWS, min_support=8, target="all")
EXPECTED = audit(ROWS, k=3, min_support=8)


def frame(**columns: object) -> pd.DataFrame:
    return pd.DataFrame(columns)


LISTS = [sorted(items) for items, _ in FOUND]
COUNTS = [support for _, support in FOUND]
SPARK = frame(items=LISTS, freq=COUNTS)
PAMI = frame(Patterns=[" ".join(items) for items in LISTS], Support=COUNTS)


@pytest.mark.parametrize(
    "given",
    [
        FOUND.to_pandas()[["support", "itemsets"]],
        SPARK,
        PAMI,
        pl.DataFrame({"items": LISTS, "freq": COUNTS}),
        pl.DataFrame({"Patterns": PAMI["Patterns"].to_list(), "Support": COUNTS}),
        pa.table({"items": LISTS, "freq": COUNTS}),
        FOUND.to_arrow(),
        FOUND.to_polars(),
    ],
    ids=["mlxtend", "spark", "pami", "spark-polars", "pami-polars", "spark-arrow", "ours-arrow", "ours-polars"],
)
def test_every_frame_gives_the_same_channels(given):
    found = audit(given, k=3, n=12)
    assert found.kind == "all"
    assert found.channels == EXPECTED.channels
    assert found.border == EXPECTED.border


def test_what_mlxtend_itself_gives():
    onehot = pd.DataFrame([{label: label in row for label in "abcdefgh"} for row in ROWS])
    itemsets = fpgrowth(onehot, min_support=8 / 12, use_colnames=True)
    assert audit(itemsets, k=3, n=12).channels == EXPECTED.channels
    rules = association_rules(itemsets, num_itemsets=12, metric="confidence", min_threshold=0.8)
    found = audit(rules, k=3, n=12)
    assert not found.safe
    assert {(c.base, c.full, c.low) for c in found.channels} >= {(frozenset("a"), frozenset("ab"), 1)}


def test_a_frame_without_its_number_of_rows_is_audited_as_far_as_that_goes():
    found = audit(SPARK, k=3)
    assert (found.verdict, found.n) == ("not-safe", None)
    assert all(channel.base for channel in found.channels)
    with pytest.raises(ParameterError, match="give n"):
        audit(SPARK[:1], k=3)


def test_a_frame_that_was_filtered_is_incomplete():
    kept = SPARK[[items != ["d"] for items in LISTS]]
    assert audit(kept, k=3, n=12).kind == "incomplete"


def test_results_show_themselves_in_a_notebook():
    assert "<p>NOT SAFE for k = 3; channels: " in EXPECTED._repr_html_()
    assert "<table>" in EXPECTED.channels._repr_html_()


def test_safe_in_a_notebook_says_where_it_is_not_proved():
    rows = Transactions.from_rows(["ab"] * 12 + ["cd"] * 12 + ["ad"] * 12)
    assert (audit(rows, k=3, min_support=12).attack.complete, audit(rows, k=3, min_support=12).proved) == (True, True)
    assert "<p>SAFE for k = 3; channels: 0, 0 across the border</p>" in audit(rows, k=3, min_support=12)._repr_html_()
    assert (
        "<p>SAFE for k = 3; channels: 0; not proved</p>" in audit(rows, k=3, min_support=12, border=False)._repr_html_()
    )


@pytest.mark.parametrize("options", [{"n": 7}, {"min_support": 2}])
def test_what_patterns_say_themselves_is_not_said_again(options):
    found = mine(Transactions.from_rows(["abc", "ab", "c"]), min_support=1)
    with pytest.raises(ParameterError, match="is part of the patterns or rules already"):
        audit(found, k=2, **options)


@pytest.mark.parametrize("steps", ["2", None, 0, 1.5, True])
def test_steps_that_are_no_number_are_refused(steps):
    with pytest.raises(ParameterError, match="attack_steps must be a whole number of at least 1, or all"):
        audit(Transactions.from_rows(["abc", "ab", "c"]), k=2, min_support=1, attack_steps=steps)


@pytest.mark.parametrize("expression", [None, 3, ["a"]])
def test_a_query_that_is_no_text_is_refused(expression):
    with pytest.raises(ParameterError, match="expression must be text"):
        query(Transactions.from_rows(["abc", "ab", "c"]), expression)
