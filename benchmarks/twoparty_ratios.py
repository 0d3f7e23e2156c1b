"""What checks, computing twice, and a third owner cost: python -m benchmarks.twoparty_ratios [--small].

Each pair of ways is run in turn in one process, all sides together, from the parameters to the look before writing;
processor time and bytes of the one are divided by those of the other. The checks are those of transfers, of what is
opened, and of columns. Prints a table; asserts nothing.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.cases import data_folder
from benchmarks.twoparty import Done, dealt, mine_together, trusting
from discreet.errors import PartnerError
from discreet.thresholds import Support
from discreet.transactions.generate import quest
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.twoparty.agreement import Role
from tests.twoparty_owners import mine_among

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from discreet.twoparty.agreement import Protocol

__all__ = ["Ratio", "main", "ratios"]

REPEATS = 3


class Cost(NamedTuple):
    """Seconds of the processor and bytes sent, of all sides together."""

    seconds: float
    bytes: int
    sides: int


class Ratio(NamedTuple):
    """A way of computing against a plainer one, and what the ratios of time and of bytes are to be at most."""

    name: str
    plain: Cost
    full: Cost
    most: tuple[float, float | None]

    def line(self) -> str:
        """Return a row of the table."""
        costs = " | ".join(f"{each.seconds:.2f} s, {each.bytes / 1e6:.1f} MB" for each in (self.plain, self.full))
        sides = self.plain.sides / self.full.sides
        time_ratio = sides * self.full.seconds / self.plain.seconds
        byte_ratio = sides * self.full.bytes / self.plain.bytes
        most = " / ".join("" if each is None else f"{each:g}" for each in self.most)
        return f"| {self.name} | {costs} | {time_ratio:.2f} / {byte_ratio:.2f} | {most} |"


def ratios(*, small: bool, repeats: int = REPEATS) -> Iterator[Ratio]:
    """Measure all pairs."""
    rows = _small() if small else read(data_folder() / "mushroom.dat.gz")
    protocols: tuple[tuple[Protocol, str, int], ...] = (("ic-sapm", "35%", 2), ("dka-sapm", "55%", 2 if small else 50))
    for protocol, share, k in protocols:
        sigma = Support.parse(share).of(rows.n)
        job = partial(mine_together, dealt(rows, sigma), protocol, sigma, k)
        name = f"{protocol}, {share}, k = {k}: with the checks"
        yield _ratio(name, partial(trusting, job), job, (1.5, 1.2), repeats)
    for share in ("40%", "35%"):
        sigma = Support.parse(share).of(rows.n)
        job = partial(mine_together, dealt(rows, sigma), "ic-sapm", sigma, 2)
        yield _ratio(f"ic-sapm, {share}, k = 2: computed twice", job, partial(job, dual=True), (20, None), repeats)
    sigma = Support.parse("40%").of(rows.n)
    two, three = (partial(_among, rows, owners, sigma) for owners in (2, 3))
    yield _ratio("horizontal, 40%, k = 2: three owners against two, each", two, three, (4, 4), repeats)


def _ratio(
    name: str, plain: Callable[[], Done], full: Callable[[], Done], most: tuple[float, float | None], repeats: int
) -> Ratio:
    times: tuple[list[float], list[float]] = ([], [])
    done = []
    for which, job in list(enumerate((plain, full))) * repeats:
        start = time.process_time()
        done.append(job())
        times[which].append(time.process_time() - start)
    one, other = (Cost(median(spent), each.bytes, each.sides) for spent, each in zip(times, done[:2], strict=True))
    return Ratio(name, one, other, most)


def _among(rows: Transactions, owners: int, sigma: int) -> Done:
    """Mine among owners of every second row, or every third."""
    every = list(rows)
    slices = [Transactions.from_rows([sorted(row) for row in every[start::owners]]) for start in range(owners)]
    labels = sorted(label for label, count in zip(rows.vocabulary, rows.item_supports(), strict=True) if count >= sigma)
    if owners == len(Role):
        return mine_together((slices[0], slices[1]), "ic-sapm", sigma, 2, labels=labels)
    table = mine_among(slices, labels, min_support=sigma, k=2)
    result = table.results[0]
    if isinstance(result, PartnerError):
        raise result
    return Done(result, owners, table.bytes)


def _small() -> Transactions:
    return quest(rows=300, items=12, mean_length=6, pattern_length=3, patterns=8, seed=1)


def main() -> None:
    """Print the table."""
    print("| on mushroom | plain, all sides | in full, all sides | ratio for one side, time / bytes | at most |")
    print("| --- | --- | --- | --- | --- |")
    for each in ratios(small="--small" in sys.argv):
        print(each.line(), flush=True)


if __name__ == "__main__":
    main()
