"""Data frames of every library become the same rows."""

from __future__ import annotations

import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings

from discreet.errors import DataError, ParameterError
from discreet.transactions.transactions import Transactions
from tests.strategies import transactions

ROWS = Transactions.from_rows([["a", "b"], ["b"], []])


class OnlyACapsule:
    """A frame of a library that nobody has heard of."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


MAKERS = {
    "arrow": lambda table: table,
    "record batch": lambda table: table.combine_chunks().to_batches()[0],
    "reader": lambda table: table.to_reader(),
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "lazy polars": lambda table: pl.from_arrow(table).lazy(),
    "duckdb": duckdb.from_arrow,
    "capsule": OnlyACapsule,
}
each_library = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@each_library
def test_onehot(make) -> None:
    assert Transactions.from_arrow(make(pa.table({"a": [True, False, False], "b": [True, True, False]}))) == ROWS
    assert Transactions.from_arrow(make(pa.table({"a": [1, 0, 0], "b": [1, 1, 0]}))) == ROWS
    with_ids = pa.table({"who": ["x", "y", "z"], "a": [1, 0, 0], "b": [1.0, 1.0, 0.0]})
    rows = Transactions.from_arrow(make(with_ids), id_column="who")
    assert (rows, rows.ids) == (ROWS, ["x", "y", "z"])


@each_library
def test_long(make) -> None:
    table = pa.table({"who": [7, 8, 7, 9], "what": ["a", "b", "b", None]})
    rows = Transactions.from_arrow(make(table), id_column="who", item_column="what")
    assert (rows, rows.ids) == (ROWS, ["7", "8", "9"])


@each_library
def test_lists(make) -> None:
    table = pa.table({"who": ["x", "y", "z"], "what": [["b", "a", "b"], ["b"], []]})
    rows = Transactions.from_arrow(make(table), id_column="who")
    assert (rows, rows.ids) == (ROWS, ["x", "y", "z"])
    assert Transactions.from_arrow(make(table), item_column="what") == ROWS


@each_library
def test_table(make) -> None:
    table = pa.table({"age": [20, None], "sex": pa.array(["m", "f"]).dictionary_encode(), "rate": [0.5, float("nan")]})
    rows = Transactions.from_arrow(make(table), bins={"age": [30]})
    assert list(rows) == [{"age=<=30", "sex=m", "rate=0.5"}, {"sex=f"}]


@settings(max_examples=60, deadline=None)
@given(transactions())
def test_there_and_back(rows: Transactions) -> None:
    if len(rows):
        assert Transactions.from_arrow(rows.to_arrow()) == rows
        assert Transactions.from_pandas(rows.to_pandas()) == rows
        assert Transactions.from_polars(rows.to_polars()) == rows


def test_ids_and_weights_go_out_too() -> None:
    rows = Transactions.from_rows([["a"], ["a"]], ids=["x", "y"])
    assert rows.to_arrow().to_pydict() == {"id": ["x", "y"], "items": [["a"], ["a"]]}
    assert rows.fold().to_arrow().to_pydict() == {"items": [["a"]], "weight": [2]}


def test_pandas_index_is_no_item_but_may_name_the_rows() -> None:
    frame = pd.DataFrame({"a": [True, False, False], "b": [True, True, False]}, index=["x", "y", "z"])
    assert Transactions.from_pandas(frame) == ROWS
    frame.index.name = "who"
    assert Transactions.from_pandas(frame) == ROWS
    assert Transactions.from_pandas(frame, id_column="who").ids == ["x", "y", "z"]


def test_categories_and_other_kinds_of_text() -> None:
    frame = pd.DataFrame({"who": [1, 1, 2, 3], "what": pd.Categorical(["a", "b", "b", None])})
    for made in (frame, pl.from_pandas(frame)):
        assert Transactions.from_arrow(made, id_column="who", item_column="what") == ROWS
    for kind in (pa.string_view(), pa.large_string(), pa.binary()):
        table = pa.table({"what": pa.array([["a", "b"], ["b"], []], pa.list_(kind))})
        assert Transactions.from_arrow(table) == ROWS


def test_many_columns_and_many_batches() -> None:
    generator = np.random.default_rng(1)
    matrix = generator.random((700, 900)) < 0.1
    frame = pd.DataFrame(matrix, columns=[f"c{at}" for at in range(900)])
    rows = Transactions.from_pandas(frame)
    assert list(rows)[:50] == [{f"c{at}" for at in np.flatnonzero(row)} for row in matrix[:50]]
    table = pa.Table.from_pandas(frame)
    assert Transactions.from_arrow(pa.Table.from_batches(table.to_batches(max_chunksize=13))) == rows


REFUSED = {
    "rows": ([["a"]], "from_rows"),
    "an array": (np.zeros((2, 2)), "not a data frame"),
    "mixed objects": (pd.DataFrame({"secret": [1, "a", [2]]}), "cannot be handed over"),
    "a name twice": (pd.DataFrame([[1, 2]], columns=["a", "a"]), "cannot be handed over"),
    "a name twice in arrow": (pa.table([[1], [2]], names=["a", "a"]), "same name"),
    "sparse columns": (pd.DataFrame({"a": [True]}).astype(pd.SparseDtype(bool)), "to_dense"),
    "records": (pa.table({"a": [{"b": 1}]}), "column 1 of"),
    "bytes that are no text": (pa.table({"a": [b"\xff"]}), "column 1 of"),
    "no rows": (pa.table({"a": pa.array([], pa.string())}), "holds no rows"),
    "a null among items": (pa.table({"a": [["x"], ["x", None]]}), "row 2 .* null"),
    "a NUL": (pa.table({"a": [["x\0"]]}), "NUL"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_frames_that_cannot_be_read(case: str) -> None:
    frame, sentence = REFUSED[case]
    with pytest.raises(DataError, match=sentence) as caught:
        Transactions.from_arrow(frame)
    assert "secret" not in str(caught.value)


def test_options_that_do_not_fit() -> None:
    table = pa.table({"a": [["x"]], "b": [["y"]]})
    with pytest.raises(ParameterError, match="with item_column"):
        Transactions.from_arrow(table)
    with pytest.raises(ParameterError, match="format='basket'"):
        Transactions.from_arrow(table, format="basket")
    with pytest.raises(DataError, match="holds no lists"):
        Transactions.from_arrow(pa.table({"a": ["x"]}), item_column="a", format="lists")
    with pytest.raises(ParameterError, match="no column"):
        Transactions.from_arrow(pa.table({"a": ["x"]}), drop="a")


def test_neither_pandas_nor_polars_is_imported_by_us() -> None:
    script = """
import sys, pyarrow as pa
from discreet.transactions.transactions import Transactions
from discreet.tables.arrow_arrays import arrow_texts
Transactions.from_arrow(pa.RecordBatch.from_arrays([arrow_texts(["x"])], names=["a"]))
assert not {"pandas", "polars", "duckdb"} & set(sys.modules), set(sys.modules) & {"pandas", "polars", "duckdb"}
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
