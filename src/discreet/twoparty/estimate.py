"""Estimate the cost of mining together in advance, and what it would have cost with the paper's cryptography.

Problem      given the number of rows and of columns, estimate how many candidates, bytes, rounds and seconds to expect.
Method       bytes and rounds follow from the numbers of candidates (`frequent_itemsets`), of tested itemsets
             (`ic_sapm`) and of comparators (`group_sizes`). Those depend on data that no party holds alone. Itemsets
             over all columns are assumed to be frequent as often as those over the own columns, and longer ones to
             follow the trend. Without data, half of all pairs are assumed to be frequent, as in Mushroom at 35 %.
Promises     an expectation, not a bound; the result of a session includes the actual figures.
Names        alpha = sum(p_j^2); beta = w * sum(u_j) -> rows times candidates; gamma = log N * calls of Secure_COM,
             at most |F| of them.
Reference    jiang2006, sections 3.2.2, 4.1.2 and 5.3   (docs/papers/jiang2006.md, tests/papers/test_jiang2006.py)
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import accumulate, pairwise
from math import comb
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.errors import ParameterError, param
from discreet.patterns.mining import mine
from discreet.thresholds import K, MinSupport, Support
from discreet.twoparty.agreement import least_support
from discreet.twoparty.garbling import AND_BYTES as GATE_BYTES
from discreet.twoparty.group_sizes import (
    AND_BYTES,
    MADE_PER_SENT,
    TRANSFER_BYTES,
    counting_bytes,
    counts_pairs,
    made_bytes,
    sorting_bytes,
)
from discreet.twoparty.key_pairs import ROWS_AT_ONCE
from discreet.twoparty.oblivious_transfer import extension_length
from discreet.twoparty.partners import computed_twice
from discreet.twoparty.ring import Ring

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.json_types import JsonObject
    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.agreement import Protocol

__all__ = ["ENCRYPTIONS_PER_SECOND", "Estimate", "encryptions_of_paper", "estimate", "estimate_for"]

ENCRYPTIONS_PER_SECOND: Final = 1546
"""The paper's measurement, section 5.3: 1,024-bit homomorphic encryptions on a processor of 2006."""
_BITS_OF_CIPHERTEXT: Final = 1024

_COMPUTED_PER_SECOND: Final = 40_000_000  # bytes sent and received that one core produces, hashes and consumes
_ROUND: Final = 0.0005  # seconds per round if the link has no delay
_BATCH: Final = 1 << 22  # bytes
_VALUES: Final = 1 << 14  # numbers compared at once where everything is computed twice
_CHECK: Final = extension_length(0)  # what each extension of transfers has beyond its rows


@dataclass(frozen=True, slots=True)
class Estimate:
    """The expected cost: candidates tried with cryptography, bytes sent and received by one side, rounds, seconds.

    `encryptions` is what the paper's protocol would need for the same, `paper_seconds` at the paper's speed; None for
    different people, for whom it has no protocol.
    """

    protocol: Protocol
    n: int
    columns: tuple[int, int]
    candidates: int
    bytes: int
    rounds: int
    seconds: float
    encryptions: int | None
    paper_seconds: float | None

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return asdict(self) | {"columns": list(self.columns)}


def encryptions_of_paper(protocol: Protocol, *, n: int, candidates: int, tested: int, left: Sequence[int] = ()) -> int:
    """Return how many encryptions the paper's protocols need: alpha + beta for DkA-SAPM, beta + gamma for IC-SAPM.

    `tested` is the number of calls of Secure_COM: of itemsets that pruning leaves to be tested for small groups.
    `left` are the numbers of rows that are left after each round of DkA-SAPM.

    >>> encryptions_of_paper("dka-sapm", n=8124, candidates=0, tested=0)
    65999376
    """
    beta = n * candidates
    return beta + (tested * _BITS_OF_CIPHERTEXT if protocol == "ic-sapm" else n * n + sum(rows**2 for rows in left))


def estimate_for(
    rows: Transactions,
    *,
    min_support: MinSupport,
    k: int,
    protocol: Protocol = "ic-sapm",
    partner_columns: int | None = None,
    dual: bool | None = None,
    horizontal: bool = False,
    delay: float = 0.0,
    bandwidth: float = 1e9,
) -> Estimate:
    """Estimate the cost of mining these rows with a partner.

    `partner_columns` is the number of the partner's frequent columns, by default that of one's own. With `horizontal`
    the partner is assumed to have as many people and the same frequent items. `dual` is as for `party`. `delay` is the
    link's one-way delay in seconds; `bandwidth` is in bits per second, each way.
    """
    wanted = Support.parse(min_support).value
    if not horizontal:
        wanted = least_support(wanted, rows.n, K.parse(k))
    elif isinstance(wanted, int):
        wanted = -(-wanted // 2)  # half of the joint support
    found = mine(rows, min_support=wanted, target="all")
    lengths = np.bincount(found.itemsets.lengths)[1:].tolist()
    own = lengths[0] if lengths else 0
    return estimate(
        n=2 * rows.n if horizontal else rows.n,
        columns=(own, own if partner_columns is None or horizontal else partner_columns),
        k=k,
        protocol=protocol,
        own_lengths=lengths,
        dual=dual,
        horizontal=horizontal,
        delay=delay,
        bandwidth=bandwidth,
    )


def estimate(
    *,
    n: int,
    columns: tuple[int, int],
    k: int,
    protocol: Protocol = "ic-sapm",
    own_lengths: Sequence[int] | None = None,
    dual: bool | None = None,
    horizontal: bool = False,
    delay: float = 0.0,
    bandwidth: float = 1e9,
) -> Estimate:
    """Estimate the cost for n rows and two numbers of frequent columns.

    `own_lengths` are the numbers of itemsets of 1, 2, ... items that are frequent in the first party's columns. With
    `horizontal`, n is the number of people of both, and the first number of columns is that of all frequent items.
    """
    k = K.parse(k)
    if n < 1 or min(columns) < 0 or delay < 0 or bandwidth <= 0:
        raise ParameterError("rows, columns and bandwidth must be positive numbers", parameter="estimate")
    spread, local = _expected_itemsets((columns[0], 0) if horizontal else columns, own_lengths)
    twice = computed_twice(dual, protocol=protocol, horizontal=horizontal)
    if twice and (horizontal or protocol != "ic-sapm"):
        raise ParameterError(
            f"{param('dual', value=True)} is for {param('protocol')} ic-sapm on columns of the same people; give it "
            "without the others",
            parameter="dual",
        )
    if twice:
        candidates = _expected_candidates(columns, spread)
        cost = _twice(Ring(n), candidates, spread, local)
    elif horizontal:
        spread = local[0]
        candidates = [columns[0], comb(columns[0], 2), *(number * 6 // 5 for number in spread[2:])]
        cost = _comparing(Ring(n), candidates)
    else:
        candidates = _expected_candidates(columns, spread)
        tried = candidates if protocol == "ic-sapm" else _tried_where_rows_are_cleared(columns, spread, local)
        cost = _finding(Ring(n), tried, local, columns_of=1 if protocol == "ic-sapm" else 2)
        cost += _comparing(Ring(n), tried)
    if not twice:
        cost += _testing(Ring(n), spread) if protocol == "ic-sapm" else _anonymizing(Ring(n), k)
    cost += _Cost(2 * 257 * 32, 9)  # base transfers, parameters, names, opening
    sent = int(cost.bytes)
    seconds = (sent + cost.made / MADE_PER_SENT) / _COMPUTED_PER_SECOND
    seconds += sent / 2 * 8 / bandwidth + cost.rounds * (_ROUND + delay)
    encryptions = None
    if not horizontal:
        encryptions = encryptions_of_paper(
            protocol,
            n=n,
            candidates=sum(candidates),
            tested=sum(spread) + sum(local[0]) + sum(local[1]),
        )
    return Estimate(
        protocol=protocol,
        n=n,
        columns=columns,
        candidates=sum(candidates),
        bytes=sent,
        rounds=cost.rounds,
        seconds=round(seconds, 2),
        encryptions=encryptions,
        paper_seconds=None if encryptions is None else round(encryptions / ENCRYPTIONS_PER_SECOND, 1),
    )


@dataclass(frozen=True, slots=True)
class _Cost:
    bytes: float
    rounds: int
    made: float = 0.0  # bytes that each side makes and does not send

    def __add__(self, other: _Cost) -> _Cost:
        return _Cost(self.bytes + other.bytes, self.rounds + other.rounds, self.made + other.made)


def _expected_itemsets(
    columns: tuple[int, int], own_lengths: Sequence[int] | None
) -> tuple[list[int], tuple[list[int], list[int]]]:
    """Return the expected numbers of frequent itemsets of 1, 2, ... items that span both, and of each party's own."""
    first, second = columns
    shares = [1.0]  # the share of itemsets of each length that are frequent
    shares += [number / comb(first, length) for length, number in enumerate(own_lengths or (), start=1) if number][1:]
    ratios = [after / before for before, after in pairwise(shares)] or [0.5 if own_lengths is None else 0.0]
    spread, alone = [0], ([first], [second])
    share = 1.0
    for length in range(2, first + second + 1):
        if length - 2 < len(ratios):
            ratio = ratios[length - 2]
        else:  # extrapolate the ratios so far, or use those of dense data
            ratio *= ratios[-1] / ratios[-2] if len(ratios) > 1 else ratio**0.5
        share *= min(1.0, ratio)
        counts = [round(share * comb(size, length)) for size in (first, second, first + second)]
        if not counts[2]:
            break
        alone[0].append(counts[0])
        alone[1].append(counts[1])
        spread.append(max(0, counts[2] - counts[0] - counts[1]))
    return spread, alone


def _expected_candidates(columns: tuple[int, int], spread: list[int]) -> list[int]:
    """Return the expected numbers of candidates of 2, 3, ... items: all pairs, then a fifth more than are frequent."""
    if not columns[0] or not columns[1]:
        return []
    return [columns[0] * columns[1], *(number * 6 // 5 for number in spread[2:])]


def _tried_where_rows_are_cleared(
    columns: tuple[int, int], spread: list[int], local: tuple[list[int], list[int]]
) -> list[int]:
    """Return the expected numbers of candidates of DkA-SAPM: single items twice, then those of one party as well."""
    items = sum(columns)
    longer = [sum(each) * 6 // 5 for each in zip(spread, *local, strict=True)]
    return [items, items, comb(items, 2), *longer[2:]]


def _finding(ring: Ring, candidates: list[int], local: tuple[list[int], list[int]], *, columns_of: int) -> _Cost:
    """Return the cost of sharing dot products of columns that are `columns_of` times as long as there are rows."""
    known = list(accumulate(min(local, key=sum)))  # the chooser's itemsets, up to each length
    cost = _Cost(0, 0)
    for place, number in enumerate(candidates):
        chosen = min(number, known[min(place, len(known) - 1)])
        sent = columns_of * ring.n * (TRANSFER_BYTES * chosen + ring.dtype.itemsize * number)
        batches = 1 + sent // _BATCH
        cost += _Cost(sent + batches * _CHECK, 2 * batches)
    return cost


def _comparing(ring: Ring, candidates: list[int]) -> _Cost:
    """Return the cost of comparing shares with the minimum support."""
    cost = _Cost(0, 0)
    for number in candidates:
        sent = number * (ring.width - 1) * AND_BYTES
        batches = 1 + int(sent) // (2 * _BATCH)
        cost += _Cost(sent + 2 * batches * _CHECK, ring.width + 1 + batches)
    return cost


def _testing(ring: Ring, spread: list[int]) -> _Cost:
    """Return the cost of testing itemsets that span both for small groups: two comparisons per group, and their OR."""
    cost = _Cost(0, 0)
    for length, number in enumerate(spread, start=1):
        sent = number * 2**length * (2 * (ring.width - 1) + 2) * AND_BYTES
        batches = 1 + int(sent) // (2 * _BATCH)
        checks = 2 * batches * _CHECK if number else 0
        cost += _Cost(sent + checks, ring.width + length + 3 + batches if number else 1)
    return cost


def _twice(ring: Ring, candidates: list[int], spread: list[int], local: tuple[list[int], list[int]]) -> _Cost:
    """Return the cost of finding and testing where everything is computed twice (`dual_engine`)."""
    alone = sum(map(sum, local))
    cost = _Cost(ring.n * 2 * TRANSFER_BYTES * (alone + sum(candidates)), 3)
    values = [(number, ring.width - 1) for number in (alone, *candidates)]
    values += [(number * 2**length, 2 * ring.width) for length, number in enumerate(spread, start=1) if number]
    for number, ands in values:
        batches = 1 + number // _VALUES
        sent = 2 * number * (64 * (TRANSFER_BYTES + 8) + ands * GATE_BYTES) + 2 * batches * _CHECK
        cost += _Cost(sent, 9 * batches)
    return cost


def _anonymizing(ring: Ring, k: int) -> _Cost:
    """Return the cost of sharing which rows are in large joint groups."""
    most = ring.n // k + 1
    levels, width = max(1, (ring.n - 1).bit_length()), 2 * (most - 1).bit_length()
    stages = levels * (levels + 1) // 2
    if counts_pairs(ring, most):
        sent, made = counting_bytes(ring, most), made_bytes(ring, most)
        batches = 1 + ring.n // ROWS_AT_ONCE
        rounds, checks = ring.width + 4 * most.bit_length() + 4 * batches + 20, 8 + 3 * batches
    else:
        sent, made = sorting_bytes(ring.n, most), 0.0
        rounds, checks = stages * (width + 3) + 2 * width + levels, 2 * stages
    return _Cost(sent + checks * _CHECK, rounds + ring.width + int(sent) // _BATCH, made)
