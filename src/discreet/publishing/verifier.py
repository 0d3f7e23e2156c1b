"""Check that a bundle holds what it says and nothing else, and that it keeps its promise.

Read this file to know what `discreet verify` does. In order, and stopping at the first "no":

    certificate   its bytes are the canonical form of its content, and match its seal (see `certificate`)
    files         the folder holds the files that the certificate names, with their sizes and SHA-256, and nothing else
    timestamp     if the response of a time stamping service is given: it is of this certificate (see `timestamps`)
    signature     each signature is by the key it names, over the certificate; with `trust`, all trusted keys signed
    ledger        if the owner's ledger is given: the bundle is a release in it that was not withdrawn
    patterns      patterns.csv and patterns.parquet are, byte for byte, what their itemsets give (see
              `byte_comparison`), agree with each other and with the certificate; up to 20,000 closed itemsets are
              compared pairwise, to check that they can be the closed ones
    audit         no group of 1 to k-1 rows follows from them, nor does the attacker find one that follows beyond them,
                  within the steps and with the exclusive items that the certificate names, and within a limit of steps;
                  if it names sensitive items and rho: no conclusion about them follows either. Itemsets may then be
                  withheld ("selected"), and nothing is known of an itemset that is not listed; of a listed one all
                  subsets are
    proof         if the certificate claims a proof, or the owner's file of it is given: there is a data set with just
              these patterns in which every kind of row occurs at least k times
    rules         are, byte for byte, those that follow from the patterns
    words         the certificate's sentences are those of its figures
    report        report.html is, byte for byte, the page that the program makes of all this
    free text     the title and the labels are short, and every character of them can be seen (see `free_text`)
    data          if the rows are given: the patterns are theirs, unchanged or as changed by blocking, and nothing
              follows even if the columns of the rows' table are known to be exclusive

All except the last need the bundle alone. Nothing is believed: digests are computed, the patterns are audited again, by
`discreet.channels.audit`, like any patterns, and all files are written again and compared. What another version of the
program or a library wrote cannot be compared: it is named, and not judged. See also `rows_bundle`,
`noise_check` and `synthetic_bundle`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import discreet
from discreet.answers.conclusion_words import surest_conclusion
from discreet.answers.small_groups import smallest_group
from discreet.channels.attacker import check_steps
from discreet.channels.audit import audit
from discreet.channels.collection import MOST_COMPARED, can_be_closed
from discreet.channels.exclusive import exclusive_in_rows
from discreet.channels.witness import read_witness
from discreet.errors import DataError, DiscreetError, param
from discreet.patterns.reading import read_patterns, read_rules
from discreet.patterns.rules import rules as find_rules
from discreet.patterns.tools.native import csv_blocks, rules_csv_blocks
from discreet.patterns.writing import write_patterns, write_rules
from discreet.publishing.audiences import AttackCheck, ConclusionCheck, PublishedPatterns
from discreet.publishing.bundle import (
    PATTERNS,
    PATTERNS_TABLE,
    REPORT,
    RULES,
    RULES_TABLE,
    bundle_files,
    certificate_in,
    digest_file,
    report_of,
)
from discreet.publishing.byte_comparison import check_declared, check_plain, check_rebuilt, check_report
from discreet.publishing.certificate import CERTIFICATE, FORM, AnotherVersion, Certificate, another_form
from discreet.publishing.fingerprint import same_rows
from discreet.publishing.fitting import check_fit
from discreet.publishing.free_text import FreeText, judged_by_readers
from discreet.publishing.noise_check import check_noise, refuse_rows
from discreet.publishing.noisy_bundle import noisy_report
from discreet.publishing.privacy_budget import NOISY
from discreet.publishing.promises import not_promised, promise_of, statement_of
from discreet.publishing.rows_bundle import check_rebuilt_rows, check_rows, report_of_rows
from discreet.publishing.second_audit import (
    MOST_ATTACK_STEPS,
    check_audit,
    check_proof,
    conclusions_told,
    fraction_told,
    steps_claimed,
)
from discreet.publishing.signing import holds as signature_holds
from discreet.publishing.signing import need_cryptography, trusted_keys
from discreet.publishing.synthetic_bundle import check_source, check_synthetic, refuse_data, synthetic_report
from discreet.publishing.timestamps import read_timestamp
from discreet.publishing.verification import BundleCheck, Verification
from discreet.wording import Unit, counted

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from discreet.channels.attacker import Attack, StepBudget
    from discreet.channels.audit import Audit
    from discreet.channels.witness import Witness
    from discreet.json_types import ParsedDocument
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet
    from discreet.publishing.ledger import Ledger
    from discreet.publishing.ledger_entries import Entry
    from discreet.publishing.rows_bundle import CheckedRows
    from discreet.publishing.signing import Identities
    from discreet.publishing.timestamps import TimeStamp
    from discreet.transactions.transactions import Transactions

__all__ = ["verify"]

Answer = TypeVar("Answer")


def verify(
    bundle: str | os.PathLike[str],
    *,
    data: Transactions | None = None,
    trust: Identities | None = None,
    ledger: Ledger | None = None,
    proof: str | os.PathLike[str] | None = None,
    passphrase: str | bytes | None = None,
    attack_steps: StepBudget = MOST_ATTACK_STEPS,
    timestamp: str | os.PathLike[str] | None = None,
    timestamp_root: str | os.PathLike[str] | None = None,
) -> Verification:
    """Check a bundle on its own and, if `data` is given, against the rows it was made from.

    Parameters
    ----------
    bundle : path
        The folder of the bundle.
    data : Transactions, optional
        The rows it was made from.
    trust : path or list of paths, optional
        The `public.pem` of every identity that must have signed it.
    ledger : Ledger, optional
        The owner's open ledger: the bundle must be a release in it that was not withdrawn, and `data` exactly its rows.
    proof : path, optional
        The file that `release` wrote for the owner.
    passphrase : str or bytes, optional
        What the proof is encrypted with.
    attack_steps : int or "all"
        The most steps of the attacker, however many the certificate claims.
    timestamp : path, optional
        The response of a time stamping service (RFC 3161) for the certificate: keys of `trust` must have been used at
        that time, not now.
    timestamp_root : path, optional
        The root certificates of that service, in PEM.

    Returns
    -------
    Verification
        The answers, up to the first "no".

    Raises
    ------
    DataError
        The folder, or a file that is named, cannot be read.
    ParameterError
        A parameter has an unusable value.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> rows = discreet.Transactions.from_rows([["flu", "cough"]] * 30 + [["flu"]] * 30)
    >>> folder = pathlib.Path(tempfile.mkdtemp(), "public")
    >>> _ = discreet.release(rows, k=5, min_support=20, method="none", output=folder)
    >>> discreet.verify(folder, data=rows)
    <Verification: holds>
    """
    check_steps(attack_steps)
    folder = Path(bundle)
    witness = None if proof is None else read_witness(proof, passphrase=passphrase)
    try:
        names = {entry.name for entry in folder.iterdir()}
    except OSError as error:
        raise DataError(f"cannot open {bundle}: {error.strerror}; name the folder of a bundle") from error
    stamp = read_timestamp(timestamp, timestamp_root)
    trusted = trusted_keys(trust, at=None if stamp is None else stamp.time)
    checks: list[BundleCheck] = []
    certificate = recorded = None
    signed_by: tuple[str, ...] = ()

    def ask(name: str, question: Callable[..., tuple[Answer, str]], *about: object) -> Answer:
        try:
            answer, words = question(*about)
        except MemoryError:
            raise
        except AnotherVersion as error:
            checks.append(BundleCheck(name, holds=None, message=error.message))
            raise _AnsweredNo from error
        except Exception as error:  # any error that a forged file causes in a reader is a no
            checks.append(BundleCheck(name, holds=False, message=_sentence(error)))
            raise _AnsweredNo from error
        checks.append(BundleCheck(name, holds=True, message=words))
        return answer

    try:
        certificate = ask("certificate", _certificate, folder, names)
        ask("files", _files, folder, names, certificate)
        signed_by = _ask_who_signed(ask, certificate, trusted, stamp)
        if ledger is not None:
            recorded = ask("ledger", _recorded, certificate, ledger)
        if certificate.form != FORM:
            ask("form", another_form, certificate)
        about = _About(folder, certificate, data, ledger, witness, attack_steps)
        labels = _ASKING[certificate.kind](ask, about)
    except _AnsweredNo:
        return Verification(tuple(checks), certificate, signed_by, bool(trusted and signed_by))
    text = FreeText(certificate.title, labels)
    return Verification(tuple(checks), certificate, signed_by, bool(trusted), text, recorded, stamp)


@dataclass(frozen=True, slots=True)
class _About:
    """What the last questions are about."""

    folder: Path
    certificate: Certificate
    data: Transactions | None
    ledger: Ledger | None
    witness: Witness | None
    attack_steps: StepBudget


def _ask_who_signed(
    ask: Callable[..., Any], certificate: Certificate, trusted: Mapping[str, str], stamp: TimeStamp | None
) -> tuple[str, ...]:
    """Ask when it was signed, and by whom; return the keys."""
    if stamp is not None:
        ask("timestamp", _timestamp, certificate, stamp)
    if not certificate.signatures and not trusted:
        return ()
    need_cryptography()
    keys: tuple[str, ...] = ask("signature", _signatures, certificate, trusted)
    return keys


def _ask_about_patterns(ask: Callable[..., Any], about: _About) -> tuple[str, ...]:
    """Ask about patterns; return their labels."""
    folder, certificate = about.folder, about.certificate
    patterns: PatternSet = ask("patterns", _patterns, folder, certificate)
    found = ask("audit", check_audit, patterns, certificate, about.attack_steps)
    if certificate.promise.get("proved") is not False or about.witness is not None:
        ask("proof", check_proof, patterns, found, certificate, about.witness)
    rules = None
    if certificate.promise.get("rules") is not None:
        rules = ask("rules", _rules, folder, patterns, certificate)
    again = ask("figures", _figures, patterns, found, rules, certificate)
    _if_it_can_be_judged(ask, "tables", _tables, folder, patterns, rules)
    _if_it_can_be_judged(ask, "words", _words, certificate, statement_of(again), not_promised(again))
    _if_it_can_be_judged(ask, "report", _report, folder, certificate, lambda: report_of(again))
    ask("free text", judged_by_readers, certificate.title, patterns.vocabulary.labels)
    if about.data is not None:
        ask("data", _data, patterns, found, about)
    return patterns.vocabulary.labels


def _ask_about_noise(ask: Callable[..., Any], about: _About) -> tuple[str, ...]:
    """Ask about patterns with noise, as far as anyone can; return their labels."""
    refuse_rows(about.data)
    patterns: PatternSet = ask("patterns", _patterns, folder := about.folder, certificate := about.certificate)
    again = ask("form of the promise", check_noise, patterns, certificate)
    _if_it_can_be_judged(ask, "tables", _tables, folder, patterns, None)
    _if_it_can_be_judged(ask, "words", _words, certificate, again.statement, again.not_promised)
    _if_it_can_be_judged(ask, "report", _report, folder, certificate, lambda: noisy_report(again))
    ask("free text", judged_by_readers, certificate.title, patterns.vocabulary.labels)
    return patterns.vocabulary.labels


def _ask_about_rows(ask: Callable[..., Any], about: _About) -> tuple[str, ...]:
    """Ask about rows; return the labels in their files."""
    folder, certificate = about.folder, about.certificate
    found = ask("rows", check_rows, folder, certificate)
    ask("figures", _same_figures, certificate, found.promise.figures)
    _if_it_can_be_judged(ask, "tables", check_rebuilt_rows, folder, certificate, found)
    words = (found.promise.statement, found.promise.not_promised)
    _if_it_can_be_judged(ask, "words", _words, certificate, *words)
    _if_it_can_be_judged(ask, "report", _report, folder, certificate, lambda: report_of_rows(certificate))
    ask("free text", judged_by_readers, certificate.title, found.labels)
    if about.data is not None:
        ask("data", _same_rows, found, about)
    return tuple(found.labels)


def _ask_about_synthetic(ask: Callable[..., Any], about: _About) -> tuple[str, ...]:
    """Ask about made-up rows, and the patterns that they were made from; return their labels."""
    refuse_data(about.data)
    patterns, source = ask("source", check_source, folder := about.folder, certificate := about.certificate)
    again = ask("rows", check_synthetic, folder, certificate, patterns, source)
    _if_it_can_be_judged(ask, "words", _words, certificate, again.statement, again.not_promised)
    _if_it_can_be_judged(ask, "report", _report, folder, certificate, lambda: synthetic_report(again))
    ask("free text", judged_by_readers, certificate.title, patterns.vocabulary.labels)
    return tuple(patterns.vocabulary.labels)


_ASKING = {"patterns": _ask_about_patterns, "rows": _ask_about_rows, NOISY: _ask_about_noise}
_ASKING |= {"synthetic-rows": _ask_about_synthetic}


def _if_it_can_be_judged(ask: Callable[..., Any], *question: object) -> None:
    """Ask, and go on if another version wrote what the question is about."""
    try:
        ask(*question)
    except _AnsweredNo as no:
        if not isinstance(no.__cause__, AnotherVersion):
            raise


class _AnsweredNo(Exception):  # noqa: N818 - not an error: ends the questions after a no
    """A question was answered with no."""


def _sentence(error: Exception) -> str:
    if isinstance(error, DiscreetError):
        return error.message
    if isinstance(error, OSError):
        return f"a file cannot be read: {error.strerror or type(error).__name__}"
    return f"a file is not what its name says ({type(error).__name__})"


def _certificate(folder: Path, names: set[str]) -> tuple[Certificate, str]:
    if CERTIFICATE not in names:
        raise DataError(f"there is no {CERTIFICATE}")
    check_plain(folder / CERTIFICATE)
    certificate = certificate_in(folder)
    if certificate.kind not in _ASKING:
        raise AnotherVersion(f"{CERTIFICATE} is of an unknown kind; use another version of the program")
    return certificate, "bears its own seal"


def _files(folder: Path, names: set[str], certificate: Certificate) -> tuple[None, str]:
    named = {*certificate.files, CERTIFICATE}
    if missing := sorted(named - names):
        raise DataError(f"{missing[0]} is missing")
    if others := sorted(names - named):
        raise DataError(f"{others[0]!r} is in the folder, but not in the certificate")
    for name, expected in certificate.files.items():
        check_plain(folder / name)
        if digest_file(folder / name) != expected:
            raise DataError(f"{name} was changed: its bytes are not those of the certificate")
    return None, f"{len(certificate.files)} files with the digests of the certificate, and no others"


def _signatures(certificate: Certificate, trusted: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
    """Return the keys that signed it; `trusted` are those that must have, each with the name of its file."""
    keys = tuple(signature.public_key for signature in certificate.signatures)
    if missing := [f"the key in {name}" for key, name in trusted.items() if key not in keys]:
        raise DataError(f"it is not signed with {', nor with '.join(missing)}")
    for signature in certificate.signatures:
        if not signature_holds(signature, certificate.body()):
            raise DataError(f"the signature with the key {signature.public_key} is not one of this certificate")
    others = [key for key in keys if key not in trusted]
    named = f"with the {'key' if len(others) == 1 else 'keys'} {', '.join(others)}"
    if not trusted:
        return (
            keys,
            f"{named}: compare {'it' if len(others) == 1 else 'them'} with the owner's, or use {param('trust')}",
        )
    every = {1: "the trusted key", 2: "both trusted keys"}.get(len(trusted), f"all {len(trusted)} trusted keys")
    return keys, f"with {every}{f', and {named}' if others else ''}"


def _timestamp(certificate: Certificate, stamp: TimeStamp) -> tuple[None, str]:
    stamp.check(certificate.to_bytes())
    return None, f"the certificate was there, as it is, on {stamp.words}"


def _recorded(certificate: Certificate, ledger: Ledger) -> tuple[Entry, str]:
    entry = ledger.entry_of(certificate)
    if entry is None:
        lost = "; its rows have a fingerprint of this ledger, so an entry may have been lost" * ledger.made(certificate)
        raise DataError(f"no release in the ledger is this bundle{lost}")
    if entry.withdrawn is not None:
        raise DataError(f"it is release {entry.number} of {entry.day}, {entry.state}")
    return entry, f"release {entry.number} of {entry.day}{entry.state and f', {entry.state}'}"


def _patterns(folder: Path, certificate: Certificate) -> tuple[PatternSet, str]:
    promise = certificate.promise
    if {*certificate.files, CERTIFICATE} != {*bundle_files(rules=promise.get("rules") is not None)}:
        raise DataError("the certificate does not name the files of a bundle of patterns")
    patterns = read_patterns(folder / PATTERNS).to_patternset()
    if b"".join(csv_blocks(patterns)) != (folder / PATTERNS).read_bytes():
        raise DataError(f"{PATTERNS} is not written as the program writes it")
    check_declared(folder / PATTERNS_TABLE, len(patterns))
    if read_patterns(folder / PATTERNS_TABLE).to_patternset() != patterns:
        raise DataError(f"{PATTERNS_TABLE} does not say the same as {PATTERNS}")
    if patterns.target == "closed" and len(patterns) <= MOST_COMPARED and not can_be_closed(patterns):
        raise DataError(f"{PATTERNS} says that its itemsets are the closed ones, and they cannot be")
    said = {"n": patterns.n, "min_support": patterns.min_support, "itemsets": len(patterns), "target": patterns.target}
    for name, value in said.items():
        if promise.get(name) != value:
            raise DataError(f"the certificate says another {name} than {PATTERNS}")
    return patterns, f"{counted(len(patterns), 'itemset')}, the same in {PATTERNS} and {PATTERNS_TABLE}"


def _rules(folder: Path, patterns: PatternSet, certificate: Certificate) -> tuple[RuleSet, str]:
    said = certificate.promise["rules"]
    confidence = fraction_told(said.get("min_confidence") if isinstance(said, dict) else None)
    if confidence is None:
        raise DataError("the certificate does not say which rules are published")
    rules = find_rules(patterns, min_confidence=confidence)
    if b"".join(rules_csv_blocks(rules)) != (folder / RULES).read_bytes():
        raise DataError(f"{RULES} does not hold the rules that follow from the patterns")
    check_declared(folder / RULES_TABLE, len(rules))
    if read_rules(folder / RULES_TABLE) != read_rules(folder / RULES):
        raise DataError(f"{RULES_TABLE} does not say the same as {RULES}")
    return rules, f"{counted(len(rules), 'rule')}, as they follow from the patterns"


def _figures(
    patterns: PatternSet, found: Audit, rules: RuleSet | None, certificate: Certificate
) -> tuple[PublishedPatterns, str]:
    """Compare the certificate with a new one made from the findings; return what is published, as found."""
    names = certificate.promise.get("quasi_identifiers")
    asked = conclusions_told(certificate.promise, patterns)
    again = PublishedPatterns(
        patterns=patterns,
        k=certificate.promise["k"],
        attack=AttackCheck.of(cast("Attack", found.attack), steps_claimed(certificate.promise)),
        proved=certificate.promise["proved"],
        exclusive=found.exclusive,
        rules=rules,
        title=certificate.title,
        quasi_identifiers=None if names is None else tuple(names),
        conclusions=None if asked is None else ConclusionCheck.of(found, asked.rho),
        unit=Unit.parse(certificate.promise.get("unit")),
        persons=certificate.promise.get("persons") is True,
        version=certificate.program,
        files=bundle_files(rules=rules is not None),
    )
    _same_figures(certificate, promise_of(again))
    return again, "those of what is published"


def _same_figures(certificate: Certificate, promise: ParsedDocument) -> tuple[None, str]:
    if replace(certificate, promise=promise).to_bytes() != certificate.to_bytes():
        raise DataError("the certificate's figures are not those of what is published")
    return None, "those of what is published"


def _tables(folder: Path, patterns: PatternSet, rules: RuleSet | None) -> tuple[None, str]:
    writers: dict[str, Callable[[Path], None]] = {PATTERNS_TABLE: partial(write_patterns, patterns)}
    if rules is not None:
        writers[RULES_TABLE] = partial(write_rules, rules)
    not_judged = []
    for name, write in writers.items():
        try:
            check_rebuilt(folder / name, write)
        except AnotherVersion as error:
            not_judged.append(error.message)
    if not_judged:
        raise AnotherVersion("; ".join(not_judged))
    return None, "every byte follows from what they say"


def _words(certificate: Certificate, statement: str, not_promised: tuple[str, ...]) -> tuple[None, str]:
    if certificate.program != discreet.__version__:
        raise AnotherVersion(
            f"the sentences of {CERTIFICATE} are those of version {certificate.program}, which this one cannot judge; "
            "the figures are right"
        )
    if (certificate.statement, certificate.not_promised) != (statement, not_promised):
        raise DataError("the certificate promises in words what its figures do not say")
    return None, "the certificate says in words what its figures say"


def _report(folder: Path, certificate: Certificate, make: Callable[[], str]) -> tuple[None, str]:
    check_report(folder / REPORT, make, program=certificate.program)
    return None, "every byte follows from the rest"


def _check_fingerprint(certificate: Certificate, data: Transactions, ledger: Ledger | None) -> None:
    if ledger is not None and same_rows(certificate.input) != same_rows(ledger.fingerprint(data)):
        raise DataError("these are not the rows that the bundle was made from, according to the ledger's key")


def _same_rows(found: CheckedRows, about: _About) -> tuple[None, str]:
    data = cast("Transactions", about.data)
    _check_fingerprint(about.certificate, data, about.ledger)
    words = "the bundle has as many rows" if about.ledger is None else "the bundle was made from these rows"
    return None, words + found.compared_with(data)


def _data(patterns: PatternSet, found: Audit, about: _About) -> tuple[None, str]:
    promise, data = about.certificate.promise, cast("Transactions", about.data)
    _check_fingerprint(about.certificate, data, about.ledger)
    check_fit(patterns, data, k=promise["k"])
    apart = exclusive_in_rows(data, promise["exclusive"]["named"]).within(patterns.vocabulary)
    if set(apart.columns) - set(found.exclusive.columns):
        again = audit(
            patterns,
            k=found.k,
            method="closed",
            exclusive=apart,
            quasi_identifiers=promise["quasi_identifiers"],
            sensitive=None if found.asked is None else found.asked.sensitive,
            rho=found.rho,
        )
        if not again.safe:
            follows = f"a group of fewer than {found.k:,} rows follows: {smallest_group(again)}"
            if again.groups_safe:
                follows = f"a sensitive item can be concluded with {again.rho} or more: {surest_conclusion(again)}"
            raise DataError(
                "values of one column of these rows exclude each other, which the certificate does not consider; with "
                f"that {follows}"
            )
    return None, "the patterns are those of these rows, as they are or as blocking changes them"
