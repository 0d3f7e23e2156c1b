"""Patterns that are not what they should be: one sentence that says where, and nothing of what the rows hold."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pytest

from discreet.errors import DataError
from discreet.patterns.reading import read_patterns
from tests.patterns.formats.refusals import refused

if TYPE_CHECKING:
    from pathlib import Path

OURS = "# n: 5\n# min_support: 2\n# target: all\nitems,support\n"
JSON = '{"n": 5, "min_support": 2, "target": "all", "count": 1, "itemsets": ['
CASES = {
    "a support above n": (
        "p.csv",
        OURS + '"[""secret""]",6\n',
        "row 1: the support is above the number of rows, 5",
    ),
    "a support of nothing": (
        "p.csv",
        OURS + '"[""a""]",3\n"[""secret""]",0\n',
        "row 2: the support must be at least 1",
    ),
    "a negative support": (
        "p.csv",
        OURS + '"[""secret""]",-3\n',
        "row 1: the support must be at least 1",
    ),
    "a support in words": (
        "p.csv",
        OURS + '"[""secret""]",three\n',
        "row 1: the support is missing or not a number",
    ),
    "a missing support": (
        "p.csv",
        OURS + '"[""secret""]",\n',
        "row 1: the support is missing or not a number",
    ),
    "half a row": (
        "p.csv",
        OURS + '"[""secret""]",2.5\n',
        "row 1: the support must be a whole number",
    ),
    "a support beyond all numbers": (
        "p.csv",
        OURS + '"[""secret""]",1e300\n',
        "row 1: the support must be a whole number",
    ),
    "a support with too many digits": (
        "p.csv",
        OURS + f'"[""secret""]",{10**30}\n',
        "row 1: the support must be a whole",
    ),
    "a support below min_support": (
        "p.csv",
        OURS + '"[""secret""]",1\n',
        "a support of 1 is below 2, the least that the patterns say they have; correct either",
    ),
    "an itemset twice": (
        "p.csv",
        OURS + '"[""b"", ""secret""]",3\n"[""a""]",3\n"[""secret"", ""b""]",3\n',
        "row 3: the same itemset as in .*row 1",
    ),
    "an item twice": (
        "p.csv",
        OURS + '"[""secret"", ""secret""]",3\n',
        "row 1: an item occurs twice",
    ),
    "a cell that is no list": (
        "p.csv",
        OURS + "secret,3\n",
        "row 1: expected a JSON list of labels",
    ),
    "a cell that breaks off": (
        "p.csv",
        OURS + '"[""a""]",3\n"[""secret",3\n',
        "row 2: expected a JSON list",
    ),
    "a cell with something else": (
        "p.csv",
        OURS + '"[""a""]",3\n"[null]",3\n',
        "row 2: expected a JSON list",
    ),
    "a cell with true": (
        "p.csv",
        OURS + '"[""a""]",3\n"[true]",3\n',
        "row 2: expected a JSON list",
    ),
    "a record with true": (
        "p.json",
        '[{"items": ["a"], "support": 3}, {"items": [true], "support": 3}]',
        "row 2: a label must be text or a whole number, got bool",
    ),
    "a record with null": (
        "p.json",
        '[{"items": ["secret"], "support": 3}, {"items": ["secret", null], "support": 3}]',
        "row 2: a label must be text or a whole number, got NoneType",
    ),
    "a number and a text that are alike": (
        "p.json",
        '[{"items": ["7"], "support": 3}, {"items": ["secret", 7], "support": 3}]',
        "row 2: a number and a text are the same label",
    ),
    "a cell with a nested list": (
        "p.csv",
        OURS + '"[""a""]",3\n"[[""secret""]]",3\n',
        "row 2: expected a JSON list",
    ),
    "half a surrogate pair": (
        "p.csv",
        OURS + '"[""\\ud800""]",3\n',
        "surrogate",
    ),
    "too many cells": (
        "p.csv",
        OURS + '"[""a""]",3\n"[""secret""]",3,4\n',
        "^line 6 of .*p.csv has 3 cells where 2 were expected; correct the line$",
    ),
    "too few cells": (
        "p.csv",
        OURS + '"[""a""]",3\n"[""secret""]"\n',
        "^line 6 of .*p.csv has 1 cells where 2 were expected; correct the line$",
    ),
    "a quote that is not closed": (
        "p.csv",
        OURS + '"[""a""]",3\n"[""secret""],3\n"[""b""]",3\n',
        "^line 6 of .*p.csv has a quote that is not closed",
    ),
    "a quote that is not closed, in the last column": (
        "p.csv",
        'freq,items\n50,[a]\n40,[b]\n30,"[secret]\n2,[d]\n',
        "^line 4 of .*p.csv has a quote that is not closed",
    ),
    "a quote that is not closed, in PAMI's columns": (
        "p.csv",
        'Patterns,Support\na,50\nb,40\n"secret,30\na b,39\n',
        "^line 4 of .*p.csv has a quote that is not closed",
    ),
    "text after a closing quote": (
        "p.csv",
        OURS + '"[""a""]",3\n"[""secret""]"x,3\n',
        "^line 6 of .*p.csv has a quote that is not closed, or text after a closing quote",
    ),
    "a NUL": (
        "p.csv",
        OURS + '"[""a""]",3\n"[""secret\0""]",3\n',
        "^line 6 of .*p.csv holds a NUL byte",
    ),
    "unknown columns": (
        "p.csv",
        "products,total\nsecret,3\n",
        "expected the columns items and support.*not found among its 2; name them with items_column and support_column",
    ),
    "many unknown columns": (
        "p.csv",
        ",".join(f"c{i}" for i in range(100)) + "\n",
        "not found among its 100; name them",
    ),
    "a column twice": (
        "p.csv",
        "items,items,support\n",
        "columns 1 and 2 of .* have the same name; rename one",
    ),
    "no columns": (
        "p.csv",
        "column\n",
        "expected the columns",
    ),
    "an endless header": (
        "p.csv",
        "secret" * 100 + "\n",
        "the first line is not a header",
    ),
    "an empty CSV": (
        "p.csv",
        "",
        "is empty",
    ),
    "remarks alone": (
        "p.csv",
        "# n: 3\n",
        "is empty; expected a header",
    ),
    "n in words": (
        "p.csv",
        "# n: many\nitems,support\n",
        "n must be a whole number",
    ),
    "an unknown kind": (
        "p.csv",
        "# target: some\nitems,support\n",
        "target must be all, closed, maximal or selected",
    ),
    "a set beyond the cap": (
        "p.csv",
        OURS.replace("items,", "# max_length: 1\nitems,") + '"[""secret"", ""b""]",3\n',
        "longer than the cap of 1",
    ),
    "not UTF-8": (
        "p.csv",
        OURS.encode() + b'"[""secret\xff""]",3\n',
        "not UTF-8",
    ),
    "a header that is not UTF-8": (
        "p.csv",
        b"items,\xff\n",
        "the header is not UTF-8",
    ),
    "an empty JSON": (
        "p.json",
        "",
        "is empty",
    ),
    "a blank JSON": (
        "p.json",
        "  \n",
        "is empty",
    ),
    "malformed JSON": (
        "p.json",
        '{"n": 5, "itemsets": [{"items": ["secret"',
        "line 1: not JSON",
    ),
    "JSON with a number that begins with 0": (
        "p.json",
        JSON.replace('"count": 1', '"count": 01') + '{"items": ["secret"], "support": 2}]}',
        "not JSON",
    ),
    "JSON of something else": (
        "p.json",
        "3",
        "expected a list of records",
    ),
    "JSON without records": (
        "p.json",
        '{"n": 5, "itemsets": 3}',
        "expected a list of records",
    ),
    "JSON records of something else": (
        "p.json",
        '[{"product": "secret"}]',
        "not found among its 1; name them",
    ),
    "JSON records that differ": (
        "p.json",
        '[{"items": ["a"], "freq": 3}, {"items": ["secret"]}]',
        "row 2: expected a record with",
    ),
    "our JSON cut off": (
        "p.json",
        JSON + '{"items": ["secret"], "support": 3}',
        "does not end as a JSON document",
    ),
    "our JSON cut off between records": (
        "p.json",
        JSON + '{"items": ["secret"], "support": 3}, {"items": [',
        "does not end",
    ),
    "our JSON without an itemset": (
        "p.json",
        JSON + "]}",
        "says it holds 1 itemsets, but there are 0",
    ),
    "our JSON with two": (
        "p.json",
        JSON + '{"items": ["a"], "support": 3}, {"items": ["secret"], "support": 3}]}',
        "there are 2",
    ),
    "our JSON with a stray text": (
        "p.json",
        JSON + 'x{"items": ["secret"], "support": 3}]}',
        "expected a record",
    ),
    "our JSON with a nested record": (
        "p.json",
        JSON + '{"items": [{"items": ["secret"], "support": 3}], "support": 3}]}',
        "row 1",
    ),
    "our JSON with a broken list": (
        "p.json",
        JSON + '{"items": ["a" "secret"], "support": 3}]}',
        "row 1: expected a JSON list",
    ),
    "our JSON with a support in quotes": (
        "p.json",
        JSON + '{"items": ["secret"], "support": "x"}]}',
        "row 1: the support is missing",
    ),
    "a JSON constant": (
        "p.json",
        '[{"items": ["secret"], "support": NaN}]',
        "JSON that cannot be read",
    ),
    "JSON without bottom": (
        "p.json",
        "[" * 100_000,
        "JSON that cannot be read|not JSON",
    ),
    "a JSON line cut off": (
        "p.jsonl",
        '{"items":["a"],"freq":3}\n{"items":["secret"],"fr',
        "line 2: not JSON",
    ),
    "JSON that is not UTF-8": (
        "p.json",
        b'[{"items": ["secret\xff"], "support": 3}]',
        "not UTF-8",
    ),
    "no Parquet": (
        "p.parquet",
        b"PAR1 secret",
        "not a whole Parquet file",
    ),
    "text without a support": (
        "p.txt",
        "1 #SUP: 2\nsecret 2 3\n",
        "line 2: expected a line such as 1 2 5 #SUP: 3",
    ),
    "text with half a support": (
        "p.txt",
        "1 #SUP: 2\nsecret #SUP:\n",
        "line 2: expected a line such as",
    ),
    "text with words after it": (
        "p.txt",
        "1 #SUP: 2\nsecret #SUP: 3 4\n",
        "line 2: expected a line such as",
    ),
    "text with a support in words": (
        "p.txt",
        "% x\nsecret #SUP: many\n",
        "line 2: the support is missing or not a number",
    ),
    "text with an itemset twice": (
        "p.txt",
        "% x\n2 1 #SUP: 2\n1 2 #SUP: 2\n",
        "line 3: the same itemset as in .*line 2",
    ),
    "empty text": (
        "p.txt",
        "",
        "is empty",
    ),
    "remarks as text": (
        "p.txt",
        "% nothing\n\n",
        "is empty",
    ),
    "text that is not UTF-8": (
        "p.txt",
        b"secret\xff #SUP: 2\n",
        "not UTF-8",
    ),
    "packed data cut off": (
        "p.csv.gz",
        gzip.compress(OURS.encode() + b'"[""secret""]",3\n' * 999)[:-20],
        "cut off|damaged",
    ),
    "rows of people, given by mistake": (
        "p.csv",
        "secret,smoker\nasthma,smoker\n",
        "not found among its 2; name them .*, or, if it holds rows, read it as rows",
    ),
    "packed data that is none": (
        "p.csv.gz",
        OURS,
        "not gzip data",
    ),
}


@pytest.mark.parametrize(("name", "content", "words"), CASES.values(), ids=CASES)
def test_patterns(tmp_path: Path, name: str, content: str | bytes, words: str):
    refused(read_patterns, tmp_path / name, content, words)


def test_what_is_not_there(tmp_path: Path):
    with pytest.raises(DataError, match="does not exist"):
        read_patterns(tmp_path / "none.csv")
    with pytest.raises(DataError, match="a int is not a data frame; give one, or a path"):
        read_patterns(3)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"itemsets": [frozenset("a"), None], "support": [1, 1]}),
        pd.DataFrame({"itemsets": [frozenset("a"), 3], "support": [1, 1]}),
        pd.DataFrame({"itemsets": [["a"], [["secret"]]], "support": [1, 1]}),
        pa.table({"itemsets": [["a"], None], "support": [1, 1]}),
        pa.table({"itemsets": [["a"], [None]], "support": [1, 1]}),
    ],
    ids=["missing", "a number", "nested", "missing in Arrow", "a missing label"],
)
def test_frames_with_gaps(frame):
    with pytest.raises(DataError, match="row 2"):
        read_patterns(frame)


def test_frames_of_other_types():
    for column in ([1.5, 2.5], [{"a": 1}, {"a": 2}], [[1.5], [2.5]]):
        with pytest.raises(DataError, match="expected"):
            read_patterns(pa.table({"itemsets": column, "support": [1, 1]}))
    with pytest.raises(DataError, match="expected a number as support, found the type"):
        read_patterns(pa.table({"itemsets": [["a"]], "support": [[1]]}))
    with pytest.raises(DataError, match="a number and a text are the same label"):
        read_patterns(pd.DataFrame({"itemsets": [frozenset({1, "1"})], "support": [1]}))
