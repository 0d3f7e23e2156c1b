"""The ways to make patterns safe, as buttons, each with its price."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from discreet.wording import counted, number, percent, share
from discreet.workbench.pages.page_kit import markup, part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from discreet.channels.advice import Advice, LeaveOut
    from discreet.channels.blocking import BlockingMethod
    from discreet.workbench.jobs.patterns import Costs
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
    for method in advice.blocking:
        tried = task.cost(method)
        if tried is None or not tried.refusal:
            rows = "rows" if tried is None else counted(tried.rows, "row")
            words = "Raise counts" if method == "additive" else f"Leave {rows} out"
            chosen = task.method_chosen and task.method == method
            _way(words, _price(tried), partial(take_method, method), chosen=chosen)
    if advice.leave_out is not None:
        _leave_out_way(advice.leave_out, task.n, leave_out)


def _price(tried: Costs | None) -> str:
    """Return what a method of blocking costs: how much is left, and how far figures move."""
    if tried is None or tried.average is None or tried.worst is None:
        return "its price is being computed …"
    left = counted(tried.patterns, "pattern")
    if not tried.worst:
        return f"{left}, exact"
    lost = f", {number(tried.lost_patterns)} lost" if tried.lost_patterns else ""
    return f"{left}{lost}; figures change by {share(tried.average)} on average, {share(tried.worst)} at most"


def _leave_out_way(advised: LeaveOut, n: int, leave_out: Callable[[Sequence[str]], object]) -> None:
    names = ", ".join(advised.names)
    price = f"{counted(advised.itemsets, 'pattern')}, exact, from {percent(advised.lowest, n)} up"
    if advised.columns:
        _way(f"Leave out {names}", price, partial(leave_out, advised.names))
    else:
        markup(part("note", f"Without {names}: {price}."))


def _way(words: str, price: str, act: Callable[[], object], *, chosen: bool | None = None) -> None:
    with ui.element("button").props('type="button"').classes("way").on("click", act) as card:
        markup(part("way", words, price))
    if chosen is not None:
        card.props(f'aria-pressed="{str(chosen).lower()}"')
