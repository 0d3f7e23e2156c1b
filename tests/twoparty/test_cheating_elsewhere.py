"""A partner with changed software, around the counts: which rows count, who is common, points, secrets, labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import discreet
from discreet.cli.main import main
from discreet.errors import Disagreement, PartnerError, ProtocolViolation
from discreet.transactions.transactions import Transactions
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.alignment import Intersection, rows_digest, select_people
from discreet.twoparty.equality import hold_the_same
from discreet.twoparty.gmw import pack_bits
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.oblivious_transfer import set_up_transfers
from discreet.twoparty.session import Session
from discreet.twoparty.steps import Conversation
from tests.twoparty.test_cheating import SIDES, crowd
from tests.twoparty_cheats import Cheat, against
from tests.twoparty_dual_cheats import DualCheat
from tests.twoparty_pair import columns_of, mine_together, talk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.ring import Ring, SecretShares
    from discreet.twoparty.steps import Steps

K = 5


def halves() -> tuple[Transactions, Transactions]:
    rows = crowd()[:80] * 3
    return columns_of(rows, "aceg"), columns_of(rows, "bdfh")


def few_columns() -> tuple[Transactions, Transactions]:
    """Return halves about which an audit is quick to decide, whatever lies their supports hold."""
    rows = crowd()[:80] * 3
    return columns_of(rows, "ac"), columns_of(rows, "bd")


def check(result: JointPatterns | PartnerError, halves: tuple[Transactions, Transactions], *, first: bool) -> None:
    """Check that nothing was written, or what may be: no group, and no more of our own columns than we have."""
    if isinstance(result, PartnerError):
        return
    audit = discreet.audit(result.patterns, k=K) if len(result.patterns) else None
    assert audit is None or (not len(audit.channels) and not len(audit.border or ()))
    own = halves[1 if first else 0]
    for itemset, support in result.patterns:
        if itemset <= set(own.vocabulary):
            assert support <= sum(itemset <= set(row) for row in own)


# ------------------------------------------------------------------------------------------------ which rows count


class LiesAboutRows(Cheat):
    """Opens other bits than its share of which rows are done: blindly, before it has seen ours."""

    way, rounds = "", 0

    def open_bits(self, bits: NDArray[np.uint8], count: int) -> Steps[NDArray[np.bool_]]:
        """Flip all, the first two, or some; a session that does not end is given up."""
        self.rounds += 1
        if self.rounds > 20:
            raise AssertionError("the session does not end")
        lie = {"all": np.full_like(bits, 255), "two": np.zeros_like(bits), "some": np.full_like(bits, 0b1011)}[self.way]
        lie[0] |= 3
        return super().open_bits(bits ^ lie, count)


@SIDES
@pytest.mark.parametrize("way", ["all", "two", "some"])
def test_bits_that_no_round_gives_end_it(way: str, first: bool) -> None:
    """Flipped bits would leave the same rows for ever, or fewer than k of them."""
    kind = type("Lies", (LiesAboutRows,), {"way": way})
    result, cheat = against(kind, halves(), first=first, min_support=60, k=K, protocol="dka-sapm", iterate=True)
    assert isinstance(result, ProtocolViolation)
    assert "bits that say of rows what cannot be said" in str(result)
    assert cheat.rounds <= 3


class KeepsOtherRows(Cheat):
    """Flips its share of the bit that says which rows count: all that were to be cleared count, and no others."""

    def share_kept(self, keys: NDArray[np.int64], most: int, size: int) -> Steps[NDArray[np.uint8]]:
        """Flip the share."""
        return ~(yield from super().share_kept(keys, most, size))


class CallsEveryGroupLarge(Cheat):
    """Says of every pair of classes that it has k rows more."""

    def _count_and_mark(self, keys: NDArray[np.int64], most: int, size: int) -> Steps[NDArray[np.uint8]]:
        below = self._below
        self._below = lambda shares, number: below(shares + self.ring.dtype.type(size), number)  # type: ignore[method-assign]
        result = yield from super()._count_and_mark(keys, most, size)
        self._below = below  # type: ignore[method-assign]
        return result


@SIDES
@pytest.mark.parametrize("kind", [KeepsOtherRows, CallsEveryGroupLarge])
def test_a_lie_about_which_rows_count_gets_no_group_of_fewer_than_k_written(kind: type[Cheat], first: bool) -> None:
    result, _ = against(kind, few_columns(), first=first, min_support=60, k=K, protocol="dka-sapm")
    check(result, few_columns(), first=first)


class CallsEverythingFrequent(Cheat):
    """Answers "frequent?" so that it reads yes."""

    def at_least(self, shares: SecretShares, threshold: int) -> Steps[NDArray[np.bool_]]:
        """Flip the shares of the answers, of which most are no."""
        steps = super().at_least(shares, threshold)
        return steps if len(shares) < 3 else self._as(0, steps)


@SIDES
@pytest.mark.parametrize("protocol", ["ic-sapm", "dka-sapm"])
def test_what_is_called_frequent_and_is_not_is_never_written(protocol: str, first: bool) -> None:
    result, _ = against(CallsEverythingFrequent, halves(), first=first, min_support=130, k=K, protocol=protocol)
    assert isinstance(result, ProtocolViolation) or all(support >= 130 for _, support in result.patterns)
    check(result, halves(), first=first)


# --------------------------------------------------------------------------------------------------- who is common


IDS = [f"P{number:02}" for number in range(20)]


@pytest.mark.parametrize("way", ["echo", "one point"])
def test_people_that_a_partner_only_claims_to_have_do_not_pass_step_2(way: str) -> None:
    """Who sends our own points back, or one point for all, has every person in common, and cannot say who they are."""
    searches = Intersection(IDS, first=True), Intersection([f"X{number}" for number in range(20)], first=False)
    victim, cheat = searches
    to_victim, to_cheat = cheat.start(), victim.start()
    seen: list[bytes] = []  # what the victim sent: its points, then the cheat's with its mask on top

    def changed(message: Message) -> Message:
        if len(message.payload) != 32 * len(IDS):
            return message
        points = [message.payload[at : at + 32] for at in range(0, len(message.payload), 32)]
        if way == "one point":
            points = points[:1] * len(IDS) if len(seen) < 2 else [seen[1][:32]] * len(IDS)
            return Message(message.kind, b"".join(points))
        return Message(message.kind, seen[0] if len(seen) < 2 else seen[1])

    while not victim.finished:
        answers = []
        if to_cheat and len(to_cheat[0].payload) == 32 * len(IDS):
            seen += [each.payload for each in to_cheat]
        for message in to_victim:
            answers += victim.receive(changed(message) if seen else message)
        to_victim, to_cheat = (
            ([] if cheat.finished else [said for each in to_cheat for said in cheat.receive(each)]),
            answers,
        )
    assert len(victim.result) == len(IDS)  # all, it says
    rows = columns_of(crowd()[: len(IDS)], "ac")
    kept = select_people(rows, victim.result)
    wanted = Proposal(protocol="ic-sapm", rows=len(kept), min_support=5, k=2)
    ours = Session(Role.FIRST, wanted, kept, row_ids=rows_digest([IDS[each] for each in victim.result.tolist()]))
    theirs = Session(Role.SECOND, wanted, kept, row_ids=rows_digest([f"X{number}" for number in range(20)]))
    with pytest.raises(Disagreement, match="same people in the same order"):
        talk(ours, theirs)
    assert ours.bytes_sent < 300


# ------------------------------------------------------------------------------------------------ points and secrets


SMALL = [
    0,
    1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
    2**255 - 20,
    2**255 - 19,
    2**255 - 18,
]
"""The coordinates of all points of small order on Curve25519 and its twist, and what is read as one of them."""


@pytest.mark.parametrize("top", [0, 1 << 255], ids=["", "top bit"])
@pytest.mark.parametrize("number", SMALL)
def test_a_comparison_takes_no_point_whose_multiples_are_known(number: int, top: int) -> None:
    """With such a point the tag of any string would be known, and two computations that differ would seem the same."""
    steps = hold_the_same(MessageKind.COMPARISON, b"ours", party=Role.FIRST, session_id=b"s", domain=b"d")
    comparing = Conversation(steps)
    comparing.start()
    with pytest.raises(ProtocolViolation, match="not a point"):
        comparing.receive(Message(MessageKind.COMPARISON, (number | top).to_bytes(32, "little")))


def test_base_transfers_that_are_sent_back_give_no_key() -> None:
    """Directions are in every hash: what is reflected makes keys that nobody else has, and differ from each other."""
    own = Conversation(set_up_transfers(Role.FIRST, b"s"))
    [said] = own.start()
    own.receive(said)
    transfers = own.result
    payload, _ = transfers.receiver.extend(np.zeros(16, np.uint8))
    with pytest.raises(ProtocolViolation, match="contradict each other"):
        transfers.sender.extend(payload)


class NoSlope(DualCheat):
    """Has no slope: its tags say nothing of numbers, so that the partner could enter any."""

    def __init__(self, ring: Ring, transfers: Any, session_id: bytes) -> None:
        """Take 0 for R."""
        super().__init__(ring, transfers, session_id)
        self._scale = np.uint64(0)


class SaysTheOpposite(DualCheat):
    """Says of its labels the opposite of what they stand for."""

    def _open_bits(self, held: Any, given: Any) -> Steps[NDArray[np.bool_]]:
        turned = given.copy()
        turned[:, 0] ^= np.uint64(1)
        return super()._open_bits(held, turned)


class CountsAllRows(DualCheat):
    """Counts all rows wherever it garbles a count of one of its columns."""

    def _corrections(self, piece: Any, shares: NDArray[np.uint64]) -> bytes:
        kept = self._own
        self._own = np.repeat(pack_bits(np.ones((1, self.ring.n), np.uint8)), len(kept), axis=0)
        corrections = super()._corrections(piece, shares)
        self._own = kept
        return corrections


class LeavesOutTheProof(DualCheat):
    """Proves nothing: the proof of another column."""

    def _prove(self, own: Any, partner: Any, masks: Any) -> Steps[None]:
        changed = masks._replace(choices=1 - masks.choices)
        return super()._prove(own, partner, changed)


@SIDES
@pytest.mark.parametrize("kind", [NoSlope, SaysTheOpposite, CountsAllRows, LeavesOutTheProof])
def test_no_lie_changes_the_result_where_it_is_computed_twice(kind: type[DualCheat], first: bool) -> None:
    result, _ = against(kind, few_columns(), first=first, min_support=60, k=K, dual=True)
    if isinstance(result, ProtocolViolation):
        return
    assert kind is NoSlope  # it harms itself alone
    assert dict(result.patterns) == dict(mine_together(few_columns(), min_support=60, k=K, dual=True).patterns)


# ----------------------------------------------------------------------------------------------------------- labels


def test_a_label_of_the_partner_cannot_write_on_our_terminal(
    mine: Any, capfd: pytest.CaptureFixture[str], tmp_path
) -> None:
    """Labels come from the partner's file: what they hold for a terminal is shown, and not done."""
    evil = "\x1b]0;owned\x07\x1b[2Jpaid\r\n\u202ein full"
    rows = Transactions.from_rows([[evil]] * 9 + [[]] * 3)
    ours = Transactions.from_rows([["flu"]] * 9 + [[]] * 3)
    done, _ = (each.result() for each in mine(ours, rows, min_support=4, k=3))
    assert any(evil in itemset for itemset, _ in done.patterns)
    file = tmp_path / "joint.json"
    discreet.write_patterns(done.patterns, file)
    assert main(["audit", "--patterns", str(file), "-k", "3"]) == 1  # a selection: nothing found is not safe
    out = capfd.readouterr()
    assert not {"\x1b", "\x07", "\r", "\u202e"} & set(out.out + out.err)
