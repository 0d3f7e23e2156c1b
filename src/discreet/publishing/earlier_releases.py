"""Refuse what is not safe beside what is public already: differencing attacks across releases.

Problem      given a new release and all earlier ones in a ledger, each of them safe, are they safe together?
Method       all supports that any release prints are mixed (see `joint`), because a reader may take each from whichever
             release prints it. The numbers of rows that follow from two releases are also subtracted: what two
             snapshots of one hospital do not have in common may be one patient. k is the largest that any of them
             promises. Releases of the same rows must also agree in every support that both print: where they do not,
             readers see that one was changed, where, and by how much, and can undo it (section 7.2). Where they agree,
             what they print together is searched across its border, as one release is: a set that none prints may
             have only one support that fits all of them.
Promises     accepted means: no choice of supports, and no difference between releases, gives a group of 1 to k-1 rows,
             and no release shows what was changed in another. What is too large to be decided is refused. Across the
             border the search is as far as that of one release, and no farther.
Departures   snapshots are told apart by their fingerprints under the owner's key. A release without one is compared
             as a snapshot of its own. Releases of rows cannot be audited together with patterns, and are refused.
Reference    atzori2008, section 9
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.errors import NotSafe, UnsafeTogether
from discreet.publishing.bundle import read_bundle
from discreet.publishing.joint import border_clash, changed_clash, differing_clash, mixed_clash, support_table
from discreet.publishing.verifier import verify

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.joint import Clash
    from discreet.publishing.ledger import Entry

__all__ = ["audit_together", "check_bundle", "check_entries"]


def audit_together(
    patterns: PatternSet,
    earlier: Sequence[Entry],
    *,
    k: int,
    fingerprint: str | None,
    at_support: Callable[[int], PatternSet] | None = None,
) -> None:
    """Raise UnsafeTogether where the patterns are not safe beside earlier releases.

    `at_support` makes the same release again at another support: with it, the refusal says what would be safe instead.
    """
    if any(entry.patterns is None for entry in earlier):
        raise NotSafe(
            "the ledger holds a release of rows, and patterns cannot be audited together with rows; publish one or the "
            "other"
        )

    if any(_is_selection(patterns, entry, k) for entry in earlier):
        return

    def clash(with_patterns: PatternSet, entries: Sequence[Entry] = earlier) -> Clash | None:
        return _clash(with_patterns, entries, k, fingerprint)

    found = clash(patterns)
    if found is None:
        return
    pair = next((entry for entry in earlier if clash(patterns, [entry]) is not None), None)
    guilty = earlier if pair is None else [pair]
    which = f"release {guilty[0].number}" if len(guilty) == 1 else f"{len(guilty)} releases taken together"
    readers = f"can compute a group of fewer than {_largest_k(earlier, k):,} rows"
    if found.kind == "changed":
        readers = "sees what was changed"
    fewest_rows = min([patterns.n, *(entry.patterns.n for entry in earlier if entry.patterns is not None)])
    raise UnsafeTogether(
        f"not beside {which} in the ledger: who has both {readers}",
        kind=found.kind,
        releases={entry.number: entry.folder for entry in guilty},
        base=found.base,
        full=found.full,
        rows=found.rows,
        selection=max([patterns.min_support, *(entry.patterns.min_support for entry in guilty[:1] if entry.patterns)]),
        instead=None if at_support is None else _safe_support(patterns, clash, at_support, fewest_rows),
    )


def check_entries(entries: Sequence[Entry]) -> None:
    """Raise UnsafeTogether where the releases of a ledger are not safe together."""
    for place, entry in enumerate(entries):
        if entry.patterns is not None:
            earlier = [other for other in entries[:place] if other.patterns is not None]
            audit_together(entry.patterns, earlier, k=entry.k, fingerprint=entry.certificate.input)


def check_bundle(folder: str | os.PathLike[str], entries: Sequence[Entry]) -> None:
    """Raise NotSafe where a bundle does not hold by itself, or not beside the releases of a ledger."""
    found = verify(folder)
    if not found.holds:
        raise NotSafe(f"{folder} does not hold: {found.checks[-1].words}")
    bundle = read_bundle(Path(folder))
    others = [entry for entry in entries if entry.certificate.seal != bundle.certificate.seal]
    audit_together(bundle.patterns, others, k=bundle.certificate.promise["k"], fingerprint=bundle.certificate.input)


def _safe_support(
    patterns: PatternSet,
    clash: Callable[[PatternSet], Clash | None],
    at_support: Callable[[int], PatternSet],
    fewest_rows: int,
) -> int | None:
    """Return a low support at which the same release, made anew, is safe beside the earlier ones; None: none was found.

    Raising the support takes itemsets away, and with them choices, so it is bisected among the supports that occur;
    first from the highest down in growing steps, because few itemsets are soon looked at.
    """
    supports = np.unique(patterns.supports)
    supports = supports[supports <= fewest_rows]  # a support that was raised may be more than there are rows

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


def _is_selection(patterns: PatternSet, entry: Entry, k: int) -> bool:
    """Say whether this is what an earlier release prints from some support up, and promises no more than that did."""
    known = entry.patterns
    if known is None or k > entry.k or (patterns.n, patterns.target) != (known.n, known.target):
        return False
    place = np.array([-1 if (item := known.vocabulary.item(label)) is None else item for label in patterns.vocabulary])
    codes = place[patterns.items] if len(patterns) else patterns.items
    if (codes < 0).any():
        return False
    offsets, items = _kernel.canonical_rows(patterns.offsets, codes.astype(np.int32), None)
    listed = _kernel.find_supports(offsets, items, known.offsets, known.items, known.supports, len(known.vocabulary))
    from_there_up = int(np.count_nonzero(known.supports >= patterns.min_support))
    return from_there_up == len(patterns) and bool(np.array_equal(listed, patterns.supports))


def _largest_k(earlier: Sequence[Entry], k: int) -> int:
    return max([k, *(entry.k for entry in earlier)])


def _clash(patterns: PatternSet, earlier: Sequence[Entry], k: int, fingerprint: str | None) -> Clash | None:
    """Return what the releases give away together; the new one is the last column of the table."""
    largest = _largest_k(earlier, k)
    listed = [entry.patterns for entry in earlier if entry.patterns is not None]
    table = support_table([*listed, patterns])
    new = len(listed)
    # Where all agree in every support there is nothing to choose, and each set is judged in the release that prints it.
    alike = {k, *(entry.k for entry in earlier)} == {largest} and table.agreed
    found = None if alike else mixed_clash(table, k=largest)
    snapshots: dict[object, list[int]] = {}
    for place, entry in enumerate(earlier):
        snapshots.setdefault(entry.certificate.input or place, []).append(place)
    same = snapshots.pop(fingerprint, []) if fingerprint is not None else []
    pairs = [([new], [place]) for place in same] + [([*same, new], theirs) for theirs in snapshots.values()]
    for ours, theirs in pairs:
        found = found or differing_clash(table, ours, theirs, k=largest)
    for place in same:
        found = found or changed_clash(table, new, place)
    together = range(new + 1) if table.agreed else [*same, new]
    if found is None and len(together) > 1:
        thresholds = [patterns.min_support for patterns in (*listed, patterns)]
        found = border_clash(table, together, thresholds, k=largest)
    return found
