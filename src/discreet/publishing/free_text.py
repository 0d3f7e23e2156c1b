"""Free text in a bundle: the title and the labels, the only words in it that do not follow from its figures.

Nobody but a reader can judge them. So they are short, they look like what they are, and `verify` shows them: every
character of theirs can be seen, and blanks stand alone, between two words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.errors import ParameterError, param
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from discreet.json_types import JsonObject

__all__ = [
    "LONGEST_TEXT",
    "FreeText",
    "check_labels",
    "check_share",
    "check_title",
    "judged_by_readers",
    "may_be_label",
]

LONGEST_TEXT = 200
"""The most characters of a title or a label."""

_LARGEST = 999_999_999
"""The largest denominator of a share."""

_INVISIBLE = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
_BLANKS = " \u00a0\u202f\u3000"
_JOINERS = "\u200c\u200d"  # part of how Persian, Hindi or a family is written, between two other characters
_STYLES = "\ufe0e\ufe0f"  # whether the character before is drawn as text or as a picture
_LOOKS_EMPTY = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0000-\U000e0fff]"
)
_UNCLEAR_BLANKS = re.compile(f"^[{_BLANKS}]|[{_BLANKS}]$|[{_BLANKS}][{_BLANKS}]")


@dataclass(frozen=True, slots=True)
class FreeText:
    """The title of a bundle, and the labels in its files."""

    title: str | None
    labels: tuple[str, ...]

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {"title": self.title, "labels": list(self.labels)}


def check_title(title: str | None) -> None:
    """Refuse a title that is long, or does not look like what it is."""
    if title is not None and (fault := _fault(title)):
        raise ParameterError(f"the title {fault}; choose another one", parameter="title")


def check_labels(labels: Iterable[str]) -> None:
    """Refuse labels that are long, or do not look like what they are.

    >>> check_labels(["diagnosis=flu", "tea"])
    """
    faults = [fault for label in labels if not _clearly_plain(label) and (fault := _fault(label))]
    if faults:
        others = f" (the first of {counted(len(faults), 'such label')})" if len(faults) > 1 else ""
        raise ParameterError(f"a label to be published{others} {faults[0]}; rename it", parameter="DATA")


def may_be_label(label: str) -> bool:
    r"""Return whether a bundle may have a label.

    >>> may_be_label("tea"), may_be_label("a\u200bb")
    (True, False)
    """
    return _clearly_plain(label) or _fault(label) is None


def check_share(share: Fraction, *, parameter: str) -> None:
    """Refuse a share whose digits could say something else."""
    if share.denominator > _LARGEST:
        raise ParameterError(
            f"{param(parameter)} has more digits than a bundle may have; round it to at most nine", parameter=parameter
        )


def _clearly_plain(text: str) -> bool:
    return 0 < len(text) <= LONGEST_TEXT and text.isascii() and text.isprintable() and not _UNCLEAR_BLANKS.search(text)


def _fault(text: str) -> str | None:
    r"""Return what is wrong with a text, None if nothing is.

    >>> _fault("caf\u00e9"), _fault("a\u200bb"), _fault("a  b")
    (None, 'has a character that nobody sees (U+200B)', 'has blanks at its ends, or several in a row')
    """
    if not text or len(text) > LONGEST_TEXT:
        return f"has {len(text):,} characters, and may have 1 to {LONGEST_TEXT}"
    if _UNCLEAR_BLANKS.search(text):
        return "has blanks at its ends, or several in a row"
    for place, letter in enumerate(text):
        if not _seen(letter, text[place - 1 : place], text[place + 1 : place + 2]):
            return f"has a character that nobody sees (U+{ord(letter):04X})"
    return None


def _seen(letter: str, before: str, after: str) -> bool:
    """Return whether a reader sees a character, or what it does to its neighbours."""
    if letter in _JOINERS:
        return all(beside and unicodedata.category(beside)[0] in "LMNS" for beside in (before, after))
    if letter in _STYLES:
        return bool(before) and unicodedata.category(before)[0] in "NPS"
    kind = unicodedata.category(letter)
    return not (kind in _INVISIBLE or (kind == "Zs" and letter not in _BLANKS) or _LOOKS_EMPTY.match(letter))


def judged_by_readers(title: str | None, labels: Iterable[str]) -> tuple[None, str]:
    """Check the free text of a bundle, and return in words how much of it only a reader can judge."""
    check_title(title)
    check_labels(listed := tuple(labels))
    letters = sum(map(len, listed)) + len(title or "")
    named = f"{'a' if title else 'no'} title and {counted(len(listed), 'label')}, {counted(letters, 'character')}"
    return None, f"{named}; whether they say too much, only a reader can tell"
