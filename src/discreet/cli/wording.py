"""Labels and paths as a terminal can safely show them, beside numbers and percent as people read them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discreet.wording import counted, number, one_line, percent

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["counted", "from_here", "itemset_text", "label_text", "number", "one_line", "percent", "shortened"]


def from_here(path: str) -> str:
    """Return a path as one would type it here: without the current folder where it lies below that one.

    >>> from_here(str(Path.cwd() / "public")), from_here("elsewhere")
    ('public', 'elsewhere')
    """
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path


def shortened(text: str, width: int = 40) -> str:
    """Return text of at most `width` characters, its middle left out: both ends of `column=value` say something.

    >>> shortened("number-of-emergency-visits=more-than-three", 20)
    'number-of-em…n-three'
    """
    if len(text) <= width:
        return text
    tail = (width - 1) * 2 // 5
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def label_text(label: str, width: int = 40) -> str:
    """Return a label for reading: safe, short, and in quotes where its ends would not be seen otherwise.

    >>> label_text("diagnosis=flu"), label_text("salt, coarse"), label_text("")
    ('diagnosis=flu', '"salt, coarse"', '""')
    """
    text = shortened(one_line(label[: 4 * width + 1] if len(label) > 4 * width else label), width)
    return f'"{text}"' if not text or "," in text or '"' in text or text != text.strip() else text


def itemset_text(labels: Iterable[str], width: int = 60) -> str:
    """Return an itemset's labels on one line of at most about `width` characters.

    >>> itemset_text(["34", "85", "86"]), itemset_text(["alpha", "beta", "gamma"], 14)
    ('34, 85, 86', 'alpha, +2 more')
    """
    listed = list(labels)
    for longest in (width, width // 2):
        texts = [label_text(label, max(12, longest)) for label in listed]
        line = ", ".join(texts)
        if len(line) <= width:
            return line
    for kept in range(len(texts) - 1, 0, -1):
        line = ", ".join([*texts[:kept], f"+{len(texts) - kept} more"])
        if len(line) <= width:
            break
    return line
