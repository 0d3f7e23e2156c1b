"""The whole job between two sides over loopback: the same answer on both, or the same refusal on both."""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.errors import (
    DataError,
    Disagreement,
    ParameterError,
    PartnerError,
    PartnerLost,
    ProtocolViolation,
)
from discreet.transactions.transactions import Transactions
from discreet.twoparty.dka_sapm import anonymize_half
from discreet.twoparty.engine import TransferEngine
from discreet.twoparty.gmw import unpack_bits
from discreet.twoparty.link import Link
from discreet.twoparty.messages import MessageKind, encode
from discreet.twoparty.party import Joint, party
from tests import twoparty_twin
from tests.conftest import ROOT
from tests.twoparty.conftest import free_port
from tests.twoparty_pair import random_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.twoparty.messages import Message

# jiang2006, Table 1(a), split as in its Table 2
TABLE_1A = [set(line.split()) for line in (ROOT / "tests/data/running-example.dat").read_text().splitlines()]


def half(items: str, rows: Iterable[set[str]] = tuple(TABLE_1A), **settings: object) -> Transactions:
    return Transactions.from_rows([sorted(row & set(items)) for row in rows], **settings)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Counter[MessageKind]:
    """Count, by kind, the messages that both sides send."""
    counts: Counter[MessageKind] = Counter()
    plain = Link.send

    def counting(self: Link, message: Message) -> None:
        counts[message.kind] += 1
        plain(self, message)

    monkeypatch.setattr(Link, "send", counting)
    return counts


def refused(sides: list[Future[Joint]], kind: type[Exception], *sentences: str) -> None:
    """Check that both sides ended with this kind of error; the sentences are for the first side, and for the second."""
    for side, sentence in zip(sides, sentences * (3 - len(sentences)), strict=True):
        with pytest.raises(kind, match=sentence):
            side.result()


def test_the_running_example_split_in_the_papers_way(mine) -> None:
    hospital, insurer = (side.result().to_dict() for side in mine(half("abcd"), half("efgh")))
    assert hospital["itemsets"] == [
        {"items": ["a"], "support": 9},
        {"items": ["b"], "support": 8},
        {"items": ["c"], "support": 9},
    ]
    assert hospital["withheld"] == [list(names) for names in ("d", "e", "ab", "ae", "cd", "ce", "de", "cde")]
    assert hospital["transcript"]["bytes_sent"] == insurer["transcript"]["bytes_received"]
    assert hospital["transcript"]["bytes_received"] == insurer["transcript"]["bytes_sent"]
    assert {**hospital, "transcript": None} == {**insurer, "transcript": None}


def test_k_may_be_a_number_of_numpys(mine) -> None:
    for side in mine(half("abcd"), half("efgh"), k=np.int64(3)):
        assert json.loads(json.dumps(side.result().to_dict()))["k"] == 3


def test_rows_with_the_same_ids_are_mined(mine) -> None:
    ids = [f"patient {number}" for number in range(12)]
    for side in mine(half("abcd", ids=ids), half("efgh", ids=ids)):
        assert len(side.result().patterns) == 3


def test_people_that_only_one_side_has_are_left_out(mine) -> None:
    ids = [f"patient {number}" for number in range(12)]
    hospital = half("abcd", [{"a", "b"}, *TABLE_1A], ids=["only here", *ids])
    insurer = half("efgh", [*reversed(TABLE_1A), {"e"}, {"f"}], ids=[*reversed(ids), "x", "y"])
    for side in mine(hospital, insurer, intersect=True):
        result = side.result()
        assert (result.found.n, dict(result.patterns)) == (12, {frozenset(each): 9 - (each == "b") for each in "abc"})


def test_rows_that_are_made_anonymous_first(mine) -> None:
    for side in mine(half("abcd"), half("efgh"), protocol="dka-sapm"):
        result = side.result()
        assert result.withheld == ()
        assert result.patterns.target == "all"
        assert result.verdict == "safe"  # the rows that were mined are anonymous, so nothing can follow
        assert result.to_dict()["protocol"] == "dka-sapm"


@pytest.mark.parametrize("seed", range(3))
def test_the_join_of_both_halves_is_anonymous(mine, monkeypatch, seed: int) -> None:
    """Both halves and both shares of which rows count are put together behind the backs of the two sides."""
    shares: list[np.ndarray] = []
    plain = TransferEngine.share_kept

    def overheard(self, keys, most, size):
        shares.append((yield from plain(self, keys, most, size)))
        return shares[-1]

    monkeypatch.setattr(TransferEngine, "share_kept", overheard)
    rows = random_rows(seed, most_rows=80) * 2
    halves = half("aceg", rows), half("bdfh", rows)
    sigma = len(rows) // 4
    results = [side.result() for side in mine(*halves, protocol="dka-sapm", min_support=sigma, k=3)]
    parts = [list(anonymize_half(each, min_support=sigma, size=3)) for each in halves]
    kept = unpack_bits(shares[0] ^ shares[1], len(rows))
    join = [row if counts else frozenset() for row, counts in zip(twoparty_twin.joined(*parts), kept, strict=True)]
    assert twoparty_twin.is_anonymous(join, 3)
    assert {len(result.patterns) for result in results} != {0}
    for result in results:
        assert dict(result.patterns) == twoparty_twin.frequent(join, sigma)
        assert result.verdict == "safe"


def test_rounds_tell_both_which_rows_were_left(mine) -> None:
    rows = random_rows(1, most_rows=80) * 2
    halves = half("aceg", rows), half("bdfh", rows)
    sigma = len(rows) // 4
    join, left = twoparty_twin.dka_in_rounds(*map(list, halves), sigma, 3)
    assert len(left) > 1
    for side in mine(*halves, protocol="dka-sapm", iterate=True, min_support=sigma, k=3):
        result = side.result()
        assert dict(result.patterns) == twoparty_twin.frequent(join, sigma)
        assert result.to_dict()["left"] == left
        assert result.verdict == "safe"


def test_different_people_with_the_same_items(mine) -> None:
    halves = half("abcdefgh", TABLE_1A[:5]), half("abcdefgh", TABLE_1A[5:])
    for side in mine(*halves, horizontal=True, labels="a,b,c,d,e,nobody has it"):
        result = side.result()
        assert result.found.n == 12
        assert dict(result.patterns) == {frozenset("a"): 9, frozenset("b"): 8, frozenset("c"): 9}


def test_a_share_of_the_people_of_both(mine) -> None:
    halves = half("abcdefgh", TABLE_1A[:5]), half("abcdefgh", TABLE_1A[5:])
    for side in mine(*halves, horizontal=True, labels="a,b,c", min_support="66%"):
        assert (side.result().found.min_support, len(side.result().patterns)) == (8, 3)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"min_support": (8, 9)}, "minimum support: (8|9) rows"),
        ({"k": (3, 4)}, "k: (3|4)"),
        ({"protocol": ("ic-sapm", "dka-sapm")}, "protocol: (ic|dka)-sapm"),
        ({"protocol": "dka-sapm", "iterate": (True, False)}, "several rounds: (yes|no)"),
        ({"horizontal": (True, False), "labels": ("a,b", None)}, "different people: (yes|no)"),
        ({"horizontal": True, "labels": ("a,b", "a,c")}, "labels"),
        ({"dual": (None, False)}, "computing twice: (yes|no)"),
    ],
    ids=["support", "k", "protocol", "rounds", "horizontal", "labels", "twice"],
)
def test_other_parameters_are_refused_on_both_sides_before_any_share_is_sent(mine, sent, given, sentence) -> None:
    refused(mine(half("abcd"), half("efgh"), **given), Disagreement, sentence)
    assert set(sent) == {MessageKind.PARAMETERS, MessageKind.REFUSED}


def test_another_number_of_rows_is_refused_on_both_sides_before_any_share_is_sent(mine, sent) -> None:
    sides = mine(half("abcd"), half("efgh", TABLE_1A[:-1]))
    refused(sides, Disagreement, "partner has 11 rows and this side 12", "partner has 12 rows and this side 11")
    assert set(sent) == {MessageKind.PARAMETERS, MessageKind.REFUSED}


@pytest.mark.parametrize(
    ("ids", "sentence"),
    [(list("bacdefghijkl"), "same people in the same order"), (None, "id_column on both sides")],
    ids=["another order", "ids on one side"],
)
def test_other_ids_are_refused_on_both_sides_before_any_share_is_sent(mine, sent, ids, sentence) -> None:
    refused(mine(half("abcd", ids=list("abcdefghijkl")), half("efgh", ids=ids)), Disagreement, sentence)
    assert set(sent) <= {MessageKind.PARAMETERS, MessageKind.ALIGNMENT, MessageKind.REFUSED}


@pytest.mark.parametrize("asks", [(True, False), (False, True)])
def test_an_intersection_that_one_side_wants_is_refused_on_both(mine, asks) -> None:
    ids = list("abcdefghijkl")
    sides = mine(half("abcd", ids=ids), half("efgh", ids=ids), intersect=asks)
    refused(sides, Disagreement, "intersect=True")


def test_how_many_ids_each_brought_and_how_many_meet_is_shown(mine) -> None:
    ids = [f"patient {number}" for number in range(12)]
    hospital = half("abcd", [{"a", "b"}, *TABLE_1A], ids=["only here", *ids])
    one, other = (side.result().people for side in mine(hospital, half("efgh", ids=ids), intersect=True))
    assert one == {"ours": 13, "theirs": 12, "both": 12}
    assert other == {"ours": 12, "theirs": 13, "both": 12}


def test_a_partner_that_brings_every_possible_id_is_refused_before_anything_is_masked(mine, sent) -> None:
    hospital = half("abcd", ids=[f"patient {number}" for number in range(12)])
    every = Transactions.from_rows([["e"]] * 1000, ids=[f"patient {number}" for number in range(1000)])
    refused(mine(hospital, every, intersect=True), Disagreement, "the partner brings 1,000 ids", "the partner refused")
    assert sent[MessageKind.INTERSECTION] <= 9  # up to how many each brings; and what the one that was not asked sends
    for side in mine(hospital, every, intersect=True, most_people=1000, min_support=12):
        assert side.result().people["both"] == 12


def test_nobody_in_common_is_refused_on_both_sides(mine) -> None:
    sides = mine(half("ab", ids=list("abcdefghijkl")), half("ef", ids=list("ABCDEFGHIJKL")), intersect=True)
    refused(sides, Disagreement, "no person in common")


def test_a_label_on_both_sides_is_refused_on_both(mine) -> None:
    refused(mine(half("abcd"), half("abef")), Disagreement, "frequent on both sides")


RECORD_HEADER = 5
SEALED = 17  # what TLS 1.3 adds to a record: its kind and a tag


class Proxy:
    """Stands between the two sides and flips one bit in one of the records that the connecting side sends."""

    APPLICATION_DATA = 23

    def __init__(self, target: int, flip: int | None) -> None:
        self.lengths: list[int] = []  # of the records that passed
        self._flip = flip
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._run, args=(target,))
        self._thread.start()

    def _run(self, target: int) -> None:
        client, _ = self._listening.accept()
        with closing(self._listening), closing(client), closing(self._reach(target)) as server:
            back = threading.Thread(target=self._forward_back, args=(server, client))
            back.start()
            while record := self._next_record(client):
                if record[0] == self.APPLICATION_DATA:
                    if len(self.lengths) == self._flip:
                        record[-1] ^= 1
                    self.lengths.append(len(record))
                try:
                    server.sendall(record)
                except OSError:
                    break
            server.shutdown(socket.SHUT_WR)
            back.join()

    @staticmethod
    def _reach(target: int) -> socket.socket:
        while True:
            try:
                return socket.create_connection(("127.0.0.1", target))
            except ConnectionRefusedError:
                continue

    @staticmethod
    def _next_record(connection: socket.socket) -> bytearray:
        record = bytearray()
        length = RECORD_HEADER
        while len(record) < length:
            if not (received := connection.recv(length - len(record))):
                return bytearray()
            record += received
            if len(record) == RECORD_HEADER:
                length = RECORD_HEADER + int.from_bytes(record[3:5], "big")
        return record

    @staticmethod
    def _forward_back(server: socket.socket, client: socket.socket) -> None:
        try:
            while received := server.recv(1 << 16):
                client.sendall(received)
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def join(self) -> None:
        self._thread.join()


def run_through_proxy(keys, flip: int | None) -> tuple[list[Future[Joint]], Proxy]:
    port = free_port()
    folder = keys.folder
    settings = {"min_support": 8, "k": 3, "timeout": 3600.0, "intersect": True}
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(2) as pool:
        patch.setattr("discreet.twoparty.link.SIGN_OF_LIFE", 1e9)  # then only messages of the protocol are records
        listening = pool.submit(
            party,
            half("efgh", ids=list("abcdefghijkl")),
            listen=f"127.0.0.1:{port}",
            identity=folder / "hospital" / "identity.pem",
            trust=folder / "insurer" / "public.pem",
            **settings,
        )
        proxy = Proxy(port, flip)
        connecting = pool.submit(
            party,
            half("abcd", ids=list("abcdefghijkl")),
            connect=f"127.0.0.1:{proxy.port}",
            identity=folder / "insurer" / "identity.pem",
            trust=folder / "hospital" / "public.pem",
            **settings,
        )
    proxy.join()
    return [listening, connecting], proxy


@pytest.fixture(scope="module")
def untouched(keys) -> tuple[list[MessageKind], int]:
    """Return the kinds of the messages that the connecting side sends, in order, and how many records come before."""
    sent: list[Message] = []
    plain = Link.send

    def recording(self: Link, message: Message) -> None:
        if not self._connection.server_side:
            sent.append(message)
        plain(self, message)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Link, "send", recording)
        sides, proxy = run_through_proxy(keys, None)
    for side in sides:
        assert len(side.result().patterns) == 3
    # a message is one record; the handshake's come before, and an alert may come after where one side has left already
    expected = [RECORD_HEADER + len(encode(message)) + SEALED for message in sent]
    [before] = [
        start for start in range(len(proxy.lengths)) if proxy.lengths[start : start + len(expected)] == expected
    ]
    return [message.kind for message in sent], before


IN_EVERY_SESSION = [
    MessageKind.INTERSECTION,
    MessageKind.PARAMETERS,
    MessageKind.ALIGNMENT,
    MessageKind.BASE_OT,
    MessageKind.LOCAL_ITEMSETS,
    MessageKind.EXTENSION,
    MessageKind.CORRECTIONS,
    MessageKind.COLUMN_PROOF,
    MessageKind.GARBLED,
    MessageKind.COMPARISON,
    MessageKind.OPENED_BITS,
    MessageKind.FINAL_SHARES,
    MessageKind.EXCLUSIVE,
    MessageKind.FAREWELL,
]


@pytest.mark.parametrize("kind", IN_EVERY_SESSION, ids=lambda kind: kind.name)
def test_a_bit_flipped_on_the_way_is_a_clean_failure(keys, untouched, kind: MessageKind) -> None:
    order, handshake_records = untouched
    [listening, connecting], _ = run_through_proxy(keys, handshake_records + order.index(kind))
    with pytest.raises(ProtocolViolation, match="changed on their way"):
        listening.result()
    if kind is not MessageKind.FAREWELL:  # with the last word of all, the other side is already gone, result in hand
        with pytest.raises(PartnerError):
            connecting.result()


def test_every_kind_that_is_sent_has_been_tampered_with(untouched) -> None:
    assert set(untouched[0]) == set(IN_EVERY_SESSION)


def test_what_makes_no_sense_is_refused_before_anyone_is_contacted(keys) -> None:
    folder = keys.folder
    rows = half("abcd", ids=list("aacdefghijkl"))
    files = {"identity": folder / "hospital" / "identity.pem", "trust": folder / "insurer" / "public.pem"}
    good = {"min_support": 8, "k": 3, "connect": "127.0.0.1:1", "timeout": 0.1} | files
    for given, error, sentence in (
        ({"k": 1}, ParameterError, "k must be"),
        ({"k": 2**64}, ParameterError, "k must be at most 2,147,483,647"),
        ({"min_support": "0%"}, ParameterError, "min_support"),
        ({"listen": "127.0.0.1:1"}, ParameterError, "either listen="),
        ({"connect": None}, ParameterError, "either listen="),
        ({"connect": "nowhere"}, ParameterError, "HOST:PORT"),
        ({"horizontal": True}, ParameterError, "horizontal=True needs labels"),
        ({"labels": "a,b"}, ParameterError, "horizontal=True needs labels"),
        ({"horizontal": True, "labels": "a", "intersect": True}, ParameterError, "intersect=True is for"),
        ({"protocol": "other"}, ParameterError, "protocol must be"),
        ({"intersect": True}, DataError, "rows 1 and 2 have the same id"),
        ({"trust": folder / "nothing.pem"}, ParameterError, "cannot read trust"),
        ({"timeout": 0}, ParameterError, "timeout must be"),
        ({}, PartnerLost, "nobody listens there"),
    ):
        with pytest.raises(error, match=sentence):
            party(rows, **{**good, **given})
