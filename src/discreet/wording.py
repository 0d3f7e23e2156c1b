"""Numbers, percent and text as people read them, wherever they are shown: a terminal, a report, a chart."""

from __future__ import annotations

import unicodedata

__all__ = ["counted", "number", "one_line", "percent"]

_JOINERS = "\u200c\u200d"  # invisible, harmless, and part of how Persian, Hindi or a flag is written


def number(value: int) -> str:
    """Return a whole number with thousands separators.

    >>> number(574431)
    '574,431'
    """
    return f"{value:,}"


def counted(value: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "row"), counted(8124, "row"), counted(2, "company", "companies")
    ('1 row', '8,124 rows', '2 companies')
    """
    return f"{value:,} {singular if value == 1 else plural or singular + 's'}"


def percent(part: int, whole: int) -> str:
    """Return a share in per cent, with the digits that matter, never rounded to all or nothing.

    >>> percent(813, 8124), percent(7907, 8124), percent(8, 5597), percent(99999, 100000), percent(1, 10**9)
    ('10 %', '97.3 %', '0.143 %', 'over 99.9 %', 'under 0.01 %')
    """
    if part in (0, whole):
        return "0 %" if part == 0 else "100 %"
    value = 100 * part / whole
    if value < 0.01:  # noqa: PLR2004
        return "under 0.01 %"
    text = f"{value:.3g}"
    return "over 99.9 %" if text == "100" else f"{text} %"


def one_line(text: str) -> str:
    r"""Return text with every character that a screen would obey written out.

    Control characters, escapes, line ends, and marks that turn the reading direction: a label from a file must not
    move the cursor, colour the screen, or pass for another label.

    >>> one_line("a\x1b[31mb\nc\u202ed")
    'a\\x1b[31mb\\nc\\u202ed'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if _harmless(letter) else _written_out(letter) for letter in text)


def _harmless(letter: str) -> bool:
    return letter in _JOINERS or letter == " " or unicodedata.category(letter) not in _OBEYED


_OBEYED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _written_out(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
