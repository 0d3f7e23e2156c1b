"""The pages of the documentation, cut into the parts that can be run, and the running of them.

A page is run from top to bottom in a folder of its own. What a fenced block is for follows from its language:

    console   commands after `$ `, each followed by what it prints; run, and compared with the page
    pycon     Python after `>>> `, each followed by what it prints; run, and compared with the page
    python    Python without output; run
    others    shown only

A line that is a name in backquotes and a colon, as in `rows.csv`:, then an empty line and a block: the block is saved
under that name first. In what a command prints, a line `...` stands for any number of lines. All Python blocks of a
page share their names.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import traceback
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.cli.main import main
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "IN_SPARK",
    "PAGES",
    "ROOT",
    "RUN",
    "Block",
    "Exchange",
    "Session",
    "assert_shown",
    "blocks",
    "matches",
    "run_block",
    "surroundings",
]

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
IN_SPARK = ROOT / "docs" / "notebooks" / "spark.md"
"""The page that is run where there is a Spark already, in tests/spark."""
RUN = ("console", "pycon", "python")

_FENCE = re.compile(r"```(\w*)\s*$")
_FILE = re.compile(r"`([^`\s]+)`:\s*$")
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)+")
_WIDTH = "80"


@dataclass(frozen=True)
class Block:
    """A fenced block: its lines stand from `line` on (counted from 1) in the page; `file` is the name to save it as."""

    page: Path
    language: str
    line: int
    text: str
    file: str | None


@dataclass(frozen=True)
class Exchange:
    """A command or statement as it is typed, what the page shows it to print, and what it prints."""

    typed: str
    shown: str
    printed: str
    line: int
    same: bool


@dataclass
class Session:
    """What lasts from one block of a page to the next: Python's names, and how the last command ended."""

    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    status: int = 0


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    found = []
    language, start, name = None, 0, None
    lines = page.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        fence = _FENCE.match(line)
        if language is None and fence:
            language, start = fence[1], number + 1
            name = _name_above(lines[: number - 1])
        elif language is not None and line.rstrip() == "```":
            text = "".join(f"{each}\n" for each in lines[start - 1 : number - 1])
            found.append(Block(page, language, start, text, name))
            language = None
    if language is not None:
        raise ValueError(f"{page}, line {start - 1}: the block is not closed")
    return found


def _name_above(lines: list[str]) -> str | None:
    """Return the name that stands above a block, in a paragraph of its own."""
    before, line, after = ["", "", "", *lines][-3:]
    named = _FILE.match(line)
    return named[1] if named and not before.strip() and not after.strip() else None


@contextmanager
def surroundings(folder: Path) -> Iterator[None]:
    """Work in a folder, on a terminal of 80 columns that `discreet` is installed for."""
    before = Path.cwd()
    settings = {"COLUMNS": _WIDTH, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    saved = {name: os.environ.get(name) for name in settings}
    os.chdir(folder)
    os.environ.update(settings)
    try:
        yield
    finally:
        os.chdir(before)
        for name, value in saved.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def run_block(block: Block, session: Session) -> list[Exchange]:
    """Run a block, where its language says that it is run, and return what was typed in it and printed."""
    if block.file is not None:
        Path(block.file).parent.mkdir(parents=True, exist_ok=True)
        Path(block.file).write_text(block.text, encoding="utf-8")
    if block.language == "console":
        return list(_run_console(block, session))
    if block.language == "pycon":
        return _run_pycon(block, session)
    if block.language == "python":
        source = "\n" * (block.line - 1) + block.text  # so that a traceback gives the page's own lines
        code = compile(source, str(block.page), "exec", dont_inherit=True)
        with redirect_stdout(io.StringIO()):
            exec(code, session.names)  # noqa: S102 - our own page
    return []


def assert_shown(page: Path) -> None:
    """Run a page here, from top to bottom, and compare what it shows with what is printed."""
    session = Session()
    for block in blocks(page):
        for exchange in run_block(block, session):
            where = f"{page.name}, line {exchange.line}: {exchange.typed}"
            assert exchange.same, f"{where}\n\nshown:\n{exchange.shown}\n\nprinted:\n{exchange.printed}"


def _run_console(block: Block, session: Session) -> Iterator[Exchange]:
    lines = block.text.splitlines()
    place = 0
    while place < len(lines):
        start = place
        if not lines[place].startswith("$ "):
            raise ValueError(f"{block.page}, line {block.line + place}: a console block starts with $ and a command")
        place += 1
        while lines[place - 1].endswith("\\"):
            place += 1
        typed = "\n".join(lines[start:place])
        first = place
        while place < len(lines) and not lines[place].startswith("$ "):
            place += 1
        shown = "\n".join(lines[first:place])
        printed = _run_command(typed.removeprefix("$ "), session)
        yield Exchange(typed, shown, printed, block.line + start, matches(shown, printed))


_SIMPLE = re.compile(
    r"(?P<first>discreet [^\"'|<>;&()$`]*)(?:> (?P<file>\S+?)|\| (?P<filter>[^;]+))?(?:; (?P<then>.+))?"
)
"""`discreet` and nothing else, or first: its output may go into a file or through a filter, and more may come after."""


def _run_command(command: str, session: Session) -> str:
    """Run one command and return what it prints; `discreet` runs inside this process, where it need not be started."""
    if command == "echo $?":
        return str(session.status)
    simple = _SIMPLE.fullmatch(command.replace("\\\n", " "))
    if simple is None:
        words = _plain_words(command)
        return _run_in_bash(command, session) if words is None else _run_here(words, session)[0]
    printed, output = _run_here(
        shlex.split(simple["first"])[1:], session, apart=bool(simple["file"] or simple["filter"])
    )
    if simple["file"]:
        Path(simple["file"]).write_bytes(output)
    elif simple["filter"]:
        printed += _run_in_bash(simple["filter"], session, output)
    return printed + (_run_command(simple["then"], session) if simple["then"] else "")


def _run_here(words: list[str], session: Session, *, apart: bool = False) -> tuple[str, bytes]:
    """Run `discreet`; return what the screen shows, and its standard output if that is to go elsewhere."""
    screen, elsewhere = io.BytesIO(), io.BytesIO()
    errors = io.TextIOWrapper(screen, encoding="utf-8", write_through=True)
    output = io.TextIOWrapper(elsewhere, encoding="utf-8", write_through=True) if apart else errors
    with redirect_stdout(output), redirect_stderr(errors):
        session.status = main(words)
    return screen.getvalue().decode(), elsewhere.getvalue()


def _run_in_bash(command: str, session: Session, given: bytes | None = None) -> str:
    done = subprocess.run(
        ["bash", "-c", f"(exit {session.status}); {command}"],  # noqa: S607 - our own page
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        input=given,
        check=False,
        timeout=PATIENCE,
    )
    session.status = done.returncode
    return done.stdout.decode()


def _plain_words(command: str) -> list[str] | None:
    """Return what follows `discreet`, or None where the command is another one or has pipes and the like."""
    splitter = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=True)
    splitter.whitespace_split = True
    words = list(splitter)
    if words[0] != "discreet" or any(set(word) <= set("();<>|&") for word in words):
        return None
    return words[1:]


class _Recorder(doctest.DocTestRunner):
    """Runs Python examples and keeps what each prints."""

    def __init__(self) -> None:
        super().__init__(optionflags=doctest.ELLIPSIS)
        self.exchanges: list[Exchange] = []

    def _keep(self, test: doctest.DocTest, example: doctest.Example, printed: str, *, same: bool) -> None:
        line = (test.lineno or 0) + example.lineno + 1
        printed = _TRACEBACK.sub("Traceback (most recent call last):\n  ...\n", printed)
        self.exchanges.append(Exchange(example.source, example.want, printed, line, same))

    def report_start(self, *_: object) -> None:
        """Say nothing."""

    def report_success(self, _: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        """Keep what fits."""
        self._keep(test, example, got, same=True)

    def report_failure(self, _: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        """Keep what does not fit."""
        self._keep(test, example, got, same=False)

    def report_unexpected_exception(
        self, _: object, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        """Keep what was raised."""
        self._keep(test, example, "".join(traceback.format_exception(*exc_info)), same=False)


def _run_pycon(block: Block, session: Session) -> list[Exchange]:
    test = doctest.DocTestParser().get_doctest(
        block.text, session.names, block.page.name, str(block.page), block.line - 1
    )
    recorder = _Recorder()
    recorder.run(test, clear_globs=False)
    session.names.update(test.globs)
    return recorder.exchanges


def matches(shown: str, printed: str) -> bool:
    """Say whether a page shows what is printed; a line `...` stands for any number of lines."""
    wanted = "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + r"\n" for line in _lines(shown))
    return re.fullmatch(wanted, "".join(f"{line}\n" for line in _lines(printed))) is not None


def _lines(text: str) -> list[str]:
    """Return the lines of a text without blanks at their ends and without empty lines at either end of the text."""
    return [line.rstrip() for line in text.strip("\n").split("\n")] if text.strip() else []
