"""The answers of `release`, `verify` and `ledger` in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.errors import NotSafe, UnsafeTogether

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from discreet.publishing.release import Release
    from discreet.publishing.rows_bundle import RowsRelease

__all__ = ["refusal_document", "tell", "tell_check", "tell_refusal"]

PURPOSES = {
    "patterns.csv": "the itemsets, each with the number of rows published for it",
    "patterns.parquet": "the same for programs",
    "rules.csv": "association rules that follow from them",
    "rules.parquet": "the same for programs",
    "report.html": "what is published and what is promised, for people",
    "hierarchy.csv": "what generalized items stand for",
    "certificate.json": "what is promised, and a digest of every other file",
}


def tell(
    done: Release | RowsRelease,
    private: tuple[Path | None, Path | None],
    new_ledger: Path | None,
    data: Sequence[str] | None,
) -> None:
    """Print what was published and how to check it; `private` are the owner's report and the proof."""
    from discreet.cli.screen import answer, listing, next_steps, paragraph, show

    files = [(name, PURPOSES.get(name, "the rows")) for name in done.files]
    parts: list[RenderableType] = [
        answer(done.sentence, verdict=_verdict(done), style="bold green"),
        listing(files, title=f"All of it may be published: {done.bundle}"),
    ]
    owner_report, proof = private
    parts += (
        [paragraph(f"What is promised: {done.certificate.statement}")] if done.certificate.kind == "patterns" else []
    )
    if owner_report is not None:
        parts.append(paragraph(f"For you alone: {owner_report} shows what was found and what was changed."))
    if proof is not None:
        parts.append(
            paragraph(
                f"For you alone: {proof} holds a data set with just these patterns, in which nobody stands out. It may "
                "be your rows: show it to nobody who may not see them."
            )
        )
    if new_ledger is not None:
        parts.append(
            paragraph(f"{new_ledger} is a new ledger, and this its first release: no earlier one was looked at.")
        )
    if done.changed:
        parts.append(
            paragraph(
                "Tell nobody that anything was changed, or how, or the true number of rows. Anyone who knows may be "
                "able to undo the change."
            )
        )
    verify = ["discreet", "verify", str(done.bundle)]
    steps = [(verify, "what anyone can check who has the folder")]
    if data is not None:
        own = [*verify, "--data", *data, *(() if proof is None else ("--proof", str(proof)))]
        steps.append((own, "what you can also check, with the rows"))
    show(*parts, next_steps(steps))


def tell_refusal(
    refusal: NotSafe,
    ledger: Path | None,
    again: Sequence[str] | None,
    alternatives: Sequence[tuple[Sequence[str], str]] = (),
) -> None:
    """Print why nothing was published, and what would be safe instead.

    `again` is the command without its support; `alternatives` are other commands, where the patterns by themselves are
    not safe.
    """
    from discreet.cli.screen import answer, next_steps, paragraph, show
    from discreet.errors import NothingToPublish
    from discreet.wording import from_here

    if isinstance(refusal, NothingToPublish):
        show(answer(str(refusal), verdict="NOTHING TO PUBLISH", style="bold yellow"))
        return
    parts = [answer(f"nothing was published; {_reason(refusal)}", verdict="NOT SAFE", style="bold red")]
    steps: list[tuple[Sequence[str], str]] = []
    if isinstance(refusal, UnsafeTogether):
        parts.append(paragraph(_group(refusal)))
        if refusal.instead is not None and again is not None:
            steps.append(([*again, "-s", str(refusal.instead)], "a support at which it is safe together with them"))
        folder = from_here(next(iter(refusal.releases.values())))
        steps.append(
            (
                [
                    *("discreet", "release", "--from", folder, "-s", str(refusal.selection), "-o", "selected"),
                    *(("--ledger", str(ledger)) if ledger is not None else ()),
                ],
                "a selection from what is public already, which is always safe",
            )
        )
        if ledger is not None:
            steps.append((["discreet", "ledger", "show", str(ledger)], "shows the earlier releases"))
    steps += alternatives
    show(*parts, *([next_steps(steps)] if steps else []))


def tell_check(ledger: Path, bundle: Path | None, releases: int, found: NotSafe | tuple[int, ...]) -> None:
    """Print whether the releases of a ledger, or a bundle beside them, are safe together.

    `found` is why not, or the numbers of those that the attacker could not read together.
    """
    from discreet.cli.screen import answer, paragraph, show
    from discreet.wording import counted

    what = f"{counted(releases, 'release')} in {ledger}"
    if isinstance(found, tuple):
        words = f"{what} together" if bundle is None else f"{bundle} together with {what}"
        show(
            answer(f"{words}: no group can be computed", verdict="SAFE", style="bold green"),
            *([paragraph(_unread(found))] if found else []),
        )
        return
    parts = [answer(_reason(found), verdict="NOT SAFE", style="bold red")]
    if isinstance(found, UnsafeTogether):
        parts.append(paragraph(_group(found)))
    show(*parts)


def _unread(numbers: tuple[int, ...]) -> str:
    which = ", ".join(str(number) for number in numbers)
    return (
        f"No data set can have given all figures of {'release' if len(numbers) == 1 else 'releases'} {which}: supports "
        "were changed, or rows left. Figures were mixed and subtracted, but what follows from all of them as equations "
        "was not looked for there."
    )


def _verdict(done: Release | RowsRelease) -> str:
    return "SAFE, PROVED" if done.certificate.promise.get("proved") is True else "SAFE"


def refusal_document(refusal: NotSafe) -> dict[str, Any]:
    """Return the JSON form of a refusal."""
    from discreet.errors import EntailedTogether, NothingToPublish

    verdict = "nothing" if isinstance(refusal, NothingToPublish) else "not-safe"
    document: dict[str, Any] = {"safe": False, "verdict": verdict, "reason": str(refusal)}
    if isinstance(refusal, UnsafeTogether):
        document["together"] = {
            "kind": refusal.kind,
            "releases": [{"number": number, "folder": folder} for number, folder in refusal.releases.items()],
            "base": sorted(refusal.base),
            "full": sorted(refusal.full),
            "rows": refusal.rows,
            "instead": refusal.instead,
            "selection": refusal.selection,
        }
    if isinstance(refusal, EntailedTogether):
        document["together"] |= {"high": refusal.high, "of": refusal.of.strip() or None, "proof": refusal.proof}
    return document


def _reason(refusal: NotSafe) -> str:
    return f"safe by itself, {refusal}" if isinstance(refusal, UnsafeTogether) else str(refusal)


def _group(refusal: UnsafeTogether) -> str:
    """Say which group follows from several releases together."""
    from discreet.answers.small_groups import group_text
    from discreet.errors import EntailedTogether
    from discreet.wording import counted, from_here, itemset_text

    base, absent = sorted(refusal.base), sorted(refusal.full - refusal.base)
    none_of = f"none of {itemset_text(absent)}" if absent else ""
    held = " and ".join(part for part in (itemset_text(base), none_of) if part)
    rows = f"{counted(refusal.rows, 'row')}{f' with {held}' if held else ''}"
    folders = ", ".join(f"release {number} ({from_here(folder)})" for number, folder in refusal.releases.items())
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
        "them "
        "was changed, and where; with that, the change could be undone."
    )
