"""`discreet party`: mine together with a partner, neither showing rows."""

# `command` reads the annotations at run time.

from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import discreet
from discreet.answers.answer import Answer, Headline, Step, TextTable
from discreet.cli.command import Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import Force, MinSupport, OutputFile, TalkingOptions, read_rows
from discreet.cli.passphrase import KeyPassphraseFile, key_passphrases
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give
from discreet.errors import ParameterError
from discreet.transactions.options import ReadOptions
from discreet.wording import counted, itemset_text, number, percent

with on_first_use():
    from discreet.answers import audit_and_block as audit_answers
    from discreet.patterns import writing as pattern_writing
    from discreet.twoparty import estimate as estimates

if TYPE_CHECKING:
    from discreet.answers.answer import Evidence
    from discreet.twoparty.estimate import Estimate
    from discreet.twoparty.party import Joint
    from discreet.twoparty.rehearsal import Rehearsal

__all__ = ["EstimatingOptions", "PaperOptions", "party"]

EXAMPLES = """
discreet keygen our-keys
discreet party --estimate --rows 8124 --frequent-columns 10,10 -s 35% -k 10
discreet generate hospital -o hospital.csv
discreet party --rehearse --data hospital.csv -s 20% -k 10
"""
SHOWN = 10

_estimating = partial(Option, panel="Estimating")
_papers = partial(Option, panel="For your officer")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperOptions:
    """What those who answer for the data need: before the session, and afterwards."""

    rehearse: Annotated[
        bool,
        _papers("--rehearse", help="Run both sides here, with made-up rows of the same shape as DATA. Calls nobody."),
    ] = False
    agreement: Annotated[
        Path | None,
        _papers(
            "--agreement",
            writes=True,
            metavar="FILE",
            help="Write a page for both sides to sign: what is computed, and who learns what. Calls nobody.",
        ),
    ] = None
    transcript: Annotated[
        Path | None,
        _papers(
            "--transcript",
            writes=True,
            metavar="FILE",
            help="Write digests, counts and times of what was sent, never contents, for your records.",
        ),
    ] = None


@command(examples=EXAMPLES)
def party(
    *,
    listen: Annotated[
        str | None, Option("--listen", metavar="HOST:PORT", help="Wait for the partner at this address.")
    ] = None,
    connect: Annotated[
        list[str] | None,
        Option("--connect", metavar="HOST:PORT", help="Call the partner at this address (again for each other owner)."),
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
    iterate: Annotated[
        bool,
        Option(
            "--iterate",
            help="dka-sapm: go on with the rows in no joint group of K instead of clearing them. Keeps more, and tells "
            "both sides which rows those are.",
        ),
    ] = False,
    dual: Annotated[
        bool | None,
        Option(
            "--dual/--no-dual",
            help="ic-sapm, same people: compute everything twice, once from each side, so that a partner with changed "
            "software is noticed (the default), or once, in a third of the time. The same on both sides.",
        ),
    ] = None,
    identity: Annotated[
        Path | None, Option("--identity", metavar="FILE", help="Your identity.pem, which keygen made.")
    ] = None,
    key_passphrase_file: KeyPassphraseFile = None,
    trust: Annotated[
        list[Path] | None,
        Option(
            "--trust",
            metavar="FILE",
            help="The partner's public.pem; nobody else is let in (again for each other owner, with --horizontal).",
        ),
    ] = None,
    intersect: Annotated[
        bool, Option("--intersect", help="Keep the people that both sides have, found by their ids.")
    ] = False,
    salt: Annotated[
        Path | None,
        Option(
            "--salt",
            metavar="FILE",
            help="intersect: match ids with this salt of keygen, which both sides hold, so that nobody else can try "
            "ids.",
        ),
    ] = None,
    horizontal: Annotated[
        bool, Option("--horizontal", help="The sides hold different people with the same items.")
    ] = False,
    labels: Annotated[
        str | None,
        Option("--labels", metavar="LIST", help="horizontal: the items to look at: a,b,c or @FILE."),
    ] = None,
    most_people: Annotated[
        int | None,
        Option(
            "--most-people",
            metavar="N",
            min=1,
            help="intersect: how many ids the partner may bring (default: twice ours).",
        ),
    ] = None,
    time_limit: Annotated[
        float, Option("--time-limit", metavar="SECONDS", help="How long a session may take in all.")
    ] = 21600.0,
    timeout: Annotated[
        float,
        Option("--timeout", metavar="SECONDS", help="How long to wait for a partner that is not there or silent."),
    ] = 30.0,
    output: OutputFile = None,
    force: Force = False,
    papers: PaperOptions,
    estimating: EstimatingOptions,
    reading: ReadOptions,
    talking: TalkingOptions,
) -> None:
    """Mine together with a partner, without showing rows.

    Both sides hold other columns about the same people, in the same order, and run this command at the same time, one
    with --listen, one with --connect. Both get the frequent itemsets over all columns that have no channel to a group
    of 1 to K-1 people, and of the others that are frequent the names alone. Neither side learns anything else about
    the other's rows; the names of what is frequent on either side alone are exchanged.

    Before anything is written, each side looks at the supports as an attacker would: a channel among them, or supports
    that cannot be, mean that the partner did not follow the protocol (status 3, nothing written). What only an attacker
    finds is withheld as well, the same on both sides. What is written with -o may be published; what was withheld is
    for the two of you alone.

    A partner that follows the protocol learns the result and nothing else. One with changed software cannot change
    the result, and may try guesses about your rows until a wrong one ends the session. That is so for ic-sapm on
    columns of the same people. With --no-dual, dka-sapm or --horizontal it gets no unsafe file written here, but may
    make up supports, and learn of single people which of your frequent items they have: have a contract with it.
    """
    if estimating.estimate or papers.rehearse or papers.agreement is not None:
        for name, file in (("-o", output), ("--transcript", papers.transcript)):
            if file is not None:
                raise ParameterError(f"{name} is for a session with a partner; nobody is called here", parameter=name)
    if estimating.estimate:
        cost = _estimate(
            estimating,
            reading,
            data,
            min_support=min_support,
            k=k,
            protocol=protocol,
            dual=dual,
            horizontal=horizontal,
        )
        give(cost.to_dict, lambda: _estimate_answer(cost, estimating), json=talking.json)
        return
    if papers.rehearse:
        rows = read_rows(data, reading, quiet=talking.quiet)
        with patience_note("Rehearsing", quiet=talking.quiet):
            rehearsal = discreet.rehearse(
                rows,
                min_support=min_support,
                k=k,
                protocol=protocol,
                iterate=iterate,
                dual=dual,
                intersect=intersect,
                salt=salt,
                horizontal=horizontal,
                labels=labels,
            )
        give(rehearsal.to_dict, lambda: _rehearsal_answer(rehearsal), json=talking.json)
        return
    if identity is None or not trust:
        missing = "--identity" if identity is None else "--trust"
        raise ParameterError(f"{missing} is missing: give a file that discreet keygen made", parameter=missing)
    if papers.agreement is not None:
        discreet.party_agreement(
            papers.agreement,
            identity=identity,
            trust=trust,
            min_support=min_support,
            k=k,
            protocol=protocol,
            iterate=iterate,
            dual=dual,
            intersect=intersect,
            salted=salt is not None,
            horizontal=horizontal,
            force=force,
        )
        written = {"agreement": str(papers.agreement)}
        give(lambda: written, lambda: _agreement_answer(papers.agreement), json=talking.json)
        return
    secrets = key_passphrases([identity], [key_passphrase_file])
    if output is not None:
        pattern_writing.check_pattern_file(output, force=force)
    rows = read_rows(data, reading, quiet=talking.quiet)
    with patience_note("Mining together", quiet=talking.quiet):
        done = discreet.party(
            rows,
            min_support=min_support,
            k=k,
            identity=identity,
            passphrase=secrets[0] if secrets else None,
            trust=trust,
            protocol=protocol,
            iterate=iterate,
            dual=dual,
            listen=listen,
            connect=connect,
            intersect=intersect,
            salt=salt,
            horizontal=horizontal,
            labels=labels,
            timeout=timeout,
            time_limit=time_limit,
            most_people=most_people,
            transcript=papers.transcript,
            force=force,
        )
    if output is not None:
        discreet.write_patterns(done.patterns, output, force=force)
    give(done.to_dict, lambda: _answer(done, output), json=talking.json)


def _estimate(
    given: EstimatingOptions,
    reading: ReadOptions,
    data: str | None,
    *,
    min_support: MinSupport,
    k: int,
    protocol: Literal["ic-sapm", "dka-sapm"],
    dual: bool | None,
    horizontal: bool,
) -> "Estimate":
    delay, bandwidth = given.delay / 1000, given.bandwidth * 1e6
    if given.rows is None:
        columns = _counts(given.frequent_columns, 1)
        rows = read_rows(data, reading)
        partner = columns[0] if columns else None
        return estimates.estimate_for(
            rows,
            min_support=min_support,
            k=k,
            protocol=protocol,
            partner_columns=partner,
            dual=dual,
            horizontal=horizontal,
            delay=delay,
            bandwidth=bandwidth,
        )
    if data is not None:
        raise ParameterError("--rows is for an estimate without --data; give one of the two", parameter="--rows")
    ours, theirs = _counts(given.frequent_columns or "", 2)
    return estimates.estimate(
        n=given.rows,
        columns=(ours, theirs),
        k=k,
        protocol=protocol,
        dual=dual,
        horizontal=horizontal,
        delay=delay,
        bandwidth=bandwidth,
    )


def _rehearsal_answer(done: "Rehearsal") -> "Answer":
    cost = done.joint.transcript
    rounds = counted(cost.rounds, "round")
    size = _size(cost.bytes_sent + cost.bytes_received)
    found, withheld = counted(len(done.joint.patterns), "itemset"), len(done.joint.withheld)
    shape = (
        f"With made-up rows: {counted(done.n, 'row')} and {counted(done.items, 'item')} on each side, each item in as "
        "many rows as in yours, drawn at random. Yours were counted and not used, and nobody was called."
    )
    meaning = (
        f"Of the made-up rows, {found} may be published and {withheld:,} had to be withheld. That says nothing about "
        "yours: real items occur together, so a real session finds more and takes longer; see --estimate."
    )
    took = f"{_duration(cost.seconds)}, {size} and {rounds} of messages"
    return Answer(f"rehearsed: both sides ran here, in {took}", [shape, meaning])


def _agreement_answer(path: Path | None) -> "Answer":
    return Answer(
        f"written to {path}: what is computed and who learns what, for both sides to sign",
        ["It holds no data, and nobody was called. Compare the two fingerprints in it over the telephone."],
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
    found = done.found
    word, tone = audit_answers.VERDICTS[done.verdict]
    headline = Headline(word, "good" if done.verdict == "incomplete" else tone, _verdict(done))
    evidence: list[Evidence] = [_released(done), _how_far(done)] if len(found.patterns) else []
    evidence.append(_named(done.withheld, "withheld, not for release:") or "No frequent itemset had to be withheld.")
    if done.withheld_after:
        evidence.append(_named(done.withheld_after, "withheld afterwards, which an attacker could combine to a group:"))
    if done.people is not None:
        evidence.append(_people(done.people))
    evidence += [*_cleared(done), _cost(done), f"{done.assumes[0].upper()}{done.assumes[1:]}."]
    if output is None:
        return Answer(headline, evidence)
    evidence.append(f"Written to {output}: this may be published. The names above are for the two of you alone.")
    again = ["discreet", "audit", "--patterns", str(output), "-k", str(found.k), "--accept-incomplete"]
    return Answer(headline, evidence, [Step(again, "audits what was written, as anyone can who sees it")])


def _verdict(done: "Joint") -> str:
    few = f"fewer than {done.found.k} of {number(done.found.n)} people"
    itemsets = counted(len(done.patterns), "itemset")
    if done.verdict == "nothing":
        return f"no itemset is left from which no group of {few} follows"
    return f"{itemsets} from which no group of {few} was found to follow"


def _how_far(done: "Joint") -> str:
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
    patterns = done.patterns
    lines = [
        (number(support), percent(support, patterns.n), itemset_text(labels))
        for labels, support in islice(patterns.listed(), SHOWN)
    ]
    more = len(patterns) - len(lines)
    title = "The itemsets" + (f" (the first {SHOWN}; --json and -o have all)" if more else "")
    return TextTable(title, ("people", "share", "items"), lines)


def _named(itemsets: tuple[tuple[str, ...], ...], what: str) -> str:
    """Return a list of itemsets by name, shortened; empty if there is none."""
    if not itemsets:
        return ""
    shown = [f"  {itemset_text(each)}" for each in itemsets[:SHOWN]]
    more = len(itemsets) - len(shown)
    rest = [f"  … and {number(more)} more (--json lists them all)"] if more else []
    return "\n".join([f"{counted(len(itemsets), 'frequent itemset')} {what}", *shown, *rest])


def _cleared(done: "Joint") -> list[str]:
    """Return what DkA-SAPM did to rows, and who knows of it."""
    found = done.found
    if found.protocol == "ic-sapm":
        return []
    lower = "so supports may be lower than they are"
    if found.left is None:
        return [f"Rows in joint groups of fewer than {found.k} were cleared, {lower}. Neither side learned which."]
    rounds = counted(len(found.left), "round")
    left = ", then ".join(counted(len(rows), "row") for rows in found.left)
    cleared = f"Values were cleared in {rounds}, {lower}. Left after each: {left}."
    return [f"{cleared} Both sides know which (--json lists them): that is for the two of you alone."]


def _people(counts: dict[str, int]) -> str:
    return (
        f"Of {number(counts['ours'])} people here and {number(counts['theirs'])} on the other side, "
        f"{number(counts['both'])} are on both. Each side now knows which of its own these are."
    )


def _cost(done: "Joint") -> str:
    cost = done.transcript
    return (
        f"{_size(cost.bytes_sent)} sent and {_size(cost.bytes_received)} received in {counted(cost.rounds, 'round')} "
        f"and {cost.seconds:,.1f} seconds."
    )
