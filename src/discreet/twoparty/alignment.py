"""Check whether two parties hold the same people in the same order, or find the people both have.

Problem      two parties each hold one row per person, identified by ids that neither may show to the other.
Method       `confirm_rows`: each party hashes its ordered ids to a point of the curve, P and Q, and multiplies it by a
             secret: aP, bQ. Each multiplies what it received by its secret; abP = abQ if and only if P = Q. The points
             are compared by hashes that include the sender's role, so an echo proves nothing.
             `intersect`: the same for every single id (private set intersection by Diffie-Hellman). The masked ids
             are sent sorted by their masked bytes, so neither the order of a file nor the place of a match is
             disclosed. If there is a salt, keys of `salt` are masked in place of ids, after both have shown, as above,
             that they hold the same one.
Promises     confirm_rows: both learn whether all ids agree, one bit. A plain or keyed digest would let the partner
             test lists offline, and ids are easy to guess; here a guess costs a session, and both sides notice it.
             intersect: both learn the ids that both have, and how many rows the other holds; nothing about the rest.
             A partner that brings every possible id learns all of ours: `Intersection` limits how many it may bring.
             One without the salt learns nothing, not even how many ids there are.
             No id and no hash of an id is ever sent unmasked; the secrets are fresh in every session.
Cost         confirm_rows: two multiplications and 64 bytes each; intersect: two multiplications and 64 bytes sent per
             person of either side.
Departures   jiang2006 takes the join on a common key for granted.
Reference    Meadows (S&P 1986); Huberman, Franklin and Hogg (EC 1999); secure against a partner that follows the
             protocol, under the decisional Diffie-Hellman assumption, with the hash to the curve as a random oracle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.errors import DataError, Disagreement, ProtocolViolation, param
from discreet.stages import tell_share
from discreet.transactions.transactions import Transactions
from discreet.twoparty.agreement import Role
from discreet.twoparty.equality import hold_the_same
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.primitives import POINT_LENGTH, digest, mask, maskable, random_bytes
from discreet.twoparty.salt import keys_of
from discreet.twoparty.steps import Conversation, Expected, exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.twoparty.steps import Steps

__all__ = ["Intersection", "check_ids", "confirm_rows", "intersect", "rows_digest", "select_people"]

NONCE_LENGTH: Final = 32
SECRET_LENGTH: Final = 32
COUNT_LENGTH: Final = 8
BATCH: Final = 1 << 14
_TOLD: Final = 1 << 12
"""Ids that are masked between two reports of the share that is done."""
"""Masked ids per message."""
MOST_PEOPLE: Final = 1 << 32


def rows_digest(ids: Iterable[str]) -> bytes:
    """Hash the ids of all rows, in order."""
    return digest(*(each.encode() for each in ids), domain=b"row-ids")


def check_ids(ids: Sequence[str] | None, *, what_for: str) -> Sequence[str]:
    """Return the ids if each is distinct; otherwise raise an error that names the row, not the id."""
    if ids is None:
        raise DataError(f"the rows have no ids; {what_for} needs {param('id_column')}")
    firsts: dict[str, int] = {}
    for row, each in enumerate(ids, start=1):
        first = firsts.setdefault(each, row)
        if first != row:
            raise DataError(f"rows {first} and {row} have the same id; every person must have one row and one id")
    return ids


def confirm_rows(*, first: bool, rows: bytes | None, session_id: bytes) -> Steps[None]:
    """Confirm that both hold the same people in the same order, and are in the same session; raise otherwise.

    `rows` is the digest of the ordered ids, None if this party has none to check: then only the session is confirmed.
    """
    party = Role.FIRST if first else Role.SECOND
    known = b"" if rows is None else rows
    same = yield from hold_the_same(MessageKind.ALIGNMENT, known, party=party, session_id=session_id, domain=b"rows")
    if not same:
        if rows is None:
            raise Disagreement("the partner is not in the same session; start both sides again")
        raise Disagreement(
            "the two sides do not hold the same people in the same order; sort both by id, or give "
            f"{param('intersect', value=True)} on both sides to keep the people that both have"
        )


def intersect(
    ids: Sequence[str],
    *,
    first: bool,
    channel: bytes = b"",
    salt: bytes = b"",
    meet: Callable[[int], None] | None = None,
) -> Steps[NDArray[np.int64]]:
    """Find the people that both hold: the positions of their rows here, in the order of their ids.

    `channel` is as for a session. Both must hold the same `salt`, or none. `meet` is called with the number of the
    partner's ids before anything is masked, and may refuse it. Both sides sort what they keep by the bytes of the ids,
    so afterwards the same position is the same person.
    """
    nonce = random_bytes(NONCE_LENGTH)
    other_nonce = yield from exchange(MessageKind.INTERSECTION, nonce, NONCE_LENGTH)
    nonces = (nonce, other_nonce) if first else (other_nonce, nonce)
    session_id = digest(*nonces, channel, domain=b"intersection")
    yield from _confirm_salt(salt, Role.FIRST if first else Role.SECOND, session_id)
    other_count = int.from_bytes(
        (yield from exchange(MessageKind.INTERSECTION, len(ids).to_bytes(COUNT_LENGTH, "big"), COUNT_LENGTH)), "big"
    )
    if other_count > MOST_PEOPLE:
        raise ProtocolViolation(f"the partner says that it holds more than {MOST_PEOPLE:,} people; start both again")
    if meet is not None:
        meet(other_count)
    secret = random_bytes(SECRET_LENGTH)
    domain = b"person/" + session_id
    total = 2 * len(ids) + other_count
    masked: list[bytes] = []
    for each in keys_of(ids, salt):
        if len(masked) % _TOLD == 0:
            tell_share(len(masked) / total)
        masked.append(mask(secret, maskable(each.encode(), domain=domain)))
    order = sorted(range(len(ids)), key=masked.__getitem__)
    yield from _send_points([masked[position] for position in order])
    twice_masked: set[bytes] = set()
    for size in _batch_sizes(other_count):
        points = _points((yield Expected(MessageKind.INTERSECTION, size * POINT_LENGTH)))
        tell_share((len(ids) + len(twice_masked)) / total)
        again = [mask(secret, point) for point in points]
        twice_masked.update(again)
        yield Message(MessageKind.INTERSECTION, b"".join(again))
    common: list[int] = []
    answered = 0
    for size in _batch_sizes(len(ids)):
        tell_share((len(ids) + len(twice_masked) + answered) / total)
        points = _points((yield Expected(MessageKind.INTERSECTION, size * POINT_LENGTH)))
        common += [order[answered + at] for at, point in enumerate(points) if point in twice_masked]
        answered += size
    common.sort(key=lambda position: ids[position].encode())
    return np.array(common, np.int64)


def _confirm_salt(salt: bytes, party: Role, session_id: bytes) -> Steps[None]:
    """Refuse a partner that does not hold the same salt: nothing about our ids was sent to it yet."""
    kind = MessageKind.INTERSECTION
    if not (yield from hold_the_same(kind, salt, party=party, session_id=session_id, domain=b"salt")):
        raise Disagreement(
            f"the two sides do not match ids with the same salt, so nothing was masked; give both the same "
            f"{param('salt', 'FILE')}, or neither"
        )


class Intersection(Conversation["NDArray[np.int64]"]):
    """The search for common people as a session; if the partner did not request it, both sides get an error."""

    def __init__(
        self,
        ids: Sequence[str],
        *,
        first: bool,
        channel: bytes = b"",
        salt: bytes = b"",
        most_people: int | None = None,
    ) -> None:
        """Prepare the search; the partner may bring `most_people` ids, by default twice as many as this side."""
        super().__init__(intersect(ids, first=first, channel=channel, salt=salt, meet=self._meet))
        self.ours, self.theirs = len(ids), 0
        self._most = 2 * len(ids) if most_people is None else most_people

    def _meet(self, count: int) -> None:
        self.theirs = count
        if count > self._most:
            raise Disagreement(
                f"the partner brings {count:,} ids and this side {self.ours:,}: whoever brings every possible id "
                f"learns all of ours, so nothing was masked; if that many are right, give {param('most_people', count)}"
            )

    def admit(self, kind: MessageKind, length: int) -> None:
        """Refuse a message that may not come now; say so if the partner does not look for common people."""
        if kind is MessageKind.PARAMETERS:
            raise Disagreement(
                f"this side asks for {param('intersect', value=True)} and the partner does not; give it on both sides "
                "or on neither"
            )
        super().admit(kind, length)


def _batch_sizes(count: int) -> list[int]:
    return [min(BATCH, count - start) for start in range(0, count, BATCH)]


def _send_points(points: Sequence[bytes]) -> Steps[None]:
    for start in range(0, len(points), BATCH):
        yield Message(MessageKind.INTERSECTION, b"".join(points[start : start + BATCH]))


def _points(payload: bytes) -> list[bytes]:
    return [payload[start : start + POINT_LENGTH] for start in range(0, len(payload), POINT_LENGTH)]


def select_people(rows: Transactions, positions: NDArray[np.int64]) -> Transactions:
    """Return the rows at these positions, in this order, with their ids."""
    ids = None if rows.ids is None else [rows.ids[position] for position in positions.tolist()]
    return Transactions(rows.itemsets.select(positions), rows.vocabulary, ids=ids, layout=rows.layout)
