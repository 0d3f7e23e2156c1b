"""The folder that is published: written atomically, and read back.

Nothing depends on the clock, the machine or the order of a dictionary: the same input and key give the same bytes.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError, DiscreetError, OutputError, ParameterError
from discreet.patterns.reading import read_patterns
from discreet.patterns.writing import write_patterns, write_rules
from discreet.publishing.certificate import CERTIFICATE, Certificate, FileDigest
from discreet.publishing.promises import not_promised, promise_of, statement_of
from discreet.publishing.report import public_report
from discreet.tables.whole import check_folder, whole_folder

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.audiences import PublishedPatterns
    from discreet.publishing.certificate import Signature

__all__ = [
    "PATTERNS",
    "PATTERNS_TABLE",
    "REPORT",
    "RULES",
    "RULES_TABLE",
    "Bundle",
    "bundle_files",
    "certificate_in",
    "check_bundle_folder",
    "check_outside",
    "digest_file",
    "is_there",
    "new_bundle",
    "read_bundle",
    "read_certificate",
    "report_of",
    "write_certificate",
    "write_files",
]

PATTERNS, PATTERNS_TABLE = "patterns.csv", "patterns.parquet"
RULES, RULES_TABLE = "rules.csv", "rules.parquet"
REPORT = "report.html"

_CHUNK = 1 << 20
_LARGEST_CERTIFICATE = 1 << 26


@dataclass(frozen=True, eq=False)
class Bundle:
    """A bundle of patterns as read, without any checks: for those see `discreet.verify`."""

    folder: Path
    certificate: Certificate
    patterns: PatternSet


def bundle_files(*, rules: bool) -> tuple[str, ...]:
    """Return the names of a bundle's files, in reading order."""
    return (PATTERNS, PATTERNS_TABLE, *((RULES, RULES_TABLE) if rules else ()), REPORT, CERTIFICATE)


def check_bundle_folder(path: Path, *, force: bool) -> None:
    """Refuse a folder that a bundle cannot be written to; `force` replaces another bundle, and nothing else."""
    check_folder(path, force=force)
    names = {each.name for each in path.iterdir()} if path.is_dir() else set()
    if not names:
        return
    if CERTIFICATE not in names:
        raise OutputError(f"{path} is not empty and holds no bundle; choose another name")
    try:
        files = certificate_in(path).files
        whole = names == {*files, CERTIFICATE} and all(digest_file(path / name) == files[name] for name in files)
    except (DiscreetError, OSError):
        whole = False
    if not whole:
        raise OutputError(
            f"{path} holds more, less or other files than the bundle that its {CERTIFICATE} names, and they would be "
            "lost; move them away, or choose another name"
        )


def check_outside(path: str | os.PathLike[str] | None, folder: Path, *, parameter: str) -> None:
    """Refuse to write a file for the owner into the published folder."""
    if path is not None and Path(path).resolve().is_relative_to(folder.resolve()):
        raise ParameterError(f"{path} would be in the folder that is published; put it elsewhere", parameter=parameter)


@contextmanager
def new_bundle(path: Path, *, force: bool) -> Iterator[Path]:
    """Yield the folder to write a bundle's files into; it becomes visible when the block ends without an error."""
    check_bundle_folder(path, force=force)
    with whole_folder(path, force=force) as folder:
        yield folder


def write_files(
    folder: Path,
    published: PublishedPatterns,
    *,
    fingerprint: str | None,
    sign: Sequence[Callable[[bytes], Signature]] = (),
) -> Certificate:
    """Write everything public into a folder, the certificate last."""
    write_patterns(published.patterns, folder / PATTERNS)
    write_patterns(published.patterns, folder / PATTERNS_TABLE)
    if published.rules is not None:
        write_rules(published.rules, folder / RULES)
        write_rules(published.rules, folder / RULES_TABLE)
    (folder / REPORT).write_bytes(report_of(published).encode())
    certificate = Certificate(
        kind="patterns",
        promise=promise_of(published),
        statement=statement_of(published),
        not_promised=not_promised(published),
        program=published.version,
        input=fingerprint,
        files={name: digest_file(folder / name) for name in published.files if name != CERTIFICATE},
        title=published.title,
    )
    return write_certificate(folder, certificate, sign)


def write_certificate(
    folder: Path, certificate: Certificate, sign: Sequence[Callable[[bytes], Signature]]
) -> Certificate:
    """Write the certificate with its signatures, and return it."""
    for signer in sign:
        certificate = certificate.signed(signer)
    (folder / CERTIFICATE).write_bytes(certificate.to_bytes())
    return certificate


def report_of(published: PublishedPatterns) -> str:
    """Return the page for people: the same value gives the same bytes."""
    return public_report(published)


def digest_file(path: Path) -> FileDigest:
    """Return the size and SHA-256 of a file."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return FileDigest(size, digest.hexdigest())


def read_bundle(folder: Path) -> Bundle:
    """Read the certificate and the patterns of a bundle, without judging them."""
    certificate = certificate_in(folder)
    if certificate.kind != "patterns":
        raise DataError(f"{folder} is a bundle of {certificate.kind}; expected one of patterns")
    return Bundle(folder, certificate, read_patterns(folder / PATTERNS).to_patternset())


def certificate_in(folder: Path) -> Certificate:
    """Read the certificate of a bundle, unless it is far larger than any certificate."""
    file = folder / CERTIFICATE
    if file.stat().st_size > _LARGEST_CERTIFICATE:
        raise DataError(f"{CERTIFICATE} has {file.stat().st_size:,} bytes, far more than any certificate")
    return Certificate.from_bytes(file.read_bytes())


def read_certificate(folder: Path) -> Certificate | None:
    """Return the certificate of a bundle; None if it cannot be read."""
    with suppress(OSError, DataError):
        return certificate_in(folder)
    return None


def is_there(folder: Path, certificate: bytes) -> bool:
    """Return whether a folder holds the bundle with this certificate, as far as can be seen."""
    try:
        return (folder / CERTIFICATE).read_bytes() == certificate
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
