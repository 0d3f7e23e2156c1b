"""Partners with changed software: engines that follow the protocol but for one thing, and a session against them."""

# ruff: noqa: SLF001 - a cheat looks into its own program

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import PartnerError
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.commitments import NONCE_LENGTH
from discreet.twoparty.dual_engine import DualEngine
from discreet.twoparty.engine import TransferEngine
from discreet.twoparty.gmw import BitCircuits, pack_bits
from discreet.twoparty.judging import Judgement
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.oblivious_transfer import COLUMNS, extension_length, set_up_transfers
from discreet.twoparty.primitives import random_bytes
from discreet.twoparty.session import Session
from discreet.twoparty.steps import Expected, receive, send
from tests.twoparty_pair import talk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.oblivious_transfer import ReceiverRows, Transfers
    from discreet.twoparty.ring import Ring, SecretShares
    from discreet.twoparty.steps import Steps


class Lying(BitCircuits):
    """Opens other bits than its own: changed blindly, or, if it rushes, after the partner's so that they read `wanted`.

    Whoever rushes has to commit to something first, and is caught when it opens something else.
    """

    wanted: int | None = None
    blindly: bool = True

    def open_bits(self, bits: NDArray[np.uint8], count: int) -> Steps[NDArray[np.bool_]]:
        """Open what is asked for, or the truth."""
        if self.wanted is None:
            return (yield from super().open_bits(bits, count))
        if self.blindly:
            return (yield from super().open_bits(~bits, count))
        nonce, length = random_bytes(NONCE_LENGTH), -(-count // 8)
        yield from send(MessageKind.COMMITMENT, random_bytes(32))
        yield from receive(MessageKind.COMMITMENT, 32)
        theirs = np.frombuffer((yield from receive(MessageKind.OPENED_BITS, NONCE_LENGTH + length)), np.uint8)
        lie = theirs[NONCE_LENGTH:] ^ pack_bits(np.full(count, self.wanted, np.uint8))
        yield from send(MessageKind.OPENED_BITS, nonce + lie.tobytes())
        return np.full(count, self.wanted, bool)


class Cheat(TransferEngine):
    """A partner's engine; what it learned beyond the result is in `learned`."""

    blindly = True

    def __init__(self, ring: Ring, transfers: Transfers) -> None:
        """Begin with nothing learned."""
        super().__init__(ring, transfers)
        self._circuits = Lying(transfers)
        self._circuits.blindly = self.blindly
        self.learned: list[Any] = []

    def _as(self, wanted: int, steps: Steps[Any]) -> Steps[Any]:
        """Take steps in which opened bits are to read `wanted`."""
        self._circuits.wanted = wanted
        result = yield from steps
        self._circuits.wanted = None
        return result


class HidesSmallGroups(Cheat):
    """Attack B: "is any group small?" is answered wrongly."""

    def any_in_interval(self, shares: SecretShares, low: int, high: int) -> Steps[NDArray[np.bool_]]:
        """Lie about itemsets of four items and more; smaller ones are rarely unsafe, and needed to get there."""
        steps = super().any_in_interval(shares, low, high)
        return steps if shares.shape[1] <= 8 else self._as(0, steps)

    def open(self, shares: SecretShares) -> Steps[NDArray[np.int64]]:
        """Note the supports."""
        self.learned.append((yield from super().open(shares)))
        return self.learned[-1]


class HidesSmallGroupsAfterwards(HidesSmallGroups):
    """Attack B, by opening after the partner."""

    blindly = False


class NamesPeople(HidesSmallGroups):
    """Attack C: its columns hold one person each; pairs are called frequent, and their supports are made up."""

    more = 30
    pair = 1 << 20  # marks shares of pairs, above the bits that are used

    def share_dot_products(self, columns: NDArray[np.uint8], pairs: NDArray[np.int64]) -> Steps[SecretShares]:
        """Count one person in each column."""
        people = np.zeros((len(columns), 8 * columns.shape[1]), np.uint8)
        people[np.arange(len(columns)), np.arange(len(columns))] = 1
        shares = yield from super().share_dot_products(pack_bits(people), pairs)
        return shares.astype(np.uint32) | np.uint32(self.pair)

    def at_least(self, shares: SecretShares, threshold: int) -> Steps[NDArray[np.bool_]]:
        """Call pairs frequent, and nothing longer; the truth, that none is, is known."""
        if self.learned:
            return (yield from super().at_least(shares, threshold))
        self.learned.append("pairs")
        return (yield from self._as(0, super().at_least(shares, threshold)))

    def open(self, shares: SecretShares) -> Steps[NDArray[np.int64]]:
        """Open `more` than the truth, which is one person or none, for pairs; not for a side's own columns."""
        made_up = np.where(shares & self.pair, shares + self.more, shares)
        self.learned.append((yield from TransferEngine.open(self, made_up.astype(self.ring.dtype))))
        return self.learned[-1]


class NamesPeopleBoldly(NamesPeople):
    """Attack C with supports that contradict each other."""

    more = 60


class Fishing(Cheat):
    """Attack A: flips a bit of an extension's column for each comparison whose answer it knows.

    Where the answer is wrong, the bit of the victim's secret for that column is 1. With the secret, it takes both pads
    of every transfer, and what was masked by the one it should not have.
    """

    def __init__(self, ring: Ring, transfers: Transfers) -> None:
        """Step between the receiver of transfers and what it sends."""
        super().__init__(ring, transfers)
        self._bait = 0
        self._rows: list[tuple[NDArray[np.uint64], int]] = []
        self._corrections: list[bytes] = []
        receiver = transfers.receiver
        plain_point, plain_extend = receiver._point, receiver.extend

        def extend(choices: NDArray[np.uint8]) -> tuple[bytes, ReceiverRows]:
            payload, rows = plain_extend(choices)
            self._rows.append((rows._rows.copy(), rows._first))
            end = extension_length(0) - COLUMNS * 16
            return self._flipped(payload[:-end]) + payload[-end:], rows

        receiver._point = lambda sent: plain_point(self._flipped(sent))
        receiver.extend = extend

    def _flipped(self, sent: bytes) -> bytes:
        columns = np.frombuffer(sent, np.uint8).reshape(COLUMNS, -1).copy()
        last = columns.shape[1] - 16 - -(-self._bait // 8)  # the triples of the last AND, which decides
        for place in range(self._bait):
            columns[place % COLUMNS, last + place // 8] ^= 1 << place % 8
        return columns.tobytes()

    def share_dot_products(self, columns: NDArray[np.uint8], pairs: NDArray[np.int64]) -> Steps[SecretShares]:
        """Use columns of ones: a pair has the support of the victim's half, which is frequent; keep corrections."""
        steps = super().share_dot_products(np.full_like(columns, 255), pairs)
        step = next(steps)
        while True:
            answer = yield step
            if isinstance(step, Expected) and step.kind is MessageKind.CORRECTIONS:
                self._corrections.append(answer)
            try:
                step = steps.send(answer)
            except StopIteration as end:
                return end.value

    def at_least(self, shares: SecretShares, threshold: int) -> Steps[NDArray[np.bool_]]:
        """Fish, once; then take the victim's columns."""
        self._bait = 0 if self.learned else len(shares)
        opened = yield from super().at_least(shares, threshold)
        if not self.learned:
            self._bait = 0
            secret = np.zeros(COLUMNS, np.uint8)
            secret[np.flatnonzero(~opened) % COLUMNS] = 1
            self.learned.append(self._columns(np.packbits(secret, bitorder="little").view(np.uint64), len(shares)))
        return opened

    def _columns(self, secret: NDArray[np.uint64], pairs: int) -> NDArray[np.uint16]:
        """Return the victim's columns, from the corrections for the first of one's own."""
        rows, first = self._rows[0]
        count, size = self.ring.n, int(pairs**0.5)
        pads = [
            self.ring.numbers(
                self._transfers.receiver._hash.pads(each, first=first, blocks=self.ring.blocks(size)), size
            )
            for each in (rows[:count] ^ secret, rows[:count])
        ]
        corrections = np.frombuffer(self._corrections[0], self.ring.dtype)[: count * size].reshape(count, size)
        return corrections - pads[0] + pads[1]


def starting(kind: type[Any], made: list[Any]):
    """Return what a session starts its engine with; the engine made is kept for the test to look at."""

    def start(party: Role, ring: Ring, session_id: bytes) -> Steps[Any]:
        twice = issubclass(kind, DualEngine)
        transfers = yield from set_up_transfers(party, session_id, odd=twice)
        made.append(kind(ring, transfers, session_id) if twice else kind(ring, transfers))
        return made[0]

    return start


def against(
    kind: type[Any], halves: Sequence[Transactions], *, first: bool = False, **wanted: Any
) -> tuple[JointPatterns | PartnerError, Any]:
    """Run an honest side against a cheat, who is the second party, or the first; what the honest side comes to.

    The honest side's result is what it would write: after it has looked at it.
    """
    made: list[Any] = []
    parties = []
    for party, rows in zip(Role, halves, strict=True):
        proposal = Proposal(rows=len(rows), **{"protocol": "ic-sapm", **wanted})
        cheats = (party is Role.FIRST) == first
        parties.append(Session(party, proposal, rows, **({"start_engine": starting(kind, made)} if cheats else {})))
    honest = 1 if first else 0
    try:
        talk(*parties)
        judgement = Judgement(parties[honest].result, halves[honest])
        other = Judgement(parties[honest].result, halves[1 - honest])
        talk(judgement, other)
    except PartnerError as error:
        return error, made[0]
    return judgement.result[0], made[0]
