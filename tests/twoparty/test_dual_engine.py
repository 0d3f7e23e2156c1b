"""The engine that computes twice finds what the others find, and its parts do what they say."""

from __future__ import annotations

import numpy as np
import pytest

import discreet
from discreet import _kernel
from discreet.errors import Disagreement, InternalFault, ParameterError, ProtocolViolation
from discreet.itemsets import Itemsets
from discreet.twoparty.agreement import MOST_ROWS_TWICE, Proposal, Role
from discreet.twoparty.column_proof import MASKS, check_columns, parts_of, prove_columns
from discreet.twoparty.dual_engine import start_dual_engine
from discreet.twoparty.equality import hold_the_same
from discreet.twoparty.garbling import Evaluator, Garbler, any_of, below, lowest
from discreet.twoparty.gmw import unpack_bits
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.oblivious_transfer import set_up_transfers
from discreet.twoparty.primitives import RowHash, random_bits
from discreet.twoparty.ring import Ring
from tests.twoparty_pair import both, columns_of, dealt, mine_together, random_rows, sessions, talk


def secret_word_pair(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**63, 2).astype(np.uint64) | np.array([1, 0], np.uint64)


# ---------------------------------------------------------------------------------------------------- whole sessions


@pytest.mark.parametrize("seed", range(8))
def test_it_finds_what_the_trusted_party_finds(seed: int) -> None:
    rows = random_rows(seed)
    halves = columns_of(rows, "aceg"), columns_of(rows, "bdfh")
    wanted = {"min_support": max(1, len(rows) // 4), "k": 2 + seed % 3}
    expected = mine_together(halves, plaintext=True, **wanted)
    assert mine_together(halves, dual=True, **wanted).to_dict() == expected.to_dict()


def test_it_finds_what_the_other_engine_finds_in_mushroom(data_folder) -> None:
    rows = discreet.read(data_folder / "mushroom.dat.gz")
    halves = dealt(rows, 4874)
    expected = mine_together(halves, min_support=4874, k=10)
    assert expected.withheld
    assert mine_together(halves, min_support=4874, k=10, dual=True).to_dict() == expected.to_dict()


def test_a_side_without_frequent_items_is_no_hindrance() -> None:
    halves = columns_of(["a", "a", "ab"], "ab"), columns_of(["x", "", ""], "x")
    found = mine_together(halves, min_support=3, k=2, dual=True)
    assert [(sorted(x), count) for x, count in found.patterns] == [(["a"], 3)]


def test_both_sides_must_want_it() -> None:
    halves = columns_of(["a", "a"], "a"), columns_of(["x", "x"], "x")
    first, _ = sessions(halves, min_support=1, k=2, dual=True)
    _, second = sessions(halves, min_support=1, k=2)
    with pytest.raises(Disagreement, match="computing twice: no, and this side computing twice: yes"):
        talk(first, second)


@pytest.mark.parametrize("wanted", [{"protocol": "dka-sapm"}, {"horizontal": True}, {"rows": MOST_ROWS_TWICE + 1}])
def test_it_is_refused_where_it_cannot_be_had(wanted) -> None:
    with pytest.raises(ParameterError, match="dual"):
        Proposal(**{"protocol": "ic-sapm", "rows": 100, "min_support": 3, "k": 2, "dual": True, **wanted})


# ---------------------------------------------------------------------------------------------------- the engine


@pytest.mark.parametrize("n", [1, 12, 32_767, 32_768, MOST_ROWS_TWICE])
def test_counts_are_compared_and_opened(n: int) -> None:
    numbers = np.array(sorted({0, 1, n // 3, n // 2, max(0, n - 1), n}))
    one, other = both(*(start_dual_engine(party, Ring(n), b"a session") for party in Role))
    shares = one.public(numbers), other.public(numbers)
    for threshold in {1, n // 2 + 1, n, n + 7}:
        opened = both(one.at_least(shares[0], threshold), other.at_least(shares[1], threshold))
        assert opened[0].tolist() == opened[1].tolist() == (numbers >= threshold).tolist()
    assert both(one.open(shares[0]), other.open(shares[1]))[1].tolist() == numbers.tolist()


def test_any_count_in_an_interval_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.twoparty.dual_engine._VALUES", 16)  # several batches
    chance = np.random.default_rng(4)
    one, other = both(*(start_dual_engine(party, Ring(12), b"a session") for party in Role))
    for groups in (4, 32):
        rows = chance.choice([0, 0, 0, 1, 2, 6, 12], (7, groups), p=[0.3, 0.3, 0.3, 0.02, 0.02, 0.03, 0.03])
        for high in (2, 3, 8, 21):
            opened = both(*(each.any_in_interval(each.public(rows), 1, high) for each in (one, other)))
            assert opened[0].tolist() == opened[1].tolist() == ((rows >= 1) & (rows < high)).any(axis=1).tolist()


def test_more_groups_than_fit_in_a_message_are_refused() -> None:
    one, _ = both(*(start_dual_engine(party, Ring(12), b"a session") for party in Role))
    with pytest.raises(ParameterError, match="2,097,152 groups"):
        next(one.any_in_interval(np.zeros((1, 1 << 21, 4), np.uint64), 1, 2))


# ---------------------------------------------------------------------------------------------------- garbling


@pytest.mark.parametrize("width", [1, 2, 5])
def test_garbled_comparisons_follow_their_truth_table(width: int) -> None:
    secret, row_hash = secret_word_pair(1), RowHash(b"a session", domain=b"test")
    size = 1 << width
    numbers, masks = (each.reshape(-1).astype(np.uint64) for each in np.meshgrid(np.arange(size), np.arange(size)))
    bits = (numbers[None] >> np.arange(width, dtype=np.uint64)[:, None] & np.uint64(1))[..., None]
    zeros = np.random.default_rng(2).integers(0, 2**63, (width, len(numbers), 2)).astype(np.uint64)
    garbler = Garbler(secret, row_hash, 5)
    given = below(garbler, zeros, masks)
    assert len(b"".join(garbler.tables)) == 32 * (width - 1) * len(numbers)
    evaluator = Evaluator(b"".join(garbler.tables), row_hash, 5)
    held = below(evaluator, zeros ^ bits * secret, np.zeros_like(masks))
    evaluator.finish()
    signs = ((numbers - masks) >> np.uint64(width - 1) & np.uint64(1)).astype(np.uint8)
    assert (lowest(held) ^ lowest(given) == signs).all()
    assert (held == given ^ signs[:, None] * secret).all()


def test_garbled_disjunctions_follow_their_truth_table_and_tables_are_all_used() -> None:
    secret, row_hash = secret_word_pair(3), RowHash(b"a session", domain=b"test")
    bits = unpack_bits(np.arange(32, dtype=np.uint8)[:, None], 5).T
    zeros = np.random.default_rng(2).integers(0, 2**63, (5, 32, 2)).astype(np.uint64)
    garbler = Garbler(secret, row_hash, 0)
    given = any_of(garbler, zeros)
    evaluator = Evaluator(b"".join(garbler.tables) + bytes(16), row_hash, 0)
    held = any_of(evaluator, zeros ^ bits[..., None] * secret)
    assert (lowest(held) ^ lowest(given) == bits.any(axis=0)).all()
    with pytest.raises(InternalFault, match="tables came"):
        evaluator.finish()


# ---------------------------------------------------------------------------------------------------- columns

NAMES = Itemsets.from_lengths(np.array([1, 1, 1, 2, 2, 2, 3]), np.array([0, 1, 2, 0, 1, 0, 2, 1, 2, 0, 1, 2], np.int32))


def test_itemsets_are_made_of_a_smaller_one_and_their_last_item() -> None:
    assert parts_of(NAMES, 3).tolist() == [[0, 1, 3], [0, 2, 4], [1, 2, 5], [3, 2, 6]]


@pytest.mark.parametrize("wrong", [None, (3, 0), (6, 40), (5, 13)], ids=str)
def test_columns_that_are_not_those_of_their_items_are_noticed(wrong: tuple[int, int] | None) -> None:
    bits = np.random.default_rng(1).integers(0, 2, (7, 41), dtype=np.uint8)
    for number, items in enumerate(NAMES):
        bits[number] = bits[list(items)].all(axis=0)
    if wrong is not None:
        bits[wrong] ^= 1
    prover, verifier = both(*(set_up_transfers(party, b"a session") for party in Role))
    choices = np.concatenate([np.packbits(bits.reshape(-1), bitorder="little"), random_bits(MASKS // 8)])
    payload, held = prover.receiver.extend(choices)
    given = verifier.sender.extend(payload)
    rows, zeros = (each.take_plain(8 * (len(choices) - 16))[0][: bits.size].reshape(7, 41, 2) for each in (held, given))
    masks, zero_masks = (each.take_plain(MASKS)[0] for each in (held, given))
    parts = parts_of(NAMES, 3)
    proof = prove_columns(rows, bits, parts, masks=masks, masking=unpack_bits(choices[-16:], MASKS), seed=b"seed")
    secret = verifier.sender.secret
    assert check_columns(zeros, secret, parts, masks=zero_masks, seed=b"seed", proof=proof) == (wrong is None)
    assert not check_columns(zeros, secret, parts, masks=zero_masks, seed=b"other", proof=proof)


@pytest.mark.parametrize("portable", [False, True], ids=["fast", "portable"])
def test_elements_are_multiplied(*, portable: bool) -> None:
    chance = np.random.default_rng(7)
    one, other = chance.integers(0, 2**64, (2, 40), dtype=np.uint64)
    products = _kernel.multiply_elements(one, other, portable=portable)
    as_numbers = [
        int.from_bytes(each.tobytes(), "little") for part in (one, other, products) for each in part.reshape(-1, 2)
    ]
    for a, b, product in zip(*(as_numbers[start : start + 20] for start in (0, 20, 40)), strict=True):
        value = 0
        for bit in reversed(range(128)):
            value = value << 1 ^ (0x87 | 1 << 128 if value >> 127 else 0) ^ (a if b >> bit & 1 else 0)
        assert product == value


# ---------------------------------------------------------------------------------------------------- equality


@pytest.mark.parametrize("same", [True, False])
def test_strings_are_compared(*, same: bool) -> None:
    strings = b"one", b"one" if same else b"other"
    told = both(
        *(
            hold_the_same(MessageKind.COMPARISON, string, party=party, session_id=b"s", domain=b"d")
            for party, string in zip(Role, strings, strict=True)
        )
    )
    assert told == (same, same)


def test_an_echo_proves_nothing() -> None:
    steps = hold_the_same(MessageKind.COMPARISON, b"one", party=Role.FIRST, session_id=b"s", domain=b"d")
    message = next(steps)
    next(steps)
    tag = steps.send(message.payload)
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(tag.payload)
    assert end.value.value is False


def test_a_session_that_is_not_compared_is_not_believed() -> None:
    """The engines notice a share that is off by one on one side alone, before anything is opened."""
    one, other = both(*(start_dual_engine(party, Ring(12), b"a session") for party in Role))
    wrong = one.public(np.array([5]))
    wrong[0, 0] += 1
    with pytest.raises(ProtocolViolation, match="do not agree"):
        both(one.at_least(wrong, 3), other.at_least(other.public(np.array([5])), 3))
