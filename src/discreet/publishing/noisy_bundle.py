"""Bundles of itemsets with noise: the promise of differential privacy, what is fixed for it, and what can be checked.

A bundle has the files of other patterns. Its certificate has epsilon and delta, what one row is, what was fixed before
anyone looked, and every measurement with its share of the budget. Of this a verifier checks the form and that it
adds up; that the noise was right, nobody can see from the outcome. There is no fingerprint of the rows in it: the same
one twice would tell that nothing has changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import discreet
from discreet.differential_privacy.budget import Budget, Spent, decimal_text
from discreet.differential_privacy.counting import counts_of
from discreet.differential_privacy.private_itemsets import DpRequest, measure
from discreet.patterns.writing import write_patterns
from discreet.publishing.bundle import (
    PATTERNS,
    PATTERNS_TABLE,
    REPORT,
    bundle_files,
    check_bundle_folder,
    digest_file,
    new_bundle,
    write_certificate,
)
from discreet.publishing.certificate import CERTIFICATE, Certificate
from discreet.publishing.free_text import check_labels, may_be_label
from discreet.publishing.ledger_file import SECONDS_TO_WAIT
from discreet.publishing.page import filled, page
from discreet.publishing.privacy_budget import NOISY, check_budget, left_words, new_limits
from discreet.publishing.report import pattern_table
from discreet.publishing.signing import load_signers
from discreet.publishing.tables import MOST_LINES
from discreet.publishing.wrapping import Wrapping
from discreet.tables.tabular import Tabular
from discreet.transactions.fixed_reading import fixed_reading
from discreet.wording import ROWS, Unit, counted, number

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from fractions import Fraction

    import pyarrow as pa

    from discreet.differential_privacy.budget import Decimals
    from discreet.differential_privacy.counting import CountedElsewhere
    from discreet.differential_privacy.private_itemsets import DpPatterns
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.ledger_entries import PolicyNote
    from discreet.publishing.receipts import Receipt
    from discreet.publishing.signing import Identities, Passphrases
    from discreet.thresholds import MinSupport
    from discreet.transactions.options import ReadOptions
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions

    PathLike = str | os.PathLike[str]
    from discreet.json_types import JsonObject, ParsedDocument

__all__ = ["DpRelease", "PublishedNoise", "noisy_report", "release_dp"]

DEFINITION = "differential-privacy"
NEIGHBOURS = {False: "one row added or removed", True: "one row replaced"}
"""What neighbouring data sets differ in, by whether the number of rows is public."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PublishedNoise:
    """Everything that is public about itemsets with noise.

    patterns   the itemsets, with n and supports that have noise
    budget     epsilon and delta
    fixed      what was fixed before anyone looked
    steps      the measurements
    library    the library that made the noise, with its version
    unit       what a row is
    persons    whether each row is one person
    title      the owner's title
    version    of the program
    """

    patterns: PatternSet
    budget: Budget
    fixed: ParsedDocument
    steps: tuple[Spent, ...]
    library: str
    unit: Unit = ROWS
    persons: bool = False
    title: str | None = None
    version: str

    @property
    def promise(self) -> JsonObject:
        """The promise as the figures of a certificate."""
        found = self.patterns
        return self.budget.to_dict() | {
            "definition": DEFINITION,
            "neighbours": NEIGHBOURS[bool(self.fixed["public_n"])],
            "unit": self.unit.text,
            "persons": self.persons,
            "n": found.n,
            "min_support": found.min_support,
            "target": found.target,
            "itemsets": len(found),
            "fixed": dict(self.fixed),
            "steps": [step.to_dict() for step in self.steps],
            "library": self.library,
        }

    @property
    def statement(self) -> str:
        """The promise in words."""
        one = self.unit.singular
        except_for = f", except with probability {decimal_text(self.budget.delta)}" if self.budget.delta else ""
        n = "The number of rows is public." if self.fixed["public_n"] else "The number of rows has noise."
        whether = f"whether any one {one} is in the data"
        changed = f"replacing any one {one} by another" if self.fixed["public_n"] else whether
        items = (
            "Which items occur was found with noise as well."
            if self.fixed["universe"] is None
            else "Which items could occur was known before."
        )
        return (
            f"Differential privacy: {changed} changes the probability of what is published here by a factor of at most "
            f"exp({decimal_text(self.budget.epsilon)}){except_for}, whatever else anyone knows. Supports have noise, "
            f"made by {self.library}. {n} {items}"
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What is not promised."""
        several = "One row is protected: where one person has several rows, the person is protected less."
        read = "How the rows were read was not fixed here: if that was found by looking at them, it is not covered."
        return (
            "Nobody can check from the outcome that the noise was right: the promise rests on the program that ran.",
            "Supports, and which itemsets are listed, are right only up to noise.",
            "Other releases about the same people add their epsilon to this one, and an exact one voids it.",
            "Those whose rows say the same, such as a household, are protected less.",
            "What the data say about everybody may be concluded about anybody.",
            *([] if self.persons else [several]),
            *([read] if self.fixed["reading"] is None else []),
            "Without a signature, nothing tells who wrote this.",
        )


@dataclass(frozen=True, eq=False)
class DpRelease(Tabular):
    """A bundle of itemsets with noise that was written.

    Attributes
    ----------
    bundle : Path
        The folder.
    published : PublishedNoise
        Everything that is public.
    certificate : Certificate
        The promise, the digests of the files, and the seal.
    receipt : Receipt or None
        The entry in the ledger, if there is one; for the owner alone.
    left : dict of Fraction
        What is left of the ledger's budget, "epsilon" and "delta", where there is one.
    """

    bundle: Path
    published: PublishedNoise
    certificate: Certificate
    receipt: Receipt | None = None
    left: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Always False: that supports have noise is no secret."""
        return False

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the bundle's files."""
        return bundle_files(rules=False)

    @property
    def left_words(self) -> str:
        """What is left of the ledger's budget, in a sentence; empty without one."""
        return left_words(self.left)

    @property
    def sentence(self) -> str:
        """What was published, in one sentence."""
        published = self.published
        return f"{counted(len(published.patterns), 'itemset')} published with noise; {published.budget}"

    def to_dict(self) -> JsonObject:
        """Return the JSON form. It says no more than the bundle does, except for the ledger: its entry and budget."""
        return {
            "safe": True,
            "verdict": "noisy",
            "bundle": str(self.bundle),
            **{name: value for name, value in self.published.promise.items() if name != "itemsets"},
            "count": len(self.published.patterns),
            "signed": bool(self.certificate.signatures),
            "seal": self.certificate.seal,
            "receipt": None if self.receipt is None else self.receipt.to_dict(),
            "left": {name: decimal_text(value) for name, value in self.left.items()},
            "files": {name: str(self.bundle / name) for name in self.files},
        }

    def to_arrow(self) -> pa.Table:
        """Return what was published, as an Arrow table of `items` and `support`, which has noise."""
        return self.published.patterns.to_arrow()

    def __repr__(self) -> str:
        return f"<DpRelease: {counted(len(self.published.patterns), 'itemset')}, {self.published.budget}>"


def release_dp(
    rows: Transactions | CountedElsewhere,
    *,
    epsilon: Decimals,
    output: PathLike,
    delta: Decimals | None = None,
    min_support: MinSupport | None = None,
    top: int | None = None,
    universe: Names | None = None,
    max_items: int | None = None,
    public_n: bool = False,
    title: str | None = None,
    sign: Identities | None = None,
    key_passphrase: Passphrases | None = None,
    ledger: PathLike | None = None,
    new_ledger: bool = False,
    wait: float = SECONDS_TO_WAIT,
    passphrase: str | bytes | None = None,
    budget_epsilon: Decimals | None = None,
    budget_delta: Decimals | None = None,
    accept_void: bool = False,
    policy: PolicyNote | None = None,
    reading: ReadOptions | None = None,
    force: bool = False,
) -> DpRelease:
    """Write a bundle of itemsets under differential privacy; every call spends epsilon again, with other noise.

    Parameters
    ----------
    rows : Transactions or SparkRows
        The rows, already read: see `dp_patterns`.
    epsilon, delta, min_support, top, universe, max_items, public_n
        As for `dp_patterns`.
    output : path
        The folder for the bundle.
    title, sign, key_passphrase, ledger, new_ledger, wait, passphrase, policy, force
        As for `release`.
    budget_epsilon, budget_delta : str, float or Decimal, optional
        The most that all releases in the ledger may spend together. The ledger keeps it: later releases obey it
        without this parameter, a lower one replaces it, and a higher one is refused (see `Ledger.set_budget`).
    accept_void : bool, default False
        Publish although the ledger has an exact release of the same people, which voids the promise.
    reading : ReadOptions, optional
        The options that the rows were read with, to be recorded as fixed before anyone looked; refused if something
        else was found by looking at the rows. Without them the certificate says that this is not covered.

    Returns
    -------
    DpRelease
        The bundle that was written.

    Raises
    ------
    NotSafe
        The ledger's budget does not suffice, or it has exact releases; nothing was measured.
    ParameterError
        A parameter has an unusable value.
    EngineError
        OpenDP is not installed.
    DataError
        The ledger cannot be used.
    OutputError
        The folder exists or cannot be written.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> rows = discreet.Transactions.from_rows([["tea", "milk"]] * 6000 + [["tea"]] * 4000)
    >>> folder = pathlib.Path(tempfile.mkdtemp(), "public")
    >>> done = discreet.release_dp(rows, epsilon=1, min_support=3000, universe=["tea", "milk"], output=folder)
    >>> done.sentence
    '3 itemsets published with noise; epsilon = 1'
    """
    counts = counts_of(rows)
    wrapping = Wrapping(
        output=Path(output),
        min_confidence=None,
        title=title,
        sign=load_signers(sign, key_passphrase),
        ledger=ledger,
        new_ledger=new_ledger,
        wait=wait,
        passphrase=passphrase,
        rows_left=False,
        rows_added=False,
        proof=None,
        force=force,
        policy=policy,
    )
    request = DpRequest.parse(
        epsilon=epsilon,
        delta=delta,
        min_support=min_support,
        top=top,
        universe=universe,
        max_items=max_items,
        public_n=public_n,
    )
    fixed = None if reading is None else fixed_reading(rows.read, reading)
    check_labels(request.universe or ())
    check_bundle_folder(wrapping.output, force=force)
    unit = ROWS if rows.read is None else rows.read.what_a_row_is
    persons = rows.read is not None and rows.read.persons is not None
    with wrapping.open_ledger() as book:
        entries = () if book is None else book.entries
        stored = {} if book is None else book.budget
        limits = new_limits(stored, (budget_epsilon, budget_delta), ledger=ledger)
        left = check_budget(entries, request.budget, limits=stored | limits, replaced=public_n, accept_void=accept_void)
        if book is not None:
            book.check_receipts(wrapping.output)
        # Nothing is looked at before this line, and what comes out decides on no refusal after it: that would be a
        # look that no ledger counts.
        found = measure(counts, request, unit, may_name=may_be_label)
        published = _published(found, title, persons=persons, reading=fixed)
        if book is None:
            with new_bundle(wrapping.output, force=force) as folder:
                certificate = _write(folder, published, wrapping)
            return DpRelease(wrapping.output, published, certificate)
        with (
            book.recording(wrapping.output, policy=policy, budget=limits) as write_down,
            new_bundle(wrapping.output, force=force) as folder,
        ):
            certificate = _write(folder, published, wrapping)
            receipt = write_down(folder)  # before anyone can see the bundle
    return DpRelease(wrapping.output, published, certificate, receipt, left)


def _published(found: DpPatterns, title: str | None, *, persons: bool, reading: JsonObject | None) -> PublishedNoise:
    return PublishedNoise(
        patterns=found.patterns,
        budget=found.budget,
        fixed=found.request.to_dict() | {"reading": reading},
        steps=found.steps,
        library=found.library,
        unit=found.unit,
        persons=persons,
        title=title,
        version=discreet.__version__,
    )


def _write(folder: Path, published: PublishedNoise, wrapping: Wrapping) -> Certificate:
    """Write everything public into a folder, the certificate last."""
    write_patterns(published.patterns, folder / PATTERNS)
    write_patterns(published.patterns, folder / PATTERNS_TABLE)
    (folder / REPORT).write_bytes(noisy_report(published).encode())
    certificate = Certificate(
        kind=NOISY,
        promise=published.promise,
        statement=published.statement,
        not_promised=published.not_promised,
        program=published.version,
        input=None,
        files={name: digest_file(folder / name) for name in bundle_files(rules=False) if name != CERTIFICATE},
        title=published.title,
    )
    return write_certificate(folder, certificate, wrapping.sign)


def noisy_report(published: PublishedNoise) -> str:
    """Return the page as HTML: the same value gives the same bytes."""
    patterns, unit = published.patterns, published.unit
    title = published.title or f"What {unit.plural} have in common, with noise"
    body = filled(
        "noisy.html",
        title=title,
        lead=f"{counted(len(patterns), 'combination')} of items, each with about how many {unit.plural} have all of "
        "them.",
        count=len(patterns),
        n=number(patterns.n),
        unit=unit,
        epsilon=decimal_text(published.budget.epsilon),
        delta=decimal_text(published.budget.delta),
        promise=published.statement,
        not_promised=published.not_promised,
        table=pattern_table(patterns) if len(patterns) else None,
        most_lines=MOST_LINES,
        steps=[
            (
                step.name,
                step.mechanism,
                number(step.sensitivity),
                number(step.chosen),
                str(step.epsilon),
                repr(step.accounted),
                repr(step.scale),
                repr(step.delta) if step.delta else "0",
            )
            for step in published.steps
        ],
        library=published.library,
        files=bundle_files(rules=False),
        version=published.version,
    )
    return page(title=title, body=body, script="tables.js")
