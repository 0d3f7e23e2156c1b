"""Publish patterns: what they disclose at a support and a k, and what it costs to publish them.

One mining at the lowest support serves every audit: a higher support only removes itemsets. An audit without the
attacker takes milliseconds, and follows the dragged point. The attacker may take long, so it runs once the point rests,
in a process of its own. Until it has run, nothing is called safe.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from discreet.channels.audit import audit
from discreet.channels.collection import Collection, collection_of
from discreet.command_words import one_word
from discreet.errors import DataError, DiscreetError, InternalFault, ParameterError, param
from discreet.policy.policy import POLICY_FILE, Policy
from discreet.policy.toml_text import policy_text
from discreet.thresholds import K, Rho, Support, share_text
from discreet.transactions.reading import columns_in
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.wording import counted, number
from discreet.workbench.as_command import command_of
from discreet.workbench.jobs.patterns import MOST_PROOFS, attack_patterns, block_both, make_bundle, mine_rows
from discreet.workbench.jobs.process import Job
from discreet.workbench.tasks.task import Result, Task

if TYPE_CHECKING:
    from discreet.channels.audit import Audit
    from discreet.channels.channel import Channels
    from discreet.channels.derivation import Deduction
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.audiences import ReleaseMethod
    from discreet.workbench.jobs.patterns import Attacked, Costs, Mined, PackedBundle
    from discreet.workbench.workspace import Workspace

__all__ = ["Point", "PointAudit", "PointVerdict", "PublishTask", "Released", "concealing_words", "identifying_words"]

PointVerdict = Literal["safe", "not safe", "nothing to publish", "checking", "not checked"]


def concealing_words(sensitive: str | None, rho: str | None) -> str:
    """Return what nobody may conclude, if anything was named."""
    return f", where nobody may conclude {sensitive} with {rho} or more" if sensitive else ""


def identifying_words(quasi_identifiers: str | None) -> str:
    """Return the quasi-identifiers, if not every item is one: without them, "safe" would claim too much."""
    return f", where nothing but {quasi_identifiers} identifies anyone" if quasi_identifiers else ""


@dataclass(frozen=True, eq=False)
class PointAudit:
    """What the patterns at one support disclose for one k.

    `attacked` is what the attacker found, None if it has not run; it will not run if that was `given_up`. The verdict
    can be "safe" only if it has run.
    """

    min_support: int
    k: int
    patterns: PatternSet
    audit: Audit
    quasi_identifiers: str | None = None
    attacked: Attacked | None = None
    given_up: bool = False

    @property
    def verdict(self) -> PointVerdict:
        """Whether what would be published is safe, as far as is known."""
        if not self.audit.safe or self.found_by_attacker:
            return "not safe"
        if self.attacked is None:
            return "not checked" if self.given_up else "checking"
        return "safe" if self.audit.closed_count else "nothing to publish"

    @property
    def word(self) -> str:
        """The verdict as shown on the page."""
        proved = self.verdict == "safe" and self.attacked is not None and self.attacked.proved
        return "SAFE, PROVED" if proved else self.verdict.upper()

    @property
    def found_by_attacker(self) -> int:
        """How many groups the attacker has found."""
        return 0 if self.attacked is None else len(self.attacked.groups)

    @property
    def groups(self) -> int:
        """How many small groups are known."""
        return len(self.audit.channels) + self.found_by_attacker

    @cached_property
    def worst(self) -> list[tuple[Channels, int]]:
        """The smallest groups, channels first, each as its list and its index in it; as many as a page shows."""
        lists = [self.audit.channels, *([] if self.attacked is None else [self.attacked.groups])]
        worst = [(groups, place) for groups in lists for place in groups.smallest_first()[:MOST_PROOFS].tolist()]
        return worst[:MOST_PROOFS]

    def proof(self, worst: int) -> Deduction | None:
        """Return the sums behind one of the worst groups, if the attacker found it and returned them."""
        rank = worst - len(self.audit.channels)
        if self.attacked is None or not 0 <= rank < len(self.attacked.proofs):
            return None
        return self.attacked.proofs[rank]

    @property
    def sentence(self) -> str:
        """The verdict's sentence."""
        fewer = f"fewer than {number(self.k)} of {counted(self.audit.n or 0, 'row')}"
        identifying = identifying_words(self.quasi_identifiers)
        if self.groups:
            them = f"{counted(self.groups, 'group')} of {fewer} can be computed"
            return f"as they are: {them}{identifying}"  # while the bundle shown with it may be safe
        if self.verdict == "nothing to publish":
            return "no itemset is in so many rows"
        if self.attacked is not None:
            sure = self.attacked.proved or self.attacked.complete
            found = "can be computed" if sure else "was found to follow, which is not proved"
            return f"no group of {fewer} {found}{identifying}"
        if self.given_up:
            return "no channel; the attacker was cancelled: move the point to let it look again"
        return "no channel; the attacker is looking …"

    @property
    def reach(self) -> str:
        """How far the attacker searched, and what a proof of safety means."""
        found = self.attacked
        if found is None or not self.audit.closed_count:
            return ""
        if found.complete:
            words = "The attacker looked at all items together, and missed nothing."
        else:
            left_out = f"; {number(found.left_out)} {'was' if found.left_out == 1 else 'were'} left out"
            words = (
                f"The attacker looked at {counted(found.windows, 'window')} of up to "
                f"{counted(found.items_per_window, 'item')}{left_out if found.left_out else ''}."
                if found.windows
                else "The attacker's steps came to an end before it had looked at any window to the end."
            )
        if found.proved:
            words += (
                " PROVED: some data set agrees with these patterns and has every kind of row not at all or at least "
                f"{number(self.k)} times. So no small group is certain, of whatever items; one may still be likely."
            )
        return words


@dataclass(frozen=True, slots=True)
class Released:
    """The parameters that a bundle was made with."""

    min_support: int
    k: int
    method: ReleaseMethod
    quasi_identifiers: str | None
    title: str
    sensitive: str | None = None
    rho: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """All options except the support, whose option has two names."""
        return {
            "k": self.k,
            "method": self.method,
            "quasi_identifiers": self.quasi_identifiers,
            "sensitive": self.sensitive,
            "rho": self.rho,
            "title": self.title or None,
        }


class Point(NamedTuple):
    """The point on the chart: a support, a k, and the quasi-identifiers."""

    min_support: int
    k: int
    quasi_identifiers: str | None


class PublishTask(Task):
    """The state of the page *Publish patterns*."""

    link = "patterns"

    def __init__(self, workspace: Workspace, before: PublishTask | None = None) -> None:
        """Start empty, except for what the previous task knows about the bundle."""
        super().__init__(workspace)
        self.lowest = ""
        """The lowest support that was mined."""
        self.quasi_identifiers = ""
        """The quasi-identifiers of what was mined, empty if every item is one."""
        self.mined: Mined | None = None
        self.min_support = 0
        self.k: int = 10 if before is None else before.k
        self.look: PointAudit | None = None
        self.chosen = 0
        self.costs: Result[tuple[Costs, ...], Point] | None = None
        self.bundle: Result[PackedBundle, Released] | None = None
        self.method: ReleaseMethod = "additive" if before is None else before.method
        self.title: str = "" if before is None else before.title
        self.sensitive: str = "" if before is None else before.sensitive
        """The items or columns that nobody may conclude with a share of `rho` or more, empty if there are none."""
        self.rho: str = "" if before is None else before.rho
        self._attack: Result[Job[Attacked], PointAudit] | None = None
        self._collection: Collection | None = None

    @property
    def made(self) -> tuple[Path, ...]:
        """The files of the bundle."""
        return () if self.bundle is None else self.bundle.value.files

    def mine(self, lowest: str, quasi_identifiers: str) -> None:
        """Mine the rows again at a lowest support; the page shows the previous result until that succeeds."""
        if not self.workspace.busy:
            self.workspace.end_background()
            take = partial(self.take, lowest=lowest, quasi_identifiers=quasi_identifiers)
            self._start("Mining", mine_rows, lowest, quasi_identifiers or None, then=take)

    def take(self, mined: Mined, lowest: str, quasi_identifiers: str = "") -> None:
        """Set what was mined, and audit it at the lowest support."""
        self.mined, self.lowest, self.quasi_identifiers = mined, lowest, quasi_identifiers
        self._collection = collection_of(mined.found)
        self.costs = self.bundle = None
        least = mined.found.min_support
        self.min_support = max(least, self.min_support) if self.min_support <= self.n else least
        self.look_again()

    @property
    def point(self) -> Point:
        """The current point."""
        return Point(self.min_support, self.k, self.quasi_identifiers or None)

    @property
    def n(self) -> int:
        """The number of rows."""
        return 0 if self.mined is None else self.mined.found.n

    def move(self, *, min_support: int | str | None = None, k: int | str | None = None) -> None:
        """Move to another support and k, or stay if one of them is invalid.

        Below the lowest support that was mined there is nothing to show.
        """
        if self.mined is None:
            return
        next_k, next_support = self.k, self.min_support
        if k is not None:
            next_k = K.parse(int(k) if isinstance(k, str) and k.isdecimal() and k.isascii() else k)
        if min_support is not None:
            asked, least = Support.parse(min_support).of(self.n), self.mined.found.min_support
            if asked < least:
                raise ParameterError(
                    f"{param('min_support')} is {asked:,} rows, but the patterns go down to {least:,} only; mine with "
                    "a lower support first",
                    parameter="min_support",
                )
            next_support = min(asked, max(self.n, 1))
        self.min_support, self.k, self.chosen = next_support, next_k, 0

    def look_at(self, min_support: int, k: int) -> PointAudit:
        """Audit the patterns of one support for one k, without the attacker."""
        if self._collection is None:
            raise InternalFault("nothing was mined")
        patterns = self._collection.at_support(min_support)
        names = self.point.quasi_identifiers
        found = audit(patterns, k=k, border=False, quasi_identifiers=names)
        return PointAudit(min_support, k, patterns, found, quasi_identifiers=names)

    def look_again(self) -> None:
        """Audit at the current point."""
        self.look = self.look_at(self.min_support, self.k)

    @property
    def to_attack(self) -> bool:
        """Whether the attacker has yet to run on the last audit."""
        look, attack = self.look, self._attack
        if look is None or look.attacked is not None or look.given_up:
            return False
        return attack is None or attack.of is not look or attack.value.state == "cancelled"

    def attack(self) -> None:
        """Run the attacker at the current point, in the background."""
        look = self.look
        if look is None or self.rows is None or not self.to_attack:
            return
        at = look.min_support, look.k, look.quasi_identifiers
        job = Job("The attacker is looking", attack_patterns, self.rows, *at, then=partial(self.settle, look))
        self._attack = Result(job, look)
        self.workspace.start_in_background(job, self)

    def settle(self, look: PointAudit, found: Attacked) -> None:
        """Add what the attacker found to its audit, unless the point has moved on."""
        if self.look is look:
            self.look = replace(look, attacked=found)

    def give_up(self) -> None:
        """Record that the attacker does not run, because the user cancelled it."""
        if self.look is not None and self.look.attacked is None:
            self.look = replace(self.look, given_up=True)

    @property
    def fresh(self) -> bool:
        """Whether the last audit is at the current point."""
        return self.look is not None and (self.look.min_support, self.look.k) == (self.min_support, self.k)

    def block(self) -> None:
        """Try both methods of blocking at the current point."""
        at = self.point

        def take(costs: tuple[Costs, ...]) -> None:
            self.costs = Result(costs, at)

        self._start("Blocking", block_both, at.min_support, at.k, at.quasi_identifiers, then=take)

    def release(self) -> None:
        """Make the bundle."""
        point, file = self.point, self.workspace.file
        at = Released(
            point.min_support,
            point.k,
            self.method,
            point.quasi_identifiers,
            self.title.strip(),
            self.sensitive.strip() or None,
            self.rho.strip() or None,
        )

        def take(bundle: PackedBundle) -> None:
            self.bundle = Result(bundle, at)

        command = command_of("release", file, {"s": at.min_support, **at.options, "o": "public"})
        options = {"min_support": at.min_support, **at.options}
        try:
            policy = self._policy(at)
        except DiscreetError as error:  # a field that does not say what it should
            self.workspace.fail(error)
            return
        self._make("Making the bundle", make_bundle, options, file.name, command, policy, then=take)

    def follow(self, policy: Policy) -> None:
        """Take over what a policy says about patterns; refuse one that says what the page cannot do."""
        beyond: dict[str, object] = {"exclusive": policy.exclusive, "min_confidence": policy.min_confidence}
        beyond |= {"sql": policy.options.sql}
        if name := next((name for name, value in beyond.items() if value), None):
            raise DataError(
                f"{policy.path.name} has {name}, which this page cannot follow; use it with the command discreet run"
            )
        self.k, self.method, self.title = policy.k, policy.method, policy.title or ""
        self.sensitive = one_word(policy.sensitive) if policy.sensitive else ""
        self.rho = "" if policy.rho is None else share_text(policy.rho)

    def _policy(self, at: Released) -> str:
        """Return the policy that publishes what is shown."""
        file = self.workspace.file
        columns: tuple[str, ...] = ()
        with suppress(DiscreetError):
            columns = columns_in(None if file.path is None else str(file.path), file.reading)
        return policy_text(
            Policy(
                path=Path(POLICY_FILE),
                file=file.name,
                options=file.reading,
                expect_columns=columns if all(columns) else (),  # lists of labels are a column without a name
                quasi_identifying=parse_names(at.quasi_identifiers, "quasi_identifiers"),
                sensitive=parse_names(at.sensitive, "sensitive"),
                rho=None if at.rho is None else Rho.parse(at.rho),
                k=K.parse(at.k),
                min_support=Support.parse(at.min_support),
                method=at.method,
                title=at.title or None,
                output="release-{date}",
                ledger=Path("releases.ledger"),
                owner_report="{name}.owner.html",
            )
        )
