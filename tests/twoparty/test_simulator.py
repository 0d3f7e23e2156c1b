"""What a party receives could have been made without the partner's rows: `tests/twoparty_simulator.py` makes it.

These tests check that a real transcript has the same shape, that the party's own code accepts the simulated one and
comes to the same result, and that what is masked looks random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import discreet
from discreet.channels.exclusive import Exclusive
from discreet.itemsets import Itemsets
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary
from discreet.twoparty import alignment, dka_sapm, equality
from discreet.twoparty.agreement import Role
from discreet.twoparty.alignment import Intersection
from discreet.twoparty.commitments import NONCE_LENGTH
from discreet.twoparty.dka_sapm import anonymize_half
from discreet.twoparty.engine import start_transfer_engine
from discreet.twoparty.gmw import pack_bits
from discreet.twoparty.joint_patterns import JointPatterns
from discreet.twoparty.judging import Judgement
from discreet.twoparty.local_itemsets import ItemsetNames
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.primitives import digest, mask, maskable, random_bytes
from discreet.twoparty.ring import Ring
from discreet.twoparty.salt import keys_of
from discreet.twoparty.steps import Conversation
from tests.conftest import ROOT
from tests.twoparty.test_circle import engines
from tests.twoparty.test_circle import run as take_turns
from tests.twoparty_owners import run as run_owners
from tests.twoparty_owners import steps_of
from tests.twoparty_pair import both, columns_of, dealt, found, random_rows, sessions, talk
from tests.twoparty_simulator import (
    SHARES,
    Opened,
    check_simulation,
    check_simulation_of_owners,
    check_simulation_twice,
    opened_for_different_people,
    opened_in_dka_sapm,
    opened_in_ic_sapm,
    opened_while_finding,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


TABLE_1A = [line.split() for line in (ROOT / "tests/data/running-example.dat").read_text().splitlines()]
TABLE_2 = columns_of(TABLE_1A, "abcd"), columns_of(TABLE_1A, "efgh")


PARTIES = pytest.mark.parametrize("party", list(Role), ids=lambda role: role.name.lower())


@PARTIES
def test_the_running_example_can_be_simulated(party: Role) -> None:
    check_simulation(TABLE_2, opened_in_ic_sapm, party, min_support=8, k=3)
    check_simulation(TABLE_2, opened_in_ic_sapm, party, min_support=6, k=2)


@PARTIES
@pytest.mark.parametrize("seed", range(3))
def test_random_splits_can_be_simulated(seed: int, party: Role) -> None:
    rows = random_rows(seed)
    halves = columns_of(rows, "aceg"), columns_of(rows, "bdfh")
    check_simulation(halves, opened_in_ic_sapm, party, min_support=max(1, len(rows) // 4), k=2 + seed % 3)


@PARTIES
@pytest.mark.parametrize("seed", range(2))
def test_two_computations_can_be_simulated(seed: int, party: Role) -> None:
    rows = random_rows(seed)
    halves = columns_of(rows, "aceg"), columns_of(rows, "bdfh")
    check_simulation_twice(halves, party, min_support=max(1, len(rows) // 4), k=2 + seed % 3)


def test_mushroom_can_be_simulated(data_folder) -> None:
    rows = discreet.read(data_folder / "mushroom.dat.gz")
    check_simulation(dealt(rows, 4062), opened_in_ic_sapm, min_support=4062, k=10)


WAYS_TO_GROUP = pytest.mark.parametrize("counts", [True, False], ids=["pairs are counted", "keys are sorted"])


def group(monkeypatch: pytest.MonkeyPatch, *, counts: bool) -> None:
    """Choose how joint groups are found, which the number of rows decides otherwise."""
    monkeypatch.setattr("discreet.twoparty.engine.counts_pairs", lambda *_: counts)


@PARTIES
@WAYS_TO_GROUP
@pytest.mark.parametrize("seed", [0])
def test_dka_sapm_can_be_simulated(seed: int, party: Role, monkeypatch: pytest.MonkeyPatch, *, counts: bool) -> None:
    """What the partner names follows from the result; the own order of trying items is known to the simulator."""
    monkeypatch.setattr(dka_sapm, "_shuffled", np.arange)
    group(monkeypatch, counts=counts)
    rows = random_rows(seed) * 3
    halves = columns_of(rows, "aceg"), columns_of(rows, "bdfh")
    wanted = {"min_support": len(rows) // 4, "k": 3}

    def opened(_: set[str], result: JointPatterns, party: Role) -> Iterator[Opened]:
        half = anonymize_half(halves[party - 1], min_support=wanted["min_support"], size=wanted["k"])
        return opened_in_dka_sapm(half, result, party)

    pair = sessions(halves, protocol="dka-sapm", **wanted)
    real = talk(*pair)[2 - party]
    result = pair[party - 1].result
    named = [message.payload for message in real if message.kind is MessageKind.LOCAL_ITEMSETS]
    theirs = Vocabulary(sorted(frozenset().union(*found(result)) - set(halves[party - 1].vocabulary)))
    singles = Itemsets.of_matrix(np.arange(len(theirs), dtype=np.int32)[:, None])
    assert result.columns is not None
    assert named == [result.columns[2 - party].to_bytes(4, "little"), ItemsetNames(theirs, singles).to_bytes()]
    check_simulation(halves, opened, party, protocol="dka-sapm", **wanted)


@PARTIES
@WAYS_TO_GROUP
@pytest.mark.parametrize("seed", [0])
def test_rounds_can_be_simulated(seed: int, party: Role, monkeypatch: pytest.MonkeyPatch, *, counts: bool) -> None:
    """Which rows are left after each round is part of the result; the names follow from it as in IC-SAPM."""
    group(monkeypatch, counts=counts)
    rows = random_rows(seed) * 3
    halves = columns_of(rows, "aceg"), columns_of(rows, "bdfh")

    def opened(own: set[str], result: JointPatterns, party: Role) -> Iterator[Opened]:
        before = list(range(1, result.n + 1))
        for left in result.left or ():
            yield True, [row not in left for row in before]
            before = list(left)
        yield from opened_while_finding(own, result, party)

    check_simulation(halves, opened, party, min_support=len(rows) // 4, k=3, protocol="dka-sapm", iterate=True)


def test_items_are_tried_in_an_order_that_changes() -> None:
    orders = {tuple(dka_sapm._shuffled(8).tolist()) for _ in range(20)}  # noqa: SLF001
    assert len(orders) > 15
    assert all(sorted(order) == list(range(8)) for order in orders)


@PARTIES
@pytest.mark.parametrize("seed", range(3))
def test_different_people_can_be_simulated(seed: int, party: Role) -> None:
    rows = random_rows(seed, items="abcdef")
    halves = [Transactions.from_rows(part) for part in (rows, random_rows(seed + 50, items="abcdef"))]
    wanted = {"min_support": len(rows) // 4 + 1, "k": 3, "labels": "abcdeg"}
    check_simulation(halves, opened_for_different_people, party, **wanted)


@pytest.mark.parametrize("own", range(3))
def test_three_owners_can_be_simulated(own: int) -> None:
    slices = [Transactions.from_rows(random_rows(seed, items="abcdef")) for seed in (own, own + 50, own + 90)]
    check_simulation_of_owners(slices, "abcdeg", own, min_support=sum(map(len, slices)) // 4 + 1, k=3)


def test_no_owner_sees_the_counts_of_another() -> None:
    """What each of three opens is random: a sum tells all others together about one owner, and no single other."""
    slices = [Transactions.from_rows(random_rows(seed, items="abcd") * 2) for seed in (1, 2, 3)]
    table = run_owners(steps_of(slices, "abcd", min_support=sum(map(len, slices)) // 4, k=2))
    result = table.results[0]
    assert isinstance(result, JointPatterns)
    assert len(result.patterns) > 2
    for own, rows in enumerate(slices):
        counts = [sum(itemset <= set(row) for row in rows) for itemset, _ in result.patterns]
        opened = {message.payload for sender, _, message in table.sent if (sender, message.kind) == (own, SHARES)}
        [share] = opened  # all are told the same
        assert np.frombuffer(share[NONCE_LENGTH:], "<u2").tolist() != counts


def test_what_three_owners_open_looks_random() -> None:
    """Each opens its share of 2,000 counts that are zero at every owner."""
    opened: dict[int, bytes] = {}
    owners = engines(3, 8)
    length = NONCE_LENGTH + 2 * 2000

    def overheard(own: int, _: int, payload: bytes) -> bytes:
        if len(payload) == length:
            opened[own] = payload[NONCE_LENGTH:]
        return payload

    for sums in take_turns([each.open(np.zeros(2000, each.ring.dtype)) for each in owners], overheard):
        assert not sums.any()
    assert len(opened) == 3
    assert all(abs(deviation(each)) < 6 for each in opened.values())


def table_of(folder: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Transactions:
    path = folder / f"{columns[0]}.csv"
    path.write_text("\n".join(map(",".join, [columns, *rows])) + "\n")
    return discreet.read(path, format="table")


def test_the_look_before_writing_can_be_simulated(tmp_path: Path) -> None:
    """Which of the partner's items exclude each other follows from their names, which are in the result."""
    people = [
        ("f" if row % 2 else "m", "abc"[row % 3], "yes" if row % 5 else "no", "xy"[row % 4 == 0]) for row in range(60)
    ]
    halves = (
        table_of(tmp_path, ["sex", "ward"], [each[:2] for each in people]),
        table_of(tmp_path, ["ill", "drug"], [each[2:] for each in people]),
    )
    first, second = sessions(halves, min_support=10, k=3)
    talk(first, second)
    for own in (0, 1):
        looks = [Judgement(first.result, half) for half in halves]
        [real] = talk(*looks)[1 - own]
        patterns = first.result.patterns
        theirs = [label for label in patterns.vocabulary if label not in halves[own].vocabulary]
        columns = {label.split("=")[0] for label in theirs}
        sets = Exclusive(sets=tuple(tuple(x for x in theirs if x.startswith(f"{each}=")) for each in columns))
        chosen = sets.itemsets(patterns.vocabulary)
        assert len(chosen) == 2
        numbers = np.concatenate([[len(chosen)], chosen.lengths, chosen.items]).astype("<u4")
        made_up = Message(MessageKind.EXCLUSIVE, numbers.tobytes())
        assert made_up == real
        victim = Judgement(first.result, halves[own])
        victim.start()
        assert victim.receive(made_up) == []
        assert victim.result[0].to_dict() == looks[own].result[0].to_dict()


@PARTIES
def test_the_look_at_different_people_can_be_simulated(tmp_path: Path, party: Role) -> None:
    """Columns follow from the names of items; whether anybody there has two values of one, the partner tells."""
    people = [("f" if row % 2 else "m", "abc"[row % 3]) for row in range(120)]
    halves = [table_of(tmp_path, ["sex", "ward"], people[start::2]) for start in (0, 1)]
    labels = sorted({*halves[0].vocabulary, *halves[1].vocabulary})
    pair = sessions(halves, min_support=10, k=3, labels=labels)
    talk(*pair)
    looks = [Judgement(each.result, half) for each, half in zip(pair, halves, strict=True)]
    real = talk(*looks)[2 - party]
    vocabulary = pair[0].result.patterns.vocabulary
    columns = [[place for place, x in enumerate(vocabulary) if x.startswith(each)] for each in ("sex", "ward")]
    numbers = np.array([2, *map(len, columns), *columns[0], *columns[1]], "<u4")
    made_up = [Message(MessageKind.EXCLUSIVE, numbers.tobytes()), Message(MessageKind.EXCLUSIVE, b"\3")]
    assert made_up == real
    victim = Judgement(pair[party - 1].result, halves[party - 1])
    victim.start()
    for message in made_up:
        victim.receive(message)
    assert victim.result[0].to_dict() == looks[party - 1].result[0].to_dict()


@pytest.mark.parametrize("salt", [b"", bytes(range(32))], ids=["without a salt", "with a salt"])
@pytest.mark.parametrize("own", [0, 1], ids=["first", "second"])
def test_the_search_for_common_people_can_be_simulated(own: int, salt: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the own ids, the common ones and how many the partner has: a point for each, and its mask for common ids."""
    ids = [f"person {number}" for number in range(20)], [f"person {number}" for number in range(31, 7, -1)]
    searches = [Intersection(each, first=which == 0, salt=salt) for which, each in enumerate(ids)]
    real = talk(*searches)[1 - own]
    common = {ids[own][position] for position in searches[own].result.tolist()}
    assert len(common) == 12
    theirs = len(ids[1 - own])

    drawn: list[bytes] = []

    def remembered(length: int) -> bytes:
        drawn.append(random_bytes(length))
        return drawn[-1]

    monkeypatch.setattr(alignment, "random_bytes", remembered)
    monkeypatch.setattr(equality, "random_bytes", remembered)
    victim = Intersection(ids[own], first=own == 0, salt=salt)
    received: list[Message] = []

    def answer(payload: bytes) -> bytes:
        received.append(Message(MessageKind.INTERSECTION, payload))
        return b"".join(message.payload for message in victim.receive(received[-1]))

    [opening] = victim.start()
    nonce = random_bytes(32)
    nonces = (opening.payload, nonce) if own == 0 else (nonce, opening.payload)
    session = digest(*nonces, b"", domain=b"intersection")
    answer(nonce)
    anyone = mask(random_bytes(32), maskable(random_bytes(32), domain=b"anyone"))
    answer(anyone)  # a random point; and the tag, since salts are the same and the own secret is known
    party = Role.SECOND if own == 0 else Role.FIRST
    answer(equality._tag(mask(drawn[1], anyone), session, party, b"salt"))  # noqa: SLF001 - as the partner would
    sent = answer(theirs.to_bytes(8, "big"))
    points = [mask(random_bytes(32), maskable(random_bytes(32), domain=b"anyone")) for _ in range(theirs)]
    answer(b"".join(sorted(points)))
    domain = b"person/" + session
    of_common = dict(zip(common, points, strict=False))
    answers = {
        mask(drawn[2], maskable(key.encode(), domain=domain)): mask(
            drawn[2], of_common.get(each) or maskable(random_bytes(32), domain=b"nobody")
        )
        for each, key in zip(ids[own], keys_of(ids[own], salt), strict=True)
    }
    asked = [sent[start : start + 32] for start in range(0, len(sent), 32)]
    answer(b"".join(map(answers.__getitem__, asked)))
    assert victim.result.tolist() == searches[own].result.tolist()
    assert [(one.kind, len(one.payload)) for one in received] == [(one.kind, len(one.payload)) for one in real]
    masked = [real[4].payload[start : start + 32] for start in range(0, len(real[4].payload), 32)]
    assert masked == sorted(masked)  # not in the order of a file


def deviation(payload: bytes) -> float:
    """Return by how many standard deviations the counts of byte values are off (chi-squared, 255 degrees)."""
    counts = np.bincount(np.frombuffer(payload, np.uint8), minlength=256)
    expected = len(payload) / 256
    return float((((counts - expected) ** 2 / expected).sum() - 255) / np.sqrt(2 * 255))


def received_where_rows_are_sparse(*, dual: bool) -> dict[MessageKind, bytes]:
    """Return what the first party receives where nearly all bits are zeros, so that a missing mask would show."""
    rows = ["abcwxyz" if row % 10 == 0 else "" for row in range(4000)]
    halves = columns_of(rows, "abc"), columns_of(rows, "wxyz")
    first, second = sessions(halves, min_support=300, k=2, dual=dual)
    _, received = talk(first, second)
    return {kind: b"".join(message.payload for message in received if message.kind is kind) for kind in MessageKind}


@pytest.fixture(scope="module")
def sparse_transcript() -> dict[MessageKind, bytes]:
    return received_where_rows_are_sparse(dual=False)


def test_what_is_masked_looks_random_where_it_is_computed_twice() -> None:
    received = received_where_rows_are_sparse(dual=True)
    for kind in (MessageKind.EXTENSION, MessageKind.CORRECTIONS, MessageKind.GARBLED):
        assert len(received[kind]) > 5 * 256
        assert abs(deviation(received[kind])) < 6, kind


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
