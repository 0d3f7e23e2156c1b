"""What the five papers say, and what we get: python -m benchmarks.papers OUTDIR [--full | --small] (make papers).

OUTDIR gets a page for each paper, with every figure and table drawn or computed again, and index.md. By default some
points of every curve are computed; `--full` computes all of them, over ten draws where they rest on chance, which takes
hours. `--small` needs no public data, and is for the tests.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import detection_figures, figures, hiding_figures, twoparty_figures, uncertainty_figures
from benchmarks.adult_tables import tables
from benchmarks.findings import Finding, write_page
from benchmarks.paper_claims import of_atzori, of_cao, of_jiang, of_oliveira, of_waim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from benchmarks.figures import Figure, Point

__all__ = ["PAPERS", "main", "write_papers"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: what draws its figures, which there are, and what its claims become."""

    title: str
    draw: Callable[..., list[Point]]
    drawn: Mapping[int, Figure]
    claims: Callable[[Sequence[Point]], Iterable[Finding]]
    tables: Callable[[], Iterable[Finding]] = list


PAPERS = {
    "atzori2008": Paper("Anonymity Preserving Pattern Discovery", figures.figures, figures.FIGURES, of_atzori, tables),
    "cao2010": Paper(
        "rho-uncertainty: Inference-Proof Transaction Anonymization",
        uncertainty_figures.uncertainty_figures,
        uncertainty_figures.FIGURES,
        of_cao,
    ),
    "waim2008": Paper(
        "A new approach for detecting anonymity of patterns",
        detection_figures.detection_figures,
        detection_figures.FIGURES,
        of_waim,
    ),
    "oliveira2002": Paper(
        "Privacy Preserving Frequent Itemset Mining",
        hiding_figures.hiding_figures,
        hiding_figures.FIGURES,
        of_oliveira,
    ),
    "jiang2006": Paper(
        "Secure Distributed k-Anonymous Pattern Mining", twoparty_figures.figures, twoparty_figures.FIGURES, of_jiang
    ),
}


APART = {
    "what each method loses at rho = 0.5, all rows": "uncertainty_losses FOLDER 2 simple best rare-rows local",
    "what other trees lose": "uncertainty_hierarchies",
    "how far methods are from the best recoding": "uncertainty_optimum",
    "what hiding loses, and the least that any way of hiding loses": "hiding_least FOLDER",
}
"""Other measurements about the papers, and what makes their tables."""


def write_papers(folder: Path, *, small: bool = False, quick: bool = False) -> dict[str, list[Finding]]:
    """Compute everything and write every page; return the findings by paper."""
    found: dict[str, list[Finding]] = {}
    for key, paper in PAPERS.items():
        start = time.process_time()
        points = paper.draw(folder / key, small=small, quick=quick)
        found[key] = [*([] if small else paper.tables()), *paper.claims(points)]
        title = f"{key}: {paper.title}"
        write_page(folder / f"{key}.md", title, found[key], [f"figure-{number}" for number in paper.drawn])
        print(f"{key}: {len(found[key])} claims, {time.process_time() - start:.0f} s of the processor")
    sizes = (
        "Some points of every curve, on smaller data; FULL=1 computes all." if quick else "All points of every curve."
    )
    lines = [
        "# The papers, and what we get",
        "",
        sizes,
        "",
        "| paper | claims that hold | that do not |",
        "| --- | --- | --- |",
    ]
    for key, findings in found.items():
        held, failed = (sum(each.holds is verdict for each in findings) for verdict in (True, False))
        lines.append(f"| [{key}]({key}.md): {PAPERS[key].title} | {held} | {failed} |")
    lines += ["", "Measured over ten draws apart from the figures, because each takes long:", ""]
    lines += [f"- {what}: `python -m benchmarks.{command}`" for what, command in APART.items()]
    (folder / "index.md").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return found


def main() -> None:
    """Write into the folder that is named."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(words) != 1:
        raise SystemExit("usage: python -m benchmarks.papers OUTDIR [--full | --small]")
    start, folder = time.perf_counter(), Path(words[0])
    found = write_papers(folder, small="--small" in sys.argv, quick="--full" not in sys.argv)
    claims = [each for findings in found.values() for each in findings]
    failed = sum(each.holds is False for each in claims)
    took = f"{time.perf_counter() - start:.0f} s"
    print(f"{len(claims)} claims, {failed} of which do not hold here, in {took}: {folder / 'index.md'}")


if __name__ == "__main__":
    main()
