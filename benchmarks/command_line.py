"""How long `discreet --help` takes beyond starting Python."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.cases import Case

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["cases"]


def cases(*, small: bool) -> list[Case]:
    """Return the one case; it is the same, large or small."""
    return [Case("discreet --help", _starting, peer="python -c pass", repeats=1 if small else 10)]


def _starting() -> tuple[Callable[[], object], Callable[[], object]]:
    run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
    return partial(run, [sys.executable, "-m", "discreet", "--help"]), partial(run, [sys.executable, "-c", "pass"])
