"""Identities for tests, of any time and with any key."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["make_identity"]


def make_identity(
    folder: Path, name: str, *, years: tuple[int, int] = (2020, 2040), key: Ed25519PrivateKey | None = None
) -> tuple[Path, Path]:
    """Write an identity as `discreet keygen` does: key and certificate in one file, the certificate in another."""
    key = key or Ed25519PrivateKey.generate()
    named = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(named)
        .issuer_name(named)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(years[0], 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(years[1], 1, 1, tzinfo=UTC))
        .sign(key, None)
        .public_bytes(Encoding.PEM)
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    identity, public = folder / f"{name}-identity.pem", folder / f"{name}-public.pem"
    identity.write_bytes(certificate + private)
    identity.chmod(0o600)
    public.write_bytes(certificate)
    return identity, public
