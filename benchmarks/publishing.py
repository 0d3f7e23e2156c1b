"""Publishing: the joint audit of two releases against trying every choice, verifying a bundle, fingerprints of rows."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import Case, data_folder
from discreet.channels.blocking import block
from discreet.channels.collection import collection_of
from discreet.publishing.fingerprint import fingerprint
from discreet.publishing.mixed_supports import mixed_clash, support_table
from discreet.publishing.release import release
from discreet.publishing.verifier import verify
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.publishing.mixing_twin import mixed_sums, printed_by

if TYPE_CHECKING:
    from collections.abc import Callable

    Jobs = tuple[Callable[[], object], Callable[[], object] | None]

__all__ = ["cases"]

K = 10


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    load = _small if small else _mushroom
    return [
        Case(
            f"joint audit of two equal releases, mushroom 60 %, k = {K}",
            partial(_joint, load, "60%"),
            peer="every choice in turn",
        ),
        Case(f"joint audit of two releases, mushroom 20 %, k = {K}", partial(_joint_alone, load, "20%")),
        Case(f"verify a bundle, mushroom 20 %, k = {K}", partial(_verify, load, "20%")),
        Case("fingerprint, mushroom", partial(_fingerprint, load)),
    ]


def _mushroom() -> Transactions:
    return read(data_folder() / "mushroom.dat.gz")


def _small() -> Transactions:
    return Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + ["c"] * 20 + [""] * 20)


def _joint(load: Callable[[], Transactions], support: str) -> Jobs:
    patterns = block(load(), k=K, min_support=support, method="suppressive").patterns
    printed = printed_by(patterns)
    return lambda: mixed_clash(support_table([patterns, patterns]), k=K), lambda: mixed_sums([printed, printed])


def _joint_alone(load: Callable[[], Transactions], support: str) -> Jobs:
    lower = block(load(), k=K, min_support=support, method="suppressive").patterns
    higher = collection_of(lower).at_support(2 * lower.min_support)
    return lambda: mixed_clash(support_table([lower, higher]), k=K), None


def _verify(load: Callable[[], Transactions], support: str) -> Jobs:
    folder = tempfile.mkdtemp(prefix="discreet-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    release(load(), k=K, min_support=support, method="suppressive", output=Path(folder) / "public")
    return partial(verify, Path(folder) / "public"), None


def _fingerprint(load: Callable[[], Transactions]) -> Jobs:
    rows = load()
    return partial(fingerprint, rows, b"key"), None
