"""What the owner alone gets to know about a release: gathered here, told in `owner_report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.tradeoff import tradeoff
from discreet.publishing.published import OwnerStory

if TYPE_CHECKING:
    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.channels.tradeoff import Tradeoff
    from discreet.publishing.published import PublishedPatterns, ReleaseMethod

__all__ = ["tell_owner"]

_MOST_ROWS_NAMED = 1000
_POINTS = 8


def tell_owner(
    published: PublishedPatterns,
    *,
    method: ReleaseMethod,
    before: Audit,
    blocked: Blocked | None,
    source: str,
    command: tuple[str, ...],
    bundle: str,
) -> OwnerStory:
    """Return the story of a release; `before` is the audit of the rows."""
    exposed = np.zeros(0, bool) if before.exposed is None or not len(before.channels) else before.exposed
    return OwnerStory(
        published=published,
        method=method,
        before=before,
        blocked=blocked,
        tradeoff=_tradeoff(before),
        exposed_rows=tuple((np.flatnonzero(exposed)[:_MOST_ROWS_NAMED] + 1).tolist()),
        source=source,
        command=command,
        bundle=bundle,
    )


def _tradeoff(before: Audit) -> Tradeoff | None:
    """Return the channels from the chosen support up, for the chosen k, half of it and twice as much."""
    collection, lowest = before.collection, before.min_support
    if collection is None or lowest is None or not len(collection.closed):
        return None
    highest = int(collection.closed.supports.max())
    supports = np.unique(np.linspace(lowest, max(lowest, highest), _POINTS).astype(np.int64))
    ks = sorted({max(2, before.k // 2), before.k, 2 * before.k})
    return tradeoff(collection.closed, min_support=supports.tolist(), k=ks)
