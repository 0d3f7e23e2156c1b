"""A party's identity: a key with its certificate, and the one certificate it trusts.

`keygen` makes `identity.pem` (the private key and its certificate, for the owner only, mode 600) and `public.pem` (the
certificate alone, for the partner). There is no certificate authority: two institutions exchange their `public.pem`
over a channel they trust, and each side accepts exactly that certificate and nothing signed by it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import ssl
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from discreet.errors import OutputError, ParameterError, PartnerUntrusted, param
from discreet.tables.system import can_others_read

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["IDENTITY_FILE", "PUBLIC_FILE", "Identity", "check_public", "fingerprint", "has_passphrase", "keygen"]

IDENTITY_FILE: Final = "identity.pem"
PUBLIC_FILE: Final = "public.pem"
BEGIN_CERTIFICATE: Final = "-----BEGIN CERTIFICATE-----"
BEGIN_ENCRYPTED: Final = "-----BEGIN ENCRYPTED PRIVATE KEY-----"
END_CERTIFICATE: Final = "-----END CERTIFICATE-----"


def keygen(
    folder: str | PathLike[str],
    *,
    valid_from: str | None = None,
    valid_until: str | None = None,
    passphrase: str | bytes | None = None,
) -> tuple[Path, Path]:
    """Create an identity: a key to sign releases and to be recognised by a partner.

    Parameters
    ----------
    folder : path
        Where to put the two files. A new folder can be read by its owner only.
    valid_from : str, optional
        The first day (UTC) on which the key is used, as in 2026-01-31; by default today.
    valid_until : str, optional
        The last day on which it is used; by default ten years later.
    passphrase : str or bytes, optional
        Encrypt the private key with this.

    Returns
    -------
    tuple of Path
        The private `identity.pem` and the `public.pem` to hand over.

    Raises
    ------
    OutputError
        There is an identity already, or the folder cannot be written.
    ParameterError
        A day is not written as 2026-01-31, or the last day is before the first, or the passphrase is empty.

    Examples
    --------
    >>> import discreet, tempfile
    >>> [file.name for file in discreet.keygen(tempfile.mkdtemp())]
    ['identity.pem', 'public.pem']
    """
    from discreet.twoparty.primitives import make_certificate

    folder = Path(folder)
    identity, public = folder / IDENTITY_FILE, folder / PUBLIC_FILE
    for path in (identity, public):
        if path.exists() or path.is_symlink():
            raise OutputError(f"{path} exists already; an identity is never replaced: choose another folder")
    start, end = _day(valid_from, "valid_from"), _day(valid_until, "valid_until")
    if end is not None:
        end += timedelta(days=1, seconds=-1)
        if end < (start or datetime.now(UTC)):
            raise ParameterError(f"{param('valid_until')} is over before the key is used", parameter="valid_until")
    if passphrase is not None and not passphrase:
        raise ParameterError("a passphrase must not be empty; give one", parameter="passphrase")
    key, certificate = make_certificate(start, end, passphrase=_as_bytes(passphrase))
    made: list[Path] = []
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        for path, content, mode in ((identity, key + certificate, 0o600), (public, certificate, 0o644)):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)  # the key is private from the start
            made.append(path)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                os.fsync(file.fileno())
    except OSError as error:
        for path in made:
            path.unlink(missing_ok=True)
        raise OutputError(f"cannot write an identity in {folder}: {error.strerror or error}") from None
    return identity, public


def has_passphrase(identity: str | PathLike[str]) -> bool:
    """Return whether the private key in a PEM file is encrypted; False if it cannot be read."""
    try:
        return BEGIN_ENCRYPTED.encode() in Path(identity).read_bytes()
    except OSError:
        return False


def _as_bytes(passphrase: str | bytes | None) -> bytes | None:
    return passphrase.encode() if isinstance(passphrase, str) else passphrase


def _day(text: str | None, parameter: str) -> datetime | None:
    try:
        return None if text is None else datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
    except ValueError:
        raise ParameterError(
            f"{param(parameter)} must be a day, as in 2026-01-31, got {text}", parameter=parameter
        ) from None


@dataclass(frozen=True, slots=True)
class Identity:
    """The key and certificate of this side, and the one certificate it trusts."""

    file: Path
    trusted: bytes
    passphrase: bytes | None = field(default=None, repr=False)

    @property
    def own(self) -> bytes:
        """The certificate of this side."""
        return _certificate(self.file, parameter="identity", hint="discreet keygen makes one")

    @classmethod
    def load(cls, identity: Path, trust: Path, passphrase: str | bytes | None = None) -> Identity:
        """Read both files; refuse unusable ones before the partner is contacted."""
        own = _certificate(identity, parameter="identity", hint="discreet keygen makes one")
        trusted = _certificate(trust, parameter="trust", hint="use the public.pem that the partner handed over")
        check_public(trust)
        if own == trusted:
            raise ParameterError(
                f"{param('trust')} names this side's own certificate; use the public.pem that the partner handed over",
                parameter="trust",
            )
        if has_passphrase(identity) != (passphrase is not None):
            which = "has no passphrase, though one is given; leave it out"
            which = "is encrypted; give its passphrase" if passphrase is None else which
            raise ParameterError(f"{param('identity')} {identity} {which}", parameter="identity")
        loaded = cls(identity, trusted, _as_bytes(passphrase))
        loaded.context(listens=True)
        if can_others_read(identity.stat()):
            raise ParameterError(
                f"{param('identity')} {identity} can be read by others, and it holds a private key; do: chmod 600 "
                f"{identity}",
                parameter="identity",
            )
        return loaded

    def channel(self, *, listens: bool) -> bytes:
        """Return who talks with whom, the same bytes on both sides: the listening side's certificate comes first."""
        both = (self.own, self.trusted) if listens else (self.trusted, self.own)
        return b"".join(hashlib.sha256(each).digest() for each in both)

    def context(self, *, listens: bool) -> ssl.SSLContext:
        """Return the TLS context: version 1.3, our key, and only the partner's certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if listens else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # the certificate itself is pinned, whatever the host
        context.verify_mode = ssl.CERT_REQUIRED
        if listens:
            context.num_tickets = 0  # no session is ever resumed
        try:
            context.load_cert_chain(self.file, password=self.passphrase or "")  # OpenSSL never asks for one itself
        except (OSError, ValueError):
            if self.passphrase is not None:
                raise ParameterError(
                    f"the passphrase does not open {param('identity')} {self.file}: it is another one, or the file was "
                    "changed",
                    parameter="identity",
                ) from None
            raise ParameterError(
                f"{param('identity')} {self.file} holds no private key that fits its certificate; discreet keygen "
                "makes one",
                parameter="identity",
            ) from None
        try:
            context.load_verify_locations(cadata=self.trusted)
        except (OSError, ValueError):
            raise ParameterError(
                f"{param('trust')} names a damaged certificate; let the partner hand over its public.pem again",
                parameter="trust",
            ) from None
        return context

    def check_pinned(self, presented: bytes | None) -> None:
        """Refuse a certificate that is not, byte for byte, the trusted one."""
        if presented is None or not hmac.compare_digest(presented, self.trusted):
            raise PartnerUntrusted(
                f"the partner's certificate is not the one that {param('trust')} names; nothing was sent"
            )


def check_public(trust: Path) -> None:
    """Refuse a partner's file with a private key, whose owner alone should have it."""
    if b"PRIVATE KEY-----" in trust.read_bytes():
        raise ParameterError(
            f"{param('trust')} {trust} holds a private key, which nobody but its owner may have: let the partner make "
            "a new identity, and hand over its public.pem alone",
            parameter="trust",
        )


def fingerprint(certificate: Path) -> str:
    """Return the certificate's SHA-256 in groups of four digits, for two people to compare over the telephone."""
    digits = hashlib.sha256(_certificate(certificate, parameter="DIR", hint="discreet keygen makes one")).hexdigest()
    return " ".join(digits[start : start + 4] for start in range(0, len(digits), 4))


def _certificate(path: Path, *, parameter: str, hint: str) -> bytes:
    """Return the one certificate in a PEM file."""
    try:
        text = path.read_text("ascii")
    except OSError as error:
        raise ParameterError(
            f"cannot read {param(parameter)} {path}: {error.strerror}; {hint}", parameter=parameter
        ) from None
    except UnicodeDecodeError:
        text = ""
    start, stop = text.find(BEGIN_CERTIFICATE), text.find(END_CERTIFICATE)
    if text.count(BEGIN_CERTIFICATE) != 1 or stop < start:
        raise ParameterError(
            f"{param(parameter)} {path} must hold exactly one certificate; {hint}", parameter=parameter
        )
    try:
        return ssl.PEM_cert_to_DER_cert(text[start : stop + len(END_CERTIFICATE)])
    except ValueError:
        return b""  # damaged: TLS reports it like one that only looks valid
