"""Find out whether both parties hold the same bytes, and nothing else about them.

Problem      each party holds a string of bytes that may be easy to guess; tell both whether the two are the same.
Method       each hashes its string to a point and sends it masked by a fresh secret; both mask what they received, and
             compare hashes of the result, each with its role in it.
Promises     a party that follows the steps reveals one bit. One that does not can try one guess, which it has to choose
             before, and learns whether it was right. Nothing that was sent lets it try another afterwards, by
             Diffie-Hellman on Curve25519.
Cost         four multiplications of points on both sides together, two rounds.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Final

from discreet.twoparty.agreement import Role
from discreet.twoparty.primitives import POINT_LENGTH, digest, mask, maskable, random_bytes
from discreet.twoparty.steps import exchange

if TYPE_CHECKING:
    from discreet.twoparty.messages import MessageKind
    from discreet.twoparty.steps import Steps

__all__ = ["hold_the_same"]

SECRET_LENGTH: Final = 32
TAG_LENGTH: Final = 32


def hold_the_same(kind: MessageKind, string: bytes, *, party: Role, session_id: bytes, domain: bytes) -> Steps[bool]:
    """Return whether both hold the same string; `domain` tells one question of a session from another."""
    point = maskable(digest(string, session_id, domain=domain), domain=domain)
    secret = random_bytes(SECRET_LENGTH)
    theirs = yield from exchange(kind, mask(secret, point), POINT_LENGTH)
    shared = mask(secret, theirs)
    tag = yield from exchange(kind, _tag(shared, session_id, party, domain), TAG_LENGTH)
    return hmac.compare_digest(tag, _tag(shared, session_id, party.other, domain))


def _tag(shared: bytes, session_id: bytes, party: Role, domain: bytes) -> bytes:
    role = b"first" if party is Role.FIRST else b"second"
    return digest(shared, session_id, role, domain=domain + b"-tag")
