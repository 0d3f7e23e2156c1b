"""One party's side of mining together, from the first message to the result: a state machine without sockets.

The order is the same on both sides: parameters, and a fresh number of each side; a proof that both are in this session
and hold the same rows; base transfers; the protocol; the opened supports. The caller (`transport`, or a test) starts
the session, hands in the partner's messages, and sends what it returns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from discreet.errors import Disagreement, ParameterError, ProtocolViolation, param
from discreet.stages import tell
from discreet.twoparty.agreement import LONGEST_PROPOSAL, Proposal, Role
from discreet.twoparty.alignment import confirm_rows
from discreet.twoparty.dka_sapm import mine_anonymized
from discreet.twoparty.dual_engine import start_dual_engine
from discreet.twoparty.engine import start_transfer_engine
from discreet.twoparty.horizontal import mine_different_people
from discreet.twoparty.ic_sapm import mine_without_channels
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.primitives import digest, random_bytes
from discreet.twoparty.ring import Ring
from discreet.twoparty.steps import Conversation, exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.agreement import Agreed
    from discreet.twoparty.engine import Engine, GroupingEngine
    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.steps import Steps

    StartEngine = Callable[[Role, Ring, bytes], Steps[Engine]]

__all__ = ["Session", "with_labels"]

_NONCE: Final = 32


class Session(Conversation["JointPatterns"]):
    """One party's side of a session; `stage` describes the current step in a few words."""

    def __init__(
        self,
        party: Role,
        parameters: Proposal,
        rows: Transactions,
        *,
        row_ids: bytes | None = None,
        labels: Sequence[str] | None = None,
        channel: bytes = b"",
        start_engine: StartEngine | None = None,
    ) -> None:
        """Prepare the session; nothing is sent yet.

        `channel` says who talks with whom (`identity.Identity.channel`), and is in every hash: a partner cannot pass
        messages on between two sessions of its own.

        `row_ids` is the digest of the rows' ids in order, None if the rows are assumed to be in the same order. For
        different people, `labels` is the list that candidates grow from, the same on both sides.
        """
        if parameters.horizontal != (labels is not None):
            raise ParameterError(
                f"{param('labels')} are for different people, and needed there: give both owners' list of labels",
                parameter="labels",
            )
        if rows.weights is not None or len(rows) != parameters.rows:
            raise ParameterError("two parties mine rows as they are in the file, one per person", parameter="data")
        wanted = replace(parameters, identified=row_ids is not None)
        if labels is not None:
            wanted = with_labels(wanted, labels)
        self.stage = "waiting for the partner's parameters"
        self._party = party
        self._rows = rows
        self._row_ids = row_ids
        self._labels = labels
        self._channel = channel
        self._start_engine = start_engine
        super().__init__(self._mine(wanted))

    def admit(self, kind: MessageKind, length: int) -> None:
        """Refuse a message that may not come now; say so if the partner looks for common people."""
        if kind is MessageKind.INTERSECTION:
            raise Disagreement(
                f"the partner asks for {param('intersect', value=True)} and this side does not; give it on both or on "
                "neither"
            )
        super().admit(kind, length)

    def _report(self, stage: str) -> None:
        self.stage = stage
        tell(stage)

    def _mine(self, wanted: Proposal) -> Steps[JointPatterns]:
        agreed, session_id = yield from self._agree(wanted)
        self._report("checking that both hold the same rows")
        first = self._party is Role.FIRST
        yield from confirm_rows(first=first, rows=self._row_ids, session_id=session_id)
        self._report("setting up oblivious transfers")
        start = self._start_engine or (start_dual_engine if agreed.dual else start_transfer_engine)
        engine = cast("GroupingEngine", (yield from start(self._party, Ring(agreed.n), session_id)))  # or an Engine
        self._report("mining this side's own columns")
        if self._labels is not None:
            return (
                yield from mine_different_people(
                    engine, self._party, agreed, self._rows, self._labels, report=self._report
                )
            )
        run = mine_without_channels if agreed.protocol == "ic-sapm" else mine_anonymized
        return (yield from run(engine, self._party, agreed, self._rows, report=self._report))

    def _agree(self, wanted: Proposal) -> Steps[tuple[Agreed, bytes]]:
        """Agree on the parameters; return what was agreed, and a unique session id."""
        mine = random_bytes(_NONCE) + wanted.to_bytes()
        theirs = yield from exchange(MessageKind.PARAMETERS, mine, _NONCE + LONGEST_PROPOSAL, exact=False)
        if len(theirs) < _NONCE or theirs[:_NONCE] == mine[:_NONCE]:
            raise ProtocolViolation("the partner sent no fresh number of its own; start both sides again")
        agreed = wanted.agree(Proposal.from_bytes(theirs[_NONCE:]))
        both = (mine, theirs) if self._party is Role.FIRST else (theirs, mine)
        return agreed, digest(*both, self._channel, domain=b"session")


def with_labels(wanted: Proposal, labels: Sequence[str]) -> Proposal:
    """Return a proposal with the digest of the labels that candidates grow from."""
    return replace(wanted, labels=digest(*sorted(each.encode() for each in set(labels)), domain=b"labels"))
