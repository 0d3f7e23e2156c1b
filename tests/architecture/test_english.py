"""Prose that a native engineer reads without stopping: no private dialect in docstrings, comments, CHANGELOG and docs.

Only marks that a machine can find are listed. Each has the words to use instead.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from itertools import accumulate, count
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/discreet"

MARKS = {
    r"\banew\b": "again",
    r"\balike\b": "the same",
    r"\bbeside\b": "alongside, next to, with",
    r"\balso where\b": "even if",
    r"\b(?:what|which|that) (?:is|are) no\b(?! (?:longer|more|\w+er\b))": "is not a",
    r"\btold\b": "shown, distinguished, declared",
    r"\bleav(?:e|es|ing) \w+(?: \w+)? away\b": "omit",
    r"\bsee to it\b": "ensure",
    r"\bin the making\b": "under construction",
    r"\b(?:None|nothing|0|-1) where\b": "None if",
    r"\band else\b": "otherwise",
    r"\bin truth\b": "the true",
    r"\bKeep what is given\b": "nothing: delete the docstring",
    r"\bBegin with nothing\b": "nothing: delete the docstring",
    r"\bas far as \w+ (?:\w+ )?(?:is|are) concerned\b": "restricted to",
    r"\bin vain\b": "without success",
    r"\bas it stands\b|\bas they stand\b": "verbatim, unchanged",
    r"\bto speak of\b": "negligible",
    r"\bslip of the pen\b": "typing error",
    r"\bbut for\b": "except",
    r"\bone after the other\b": "one after another",
    r"\bas the kernel wants\b": "as kernel arguments",
}
FIRST_WORDS = {"Say": "Return", "Give": "Return", "Tell": "Report, show", "Let": "the verb of what happens"}
"""Words that no docstring begins with, unless it is the help of a command, and what to write instead."""

FILES = [
    *SOURCE.rglob("*.py"),
    *SOURCE.rglob("*.pyi"),
    *(ROOT / "cpp").rglob("*.[ch]pp"),
    *(ROOT / "docs").rglob("*.md"),
    *ROOT.glob("*.md"),
]


def _room(path: Path) -> str:
    return path.relative_to(SOURCE if path.is_relative_to(SOURCE) else ROOT).parts[0]


ROOMS = sorted({_room(path) for path in FILES})


@pytest.mark.parametrize("room", ROOMS)
def test_prose_is_plain_english(room: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text.strip()}  [write: {instead}]"
        for path in sorted(FILES)
        if _room(path) == room
        for line, text, instead in _faults(path)
    ]
    assert not found, "\n".join(found)


def _faults(path: Path) -> list[tuple[int, str, str]]:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    prose = sorted(_prose(path, text).items())
    found = [
        (line, lines[line - 1], instead)
        for line, words in prose
        for mark, instead in MARKS.items()
        if re.search(mark, words)
    ]
    if path.suffix in {".py", ".pyi"}:
        tree = ast.parse(text)
        help_texts = {
            node.body[0].lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
            and any("command(" in ast.unparse(mark) for mark in node.decorator_list)
        }
        starts = ((node.lineno, node.value.value.split(maxsplit=1)[0]) for node in _docstrings(tree))
        found += [
            (line, lines[line - 1], FIRST_WORDS[word])
            for line, word in starts
            if word in FIRST_WORDS and line not in help_texts
        ]
    return found


def _prose(path: Path, text: str) -> dict[int, str]:
    """Return the prose of each line: a page without its examples, docstrings and comments of a program."""
    lines = text.splitlines()
    if path.suffix == ".md":
        fences = accumulate(line.lstrip().startswith("```") for line in lines)
        return {line: words for line, words, fence in zip(count(1), lines, fences, strict=False) if fence % 2 == 0}
    if path.suffix in {".cpp", ".hpp"}:
        return {line: comment[2:] for line, words in enumerate(lines, 1) if (comment := _cpp_comment(words))}
    prose = {
        token.start[0]: token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    }
    for node in _docstrings(ast.parse(text)):
        prose |= {line: lines[line - 1] for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return prose


def _cpp_comment(line: str) -> str:
    return line[line.find("//") :] if "//" in line else ""


def _docstrings(tree: ast.Module) -> list[ast.Expr]:
    """Return every string that stands alone: docstrings, and the texts below constants."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
