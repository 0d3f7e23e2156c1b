"""How long a search may go on, whom it tells how far it is, and what it leaves when it is interrupted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from discreet.errors import ParameterError, param

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Interrupted", "TimeBudget", "TimeUp"]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came while a search was under way; `so_far` is the best it had found, safe to publish."""

    def __init__(self, so_far: Any) -> None:  # a publication, from `anonymize` what it gives
        """Keep what was found."""
        super().__init__()
        self.so_far = so_far


class TimeUp(Exception):  # noqa: N818 - says what happened; never leaves this folder
    """A step was given up because there is no more time for it."""


class TimeBudget:
    """Seconds that a search may take (None: as long as it needs), counted from now, and a bar to move meanwhile.

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
        self._told = 0.0

    def goes_on(self, done: float, steps: int) -> bool:
        """Tell how far the search is; return whether there is time for another step."""
        now = time.monotonic()
        if self._progress is not None and now - self._told > 0.1:  # noqa: PLR2004 - seconds
            self._progress(min(1.0, done), steps)
            self._told = now
        return self._end is None or now < self._end

    def watch(self) -> None:
        """Give up the step under way if time has run out meanwhile: the kernel asks this a few times a second."""
        if self._end is not None and time.monotonic() >= self._end:
            raise TimeUp

    def stop(self) -> None:
        """Let time run out now, for all threads."""
        self._end = 0.0
