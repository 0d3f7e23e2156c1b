"""Ed25519 signatures with the identities that `discreet keygen` makes.

An identity is a PEM file with a private key and a certificate; the public half is the certificate alone, which says
from when and until when the key is used. Keys that others can read, keys outside their time, and keys of small order,
with which anyone could sign, are refused. This is the only module in publishing that uses `cryptography`, which does
all signing and checking.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError, ParameterError
from discreet.publishing.certificate import Signature

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["holds", "load_signer", "need_cryptography", "trusted_key"]

_BEGIN, _END = b"-----BEGIN ", b"-----END "
_OTHERS = 0o077
_PRIME = 2**255 - 19
_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER = {0, 1, _PRIME - 1, _ORDER_8, _PRIME - _ORDER_8}
"""The second coordinates of the points of edwards25519 whose order is at most 8."""


def load_signer(path: str | os.PathLike[str]) -> Callable[[bytes], Signature]:
    """Return a function that signs bytes with the identity in a PEM file."""
    key = _private_key(Path(path))
    if Path(path).stat().st_mode & _OTHERS:
        raise DataError(f"{path} can be read by others, and it holds a private key; do: chmod 600 {path}")
    if _BEGIN + b"CERTIFICATE" in Path(path).read_bytes():
        _check_time(_certificate(Path(path)), path)
    public = key.public_key().public_bytes_raw().hex()
    return lambda data: Signature(public_key=public, value=key.sign(data).hex())


def trusted_key(path: str | os.PathLike[str]) -> str:
    """Return the public key, as hex, of a certificate in a PEM file; refuse one that is not used now."""
    need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    certificate = _certificate(Path(path))
    try:
        key = None if certificate is None else certificate.public_key()
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PublicKey) or _anyone_can_sign(key.public_bytes_raw()):
        raise DataError(f"{path} holds no certificate with an Ed25519 key; use the public.pem of discreet keygen")
    _check_time(certificate, path)
    return key.public_bytes_raw().hex()


def _certificate(path: Path) -> x509.Certificate | None:
    """Return the certificate in a PEM file; None if it is damaged."""
    from cryptography import x509

    block = _block(path, b"CERTIFICATE")
    try:
        return x509.load_pem_x509_certificate(block)
    except ValueError:
        return None


def _check_time(certificate: x509.Certificate | None, path: str | os.PathLike[str]) -> None:
    """Refuse a key before or after the time that its certificate gives."""
    if certificate is None:
        raise DataError(f"{path} holds a damaged certificate; use a file of discreet keygen")
    start, end, now = certificate.not_valid_before_utc, certificate.not_valid_after_utc, datetime.now(UTC)
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


def _private_key(path: Path) -> Ed25519PrivateKey:
    need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    block = _block(path, b"PRIVATE KEY")
    try:
        key: Any = load_pem_private_key(block, None)
    except (ValueError, TypeError):
        key = None
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
            "signatures need the library cryptography; pip install '.[twoparty]' in the folder of discreet",
            parameter="sign",
        ) from None
