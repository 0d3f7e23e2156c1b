"""How far the attacker looked, what it took for known, and what a proof of safety covers: for audits and blocking."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.channels.audit import Audit

__all__ = ["exclusive_items", "how_far", "what_is_proved"]

_MANY = 1_000_000
"""More windows than this are not counted out."""

_NAMED = 3
"""Columns whose names are told."""


def how_far(found: Audit) -> str:
    """Say what the attacker looked at and what it left out, or that it was off."""
    from discreet.wording import counted, number

    attack = found.attack
    if attack is None:
        return (
            "The attacker is off (--no-border): this is the answer of the paper alone (Atzori and others, 2008). "
            "Groups that follow for items that are not published together were not looked for."
        )
    if attack.complete:
        looked = f"The attacker looked at all {counted(len(attack.known.items), 'item')} together: complete."
    elif not attack.looked_at and attack.programs:
        looked = "The attacker's steps ran out before it had looked through one window."
    else:
        looked = (
            f"The attacker looked at {counted(attack.looked_at, 'window')} of up to {attack.items_per_window} items."
        )
    ruled_out = attack.candidates - len(attack.groups)
    if found.safe and ruled_out > 0:
        looked += (
            f" {counted(ruled_out, 'group')} that could have been small {'was' if ruled_out == 1 else 'were'} ruled "
            f"out by {counted(attack.programs, 'linear program')}."
        )
    if attack.left_out:
        count = "Over a million" if attack.left_out > _MANY else number(attack.left_out)
        windows = "window was" if attack.left_out == 1 else "windows were"
        looked += f" {count} {windows} left out; more may follow there (--attack-steps)."
    return looked


def what_is_proved(found: Audit) -> list[str]:
    """Say what the proof of safety is, and what it does not cover; nothing where there is none."""
    if not found.proved:
        return []
    text = (
        "Proved: a data set was found that agrees with all that is published, and in which every kind of row occurs "
        f"not at all or at least {found.k} times. So no group of 1 to {found.k - 1} rows is certain, of whatever "
        "items. This excludes certainty, not likelihood."
    )
    if found.rows is None:
        text += (
            " Readers who know how the patterns were changed are covered only where the same is published of that data "
            "set; readers who know the true number of rows are not."
        )
    return [text]


def exclusive_items(found: Audit) -> list[str]:
    """Say which items readers are taken to know to exclude each other."""
    from discreet.wording import counted, label_text

    if found.attack is None or not found.exclusive:
        return []
    columns, named = found.exclusive.columns, found.exclusive.named
    known = []
    if columns:
        names = ", ".join(label_text(column) for column in columns[:_NAMED])
        more = ", …" if len(columns) > _NAMED else ""
        known.append(f"one value of {'the column' if len(columns) == 1 else 'each of the columns'} {names}{more}")
        if len(columns) > _NAMED:
            known[-1] += f" ({len(columns)} in all)"
    if named:
        items = counted(sum(map(len, named)), "item")
        known.append(
            f"one of {items} named as exclusive"
            if len(named) == 1
            else f"one of each of {len(named)} sets of items named as exclusive"
        )
    return [f"Readers are taken to know that a row has at most {', and at most '.join(known)}."]
