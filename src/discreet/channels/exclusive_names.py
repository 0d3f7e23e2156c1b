"""How sets of items that exclude each other are named, and which labels look like values of one attribute.

The option takes one list or several, with CSV quoting; @FILE has one entry per line:

    --exclusive beer,wine,tea    these three exclude each other
    --exclusive age              the values of the column age (age=60-69, age=70-79), or else labels that begin with age
    --exclusive age*             labels that begin with age
    --exclusive age,sex          two sets: the ages, the sexes

The labels of one list form one set; an entry that is not a label forms a set of its own.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from discreet.errors import ParameterError, param
from discreet.transactions.label_names import beginning_of, listed, unknown_label, warn_of_look_alikes
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.wording import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.transactions.label_names import NamedLabel

__all__ = [
    "Named",
    "NamedSet",
    "attribute_of",
    "labels_under",
    "named_sets",
    "parse_exclusive",
    "reads_as",
]

Named: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str] | Iterable[str]]"
"""A list as accepted by `parse_names`, or several of them."""

_SHOWN = 3
_LONGEST_READ = 200
"""Longer labels are not searched for a number at their end."""

_EQUALS = re.compile(r"(?<![<>!=])=(?=.)", re.DOTALL)
_COLON = re.compile(r"(?:(?<![0-9]):|:(?![0-9]))(?!//)(?=.)", re.DOTALL)
_NUMBER = r"[0-9][0-9.,]*[a-zA-Z%]{0,3}"
_VALUE = rf"[(\[]?(?:<=|>=|[<>≤≥])?\s*{_NUMBER}(?:\s*(?:-|–|_|to|\.\.)\s*{_NUMBER})?\+?[)\]]?"  # noqa: RUF001 - a range
_AT_THE_END = re.compile(rf"(.*?[^\W\d_]{{2}})[\s_.-]*{_VALUE}")
_FURTHER_ON = re.compile(r"(.*?[^\W\d_]{2})\s+[(\[<>=≤≥]*[0-9].*")


class NamedSet(NamedTuple):
    """A set of labels, and the words that name it."""

    words: tuple[str, ...]
    labels: tuple[str, ...]

    def shown(self) -> str:
        """Return the words for use in a sentence, shortened if there are many."""
        more = ", …" if len(self.words) > _SHOWN else ""
        return ", ".join(repr(word) for word in self.words[:_SHOWN]) + more


def parse_exclusive(named: Named | None, *, typed: bool = False) -> tuple[tuple[str, ...], ...]:
    """Return the lists in `named`: one (`a,b,c`, `@FILE`, a path, a list of labels), or several.

    A list of strings is one list of labels. With `typed`, as on the command line, each string is a list.

    >>> parse_exclusive(["beer", "wine"]), parse_exclusive(["beer,wine", "age"], typed=True)
    ((('beer', 'wine'),), (('beer', 'wine'), ('age',)))
    """
    if named is None:
        return ()
    if isinstance(named, (str, os.PathLike)) or not isinstance(named, Iterable):
        return (_one_list(named),)
    listed = list(named)
    if listed and not typed and all(isinstance(each, str) for each in listed):
        return (_one_list(listed),)
    return tuple(_one_list(each) for each in listed)


def _one_list(given: object) -> tuple[str, ...]:
    """Parse one list: text as `parse_names` does; labels in a Python list verbatim, including surrounding blanks."""
    if isinstance(given, (str, os.PathLike)):
        return parse_names(given, "exclusive")
    words: list[str] = []
    for word in given if isinstance(given, Iterable) else [given]:
        if not isinstance(word, str) or not word or word in words:
            raise ParameterError(
                f"{param('exclusive')} must be a list of different labels, or several such lists, got "
                f"{repr(word) + ' twice' if isinstance(word, str) and word else repr(word)}; write each label once, "
                "as text",
                parameter="exclusive",
            )
        words.append(word)
    if not words:
        raise ParameterError(
            f"{param('exclusive')} has an empty list; name at least two items in it", parameter="exclusive"
        )
    return tuple(words)


def named_sets(
    lists: Iterable[Sequence[str]], labels: Iterable[str], *, ignore_unknown: bool = False
) -> list[NamedSet]:
    """Return the sets of labels that the lists name.

    >>> [each.labels for each in named_sets([("tea", "age", "wine")], ["age=1", "age=2", "agent", "tea", "wine"])]
    [('age=1', 'age=2'), ('tea', 'wine')]
    """
    ordered = sorted(labels)
    known = set(ordered)
    found = []
    for words in lists:
        for named in listed(words, "exclusive"):
            word = named.label
            if word in known:
                continue
            matches = labels_under(word, ordered)
            if len(matches) > 1:
                found.append(NamedSet((word,), tuple(matches)))
            elif not ignore_unknown:
                raise _refusal(named, matches, ordered)
        exact = tuple(word for word in words if word in known)
        if len(exact) > 1:
            found.append(NamedSet(exact, tuple(sorted(exact))))
        elif exact and not ignore_unknown:
            raise ParameterError(
                f"{param('exclusive')} names the item {exact[0]!r} alone; name at least two that exclude each other",
                parameter="exclusive",
            )
    warn_of_look_alikes({each: list(one.labels) for one in found for each in one.words}, ordered)
    return found


def _refusal(named: NamedLabel, matches: Sequence[str], labels: Sequence[str]) -> ParameterError:
    if matches:
        return ParameterError(
            f"only one item begins with {named.label!r}; name items in {param('exclusive')} as they are written in the "
            "data, or the column or the beginning that at least two of them have in common",
            parameter="exclusive",
        )
    length, wanted = len(named.label), folded(named.label)
    begins = next((label[:length] for label in labels if folded(label[:length]) == wanted), None)
    return unknown_label(
        [named],
        labels if begins is None else [begins],
        parameter="exclusive",
        why="which is neither an item, a column nor what items begin with in the data",
    )


def labels_under(word: str, ordered: list[str]) -> list[str]:
    """Return the values of the column that a word names, or else the labels that begin with it, less a star."""
    return _beginning(ordered, f"{word}=") or _beginning(ordered, word) or _beginning(ordered, beginning_of(word))


def _beginning(ordered: list[str], prefix: str | None) -> list[str]:
    if prefix is None:
        return []
    start = stop = bisect_left(ordered, prefix)
    while stop < len(ordered) and ordered[stop].startswith(prefix):
        stop += 1
    return ordered[start:stop]


def reads_as(text: str, words: Sequence[str]) -> bool:
    """Return whether a list parses back to these words; labels with surrounding blanks or line ends do not."""
    try:
        return parse_names(text, "exclusive") == tuple(words)
    except ParameterError:
        return False


def attribute_of(label: str) -> str | None:
    """Return the attribute in a label that looks like an attribute with a value; None for any other label.

    >>> [attribute_of(label) for label in ("sex=f", "hours=<=20", "icd:E11", "age group 60-69", "tea", "1984")]
    ['sex', 'hours', 'icd:', 'age group', None, None]
    """
    begins = None
    if signs := list(_EQUALS.finditer(label)):
        begins = label[: signs[-1].start()]
    elif signs := list(_COLON.finditer(label)):
        begins = label[: signs[-1].end()]
    elif len(label) <= _LONGEST_READ and (found := _AT_THE_END.fullmatch(label) or _FURTHER_ON.fullmatch(label)):
        begins = found[1]
    return begins if begins is not None and sum(map(str.isalpha, begins)) > 1 else None
