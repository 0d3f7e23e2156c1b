"""Charts: whole files, the same bytes, readable without colour, eyes or a network; only numbers in them."""

from __future__ import annotations

import itertools
import re
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.channels.tradeoff import Tradeoff, tradeoff
from discreet.errors import OutputError
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.publishing.charts import (
    check_chart_file,
    pattern_chart,
    pattern_figure,
    tradeoff_chart,
    tradeoff_figure,
    tradeoff_page,
    write_tradeoff_chart,
)
from discreet.publishing.drawing import COLOURS, DASHES, MARKS, Drawing, linear, svg_of
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"


def rows_with(secret: str) -> Transactions:
    """Return rows whose channels fall from many to none as the support rises."""
    lists = [[secret, "b", "c", "d"][: 1 + number % 4] + ["e"] * (number % 7 == 0) for number in range(60)]
    return Transactions.from_rows([*lists, ["b", "d"], ["c"], ["d", "e"]])


@pytest.fixture
def found() -> Tradeoff:
    return tradeoff(rows_with("secretive"), min_support="2..60:8", k=[2, 3, 10])


def marks_of(drawing: Drawing) -> list[str]:
    """Return what the marks of a chart say, without the legend."""
    return [shape.told for name, shapes in drawing.groups if name == "marks" for shape in shapes if shape.told]


def words_of(drawing: Drawing) -> list[str]:
    return [shape.words for _, shapes in drawing.groups for shape in shapes if shape.words]


def test_the_curves_hold_every_point_and_where_each_comes_down_to_zero(found: Tradeoff):
    expected = {(point["k"], point["min_support"]): point["channels"] for point in found.to_dict()["points"]}
    lowest = {(k, support): 0 for k, support in found.lowest.items() if support <= found.min_supports[-1]}
    assert lowest
    told = sorted(marks_of(tradeoff_chart(found)))
    assert told == sorted(
        f"k = {k}, support {support}: {channels} channel{'s' * (channels != 1)}"
        for (k, support), channels in (expected | lowest).items()
    )


def test_marks_are_where_the_axes_say(found: Tradeoff):
    """Places are computed again from the ticks that are written next to the axes."""
    root = ET.fromstring(svg_of(tradeoff_chart(found), title="a chart", description=""))  # noqa: S314 - made here
    texts = [(float(t.attrib["x"]), float(t.attrib["y"]), t.text) for t in root.iter(f"{SVG}text")]
    numbers = [(x, y, float(text)) for x, y, text in texts if re.fullmatch(r"[\d.]+", text)]
    below = max(y for _, y, _ in numbers)
    (x0, _, v0), *_, (x1, _, v1) = sorted(each for each in numbers if each[1] == below)
    left = min(x for x, y, _ in numbers if y != below)
    (y0, u0), *_, (y1, u1) = sorted((y - 4, value) for x, y, value in numbers if x == left)
    seen = 0
    for dot in (shape for shape in root.iter() if shape.find(f"{SVG}title") is not None):
        told = re.fullmatch(r"k = (\d+), support (\d+): (\d+) channels?", dot.find(f"{SVG}title").text)
        if told is None:
            continue
        at = re.fullmatch(r"translate\(([\d.]+) ([\d.]+)\)", dot.attrib.get("transform", ""))
        x, y = map(float, at.groups() if at else (dot.attrib["cx"], dot.attrib["cy"]))
        assert x == pytest.approx(x0 + (100 * int(told[2]) / found.n - v0) * (x1 - x0) / (v1 - v0), abs=0.02)
        assert y == pytest.approx(y0 + (int(told[3]) - u0) * (y1 - y0) / (u1 - u0), abs=0.02)
        seen += 1
    assert seen >= found.channels.size


def test_curves_differ_in_more_than_colour():
    looks = list(zip(*(itertools.islice(itertools.cycle(each), 30) for each in (DASHES, MARKS)), strict=True))
    assert len(set(looks)) == 30
    drawing = tradeoff_chart(tradeoff(rows_with("a"), min_support=[2, 3], k=range(2, 12)))
    curves = [
        shape.attributes for _, shapes in drawing.groups for shape in shapes if "stroke-width" in shape.attributes
    ]
    assert [each["stroke"] for each in curves] == list(itertools.islice(itertools.cycle(COLOURS), 10))
    dashes = [" ".join(map(str, dash)) for dash in itertools.islice(itertools.cycle(DASHES), 10)]
    assert [each.get("stroke-dasharray", "") for each in curves] == dashes
    (legend,) = (shapes for name, shapes in drawing.groups if name == "legend")
    named = words_of(drawing)[words_of(drawing).index("k") :][1:11]
    assert named == [str(k) for k in range(11, 1, -1)]
    outlines = [symbol.attributes.get("d", "") for symbol in reversed(legend)]
    assert outlines == list(itertools.islice(itertools.cycle(MARKS.values()), 10))


@pytest.mark.parametrize("many", [False, True])
def test_zero_is_on_the_axis(many: bool):
    lists = itertools.chain.from_iterable(itertools.combinations("abcdefgh", size) for size in range(9))
    rows = Transactions.from_rows(lists if many else ["ab", "b"])
    texts = words_of(tradeoff_chart(tradeoff(rows, min_support=[1], k=[2])))
    assert "0" in texts
    assert ("channels (logarithmic above 1)" in texts) is many
    assert ("channels" in texts) is not many
    if many:
        assert {"0", "1", "10", "100"} <= set(texts)


@pytest.mark.parametrize(
    ("low", "high", "whole", "expected"),
    [
        (0, 1, True, ["0", "1"]),
        (0, 0.07, False, ["0.00", "0.01", "0.02", "0.03", "0.04", "0.05", "0.06", "0.07"]),
        (0, 50, True, ["0", "5", "10", "15", "20", "25", "30", "35", "40", "45", "50"]),
        (1.3, 99, False, ["10", "20", "30", "40", "50", "60", "70", "80", "90"]),
        (0, 12_000, True, ["0", "2,000", "4,000", "6,000", "8,000", "10,000", "12,000"]),
        (3, 3, False, ["3"]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, whole: bool, expected: list[str]):
    assert [text for _, text in linear("", low, high, whole=whole).ticks] == expected


def test_the_svg_says_what_it_shows(found: Tradeoff, tmp_path: Path):
    write_tradeoff_chart(found, tmp_path / "chart.svg")
    root = ET.fromstring((tmp_path / "chart.svg").read_text())  # noqa: S314 - made a line above
    assert root.attrib["role"] == "img"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.attrib["aria-labelledby"] == f"{title.attrib['id']} {description.attrib['id']}"
    assert title.text == found.sentences[-1]  # the strictest k comes first
    assert f"{found.channels[0, 0]} for k = 2" in description.text
    assert root.find(f"{SVG}rect").attrib["fill"] == "white"
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"k", "2", "3", "10", "0", "minimum support, % of 63 rows"} <= set(texts)
    assert any("Counted with discreet, in all of the 63 rows." in text for text in texts)


def test_the_page_stands_alone(found: Tradeoff):
    page = tradeoff_page(found)
    assert "<script" not in page
    assert set(re.findall(r"(?:href|src|url|@import)[=(]\W*[^\s>]*", page)) == {'href="data:,"', 'href="#content"'}
    assert set(re.findall(r"https?://[^\s\"<]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "prefers-color-scheme: dark" in page
    for name in re.findall(r"svg \.([\w-]+)", page):  # what the page colours is there to be coloured
        assert re.search(rf'class="[^"]*\b{name}\b', page), name
    seen = Seen()
    seen.feed(page)
    assert seen.cells[: 3 + len(found.ks)] == ["Support", "Rows", "Closed itemsets", "k = 2", "k = 3", "k = 10"]
    first = [found.min_supports[0], found.closed[0], *found.channels[0]]
    assert seen.cells[7:12] == [f"{value:,}" for value in first]
    assert seen.headings == [found.sentences[-1]]


class Seen(HTMLParser):
    """What a page shows in table cells and headings."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.headings: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in ("th", "td"):
            self.cells.append(data)
        if self._inside == "h1":
            self.headings.append(data)


@pytest.mark.parametrize("suffix", [".svg", ".html"])
def test_only_numbers_are_in_a_chart(tmp_path: Path, suffix: str):
    """The same rows with another label give the same bytes."""
    for name, label in (("one", "zoster"), ("two", "zebra")):
        found = tradeoff(rows_with(label), min_support="2..60:8", k=[2, 3, 10])
        write_tradeoff_chart(found, tmp_path / f"{name}{suffix}")
    one, two = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert b"zoster" not in one


@pytest.mark.parametrize(
    ("supports", "ks"), [([1], [2]), ([63], [2]), ([1000], [2]), ([1], [1000]), (range(1, 70), range(2, 40))]
)
def test_every_tradeoff_can_be_drawn(supports, ks):
    found = tradeoff(rows_with("a"), min_support=supports, k=ks)
    svg = svg_of(tradeoff_chart(found), title="a < b", description="c & d")
    assert ET.fromstring(svg).find(f"{SVG}title").text == "a < b"  # noqa: S314 - made a line above
    assert "NaN" not in svg
    assert "NaN" not in tradeoff_page(found)


def test_no_rows_can_be_drawn():
    found = tradeoff(Transactions.from_rows([]), min_support=["10%", "20%"], k=[2])
    assert "<svg" in tradeoff_page(found)


def test_nothing_but_the_product_draws(found: Tradeoff, monkeypatch: pytest.MonkeyPatch):
    """No library of charts is needed: none of them can be imported here."""
    for name in ("altair", "vl_convert", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)
    assert "<svg" in tradeoff_page(found)


@pytest.mark.parametrize("name", ["chart", "chart.png", "chart.svg.gz", "chart.htm", ".svg"])
def test_other_suffixes_are_refused(tmp_path: Path, name: str):
    with pytest.raises(OutputError, match=r"name it \.svg or \.html"):
        check_chart_file(tmp_path / name)


def test_a_file_is_written_whole_or_not_at_all(found: Tradeoff, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "chart.svg"
    path.write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        write_tradeoff_chart(found, path)

    def fail(*_: object, **__: object) -> str:
        raise RuntimeError

    monkeypatch.setattr("discreet.publishing.charts.svg_of", fail)
    with pytest.raises(RuntimeError):
        write_tradeoff_chart(found, path, force=True)
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_patterns_by_length_and_share_are_all_counted():
    patterns = mine(rows_with("a"), min_support=2, target="all")
    drawing = pattern_chart(patterns)
    told = [
        re.fullmatch(r"(\d+) patterns? of (\d+) items?, about ([\d.]+) % of rows", each) for each in marks_of(drawing)
    ]
    lengths = patterns.itemsets.lengths
    shares = 100 * patterns.supports / patterns.n
    for length in np.unique(lengths).tolist():
        count = int(np.count_nonzero(lengths == length))
        assert sum(int(each[1]) for each in told if int(each[2]) == length) == count
        assert {str(length), str(count)} <= set(words_of(drawing))
    assert all(shares.min() <= float(each[3]) <= shares.max() for each in told)
    (dots,) = (shapes for name, shapes in drawing.groups if name == "marks")
    assert all(78 < dot.attributes["cx"] < 78 + 640 for dot in dots)
    largest = max(range(len(told)), key=lambda place: int(told[place][1]))
    assert dots[largest].attributes["r"] == max(dot.attributes["r"] for dot in dots)


@pytest.mark.parametrize("supports", [[5], [5, 5], [8]])
def test_a_few_patterns_of_one_support_can_be_drawn(supports: list[int]):
    itemsets = [([f"{number}"], support) for number, support in enumerate(supports)]
    figure = pattern_figure(PatternSet.from_itemsets(itemsets, n=8, min_support=5))
    root = ET.fromstring(figure)  # noqa: S314 - made a line above
    (svg,) = root.iter(f"{SVG}svg")
    assert f"{len(supports)} of 1" in svg.find(f"{SVG}desc").text


def test_the_chosen_point_has_a_ring(found: Tradeoff):
    chosen = (int(found.min_supports[0]), 3)
    plain, ringed = tradeoff_chart(found), tradeoff_chart(found, chosen=chosen)
    (ring,) = (shape for name, shapes in ringed.groups if name == "ring" for shape in shapes)
    assert "ring" not in dict(plain.groups)
    (at,) = (
        shape.attributes
        for name, shapes in ringed.groups
        if name == "marks"
        for shape in shapes
        if shape.told.startswith(f"k = 3, support {chosen[0]}: {int(found.channels[0, 1])} ")
    )
    placed = re.fullmatch(r"translate\(([\d.]+) ([\d.]+)\)", at["transform"])
    assert (ring.attributes["cx"], ring.attributes["cy"]) == pytest.approx(tuple(map(float, placed.groups())), abs=0.01)
    figure = tradeoff_figure(found, chosen=chosen)
    assert ">chosen<" in figure
    assert figure.count("<tr>") == 1 + len(found.min_supports)
