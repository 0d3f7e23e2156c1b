"""Try every way to publish at one point, exact ones and noise, for a look: nothing is published or recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.channels.exclusive_names import parse_exclusive
from discreet.microdata.comparison import compare

if TYPE_CHECKING:
    from discreet.microdata.comparison import Comparison
    from discreet.transactions.transactions import Transactions
    from discreet.workbench.jobs.rows_cache import OnProgress

__all__ = ["compare_ways"]


def compare_ways(  # noqa: PLR0917 - sent through a pipe, in order
    report: OnProgress,
    rows: Transactions,
    min_support: int,
    k: int,
    quasi_identifiers: str | None = None,
    sensitive: str | None = None,
    rho: str | None = None,
    exclusive: tuple[str, ...] = (),
) -> Comparison:
    """Compare the ways to publish these patterns, as the command `compare` does."""
    report(None, "Trying every way to publish, exact and with noise")
    return compare(
        rows,
        k=k,
        min_support=min_support,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        rho=rho,
        exclusive=parse_exclusive(list(exclusive), typed=True) or None,
    )
