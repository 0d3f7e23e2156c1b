"""What each paper says of its figures, read off the points that were computed.

The figures themselves are lost in the texts at hand. So "its figure" is a number where the text prints one, and else
in words.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from benchmarks.detection_figures import OURS, PMICD, PRINTED
from benchmarks.findings import Case, Finding, share_of
from benchmarks.uncertainty_figures import claims

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.figures import Point

__all__ = ["of_atzori", "of_cao", "of_jiang", "of_oliveira", "of_waim"]

Key = tuple[str, int, float]
ONE_ORDER = 10
TIMED = "Other code on another machine; the points are close together where the data are small."
FAST = 60.0
PRINTED_LOSS = 10.0


def _curve(points: Sequence[Point], figure: int, measure: str, series: str) -> dict[Key, float]:
    """Return the values of one curve, by data set, k and place."""
    return {
        (p.data, p.k, p.support): p.value
        for p in points
        if (p.figure, p.measure, p.series) == (figure, measure, series)
    }


def _compared(
    low: tuple[str, dict[Key, float]],
    high: tuple[str, dict[Key, float]],
    *,
    where: Callable[[Key], bool] = lambda _: True,
) -> list[Case]:
    """Compare two curves, each with its name, wherever both have a point."""
    (first, below), (second, above) = low, high
    return [Case(below[key], above[key], first, second, _place(key)) for key in below if key in above and where(key)]


def _place(key: Key) -> str:
    data, k, at = key
    return ", ".join([data, *([f"k = {k}"] if k else []), f"at {at:g}"])


def _falls(curve: dict[Key, float], *, rising: bool = False) -> list[Case]:
    """Say of each two neighbours of a curve that the second is not above the first (not below it, if rising)."""
    found = []
    for data, k in dict.fromkeys((data, k) for data, k, _ in curve):
        points = [(at, value) for (name, number, at), value in sorted(curve.items()) if (name, number) == (data, k)]
        where = ", ".join([data, *([f"k = {k}"] if k else [])])
        for (one, before), (other, after) in pairwise(points):
            earlier, later = (before, f"at {one:g}"), (after, f"at {other:g}")
            (low, first), (high, second) = (earlier, later) if rising else (later, earlier)
            found.append(Case(low, high, first, second, where))
    return found


def _all_cases(where: str, says: str, paper: str, cases: list[Case], why: str = "") -> Finding:
    here, holds = share_of(cases)
    return Finding(where, says, paper, here, holds, "" if holds else why)


def of_atzori(points: Sequence[Point]) -> Iterator[Finding]:
    """Yield the claims about Figures 3 to 7."""
    every, maximal = (_curve(points, 3, "channels", series) for series in ("all", "maximal"))
    ratios = [every[key] / maximal[key] for key in every if maximal.get(key)]
    shown = f"{min(ratios):.1f} to {max(ratios):.1f} times" if ratios else "no channels"
    why = "It depends on the data: where itemsets are short, there is little to condense."
    yield Finding(
        "Figure 3(a)",
        "maximal channels are fewer by an order of magnitude",
        "about 10 times",
        shown,
        bool(ratios) and min(ratios) >= ONE_ORDER,
        why,
    )
    yield from _speed_ups(points)
    for k in sorted({key[1] for key in _curve(points, 4, "channels", "maximal")}):
        curve = {key: value for key, value in _curve(points, 4, "channels", "maximal").items() if key[1] == k}
        why = "An itemset that loses its frequent extensions becomes maximal, and its groups are channels."
        yield _all_cases("Figure 4", f"fewer channels at higher support, k = {k}", "in all cases", _falls(curve), why)
    merged, none = (_curve(points, 5, "rows / k", series) for series in ("paper", "none"))
    best = _curve(points, 5, "rows / k", "best")
    yield _all_cases(
        "Figure 5",
        "merging adds fewer rows than one k-fold row per channel",
        "in all cases",
        _compared(("merged", merged), ("one for each", none)),
    )
    yield _all_cases(
        "Figure 5",
        "(ours) our search never adds more than the paper's order",
        "not in the paper",
        _compared(("ours", best), ("the paper's", merged)),
    )
    for measure, part in (("changed, %", "(d-f)"), ("average, %", "(g-i)"), ("worst, %", "(j-l)")):
        additive, suppressive = (_curve(points, 6, measure, method) for method in ("additive", "suppressive"))
        why = "Where no itemset becomes infrequent, suppressive can change less, as the paper says of k = 5, 25 %."
        yield _all_cases(
            f"Figure 6 {part}",
            f"additive is below suppressive: {measure.partition(',')[0]}",
            "always",
            _compared(("additive", additive), ("suppressive", suppressive)),
            why,
        )
    yield from _kosarak(points)
    curves = [_curve(points, 7, "seconds", method) for method in ("additive", "suppressive")]
    if any(curves):
        slowest = max(max(curve.values()) for curve in curves if curve)
        yield Finding(
            "Figure 7",
            "mining, detecting and blocking is always very fast",
            "seconds",
            f"at most {slowest:.1f} s",
            slowest < FAST,
        )


def _speed_ups(points: Sequence[Point]) -> Iterator[Finding]:
    """Compare Algorithms 1 and 2, data set by data set."""
    naive, optimized = (_curve(points, 3, "seconds", series) for series in ("direct", "closed"))
    for data in dict.fromkeys(name for name, _, _ in naive):
        ratio = {at: naive[name, k, at] / optimized[name, k, at] for name, k, at in naive if name == data}
        lowest = min(ratio)
        why = "Algorithm 1 suffers from long itemsets: more than promised on dense data, nothing on sparse."
        says = f"Algorithm 2 is about ten times as fast as Algorithm 1, {data}"
        near = ONE_ORDER / 3 <= ratio[lowest] <= ONE_ORDER * 3
        yield Finding(
            "Figure 3(b)",
            says,
            "about 10 times",
            f"{ratio[lowest]:.1f} times at {lowest:g} %",
            near,
            "" if near else why,
        )


def _kosarak(points: Sequence[Point]) -> Iterator[Finding]:
    """Compare the only point of Figure 6 whose values are printed."""
    key = ("kosarak_first36682", 50, 0.6)
    for method, changed, average in (("additive", 40, 0.4), ("suppressive", 100, 2.1)):
        ours = [_curve(points, 6, measure, method).get(key) for measure in ("changed, %", "average, %")]
        if ours[0] is None or ours[1] is None:
            continue
        near = abs(ours[0] - changed) <= changed / 4 and abs(ours[1] - average) <= average / 4
        why = "We have the first 36,682 rows of 990,002, so the same k weighs 27 times as much."
        yield Finding(
            "Figure 6(e, h)",
            f"kosarak, 0.6 %, k = 50, {method}: itemsets changed, average distortion",
            f"{changed} %, {average} %",
            f"{ours[0]:.0f} %, {ours[1]:.1f} %",
            near,
            "" if near else why,
        )


def of_waim(points: Sequence[Point]) -> Iterator[Finding]:
    """Yield the claims about Figures 5 to 12."""
    for figure, data in ((5, "mushroom"), (6, "chess")):
        printed, pmicd, ours = (_curve(points, figure, "seconds", series) for series in (PRINTED, PMICD, OURS))
        lowest = min(printed, key=lambda key: key[2])
        shown = f"{pmicd[lowest]:.2f} s against {printed[lowest]:.2f} s at {lowest[2]:g} %"
        yield Finding(
            f"Figure {figure}",
            f"PMICD is faster than OICD as printed, {data}",
            "much faster at low support",
            shown,
            pmicd[lowest] < printed[lowest],
        )
        lowest = min(ours, key=lambda key: key[2])
        shown = f"{pmicd[lowest]:.2f} s against {ours[lowest]:.4f} s at {lowest[2]:g} %"
        why = (
            "With a triangular system in place of sums over all subsets, OICD is the faster one and needs no rows. The "
            "paper's conclusion is about the printed form. Ours is in the kernel, PMICD in NumPy."
        )
        yield Finding(
            f"Figure {figure}",
            f"PMICD is faster than OICD, {data}",
            "much faster at low support",
            shown,
            pmicd[lowest] < ours[lowest],
            why,
        )
        counts = [_curve(points, figure + 2, "maximal channels", series) for series in (PRINTED, PMICD, OURS)]
        same = [
            Case(counts[place][key], counts[1][key], name, PMICD, _place(key), "==")
            for place, name in ((0, PRINTED), (2, OURS))
            for key in counts[place]
        ]
        yield _all_cases(f"Figure {figure + 2}", "PMICD and OICD find the same channels", "in all cases", same)
        yield _all_cases(
            f"Figure {figure + 2}", f"fewer channels at higher support, {data}", "in all cases", _falls(counts[1])
        )
    for figure, data in ((9, "mushroom"), (10, "chess")):
        seconds = _curve(points, figure, "seconds", PMICD)
        low, high = min(seconds.values()), max(seconds.values())
        yield Finding(
            f"Figure {figure}",
            f"time hardly depends on k, {data}",
            "almost unchanged",
            f"{low:.2f} to {high:.2f} s",
            high < 2 * low,
        )
        channels = _curve(points, figure + 2, "maximal channels", PMICD)
        ends = f"from {min(channels.values()):,.0f} to {max(channels.values()):,.0f}"
        yield Finding(
            f"Figure {figure + 2}",
            f"more channels with larger k, {data}",
            "rises",
            ends,
            all(case.holds for case in _falls(channels, rising=True)),
        )


def of_oliveira(points: Sequence[Point]) -> Iterator[Finding]:
    """Yield the claims about Figures 5 to 11."""
    names = ("Naïve", "MaxFIA", "MinFIA", "IGA")
    failure, misses = (
        {n: _series_at(points, 5, panel, n) for n in names} for panel in ("hiding failure", "misses cost")
    )
    shown = ", ".join(f"{failure[n][0]:.0f}" for n in names)
    yield Finding(
        "Figure 5",
        "nothing is disclosed at ψ = 0 (Naïve, MaxFIA, MinFIA, IGA)",
        "0, 0, 0, 0 %",
        f"{shown} %",
        all(failure[n][0] == 0 for n in names),
    )
    shown = ", ".join(f"{misses[n][100]:.0f}" for n in names)
    yield Finding(
        "Figure 5",
        "nothing is missed at ψ = 100 %",
        "0, 0, 0, 0 %",
        f"{shown} %",
        all(misses[n][100] == 0 for n in names),
    )
    why = "Rows are made up in the same shape, with other restrictive patterns: only the order can be compared."
    shown = ", ".join(f"{misses[n][0]:.0f}" for n in names)
    ordered = misses["Naïve"][0] > misses["MaxFIA"][0] >= misses["MinFIA"][0] > misses["IGA"][0]
    yield Finding(
        "Figure 5",
        "misses cost at ψ = 0, in this order (Naïve, MaxFIA, MinFIA, IGA)",
        "90, 69, 65, 44 %",
        f"{shown} %",
        ordered,
        why,
    )
    for figure, name in zip(range(6, 10), ("Naïve", "MinFIA", "MaxFIA", "IGA"), strict=True):
        series = sorted({p.series for p in points if p.figure == figure}, key=lambda text: int(text.split()[0]))
        low, high = (_series_at(points, figure, "hiding failure", each) for each in (series[0], series[-1]))
        cases = [Case(high[at], low[at], series[-1], series[0], f"ψ = {at:g} %") for at in low]
        yield _all_cases(f"Figure {figure}", f"{name}: higher support hides more at the same ψ", "in all cases", cases)
    removed = {n: _series_at(points, 10, "items removed", n) for n in names}
    shown = ", ".join(f"{removed[n][0]:.2f}" for n in names)
    least = all(removed["IGA"][at] <= min(removed[n][at] for n in names) for at in removed["IGA"])
    yield Finding(
        "Figure 10",
        "IGA removes least at every ψ (values at ψ = 0: Naïve, MaxFIA, MinFIA, IGA)",
        "16.41, 6.78, 6.35, 3.55 %",
        f"{shown} %",
        least,
        "" if least else why,
    )
    for panel, across in (("A: rows", "rows"), ("B: patterns", "restrictive patterns")):
        curve = _series_at(points, 11, panel, "IGA", "seconds")
        first, last = min(curve), max(curve)
        grown, longer = last / first, curve[last] / curve[first]
        yield Finding(
            "Figure 11",
            f"IGA: time grows about as the {across} do",
            f"{grown:.1f} times the {across}",
            f"{longer:.1f} times the time",
            longer < 2 * grown,
        )


def _series_at(points: Sequence[Point], figure: int, panel: str, series: str, measure: str = "%") -> dict[float, float]:
    return {at: value for (data, _, at), value in _curve(points, figure, measure, series).items() if data == panel}


def of_jiang(points: Sequence[Point]) -> Iterator[Finding]:
    """Yield the claims about Figures 1 and 2."""
    dka, ic = (_curve(points, 1, "lost, %", series) for series in ("dka-sapm", "ic-sapm"))
    key = ("mushroom", 50, 55)
    if key in dka:
        why = "124 rows in joint groups of fewer than 50 are cleared; without that the join is not 50-anonymous."
        yield Finding(
            "Figure 1(a)",
            "DkA-SAPM at 55 %, k = 50: itemsets lost",
            "below 10 %",
            f"{dka[key]:.1f} %",
            dka[key] < PRINTED_LOSS,
            why,
        )
    for name, curve in (("DkA-SAPM", dka), ("IC-SAPM", ic)):
        by_support, by_k = _falls(curve), _falls(_across_k(curve), rising=True)
        why = "Which rows stand alone depends on which items are frequent, not on how many."
        yield _all_cases("Figure 1(a, b)", f"{name} loses more at lower support", "in all cases", by_support, why)
        yield _all_cases("Figure 1(a, b)", f"{name} loses more at larger k", "in all cases", by_k, why)
    ks = sorted({k for _, k, _ in dka})
    yield _all_cases(
        "Figure 1",
        f"DkA-SAPM keeps more than IC-SAPM at small k (k = {ks[0]} and {ks[1]})",
        "at high support and small k",
        _compared(("DkA-SAPM", dka), ("IC-SAPM", ic), where=lambda at: at[1] in ks[:2]),
    )
    average = [_curve(points, 1, "average distortion, %", series) for series in ("dka-sapm", "ic-sapm")]
    yield _all_cases(
        "Figure 1(c)",
        "the same of the average distortion",
        "at high support and small k",
        _compared(("DkA-SAPM", average[0]), ("IC-SAPM", average[1]), where=lambda at: at[1] in ks[:2]),
    )
    encryptions = _curve(points, 2, "encryptions", "ic-sapm")
    yield _all_cases("Figure 2", "more encryptions at lower support", "in all cases", _falls(encryptions))
    yield _all_cases("Figure 2", "fewer encryptions at larger k", "in all cases", _falls(_across_k(encryptions)))


def _across_k(curve: dict[Key, float]) -> dict[Key, float]:
    """Return the curve with k as its axis."""
    return {(f"{data} {at}", 0, float(k)): value for (data, k, at), value in curve.items()}


def of_cao(points: Sequence[Point]) -> Iterator[Finding]:
    """Yield the claims about Figures 5 to 11, from the medians of all draws."""
    why = "It depends on which items are sensitive, and on long rows, which the paper leaves out (docs/limitations.md)."
    for claim in claims():
        cases = claim.cases([point for point in points if point.figure == claim.figure])
        timed = "time" in claim.says or "faster" in claim.says
        yield _all_cases(f"Figure {claim.figure}", claim.says, "in all cases", cases, TIMED if timed else why)
