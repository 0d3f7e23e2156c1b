"""What a release, verifying it, and the ledger of releases say."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from discreet.answers.answer import Answer, Headline, Listing, Step, TextTable
from discreet.answers.small_groups import group_text
from discreet.command_words import option
from discreet.errors import (
    ConcludedTogether,
    EntailedTogether,
    LedgerDiffers,
    NothingToPublish,
    NotSafe,
    UnsafeTogether,
    spelled,
)
from discreet.wording import counted, from_here, itemset_text, number, one_line, share

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from discreet.answers.answer import Evidence
    from discreet.json_types import JsonObject
    from discreet.publishing.free_text import FreeText
    from discreet.publishing.ledger_entries import Entry
    from discreet.publishing.noisy_bundle import DpRelease
    from discreet.publishing.receipts import Receipt
    from discreet.publishing.release import Release
    from discreet.publishing.rows_bundle import RowsRelease
    from discreet.publishing.sign import Signed
    from discreet.publishing.verification import Verification

__all__ = [
    "block_refusal",
    "held_words",
    "ledger_answer",
    "not_signed_answer",
    "noted_answer",
    "refusal_answer",
    "refusal_document",
    "release_answer",
    "release_headline",
    "signed_answer",
    "together_answer",
    "verify_answer",
]

_PURPOSES = {
    "patterns.csv": "the itemsets, each with the number of rows published for it",
    "patterns.parquet": "the same for programs",
    "rules.csv": "association rules that follow from them",
    "rules.parquet": "the same for programs",
    "report.html": "what is published and what is promised, for people",
    "hierarchy.csv": "what generalized items stand for",
    "certificate.json": "what is promised, and a digest of every other file",
}


def release_headline(done: Release | RowsRelease | DpRelease) -> Headline:
    """Return the first line of a release."""
    if done.certificate.kind == "noisy-patterns":
        return Headline("PUBLISHED WITH NOISE", "good", done.sentence)
    if done.certificate.kind == "rows":
        verdict = str(done.to_dict()["verdict"])
        if verdict == "face-value":
            return Headline("PROTECTED AT FACE VALUE", "open", done.sentence)
        return Headline(verdict.upper().replace("-", " "), "good", done.sentence)
    promise = done.certificate.promise
    proved = promise.get("proved") is True and promise.get("rho") is None  # conclusions are not proved away
    return Headline("SAFE, PROVED" if proved else "SAFE", "good", done.sentence)


def release_answer(
    done: Release | RowsRelease | DpRelease,
    data: Sequence[str] | None,
    *,
    owner_report: Path | None = None,
    proof: Path | None = None,
    ledger: Path | None = None,
    new_ledger: bool = False,
) -> Answer:
    """Return what was published, and how to check it; `data` are the words that read the rows again."""
    files = [(name, _PURPOSES.get(name, "the rows")) for name in done.files]
    evidence: list[Evidence] = [Listing(f"All of it may be published: {done.bundle}", files)]
    if done.certificate.kind != "rows":
        evidence.append(f"What is promised: {done.certificate.statement}")
    elif done.certificate.promise.get("recoding") == "unknown":
        evidence.append(_NOT_KNOWN if data is None else _NOT_SHOWN)
    if owner_report is not None:
        evidence.append(f"For you alone: {owner_report} shows what was found and what was changed.")
    if proof is not None:
        evidence.append(
            f"For you alone: {proof} holds a data set with just these patterns, in which nobody stands out. It may be "
            "your rows: show it to nobody who may not see them."
        )
    if done.receipt is not None:
        new = f" {ledger} is a new ledger, and this its first release: no earlier one was looked at." * new_ledger
        evidence.append(
            f"For you alone: entry {done.receipt.number} of {ledger}, with a receipt next to the folder. Keep its "
            f"number and head elsewhere, too: they show it if the ledger ever loses anything.{new}\n"
            f"  {done.receipt.number}:{done.receipt.head}"
        )
    if left := getattr(done, "left_words", ""):  # with noise
        evidence.append(f"For you alone: {left[0].lower()}{left[1:]}")
    evidence += _beside_earlier(done)
    if done.changed:
        evidence.append(
            "Tell nobody that anything was changed, or how, or the true number of rows. Anyone who knows may be able "
            "to undo the change."
        )
    verify = ["discreet", "verify", str(done.bundle)]
    steps = [Step(verify, "what anyone can check who has the folder")]
    if data is not None and done.certificate.kind != "noisy-patterns":
        own = [*verify, "--data", *data, *(() if proof is None else ("--proof", str(proof)))]
        steps.append(Step(own, "what you can also check, with the rows"))
    return Answer(release_headline(done), evidence, steps)


def _beside_earlier(done: Release | RowsRelease | DpRelease) -> list[str]:
    """Return what the owner must know of earlier releases in the ledger: rows have none that they are judged with."""
    withheld, unread = getattr(done, "withheld", None), getattr(done, "unread", ())
    words = []
    if withheld is not None:
        words.append(
            f"For you alone: {counted(len(withheld), 'itemset')} {'was' if len(withheld) == 1 else 'were'} withheld, "
            "because of earlier releases in the ledger."
        )
    if unread:
        words.append(f"For you alone: {_unread(unread)}")
    return words


_NOT_KNOWN = (
    "At face value means: in the rows as they stand. Whether sensitive items left single rows before, and what their "
    "absence tells then, the rows do not show. To promise more, name the original rows as well (discreet release DATA "
    "--rows FILE): they show whether items left all rows or none."
)
_NOT_SHOWN = (
    "At face value means: in the rows as they stand. DATA does not show that items left all rows or none: other items "
    "or rows were changed, too, or it is not what these rows were made from."
)


def refusal_answer(
    refusal: NotSafe,
    ledger: Path | None,
    again: Sequence[str] | None,
    alternatives: Sequence[Step] = (),
    *,
    fitted: Sequence[str] | None = None,
    promise: str | None = None,
) -> Answer:
    """Return why nothing was published, and what would be safe instead.

    `again` is the command without its support, `fitted` the one that fits the ledger; `alternatives` are other
    commands, if the patterns by themselves are not safe; `promise` is that of rows.
    """
    if isinstance(refusal, NothingToPublish):
        return Answer(Headline("NOTHING TO PUBLISH", "open", _reason(refusal)))
    word = _refused(refusal, promise).upper().replace("-", " ")
    headline = Headline(word, "bad", f"nothing was published; {_reason(refusal)}")
    if not isinstance(refusal, UnsafeTogether):
        return Answer(headline, (), alternatives)
    steps = []
    if refusal.instead is not None and again is not None:
        steps.append(Step([*again, "-s", str(refusal.instead)], "a support at which it is safe together with them"))
    if fitted is not None and refusal.publishable is not None:
        some = f"{number(refusal.publishable)} of {counted(refusal.itemsets or 0, 'itemset')}"
        steps.append(Step(fitted, f"withholds what is not safe together with them, and publishes {some}"))
    folder = from_here(next(iter(refusal.releases.values())))
    select = ["discreet", "release", "--from", folder, "-s", str(refusal.selection), "-o", "selected"]
    select += [] if ledger is None else ["--ledger", str(ledger)]
    steps.append(Step(select, "a selection from what is public already, which is always safe"))
    if ledger is not None:
        steps.append(Step(["discreet", "ledger", "show", str(ledger)], "shows the earlier releases"))
    return Answer(headline, [_group(refusal)], [*steps, *alternatives])


def block_refusal(refusal: NotSafe) -> Answer:
    """Return why patterns could not be made safe, so that none were written."""
    if isinstance(refusal, NothingToPublish):
        return Answer(Headline("NOTHING TO PUBLISH", "open", _reason(refusal)))
    return Answer(Headline("NOT SAFE", "bad", f"nothing was written; {_reason(refusal)}"))


def _refused(refusal: NotSafe, promise: str | None) -> str:
    """Return the verdict of a refusal; `promise` is that of rows."""
    if isinstance(refusal, NothingToPublish):
        return "nothing"
    if promise is None or isinstance(refusal, UnsafeTogether):
        return "not-safe"
    return "not-hidden" if promise.startswith("hidden") else "not-protected"


def refusal_document(refusal: NotSafe, *, promise: str | None = None) -> JsonObject:
    """Return the JSON form of a refusal; `promise` is that of rows."""
    document: JsonObject = {"safe": False, "verdict": _refused(refusal, promise), "reason": _said(refusal)}
    if not isinstance(refusal, UnsafeTogether):
        return document
    together: JsonObject = {
        "kind": refusal.kind,
        "releases": [{"number": number, "folder": folder} for number, folder in refusal.releases.items()],
        "base": sorted(refusal.base),
        "full": sorted(refusal.full),
        "rows": refusal.rows,
        "instead": refusal.instead,
        "publishable": refusal.publishable,
        "itemsets": refusal.itemsets,
        "selection": refusal.selection,
    }
    if isinstance(refusal, EntailedTogether):
        together |= {"high": refusal.high, "of": refusal.of.strip() or None, "proof": refusal.proof}
    if isinstance(refusal, ConcludedTogether):
        together |= {"item": refusal.item, "share": str(refusal.share), "words": refusal.words}
    return document | {"together": together}


def verify_answer(bundle: Path, found: Verification, *, program: str) -> Answer:
    """Return whether a bundle verifies, check by check, and its promise if `program` wrote it."""
    checks = [(check.name, f"{_YES_OR_NO[check.holds]}: {spelled(check.message, option)}") for check in found.checks]
    evidence: list[Evidence] = [Listing("Checked", checks)]
    if found.free_text is not None:
        evidence.append(_free_text(found.free_text))
    reason = spelled(found.reason_message, option)
    if found.verdict == "does-not-hold":
        return Answer(Headline("DOES NOT HOLD", "bad", f"{bundle}: {reason}"), evidence)
    if found.verdict == "not-judged":
        by = "; it was signed as it is, with all trusted keys" if found.trusted else ""
        return Answer(Headline("CANNOT BE JUDGED", "open", f"{bundle}: {reason}{by}"), evidence)
    if found.certificate is not None and found.certificate.program == program:
        not_promised = [("-", words) for words in found.certificate.not_promised]
        evidence += [f"What is promised: {found.certificate.statement}", Listing("What is not", not_promised)]
    return Answer(Headline("HOLDS", "good", f"{bundle} {held_words(found)}"), evidence)


_YES_OR_NO = {True: "yes", False: "NO", None: "not judged"}
_LONGEST_SHOWN = 5


def held_words(found: Verification) -> str:
    """Return what it means that a bundle holds, and what it does not tell."""
    if found.certificate is not None and found.certificate.kind == "noisy-patterns":
        signed = ", signed with all trusted keys" if found.trusted else ""
        return (
            f"is of the form of its promise, and holds nothing else{signed}; that the noise was right cannot be "
            "checked from the outcome: the promise rests on the program that ran"
        )
    if found.certificate is not None and found.certificate.kind == "synthetic-rows":
        return "has made-up rows that follow from published patterns, and from nothing else"
    if found.trusted:
        return "is what was signed with all trusted keys, and keeps its promise"
    return "keeps its promise, and holds nothing else; who published it, this does not tell"


def signed_answer(done: Signed, request: Path | None = None) -> Answer:
    """Return who has signed a bundle, after one more did, and what to do with the request for a time stamp."""
    keys = [("new" if key == done.public_key else "", key) for key in done.signed_by]
    evidence: list[Evidence] = [Listing("Signed with the keys", keys)] if keys else []
    if done.public_key is not None:
        evidence.append(f"What you signed: {done.certificate.statement}")
    if request is not None:
        evidence.append(f"{request}: for a time stamping service. It holds the certificate's digest and nothing else.")
    verify = ["discreet", "verify", str(done.bundle), "--trust", "PUBLIC.pem"]
    steps = [Step(verify, "what others check, with --trust again for each who must have signed")]
    has = counted(len(keys), "signature")
    if done.public_key is None:
        return Answer(Headline("HOLDS", "good", f"{done.bundle} keeps its promise, and has {has}"), evidence, steps)
    return Answer(Headline("SIGNED", "good", f"{done.bundle} holds, and has {has} now"), evidence, steps)


def not_signed_answer(bundle: Path, found: Verification) -> Answer:
    """Return why a bundle was not signed."""
    answer = verify_answer(bundle, found, program="")
    return replace(answer, evidence=[*answer.evidence, "Nothing was signed."])


def _free_text(text: FreeText) -> Listing:
    """Return what only a reader can judge: the title, and the longest labels."""
    longest = sorted(text.labels, key=lambda label: (-len(label), label))
    shown = [("title", one_line(text.title) if text.title else "none")]
    shown += [("label", one_line(label)) for label in longest[:_LONGEST_SHOWN]]
    if len(longest) > _LONGEST_SHOWN:
        shown.append(("", f"and {counted(len(longest) - _LONGEST_SHOWN, 'shorter label')}: --json lists them"))
    return Listing("Free text, which only a reader can judge", shown)


def ledger_answer(file: Path, entries: Sequence[Entry], last: Receipt, notes: Sequence[str] = ()) -> Answer:
    """Return the releases in a ledger, whose last entry is `last`, and notes about all of them."""
    snapshots: dict[str | None, int] = {}
    rows = []
    for entry in entries:
        promise, source = entry.certificate.promise, entry.snapshot
        rows.append(
            (
                number(entry.number),
                entry.day,
                f"rows {snapshots.setdefault(source, len(snapshots) + 1)}" if source is not None else "unknown",
                *(number(promise[name]) if name in promise else "-" for name in ("k", "n", "min_support", "itemsets")),
                from_here(entry.folder),
            )
        )
    heads = ("release", "day", "of", "k", "n", "support", "itemsets", "folder")
    table = TextTable("Releases of the same rows have the same number after “of”.", heads, rows)
    states = [f"Release {entry.number} was {entry.state}." for entry in entries if entry.state]
    by_policy = [(entry.number, entry.policy.digest) for entry in entries if entry.policy is not None]
    states += [
        f"Release {now[0]} follows another policy than release {before[0]}."
        for before, now in pairwise(by_policy)
        if now[1] != before[1]
    ]
    head = f"Its last entry, and what shows that it was the last:\n  {last.number}:{last.head}"
    return Answer(
        f"{counted(len(entries), 'release')} in {file}",
        [*([table] if rows else []), *states, *notes, *([head] if last.number else [])],
        [Step(["discreet", "ledger", "check", str(file)], "audits all of them together")],
    )


def noted_answer(file: Path, what: str, last: Receipt) -> Answer:
    """Return what was added to a ledger, and its last entry now."""
    head = f"Keep the number and head of its last entry:\n  {last.number}:{last.head}"
    return Answer(what, [head], [Step(["discreet", "ledger", "show", str(file)], "shows all releases")])


def together_answer(
    ledger: Path, bundle: Path | None, releases: int, found: NotSafe | LedgerDiffers | tuple[int, ...]
) -> Answer:
    """Return whether the releases of a ledger, or a bundle together with them, are safe together.

    `found` is why not, or the numbers of those that the attacker could not read together.
    """
    if isinstance(found, LedgerDiffers):
        return Answer(Headline("DOES NOT HOLD", "bad", str(found)))
    if isinstance(found, NotSafe):
        evidence = [_group(found)] if isinstance(found, UnsafeTogether) else []
        return Answer(Headline("NOT SAFE", "bad", _reason(found)), evidence)
    what = f"{counted(releases, 'release')} in {ledger}"
    words = f"{what} together" if bundle is None else f"{bundle} together with {what}"
    return Answer(Headline("SAFE", "good", f"{words}: no group can be computed"), [_unread(found)] if found else [])


def _unread(numbers: tuple[int, ...]) -> str:
    which = ", ".join(map(str, numbers))
    return (
        f"No data set can have given all figures of {'release' if len(numbers) == 1 else 'releases'} {which}: supports "
        "were changed, or rows left. Figures were mixed and subtracted, but what follows from all of them as equations "
        "was not looked for there."
    )


def _said(refusal: NotSafe) -> str:
    return spelled(refusal.message, option)


def _reason(refusal: NotSafe) -> str:
    said = _said(refusal)
    return f"safe by itself, {said}" if isinstance(refusal, UnsafeTogether) else said


def _group(refusal: UnsafeTogether) -> str:
    """Return which group follows from several releases together."""
    base, absent = sorted(refusal.base), sorted(refusal.full - refusal.base)
    none_of = f"none of {itemset_text(absent)}" if absent else ""
    held = " and ".join(part for part in (itemset_text(base), none_of) if part)
    rows = f"{counted(refusal.rows, 'row')}{f' with {held}' if held else ''}"
    folders = ", ".join(f"release {number} ({from_here(folder)})" for number, folder in refusal.releases.items())
    if isinstance(refusal, ConcludedTogether):
        return f"{share(refusal.share)} at least: {refusal.words}. That follows from {folders} and this one together."
    if isinstance(refusal, EntailedTogether):
        left = " If some rows have left since, so that rows were not only added, say so with --rows-left."
        return (
            f"{group_text(base, absent, refusal.rows, refusal.high, refusal.of)}: {refusal.proof}. That follows from "
            f"{folders} and this one together, whatever the rows were.{left if refusal.of else ''}"
        )
    if refusal.kind == "mixed":
        return f"{rows}: that many can be computed with some supports of {folders} and others of this one."
    if refusal.kind == "difference":
        return f"{rows}: this one and {folders} differ by that many."
    return (
        f"{rows}: this one and {folders} differ by that many, and both are of the same rows. That shows that one of "
        "them was changed, and where; with that, the change could be undone."
    )
