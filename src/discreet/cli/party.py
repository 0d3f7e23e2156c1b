"""`discreet party`: mine together with a partner, neither showing rows."""

# `command` reads the annotations at run time.

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from discreet.cli.command import Option, command
from discreet.cli.failures import warn
from discreet.cli.options import Force, MinSupport, OutputFile, TalkingOptions, read_rows
from discreet.cli.passphrase import KeyPassphraseFile, key_passphrases
from discreet.cli.standard_output import give
from discreet.errors import ParameterError
from discreet.transactions.options import ReadOptions

if TYPE_CHECKING:
    from discreet.answers.answer import Answer, Evidence, TextTable
    from discreet.twoparty.estimate import Estimate
    from discreet.twoparty.party import Joint

__all__ = ["EstimatingOptions", "party"]

EXAMPLES = """
discreet keygen our-keys
discreet party --estimate --rows 8124 --frequent-columns 10,10 -s 35% -k 10
"""
SHOWN = 10

_estimating = partial(Option, panel="Estimating")


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatingOptions:
    """The inputs of `--estimate`."""

    estimate: Annotated[
        bool, _estimating("--estimate", help="Estimate the cost from DATA or --rows, without calling a partner.")
    ] = False
    rows: Annotated[int | None, _estimating("--rows", metavar="N", min=1, help="Without DATA: the number of rows.")] = (
        None
    )
    frequent_columns: Annotated[
        str | None,
        _estimating(
            "--frequent-columns",
            metavar="OURS,THEIRS",
            help="How many items are frequent on each side (with DATA: THEIRS alone; otherwise as many as ours).",
        ),
    ] = None
    delay: Annotated[
        float, _estimating("--delay", metavar="MS", min=0, help="The link's delay one way, in milliseconds.")
    ] = 0.0
    bandwidth: Annotated[
        float,
        _estimating("--bandwidth", metavar="MBIT", min=0.001, help="The link's bandwidth, in megabits per second."),
    ] = 1000.0


@command(examples=EXAMPLES)
def party(
    *,
    listen: Annotated[
        str | None, Option("--listen", metavar="HOST:PORT", help="Wait for the partner at this address.")
    ] = None,
    connect: Annotated[
        str | None, Option("--connect", metavar="HOST:PORT", help="Call the partner at this address.")
    ] = None,
    data: Annotated[
        str | None, Option("--data", metavar="DATA", help="Your rows: a file, or - for standard input.")
    ] = None,
    min_support: MinSupport,
    k: Annotated[int, Option("-k", metavar="K", help="No group of 1 to K-1 people may be computable.")],
    protocol: Annotated[
        Literal["ic-sapm", "dka-sapm"],
        Option(
            "--protocol",
            metavar="NAME",
            help="ic-sapm withholds what would single someone out, dka-sapm makes the joint rows K-anonymous first.",
        ),
    ] = "ic-sapm",
    identity: Annotated[
        Path | None, Option("--identity", metavar="FILE", help="Your identity.pem, which keygen made.")
    ] = None,
    key_passphrase_file: KeyPassphraseFile = None,
    trust: Annotated[
        Path | None, Option("--trust", metavar="FILE", help="The partner's public.pem; nobody else is let in.")
    ] = None,
    intersect: Annotated[
        bool, Option("--intersect", help="Keep the people that both sides have, found by their ids.")
    ] = False,
    horizontal: Annotated[
        bool, Option("--horizontal", help="The sides hold different people with the same items.")
    ] = False,
    labels: Annotated[
        str | None,
        Option("--labels", metavar="LIST", help="horizontal: the items to look at: a,b,c or @FILE."),
    ] = None,
    timeout: Annotated[
        float,
        Option("--timeout", metavar="SECONDS", help="How long to wait for a partner that is not there or silent."),
    ] = 30.0,
    output: OutputFile = None,
    force: Force = False,
    estimating: EstimatingOptions,
    reading: ReadOptions,
    talking: TalkingOptions,
) -> None:
    """Mine together with a partner, neither showing rows.

    Both sides hold other columns about the same people, in the same order, and run this command at the same time, one
    with --listen, one with --connect. Both get the frequent itemsets over all columns that have no channel to a group
    of 1 to K-1 people, and of the others that are frequent the names alone. Neither side learns anything else about
    the other's rows; the names of what is frequent on either side alone are exchanged.

    Then an attacker looks at these itemsets: where it finds a group, the answer says so, and they are not for the
    public. Otherwise what is written with -o may be published. What was withheld is for the two of you alone.
    """
    if estimating.estimate:
        cost = _estimate(
            estimating, reading, data, min_support=min_support, k=k, protocol=protocol, horizontal=horizontal
        )
        give(cost.to_dict, lambda: _estimate_answer(cost, estimating), json=talking.json)
        return
    if identity is None or trust is None:
        missing = "--identity" if identity is None else "--trust"
        raise ParameterError(f"{missing} is missing: give a file that discreet keygen made", parameter=missing)
    from discreet.cli.progress import stage_note
    from discreet.patterns.writing import check_pattern_file, write_patterns
    from discreet.twoparty.party import party as run

    secrets = key_passphrases([identity], [key_passphrase_file])
    if output is not None:
        check_pattern_file(output, force=force)
    rows = read_rows(data, reading, quiet=talking.quiet)
    with stage_note(quiet=talking.quiet) as tell:
        done = run(
            rows,
            min_support=min_support,
            k=k,
            identity=identity,
            passphrase=secrets[0] if secrets else None,
            trust=trust,
            protocol=protocol,
            listen=listen,
            connect=connect,
            intersect=intersect,
            horizontal=horizontal,
            labels=labels,
            timeout=timeout,
            watch=tell,
        )
    if output is not None:
        write_patterns(done.patterns, output, force=force)
    if output is not None and done.verdict == "not-safe":
        warn(f"what {output} lists gives small groups away; do not publish it")
    give(done.to_dict, lambda: _answer(done, output), json=talking.json)


def _estimate(
    given: EstimatingOptions,
    reading: ReadOptions,
    data: str | None,
    *,
    min_support: MinSupport,
    k: int,
    protocol: Literal["ic-sapm", "dka-sapm"],
    horizontal: bool,
) -> "Estimate":
    from discreet.twoparty.estimate import estimate, estimate_for

    delay, bandwidth = given.delay / 1000, given.bandwidth * 1e6
    if given.rows is None:
        columns = _counts(given.frequent_columns, 1)
        rows = read_rows(data, reading)
        partner = columns[0] if columns else None
        return estimate_for(
            rows,
            min_support=min_support,
            k=k,
            protocol=protocol,
            partner_columns=partner,
            horizontal=horizontal,
            delay=delay,
            bandwidth=bandwidth,
        )
    if data is not None:
        raise ParameterError("--rows is for an estimate without --data; give one of the two", parameter="--rows")
    ours, theirs = _counts(given.frequent_columns or "", 2)
    return estimate(
        n=given.rows,
        columns=(ours, theirs),
        k=k,
        protocol=protocol,
        horizontal=horizontal,
        delay=delay,
        bandwidth=bandwidth,
    )


def _counts(text: str | None, expected: int) -> list[int]:
    """Parse this many numbers of columns."""
    if text is None:
        return []
    words = [word.strip() for word in text.split(",")]
    if len(words) != expected or not all(word.isascii() and word.isdigit() for word in words):
        form = "one number with --data, as in 12" if expected == 1 else "two numbers with --rows, as in 10,12"
        raise ParameterError(f"--frequent-columns must be {form}, got {text!r}", parameter="--frequent-columns")
    return [int(word[:9]) for word in words]


def _estimate_answer(cost: "Estimate", given: EstimatingOptions) -> "Answer":
    from discreet.answers.answer import Answer
    from discreet.wording import counted, number

    expected = (
        f"For {counted(cost.n, 'row')}, {_whose(cost)}: about {number(cost.candidates)} candidates, over a link of "
        f"{given.bandwidth:g} Mbit/s with {given.delay:g} ms of delay. An expectation, not a bound: how many "
        "candidates there are depends on data that neither side holds alone."
    )
    evidence = [expected]
    if cost.encryptions is not None and cost.paper_seconds is not None:
        evidence.append(
            f"The protocol as first published would take about {number(cost.encryptions)} encryptions: "
            f"{_duration(cost.paper_seconds)} at the speed its authors measured."
        )
    rounds = counted(cost.rounds, "round")
    return Answer(f"about {_duration(cost.seconds)}, {_size(cost.bytes)} and {rounds} of messages", evidence)


def _whose(cost: "Estimate") -> str:
    if cost.encryptions is None:
        return f"those of both sides, and {cost.columns[0]} items that are frequent in them"
    return f"{cost.columns[0]} frequent items on this side and {cost.columns[1]} on the other"


def _duration(seconds: float) -> str:
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:,.1f} seconds"


def _size(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count} bytes"


def _answer(done: "Joint", output: Path | None) -> "Answer":
    from discreet.answers.answer import Answer, Headline, Step
    from discreet.answers.audit_and_block import VERDICTS
    from discreet.answers.small_groups import groups_beyond, smallest_groups

    found, audit = done.found, done.audit
    word, tone = VERDICTS[done.verdict]
    headline = Headline(word, "good" if done.verdict == "incomplete" else tone, _verdict(done))
    evidence: list[Evidence] = [*smallest_groups(audit), *groups_beyond(audit)]
    if len(found.patterns):
        evidence += [_released(done), _how_far(done)]
    evidence += [_withheld(done), _cost(done)]
    if output is None:
        return Answer(headline, evidence)
    publish = "do not publish this" if done.verdict == "not-safe" else "this may be published"
    evidence.append(f"Written to {output}: {publish}. The names above are for the two of you alone.")
    again = ["discreet", "audit", "--patterns", str(output), "-k", str(found.k), "--accept-incomplete"]
    return Answer(headline, evidence, [Step(again, "audits what was written, as anyone can who sees it")])


def _verdict(done: "Joint") -> str:
    from discreet.wording import counted, number

    few = f"fewer than {done.found.k} of {number(done.found.n)} people"
    itemsets = counted(len(done.patterns), "itemset")
    if done.verdict == "not-safe":
        groups = len(done.audit.channels) + len(done.audit.border or ())
        follow = f"{counted(groups, 'group')} of {few} {'follows' if groups == 1 else 'follow'}"
        return f"{follow} from the {itemsets}, though none has a channel; ask for a larger -k or -s, both of you"
    if done.verdict == "nothing":
        return f"no itemset is left from which no group of {few} follows"
    return f"{itemsets} from which no group of {few} was found to follow"


def _how_far(done: "Joint") -> str:
    from discreet.wording import counted, number

    attack = done.audit.attack
    if attack is None or attack.complete:
        looked = "all items together, exactly"
    elif not attack.looked_at:
        looked = "its first window, and not to the end: its steps came to one before"
    else:
        left_out = f", and left {number(attack.left_out)} out" if attack.left_out else ""
        looked = f"{counted(attack.looked_at, 'window')} of up to {attack.items_per_window} items{left_out}"
    withheld = "" if done.audit.kind != "incomplete" else ", and assumes nothing about what is not listed"
    return f"The attacker sees the itemsets, their supports and n{withheld}. It looked at {looked}."


def _released(done: "Joint") -> "TextTable":
    from discreet.answers.answer import TextTable
    from discreet.wording import itemset_text, number, percent

    patterns = done.patterns
    listed = patterns.to_dict()["itemsets"]
    lines = [
        (number(each["support"]), percent(each["support"], patterns.n), itemset_text(each["items"]))
        for each in listed[:SHOWN]
    ]
    more = len(listed) - len(lines)
    title = "The itemsets" + (f" (the first {SHOWN}; --json and -o have all)" if more else "")
    return TextTable(title, ("people", "share", "items"), lines)


def _withheld(done: "Joint") -> str:
    from discreet.wording import counted, itemset_text, number

    if not done.withheld:
        return "No frequent itemset had to be withheld."
    shown = [f"  {itemset_text(each)}" for each in done.withheld[:SHOWN]]
    more = len(done.withheld) - len(shown)
    rest = [f"  … and {number(more)} more (--json lists them all)"] if more else []
    count = counted(len(done.withheld), "frequent itemset")
    return "\n".join([f"{count} withheld, not for release:", *shown, *rest])


def _cost(done: "Joint") -> str:
    from discreet.wording import counted

    cost = done.transcript
    return (
        f"{_size(cost.bytes_sent)} sent and {_size(cost.bytes_received)} received in {counted(cost.rounds, 'round')} "
        f"and {cost.seconds:,.1f} seconds."
    )
