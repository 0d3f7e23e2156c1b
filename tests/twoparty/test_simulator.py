"""What a party receives could have been made without the partner's rows: the simulator of the security argument.

The simulator of docs/security.md knows one party's rows, the partner's names of frequent itemsets, and the result. It
makes up the partner's frames: random points, random bytes, and for what is opened, whatever share leads to the
result. These tests check that a real transcript has the same shape, that the party's own code accepts the simulated
one and comes to the same result, and that what is masked looks random.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

import discreet
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary
from discreet.twoparty.engine import start_transfer_engine
from discreet.twoparty.frames import Frame, FrameKind
from discreet.twoparty.gmw import pack_bits
from discreet.twoparty.parameters import Party
from discreet.twoparty.primitives import multiply_generator, random_bytes, random_scalar
from discreet.twoparty.ring import Ring
from discreet.twoparty.steps import Conversation
from tests.conftest import ROOT
from tests.twoparty_pair import both, columns_of, dealt, found, random_rows, sessions, talk, withheld

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.session import Session

GREETING = {FrameKind.PARAMETERS, FrameKind.ALIGNMENT}
MASKED = {FrameKind.EXTENSION, FrameKind.CORRECTIONS, FrameKind.AND_OPENINGS}


# ---------------------------------------------------------------------------------------------------- the simulator


def opened_bits(own: set[str], result: JointPatterns) -> Iterator[tuple[bool, list[bool]]]:
    """Yield what the first party sees opened, from the result alone and in order: whether a share masks it; bits."""
    safe = set(found(result))
    frequent = safe | withheld(result)
    order = {x: place for place, x in enumerate(Vocabulary(frozenset().union(*frequent)))}
    if result.n >= result.k:
        safe.add(frozenset())  # the one group that the empty itemset makes: all rows

    def canonical(itemsets) -> list[frozenset[str]]:
        return sorted(itemsets, key=lambda x: (len(x), sorted(map(order.__getitem__, x))))

    halves = canonical(x for x in frequent if x <= own), canonical(x for x in frequent if not x & own)
    longest = max(map(len, frequent), default=0)
    for length in range(2, longest + 2):
        tried = [
            x | y
            for left in range(1, length)
            for x, y in product(*halves)
            if len(x) == left and len(x | y) == length and all((x | y) - {each} in frequent for each in x | y)
        ]
        if not tried:
            break
        yield True, [itemset not in frequent for itemset in tried]
    for length in range(1, longest + 1):
        hopeful = [x for x in canonical(frequent) if len(x) == length and all(x - {each} in safe for each in x)]
        if theirs := [x in safe for x in hopeful if not x & own]:
            yield False, theirs
        if spread := [x not in safe for x in hopeful if x & own and x - own]:
            yield True, spread


def simulate(session: Session, stranger: Session, names: Frame, result: JointPatterns, own: set[str]) -> list[Frame]:
    """Make up what the first party receives; its session is run on that.

    Parameters and the check of rows come before any data: there a session without any rows, `stranger`, takes part.
    """
    bits = opened_bits(own, result)
    received: list[Frame] = []
    answers, greetings = session.start(), stranger.start()
    while (expected := session.expected) is not None:
        length = expected.length or 0
        if expected.kind in GREETING:
            greetings += [each for frame in answers if frame.kind in GREETING for each in stranger.receive(frame)]
            frame = greetings.pop(0)
        elif expected.kind is FrameKind.LOCAL_ITEMSETS:
            frame = names
        elif expected.kind is FrameKind.BASE_OT:
            frame = Frame(expected.kind, b"".join(multiply_generator(random_scalar()) for _ in range(length // 32)))
        elif expected.kind is FrameKind.OPENED_BITS:
            masked, opened = next(bits)
            share = np.frombuffer(answers[-1].payload, np.uint8) if masked else np.uint8(0)
            frame = Frame(expected.kind, (pack_bits(np.array(opened)) ^ share).tobytes())
        elif expected.kind is FrameKind.FINAL_SHARES:
            share = np.frombuffer(answers[-1].payload, "<u2")
            frame = Frame(expected.kind, (result.patterns.supports.astype("<u2") - share).tobytes())
        else:
            assert expected.kind in MASKED
            frame = Frame(expected.kind, random_bytes(length))
        received.append(frame)
        answers = session.receive(frame)
    assert next(bits, None) is None
    return received


def check_simulation(halves: tuple[Transactions, Transactions], min_support: int, k: int) -> None:
    """Compare a real transcript with a simulated one; the simulator is given no rows of the second party."""
    first, second = sessions(halves, min_support=min_support, k=k)
    _, real = talk(first, second)
    names = next(frame for frame in real if frame.kind is FrameKind.LOCAL_ITEMSETS)
    victim, _ = sessions(halves, min_support=min_support, k=k)
    nothing = Transactions.from_rows([[]] * len(halves[0]))
    _, stranger = sessions((nothing, nothing), min_support=min_support, k=k)
    simulated = simulate(victim, stranger, names, first.result, set(halves[0].vocabulary))
    assert [(frame.kind, len(frame.payload)) for frame in simulated] == [
        (frame.kind, len(frame.payload)) for frame in real
    ]
    assert victim.result.to_dict() == first.result.to_dict()


# ---------------------------------------------------------------------------------------------------- its tests


def test_the_running_example_can_be_simulated() -> None:
    rows = [line.split() for line in (ROOT / "tests/data/running-example.dat").read_text().splitlines()]
    check_simulation((columns_of(rows, "abcd"), columns_of(rows, "efgh")), 8, 3)
    check_simulation((columns_of(rows, "abcd"), columns_of(rows, "efgh")), 6, 2)


@pytest.mark.parametrize("seed", range(6))
def test_random_splits_can_be_simulated(seed: int) -> None:
    rows = random_rows(seed)
    check_simulation((columns_of(rows, "aceg"), columns_of(rows, "bdfh")), max(1, len(rows) // 4), 2 + seed % 3)


def test_mushroom_can_be_simulated(data_folder) -> None:
    rows = discreet.read(data_folder / "mushroom.dat.gz")
    check_simulation(dealt(rows, 4062), 4062, 10)


def deviation(payload: bytes) -> float:
    """Return by how many standard deviations the counts of byte values are off (chi-squared, 255 degrees)."""
    counts = np.bincount(np.frombuffer(payload, np.uint8), minlength=256)
    expected = len(payload) / 256
    return float((((counts - expected) ** 2 / expected).sum() - 255) / np.sqrt(2 * 255))


@pytest.fixture(scope="module")
def sparse_transcript() -> dict[FrameKind, bytes]:
    """Give what the first party receives where nearly all bits of both are zeros, so that a missing mask would show."""
    rows = ["abcwxyz" if row % 10 == 0 else "" for row in range(4000)]
    halves = columns_of(rows, "abc"), columns_of(rows, "wxyz")
    first, second = sessions(halves, min_support=300, k=2)
    _, received = talk(first, second)
    return {kind: b"".join(frame.payload for frame in received if frame.kind is kind) for kind in FrameKind}


@pytest.mark.parametrize("kind", [FrameKind.EXTENSION, FrameKind.AND_OPENINGS])
def test_what_is_masked_looks_random(sparse_transcript, kind: FrameKind) -> None:
    payload = sparse_transcript[kind]
    assert len(payload) > 5 * 256
    assert abs(deviation(payload)) < 6


def test_corrections_look_random() -> None:
    ring = Ring(4000)
    pair = both(*(start_transfer_engine(party, ring, b"a session") for party in Party))
    zeros = np.zeros((4, 500), np.uint8)
    pairs = np.array([(0, 0), (1, 0), (2, 1), (3, 1)])
    machines = [
        Conversation(engine.share_dot_products(zeros[: 4 - 2 * side], pairs)) for side, engine in enumerate(pair)
    ]
    sent, _ = talk(*machines)
    assert {frame.kind for frame in sent} == {FrameKind.CORRECTIONS}
    assert abs(deviation(b"".join(frame.payload for frame in sent))) < 6


def test_shares_look_random() -> None:
    """Shares of 2,000 counts that are all zero: uniform on each side, and different in every run."""
    ring = Ring(8)
    pair = both(*(start_transfer_engine(party, ring, b"a session") for party in Party))
    pairs = np.stack([np.zeros(2000, np.int64), np.zeros(2000, np.int64)], axis=1)
    none = np.zeros((1, 1), np.uint8)
    runs = [both(*(engine.share_dot_products(none, pairs) for engine in pair)) for _ in range(2)]
    for shares in runs:
        assert not (shares[0] + shares[1]).any()
        assert all(abs(deviation(own.tobytes())) < 6 for own in shares)
    assert (runs[0][0] != runs[1][0]).mean() > 0.99


def test_this_measure_notices_a_missing_mask(sparse_transcript) -> None:
    """The power of the tests above: one byte in fifty that is not masked, and a column sent as it is, are noticed."""
    payload = bytearray(sparse_transcript[FrameKind.EXTENSION])
    payload[::50] = bytes(len(payload[::50]))
    assert deviation(bytes(payload)) > 6
    assert deviation(pack_bits(np.arange(4000) % 10 == 0).tobytes()) > 6
