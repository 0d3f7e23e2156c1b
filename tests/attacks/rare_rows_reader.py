"""A reader who knows how `anonymize --method rare-rows` works, its decisions, and all other items of all rows.

Written from the definition alone; nothing of `discreet` is imported. He knows below how many rows a row is rare, what
other items are published as, and which items were dropped from all rows. He thinks of every input that would have
given the published rows with these decisions.
"""

from __future__ import annotations

from itertools import chain, combinations, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

__all__ = ["inputs", "publish", "slow_common"]

Row = frozenset[str]


def slow_common(others: Sequence[Row], times: Sequence[int], below: int) -> list[bool]:
    """Return which rows are not rare: one after another is taken away that too few of the rest include."""
    common = [True] * len(others)
    while True:
        for place, row in enumerate(others):
            including = sum(times[at] for at, other in enumerate(others) if common[at] and row <= other)
            if common[place] and including < below:
                common[place] = False
                break
        else:
            return common


def publish(others: Sequence[Row], secrets: Sequence[Row], dropped: Collection[str], below: int) -> list[Row]:
    """Return the published rows, given the decisions."""
    common = slow_common(others, [1] * len(others), below)
    return [
        other | (secret - {*dropped} if is_common else frozenset())
        for other, secret, is_common in zip(others, secrets, common, strict=True)
    ]


def inputs(
    others: Sequence[Row], published: Sequence[Row], items: Collection[str], dropped: Collection[str], below: int
) -> Iterator[tuple[Row, ...]]:
    """Yield all sensitive items that the rows can have had."""
    every = [*map(frozenset, chain.from_iterable(combinations(sorted(items), size) for size in range(len(items) + 1)))]
    for secrets in product(every, repeat=len(others)):
        if publish(others, secrets, dropped, below) == list(published):
            yield secrets
