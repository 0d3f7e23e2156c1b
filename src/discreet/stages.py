"""What long work is doing now, for whoever waits for it.

Work deep below a command says which stage it is in, and how much of the stage is done where that can be counted. Nobody
has to pass a listener down: it is set around the work, for the context that the work runs in.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["heard_by", "share_of", "tell", "tell_share"]

_LISTENER: ContextVar[Callable[[str, float | None], object] | None] = ContextVar("listener", default=None)
_STAGE: ContextVar[str] = ContextVar("stage", default="")


@contextmanager
def heard_by(listener: Callable[[str, float | None], object]) -> Iterator[None]:
    """Pass every stage of the work inside to `listener`, with the share of it that is done, None if unknown."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell(stage: str, done: float | None = None) -> None:
    """Report what is being done now."""
    _STAGE.set(stage)
    listener = _LISTENER.get()
    if listener is not None:
        listener(stage, done)


def tell_share(done: float) -> None:
    """Report how much is done of the last reported stage."""
    tell(_STAGE.get(), done)


def share_of(stage: str) -> Callable[[float, int], object] | None:
    """Report that a stage begins; return a function to call with the share that is done, None if nobody listens."""
    listener = _LISTENER.get()
    if listener is None:
        return None
    listener(stage, None)
    return lambda done, _: listener(stage, done)
