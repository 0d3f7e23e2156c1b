"""The only module that imports cryptographic libraries: random bytes, hashes, streams, one curve.

Everything here is a thin, typed wrapper of something in `cryptography`, PyNaCl (libsodium) or `secrets`; no cipher,
hash or curve is implemented in this project.

The group is the subgroup of prime order of edwards25519. Every point that comes from a partner goes through
`check_point`, which refuses anything outside that subgroup, including the neutral element and non-canonical encodings.

`RowHash` turns rows of oblivious transfers into pads. It is the tweakable hash of Guo, Katz, Wang and Yu (S&P 2020),
H(x, i) = pi(pi(x) xor i) xor pi(x) with AES-128 as pi, which is circular correlation robust if AES with a public key
behaves like a random permutation. The key is derived from the session's id, so no two sessions share a pi.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import textwrap
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.errors import EngineError, ProtocolViolation

try:
    import nacl.bindings as sodium
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
except ModuleNotFoundError:
    raise EngineError(
        "two parties need the libraries cryptography and PyNaCl; pip install 'discreet[twoparty]'"
    ) from None

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "KEY_LENGTH",
    "POINT_LENGTH",
    "KeyStream",
    "RowHash",
    "add_points",
    "check_point",
    "digest",
    "hash_to_group",
    "hash_to_point",
    "make_certificate",
    "mask",
    "maskable",
    "multiply",
    "multiply_generator",
    "random_bits",
    "random_bytes",
    "random_scalar",
    "subtract_points",
]

KEY_LENGTH: Final = 16  # bytes: AES-128, and the security parameter of everything built on it
POINT_LENGTH: Final = 32
CERTIFICATE_LIFE: Final = timedelta(days=3650)  # a pinned certificate ends when its partner no longer trusts it
_LABEL: Final = b"discreet/twoparty/1/"
_HASHED_AT_ONCE: Final = 1 << 18
"""Bytes of pads that are made at once: they stay in the cache, which makes it three times as fast."""
_NO_POINT: Final = (
    "the partner sent bytes that are not a point of the curve's group; nothing was computed with them, start both "
    "sides again"
)


def random_bytes(length: int) -> bytes:
    """Return unpredictable bytes."""
    return secrets.token_bytes(length)


def random_bits(length: int) -> NDArray[np.uint8]:
    """Return packed random bits, eight in each of `length` bytes."""
    return np.frombuffer(secrets.token_bytes(length), np.uint8)


def digest(*parts: bytes, domain: bytes) -> bytes:
    """Hash a list of byte strings (SHA-256), with their lengths and the purpose of the hash."""
    state = hashlib.sha256()
    for part in (_LABEL + domain, *parts):
        state.update(len(part).to_bytes(8, "big"))
        state.update(part)
    return state.digest()


def random_scalar() -> bytes:
    """Return a uniform scalar of the group."""
    return sodium.crypto_core_ed25519_scalar_reduce(secrets.token_bytes(64))


def check_point(point: bytes) -> bytes:
    """Return the point if it is in the group and not the neutral element; refuse it otherwise."""
    if len(point) != POINT_LENGTH or not sodium.crypto_core_ed25519_is_valid_point(point):
        raise ProtocolViolation(_NO_POINT)
    return point


def multiply(scalar: bytes, *points: bytes) -> bytes:
    """Multiply a point, or the sum of two, by a scalar; refuse it if it is not in the group, or neutral."""
    try:
        point = sodium.crypto_core_ed25519_add(*points) if len(points) > 1 else points[0]
        return sodium.crypto_scalarmult_ed25519_noclamp(scalar, point)  # checks the point as `check_point` does
    except (RuntimeError, ValueError, TypeError) as error:
        raise ProtocolViolation(_NO_POINT) from error


def multiply_generator(scalar: bytes) -> bytes:
    """Multiply the group's generator by a scalar."""
    return sodium.crypto_scalarmult_ed25519_base_noclamp(scalar)


def add_points(one: bytes, other: bytes) -> bytes:
    """Add two points; the caller has checked both."""
    return sodium.crypto_core_ed25519_add(one, other)


def subtract_points(one: bytes, other: bytes) -> bytes:
    """Subtract the second point from the first; the caller has checked both."""
    return sodium.crypto_core_ed25519_sub(one, other)


def hash_to_point(data: bytes, *, domain: bytes) -> bytes:
    """Map bytes to a point whose discrete logarithm nobody knows (Elligator 2, with the cofactor cleared)."""
    return sodium.crypto_core_ed25519_from_uniform(digest(data, domain=domain))


def hash_to_group(*parts: bytes, domain: bytes) -> bytes:
    """Map byte strings to a uniform point whose discrete logarithm nobody knows: the sum of two points as above.

    One such map reaches only part of the group, so its values could be distinguished from random points.
    """
    one, other = (hash_to_point(digest(*parts, domain=domain), domain=domain + half) for half in (b"/1", b"/2"))
    return add_points(one, other)


def maskable(data: bytes, *, domain: bytes) -> bytes:
    """Map bytes to an argument of `mask`: the Montgomery coordinate of `hash_to_point`."""
    return sodium.crypto_sign_ed25519_pk_to_curve25519(hash_to_point(data, domain=domain))


def mask(secret: bytes, point: bytes) -> bytes:
    """Multiply a Montgomery coordinate by a secret of 32 random bytes (X25519); masks commute.

    Three times as fast as `multiply`. X25519 accepts any 32 bytes and leaks nothing for them: secrets are multiples of
    eight, curve and twist both have nearly prime order, and coordinates that yield zero are refused.
    """
    try:
        if len(point) == len(secret) == POINT_LENGTH:  # the binding does not check lengths
            return sodium.crypto_scalarmult(secret, point)
    except RuntimeError:
        pass
    raise ProtocolViolation(_NO_POINT)


class KeyStream:
    """Pseudorandom bytes from a key (AES-128 in counter mode); no byte is returned twice."""

    def __init__(self, key: bytes) -> None:
        """Start at the first byte of the key's stream."""
        self._encryptor = Cipher(algorithms.AES128(key), modes.CTR(bytes(16))).encryptor()

    def fill(self, target: NDArray[np.uint8]) -> None:
        """Write the next bytes of the stream into an array."""
        self._encryptor.update_into(bytes(len(target)), target.data)


class RowHash:
    """The hash that turns rows of oblivious transfers into pads, bound to one session and one direction."""

    def __init__(self, session_id: bytes, *, domain: bytes) -> None:
        """Derive the public permutation from the session's id."""
        key = digest(session_id, domain=b"row-hash/" + domain)[:KEY_LENGTH]
        # A bare permutation is called ECB mode; nothing is encrypted here
        self._encryptor = Cipher(algorithms.AES128(key), modes.ECB()).encryptor()  # noqa: S305 - see above

    def pads(self, rows: NDArray[np.uint64], *, first: int, blocks: int, after: int = 0) -> NDArray[np.uint64]:
        """Hash rows of 128 bits, two words each, into `blocks` times 128 bits: an array of shape (rows, 2 * blocks).

        Row r has the number `first` + r; its block b is tweaked by (number, b). The first `after` blocks are left out,
        because they were used before.
        """
        pads = np.empty((len(rows), 2 * blocks), np.uint64)
        places = np.zeros((blocks, 2), np.uint64)
        places[:, 1] = np.arange(after, after + blocks)
        at_once = max(1, _HASHED_AT_ONCE // (16 * blocks))
        for start in range(0, len(rows), at_once):
            inner = self._permute(rows[start : start + at_once])
            numbered = inner.copy()
            numbered[:, 0] ^= np.arange(first + start, first + start + len(inner), dtype=np.uint64)
            hashed = self._permute(_repeated(numbered, blocks) ^ places.reshape(-1))
            np.bitwise_xor(hashed, _repeated(inner, blocks), out=pads[start : start + at_once])
        return pads

    def _permute(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        source = np.ascontiguousarray(words)
        target = np.empty(source.nbytes + 15, np.uint8)  # the library requires room for one extra block
        self._encryptor.update_into(source.data.cast("B"), target.data)
        return target[: source.nbytes].view(np.uint64).reshape(words.shape)


def _repeated(words: NDArray[np.uint64], times: int) -> NDArray[np.uint64]:
    """Repeat each row of 128 bits along the last axis; copied as one number each, which is much faster."""
    return np.repeat(words.view(np.complex128).reshape(-1), times).view(np.uint64).reshape(len(words), 2 * times)


def make_certificate(
    start: datetime | None = None, end: datetime | None = None, *, passphrase: bytes | None = None
) -> tuple[bytes, bytes]:
    """Make an Ed25519 key and a self-signed certificate, both as PEM, for use between two times.

    The name says nothing about its owner: a partner pins the certificate, not its contents.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "discreet party")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start or now - timedelta(days=1))  # the partner's clock may be behind
        .not_valid_after(end or (start or now) + CERTIFICATE_LIFE)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, None)
    )
    private = key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    kind, content = ("PRIVATE KEY", private)
    if passphrase is not None:
        kind, content = "ENCRYPTED PRIVATE KEY", _encrypted(private, passphrase)
    lines = textwrap.wrap(base64.b64encode(content).decode(), 64)
    pem = "\n".join((f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", ""))
    return pem.encode(), certificate.public_bytes(serialization.Encoding.PEM)


SCRYPT_COST, SCRYPT_BLOCKS, SCRYPT_PASSES = 2**14, 8, 5
"""As much memory as OpenSSL accepts of a key file, 16 MiB, and five passes over it: OWASP's choice for that size."""


def _encrypted(private: bytes, passphrase: bytes) -> bytes:
    """Encrypt a private key as PKCS #8 has it (RFC 5958), with scrypt (RFC 7914) and AES-256 in CBC mode.

    The library's own way to do it derives the key in 2,048 rounds of PBKDF2, which is too few for a passphrase.
    """
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
    from cryptography.hazmat.primitives.padding import PKCS7

    salt, start = secrets.token_bytes(16), secrets.token_bytes(16)
    derive = Scrypt(salt=salt, length=32, n=SCRYPT_COST, r=SCRYPT_BLOCKS, p=SCRYPT_PASSES)
    cipher = Cipher(algorithms.AES256(derive.derive(passphrase)), modes.CBC(start)).encryptor()
    padder = PKCS7(128).padder()
    content = cipher.update(padder.update(private) + padder.finalize()) + cipher.finalize()
    said = (SCRYPT_COST, SCRYPT_BLOCKS, SCRYPT_PASSES, 32)
    figures = [_der(2, number.to_bytes(number.bit_length() // 8 + 1, "big")) for number in said]
    deriving = _der(0x30, _SCRYPT, _der(0x30, _der(4, salt), *figures))
    encrypting = _der(0x30, _AES_256_CBC, _der(4, start))
    return _der(0x30, _der(0x30, _PBES2, _der(0x30, deriving, encrypting)), _der(4, content))


_SCRYPT = bytes.fromhex("06092b06010401da47040b")
_PBES2 = bytes.fromhex("06092a864886f70d01050d")
_AES_256_CBC = bytes.fromhex("060960864801650304012a")


def _der(tag: int, *parts: bytes) -> bytes:
    """Return a value of ASN.1 of fewer than 256 bytes."""
    content = b"".join(parts)
    return bytes([tag, *([] if len(content) < 128 else [0x81]), len(content)]) + content  # noqa: PLR2004 - as DER has it
