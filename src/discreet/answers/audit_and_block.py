"""What an audit and blocking say: the verdict, the small groups, how far the search went, and the cost.

Advice about an audit becomes steps: commands that can be pasted, each with its purpose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.answers.answer import Answer, Headline, Step, TextTable
from discreet.answers.conclusion_words import conclusions_told, surest_conclusions
from discreet.answers.small_groups import groups_beyond, smallest_groups
from discreet.channels.detection import channels_of_patterns
from discreet.transactions.vocabulary import in_order
from discreet.wording import ROWS, Unit, counted, itemset_text, label_text, number, percent, share, sizes_below

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Literal

    from discreet.answers.answer import Evidence
    from discreet.channels.advice import Advice, Price
    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked

__all__ = ["VERDICTS", "audit_answer", "audit_headline", "audit_limits", "audit_steps", "block_answer", "what_it_took"]

VERDICTS: dict[str, tuple[str, Literal["good", "bad", "open"]]] = {
    "safe": ("SAFE", "good"),
    "not-safe": ("NOT SAFE", "bad"),
    "incomplete": ("NO CHANNEL FOUND", "open"),
    "nothing": ("NOTHING TO PUBLISH", "open"),
}
"""The word for each verdict of an audit, and its tone."""

_VIRTUAL_SHOWN = 10
"""Kinds of virtual rows that are shown; --json lists them all."""

_MANY = 1_000_000
"""Larger numbers of windows are not spelled out."""

_NAMED = 3
"""How many columns are named."""


def audit_answer(found: Audit, steps: Sequence[Step] = (), *, explain: bool = False) -> Answer:
    """Return what an audit says: its evidence, its limits, and what to do next."""
    evidence: list[Evidence] = [*smallest_groups(found)]
    if len(found.channels) and (exposure := _exposure(found)):
        evidence.append(exposure)
    evidence += [*groups_beyond(found), *surest_conclusions(found), *audit_limits(found)]
    return Answer(audit_headline(found), [*evidence, *([_DEFINITIONS] if explain else [])], steps)


def audit_limits(found: Audit) -> list[str]:
    """Return what an audit proves, what it does not cover, and how far the attacker looked."""
    limits = [*_what_is_proved(found), *_limits(found), *_who_knows_more(found)]
    return limits if found.verdict == "nothing" else [*limits, *_exclusive_items(found), _how_far(found)]


def block_answer(done: Blocked, output: Path | None, witness: Path | None) -> Answer:
    """Return what blocking says: what was changed, what that cost, and what may be published."""
    if done.verdict == "nothing":
        word, tone = VERDICTS["nothing"]
        support = f"in at least {number(done.min_support)} of {_unit(done).counted(done.n_before)}"
        return Answer(Headline(word, tone, f"no itemset is left that occurs {support}; lower -s"))
    proof = done.proof
    itemsets = counted(len(done.patterns), f"{done.patterns.target} itemset")
    certain = proof.proved or (proof.attack is not None and proof.attack.complete)
    safe = "can be computed" if certain else "was found to follow"
    headline = Headline(
        "SAFE, PROVED" if proof.proved and done.rho is None else "SAFE",
        "good",
        f"{itemsets} from which no group of fewer than {done.k} {_unit(done).plural}{_of_known_items(proof)} {safe}"
        + ("" if done.rho is None else f", and no conclusion of {share(done.rho)} or more"),
    )
    evidence: list[Evidence] = [_what_was_done(done), _cost(done), *_what_was_withheld(done)]
    evidence += [*_what_is_proved(proof), *_who_knows_more(proof), *_exclusive_items(proof), _how_far(proof)]
    evidence += _virtual_rows(done)
    if output is not None:
        evidence.append(f"Written to {output}: this may be published.")
    if witness is not None:
        evidence.append(f"Written to {witness}: rows that have exactly these patterns, NOT FOR RELEASE.")
    evidence.append("This summary is for you alone. Whoever knows what was changed, or how, may be able to undo it.")
    return Answer(headline, evidence)


def _unit(done: Blocked) -> Unit:
    return ROWS if done.read is None else done.read.what_a_row_is


def _what_was_withheld(done: Blocked) -> list[Evidence]:
    if done.withheld is None or done.rho is None:
        return []
    if done.patterns.target != "selected":
        return ["Nothing had to be withheld: no group is known to have a sensitive item that often."]
    listed = counted(len(done.patterns) + len(done.withheld), "itemset")
    words = (
        f"{number(len(done.withheld))} of {listed} were withheld, so that no group is known to have a sensitive item "
        f"with a share of {share(done.rho)} or more. Say so with the patterns: an itemset that is not listed is "
        "rare, or was withheld."
    )
    return [words]


def _virtual_rows(done: Blocked) -> list[Evidence]:
    if not done.merged:
        return []
    shown = done.merged[:_VIRTUAL_SHOWN]
    rows = [
        (number(done.k), itemset_text(in_order(merge.base, done.change.closed.vocabulary)) or "nothing")
        for merge in shown
    ]
    more = len(done.merged) - len(shown)
    return [
        TextTable("Virtual rows", ("rows", "added, each with exactly"), rows),
        *([f"… and {number(more)} more (--json lists them all)"] if more else []),
    ]


_DEFINITIONS = (
    "A channel is a pair of itemsets I and J, I within J, with 0 < f < k, where f is the sum over all X from I to J of "
    "sup(X), added where X has an even number of items more than I and subtracted where odd: the number of rows with "
    "all of I and nothing else of J (Atzori, Bonchi, Giannotti, Pedreschi, Definition 9). One channel implies another "
    "that asks for fewer items to be present and fewer to be absent (Definition 15); those listed are implied by no "
    "other. Beyond the channels, a group follows where every data set that agrees with all that is published has 1 to "
    "k-1 rows in it: the attacker solves a linear program for the least and for the greatest number, in whole numbers, "
    "over the items of a window at a time. A bound is a sum of published figures, which anyone can redo; sup(X) is the "
    "number of rows with all of X, n that of all rows, and what is not published has at most threshold − 1."
)


def audit_headline(found: Audit) -> Headline:
    """Return the first line of an audit: the word, and what it is about."""
    word, tone = VERDICTS[found.verdict]
    proved = found.verdict == "safe" and found.proved and found.conclusions is None  # conclusions are not proved away
    return Headline("SAFE, PROVED" if proved else word, tone, _verdict(found))


def _verdict(found: Audit) -> str:
    rows = f"the {found.unit.plural}" if found.n is None else found.unit.counted(found.n)
    few = f"fewer than {found.k} of {rows}"
    if found.verdict == "nothing":
        support = "" if found.min_support is None else f" in at least {number(found.min_support)} of {rows}"
        return f"no itemset occurs{support}"
    told = conclusions_told(found)
    if found.verdict == "incomplete":
        found_none = f"no group of {few}{f' and {told}' if told else ''} was found"
        return f"{found_none}, but not all itemsets are there: this does not mean that it is safe"
    if found.safe:
        return (
            f"no group of {few}{_of_known_items(found)} {_how_safe(found)}{f', and {told} was found' if told else ''}"
        )
    if found.groups_safe:
        return f"{told} follow{'s' if len(found.conclusions or ()) == 1 else ''} from these patterns"
    return _not_safe(found, rows) + (f", and {told}" if found.conclusions else "")


def _of_known_items(found: Audit) -> str:
    """Return the limit of a verdict about quasi-identifiers."""
    return "" if found.public is found.collection else " that quasi-identifiers describe"


def _how_safe(found: Audit) -> str:
    if found.proved or (found.attack is not None and found.attack.complete):
        return "can be computed from these patterns"
    if found.attack is None:
        return "can be computed by the paper's sums; the attacker is off"
    return "was found to follow from these patterns; not proved"


def _not_safe(found: Audit, rows: str) -> str:
    """Return who is exposed: how many rows, or, if the rows are not known, how many groups follow."""
    sizes = sizes_below(found.k)
    if found.exposed_rows is not None:
        are = "is" if found.exposed_rows == 1 else "are"
        known = _of_known_items(found)
        return f"{number(found.exposed_rows)} of {rows} {are} in a group of {sizes}{known} that anyone can compute"
    certain = f"anyone can compute {counted(sum(map(len, found.small_groups)), 'group')} of {sizes} of {rows}"
    if found.from_rules and any(c.low < 1 or c.high >= found.k for c in found.channels):
        sure = sum(c.low >= 1 and c.high < found.k for c in found.channels)
        possible = len(found.channels) - sure
        return f"{certain} ({sure} certainly, {possible} possibly, as far as the printed figures tell)"
    return certain


def _exposure(found: Audit) -> str:
    channels = found.channels
    lengths = channels.fulls.lengths
    in_channels = np.bincount(channels.which, minlength=len(channels.fulls))
    weight = np.bincount(channels.fulls.items, np.repeat(in_channels, lengths), minlength=len(channels.vocabulary))
    most = np.argsort(-weight, kind="stable")[:3]
    items = ", ".join(
        label_text(channels.vocabulary[item]) + (f" ({counted(int(weight[item]), 'channel')})" if place == 0 else "")
        for place, item in enumerate(most.tolist())
        if weight[item]
    )
    return f"Items that expose most: {items}." if items else ""


_WITHOUT_N = (
    "The number of all rows is not known: groups that follow only with it, such as the rows with none of some items, "
    "were not looked for. Give --n to look for them."
)


def _limits(found: Audit) -> list[str]:
    """Return what the answer does not cover."""
    if found.n is None and not found.from_rules:
        return [_WITHOUT_N, *_other_limits(found)]
    return _other_limits(found)


def _other_limits(found: Audit) -> list[str]:
    if found.from_rules:
        return ["From rules alone: an itemset that no rule mentions cannot be judged."]
    if found.kind == "incomplete":
        return [
            "The collection is incomplete: nothing is known of the itemsets that are missing, and whoever knows them "
            "can compute more. If that is meant, --accept-incomplete ends with status 0."
            if found.safe
            else "The collection is incomplete: whoever knows the missing itemsets can compute more."
        ]
    if found.rows is None:
        return ["From patterns alone: nothing is known of the rows themselves, or of what else was published of them."]
    return []


def _who_knows_more(found: Audit) -> list[str]:
    """Return what can be computed with other items than quasi-identifiers, if there are any."""
    if found.public is None or found.public is found.collection or found.kind == "incomplete":
        return []
    count = len(channels_of_patterns(found.public, k=found.k, method="closed", all_channels=False))
    few = f"of fewer than {found.k} {found.unit.plural}"
    words = f"can compute {counted(count, 'group')} {few} with them" if count else f"can compute no group {few} either"
    return [f"Only quasi-identifiers describe groups here. Whoever knows all published items of a person {words}."]


def _how_far(found: Audit) -> str:
    """Return what the attacker examined and what it left out, or that it was off."""
    attack = found.attack
    if attack is None:
        return (
            "The attacker is off (--no-border): this is the answer of the paper alone (Atzori and others, 2008). "
            "Groups that follow for items that are not published together were not looked for."
        )
    if attack.complete:
        looked = f"The attacker looked at all {counted(len(attack.known.items), 'item')} together: complete."
    elif not attack.looked_at and attack.programs:
        looked = "The attacker's steps ran out before it had looked through one window."
    else:
        looked = (
            f"The attacker looked at {counted(attack.looked_at, 'window')} of up to {attack.items_per_window} items."
        )
    ruled_out = attack.candidates - len(attack.groups)
    if found.safe and ruled_out > 0:
        looked += (
            f" {counted(ruled_out, 'group')} that could have been small {'was' if ruled_out == 1 else 'were'} ruled "
            f"out by {counted(attack.programs, 'linear program')}."
        )
    if attack.left_out:
        count = "Over a million" if attack.left_out > _MANY else number(attack.left_out)
        windows = "window was" if attack.left_out == 1 else "windows were"
        looked += f" {count} {windows} left out; more may follow there (--attack-steps)."
    return looked


def _what_is_proved(found: Audit) -> list[str]:
    """Return what the proof of safety is, and what it does not cover; nothing if there is none."""
    if not found.proved:
        return []
    text = (
        "Proved: a data set was found that agrees with all that is published, and in which every kind of row occurs "
        f"not at all or at least {found.k} times. So no group of {found.unit.sizes_below(found.k)} is certain, of "
        "whatever items. This excludes certainty, not likelihood."
    )
    if found.conclusions is not None:
        text += " It is a proof about the sizes of groups; that no conclusion was found is not proved."
    if found.rows is None:
        text += (
            " Readers who know how the patterns were changed are covered only where the same is published of that data "
            "set; readers who know the true number of rows are not."
        )
    return [text]


def _exclusive_items(found: Audit) -> list[str]:
    """Return which items readers are assumed to know to exclude each other."""
    if found.attack is None or not found.exclusive:
        return []
    columns, named = found.exclusive.columns, found.exclusive.named
    known = []
    if columns:
        names = ", ".join(label_text(column) for column in columns[:_NAMED])
        more = ", …" if len(columns) > _NAMED else ""
        known.append(f"one value of {'the column' if len(columns) == 1 else 'each of the columns'} {names}{more}")
        if len(columns) > _NAMED:
            known[-1] += f" ({len(columns)} in all)"
    if named:
        items = counted(sum(map(len, named)), "item")
        known.append(
            f"one of {items} named as exclusive"
            if len(named) == 1
            else f"one of each of {len(named)} sets of items named as exclusive"
        )
    return [f"Readers are assumed to know that a row has at most {', and at most '.join(known)}."]


def what_it_took(done: Blocked) -> str:
    """Return what was changed, and what that cost."""
    return f"{_what_was_done(done)} {_cost(done)}"


def _what_was_done(done: Blocked) -> str:
    found, changed = _blocked(done), _unit(done).counted(done.distortion.rows)
    if done.method == "additive":
        text = f"{found} blocked as if {changed} had been added to {number(done.n_before)}."
        if done.plain_rows is not None and done.plain_rows > done.distortion.rows:
            text += f" Merging in plain order would have added {number(done.plain_rows)}."
    else:
        text = f"{found} blocked by leaving out {changed} of {number(done.n_before)}."
    if done.min_support > done.asked_support:
        text += f" The minimum support was raised to {number(done.min_support)}, since fewer are a group."
    return text


def _blocked(done: Blocked) -> str:
    """Return what disclosed groups: channels, and groups that the attacker found beyond them."""
    beyond = len(done.change.blocked) > 1  # one for the channels, and one for each time the attacker found any
    if beyond and not done.channels_before:
        return "Groups that follow for items that are not published together were"
    more = ", and groups that follow for items that are not published together, were" if beyond else ""
    return f"{counted(done.channels_before, 'channel')}{more}"


def _cost(done: Blocked) -> str:
    distortion = done.distortion
    return (
        f"The price: {share(distortion.changed)} of all supports are changed, by {share(distortion.average)} on "
        f"average over all, and by {share(distortion.worst)} at worst."
    )


_HINTED = 4
"""How many items and sets of items a hint names."""

_WAYS = {
    "additive": ("adds {} virtually", "raises supports, as if rows had been added, and shows the cost"),
    "suppressive": ("leaves {} out", "leaves rows out, and shows the cost"),
}


def audit_steps(found: Audit, advice: Advice, again: list[str] | None, min_support: str | None) -> list[Step]:
    """Return what would make the patterns safe, what could stay unchanged, and what was not declared to the audit.

    `again` is the command without its support, None if its input is gone.
    """
    return [
        *_ways_to_block(found, advice, again),
        *_higher_support(found, advice, again),
        *_without(found, advice, again),
        *_what_excludes(advice, again, min_support),
    ]


def _ways_to_block(found: Audit, advice: Advice, again: list[str] | None) -> list[Step]:
    """Return the commands that make the patterns safe, with the cost of each if known."""
    if again is None:
        return []
    words = ["discreet", "block", *again[2:], "-s", str(found.min_support), "--method"]
    steps = [Step([*words, method], _price(found, method, price)) for method, price in advice.blocking.items()]
    if found.conclusions and advice.blocking and not {"--no-border", "--engine"}.intersection(again):
        publish = ["discreet", "release", *words[2:], next(reversed(advice.blocking)), "-o", "public"]
        steps.append(Step(publish, "publishes what is left, with evidence for both that others can check"))
    return steps


def _price(found: Audit, method: str, price: Price | None) -> str:
    does, untried = _WAYS[method]
    if price is None and found.conclusions:
        return f"withholds what tells about sensitive items{'' if found.groups_safe else f', and {untried}'}"
    if price is None:
        return untried
    withheld = f"withholds {counted(price.withheld, 'itemset')}, so that no conclusion is left"
    if found.groups_safe:
        return withheld
    cost = f"{withheld}; " if price.withheld else ""
    cost += f"{does.format(found.unit.counted(price.rows))}; supports change by "
    cost += f"{share(price.worst)} at most"
    return f"{cost}: some itemsets are lost" if method == "suppressive" and price.worst == 1 else cost


def _higher_support(found: Audit, advice: Advice, again: list[str] | None) -> list[Step]:
    """Return at which support nothing would have to be changed, or that there is none."""
    if advice.hopeless:
        return [Step(None, "There is no support at which a pattern could be published unchanged.")]
    if advice.lowest is None or found.n is None:
        return []
    of_all = percent(advice.lowest, found.n)
    if found.rows is None:
        words = (
            f"Of these patterns, those in at least {found.unit.counted(advice.lowest)} ({of_all}) can stay as they are."
        )
        return [Step(None, words)]
    words = f"{of_all}: the lowest support at which nothing has to be changed"
    return [] if again is None else [Step([*again, "-s", str(advice.lowest)], words)]


def _without(found: Audit, advice: Advice, again: list[str] | None) -> list[Step]:
    """Return which columns or items to leave out if hardly any support is safe."""
    if advice.leave_out is None or found.n is None:
        return []
    names, lowest = advice.leave_out.names, advice.leave_out.lowest
    of_all = percent(lowest, found.n)
    if again is not None and found.rows is not None and advice.leave_out.columns and _can_drop(names, again):
        these = "this column" if len(names) == 1 else "these columns"
        words = f"{of_all}: nothing has to be changed at this support without {these}"
        return [Step([*again, "--drop", ",".join(names), "-s", str(lowest)], words)]
    what = f"the {'column' if advice.leave_out.columns else 'item'}{'' if len(names) == 1 else 's'} "
    what += ", ".join(map(label_text, names))
    return [Step(None, f"Without {what}, nothing has to be changed at {found.unit.counted(lowest)} ({of_all}).")]


def _can_drop(names: Sequence[str], again: Sequence[str]) -> bool:
    """Return whether `--drop` can be added to a command, with the same rows as before."""
    return not {"--drop", "--keep", "drop-row"}.intersection(again) and not any(
        "," in name or '"' in name or name != name.strip() or name.startswith("@") for name in names
    )


def _what_excludes(advice: Advice, again: list[str] | None, min_support: str | None) -> list[Step]:
    """Name the items that look like values of one attribute, so that the user can declare them."""
    looks = advice.exclusive
    if not looks:
        return []
    first = looks[0].labels
    items = itemset_text(first[:_HINTED]) + (", …" if len(first) > _HINTED else "")
    others = ", …" if len(looks) > _HINTED else ""
    names = ", ".join(look.name for look in looks[1:_HINTED]) + others
    also = f"; so do those of {names}" if names else ""
    words = f"{items} never occur together and look like values of one attribute{also}: "
    named = [word for look in looks for word in ("--exclusive", look.name)]
    if again is None:
        return [Step(None, f"{words}readers may know it, so say so with --exclusive {looks[0].name!r}.")]
    support = [] if min_support is None else ["-s", min_support]
    return [Step([*again, *support, *named], f"{words}readers may know it, so say so")]
