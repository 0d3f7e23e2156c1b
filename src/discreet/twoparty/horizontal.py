"""Mine together if the parties hold different people with the same items.

Problem      given two parties' rows over the same labels, min_support and k, release the itemsets that are frequent in
             all rows together and open no channel, as IC-SAPM does for columns; reveal nothing else.
Method       a support is the sum of both parties' own supports, so each party's own count is its share and nothing has
             to be multiplied. Candidates grow level by level from a list of labels that both supply. An itemset that
             is frequent at one party need not be frequent in all rows, so no names of local itemsets are exchanged.
             Then the tests and the opening of `ic_sapm` follow.
Promises     as IC-SAPM, on the rows of both. Each side also learns how many rows the other has and, by subtracting its
             own count, how many of those contain each released itemset.
Cost         one comparison per candidate, and `ic_sapm`'s tests for every frequent itemset.
Departures   jiang2006 names this case as open (section 6).
Reference    jiang2006   (docs/papers/jiang2006.md, tests/twoparty/test_horizontal.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.grouping import groups_of_patterns
from discreet.errors import DataError, ProtocolViolation
from discreet.itemsets import Itemsets
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary
from discreet.twoparty.frequent_itemsets import SharedItemsets, grow_frequent
from discreet.twoparty.ic_sapm import find_safe, release

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from discreet.twoparty.agreement import Agreed, Role
    from discreet.twoparty.engine import GroupingEngine
    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.ring import SecretShares
    from discreet.twoparty.steps import Steps

__all__ = ["mine_different_people", "over_labels"]


def mine_different_people(
    engine: GroupingEngine,
    party: Role,
    agreed: Agreed,
    rows: Transactions,
    labels: Sequence[str],
    *,
    report: Callable[[str], None],
) -> Steps[JointPatterns]:
    """Mine this party's rows and the partner's; return what may be released, and the names of what may not."""
    own = over_labels(rows, Vocabulary(labels))
    found = yield from _find_frequent(engine, own, agreed.min_support, report)
    safe = yield from find_safe(engine, party, agreed, found, report=report)
    done = yield from release(engine, party, agreed, found, safe)
    _check_partner(done, found.shares[safe], agreed.n - len(own))
    return done


def _check_partner(done: JointPatterns, own: SecretShares, rows: int) -> None:
    """Refuse supports that leave the partner, after subtracting this side's counts, with what no rows can have."""
    theirs = done.patterns.supports - own.astype(np.int64)
    itemsets = done.patterns.itemsets
    try:
        groups_of_patterns(itemsets, theirs, rows, itemsets.maximal(len(done.patterns.vocabulary)), below=1)
    except DataError as error:
        raise ProtocolViolation(
            "no rows can have the counts that the partner opened; nothing was kept; its program or rows are in doubt"
        ) from error


def over_labels(rows: Transactions, vocabulary: Vocabulary) -> Transactions:
    """Return the rows over a new vocabulary: labels outside it are left out, and it may have unused labels."""
    place = np.array([vocabulary.positions.get(label, -1) for label in rows.vocabulary], np.int32)
    return Transactions(rows.itemsets.renumbered(place), vocabulary)


def _find_frequent(
    engine: GroupingEngine, rows: Transactions, min_support: int, report: Callable[[str], None]
) -> Steps[SharedItemsets]:
    size = len(rows.vocabulary)
    tried = []

    def count(candidates: NDArray[np.int32]) -> Steps[SecretShares]:
        yield from ()
        tried.append(len(candidates))
        return Itemsets.of_matrix(candidates).count_in(rows.itemsets, None, size).astype(engine.ring.dtype)

    itemsets, shares = yield from grow_frequent(engine, size, count, min_support, report)
    nobody = np.zeros(len(shares), np.uint8)
    return SharedItemsets(rows.vocabulary, itemsets, shares, nobody, nobody.astype(np.int64), tuple(tried))
