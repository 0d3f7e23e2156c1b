"""Waiting for what must happen, however busy the machine is: no test measures time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PATIENCE", "wait_until"]

PATIENCE = 300
"""Seconds after which a test takes what it waits for as hung; nothing else takes that long."""


def wait_until(happened: Callable[[], object]) -> None:
    """Look again and again until something has happened."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
