"""Mine together with a partner: connect, agree, run the protocol, disconnect.

`session` decides what is computed and `transport` how it travels; this module combines them. A result is returned after
both sides have looked at what was opened (`judging`) and said farewell, so either both have it or neither does.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

from discreet import stages
from discreet.errors import Disagreement, ParameterError, PartnerError, param
from discreet.tables.tabular import Tabular
from discreet.tables.whole import check_output
from discreet.thresholds import K, MinSupport, Support
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.twoparty.agreement import Proposal, Role
from discreet.twoparty.alignment import Intersection, check_ids, rows_digest, select_people
from discreet.twoparty.circle import MOST_OWNERS
from discreet.twoparty.identity import Identity, fingerprint
from discreet.twoparty.judging import Judgement
from discreet.twoparty.owners import Owners, mine_with_owners
from discreet.twoparty.partners import assumed, computed_twice
from discreet.twoparty.primitives import digest
from discreet.twoparty.salt import read_salt
from discreet.twoparty.session import Session
from discreet.twoparty.session_log import write_logs
from discreet.twoparty.transport import Address, checked_seconds
from discreet.twoparty.transport import connect as connect_to
from discreet.twoparty.transport import listen as listen_at
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from discreet.channels.audit import Audit, Verdict
    from discreet.json_types import JsonObject
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.agreement import Protocol
    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.session_log import SessionLog
    from discreet.twoparty.transport import Transcript

__all__ = ["Joint", "check_matching", "check_people", "party"]

TIMEOUT = 30.0
TIME_LIMIT = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Joint(Tabular):
    """What two parties mined together, and what it cost.

    Attributes
    ----------
    found : JointPatterns
        The result of the protocol.
    transcript : Transcript
        What was sent and received.
    audit : Audit
        What an attacker infers from `patterns`; they may be published if that is nothing.
    people : dict or None
        After `intersect`: how many ids this side and the partner brought (ours, theirs), and how many meet (both).
    dual : bool
        Whether everything was computed twice, once from each side.
    owners : int
        How many owners took part, this one included.
    """

    found: JointPatterns
    transcript: Transcript
    audit: Audit
    people: dict[str, int] | None = None
    dual: bool = False
    owners: int = 2

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
    def withheld_after(self) -> tuple[tuple[str, ...], ...]:
        """What the protocol released and an attacker could combine to a small group; both know the supports.

        It is not among `patterns`, and not to be published.
        """
        return self.found.withheld_after

    @property
    def verdict(self) -> Verdict:
        """The attacker's verdict. Withheld itemsets make a collection incomplete, which is never called safe."""
        return "nothing" if self.audit.safe and not len(self.patterns) else self.audit.verdict

    @property
    def assumes(self) -> str:
        """What each kind of partner has learned, in one sentence."""
        found = self.found
        return assumed(protocol=found.protocol, horizontal=found.horizontal, dual=self.dual, owners=self.owners)

    def to_arrow(self) -> pa.Table:
        """Return the itemsets without a channel, as an Arrow table of `items` and `support`."""
        return self.patterns.to_arrow()

    def __repr__(self) -> str:
        found = counted(len(self.patterns), "itemset")
        return f"<Joint: {self.verdict.replace('-', ' ')}; {found} of {counted(self.owners, 'owner')}>"

    def to_dict(self) -> JsonObject:
        """Return the JSON document of `discreet party`."""
        told = self.audit.to_dict()
        return {
            **self.found.to_dict(),
            "verdict": self.verdict,
            "border": told["border"],
            "attack": told["attack"],
            "proved": told["proved"],
            "people": self.people,
            "dual": self.dual,
            "assumes": self.assumes,
            "transcript": self.transcript.to_dict(),
        }


def party(
    rows: Transactions,
    *,
    min_support: MinSupport,
    k: int,
    identity: str | PathLike[str],
    passphrase: str | bytes | None = None,
    trust: str | PathLike[str] | Sequence[str | PathLike[str]],
    protocol: Protocol = "ic-sapm",
    iterate: bool = False,
    dual: bool | None = None,
    listen: str | None = None,
    connect: str | Sequence[str] | None = None,
    intersect: bool = False,
    salt: str | PathLike[str] | None = None,
    horizontal: bool = False,
    labels: Names | None = None,
    timeout: float = TIMEOUT,
    time_limit: float = TIME_LIMIT,
    most_people: int | None = None,
    transcript: str | PathLike[str] | None = None,
    force: bool = False,
    watch: Callable[[str], None] | None = None,
) -> Joint:
    """Mine itemsets over these rows and a partner's, and keep those from which nobody can be singled out.

    Both parties hold different columns about the same people, in the same order. With `horizontal` they hold the same
    items about different people. Neither shows its rows. With `horizontal` there may be up to eight owners: each names
    all others in `trust` and `connect`, in the same order, and its own address in `listen`.

    Parameters
    ----------
    rows : Transactions
        This side's rows. If they have ids, the order is checked.
    min_support : int, str, float or Fraction
        The minimum support over the joint rows, as for `mine`; the same on both sides. Less than `k` counts as `k`.
    k : int
        The least size of a group that may be known; the same on both sides.
    identity : path
        This side's `identity.pem` of `keygen`.
    passphrase : str or bytes, optional
        The passphrase of its key, if it has one.
    trust : path or list of paths
        The partner's `public.pem`; a list of all others' if there are more than two owners.
    protocol : {"ic-sapm", "dka-sapm"}
        Withhold what would single someone out, or make the joint rows k-anonymous first.
    iterate : bool, default False
        With "dka-sapm", whether to go on with the rows that are in no joint group of k, instead of clearing them. This
        keeps more itemsets, and tells both sides which rows those are.
    dual : bool, optional
        Whether to compute everything twice, once from each side, and to compare: a partner with changed software is
        noticed; it may try guesses about these rows until a wrong one ends the session. By default so for "ic-sapm" on
        columns of the same people, which alone can be; takes about three times as long and eight times as many bytes,
        for up to 4,000,000 rows. With False, such a partner may learn single cells and make up supports.
    listen : str, optional
        "HOST:PORT": the address at which this side waits.
    connect : str or list of str, optional
        "HOST:PORT": the address to call. Of two parties one listens and the other connects; of several owners, each
        does both.
    intersect : bool, default False
        Whether to keep only the people that both sides have, by their ids.
    salt : path, optional
        With `intersect`, a file of `make_salt` that both sides hold: nobody else can try ids against what this side
        sends. The partner, who holds it, still can; for keys that it cannot make see `salted_keys`.
    horizontal : bool, default False
        Whether the two hold different people.
    labels : names, optional
        With `horizontal`, the items that candidates are made of; the same list on both sides.
    most_people : int, optional
        With `intersect`, how many ids the partner may bring, by default twice as many as this side: one that brings
        every possible id would learn all of ours.
    time_limit : float, default 21600
        Seconds after which a session is given up, whatever signs of life come from the partner.
    timeout : float, default 30
        Seconds to wait for the partner.
    transcript : path, optional
        A file for this side's records: what was sent and received, as digests, counts and times, never contents. It is
        written when a session fails as well.
    force : bool, default False
        Whether to replace an existing transcript.
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
    twice = computed_twice(dual, protocol=protocol, horizontal=horizontal)
    trusted = [trust] if isinstance(trust, (str, PathLike)) else list(trust)
    check_people(horizontal=horizontal, intersect=intersect, labels=labels, others=len(trusted))
    check_matching(intersect=intersect, salt=salt, most_people=most_people)
    roads = _Roads.parse(listen, connect, len(trusted), timeout=timeout, time_limit=time_limit)
    if intersect:
        check_ids(rows.ids, what_for=param("intersect", value=True))
    salting = b"" if salt is None else read_salt(salt)
    who = [Identity.load(Path(identity), Path(each), passphrase) for each in trusted]

    def parameters() -> Proposal:
        absolute = wanted if horizontal else Support.parse(wanted).of(rows.n)
        return Proposal(
            protocol=protocol,
            rows=rows.n,
            min_support=absolute,
            k=k,
            horizontal=horizontal,
            iterate=iterate,
            dual=twice,
        )

    about: JsonObject = {
        **parameters().to_dict(),
        "intersect": intersect,
        "salted": salt is not None,
        "role": roads.role,
    }
    about |= {"ours": fingerprint(Path(identity)), "theirs": sorted(fingerprint(Path(each)) for each in trusted)}
    listed = None if labels is None else parse_names(labels, "labels")
    tell = watch or (lambda _: None)
    if transcript is not None:
        check_output(transcript, force=force)
    logged = partial(_logged, transcript, about, force=force)
    begin = _beginning(tell)
    if len(who) > 1 and listed is not None:
        owners = Owners(who[0], tuple(zip((each.trusted for each in who), roads.called, strict=True)))
        found, seen, cost = mine_with_owners(
            owners,
            roads.own,
            parameters(),
            rows,
            listed,
            timeout=timeout,
            time_limit=time_limit,
            logged=logged,
            tell=begin,
        )
        return Joint(found, cost, seen, owners=len(who) + 1)
    begin("Waiting for the partner")
    side = Role.FIRST if roads.called == [] else Role.SECOND
    channel = who[0].channel(listens=side is Role.FIRST)
    link = listen_at(roads.own, who[0], timeout=timeout, time_limit=time_limit) if side is Role.FIRST else None
    link = link or connect_to(roads.called[0], who[0], timeout=timeout, time_limit=time_limit)
    with link as connection, logged([connection.log]) as done:
        tell = connection.log.noting(tell)
        begin = _beginning(tell)
        people = None
        if intersect:
            begin("Looking for the people that both have")
            search = Intersection(
                rows.ids or (), first=side is Role.FIRST, channel=channel, salt=salting, most_people=most_people
            )
            rows = select_people(rows, connection.run(search))
            people = {"ours": search.ours, "theirs": search.theirs, "both": rows.n}
            about["people"] = people
            if not rows.n:
                raise Disagreement("the two sides have no person in common; do both name people by the same ids?")
        ids = None if rows.ids is None or horizontal else rows_digest(rows.ids)
        session = Session(side, parameters(), rows, row_ids=ids, labels=listed, channel=channel)
        found = connection.run(session, watch=lambda _: tell(session.stage))
        begin("The attacker is looking at what may be published")
        found, seen = connection.run(Judgement(found, rows))
        agreed_on = digest(json.dumps(found.to_dict()).encode(), domain=b"result")
        connection.farewell(agreed_on)
        done(agreed_on)
    return Joint(found, connection.transcript, seen, people, twice)


@dataclass(frozen=True, slots=True)
class _Roads:
    """Where this side waits, and whom it calls."""

    listening: Address | None
    called: list[Address]

    @classmethod
    def parse(cls, listen: str | None, connect: str | Sequence[str] | None, others: int, **seconds: float) -> _Roads:
        for name, given in seconds.items():
            checked_seconds(given, name)
        words = [] if connect is None else [connect] if isinstance(connect, str) else list(connect)
        if others > 1 and (listen is None or len(words) != others):
            raise ParameterError(
                f"with {others} others, give {param('listen', 'HOST:PORT')} once, and one "
                f"{param('connect', 'HOST:PORT')} for each {param('trust')}, in the same order",
                parameter="connect",
            )
        if others == 1 and ((listen is None) == (not words) or len(words) > 1):
            raise ParameterError(
                f"give either {param('listen', 'HOST:PORT')} or {param('connect', 'HOST:PORT')}", parameter="listen"
            )
        own = None if listen is None else Address.parse(listen, parameter="listen")
        return cls(own, [Address.parse(each, parameter="connect") for each in words])

    @property
    def own(self) -> Address:
        """Where this side waits."""
        return cast("Address", self.listening)

    @property
    def role(self) -> str:
        """What this side does, in words."""
        if self.listening is not None and self.called:
            return "one of several owners"
        return "connects" if self.listening is None else "listens"


def check_matching(*, intersect: bool, **given: object) -> None:
    """Refuse what is for matching ids alone where none are matched."""
    for name, value in given.items():
        if value is not None and not intersect:
            raise ParameterError(f"{param(name)} is for {param('intersect', value=True)}; give both", parameter=name)


def check_people(*, horizontal: bool, intersect: bool, labels: Names | None, others: int = 1) -> None:
    """Refuse ways of combining people that do not go together."""
    if others > 1 and not horizontal:
        raise ParameterError(
            f"more than two owners can mine different people only: give {param('horizontal', value=True)}, or one "
            f"{param('trust')}",
            parameter="trust",
        )
    if others >= MOST_OWNERS:
        raise ParameterError(f"at most {MOST_OWNERS} owners can mine together", parameter="trust")
    if horizontal and intersect:
        raise ParameterError(
            f"{param('intersect', value=True)} is for the same people; with {param('horizontal', value=True)} they "
            "differ",
            parameter="intersect",
        )
    if horizontal != (labels is not None):
        raise ParameterError(
            f"{param('horizontal', value=True)} needs {param('labels')}, the same list on all sides, and only it does",
            parameter="labels",
        )


def _beginning(tell: Callable[[str], None]) -> Callable[[str], None]:
    """Return what tells that a stage begins to whoever watches, and to whoever hears of shares as well."""

    def begin(words: str) -> None:
        stages.tell(words)
        tell(words)

    return begin


@contextmanager
def _logged(
    path: str | PathLike[str] | None, about: JsonObject, logs: list[SessionLog], *, force: bool
) -> Iterator[Callable[[bytes], None]]:
    """Write the logs of a session when it ends, whether with a result or not; yield what takes the result's digest."""
    outcome = {"outcome": "stopped"}
    try:
        yield lambda result: outcome.update(outcome="finished", result=result.hex())
    except PartnerError as error:
        outcome["why"] = str(error)  # a sentence of this program: it repeats nothing that was received
        raise
    finally:
        if path is not None:
            write_logs(logs, path, {**outcome, **about}, force=force)
