"""A frame that shows by its structure that it holds rows is accepted by every job; all others are refused."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet
from discreet.errors import DataError, ParameterError

ROWS = [["a", "b", "c"]] * 6 + [["a", "b"]] * 5 + [["c"]] * 7 + [[]] * 4
LOCAL = discreet.Transactions.from_rows(ROWS)
ONEHOT = {item: [item in row for row in ROWS] for item in "abc"}


def frames():
    numbers = {item: [int(cell) for cell in cells] for item, cells in ONEHOT.items()}
    return {
        "pandas bool": pd.DataFrame(ONEHOT),
        "pandas 0 and 1": pd.DataFrame(numbers),
        "pandas lists": pd.DataFrame({"basket": ROWS}),
        "polars bool": pl.DataFrame(ONEHOT),
        "polars lazy": pl.LazyFrame(numbers),
        "polars lists": pl.DataFrame({"basket": ROWS}),
        "arrow bool": pa.table(ONEHOT),
        "arrow lists": pa.table({"items": ROWS}),
        "arrow batch": pa.record_batch({"items": ROWS}),
    }


@pytest.mark.parametrize("name", frames())
def test_rows_in_a_frame_are_mined_and_audited_as_rows(name: str) -> None:
    frame, shape = frames()[name], "lists" if "lists" in name or "batch" in name else "onehot"
    mined, found = discreet.mine(frame, min_support=5), discreet.audit(frame, k=3, min_support=5)
    assert mined == discreet.mine(LOCAL, min_support=5)
    assert found.to_dict() == discreet.audit(LOCAL, k=3, min_support=5).to_dict()
    for read in (mined.read, found.read):
        assert (read.shape, read.rows, read.empty_rows, read.items) == (shape, 22, 4, 3)


JOBS = {
    "block": lambda rows, _: discreet.block(rows, k=3, min_support=5, method="suppressive"),
    "check": lambda rows, _: discreet.check(rows, rho=0.9, sensitive=["c"]),
    "hide": lambda rows, _: discreet.hide(rows, restrict=[["a", "b"]], method="iga"),
    "anonymize": lambda rows, _: discreet.anonymize(rows, rho=0.9, sensitive=["c"], method="simple"),
    "query": lambda rows, _: discreet.query(rows, "a AND NOT c"),
    "release": lambda rows, out: discreet.release(rows, k=3, min_support=5, method="suppressive", output=out),
    "tradeoff": lambda rows, _: discreet.tradeoff(rows, min_support=[5, 6], k=3),
    "loss_curve": lambda rows, _: discreet.loss_curve(rows, curve=[0.9], sensitive=["c"], method="simple"),
}


@pytest.mark.parametrize("job", JOBS)
def test_every_job_takes_a_frame_of_rows_and_says_how_it_was_read(job: str, tmp_path) -> None:
    given, same = (
        JOBS[job](rows, tmp_path / name) for rows, name in ((frames()["polars lists"], "one"), (LOCAL, "two"))
    )
    if job == "release":
        assert given.published.patterns == same.published.patterns
    else:
        assert given.to_dict() == same.to_dict()
    if job not in {"tradeoff", "loss_curve"}:
        read = JOBS[job](frames()["pandas bool"], tmp_path / "three").read
        assert (read.shape, read.rows, read.name) == ("onehot", 22, "the DataFrame")


def test_a_result_of_a_miner_is_still_a_result() -> None:
    mined = discreet.mine(LOCAL, min_support=5, target="all")
    for frame in (mined.to_pandas(), mined.to_arrow(), mined.to_polars()):
        found = discreet.audit(frame, k=3, n=22, min_support=5)
        assert (found.rows, found.read.shape, found.read.container) == (None, "itemsets", "frame")
        with pytest.raises(DataError, match="not certain what its rows are"):
            discreet.mine(frame, min_support=5)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({"items": [1, 0, 1], "support": [1, 1, 1]}, r"named as those of itemsets .* nothing in them but 0 and 1"),
        ({"basket": ROWS, "weight": list(range(22))}, "expected the columns"),
        ({"age": ["60-69", "70-79"], "sex": ["f", "m"]}, "expected the columns"),
    ],
)
def test_what_could_be_either_is_refused(frame, said: str) -> None:
    with pytest.raises(DataError, match=said):
        discreet.audit(pl.DataFrame(frame), k=3, min_support=1)
    with pytest.raises(
        DataError, match=r"not certain what its rows are; say how to read it with Transactions.from_arrow"
    ):
        discreet.mine(pl.DataFrame(frame), min_support=1)


def test_weights_beside_lists_are_never_left_out_unsaid() -> None:
    folded = LOCAL.fold().to_polars()
    with pytest.raises(DataError, match="1 column of lists and 1 other column"):
        discreet.query(folded, "a")


def test_what_is_no_frame_is_refused_as_such() -> None:
    with pytest.raises(ParameterError, match="rows must be Transactions or a data frame, got list"):
        discreet.mine(ROWS, min_support=5)
    with pytest.raises(ParameterError, match="rows are counted, so leave it out"):
        discreet.audit(LOCAL, k=3, min_support=5, n=22)


def test_a_method_for_rows_is_for_frames_of_rows_too() -> None:
    found = discreet.audit(pl.DataFrame(ONEHOT), k=3, min_support=5, method="projection")
    assert found.to_dict()["count"] == discreet.audit(LOCAL, k=3, min_support=5).to_dict()["count"]
