"""The time limit of a search, its progress reports, and its result when it is interrupted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from discreet.errors import ParameterError, param

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Interrupted", "TimeBudget", "TimeUp"]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C interrupted a search; `so_far` is the best result it had found, safe to publish."""

    def __init__(self, so_far: Any) -> None:  # a publication, or the result of `anonymize`
        super().__init__()
        self.so_far = so_far


class TimeUp(Exception):  # noqa: N818 - a signal, not an error; never leaves this package
    """A step was abandoned because time ran out."""


class TimeBudget:
    """The seconds that a search may take from now on (None for no limit), and a progress callback.

    `progress` is called a few times a second with the share that is done and the number of steps made.
    """

    def __init__(self, time_limit: float | None = None, progress: Callable[[float, int], object] | None = None) -> None:
        """Start the clock."""
        if time_limit is not None and (isinstance(time_limit, bool) or not time_limit > 0):
            raise ParameterError(
                f"{param('time_limit')} must be a number of seconds above 0, got {time_limit!r}; omit it for no limit",
                parameter="time_limit",
            )
        self.limited = time_limit is not None
        self._end = None if time_limit is None else time.monotonic() + time_limit
        self._progress = progress
        self._reported = 0.0

    def goes_on(self, done: float, steps: int) -> bool:
        """Report progress; return whether there is time for another step."""
        now = time.monotonic()
        if self._progress is not None and now - self._reported > 0.1:  # noqa: PLR2004 - seconds
            self._progress(min(1.0, done), steps)
            self._reported = now
        return self._end is None or now < self._end

    def watch(self) -> None:
        """Abandon the current step if time has run out; the kernel calls this a few times a second."""
        if self._end is not None and time.monotonic() >= self._end:
            raise TimeUp

    def stop(self) -> None:
        """Make time run out now, for all threads."""
        self._end = 0.0
