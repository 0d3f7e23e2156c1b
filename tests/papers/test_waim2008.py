"""A new approach for detecting anonymity of patterns (WAIM 2008): PMICD."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.channels.audit import audit
from discreet.transactions.reading import read

ROWS = Path(__file__).parent.parent / "data" / "pmicd-example.dat"


@pytest.mark.parametrize("method", ["auto", "direct", "closed", "projection"])
def test_figures_1_and_4_channels_on_bcd(method: str):
    found = audit(read(ROWS), k=3, min_support=4, method=method)
    on_bcd = {("".join(sorted(c.base)), c.support) for c in found.channels if c.full == frozenset("bcd")}
    assert on_bcd == {("b", 1), ("bc", 2), ("cd", 2)}
    assert len(found.channels) == 29


def test_the_last_group_counts_too():
    """Figure 3's loop never emits the last run; here the last projection in order is one of the channels."""
    found = audit(read(ROWS), k=3, min_support=4, method="projection")
    last_of = {}
    for channel in found.channels:
        last_of.setdefault(channel.full, []).append("".join(sorted(channel.base)))
    assert "cd" in last_of[frozenset("bcd")]
