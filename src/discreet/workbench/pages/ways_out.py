"""The ways to make patterns safe, as buttons, each with its price."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from discreet.wording import counted, percent, share
from discreet.workbench.pages.page_kit import markup, part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from discreet.channels.advice import Advice
    from discreet.channels.blocking import BlockingMethod
    from discreet.workbench.tasks.publish import PublishTask

__all__ = ["draw_ways"]


def draw_ways(
    advice: Advice,
    task: PublishTask,
    raise_support: Callable[[int], object],
    take_method: Callable[[BlockingMethod], object],
    leave_out: Callable[[Sequence[str]], object],
) -> None:
    """Draw what is advised; the functions are called with what is clicked."""
    if advice.lowest is not None:
        count = counted(task.patterns_at(advice.lowest), "pattern")
        where = percent(advice.lowest, task.n)
        _way(f"Raise the support to {where}", f"{count}, exact", partial(raise_support, advice.lowest))
    elif advice.hopeless:
        markup(part("note", "There is no support at which a pattern could be published unchanged."))
    for method, price in advice.blocking.items():
        tried = task.cost(method)
        if tried is not None and tried.refusal:
            continue
        rows, worst = (None, None) if price is None else (price.rows, price.worst)
        if tried is not None:
            rows, worst = tried.rows, tried.worst
        cost = "its price is being computed …"
        if rows is not None and worst is not None:
            done = "added" if method == "additive" else "left out"
            kept = "" if tried is None else f"{counted(tried.patterns, 'pattern')}, "
            cost = f"{kept}{counted(rows, 'row')} {done}, supports change by {share(worst)} at most"
        words = "Raise counts" if method == "additive" else "Leave rows out"
        _way(words, cost, partial(take_method, method))
    if advice.leave_out is not None:
        names = ", ".join(advice.leave_out.names)
        left = counted(len(advice.leave_out.names), "column" if advice.leave_out.columns else "item")
        safe = f"{left} fewer; then {percent(advice.leave_out.lowest, task.n)} is safe unchanged"
        act = partial(leave_out, advice.leave_out.names) if advice.leave_out.columns else None
        _way(f"Leave out {names}", safe, act)


def _way(words: str, price: str, act: Callable[[], object] | None) -> None:
    with ui.element("button").props('type="button"').classes("way") as card:
        markup(part("way", words, price))
    if act is None:
        card.props("disabled")
    else:
        card.on("click", act)
