"""What the labels in a user's list stand for: an item, a column with all its values, a beginning, or nothing.

One resolver for identifying, quasi-identifying, sensitive, restrictive and protected labels. `diag*` stands for every
item that begins with diag, unless an item or a column has just this name, which it then stands for. A label that stands
for nothing is refused, because a promise about it would be empty. A label of the data that differs from a named one
only in case, surrounding blanks or Unicode's ways to write a character is named in a warning, because it often means
the same.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, NamedTuple, Protocol

from discreet.errors import LabelWarning, ParameterError, param
from discreet.thresholds import Rho
from discreet.wording import folded, nearest, spelling

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from discreet.transactions.layout import Layout

__all__ = [
    "NamedLabel",
    "beginning_of",
    "begun_columns",
    "columns_of",
    "entry_of",
    "entry_text",
    "is_literal",
    "listed",
    "matches",
    "named_columns",
    "resolve",
    "two_roles",
    "unknown_label",
    "warn_of_look_alikes",
    "without_limits",
]

_SHOWN = 3


class NamedLabel(NamedTuple):
    """A label that a user named, and where: in which line, or in which entry of a list.

    `limit` is the confidence that no conclusion about it may reach, if it has one of its own.
    """

    label: str
    place: str
    limit: Rho | None = None


def listed(labels: Iterable[str], parameter: str) -> list[NamedLabel]:
    """Return the labels of a list with their places in it."""
    return [NamedLabel(label, f"entry {number:,} of {param(parameter)}") for number, label in enumerate(labels, 1)]


_QUOTED = re.compile(r'"(?P<label>(?:[^"]|"")*)"(?:\s+@\s+(?P<share>\S+))?', re.DOTALL)
_LIMIT = re.compile(r"(?P<label>.*\S)\s+@(?:\s+(?P<share>\S+))?", re.DOTALL)


def entry_of(text: str, place: str) -> NamedLabel:
    """Return a label that may have a limit of its own: `hiv`, or `hiv @ 0.1`.

    A label that itself ends in this way stands in double quotes, a double quote inside it doubled.

    >>> entry_of("hiv @ 10%", "line 1").limit, entry_of('"hiv @ 10%"', "line 1").label
    (Rho(1, 10), 'hiv @ 10%')
    """
    quoted = _QUOTED.fullmatch(text)
    if quoted and (quoted["share"] or _LIMIT.fullmatch(quoted["label"])):
        label, share = quoted["label"].replace('""', '"'), quoted["share"]
    elif found := _LIMIT.fullmatch(text):
        label, share = found["label"], found["share"] or ""
    else:
        return NamedLabel(text, place)
    if share is None:
        return NamedLabel(label, place)
    try:
        return NamedLabel(label, place, Rho.parse(share, parameter="sensitive", what=f"the number after @ in {place}"))
    except ParameterError as error:
        raise ParameterError(f"{error}; put a label that ends so in double quotes", parameter="sensitive") from None


def without_limits(names: Iterable[str | NamedLabel]) -> list[NamedLabel]:
    """Return the sensitive labels of a list; refuse limits of their own where all labels have the same."""
    named = [
        each if isinstance(each, NamedLabel) else entry_of(each, f"entry {number:,} of {param('sensitive')}")
        for number, each in enumerate(names, 1)
    ]
    own = next((each for each in named if each.limit is not None), None)
    if own is not None:
        raise ParameterError(
            f"{own.place} has a limit of its own, which only rows can have, in check, anonymize and release "
            f"{param('rows')}; write the label alone, in double quotes if it ends so",
            parameter="sensitive",
        )
    return named


def entry_text(label: str) -> str:
    """Return a label as `entry_of` reads it.

    >>> entry_text("hiv"), entry_text("hiv @ 10%")
    ('hiv', '"hiv @ 10%"')
    """
    quoted = _QUOTED.fullmatch(label)
    if not _LIMIT.fullmatch(label) and not (quoted and _LIMIT.fullmatch(quoted["label"])):
        return label
    return '"{}"'.format(label.replace('"', '""'))


class _HasLayout(Protocol):
    @property
    def layout(self) -> Layout | None: ...


def columns_of(rows: _HasLayout) -> tuple[str, ...]:
    """Return the names of the columns that rows were read from, also of those without a value; none if unknown."""
    layout = rows.layout
    return () if layout is None or layout.shape not in ("table", "onehot") else tuple(layout.columns)


def resolve(
    named: Sequence[NamedLabel],
    labels: Collection[str],
    *,
    parameter: str,
    known: Collection[str] = (),
    ignore_unknown: bool | None = False,
) -> dict[str, list[str]]:
    """Return the items that each named label stands for, in the order of `labels`: see `matches`.

    `known` are labels that stand for nothing here and are accepted: columns without values, and labels of the original
    rows of which these were made. Any other label that stands for nothing is refused without `ignore_unknown`; None if
    the caller has no such option.

    >>> resolve(listed(["tea", "sex"], "sensitive"), ["milk", "sex=f", "sex=m", "tea"], parameter="sensitive")
    {'tea': ['tea'], 'sex': ['sex=f', 'sex=m']}
    """
    found = matches([each.label for each in named], labels)
    if not ignore_unknown:
        unknown = [each for each in named if not found[each.label] and not _is_known(each.label, known)]
        if unknown:
            raise unknown_label(unknown, labels, parameter=parameter, accepting=ignore_unknown is not None)
    _warn_of_stars(found, labels)
    warn_of_look_alikes(found, labels)
    return found


def beginning_of(name: str) -> str | None:
    """Return what labels begin with that a name such as `diag*` stands for; None for a name without a star at its end.

    >>> beginning_of("diag*"), beginning_of("diag"), beginning_of("*")
    ('diag', None, None)
    """
    return name[:-1] if name.endswith("*") and len(name) > 1 else None


def _is_known(name: str, known: Collection[str]) -> bool:
    begins = beginning_of(name)
    return name in known or (begins is not None and any(each.startswith(begins) for each in known))


def _warn_of_stars(found: dict[str, list[str]], labels: Collection[str]) -> None:
    """Warn about a name with a star that is itself an item or a column, where others begin with it as well."""
    for name, items in found.items():
        begins = beginning_of(name)
        if begins is None or not items or not is_literal(name, items):
            continue
        if any(label.startswith(begins) for label in {*labels}.difference(items)):
            warnings.warn(
                f"{name!r} is an item or a column of the data, so it does not stand for the others that begin with "
                f"{begins!r}; name those as well if they are meant",
                LabelWarning,
                stacklevel=4,
            )


def is_literal(name: str, items: Iterable[str]) -> bool:
    """Return whether one of some items has this very name, or is a value of a column that has it."""
    return any(label == name or label.startswith(f"{name}=") for label in items)


def matches(
    names: Iterable[str], labels: Collection[str], *, of: Collection[str] | None = None
) -> dict[str, list[str]]:
    """Return for each name the labels that it stands for: itself, its column's values, or what begins with it.

    `of` are the labels of the data that the names are about, if these are others: whether a name with a star is one of
    them decides what it stands for.

    >>> matches(["sex", "se", "s*"], ["sex=f", "sex=m"])
    {'sex': ['sex=f', 'sex=m'], 'se': [], 's*': ['sex=f', 'sex=m']}
    >>> matches(["grade C*"], ["grade C*", "grade C1"])
    {'grade C*': ['grade C*']}
    >>> matches(["grade C*"], ["grade C*", "grade C1"], of=["grade C1"])
    {'grade C*': ['grade C*', 'grade C1']}
    """
    found: dict[str, list[str]] = {name: [] for name in names}
    lengths = sorted({len(name) for name in found})
    for label in labels:
        if label in found:
            found[label].append(label)
        if "=" in label:
            for length in lengths:
                if label[length : length + 1] == "=" and (column := label[:length]) in found:
                    found[column].append(label)
    for name, items in found.items():
        begins = beginning_of(name)
        if begins is not None and not (items if of is None else is_literal(name, of)):
            items[:] = [label for label in labels if label.startswith(begins)]
    return found


def named_columns(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the columns that some names stand for.

    >>> named_columns(["diag*", "ill=flu"], ["ill", "diag_1", "diag_2"])
    ['diag_1', 'diag_2']
    """
    found = {mark[:-1] for marks in matches(names, [f"{column}=" for column in columns]).values() for mark in marks}
    return [column for column in columns if column in found]


def begun_columns(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the names with a beginning replaced by the columns that begin so, if there are any; others unchanged.

    >>> begun_columns(["diag*", "ill", "x*"], ["ill", "diag_1", "diag_2"])
    ['diag_1', 'diag_2', 'ill', 'x*']
    """
    found = ([name] if beginning_of(name) is None else named_columns([name], columns) or [name] for name in names)
    return list(dict.fromkeys(column for each in found for column in each))


def two_roles(name: str, other: str) -> ParameterError:
    """Return the error about a name that is identifying and has another role as well."""
    return ParameterError(
        f"{name!r} is named by both {param('identifying')} and {param(other)}; what tells whose a row is has no other "
        "role: name it in one of the two",
        parameter="identifying",
    )


def warn_of_look_alikes(found: dict[str, list[str]], labels: Iterable[str]) -> None:
    """Warn about labels and columns that are not named, but equal a named one once both are folded."""
    taken = {*found, *(label for each in found.values() for label in each)}
    alike = _look_alikes({folded(name) for name in found}, (label for label in labels if label not in taken), taken)
    if not alike:
        return
    shown = ", ".join(repr(label) for label in alike[:_SHOWN]) + (", …" if len(alike) > _SHOWN else "")
    warnings.warn(
        f"the data also has {shown}, which {'is' if len(alike) == 1 else 'are'} not named, but differ"
        f"{'s' if len(alike) == 1 else ''} from a named label only in case, blanks or Unicode form; name "
        f"{'it' if len(alike) == 1 else 'them'} as well if the same is meant",
        LabelWarning,
        stacklevel=4,
    )


def _look_alikes(wanted: Collection[str], labels: Iterable[str], taken: Collection[str] = ()) -> list[str]:
    """Return the labels, and the columns of labels, that are equal to a wanted text once folded; each once."""
    alike: dict[str, None] = {}
    for label in labels if wanted else ():
        column, equals, _ = label.partition("=")
        if equals and column not in taken and folded(column) in wanted:
            alike[column] = None
        elif folded(label) in wanted:
            alike[label] = None
    return list(alike)


def _parts_of(label: str, labels: Collection[str]) -> str | None:
    """Return the advice about a label that is several labels with another separator than is expected between them."""
    known = set(labels)
    for sign, other in ((None, "commas"), (",", "blanks")):
        parts = [part.strip() for part in label.split(sign)]
        if len(parts) > 1 and known.issuperset(parts):
            return f"its parts are labels of the data: separate them by {other}"
    return None


def unknown_label(
    unknown: Sequence[NamedLabel],
    labels: Collection[str],
    *,
    parameter: str,
    accepting: bool = True,
    why: str = "which is neither an item nor a column of the data",
) -> ParameterError:
    """Return the error about labels that stand for nothing; of the data it names only what the user as good as typed.

    Those are labels that are equal once folded, and columns of a similar name: a column is no person's item.
    """
    first, count = unknown[0], len({each.label for each in unknown})
    alike = _look_alikes({folded(first.label)}, labels)
    columns = {label.partition("=")[0] for label in labels if "=" in label}
    advice = _parts_of(first.label, labels) or spelling(
        first.label, alike[0] if alike else nearest(first.label, columns)
    )
    accept = f", or give {param('ignore_unknown', value=True)} to accept it" if accepting else ""
    others = f" (and {count - 1:,} more of the list)" if count > 1 else ""
    return ParameterError(
        f"{first.place} names the label {first.label!r}, {why}{others}; {advice}{accept}", parameter=parameter
    )
