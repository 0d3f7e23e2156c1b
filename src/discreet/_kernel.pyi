"""Types of the compiled kernel (cpp/module.cpp)."""

from collections.abc import Callable
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from discreet.itemsets import Itemsets

class ParseError(ValueError): ...
class TooLarge(ValueError): ...

class TooMany(ValueError):  # args[0]: there are at least this many
    args: tuple[int]

class TooLong(ValueError): ...

class Inconsistent(ValueError):  # args[0]: the number of the target
    args: tuple[int]

class LatticeTooLarge(ValueError): ...

_Arrays: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32]]
"""Itemsets on the way out: offsets and items."""
_Choice: TypeAlias = tuple[int, int, int]
_Split: TypeAlias = tuple[int, int, int, list[_Choice]]
_Groups: TypeAlias = tuple[NDArray[np.uint32], _Arrays, NDArray[np.int64]]

class TextParser:
    def __init__(self, headers: bool, expected: int) -> None: ...
    def feed(self, chunk: bytes) -> None: ...
    def finish(self) -> tuple[_Arrays, list[str]]: ...
    def take(self) -> _Arrays: ...
    def take_last(self) -> tuple[_Arrays, list[str], NDArray[np.int32]]: ...
    @property
    def line(self) -> int: ...
    @property
    def header(self) -> list[str]: ...

class LabelTable:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def code(self, label: str) -> int: ...
    def codes(
        self, text: NDArray[np.uint8], offsets: NDArray[np.int64], prefix: str, missing: list[str]
    ) -> NDArray[np.int32]: ...
    def texts(self) -> list[str]: ...

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
def format_text(rows: Itemsets, labels: list[str], first: int, last: int) -> bytes: ...
def check_rows(rows: Itemsets, labels: int) -> None: ...
def canonical_rows(codes: Itemsets, renumber: NDArray[np.int32] | None) -> _Arrays: ...
def item_supports(rows: Itemsets, weights: NDArray[np.int64] | None, labels: int) -> NDArray[np.int64]: ...
def fold_rows(rows: Itemsets, weights: NDArray[np.int64] | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def select_rows(rows: Itemsets, chosen: NDArray[np.int64]) -> _Arrays: ...
def cpu() -> str: ...
def mine(
    rows: Itemsets,
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
) -> tuple[_Arrays, NDArray[np.int64]]: ...
def count_closed(
    rows: Itemsets,
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    sigma: int,
    labels: int,
    max_patterns: int,
    most_singly: int,
    threads: int,
    layout: str,
    progress: Callable[[float, int], object] | None,
) -> int: ...
def split_rows(
    rows: Itemsets, weights: NDArray[np.int64] | None, *, targets: Itemsets, below: int, threads: int
) -> _Groups: ...
def refine_rows(
    rows: Itemsets,
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    labels: int,
    targets: Itemsets,
    below: int,
    threads: int,
) -> _Groups: ...
def split_patterns(
    itemsets: Itemsets,
    supports: NDArray[np.int64],
    *,
    total: int,
    border: bool,
    targets: Itemsets,
    below: int,
    threads: int,
) -> _Groups: ...
def split_shares(
    itemsets: Itemsets,
    supports: NDArray[np.int64],
    *,
    total: int,
    targets: Itemsets,
    items: NDArray[np.int32],
    above: int,
    below: int,
    threads: int,
) -> tuple[NDArray[np.uint32], tuple[NDArray[np.int64], NDArray[np.int32]], NDArray[np.int64], NDArray[np.int64]]: ...
def find_exposed(
    rows: Itemsets, *, labels: int, fulls: Itemsets, which: NDArray[np.int64], bases: Itemsets, threads: int
) -> NDArray[np.uint8]: ...
def one_item_less(itemsets: Itemsets, labels: int) -> NDArray[np.int32]: ...
def find_contradiction(
    itemsets: Itemsets, lows: NDArray[np.int64], highs: NDArray[np.int64], labels: int
) -> tuple[int, int] | None: ...
def find_maximal(itemsets: Itemsets, labels: int) -> NDArray[np.uint8]: ...
def find_lowest_maximal(itemsets: Itemsets, levels: NDArray[np.int32], labels: int) -> NDArray[np.int32]: ...
def find_border(
    itemsets: Itemsets, labels: int, most: int, *, item_supports: NDArray[np.int64] | None, total: int
) -> tuple[_Arrays, int]: ...
def find_interval_channels(
    itemsets: Itemsets,
    *,
    labels: int,
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    total: int,
    k: int,
    exact: bool,
) -> tuple[NDArray[np.int32], _Arrays, NDArray[np.int64], NDArray[np.int64]]: ...
def closed_under_intersection(itemsets: Itemsets, supports: NDArray[np.int64], labels: int) -> bool: ...
def cover_channels(candidates: Itemsets, bases: Itemsets, fulls: Itemsets, most_steps: int) -> list[int]: ...
def count_supersets(
    itemsets: Itemsets,
    larger: Itemsets,
    weights: NDArray[np.int64] | None,
    labels: int,
    around_rarest: bool | None = None,
) -> NDArray[np.int64]: ...
def find_closed(itemsets: Itemsets, supports: NDArray[np.int64], labels: int) -> NDArray[np.uint8]: ...
def find_supports(wanted: Itemsets, known: Itemsets, supports: NDArray[np.int64], labels: int) -> NDArray[np.int64]: ...
def find_class_sizes(
    itemsets: Itemsets, empty_closed: bool, labels: int, without: Itemsets | None = None
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]: ...
def merge_in_order(bases: Itemsets, fulls: Itemsets) -> _Arrays: ...
def merge_covered(candidates: Itemsets, bases: Itemsets, fulls: Itemsets) -> _Arrays: ...
def invert_rows(rows: Itemsets, labels: int, wanted: NDArray[np.uint8] | None = None) -> _Arrays: ...
def in_both(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]: ...
def in_either(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]: ...
def in_first_alone(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]: ...
def find_holders(lists: Itemsets, itemsets: Itemsets) -> _Arrays: ...
def contain_any(itemsets: Itemsets, patterns: Itemsets, labels: int) -> NDArray[np.uint8]: ...
def sanitize_rows(
    found: Itemsets,
    *,
    counts: NDArray[np.int64],
    patterns: Itemsets,
    victims: Itemsets,
    stays: NDArray[np.int32] | None,
    lengths: NDArray[np.int32] | None,
    rows: int,
    labels: int,
    most_conflicts_first: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def find_stakes(
    rows: Itemsets,
    *,
    found: Itemsets,
    patterns: Itemsets,
    others: Itemsets,
    supports: NDArray[np.int64],
    sigma: int,
    labels: int,
    most: int,
) -> tuple[NDArray[np.int32], _Arrays, _Arrays, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], bool]: ...
def choose_by_row(
    rows: NDArray[np.int32],
    *,
    groups: Itemsets,
    touched: Itemsets,
    weights: NDArray[np.int64],
    slacks: NDArray[np.int64],
    found: Itemsets,
    counts: NDArray[np.int64],
    patterns: Itemsets,
    starts: Itemsets,
    spared: NDArray[np.int64],
    sigma: int,
    steps: int,
    all_rows: int,
    labels: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def remove_items(rows: Itemsets, removed_rows: NDArray[np.int32], removed_items: NDArray[np.int32]) -> _Arrays: ...
def transpose_columns(columns: NDArray[np.uint8]) -> NDArray[np.uint64]: ...
def hash_columns(
    columns: NDArray[np.uint8], *, count: int, key: NDArray[np.uint8], portable: bool = False
) -> NDArray[np.uint8]: ...
def multiply_elements(
    one: NDArray[np.uint64], other: NDArray[np.uint64], *, portable: bool = False
) -> NDArray[np.uint64]: ...
def find_worst_rule(
    rows: Itemsets,
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    sensitive: NDArray[np.uint8],
) -> tuple[NDArray[np.int32], int, int, int] | None: ...
def find_affected(
    rows: Itemsets,
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    sensitive: NDArray[np.uint8],
    rho_part: NDArray[np.int64],
    rho_whole: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]: ...
def find_endangered(
    rows: Itemsets,
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    sensitive: NDArray[np.uint8],
    rho_part: NDArray[np.int64],
    rho_whole: NDArray[np.int64],
    every: bool,
    staged: bool = False,
    steps: int = 16,
) -> NDArray[np.uint8]: ...
def suppress_by_level(
    rows: Itemsets,
    weights: NDArray[np.int64] | None,
    *,
    total: int,
    sensitive: NDArray[np.uint8],
    costs: NDArray[np.int64],
    rho_part: NDArray[np.int64],
    rho_whole: NDArray[np.int64],
) -> list[tuple[int, int, list[_Choice]]]: ...

class TopDown:
    def __init__(
        self,
        rows: Itemsets,
        weights: NDArray[np.int64] | None,
        *,
        total: int,
        leaf_of: NDArray[np.int32],
        parent: NDArray[np.int32],
        leaves_below: NDArray[np.int64],
        rho_part: NDArray[np.int64],
        rho_whole: NDArray[np.int64],
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
        rows: Itemsets,
        weights: NDArray[np.int64] | None,
        *,
        total: int,
        leaf_of: NDArray[np.int32],
        parent: NDArray[np.int32],
        leaves_below: NDArray[np.int64],
        rho_part: NDArray[np.int64],
        rho_whole: NDArray[np.int64],
        one_cut: bool = ...,
    ) -> None: ...

class UncertaintyCut:
    def __init__(self, problem: UncertaintyProblem, split: NDArray[np.uint8]) -> None: ...

def keep_at_cut(
    problem: UncertaintyProblem,
    cut: UncertaintyCut,
    *,
    order: NDArray[np.int32],
    most_work: int,
    others_stay: bool = False,
    watch: Callable[[], object] | None,
) -> tuple[int, NDArray[np.uint8], int]: ...

class Known:
    def __init__(
        self,
        *,
        itemsets: Itemsets,
        lows: NDArray[np.int64],
        highs: NDArray[np.int64],
        starts: NDArray[np.int64],
        totals: NDArray[np.int64],
        ceilings: NDArray[np.int64],
        longest: NDArray[np.int64],
        markers: NDArray[np.int32],
        closed: NDArray[np.uint8],
        of_rows: NDArray[np.uint8],
        exclusive: Itemsets,
        labels: int,
    ) -> None: ...

_FoundGroups: TypeAlias = tuple[NDArray[np.int64], _Arrays, _Arrays, NDArray[np.int64], NDArray[np.int64]]
_FoundConclusions: TypeAlias = tuple[_FoundGroups, NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]

@overload
def attack(
    known: Known,
    *,
    rows: Itemsets | None,
    weights: NDArray[np.int64] | None,
    windows: Itemsets,
    asked: NDArray[np.uint8] | None,
    k: int,
    steps: int,
    cells: int,
    groups: int,
    exact: bool,
    threads: int,
    progress: Callable[[float, int], object] | None,
) -> tuple[_FoundGroups, _FoundGroups, NDArray[np.uint8], int, int]: ...
@overload
def attack(
    known: Known,
    *,
    rows: Itemsets | None,
    weights: NDArray[np.int64] | None,
    windows: Itemsets,
    asked: NDArray[np.uint8] | None,
    k: int,
    steps: int,
    cells: int,
    groups: int,
    exact: bool,
    threads: int,
    progress: Callable[[float, int], object] | None,
    sensitive: NDArray[np.uint8],
    above: int,
    below: int,
    most: int,
) -> tuple[_FoundConclusions, _FoundConclusions, NDArray[np.uint8], int, int]: ...
def prove(
    known: Known,
    *,
    windows: Itemsets,
    present: Itemsets,
    absent: Itemsets,
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
    _Arrays,
    NDArray[np.int64],
    NDArray[np.int64],
]: ...
def window_program(
    known: Known, window: NDArray[np.int32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64], bool]: ...
