"""Three to eight owners over TLS: what all find is what the joined rows say, or nobody gets anything."""

from __future__ import annotations

import itertools
import random
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import pytest

from discreet.errors import Disagreement, ParameterError, PartnerError, PartnerLost
from discreet.transactions.transactions import Transactions
from discreet.twoparty.identity import Identity, keygen
from discreet.twoparty.party import Joint, party
from tests import twoparty_twin
from tests.twoparty.conftest import free_port

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("north", "south", "east", "west")


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("owners")
    for name in NAMES:
        keygen(folder / name)
    return folder


def start(
    homes: Path, slices: list[Transactions], pool: ThreadPoolExecutor, **given: object
) -> tuple[list[Future[Joint]], dict[str, str]]:
    """Start an owner for each slice; what is a tuple is one for each."""
    names = NAMES[: len(slices)]
    addresses = {name: f"127.0.0.1:{free_port()}" for name in names}
    settings = {"min_support": 4, "k": 3, "timeout": 60.0, "labels": "abcdefghij", "horizontal": True} | given
    started = []
    for at, (name, rows) in enumerate(zip(names, slices, strict=True)):
        others = [other for other in names if other != name]
        own = {key: value[at] if isinstance(value, tuple) else value for key, value in settings.items()}
        own["labels"] = list(own["labels"])
        started.append(
            pool.submit(
                party,
                rows,
                identity=homes / name / "identity.pem",
                trust=[homes / other / "public.pem" for other in others],
                listen=addresses[name],
                connect=[addresses[other] for other in others],
                **own,
            )
        )
    return started, addresses


def random_slices(seed: int, owners: int) -> tuple[list[frozenset[str]], list[Transactions]]:
    chance = random.Random(seed)
    rows = [frozenset(x for x in "abcde" if chance.random() < 0.6) for _ in range(chance.randint(8, 30))]
    at = sorted(chance.sample(range(1, len(rows)), owners - 1))
    cuts = [0, *at, len(rows)]
    return rows, [Transactions.from_rows(rows[low:high]) for low, high in itertools.pairwise(cuts)]


@pytest.mark.parametrize(("seed", "owners"), [(1, 3), (2, 3), (3, 4)])
def test_all_owners_find_what_the_joined_rows_say(homes: Path, seed: int, owners: int) -> None:
    rows, slices = random_slices(seed, owners)
    released, kept_back = twoparty_twin.ic_sapm(rows, 4, 3)
    with ThreadPoolExecutor(owners) as pool:
        results = [each.result() for each in start(homes, slices, pool)[0]]
    for each in results:
        found = {frozenset(itemset): support for itemset, support in each.patterns}
        after = {frozenset(names) for names in each.withheld_after}
        assert found == {itemset: support for itemset, support in released.items() if itemset not in after}
        assert {frozenset(names) for names in each.withheld} == kept_back
        assert (each.found.n, each.transcript.bytes_sent > 0) == (len(rows), True)
    assert len({str(each.found.to_dict()) for each in results}) == 1


def test_a_port_scan_and_a_stranger_do_not_end_the_wait(homes: Path) -> None:
    _, slices = random_slices(4, 3)
    with ThreadPoolExecutor(3) as pool:
        started, addresses = start(homes, slices, pool)
        for address in addresses.values():
            host, port = address.split(":")
            with suppress(OSError), socket.create_connection((host, int(port)), timeout=5) as scan:
                scan.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert len({each.result().found.n for each in started}) == 1


def test_callers_that_say_nothing_do_not_keep_the_owners_apart(homes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.twoparty.door.HANDSHAKE", 1000.0)
    _, slices = random_slices(7, 3)
    with ThreadPoolExecutor(3) as pool, ExitStack() as stack:
        started, addresses = start(homes, slices, pool)
        for address in list(addresses.values()) * 5:
            host, port = address.split(":")
            with suppress(OSError):
                stack.enter_context(socket.create_connection((host, int(port)), timeout=5))
        assert len({each.result().found.n for each in started}) == 1


@pytest.mark.parametrize(
    ("given", "told"), [({"k": (3, 3, 4)}, "k: "), ({"labels": ("abc", "abc", "abd")}, "different labels")]
)
def test_one_that_wants_something_else_ends_it_for_all(homes: Path, given: dict[str, object], told: str) -> None:
    _, slices = random_slices(5, 3)
    with ThreadPoolExecutor(3) as pool:
        errors = [each.exception() for each in start(homes, slices, pool, **given)[0]]
    assert all(isinstance(error, PartnerError) for error in errors), errors
    assert any(told in str(error) for error in errors if isinstance(error, Disagreement))


def test_one_that_does_not_come_ends_it_for_all(homes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, slices = random_slices(6, 3)
    monkeypatch.setattr("discreet.twoparty.identity.Identity.load", _unless_absent(homes / "east"))
    with ThreadPoolExecutor(3) as pool:
        north, south, east = (each.exception() for each in start(homes, slices, pool, timeout=3.0)[0])
    assert isinstance(east, RuntimeError)
    assert isinstance(north, PartnerLost)
    assert isinstance(south, PartnerLost)


def _unless_absent(absent: Path):
    load = Identity.load

    def loading(identity: Path, trust: Path, passphrase: str | None = None) -> Identity:
        if identity.parent == absent:
            raise RuntimeError("this owner is not there")
        return load(identity, trust, passphrase)

    return loading


def test_what_several_owners_cannot_do_is_said_at_once(homes: Path) -> None:
    rows = Transactions.from_rows(["ab"] * 5)
    keys = {"identity": homes / "north/identity.pem", "trust": [homes / f"{name}/public.pem" for name in NAMES[1:3]]}
    where = {"listen": "127.0.0.1:7000", "connect": ["127.0.0.1:7001", "127.0.0.1:7002"]}
    with pytest.raises(ParameterError, match="different people only"):
        party(rows, min_support=2, k=2, **keys, **where)
    for wrong in ({"connect": ["127.0.0.1:7001"]}, {"listen": None}):
        with pytest.raises(ParameterError, match=r"one .*connect.* for each"):
            party(rows, min_support=2, k=2, horizontal=True, labels=["a"], **keys, **where | wrong)
    keys["trust"] = [homes / "south/public.pem"] * 2
    with pytest.raises(ParameterError, match="twice"):
        party(rows, min_support=2, k=2, horizontal=True, labels=["a"], **keys, **where)
