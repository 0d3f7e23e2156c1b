"""Mine together with a partner: find each other, agree, run the protocol, take leave.

What is computed is the session's business (`session`), how it travels the transport's (`transport`); here the two meet.
A result is handed out only after both sides have taken leave, so either both have it or neither does. Then each side
lets the attacker look at it, as somebody would who sees what may be published and nothing else: the protocols rule out
channels, and no more than that.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.channels.audit import audit
from discreet.channels.channel import check_k
from discreet.channels.exclusive import Exclusive, exclusive_in_rows
from discreet.errors import DataError, Disagreement, ParameterError, ProtocolViolation
from discreet.patterns.threshold import absolute_support, rows_or_share
from discreet.transactions.formats.cell_rules import parse_names
from discreet.twoparty.alignment import Intersection, check_ids, rows_digest, select_people
from discreet.twoparty.identity import Identity
from discreet.twoparty.parameters import Parameters, Party
from discreet.twoparty.primitives import digest
from discreet.twoparty.session import Session
from discreet.twoparty.transport import Address, connect, listen

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from discreet.channels.answer import Audit, Verdict
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.threshold import MinSupport
    from discreet.transactions.formats.cell_rules import Names
    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.parameters import Protocol
    from discreet.twoparty.transport import Connection, Transcript

__all__ = ["Joint", "party"]

TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class Joint:
    """What two parties have mined together, and what it cost.

    `patterns` are free of channels; `audit` says what an attacker can conclude from them all the same, and they may be
    published where that is nothing. `withheld` names the frequent itemsets that may not; the list itself tells
    something about small groups and stays between the two.
    """

    found: JointPatterns
    transcript: Transcript
    audit: Audit

    @property
    def patterns(self) -> PatternSet:
        """The itemsets without a channel, with their supports."""
        return self.found.patterns

    @property
    def withheld(self) -> tuple[tuple[str, ...], ...]:
        """The frequent itemsets that are not among the patterns: for the two parties only."""
        return self.found.withheld

    @property
    def verdict(self) -> Verdict:
        """The attacker's answer; what is withheld makes a collection incomplete, which is never called safe."""
        return "nothing" if self.audit.safe and not len(self.patterns) else self.audit.verdict

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document of `discreet party`."""
        told = self.audit.to_dict()
        return {
            **self.found.to_dict(),
            "verdict": self.verdict,
            "border": told["border"],
            "attack": told["attack"],
            "proved": told["proved"],
            "transcript": self.transcript.to_dict(),
        }


def party(
    rows: Transactions,
    *,
    min_support: MinSupport,
    k: int,
    identity: str | PathLike[str],
    trust: str | PathLike[str],
    protocol: Protocol = "ic-sapm",
    listen: str | None = None,
    connect: str | None = None,
    intersect: bool = False,
    horizontal: bool = False,
    labels: Names | None = None,
    timeout: float = TIMEOUT,
    watch: Callable[[str], None] | None = None,
) -> Joint:
    """Mine itemsets over these rows and a partner's, and keep those from which nobody can be singled out.

    One side gives `listen="HOST:PORT"`, the other `connect="HOST:PORT"`; `identity` and `trust` are files that `keygen`
    made, the own `identity.pem` and the partner's `public.pem`. Both hold different columns about the same people, in
    the same order: where the rows have ids, the order is checked, and `intersect` keeps the people that both have.
    With `horizontal` both hold different people, and `labels` lists the items that candidates grow from.

    `protocol` is "ic-sapm" (withhold what would single someone out) or "dka-sapm" (make the joint rows k-anonymous
    first). `watch` is told what is being done.
    """
    k = check_k(k)
    wanted = rows_or_share(min_support)
    if (listen is None) == (connect is None):
        raise ParameterError("give either --listen HOST:PORT or --connect HOST:PORT", parameter="listen")
    if horizontal and intersect:
        raise ParameterError("--intersect is for the same people; with --horizontal they differ", parameter="intersect")
    if horizontal != (labels is not None):
        raise ParameterError(
            "--horizontal needs --labels, the same list on both sides, and only it does", parameter="labels"
        )
    if intersect:
        check_ids(rows.ids, what_for="--intersect")
    who = Identity.load(Path(identity), Path(trust))

    def parameters() -> Parameters:
        absolute = wanted if horizontal else absolute_support(wanted, rows.n)
        return Parameters(protocol=protocol, rows=rows.n, min_support=absolute, k=k, horizontal=horizontal)

    parameters()  # what no party can want is refused before a partner is contacted
    listed = None if labels is None else parse_names(labels, "labels")
    tell = watch or (lambda _: None)
    side = Party.SECOND if listen is None else Party.FIRST
    tell("Waiting for the partner")
    with _meet(listen, connect, who, timeout) as connection:
        if intersect:
            tell("Looking for the people that both have")
            rows = select_people(rows, connection.run(Intersection(rows.ids or (), first=side is Party.FIRST)))
            if not rows.n:
                raise Disagreement("the two sides have no person in common; do both name people by the same ids?")
        ids = None if rows.ids is None or horizontal else rows_digest(rows.ids)
        session = Session(side, parameters(), rows, row_ids=ids, labels=listed)
        found = connection.run(session, watch=lambda _: tell(session.stage))
        connection.farewell(digest(json.dumps(found.to_dict()).encode(), domain=b"result"))
    tell("The attacker is looking at what may be published")
    return Joint(found, connection.transcript, _attacked(found, rows))


def _attacked(found: JointPatterns, rows: Transactions) -> Audit:
    """Let the attacker look at what may be published.

    An itemset that is not listed is rare, or it was withheld: so nothing is taken to be known of it in IC-SAPM. Columns
    whose values exclude each other are this side's alone, for it does not know the partner's.
    """
    apart = Exclusive() if found.horizontal else exclusive_in_rows(rows)
    try:
        return audit(found.patterns, k=found.k, exclusive=apart)
    except DataError as error:
        raise ProtocolViolation(
            "no data set can have the supports that were opened; nothing was kept, and the partner's program or rows "
            "are to be doubted"
        ) from error


def _meet(listening: str | None, connecting: str | None, identity: Identity, timeout: float) -> Connection:
    if listening is not None:
        return listen(Address.parse(listening, option="--listen"), identity, timeout=timeout)
    return connect(Address.parse(connecting or "", option="--connect"), identity, timeout=timeout)
