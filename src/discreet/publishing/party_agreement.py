"""The page that two institutions sign before they mine together: what is computed, and who learns what.

It holds no data and contacts nobody. Both sides make it from the same parameters and the two public certificates, so
that two pages which name the same fingerprints are about the same session.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import discreet
from discreet.errors import OutputError, ParameterError, param
from discreet.publishing.page import filled, page
from discreet.tables.whole import check_output, whole_file
from discreet.thresholds import K, MinSupport, Support
from discreet.twoparty.agreement import MOST_ROWS_TWICE, Proposal
from discreet.twoparty.identity import check_public, fingerprint
from discreet.twoparty.partners import computed_twice, gained_by_cheating
from discreet.twoparty.party import check_matching, check_people
from discreet.wording import number, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.twoparty.agreement import Protocol

__all__ = ["party_agreement"]

_WITHHELD = (
    "the names of frequent itemsets that are withheld, without their supports; a single item among them says that 1 to "
    "k−1 people lack it, so this list stays between the two"
)
_ALWAYS: tuple[str, ...] = (
    "the itemsets that may be published, with their supports",
    "which of the items in them are values of one column on the other side",
    "that the other side holds one of the keys below, when the session took place, and how much was sent",
)
_SAME_PEOPLE: tuple[str, ...] = ("that both hold equally many rows, and whether they are about the same people",)
_OF_PROTOCOL: dict[str, tuple[str, ...]] = {
    "ic-sapm": (
        _WITHHELD,
        "the names of the items and itemsets that are frequent on the other side alone",
    ),
    "dka-sapm": (
        "how many items are frequent in the other side's rows after its values were cleared",
        "by subtraction, how many of its own rows with a published itemset were cleared, but not which",
    ),
}
_IN_ROUNDS: tuple[str, ...] = (
    "which rows were left after each round, because fewer than k rows were like them in what both sides hold",
)
_DIFFERENT_PEOPLE: tuple[str, ...] = (
    "how many people the other side holds",
    "by subtraction, how many of the other side's people have each published itemset",
    _WITHHELD,
)
_INTERSECTING = (
    "which of its own people the other side has too, and how many people the other side holds; a side that brings "
    "every possible id learns the other's whole list"
)
_SALTED = "nobody who lacks the salt that both sides hold can try ids; the other side, who holds it, can"
_NOBODY: tuple[str, ...] = (
    "a row of the other side, or any part of one",
    "the support of an itemset that is withheld, where it spans both sides",
    "which group of people was too small, or how small",
    "items of the other side that are in no frequent itemset",
)


def party_agreement(
    path: str | PathLike[str],
    *,
    identity: str | PathLike[str],
    trust: str | PathLike[str] | Sequence[str | PathLike[str]],
    min_support: MinSupport,
    k: int,
    protocol: Protocol = "ic-sapm",
    iterate: bool = False,
    dual: bool | None = None,
    intersect: bool = False,
    salted: bool = False,
    horizontal: bool = False,
    force: bool = False,
) -> None:
    """Write a page for two institutions to sign before they mine together, as HTML.

    Parameters
    ----------
    path : path
        The page.
    identity : path
        This side's `identity.pem` or `public.pem` of `keygen`.
    trust : path or list of paths
        The partner's `public.pem`, or those of all other owners.
    min_support, k, protocol, iterate, dual, intersect, horizontal
        As for `party`.
    salted : bool, default False
        Whether ids are matched with a salt that both sides hold.
    force : bool, default False
        Whether to replace an existing page.

    Raises
    ------
    ParameterError
        A parameter has an unusable value, or a certificate cannot be read.
    OutputError
        The page exists already, or cannot be written.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for side in ("clinic", "lab"):
    ...     _ = discreet.keygen(folder / side)
    >>> ours, theirs = folder / "clinic/identity.pem", folder / "lab/public.pem"
    >>> discreet.party_agreement(folder / "sign.html", identity=ours, trust=theirs, min_support="20%", k=10)
    >>> "no group of 1 to 9 people" in (folder / "sign.html").read_text()
    True
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise OutputError(f"the agreement is a page: name it .html, not {target}")
    check_output(target, force=force)
    k = K.parse(k)
    wanted = Support.parse(min_support).value
    twice = computed_twice(dual, protocol=protocol, horizontal=horizontal)
    others = [trust] if isinstance(trust, (str, PathLike)) else list(trust)
    check_people(horizontal=horizontal, intersect=intersect, labels=() if horizontal else None, others=len(others))
    check_matching(intersect=intersect, salt=salted or None)
    Proposal(  # refuses what no session can be about; of how many rows, and how frequent, is not said here
        protocol, rows=MOST_ROWS_TWICE, min_support=1, k=k, horizontal=horizontal, iterate=iterate, dual=twice
    )
    of_protocol = _IN_ROUNDS if iterate else _OF_PROTOCOL[protocol]
    learned = [*_ALWAYS, *(_DIFFERENT_PEOPLE if horizontal else (*of_protocol, *_SAME_PEOPLE))]
    learned += [_INTERSECTING + (f"; {_SALTED}" if salted else "")] if intersect else []
    sides = sorted(fingerprint(Path(each)) for each in (identity, *others))
    if len(set(sides)) < len(sides):
        raise ParameterError(
            f"{param('trust')} names this side's own certificate, or one side twice; name each other side once",
            parameter="trust",
        )
    for each in others:
        check_public(Path(each))
    body = filled(
        "agreement.html",
        k=number(k),
        k_less=number(k - 1),
        support=f"{number(max(wanted, k))} people" if isinstance(wanted, int) else f"{share(wanted)} of the people",
        protocol=protocol + (" in rounds" if iterate else "") + (", computed twice" if twice else ""),
        different=horizontal,
        intersect=intersect,
        fingerprints=sides,
        owners={2: "Two"}.get(len(sides), number(len(sides))),
        learned=learned,
        nobody=_NOBODY,
        cheat=gained_by_cheating(
            protocol=protocol, horizontal=horizontal, dual=twice, owners=len(sides), your="the other side's"
        ),
        version=discreet.__version__,
    )
    text = page(title="Mining together: an agreement", body=body)
    with whole_file(target, force=force) as temporary:
        temporary.write_text(text, encoding="utf-8")
