"""CSV text is cut into the right cells, wherever the pieces it comes in begin and end."""

from __future__ import annotations

import csv
import io
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.errors import DataError
from discreet.tables import csv as delimited
from discreet.tables.csv import cell_blocks
from tests.transactions.slow_readers import BLANKS, Malformed, slow_cells

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECES = st.sampled_from(
    ["a", "bc", ",", ",", "\n", "\r\n", "\r", '"', '"', '""', " ", "\t", "é", ";", '"x,y"', '"x""y"', ',"', '",', '5"']
)
TEXT = st.lists(PIECES, max_size=25).map("".join)


@pytest.fixture(autouse=True, scope="module")
def _blocks_of_any_size() -> Iterator[None]:
    """Make every chunk a block, so that small texts are cut at their chunks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_BLOCK", 1)
        yield


def cells(chunks: list[bytes], delimiter: str = ",") -> list[list[str]]:
    found = []
    for block in cell_blocks(iter(chunks), delimiter=delimiter, name="text"):
        at = 0
        texts = block.texts.to_pylist()
        for length in block.lengths.tolist():
            found.append([texts[code] for code in block.codes[at : at + length].tolist()])
            at += length
        assert at == len(block.codes)
    return found


def chunks_of(text: str, cuts: list[int]) -> list[bytes]:
    data = text.encode()
    places = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return [data[start:stop] for start, stop in pairwise(places)]


@settings(max_examples=600, deadline=None)
@given(text=TEXT, cuts=st.lists(st.integers(0, 60), max_size=4), delimiter=st.sampled_from(",;\t"))
@example(text='5" pipe,x\n6" pipe,"a\nb"\n', cuts=[3], delimiter=",")
@example(text='a,"b', cuts=[], delimiter=",")
@example(text='"a"\r', cuts=[], delimiter=",")
@example(text="a\r\nb", cuts=[2], delimiter=",")
def test_cells_are_those_of_the_slow_twin(text: str, cuts: list[int], delimiter: str) -> None:
    try:
        expected = slow_cells(text, delimiter)
    except Malformed:
        with pytest.raises(DataError, match=r"^line \d+ of text has a quote"):
            cells(chunks_of(text, cuts), delimiter)
    else:
        assert cells(chunks_of(text, cuts), delimiter) == expected


@settings(max_examples=300, deadline=None)
@given(TEXT.filter(lambda text: " " not in text and "\t" not in text))
def test_cells_are_those_of_pythons_csv_reader(text: str) -> None:
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        with pytest.raises(DataError):
            cells([text.encode()])
    else:
        expected = [[cell.strip(BLANKS) for cell in line] for line in lines if line]
        assert cells([text.encode()]) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b'a\nb\n"c\n', 3),
        (b'a\n"b"x\nc\n', 2),
        (b"a\n\n\nb\0\n", 4),
        (b"a\r\nb\r\n\xff\r\n", 3),
        (b"a\rb\r\xff\r", 3),
        (b'a\n"b\nc"\n\xff\n', 4),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_a_fault_is_reported_with_its_line(text: bytes, line: int, size: int) -> None:
    with pytest.raises(DataError, match=rf"^line {line} of text ") as caught:
        cells([text[start : start + size] for start in range(0, len(text), size)])
    assert caught.value.line == line


def test_every_row_knows_its_line() -> None:
    text = b'a\n\n"b\nb"\r\n\r\n  \nc\rd\n5" pipe\ne'
    lines = [
        (block.texts[block.codes[row]].as_py(), block.line_of(row))
        for block in cell_blocks(iter([text]), delimiter=",", name="text")
        for row in range(len(block.lengths))
    ]
    assert lines == [("a", 1), ("b\nb", 3), ("c", 7), ("d", 8), ('5" pipe', 9), ("e", 10)]


def test_a_byte_order_mark_is_no_part_of_the_first_cell() -> None:
    assert cells([b"\xef\xbb\xbfa,b\n"]) == [["a", "b"]]
