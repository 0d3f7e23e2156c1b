"""Recordings of commands: every file *.golden in this folder is one, read and written here.

A recording is a session in one folder (its files: see `tests.goldens.files`). Of each command it has

    $ discreet audit running.dat -s 8 -k 3     the command
    | ...                                      what it printed on standard output; a JSON document in several lines
    ! ...                                      what it printed on standard error
    = 1                                        its exit status
    + name                                     a file that it made or changed: a short text follows,
    : ...                                      of others their length and digest
    - name                                     a file that it removed

What differs between machines, days and versions is written as <date>, <version>, <folder> and the like. So that the
digests do not depend on the libraries that write Parquet and draw charts, Parquet files are taken as their schema and
rows, and drawings as the words in them.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shlex
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pyarrow.parquet as pq

from discreet import __version__
from discreet.cli.main import main
from tests.goldens.files import write_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["RECORDINGS", "commands", "record"]

RECORDINGS = sorted(Path(__file__).parent.glob("*.golden"))

_SHORT = 3000
"""Texts of at most so many characters are shown, longer ones have their digest."""

_VERSION = re.compile(rf"(?<![0-9.]){re.escape(__version__)}(?![0-9.])")
_DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_SECONDS = re.compile(r'(?<="seconds": )[0-9.e-]+')
_LENGTH = re.compile(r'(?<=(?:parquet|rt\.html)": \{\n      "bytes": )[0-9]+')
_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_TAGS = re.compile(r"<[^>]*>")


def commands(recording: Path) -> list[str]:
    """Return the commands of a recording."""
    lines = recording.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def record(recording: Path, folder: Path) -> str:
    """Run the commands of a recording in an empty folder, and return the recording as it is now."""
    write_files(folder)
    with _surroundings(folder):
        return "\n".join(_exchange(command, folder) for command in commands(recording))


@contextmanager
def _surroundings(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    settings = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    os.chdir(folder)
    try:
        with mock.patch.dict(os.environ, settings):
            yield
    finally:
        os.chdir(before)


def _exchange(command: str, folder: Path) -> str:
    name, *words = shlex.split(command)
    if name != "discreet":
        raise ValueError(f"a recording holds commands of discreet, got {command!r}")
    before = _contents(folder)
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err), mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO())):
        status = main(words)
    printed, complained = (each.buffer.getvalue().decode() for each in (out, err))
    lines = [
        f"$ {command}",
        *_marked("|", _json_lines(printed) or _steady(printed)),
        *_marked("!", _steady(complained)),
        f"= {status}",
        *_changes(before, _contents(folder)),
    ]
    return "".join(f"{line}\n" for line in lines)


def _marked(mark: str, text: str) -> Iterator[str]:
    if text:
        for line in text.removesuffix("\n").split("\n"):
            yield f"{mark} {line}" if line else mark
        if not text.endswith("\n"):
            yield f"{mark}\\"


def _steady(text: str) -> str:
    """Return a text with what may differ from run to run replaced."""
    text = _DATE.sub("<date>", _VERSION.sub("<version>", text))
    text = text.replace(str(Path.cwd()), "<folder>")
    return _LENGTH.sub("<length>", _SECONDS.sub("<seconds>", _DIGEST.sub("<digest>", text)))


def _json_lines(text: str) -> str:
    """Return a document of `--json` with a line for each member, and for each element of a longer list."""
    try:
        document = json.loads(text)
    except ValueError:
        return ""
    if text != json.dumps(document, ensure_ascii=False) + "\n":
        return ""
    return _steady("".join(f"{line}\n" for line in _members(document)))


def _members(document: dict[str, Any]) -> Iterator[str]:
    yield "{"
    for name, value in document.items():
        if isinstance(value, list) and any(isinstance(each, (dict, list)) for each in value):
            yield f"  {json.dumps(name)}: ["
            yield from (f"    {json.dumps(each, ensure_ascii=False)}" for each in value)
            yield "  ]"
        else:
            yield f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
    yield "}"


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _changes(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[str]:
    for name, content in after.items():
        if before.get(name) != content:
            yield from _shown(name, content)
    for name in before.keys() - after.keys():
        yield f"- {name}"


def _shown(name: str, content: bytes) -> Iterator[str]:
    text = _text(content)
    if text is None:
        yield f"+ {name} ({_digest(content)})"
    elif len(text) <= _SHORT:
        yield f"+ {name}"
        yield from _marked(":", text)
    else:
        yield f"+ {name} ({_digest(text.encode())})"


def _digest(content: bytes) -> str:
    if content.startswith(b"SQLite format 3"):
        return "a database with a random key"
    return f"{len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()[:16]}"


def _text(content: bytes) -> str | None:
    """Return what a file holds as a text that is the same everywhere, or None where it is none."""
    if content.startswith(b"PAR1"):
        table = pq.read_table(io.BytesIO(content))
        return "".join(f"{line}\n" for line in [table.schema, *table.to_pylist()])
    try:
        text = _steady(content.decode())
    except UnicodeDecodeError:
        return None
    return _DRAWING.sub(lambda drawing: " ".join(_TAGS.sub(" ", drawing[0]).split()), text)
