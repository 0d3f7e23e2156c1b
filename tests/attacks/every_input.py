"""A reader who has the program itself: he publishes every input that there can be, and compares what comes out.

Written from the promise alone: nothing but `discreet.anonymize` is asked. The reader knows all items that are not
sensitive, of all rows, how the program was called, and the published rows, whose order tells nothing. All inputs that
give these rows are equally likely. Of someone he knows part of a row; how sure he is of a sensitive item is the share
that has it among the rows with that part, in all these inputs.

What is said about the rows, their verdict, is known as well; not which method won where some competed.

What he knows of someone is the question. `published`: part of a published row, as it is published. `items`: the same,
but of a generalized item he knows which item of the person is behind it. With `all_occur` he also knows that each
sensitive item that was named was in some row.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any, Literal

from discreet import Transactions, anonymize

__all__ = ["HOW", "Case", "Output", "draw", "outputs"]

Row = frozenset[str]
Rows = tuple[Row, ...]
Kind = Literal["plain", "equal rows", "limits", "tree"]

HOW: dict[str, dict[str, Any]] = {
    "local": {"method": "local"},
    "--allow-local": {"method": "best", "allow_local": True},
    "rare-rows": {"method": "rare-rows"},
}
TREE = [
    *(["a", "ab", "ALL"], ["b", "ab", "ALL"], ["c", "cd", "ALL"], ["d", "cd", "ALL"]),
    *([f"none{number:02}", f"none{number:02}", "ALL"] for number in range(60)),
]
"""Of so many leaves, a node of two costs little."""


@dataclass(frozen=True)
class World:
    """An input: the sensitive items of the rows, what each row was published as, and the method that did it."""

    secrets: Rows
    published: Rows
    method: str


@dataclass(frozen=True)
class Case:
    """The other items of all rows, and the limit of each sensitive item; whether items can be generalized cheaply."""

    others: Rows
    limits: dict[str, Fraction]
    tree: bool

    def publish(self, secrets: Rows, how: dict[str, Any]) -> tuple[str, World]:
        """Return the verdict, and what happened to the rows, in their order."""
        rho = self.limits["x"]
        given = Transactions.from_rows([sorted(one | other) for one, other in zip(self.others, secrets, strict=True)])
        done = anonymize(
            given,
            rho=rho,
            sensitive=[item if limit == rho else f"{item} @ {float(limit)}" for item, limit in self.limits.items()],
            hierarchy=TREE if self.tree else None,
            keep_order=True,  # only to tell which row became which: the reader sees them sorted
            ignore_unknown=True,
            **how,
        )
        return done.verdict, World(secrets, tuple(done.rows), done.method)


def draw(seed: int, kind: Kind, *, most: int = 8) -> tuple[Case, Rows]:
    """Draw a case, and the sensitive items of its rows."""
    luck = random.Random(f"{kind} {seed}")
    sensitive = "x" if luck.random() < 0.6 else "xy"
    count = luck.randint(min(6, most), most) if sensitive == "x" else luck.randint(4, min(5, most - 2))
    density, secret = luck.choice((0.3, 0.5)), luck.choice((0.3, 0.5))
    some = [frozenset(x for x in "abcd" if luck.random() < density) for _ in range(count)]
    others = tuple(luck.choice(some[:3]) for _ in range(count)) if kind == "equal rows" else tuple(some)
    rho = luck.choice((Fraction(1, 3), Fraction(1, 2), Fraction(2, 3)))
    own = (Fraction(1, 4), Fraction(3, 10), Fraction(1, 2), Fraction(7, 10))
    limits = {item: luck.choice(own) if kind == "limits" else rho for item in sensitive}
    secrets = tuple(frozenset(x for x in sensitive if luck.random() < secret) for _ in range(count))
    return Case(others, limits, tree=kind == "tree"), secrets


@dataclass(frozen=True)
class Output:
    """Published rows, in an order that tells nothing, and the inputs that give them."""

    case: Case
    worlds: tuple[World, ...]

    @property
    def changed(self) -> bool:
        """Whether another input than the rows themselves gives them."""
        return any(self._input(world) != world.published for world in self.worlds)

    @property
    def generalized(self) -> bool:
        """Whether an item is published as a node."""
        return any(len(item) > 1 for row in self.worlds[0].published for item in row)

    @property
    def as_they_were(self) -> bool:
        """Whether all other items are published, as they were."""
        kept = (row - frozenset(self.case.limits) for row in self.worlds[0].published)
        return all(map(frozenset.__eq__, kept, self.case.others))

    @property
    def by_winner(self) -> dict[str, Output]:
        """What is left for a reader who knows which method won."""
        methods = {world.method for world in self.worlds}
        return {
            method: Output(self.case, tuple(world for world in self.worlds if world.method == method))
            for method in sorted(methods)
        }

    def gives(self, secrets: Rows) -> bool:
        """Whether an input with these sensitive items gives this output."""
        return any(world.secrets == secrets for world in self.worlds)

    def read(self, *, known: Literal["published", "items"] = "published", all_occur: bool = False) -> tuple[bool, bool]:
        """Return whether the reader is as sure as the limit of an item, and whether he is certain of one."""
        sensitive = frozenset(self.case.limits)
        fit = [world for world in self.worlds if not all_occur or sensitive <= frozenset().union(*world.secrets)]
        held: Counter[Row] = Counter()
        shown: set[Row] = set()
        for world in fit:
            for other, secret, row in zip(self.case.others, world.secrets, world.published, strict=True):
                base = other if known == "items" else row - sensitive
                held.update(_parts(base | secret))
                shown.update(_parts(base | row & sensitive))
        sure = [
            (item, Fraction(count, held[part - {item}]))
            for part, count in held.items()
            for item in part & sensitive
            if part - {item} in shown
        ]
        return any(share >= self.case.limits[item] for item, share in sure), any(share == 1 for _, share in sure)

    def _input(self, world: World) -> Rows:
        return tuple(one | other for one, other in zip(self.case.others, world.secrets, strict=True))


def outputs(case: Case, how: dict[str, Any]) -> list[Output]:
    """Return every output there can be, with its inputs."""
    found: dict[tuple[str, tuple[tuple[str, ...], ...]], list[World]] = {}
    for secrets in product(_parts(frozenset(case.limits)), repeat=len(case.others)):
        verdict, world = case.publish(secrets, how)
        seen = tuple(sorted(tuple(sorted(row)) for row in world.published))
        found.setdefault((verdict, seen), []).append(world)
    return [Output(case, tuple(worlds)) for worlds in found.values()]


def _parts(row: Row) -> list[Row]:
    every = chain.from_iterable(combinations(sorted(row), size) for size in range(len(row) + 1))
    return [*map(frozenset, every)]
