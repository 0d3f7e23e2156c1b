"""Refuse a release that is not safe together with what is already public: differencing attacks across releases.

Problem      given a new release and all earlier ones in a ledger, each of them safe, are they safe together?
Method       all supports that any release prints are mixed (see `mixed_supports`), because a reader may use each from
             any release that prints it. If the owner says that rows were only added, those of different snapshots are
             not: such a sum counts nobody. The numbers of rows that follow from two releases are subtracted: the
             difference of two snapshots of one hospital may be one patient. k is the largest that any of them promises.
             Releases of the same rows must also agree in every support that both print. Otherwise readers see that one
             was changed, where, and by how much, and can undo it (section 7.2). Then the attacker reads all releases
             together (see `combined_attack`): those of the same rows, and those of rows that were only added, unless
             the owner says that some left.
Promises     accepted means: no choice of supports, and no difference between releases, gives a group of 1 to k-1 rows;
             no release shows what was changed in another; and the attacker finds no group that follows from all of
             them, within its steps. If any of them names sensitive items and rho: no conclusion of the smallest rho
             about any of these items follows from them, by counting from the releases of each snapshot, about the rows
             that were added between two (see `combined_conclusions`), nor by bounds, as far as the attacker reads them
             together. What is too large to be decided is refused.
Departures   snapshots are distinguished by their fingerprints under the owner's key. A release without one is treated
             as a snapshot of its own. Releases of rows cannot be audited together with patterns, and are refused.
             Releases that no data set is compatible with (supports were changed, or rows left without notice) tell a
             reader that they do not fit, and nothing else: the attacker then reads fewer of them together, and the
             answer says so.
Reference    atzori2008, section 9
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from discreet.answers.conclusion_words import conclusion_text
from discreet.channels.collection import collection_of
from discreet.channels.exclusive import Exclusive
from discreet.differential_privacy.budget import Budget
from discreet.errors import (
    ConcludedTogether,
    DataError,
    EntailedTogether,
    NotSafe,
    UnsafeTogether,
)
from discreet.publishing.bundle import certificate_in, read_bundle
from discreet.publishing.combined_attack import AllReleases, PrintedRelease
from discreet.publishing.combined_conclusions import Snapshot, Told, asked_by_any, counted_in_all, itemsets_reached
from discreet.publishing.fingerprint import same_rows
from discreet.publishing.mixed_supports import (
    Clash,
    among,
    border_clash,
    border_of,
    changed_clash,
    differing_clash,
    differing_itemsets,
    inside,
    mixed_clash,
    support_table,
)
from discreet.publishing.privacy_budget import NOISY, check_budget, check_not_void, check_spent, exact_entries
from discreet.publishing.second_audit import conclusions_told, exclusive_told
from discreet.publishing.verifier import verify

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.channels.conclusions import Asked
    from discreet.itemsets import Itemsets
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.certificate import Certificate
    from discreet.publishing.ledger_entries import Entry
    from discreet.publishing.mixed_supports import SupportTable

__all__ = [
    "NewRelease",
    "audit_together",
    "check_bundle",
    "check_entries",
    "find_clash",
    "must_go",
]

_MOST_OTHERS = 3
"""How many other snapshots the attacker reads together with the new one."""

_MOST_AROUND = 5_000
"""The most itemsets beyond all releases around which windows are made."""


class _Evidence(TypedDict):
    """What an error about releases that clash says for the program that catches it."""

    releases: Mapping[int, str]
    base: frozenset[str]
    full: frozenset[str]
    rows: int
    selection: int
    itemsets: int
    instead: int | None


def audit_together(
    patterns: PatternSet,
    earlier: Sequence[Entry],
    *,
    k: int,
    fingerprint: str | None,
    exclusive: Exclusive | None = None,
    quasi_identifiers: tuple[str, ...] | None = None,
    asked: Asked | None = None,
    rows_left: bool = False,
    rows_added: bool = False,
    at_support: Callable[[int], PatternSet] | None = None,
) -> tuple[int, ...]:
    """Raise UnsafeTogether if the patterns are not safe together with earlier releases.

    `exclusive` are the published items that exclude each other, `quasi_identifiers` the items or columns that groups
    are described by, together with those of the earlier releases, `asked` is what nobody may conclude, `rows_left`
    whether rows of earlier releases have
    left, and `rows_added` whether the owner says that none has. `at_support` makes the same release at another support:
    with it, the refusal suggests a safe one. Returns the numbers of earlier releases that the attacker could not read
    together with this one, because no data set is compatible with both.
    """
    if any(entry.patterns is None for entry in earlier):
        raise NotSafe(
            "the ledger holds a release of rows, and patterns cannot be audited together with rows; publish one or the "
            "other"
        )

    if any(_is_selection(patterns, entry, k, quasi_identifiers, asked) for entry in earlier):
        return ()
    new = NewRelease(k, fingerprint, exclusive or Exclusive(), quasi_identifiers, rows_left, rows_added, asked)

    def clash(with_patterns: PatternSet, entries: Sequence[Entry] = earlier) -> Clash | None:
        return find_clash(with_patterns, entries, new)[0]

    found, unread = find_clash(patterns, earlier, new)
    if found is None:
        return unread
    pair = next((entry for entry in earlier if clash(patterns, [entry]) is not None), None)
    guilty = earlier if pair is None else [pair]
    which = f"release {guilty[0].number}" if len(guilty) == 1 else f"{len(guilty)} releases taken together"
    fewest_rows = min([patterns.n, *(entry.patterns.n for entry in earlier if entry.patterns is not None)])
    evidence: _Evidence = {
        "releases": {entry.number: entry.folder for entry in guilty},
        "base": found.base,
        "full": found.full,
        "rows": found.rows,
        "selection": max(
            [patterns.min_support, *(entry.patterns.min_support for entry in guilty[:1] if entry.patterns)]
        ),
        "itemsets": len(collection_of(patterns).everything),
        "instead": None if at_support is None else _safe_support(patterns, clash, at_support, fewest_rows),
    }
    if found.conclusion is not None:
        raise _concluded(found.conclusion, which, evidence)
    largest = _largest_k(earlier, k)
    if found.kind == "entailed":
        raise EntailedTogether(
            f"not together with {which} in the ledger: from both follows a group of fewer than {largest:,} rows",
            high=found.high,
            of=found.of,
            proof=found.proof,
            **evidence,
        )
    readers = "sees what was changed"
    if found.kind != "changed":
        readers = f"can compute a group of fewer than {largest:,} rows"
    raise UnsafeTogether(
        f"not together with {which} in the ledger: anyone who has both {readers}", kind=found.kind, **evidence
    )


def _concluded(told: Told, which: str, evidence: _Evidence) -> ConcludedTogether:
    one = told.conclusion
    return ConcludedTogether(
        f"not together with {which} in the ledger: from both follows who has a sensitive item, with a large share",
        item=one.item,
        share=one.share,
        words=conclusion_text(one, have=sorted(one.present), lack=sorted(one.absent), of=told.of),
        **evidence,
    )


def check_entries(entries: Sequence[Entry], limits: Mapping[str, str] | None = None) -> tuple[int, ...]:
    """Raise NotSafe if the releases of a ledger are not safe together, or beyond its limits; return unread ones."""
    check_not_void(entries)
    check_spent(entries, limits or {})
    unread: set[int] = set()
    exact = exact_entries(entries, accept_void=True)
    for place, entry in enumerate(exact):
        if entry.patterns is not None:
            earlier = [other for other in exact[:place] if other.patterns is not None]
            found = audit_together(
                entry.patterns,
                earlier,
                k=entry.k,
                fingerprint=entry.certificate.input,
                exclusive=_exclusive_in(entry),
                quasi_identifiers=_identifying(entry.certificate),
                asked=_asked_by(entry),
                rows_left=entry.rows_left,
                rows_added=entry.rows_added,
            )
            unread.update(found, [entry.number] if found else [])
    return tuple(sorted(unread))


def check_bundle(
    folder: str | os.PathLike[str],
    entries: Sequence[Entry],
    *,
    limits: Mapping[str, str] | None = None,
    rows_left: bool = False,
    rows_added: bool = False,
) -> tuple[int, ...]:
    """Raise NotSafe if a bundle does not verify, or is not safe, or within the limits, together with a ledger's."""
    found = verify(folder)
    if not found.holds:
        raise NotSafe(f"{folder} does not hold: {found.reason_message}")
    certificate = certificate_in(Path(folder))
    others = [entry for entry in entries if entry.certificate.body() != certificate.body()]
    if certificate.kind == NOISY:
        told = certificate.promise
        replaced = told["fixed"]["public_n"]
        check_budget(others, Budget.parse(told["epsilon"], told["delta"]), limits=limits or {}, replaced=replaced)
        return ()
    others = list(exact_entries(others, accept_void=False))
    bundle = read_bundle(Path(folder))
    promise = bundle.certificate.promise
    return audit_together(
        bundle.patterns,
        others,
        k=promise["k"],
        fingerprint=bundle.certificate.input,
        exclusive=exclusive_told(promise, bundle.patterns),
        quasi_identifiers=_identifying(bundle.certificate),
        asked=conclusions_told(promise, bundle.patterns),
        rows_left=rows_left,
        rows_added=rows_added,
    )


def _exclusive_in(entry: Entry) -> Exclusive:
    """Return which items exclude each other according to an earlier release; older ones do not say."""
    if entry.patterns is None or "exclusive" not in entry.certificate.promise:
        return Exclusive()
    return exclusive_told(entry.certificate.promise, entry.patterns)


def _asked_by(entry: Entry) -> Asked | None:
    """Return what nobody may conclude according to an earlier release; None if it does not speak of that."""
    return None if entry.patterns is None else conclusions_told(entry.certificate.promise, entry.patterns)


def _identifying(certificate: Certificate) -> tuple[str, ...] | None:
    """Return the items or columns that strangers may know according to a release; None for all."""
    names = certificate.promise.get("quasi_identifiers")
    return None if names is None else tuple(names)


@dataclass(frozen=True, slots=True)
class NewRelease:
    """The new release without its patterns."""

    k: int
    fingerprint: str | None
    exclusive: Exclusive
    quasi_identifiers: tuple[str, ...] | None
    rows_left: bool
    rows_added: bool
    asked: Asked | None = None

    def asked_with(self, earlier: Sequence[Entry]) -> Asked | None:
        """Return what nobody may conclude according to any of the releases; None if none speaks of that."""
        return asked_by_any([self.asked, *map(_asked_by, earlier)], self.known_with(earlier))

    def known_with(self, earlier: Sequence[Entry]) -> list[str] | None:
        """Return what strangers may know according to any of the releases; None if one of them takes it to be all."""
        lists = [self.quasi_identifiers, *(_identifying(entry.certificate) for entry in earlier)]
        known: dict[str, None] = {}
        for names in lists:
            if names is None:
                return None
            known.update(dict.fromkeys(names))
        return list(known)


def _safe_support(
    patterns: PatternSet,
    clash: Callable[[PatternSet], Clash | None],
    at_support: Callable[[int], PatternSet],
    fewest_rows: int,
) -> int | None:
    """Return a low support at which the same release is safe together with the earlier ones; None if none was found.

    Raising the support removes itemsets, and with them choices, so the supports that occur are bisected; first from the
    highest down in growing steps, because few itemsets are examined quickly.
    """
    supports = np.unique(patterns.supports)
    supports = supports[supports <= fewest_rows]  # a raised support may exceed the number of rows

    def fits(place: int) -> bool:
        with suppress(NotSafe):
            return clash(at_support(int(supports[place]))) is None
        return False

    fitting, step = len(supports), 1
    while fitting - step >= 0 and fits(fitting - step):
        fitting, step = fitting - step, 2 * step
    if fitting == len(supports):
        return None
    between = range(max(0, fitting - step + 1), fitting)
    return int(supports[between.start + bisect_left(between, True, key=fits)])


def _is_selection(
    patterns: PatternSet, entry: Entry, k: int, names: tuple[str, ...] | None, asked: Asked | None
) -> bool:
    """Return whether this is a selection from an earlier release by support, and promises no more than that did."""
    known, theirs, told = entry.patterns, _identifying(entry.certificate), _asked_by(entry)
    more = theirs is not None and (names is None or not set(names) <= set(theirs))
    if asked is not None:
        more |= told is None or asked.rho < told.rho or not asked.sensitive <= told.sensitive
    if known is None or more or k > entry.k or patterns.n != known.n:
        return False
    if patterns.target == "selected":  # of an itemset that it does not list it says nothing
        known = collection_of(known).everything
    elif patterns.target != known.target:
        return False
    place = np.array([known.vocabulary.positions.get(label, -1) for label in patterns.vocabulary], np.int32)
    if (place[patterns.items] < 0).any():
        return False
    itemsets = patterns.itemsets.canonical(place)
    listed = itemsets.supports_in(known.itemsets, known.supports, len(known.vocabulary))
    if not np.array_equal(listed, patterns.supports):
        return False
    from_there_up = int(np.count_nonzero(known.supports >= patterns.min_support))
    return patterns.target == "selected" or from_there_up == len(patterns)


def _largest_k(earlier: Sequence[Entry], k: int) -> int:
    return max([k, *(entry.k for entry in earlier)])


def find_clash(patterns: PatternSet, earlier: Sequence[Entry], new: NewRelease) -> tuple[Clash | None, tuple[int, ...]]:
    """Return what the releases disclose together, and which earlier ones could not be read together with the new one.

    The new release is the last column of the table.
    """
    largest = _largest_k(earlier, new.k)
    listed = [entry.patterns for entry in earlier if entry.patterns is not None]
    whole = support_table([*listed, patterns])
    names = new.known_with(earlier)
    table = among(whole, names)
    same, others = _snapshots(earlier, new.fingerprint)
    apart = [[*same, len(listed)], *others] if _only_grew(earlier, new) else [list(range(len(listed) + 1))]
    found = _mixed(table, apart, [*(entry.k for entry in earlier), new.k], largest)
    found = found or _clash_of_pairs(table, whole, same, others, k=largest)
    border = None
    together = range(len(listed) + 1) if whole.agreed else [*same, len(listed)]
    if found is None and len(together) > 1:
        border = border_of(whole, together, [_threshold(each) for each in (*listed, patterns)], k=largest)
        found = border_clash(border, names)
    if found is None:
        found = _counted_conclusion(whole, earlier, new)
    if found is not None:
        return found, ()
    around = [] if border is None else _labels_of(border.looked_at, table)
    look = _Look(largest, around, names, new.asked_with(earlier))
    return _entailed(_printed(patterns, earlier, new), look)


def _mixed(table: SupportTable, apart: list[list[int]], promised: list[int], k: int) -> Clash | None:
    """Return what follows from supports that are mixed among the releases (columns) of each list, or None.

    If all supports agree there is nothing to choose, and a release that promises as much was judged for itself.
    """
    for releases in apart:
        mixed = table.of_releases(releases)
        if mixed.agreed and all(promised[release] == k for release in releases):
            continue
        if (found := mixed_clash(mixed, k=k)) is not None:
            return found
    return None


def _counted_conclusion(whole: SupportTable, earlier: Sequence[Entry], new: NewRelease) -> Clash | None:
    """Return what the releases tell about sensitive items by counting, if anything."""
    asked = new.asked_with(earlier)
    if asked is None or not earlier:
        return None
    snapshots = _called(earlier, *_snapshots(earlier, new.fingerprint))
    before = asked_by_any(map(_asked_by, earlier), new.known_with(earlier))
    return _as_clash(counted_in_all(whole, snapshots, asked, again=asked != before))


def _called(earlier: Sequence[Entry], same: list[int], others: list[list[int]]) -> list[Snapshot]:
    """Return the snapshots of the earlier releases, and last that of the new one."""
    named = [Snapshot(tuple(places), f"release {earlier[places[0]].number}") for places in others]
    return [*named, Snapshot((*same, len(earlier)), "this one")]


def _as_clash(told: Told | None) -> Clash | None:
    if told is None:
        return None
    one = told.conclusion
    return Clash("conclusion", one.present, one.present | one.absent, one.rows[1], of=told.of, conclusion=told)


def must_go(patterns: PatternSet, earlier: Sequence[Entry], new: NewRelease) -> NDArray[np.bool_] | None:
    """Return which itemsets no selection may list that lists all their subsets; None if n alone says too much.

    The patterns are all frequent itemsets. These are the ones whose groups differ from those of an earlier release by
    1 to k-1 rows, or whose supports differ in releases of the same rows, or that tell about a sensitive item.
    """
    largest = _largest_k(earlier, new.k)
    listed = [entry.patterns for entry in earlier if entry.patterns is not None]
    whole = support_table([*listed, patterns])
    same, others = _snapshots(earlier, new.fingerprint)
    known = inside(whole, new.known_with(earlier))
    last = len(listed)
    wrong = np.zeros(len(whole.supports), bool)
    for theirs in ([place] for place in same):
        both = (whole.supports[:, last] >= 0) & (whole.supports[:, theirs[0]] >= 0)
        wrong |= both & (whole.supports[:, last] != whole.supports[:, theirs[0]])
    table = whole.select(known)
    numbers = np.flatnonzero(known)
    for ours, theirs in [([last], [place]) for place in same] + [([*same, last], theirs) for theirs in others]:
        wrong[numbers[differing_itemsets(table, ours, theirs, k=largest)]] = True
    if wrong[-1]:
        return None
    asked = new.asked_with(earlier)
    if asked is not None:
        wrong[:-1] |= itemsets_reached(whole, _called(earlier, same, others), asked)
    return wrong[:-1][whole.supports[:-1, last] >= 0]


def _only_grew(earlier: Sequence[Entry], new: NewRelease) -> bool:
    """Return whether the owner said of every release but those of the first rows that rows were only added."""
    first = earlier[0].snapshot if earlier else None
    later = [entry for entry in earlier[1:] if first is None or entry.snapshot != first]
    return new.rows_added and all(entry.rows_added for entry in later)


def _threshold(patterns: PatternSet) -> int | None:
    """Return from which support on all itemsets are listed; None if some may have been withheld."""
    return None if patterns.target == "selected" else patterns.min_support


def _snapshots(earlier: Sequence[Entry], fingerprint: str | None) -> tuple[list[int], list[list[int]]]:
    """Return the places of the earlier releases of the same rows, and of those of each other snapshot."""
    snapshots: dict[object, list[int]] = {}
    for place, entry in enumerate(earlier):
        snapshots.setdefault(entry.snapshot or place, []).append(place)
    same = snapshots.pop(same_rows(fingerprint), []) if fingerprint is not None else []
    return same, list(snapshots.values())


def _clash_of_pairs(
    table: SupportTable, whole: SupportTable, same: list[int], others: list[list[int]], *, k: int
) -> Clash | None:
    """Return what the new release discloses together with each of the same rows, or with another snapshot.

    `table` is the part of the `whole` that strangers may know.
    """
    last = len(same) + sum(len(places) for places in others)
    pairs = [([last], [place]) for place in same] + [([*same, last], theirs) for theirs in others]
    for ours, theirs in pairs:
        if (found := differing_clash(table, ours, theirs, k=k)) is not None:
            return found
    return next((found for place in same if (found := changed_clash(whole, last, place)) is not None), None)


def _labels_of(itemsets: Itemsets, table: SupportTable) -> list[list[str]]:
    return [
        [table.vocabulary[item] for item in itemsets[number].tolist()]
        for number in range(min(len(itemsets), _MOST_AROUND))
    ]


def _printed(
    patterns: PatternSet, earlier: Sequence[Entry], new: NewRelease
) -> list[tuple[int | None, PrintedRelease]]:
    """Return the releases to read together with the new one, which is last, with their numbers.

    Snapshots are in the order of their first release. If the owner said that rows had left, earlier snapshots are not
    contained in later ones.
    """
    runs: list[list[object]] = [[]]
    listed: list[tuple[int | None, PrintedRelease]] = []
    for place, entry in enumerate(earlier):
        if entry.patterns is None:
            continue
        snapshot = entry.snapshot or place
        _put(runs, snapshot, rows_left=entry.rows_left)
        name = f"release {entry.number}"
        listed.append((entry.number, PrintedRelease(entry.patterns, snapshot, name, _exclusive_in(entry))))
    snapshot = same_rows(new.fingerprint) or len(earlier)
    _put(runs, snapshot, rows_left=new.rows_left)
    listed.append((None, PrintedRelease(patterns, snapshot, "this one", new.exclusive)))
    run = next(run for run in runs if snapshot in run)
    return [(number, one) for number, one in listed if one.snapshot in run]


def _put(runs: list[list[object]], snapshot: object, *, rows_left: bool) -> None:
    """Add a snapshot to the last run, or start another one, unless it is known already."""
    if any(snapshot in run for run in runs):
        return
    if rows_left:
        runs.append([])
    runs[-1].append(snapshot)


@dataclass(frozen=True, slots=True)
class _Look:
    """What the attacker looks for in several releases, and the itemsets beyond them around which it looks."""

    k: int
    around: list[list[str]]
    names: list[str] | None
    asked: Asked | None

    def first_in(self, releases: list[PrintedRelease]) -> Clash | None:
        """Return a group, or a conclusion about a sensitive item, that follows from all of them."""
        try:
            return self._first_in(AllReleases(releases, self.around))
        except DataError:  # what one release has and another does not may have been left out of it, and not be rare
            return self._first_in(AllReleases(releases, self.around, columns_differ=True))

    def _first_in(self, together: AllReleases) -> Clash | None:
        found = together.group(k=self.k, quasi_identifiers=self.names)
        if found is None:
            return None if self.asked is None else _as_clash(together.conclusion(self.asked))
        return Clash("entailed", found.base, found.full, found.low, high=found.high, of=found.of, proof=found.proof)


def _entailed(listed: list[tuple[int | None, PrintedRelease]], look: _Look) -> tuple[Clash | None, tuple[int, ...]]:
    """Run the attacker on all of them; if no data set fits all, on those of the same rows, and on pairs of snapshots.

    Every snapshot takes room in the attacker's windows. If there are many, it reads the last ones together, and every
    other one together with the new one.
    """
    snapshots: dict[object, list[tuple[int | None, PrintedRelease]]] = {}
    for each in listed:
        snapshots.setdefault(each[1].snapshot, []).append(each)
    same = snapshots.pop(listed[-1][1].snapshot)
    others = list(snapshots.values())
    if not others and len(same) == 1:
        return None, ()
    with suppress(DataError):
        latest = [one for each in [*others[-_MOST_OTHERS:], same] for _, one in each]
        found = look.first_in(latest)
        if found is not None or len(others) <= _MOST_OTHERS:
            return found, ()
    unread: list[int] = []
    for theirs in [[], *others]:
        some = [one for _, one in (*theirs, *same)]
        try:
            found = replace(look, around=[]).first_in(some) if len(some) > 1 else None
        except DataError:
            unread += [number for number, _ in theirs or same if number is not None]
            continue
        if found is not None:
            return found, ()
    return None, tuple(sorted(unread))
