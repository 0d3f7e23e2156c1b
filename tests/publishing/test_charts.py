"""Charts: whole files, the same bytes, readable without colour, eyes or a network; only numbers in them."""

from __future__ import annotations

import itertools
import json
import re
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
    COLOURS,
    DASHES,
    MARKS,
    check_chart_file,
    pattern_chart,
    pattern_figure,
    svg_of,
    tradeoff_chart,
    tradeoff_figure,
    tradeoff_page,
    write_tradeoff_chart,
)
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


def test_the_curves_hold_every_point_and_where_each_comes_down_to_zero(found: Tradeoff):
    spec = tradeoff_chart(found)
    (values,) = (data for data in spec["datasets"].values() if len(data) > 1)
    drawn = {(value["k"], value["rows"]): value["channels"] for value in values}
    expected = {(str(point["k"]), point["min_support"]): point["channels"] for point in found.to_dict()["points"]}
    lowest = {(str(k), support): 0 for k, support in found.lowest.items() if support <= found.min_supports[-1]}
    assert lowest
    assert drawn == expected | lowest
    assert all(value["support"] == 100 * value["rows"] / found.n for value in values)


def test_curves_differ_in_more_than_colour():
    looks = list(zip(*(itertools.islice(itertools.cycle(each), 30) for each in (DASHES, MARKS)), strict=True))
    assert len({json.dumps(look) for look in looks}) == 30
    spec = tradeoff_chart(tradeoff(rows_with("a"), min_support=[2, 3], k=range(2, 12)))
    for name, values in (("color", COLOURS), ("strokeDash", DASHES), ("shape", MARKS)):
        (scale,) = {
            json.dumps(layer["encoding"][name]["scale"]) for layer in spec["layer"] if name in layer["encoding"]
        }
        assert json.loads(scale)["domain"] == [str(k) for k in range(11, 1, -1)]
        assert json.loads(scale)["range"][::-1] == list(itertools.islice(itertools.cycle(values), 10))


@pytest.mark.parametrize("many", [False, True])
def test_zero_is_on_the_axis(many: bool):
    lists = itertools.chain.from_iterable(itertools.combinations("abcdefgh", size) for size in range(9))
    rows = Transactions.from_rows(lists if many else ["ab", "b"])
    spec = tradeoff_chart(tradeoff(rows, min_support=[1], k=[2]))
    y = spec["layer"][0]["encoding"]["y"]
    assert y["scale"]["domain"][0] == 0
    assert (y["scale"].get("type") == "symlog") is many
    if many:
        assert y["axis"]["values"] == [0, 1, 10, 100]


def test_the_svg_says_what_it_shows(found: Tradeoff, tmp_path: Path):
    write_tradeoff_chart(found, tmp_path / "chart.svg")
    root = ET.fromstring((tmp_path / "chart.svg").read_text())  # noqa: S314 - made a line above
    assert root.attrib["role"] == "img"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.attrib["aria-labelledby"] == f"{title.attrib['id']} {description.attrib['id']}"
    assert title.text == found.sentences[0]
    assert f"{found.channels[0, 0]} for k = 2" in description.text
    assert root.find(f"{SVG}rect").attrib["fill"] == "white"
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"k", "2", "3", "10", "0", "minimum support, % of 63 rows"} <= set(texts)
    assert any("Counted with discreet, in all of the 63 rows." in text for text in texts)


def test_the_page_stands_alone(found: Tradeoff):
    page = tradeoff_page(found)
    assert "<script" not in page
    assert set(re.findall(r"(?:href|src|url|@import)[=(]\W*[^\s>]*", page)) == {'href="data:,"', 'href="#content"'}
    assert set(re.findall(r"https?://[^\s\"<]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "prefers-color-scheme: dark" in page
    for name in re.findall(r"svg \.([\w-]+)", page):  # what the page colours is there to be coloured
        assert re.search(rf'class="[^"]*\b{name}\b', page), name
    seen = Seen()
    seen.feed(page)
    assert seen.cells[: 3 + len(found.ks)] == ["Support", "Rows", "Closed itemsets", "k = 2", "k = 3", "k = 10"]
    first = [found.min_supports[0], found.closed[0], *found.channels[0]]
    assert seen.cells[7:12] == [f"{value:,}" for value in first]
    assert seen.headings == [found.sentences[0]]


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


def test_nothing_is_fetched_to_draw_it(found: Tradeoff):
    spec = tradeoff_chart(found)
    assert spec.pop("$schema").startswith("https://vega.github.io/")
    assert "url" not in json.dumps(spec)
    assert "://" not in json.dumps(spec)


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

    monkeypatch.setattr("vl_convert.vegalite_to_svg", fail)
    with pytest.raises(RuntimeError):
        write_tradeoff_chart(found, path, force=True)
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_patterns_by_length_and_share_are_all_counted():
    patterns = mine(rows_with("a"), min_support=2, target="all")
    spec = pattern_chart(patterns)
    dots, sums = sorted(spec["datasets"].values(), key=lambda values: "total" in values[0])
    lengths = patterns.itemsets.lengths
    for length in np.unique(lengths).tolist():
        count = int(np.count_nonzero(lengths == length))
        assert sum(dot["patterns"] for dot in dots if dot["items"] == length) == count
        assert {"items": length, "total": str(count)} in sums
    shares = 100 * patterns.supports / patterns.n
    assert all(shares.min() <= dot["share"] <= shares.max() for dot in dots)
    low, high = spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert 0 <= low < shares.min() <= shares.max() <= high <= 100


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
    (point,) = [value for values in ringed["datasets"].values() for value in values if value.get("word") == "chosen"]
    assert (point["rows"], point["k"], point["channels"]) == (chosen[0], "3", int(found.channels[0, 1]))
    assert len(ringed["layer"]) == len(plain["layer"]) + 2
    figure = tradeoff_figure(found, chosen=chosen)
    assert ">chosen<" in figure
    assert figure.count("<tr>") == 1 + len(found.min_supports)
