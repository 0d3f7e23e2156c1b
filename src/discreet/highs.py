"""Integer and linear programs, solved by HiGHS. Only this module imports `highspy`.

One thread, a fixed seed and budgets that count steps make every answer reproducible. Answers come from floats and prove
nothing: callers check them in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Minimizing",
    "Minimum",
    "Program",
    "Relaxed",
    "WholeAnswer",
    "find_whole",
    "minimize",
    "pack",
    "solve_relaxed",
    "solve_whole",
]

_SEED = 1
_TOLERANCE = 1e-9
"""The tolerance of bounds and of integrality: programs of a hundred million rows still round correctly."""

_STRAY = 0.25
"""How far a value may be from a whole number. The caller checks the rounded solution."""


@dataclass(frozen=True, eq=False)
class Program:
    """Find x with `lowers` <= A x <= `uppers` and `leasts` <= x <= `limits`.

    A is a 0/1 matrix: column c has ones in the rows `rows[starts[c]:starts[c + 1]]`.
    """

    starts: NDArray[np.int32]
    rows: NDArray[np.int32]
    lowers: NDArray[np.int64]
    uppers: NDArray[np.int64]
    leasts: NDArray[np.int64]
    limits: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Relaxed:
    """A solution x, the sum of the gaps between A x and its bounds, and the dual price of each row."""

    gap: float
    values: NDArray[np.float64]
    prices: NDArray[np.float64]


def solve_whole(
    program: Program, *, or_none: NDArray[np.bool_], costs: NDArray[np.float64], nodes: int
) -> tuple[NDArray[np.int64] | None, int]:
    """Return a whole-number x, or None if none is found, and the nodes used; entries in `or_none` may be 0 instead.

    The search ends with the first solution or after `nodes` nodes; different `costs` make it start elsewhere.
    """
    import highspy

    model = _model(program, costs)
    kinds = highspy.HighsVarType.kInteger, highspy.HighsVarType.kSemiInteger
    model.integrality_ = [kinds[each] for each in or_none.astype(int).tolist()]
    solver = _solver()
    solver.setOptionValue("mip_max_nodes", nodes)
    solver.setOptionValue("mip_max_improving_sols", 1)
    solver.passModel(model)
    solver.run()
    info = solver.getInfo()
    spent = max(1, info.mip_node_count)
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None, spent
    values = np.array(solver.getSolution().col_value)
    whole = np.rint(values)
    return (whole.astype(np.int64) if np.abs(values - whole).max(initial=0) < _STRAY else None), spent


@dataclass(frozen=True, eq=False)
class WholeAnswer:
    """A whole-number x, or None if none was found; whether it is certain that there is none; the rounds it took."""

    values: NDArray[np.int64] | None
    none: bool
    rounds: int


def find_whole(program: Program, *, nodes: int, rounds: int) -> WholeAnswer:
    """Look for a whole-number x within so many nodes, and so many rounds of HiGHS' search (of cuts, or nodes)."""
    import highspy

    model = _model(program, np.zeros(len(program.limits)))
    model.integrality_ = [highspy.HighsVarType.kInteger] * len(program.limits)
    solver = _solver()
    solver.setOptionValue("mip_max_nodes", nodes)
    solver.passModel(model)
    spent = _run_for(solver, rounds)
    if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return WholeAnswer(None, solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible, spent)
    return WholeAnswer(np.rint(np.array(solver.getSolution().col_value)).astype(np.int64), False, spent)


def _run_for(solver: Any, rounds: int) -> int:
    """Run HiGHS for so many rounds of its search; return how many there were."""
    met = 0

    def stop_in_time(event: Any) -> None:  # HiGHS' own class
        nonlocal met
        met += 1
        if met > rounds:
            event.interrupt()

    solver.cbMipInterrupt.subscribe(stop_in_time)
    solver.run()
    return met


def solve_relaxed(program: Program, *, costs: NDArray[np.float64], of_gap: float, iterations: int) -> Relaxed | None:
    """Return the real x that minimizes costs plus gaps; None if the iterations do not suffice."""
    import highspy

    columns, rows = len(program.limits), len(program.lowers)
    over, under = np.arange(rows), np.flatnonzero(program.lowers > 0)
    gaps = len(over) + len(under)
    model = _model(program, np.concatenate([costs, np.full(gaps, of_gap)]))
    model.num_col_ = columns + gaps
    model.col_lower_ = np.concatenate([program.leasts, np.zeros(gaps)])
    model.col_upper_ = np.concatenate([program.limits, np.full(gaps, highspy.kHighsInf)])
    model.a_matrix_.start_ = np.concatenate([program.starts, program.starts[-1] + np.arange(1, gaps + 1)])
    model.a_matrix_.index_ = np.concatenate([program.rows, over, under])
    model.a_matrix_.value_ = np.concatenate([np.ones(len(program.rows)), -np.ones(len(over)), np.ones(len(under))])
    solver = _solver()
    solver.setOptionValue("simplex_iteration_limit", iterations)
    solver.passModel(model)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    solution = solver.getSolution()
    values = np.array(solution.col_value)
    return Relaxed(float(values[columns:].sum()), values[:columns], np.array(solution.row_dual))


@dataclass(frozen=True, eq=False)
class Minimizing:
    """Find whole numbers 0 <= x <= `limits` with `lowers` <= A x <= `uppers` and the least `costs` · x.

    A is sparse: row r has the `values` in the `columns` from `starts[r]` to `starts[r + 1]`. `known` is a solution to
    begin with.
    """

    costs: NDArray[np.int64]
    limits: NDArray[np.int64]
    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.int64]
    lowers: NDArray[np.float64]
    uppers: NDArray[np.float64]
    known: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Minimum:
    """The best x that was found, and a number that no x is below."""

    values: NDArray[np.int64]
    bound: int


def minimize(program: Minimizing, *, steps: int) -> Minimum | None:
    """Return the best x within so many rounds of HiGHS' search (of cuts, or nodes); None if it gives none."""
    import highspy

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(program.limits), len(program.lowers)
    model.col_cost_ = program.costs.astype(np.float64)
    model.col_lower_ = np.zeros(len(program.limits))
    model.col_upper_ = program.limits.astype(np.float64)
    model.row_lower_, model.row_upper_ = program.lowers, program.uppers
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = program.starts.astype(np.int32)
    model.a_matrix_.index_ = program.columns.astype(np.int32)
    model.a_matrix_.value_ = program.values.astype(np.float64)
    model.integrality_ = [highspy.HighsVarType.kInteger] * len(program.limits)
    solver = _solver()
    for option in ("mip_feasibility_tolerance", "primal_feasibility_tolerance"):
        solver.setOptionValue(option, 1e-7)
    solver.passModel(model)
    known = highspy.HighsSolution()
    known.col_value = program.known.astype(np.float64).tolist()
    solver.setSolution(known)

    _run_for(solver, steps)
    info = solver.getInfo()
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible or not np.isfinite(
        info.mip_dual_bound
    ):
        return None
    values = np.rint(np.array(solver.getSolution().col_value)).astype(np.int64)
    return Minimum(values, max(0, int(np.ceil(info.mip_dual_bound - 1e-6))))


def pack(
    starts: NDArray[np.int64],
    items: NDArray[np.int32],
    worths: NDArray[np.int64],
    limits: NDArray[np.int64],
    *,
    iterations: int,
) -> NDArray[np.int64] | None:
    """Return weights of groups, rounded down, of the greatest worth; None if the iterations do not suffice.

    Group g has the items from `starts[g]` to `starts[g + 1]`. The weights of all that contain item i add up to
    `limits[i]` at most, except for rounding errors.
    """
    import highspy

    most, none = np.full(len(worths), limits.max(initial=0)), np.zeros(len(worths), np.int64)
    program = Program(starts.astype(np.int32), items, np.zeros(len(limits), np.int64), limits, none, most)
    solver = _solver()
    solver.setOptionValue("simplex_iteration_limit", iterations)
    solver.passModel(_model(program, -worths.astype(np.float64)))
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return np.floor(np.array(solver.getSolution().col_value) + _TOLERANCE).astype(np.int64)


def _model(program: Program, costs: NDArray[np.float64]) -> Any:  # HiGHS' own class
    import highspy

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(program.limits), len(program.lowers)
    model.col_cost_ = costs
    model.col_lower_ = program.leasts.astype(np.float64)
    model.col_upper_ = program.limits.astype(np.float64)
    model.row_lower_ = program.lowers.astype(np.float64)
    model.row_upper_ = program.uppers.astype(np.float64)
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = program.starts
    model.a_matrix_.index_ = program.rows
    model.a_matrix_.value_ = np.ones(len(program.rows))
    return model


def _solver() -> Any:  # HiGHS' own class
    import highspy

    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    options: dict[str, bool | int | float | str] = {
        "output_flag": False,
        "threads": 1,
        "parallel": "off",
        "random_seed": _SEED,
        "mip_feasibility_tolerance": _TOLERANCE,
        "primal_feasibility_tolerance": _TOLERANCE,
    }
    for option, value in options.items():
        solver.setOptionValue(option, value)
    return solver
