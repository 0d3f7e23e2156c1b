"""The picture of the architecture page, made from the import contract: python -m tests.docs.house_picture.

Floors and their order are those that import-linter checks (pyproject.toml); modules of the kernel are the headers of
`cpp/`. Only the words in the boxes are written here.
"""

from __future__ import annotations

import sys
import tomllib
from html import escape

from tests.docs.pages import ROOT

__all__ = ["PICTURE", "floors", "picture", "write"]

PICTURE = ROOT / "docs" / "house.svg"
WORDS = {
    "cli": "one file per command",
    "workbench": "the local page: look, try, decide",
    "policy": "what is published every month, and how",
    "publishing": "bundles, certificates, ledger, reports",
    "answers": "verdicts, sentences and next steps as values",
    "engines": "each job in memory, or in Spark",
    "spark": "the same jobs on Apache Spark",
    "twoparty": "mining with a partner",
    "microdata": "k-anonymous tables",
    "channels": "audit and block",
    "hiding": "hide patterns",
    "uncertainty": "protect items",
    "differential_privacy": "noise",
    "patterns": "itemsets, rules, mining, queries",
    "transactions": "rows and labels, the shapes of rows",
    "tables": "bytes, containers, columns, writers",
    "itemsets": "sets of items, as two arrays",
    "highs": "integer and linear programs, by HiGHS",
    "thresholds": "support, k, rho and shares",
    "wording": "numbers and labels as people read them",
    "command_words": "parameters as options",
    "errors": "every exception, in one tree",
    "stages": "what long work is doing now",
}
"""What a floor is for, in a few words; a floor without is drawn by its name alone."""

_WIDTH, _LEFT, _INNER, _TOP = 900, 30, 580, 56
_BOX, _STEP, _GAP = 44, 56, 12
_KERNEL_LEFT, _KERNEL_WIDTH, _LINE = 670, 200, 17
_COLOURS = {"house": ("#eef3fa", "#7a8ca3"), "kernel": ("#f6f1e7", "#a08c6a")}


def floors() -> list[list[str]]:
    """Return the floors from the top down, each with the rooms on it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(each for each in settings["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    return [[room.strip().removeprefix("discreet.") for room in layer.split("|")] for layer in contract["layers"]]


def picture() -> str:
    """Return the picture as SVG."""
    layers = floors()
    headers = sorted(path.stem for path in (ROOT / "cpp").glob("*.hpp"))
    height = max(_TOP + _STEP * len(layers), _TOP + _LINE * (len(headers) + 1)) + 20
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
            f'height="{height}" role="img" font-family="Helvetica, Arial, sans-serif" font-size="14">'
        ),
        "<title>The floors of the package, from the command line down to errors, and the kernel next to them</title>",
        f'<rect x="1" y="1" width="{_WIDTH - 2}" height="{height - 2}" rx="8" fill="#ffffff" stroke="#cccccc"/>',
        _text(_LEFT, 36, "src/discreet", bold=True),
        _text(_LEFT + 100, 36, "a floor may use the floors below it, never those above"),
    ]
    for number, rooms in enumerate(layers):
        width = (_INNER - _GAP * (len(rooms) - 1)) // len(rooms)
        top = _TOP + _STEP * number
        for place, room in enumerate(rooms):
            parts += _room(_LEFT + place * (width + _GAP), top, width, room, alone=len(rooms) == 1)
    parts.append(_text(_KERNEL_LEFT, 36, "cpp: the kernel", bold=True))
    parts.append(_box(_KERNEL_LEFT, _TOP, _KERNEL_WIDTH, _LINE * (len(headers) + 1), "kernel"))
    parts += [_text(_KERNEL_LEFT + 14, _TOP + _LINE * (1 + line), name) for line, name in enumerate(headers)]
    return "\n".join([*parts, "</svg>", ""])


def _room(left: int, top: int, width: int, name: str, *, alone: bool) -> list[str]:
    words = WORDS.get(name, "")
    said = (left + 140, top + 27) if alone else (left + 14, top + 36)
    return [
        _box(left, top, width, _BOX, "house"),
        _text(left + 14, top + (27 if alone else 19), name, bold=True),
        *([_text(*said, words)] if words else []),
    ]


def _box(left: int, top: int, width: int, height: int, kind: str) -> str:
    fill, line = _COLOURS[kind]
    return f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="5" fill="{fill}" stroke="{line}"/>'


def _text(left: int, top: int, words: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{left}" y="{top}" fill="#222"{weight}>{escape(words)}</text>'


def write() -> bool:
    """Write the picture where it changed, and say whether it did."""
    made = picture()
    changed = PICTURE.read_text(encoding="utf-8") != made
    if changed:
        PICTURE.write_text(made, encoding="utf-8")
    return changed


if __name__ == "__main__" and write():
    sys.stdout.write(f"{PICTURE}\n")
