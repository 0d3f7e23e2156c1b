"""Pages that stand alone: one file with its style and its script inside, and nothing fetched from anywhere.

Templates (Jinja2), style and script are files in the folder `pages`. What a user's data say becomes text here, never
markup: labels may hold anything. A template escapes whatever it does not call safe itself. Beyond that, each page
forbids the browser to run any script but its own, by digest, and to load anything at all.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from discreet.wording import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["code", "enumeration", "filled", "item", "itemset", "page", "plain_table", "text"]


def page(*, title: str, body: str, styles: Iterable[str] = ("page.css",), script: str = "") -> str:
    """Return a whole page around the markup `body`, with style sheets and a script of the folder `pages`."""
    source = _file(script) if script else ""
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return filled(
        "page.html",
        title=title,
        body=body,
        style="".join(_file(name) for name in styles),
        script=f"<script>{source}</script>\n" if source else "",
        allowed=f"'sha256-{digest}'" if source else "'none'",
    )


def filled(template: str, **values: str) -> str:
    """Return a template of the folder `pages` with its names replaced; every name but an icon's is given."""
    return _templates().get_template(template).render(_ICONS | values)


@cache
def _templates() -> Environment:
    return Environment(
        loader=FunctionLoader(_file),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        finalize=_escaped,
    )


def _escaped(value: Any) -> Markup:  # whatever a template is given
    """Escape a value as `text` does, which also writes out what would turn the reading direction."""
    return value if isinstance(value, Markup) else Markup(text(value))  # noqa: S704 - escaped here


_ICONS = {
    f"{name}_icon": '<svg viewBox="0 0 20 20" aria-hidden="true"><path fill="none" stroke="currentColor" '
    f'stroke-width="2" stroke-linejoin="round" stroke-linecap="round" d="{path}"/></svg>'
    for name, path in (
        ("promised", "M10 1l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V4z M6 10l3 3 5-6"),
        ("open", "M10 2l9 16H1z M10 8v5 M10 15.5v.1"),
        ("check", "M12.5 12.5L18 18 M8 2a6 6 0 100 12A6 6 0 008 2z"),
    )
}
"""A shield, a sign of warning and a lens; words stand beside them."""


@cache
def _file(name: str) -> str:
    return (files("discreet.publishing") / "pages" / name).read_text(encoding="utf-8")


def text(words: str) -> str:
    r"""Return words as markup that shows them as they are; what would turn the reading direction is written out.

    >>> text("<b>\u202e & so on")
    '&lt;b&gt;\\u202e &amp; so on'
    """
    return escape(one_line(words))


def code(words: str) -> str:
    """Return words that belong to a program."""
    return f"<code>{text(words)}</code>"


def item(label: str) -> str:
    """Return an item's label, set off from the words around it and from their reading direction."""
    return f'<span class="item" dir="auto">{text(label)}</span>'


def itemset(labels: Iterable[str]) -> str:
    """Return the labels of an itemset, one beside the other; the commas are for those who listen."""
    return '<span class="hidden">, </span> '.join(item(label) for label in labels)


def enumeration(parts: Sequence[str]) -> str:
    """Return pieces of markup in a row, as in a sentence.

    >>> enumeration(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def plain_table(caption: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a small table of markup; the first cell of each row is its heading."""
    head = "".join(f'<th scope="col">{cell}</th>' for cell in heads)
    lines = []
    for first, *others in rows:
        cells = "".join(f"<td>{cell}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{first}</th>{cells}</tr>\n')
    return (
        f'<div class="scroll"><table class="plain">\n<caption>{caption}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{''.join(lines)}</tbody>\n</table></div>\n"
    )
