"""Jobs on patterns: survey and mine rows, run the attacker, block, make a bundle, and verify one.

A job's function takes `report` first. `report(share, words)` reports progress; the share is None if it is unknown.
"""

from __future__ import annotations

import shutil
import stat
import zipfile
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.answers.releases import release_headline
from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.channels.derivation import deduce
from discreet.channels.quasi_identifiers import chosen_items
from discreet.channels.tradeoff import tradeoff
from discreet.errors import DataError, DiscreetError, InternalFault, NotSafe, TooManyPatterns
from discreet.patterns.mining import mine
from discreet.policy.policy import POLICY_FILE
from discreet.publishing.release import OwnerFile
from discreet.publishing.release import release as write_release
from discreet.publishing.verifier import verify
from discreet.workbench.input_file import Preview
from discreet.workbench.jobs.process import Failure
from discreet.workbench.pattern_lines import Offer, offer_of

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from discreet.channels.channel import Channels
    from discreet.channels.derivation import Deduction
    from discreet.channels.tradeoff import Tradeoff
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.release import Release
    from discreet.publishing.rows_bundle import RowsRelease
    from discreet.publishing.verifier import Verification
    from discreet.transactions.transactions import Transactions
    from discreet.workbench.jobs.rows_cache import OnProgress

__all__ = [
    "CURVE_KS",
    "Attacked",
    "Costs",
    "Mined",
    "PackedBundle",
    "Survey",
    "attack_patterns",
    "block_both",
    "check_bundle",
    "is_packed",
    "make_bundle",
    "mine_rows",
    "packed_bundle",
    "start_supports",
    "survey_rows",
]

CURVE_KS = (2, 5, 10, 25, 50, 100)
MOST_PROOFS = 6
"""For how many groups the attacker returns its sums: as many as a page shows."""
_POINTS = 48
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

    `asked` are the support and the quasi-identifiers of a policy; without one, a suitable support is chosen.
    """
    supports = start_supports(rows) if asked is None else [asked[0]]
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

    `proofs` are of the smallest groups, in the order of `groups.smallest_first()`. `proved` is whether a data set was
    found that agrees with the patterns and contains no small group.
    """

    groups: Channels
    proofs: tuple[Deduction, ...]
    windows: int
    left_out: int
    items_per_window: int
    complete: bool
    proved: bool


def attack_patterns(
    report: OnProgress, rows: Transactions, min_support: int, k: int, quasi_identifiers: str | None
) -> Attacked:
    """Run the attacker on the patterns of these rows, as the command `audit` does."""
    report(None, "The attacker is looking at what follows")
    found = audit(rows, k=k, min_support=min_support, quasi_identifiers=quasi_identifiers)
    attack = found.attack
    if attack is None:
        raise InternalFault("the attacker was asked for")
    return Attacked(
        groups=attack.groups,
        proofs=tuple(deduce(attack, attack.groups.smallest_first()[:MOST_PROOFS])),
        windows=attack.looked_at,
        left_out=attack.left_out,
        items_per_window=attack.items_per_window,
        complete=attack.complete,
        proved=found.proved,
    )


def _steps(found: PatternSet) -> list[int]:
    """Return supports from the lowest to all rows at which something changes."""
    lowest, n = found.min_support, max(found.n, found.min_support)
    evenly = {lowest + (n - lowest) * step // (_POINTS - 1) for step in range(_POINTS)}
    return sorted(max(1, support) for support in evenly)


@dataclass(frozen=True, slots=True)
class Costs:
    """What a blocking method costs; `refusal` if it fails."""

    method: str
    refusal: str = ""
    rows: int = 0
    n_after: int = 0
    patterns: int = 0
    changed_patterns: int = 0
    lost_patterns: int = 0
    changed: Fraction | None = None
    average: Fraction | None = None
    worst: Fraction | None = None


def block_both(
    report: OnProgress, rows: Transactions, min_support: int, k: int, quasi_identifiers: str | None
) -> tuple[Costs, ...]:
    """Try both methods of making the patterns safe."""
    costs = []
    methods: tuple[Literal["additive", "suppressive"], ...] = ("additive", "suppressive")
    for number, method in enumerate(methods):
        report(number / 2, f"Blocking, {method}")
        try:
            done = block(
                rows,
                k=k,
                min_support=min_support,
                method=method,
                quasi_identifiers=quasi_identifiers,
            )
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
                changed_patterns=int((closed != after).sum()),
                lost_patterns=int((after == 0).sum()),
                changed=done.distortion.changed,
                average=done.distortion.average,
                worst=done.distortion.worst,
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
    owner_report: Path
    policy: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that a page links to."""
        return self.archive, self.report, self.owner_report, *(() if self.policy is None else (self.policy,))


def make_bundle(  # noqa: PLR0917 - sent through a pipe, in order
    report: OnProgress,
    folder: Path,
    rows: Transactions,
    release: dict[str, Any],
    source: str,
    command: tuple[str, ...],
    policy: str,
) -> PackedBundle:
    """Write the bundle into an empty folder, verify it without and with the rows, and pack it; write its policy."""
    owner = OwnerFile(folder / OWNER_REPORT, source=source, command=command)
    report(None, "Making the patterns safe, and the bundle")
    done = write_release(rows, **release, output=folder / BUNDLE, owner_report=owner)
    report(0.8, "Verifying the bundle")
    packed = packed_bundle(folder, done, rows=rows)
    (folder / POLICY_FILE).write_text(policy, encoding="utf-8")
    return replace(packed, policy=folder / POLICY_FILE)


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


def check_bundle(report: OnProgress, files: list[Path], folder: Path, rows: Transactions | None) -> Verification:
    """Verify a bundle, dropped as its files or as one zip, and compare it with rows if there are any."""
    report(None, "Verifying")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in files:
        if is_packed(path):
            _unpack(path, folder)
        else:
            shutil.copy(path, folder / path.name)
    return verify(folder, data=rows)


def is_packed(path: Path) -> bool:
    """Return whether a file is a zip by its name and its content: a CSV with a zip in it is no zip."""
    return path.suffix.lower() == ".zip" and zipfile.is_zipfile(path)


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
