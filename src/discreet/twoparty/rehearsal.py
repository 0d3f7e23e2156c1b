"""Rehearse a session on one machine, with made-up rows of the same shape, before a partner is called.

Problem      show what a real session will do and cost, without a partner and without using a single real row.
Method       count the rows and how many have each item; make up rows for both sides with these numbers, each item in
             rows drawn at random, independently; make two identities; run both sides at once over TLS on this machine.
Promises     the real rows are only counted. Names of items do not leave this function: made-up items are called
             `ours 1`, `theirs 1`, ... Identities and rows are gone when it returns.
Departures   real items depend on each other, so a real session has more candidates than this one: see `estimate`.
"""

from __future__ import annotations

import socket
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import param
from discreet.itemsets import Itemsets
from discreet.tables.tabular import Tabular
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary
from discreet.twoparty.alignment import check_ids
from discreet.twoparty.identity import IDENTITY_FILE, PUBLIC_FILE, keygen
from discreet.twoparty.party import check_people, party
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.thresholds import MinSupport
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.twoparty.agreement import Protocol
    from discreet.twoparty.party import Joint

__all__ = ["Rehearsal", "rehearse"]

_TIMEOUT = 20.0


@dataclass(frozen=True, slots=True)
class Rehearsal(Tabular):
    """What a session with made-up rows did.

    Attributes
    ----------
    n : int
        The number of rows of each side.
    items : int
        The number of items of each side.
    joint : Joint
        What this side would have got; of made-up rows, so it says nothing about real ones.
    """

    n: int
    items: int
    joint: Joint

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        done = self.joint
        return {
            "rehearsal": True,
            "protocol": done.found.protocol,
            "n": self.n,
            "items": self.items,
            "min_support": done.found.min_support,
            "k": done.found.k,
            "itemsets": len(done.patterns),
            "withheld": len(done.withheld),
            "transcript": done.transcript.to_dict(),
        }

    def to_arrow(self) -> pa.Table:
        """Return what such a session costs, as an Arrow table of one row."""
        import pyarrow as pa

        return pa.Table.from_pylist([self.joint.transcript.to_dict()])

    def __repr__(self) -> str:
        return f"<Rehearsal: {counted(self.n, 'made-up row')}, {self.items:,} items of each side>"


def rehearse(
    rows: Transactions,
    *,
    min_support: MinSupport,
    k: int,
    protocol: Protocol = "ic-sapm",
    iterate: bool = False,
    dual: bool | None = None,
    intersect: bool = False,
    salt: str | PathLike[str] | None = None,
    horizontal: bool = False,
    labels: Names | None = None,
    seed: int = 1,
    watch: Callable[[str], None] | None = None,
) -> Rehearsal:
    """Run both sides of a session on this machine, with made-up rows of the same shape as `rows`.

    Parameters
    ----------
    rows : Transactions
        This side's rows, of which only the numbers are used.
    min_support : int, str, float or Fraction
        The minimum support over the joint rows, as for `party`.
    k : int
        The least size of a group that may be known.
    protocol : {"ic-sapm", "dka-sapm"}
        As for `party`.
    iterate : bool, default False
        As for `party`.
    dual : bool, optional
        As for `party`.
    intersect : bool, default False
        As for `party`: the rows need ids, which are checked. Made-up people all meet, in another order.
    salt : path, optional
        As for `party`; both sides have it.
    horizontal : bool, default False
        Whether the two hold different people.
    labels : names, optional
        With `horizontal`, the items to count; by default all of `rows`.
    seed : int, default 1
        The seed of the made-up rows.
    watch : callable, optional
        Called with a sentence about the current step of this side.

    Returns
    -------
    Rehearsal
        What the session did, and what it cost.

    Raises
    ------
    ParameterError
        A parameter has an unusable value, or does not go with another.
    PartnerError
        The two sides could not reach each other on this machine.
    TooManyPatterns
        There are too many frequent itemsets.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows([["flu", "cough"]] * 12 + [["flu"]] * 6 + [[]] * 6)
    >>> done = discreet.rehearse(rows, min_support=5, k=3)
    >>> done.n, done.items, done.joint.found.n
    (24, 2, 24)
    """
    if labels is not None:
        check_people(horizontal=horizontal, intersect=intersect, labels=labels)
    if intersect:
        check_ids(rows.ids, what_for=param("intersect", value=True))
    supports = _supports(rows, labels)
    random = np.random.default_rng(seed)
    names = ("item", "item") if horizontal else ("ours", "theirs")
    people = [f"person {number + 1}" for number in range(rows.n)] if intersect else None
    sides = [
        _made_up(rows.n, supports, name, random, ids)
        for name, ids in zip(names, (people, people and people[::-1]), strict=True)
    ]
    side = partial(
        party,
        min_support=min_support,
        k=k,
        protocol=protocol,
        iterate=iterate,
        dual=dual,
        timeout=_TIMEOUT,
        intersect=intersect,
        salt=salt,
        horizontal=horizontal,
        labels=list(sides[0].vocabulary) if horizontal else None,
    )
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder, ThreadPoolExecutor(1) as partner:
        ours, theirs = (Path(folder, name) for name in ("ours", "theirs"))
        for each in (ours, theirs):
            keygen(each)
        address = _free_address()
        answer = partner.submit(
            side, sides[1], identity=theirs / IDENTITY_FILE, trust=ours / PUBLIC_FILE, connect=address
        )
        done = side(sides[0], identity=ours / IDENTITY_FILE, trust=theirs / PUBLIC_FILE, listen=address, watch=watch)
        answer.result()
    return Rehearsal(rows.n, len(supports), done)


def _supports(rows: Transactions, labels: Names | None) -> NDArray[np.int64]:
    """Return in how many rows each item is: those that occur, or those that are listed."""
    supports = rows.item_supports()
    if labels is None:
        return supports[supports > 0]
    counts = dict(zip(rows.vocabulary, supports.tolist(), strict=True))
    return np.array([counts.get(each, 0) for each in Vocabulary(parse_names(labels, "labels"))], np.int64)


def _made_up(
    n: int, supports: NDArray[np.int64], name: str, random: np.random.Generator, ids: list[str] | None
) -> Transactions:
    """Return n rows in which each item is in as many rows as its support, drawn at random."""
    rows = np.concatenate([random.choice(n, size, replace=False) for size in supports.tolist()] or [np.zeros(0, int)])
    items = np.repeat(np.arange(len(supports), dtype=np.int32), supports)
    order = np.lexsort((items, rows))
    codes = Itemsets.from_lengths(np.bincount(rows, minlength=n), items[order])
    return Transactions.from_codes(codes, [f"{name} {place + 1}" for place in range(len(supports))], ids=ids)


def _free_address() -> str:
    """Return an address of this machine that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"127.0.0.1:{probe.getsockname()[1]}"
