"""Ed25519 signatures with the identities that `discreet keygen` makes.

An identity is a PEM file with a private key and a certificate; the public half is the certificate alone, which says
from when and until when the key is used. Keys that others can read, keys outside their time, and keys of small order,
with which anyone could sign, are refused. This is the only module in publishing that uses `cryptography`, which does
all signing and checking.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.errors import DataError, ParameterError, param
from discreet.publishing.certificate import Signature
from discreet.tables.system import can_others_read
from discreet.twoparty.identity import has_passphrase
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    PathLike = str | os.PathLike[str]

__all__ = [
    "Identities",
    "Passphrases",
    "Signer",
    "certificates_in",
    "holds",
    "load_signer",
    "load_signers",
    "need_cryptography",
    "public_key_in",
    "trusted_keys",
]

Identities: TypeAlias = "PathLike | Sequence[PathLike]"
Passphrases: TypeAlias = "str | bytes | Sequence[str | bytes]"

_BEGIN, _END = b"-----BEGIN ", b"-----END "
_PRIME = 2**255 - 19
_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER = {0, 1, _PRIME - 1, _ORDER_8, _PRIME - _ORDER_8}
"""The second coordinates of the points of edwards25519 whose order is at most 8."""


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key that signs the bytes it is called with, and its public half, as hex."""

    public_key: str
    key: Ed25519PrivateKey = field(repr=False)

    def __call__(self, data: bytes) -> Signature:
        """Sign."""
        return Signature(self.public_key, self.key.sign(data).hex())


def load_signers(identities: Identities | None, passphrases: Passphrases | None = None) -> tuple[Signer, ...]:
    """Return what signs with the identities in PEM files, each another key, and with passphrases if encrypted."""
    found: dict[str, Signer] = {}
    files = _listed(identities)
    given = [passphrases] if isinstance(passphrases, (str, bytes)) else [*(passphrases or ())]
    encrypted = sum(map(has_passphrase, files))
    if given and len(given) != encrypted:
        raise ParameterError(
            f"{param('key_passphrase')} is for keys that are encrypted: {encrypted} of those to sign with are, and "
            f"{counted(len(given), 'passphrase')} given; give one for each, in their order",
            parameter="key_passphrase",
        )
    for path in files:
        signer = load_signer(path, given.pop(0) if given and has_passphrase(path) else None)
        if found.setdefault(signer.public_key, signer) is not signer:
            raise _twice("sign", path)
    return tuple(found.values())


def load_signer(path: PathLike, passphrase: str | bytes | None = None) -> Signer:
    """Return what signs with the identity in a PEM file, which may be encrypted."""
    key = _private_key(Path(path), passphrase.encode() if isinstance(passphrase, str) else passphrase)
    if can_others_read(Path(path).stat()):
        raise DataError(f"{path} can be read by others, and it holds a private key; do: chmod 600 {path}")
    if _BEGIN + b"CERTIFICATE" in Path(path).read_bytes():
        _check_time(_certificate(Path(path)), path)
    return Signer(key.public_key().public_bytes_raw().hex(), key)


def trusted_keys(certificates: Identities | None, *, at: datetime | None = None) -> dict[str, str]:
    """Return the public keys, as hex, in the certificates of PEM files, each with the name of its file.

    Keys that are not used now are refused, or those that were not used `at` another time.
    """
    found: dict[str, str] = {}
    for path in _listed(certificates):
        key = public_key_in(path)
        _check_time(_certificate(Path(path)), path, at=at)
        if key in found:
            raise _twice("trust", path)
        found[key] = str(path)
    return found


def _listed(given: Identities | None) -> Sequence[PathLike]:
    return () if given is None else [given] if isinstance(given, (str, os.PathLike)) else given


def _twice(parameter: str, path: PathLike) -> ParameterError:
    return ParameterError(
        f"{param(parameter)} names the key in {path} twice, and one key is one person; leave it out once",
        parameter=parameter,
    )


def public_key_in(path: PathLike) -> str:
    """Return the public key, as hex, in the certificate of a PEM file."""
    need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    certificate = _certificate(Path(path))
    try:
        key = None if certificate is None else certificate.public_key()
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PublicKey) or _anyone_can_sign(key.public_bytes_raw()):
        raise DataError(f"{path} holds no certificate with an Ed25519 key; use the public.pem of discreet keygen")
    return key.public_bytes_raw().hex()


def certificates_in(path: PathLike) -> list[x509.Certificate]:
    """Return all certificates in a PEM file."""
    need_cryptography()
    from cryptography import x509

    try:
        return x509.load_pem_x509_certificates(Path(path).read_bytes())
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except ValueError:
        raise DataError(f"{path} holds no certificate in PEM; use the root certificate of the service") from None


def _certificate(path: Path) -> x509.Certificate | None:
    """Return the certificate in a PEM file; None if it is damaged."""
    from cryptography import x509

    block = _block(path, b"CERTIFICATE")
    try:
        return x509.load_pem_x509_certificate(block)
    except ValueError:
        return None


def _check_time(certificate: x509.Certificate | None, path: PathLike, *, at: datetime | None = None) -> None:
    """Refuse a key before or after the time that its certificate gives."""
    if certificate is None:
        raise DataError(f"{path} holds a damaged certificate; use a file of discreet keygen")
    start, end, now = certificate.not_valid_before_utc, certificate.not_valid_after_utc, at or datetime.now(UTC)
    if now < start:
        raise DataError(f"the key in {path} is used from {start.date()} on, and not before; use another one until then")
    if now > end:
        raise DataError(
            f"the key in {path} was used until {end.date()}, and whoever has it since may have signed with it; use the "
            "owner's new one"
        )


def _anyone_can_sign(key: bytes) -> bool:
    """Return whether a public key is a point of small order, or not written as points are."""
    height = int.from_bytes(key, "little") & (2**255 - 1)
    return height >= _PRIME or height in _SMALL_ORDER


def holds(signature: Signature, data: bytes) -> bool:
    """Return whether a signature is valid for these bytes under the key it names."""
    need_cryptography()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if _anyone_can_sign(bytes.fromhex(signature.public_key)):
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature.public_key))
        key.verify(bytes.fromhex(signature.value), data)
    except (InvalidSignature, ValueError):
        return False
    return True


def _private_key(path: Path, passphrase: bytes | None) -> Ed25519PrivateKey:
    need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    encrypted = has_passphrase(path)
    block = _block(path, b"ENCRYPTED PRIVATE KEY" if encrypted else b"PRIVATE KEY")
    if encrypted and passphrase is None:
        raise DataError(f"{path} is encrypted; give its passphrase")
    if not encrypted and passphrase is not None:
        raise DataError(f"{path} has no passphrase, though one is given; leave it out")
    try:
        key: Any = load_pem_private_key(block, passphrase)
    except (ValueError, TypeError):
        key = None
        if encrypted:
            raise DataError(
                f"the passphrase does not open {path}: it is another one, or the file was changed"
            ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise DataError(f"{path} holds no Ed25519 private key; use the identity.pem of discreet keygen")
    return key


def _block(path: Path, kind: bytes) -> bytes:
    """Return the first PEM block of a kind, from a file that may contain several."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    begin, end = _BEGIN + kind + b"-----", _END + kind + b"-----"
    if begin not in text or end not in text:
        raise DataError(f"{path} holds no {kind.decode().lower()} in PEM; use a file of discreet keygen")
    start = text.index(begin)
    return text[start : text.index(end) + len(end)] + b"\n"


def need_cryptography() -> None:
    """Raise an error if the package is not installed."""
    try:
        import cryptography  # noqa: F401 - only checks that it is installed
    except ModuleNotFoundError:
        raise ParameterError(
            "signatures need the library cryptography; pip install 'discreet[twoparty]'",
            parameter="sign",
        ) from None
