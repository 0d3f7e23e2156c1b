"""The documentation is true: what it shows is what the program prints, and nothing is left out."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from typing import TYPE_CHECKING, get_args
from xml.etree import ElementTree as ET

import pytest

import discreet
from discreet.cli.main import discreet as group
from discreet.patterns.imported_patterns import Origin
from discreet.transactions.layout import Shape
from tests.docs import api_pages, house_picture, refresh, terminal_picture
from tests.docs.docstrings import public_names
from tests.docs.pages import (
    IN_SPARK,
    PAGES,
    ROOT,
    RUN,
    Block,
    Session,
    assert_shown,
    blocks,
    matches,
    run_block,
    surroundings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMAND_LINE = ROOT / "docs" / "command-line.md"
SHOWN = ("json", "sh", "text", "toml", "yaml")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"(#+) (.+?)\s*$")


def name(page: Path) -> str:
    """Return how a test calls a page."""
    return str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name


def prose(page: Path) -> list[str]:
    """Return the lines of a page that stand outside its blocks."""
    inside = {line for block in blocks(page) for line in range(block.line - 1, block.line + block.text.count("\n") + 1)}
    lines = page.read_text(encoding="utf-8").split("\n")
    return [line for number, line in enumerate(lines, 1) if number not in inside]


def anchors(page: Path) -> set[str]:
    """Return the names by which headings can be linked to, made as GitHub makes them."""
    found: set[str] = set()
    counts: Counter[str] = Counter()
    for line in prose(page):
        if heading := _HEADING.match(line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[2]).replace("`", "").replace("*", "")
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            found.add(f"{slug}-{counts[slug]}" if counts[slug] else slug)
            counts[slug] += 1
    return found


def links(page: Path) -> list[str]:
    """Return where a page links to, other web sites left out."""
    paragraphs = "\n".join(prose(page)).split("\n\n")
    found = [link for paragraph in paragraphs for link in _LINK.findall(re.sub(r"`[^`]*`", "", paragraph))]
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def commands() -> Iterator[str]:
    """Yield every command as it is typed: discreet, discreet mine, discreet generate quest."""
    context = group.make_context("discreet", [], resilient_parsing=True)
    yield "discreet"
    for command in group.list_commands(context):
        yield f"discreet {command}"
        inner = group.get_command(context, command)
        if hasattr(inner, "list_commands"):
            yield from (f"discreet {command} {each}" for each in inner.list_commands(context))


COMMANDS = list(commands())
TOP_LEVEL = [command.split()[1] for command in COMMANDS if command.count(" ") == 1]


@pytest.mark.parametrize("page", [page for page in PAGES if page != IN_SPARK], ids=name)
def test_a_page_shows_what_is_printed(page: Path, tmp_path: Path) -> None:
    with surroundings(tmp_path):
        assert_shown(page)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_block_hides_from_the_tests(page: Path) -> None:
    assert {block.language for block in blocks(page)} <= {*RUN, *SHOWN}
    assert [line for line in prose(page) if "```" in line] == [], "a block must start at the beginning of a line"
    hidden = [block.line for block in blocks(page) if block.language in SHOWN and "$ discreet" in block.text]
    assert hidden == [], "commands with a prompt stand in console blocks, where they are run"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_nothing_shows_the_machine_it_was_made_on(page: Path) -> None:
    assert re.findall(r"(?:/tmp|/root|/home|/work)/\S*", page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    assert dead == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached = {ROOT / "README.md"}
    waiting = list(reached)
    while waiting:
        page = waiting.pop()
        found = {(page.parent / link.partition("#")[0]).resolve() for link in links(page)}
        new = {each for each in found if each.suffix == ".md"} - reached
        reached |= new
        waiting += new
    assert sorted(map(name, reached)) == sorted(map(name, PAGES))


def test_the_readme_lists_the_commands_there_are() -> None:
    listed = [row[1] for line in prose(ROOT / "README.md") if (row := re.match(r"\| `(\w+)` \|", line))]
    assert sorted(listed) == sorted(TOP_LEVEL)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help_and_its_place(command: str) -> None:
    page = ROOT / "docs" / "commands" / f"{command.split()[1]}.md" if " " in command else COMMAND_LINE
    shown = [block.text for block in blocks(page) if block.language == "console"]
    assert any(text.startswith(f"$ {command} --help\n") for text in shown), "and what it prints is compared above"
    if " " in command:
        assert f"commands/{page.name}" in links(COMMAND_LINE)


def test_every_page_of_a_command_has_its_command() -> None:
    assert sorted(page.stem for page in (ROOT / "docs" / "commands").iterdir()) == sorted(TOP_LEVEL)


@pytest.mark.parametrize("public", discreet.__all__)
def test_every_public_name_is_in_the_tour(public: str) -> None:
    tour = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert f"`{public}`" in tour.partition("## All names")[2]


def test_the_reference_is_made_from_the_docstrings() -> None:
    made = api_pages.pages()
    assert sorted(made) == sorted(api_pages.FOLDER.iterdir())
    stale = [name(path) for path, text in made.items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "python -m tests.docs.api_pages makes them again"


def test_every_public_name_is_on_one_page_of_the_reference() -> None:
    assert sorted(each for _, names in api_pages.ROOMS.values() for each in names) == sorted(public_names())


def test_every_row_format_has_its_section() -> None:
    assert set(get_args(Shape)) <= anchors(ROOT / "docs" / "formats.md")


def test_every_tool_whose_patterns_are_read_has_its_section() -> None:
    sections = {"spmf": "spmf-text", "unnamed": "other-tables"}  # rows of SPMF have a section, too
    assert {sections.get(tool, tool) for tool in get_args(Origin)} <= anchors(ROOT / "docs" / "formats.md")


def test_the_house_is_described_as_it_stands() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    headers = sorted(path.name for path in (ROOT / "cpp").glob("*.hpp"))
    assert sorted(re.findall(r"^\| `(\w+\.hpp)` \|", text, re.MULTILINE)) == headers
    folders = sorted(path.parent.name for path in (ROOT / "src" / "discreet").glob("*/__init__.py"))
    assert sorted(re.findall(r"^\| `src/discreet/(\w+)` \|", text, re.MULTILINE)) == folders


def test_the_picture_is_made_from_the_import_contract() -> None:
    assert house_picture.PICTURE.read_text(encoding="utf-8") == house_picture.picture(), (
        "python -m tests.docs.house_picture makes it again"
    )
    assert {room for floor in house_picture.floors() for room in floor} <= set(house_picture.WORDS)


def test_the_terminal_shows_what_is_printed() -> None:
    drawn = terminal_picture.picture()
    assert terminal_picture.PICTURE.read_text(encoding="utf-8") == drawn, (
        "python -m tests.docs.terminal_picture makes it again"
    )
    assert "@font-face" not in drawn


def test_the_picture_is_one() -> None:
    picture = ET.parse(ROOT / "docs" / "house.svg").getroot()  # noqa: S314 - our own file
    width, height = (float(picture.attrib[side]) for side in ("width", "height"))
    places = [(float(text.attrib["x"]), float(text.attrib["y"])) for text in picture.findall(".//{*}text")]
    assert places
    assert all(0 < x < width and 0 < y < height for x, y in places)


def test_decisions_are_numbered_and_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    files = sorted(path.name for path in folder.glob("[0-9]*.md"))
    assert [file[:4] for file in files] == [f"{number:04}" for number in range(1, len(files) + 1)]
    assert [link for link in links(folder / "index.md") if link[0].isdigit()] == files
    titles = [(folder / file).read_text(encoding="utf-8").partition("\n")[0] for file in files]
    assert all(title.startswith(f"# {file[:4]} ") for file, title in zip(files, titles, strict=True))


WRONG = """
`rows.dat`:

```text
a b
a
```

```console
$ discreet mine rows.dat -s 2 --json
nothing of the kind
$ echo $?
0
$ cat rows.dat | discreet mine - --format fimi -s 3
...
$ discreet mine rows.dat -s nonsense
error: ...
$ echo $?
1
```

```python
first = 40
```

```pycon
>>> first + 2
42
>>> first + 3
42
>>> None + 1
```
"""


def ran(folder: Path, text: str) -> list[bool]:
    """Run a page and say of each line that prints whether the page shows the same."""
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    session = Session()
    with surroundings(folder):
        return [exchange.same for block in blocks(page) for exchange in run_block(block, session)]


def test_a_page_that_is_wrong_is_found_out(tmp_path: Path) -> None:
    assert ran(tmp_path, WRONG) == [False, True, True, False, False, True, False, False]


def test_refreshing_makes_a_page_true_and_then_leaves_it_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(WRONG, encoding="utf-8")
    assert refresh.refresh(page)
    text = page.read_text(encoding="utf-8")
    assert not refresh.refresh(page)
    assert "...\n$ discreet mine rows.dat -s nonsense" in text, "what still fits is left as it is"
    folder = tmp_path / "again"
    folder.mkdir()
    assert all(ran(folder, text))


def test_python_that_fails_is_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        ran(tmp_path, "```python\n1 / 0\n```\n")


def test_a_block_without_an_end_is_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not closed"):
        ran(tmp_path, "```python\n1\n")


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb", "\na  \nb\n\n", True),
        ("a", "a\nb", False),
        ("a\n...", "a\nb\nc", True),
        ("a\n...\nc", "a\nc", True),
        ("a\n...\nd", "a\nb\nc", False),
        ("", "", True),
        ("", "a", False),
        ("a.c", "abc", False),
    ],
)
def test_matching(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) == same


def test_commands_with_pipes_find_the_program(tmp_path: Path) -> None:
    assert shutil.which("bash")
    block = Block(tmp_path / "page.md", "console", 1, "$ true && discreet --version | wc -l\n1\n", None)
    with surroundings(tmp_path):
        assert [exchange.same for exchange in run_block(block, Session())] == [True]
