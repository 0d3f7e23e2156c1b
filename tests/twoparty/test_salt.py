"""Salted keys: who lacks the salt can try no id, who holds it can; if a third party holds it, neither side can."""

from __future__ import annotations

import hashlib
import hmac
import stat
from functools import cache
from typing import TYPE_CHECKING

import pytest

from discreet.errors import Disagreement, OutputError, ParameterError
from discreet.transactions.transactions import Transactions
from discreet.twoparty import alignment
from discreet.twoparty.alignment import Intersection
from discreet.twoparty.primitives import digest, mask, maskable, random_bytes
from discreet.twoparty.salt import keys_of, make_salt, read_salt, salted_keys
from tests.twoparty.test_alignment import talk

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.twoparty.messages import Message

POSSIBLE = [f"{number:04}" for number in range(2000)]
OURS = POSSIBLE[7::50]
"""Forty patients, of two thousand possible ids."""
SALT = bytes(range(32))


def search(ids: list[str], *, first: bool, salt: bytes = b"") -> Intersection:
    return Intersection(ids, first=first, salt=salt, most_people=len(POSSIBLE))


def test_a_key_is_what_any_tool_makes_of_an_id(tmp_path: Path) -> None:
    path = make_salt(tmp_path / "new" / "folder")
    secret = bytes.fromhex(path.read_text())
    expected = [hmac.new(secret, each, hashlib.sha256).hexdigest() for each in (b"P1", "Jürgen".encode())]
    assert salted_keys(["P1", "Jürgen"], path) == expected
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(secret) == 32
    assert read_salt(make_salt(tmp_path / "another")) != secret
    with pytest.raises(OutputError, match="never replaced"):
        make_salt(path.parent)
    assert bytes.fromhex(path.read_text()) == secret


@pytest.mark.parametrize("content", ["", "our secret", "12" * 31, "12" * 33, "zz" * 32, "12" * 32 + " 34"])
def test_what_could_be_guessed_is_no_salt(tmp_path: Path, content: str) -> None:
    path = tmp_path / "salt.key"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(ParameterError, match="64 hexadecimal digits"):
        read_salt(path)


def test_a_salt_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = make_salt(tmp_path / "salt")
    path.chmod(0o644)
    with pytest.raises(ParameterError, match="chmod 600"):
        read_salt(path)
    with pytest.raises(ParameterError, match="cannot read"):
        read_salt(tmp_path / "none")


def test_the_same_people_are_found_with_a_salt_and_in_the_order_of_their_ids() -> None:
    one, other = search(OURS, first=True, salt=SALT), search(OURS[::-2], first=False, salt=SALT)
    talk(one, other)
    common = sorted(OURS[::-2])
    assert [OURS[place] for place in one.result.tolist()] == common
    assert [OURS[::-2][place] for place in other.result.tolist()] == common


@pytest.mark.parametrize("theirs", [b"", bytes(32), SALT[:-1] + b"\0"], ids=["none", "zeros", "one byte off"])
@pytest.mark.parametrize("first", [True, False], ids=["first", "second"])
def test_who_lacks_the_salt_gets_nothing_for_every_possible_id(first: bool, theirs: bytes) -> None:
    """A stolen identity and changed software: it is told nothing that depends on our ids, not even their number."""

    def sent_to_it(ids: list[str]) -> list[Message]:
        ours, cheat = search(ids, first=first, salt=SALT), search(POSSIBLE, first=not first, salt=theirs)
        [mine], [other] = ours.start(), cheat.start()
        [my_point], [its_point] = ours.receive(other), cheat.receive(mine)
        [my_tag], [its_tag] = ours.receive(its_point), cheat.receive(my_point)
        for side, tag in ((ours, its_tag), (cheat, my_tag)):
            with pytest.raises(Disagreement, match="same salt, so nothing was masked"):
                side.receive(tag)
        return [mine, my_point, my_tag]

    few, many = sent_to_it(OURS[:3]), sent_to_it(OURS)
    assert [len(each.payload) for each in few] == [len(each.payload) for each in many] == [32, 32, 32]


def test_a_partner_that_echoes_does_not_pass_for_one_with_the_salt() -> None:
    ours = search(OURS, first=True, salt=SALT)
    [nonce] = ours.start()
    [point] = ours.receive(nonce)
    [tag] = ours.receive(point)
    with pytest.raises(Disagreement, match="same salt"):
        ours.receive(tag)


@cache
def found_by_breaking_the_curve(salt: bytes) -> int:
    """Return how many of our ids someone finds who recorded a session, and can take its masks off, without a salt."""
    drawn: list[bytes] = []

    def remembered(length: int) -> bytes:
        drawn.append(random_bytes(length))
        return drawn[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "random_bytes", remembered)
        ours, other = search(OURS, first=True, salt=salt), search(OURS[:2], first=False, salt=salt)
        sent, theirs = talk(ours, other)
    session = digest(sent[0].payload, theirs[0].payload, b"", domain=b"intersection")
    points = next(each.payload for each in sent if len(each.payload) == 32 * len(OURS))
    seen = {points[start : start + 32] for start in range(0, len(points), 32)}
    secrets = [each for each in drawn if each not in (sent[0].payload, theirs[0].payload)]
    tried = (
        {mask(secret, maskable(each.encode(), domain=b"person/" + session)) for each in OURS} for secret in secrets
    )
    return max(len(seen & each) for each in tried)


def test_a_recorded_session_tells_no_ids_without_the_salt_even_if_the_curve_is_broken() -> None:
    assert found_by_breaking_the_curve(b"") == len(OURS)
    assert found_by_breaking_the_curve(SALT) == 0


def test_who_holds_the_salt_can_still_try_every_id() -> None:
    """As the documents say: a salt that both hold does not bind the partner; `most_people` does."""
    ours, cheat = search(OURS, first=True, salt=SALT), search(POSSIBLE, first=False, salt=SALT)
    talk(ours, cheat)
    assert [POSSIBLE[place] for place in cheat.result.tolist()] == OURS
    bound = Intersection(OURS, first=True, salt=SALT)
    with pytest.raises(Disagreement, match="the partner brings 2,000 ids"):
        talk(bound, search(POSSIBLE, first=False, salt=SALT))


def test_where_a_third_party_holds_the_salt_the_partner_finds_its_own_people_alone() -> None:
    """It brings the keys that it was given, every id as it is, and keys of every id under salts of its choice."""
    own = OURS[::4] + POSSIBLE[1::40]
    brought = keys_of(own, SALT) + POSSIBLE[:500] + keys_of(POSSIBLE[:500], bytes(32))
    ours, cheat = search(keys_of(OURS, SALT), first=True), search(brought, first=False)
    talk(ours, cheat)
    assert {brought[place] for place in cheat.result.tolist()} == set(keys_of(OURS[::4], SALT))


# ------------------------------------------------------------------------------------------------------------ over TLS


def rows_of(item: str, ids: list[str]) -> Transactions:
    return Transactions.from_rows([[item]] * len(ids), ids=ids)


def test_two_sides_with_one_salt_mine_over_the_people_both_have(mine, tmp_path: Path) -> None:
    salt = make_salt(tmp_path / "salt")
    one, other = (side.result() for side in mine(rows_of("a", OURS), rows_of("e", OURS[9:]), intersect=True, salt=salt))
    assert one.people == {"ours": 40, "theirs": 31, "both": 31}
    assert one.found.to_dict() == other.found.to_dict()
    assert [support for _, support in one.patterns] == [31, 31, 31]


@pytest.mark.parametrize("without", [(True, False), (False, True)])
def test_a_side_without_the_salt_ends_it_for_both(mine, tmp_path: Path, without: tuple[bool, bool]) -> None:
    salts = tuple(None if lacks else make_salt(tmp_path / "salt") for lacks in without)
    for side in mine(rows_of("a", OURS), rows_of("e", OURS), intersect=True, salt=salts):
        with pytest.raises(Disagreement, match=r"salt|the partner refused"):
            side.result()


@pytest.mark.parametrize("name", ["salt", "most_people"])
def test_what_is_for_people_that_are_looked_for_is_not_ignored(mine, tmp_path: Path, name: str) -> None:
    given = make_salt(tmp_path / "salt") if name == "salt" else 100
    for side in mine(rows_of("a", OURS), rows_of("e", OURS), **{name: given}):
        with pytest.raises(ParameterError, match=f"{name} is for intersect=True"):
            side.result()
