"""Types of the compiled kernel (cpp/module.cpp)."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

class ParseError(ValueError): ...
class TooLarge(ValueError): ...
class TooLong(ValueError): ...
class LatticeTooLarge(ValueError): ...

_Choice: TypeAlias = tuple[int, int, int]
_Split: TypeAlias = tuple[int, int, int, list[_Choice]]
_Groups: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]

class TextParser:
    def __init__(self, headers: bool, expected: int) -> None: ...
    def feed(self, chunk: bytes) -> None: ...
    def finish(self) -> tuple[NDArray[np.int64], NDArray[np.int32], list[str]]: ...
    @property
    def line(self) -> int: ...
    @property
    def header(self) -> list[str]: ...

class TextEditor:
    def __init__(
        self, headers: bool, tokens: list[str], rows: NDArray[np.int32], items: NDArray[np.int32], unnamed: list[str]
    ) -> None: ...
    def feed(self, chunk: bytes) -> bytes: ...
    def finish(self) -> bytes: ...
    @property
    def rows(self) -> int: ...
    @property
    def matched(self) -> bool: ...

def cut_cells(
    block: bytes, delimiter: str, last: bool, longest_line: int
) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], int, int, str]: ...
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
def split_rows(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    *,
    target_offsets: NDArray[np.int64],
    target_items: NDArray[np.int32],
    below: int,
    threads: int,
) -> _Groups: ...
def refine_rows(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    labels: int,
    target_offsets: NDArray[np.int64],
    target_items: NDArray[np.int32],
    below: int,
    threads: int,
) -> _Groups: ...
def split_patterns(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    supports: NDArray[np.int64],
    *,
    total: int,
    border: bool,
    target_offsets: NDArray[np.int64],
    target_items: NDArray[np.int32],
    below: int,
    threads: int,
) -> _Groups | int: ...
def find_exposed(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    *,
    labels: int,
    full_offsets: NDArray[np.int64],
    full_items: NDArray[np.int32],
    which: NDArray[np.int64],
    base_offsets: NDArray[np.int64],
    base_items: NDArray[np.int32],
    threads: int,
) -> NDArray[np.uint8]: ...
def one_item_less(offsets: NDArray[np.int64], items: NDArray[np.int32], labels: int) -> NDArray[np.int32]: ...
def find_contradiction(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    labels: int,
) -> tuple[int, int] | None: ...
def find_maximal(offsets: NDArray[np.int64], items: NDArray[np.int32], labels: int) -> NDArray[np.uint8]: ...
def find_lowest_maximal(
    offsets: NDArray[np.int64], items: NDArray[np.int32], levels: NDArray[np.int32], labels: int
) -> NDArray[np.int32]: ...
def find_border(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    labels: int,
    most: int,
    *,
    item_supports: NDArray[np.int64] | None,
    total: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], int]: ...
def find_interval_channels(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    *,
    labels: int,
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    total: int,
    k: int,
    exact: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]: ...
def closed_under_intersection(
    offsets: NDArray[np.int64], items: NDArray[np.int32], supports: NDArray[np.int64], labels: int
) -> bool: ...
def cover_channels(
    candidate_offsets: NDArray[np.int64],
    candidate_items: NDArray[np.int32],
    base_offsets: NDArray[np.int64],
    base_items: NDArray[np.int32],
    full_offsets: NDArray[np.int64],
    full_items: NDArray[np.int32],
    most_steps: int,
) -> list[int]: ...
def count_supersets(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    larger_offsets: NDArray[np.int64],
    larger_items: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    labels: int,
) -> NDArray[np.int64]: ...
def find_closed(
    offsets: NDArray[np.int64], items: NDArray[np.int32], supports: NDArray[np.int64], labels: int
) -> NDArray[np.uint8]: ...
def find_supports(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    known_offsets: NDArray[np.int64],
    known_items: NDArray[np.int32],
    supports: NDArray[np.int64],
    labels: int,
) -> NDArray[np.int64]: ...
def find_class_sizes(
    offsets: NDArray[np.int64], items: NDArray[np.int32], empty_closed: bool, labels: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]: ...
def merge_in_order(
    base_offsets: NDArray[np.int64],
    base_items: NDArray[np.int32],
    full_offsets: NDArray[np.int64],
    full_items: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
def merge_covered(
    candidate_offsets: NDArray[np.int64],
    candidate_items: NDArray[np.int32],
    base_offsets: NDArray[np.int64],
    base_items: NDArray[np.int32],
    full_offsets: NDArray[np.int64],
    full_items: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
def invert_rows(
    offsets: NDArray[np.int64], items: NDArray[np.int32], labels: int, wanted: NDArray[np.uint8] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
def in_both(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]: ...
def in_either(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]: ...
def in_first_alone(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]: ...
def find_holders(
    list_offsets: NDArray[np.int64],
    list_rows: NDArray[np.int32],
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
def contain_any(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    pattern_offsets: NDArray[np.int64],
    pattern_items: NDArray[np.int32],
    labels: int,
) -> NDArray[np.uint8]: ...
def find_free_class_sizes(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    pattern_offsets: NDArray[np.int64],
    pattern_items: NDArray[np.int32],
    empty_closed: bool,
    labels: int,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]: ...
def sanitize_rows(
    found_offsets: NDArray[np.int64],
    found_rows: NDArray[np.int32],
    *,
    counts: NDArray[np.int64],
    pattern_offsets: NDArray[np.int64],
    pattern_items: NDArray[np.int32],
    victim_offsets: NDArray[np.int64],
    victim_items: NDArray[np.int32],
    stays: NDArray[np.int32] | None,
    lengths: NDArray[np.int32] | None,
    rows: int,
    labels: int,
    most_conflicts_first: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def remove_items(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    removed_rows: NDArray[np.int32],
    removed_items: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
def transpose_columns(columns: NDArray[np.uint8]) -> NDArray[np.uint64]: ...
def find_worst_rule(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    sensitive: NDArray[np.uint8],
) -> tuple[NDArray[np.int32], int, int, int] | None: ...
def find_affected(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    sensitive: NDArray[np.uint8],
    rho_part: int,
    rho_whole: int,
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]: ...
def find_sensitive_rules(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    sensitive: NDArray[np.uint8],
    size: int,
    rho_part: int,
    rho_whole: int,
) -> NDArray[np.int32]: ...
def suppress_by_level(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    sensitive: NDArray[np.uint8],
    costs: NDArray[np.int64],
    rho_part: int,
    rho_whole: int,
) -> list[tuple[int, int, list[_Choice]]]: ...

class TopDown:
    def __init__(
        self,
        offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        weights: NDArray[np.int64] | None,
        *,
        total: int,
        leaf_of: NDArray[np.int32],
        parent: NDArray[np.int32],
        leaves_below: NDArray[np.int64],
        rho_part: int,
        rho_whole: int,
        watch: Callable[[], object] | None,
    ) -> None: ...
    def step(self, *, explain: bool, watch: Callable[[], object] | None) -> tuple[_Split, list[_Split]] | None: ...
    @property
    def start(self) -> list[_Choice]: ...
    @property
    def loss(self) -> int: ...
    def node_of(self) -> NDArray[np.int32]: ...
    def dropped(self) -> NDArray[np.uint8]: ...

class UncertaintyProblem:
    def __init__(
        self,
        offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        weights: NDArray[np.int64] | None,
        *,
        total: int,
        leaf_of: NDArray[np.int32],
        parent: NDArray[np.int32],
        leaves_below: NDArray[np.int64],
        rho_part: int,
        rho_whole: int,
    ) -> None: ...

def keep_at_cut(
    problem: UncertaintyProblem,
    *,
    split: NDArray[np.uint8],
    order: NDArray[np.int32],
    most_work: int,
    watch: Callable[[], object] | None,
) -> tuple[int, NDArray[np.uint8], int]: ...

class Known:
    def __init__(
        self,
        *,
        offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        lows: NDArray[np.int64],
        highs: NDArray[np.int64],
        starts: NDArray[np.int64],
        totals: NDArray[np.int64],
        ceilings: NDArray[np.int64],
        markers: NDArray[np.int32],
        closed: NDArray[np.uint8],
        exclusive_offsets: NDArray[np.int64],
        exclusive_items: NDArray[np.int32],
        labels: int,
    ) -> None: ...

_FoundGroups: TypeAlias = tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
]

def attack(
    known: Known,
    *,
    row_offsets: NDArray[np.int64] | None,
    row_items: NDArray[np.int32] | None,
    weights: NDArray[np.int64] | None,
    window_offsets: NDArray[np.int64],
    window_items: NDArray[np.int32],
    asked: NDArray[np.uint8] | None,
    k: int,
    steps: int,
    cells: int,
    groups: int,
    exact: bool,
    threads: int,
) -> tuple[_FoundGroups, _FoundGroups, NDArray[np.uint8], int, int]: ...
def prove(
    known: Known,
    *,
    window_offsets: NDArray[np.int64],
    window_items: NDArray[np.int32],
    present_offsets: NDArray[np.int64],
    present: NDArray[np.int32],
    absent_offsets: NDArray[np.int64],
    absent: NDArray[np.int32],
    high: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    shortest: bool,
    threads: int,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
]: ...
def window_program(
    known: Known, window: NDArray[np.int32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64], bool]: ...
