"""What methods lose, over draws of sensitive items: python -m benchmarks.uncertainty_losses FOLDER SECONDS [NAME...].

FOLDER gets losses.csv, a line for each data set, draw and method as soon as it is measured, and losses.md, a table with
the range of every method. A run that was stopped goes on where it was. `best` may take SECONDS of the processor; 0 is
no limit. NAMEs are data sets and methods; without a name of either kind, all of them are tried. Every output is
checked again by `check`; of methods that compete, that is the one that wins, and the others were checked when made.
`lower-bound` counts as a method: what no recoding that is the same in all rows can lose less than.
"""

from __future__ import annotations

import csv
import sys
import time
from dataclasses import astuple, dataclass, fields
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from benchmarks.cases import data_folder
from discreet.transactions.generate import skewed
from discreet.transactions.reading import read
from discreet.uncertainty import time_budget
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.check import check
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.lower_bound import lower_bound
from discreet.uncertainty.sensitive_items import draw_sensitive, sensitive_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from discreet.transactions.transactions import Transactions

__all__ = ["DATA", "DRAWS", "METHODS", "RHO", "SHARE", "Loss", "keep", "main", "measure", "read_losses", "table"]

RHO, SHARE, FANOUT, DRAWS = Fraction(1, 2), "40%", 4, 10

DATA = {
    "BMS-WebView-1": "BMS-WebView-1",
    "BMS-WebView-2": "BMS-WebView-2_spmf",
    "retail": "retail",
    "msweb": "msweb",
    "groceries": "groceries",
    "kosarak": "kosarak_first36682",
    "like-BMS-POS": "",
}
"""The names, and the files; the last is generated."""

METHODS = ("simple", "allow-local")
"""What is tried by default; each is a method of `anonymize`, or lets some compete."""

COMPETING: dict[str, dict[str, Any]] = {"allow-local": {"method": "best", "allow_local": True}}
"""How those that compete are asked for; each competitor is measured as well."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What a method lost: a share of the information, and seconds of the processor; none if it was a competitor."""

    rows: str
    draw: int
    method: str
    loss: float
    seconds: float | None


def measure(
    sets: Mapping[str, Callable[[], Transactions]],
    methods: Sequence[str],
    draws: int,
    *,
    seconds: float | None = None,
    known: Iterable[Loss] = (),
) -> Iterator[Loss]:
    """Yield what every method loses in every draw, without those that are known."""
    done = {(loss.rows, loss.draw, loss.method) for loss in known}
    for name, load in sets.items():
        asked = [(draw, method) for draw in range(1, draws + 1) for method in methods]
        left = [(draw, method) for draw, method in asked if (name, draw, method) not in done]
        if not left:
            continue
        rows = load()
        for draw, method in left:
            yield from _measured(name, rows, draw, method, seconds)


def _measured(name: str, rows: Transactions, draw: int, method: str, seconds: float | None) -> Iterator[Loss]:
    sensitive = list(draw_sensitive(rows.vocabulary, SHARE, seed=draw))
    if method == "lower-bound":
        start = time.process_time()
        codes = sensitive_codes(sensitive, rows.vocabulary)
        least = lower_bound(rows, limits=Limits(RHO), sensitive=codes).loss
        yield Loss(name, draw, method, round(float(least), 6), round(time.process_time() - start, 2))
        return
    how = COMPETING.get(method, {"method": method})
    limit = seconds if how["method"] == "best" else None
    start = time.process_time()
    with patch.object(time_budget, "time", SimpleNamespace(monotonic=time.process_time)):  # whatever else runs
        done = anonymize(rows, rho=RHO, sensitive=sensitive, fanout=FANOUT, time_limit=limit, **how)
    taken = time.process_time() - start
    if not check(done.rows, rho=RHO, sensitive=sensitive, ignore_unknown=True).safe:
        raise AssertionError(f"{method} left a rule that reaches rho in draw {draw} of {name}")
    for competitor, loss, _ in done.candidates:
        yield Loss(name, draw, competitor, round(float(loss), 6), None)
    yield Loss(name, draw, method, round(float(done.information_loss), 6), round(taken, 2))


def table(losses: Sequence[Loss]) -> str:
    """Return the range of each method's loss, and its share in that of `simple`, for each data set."""
    methods = list(dict.fromkeys(loss.method for loss in losses))
    others = [method for method in methods if method != "simple"]
    heads = [f"`{method}`" for method in methods] + [f"`{method}`, share" for method in others]
    lines = [f"| rows | draws | {' | '.join(heads)} |", "| --- " * (2 + len(heads)) + "|"]
    for name in dict.fromkeys(loss.rows for loss in losses):
        of = {(loss.draw, loss.method): loss.loss for loss in losses if loss.rows == name}
        cells = [_range([100 * value for (_, each), value in of.items() if each == method], 1) for method in methods]
        for method in others:
            both = [draw for draw, each in of if each == method and (draw, "simple") in of]
            cells.append(_range([of[draw, method] / of[draw, "simple"] for draw in both], 2))
        lines.append(f"| {name} | {len({draw for draw, _ in of})} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _range(values: Sequence[float], digits: int) -> str:
    unit = " %" if digits == 1 else ""
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}{unit}" if values else ""


def _load(name: str) -> Transactions:
    if not DATA[name]:
        return skewed(rows=515_597, items=1_657, mean_length=6.5, max_length=164, seed=1)
    return read(data_folder() / f"{DATA[name]}.dat.gz")


def read_losses(path: Path) -> list[Loss]:
    """Return what was measured before."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Loss(line["rows"], int(line["draw"]), line["method"], float(line["loss"]), float(line["seconds"] or "nan"))
            for line in csv.DictReader(file)
        ]


def keep(folder: Path, known: Sequence[Loss], measured: Iterable[Loss]) -> None:
    """Write losses.csv and losses.md, as soon as anything is measured."""
    folder.mkdir(parents=True, exist_ok=True)
    path, losses = folder / "losses.csv", [*known]
    if not path.exists():
        path.write_text(",".join(field.name for field in fields(Loss)) + "\n", encoding="utf-8")
    for loss in measured:
        losses.append(loss)
        with path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow(astuple(loss))
        (folder / "losses.md").write_text(table(losses) + "\n", encoding="utf-8")
        print(*astuple(loss), flush=True)


def main() -> None:
    """Measure, and write what was measured after every run."""
    folder, seconds, names = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    known = read_losses(folder / "losses.csv")
    chosen = [name for name in names if name in DATA] or list(DATA)
    methods = [name for name in names if name not in DATA] or list(METHODS)
    sets = {name: partial(_load, name) for name in chosen}
    keep(folder, known, measure(sets, methods, DRAWS, seconds=seconds or None, known=known))


if __name__ == "__main__":
    main()
