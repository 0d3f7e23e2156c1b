"""Every kind of message wrong in DkA-SAPM, in its rounds, among different people, three owners, and around a session.

As `test_mutations` for IC-SAPM: the partner follows the protocol but for one message, in either role. The honest side
ends with an error, or with what it may write: no group of fewer than k, nothing that its own rows contradict.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import discreet
from discreet.cli.main import main
from discreet.errors import Disagreement, ParameterError, PartnerError
from discreet.transactions.transactions import Transactions
from discreet.twoparty import owners as owning
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.alignment import Intersection, rows_digest, select_people
from discreet.twoparty.judging import Judgement
from discreet.twoparty.link import Link
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.session import Session
from tests import twoparty_twin
from tests.twoparty.conftest import free_port
from tests.twoparty.test_mutations import WAYS, Partner, halves, run, start_engine, transfers_of
from tests.twoparty_owners import mine_among
from tests.twoparty_pair import columns_of, talk

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.oblivious_transfer import Transfers
    from discreet.twoparty.steps import Steps

SIGMA, K, N = 6, 3, 24
PROTOCOLS: dict[str, dict[str, Any]] = {
    "dka-sapm": {"protocol": "dka-sapm"},
    "dka-sapm in rounds": {"protocol": "dka-sapm", "iterate": True},
    "different people": {"protocol": "ic-sapm", "horizontal": True},
}
LABELS = list("abcdef")


@cache
def sides(protocol: str) -> dict[Role, Transactions]:
    """Return the columns of each side, of rows that are like others; or every second row for different people."""
    if protocol != "different people":
        return {role: columns_of(list(half)[: N // 3] * 3, "abcd") for role, half in zip(Role, halves(), strict=True)}
    rows = [sorted({*one, *other}) for one, other in zip(*halves(), strict=True)]
    return {role: Transactions.from_rows(rows[which:N:2]) for which, role in enumerate(Role)}


def outcome(protocol: str, role: Role, partner: Partner) -> JointPatterns:
    """Run the honest party of a role; what it would write."""
    rows, given = sides(protocol), PROTOCOLS[protocol]
    honest, cheat = (
        Session(
            each,
            Proposal(rows=len(rows[each]), min_support=SIGMA, k=K, **given),
            rows[each],
            labels=LABELS if given.get("horizontal") else None,
            start_engine=start_engine,
        )
        for each in (role, role.other)
    )
    run(honest, cheat, partner)
    judgement = Judgement(honest.result, rows[role])
    run(judgement, Judgement(honest.result, rows[role.other]), partner)
    return judgement.result[0]


@cache
def recorded(protocol: str, role: Role) -> list[Message]:
    """Return what the partner of a role sends in an honest session."""
    partner = Partner(None, [])
    outcome(protocol, role, partner)
    return partner.sent


def check(protocol: str, result: JointPatterns, role: Role) -> None:
    """Check what is written against one's own rows, and against an attacker."""
    own = sides(protocol)[role]
    audit = discreet.audit(result.patterns, k=K) if len(result.patterns) else None
    assert audit is None or (not len(audit.channels) and not len(audit.border or ()))
    for itemset, support in result.patterns:
        mine = sum(itemset <= set(row) for row in own)
        if protocol == "different people":
            assert mine <= support <= mine + N // 2
        elif itemset <= set(own.vocabulary):
            assert SIGMA <= support <= mine


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_one_wrong_message_never_leads_to_a_wrong_file(protocol: str, way: str) -> None:
    for role in Role:
        older = recorded(protocol, role)
        for kind in sorted({each.kind for each in older}):
            count = sum(each.kind is kind for each in older)
            place = 0 if way in ("first bit", "older session") else count - 1
            try:
                result = outcome(protocol, role, Partner((kind, place, way), older))
            except PartnerError:
                continue
            check(protocol, result, role)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_honest_session_has_something_to_get_wrong(protocol: str) -> None:
    result = outcome(protocol, Role.FIRST, Partner(None, []))
    assert any(len(itemset) > 1 for itemset, _ in result.patterns)
    check(protocol, result, Role.FIRST)


# ---------------------------------------------------------------------------------------------------------- owners


@pytest.fixture
def quick_base_transfers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every pair of owners start from base transfers that were drawn once."""

    def drawn(role: Role, session_id: bytes) -> Steps[Transfers]:
        yield from ()
        return transfers_of(role, session_id)

    monkeypatch.setattr(owning, "set_up_transfers", drawn)


def slices(owners: int) -> list[Transactions]:
    rows = [sorted({*one, *other}) for one, other in zip(*halves(), strict=True)]
    return [Transactions.from_rows(rows[which : 20 * owners : owners]) for which in range(owners)]


def told(owners: int, **given: Any) -> dict[int, Any]:
    return mine_among(slices(owners), LABELS, min_support=9 * owners, k=K, **given).results


@pytest.mark.parametrize("liar", range(3))
@pytest.mark.parametrize("way", ["first bit", "last bit", "all ones"])
@pytest.mark.usefixtures("quick_base_transfers")
def test_one_owner_with_one_wrong_message_gets_no_wrong_file_written(liar: int, way: str) -> None:
    honest = mine_among(slices(3), LABELS, min_support=27, k=K)
    assert len({str(each.to_dict()) for each in honest.results.values()}) == 1
    assert any(len(itemset) > 1 for itemset, _ in honest.results[0].patterns)
    kinds = {message.kind for own, _, message in honest.sent if own == liar}
    assert {MessageKind.ALIGNMENT, MessageKind.COMMITMENT, MessageKind.FINAL_SHARES} <= kinds
    for kind in sorted(kinds):
        for victim in (None, (liar + 1) % 3):  # all hear the same lie, or one alone
            partner = [Partner((kind, 0, way), []) for _ in range(3)]

            def change(own: int, to: int, message: Message, _: int, partner=partner, victim=victim) -> Message:
                return (
                    partner[to].say([message])[0]
                    if own == liar and to in (victim, to if victim is None else -1)
                    else message
                )

            results = told(3, change=change)
            written = [results[each] for each in range(3) if each != liar]
            if any(isinstance(each, PartnerError) for each in written):
                continue  # the link to the one that stopped is lost for the other
            if len({str(each.to_dict()) for each in written}) > 1:
                continue  # the farewell says so
            check_owner(written[0], [slices(3)[each] for each in range(3) if each != liar])


def check_owner(result: JointPatterns, honest: list[Transactions]) -> None:
    audit = discreet.audit(result.patterns, k=K) if len(result.patterns) else None
    assert audit is None or (not len(audit.channels) and not len(audit.border or ()))
    for itemset, support in result.patterns:
        for own in honest:
            assert support >= sum(itemset <= set(row) for row in own)


@pytest.mark.parametrize("owners", [5, 8])
@pytest.mark.usefixtures("quick_base_transfers")
def test_up_to_eight_owners_find_what_the_joined_rows_say(owners: int) -> None:
    everyone = [row for each in slices(owners) for row in each]
    released, kept_back = twoparty_twin.ic_sapm(everyone, 9 * owners, K)
    results = told(owners)
    assert len(results) == owners
    for each in results.values():
        after = {frozenset(names) for names in each.withheld_after}
        found = {frozenset(itemset): support for itemset, support in each.patterns}
        assert found == {itemset: support for itemset, support in released.items() if itemset not in after}
        assert {frozenset(names) for names in each.withheld} == kept_back
        assert found


# --------------------------------------------------------------------------------------------------- around a session


IDS = [f"P{number:02}" for number in range(24)]


def common_people(role: Role, partner: Partner) -> list[str]:
    """Look for common people, then mine over them: the ids that a session goes on with."""
    rows = {
        Role.FIRST: columns_of(list(halves()[0])[:20], "ace"),
        Role.SECOND: columns_of(list(halves()[1])[:20], "bdf"),
    }
    ids = {Role.FIRST: IDS[:20], Role.SECOND: IDS[4:]}
    searches = {each: Intersection(ids[each], first=each is Role.FIRST) for each in Role}
    run(searches[role], searches[role.other], partner)
    kept = {role: searches[role].result, role.other: np.arange(16) + (4 if role.other is Role.FIRST else 0)}
    sessions = []
    for each in (role, role.other):
        people = select_people(rows[each], kept[each])
        chosen = rows_digest([ids[each][place] for place in kept[each].tolist()])
        wanted = Proposal(protocol="ic-sapm", rows=len(people), min_support=6, k=2)
        sessions.append(Session(each, wanted, people, row_ids=chosen, start_engine=start_engine))
    run(*sessions, partner)
    return [ids[role][place] for place in kept[role].tolist()]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("role", list(Role), ids=lambda role: role.name.lower())
def test_a_wrong_message_about_common_people_ends_with_the_right_people_or_none(role: Role, way: str) -> None:
    partner = Partner(None, [])
    assert common_people(role, partner) == IDS[4:20]
    count = sum(each.kind is MessageKind.INTERSECTION for each in partner.sent)
    for place in range(count):
        try:
            found = common_people(role, Partner((MessageKind.INTERSECTION, place, way), partner.sent))
        except (PartnerError, ParameterError):  # nobody in common is refused as well
            continue
        assert found == IDS[4:20]


@pytest.mark.parametrize("ids", [None, bytes(32)], ids=["without ids", "with ids"])
def test_a_partner_cannot_pass_messages_on_between_two_sessions_of_its_own(ids: bytes | None) -> None:
    """Each honest side has a contract with the one in the middle, and none with the other."""
    rows = sides("dka-sapm")

    def meet(*channels: bytes) -> list[Session]:
        wanted = Proposal(protocol="ic-sapm", rows=N, min_support=SIGMA, k=K)
        pair = [
            Session(role, wanted, rows[role], row_ids=ids, channel=channel, start_engine=start_engine)
            for role, channel in zip(Role, channels, strict=True)
        ]
        sent = talk(*pair)
        assert len(sent[0]) > 3
        return pair

    assert len(meet(b"clinic and lab", b"clinic and lab")[0].result.patterns)
    with pytest.raises(Disagreement, match=r"same session|same people"):
        meet(b"clinic and middle", b"middle and lab")


def test_people_are_not_found_through_a_partner_in_the_middle() -> None:
    def meet(*channels: bytes) -> list[Intersection]:
        searches = [
            Intersection(ids, first=role is Role.FIRST, channel=channel)
            for role, ids, channel in zip(Role, (IDS[:20], IDS[4:]), channels, strict=True)
        ]
        talk(*searches)
        return searches

    assert [len(each.result) for each in meet(b"one", b"one")] == [16, 16]
    with pytest.raises(Disagreement, match="nothing was masked"):
        meet(b"one", b"other")


# ------------------------------------------------------------------------------------------------------- the last word


@pytest.mark.parametrize("way", ["first bit", "last bit", "all ones", "empty"])
@pytest.mark.parametrize("role", list(Role), ids=lambda role: role.name.lower())
def test_another_farewell_than_the_result_has_ends_with_status_3_and_no_file(
    keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], role: Role, way: str
) -> None:
    """The first party listens. The honest one is the command line; its partner is authenticated and lies at the end."""

    def drawn(each: Role, session_id: bytes) -> Steps[Transfers]:
        yield from ()
        return transfers_of(each, session_id)

    plain, lies = Link.send, Partner((MessageKind.FAREWELL, 0, way), [])
    told: list[bytes] = []

    def send(self: Link, message: Message) -> None:
        if message.kind is MessageKind.FAREWELL and self._connection.server_side is (role is Role.SECOND):
            message = Message(message.kind) if way == "empty" else lies.say([message])[0]
            told.append(message.payload)
        plain(self, message)

    monkeypatch.setattr("discreet.twoparty.engine.set_up_transfers", drawn)
    monkeypatch.setattr(Link, "send", send)
    names = {role: "hospital", role.other: "insurer"}
    pem = {each: keys.folder / name / "identity.pem" for each, name in names.items()}
    public = {each: keys.folder / name / "public.pem" for each, name in names.items()}
    address = f"127.0.0.1:{free_port()}"
    where = {Role.FIRST: "listen", Role.SECOND: "connect"}
    data, output = tmp_path / "rows.dat", tmp_path / "safe.json"
    data.write_text("a b\n" * 9)
    words = f"party --{where[role]} {address} --no-dual -s 5 -k 3 --timeout 120".split()
    words += ["--data", data, "--identity", pem[role], "--trust", public[role.other], "-o", output, "--json"]
    with ThreadPoolExecutor(1) as pool:
        cheat = pool.submit(
            discreet.party,
            Transactions.from_rows(["cd"] * 9),
            min_support=5,
            k=3,
            dual=False,
            identity=pem[role.other],
            trust=public[role],
            timeout=120.0,
            **{where[role.other]: address},
        )
        status = main([*map(str, words)])
    out, err = capfd.readouterr()
    assert len(told) == 1, cheat.exception()
    assert (status, out) == (3, "")
    assert "the two sides came to different results" in err
    assert [each.name for each in tmp_path.iterdir()] == [data.name]
