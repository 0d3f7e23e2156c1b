"""From rows to a bundle that a steward can sign off and a stranger can re-check.

Problem      publish patterns with evidence that they are safe, without the evidence undoing the protection.
Method       mine and audit the rows; block; audit the result again, from the published patterns alone; write what is
             public into one folder, and what is for the owner alone into another file.
Promises     what is unsafe is refused, and nothing is written. The same input and key give the same bytes. Nothing
             about
           changes is public: neither whether, nor where, nor how, nor how much.
Departures   the published support is the least one listed, not the requested one. "60 %" of 8,124 rows is 4,875; with
           the 8,134 rows that additive blocking prints it would reveal that ten rows were added, and on mushroom that
           alone leaves one possible base (tests/publishing/test_inversion.py). Everything that a lower threshold
           would reveal was audited before: nothing follows with it either.
Reference    atzori2008, sections 7.2 and 9   (docs/papers/atzori2008.md)
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from discreet.channels.attacker import DEFAULT_ATTACK_STEPS
from discreet.channels.collection import collection_of
from discreet.channels.conclusions import Asked
from discreet.channels.exclusive import exclusive_in_rows
from discreet.channels.quasi_identifiers import without_unknown
from discreet.channels.witness import Witness, write_witness
from discreet.errors import NotSafe, ParameterError, UnsafeTogether, param
from discreet.publishing.audiences import (
    OwnerFile,
    OwnerStory,
    PublishedPatterns,
    ReleaseMethod,
)
from discreet.publishing.bundle import (
    new_bundle,
    read_bundle,
    write_files,
)
from discreet.publishing.earlier_releases import audit_together
from discreet.publishing.free_text import check_share
from discreet.publishing.largest_selection import fit_together, publishable_itemsets
from discreet.publishing.ledger_file import SECONDS_TO_WAIT
from discreet.publishing.owner_report import owner_report
from discreet.publishing.privacy_budget import exact_entries
from discreet.publishing.safe_patterns import Wanted, as_published, make_safe, published_patterns
from discreet.publishing.second_audit import conclusions_told, exclusive_told
from discreet.publishing.signing import load_signers
from discreet.publishing.verifier import verify
from discreet.publishing.wrapping import Wrapping
from discreet.tables.private_files import write_private
from discreet.tables.tabular import Tabular
from discreet.tables.whole import all_or_none
from discreet.thresholds import K, MinSupport, ShareLike, Support, one_of
from discreet.transactions.frame_rows import rows_given
from discreet.transactions.identifying import refuse_identifying
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.wording import ROWS, Unit, counted, html_table, share

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from discreet.channels.attacker import StepBudget
    from discreet.channels.blocking import Blocked
    from discreet.channels.exclusive_names import Named
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.certificate import Certificate
    from discreet.publishing.ledger import Ledger
    from discreet.publishing.ledger_entries import PolicyNote
    from discreet.publishing.receipts import Receipt
    from discreet.publishing.signing import Identities, Passphrases
    from discreet.transactions.read_record import ReadRecord
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions

    PathLike = str | os.PathLike[str]
    from discreet.json_types import JsonObject
    from discreet.publishing.largest_selection import TogetherKeywords

__all__ = ["OwnerFile", "Release", "release", "release_from"]


@dataclass(frozen=True, eq=False)
class Release(Tabular):
    """A bundle that was written.

    Attributes
    ----------
    bundle : Path
        The folder.
    published : PublishedPatterns
        Everything that is public.
    certificate : Certificate
        The promise, the digests of the files, and the seal.
    changed : bool
        Whether the published supports differ from those of the rows; for the owner alone.
    receipt : Receipt or None
        The entry in the ledger, if there is one; for the owner alone.
    blocked : Blocked or None
        What was changed, and the cost; for the owner alone. None if nothing was to be changed.
    withheld : PatternSet or None
        The itemsets that were withheld because of earlier releases, with `fit_ledger`; for the owner alone. None if
        there was nothing to withhold.
    read : ReadRecord or None
        How the rows were read, if they were read from anything; for the owner alone.
    unread : tuple of int
        The numbers of earlier releases in the ledger whose figures do not fit together with these: what follows from
        all of them as equations was not looked for; for the owner alone.
    """

    bundle: Path
    published: PublishedPatterns
    certificate: Certificate
    changed: bool = field(repr=False)
    receipt: Receipt | None = field(default=None, repr=False)
    blocked: Blocked | None = field(default=None, repr=False)
    withheld: PatternSet | None = field(default=None, repr=False)
    read: ReadRecord | None = field(default=None, repr=False)
    unread: tuple[int, ...] = field(default=(), repr=False)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the bundle's files."""
        return self.published.files

    @property
    def sentence(self) -> str:
        """What was published, in one sentence."""
        published = self.published
        itemsets = counted(len(published.patterns), f"{published.patterns.target} itemset")
        few = f"fewer than {published.k:,} {published.unit.plural}"
        whose = "" if published.quasi_identifiers is None else " that quasi-identifiers describe"
        told = published.conclusions
        also = "" if told is None else f", and no conclusion of {share(told.rho)} or more about "
        if told is not None:
            also += f"{counted(len(told.sensitive), 'sensitive item')}," if told.sensitive else "a sensitive item,"
        return f"{itemsets} published; no group of {few}{whose}{also} follows"

    def to_dict(self) -> JsonObject:
        """Return the JSON form; it says no more than the bundle, except for the ledger and what was withheld for it."""
        published = self.published
        return {
            "safe": True,
            "verdict": "safe",
            "bundle": str(self.bundle),
            "k": published.k,
            "n": published.patterns.n,
            "min_support": published.patterns.min_support,
            "target": published.patterns.target,
            "count": len(published.patterns),
            "rules": None if published.rules is None else len(published.rules),
            "rho": None if published.conclusions is None else str(published.conclusions.rho),
            "sensitive": None if published.conclusions is None else len(published.conclusions.sensitive),
            "attack": asdict(published.attack),
            "proved": published.proved,
            "signed": bool(self.certificate.signatures),
            "seal": self.certificate.seal,
            "withheld": 0 if self.withheld is None else len(self.withheld),
            "receipt": None if self.receipt is None else self.receipt.to_dict(),
            "unread": list(self.unread),
            "files": {name: str(self.bundle / name) for name in published.files},
        }

    def to_arrow(self) -> pa.Table:
        """Return what was published, as an Arrow table of `items` and `support`."""
        return self.published.patterns.to_arrow()

    def __repr__(self) -> str:
        return f"<Release: {len(self.published.patterns):,} itemsets safe for k = {self.published.k} in {self.bundle}>"

    def _repr_html_(self) -> str:
        """Show what was published, in a notebook."""
        facts = [
            ("bundle", str(self.bundle)),
            ("files", ", ".join(self.files)),
            ("supports changed, for you alone", "yes" if self.changed else "no"),
        ]
        advice = "Readers check it with discreet.verify(bundle)."
        told = html_table(("", ""), facts, above=f"{repr(self)[1:-1]}. {self.sentence}.", below=advice)
        return told + self.published.patterns._repr_html_()


def release(
    rows: Transactions | Any,  # any data frame of rows
    *,
    k: int,
    min_support: MinSupport,
    method: ReleaseMethod,
    output: PathLike,
    target: Literal["closed", "all"] = "closed",
    attack_steps: StepBudget = DEFAULT_ATTACK_STEPS,
    exclusive: Named | None = None,
    min_confidence: ShareLike | None = None,
    quasi_identifiers: Names | None = None,
    sensitive: Names | None = None,
    rho: ShareLike | None = None,
    ignore_unknown: bool = False,
    title: str | None = None,
    sign: Identities | None = None,
    key_passphrase: Passphrases | None = None,
    ledger: PathLike | None = None,
    new_ledger: bool = False,
    wait: float = SECONDS_TO_WAIT,
    passphrase: str | bytes | None = None,
    rows_left: bool = False,
    rows_added: bool = False,
    fit_ledger: bool = False,
    accept_void: bool = False,
    owner_report: PathLike | OwnerFile | None = None,
    proof: PathLike | None = None,
    policy: PolicyNote | None = None,
    force: bool = False,
) -> Release:
    """Write a bundle of safe patterns of the rows, or raise NotSafe and write nothing.

    Parameters
    ----------
    rows : Transactions or data frame
        The rows; of a frame, one-hot columns or one column of lists.
    k : int
        The least size of a group that may be known, at least 2.
    min_support : int, str, float or Fraction
        The itemsets to publish, as for `mine`.
    method : {"additive", "suppressive", "none"}
        How to make them safe (see `block`); "none" publishes them unchanged or not at all.
    output : path
        The folder for the bundle.
    target : {"closed", "all"}
        Which itemsets to publish.
    attack_steps : int or "all"
        The attacker's budget, as for `audit`.
    exclusive : names, path or lists of names, optional
        Items of which a row has at most one, as for `audit`.
    min_confidence : str, float or Fraction, optional
        Publish association rules as well, computed from the safe supports.
    quasi_identifiers : names, optional
        Protect only against groups described by these items or columns (`diag*`: what begins with diag); all itemsets
        are published.
    sensitive : names, optional
        Items or columns that nobody may conclude: itemsets are withheld until no group is known to have one of these
        with a share of `rho` or more. The certificate names those that are published.
    rho : str, float or Fraction, optional
        This share, above 0; needed with `sensitive`.
    ignore_unknown : bool, default False
        Skip labels in `quasi_identifiers`, `sensitive` and `exclusive` that stand for nothing in the data.
    title : str, optional
        The title of the public report.
    sign : path or list of paths, optional
        The identities of `keygen` to sign the certificate with. `sign` adds signatures later.
    key_passphrase : str or bytes, or list of them, optional
        The passphrases of those identities that have one, in their order.
    ledger : path, optional
        A file that records earlier releases; this one is audited together with them, and added. Its receipt is written
        next to the folder of the bundle.
    new_ledger : bool, default False
        Whether to begin the ledger with this release.
    wait : float, default 300
        How many seconds to wait for the ledger while another release is being made.
    passphrase : str or bytes, optional
        What the ledger is encrypted with, and what to encrypt a new one, the report and the proof with.
    rows_left : bool, default False
        Whether rows have left the data since the earlier releases.
    rows_added : bool, default False
        Whether all rows of the earlier releases are still there, so that the supports of different months are not
        mixed. By default nothing is taken for granted: both are looked at.
    fit_ledger : bool, default False
        Whether to withhold itemsets that are not safe together with earlier releases, instead of raising an error.
    accept_void : bool, default False
        Publish although the ledger has releases with noise, whose promise this one voids (see `release_dp`).
    owner_report : path, optional
        A file for the owner alone, on what was found and changed. An `OwnerFile` of `discreet.publishing.release`
        also says what the report calls the rows and the bundle.
    proof : path, optional
        A file for the owner alone, with a data set that proves that nothing follows; `verify` reads it.
    policy : PolicyNote, optional
        The policy that the release follows, for the ledger and the owner's report: see `run_policy`.
    force : bool, default False
        Whether to replace an existing bundle.

    Returns
    -------
    Release
        The bundle that was written.

    Raises
    ------
    NotSafe
        Nothing could be published safely; `UnsafeTogether` if earlier releases are the reason.
    ParameterError
        A parameter has an unusable value.
    DataError
        The ledger cannot be used.
    OutputError
        The folder or a file exists or cannot be written.
    TooManyPatterns
        There are too many itemsets or rules.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> rows = discreet.Transactions.from_rows([["flu", "cough"]] * 30 + [["flu"]] * 30 + [["cough"]] * 4 + [[]] * 20)
    >>> folder = pathlib.Path(tempfile.mkdtemp(), "public")
    >>> done = discreet.release(rows, k=5, min_support=20, method="suppressive", output=folder)
    >>> done.files
    ('patterns.csv', 'patterns.parquet', 'report.html', 'certificate.json')
    """
    k, rows = K.parse(k), rows_given(rows)
    one_of(method, get_args(ReleaseMethod), parameter="method")
    report = OwnerFile(owner_report) if isinstance(owner_report, (str, os.PathLike)) else owner_report
    wrapping = Wrapping(
        output=Path(output),
        min_confidence=min_confidence,
        title=title,
        sign=load_signers(sign, key_passphrase),
        ledger=ledger,
        new_ledger=new_ledger,
        wait=wait,
        passphrase=passphrase,
        rows_left=rows_left,
        rows_added=rows_added,
        fit_ledger=fit_ledger,
        accept_void=accept_void,
        proof=proof,
        force=force,
        owner_report=None if report is None else report.path,
        unit=ROWS if rows.read is None else rows.read.what_a_row_is,
        persons=rows.read is not None and rows.read.persons is not None,
        policy=policy,
    )
    if ignore_unknown:
        quasi_identifiers, _ = without_unknown(rows, quasi_identifiers)
    names = None if quasi_identifiers is None else tuple(parse_names(quasi_identifiers, "quasi_identifiers"))
    apart = exclusive_in_rows(rows, exclusive, ignore_unknown=ignore_unknown)
    asked = Asked.parse(sensitive, rho, names, rows.vocabulary.labels, ignore_unknown=ignore_unknown)
    if asked is not None and not asked.sensitive:
        raise ParameterError(
            f"{param('sensitive')} names nothing that the rows have, so the promise would be about nothing; name an "
            "item or a column that they have",
            parameter="sensitive",
        )
    if asked is not None:
        check_share(asked.rho, parameter="rho")
    wanted = Wanted(k, method, target, attack_steps, apart, names, asked)
    safe = make_safe(rows, min_support, wanted)
    published, witness = published_patterns(safe.patterns, wrapping, wanted, data=(safe.data,))
    story = None
    if report is not None:
        before = safe.before or wanted.audit(rows, min_support=min_support)
        story = OwnerStory(
            published=published,
            before=before,
            blocked=safe.blocked,
            source=report.source,
            command=report.command,
            bundle=report.bundle or str(output),
            policy=None if policy is None else policy.digest,
            notes=report.notes,
        )

    def at_support(support: int) -> PatternSet:
        return as_published(make_safe(rows, support, wanted).patterns)

    def fingerprint_under(book: Ledger) -> str:
        return book.fingerprint(rows)

    done = _publish(
        published,
        wrapping,
        fingerprint_under,
        again=lambda patterns: published_patterns(patterns, wrapping, wanted)[0],
        blocked=safe.blocked,
        at_support=at_support,
        story=story,
        witness=witness,
    )
    return replace(done, read=rows.read)


def release_from(
    bundle: PathLike,
    *,
    min_support: MinSupport,
    output: PathLike,
    min_confidence: ShareLike | None = None,
    title: str | None = None,
    sign: Identities | None = None,
    key_passphrase: Passphrases | None = None,
    ledger: PathLike | None = None,
    new_ledger: bool = False,
    wait: float = SECONDS_TO_WAIT,
    passphrase: str | bytes | None = None,
    rows_left: bool = False,
    rows_added: bool = False,
    accept_void: bool = False,
    identifying: Names | None = None,
    proof: PathLike | None = None,
    force: bool = False,
) -> Release:
    """Publish fewer itemsets of an existing bundle; always safe, and no rows are needed.

    A selection says less than what is public already (atzori2008, section 9). The bundle is verified first.

    Parameters
    ----------
    bundle : path
        The folder of the bundle.
    min_support : int, str, float or Fraction
        The least support of the selection, as for `mine`.
    output : path
        The folder for the new bundle.
    min_confidence, title, sign, key_passphrase, ledger, new_ledger, wait, passphrase, proof
        As for `release`.
    rows_left, rows_added, accept_void
        As for `release`.
    identifying : names, optional
        Columns or items that tell whose a row is: a selection that has them is refused.
    force : bool, default False
        As for `release`.

    Returns
    -------
    Release
        The bundle that was written.

    Raises
    ------
    NotSafe
        The bundle does not hold, or the selection is empty or not safe together with earlier releases.
    ParameterError
        A parameter has an unusable value.
    DataError
        The bundle or the ledger cannot be read.
    OutputError
        The folder or a file exists or cannot be written.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> rows = discreet.Transactions.from_rows([["flu", "cough"]] * 30 + [["flu"]] * 30)
    >>> _ = discreet.release(rows, k=5, min_support=20, method="none", output=folder / "public")
    >>> discreet.release_from(folder / "public", min_support=50, output=folder / "less").sentence
    '1 closed itemset published; no group of fewer than 5 rows follows'
    """
    wrapping = Wrapping(
        output=Path(output),
        min_confidence=min_confidence,
        title=title,
        sign=load_signers(sign, key_passphrase),
        ledger=ledger,
        new_ledger=new_ledger,
        wait=wait,
        passphrase=passphrase,
        rows_left=rows_left,
        rows_added=rows_added,
        proof=proof,
        force=force,
        accept_void=accept_void,
    )
    found = verify(bundle)
    if not found.holds:
        raise NotSafe(f"{bundle} does not hold: {found.reason_message}")
    earlier = read_bundle(Path(bundle))
    told = earlier.certificate.promise
    wrapping = replace(wrapping, unit=Unit.parse(told.get("unit")), persons=told.get("persons") is True)
    support = Support.parse(min_support).of(earlier.patterns.n)
    if support < earlier.patterns.min_support:
        raise ParameterError(
            f"{param('min_support')} is {support:,} rows, but {bundle} lists itemsets from "
            f"{earlier.patterns.min_support:,} rows up; ask for that many or more",
            parameter="min_support",
        )
    names = told["quasi_identifiers"]
    wanted = Wanted(
        told["k"],
        "none",
        "closed",
        told["attack"]["steps"],
        exclusive_told(told, earlier.patterns),
        None if names is None else tuple(names),
        conclusions_told(told, earlier.patterns),
    )
    chosen = collection_of(earlier.patterns).at_support(support)
    held, never = as_published(chosen).vocabulary.labels, parse_names(identifying, "identifying")
    refuse_identifying(held, "the selection", names=never)
    published, witness = published_patterns(chosen, wrapping, wanted)
    return _publish(
        published,
        wrapping,
        lambda _: earlier.certificate.input,
        fingerprint=earlier.certificate.input,
        witness=witness,
    )


def _publish(
    published: PublishedPatterns,
    wrapping: Wrapping,
    fingerprint_under: Callable[[Ledger], str | None],
    *,
    fingerprint: str | None = None,
    again: Callable[[PatternSet], PublishedPatterns] | None = None,
    blocked: Blocked | None = None,
    at_support: Callable[[int], PatternSet] | None = None,
    story: OwnerStory | None = None,
    witness: Witness | None = None,
) -> Release:
    """Write the bundle, unless the ledger refuses it; it is recorded before anyone can see it."""
    withheld, unread = None, tuple[int, ...]()
    with wrapping.open_ledger() as book:
        record: AbstractContextManager[Callable[[Path], Receipt | None]] = nullcontext(lambda _: None)
        if book is not None:
            book.check_receipts(wrapping.output)
            earlier = exact_entries(book.entries, accept_void=wrapping.accept_void)
            fingerprint = fingerprint_under(book)
            about: TogetherKeywords = {
                "k": published.k,
                "fingerprint": fingerprint,
                "exclusive": published.exclusive,
                "quasi_identifiers": published.quasi_identifiers,
                "asked": published.asked,
                "rows_left": wrapping.rows_left,
                "rows_added": wrapping.rows_added,
            }
            if wrapping.fit_ledger and again is not None:
                fitted = fit_together(published.patterns, earlier, **about)
                with suppress(ParameterError):  # no quasi-identifier is left: refused below
                    if fitted.withheld is not None:
                        published, witness = again(fitted.patterns), None
                        story = None if story is None else replace(story, published=published, apart=fitted.withheld)
                    withheld = fitted.withheld
            try:
                unread = audit_together(published.patterns, earlier, at_support=at_support, **about)
            except UnsafeTogether as refusal:
                if again is not None and not wrapping.fit_ledger:
                    refusal.publishable = publishable_itemsets(published.patterns, earlier, **about)
                raise
            record = book.recording(
                wrapping.output,
                rows_left=wrapping.rows_left,
                rows_added=wrapping.rows_added,
                policy=wrapping.policy,
            )
        with record as write_down, new_bundle(wrapping.output, force=wrapping.force) as folder:
            certificate = write_files(folder, published, fingerprint=fingerprint, sign=wrapping.sign)
            with all_or_none():
                _write_for_the_owner(story, witness, wrapping)
            receipt = write_down(folder)  # before anyone can see the bundle
    changed = blocked is not None and blocked.distortion.rows > 0
    return Release(wrapping.output, published, certificate, changed, receipt, blocked, withheld, unread=unread)


def _write_for_the_owner(story: OwnerStory | None, witness: Witness | None, wrapping: Wrapping) -> None:
    if story is not None and wrapping.owner_report is not None:
        report = [owner_report(story).encode()]
        write_private(wrapping.owner_report, report, force=wrapping.force, passphrase=wrapping.passphrase)
    if witness is not None and wrapping.proof is not None:
        write_witness(witness, wrapping.proof, force=wrapping.force, passphrase=wrapping.passphrase)
