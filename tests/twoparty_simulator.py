"""The simulator of the security argument: a party's messages, made up without the partner's rows.

That of docs/two-parties.md knows one party's rows, the partner's names of frequent itemsets, and the result. It makes
up the partner's messages: base transfers and extensions with random choices, random bytes, and for what is opened,
whatever share leads to the result. It commits to random bytes, and answers the question for the hash of what it opens
later with them: that is what a random oracle lets a simulator do.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary
from discreet.twoparty import circle, column_proof, commitments, dual_engine
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.column_proof import check_columns
from discreet.twoparty.commitments import NONCE_LENGTH
from discreet.twoparty.dual_engine import DualEngine
from discreet.twoparty.engine import TransferEngine
from discreet.twoparty.equality import hold_the_same
from discreet.twoparty.garbling import lowest
from discreet.twoparty.gmw import pack_bits
from discreet.twoparty.joint_patterns import JointPatterns
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.oblivious_transfer import COLUMNS, extension_length, set_up_transfers
from discreet.twoparty.primitives import digest, random_bits, random_bytes
from discreet.twoparty.session import with_labels
from discreet.twoparty.steps import Conversation, receive
from tests.twoparty_owners import run as run_owners
from tests.twoparty_owners import steps_of
from tests.twoparty_pair import found, sessions, talk, withheld

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from discreet.twoparty.circle import CircleSteps, Turn
    from discreet.twoparty.garbling import WireLabels
    from discreet.twoparty.oblivious_transfer import Transfers
    from discreet.twoparty.ring import Ring, SecretShares
    from discreet.twoparty.session import Session
    from discreet.twoparty.steps import Expected, Steps

Opened = tuple[bool, list[bool]]
"""Bits that a party sees opened, and whether they come masked by its own share."""

GREETING = {MessageKind.PARAMETERS, MessageKind.ALIGNMENT, MessageKind.BASE_OT}
SHARES = MessageKind.FINAL_SHARES
MASKED = {MessageKind.CORRECTIONS, MessageKind.AND_OPENINGS}


# ---------------------------------------------------------------------------------------------------- the simulator


def canonical(itemsets: Iterable[frozenset[str]], labels: Iterable[str]) -> list[frozenset[str]]:
    order = {label: place for place, label in enumerate(Vocabulary(labels))}
    return sorted(itemsets, key=lambda itemset: (len(itemset), sorted(map(order.__getitem__, itemset))))


def opened_while_finding(own: set[str], result: JointPatterns, party: Role) -> Iterator[Opened]:
    """Yield what follows from the frequent itemsets: which candidates of each length are not among them."""
    frequent = set(found(result)) | withheld(result)
    labels = frozenset().union(*frequent)
    halves = [
        canonical((x for x in frequent if x <= own), labels),
        canonical((x for x in frequent if not x & own), labels),
    ]
    if party is Role.SECOND:
        halves.reverse()
    for length in range(2, len(labels) + 2):
        tried = [
            x | y
            for left in range(1, length)
            for x, y in product(*halves)
            if len(x) == left and len(x | y) == length and all((x | y) - {each} in frequent for each in x | y)
        ]
        if not tried:
            return
        yield True, [itemset not in frequent for itemset in tried]


def opened_while_testing(own: set[str] | None, result: JointPatterns) -> Iterator[Opened]:
    """Yield what follows from the withheld itemsets: of those all of whose subsets are safe, which are not.

    What is the partner's alone, the partner tells; nobody owns an itemset where the parties hold different people.
    """
    safe = set(found(result))
    frequent = safe | withheld(result)
    if result.n >= result.k:
        safe.add(frozenset())  # the one group that the empty itemset makes: all rows
    for length in range(1, max(map(len, frequent), default=0) + 1):
        hopeful = [
            x
            for x in canonical(frequent, frozenset().union(*frequent))
            if len(x) == length and all(x - {each} in safe for each in x)
        ]
        if own is not None and (theirs := [x in safe for x in hopeful if not x & own]):
            yield False, theirs
        if spread := [x not in safe for x in hopeful if own is None or (x & own and x - own)]:
            yield True, spread


def opened_in_ic_sapm(own: set[str], result: JointPatterns, party: Role) -> Iterator[Opened]:
    yield from opened_while_finding(own, result, party)
    yield from opened_while_testing(own, result)


def opened_in_dka_sapm(half: Transactions, result: JointPatterns, party: Role) -> Iterator[Opened]:
    """Yield which items of the own half are frequent, how many of the partner's, then what follows from the itemsets.

    The partner tries its items in an order that nobody knows: here the frequent ones come first.
    """
    frequent = set(found(result))
    labels = frozenset().union(*frequent)
    mine = frozenset(half.vocabulary)
    theirs = len(labels - mine)
    assert result.columns is not None
    tried = [label not in labels for label in half.vocabulary], [n >= theirs for n in range(result.columns[2 - party])]
    yield True, tried[party - 1] + tried[2 - party]
    yield from opened_while_growing(labels, frequent)


def opened_while_growing(labels: Iterable[str], frequent: set[frozenset[str]]) -> Iterator[Opened]:
    """Yield which candidates are not frequent, level by level from labels that both know."""
    tried = canonical((frozenset({label}) for label in labels), labels)
    while tried:
        yield True, [itemset not in frequent for itemset in tried]
        longer = {x | {label} for x in tried for label in labels if x in frequent and label not in x}
        tried = canonical((x for x in longer if all(x - {each} in frequent for each in x)), labels)


def opened_for_different_people(labels: Iterable[str], result: JointPatterns, _: Role = Role.FIRST) -> Iterator[Opened]:
    yield from opened_while_growing(labels, set(found(result)) | withheld(result))
    yield from opened_while_testing(None, result)


def simulate(
    session: Session,
    stranger: Session,
    transfers: list[Transfers],
    names: list[Message],
    result: JointPatterns,
    bits: Iterator[Opened],
    oracle: dict[bytes, bytes],
) -> list[Message]:
    """Make up what one party receives; its session is run on that.

    Parameters, the check of rows and base transfers come before any data: there a session without any rows, `stranger`,
    takes part; `transfers` are what it gets. `oracle` is the hash of what is opened.
    """
    received: list[Message] = []
    committed = b""
    answers, greetings = session.start(), stranger.start()
    while (expected := session.expected) is not None:
        length = expected.length or 0
        if expected.kind in GREETING:
            greetings += [each for message in answers if message.kind in GREETING for each in stranger.receive(message)]
            message = greetings.pop(0)
        elif expected.kind is MessageKind.LOCAL_ITEMSETS:
            message = names.pop(0)
        elif expected.kind is MessageKind.EXTENSION:
            choices = random_bits((length - extension_length(0)) // COLUMNS)
            message = Message(expected.kind, transfers[0].receiver.extend(choices)[0])
        elif expected.kind is MessageKind.COMMITMENT:
            committed = random_bytes(length)
            message = Message(expected.kind, committed)
        elif expected.kind is MessageKind.OPENED_BITS:
            masked, opened = next(bits)
            payload = pack_bits(np.array(opened))
            if masked:
                payload ^= np.frombuffer(answers[-1].payload[NONCE_LENGTH:], np.uint8)
            message = Message(expected.kind, random_bytes(NONCE_LENGTH * masked) + payload.tobytes())
        elif expected.kind is MessageKind.FINAL_SHARES:
            share = np.frombuffer(answers[-1].payload[NONCE_LENGTH:], "<u2")
            payload = result.patterns.supports.astype("<u2") - share
            message = Message(expected.kind, random_bytes(NONCE_LENGTH) + payload.tobytes())
        else:
            assert expected.kind in MASKED
            message = Message(expected.kind, random_bytes(length))
        oracle[message.payload] = committed
        received.append(message)
        answers = session.receive(message)
    assert next(bits, None) is None
    return received


def check_simulation(
    halves: Sequence[Transactions],
    opened: Callable[[Any, JointPatterns, Role], Iterator[Opened]],
    party: Role = Role.FIRST,
    **wanted: Any,
) -> None:
    """Compare a real transcript with a simulated one; the simulator is given no rows of the other party."""
    pair = sessions(halves, **wanted)
    real = talk(*pair)[2 - party]
    result = pair[party - 1].result
    names = [message for message in real if message.kind is MessageKind.LOCAL_ITEMSETS]
    victim = sessions(halves, **wanted)[party - 1]
    nothing = [Transactions.from_rows([[]] * len(half)) for half in halves]
    transfers: list[Transfers] = []

    def start_engine(role: Role, ring: Ring, session_id: bytes) -> Steps[TransferEngine]:
        transfers.append((yield from set_up_transfers(role, session_id)))
        yield from receive(MessageKind.FAREWELL, 0)  # never comes
        return TransferEngine(ring, transfers[0])

    stranger = sessions(nothing, start_engine=start_engine, **wanted)[2 - party]
    bits = opened(wanted.get("labels") or set(halves[party - 1].vocabulary), result, party)
    oracle: dict[bytes, bytes] = {}
    plain = commitments.commit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commitments, "commit", lambda *given: oracle.get(given[-1]) or plain(*given))
        simulated = simulate(victim, stranger, transfers, names, result, bits, oracle)
    assert [(message.kind, len(message.payload)) for message in simulated] == [
        (message.kind, len(message.payload)) for message in real
    ]
    assert victim.result.to_dict() == result.to_dict()


# ------------------------------------------------------------------------------------- where it is computed twice


class Watched(DualEngine):
    """One party's engine, into which the simulator looks: it is given what this party itself holds."""

    def _open_bits(self, held: WireLabels, given: WireLabels) -> Steps[NDArray[np.bool_]]:
        self.held = lowest(held)
        return super()._open_bits(held, given)

    def open(self, shares: SecretShares) -> Steps[NDArray[np.int64]]:
        """Keep the values."""
        self.values = shares[:, 0]
        return super().open(shares)


class Comparisons:
    """Both computations agree in an honest session, so the simulator compares with this party's own string."""

    def __init__(self) -> None:
        """Begin with none."""
        self._partner: Conversation[bool] | None = None
        self._waiting: list[Message] = []

    def hold_the_same(self, kind: MessageKind, string: bytes, **about: Any) -> Steps[bool]:
        """Note this party's string."""
        self._partner = Conversation(hold_the_same(kind, string, **about | {"party": about["party"].other}))
        self._waiting = self._partner.start()
        return hold_the_same(kind, string, **about)

    def next(self, answers: list[Message]) -> Message:
        """Return the partner's next message: its point, then its tag, for which it has to know this party's point."""
        assert self._partner is not None
        if self._partner.bytes_received == 0:
            self._waiting += self._partner.receive(answers[-1])
        return self._waiting.pop(0)


def fitting(rows: Any, secret: Any, parts: Any, *, masks: Any, seed: bytes, proof: bytes) -> bool:
    """Check a proof whose constant the simulator computes from the slope and the verifier's own rows and secret."""
    slope = np.frombuffer(proof[16:], np.uint64)
    made = verifier_side(rows, secret, parts, masks, seed, slope) + slope.tobytes()
    return check_columns(rows, secret, parts, masks=masks, seed=seed, proof=made)


def verifier_side(rows: Any, secret: Any, parts: Any, masks: Any, seed: bytes, slope: Any) -> bytes:
    """Return what the constant of a proof with this slope must be."""
    expected, times = column_proof._hash(masks, column_proof._X), slope.copy()  # noqa: SLF001
    for number, (one, other, together) in enumerate(parts.tolist()):
        point = column_proof._point(seed, number)  # noqa: SLF001
        expected ^= column_proof._hash(column_proof._product(rows[one], rows[other]), point)  # noqa: SLF001
        times ^= column_proof._hash(rows[together], point)  # noqa: SLF001
    return (expected ^ column_proof._product(times, secret)).tobytes()  # noqa: SLF001


def simulate_twice(
    session: Session,
    stranger: Session,
    transfers: list[Transfers],
    names: list[Message],
    result: JointPatterns,
    bits: Iterator[Opened],
    watched: list[Watched],
    comparisons: Comparisons,
) -> list[Message]:
    """Make up what one party receives where everything is computed twice."""
    received: list[Message] = []
    answers, greetings = session.start(), stranger.start()
    while (expected := session.expected) is not None:
        length = expected.length or 0
        if expected.kind in GREETING:
            greetings += [each for message in answers if message.kind in GREETING for each in stranger.receive(message)]
            message = greetings.pop(0)
        elif expected.kind is MessageKind.LOCAL_ITEMSETS:
            message = names.pop(0)
        elif expected.kind is MessageKind.EXTENSION:
            choices = random_bits((length - extension_length(0)) // COLUMNS)
            message = Message(expected.kind, transfers[0].receiver.extend(choices)[0])
        elif expected.kind is MessageKind.COMPARISON:
            message = comparisons.next(answers)
        elif expected.kind is MessageKind.OPENED_BITS:
            masked, opened = next(bits)
            flags = np.array(opened, np.uint8)
            message = Message(expected.kind, pack_bits(flags ^ watched[0].held if masked else flags).tobytes())
        elif expected.kind is MessageKind.FINAL_SHARES:
            masks = watched[0].values - result.patterns.supports.astype(np.uint64)
            message = Message(expected.kind, masks.tobytes())
        else:
            assert expected.kind in MASKED | {MessageKind.GARBLED, MessageKind.COLUMN_PROOF}
            message = Message(expected.kind, random_bytes(length))
        received.append(message)
        answers = session.receive(message)
    assert next(bits, None) is None
    return received


def check_simulation_twice(halves: Sequence[Transactions], party: Role = Role.FIRST, **wanted: Any) -> None:
    """Compare a real transcript with a simulated one; the simulator is given no rows of the other party."""
    pair = sessions(halves, dual=True, **wanted)
    real = talk(*pair)[2 - party]
    result = pair[party - 1].result
    names = [message for message in real if message.kind is MessageKind.LOCAL_ITEMSETS]
    watched: list[Watched] = []
    transfers: list[Transfers] = []

    def watch(role: Role, ring: Ring, session_id: bytes) -> Steps[Watched]:
        watched.append(Watched(ring, (yield from set_up_transfers(role, session_id, odd=True)), session_id))
        return watched[0]

    def take_part(role: Role, ring: Ring, session_id: bytes) -> Steps[DualEngine]:
        transfers.append((yield from set_up_transfers(role, session_id, odd=True)))
        yield from receive(MessageKind.FAREWELL, 0)  # never comes
        return DualEngine(ring, transfers[0], session_id)

    victim = sessions(halves, dual=True, start_engine=watch, **wanted)[party - 1]
    nothing = [Transactions.from_rows([[]] * len(half)) for half in halves]
    stranger = sessions(nothing, dual=True, start_engine=take_part, **wanted)[2 - party]
    own = set(halves[party - 1].vocabulary)
    declared = sum(x <= own or not x & own for x in {*found(result), *withheld(result)})

    def opened() -> Iterator[Opened]:
        yield True, [False] * declared  # all that is declared is frequent
        yield from opened_in_ic_sapm(own, result, party)

    comparisons = Comparisons()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dual_engine, "hold_the_same", comparisons.hold_the_same)
        patch.setattr(dual_engine, "check_columns", fitting)
        simulated = simulate_twice(victim, stranger, transfers, names, result, opened(), watched, comparisons)
    assert [(message.kind, len(message.payload)) for message in simulated] == [
        (message.kind, len(message.payload)) for message in real
    ]
    assert victim.result.to_dict() == result.to_dict()


# ------------------------------------------------------------------------------------------------- several owners


class Others:
    """All other owners, made up for one of three or more: they have no rows, only what the result tells."""

    def __init__(self, own: int, wanted: dict[int, Proposal], result: JointPatterns, bits: Iterator[Opened]) -> None:
        """Know how many rows each has, which all tell, and the result."""
        self.received: dict[int, list[Message]] = {each: [] for each in wanted}
        self.oracle: dict[bytes, bytes] = {}
        self._own, self._wanted, self._result, self._bits = own, wanted, result, bits
        self._session = b""
        self._base: dict[int, Conversation[Transfers]] = {}
        self._points: dict[int, list[Message]] = {}
        self._committed: dict[int, bytes] = {}

    def lead(self, victim: CircleSteps[JointPatterns]) -> JointPatterns:
        """Answer one owner until it has a result."""
        try:
            turn = next(victim)
            while True:
                turn = victim.send(self.answer(turn))
        except StopIteration as end:
            result: JointPatterns = end.value
            return result

    def answer(self, turn: Turn) -> dict[int, bytes]:
        """Make up what comes next from each."""
        for partner, messages in turn.outgoing.items():
            for message in messages:
                self._hear(partner, message)
        kinds = {due.kind for due in turn.expected.values()}
        if not kinds:
            return {}
        [kind] = kinds
        said = {partner: turn.outgoing[partner][-1].payload for partner in turn.expected if turn.outgoing[partner]}
        if kind in (MessageKind.OPENED_BITS, MessageKind.FINAL_SHARES):
            [mine] = set(said.values())
            answers = self._opened(kind, mine[NONCE_LENGTH:])
        else:
            answers = {each: self._next(each, due, said.get(each, b"")) for each, due in turn.expected.items()}
        for each, payload in answers.items():
            self.received[each].append(Message(kind, payload))
        return answers

    def _hear(self, partner: int, message: Message) -> None:
        if message.kind is MessageKind.ALIGNMENT and not self._session:
            self._session = message.payload
        if message.kind is MessageKind.BASE_OT:
            if partner not in self._base:
                role = Role.FIRST if partner < self._own else Role.SECOND
                pair = digest(self._session, bytes(sorted((self._own, partner))), domain=b"pair of owners")
                self._base[partner] = Conversation(set_up_transfers(role, pair))
                self._points[partner] = self._base[partner].start()
            self._points[partner] += self._base[partner].receive(message)

    def _next(self, partner: int, due: Expected, said: bytes) -> bytes:
        length = due.length or 0
        if due.kind is MessageKind.PARAMETERS:
            return random_bytes(32) + said[32:64] + self._wanted[partner].to_bytes()
        if due.kind is MessageKind.ALIGNMENT:
            return said  # all have heard the same
        if due.kind is MessageKind.BASE_OT:
            return self._points[partner].pop(0).payload
        if due.kind is MessageKind.EXTENSION:
            choices = random_bits((length - extension_length(0)) // COLUMNS)
            return self._base[partner].result.receiver.extend(choices)[0]
        assert due.kind in MASKED | {MessageKind.COMMITMENT, MessageKind.MASKS}
        payload = random_bytes(length)
        if due.kind is MessageKind.COMMITMENT:
            self._committed[partner] = payload[:32]
            return payload[:32] + said[32:]  # all have heard the same
        return payload

    def _opened(self, kind: MessageKind, own: bytes) -> dict[int, bytes]:
        """Draw all shares but the last one, which leads to the result."""
        answers = {}
        share: Any
        if kind is MessageKind.OPENED_BITS:
            share = pack_bits(np.array(next(self._bits)[1])) ^ np.frombuffer(own, np.uint8)
        else:
            share = self._result.patterns.supports.astype("<u2") - np.frombuffer(own, "<u2")
        *some, last = self._wanted
        for partner in some:
            drawn = np.frombuffer(random_bytes(share.nbytes), share.dtype)
            share = share ^ drawn if kind is MessageKind.OPENED_BITS else share - drawn
            answers[partner] = random_bytes(NONCE_LENGTH) + drawn.tobytes()
        answers[last] = random_bytes(NONCE_LENGTH) + share.tobytes()
        self.oracle |= {payload: self._committed[partner] for partner, payload in answers.items()}
        return answers


def check_simulation_of_owners(slices: Sequence[Transactions], labels: str, own: int, **wanted: Any) -> None:
    """Compare what one owner really receives with what is made up; no row of the others is used for that."""
    table = run_owners(steps_of(slices, labels, **wanted))
    result = table.results[own]
    assert isinstance(result, JointPatterns)
    assert len(result.patterns)
    proposals = {
        each: with_labels(Proposal(protocol="ic-sapm", rows=len(rows), horizontal=True, **wanted), labels)
        for each, rows in enumerate(slices)
        if each != own
    }
    others = Others(own, proposals, result, bits := opened_for_different_people(labels, result))
    hidden = [rows if each == own else Transactions.from_rows([[]] * len(rows)) for each, rows in enumerate(slices)]
    victim = steps_of(hidden, labels, **wanted)[own]
    plain = circle.digest
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            circle, "digest", lambda *given, domain: others.oracle.get(given[-1]) or plain(*given, domain=domain)
        )
        simulated = others.lead(victim)
    assert next(bits, None) is None
    assert simulated.to_dict() == result.to_dict()
    for each, received in others.received.items():
        real = [message for sender, to, message in table.sent if (sender, to) == (each, own)]
        assert [(one.kind, len(one.payload)) for one in received] == [(one.kind, len(one.payload)) for one in real]
