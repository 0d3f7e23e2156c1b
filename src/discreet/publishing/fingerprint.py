"""A keyed fingerprint of rows: the same rows have the same fingerprint, in any file and order.

It is an HMAC under a key that only the owner has. A plain digest, or one with a public salt, would let someone who
knows all rows except one try every possible last row until the digest fits. The first half tells which rows they are,
the second half, an HMAC of the first, tells the owner that it was made with their key.
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

__all__ = ["fingerprint", "made_with", "same_rows"]

_DOMAIN = b"discreet rows 1\0"
_KEY_DOMAIN = b"discreet ledger of rows 1\0"
_HALF = 32


def fingerprint(rows: Transactions, key: bytes) -> str:
    """Return the fingerprint of the rows as a multiset of sets of labels, as hex.

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
    half = digest.hexdigest()[:_HALF]
    return half + _of_key(half, key)


def made_with(fingerprint: str, key: bytes) -> bool:
    """Return whether a fingerprint was made with this key, of whatever rows."""
    return hmac.compare_digest(fingerprint[_HALF:], _of_key(fingerprint[:_HALF], key))


def same_rows(fingerprint: str | None) -> str | None:
    """Return the part of a fingerprint that is equal for equal rows, also in bundles of earlier versions."""
    return None if fingerprint is None else fingerprint[:_HALF]


def _of_key(half: str, key: bytes) -> str:
    return hmac.new(key, _KEY_DOMAIN + half.encode(), hashlib.sha256).hexdigest()[:_HALF]
