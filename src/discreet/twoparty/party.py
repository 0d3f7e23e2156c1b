"""Mine together with a partner: connect, agree, run the protocol, disconnect.

`session` decides what is computed and `transport` how it travels; this module combines them. A result is returned only
after both sides have said farewell, so either both have it or neither does. Then each side runs the attacker on the
result, with only what may be published: the protocols rule out channels, but nothing beyond.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.channels.audit import audit
from discreet.channels.exclusive import Exclusive, exclusive_in_rows
from discreet.errors import DataError, Disagreement, ParameterError, ProtocolViolation, param
from discreet.thresholds import K, MinSupport, Support
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.alignment import Intersection, check_ids, rows_digest, select_people
from discreet.twoparty.identity import Identity
from discreet.twoparty.primitives import digest
from discreet.twoparty.session import Session
from discreet.twoparty.transport import Address, connect, listen

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from discreet.channels.audit import Audit, Verdict
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.agreement import Protocol
    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.transport import Connection, Transcript

__all__ = ["Joint", "party"]

TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class Joint:
    """What two parties mined together, and what it cost.

    Attributes
    ----------
    found : JointPatterns
        The result of the protocol.
    transcript : Transcript
        What was sent and received.
    audit : Audit
        What an attacker infers from `patterns`; they may be published if that is nothing.
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
        """The frequent itemsets that are not among `patterns`.

        The list itself says something about small groups, and stays between the two parties.
        """
        return self.found.withheld

    @property
    def verdict(self) -> Verdict:
        """The attacker's verdict. Withheld itemsets make a collection incomplete, which is never called safe."""
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
    passphrase: str | bytes | None = None,
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

    Both parties hold different columns about the same people, in the same order. With `horizontal` they hold the same
    items about different people. Neither shows its rows.

    Parameters
    ----------
    rows : Transactions
        This side's rows. If they have ids, the order is checked.
    min_support : int, str, float or Fraction
        The minimum support over the joint rows, as for `mine`; the same on both sides.
    k : int
        The least size of a group that may be known; the same on both sides.
    identity : path
        This side's `identity.pem` of `keygen`.
    passphrase : str or bytes, optional
        The passphrase of its key, if it has one.
    trust : path
        The partner's `public.pem`.
    protocol : {"ic-sapm", "dka-sapm"}
        Withhold what would single someone out, or make the joint rows k-anonymous first.
    listen, connect : str, optional
        "HOST:PORT": one side listens, the other connects.
    intersect : bool, default False
        Whether to keep only the people that both sides have, by their ids.
    horizontal : bool, default False
        Whether the two hold different people.
    labels : names, optional
        With `horizontal`, the items that candidates are made of; the same list on both sides.
    timeout : float, default 30
        Seconds to wait for the partner.
    watch : callable, optional
        Called with a sentence about the current step.

    Returns
    -------
    Joint
        The patterns, their audit, and what was exchanged.

    Raises
    ------
    ParameterError
        A parameter has an unusable value, or does not go with another.
    DataError
        The rows cannot be used.
    PartnerError
        The partner cannot be reached, is not trusted, breaks the protocol, or wants something else.
    TooManyPatterns
        There are too many frequent itemsets.

    Examples
    --------
    Both sides at once, in two threads:

    >>> import discreet, concurrent.futures, pathlib, socket, tempfile
    >>> with socket.create_server(("localhost", 0)) as free:
    ...     address = f"localhost:{free.getsockname()[1]}"
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for side in ("clinic", "lab"):
    ...     _ = discreet.keygen(folder / side)
    >>> diagnoses = discreet.Transactions.from_rows([["flu"]] * 6 + [[]] * 6)
    >>> results = discreet.Transactions.from_rows([["positive"]] * 6 + [[]] * 6)
    >>> def run(side, partner, rows, **where):
    ...     identity, trust = folder / side / "identity.pem", folder / partner / "public.pem"
    ...     return discreet.party(rows, min_support=5, k=3, identity=identity, trust=trust, **where)
    >>> with concurrent.futures.ThreadPoolExecutor() as pool:
    ...     clinic = pool.submit(run, "clinic", "lab", diagnoses, listen=address)
    ...     lab = pool.submit(run, "lab", "clinic", results, connect=address)
    >>> [(sorted(itemset), support) for itemset, support in lab.result().patterns]
    [(['flu'], 6), (['positive'], 6), (['flu', 'positive'], 6)]
    """
    k = K.parse(k)
    wanted = Support.parse(min_support).value
    if (listen is None) == (connect is None):
        raise ParameterError(
            f"give either {param('listen', 'HOST:PORT')} or {param('connect', 'HOST:PORT')}", parameter="listen"
        )
    if horizontal and intersect:
        raise ParameterError(
            f"{param('intersect', value=True)} is for the same people; with {param('horizontal', value=True)} they "
            "differ",
            parameter="intersect",
        )
    if horizontal != (labels is not None):
        raise ParameterError(
            f"{param('horizontal', value=True)} needs {param('labels')}, the same list on both sides, and only it does",
            parameter="labels",
        )
    if intersect:
        check_ids(rows.ids, what_for=param("intersect", value=True))
    who = Identity.load(Path(identity), Path(trust), passphrase)

    def parameters() -> Proposal:
        absolute = wanted if horizontal else Support.parse(wanted).of(rows.n)
        return Proposal(protocol=protocol, rows=rows.n, min_support=absolute, k=k, horizontal=horizontal)

    parameters()  # refuse invalid parameters before a partner is contacted
    listed = None if labels is None else parse_names(labels, "labels")
    tell = watch or (lambda _: None)
    side = Role.SECOND if listen is None else Role.FIRST
    tell("Waiting for the partner")
    with _meet(listen, connect, who, timeout) as connection:
        if intersect:
            tell("Looking for the people that both have")
            rows = select_people(rows, connection.run(Intersection(rows.ids or (), first=side is Role.FIRST)))
            if not rows.n:
                raise Disagreement("the two sides have no person in common; do both name people by the same ids?")
        ids = None if rows.ids is None or horizontal else rows_digest(rows.ids)
        session = Session(side, parameters(), rows, row_ids=ids, labels=listed)
        found = connection.run(session, watch=lambda _: tell(session.stage))
        connection.farewell(digest(json.dumps(found.to_dict()).encode(), domain=b"result"))
    tell("The attacker is looking at what may be published")
    return Joint(found, connection.transcript, _attacked(found, rows))


def _attacked(found: JointPatterns, rows: Transactions) -> Audit:
    """Run the attacker on what may be published.

    An unlisted itemset is rare, or it was withheld: so in IC-SAPM nothing is assumed to be known about it. Exclusive
    columns are this side's only, because it does not know the partner's.
    """
    apart = Exclusive() if found.horizontal else exclusive_in_rows(rows)
    try:
        return audit(found.patterns, k=found.k, exclusive=apart)
    except DataError as error:
        raise ProtocolViolation(
            "no data set can have the supports that were opened; nothing was kept, and the partner's program or rows "
            "are in doubt"
        ) from error


def _meet(listening: str | None, connecting: str | None, identity: Identity, timeout: float) -> Connection:
    if listening is not None:
        return listen(Address.parse(listening, parameter="listen"), identity, timeout=timeout)
    return connect(Address.parse(connecting or "", parameter="connect"), identity, timeout=timeout)
