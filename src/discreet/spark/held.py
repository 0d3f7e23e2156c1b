"""Frames that Spark is asked to hold on to, because they are looked at more than once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["HeldFrames"]


@dataclass(frozen=True)
class HeldFrames:
    """The frames held so far."""

    frames: list[DataFrame] = field(default_factory=list)

    def hold(self, frame: DataFrame) -> DataFrame:
        """Keep a frame in Spark's memory, and on its disks where that is full, from its first use on."""
        self.frames.append(frame.persist())
        return frame

    def release(self) -> None:
        """Let go of all of them."""
        for frame in self.frames:
            frame.unpersist()
        self.frames.clear()
