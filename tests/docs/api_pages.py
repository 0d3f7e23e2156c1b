"""The pages of docs/api, made from the docstrings of what `discreet` exports: python -m tests.docs.api_pages."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections import Counter
from typing import TYPE_CHECKING, Any

import discreet
from tests.docs.docstrings import Docstring, Entry, members
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["FOLDER", "ROOMS", "pages", "write"]

FOLDER = ROOT / "docs" / "api"
ROOMS = {
    "rows": ("Rows", ["look", "Look", "read", "ReadRecord", "write", "Transactions", "Vocabulary"]),
    "mining": ("Mining", ["mine", "PatternSet", "rules", "RuleSet", "query", "QueryResult", "is_vulnerable"]),
    "audit": (
        "Audit",
        ["audit", "Audit", "audit_report", "acro_output", "Channel", "Conclusion", "tradeoff", "Tradeoff"],
    ),
    "blocking": (
        "Blocking and hiding",
        [
            "block",
            "Blocked",
            "hide",
            "Hidden",
            "hide_for",
            "HiddenForAll",
            "Recipient",
            "TwoRecipients",
            "InvertedFile",
        ],
    ),
    "sensitive-items": (
        "Rows with sensitive items",
        ["check", "Checked", "anonymize", "Anonymized", "loss_curve", "LossCurve", "LossPoint"],
    ),
    "tables": ("k-anonymous tables", ["kanon", "AnonymousTable", "compare", "Comparison"]),
    "publishing": (
        "Publishing",
        [
            *("release", "Release", "release_from", "release_rows", "RowsRelease", "verify", "Verification"),
            *("sign", "Signed", "open_ledger", "Ledger"),
        ],
    ),
    "differential-privacy": ("Differential privacy", ["dp_patterns", "DpPatterns", "release_dp", "DpRelease"]),
    "synthetic-rows": ("Synthetic rows", ["synthesize", "SyntheticRelease", "synthetic_rows", "SyntheticRows"]),
    "policy": ("Every month", ["draft_policy", "read_policy", "Policy", "run_policy", "PolicyRun"]),
    "two-parties": (
        "Two parties",
        ["party", "Joint", "keygen", "rehearse", "Rehearsal", "party_agreement", "make_salt", "salted_keys"],
    ),
    "files": (
        "Patterns and rules as files",
        ["read_patterns", "PatternRead", "write_patterns", "read_rules", "write_rules", "read_tree", "DecisionTree"],
    ),
    "errors": (
        "Errors",
        [
            *("DiscreetError", "InputError", "ParameterError", "DataError", "OutputError", "TooManyPatterns"),
            *("NotSafe", "UnsafeTogether", "EngineError", "PartnerError", "InternalFault"),
        ],
    ),
}
"""The pages: each by its file's name, its title and the public names on it."""

_MADE = "<!-- Made from the docstrings by `python -m tests.docs.api_pages`; edit them, not this page. -->"
_WIDTH = 120
_SHOWN = 84
"""Characters of code that a page of the site shows without scrolling."""


def pages() -> dict[Path, str]:
    """Return the text of every page by its path."""
    made = {FOLDER / f"{file}.md": _page(title, names) for file, (title, names) in ROOMS.items()}
    return {FOLDER / "index.md": _index()} | made


def _index() -> str:
    parts = [_MADE, "# API reference", "What `import discreet` offers. [Python](../python.md) is the guided tour."]
    for file, (title, names) in ROOMS.items():
        listed = [
            _wrapped(f"- [`{name}`]({file}.md#{anchor}): {_summary(name)}", indent="  ")
            for name, anchor in zip(names, _anchors(names), strict=True)
        ]
        parts += [f"## [{title}]({file}.md)", "\n".join(listed)]
    return "\n\n".join(parts) + "\n"


def _anchors(names: list[str]) -> Iterator[str]:
    """Yield where the names stand on their page: of two that differ in case only, the second is numbered."""
    seen: Counter[str] = Counter()
    for name in map(str.lower, names):
        yield f"discreet{name}-{seen[name]}" if seen[name] else f"discreet{name}"
        seen[name] += 1


def _summary(name: str) -> str:
    return Docstring.of(getattr(discreet, name)).summary


def _page(title: str, names: list[str]) -> str:
    parts = [_MADE, f"# {title}", "[All names](index.md)"]
    for name in names:
        parts += _described(f"discreet.{name}", getattr(discreet, name), level=2)
    return "\n\n".join(parts) + "\n"


def _described(name: str, thing: Any, *, level: int, kind: str = "") -> Iterator[str]:
    """Yield the paragraphs about a function, a class with its members, or a method."""
    written = Docstring.of(thing)
    yield f"{'#' * level} `{name}`"
    if inspect.isclass(thing):
        if issubclass(thing, Exception):
            bases = ", ".join(f"`{base.__name__}`" for base in thing.__bases__)
            yield f"An exception, below {bases}."
    else:
        yield f"```text\n{_signature(name, thing, kind)}\n```"
    yield from _paragraphs(written.opening)
    for title in ("Parameters", "Attributes", "Returns", "Raises"):
        if entries := written.entries(title):
            yield f"**{title}**"
            yield "\n".join(_bullet(entry) for entry in entries)
    if examples := written.sections.get("Examples"):
        yield "**Example**"
        yield from _examples(examples)
    if inspect.isclass(thing):
        yield from _members(name.removeprefix("discreet."), thing, level + 1)


def _members(name: str, cls: type, level: int) -> Iterator[str]:
    """Yield properties and methods that a sentence says everything about as lists, the other methods one by one."""
    everything = list(members(cls))
    brief = [member for member in everything if not Docstring.of(member[2]).sections]
    for title, call, wanted in (
        ("Properties", "", [each for each in brief if each[1] == "property"]),
        ("Methods", "()", [each for each in brief if each[1] != "property"]),
    ):
        if wanted:
            yield f"**{title}**"
            yield "\n".join(
                _wrapped(f"- `{member}{call}`: {' '.join(Docstring.of(function).opening.split())}", indent="  ")
                for member, _, function in wanted
            )
    for member, kind, function in everything:
        if (member, kind, function) not in brief:
            yield from _described(f"{name}.{member}", function, level=level, kind=kind)


def _signature(name: str, function: Any, kind: str) -> str:
    """Return how a function is called: the types are described below it, in words."""
    signature = inspect.signature(function)
    bound = kind in ("method", "classmethod")
    parameters = [_plain(each) for each in signature.parameters.values()][1 if bound else 0 :]
    spelled = str(signature.replace(parameters=parameters, return_annotation=None)).replace("Ellipsis", "...")
    call = f"{name}{spelled.removesuffix(' -> None')}"
    if len(call) <= _SHOWN:
        return call
    inside = call[len(name) + 1 : -1]
    return f"{name}(\n{textwrap.fill(inside, _SHOWN, initial_indent='    ', subsequent_indent='    ')}\n)"


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter without its type; a default that is no literal says nothing to a reader."""
    parameter = parameter.replace(annotation=parameter.empty)
    literal = parameter.default is parameter.empty or not callable(parameter.default)
    return parameter if literal else parameter.replace(default=...)


def _bullet(entry: Entry) -> str:
    names = ", ".join(f"`{name}`" for name in entry.names)
    kind = f" ({entry.type})" if entry.type else ""
    text, *rest = re.split(r"\n(?=- )", entry.text)
    if text.startswith("- "):
        text, rest = "", [text, *rest]
    first = _wrapped(f"- {names}{kind}: {' '.join(text.split())}".rstrip(), indent="  ")
    return "\n".join(
        [first, *("  " + _wrapped(" ".join(each.split()), indent="    ", width=_WIDTH - 2) for each in rest)]
    )


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield _wrapped(" ".join(paragraph.split()))


def _examples(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield f"```pycon\n{paragraph}\n```" if paragraph.startswith(">>>") else _wrapped(" ".join(paragraph.split()))


def _wrapped(text: str, *, indent: str = "", width: int = _WIDTH) -> str:
    """Break lines between words, never inside a code span."""
    glued = re.sub(r"`[^`]*`|\]\([^)]*\)", lambda span: span[0].replace(" ", "\0"), text)
    filled = textwrap.fill(glued, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return filled.replace("\0", " ")


def write() -> list[Path]:
    """Write the pages that changed, remove those of rooms that are gone, and return them."""
    made = pages()
    FOLDER.mkdir(exist_ok=True)
    changed = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in changed:
        path.write_text(made[path], encoding="utf-8")
    gone = sorted(set(FOLDER.iterdir()) - set(made))
    for path in gone:
        path.unlink()
    return [*changed, *gone]


if __name__ == "__main__":
    for each in write():
        sys.stdout.write(f"{each}\n")
