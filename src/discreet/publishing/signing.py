"""Ed25519 signatures with the identities that `discreet keygen` makes.

An identity is a PEM file with a private key and a certificate; the public half is the certificate alone. This is the
only module in publishing that uses `cryptography`, which does all signing and checking.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError, ParameterError
from discreet.publishing.certificate import Signature

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["holds", "load_signer", "need_cryptography", "trusted_key"]

_BEGIN, _END = b"-----BEGIN ", b"-----END "


def load_signer(path: str | os.PathLike[str]) -> Callable[[bytes], Signature]:
    """Return a function that signs bytes with the identity in a PEM file."""
    key = _private_key(Path(path))
    public = key.public_key().public_bytes_raw().hex()
    return lambda data: Signature(public_key=public, value=key.sign(data).hex())


def trusted_key(path: str | os.PathLike[str]) -> str:
    """Return the public key, as hex, of a certificate in a PEM file."""
    need_cryptography()
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    block = _block(Path(path), b"CERTIFICATE")
    try:
        key = x509.load_pem_x509_certificate(block).public_key()
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise DataError(f"{path} holds no certificate with an Ed25519 key; use the public.pem of discreet keygen")
    return key.public_bytes_raw().hex()


def holds(signature: Signature, data: bytes) -> bool:
    """Return whether a signature is valid for these bytes under the key it names."""
    need_cryptography()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

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
