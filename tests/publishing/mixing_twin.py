"""Several releases and every choice between them, tried one by one: the twin of `publishing.mixed_supports`."""

from __future__ import annotations

from itertools import chain, combinations, product
from typing import TYPE_CHECKING

from discreet.channels.collection import collection_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from discreet.patterns.patternset import PatternSet

    Printed = dict[frozenset[str], int]

__all__ = ["differences", "mixed_sums", "printed_by"]


def printed_by(patterns: PatternSet) -> Printed:
    """Return every support that a release prints, or that its closed itemsets imply."""
    return {frozenset(): patterns.n} | dict(collection_of(patterns).everything)


def mixed_sums(releases: Sequence[Printed]) -> set[int]:
    """Return every f_I^J that some choice of each support from any release that prints it gives."""
    choices: dict[frozenset[str], set[int]] = {}
    for release in releases:
        for itemset, support in release.items():
            choices.setdefault(itemset, set()).add(support)
    return set(_sums(choices))


def differences(new: Printed, old: Printed) -> set[int]:
    """Return every |f_I^J(new) - f_I^J(old)| for I within J in both."""
    shared = {itemset: {new[itemset] - old[itemset]} for itemset in new.keys() & old.keys()}
    return {abs(value) for value in _sums(shared)}


def _sums(choices: dict[frozenset[str], set[int]]) -> Iterator[int]:
    for full in choices:
        for base in _subsets(full):
            between = [base | more for more in _subsets(full - base)]
            signs = [(-1) ** len(middle - base) for middle in between]
            for chosen in product(*(choices[middle] for middle in between)):
                yield sum(sign * support for sign, support in zip(signs, chosen, strict=True))


def _subsets(items: Iterable[str]) -> list[frozenset[str]]:
    listed = sorted(items)
    return [
        frozenset(some) for some in chain.from_iterable(combinations(listed, size) for size in range(len(listed) + 1))
    ]
