"""Check that a bundle is what was published, and that it keeps its promise.

Read this file to know what `discreet verify` does. In order, and stopping at the first "no":

    certificate   its bytes are the canonical form of its content, and match its seal (see `certificate`)
    files         the folder holds the files that the certificate names, with their sizes and SHA-256, and nothing else
    signature     is by the key it names, over the certificate; with `trust`, that key is the trusted one
    patterns      patterns.csv and patterns.parquet agree with each other and with the certificate; up to 20,000 closed
              itemsets are compared pairwise, to check that they can be the closed ones
    audit         no group of 1 to k-1 rows follows from them, nor does the attacker find one that follows beyond them,
                  within the steps and with the exclusive items that the certificate names, and within a limit of steps
    proof         if the certificate claims a proof, or the owner's file of it is given: there is a data set with just
              these patterns in which every kind of row occurs at least k times
    rules         are those that follow from the patterns, no more and no fewer
    words         the certificate's sentences are those of its figures (if this version of the program wrote them)
    data          if the rows are given: the patterns are theirs, unchanged or as changed by blocking, and nothing
              follows even if the columns of the rows' table are known to be exclusive

All except the last need the bundle alone. Nothing is believed: digests are computed, and the patterns are audited
again, by `discreet.channels.audit`, like any patterns. For bundles of rows see `rows_bundle`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from discreet.answers.small_groups import smallest_group
from discreet.channels.attacker import check_steps
from discreet.channels.audit import audit
from discreet.channels.collection import MOST_COMPARED, can_be_closed
from discreet.channels.exclusive import exclusive_in_rows
from discreet.channels.witness import read_witness
from discreet.errors import DataError, DiscreetError
from discreet.patterns.reading import read_patterns, read_rules
from discreet.patterns.rules import rules as find_rules
from discreet.patterns.tools.native import csv_blocks, rules_csv_blocks
from discreet.publishing.audiences import AttackCheck, PublishedPatterns
from discreet.publishing.audited_again import MOST_ATTACK_STEPS, check_audit, check_proof, steps_claimed
from discreet.publishing.bundle import PATTERNS, PATTERNS_TABLE, RULES, RULES_TABLE, bundle_files, digest_file
from discreet.publishing.certificate import CERTIFICATE, FORM, AnotherVersion, Certificate
from discreet.publishing.fitting import check_fit
from discreet.publishing.promises import not_promised, promise_of, statement_of
from discreet.publishing.signing import holds as signature_holds
from discreet.publishing.signing import need_cryptography, trusted_key
from discreet.transactions.label_names import matches
from discreet.wording import Unit, counted

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from discreet.channels.attacker import Attack, StepBudget
    from discreet.channels.audit import Audit
    from discreet.channels.witness import Witness
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet
    from discreet.transactions.transactions import Transactions

    Fingerprint = Callable[[Transactions], str]

__all__ = ["BundleCheck", "Verification", "verify"]

Answer = TypeVar("Answer")

_FRACTION = re.compile(r"[0-9]{1,18}(/[0-9]{1,18})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class BundleCheck:
    """One question, whether the answer is yes, and the answer in words."""

    name: str
    holds: bool
    words: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The answers of `verify`.

    Attributes
    ----------
    checks : tuple of BundleCheck
        The questions and answers, up to the first "no".
    certificate : Certificate or None
        The certificate, if it could be read.
    judged : bool
        False if another version of the program wrote a part, so that this one cannot answer.
    """

    checks: tuple[BundleCheck, ...]
    certificate: Certificate | None
    judged: bool = True

    @property
    def holds(self) -> bool:
        """Whether every answer is yes."""
        return all(check.holds for check in self.checks)

    @property
    def verdict(self) -> Literal["holds", "does-not-hold", "not-judged"]:
        """The verdict as one word; "not-judged" if another version of the program wrote a part."""
        return "holds" if self.holds else "does-not-hold" if self.judged else "not-judged"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "safe": self.holds,
            "verdict": self.verdict,
            "kind": None if self.certificate is None else self.certificate.kind,
            "promise": None if self.certificate is None else dict(self.certificate.promise),
            "checks": [{"name": check.name, "holds": check.holds, "words": check.words} for check in self.checks],
        }

    def __repr__(self) -> str:
        return "<Verification: holds>" if self.holds else f"<Verification: does not hold; {self.checks[-1].words}>"


def verify(
    bundle: str | os.PathLike[str],
    *,
    data: Transactions | None = None,
    trust: str | os.PathLike[str] | None = None,
    fingerprint: Fingerprint | None = None,
    proof: str | os.PathLike[str] | None = None,
    attack_steps: StepBudget = MOST_ATTACK_STEPS,
) -> Verification:
    """Check a bundle on its own and, if `data` is given, against the rows it was made from.

    Parameters
    ----------
    bundle : path
        The folder of the bundle.
    data : Transactions, optional
        The rows it was made from.
    trust : path, optional
        The `public.pem` of the identity that must have signed it.
    fingerprint : callable, optional
        `Ledger.fingerprint` of the owner's ledger; `data` must then be exactly the rows of the release.
    proof : path, optional
        The file that `release` wrote for the owner.
    attack_steps : int or "all"
        The most steps of the attacker, however many the certificate claims.

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
    witness = None if proof is None else read_witness(proof)
    try:
        names = {entry.name for entry in folder.iterdir()}
    except OSError as error:
        raise DataError(f"cannot open {bundle}: {error.strerror}; name the folder of a bundle") from error
    trusted = None if trust is None else trusted_key(trust)
    checks: list[BundleCheck] = []
    certificate = None

    def ask(name: str, question: Callable[..., tuple[Answer, str]], *about: object) -> Answer:
        try:
            answer, words = question(*about)
        except MemoryError:
            raise
        except Exception as error:  # any error that a forged file causes in a reader is a no
            checks.append(BundleCheck(name, holds=False, words=_sentence(error)))
            raise _AnsweredNo from error
        checks.append(BundleCheck(name, holds=True, words=words))
        return answer

    try:
        certificate = ask("certificate", _certificate, folder, names)
        ask("files", _files, folder, names, certificate)
        if certificate.signature is not None or trusted is not None:
            need_cryptography()
            ask("signature", _signature, certificate, trusted)
        about = _About(folder, certificate, data, fingerprint, witness, attack_steps)
        if certificate.kind == "rows":
            _ask_about_rows(ask, about)
        else:
            _ask_about_patterns(ask, about)
    except _AnsweredNo as no:
        return Verification(tuple(checks), certificate, judged=not isinstance(no.__cause__, AnotherVersion))
    return Verification(tuple(checks), certificate)


@dataclass(frozen=True, slots=True)
class _About:
    """What the last questions are about."""

    folder: Path
    certificate: Certificate
    data: Transactions | None
    fingerprint: Fingerprint | None
    witness: Witness | None
    attack_steps: StepBudget


def _ask_about_patterns(ask: Callable[..., Any], about: _About) -> None:
    patterns = ask("patterns", _patterns, about.folder, about.certificate)
    found = ask("audit", check_audit, patterns, about.certificate, about.attack_steps)
    if about.certificate.promise.get("proved") is not False or about.witness is not None:
        ask("proof", check_proof, patterns, found, about.certificate, about.witness)
    rules = None
    if about.certificate.promise.get("rules") is not None:
        rules = ask("rules", _rules, about.folder, patterns, about.certificate)
    ask("words", _words, patterns, found, rules, about.certificate)
    if about.data is not None:
        ask("data", _data, patterns, found, about)


def _ask_about_rows(ask: Callable[..., Any], about: _About) -> None:
    from discreet.publishing.rows_bundle import check_rows

    kept = ask("rows", check_rows, about.folder, about.certificate)
    ask("words", _same_words, about.certificate, kept.figures, kept.statement, kept.not_promised)
    if about.data is not None:
        ask("data", _same_rows, about.certificate, about.data, about.fingerprint)


class _AnsweredNo(Exception):  # noqa: N818 - not an error: ends the questions after a no
    """A question was answered with no."""


def _sentence(error: Exception) -> str:
    if isinstance(error, DiscreetError):
        return str(error)
    if isinstance(error, OSError):
        return f"a file cannot be read: {error.strerror or type(error).__name__}"
    return f"a file is not what its name says ({type(error).__name__})"


def _certificate(folder: Path, names: set[str]) -> tuple[Certificate, str]:
    if CERTIFICATE not in names:
        raise DataError(f"there is no {CERTIFICATE}")
    _check_plain(folder / CERTIFICATE)
    certificate = Certificate.from_bytes((folder / CERTIFICATE).read_bytes())
    if certificate.kind not in ("patterns", "rows"):
        raise AnotherVersion(f"{CERTIFICATE} is of an unknown kind; use another version of the program")
    if certificate.kind == "patterns" and certificate.form != FORM:
        raise AnotherVersion(
            f"{CERTIFICATE} is of form {certificate.form}: an earlier version wrote it, and looked less far; ask the "
            "owner to publish again, or verify it with that version"
        )
    return certificate, "bears its own seal"


def _files(folder: Path, names: set[str], certificate: Certificate) -> tuple[None, str]:
    named = {*certificate.files, CERTIFICATE}
    if missing := sorted(named - names):
        raise DataError(f"{missing[0]} is missing")
    if others := sorted(names - named):
        raise DataError(f"{others[0]!r} is in the folder, but not in the certificate")
    for name, expected in certificate.files.items():
        _check_plain(folder / name)
        if digest_file(folder / name) != expected:
            raise DataError(f"{name} was changed: its bytes are not those of the certificate")
    return None, f"{len(certificate.files)} files with the digests of the certificate, and no others"


def _check_plain(path: Path) -> None:
    if path.is_symlink() or not path.is_file():
        raise DataError(f"{path.name} is not a plain file")


def _signature(certificate: Certificate, trusted: str | None) -> tuple[None, str]:
    signature = certificate.signature
    if signature is None:
        raise DataError("it is not signed")
    if trusted is not None and signature.public_key != trusted:
        raise DataError("it is signed, but not by the key that is trusted")
    if not signature_holds(signature, certificate.body()):
        raise DataError("the signature is not one of this certificate")
    if trusted is None:
        return None, f"by the key {signature.public_key}: compare it with the owner's, or use --trust"
    return None, "by the trusted key"


def _patterns(folder: Path, certificate: Certificate) -> tuple[PatternSet, str]:
    promise = certificate.promise
    if {*certificate.files, CERTIFICATE} != {*bundle_files(rules=promise.get("rules") is not None)}:
        raise DataError("the certificate does not name the files of a bundle of patterns")
    patterns = read_patterns(folder / PATTERNS).to_patternset()
    if read_patterns(folder / PATTERNS_TABLE).to_patternset() != patterns:
        raise DataError(f"{PATTERNS_TABLE} does not say the same as {PATTERNS}")
    if patterns.target == "closed" and len(patterns) <= MOST_COMPARED and not can_be_closed(patterns):
        raise DataError(f"{PATTERNS} says that its itemsets are the closed ones, and they cannot be")
    if b"".join(csv_blocks(patterns)) != (folder / PATTERNS).read_bytes():
        raise DataError(f"{PATTERNS} is not written as the program writes it")
    said = {"n": patterns.n, "min_support": patterns.min_support, "itemsets": len(patterns), "target": patterns.target}
    for name, value in said.items():
        if promise.get(name) != value:
            raise DataError(f"the certificate says another {name} than {PATTERNS}")
    return patterns, f"{counted(len(patterns), 'itemset')}, the same in {PATTERNS} and {PATTERNS_TABLE}"


def _rules(folder: Path, patterns: PatternSet, certificate: Certificate) -> tuple[RuleSet, str]:
    said = certificate.promise["rules"]
    confidence = said.get("min_confidence") if isinstance(said, dict) else None
    if not isinstance(confidence, str) or not _FRACTION.fullmatch(confidence):
        raise DataError("the certificate does not say which rules are published")
    rules = find_rules(patterns, min_confidence=Fraction(confidence))
    if b"".join(rules_csv_blocks(rules)) != (folder / RULES).read_bytes():
        raise DataError(f"{RULES} does not hold the rules that follow from the patterns")
    if read_rules(folder / RULES_TABLE) != read_rules(folder / RULES):
        raise DataError(f"{RULES_TABLE} does not say the same as {RULES}")
    return rules, f"{counted(len(rules), 'rule')}, as they follow from the patterns"


def _words(patterns: PatternSet, found: Audit, rules: RuleSet | None, certificate: Certificate) -> tuple[None, str]:
    """Compare the certificate with a new one made from the findings."""
    names = certificate.promise.get("quasi_identifiers")
    if names is not None:
        named = {label for items in matches(names, patterns.vocabulary.labels).values() for label in items}
        if not named.issuperset(patterns.vocabulary):
            raise DataError("items are published that are not among those that the certificate names")
    again = PublishedPatterns(
        patterns=patterns,
        k=certificate.promise["k"],
        attack=AttackCheck.of(cast("Attack", found.attack), steps_claimed(certificate.promise)),
        proved=certificate.promise["proved"],
        exclusive=found.exclusive,
        rules=rules,
        quasi_identifiers=None if names is None else tuple(names),
        unit=Unit.parse(certificate.promise.get("unit")),
        persons=certificate.promise.get("persons") is True,
        version=certificate.program,
        files=(*certificate.files, CERTIFICATE),
    )
    return _same_words(certificate, promise_of(again), statement_of(again), not_promised(again))


def _same_words(
    certificate: Certificate, promise: Mapping[str, Any], statement: str, not_promised: tuple[str, ...]
) -> tuple[None, str]:
    from discreet import __version__

    if replace(certificate, promise=promise).to_bytes() != certificate.to_bytes():
        raise DataError("the certificate's figures are not those of what is published")
    if certificate.program != __version__:
        return None, f"those of version {certificate.program}, which this one cannot judge; the figures are right"
    if (certificate.statement, certificate.not_promised) != (statement, not_promised):
        raise DataError("the certificate promises in words what its figures do not say")
    return None, "the certificate says in words what its figures say"


def _same_rows(certificate: Certificate, data: Transactions, fingerprint: Fingerprint | None) -> tuple[None, str]:
    if fingerprint is not None and certificate.input != fingerprint(data):
        raise DataError("these are not the rows that the bundle was made from, according to the ledger's key")
    if data.n != certificate.promise["n"]:
        raise DataError("the bundle has another number of rows than these")
    return None, "the bundle has as many rows" if fingerprint is None else "the bundle was made from these rows"


def _data(patterns: PatternSet, found: Audit, about: _About) -> tuple[None, str]:
    promise, data = about.certificate.promise, cast("Transactions", about.data)
    if about.fingerprint is not None and about.certificate.input != about.fingerprint(data):
        raise DataError("these are not the rows that the bundle was made from, according to the ledger's key")
    check_fit(patterns, data, k=promise["k"], quasi_identifiers=promise["quasi_identifiers"])
    apart = exclusive_in_rows(data, promise["exclusive"]["named"]).within(patterns.vocabulary)
    if set(apart.columns) - set(found.exclusive.columns):
        again = audit(patterns, k=found.k, method="closed", exclusive=apart)
        if not again.safe:
            raise DataError(
                "values of one column of these rows exclude each other, which the certificate does not consider; with "
                f"that a group of fewer than {found.k:,} rows follows: {smallest_group(again)}"
            )
    return None, "the patterns are those of these rows, as they are or as blocking changes them"
