"""Reading text against a Python loop over split()."""

from __future__ import annotations

import gzip
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import Case, data_folder
from discreet.transactions.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["cases"]


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    return [
        Case("read retail.dat, unpacked", partial(_reading, small), peer="[line.split() for line in file]", least=20),
        Case(
            "read retail.dat, unpacked, to integers",
            partial(_reading, small, numbered=True),
            peer="the same loop with a dictionary of labels",
            least=20,
        ),
    ]


def _reading(small: bool, *, numbered: bool = False) -> tuple[Callable[[], object], Callable[[], object]]:
    folder = Path(tempfile.mkdtemp(prefix="discreet-bench-"))
    path = folder / "rows.dat"
    path.write_bytes(
        b"1 2 3\n4 5\n" * 100 if small else gzip.decompress((data_folder() / "retail.dat.gz").read_bytes())
    )

    def loop() -> object:
        with path.open() as file:
            if not numbered:
                return [line.split() for line in file]
            numbers: dict[str, int] = {}
            return [[numbers.setdefault(token, len(numbers)) for token in line.split()] for line in file]

    return partial(read, path), loop
