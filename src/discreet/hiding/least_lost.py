"""Try every method of hiding, and keep the copy that loses the fewest other itemsets.

Problem      given a job and a minimum support, find the sanitized copy with the lowest misses cost.
Method       the four algorithms of the paper and the row-wise search are run and measured, and so is the solution of an
             integer program that begins with the search's, where that is small enough.
Promises     the misses cost is at most that of each method; of equal ones, fewer removed items win, then the order of
             `naive, minfia, maxfia, iga, rowwise, program`. The work is limited in steps: the same input gives the
             same rows.
Cost         that of all methods, and of mining the rows once more for each, or of counting in the rows it changed.
Reference    oliveira2002, section 5, for the measure   (docs/papers/oliveira2002.md, tests/laws/test_hiding_least.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from discreet.hiding.optimum import find_optimum
from discreet.hiding.rowwise import Legitimate
from discreet.hiding.sanitizing import PAPER_METHODS
from discreet.stages import tell

if TYPE_CHECKING:
    from discreet.hiding.sanitizing import HidingJob, SanitizedCopy
    from discreet.hiding.side_effects import Baseline
    from discreet.json_types import JsonObject

__all__ = ["Candidate", "LeastLost", "find_best"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A method that was tried, the share of legitimate itemsets that it loses, and how many items it removes.

    `lost` is the number of these itemsets.
    """

    method: str
    misses_cost: Fraction
    lost: int
    removed_items: int

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "method": self.method,
            "misses_cost": float(self.misses_cost),
            "lost": self.lost,
            "removed_items": self.removed_items,
        }


class LeastLost(NamedTuple):
    """The best copy, the method that made it, and all candidates in the order in which they were tried.

    `at_least` is the number of itemsets that every way of hiding loses, None if it is not known.
    """

    copy: SanitizedCopy
    method: str
    candidates: tuple[Candidate, ...]
    at_least: int | None


def find_best(job: HidingJob, baseline: Baseline) -> LeastLost:
    """Try all methods, and return the copy that loses the fewest itemsets."""
    removals = {method: job.removed_by_paper(method) for method in PAPER_METHODS}
    tell("choosing what to remove row by row")
    stakes = job.stakes(Legitimate(*baseline.legitimate(), baseline.sigma))
    removals["rowwise"] = job.removed_by_row(stakes)
    optimum = None
    if baseline.listed is not None:
        optimum = find_optimum(stakes, job.sensitive, job.to_lose, removals["rowwise"])
    if optimum is not None:
        removals["program"] = optimum.removals
    copies = [(method, job.copy(each)) for method, each in removals.items()]
    tried: list[Candidate] = []
    for number, (method, copy) in enumerate(copies):
        tell("measuring what each way costs", number / len(copies))
        tried.append(_candidate(method, job, copy, baseline))
    place = min(range(len(tried)), key=lambda at: (tried[at].lost, tried[at].removed_items, at))
    return LeastLost(copies[place][1], tried[place].method, tuple(tried), None if optimum is None else optimum.at_least)


def _candidate(method: str, job: HidingJob, copy: SanitizedCopy, baseline: Baseline) -> Candidate:
    lost, legitimate = baseline.lost_between(job.rows, copy.rows, copy.removed_from)
    return Candidate(method, Fraction(lost, legitimate or 1), lost, len(copy.removed))
