"""The engine on oblivious transfers computes what the trusted party computes, and uses nothing twice."""

from __future__ import annotations

import numpy as np
import pytest

from discreet import _kernel
from discreet.errors import InternalFault, ProtocolViolation
from discreet.twoparty.agreement import Role
from discreet.twoparty.engine import start_transfer_engine
from discreet.twoparty.gmw import BitCircuits, pack_bits, unpack_bits
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.oblivious_transfer import COLUMNS, set_up_transfers
from discreet.twoparty.primitives import RowHash, digest
from discreet.twoparty.ring import Ring
from discreet.twoparty.steps import Conversation
from tests.strategies import seeds
from tests.twoparty_pair import both, talk
from tests.twoparty_plaintext import TrustedParty

ENGINES = pytest.mark.parametrize("make", [start_transfer_engine, None], ids=["transfers", "plaintext"])


def engines(n, make):
    start = make or TrustedParty(n).start_engine
    return both(*(start(party, Ring(n), b"a session") for party in Role))


def split(numbers, ring, seed=1):
    mask = np.random.default_rng(seed).integers(0, 2**32, np.shape(numbers)).astype(ring.dtype)
    return mask, np.asarray(numbers).astype(ring.dtype) - mask


@ENGINES
@pytest.mark.parametrize("n", [1, 7, 8, 100, 32_767, 32_768])
def test_dot_products_are_shared(n, make) -> None:
    chance = np.random.default_rng(n)
    first = chance.integers(0, 2, (5, n), dtype=np.uint8)
    second = chance.integers(0, 2, (3, n), dtype=np.uint8)
    first[0] = second[0] = 1  # the count n itself
    pairs = np.array([(i, j) for i in range(5) for j in range(3) if (i + j) % 4 != 3])
    one, other = engines(n, make)
    shares = both(one.share_dot_products(pack_bits(first), pairs), other.share_dot_products(pack_bits(second), pairs))
    expected = [int(first[i].astype(int) @ second[j]) for i, j in pairs]
    assert (shares[0] + shares[1]).tolist() == expected
    assert both(one.open(shares[0]), other.open(shares[1]))[0].tolist() == expected


def test_long_columns_are_shared_in_batches() -> None:
    n = 70_000
    chance = np.random.default_rng(3)
    columns = chance.integers(0, 2, (2, 9, n), dtype=np.uint8)
    pairs = np.stack(np.meshgrid(np.arange(9), np.arange(4)), axis=-1).reshape(-1, 2)
    one, other = engines(n, start_transfer_engine)
    machines = [
        Conversation(engine.share_dot_products(pack_bits(own), pairs))
        for engine, own in zip((one, other), columns, strict=True)
    ]
    sent = talk(*machines)
    counts = [int(columns[0, i].astype(int) @ columns[1, j]) for i, j in pairs]
    assert (machines[0].result + machines[1].result).tolist() == counts
    assert len(sent[0]) > 1
    assert max(len(message.payload) for messages in sent for message in messages) <= 1 << 22


@ENGINES
@pytest.mark.parametrize("n", [1, 12, 32_767, 32_768, 2**31 - 1])
def test_counts_are_compared(n, make) -> None:
    numbers = sorted({0, 1, n // 3, n // 2, max(0, n - 1), n})
    one, other = engines(n, make)
    for threshold in {1, 2, n // 2 + 1, n, n + 1, n + 7}:
        shares = split(numbers, Ring(n), seed=threshold)
        opened = both(one.at_least(shares[0], threshold), other.at_least(shares[1], threshold))
        assert opened[0].tolist() == opened[1].tolist() == [number >= threshold for number in numbers]


@ENGINES
@pytest.mark.parametrize("n", [12, 40_000])
def test_any_count_in_an_interval_is_found(n, make) -> None:
    chance = np.random.default_rng(n)
    one, other = engines(n, make)
    for high in (2, 3, n // 2 + 2, n + 1, n + 9):
        rows = chance.choice([0, 0, 0, 1, 2, n // 2, n], (37, 4))
        shares = split(rows, Ring(n), seed=high)
        opened = both(one.any_in_interval(shares[0], 1, high), other.any_in_interval(shares[1], 1, high))
        expected = ((rows >= 1) & (rows < high)).any(axis=1).tolist()
        assert opened[0].tolist() == opened[1].tolist() == expected


@ENGINES
def test_nothing_to_do_is_done(make) -> None:
    one, other = engines(9, make)
    nothing = np.zeros(0, Ring(9).dtype)
    assert both(one.at_least(nothing, 3), other.at_least(nothing, 3))[0].tolist() == []
    assert both(one.open(nothing), other.open(nothing))[0].tolist() == []


def test_circuits_follow_their_truth_tables() -> None:
    transfers = both(*(set_up_transfers(party, b"a session") for party in Role))
    first, second = (BitCircuits(each) for each in transfers)
    chance = np.random.default_rng(5)
    one, other = chance.integers(0, 2, (2, 3, 21), dtype=np.uint8)
    mask = chance.integers(0, 256, (2, 3, 3), dtype=np.uint8)
    packed = pack_bits(one), pack_bits(other)

    result = both(first.both(mask[0], mask[1]), second.both(mask[0] ^ packed[0], mask[1] ^ packed[1]))
    assert (unpack_bits(result[0] ^ result[1], 21) == (one & other)).all()
    result = both(first.any_of(mask[0]), second.any_of(mask[0] ^ packed[0]))
    assert (unpack_bits(result[0] ^ result[1], 21) == one.any(axis=0)).all()
    result = both(first.less(mask[0], mask[1]), second.less(mask[0] ^ packed[0], mask[1] ^ packed[1]))
    weights = np.array([1, 2, 4])
    assert (unpack_bits(result[0] ^ result[1], 21) == (weights @ one < weights @ other)).all()
    pair = both(first.controls(mask[0, 0], 3), second.controls(mask[0, 0] ^ packed[0][0], 3))
    for rows in (slice(2), slice(2, 3)):  # in two parts, each masked by bits of its own
        result = both(pair[0].multiply(mask[1][rows]), pair[1].multiply((mask[1] ^ packed[1])[rows]))
        assert (unpack_bits(result[0] ^ result[1], 21) == (one[0] & other[rows])).all()
    with pytest.raises(InternalFault, match="1 bits are to be multiplied where 0 are prepared"):
        both(pair[0].multiply(mask[1][:1]), pair[1].multiply(mask[1][:1]))
    result = both(first.carry(packed[0]), second.carry(packed[1]))
    assert (unpack_bits(result[0] ^ result[1], 21) == (weights @ one + weights @ other >= 8)).all()


def test_the_receiver_gets_the_pad_it_chose_and_rows_are_used_once() -> None:
    first, second = both(*(set_up_transfers(party, b"a session") for party in Role))
    choices = np.array([0b10110010, 0b00000001], np.uint8)
    columns, chosen = first.receiver.extend(choices)
    rows = second.sender.extend(columns)
    seen = set()
    for bits in np.split(unpack_bits(choices, 16), 2):
        zero, one = rows.take(8, blocks=2)
        got = chosen.take(8, blocks=2)
        assert (got == np.where(bits[:, None], one, zero)).all()
        assert (got != np.where(bits[:, None], zero, one)).any(axis=1).all()
        seen |= {pad.tobytes() for pads in (zero, one) for pad in np.split(pads, 2, axis=1) for pad in pad}
    assert len(seen) == 2 * 2 * 16  # no pad occurs twice
    with pytest.raises(InternalFault, match="1 rows of transfers are wanted where 0 are left"):
        rows.take(1)
    with pytest.raises(InternalFault, match="1 rows of transfers are wanted where 0 are left"):
        chosen.take(1)


def test_extending_twice_gives_other_columns_and_other_pads() -> None:
    first, second = both(*(set_up_transfers(party, b"a session") for party in Role))
    choices = np.zeros(4, np.uint8)
    one, first_rows = first.receiver.extend(choices)
    other, second_rows = first.receiver.extend(choices)
    assert one != other
    assert not (first_rows.take(32) == second_rows.take(32)).all(axis=1).any()
    assert len(second.sender.extend(one)) == 32


def test_pads_differ_by_session_direction_row_and_block() -> None:
    rows = np.zeros((4, 2), np.uint64)
    pads = [
        RowHash(session, domain=direction).pads(rows, first=first, blocks=2).reshape(-1, 2)
        for session in (b"one", b"other")
        for direction in (b"to", b"fro")
        for first in (0, 4)
    ]
    assert len({pad.tobytes() for pad in np.concatenate(pads)}) == 2 * 2 * 8 * 2


def test_digests_tell_lists_of_parts_apart() -> None:
    digests = {
        digest(*parts, domain=domain)
        for parts in ((b"ab", b"c"), (b"a", b"bc"), (b"abc",), (b"abc", b""))
        for domain in (b"x", b"y")
    }
    assert len(digests) == 8


@pytest.mark.parametrize(
    "point",
    [
        bytes(32),  # of order 4
        (1).to_bytes(32, "little"),  # the neutral element
        ((2**255 - 19) + 1).to_bytes(32, "little"),  # the neutral element, not canonical
        bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"),  # of order 8
        b"\x02" + bytes(31),  # not on the curve
    ],
    ids=["order 4", "neutral", "not canonical", "order 8", "off the curve"],
)
def test_a_point_outside_the_group_is_refused(point: bytes) -> None:
    for place in (0, 1, 2, 200, 256):
        session = Conversation(set_up_transfers(Role.FIRST, b"a session"))
        [message] = session.start()
        spoilt = bytearray(message.payload)
        spoilt[place * 32 : (place + 1) * 32] = point
        with pytest.raises(ProtocolViolation, match="not a point of the curve's group"):
            session.receive(Message(MessageKind.BASE_OT, bytes(spoilt)))


@pytest.mark.parametrize("portable", [False, True], ids=["fast", "portable"])
@pytest.mark.parametrize("length", [16, 17, 32, 47, 100])
def test_columns_are_hashed_by_a_polynomial(length: int, *, portable: bool) -> None:
    chance = np.random.default_rng(length)
    columns = chance.integers(0, 256, (3, length), dtype=np.uint8)
    key = chance.integers(0, 256, 16, dtype=np.uint8)
    hashes = _kernel.hash_columns(columns.reshape(-1), count=3, key=key, portable=portable).reshape(3, 16)
    assert [number(each) for each in hashes] == [polynomial(each, number(key)) for each in columns]


def number(block: np.ndarray) -> int:
    return int.from_bytes(block.tobytes(), "little")


def polynomial(column: np.ndarray, at: int) -> int:
    """Evaluate the blocks of a column as a polynomial over GF(2^128), schoolbook."""
    body = column[:-16]
    value = 0
    for block in [*(body[start : start + 16] for start in range(0, len(body), 16)), column[-16:]]:
        product, power = 0, value
        for bit in range(128):
            product ^= power if at >> bit & 1 else 0
            power = power << 1 ^ (0x87 | 1 << 128 if power >> 127 else 0)
        value = product ^ number(block)
    return value


@pytest.mark.parametrize("rows", [8, 136, 1000])
def test_an_extension_whose_columns_differ_is_refused(rows: int) -> None:
    """A bit of one column flipped passes only if the secret's bit for that column is 0, and so tells that one bit."""
    chance = np.random.default_rng(rows)
    refused = 0
    for _ in seeds(4):
        first, second = both(*(set_up_transfers(party, b"a session") for party in Role))
        payload, _ = first.receiver.extend(chance.integers(0, 256, rows // 8, dtype=np.uint8))
        spoilt = bytearray(payload)
        column, bit = int(chance.integers(COLUMNS)), int(chance.integers(rows + COLUMNS))
        spoilt[column * (rows // 8 + 16) + bit // 8] ^= 1 << bit % 8
        with pytest.raises(ProtocolViolation, match="transfers contradict each other"):
            second.sender.extend(bytes(spoilt))  # the point of the hash has changed with the columns
        refused += 1
    assert refused == len(seeds(4))


def test_bits_are_turned_round() -> None:
    columns = np.random.default_rng(2).integers(0, 256, (COLUMNS, 37), dtype=np.uint8)
    rows = _kernel.transpose_columns(columns.reshape(-1)).view(np.uint8).reshape(-1, COLUMNS // 8)
    assert (unpack_bits(rows, COLUMNS) == unpack_bits(columns, 37 * 8).T).all()
