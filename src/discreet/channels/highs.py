"""Integer and linear programs of zeros and ones, solved by HiGHS: the one door to `highspy`.

One thread, one seed and budgets that count steps make every answer the same on every run. Answers come from floats and
prove nothing: who uses them checks them in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Program", "Relaxed", "find_whole", "solve_relaxed", "solve_whole"]

_SEED = 1
_TOLERANCE = 1e-9
"""Of bounds and of whole numbers: a program of a hundred million rows still rounds to the right ones."""

_STRAY = 0.25
"""How far from a whole number a value may be: what it is rounded to is checked by the caller."""


@dataclass(frozen=True, eq=False)
class Program:
    """Find x with `lowers` <= A x <= `uppers` and `leasts` <= x <= `limits`.

    A holds zeros and ones: column c has ones in the rows `rows[starts[c]:starts[c + 1]]`.
    """

    starts: NDArray[np.int32]
    rows: NDArray[np.int32]
    lowers: NDArray[np.int64]
    uppers: NDArray[np.int64]
    leasts: NDArray[np.int64]
    limits: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Relaxed:
    """An x, the sum of the gaps between A x and its bounds, and what a unit more in each row would cost."""

    gap: float
    values: NDArray[np.float64]
    prices: NDArray[np.float64]


def solve_whole(
    program: Program, *, or_none: NDArray[np.bool_], costs: NDArray[np.float64], nodes: int
) -> tuple[NDArray[np.int64] | None, int]:
    """Return whole numbers x, some of them 0 `or_none` instead, None where none are found, and the nodes it took.

    The search ends with the first solution or after so many nodes; other `costs` make it look elsewhere first.
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


def find_whole(program: Program, *, nodes: int) -> tuple[NDArray[np.int64] | None, bool]:
    """Return whole numbers x, None where none are found, and whether there are none."""
    import highspy

    model = _model(program, np.zeros(len(program.limits)))
    model.integrality_ = [highspy.HighsVarType.kInteger] * len(program.limits)
    solver = _solver()
    solver.setOptionValue("mip_max_nodes", nodes)
    solver.passModel(model)
    solver.run()
    if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None, solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible
    return np.rint(np.array(solver.getSolution().col_value)).astype(np.int64), False


def solve_relaxed(program: Program, *, costs: NDArray[np.float64], of_gap: float, iterations: int) -> Relaxed | None:
    """Return the x of any numbers for which costs and gaps are least; None where the iterations do not suffice."""
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
