"""Time stamps of RFC 3161: who signed a bundle cannot say when, so a service that others trust does.

A request holds the digest of a file, and nothing else; the owner sends it to a time stamping service. The response says
when the service saw that digest, under its own signature, and is checked here without a network, against the root
certificate that the reader has of the service. This is the only module that uses `rfc3161-client`, which does the work.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError, ParameterError, param
from discreet.publishing.signing import certificates_in

if TYPE_CHECKING:
    import os

    from cryptography import x509
    from rfc3161_client import TimeStampResponse

    from discreet.json_types import JsonObject

__all__ = ["TimeStamp", "read_timestamp", "request_for"]

_LARGEST = 1 << 20


def request_for(data: bytes) -> bytes:
    """Return the request for a time stamp: the SHA-256 of these bytes, the same every time."""
    _need_library()
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

    builder = TimestampRequestBuilder().data(data).hash_algorithm(HashAlgorithm.SHA256)
    return builder.nonce(nonce=False).cert_request(cert_request=True).build().as_bytes()


@dataclass(frozen=True, slots=True)
class TimeStamp:
    """The response of a time stamping service, and the root certificates that are trusted; it must still be checked."""

    response: TimeStampResponse
    roots: tuple[x509.Certificate, ...]

    @property
    def time(self) -> datetime:
        """When the service saw the digest, as it says."""
        return self.response.tst_info.gen_time.astimezone(UTC)

    def check(self, data: bytes) -> None:
        """Refuse a response that is not by a service below the trusted roots, or of other bytes than these."""
        from rfc3161_client import VerificationError, VerifierBuilder

        builder = VerifierBuilder()
        for root in dict.fromkeys(self.roots):
            builder = builder.add_root_certificate(root)
        try:
            builder.build().verify_message(self.response, data)
        except (VerificationError, ValueError) as error:
            wrong = "it is of another file, or of this one before it was signed again"
            if "Mismatch between messages" not in str(error):
                wrong = "it is not by a service below the trusted root"
            raise DataError(f"the time stamp does not hold: {wrong}") from error
        if self.time > datetime.now(UTC):
            raise DataError(f"the time stamp is of {self.words}, which is not over yet")

    @property
    def words(self) -> str:
        """The time in words."""
        return f"{self.time:%Y-%m-%d %H:%M:%S} UTC"

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {"time": self.time.isoformat(), "serial": str(self.response.tst_info.serial_number)}


def read_timestamp(response: str | os.PathLike[str] | None, root: str | os.PathLike[str] | None) -> TimeStamp | None:
    """Read a response and the root certificate; None if there is neither."""
    if response is None and root is None:
        return None
    if response is None or root is None:
        given, missing = ("timestamp_root", "timestamp") if response is None else ("timestamp", "timestamp_root")
        raise ParameterError(f"{param(given)} is of no use without {param(missing)}; give both", parameter=missing)
    _need_library()
    from rfc3161_client import PKIStatus, decode_timestamp_response

    try:
        with Path(response).open("rb") as file:
            data = file.read(_LARGEST)
    except OSError as error:
        raise DataError(f"cannot read {response}: {error.strerror}") from error
    try:
        read = decode_timestamp_response(data)
        if PKIStatus(read.status) != PKIStatus.GRANTED:
            raise DataError(f"{response} says that the service refused to stamp; send it the request again")
        stamp = TimeStamp(read, tuple(certificates_in(root)))
        _ = stamp.time
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{response} is no response of a time stamping service, or not in DER, as RFC 3161 asks for; get it again"
        ) from error
    return stamp


def _need_library() -> None:
    try:
        import rfc3161_client  # noqa: F401 - only checks that it is installed
    except ModuleNotFoundError:
        raise ParameterError(
            "time stamps need the library rfc3161-client; pip install 'discreet[timestamps]'",
            parameter="timestamp",
        ) from None
