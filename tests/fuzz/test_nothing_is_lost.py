"""Nothing is lost on the way in: what is read is what a small parser of its own reads, or the file is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.patterns.reading import read_patterns
from discreet.transactions.reading import read
from tests.strategies import DRAWS
from tests.transactions.slow_readers import Malformed, slow_basket, slow_cells, slow_fimi

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

quick = settings(max_examples=30 * DRAWS, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
MARKS = ['"', '""', ",", ", ", "\n", "\r\n", "\r", " ", "\t", "a", "b", "7", "ü", "[", "]", "\ufeff"]
N = 100


def text_of(*lines: str) -> st.SearchStrategy[str]:
    """Return texts that are mostly whole lines, with some of what breaks lines in between."""
    return st.lists(st.one_of(st.sampled_from(lines), st.sampled_from([*lines, *MARKS])), max_size=12).map("".join)


def itemsets_of_pami(text: str) -> list[tuple[list[str], int]]:
    return [(cells[-2].split(), int(cells[-1])) for cells in lines_of("Patterns,Support\n", text)]


def itemsets_of_ours(text: str) -> list[tuple[list[str], int]]:
    return [(json.loads(cells[-2]), int(cells[-1])) for cells in lines_of("items,support\n", text)]


def lines_of(header: str, text: str) -> list[list[str]]:
    """Return the cells of all lines but the header; all have two, or all have a row's name before them."""
    lines = slow_cells(header + text)[1:]
    if len({len(line) for line in lines}) > 1:
        raise Malformed
    return lines


def itemsets_of_lines(text: str) -> list[tuple[list[str], int]]:
    records = [json.loads(line) for line in text.removeprefix("\ufeff").split("\n") if line.strip()]
    return [(record["items"], record["freq"]) for record in records]


def itemsets_of_spmf(text: str) -> list[tuple[list[str], int]]:
    found = []
    for line in text.split("\n"):
        words = line.split()
        if words and (words[0] == "#SUP:" or words[0][0] not in "@%#"):
            end = words.index("#SUP:")
            found.append((words[:end], int(words[end + 1])))
    return found


FORMS: dict[str, tuple[str, str, Callable[[str], list[tuple[list[str], int]]], tuple[str, ...]]] = {
    "pami": ("p.csv", "Patterns,Support\n", itemsets_of_pami, ("a,50\n", '"b",40\n', "a b,30\n", "c,2\n", "0,d,3\n")),
    "ours": (
        "p.csv",
        "items,support\n",
        itemsets_of_ours,
        ('"[""a""]",50\n', '"[""b""]",40\n', '"[""a"", ""b""]",30\n', "[7],2\n", '"[""c""],2\n'),
    ),
    "lines": (
        "p.jsonl",
        "",
        itemsets_of_lines,
        ('{"items":["a"],"freq":50}\n', '{"items": ["b"], "freq": 40}\n', '{"items":["a","b"],"freq":2}\n'),
    ),
    "spmf": ("p.txt", "", itemsets_of_spmf, ("a #SUP: 50\n", "b #SUP: 40\n", "a b #SUP: 2\n", "% c #SUP: 1\n")),
}


@pytest.mark.parametrize("form", FORMS)
@quick
@given(data=st.data())
def test_patterns(tmp_path: Path, form: str, data: st.DataObject) -> None:
    name, header, twin, lines = FORMS[form]
    same_patterns(tmp_path / name, header, data.draw(text_of(*lines)), twin)


@pytest.mark.parametrize(
    ("form", "text"),
    [("pami", 'a,50\n"b,40\na b,39\n'), ("pami", 'a,50\n"b"x,40\n'), ("ours", '"[""a""]",50\n"[""b""],40\n')],
)
def test_a_quote_that_is_not_closed_takes_no_line_with_it(tmp_path: Path, form: str, text: str) -> None:
    name, header, twin, _ = FORMS[form]
    assert not same_patterns(tmp_path / name, header, text, twin)


def test_whole_files_are_read(tmp_path: Path) -> None:
    """So that the law does not hold because all is refused."""
    for name, header, twin, lines in FORMS.values():
        assert same_patterns(tmp_path / name, header, "".join(lines[:3]), twin)


def same_patterns(path: Path, header: str, text: str, twin: Callable[[str], list[tuple[list[str], int]]]) -> bool:
    """Compare what is read with what the twin reads; say whether the file was read at all."""
    path.write_bytes((header + text).encode())
    try:
        patterns = read_patterns(path, n=N).to_patternset("all")
    except InputError:
        return False
    read_here = [(frozenset(each["items"]), each["support"]) for each in patterns.to_dict()["itemsets"]]
    expected = [(frozenset(map(str, items)), support) for items, support in twin(text) if items]
    assert set(read_here) == set(expected)
    assert len(read_here) == len(expected)
    return True


def table_rows(text: str) -> list[set[str]]:
    """Read a table without a header, whose columns are c1, c2 and so on."""
    lines = slow_cells(text)
    if len({len(line) for line in lines}) > 1:
        raise Malformed
    return [{f"c{at}={cell}" for at, cell in enumerate(line, 1) if cell not in ("", "?", "NA")} for line in lines]


def lists(text: str) -> list[set[str]]:
    return [{str(label) for label in json.loads(line)} for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize(
    ("name", "options", "twin", "lines"),
    [
        ("r.csv", {"format": "basket"}, slow_basket, ("a,b\n", '"a",b\n', "a\n", '""\n', "7, 7,b\n")),
        ("r.csv", {"format": "table", "header": False}, table_rows, ("a,b\n", '"a","b"\n', "?,a\n", " a ,\n")),
        ("r.dat", {"format": "fimi"}, slow_fimi, ("a b\n", "7 a\n", "\n", "b\n")),
        ("r.jsonl", {"format": "lists"}, lists, ('["a", "b"]\n', '["b"]\n', "[]\n", '["a"]\n')),
    ],
    ids=["basket", "table", "fimi", "lists"],
)
@quick
@given(data=st.data())
def test_rows(tmp_path: Path, name: str, options: dict[str, object], twin, lines, data: st.DataObject) -> None:
    text = data.draw(text_of(*lines))
    path = tmp_path / name
    path.write_bytes(text.encode())
    try:
        rows = read(path, **options)
    except InputError:
        return
    assert [set(row) for row in rows] == twin(text.removeprefix("\ufeff"))
