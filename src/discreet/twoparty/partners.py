"""What a partner gets: one that follows the protocol, and one with changed software; by the way it is computed.

Answers, agreements and the help say it in these words, so that all say the same. The arguments, and the tests behind
them, are in docs/two-parties.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from discreet.twoparty.agreement import Protocol

__all__ = ["assumed", "computed_twice", "gained_by_cheating"]

TWO: Final = 2

_TWICE: Final = (
    "can bring rows of its choice, and try guesses about {your} rows, one after another, until a wrong one ends the "
    "session; it cannot change the result"
)
_ONCE: Final = (
    "can learn, of every person it asks for, which of {your} frequent items the person has, and can make up the "
    "supports that span both sides"
)
_CLEARED: Final = (
    "can learn, of every person it asks for, which of {your} frequent items the person has, as far as they were not "
    "cleared, and can make up the supports that span both sides"
)
_DIFFERENT: Final = (
    "can learn how many of {your} people have any of the listed items together, down to a single person, and can make "
    "up supports"
)
_OWNERS: Final = (
    "can learn how many people of all others together have any of the listed items together, down to a single person, "
    "of each other owner alone at most one yes or no, and can make up supports"
)


def computed_twice(dual: bool | None, *, protocol: Protocol, horizontal: bool) -> bool:
    """Return whether everything is computed twice: as it was asked for, otherwise wherever it can be.

    >>> [computed_twice(None, protocol=each, horizontal=False) for each in ("ic-sapm", "dka-sapm")]
    [True, False]
    """
    return dual if dual is not None else protocol == "ic-sapm" and not horizontal


def gained_by_cheating(
    *, protocol: Protocol, horizontal: bool, dual: bool, owners: int = TWO, your: str = "your"
) -> str:
    """Return what a partner with changed software can do and learn: the end of a sentence about it."""
    if horizontal:
        words = _DIFFERENT if owners == TWO else _OWNERS
    elif dual:
        words = _TWICE
    else:
        words = _ONCE if protocol == "ic-sapm" else _CLEARED
    return words.format(your=your)


def assumed(*, protocol: Protocol, horizontal: bool, dual: bool, owners: int = TWO) -> str:
    """Return what each kind of partner learns, in one sentence."""
    other = gained_by_cheating(protocol=protocol, horizontal=horizontal, dual=dual, owners=owners)
    follows = "a partner that follows the protocol has learned this result and nothing else"
    return f"{follows}; one with changed software {other}"
