"""Rows that items left one by one, read by someone who has the program and tries every input."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evidence.campaign import Campaign, Outcome
from tests.attacks.every_input import HOW, Output, draw, outputs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.attacks.every_input import Kind

__all__ = ["CAMPAIGN"]

_KINDS: tuple[tuple[str, Kind, int], ...] = (
    ("local", "plain", 1),
    ("local", "equal rows", 3),
    ("local", "limits", 3),
    ("local", "tree", 3),
    ("--allow-local", "plain", 15),
    ("--allow-local", "tree", 15),
    ("rare-rows", "plain", 15),
)
"""How it is asked for, what is drawn, and how many times fewer cases are tried."""

_FEW = 10
"""For fewer cases than that, they are small."""

_WORDS = {
    "plain": "rows of up to 6 items",
    "equal rows": "rows of three kinds",
    "limits": "a limit for each item",
    "tree": "items that are cheap to merge",
}


def _run(count: int) -> Iterator[Outcome]:
    for how, kind, fewer in _KINDS:
        tried = max(1, count // fewer)
        drawn, every = Counter[str](), Counter[str]()
        for seed in range(tried):
            case, secrets = draw(seed, kind, most=6 if count < _FEW else 8 if how == "local" else 7)
            for output in outputs(case, HOW[how]):
                if output.changed:
                    every.update(read := [*_read(output)])
                    drawn.update(read if output.gives(secrets) else [])
        broken = 0 if how == "rare-rows" else every["certain"]
        yield Outcome(f"{how}, {_WORDS[kind]}", tried, 0, broken, _note(drawn, every))


def _note(drawn: Counter[str], every: Counter[str]) -> str:
    """Say what was counted."""
    parts = [
        f"changed: {drawn['changed']:,}; rho is reached in {drawn['guessed']:,}",
        f"of all {every['changed']:,} outputs, rho is reached in {every['guessed']:,}",
        f"certain: {every['certain']:,}{_winners(every)}",
        f"certain who knows which items occur: {every['occur']:,}",
    ]
    if every["generalized"]:
        parts.append(f"generalized: {every['generalized']:,}, certain who knows the items behind: {every['behind']:,}")
    return "; ".join(parts)


def _winners(every: Counter[str]) -> str:
    """Say how often he is certain if he knows which method won."""
    known = {method: every[method] for method in ("best", "rare-rows", "local") if every[method]}
    if len(known) < 2:
        return ""
    parts = [f"{every[f'certain of {method}']:,} of {count:,} by {method}" for method, count in known.items()]
    return f"; certain who knows which method won: {', '.join(parts)}"


def _read(output: Output) -> Iterator[str]:
    """Name everything that is true of an output."""
    guessed, certain = output.read()
    winners = output.by_winner
    found = {
        "changed": True,
        "guessed": guessed,
        "certain": certain,
        "occur": output.read(all_occur=True)[1],
        "generalized": output.generalized,
        "behind": output.generalized and output.read(known="items")[1],
        **dict.fromkeys(winners, True),
        **{f"certain of {method}": each.read()[1] for method, each in winners.items()},
    }
    return (name for name, holds in found.items() if holds)


CAMPAIGN = Campaign(
    "Reading with the program itself",
    "The same question asked in another way, of other data: a reader who has the program publishes every input there "
    "can be, and keeps those that give the published rows. Nothing of how rows are made is written down again. "
    "*Changed* are the data sets drawn whose output could have come from another input, too; every output of the same "
    "other items is read as well. Nobody is promised to be less than certain who knows more than part of a published "
    "row: that every sensitive item that was named was in some row, which of someone's items is behind a generalized "
    "one, or which method won. Nor is it promised for `rare-rows`, whose decisions follow from all rows.",
    _run,
    few=1,
    many=300,
)
