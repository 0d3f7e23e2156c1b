"""The job that signs a bundle: with a key that is here for this one moment."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.publishing.sign import sign
from discreet.workbench.jobs.patterns import BUNDLE, BUNDLE_ZIP, unpack_bundle

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.workbench.jobs.rows_cache import OnProgress

__all__ = ["SignedBundle", "sign_bundle"]


@dataclass(frozen=True, slots=True)
class SignedBundle:
    """A bundle with one more signature, as a zip; `signed_by` are all keys, `public_key` is the new one."""

    archive: Path
    public_key: str
    signed_by: tuple[str, ...]


def sign_bundle(  # noqa: PLR0917 - sent through a pipe, in order
    report: OnProgress, folder: Path, files: list[Path], key: Path, passphrase: str, trust: tuple[Path, ...]
) -> SignedBundle:
    """Verify a bundle, sign it, and pack it into an empty folder; the key's file is removed however it ends."""
    report(None, "Verifying and signing")
    try:
        unpack_bundle(files, folder / BUNDLE)
        key.chmod(0o600)
        done = sign(folder / BUNDLE, key=key, passphrase=passphrase or None, trust=trust or None)
    finally:
        key.unlink(missing_ok=True)
    archive = folder / BUNDLE_ZIP
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted((folder / BUNDLE).iterdir()):
            packed.write(path, path.name)
    return SignedBundle(archive, done.public_key or "", done.signed_by)
