"""Forgeries of a bundle that two keys signed: what is in the certificate's list of signatures, and is sealed again.

The keys are those of RFC 8032, section 7.1, so that everyone can make the same signatures.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from discreet import verify_bundle
from discreet.publishing.certificate import Certificate
from discreet.publishing.signing import Signer

__all__ = ["FORGED_SIGNATURES", "KEYS", "SIGNERS", "forged", "signed"]

KEYS = [
    Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))
    for secret in (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        *(hashlib.sha256(f"key {number}".encode()).hexdigest() for number in range(7)),
    )
]
SIGNERS = [Signer(key.public_key().public_bytes_raw().hex(), key) for key in KEYS]

Listed = list[dict[str, Any]]
Forgery = Callable[[Certificate, Listed], Any]


def signed(data: bytes, signers: list[Signer]) -> bytes:
    """Return a certificate with one more signature of each of these."""
    certificate = Certificate.from_bytes(data)
    for signer in signers:
        certificate = certificate.signed(signer)
    return certificate.to_bytes()


def forged(data: bytes, change: Forgery) -> bytes:
    """Return a certificate with another list of signatures, or other fields, and its seal."""
    document = json.loads(data)
    changed = change(Certificate.from_bytes(data), document["signatures"])
    document |= changed if isinstance(changed, dict) else {"signatures": changed}
    document = {key: value for key, value in document.items() if key != "seal" and value is not ...}
    seal = hashlib.sha256(verify_bundle.canonical(document)).hexdigest()
    return verify_bundle.canonical(document | {"seal": seal})


def _entry(signer: Signer, data: bytes) -> dict[str, str]:
    return {"public_key": signer.public_key, "value": signer(data).value}


def _with_value(listed: Listed, value: Callable[[str], str]) -> Listed:
    return [{**listed[0], "value": value(listed[0]["value"])}, *listed[1:]]


def _beyond_the_order(value: str) -> str:
    answer = int.from_bytes(bytes.fromhex(value[64:]), "little") + verify_bundle.ORDER
    return value[:64] + answer.to_bytes(32, "little").hex()


def _all_signers(certificate: Certificate, _: Listed) -> Listed:
    return sorted((_entry(signer, certificate.body()) for signer in SIGNERS), key=lambda each: each["public_key"])


FORGED_SIGNATURES: dict[str, Forgery] = {
    "of another title": lambda *_: {"title": "Stays of another hospital"},
    "of another promise": lambda certificate, _: {"promise": {**certificate.promise, "k": 4}},
    "of another file": lambda certificate, _: {
        "files": {name: {"bytes": 1, "sha256": "0" * 64} for name in certificate.files}
    },
    "of the seal": lambda certificate, listed: (
        [_entry(signer, certificate.seal.encode()) for signer in sorted(SIGNERS[:2], key=lambda each: each.public_key)]
        + listed[2:]
    ),
    "one of them of something else": lambda _, listed: [
        *listed[:1],
        _entry(next(each for each in SIGNERS if each.public_key == listed[1]["public_key"]), b"something else"),
    ],
    "the same twice": lambda _, listed: [listed[0], listed[0], listed[1]],
    "in another order": lambda _, listed: listed[::-1],
    "swapped between the keys": lambda _, listed: [
        {**listed[0], "value": listed[1]["value"]},
        {**listed[1], "value": listed[0]["value"]},
    ],
    "a value twice under two keys": lambda _, listed: [listed[0], {**listed[1], "value": listed[0]["value"]}],
    "under another key": lambda _, listed: [{**listed[0], "public_key": SIGNERS[2].public_key}, listed[1]],
    "one bit changed": lambda _, listed: _with_value(listed, lambda value: f"{int(value[0], 16) ^ 1:x}{value[1:]}"),
    "the other form of the answer": lambda _, listed: _with_value(listed, _beyond_the_order),
    "one more field": lambda _, listed: [{**listed[0], "name": "the steward"}, listed[1]],
    "a field less": lambda _, listed: [{"public_key": listed[0]["public_key"]}, listed[1]],
    "capital letters": lambda _, listed: _with_value(listed, str.upper),
    "text in place of one": lambda _, listed: [listed[0], "signed by the checker"],
    "a table in place of the list": lambda _, listed: listed[0],
    "nothing in place of the list": lambda *_: {"signatures": None},
    "no list": lambda *_: {"signatures": ...},
    "the field of an earlier form": lambda _, listed: {"signatures": ..., "signature": listed[0]},
    "both fields": lambda _, listed: {"signature": listed[0]},
    "a key with which anyone can sign": lambda _, listed: [
        {"public_key": f"01{'0' * 62}", "value": f"01{'0' * 126}"},
        *listed,
    ],
    "nine of them": _all_signers,
}
"""Every way with what it does; `...` stands for a field that is left out."""
