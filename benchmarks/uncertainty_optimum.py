"""How far methods stay behind the best publication there is: python -m benchmarks.uncertainty_optimum [DATASETS].

On data sets of ten items every cut of the hierarchy, with every choice of what to drop in it, is listed from the
smallest loss up, and the first that passes the check is the optimum. Prints a table of what the methods lose.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.transactions.transactions import Transactions
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.check import worst_rule
from discreet.uncertainty.hierarchy import hierarchy_for, leaf_of_items
from discreet.uncertainty.publication import Publication
from discreet.uncertainty.sensitive_items import sensitive_codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from discreet.uncertainty.hierarchy import Hierarchy

__all__ = ["Losses", "losses", "main", "optimal_loss"]

METHODS = ("best", "tdcontrol", "suppress", "simple")
SENSITIVE = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class Losses:
    """What the optimum and each method lose on one data set."""

    optimum: Fraction
    of: dict[str, Fraction]


def losses(seed: int) -> Losses:
    """Draw a data set of ten items, and lose as little as each method can."""
    draw = random.Random(seed)
    weights = {label: draw.choice((0.1, 0.25, 0.5)) for label in (*"abcdefg", *SENSITIVE)}
    rows = Transactions.from_rows(
        [[label for label, weight in weights.items() if draw.random() < weight] for _ in range(draw.randint(15, 40))]
    )
    rho = Fraction(draw.randint(3, 9), 10)
    made = {
        method: anonymize(rows, rho=rho, sensitive=SENSITIVE, fanout=2, method=method).information_loss  # type: ignore[arg-type]
        for method in METHODS
    }
    return Losses(optimal_loss(rows, rho, fanout=2), made)


def optimal_loss(rows: Transactions, rho: Fraction, *, fanout: int) -> Fraction:
    """Return the smallest loss of any publication that is safe."""
    codes = sensitive_codes(SENSITIVE, rows.vocabulary)
    tree = hierarchy_for(rows, codes, None, fanout)
    leaves = leaf_of_items(tree, rows.vocabulary, codes)
    candidates = []
    for cut in _cuts(tree, len(tree.labels) - 1):
        chosen = np.zeros(len(tree.labels), bool)
        chosen[list(cut)] = True
        node_of = np.where(leaves < 0, leaves, tree.climb(chosen)[leaves]).astype(np.int32)
        groups = [np.flatnonzero(node_of == node) for node in cut] + [np.array([code]) for code in codes]
        for size in range(len(groups) + 1):
            for dropped in combinations(groups, size):
                items = np.sort(np.concatenate([np.zeros(0, np.int64), *dropped])).astype(np.int32)
                candidate = Publication(rows.vocabulary, tree, items, node_of)
                candidates.append((candidate.information_loss(rows), len(candidates), candidate))
    for loss, _, candidate in sorted(candidates, key=lambda entry: entry[:2]):
        published = candidate.apply(rows)
        worst = worst_rule(published, sensitive_codes(SENSITIVE, published.vocabulary))
        if worst is None or worst.confidence < rho:
            return loss
    raise AssertionError("dropping everything is safe")


def _cuts(tree: Hierarchy, node: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to generalize what is below a node."""
    yield (node,)
    children = np.flatnonzero(tree.parent == node).tolist()
    if not children:
        return
    ways: list[tuple[int, ...]] = [()]
    for child in children:
        ways = [(*before, *more) for before in ways for more in _cuts(tree, child)]
    yield from ways


def table(found: Sequence[Losses]) -> str:
    """Return what each method loses on average, and how often it is the least possible."""

    def mean(values: Sequence[Fraction]) -> str:
        return f"{float(sum(values) / len(values)):.1%}"

    lines = ["| method | mean loss | least possible in |", "| --- | --- | --- |"]
    lines.append(f"| optimum | {mean([each.optimum for each in found])} | {len(found)} of {len(found)} |")
    for method in METHODS:
        reached = sum(each.of[method] == each.optimum for each in found)
        lines.append(f"| `{method}` | {mean([each.of[method] for each in found])} | {reached} of {len(found)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table for as many data sets as are named, or for a hundred."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(table([losses(seed) for seed in range(count)]))


if __name__ == "__main__":
    main()
