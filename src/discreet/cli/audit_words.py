"""The answer of an audit in words: the verdict, whom the channels single out, what it does not cover, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rich.console import RenderableType

    from discreet.channels.audit import Audit
    from discreet.channels.channel import Channels

__all__ = ["tell", "verdict", "worst_groups"]

SHOWN = 5
"""Groups that are told in words; --json lists them all."""

MINUS = "\N{MINUS SIGN}"

TERMS = 8
"""Sums of more terms than this are not spelled out."""


def tell(found: Audit, again: list[str] | None, options: dict[str, Any], *, explain: bool, quiet: bool) -> None:
    """Print the answer, its evidence, its limits, and what to do next; `again` is the command without its support."""
    from discreet.cli.screen import paragraph, show

    parts = [verdict(found)]
    if len(found.channels):
        parts.append(worst_groups(found))
        if exposure := _exposure(found):
            parts.append(paragraph(exposure))
    parts += _across_the_border(found)
    parts += [paragraph(text) for text in _limits(found)]
    if explain:
        parts.append(paragraph(_DEFINITIONS))
    if again is not None:
        parts += _next_steps(found, again, options, quiet=quiet)
    show(*parts)


_DEFINITIONS = (
    "A channel is a pair of itemsets I and J, I within J, with 0 < f < k, where f is the sum over all X from I to J of "
    "sup(X), added where X has an even number of items more than I and subtracted where odd: the number of rows with "
    "all of I and nothing else of J (Atzori, Bonchi, Giannotti, Pedreschi, Definition 9). One channel implies another "
    "that asks for fewer items to be present and fewer to be absent (Definition 15); those listed are implied by no "
    "other. A channel crosses the border where J itself is not published but the supports of its subsets bound its own."
)


def verdict(found: Audit) -> RenderableType:
    """Return the first line: the word, and what it is about."""
    from discreet.cli.screen import answer

    word, colour = ("SAFE", "green") if found.safe else ("NOT SAFE", "red")
    return answer(_verdict(found), verdict=word, style=f"bold {colour}")


def _verdict(found: Audit) -> str:
    from discreet.cli.wording import number

    rows = "the rows" if found.n is None else f"{number(found.n)} rows"
    if found.safe and found.kind == "incomplete":
        return "as far as can be seen: no channel found in an incomplete collection"
    if found.safe:
        return f"no group of fewer than {found.k} of {rows} can be computed from these patterns"
    if not len(found.channels):
        return f"{_single_out(len(found.border or ()), ' across the border')} fewer than {found.k} of {rows}"
    count = len(found.channels)
    certain = f"{_single_out(count)} fewer than {found.k} of {rows}"
    if found.from_rules and any(c.low < 1 or c.high >= found.k for c in found.channels):
        sure = sum(c.low >= 1 and c.high < found.k for c in found.channels)
        return f"{certain} ({sure} certainly, {count - sure} possibly, as far as the printed figures tell)"
    return certain


def _single_out(count: int, where: str = "") -> str:
    from discreet.cli.wording import counted

    return f"{counted(count, 'channel')}{where} single{'s' if count == 1 else ''} out"


def worst_groups(found: Audit, shown: int = SHOWN) -> RenderableType:
    """Return the smallest groups in sentences, with the sums that give them away."""
    from rich.console import Group
    from rich.padding import Padding

    from discreet.cli.screen import paragraph
    from discreet.cli.wording import number

    channels = found.channels
    what = "rules" if found.from_rules else "patterns"
    lines: list[RenderableType] = [paragraph(f"The smallest groups anyone can compute from these {what}:")]
    for index in channels.smallest_first()[:shown].tolist():
        lines.append(Padding(paragraph(_sentence(channels, index)), (0, 0, 0, 2)))
        if sums := _arithmetic(found, index):
            lines.append(Padding(paragraph(sums), (0, 0, 0, 4)))
    if len(channels) > shown:
        rest = f"… and {number(len(channels) - shown)} more (--json lists them all)"
        lines.append(Padding(paragraph(rest), (0, 0, 0, 2)))
    return Group(*lines)


def _sentence(channels: Channels, index: int) -> str:
    """Say in words whom a channel singles out."""
    from discreet.cli.wording import itemset_text, label_text, number

    channel = channels[index]
    order = {label: place for place, label in enumerate(channels.labels(channels.fulls[int(channels.which[index])]))}
    have = sorted(channel.base, key=order.__getitem__)
    none_of = sorted(channel.absent, key=order.__getitem__)
    few = (
        number(channel.low)
        if channel.low == channel.high
        else f"{number(max(channel.low, 0))} to {number(channel.high)}"
    )
    rows = "row has" if few == "1" else "rows have"
    if not have and not none_of:
        return f"{few} {'row is' if few == '1' else 'rows are'} all there are"
    if not have:
        return f"{few} {rows} none of {itemset_text(none_of)}"
    if not none_of:
        return f"{few} {rows} {_joined(have)}"
    if len(none_of) == 1:
        return f"{few} {rows} {_joined(have)}, and not {label_text(none_of[0])}"
    return f"{few} {rows} {_joined(have)}, and none of {itemset_text(none_of)}"


def _joined(labels: list[str]) -> str:
    from discreet.cli.wording import itemset_text, label_text

    if len(labels) == 1:
        return label_text(labels[0])
    if len(labels) > 4:  # noqa: PLR2004 - a list reads better than a long chain
        return itemset_text(labels)
    return f"{', '.join(label_text(label) for label in labels[:-1])} and {label_text(labels[-1])}"


def _arithmetic(found: Audit, index: int) -> str | None:
    """Spell the sum out that a stranger would do, where it is short."""
    from discreet.channels.arithmetic import sum_behind
    from discreet.cli.wording import number

    terms = sum_behind(found, index, most=TERMS)
    if terms is None:
        return None
    first, *others = terms
    signed = "".join(f" {MINUS if term.minus else '+'} {number(term.support)}" for term in others)
    return f"{number(first.support)}{signed} = {number(int(found.channels.lows[index]))}"


def _exposure(found: Audit) -> str:
    import numpy as np

    from discreet.cli.wording import counted, label_text

    channels = found.channels
    lengths = np.diff(channels.fulls.offsets)
    in_channels = np.bincount(channels.which, minlength=len(channels.fulls))
    weight = np.bincount(channels.fulls.items, np.repeat(in_channels, lengths), minlength=len(channels.vocabulary))
    most = np.argsort(-weight, kind="stable")[:3]
    items = ", ".join(
        label_text(channels.vocabulary[item]) + (f" ({counted(int(weight[item]), 'channel')})" if place == 0 else "")
        for place, item in enumerate(most.tolist())
        if weight[item]
    )
    exposed = found.exposed_rows
    rows = "" if exposed is None else f"Exposed: {counted(exposed, 'row')} in all. "
    return f"{rows}Items that expose most: {items}." if items else rows.strip()


def _across_the_border(found: Audit) -> list[RenderableType]:
    from rich.console import Group
    from rich.padding import Padding

    from discreet.cli.screen import paragraph
    from discreet.cli.wording import counted, number

    if found.border is None or not len(found.border):
        return []
    more = "more " if len(found.channels) else ""
    verb = "follows" if len(found.border) == 1 else "follow"
    lines: list[RenderableType] = [
        paragraph(f"{counted(len(found.border), f'{more}group')} {verb} for itemsets that are not published:")
    ]
    worst = found.border.smallest_first()[: SHOWN - 2].tolist()
    lines += [Padding(paragraph(_sentence(found.border, index)), (0, 0, 0, 2)) for index in worst]
    if len(found.border) > SHOWN - 2:
        rest = number(len(found.border) - SHOWN + 2)
        lines.append(Padding(paragraph(f"… and {rest} more (--json lists them all)"), (0, 0, 0, 2)))
    return [Group(*lines)]


def _limits(found: Audit) -> list[str]:
    """Say what the answer does not cover."""
    from discreet.cli.wording import counted

    texts = []
    if found.from_rules:
        texts.append("From rules alone: an itemset that no rule mentions cannot be judged.")
    elif found.kind == "incomplete":
        texts.append(
            "The collection is incomplete: only groups were looked for whose every itemset is listed. Whoever knows "
            "the missing ones can compute more."
        )
    elif found.rows is None:
        texts.append(
            "From patterns alone: nothing is known of the rows themselves, or of what else was published of them."
        )
    search = found.border_search
    if search is not None and not search.complete:
        reach = counted(search.sets, "itemset") if search.sets else "none"
        texts.append(f"Across the border, {reach} of up to {search.longest} items could be looked at, not all.")
    elif search is not None and found.safe:
        texts.append(
            f"Across the border {counted(search.sets, 'itemset')} {'was' if search.sets == 1 else 'were'} looked at, "
            f"up to {counted(search.depth, 'item')} beyond what is published; larger ones were not."
        )
    return texts


def _next_steps(found: Audit, again: list[str], options: dict[str, Any], *, quiet: bool) -> list[RenderableType]:
    """Say how to make it safe, and at which support nothing would have to be changed."""
    from discreet.channels.lowest_support import lowest_safe_support
    from discreet.cli.progress import patience_note
    from discreet.cli.screen import next_steps, paragraph
    from discreet.cli.wording import number, percent
    from discreet.engines import in_spark

    source = found.collection if in_spark(found.rows) else found.rows or found.collection
    if found.safe or source is None or found.min_support is None or found.n is None or found.collection is None:
        return []
    with patience_note("Looking for what would be safe", quiet=quiet):
        lowest = lowest_safe_support(source, k=found.k, min_support=found.min_support, **options)
        steps = _ways_to_block(found, again, options)
    anything = lowest is not None and lowest <= int(found.collection.patterns.supports.max(initial=0))
    share = percent(lowest, found.n) if lowest is not None and anything else ""
    # Without an answer nothing is claimed: the collection may be incomplete, or the search have become too long.
    none_stays = [paragraph(_NOTHING_STAYS)] if lowest is not None or found.n < found.k else []
    if found.rows is None:
        words = f"Of these patterns, those in at least {number(lowest or 0)} rows ({share}) can stay as they are."
        return [paragraph(words)] if anything else none_stays
    if anything:
        steps.append(([*again, "-s", str(lowest)], f"{share}: the lowest support at which nothing has to be changed"))
    parts = [next_steps(steps)] if steps else []
    return parts if anything else [*parts, *none_stays]


_NOTHING_STAYS = "There is no support at which a pattern could be published unchanged."


def _ways_to_block(found: Audit, again: list[str], options: dict[str, Any]) -> list[tuple[list[str], str]]:
    """Return the commands that make the patterns safe, with what each would cost, where that is quick to know."""
    from discreet.cli.wording import counted, percent
    from discreet.engines import block
    from discreet.errors import NotSafe, TooManyPatterns

    if found.rows is None or found.min_support is None or found.closed_count > _QUICK_TO_BLOCK:
        return []
    steps = []
    words = ["discreet", "block", *again[2:], "-s", str(found.min_support), "--method"]
    ways: tuple[tuple[Literal["additive", "suppressive"], str], ...] = (
        ("additive", "adds {} virtually"),
        ("suppressive", "leaves {} out"),
    )
    for method, does in ways:
        try:
            done = block(found.rows, k=found.k, min_support=found.min_support, method=method, **options)
        except (NotSafe, TooManyPatterns):
            continue
        worst = done.distortion.worst
        cost = f"{does.format(counted(done.distortion.rows, 'row'))}; supports change by "
        cost += f"{percent(worst.numerator, worst.denominator)} at most"
        if method == "suppressive" and worst == 1:
            cost += ": some itemsets are lost"
        steps.append(([*words, method], cost))
    return steps


_QUICK_TO_BLOCK = 2000
"""Closed itemsets up to which blocking is tried out to tell its price."""
