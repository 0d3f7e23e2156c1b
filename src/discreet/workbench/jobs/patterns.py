"""Jobs on patterns: survey and mine rows, run the attacker, block, make a bundle, and verify one.

A job's function takes `report` first. `report(share, words)` reports progress; the share is None if it is unknown.
"""

from __future__ import annotations

import shutil
import stat
import zipfile
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.answers.answer import Listing
from discreet.answers.conclusion_words import surest_conclusions
from discreet.answers.releases import release_headline
from discreet.channels.advice import advise
from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.channels.derivation import deduce
from discreet.channels.quasi_identifiers import chosen_items
from discreet.channels.row_source import LocalRows
from discreet.channels.tradeoff import tradeoff
from discreet.errors import DataError, DiscreetError, InternalFault, NotSafe, TooManyPatterns, UnsafeTogether
from discreet.microdata.comparison import compare
from discreet.patterns.mining import mine
from discreet.policy.policy import POLICY_FILE
from discreet.publishing.certificate import CERTIFICATE
from discreet.publishing.ledger import open_ledger
from discreet.publishing.release import OwnerFile, release_from
from discreet.publishing.release import release as write_release
from discreet.publishing.verifier import verify
from discreet.wording import counted
from discreet.workbench.input_file import Preview
from discreet.workbench.jobs.process import Failure
from discreet.workbench.jobs.published_itemsets import PublishedItemsets
from discreet.workbench.jobs.session_ledger import RefusedTogether, judged_together
from discreet.workbench.pattern_lines import Offer, offer_of

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from discreet.channels.advice import Advice
    from discreet.channels.channel import Channels
    from discreet.channels.derivation import Deduction
    from discreet.channels.tradeoff import Tradeoff
    from discreet.microdata.comparison import Comparison
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.release import Release
    from discreet.publishing.rows_bundle import RowsRelease
    from discreet.publishing.verification import Verification
    from discreet.transactions.transactions import Transactions
    from discreet.workbench.jobs.rows_cache import OnProgress
    from discreet.workbench.jobs.session_ledger import LedgerUse
    from discreet.workbench.tasks.point import BundleKeywords, Point

__all__ = [
    "CURVE_KS",
    "Attacked",
    "Costs",
    "Mined",
    "OwnerWords",
    "PackedBundle",
    "Survey",
    "advise_patterns",
    "attack_patterns",
    "block_both",
    "check_bundle",
    "compare_ways",
    "is_bundle",
    "is_packed",
    "make_bundle",
    "mine_rows",
    "packed_bundle",
    "select_from",
    "start_supports",
    "survey_rows",
    "unpack_bundle",
]

CURVE_KS = (2, 5, 10, 25, 50, 100)
MOST_PROOFS = 6
"""For how many groups the attacker returns its sums: as many as a page shows."""
_STRETCHES = 160
"""Into how many stretches the axis of the chart is cut: each is about as wide as the line."""
_MOST_MINED = 2_000_000
"""The most closed itemsets; a chart of more would be useless."""
_MOST_AT_ONCE = 20_000
"""Default cap, small enough for the chart to be interactive."""

BUNDLE = "bundle"
BUNDLE_ZIP = "bundle.zip"
OWNER_REPORT = "owner-report.html"


@dataclass(frozen=True, slots=True, eq=False)
class Mined:
    """The closed itemsets down to the lowest support, and the number of channels at each support."""

    found: PatternSet
    curves: Tradeoff
    offer: Offer
    """What can be selected for hiding."""


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """What there is to show about rows; `mined` is the reason if there is no chart."""

    preview: Preview
    lowest: str
    mined: Mined | Failure | None
    quasi_identifiers: str | None = None


def survey_rows(
    report: OnProgress, rows: Transactions, then_mine: bool, asked: tuple[str, str | None] | None = None
) -> Survey:
    """Survey rows; with `then_mine`, also mine them, for a chart without another click.

    `asked` are the support and the quasi-identifiers of a policy; without a support, a suitable one is chosen.
    """
    supports = start_supports(rows) if asked is None or not asked[0] else [asked[0]]
    names = None if asked is None else asked[1]
    lowest, mined = _mine_at_first(report, rows, supports, names) if then_mine else (supports[0], None)
    return Survey(Preview.of(rows), lowest, mined, names)


_ENOUGH_ITEMS = 30
_LOW = (20, 10, 5, 2, 1)
_HIGH = (40, 60, 80, 90, 95, 99)
"""Both in per cent."""


def start_supports(rows: Transactions) -> list[str]:
    """Return supports to start with, best first: 20 %, or less if few items are that frequent.

    The others are for rows with so many nearly universal items that the first yields too many itemsets.

    >>> from discreet.transactions.transactions import Transactions
    >>> start_supports(Transactions.from_rows(["ab", "a", "b", "ab"]))
    ['1%', '40%', '60%', '80%', '90%', '95%', '99%']
    """
    supports = rows.item_supports()
    enough = (low for low in _LOW if np.count_nonzero(supports * 100 >= low * rows.n) >= _ENOUGH_ITEMS)
    return [f"{percent}%" for percent in (next(enough, _LOW[-1]), *_HIGH)]


def _mine_at_first(
    report: OnProgress, rows: Transactions, supports: list[str], quasi_identifiers: str | None
) -> tuple[str, Mined | Failure]:
    """Mine at the first of the supports that does not yield too many itemsets for a chart."""
    for lowest in supports:
        try:
            return lowest, mine_rows(report, rows, lowest, quasi_identifiers, most=_MOST_AT_ONCE)
        except DiscreetError as error:  # the rows are still usable
            tried = lowest, Failure.of(error)
            if not isinstance(error, TooManyPatterns):
                break
    return tried


def mine_rows(
    report: OnProgress, rows: Transactions, lowest: str, quasi_identifiers: str | None, *, most: int = _MOST_MINED
) -> Mined:
    """Mine once at the lowest support, and count the channels at the higher ones."""
    if quasi_identifiers is not None:
        chosen_items(rows.vocabulary, quasi_identifiers)  # refuse a wrong name before the work begins
    found = mine(
        rows,
        min_support=lowest,
        max_patterns=most,
        progress=lambda done, count: report(0.8 * done, f"Mining: {count:,} itemsets"),
    )
    report(0.8, "Counting channels")
    curves = tradeoff(found, min_support=_steps(found), k=list(CURVE_KS), quasi_identifiers=quasi_identifiers)
    return Mined(found, curves, offer_of(found, rows.layout))


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """What the attacker inferred beyond the published itemsets, and how far it searched.

    `exposed` is how many rows are in a small group, channels included. `proofs` are of the smallest groups, in the
    order of `groups.smallest_first()`. `proved` is whether a data set was found that agrees with the patterns and
    contains no small group.
    """

    exposed: int
    groups: Channels
    proofs: tuple[Deduction, ...]
    windows: int
    left_out: int
    items_per_window: int
    complete: bool
    proved: bool
    conclusions: int = 0
    """How many conclusions about sensitive items follow."""
    surest: tuple[str, ...] = ()
    """The surest of them, in words."""


def attack_patterns(report: OnProgress, rows: Transactions, point: Point) -> Attacked:
    """Run the attacker on the patterns of these rows, as the command `audit` does."""
    report(None, "The attacker is looking at what follows")
    found = audit(rows, **point.keywords)
    attack = found.attack
    if attack is None:
        raise InternalFault("the attacker was asked for")
    return Attacked(
        exposed=found.exposed_rows or 0,
        groups=attack.groups,
        proofs=tuple(deduce(attack, attack.groups.smallest_first()[:MOST_PROOFS])),
        windows=attack.looked_at,
        left_out=attack.left_out,
        items_per_window=attack.items_per_window,
        complete=attack.complete,
        proved=found.proved,
        conclusions=0 if found.conclusions is None else len(found.conclusions),
        surest=tuple(
            words
            for each in surest_conclusions(found, MOST_PROOFS)
            if isinstance(each, Listing)
            for _, words in each.entries
        ),
    )


def advise_patterns(report: OnProgress, rows: Transactions, point: Point) -> Advice:
    """Return the ways to make the patterns safe, as the command `audit` does; `block_both` finds their prices."""
    report(None, "Looking for what would be safe")
    source = LocalRows(rows)
    found = audit(source, **point.keywords)
    return advise(source, found, quasi_identifiers=point.quasi_identifiers, try_out=False)


def compare_ways(report: OnProgress, rows: Transactions, point: Point) -> Comparison:
    """Compare the ways to publish these patterns, as the command `compare` does: nothing is published or recorded."""
    report(None, "Trying every way to publish, exact and with noise")
    return compare(rows, **point.keywords)


def _steps(found: PatternSet) -> list[int]:
    """Return the supports at which something changes: all of them, or the first and the last of each short stretch.

    Between two supports of itemsets the frequent ones stay the same.
    """
    lowest, n = max(1, found.min_support), max(found.n, found.min_support, 1)
    supports = np.unique(found.supports)
    stretch = np.searchsorted(np.geomspace(lowest, n + 1, _STRETCHES), supports, side="right")
    first = np.flatnonzero(np.diff(stretch, prepend=-1))
    last = np.append(first[1:] - 1, len(supports) - 1)[: len(first)]
    return sorted({lowest, n, *supports[first].tolist(), *supports[last].tolist()})


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """What a blocking method costs; `refusal` if it fails."""

    method: Literal["additive", "suppressive"]
    refusal: str = ""
    rows: int = 0
    n_after: int = 0
    patterns: int = 0
    """The closed itemsets that would be published."""
    kept_patterns: int = 0
    changed_patterns: int = 0
    lost_patterns: int = 0
    """What becomes of the closed itemsets as they are: these three are all of them."""
    changed: Fraction | None = None
    average: Fraction | None = None
    worst: Fraction | None = None
    listed: PublishedItemsets | None = None
    """The itemsets before and after."""


def block_both(report: OnProgress, rows: Transactions, point: Point) -> tuple[Costs, ...]:
    """Try both methods of making the patterns safe."""
    costs = []
    methods: tuple[Literal["additive", "suppressive"], ...] = ("additive", "suppressive")
    for number, method in enumerate(methods):
        report(number / 2, f"Blocking, {method}")
        try:
            done = block(rows, method=method, **point.keywords)
        except NotSafe as refusal:
            costs.append(Costs(method, refusal=str(refusal)))
            continue
        closed, after = done.change.closed.supports, done.change.supports
        costs.append(
            Costs(
                method,
                rows=done.distortion.rows,
                n_after=done.n_after,
                patterns=len(done.patterns),
                kept_patterns=int((closed == after).sum()),
                changed_patterns=int(((closed != after) & (after > 0)).sum()),
                lost_patterns=int((after == 0).sum()),
                changed=done.distortion.changed,
                average=done.distortion.average,
                worst=done.distortion.worst,
                listed=PublishedItemsets.changed(done),
            )
        )
    return tuple(costs)


@dataclass(frozen=True, slots=True, eq=False)
class PackedBundle:
    """A bundle that was written, verified and packed."""

    verdict: str
    sentence: str
    verification: Verification
    archive: Path
    report: Path
    owner_report: Path | None
    policy: Path | None = None
    ledger: LedgerUse | None = None
    """The ledger that it was judged with."""
    listed: PublishedItemsets | None = None
    """The itemsets of a bundle of patterns, and those that were lost."""

    @property
    def public(self) -> tuple[Path, ...]:
        """The files that are made for others: whoever opens or saves one of them has the bundle's figures."""
        return self.archive, self.report

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that a page links to."""
        for_the_owner = (self.owner_report, self.policy)
        return self.archive, self.report, *(path for path in for_the_owner if path is not None)


def make_bundle(  # noqa: PLR0917 - sent through a pipe, in order
    report: OnProgress,
    folder: Path,
    rows: Transactions,
    min_support: int,
    release: BundleKeywords,
    owner: OwnerWords,
    policy: str,
    ledger: LedgerUse,
    fit: bool = False,
) -> PackedBundle | RefusedTogether:
    """Write the bundle into an empty folder, verify it without and with the rows, and pack it; write its policy.

    It is judged together with what the ledger has. With `fit`, what is not safe together is withheld.
    """
    told = OwnerFile(folder / OWNER_REPORT, owner.source, owner.command, owner.bundle, owner.notes)
    report(None, "Making the patterns safe, and the bundle")
    try:
        use = ledger.options(folder, fit=fit)
        done = write_release(rows, min_support=min_support, **release, **use, output=folder / BUNDLE, owner_report=told)
        if not use:
            report(0.6, "Judging it together with earlier bundles")
            judged_together(folder, rows, done, ledger)
    except UnsafeTogether as refusal:
        return RefusedTogether.of(refusal)
    report(0.8, "Verifying the bundle")
    packed = packed_bundle(folder, done, rows=rows)
    (folder / POLICY_FILE).write_text(policy, encoding="utf-8")
    return replace(packed, policy=folder / POLICY_FILE, ledger=ledger, listed=_listed(done))


def select_from(  # noqa: PLR0917 - sent through a pipe, in order
    report: OnProgress, folder: Path, rows: Transactions, bundle: Path, min_support: int, title: str, ledger: LedgerUse
) -> PackedBundle | RefusedTogether:
    """Write a selection of a bundle that left before: it says less than what is known already, so it is safe."""
    report(None, f"Selecting from the earlier bundle of {counted(rows.n, 'row')}")
    book = ledger.path if ledger.named else None
    try:
        done = release_from(bundle, min_support=min_support, title=title or None, output=folder / BUNDLE, ledger=book)
    except UnsafeTogether as refusal:
        return RefusedTogether.of(refusal)
    return replace(packed_bundle(folder, done), owner_report=None, listed=_listed(done))


def _listed(done: Release) -> PublishedItemsets:
    """Return the itemsets of a bundle with their supports before and after."""
    return (
        PublishedItemsets.published(done.published.patterns)
        if done.blocked is None
        else PublishedItemsets.changed(done.blocked)
    )


@dataclass(frozen=True, slots=True)
class OwnerWords:
    """What the owner's report calls the rows and the bundle, how to repeat it, and what else it tells."""

    source: str
    command: tuple[str, ...]
    bundle: str
    notes: tuple[str, ...] = ()


def packed_bundle(folder: Path, done: Release | RowsRelease, *, rows: Transactions | None = None) -> PackedBundle:
    """Verify the bundle in `folder` without the rows, and with them if they are given; then pack it."""
    bundle, archive = folder / BUNDLE, folder / BUNDLE_ZIP
    verification = verify(bundle, data=rows)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in done.files:
            packed.write(bundle / name, name)
    word = release_headline(done).verdict
    return PackedBundle(word, done.sentence, verification, archive, bundle / "report.html", folder / OWNER_REPORT)


_MOST_UNPACKED = 2**31
_MOST_FILES = 20
_MOST_EXTRA = 64
"""Bytes of a member's extra fields: enough for times and owners as zip programs write them."""


def check_bundle(  # noqa: PLR0917 - sent through a pipe, in order
    report: OnProgress,
    files: list[Path],
    folder: Path,
    rows: Transactions | None,
    trust: tuple[Path, ...] = (),
    ledger: Path | None = None,
) -> Verification:
    """Verify a bundle, dropped as its files or as one zip, and compare it with rows if there are any.

    With `trust`, each of these identities must have signed it. With `ledger`, that file must have it as a release.
    """
    report(None, "Verifying")
    unpack_bundle(files, folder)
    with nullcontext() if ledger is None else open_ledger(ledger) as book:
        return verify(folder, data=rows, trust=trust or None, ledger=book)


def unpack_bundle(files: list[Path], folder: Path) -> None:
    """Put the files of a bundle into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in files:
        if is_packed(path):
            _unpack(path, folder)
        else:
            shutil.copy(path, folder / path.name)


def is_packed(path: Path) -> bool:
    """Return whether a file is a zip by its name and its content: a CSV with a zip in it is no zip."""
    return path.suffix.lower() == ".zip" and zipfile.is_zipfile(path)


def is_bundle(path: Path) -> bool:
    """Return whether a file is a packed bundle, or the certificate of one."""
    if path.name.lower() == CERTIFICATE:
        return True
    if not is_packed(path):
        return False
    try:
        with zipfile.ZipFile(path) as packed:
            return any(name.rpartition("/")[2] == CERTIFICATE for name in packed.namelist())
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def _refuse_extras(name: str, packed: zipfile.ZipFile) -> None:
    """Refuse a zip that holds more than files in one folder: comments, links, names twice, long extra fields."""
    members = packed.infolist()
    places = [member.filename.replace("\\", "/").rpartition("/") for member in members if not member.is_dir()]
    folders = {folder for folder, _, _ in places} | {
        member.filename.rstrip("/") for member in members if member.is_dir()
    }
    extras = packed.comment or any(
        member.comment or len(member.extra) > _MOST_EXTRA or stat.S_ISLNK(member.external_attr >> 16)
        for member in members
    )
    if extras or len({file for _, _, file in places}) < len(places) or len(folders) > 1:
        raise DataError(f"{name} holds more than the files of one folder; drop the files of the bundle themselves")


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack a bundle; only the last part of each name is used, so nothing is written elsewhere."""
    try:
        with zipfile.ZipFile(archive) as packed:
            _refuse_extras(archive.name, packed)
            members = [each for each in packed.infolist() if not each.is_dir()]
            if len(members) > _MOST_FILES or sum(each.file_size for each in members) > _MOST_UNPACKED:
                raise DataError(f"{archive.name} holds too much for a bundle; drop the files of the bundle themselves")
            for member in members:
                name = member.filename.replace("\\", "/").rpartition("/")[2]
                with packed.open(member) as inside, (folder / name).open("wb") as file:
                    shutil.copyfileobj(inside, file)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{archive.name} is not a zip file that can be unpacked; drop the files of the bundle"
        ) from error
