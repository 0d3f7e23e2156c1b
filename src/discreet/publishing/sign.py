"""Add a signature to a bundle that is there: of a second person, who checked it, or of the owner, later.

Problem      several people stand for one bundle, each with their own key, at their own time.
Method       verify the bundle as anyone would; sign its certificate without seal and signatures; replace the
             certificate by one with one more signature.
Promises     a bundle that does not hold is not signed. No other file changes, and the new certificate is there whole or
             not at all. Two who sign at once wait for each other. In a ledger it is the same release as before.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError, InternalFault, NotSafe, ParameterError, param
from discreet.publishing.bundle import check_outside
from discreet.publishing.certificate import CERTIFICATE, Certificate
from discreet.publishing.signing import holds, load_signer
from discreet.publishing.timestamps import request_for
from discreet.publishing.verifier import verify
from discreet.tables.system import handle_of, lock
from discreet.tables.tabular import Tabular
from discreet.tables.whole import all_or_none, check_output, whole_file
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from discreet.json_types import JsonObject
    from discreet.publishing.signing import Identities
    from discreet.publishing.verification import Verification

__all__ = ["NotSigned", "Signed", "sign"]


class NotSigned(NotSafe):
    """A bundle does not hold, or cannot be judged; `found` says why."""

    def __init__(self, bundle: str | os.PathLike[str], found: Verification) -> None:
        verdict = "cannot be judged" if found.verdict == "not-judged" else "does not hold"
        super().__init__(f"{bundle} {verdict}, and was not signed: {found.reason}")
        self.found = found


@dataclass(frozen=True, slots=True)
class Signed(Tabular):
    """A bundle that was signed.

    Attributes
    ----------
    bundle : Path
        The folder.
    public_key : str or None
        The key of the new signature, as hex; None if only a time stamp was asked for.
    certificate : Certificate
        The certificate as it is now.
    """

    bundle: Path
    public_key: str | None
    certificate: Certificate

    @property
    def signed_by(self) -> tuple[str, ...]:
        """The keys of all signatures, as hex."""
        return tuple(signature.public_key for signature in self.certificate.signatures)

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "safe": True,
            "verdict": "holds",
            "signed": self.public_key is not None,
            "bundle": str(self.bundle),
            "public_key": self.public_key,
            "signed_by": list(self.signed_by),
            "seal": self.certificate.seal,
        }

    def to_arrow(self) -> pa.Table:
        """Return the keys of all signatures, as an Arrow table."""
        import pyarrow as pa

        return pa.table({"public_key": pa.array(self.signed_by, pa.string())})

    def __repr__(self) -> str:
        return f"<Signed: {self.bundle}, with {counted(len(self.signed_by), 'signature')}>"


def sign(
    bundle: str | os.PathLike[str],
    *,
    key: str | os.PathLike[str] | None = None,
    passphrase: str | bytes | None = None,
    trust: Identities | None = None,
    timestamp_request: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> Signed:
    """Verify a bundle, and add a signature to its certificate; no other file changes.

    Parameters
    ----------
    bundle : path
        The folder of the bundle.
    key : path, optional
        The `identity.pem` of `keygen` to sign with.
    passphrase : str or bytes, optional
        The passphrase of the key, if it has one.
    trust : path or list of paths, optional
        The `public.pem` of every identity that must have signed it before.
    timestamp_request : path, optional
        Write a request for a time stamp of the certificate as it is now, to be sent to a time stamping service.
    force : bool, default False
        Whether to replace an existing file of the request.

    Returns
    -------
    Signed
        The bundle, and who has signed it now.

    Raises
    ------
    NotSafe
        The bundle does not hold, or cannot be judged by this version.
    ParameterError
        It is signed with this key already, or there is nothing to do.
    DataError
        The folder or the key cannot be read.
    OutputError
        The certificate or the request cannot be written.
    InternalFault
        The new signature does not hold; nothing was written.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> rows = discreet.Transactions.from_rows([["flu", "cough"]] * 30 + [["flu"]] * 30)
    >>> steward, checker = discreet.keygen(folder / "steward"), discreet.keygen(folder / "checker")
    >>> public = folder / "public"
    >>> _ = discreet.release(rows, k=5, min_support=20, method="none", output=public, sign=steward[0])
    >>> len(discreet.sign(public, key=checker[0], trust=steward[1]).signed_by)
    2
    >>> discreet.verify(public, trust=[steward[1], checker[1]])
    <Verification: holds>
    """
    if key is None and timestamp_request is None:
        raise ParameterError(
            f"{param('key')} is missing: give an identity.pem of discreet keygen, or {param('timestamp_request')}",
            parameter="key",
        )
    signer = None if key is None else load_signer(key, passphrase)
    folder = Path(bundle)
    if timestamp_request is not None:
        check_output(timestamp_request, force=force)
        check_outside(timestamp_request, folder, parameter="timestamp_request")
    with _alone(folder):
        found = verify(folder, trust=trust)
        if not found.holds or found.certificate is None:
            raise NotSigned(bundle, found)
        certificate = found.certificate
        if signer is not None and signer.public_key in found.signed_by:
            raise ParameterError(
                f"{bundle} is signed with the key of {param('key')} already; a second person signs with another one",
                parameter="key",
            )
        with all_or_none():
            if signer is not None:
                certificate = certificate.signed(signer)
                _write(folder / CERTIFICATE, certificate)
            if timestamp_request is not None:
                with whole_file(timestamp_request, force=force) as temporary:
                    temporary.write_bytes(request_for(certificate.to_bytes()))
    return Signed(folder, None if signer is None else signer.public_key, certificate)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until nobody else signs in this folder."""
    try:
        handle = handle_of(folder, folder=True)
    except OSError as error:
        raise DataError(f"cannot open {folder}: {error.strerror}; name the folder of a bundle") from error
    try:
        lock(handle, wait=True)
        yield
    finally:
        os.close(handle)


def _write(path: Path, certificate: Certificate) -> None:
    """Replace a file, which keeps its mode; what is not finished lies outside of the bundle, where that is possible."""
    if not all(holds(signature, certificate.body()) for signature in certificate.signatures):
        raise InternalFault("a signature was made that does not hold")
    bundle = path.resolve().parent
    outside = os.access(bundle.parent, os.W_OK) and bundle.parent.stat().st_dev == bundle.stat().st_dev
    with whole_file(path, force=True, private=True, within=bundle.parent if outside else None) as temporary:
        temporary.write_bytes(certificate.to_bytes())
        temporary.chmod(path.stat().st_mode & 0o777)
