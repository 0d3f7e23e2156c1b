"""Mine together, and withhold what would let anyone compute a small group (IC-SAPM).

Problem      given two parties' columns, min_support and k, release the frequent itemsets from which no group of 1 to
             k-1 rows can be computed, and the names of those withheld; reveal nothing else.
Method       find the frequent itemsets with shared supports (`frequent_itemsets`). From the smallest itemsets up, share
             the size of every group that an itemset J divides the rows into, by inclusion-exclusion on shares alone;
             open one bit per J: whether any of its groups has 1 to k-1 rows. An itemset with a withheld subset is
             withheld without a test. At the end the shares of the released supports are exchanged.
Promises     an itemset is released if and only if neither it nor a subset of it has an inference channel, given that
             the number of rows is known. Which group is small, and how small, stays secret; supports of withheld
             itemsets stay shared.
Cost         2^|J| comparisons with two numbers for each J that spans both. A J of one party's own columns needs no
             cryptography: that party says whether it is safe.
Departures   the paper opens one bit per channel (I, J); here it is one per J. Its listing of Remove_ICh is lost; what
             it must keep is in docs/papers/jiang2006.md.
Names        F^Delta -> withheld;  f_I^J -> sizes of groups;  Secure_COM -> Engine.any_in_interval.
Reference    jiang2006, section 4   (docs/papers/jiang2006.md, tests/papers/test_jiang2006.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet import _kernel
from discreet.errors import ParameterError, param
from discreet.stages import tell_share
from discreet.twoparty.agreement import Role
from discreet.twoparty.frequent_itemsets import find_frequent, open_supports
from discreet.twoparty.gmw import pack_bits, unpack_bits
from discreet.twoparty.joint_patterns import JointPatterns
from discreet.twoparty.local_itemsets import LocalItemsets
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.steps import receive, send

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.agreement import Agreed
    from discreet.twoparty.engine import Engine
    from discreet.twoparty.frequent_itemsets import SharedItemsets
    from discreet.twoparty.steps import Steps

__all__ = ["find_safe", "mine_without_channels", "release"]

_LONGEST: Final = 24
"""The most items of an itemset that is tested: it divides the rows into 2^24 groups."""
_GROUPS_AT_ONCE: Final = 1 << 16


def mine_without_channels(
    engine: Engine, party: Role, agreed: Agreed, rows: Transactions, *, report: Callable[[str], None]
) -> Steps[JointPatterns]:
    """Run IC-SAPM on this party's rows; return what may be released, and the names of what may not."""
    own = LocalItemsets.find(rows, agreed.min_support)
    found = yield from find_frequent(engine, party, own, min_support=agreed.min_support, report=report)
    safe = yield from find_safe(engine, party, agreed, found, report=report)
    return (yield from release(engine, party, agreed, found, safe))


def find_safe(
    engine: Engine, party: Role, agreed: Agreed, found: SharedItemsets, *, report: Callable[[str], None]
) -> Steps[NDArray[np.bool_]]:
    """Return for each itemset whether neither it nor any subset has an inference channel (Remove_ICh)."""
    lattice = _Lattice(found)
    shares = np.concatenate([found.shares, engine.public(np.array([agreed.n]))])
    known = np.append(found.known, agreed.n)
    safe = np.zeros(len(found) + 1, bool)
    safe[-1] = agreed.n >= agreed.k  # the empty itemset, whose one group is all rows
    for first, last, matrix in found.itemsets.by_length():
        length = matrix.shape[1]
        hopeful = np.arange(first, last)
        for position in range(length):
            hopeful = hopeful[safe[lattice.without(hopeful, position)]]
        if len(hopeful) and length > _LONGEST:
            raise ParameterError(
                f"an itemset has {length} items and would be tested for 2^{length} groups; raise "
                f"{param('min_support')}",
                parameter="min_support",
            )
        report(f"looking for small groups in {len(hopeful):,} itemsets of {length} items")
        at_once = max(1, _GROUPS_AT_ONCE >> length)
        for owner in Role:
            declared = hopeful[found.owner[hopeful] == owner]
            if party is owner:
                for start in range(0, len(declared), at_once):
                    batch = declared[start : start + at_once]
                    sizes = lattice.groups(batch, length, known)
                    safe[batch] = ~((sizes > 0) & (sizes < agreed.k)).any(axis=1)
            if len(declared):
                safe[declared] = yield from _tell_or_hear(safe[declared], tells=party is owner)
        spread = hopeful[found.owner[hopeful] == 0]
        for start in range(0, len(spread), at_once):
            tell_share(start / len(spread))
            batch = spread[start : start + at_once]
            safe[batch] = ~(yield from engine.any_in_interval(lattice.groups(batch, length, shares), 1, agreed.k))
    return safe[:-1]


def release(
    engine: Engine, party: Role, agreed: Agreed, found: SharedItemsets, safe: NDArray[np.bool_]
) -> Steps[JointPatterns]:
    """Open the supports of the safe itemsets, and name the others."""
    supports = yield from open_supports(engine, party, found, safe)
    return JointPatterns.from_shared(agreed, found, safe, supports)


class _Lattice:
    """The subsets of each itemset; the empty itemset comes last."""

    def __init__(self, found: SharedItemsets) -> None:
        less = _kernel.one_item_less(found.itemsets, len(found.vocabulary)).astype(np.int64)
        self._less = np.where(less < 0, len(found), less)
        self._offsets = np.append(found.itemsets.offsets[:-1], 0)

    def without(self, itemsets: NDArray[np.int64], position: int) -> NDArray[np.int64]:
        """Return each itemset without its item at a position."""
        left: NDArray[np.int64] = self._less[self._offsets[itemsets] + position]
        return left

    def groups(self, itemsets: NDArray[np.int64], length: int, supports: NDArray[Any]) -> NDArray[Any]:
        """Return, for each itemset of one length, the sizes of all groups that it divides the rows into.

        `supports` are those of all itemsets, or shares of them; the last one is the number of all rows.
        """
        subsets = itemsets[:, None]
        for position in reversed(range(length)):  # from the last item, so that earlier positions stay valid
            subsets = np.concatenate([self.without(subsets, position), subsets], axis=1)
        sizes = supports[subsets]
        for axis in range(length):  # those with an item, minus those with or without it
            halves = sizes.reshape(len(itemsets), 1 << axis, 2, -1)
            halves[:, :, 0] -= halves[:, :, 1]
        return sizes


def _tell_or_hear(safe: NDArray[np.bool_], *, tells: bool) -> Steps[NDArray[np.bool_]]:
    """Return whether itemsets of one party's own columns are safe: the owner knows the groups and says so."""
    if not tells:
        payload = yield from receive(MessageKind.OPENED_BITS, -(-len(safe) // 8))
        return unpack_bits(np.frombuffer(payload, np.uint8), len(safe)).astype(bool)
    yield from send(MessageKind.OPENED_BITS, pack_bits(safe).tobytes())
    return safe
