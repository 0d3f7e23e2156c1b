"""Anything at all into the readers of patterns and rules: a valid result, or one InputError."""

from __future__ import annotations

import contextlib
import gzip
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.patterns.reading import read_patterns, read_rules
from discreet.patterns.rules import rules
from discreet.patterns.writing import write_patterns, write_rules
from tests.patterns.pattern_strategies import all_itemsets
from tests.strategies import DRAWS

if TYPE_CHECKING:
    from pathlib import Path

quick = settings(max_examples=30 * DRAWS, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
PIECES = [
    *(
        "items",
        "support",
        "itemsets",
        "freq",
        "antecedent",
        "consequents",
        "rules",
        "lhs",
        "confidence",
        "count",
        "n",
        "target",
    ),
    *(
        ",",
        ";",
        "\t",
        " ",
        "\n",
        "\r\n",
        '"',
        '""',
        "'",
        "\\",
        "#",
        "# n: 3\n",
        "@ITEM=1=",
        "%",
        "#SUP:",
        "#CONF:",
        "==>",
        " => ",
    ),
    *(
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        ":",
        '["a"]',
        '"[""a"", ""b""]"',
        "{a,b}",
        "frozenset({'a'})",
        "a",
        "b",
        "ü",
        "😀",
        "\x00",
    ),
    *(
        "1",
        "2",
        "3",
        "-1",
        "0.5",
        "1e400",
        "nan",
        "50%",
        "999999999999999999999",
        "null",
        "true",
        "\\u0061",
        "\\ud800",
        "\ufeff",
    ),
    *(
        '{"items": ["a"], "support": 2}',
        '{"n": 5, "min_support": 1, "target": "all", "count": 1, "itemsets": [',
        ', {"items": [',
    ),
    *(
        '{"items":["a"],"freq":2}\n',
        "items,support\n",
        "items,freq\n",
        "support,itemsets\n",
        "antecedent,consequent,support,confidence\n",
    ),
    *('"rules","support","confidence"\n', '"{a} => {b}",0.5,0.5\n', "a b #SUP: 2\n", "a ==> b #SUP: 2 #CONF: 0.5\n"),
]
TEXT = st.one_of(
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=14).map("".join),
    st.text(max_size=60),
).map(lambda text: text.encode("utf-8", "surrogatepass"))
SUFFIXES = [".csv", ".json", ".txt", ".parquet", ".csv.gz", ""]


def one_sentence(error: InputError) -> None:
    assert "\n" not in str(error)


def survives(path: Path) -> None:
    for read in (read_patterns, read_rules):
        for n in (None, 4):
            try:
                given_back = read(path, n=n)
            except InputError as error:
                one_sentence(error)
                continue
            assert given_back.n is None or (given_back.supports <= given_back.n).all()
            assert (given_back.supports >= 1).all()
            if read is read_patterns and given_back.n is not None:
                given_back.to_patternset("all")  # whose constructor checks everything


@pytest.mark.parametrize("suffix", SUFFIXES)
@quick
@given(content=st.one_of(TEXT, st.binary(max_size=80)))
@example(content=b"")
@example(content=b"\xff\xfe")
@example(content=b"items,support\n\n")
@example(content=b'items,support\n"[""a""]",1')
@example(content=b"[]")
@example(content=b"{}")
@example(content=b"{}\n{}\n")
@example(content=b'{"n": 0, "min_support": 1, "target": "all", "count": 0, "itemsets": []}')
@example(content=b'{"items":["a"],"freq":2}\n\n')
@example(content=b" #SUP: 1")
def test_any_bytes(tmp_path: Path, suffix: str, content: bytes):
    path = tmp_path / f"any{suffix}"
    path.write_bytes(gzip.compress(content) if suffix.endswith(".gz") else content)
    survives(path)


@settings(quick, max_examples=15)
@given(content=st.binary(max_size=80))
def test_any_bytes_between_the_marks_of_parquet(tmp_path: Path, content: bytes):
    path = tmp_path / "any.parquet"
    path.write_bytes(b"PAR1" + content + b"PAR1")
    survives(path)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("samples")
    found = all_itemsets([["a", "b c", "d,e"], ["a", '"'], ["b c"]], 1)
    plain = all_itemsets([["a", "b", "c"], ["a", "b"]], 1)
    forms = {None: ["json", "csv", "parquet", "txt", "csv.gz"], "mlxtend": ["csv"], "spark": ["json", "parquet"]}
    for form, suffix in ((form, suffix) for form, suffixes in forms.items() for suffix in suffixes):
        write_patterns(found, folder / f"patterns_{form}.{suffix}", form=form)
        write_rules(rules(found, min_confidence=0), folder / f"rules_{form}.{suffix}", form=form)
    write_patterns(plain, folder / "patterns_arules.csv", form="arules")
    write_rules(rules(plain, min_confidence=0), folder / "rules_arules.csv", form="arules")
    return sorted(folder.iterdir())


@settings(quick, max_examples=50 * DRAWS)
@given(data=st.data())
def test_damaged_files(samples: list[Path], tmp_path: Path, data: st.DataObject):
    """A good file with some bytes changed, taken out or put in, or its end cut off."""
    sample = data.draw(st.sampled_from(samples))
    content = bytearray(sample.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        kind = data.draw(st.sampled_from(["change", "remove", "insert", "cut"]))
        if kind == "change" and at < len(content):
            content[at] = data.draw(st.integers(0, 255))
        elif kind == "remove":
            del content[at : at + data.draw(st.integers(1, 10))]
        elif kind == "insert":
            content[at:at] = data.draw(st.sampled_from(PIECES)).encode("utf-8", "surrogatepass")
        else:
            del content[at:]
    path = tmp_path / sample.name
    path.write_bytes(content)
    survives(path)


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.binary(max_size=3),
    st.lists(st.text(max_size=3), max_size=3),
)


@quick
@given(
    names=st.sampled_from([("items", "support"), ("itemsets", "support"), ("items", "freq")]),
    sets=st.lists(
        st.one_of(CELLS, st.frozensets(st.one_of(st.text(max_size=2), st.integers(), st.floats()), max_size=3)),
        max_size=4,
    ),
    data=st.data(),
)
def test_any_frame(names: tuple[str, str], sets: list[object], data: st.DataObject):
    import pandas as pd

    column = np.empty(len(sets), object)
    for row, cell in enumerate(sets):
        column[row] = cell
    supports = data.draw(st.lists(CELLS, min_size=len(sets), max_size=len(sets)))
    numbers = np.empty(len(sets), object)
    for row, cell in enumerate(supports):
        numbers[row] = cell
    frames = [pd.DataFrame({names[0]: column, names[1]: numbers}, dtype=object)]
    with contextlib.suppress(pa.ArrowException, OverflowError, TypeError, UnicodeEncodeError):  # no such Arrow table
        frames.append(pa.table({names[0]: pa.array(list(sets)), names[1]: pa.array(supports)}))
    for frame in frames:
        try:
            given_back = read_patterns(frame, n=3)
        except InputError as error:
            one_sentence(error)
            continue
        given_back.to_patternset("all")
