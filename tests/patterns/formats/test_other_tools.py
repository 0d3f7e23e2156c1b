"""Files and frames just as mlxtend, Spark, SPMF and arules make them."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from mlxtend.frequent_patterns import apriori, association_rules, fpgrowth, fpmax

from discreet.errors import DataError, ParameterError
from discreet.patterns.reading import read_patterns, read_rules
from tests.patterns.pattern_strategies import all_itemsets

if TYPE_CHECKING:
    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules

ROWS = [["milk", "bread"], ["milk"], ["bread", "eggs, large"], ["milk", "bread", "eggs, large"], [], ["it's"], ["it's"]]


def pairs(given: ImportedPatterns) -> dict[frozenset[str], int]:
    itemsets = given.itemsets.labels(given.vocabulary.labels)
    return {frozenset(labels): int(support) for labels, support in zip(itemsets, given.supports, strict=True)}


def sides(given: ImportedRules) -> list[tuple[str, str, int, str]]:
    names = np.array([*given.vocabulary, ""], object)
    found = []
    for at in range(len(given)):
        left = given.antecedents[at]
        right = given.consequents[at]
        found.append(
            (" ".join(names[left]), " ".join(names[right]), int(given.supports[at]), str(given.confidences[at]))
        )
    return found


def onehot() -> pd.DataFrame:
    labels = sorted({label for row in ROWS for label in row})
    return pd.DataFrame([[label in row for label in labels] for row in ROWS], columns=labels)


# mlxtend


@pytest.mark.parametrize("miner", [apriori, fpgrowth])
def test_an_mlxtend_frame(miner, tmp_path: Path):
    frame = miner(onehot(), min_support=0.01, use_colnames=True)
    expected = dict(all_itemsets(ROWS, 1))
    frame.to_csv(tmp_path / "index.csv")
    frame.to_csv(tmp_path / "plain.csv", index=False)
    for source in (frame, tmp_path / "index.csv", str(tmp_path / "plain.csv")):
        given = read_patterns(source, n=7, min_support=1)
        assert pairs(given) == expected
        assert (given.n, given.min_support, given.kind, given.origin) == (7, 1, "unknown", "mlxtend")


def test_an_mlxtend_frame_of_maximal_sets():
    given = read_patterns(fpmax(onehot(), min_support=0.2, use_colnames=True), n=7)
    assert pairs(given) == {
        frozenset({"it's"}): 2,
        frozenset({"milk", "bread"}): 2,
        frozenset({"bread", "eggs, large"}): 2,
    }


def test_an_mlxtend_frame_without_names_has_numbers(tmp_path: Path):
    frame = fpgrowth(onehot(), min_support=0.2)
    frame.to_csv(tmp_path / "f.csv")
    for source in (frame, tmp_path / "f.csv"):
        given = read_patterns(source, n=7)
        assert set(given.vocabulary) == {"0", "1", "2", "3"}
        assert len(given) == len(frame)


def test_an_mlxtend_frame_with_counts_needs_no_n():
    frame = all_itemsets(ROWS, 1).to_pandas()
    assert read_patterns(frame).n == 7
    assert read_patterns(frame[["support", "itemsets"]].assign(support=frame["count"])).n is None
    assert pairs(read_patterns(frame.assign(support=frame["count"].astype(float))[["support", "itemsets"]]))
    with pytest.raises(ParameterError, match="n is given as 8, but the patterns say 7"):
        read_patterns(frame, n=8)
    with pytest.raises(DataError, match="row 1: the count and the support do not agree"):
        read_patterns(frame.assign(count=frame["itemsets"].map(len)), n=7)


def test_lists_in_place_of_sets():
    frame = all_itemsets(ROWS, 2).to_pandas()
    listed = frame.assign(itemsets=frame["itemsets"].map(sorted))
    for source in (listed, pl.DataFrame(listed), pa.Table.from_pandas(listed)):
        assert pairs(read_patterns(source)) == dict(all_itemsets(ROWS, 2))


def test_shares_need_the_number_of_rows():
    frame = fpgrowth(onehot(), min_support=0.2, use_colnames=True)
    with pytest.raises(DataError, match=r"the supports are shares of the rows.*give n \(7 is the least that fits\)"):
        read_patterns(frame).to_patternset()
    with pytest.raises(DataError, match=r"the support is a share of the rows.*give n \(7 is the least that fits\)"):
        read_patterns(frame.round(3))
    with pytest.raises(DataError, match="is not a share of 8 rows; give the right n, or counts"):
        read_patterns(frame, n=8)


def test_shares_with_few_digits():
    frame = fpgrowth(onehot(), min_support=0.2, use_colnames=True)
    assert pairs(read_patterns(frame.round(3), n=7)) == dict(all_itemsets(ROWS, 2))
    with pytest.raises(DataError, match="too few digits to tell how many of 7003 rows"):
        read_patterns(frame.round(3), n=7003)


def test_mlxtend_rules(tmp_path: Path):
    found = fpgrowth(onehot(), min_support=0.1, use_colnames=True)
    frame = association_rules(found, num_itemsets=7, metric="confidence", min_threshold=0.5)
    frame.to_csv(tmp_path / "rules.csv")
    expected = [
        ("bread", "eggs, large", 2, "0.6666666666666666"),
        ("bread", "milk", 2, "0.6666666666666666"),
        ("eggs, large", "bread", 2, "1.0"),
        ("eggs, large", "milk", 1, "0.5"),
        ("eggs, large", "bread milk", 1, "0.5"),
        ("milk", "bread", 2, "0.6666666666666666"),
        ("bread eggs, large", "milk", 1, "0.5"),
        ("bread milk", "eggs, large", 1, "0.5"),
        ("eggs, large milk", "bread", 1, "1.0"),
    ]
    for source in (frame, tmp_path / "rules.csv"):
        given = read_rules(source, n=7)
        assert sides(given) == expected
        assert given.antecedent_supports.tolist() == [3, 3, 2, 2, 2, 3, 2, 2, 1]
        assert given.consequent_supports.tolist() == [2, 3, 3, 3, 2, 3, 3, 2, 3]
        assert given.origin == "mlxtend"
    with pytest.raises(DataError, match="give n"):
        read_rules(frame)


@pytest.mark.parametrize(
    "cell",
    [
        "frozenset({__import__('os').system('x')})",
        "frozenset({'a'}) or 1",
        "frozenset({'a'}.union({'b'}))",
        "frozenset({1.5})",
        "frozenset({None})",
        "frozenset({b'a'})",
        "frozenset({f'{1}'})",
        "frozenset({'a'}, {'b'})",
        "frozenset(x={'a'})",
        "frozenset({'a': 1})",
        "frozenset({('a',)})",
        "frozenset({np.int64('a', 2)})",
        "frozenset({os.int64(3)})",
        "frozenset({0x" + "f" * 5000 + "})",
        "frozenset(" * 500,
        "frozenset({'a'",
        "a",
        "",
    ],
)
def test_a_cell_is_read_and_never_run(cell: str):
    frame = pd.DataFrame({"support": ["0.5", "0.5"], "itemsets": ["frozenset({'b'})", cell]})
    text = frame.to_csv()
    with pytest.raises(DataError, match="row 2: expected a set of labels such as frozenset"):
        _read_text(text, n=2)


def _read_text(text: str, suffix: str = ".csv", *, rules: bool = False, **options):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"given{suffix}"
        path.write_bytes(text.encode())
        return (read_rules if rules else read_patterns)(path, **options)


@pytest.mark.parametrize(
    ("cell", "labels"),
    [
        ("frozenset({'a', \"it's\"})", {"a", "it's"}),
        ("{'a', 'b'}", {"a", "b"}),
        ("['a', 'b']", {"a", "b"}),
        ("('a',)", {"a"}),
        ("frozenset({'x\\ny', '\\u00fc'})", {"x\ny", "ü"}),
        ("frozenset({3, -4})", {"3", "-4"}),
        ("frozenset({np.str_('a'), np.int64(2)})", {"a", "2"}),
    ],
)
def test_cells_as_python_prints_them(cell: str, labels: set[str]):
    text = pd.DataFrame({"support": [1], "itemsets": [cell]}).to_csv(index=False)
    assert pairs(_read_text(text)) == {frozenset(labels): 1}


# Spark

SPARK = [{"items": ["milk"], "freq": 3}, {"items": ["eggs, large", "milk"], "freq": 2}]
SPARK_PAIRS = {frozenset({"milk"}): 3, frozenset({"milk", "eggs, large"}): 2}


def test_spark_frames():
    table = pa.Table.from_pylist(SPARK)
    for source in (table, table.to_pandas(), pl.from_arrow(table), pa.RecordBatch.from_pylist(SPARK)):
        given = read_patterns(source, n=5)
        assert pairs(given) == SPARK_PAIRS
        assert (given.origin, given.n, given.min_support) == ("spark", 5, None)


def test_spark_files_and_folders(tmp_path: Path):
    lines = '{"items":["milk"],"freq":3}\n{"items":["eggs, large","milk"],"freq":2}\n'
    (tmp_path / "a.json").write_text(lines)
    pq.write_table(pa.Table.from_pylist(SPARK), tmp_path / "a.parquet")
    for kind in ("json", "parquet"):
        folder = tmp_path / f"out_{kind}"
        folder.mkdir()
        (folder / "_SUCCESS").touch()
        (folder / ".part-0.crc").write_bytes(b"junk")
        content = (tmp_path / f"a.{kind}").read_bytes()
        (folder / f"part-00000-5c2f-c000.snappy.{kind}").write_bytes(content)
        assert pairs(read_patterns(tmp_path / f"a.{kind}")) == SPARK_PAIRS
        assert pairs(read_patterns(folder)) == SPARK_PAIRS
    (folder.parent / "out_json" / "part-00001.json").write_text('{"items":["tea"],"freq":2}\n')
    assert len(read_patterns(folder.parent / "out_json")) == 3
    with pytest.raises(DataError, match="folder without Spark's part files"):
        read_patterns(tmp_path)


def test_one_line_that_spark_would_write_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("discreet.tables.text_blocks._BLOCK", 100)
    monkeypatch.setattr("discreet.tables.byte_source.CHUNK", 64)
    monkeypatch.setattr("discreet.tables.byte_source._HEAD", 64)
    lines = [f'{{"items":["a{number}"],"freq":{number + 1}}}\n' for number in range(40)]
    (tmp_path / "a.json").write_text("".join(lines) + '{"freq": 7, "items": ["odd"]}\n')
    assert pairs(read_patterns(tmp_path / "a.json"))[frozenset({"odd"})] == 7


@pytest.mark.parametrize(
    "text",
    [
        'items,freq\n"[""milk""]",3\n"[""eggs, large"",""milk""]",2\n',
        "items,freq\n['milk'],3\n\"['eggs, large', 'milk']\",2\n",
        '"items"\t"freq"\n"[""milk""]"\t"3"\n"[""eggs, large"", ""milk""]"\t"2"\n',
    ],
)
def test_spark_csv(text: str):
    assert pairs(_read_text(text)) == SPARK_PAIRS


def test_spark_arrays_cast_to_text():
    assert pairs(_read_text('items,freq\n[milk],3\n"[tea, milk]",2\n')) == {
        frozenset({"milk"}): 3,
        frozenset({"tea", "milk"}): 2,
    }
    with pytest.raises(
        DataError,
        match=r"row 2: .*a label that contains a comma cannot be distinguished from two "
        "labels",
    ):
        _read_text('items,freq\n[milk],3\n"[tea, , milk]",2\n')


def test_spark_whole_number_items():
    assert pairs(read_patterns(pa.table({"items": [[1, 2], [2]], "freq": [1, 2]}))) == {
        frozenset({"1", "2"}): 1,
        frozenset({"2"}): 2,
    }
    assert pairs(_read_text('{"items":[1,2],"freq":1}\n{"items":[2],"freq":2}\n', ".json"))


def test_spark_rules(tmp_path: Path):
    record = {"antecedent": ["tea"], "consequent": ["milk"], "confidence": 0.75, "lift": 1.5, "support": 0.3}
    (tmp_path / "r.json").write_text(json.dumps(record) + "\n")
    pq.write_table(pa.Table.from_pylist([record]), tmp_path / "r.parquet")
    for source in (pa.Table.from_pylist([record]), tmp_path / "r.json", tmp_path / "r.parquet"):
        given = read_rules(source, n=10)
        assert sides(given) == [("tea", "milk", 3, "0.75")]
        assert given.origin == "spark"
    with pytest.raises(DataError, match="give n"):
        read_rules(tmp_path / "r.json")


# SPMF


def test_spmf_itemsets():
    given = _read_text("1 #SUP: 4\r\n2 1  10 #SUP: 3 \r\n\r\n% remark\n2 #SUP: 3 #TID: 0 1 2\n", ".txt")
    assert pairs(given) == {frozenset({"1"}): 4, frozenset({"2", "1", "10"}): 3, frozenset({"2"}): 3}
    assert list(given.vocabulary) == ["1", "2", "10"]
    assert (given.origin, given.kind, given.n) == ("spmf", "unknown", None)


def test_spmf_labels():
    text = "@CONVERTED_FROM_TEXT\n@ITEM=1=green apple\n@ITEM=2=a=b\n@ITEM=3=\n1 2 #SUP: 2\n3 #SUP: 5\n"
    assert pairs(_read_text(text, ".txt")) == {frozenset({"green apple", "a=b"}): 2, frozenset({""}): 5}
    with pytest.raises(DataError, match="an item has no @ITEM line"):
        _read_text("@ITEM=1=x\n1 2 #SUP: 2\n", ".txt")
    with pytest.raises(DataError, match="line 2: the item has two labels"):
        _read_text("@ITEM=1=x\n@ITEM=1=y\n1 #SUP: 2\n", ".txt")
    with pytest.raises(DataError, match="two @ITEM lines give the same label"):
        _read_text("@ITEM=1=x\n@ITEM=2=x\n1 2 #SUP: 2\n", ".txt")


def test_the_empty_itemset_says_n():
    given = _read_text("#SUP: 9\n1 #SUP: 4\n", ".txt")
    assert (given.n, len(given)) == (9, 1)
    with pytest.raises(DataError, match="line 2: the support is above the number of rows, 9"):
        _read_text("#SUP: 9\n1 #SUP: 10\n", ".txt")
    with pytest.raises(ParameterError, match="n is given as 8"):
        _read_text("#SUP: 9\n1 #SUP: 4\n", ".txt", n=8)
    with pytest.raises(DataError, match="line 3: the empty itemset is listed twice"):
        _read_text("#SUP: 9\n1 #SUP: 4\n#SUP: 9\n", ".txt")


@pytest.mark.parametrize("text", ["1 3 #SUP: 4\n1 #SUP: 5\n", "% SPMF\n1 3 #SUP: 4\n1 #SUP: 5\n"])
def test_a_byte_order_mark_is_no_part_of_a_label(text: str, tmp_path: Path):
    (tmp_path / "found.txt").write_text("\ufeff" + text, encoding="utf-8")
    assert pairs(read_patterns(tmp_path / "found.txt")) == {frozenset({"1", "3"}): 4, frozenset({"1"}): 5}
    (tmp_path / "rules.txt").write_text("\ufeff1 ==> 3 #SUP: 4 #CONF: 0.8\n", encoding="utf-8")
    assert sides(read_rules(tmp_path / "rules.txt")) == [("1", "3", 4, "0.8")]


def test_spmf_rules():
    given = _read_text("1 2 ==> 4 #SUP: 3 #CONF: 0.75\n4 ==> 1 #SUP: 50 #CONF: 0.980 #LIFT: 1.2\n", ".txt", rules=True)
    assert sides(given) == [("4", "1", 50, "0.980"), ("1 2", "4", 3, "0.75")]
    assert given.confidences == (Decimal("0.980"), Decimal("0.75"))
    assert (given.n, given.antecedent_supports) == (None, None)


# arules


def test_arules_itemsets():
    text = (
        '"items","support","count"\n'
        '"{whole milk}",0.255516014234875,2513\n'
        '"{butter,whole milk}",0.0275546517539400,271\n'
    )
    given = _read_text(text)
    assert pairs(given) == {frozenset({"whole milk"}): 2513, frozenset({"butter", "whole milk"}): 271}
    assert (given.n, given.origin) == (9835, "arules")
    older = "".join(line.rpartition(",")[0] + "\n" for line in text.splitlines())
    assert pairs(_read_text(older, n=9835)) == pairs(given)
    assert (_read_text(older).n, _read_text(older).n_is_least) == (9835, True)


def test_arules_rules_as_write_makes_them():
    """With R's row names: a heading less than there are columns."""
    text = (
        '"rules","support","confidence","coverage","lift","count"\n'
        '"1","{} => {whole milk}",0.255516014234875,0.255516014234875,1,1,2513\n'
        '"2","{butter} => {whole milk}",0.0275546517539400,0.497247706422018,0.0554143365531266,1.94605,271\n'
    )
    expected = [("", "whole milk", 2513, "0.255516014234875"), ("butter", "whole milk", 271, "0.497247706422018")]
    for layout in (text, text.replace('","', '" "').replace(",", " ").replace("{whole milk}", "{whole milk}")):
        given = _read_text(layout, rules=True)
        assert sides(given) == expected
        assert (given.n, given.antecedent_supports.tolist()) == (9835, [9835, 545])


def test_arules_rules_as_inspect_shows_them():
    """Seven digits, and both sides in columns of their own."""
    text = (
        '"","lhs","Var.2","rhs","support","confidence","coverage","lift","count"\n'
        '"[1]","{butter}","=>","{whole milk}",0.02755465,0.4972477,0.05541434,1.946053,271\n'
    )
    given = _read_text(text, rules=True, n=9835)
    assert sides(given) == [("butter", "whole milk", 271, "0.4972477")]
    assert given.antecedent_supports.tolist() == [545]
    assert _read_text(text, rules=True).n == 9835
    assert sides(_read_text(text.replace("lhs", "LHS").replace("rhs", "RHS"), rules=True)) == sides(given)


def test_arules_intervals_and_what_cannot_be_decided():
    head = '"items","support","count"\n'
    given = _read_text(head + '"{age=[20,40),x=(-Inf,1e+05]}",0.5,2\n')
    assert pairs(given) == {frozenset({"age=[20,40)", "x=(-Inf,1e+05]"}): 2}
    for cell in ("{a,,b}", "{a, b}", "{a,b", "{{a}}", "{a,}"):
        with pytest.raises(DataError, match=r"row 1: .*a label that contains a comma cannot be distinguished from two"):
            _read_text(f'{head}"{cell}",0.5,2\n')
    with pytest.raises(DataError, match="row 1: an item occurs twice"):
        _read_text(head + '"{a,a}",0.5,2\n')


def test_percentages():
    text = 'antecedent,consequent,support,confidence\n"[""a""]","[""b""]",70%,87.50%\n'
    given = _read_text(text, rules=True, n=100)
    assert sides(given) == [("a", "b", 70, "0.8750")]


def test_standard_input(monkeypatch):
    class Standard:
        buffer = io.BytesIO(b'# n: 3\nitems,support\n"[""a""]",2\n')

    monkeypatch.setattr("sys.stdin", Standard)
    given = read_patterns("-")
    assert (given.n, pairs(given)) == (3, {frozenset("a"): 2})


@pytest.mark.parametrize(
    ("text", "container"),
    [('{"items":["a"],"freq":1}\n', "json"), ("a #SUP: 1\n", "text"), ("items;freq\n[a];1\n", "csv")],
)
def test_a_file_is_known_by_how_it_begins(text: str, container: str):
    assert pairs(_read_text(text, "")) == {frozenset("a"): 1}
    assert pairs(_read_text(text, ".parquet", container=container)) == {frozenset("a"): 1}
    with pytest.raises(ParameterError, match="container must be"):
        _read_text(text, container="xml")


def test_lists_that_are_all_equally_long_are_lists_too():
    pairs_only = pa.array([["a", "b"], ["a", "c"]], pa.list_(pa.string(), 2))
    assert pairs(read_patterns(pa.table({"items": pairs_only, "support": [2, 3]}))) == {
        frozenset("ab"): 2,
        frozenset("ac"): 3,
    }


@pytest.mark.parametrize("n", [10.0, "10", True, -1, 10**30])
def test_an_n_that_is_no_number_of_rows_is_refused_first(n):
    with pytest.raises(ParameterError, match="n must be a whole number of rows"):
        read_patterns(pd.DataFrame({"support": [0.5], "itemsets": [frozenset("a")]}), n=n)
