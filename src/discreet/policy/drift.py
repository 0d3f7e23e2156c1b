"""How data differ from what a policy says about them: columns that are gone or new, items that no longer occur.

A policy is about columns and items by name. If one is renamed or missing, its role would be about nothing, and a new
column would be published without one. So a run stops before that, and says what changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.channels.exclusive_names import named_sets
from discreet.errors import ParameterError, PolicyDiffers, spelled
from discreet.transactions.label_names import begun_columns, entry_of, listed, resolve
from discreet.transactions.reading import columns_in, read_as
from discreet.wording import label_text, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.policy.policy import Policy
    from discreet.transactions.transactions import Transactions

__all__ = ["check_columns", "check_labels", "read_as_said"]

_NAMED = ("expect_labels", "quasi_identifying", "sensitive")
_SHOWN = 3


def check_columns(policy: Policy, source: str | None) -> None:
    """Refuse data that lack a column that the policy names, or have others than it expects; in any order."""
    options, rules = policy.options, policy.options.rules
    ids = [name for name in (options.id_column, options.person_column, options.item_column) if name is not None]
    named = dict.fromkeys((*policy.expect_columns, *ids, *rules.drop, *rules.keep, *rules.bins, *rules.map))
    if not named:
        return
    found = columns_in(source, options)
    named = dict.fromkeys(begun_columns([*named], found))
    gone = [name for name in named if name not in found]
    new = [name for name in found if name not in named] if policy.expect_columns else []
    if not gone and not new:
        return
    todo = []
    if gone:
        todo.append("write the new name wherever the policy has the old one, or take out what is gone for good")
    if new:
        todo.append("decide on the role of what is new, and add it to expect_columns")
    raise PolicyDiffers(
        f"{_data(source)} is not as {policy.path} says: {_changes(gone, new)}; if that is a mistake, mend the data, "
        f"and otherwise the policy: {', and '.join(todo)}",
        "columns",
    )


def _changes(gone: Sequence[str], new: Sequence[str]) -> str:
    """Return in words which columns are gone and new; those of similar names were probably renamed."""
    renamed = {name: meant for name in gone if (meant := nearest(name, new)) is not None}
    words = [f"the column {_quoted([old])} is gone, and {_quoted([now])} is new" for old, now in renamed.items()]
    if others := [name for name in gone if name not in renamed]:
        words.append(f"{_columns(others)} gone")
    if others := [name for name in new if name not in renamed.values()]:
        words.append(f"{_columns(others)} new")
    return "; ".join(words)


def read_as_said(policy: Policy, source: str | None) -> Transactions:
    """Read the rows as the policy says; refuse them if what it calls identifying does not occur."""
    try:
        return read_as(source, policy.options)
    except ParameterError as error:
        if error.parameter != "identifying":
            raise
        raise PolicyDiffers(
            f"{_data(source)} is not as {policy.path} says: {spelled(error.message)}", "columns"
        ) from None


def check_labels(policy: Policy, rows: Transactions, source: str | None) -> None:
    """Refuse rows in which an item or a column that the policy names does not occur."""
    supports = rows.item_supports().tolist()
    labels = [label for label, support in zip(rows.vocabulary, supports, strict=True) if support]
    try:
        for name in _NAMED:
            named = listed(getattr(policy, name), name)
            named = [entry_of(*each[:2]) for each in named] if name == "sensitive" else named
            resolve(named, labels, parameter=name, ignore_unknown=None)
        named_sets(policy.exclusive, labels)
    except ParameterError as error:
        raise PolicyDiffers(
            f"{_data(source)} is not as {policy.path} says: {spelled(error.message)}; if it is right that it no longer "
            "occurs, take it out of the policy",
            "labels",
        ) from None


def _data(source: str | None) -> str:
    return "the query's result" if source is None else str(source)


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(repr(label_text(name)) for name in names[:_SHOWN])


def _columns(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"the column {_quoted(names)} is" if len(names) == 1 else f"the columns {_quoted(names)}{more} are"
