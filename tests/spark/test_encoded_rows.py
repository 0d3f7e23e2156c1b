"""Parts of rows: nothing is lost or doubled at their ends, however a file is cut, and numbers keep their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import discreet
from discreet.errors import DataError
from discreet.itemsets import Itemsets
from discreet.spark import encoded_rows
from discreet.spark.reading import read_into_spark

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

TEXTS = [b"", b"\n", b"a b\n\nc\r\n\nlast", b"one line without an end", b"\n\n\n", "\ufeffä ö\nü\n".encode()]


@pytest.mark.parametrize("text", TEXTS)
def test_ranges_of_a_file_are_its_lines_each_once(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "rows.dat"
    path.write_bytes(text)
    for ranges in range(1, len(text) + 2):
        ends = [len(text) * number // ranges for number in range(ranges + 1)]
        read = [encoded_rows._lines_from(str(path), *ends[at : at + 2]) for at in range(ranges)]  # noqa: SLF001
        assert b"".join(read) == text
        assert all(part.endswith(b"\n") for part in read[:-1] if part and not text.endswith(part))


def test_a_file_in_many_ranges_is_the_file(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoded_rows, "_PART", 16)
    path = tmp_path / "rows.dat"
    path.write_text("tea milk\nmilk\n\ntea tea rum\n" * 3 + "gin", encoding="utf-8")
    here = discreet.read(path)
    with read_into_spark(spark, path) as there:
        assert there.encoded.count() > 3
        assert discreet.mine(there, min_support=1, target="all") == discreet.mine(here, min_support=1, target="all")
        assert (there.n, there.item_count, there.read.empty_rows) == (13, 16, 3)


def test_a_file_that_workers_do_not_find_is_named_as_the_reason(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "rows.dat"
    path.write_text("a b\n")
    with read_into_spark(spark, path) as rows:
        path.unlink()
        with pytest.raises(DataError, match="one of Spark's workers cannot read the file"):
            discreet.mine(rows, min_support=1)


@pytest.mark.parametrize("greatest", [0, 255, 256, 65_535, 65_536, 2**31 - 1])
def test_packed_rows_come_back(greatest: int) -> None:
    rows = Itemsets.of([[], [0, greatest] if greatest else [0], [greatest]])
    weights = np.array([1, 255, 2**40], np.int64)
    batch = encoded_rows._packed(rows, weights)  # noqa: SLF001
    ((same, counts),) = encoded_rows.unpacked(batch)
    assert same == rows
    assert counts.tolist() == weights.tolist()


@pytest.mark.parametrize(("kinds", "folded"), [(3, True), (400, False)])
def test_rows_are_folded_where_they_repeat_each_other(kinds: int, folded: bool) -> None:
    text = b"".join(b"a %d\n" % (row % kinds) for row in range(500))
    ((rows, weights),) = encoded_rows.unpacked(encoded_rows._of_text(text).packed())  # noqa: SLF001
    assert len(rows) == (kinds if folded else 500)
    assert weights.sum() == 500


@pytest.mark.parametrize(("size", "ranges"), [(1, 1), (60, 2), (200, 2), (201, 4), (450, 6), (900, 10)])
def test_all_cores_read_as_much(monkeypatch: pytest.MonkeyPatch, size: int, ranges: int) -> None:
    class Session:
        class sparkContext:  # noqa: N801 - Spark's name
            defaultParallelism = 2  # noqa: N815

        @staticmethod
        def range(*given: int) -> int:
            return given[-1]

    monkeypatch.setattr(encoded_rows, "_PART", 100)
    monkeypatch.setattr(encoded_rows, "in_batches", lambda parts, *_: parts)
    assert encoded_rows.encode_file(Session(), "rows.dat", size) == ranges  # type: ignore[arg-type]
