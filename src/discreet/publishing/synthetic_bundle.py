"""Bundles of made-up rows: rows that fit published patterns, with these patterns and the certificate of their bundle.

Nothing is read but the other bundle. The folder has its patterns and its certificate (source.json), so that anyone can
make the rows again and compare every byte: what follows from them, follows from the patterns. All that tells of the
rows says that they are synthetic: the file's name, the report, the certificate.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import discreet
from discreet.differential_privacy.synthetic_rows import SyntheticRows, synthetic_rows
from discreet.errors import DataError, NotSafe, ParameterError, param
from discreet.patterns.reading import read_patterns
from discreet.publishing.bundle import PATTERNS, REPORT, certificate_in, check_bundle_folder, digest_file, new_bundle
from discreet.publishing.byte_comparison import check_rebuilt
from discreet.publishing.certificate import CERTIFICATE, Certificate
from discreet.publishing.noise_check import check_noise
from discreet.publishing.page import filled, page
from discreet.publishing.privacy_budget import NOISY
from discreet.publishing.second_audit import MOST_ATTACK_STEPS, check_audit
from discreet.tables.tabular import Tabular
from discreet.transactions.writing import layout_for, write
from discreet.wording import counted, number

if TYPE_CHECKING:
    import os

    import pyarrow as pa

    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.transactions import Transactions

    PathLike = str | os.PathLike[str]
    from discreet.json_types import JsonObject

__all__ = [
    "SYNTHETIC_ROWS",
    "SyntheticRelease",
    "check_source",
    "check_synthetic",
    "refuse_data",
    "synthesize",
    "synthetic_report",
]

SYNTHETIC = "synthetic-rows"
SYNTHETIC_ROWS, SOURCE = "synthetic-rows.csv", "source.json"
_FILES = (SYNTHETIC_ROWS, PATTERNS, SOURCE, REPORT, CERTIFICATE)
_NOT_PROMISED = (
    "No row is anybody's: a small group among them, or a row that stands alone, says nothing about a person.",
    "Beyond the published patterns the rows are arbitrary: what they say about other combinations is made up.",
    "What the patterns do not promise, the rows do not promise either: see source.json.",
    "Without a signature, nothing tells who wrote this.",
)


@dataclass(frozen=True, eq=False)
class SyntheticRelease(Tabular):
    """A bundle of made-up rows that was written.

    Attributes
    ----------
    bundle : Path
        The folder.
    made : SyntheticRows
        The rows, and how far their supports are from the published ones.
    certificate : Certificate
        What is said about them, the digests of the files, and the seal.
    """

    bundle: Path
    made: SyntheticRows
    certificate: Certificate

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the bundle's files."""
        return _FILES

    def to_dict(self) -> JsonObject:
        """Return the JSON form: no more than the bundle says."""
        return {
            "bundle": str(self.bundle),
            **self.certificate.promise,
            "seal": self.certificate.seal,
            "files": {name: str(self.bundle / name) for name in _FILES},
        }

    def to_arrow(self) -> pa.Table:
        """Return the rows that were published, as an Arrow table with a column of lists."""
        return self.made.to_arrow()

    def __repr__(self) -> str:
        return f"<SyntheticRelease: {self.made.rows.n:,} rows, supports off by at most {self.made.worst:,}>"


def synthesize(bundle: PathLike, *, output: PathLike, force: bool = False) -> SyntheticRelease:
    """Write made-up rows that fit a bundle of patterns, exact or with noise; nothing else is read.

    The bundle is verified first. The same bundle gives the same rows.

    Parameters
    ----------
    bundle : path
        The folder of the bundle.
    output : path
        The folder to write.
    force : bool, default False
        Whether to replace an existing bundle.

    Returns
    -------
    SyntheticRelease
        The rows, and how far their supports are off.

    Raises
    ------
    NotSafe
        The bundle does not hold.
    DataError
        It cannot be read, is none of patterns, or has no rows.
    OutputError
        The folder exists or cannot be written.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> rows = discreet.Transactions.from_rows([["flu", "cough"]] * 30 + [["flu"]] * 30)
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = discreet.release(rows, k=5, min_support=20, method="none", output=folder / "public")
    >>> discreet.synthesize(folder / "public", output=folder / "synthetic")
    <SyntheticRelease: 60 rows, supports off by at most 0>
    """
    from discreet.publishing.verifier import verify

    folder, output = Path(bundle), Path(output)
    check_bundle_folder(output, force=force)
    found = verify(folder)
    if found.verdict == "does-not-hold":
        raise NotSafe(f"{folder} does not hold: {found.reason_message}; nothing was made")
    source = certificate_in(folder)
    if source.kind not in ("patterns", NOISY):
        raise DataError(f"{folder} is a bundle of {source.kind}; expected one of patterns")
    patterns = read_patterns(folder / PATTERNS).to_patternset()
    made = _made(patterns)
    with new_bundle(output, force=force) as place:
        shutil.copyfile(folder / PATTERNS, place / PATTERNS)
        shutil.copyfile(folder / CERTIFICATE, place / SOURCE)
        _write(made.rows, place / SYNTHETIC_ROWS)
        certificate = _certificate(source, patterns, made, place)
        (place / CERTIFICATE).write_bytes(certificate.to_bytes())
    return SyntheticRelease(output, made, certificate)


def check_source(folder: Path, certificate: Certificate) -> tuple[tuple[PatternSet, Certificate], str]:
    """Return the patterns and their certificate, if they are of a bundle that keeps its promise."""
    source = Certificate.from_bytes((folder / SOURCE).read_bytes())
    if certificate.promise.get("source") != source.seal or certificate.input is not None:
        raise DataError(f"{SOURCE} is not the certificate that the rows were made from")
    if source.files.get(PATTERNS) != digest_file(folder / PATTERNS):
        raise DataError(f"{PATTERNS} is not the file of {SOURCE}")
    patterns = read_patterns(folder / PATTERNS).to_patternset()
    if source.kind == NOISY:
        check_noise(patterns, source)
    elif source.kind == "patterns":
        check_audit(patterns, source, MOST_ATTACK_STEPS)
    else:
        raise DataError(f"{SOURCE} is not of a bundle of patterns")
    return (patterns, source), "the patterns are those of a bundle that keeps its promise, as its certificate has it"


def check_synthetic(
    folder: Path, certificate: Certificate, patterns: PatternSet, source: Certificate
) -> tuple[Certificate, str]:
    """Make the rows again, and compare every byte; return the certificate as it should be."""
    made = _made(patterns)
    check_rebuilt(folder / SYNTHETIC_ROWS, lambda path: _write(made.rows, path))
    again = _certificate(source, patterns, made, None)
    if dict(certificate.promise) != dict(again.promise) or set(certificate.files) != {*_FILES} - {CERTIFICATE}:
        raise DataError("the certificate's figures are not those of the rows")
    return again, "they follow from the patterns, byte for byte, and from nothing else"


def refuse_data(data: object) -> None:
    """Refuse to compare made-up rows with others."""
    if data is not None:
        raise ParameterError(
            f"{param('data')} is for bundles of people's rows, and these are made up; leave it out", parameter="data"
        )


def _made(patterns: PatternSet) -> SyntheticRows:
    if not patterns.n:
        raise DataError("the bundle says that there are no rows, so that none can be made up")
    return synthetic_rows(patterns)


def _write(rows: Transactions, path: Path) -> None:
    write(rows, path, layout=layout_for(rows, path))


def _certificate(source: Certificate, patterns: PatternSet, made: SyntheticRows, place: Path | None) -> Certificate:
    """Return what is said about made-up rows; in a place, with the digests of the files, and the report is written."""
    promise = {
        "definition": "synthetic",
        "source": source.seal,
        "source_kind": source.kind,
        "file": SYNTHETIC_ROWS,
        "n": made.rows.n,
        "items": len(patterns.vocabulary),
        "itemsets": len(patterns),
        "off": made.to_dict(),
    }
    statement = (
        f"Synthetic rows, of nobody: they were made up from {counted(len(patterns), 'published itemset')} alone, so "
        "whatever follows from them follows from these. Their supports are off by "
        f"{counted(made.worst, 'row')} at most."
    )
    certificate = Certificate(
        kind=SYNTHETIC,
        promise=promise,
        statement=statement,
        not_promised=_NOT_PROMISED,
        program=discreet.__version__,
        input=None,
        files={},
        title=None,
    )
    if place is None:
        return certificate
    (place / REPORT).write_bytes(synthetic_report(certificate).encode())
    files = {name: digest_file(place / name) for name in _FILES if name != CERTIFICATE}
    return replace(certificate, files=files)


def synthetic_report(certificate: Certificate) -> str:
    """Return the page as HTML: the same value gives the same bytes."""
    told = certificate.promise
    title = "Synthetic rows, which are nobody's"
    body = filled(
        "synthetic.html",
        title=title,
        n=number(told["n"]),
        items=number(told["items"]),
        worst=number(told["off"]["worst"]),
        promise=certificate.statement,
        not_promised=certificate.not_promised,
        source=told["source"],
        files=_FILES,
        version=certificate.program,
    )
    return page(title=title, body=body)
