"""A session made of steps: drives a generator (see `steps`) with the frames that come in.

A frame that may not come now is refused before the generator sees it, so it changes nothing: the frame that was due is
still due. What the steps themselves raise is the end of the conversation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from discreet.twoparty.steps import Expected

if TYPE_CHECKING:
    from discreet.twoparty.frames import Frame
    from discreet.twoparty.steps import Steps

__all__ = ["Conversation"]

Result = TypeVar("Result")


class Conversation(Generic[Result]):
    """Frames in, frames out; no sockets, no threads, no clock."""

    def __init__(self, steps: Steps[Result]) -> None:
        """Take the steps, not yet begun."""
        self._steps = steps
        self._expected: Expected | None = None
        self._result: list[Result] = []

    @property
    def finished(self) -> bool:
        """Whether the result is there."""
        return bool(self._result)

    @property
    def result(self) -> Result:
        """What the steps came to."""
        if not self._result:
            raise RuntimeError("the conversation has not finished")
        return self._result[0]

    def start(self) -> list[Frame]:
        """Begin; return the frames to send before anything is received."""
        return self._until_expecting(None)

    def receive(self, frame: Frame) -> list[Frame]:
        """Take the partner's next frame; return the frames to send."""
        if self._expected is None:
            raise RuntimeError("the conversation is not waiting for a frame")
        payload = self._expected.check(frame)
        self._expected = None
        return self._until_expecting(payload)

    def _until_expecting(self, payload: bytes | None) -> list[Frame]:
        sending: list[Frame] = []
        try:
            step = next(self._steps) if payload is None else self._steps.send(payload)
            while not isinstance(step, Expected):
                sending.append(step)
                step = next(self._steps)
        except StopIteration as end:
            self._result.append(end.value)
        else:
            self._expected = step
        return sending
