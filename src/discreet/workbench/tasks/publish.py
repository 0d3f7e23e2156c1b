"""Publish patterns: what they disclose at a support and a k, and what it costs to publish them.

One mining at the lowest support serves every audit: a higher support only removes itemsets, and a lower one is mined
when it is asked for. An audit without the attacker takes milliseconds, and follows the dragged point. The attacker may
take long, so it runs once the point rests, in a process of its own. Until it has run, nothing is called safe.

The point moves the support alone. k is policy: it changes only where it is typed or chosen, and a k below the house
rule is shown wherever the verdict is.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from discreet.channels.audit import audit
from discreet.channels.collection import Collection, collection_of
from discreet.channels.exclusive_names import parse_exclusive
from discreet.channels.tradeoff import tradeoff
from discreet.command_words import one_word
from discreet.errors import DataError, DiscreetError, InternalFault, ParameterError, param
from discreet.policy.toml_text import policy_text
from discreet.thresholds import K, Rho, Support, share_text
from discreet.transactions.options import ReadOptions
from discreet.wording import ROWS, Unit, counted, number
from discreet.workbench.as_command import command_of
from discreet.workbench.history import SettingHistory
from discreet.workbench.house_rule import HouseRule
from discreet.workbench.jobs.patterns import (
    BUNDLE,
    BUNDLE_ZIP,
    OwnerWords,
    advise_patterns,
    attack_patterns,
    block_both,
    compare_ways,
    make_bundle,
    mine_rows,
    select_from,
)
from discreet.workbench.jobs.process import Job
from discreet.workbench.jobs.published_itemsets import PublishedItemsets
from discreet.workbench.jobs.session_ledger import RefusedTogether
from discreet.workbench.jobs.weighing import Weighed
from discreet.workbench.reading_questions import one_row_words
from discreet.workbench.settings import Setting, policy_of
from discreet.workbench.tasks.point import NOT_MEANT, PageVerdict, Point, PointAudit
from discreet.workbench.tasks.task import Result, Task
from discreet.workbench.typed_words import plain_list

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.channels.advice import Advice
    from discreet.channels.tradeoff import Tradeoff
    from discreet.microdata.comparison import Comparison
    from discreet.policy.policy import Policy
    from discreet.publishing.audiences import ReleaseMethod
    from discreet.workbench.jobs.patterns import Attacked, Costs, Mined, PackedBundle
    from discreet.workbench.reading_questions import OneRow
    from discreet.workbench.tasks.point import BundleKeywords
    from discreet.workbench.workspace import Workspace

__all__ = ["PublishTask", "Released"]

_LEFT = "left"


@dataclass(frozen=True, slots=True)
class Released:
    """The parameters that a bundle was made with."""

    point: Point
    method: ReleaseMethod
    title: str
    fit: bool = False
    """Whether what is not safe together with earlier bundles was withheld."""
    selected: bool = False
    """Whether it is a selection of the bundle that left before."""

    @property
    def min_support(self) -> int:
        """The support, in rows."""
        return self.point.min_support

    @property
    def words(self) -> str:
        """What it was made with, in one line."""
        if self.selected:
            return f"a selection of the bundle that left before, from {counted(self.min_support, 'row')} up"
        fit = ", without what is not safe together with earlier bundles" * self.fit
        return Setting(ReadOptions(), self.point, self.method).words + fit

    @property
    def options(self) -> BundleKeywords:
        """All options except the support, whose option has two names."""
        return {"k": self.point.k, "method": self.method, **self.point.roles, "title": self.title or None}


class PublishTask(Task):
    """The state of the page *Publish patterns*."""

    link = "patterns"
    page = "publish"

    def __init__(self, workspace: Workspace, before: PublishTask | None = None) -> None:
        """Start empty, except for what the previous task knows about the bundle."""
        super().__init__(workspace)
        self.lowest = ""
        """The lowest support that was mined."""
        self.quasi_identifiers = ""
        """The quasi-identifiers of what was mined, empty if every item is one."""
        self.mined: Mined | None = None
        self.min_support = 0
        self.house: HouseRule = HouseRule() if before is None else before.house
        self.k: int = self.house.k if before is None else before.k
        self.look: PointAudit | None = None
        self.chosen = 0
        self.costs: Result[tuple[Costs, ...], Point] | None = None
        self.compared: Result[Comparison, Point] | None = None
        """What each way to publish costs, exact or with noise, where it was asked for."""
        self.bundle: Result[PackedBundle, Released] | None = None
        self.refused: Result[RefusedTogether, Released] | None = None
        """Why the last bundle was not made: it is not safe together with earlier ones."""
        self.left: Path | None = None
        """The bundle of these rows that left last, to select from."""
        self.method: ReleaseMethod = "additive" if before is None else before.method
        self.title: str = "" if before is None else before.title
        self.sensitive: str = "" if before is None else before.sensitive
        """The items or columns that nobody may conclude with a share of `rho` or more, empty if there are none."""
        self.rho: str = "" if before is None else before.rho
        self.exclusive: str = "" if before is None else before.exclusive
        """Sets of items of which a row has at most one, separated by semicolons."""
        self.method_chosen: bool = before is not None and before.method_chosen
        """Whether the user chose the method; otherwise it follows the verdict."""
        self.advice: Result[Advice, Point] | None = None
        self._attack: Result[Job[Attacked], PointAudit] | None = None
        self._advise: Result[Job[Advice], Point] | None = None
        self._price: Result[Job[tuple[Costs, ...]], Point] | None = None
        self._looked: dict[Point, PointAudit] = {}
        """What the attacker has looked at since the patterns were mined."""
        self._collection: Collection | None = None
        self._asked: Support | None = None
        """The support to go to once it is mined."""
        self._mining: Job[Mined] | None = None
        self.history: SettingHistory = SettingHistory(self, None if before is None else before.history)

    @property
    def made(self) -> tuple[Path, ...]:
        """The files of the bundle."""
        return () if self.bundle is None else self.bundle.value.files

    def mine(self, lowest: str, quasi_identifiers: str, *, asked: Support | None = None) -> None:
        """Mine the rows at a lowest support, and go to `asked`; the page shows the previous result until it is done."""
        if self.rows is not None and not self.workspace.busy:
            self.workspace.end_background()
            take = partial(self.take, lowest=lowest, quasi_identifiers=quasi_identifiers)
            job = self._job_of("Mining", mine_rows, self.rows, lowest, quasi_identifiers or None, then=take)
            self._asked, self._mining = asked, job  # before it begins, since its end waits for no thread
            self.workspace.start(job)

    @property
    def mining(self) -> bool:
        """Whether what is chosen is being mined: there is nothing to look at before."""
        return self._mining is not None and self._mining.running

    def take(self, mined: Mined, lowest: str, quasi_identifiers: str = "") -> None:
        """Set what was mined, and audit it at the lowest support."""
        self.mined, self.lowest, self.quasi_identifiers = mined, lowest, quasi_identifiers
        self._collection = collection_of(mined.found)
        self._looked = {}
        self.costs = self.bundle = self.refused = None
        least = mined.found.min_support
        if self._asked is not None:
            self.min_support = min(max(self._asked.of(self.n), least), max(self.n, 1))
        else:
            self.min_support = max(least, self.min_support) if self.min_support <= self.n else least
        self._asked = None
        self.look_again()

    @property
    def point(self) -> Point:
        """The current point."""
        sets = (each.strip() for each in re.split("[;\n]", self.exclusive))
        return Point(
            self.min_support,
            self.k,
            self.quasi_identifiers or None,
            self.sensitive.strip() or None,
            self.rho.strip() or None,
            tuple(filter(None, sets)),
        )

    @property
    def setting(self) -> Setting:
        """All that is chosen."""
        return Setting(self.workspace.file.reading, self.point, self.method)

    @property
    def weighed(self) -> Weighed | None:
        """What is known of the current setting, None if it has to be found out."""
        if self.method == "none":
            return None if self.look is None or not self.fresh else Weighed.of_look(self.look)
        tried = self.cost(self.method)
        return None if tried is None else Weighed.of_cost(tried, self.n)

    def restore(self, setting: Setting) -> None:
        """Choose a setting that was chosen before, or saved; what it needs is read and mined."""
        workspace, point = self.workspace, setting.point
        if self.mined is None or workspace.busy:
            return
        self.method, self.method_chosen = setting.method or self.method, setting.method is not None
        self.k, self.chosen = point.k, 0
        self.sensitive, self.rho = point.sensitive or "", point.rho or ""
        self.exclusive = "; ".join(point.exclusive)
        names = point.quasi_identifiers or ""
        if setting.reading != workspace.file.reading:
            workspace.read(setting.reading, then_mine=True, asked=(f"{point.min_support}", names or None))
        elif names != self.quasi_identifiers or point.min_support < self.mined.found.min_support:
            lower = point.min_support < self.mined.found.min_support
            lowest = f"{point.min_support}" if lower else self.lowest
            self.mine(lowest, names, asked=Support.parse(point.min_support))
        else:
            self.min_support = point.min_support
        workspace.changed()

    @property
    def n(self) -> int:
        """The number of rows."""
        return 0 if self.mined is None else self.mined.found.n

    def move(self, *, min_support: int | str | None = None, k: int | str | None = None) -> None:
        """Move to another support and k, or stay if one of them is invalid.

        A support below the lowest that was mined is mined first.
        """
        if self.mined is None:
            return
        support = None if min_support is None else Support.parse(min_support)
        next_k: int = self.k
        if k is not None:
            next_k = K.parse(int(k) if isinstance(k, str) and k.isdecimal() and k.isascii() else k)
            if next_k != self.k and next_k > max(self.n, 2):
                raise ParameterError(
                    f"{param('k')} is larger than the number of rows, {number(self.n)}; choose a smaller one",
                    parameter="k",
                )
        if support is not None and support.of(self.n) < self.mined.found.min_support:
            self._mine_for(support)
            self.k = next_k
            return
        if support is not None:
            self.min_support = min(support.of(self.n), max(self.n, 1))
        self.k, self.chosen = next_k, 0

    def _mine_for(self, support: Support) -> None:
        """Mine at a lower support, and go there."""
        if self.workspace.busy:
            raise ParameterError(
                f"{param('min_support')} is below what was mined, and other work is running; wait for it",
                parameter="min_support",
            )
        self.mine(str(support), self.quasi_identifiers, asked=support)

    def look_at(self, point: Point) -> PointAudit:
        """Audit the patterns at a point, without the attacker."""
        if self._collection is None:
            raise InternalFault("nothing was mined")
        patterns = self._collection.at_support(point.min_support)
        found = audit(patterns, k=point.k, border=False, quasi_identifiers=point.quasi_identifiers)
        return PointAudit(
            point,
            patterns,
            found,
            curve=self._curve(point.k),
            unit=self.unit,
            departures=self.house.departures(point),
        )

    @property
    def unit(self) -> Unit:
        """What a row is."""
        file = self.workspace.file
        if file.preview is None or file.preview.unit != ROWS:
            return ROWS if file.preview is None else file.preview.unit
        return Unit("person", "people") if file.one_row == "person" else ROWS

    def _curve(self, k: int) -> Tradeoff | None:
        """Return the curve of a k that the chart has none for."""
        if self.mined is None or k in self.mined.curves.ks:
            return None
        if self.look is not None and self.look.curve is not None and k in self.look.curve.ks:
            return self.look.curve
        supports = self.mined.curves.min_supports.tolist()
        names = self.point.quasi_identifiers
        return tradeoff(self.mined.found, min_support=supports, k=[k], quasi_identifiers=names)

    def look_again(self) -> None:
        """Audit at the current point."""
        self.look = self.look_at(self.point)

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
        job = Job("The attacker is looking", attack_patterns, self.rows, look.point, then=partial(self.settle, look))
        self._attack = Result(job, look)
        self.workspace.start_in_background(job, self, failed=lambda _: self.give_up())

    def settle(self, look: PointAudit, found: Attacked) -> None:
        """Add what the attacker found to its audit, unless the point has moved on."""
        if self.look is look:
            self.look = replace(look, attacked=found)
            self._looked[look.point] = self.look
            if not self.method_chosen:  # nothing is changed where nothing needs to be
                self.method = "none" if self.look.verdict == "safe" else "additive"

    def seen(self, k: int) -> list[tuple[int, str]]:
        """Return where the attacker has looked for a k with the present roles, and how many were exposed there."""
        now = self.point
        return [
            (at.min_support, f"{number(look.exposed or 0)} of {look.unit.counted(self.n)} exposed")
            for at, look in self._looked.items()
            if at._replace(min_support=0) == now._replace(min_support=0) and at.k == k
        ]

    @property
    def lowest_safe(self) -> dict[int, int]:
        """The lowest supports that the attacker found safe with the present roles, by k."""
        found: dict[int, int] = {}
        for at, look in self._looked.items():
            if look.verdict == "safe" and at[2:] == self.point[2:]:
                found[at.k] = min(at.min_support, found.get(at.k, at.min_support))
        if self.advice is not None and self.advice.value.lowest is not None and self.advice.of[2:] == self.point[2:]:
            k, lowest = self.advice.of.k, self.advice.value.lowest
            found[k] = min(lowest, found.get(k, lowest))
        return found

    @property
    def to_advise(self) -> bool:
        """Whether it is yet to be looked for what would be safe."""
        look = self.look
        if look is None or look.attacked is None or look.verdict != "not safe" or not self.fresh:
            return False
        last = self._advise
        return last is None or not last.answers(self.point) or last.value.state == "cancelled"

    def advise(self) -> None:
        """Look for what would be safe, in the background."""
        at = self.point

        def take(found: Advice) -> None:
            self.advice = Result(found, at)

        if self.rows is not None and self.to_advise:
            job = Job("Looking for what would be safe", advise_patterns, self.rows, at, then=take)
            self._advise = Result(job, at)
            self.workspace.start_in_background(job, self)

    @property
    def advised(self) -> Advice | None:
        """What would be safe instead of what is chosen."""
        return self.advice.value if self.advice is not None and self.advice.answers(self.point) else None

    @property
    def listed(self) -> tuple[PublishedItemsets | None, str]:
        """What would be published, and what its figures are: changed as the bundle or the comparison says."""
        bundle, look = self.bundle, self.look
        if bundle is not None and self.bundle_fresh:
            return bundle.value.listed, "as the bundle has them"
        if look is None:
            return None, ""
        made = self.cost(self.method)
        if made is not None and made.listed is not None:
            return made.listed, f"as they would be published ({self.method})"
        changed = "" if self.method == "none" else ": compare both ways, or make the bundle, to see what is changed"
        return PublishedItemsets.of(look.patterns), f"unchanged{changed}"

    @property
    def to_price(self) -> bool:
        """Whether the ways out have yet to be priced: advice leaves that out, because it may take long."""
        advice = self.advised
        if advice is None or not advice.blocking or not self.fresh:
            return False
        if self.costs is not None and self.costs.answers(self.point):
            return False
        last = self._price
        return last is None or not last.answers(self.point) or last.value.state == "cancelled"

    def price(self) -> None:
        """Try both methods of blocking in the background, to learn what they cost."""
        at = self.point
        if self.rows is not None and self.to_price:
            take = partial(self._take_costs, at)
            job = Job("Trying both ways to make it safe", block_both, self.rows, at, then=take)
            self._price = Result(job, at)
            self.workspace.start_in_background(job, self)

    def cost(self, method: str) -> Costs | None:
        """Return what a method of blocking costs at the current point, if it was tried."""
        if self.costs is None or not self.costs.answers(self.point):
            return None
        return next((each for each in self.costs.value if each.method == method), None)

    def patterns_at(self, min_support: int) -> int:
        """Return how many closed itemsets are published from a support up."""
        return 0 if self._collection is None else len(self._collection.at_support(min_support))

    def give_up(self) -> None:
        """Record that the attacker does not run, or no advice is looked for, because the user cancelled it."""
        if self.look is not None and self.look.attacked is None:
            self.look = replace(self.look, given_up=True)
        elif self.advised is not None:
            self._price = Result(Job("Not tried", block_both, then=lambda _: None), self.point)
        elif self._advise is not None:
            self._advise = Result(Job("Not looked for", advise_patterns, then=lambda _: None), self.point)

    @property
    def fresh(self) -> bool:
        """Whether the last audit is at the current point."""
        return self.look is not None and self.look.point == self.point

    def block(self) -> None:
        """Try both methods of blocking at the current point."""
        self._start("Blocking", block_both, self.point, then=partial(self._take_costs, self.point))

    def _take_costs(self, at: Point, costs: tuple[Costs, ...]) -> None:
        self.costs = Result(costs, at)
        works = [each.method for each in costs if not each.refusal]
        if works and self.method not in ("none", *works) and not self.method_chosen:
            self.method = works[0]

    def compare(self) -> None:
        """Compare all ways to publish at the current point."""
        at = self.point

        def take(found: Comparison) -> None:
            self.compared = Result(found, at)

        if self.rows is not None:
            self.workspace.start(Job("Comparing all ways", compare_ways, self.rows, at, then=take))

    @property
    def chosen_release(self) -> Released:
        """What the bundle would be made with now."""
        return Released(self.point, self.method, self.title.strip())

    def conceal(self, *, sensitive: str, rho: str, exclusive: str) -> None:
        """Set the roles that need no mining; refuse a name of a file, and a rho that is none."""
        plain_list(sensitive, "sensitive")
        lists = [plain_list(each, "exclusive") for each in re.split("[;\n]", exclusive)]
        parse_exclusive([each for each in lists if each], typed=True)
        if rho.strip():
            Rho.parse(rho.strip())
        self.sensitive, self.rho, self.exclusive = sensitive.strip(), rho.strip(), exclusive.strip()

    @property
    def told(self) -> PageVerdict | None:
        """The verdict about what is chosen now: the bundle's once it is made, before that the patterns' as they are."""
        look = self.look
        if look is None:
            return None
        if self.refused is not None and self._answers_now(self.refused.of):
            return PageVerdict("NOT SAFE TOGETHER", f"{self.refused.value.sentence}; nothing was made", "bad")
        if self.bundle is not None and self.bundle_fresh:
            made = self.bundle.value
            if not made.verification.holds:
                return PageVerdict("DOES NOT HOLD", made.verification.reason, "bad")
            return PageVerdict(
                made.verdict, " · ".join([f"the bundle: {made.sentence}", *look.departures]), "good", self._caution
            )
        tone = look.tone
        if tone == "good" and (questions := self.workspace.file.questions):
            return PageVerdict("NOT UNDERSTOOD", f"to be answered about the file first: {questions[0].sentence}", "bad")
        return PageVerdict(look.word, look.sentence, tone, self._caution if tone == "good" else "")

    @property
    def _caution(self) -> str:
        """What SAFE does not mean, and whom k counts."""
        books = self.workspace
        return " ".join(filter(None, (NOT_MEANT, self._counted, "" if books.ledger.named else books.log.unjudged)))

    @property
    def _counted(self) -> str:
        """What has to be said about people, because k counts rows."""
        file = self.workspace.file
        return one_row_words(file.one_row, by_person=file.reading.person_column is not None)

    def count_people(self, one_row: OneRow) -> None:
        """Record whether a row is a person; figures are shown in people if so."""
        self.workspace.file.one_row = one_row
        if self.look is not None:
            self.look = replace(self.look, unit=self.unit)
        self.workspace.changed()

    @property
    def bundle_fresh(self) -> bool:
        """Whether the bundle shown is what is chosen now."""
        return self.bundle is None or self._answers_now(self.bundle.of)

    def _answers_now(self, made: Released) -> bool:
        return made == replace(self.chosen_release, fit=made.fit, selected=made.selected)

    def release(self, *, fit: bool = False) -> None:
        """Make the bundle; with `fit`, without what is not safe together with earlier ones."""
        workspace = self.workspace
        file, ledger = workspace.file, workspace.ledger
        at = replace(self.chosen_release, fit=fit)
        told = {"ledger": str(ledger.path), "fit_ledger": fit or None} if ledger.named else {}
        command = command_of("release", file, {"s": at.min_support, **at.options, **told, "o": "public"})
        owner = OwnerWords(file.name, command, BUNDLE_ZIP, self._notes(at))
        try:
            policy = policy_text(policy_of(workspace.file, at.point, at.method, at.title))
        except DiscreetError as error:  # a field that does not say what it should
            workspace.fail(error)
            return
        self._make(
            "Making the bundle",
            make_bundle,
            at.min_support,
            at.options,
            owner,
            policy,
            ledger.use,
            fit,
            then=partial(self._take_bundle, at),
        )

    def keep(self, made: PackedBundle) -> None:
        """Keep a bundle that left, to select from it."""
        kept = self.workspace.folder / _LEFT
        if self.left is None or made.archive.stat().st_mtime_ns > kept.stat().st_mtime_ns:
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(made.archive.with_name(BUNDLE), kept)
        self.left = kept

    def select(self) -> None:
        """Make a selection of the bundle that left last, from the current support up."""
        at = replace(self.chosen_release, selected=True)
        if self.left is not None:
            ledger, take = self.workspace.ledger.use, partial(self._take_bundle, at)
            self._make("Selecting", select_from, self.left, at.min_support, at.title, ledger, then=take)

    def _take_bundle(self, at: Released, made: PackedBundle | RefusedTogether) -> None:
        self.bundle = self.refused = None
        if isinstance(made, RefusedTogether):
            self.refused = Result(made, at)
        else:
            self.bundle = Result(made, at)

    def _notes(self, at: Released) -> tuple[str, ...]:
        """Return what the owner's report tells about the policy."""
        told = [f"Chosen: {words} ({self.house.words})." for words in self.house.departures(at.point)]
        names = {"quasi_identifiers": "Quasi-identifiers", "sensitive": "Sensitive items", "rho": "Rho"}
        ruled = dict(self.house.roles)
        for name, label in names.items():
            value = getattr(at.point, name)
            if value and not self.house.source:
                told.append(f"{label}, as chosen on the page: {value}.")
            elif value and value == ruled.get(name):
                told.append(f"{label}, as the house rule says ({self.house.source}): {value}.")
        return (*told, *filter(None, [self._counted]))

    def follow(self, policy: Policy) -> None:
        """Take over what a policy says about patterns; refuse one that says what the page cannot do."""
        beyond: dict[str, object] = {"min_confidence": policy.min_confidence}
        beyond |= {"sql": policy.options.sql, 'method = "dp"': policy.method == "dp"}
        if name := next((name for name, value in beyond.items() if value), None):
            raise DataError(
                f"{policy.path.name} has {name}, which this page cannot follow; use it with the command discreet run"
            )
        self.k, self.title = policy.k or self.k, policy.title or ""
        self.method = self.method if policy.method == "dp" else policy.method
        self.method_chosen = True
        self.sensitive = one_word(policy.sensitive) if policy.sensitive else ""
        self.rho = "" if policy.rho is None else share_text(policy.rho)
        self.exclusive = "; ".join(one_word(each) for each in policy.exclusive)
        names = one_word(policy.quasi_identifying) if policy.quasi_identifying else ""
        roles = {"quasi_identifiers": names, "sensitive": self.sensitive, "rho": self.rho, "exclusive": self.exclusive}
        self.house = HouseRule(policy.k or self.house.k, tuple(roles.items()), policy.path.name)
