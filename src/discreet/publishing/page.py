"""Self-contained pages: one file with its style and its script inside, and nothing fetched from anywhere.

Templates (Jinja2), styles and scripts are files in the folder `pages`. User data become text here, never markup: labels
may contain anything. A template escapes everything it does not mark as safe itself. In addition, each page forbids the
browser to run any script except its own, by digest, and to load anything at all.
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

from discreet.wording import counted, number, one_line, share

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["filled", "itemset", "page", "part"]


def page(*, title: str, body: str, styles: Iterable[str] = ("page.css",), script: str = "") -> str:
    """Return a whole page around the markup `body`, with style sheets and a script of the folder `pages`."""
    source = _file(script) if script else ""
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    whole = filled(
        "page.html",
        title=title,
        body=body,
        style="".join(_file(name) for name in styles),
        script=f"<script>{source}</script>\n" if source else "",
        allowed=f"'sha256-{digest}'" if source else "'none'",
    )
    return str(whole)


def filled(template: str, **values: Any) -> Markup:
    """Return a filled template of the folder `pages`; every name must be given."""
    return Markup(_templates().get_template(template).render(values))  # noqa: S704 - escaped by the template


def part(name: str, *values: Any, template: str = "parts.html") -> Markup:
    """Return a piece of markup by its name in a template of such pieces."""
    piece: Markup = getattr(_templates().get_template(template).module, name)(*values)
    return piece


@cache
def _templates() -> Environment:
    made = Environment(
        loader=FunctionLoader(_file),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        finalize=_escaped,
    )
    made.globals |= {"counted": counted, "number": number, "share": share}
    return made


def _escaped(value: Any) -> Markup:  # whatever a template is given
    r"""Return a value as escaped markup; marks that change the text direction are spelled out.

    >>> _escaped("<b>\u202e & so on")
    Markup('&lt;b&gt;\\u202e &amp; so on')
    """
    return value if isinstance(value, Markup) else Markup(escape(one_line(str(value))))  # noqa: S704 - escaped here


@cache
def _file(name: str) -> str:
    """Return a file of the folder `pages`; `workbench/parts.html` is in the workbench's folder."""
    room, _, file = name.rpartition("/")
    return (files(f"discreet.{room or 'publishing'}") / "pages" / file).read_text(encoding="utf-8")


def itemset(labels: Iterable[str]) -> Markup:
    """Return the labels of an itemset, side by side."""
    return part("itemset", list(labels))
