"""A keyed fingerprint of rows: the same rows have the same fingerprint, in any file and order.

It is an HMAC under a key that only the owner has. A plain digest, or one with a public salt, would let someone who
knows all rows except one try every possible last row until the digest fits.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from discreet.transactions.transactions import Transactions

__all__ = ["fingerprint"]

_DOMAIN = b"discreet rows 1\0"


def fingerprint(rows: Transactions, key: bytes) -> str:
    """Return the HMAC-SHA256 of the rows as a multiset of sets of labels, as hex.

    >>> from discreet import Transactions
    >>> one, other = Transactions.from_rows(["ab", "c", "c"]), Transactions.from_rows(["c", "ba", "c"])
    >>> fingerprint(one, b"key") == fingerprint(other, b"key")
    True
    """
    used = np.unique(rows.items)  # unused labels say nothing about the rows
    labels = [rows.vocabulary[item].encode() for item in used.tolist()]
    by_bytes = np.array(sorted(range(len(labels)), key=labels.__getitem__), np.int64)
    place = np.empty(len(labels), np.int32)
    place[by_bytes] = np.arange(len(labels))
    every = Itemsets(rows.offsets, np.searchsorted(used, rows.items).astype(np.int32)).canonical(place)
    firsts, weights = _kernel.fold_rows(every, rows.weights)
    kinds = every.select(firsts)
    order = kinds.order()
    kinds = kinds.select(order)
    labels.sort()
    digest = hmac.new(key, _DOMAIN, hashlib.sha256)
    for part in (
        np.array([len(labels), len(order)]),
        np.array([len(label) for label in labels]),
        b"".join(labels),
        kinds.lengths,
        kinds.items,
        weights[order],
    ):
        digest.update(part if isinstance(part, bytes) else part.astype("<i8").tobytes())
    return digest.hexdigest()
