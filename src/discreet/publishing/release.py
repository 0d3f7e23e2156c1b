"""From rows to a bundle that a steward can sign off and a stranger can re-check.

Problem      publish patterns with the evidence that they are safe, without the evidence undoing the protection.
Method       mine and audit the rows; block; audit the result again, from the published patterns alone; write what is
             public into one folder, and what is for the owner alone into another file.
Promises     what is unsafe is refused, and nothing is written. The same input and key give the same bytes. Of what was
             changed, nothing is public: neither whether, nor where, nor how, nor how much.
Departures   the support that is published is the least one listed, not the one that was asked for. "60 %" of 8,124 rows
             is 4,875; beside the 8,134 rows that additive blocking prints it would tell that ten rows were added, and
             on mushroom that alone leaves one possible base (tests/publishing/test_inversion.py). All that a lower
             threshold would tell was audited before: with it, too, nothing follows.
Reference    atzori2008, sections 7.2 and 9   (docs/papers/atzori2008.md)
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from discreet.channels.audit import DEFAULT_BORDER_DEPTH, audit
from discreet.channels.blocking import block
from discreet.channels.channel import check_k
from discreet.channels.collection import collection_of
from discreet.channels.quasi import restrict_rows
from discreet.errors import NotSafe, ParameterError
from discreet.patterns.mining import mine
from discreet.patterns.patternset import trimmed
from discreet.patterns.rules import rules as find_rules
from discreet.patterns.threshold import absolute_support
from discreet.publishing.bundle import (
    bundle_files,
    check_bundle_folder,
    check_outside,
    new_bundle,
    read_bundle,
    write_files,
)
from discreet.publishing.earlier_releases import audit_together
from discreet.publishing.ledger import open_ledger
from discreet.publishing.owner_story import tell_owner
from discreet.publishing.published import BorderCheck, PublishedPatterns, ReleaseMethod
from discreet.publishing.signing import load_signer
from discreet.publishing.verifier import verify
from discreet.transactions.formats.cell_rules import parse_names
from discreet.transactions.output import check_output, whole_file
from discreet.wording import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.threshold import MinSupport, Share
    from discreet.publishing.certificate import Certificate, Signature
    from discreet.publishing.ledger import Ledger
    from discreet.publishing.published import OwnerStory
    from discreet.transactions.formats.cell_rules import Names
    from discreet.transactions.transactions import Transactions

    PathLike = str | os.PathLike[str]

__all__ = ["Release", "release", "release_from"]


@dataclass(frozen=True, eq=False)
class Release:
    """A bundle that was written: where, what is public in it, and its certificate.

    `changed`, for the owner alone, says whether what is published differs from what the rows have.
    """

    bundle: Path
    published: PublishedPatterns
    certificate: Certificate
    changed: bool = field(repr=False)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the bundle's files."""
        return self.published.files

    @property
    def sentence(self) -> str:
        """What was published, in one sentence."""
        published = self.published
        itemsets = counted(len(published.patterns), f"{published.patterns.target} itemset")
        return f"{itemsets} published; no group of fewer than {published.k:,} rows follows"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form. It says no more than the bundle does."""
        published = self.published
        return {
            "safe": True,
            "bundle": str(self.bundle),
            "k": published.k,
            "n": published.patterns.n,
            "min_support": published.patterns.min_support,
            "target": published.patterns.target,
            "count": len(published.patterns),
            "rules": None if published.rules is None else len(published.rules),
            "signed": published.signed,
            "seal": self.certificate.seal,
            "files": {name: str(self.bundle / name) for name in published.files},
        }

    def __repr__(self) -> str:
        """Say what is where."""
        return f"<Release: {len(self.published.patterns):,} itemsets safe for k = {self.published.k} in {self.bundle}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wrapping:
    """How a bundle is made of patterns that are safe: the words of `release` for it."""

    output: Path
    min_confidence: Share | None
    title: str | None
    sign: Callable[[bytes], Signature] | None
    ledger: PathLike | None
    force: bool

    def __post_init__(self) -> None:
        """Refuse what could not be written, before any work is done for it."""
        check_bundle_folder(self.output, force=self.force)
        check_outside(self.ledger, self.output, parameter="ledger")


def release(
    rows: Transactions,
    *,
    k: int,
    min_support: MinSupport,
    method: ReleaseMethod,
    output: PathLike,
    target: Literal["closed", "all"] = "closed",
    border_depth: int = DEFAULT_BORDER_DEPTH,
    min_confidence: Share | None = None,
    quasi_identifiers: Names | None = None,
    title: str | None = None,
    sign: PathLike | None = None,
    ledger: PathLike | None = None,
    owner_report: PathLike | None = None,
    source: str = "rows",
    command: tuple[str, ...] = (),
    shown_as: str | None = None,
    force: bool = False,
) -> Release:
    """Write a bundle of safe patterns of the rows into the folder `output`, or raise NotSafe and write nothing.

    `method` is "additive", "suppressive" (see `block`) or "none": as they are, or not at all. With `min_confidence`
    association rules are published, too, computed from the safe supports. `sign` is an identity of `discreet keygen`;
    `ledger` a file that keeps earlier releases, with which this one is then audited together. `owner_report` is a file
    that tells what was found and changed, not for release; `source`, `command` and `shown_as` are its words for the
    rows, for how to repeat this, and for the folder.
    """
    k = check_k(k)
    if method not in get_args(ReleaseMethod):
        raise ParameterError(f"method must be additive, suppressive or none, got {method!r}", parameter="method")
    wrapping = _Wrapping(
        output=Path(output),
        min_confidence=min_confidence,
        title=title,
        sign=None if sign is None else load_signer(sign),
        ledger=ledger,
        force=force,
    )
    if owner_report is not None:
        _check_owner_report(owner_report, wrapping)
    names = None if quasi_identifiers is None else tuple(parse_names(quasi_identifiers, "quasi-identifiers"))
    looked_at = restrict_rows(rows, names)
    wanted = _Wanted(k, method, target, border_depth)
    safe = _make_safe(looked_at, min_support, wanted)
    published = _published(safe.patterns, wrapping, k=k, border_depth=border_depth, quasi_identifiers=names)
    story = None
    if owner_report is not None:
        before = safe.before or audit(looked_at, k=k, min_support=min_support, border_depth=border_depth)
        story = tell_owner(
            published,
            method=method,
            before=before,
            blocked=safe.blocked,
            source=source,
            command=command,
            bundle=shown_as or str(output),
        )

    def at_support(support: int) -> PatternSet:
        return _make_safe(looked_at, support, wanted).patterns

    def fingerprint_under(book: Ledger) -> str:
        return book.fingerprint(rows)

    return _publish(
        published,
        wrapping,
        fingerprint_under,
        changed=safe.blocked is not None and safe.blocked.distortion.rows > 0,
        at_support=at_support,
        story=story,
        owner_report=owner_report,
    )


def release_from(
    bundle: PathLike,
    *,
    min_support: MinSupport,
    output: PathLike,
    min_confidence: Share | None = None,
    title: str | None = None,
    sign: PathLike | None = None,
    ledger: PathLike | None = None,
    force: bool = False,
) -> Release:
    """Select the itemsets of at least `min_support` rows from a bundle: always safe, and no rows are needed.

    What is selected says less than what is public already (atzori2008, section 9). The bundle is verified first.
    """
    wrapping = _Wrapping(
        output=Path(output),
        min_confidence=min_confidence,
        title=title,
        sign=None if sign is None else load_signer(sign),
        ledger=ledger,
        force=force,
    )
    found = verify(bundle)
    if not found.holds:
        raise NotSafe(f"{bundle} does not hold: {found.checks[-1].words}")
    earlier = read_bundle(Path(bundle))
    support = absolute_support(min_support, earlier.patterns.n)
    if support < earlier.patterns.min_support:
        raise ParameterError(
            f"min_support is {support:,} rows, but {bundle} lists itemsets from {earlier.patterns.min_support:,} rows "
            "up; ask for that many or more",
            parameter="min_support",
        )
    promise = earlier.certificate.promise
    names = promise["quasi_identifiers"]
    published = _published(
        collection_of(earlier.patterns).at_support(support),
        wrapping,
        k=promise["k"],
        border_depth=promise["border"]["depth"],
        quasi_identifiers=None if names is None else tuple(names),
    )
    return _publish(published, wrapping, lambda _: earlier.certificate.input, fingerprint=earlier.certificate.input)


@dataclass(frozen=True, eq=False, slots=True)
class _Safe:
    """Patterns that passed an audit; for the owner, what they were before."""

    patterns: PatternSet
    before: Audit | None
    blocked: Blocked | None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be published, but for the support."""

    k: int
    method: ReleaseMethod
    target: Literal["closed", "all"]
    border_depth: int


def _make_safe(rows: Transactions, min_support: MinSupport, wanted: _Wanted) -> _Safe:
    k, method, target, depth = wanted.k, wanted.method, wanted.target, wanted.border_depth
    if method != "none":
        done = block(rows, k=k, min_support=min_support, method=method, target=target, border_depth=depth)
        return _Safe(done.patterns, None, done)
    before = audit(rows, k=k, min_support=min_support, border_depth=depth)
    if not before.safe:
        groups = len(before.channels) + len(before.border or ())
        single_out = f"{counted(groups, 'channel')} single{'s' if groups == 1 else ''} out"
        raise NotSafe(
            f"{single_out} fewer than {k:,} of {rows.n:,} rows; raise min_support, or choose the method additive or "
            "suppressive"
        )
    return _Safe(mine(rows, min_support=min_support, target=target), before, None)


def _published(
    patterns: PatternSet,
    wrapping: _Wrapping,
    *,
    k: int,
    border_depth: int,
    quasi_identifiers: tuple[str, ...] | None,
) -> PublishedPatterns:
    """Return all that is public, after an audit of just that: patterns alone, whatever was found in the rows."""
    from discreet import __version__

    public = trimmed(patterns)
    public = replace(public, min_support=max(1, int(public.supports.min(initial=public.n))))
    proof = audit(public, k=k, method="closed", border_depth=border_depth)
    if not proof.safe or proof.kind == "incomplete" or proof.border_search is None:
        raise NotSafe("what would be published did not pass its own audit, although the rows did; please report this")
    rules = None if wrapping.min_confidence is None else find_rules(public, min_confidence=wrapping.min_confidence)
    return PublishedPatterns(
        patterns=public,
        k=k,
        border=BorderCheck.of(proof.border_search),
        rules=rules,
        title=wrapping.title,
        quasi_identifiers=quasi_identifiers,
        version=__version__,
        files=bundle_files(rules=rules is not None),
        signed=wrapping.sign is not None,
    )


def _publish(
    published: PublishedPatterns,
    wrapping: _Wrapping,
    fingerprint_under: Callable[[Ledger], str | None],
    *,
    fingerprint: str | None = None,
    changed: bool = False,
    at_support: Callable[[int], PatternSet] | None = None,
    story: OwnerStory | None = None,
    owner_report: PathLike | None = None,
) -> Release:
    """Write the bundle, if the ledger has nothing against it; it is in the ledger before anyone can see it."""
    with nullcontext() if wrapping.ledger is None else open_ledger(wrapping.ledger, new=True) as book:
        record: AbstractContextManager[Callable[[Path], None]] = nullcontext(lambda _: None)
        if book is not None:
            fingerprint = fingerprint_under(book)
            audit_together(
                published.patterns, book.entries, k=published.k, fingerprint=fingerprint, at_support=at_support
            )
            record = book.recording(wrapping.output)
        with record as write_down, new_bundle(wrapping.output, force=wrapping.force) as folder:
            certificate = write_files(folder, published, fingerprint=fingerprint, sign=wrapping.sign)
            if story is not None and owner_report is not None:
                _write_owner_report(story, owner_report, force=wrapping.force)
            write_down(folder)  # before anyone can see the bundle
    return Release(wrapping.output, published, certificate, changed)


def _check_owner_report(path: PathLike, wrapping: _Wrapping) -> None:
    """Refuse a file for the owner's report that could not be written, or is another of this release."""
    check_outside(path, wrapping.output, parameter="owner_report")
    if wrapping.ledger is not None and Path(path).resolve() == Path(wrapping.ledger).resolve():
        raise ParameterError(f"{path} is the ledger; write the owner's report elsewhere", parameter="owner_report")
    check_output(path, force=wrapping.force)


def _write_owner_report(story: OwnerStory, path: PathLike, *, force: bool) -> None:
    from discreet.publishing.owner_report import owner_report

    with whole_file(path, force=force, private=True) as temporary:
        temporary.write_bytes(owner_report(story).encode())
