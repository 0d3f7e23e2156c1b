"""SPU's cryptography and ours come to the same result.

SPU needs an older NumPy than the rest of the tests, so it is in no extra: the comparison is there where SPU is, in
an environment of its own. Everywhere else it is checked that its absence is told.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from discreet.errors import EngineError
from tests.conftest import ROOT
from tests.twoparty_pair import columns_of, mine_together, random_rows, sessions, talk
from tests.twoparty_plaintext import TrustedParty
from tests.twoparty_spu import SpuArithmetic

TABLE_1A = [line.split() for line in (ROOT / "tests/data/running-example.dat").read_text().splitlines()]

if find_spec("spu"):

    def by_spu(halves, **wanted):
        trusted = TrustedParty(arithmetic=SpuArithmetic())
        first, second = sessions(halves, start_engine=trusted.start_engine, **wanted)
        talk(first, second)
        return first.result.to_dict()

    def test_the_running_example() -> None:
        halves = columns_of(TABLE_1A, "abcd"), columns_of(TABLE_1A, "efgh")
        for protocol in ("ic-sapm", "dka-sapm"):
            wanted = {"min_support": 8, "k": 3, "protocol": protocol}
            assert by_spu(halves, **wanted) == mine_together(halves, **wanted).to_dict()

    @pytest.mark.parametrize("seed", range(3))
    def test_random_splits(seed: int) -> None:
        rows = random_rows(seed, most_rows=20, items="abcdef")
        halves = columns_of(rows, "ace"), columns_of(rows, "bdf")
        wanted = {"min_support": max(1, len(rows) // 3), "k": 2}
        assert by_spu(halves, **wanted) == mine_together(halves, **wanted).to_dict()

else:

    def test_its_absence_is_told() -> None:
        with pytest.raises(EngineError, match="SPU is not installed"):
            SpuArithmetic()
