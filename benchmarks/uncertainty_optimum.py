"""How far methods stay behind the best publication there is: python -m benchmarks.uncertainty_optimum [DATASETS].

On data sets of ten items every cut of the hierarchy, with every choice of what to drop in it, is listed from the
smallest loss up, and the first that passes the check is the optimum. Prints a table of what the methods lose.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.transactions.transactions import Transactions
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.hierarchy import hierarchy_for
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.sensitive_items import sensitive_codes
from discreet.uncertainty.smallest_loss import least_loss

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Losses", "losses", "main", "optimal_loss"]

METHODS = ("best", "tdcontrol", "suppress", "simple")
SENSITIVE = ("x", "y", "z")
MOST = 100_000


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
    found = least_loss(rows, limits=Limits(rho), sensitive=codes, hierarchy=tree, most=MOST)
    if found is None:
        raise AssertionError("there are more ways to publish than expected")
    return found


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
