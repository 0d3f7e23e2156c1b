"""Computing among three to eight owners of rows, every value shared among all of them.

Problem      several owners hold different people with the same items; compute on the sums of their counts so that not
             even all others together, if they follow the protocol, learn more about one than the result tells.
Method       every pair of owners has oblivious transfers of its own, as two parties have. A bit is the XOR of all
             owners' shares. A triple (a, b, ab) is the sum of the products of every owner's a with every owner's b:
             each pair shares its two by transfers. The sum of all owners' numbers is added up on shared bits:
             carry-save adders until two numbers are left, then a ripple of carries, of which the sign is kept.
             Before numbers are compared or opened, they are shared again: every two owners have a stream of random
             numbers, which one adds and the other subtracts. So what goes into a circuit, and what is opened, are
             random numbers with the same sum, not the counts of single owners.
Promises     nothing is opened that two parties would not open. What one owner says to all is hashed by all, and the
             hashes are compared before anything is opened, and at the end: an owner that says different things to
             different others is shown nothing. Each opened value is committed to by all before anyone opens. A cheat
             that spoils products or triples can find out shares of another owner; they are random numbers unless all
             others join it.
Cost         per AND and pair of owners what two parties pay, and two bits more; two ANDs per bit of a number for three
             owners, one more for each further one.
Departures   jiang2006 has two parties, and names more as open (section 6).
Reference    Goldreich, Micali, Wigderson 1987   (docs/two-parties.md, tests/twoparty/test_circle.py)
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from discreet.errors import ProtocolViolation
from discreet.twoparty.engine import TransferEngine
from discreet.twoparty.gmw import BitCircuits, lowest_bits
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.primitives import KEY_LENGTH, KeyStream, digest, random_bits, random_bytes
from discreet.twoparty.steps import Expected, exchange

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from discreet.twoparty.oblivious_transfer import Transfers
    from discreet.twoparty.ring import Ring, SecretShares
    from discreet.twoparty.steps import Steps

    Bits = NDArray[np.uint8]

__all__ = ["MOST_OWNERS", "CircleEngine", "Turn", "together"]

MOST_OWNERS: Final = 8
_NONCE: Final = 32
_SEED: Final = 32
_TWO: Final = 2

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Turn:
    """What to send to each partner now, and the one message that may come next from each."""

    outgoing: Mapping[int, list[Message]]
    expected: Mapping[int, Expected]


CircleSteps = Generator[Turn, dict[int, bytes], Result]
"""A step of a protocol among several; it is resumed once every expected message has come."""


def together(parts: Mapping[int, Steps[Result]]) -> CircleSteps[dict[int, Result]]:
    """Run a step with each partner at the same time, turn by turn; return the results.

    No step goes on before every partner has answered: what is opened to one is not opened before all have committed.
    """
    results: dict[int, Result] = {}
    answers: dict[int, bytes | None] = dict.fromkeys(parts)
    while answers:
        outgoing: dict[int, list[Message]] = {}
        expected: dict[int, Expected] = {}
        for partner, answer in answers.items():
            outgoing[partner] = []
            try:
                step = next(parts[partner]) if answer is None else parts[partner].send(answer)
                while not isinstance(step, Expected):
                    if isinstance(step, Message):
                        outgoing[partner].append(step)
                    step = next(parts[partner])
                expected[partner] = step
            except StopIteration as end:
                results[partner] = end.value
        received = yield Turn(outgoing, expected)
        answers = dict(received)
    return results


class _CircleCircuits(BitCircuits):
    """One owner's side of circuits on bits that all owners share."""

    def __init__(self, transfers: Mapping[int, Transfers], own: int) -> None:
        super().__init__(next(iter(transfers.values())), leads=own < min(transfers))
        self._transfers = transfers
        self._own = own
        self._heard = hashlib.sha256()

    def prepare(self, length: int, *, ahead: int = 0) -> Any:
        """Make triples until there are at least `length` bytes of them, in whole batches if `ahead` more are needed."""
        while (batch := self.missing(length, ahead)) > 0:
            left, right = random_bits(batch), random_bits(batch)
            terms = yield from together(
                {partner: _cross_terms(each, left, right) for partner, each in self._transfers.items()}
            )
            product = left & right
            for term in terms.values():
                product ^= term
            self.add_triples(left, right, product)

    def say(self, kind: MessageKind, payload: bytes) -> Any:
        """Send the same to all, and return what the others sent to all; everything is hashed, in the owners' order."""
        heard = yield from together({each: exchange(kind, payload, len(payload)) for each in self._transfers})
        for owner in sorted([self._own, *heard]):
            self._heard.update(payload if owner == self._own else heard[owner])
        return list(heard.values())

    def combine(self, kind: MessageKind, masked: Bits) -> Any:
        """Return the XOR of what all owners say; if it is opened, all commit first."""
        tell = self.reveal if kind is MessageKind.OPENED_BITS else self.say
        for theirs in (yield from tell(kind, masked.tobytes())):
            masked = masked ^ np.frombuffer(theirs, np.uint8).reshape(masked.shape)
        return masked

    def reveal(self, kind: MessageKind, payload: bytes) -> Any:
        """Commit to all, then open to all; return what the others opened.

        With the commitment, each says the hash of what it heard: nothing is opened unless all heard the same.
        """
        before, nonce = self._heard.digest(), random_bytes(_NONCE)

        def commitment(owner: int, opened: bytes) -> bytes:
            return digest(bytes([kind, owner]), before, opened, domain=b"commitment of an owner")

        mine = nonce + payload
        own = commitment(self._own, mine) + before
        committed = yield from together(
            {each: exchange(MessageKind.COMMITMENT, own, len(own)) for each in self._transfers}
        )
        _check_heard(before, (each[-len(before) :] for each in committed.values()))
        opened = yield from together({each: exchange(kind, mine, len(mine)) for each in self._transfers})
        for owner in sorted([self._own, *opened]):
            said = mine if owner == self._own else opened[owner]
            if owner != self._own and not hmac.compare_digest(
                committed[owner][: -len(before)], commitment(owner, said)
            ):
                raise ProtocolViolation("an owner opened something else than it had committed to; nothing was kept")
            self._heard.update(said)
        return [each[_NONCE:] for each in opened.values()]

    def compare_hashes(self) -> Any:
        """Refuse to go on unless all owners heard the same."""
        own = self._heard.digest()
        _check_heard(own, (yield from self.say(MessageKind.ALIGNMENT, own)))

    def sign_of_sum(self, own: Bits) -> Any:
        """Share the highest bit of the sum of all owners' numbers, each a matrix of bits, lowest first."""
        none = np.zeros_like(own)
        owners = sorted([self._own, *self._transfers])
        numbers = [own if owner == self._own else none for owner in owners]
        while len(numbers) > _TWO:  # three numbers become two with the same sum
            one, two, three, *rest = numbers
            carry = (yield from self.both((one ^ three)[:-1], (two ^ three)[:-1])) ^ three[:-1]
            numbers = [one ^ two ^ three, np.concatenate([none[:1], carry]), *rest]
        one, two = numbers
        first = len(owners) > _TWO  # then the lowest bit of the second number is 0, and nothing is carried from it
        carry = none[0]
        for low, high in zip(one[first:-1], two[first:-1], strict=True):
            carry = carry ^ (yield from self.both(low ^ carry, high ^ carry))
        return one[-1] ^ two[-1] ^ carry

    def ands_of_sum(self, own: Bits) -> int:
        """Return how many bytes of triples `sign_of_sum` uses up."""
        others = len(self._transfers)
        return int(own[0].size * (others * (len(own) - 1) - (others > 1)))


def _check_heard(own: bytes, theirs: Iterable[bytes]) -> None:
    if any(each != own for each in theirs):
        raise ProtocolViolation(
            "one of the owners said different things to different others; nothing was kept, and its program is in doubt"
        )


def _cross_terms(transfers: Transfers, left: Bits, right: Bits) -> Steps[Bits]:
    """Share, with one partner, my left AND its right XOR its left AND my right."""
    columns, chosen = transfers.receiver.extend(right)
    theirs = yield from exchange(MessageKind.EXTENSION, columns, len(columns))
    count = 8 * len(right)
    zero, one = (lowest_bits(pads) for pads in transfers.sender.extend(theirs).take(count))
    correction = zero ^ one ^ left
    payload = yield from exchange(MessageKind.CORRECTIONS, correction.tobytes(), len(correction))
    mine: Bits = zero ^ lowest_bits(chosen.take(count)) ^ (right & np.frombuffer(payload, np.uint8))
    return mine


class CircleEngine(TransferEngine):
    """The engine among several owners, for what different people need: compare sums of counts, and open them."""

    def __init__(self, ring: Ring, transfers: Mapping[int, Transfers], own: int) -> None:
        """Start from the transfers with each partner, by its number; `own` is the number of this owner."""
        super().__init__(ring, next(iter(transfers.values())))
        self._leads = own < min(transfers)
        self._number = own
        self._partners = tuple(transfers)
        self._streams: dict[int, KeyStream] = {}  # of random numbers that this owner and one other have
        self._circuits: _CircleCircuits = _CircleCircuits(transfers, own)

    def open(self, shares: SecretShares) -> Any:
        """Reveal the sums of all owners' shares to all."""
        opened = yield from self._shared_again(shares)
        for theirs in (yield from self._circuits.reveal(MessageKind.FINAL_SHARES, opened.tobytes())):
            opened = opened + np.frombuffer(theirs, self.ring.dtype)
        yield from self._circuits.compare_hashes()
        return opened.astype(np.int64)

    def _shared_again(self, shares: SecretShares) -> Any:
        """Return random shares of the same sums: shares may be an owner's own counts, which nobody else may see.

        A mask that one other owner knows keeps them from all others.
        """
        if not self._streams:
            seeds = {partner: random_bytes(_SEED) for partner in self._partners}
            heard = yield from together(
                {partner: exchange(MessageKind.MASKS, seed, _SEED) for partner, seed in seeds.items()}
            )
            for partner, seed in seeds.items():
                both = sorted([(self._number, seed), (partner, heard[partner])])
                key = digest(*(each for _, each in both), domain=b"masks of two owners")
                self._streams[partner] = KeyStream(key[:KEY_LENGTH])
        again = shares.astype(self.ring.dtype)
        for partner, stream in self._streams.items():
            mask = np.empty(again.nbytes, np.uint8)
            stream.fill(mask)
            numbers = mask.view(self.ring.dtype).reshape(again.shape)
            again = again - numbers if self._number < partner else again + numbers
        return again

    def _signs(self, shares: SecretShares, *, ahead: int = 0) -> Any:
        bits = self.ring.bits((yield from self._shared_again(shares)))
        yield from self._circuits.prepare(self._circuits.ands_of_sum(bits) + ahead)
        return (yield from self._circuits.sign_of_sum(bits))
