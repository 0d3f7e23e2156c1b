"""What a party receives could have been made without the partner's rows: the simulator of the security argument.

That of docs/two-parties.md knows one party's rows, the partner's names of frequent itemsets, and the result. It makes
up the partner's messages: random points, random bytes, and for what is opened, whatever share leads to the
result. These tests check that a real transcript has the same shape, that the party's own code accepts the simulated
one and comes to the same result, and that what is masked looks random.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import discreet
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary
from discreet.twoparty.agreement import Role
from discreet.twoparty.engine import start_transfer_engine
from discreet.twoparty.gmw import pack_bits
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.primitives import multiply_generator, random_bytes, random_scalar
from discreet.twoparty.ring import Ring
from discreet.twoparty.steps import Conversation
from tests.conftest import ROOT
from tests.twoparty_pair import both, columns_of, dealt, found, random_rows, sessions, talk, withheld

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.session import Session

Opened = tuple[bool, list[bool]]
"""Bits that the first party sees opened, and whether they come masked by its own share."""

GREETING = {MessageKind.PARAMETERS, MessageKind.ALIGNMENT}
MASKED = {MessageKind.EXTENSION, MessageKind.CORRECTIONS, MessageKind.AND_OPENINGS}


# ---------------------------------------------------------------------------------------------------- the simulator


def canonical(itemsets: Iterable[frozenset[str]], labels: Iterable[str]) -> list[frozenset[str]]:
    order = {label: place for place, label in enumerate(Vocabulary(labels))}
    return sorted(itemsets, key=lambda itemset: (len(itemset), sorted(map(order.__getitem__, itemset))))


def opened_while_finding(own: set[str], result: JointPatterns) -> Iterator[Opened]:
    """Yield what follows from the frequent itemsets: which candidates of each length are not among them."""
    frequent = set(found(result)) | withheld(result)
    labels = frozenset().union(*frequent)
    halves = (
        canonical((x for x in frequent if x <= own), labels),
        canonical((x for x in frequent if not x & own), labels),
    )
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


def opened_in_ic_sapm(own: set[str], result: JointPatterns) -> Iterator[Opened]:
    yield from opened_while_finding(own, result)
    yield from opened_while_testing(own, result)


def opened_in_dka_sapm(own: set[str], result: JointPatterns) -> Iterator[Opened]:
    """Yield whether any group is too small, for each size of groups that can make more than one; then as above."""
    for doublings in range(result.doublings + 1):
        if result.n // (result.k << doublings) > 1:
            yield True, [doublings < result.doublings]
    yield from opened_while_finding(own, result)


def opened_for_different_people(labels: Iterable[str], result: JointPatterns) -> Iterator[Opened]:
    frequent = set(found(result)) | withheld(result)
    tried = canonical((frozenset({label}) for label in labels), labels)
    while tried:
        yield True, [itemset not in frequent for itemset in tried]
        longer = {x | {label} for x in tried for label in labels if x in frequent and label not in x}
        tried = canonical((x for x in longer if all(x - {each} in frequent for each in x)), labels)
    yield from opened_while_testing(None, result)


def simulate(
    session: Session, stranger: Session, names: Message | None, result: JointPatterns, bits: Iterator[Opened]
) -> list[Message]:
    """Make up what the first party receives; its session is run on that.

    Parameters and the check of rows come before any data: there a session without any rows, `stranger`, takes part.
    """
    received: list[Message] = []
    answers, greetings = session.start(), stranger.start()
    while (expected := session.expected) is not None:
        length = expected.length or 0
        if expected.kind in GREETING:
            greetings += [each for message in answers if message.kind in GREETING for each in stranger.receive(message)]
            message = greetings.pop(0)
        elif expected.kind is MessageKind.LOCAL_ITEMSETS and names is not None:
            message = names
        elif expected.kind is MessageKind.BASE_OT:
            message = Message(expected.kind, b"".join(multiply_generator(random_scalar()) for _ in range(length // 32)))
        elif expected.kind is MessageKind.OPENED_BITS:
            masked, opened = next(bits)
            share = np.frombuffer(answers[-1].payload, np.uint8) if masked else np.uint8(0)
            message = Message(expected.kind, (pack_bits(np.array(opened)) ^ share).tobytes())
        elif expected.kind is MessageKind.FINAL_SHARES:
            share = np.frombuffer(answers[-1].payload, "<u2")
            message = Message(expected.kind, (result.patterns.supports.astype("<u2") - share).tobytes())
        else:
            assert expected.kind in MASKED
            message = Message(expected.kind, random_bytes(length))
        received.append(message)
        answers = session.receive(message)
    assert next(bits, None) is None
    return received


def check_simulation(
    halves: Sequence[Transactions], opened: Callable[[Any, JointPatterns], Iterator[Opened]], **wanted
):
    """Compare a real transcript with a simulated one; the simulator is given no rows of the second party."""
    first, second = sessions(halves, **wanted)
    _, real = talk(first, second)
    names = next((message for message in real if message.kind is MessageKind.LOCAL_ITEMSETS), None)
    victim, _ = sessions(halves, **wanted)
    nothing = [Transactions.from_rows([[]] * len(half)) for half in halves]
    _, stranger = sessions(nothing, **wanted)
    bits = opened(wanted.get("labels") or set(halves[0].vocabulary), first.result)
    simulated = simulate(victim, stranger, names, first.result, bits)
    assert [(message.kind, len(message.payload)) for message in simulated] == [
        (message.kind, len(message.payload)) for message in real
    ]
    assert victim.result.to_dict() == first.result.to_dict()


# ---------------------------------------------------------------------------------------------------- its tests


TABLE_1A = [line.split() for line in (ROOT / "tests/data/running-example.dat").read_text().splitlines()]
TABLE_2 = columns_of(TABLE_1A, "abcd"), columns_of(TABLE_1A, "efgh")


def test_the_running_example_can_be_simulated() -> None:
    check_simulation(TABLE_2, opened_in_ic_sapm, min_support=8, k=3)
    check_simulation(TABLE_2, opened_in_ic_sapm, min_support=6, k=2)


@pytest.mark.parametrize("seed", range(6))
def test_random_splits_can_be_simulated(seed: int) -> None:
    rows = random_rows(seed)
    halves = columns_of(rows, "aceg"), columns_of(rows, "bdfh")
    check_simulation(halves, opened_in_ic_sapm, min_support=max(1, len(rows) // 4), k=2 + seed % 3)


def test_mushroom_can_be_simulated(data_folder) -> None:
    rows = discreet.read(data_folder / "mushroom.dat.gz")
    check_simulation(dealt(rows, 4062), opened_in_ic_sapm, min_support=4062, k=10)


@pytest.mark.parametrize("seed", range(3))
def test_dka_sapm_can_be_simulated(seed: int) -> None:
    rows = random_rows(seed) * 3
    halves = columns_of(rows, "aceg"), columns_of(rows, "bdfh")
    check_simulation(halves, opened_in_dka_sapm, min_support=len(rows) // 4, k=3, protocol="dka-sapm")


@pytest.mark.parametrize("seed", range(3))
def test_different_people_can_be_simulated(seed: int) -> None:
    rows = random_rows(seed, items="abcdef")
    halves = [Transactions.from_rows(part) for part in (rows, random_rows(seed + 50, items="abcdef"))]
    wanted = {"min_support": len(rows) // 4 + 1, "k": 3, "labels": "abcdeg"}
    check_simulation(halves, opened_for_different_people, **wanted)


def deviation(payload: bytes) -> float:
    """Return by how many standard deviations the counts of byte values are off (chi-squared, 255 degrees)."""
    counts = np.bincount(np.frombuffer(payload, np.uint8), minlength=256)
    expected = len(payload) / 256
    return float((((counts - expected) ** 2 / expected).sum() - 255) / np.sqrt(2 * 255))


@pytest.fixture(scope="module")
def sparse_transcript() -> dict[MessageKind, bytes]:
    """Give what the first party receives where nearly all bits of both are zeros, so that a missing mask would show."""
    rows = ["abcwxyz" if row % 10 == 0 else "" for row in range(4000)]
    halves = columns_of(rows, "abc"), columns_of(rows, "wxyz")
    first, second = sessions(halves, min_support=300, k=2)
    _, received = talk(first, second)
    return {kind: b"".join(message.payload for message in received if message.kind is kind) for kind in MessageKind}


@pytest.mark.parametrize("kind", [MessageKind.EXTENSION, MessageKind.AND_OPENINGS])
def test_what_is_masked_looks_random(sparse_transcript, kind: MessageKind) -> None:
    payload = sparse_transcript[kind]
    assert len(payload) > 5 * 256
    assert abs(deviation(payload)) < 6


def test_corrections_look_random() -> None:
    ring = Ring(4000)
    pair = both(*(start_transfer_engine(party, ring, b"a session") for party in Role))
    zeros = np.zeros((4, 500), np.uint8)
    pairs = np.array([(0, 0), (1, 0), (2, 1), (3, 1)])
    machines = [
        Conversation(engine.share_dot_products(zeros[: 4 - 2 * side], pairs)) for side, engine in enumerate(pair)
    ]
    sent, _ = talk(*machines)
    assert {message.kind for message in sent} == {MessageKind.CORRECTIONS}
    assert abs(deviation(b"".join(message.payload for message in sent))) < 6


def test_shares_look_random() -> None:
    """Shares of 2,000 counts that are all zero: uniform on each side, and different in every run."""
    ring = Ring(8)
    pair = both(*(start_transfer_engine(party, ring, b"a session") for party in Role))
    pairs = np.stack([np.zeros(2000, np.int64), np.zeros(2000, np.int64)], axis=1)
    none = np.zeros((1, 1), np.uint8)
    runs = [both(*(engine.share_dot_products(none, pairs) for engine in pair)) for _ in range(2)]
    for shares in runs:
        assert not (shares[0] + shares[1]).any()
        assert all(abs(deviation(own.tobytes())) < 6 for own in shares)
    assert (runs[0][0] != runs[1][0]).mean() > 0.99


def test_this_measure_notices_a_missing_mask(sparse_transcript) -> None:
    """The power of the tests above: one byte in fifty that is not masked, and a column sent as it is, are noticed."""
    payload = bytearray(sparse_transcript[MessageKind.EXTENSION])
    payload[::50] = bytes(len(payload[::50]))
    assert deviation(bytes(payload)) > 6
    assert deviation(pack_bits(np.arange(4000) % 10 == 0).tobytes()) > 6
