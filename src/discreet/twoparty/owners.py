"""Three to eight owners of rows: how they meet, agree, and mine together.

Every owner names the certificate and the address of every other. Owners are numbered by the order of their
certificates, so that all have the same numbers without a word about it. Of each pair, the one with the higher number
calls. What is computed is that of `horizontal`, on shares among all (`circle`). A link that breaks, or an owner that
stops, ends the session for all, and nobody gets a result.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from discreet.errors import Disagreement, ParameterError, PartnerLost, ProtocolViolation, param
from discreet.twoparty.agreement import LONGEST_PROPOSAL, MOST_ROWS, Agreed, Proposal, Role, least_support
from discreet.twoparty.circle import CircleEngine, together
from discreet.twoparty.door import Door
from discreet.twoparty.exclusive_items import exclusive_among_owners
from discreet.twoparty.horizontal import mine_different_people
from discreet.twoparty.judging import judge
from discreet.twoparty.link import Link
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.oblivious_transfer import set_up_transfers
from discreet.twoparty.primitives import digest, random_bytes
from discreet.twoparty.ring import Ring
from discreet.twoparty.session import with_labels
from discreet.twoparty.steps import exchange
from discreet.twoparty.transport import BACKLOG, Connection, Transcript, connect, open_port

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from discreet.channels.audit import Audit
    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.circle import CircleSteps
    from discreet.twoparty.identity import Identity
    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.session_log import SessionLog
    from discreet.twoparty.transport import Address

__all__ = ["Owners", "mine_with_owners"]

_NONCE: Final = 32

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Owners:
    """All owners of a session as one of them sees them: its own identity, and where each other is."""

    identity: Identity
    others: tuple[tuple[bytes, Address], ...]
    """The certificate and the address of each other owner."""

    def __post_init__(self) -> None:
        """Refuse an owner that is named twice."""
        if len(set(self.certificates)) != len(self.others) + 1:
            raise ParameterError(f"{param('trust')} names an owner twice; name each once", parameter="trust")

    @property
    def certificates(self) -> list[bytes]:
        """The certificates of all, in their order."""
        return sorted([self.identity.own, *(certificate for certificate, _ in self.others)])

    @property
    def number(self) -> int:
        """The number of this owner, from 0."""
        return self.certificates.index(self.identity.own)

    def meet(self, address: Address, *, timeout: float, time_limit: float) -> dict[int, Connection]:
        """Connect with all others: wait for those with a higher number, and call those with a lower one."""
        deadline = time.monotonic() + timeout
        found: dict[int, Connection] = {}
        awaited = {number: self._trusting(number) for number in range(self.number + 1, len(self.certificates))}
        with ExitStack() as closing_early, closing(open_port(address, backlog=BACKLOG)) as listening:
            for number in range(self.number):
                where = dict(self.others)[self.certificates[number]]
                left = max(1.0, deadline - time.monotonic())
                found[number] = connect(
                    where, self._trusting(number), timeout=left, name=_name(self.number), time_limit=time_limit
                )
                closing_early.callback(found[number].close)
            for number, secured in _let_in(listening, awaited, deadline):
                found[number] = Connection(Link(secured, timeout=timeout, time_limit=time_limit))
                closing_early.callback(found[number].close)
            if len(found) < len(self.others):
                raise PartnerLost(
                    f"{len(self.others) - len(found)} of the owners did not come within {timeout:g} seconds; start "
                    f"all, or give a longer {param('timeout')}"
                )
            closing_early.pop_all()
        return found

    def _trusting(self, number: int) -> Identity:
        """Return the identity that trusts this owner alone."""
        return replace(self.identity, trusted=self.certificates[number])


def _name(number: int) -> str:
    """Return what an owner calls itself when it calls another: a certificate proves it, and nothing else does."""
    return f"owner-{number}"


def _let_in(
    listening: socket.socket, awaited: Mapping[int, Identity], deadline: float
) -> Iterator[tuple[int, ssl.SSLSocket]]:
    """Yield each of the owners that are awaited, once, until all are there or it is too late."""
    contexts = {number: identity.context(listens=True) for number, identity in awaited.items()}
    names = {_name(number): context for number, context in contexts.items()}
    missing = set(awaited)

    def trust_only(secured: ssl.SSLObject, name: str | None, given: ssl.SSLContext) -> None:
        secured.context = names.get(name or "", given)

    def whom(secured: ssl.SSLSocket) -> int:
        return next(number for number, context in contexts.items() if context is secured.context)

    def begin(accepted: socket.socket) -> tuple[ssl.SSLSocket, Callable[[], Identity]]:
        first = contexts[min(contexts)]
        first.sni_callback = trust_only
        secured = first.wrap_socket(accepted, server_side=True, do_handshake_on_connect=False)
        return secured, lambda: awaited[whom(secured)]

    with Door(listening, begin) as door:
        while missing and (secured := door.wait(deadline)) is not None:
            if (number := whom(secured)) in missing:
                missing.remove(number)
                yield number, secured
            else:
                secured.close()  # it came twice


def mine_with_owners(
    owners: Owners,
    address: Address,
    wanted: Proposal,
    rows: Transactions,
    labels: Sequence[str],
    *,
    timeout: float,
    time_limit: float,
    logged: Callable[[list[SessionLog]], AbstractContextManager[Callable[[bytes], None]]],
    tell: Callable[[str], None],
) -> tuple[JointPatterns, Audit, Transcript]:
    """Mine together with all owners; return what may be released, its audit, and what was sent and received.

    `logged` is entered with a log of each link, and gets the digest of the result when all have said farewell.
    """
    tell("Waiting for the other owners")
    connections = owners.meet(address, timeout=timeout, time_limit=time_limit)
    everyone = [connections[number] for number in sorted(connections)]
    with ExitStack() as links:
        for each in everyone:
            links.enter_context(each)
        finished = links.enter_context(logged([each.log for each in everyone]))
        tell = everyone[0].log.noting(tell)
        found = _drive(_mine(owners, wanted, rows, labels, tell), connections)
        tell("The attacker is looking at what may be published")
        found, seen = _drive(_look(found, rows, tuple(connections)), connections)
        result = digest(json.dumps(found.to_dict()).encode(), domain=b"result")
        for each in everyone:
            each.bid_farewell(result)
        for each in everyone:
            each.await_farewell(result)
        finished(result)
    return found, seen, _total([each.transcript for each in everyone])


def _drive(steps: CircleSteps[Result], connections: Mapping[int, Connection]) -> Result:
    try:
        turn = next(steps)
        while True:
            for partner, messages in turn.outgoing.items():
                connections[partner].send(messages)
            turn = steps.send(
                {each: due.check(connections[each].take(due.admit)) for each, due in turn.expected.items()}
            )
    except StopIteration as end:
        result: Result = end.value
        return result


def _mine(
    owners: Owners, wanted: Proposal, rows: Transactions, labels: Sequence[str], tell: Callable[[str], None]
) -> CircleSteps[JointPatterns]:
    own, others = owners.number, [each for each in range(len(owners.certificates)) if each != owners.number]
    agreed, session = yield from _agree(owners, with_labels(wanted, labels))
    tell("setting up oblivious transfers")
    transfers = yield from together(
        {
            each: set_up_transfers(
                Role.FIRST if own < each else Role.SECOND,
                digest(session, bytes(sorted((own, each))), domain=b"pair of owners"),
            )
            for each in others
        }
    )
    engine = CircleEngine(Ring(agreed.n), transfers, own)
    role = Role.FIRST if own == 0 else Role.SECOND
    found: JointPatterns = yield from mine_different_people(engine, role, agreed, rows, labels, report=tell)  # type: ignore[misc]
    return found


def _look(found: JointPatterns, rows: Transactions, others: Sequence[int]) -> CircleSteps[tuple[JointPatterns, Audit]]:
    """Agree with all on which items exclude each other, and look at what was found."""

    def tell_all(payload: bytes, length: int, exact: bool) -> CircleSteps[list[bytes]]:
        steps = {each: exchange(MessageKind.EXCLUSIVE, payload, length, exact=exact) for each in others}
        return list((yield from together(steps)).values())

    return judge(found, (yield from exclusive_among_owners(found, rows, tell_all)))


def _agree(owners: Owners, wanted: Proposal) -> CircleSteps[tuple[Agreed, bytes]]:
    """Agree with all on the parameters and on who takes part; return what was agreed, and a unique session id."""
    circle = hashlib.sha256(b"".join(owners.certificates)).digest()
    mine = random_bytes(_NONCE) + circle + wanted.to_bytes()
    others = [each for each in range(len(owners.certificates)) if each != owners.number]
    longest = 2 * _NONCE + LONGEST_PROPOSAL
    theirs = yield from together(
        {each: exchange(MessageKind.PARAMETERS, mine, longest, exact=False) for each in others}
    )
    total = wanted.rows
    for payload in theirs.values():
        if len(payload) < 2 * _NONCE or payload[:_NONCE] == mine[:_NONCE]:
            raise ProtocolViolation("a partner sent no fresh number of its own; start all sides again")
        if payload[_NONCE : 2 * _NONCE] != circle:
            raise Disagreement("the owners do not all name each other; give every owner all others' certificates")
        proposal = Proposal.from_bytes(payload[2 * _NONCE :])
        wanted.agree(proposal)
        total += proposal.rows
    if total > MOST_ROWS:
        raise Disagreement(f"all owners have {total:,} rows together; at most {MOST_ROWS:,} can be mined")
    everything = {**theirs, owners.number: mine}
    session = digest(*(everything[each] for each in sorted(everything)), domain=b"session of owners")
    heard_by = yield from together({each: exchange(MessageKind.ALIGNMENT, session, len(session)) for each in others})
    for heard in heard_by.values():
        if heard != session:
            raise ProtocolViolation("one of the owners told others something else; nothing was computed")
    support = least_support(wanted.min_support, total, wanted.k)
    return Agreed(protocol=wanted.protocol, horizontal=True, n=total, min_support=support, k=wanted.k), session


def _total(each: list[Transcript]) -> Transcript:
    return Transcript(
        sum(one.bytes_sent for one in each),
        sum(one.bytes_received for one in each),
        max(one.rounds for one in each),
        max(one.seconds for one in each),
    )
