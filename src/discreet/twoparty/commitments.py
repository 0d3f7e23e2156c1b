"""Open values to each other so that neither side chooses its own after it has seen the partner's.

Problem      both hold a share of values that both may see; whoever opened second could pick any result.
Method       each side first sends a commitment to its share, and opens it when it has the partner's: a hash of the
             share, a fresh number, the role, the kind of value, and everything sent and received before.
Promises     binding and hiding if SHA-256 is a random oracle. A commitment is good for one opening: neither an echo nor
             one of another step or session fits. A share that was not committed to ends the session.
Cost         one more round, and 64 bytes each way, for each batch that is opened.
Departures   jiang2006 has partners that follow the protocol. A lie that is chosen blindly, before anything is seen, is
             not noticed here: see docs/two-parties.md.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Final

from discreet.errors import ProtocolViolation
from discreet.twoparty.agreement import Role
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.primitives import digest, random_bytes
from discreet.twoparty.steps import SO_FAR, exchange

if TYPE_CHECKING:
    from discreet.twoparty.steps import Steps

__all__ = ["NONCE_LENGTH", "commit", "reveal"]

NONCE_LENGTH: Final = 32
COMMITMENT_LENGTH: Final = 32


def reveal(kind: MessageKind, payload: bytes, party: Role) -> Steps[bytes]:
    """Commit, then open; return the partner's payload, which has the same length."""
    so_far = yield SO_FAR
    sent, received = so_far[:32], so_far[32:]
    before = sent + received if party is Role.FIRST else received + sent
    nonce = random_bytes(NONCE_LENGTH)
    own = commit(kind, party, before, nonce + payload)
    theirs = yield from exchange(MessageKind.COMMITMENT, own, COMMITMENT_LENGTH)
    opened = yield from exchange(kind, nonce + payload, NONCE_LENGTH + len(payload))
    if not hmac.compare_digest(theirs, commit(kind, party.other, before, opened)):
        raise ProtocolViolation("the partner opened something else than it had committed to; nothing was kept")
    return opened[NONCE_LENGTH:]


def commit(kind: MessageKind, party: Role, before: bytes, opened: bytes) -> bytes:
    """Return the commitment of a party to a fresh number and the payload after it."""
    return digest(bytes([kind, party]), before, opened, domain=b"commitment")
