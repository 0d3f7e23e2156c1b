"""Types of the compiled kernel (cpp/module.cpp)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

class ParseError(ValueError): ...
class TooLarge(ValueError): ...

class TextParser:
    def __init__(self, headers: bool) -> None: ...
    def feed(self, chunk: bytes) -> None: ...
    def finish(self) -> tuple[NDArray[np.int64], NDArray[np.int32], list[str]]: ...
    @property
    def line(self) -> int: ...
    @property
    def header(self) -> list[str]: ...

def format_text(
    offsets: NDArray[np.int64], items: NDArray[np.int32], labels: list[str], first: int, last: int
) -> bytes: ...
def check_rows(offsets: NDArray[np.int64], items: NDArray[np.int32], labels: int) -> None: ...
def canonical_rows(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], renumber: NDArray[np.int32] | None
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
def item_supports(
    offsets: NDArray[np.int64], items: NDArray[np.int32], weights: NDArray[np.int64] | None, labels: int
) -> NDArray[np.int64]: ...
def fold_rows(
    offsets: NDArray[np.int64], items: NDArray[np.int32], weights: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def select_rows(
    offsets: NDArray[np.int64], items: NDArray[np.int32], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
def cpu() -> str: ...
def mine(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    sigma: int,
    labels: int,
    target: str,
    cap: int,
    max_patterns: int,
    max_bytes: int,
    threads: int,
    layout: str,
    progress: Callable[[float, int], object] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]] | int: ...
