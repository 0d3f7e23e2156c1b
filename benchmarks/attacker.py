"""The attacker: audits with the default steps, all windows of five items, and blocking, with what each solved."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.cases import Case, data_folder
from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.transactions.generate import hospital, quest
from discreet.transactions.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.channels.audit import Audit
    from discreet.transactions.transactions import Transactions

    Jobs = tuple[Callable[[], object], Callable[[], object] | None]

__all__ = ["cases"]

K = 10
AUDITS = (("mushroom", "25%"), ("chess", "85%"), ("retail", "0.1%"), ("T10I4D100K", "0.5%"))
ALL_WINDOWS = (("mushroom", "40%"), ("chess", "85%"))
TOLD = (("mushroom", "25%", "1"), ("hospital", "5%", "diagnosis hip fracture"), ("adult", "20%", "income"))
"""Data, a support, and what is sensitive. An audit with it may take three times as long as one without."""

BLOCKED = (("mushroom", "30%"), ("chess", "95%"), ("accidents_first15224", "70%"))


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    load = _small if small else _load
    found = [
        Case(f"audit with the attacker, {name} {share}", partial(_audit, load, name, share), goal_seconds=5)
        for name, share in AUDITS
    ]
    found += [
        Case(
            f"attack, all steps, {name} {share}, additive",
            partial(_all_windows, load, name, share),
            repeats=1,
            goal_seconds=10,
        )
        for name, share in ALL_WINDOWS
    ]
    found += [
        Case(
            f"audit with sensitive items, {name} {share}",
            partial(_told, load, name, share, sensitive),
            peer="without them (x3 allowed)",
            least=1 / 3,
            repeats=2,
        )
        for name, share, sensitive in TOLD
    ]
    found += [
        Case(f"block against the attacker, {name} {share}", partial(_block, load, name, share), repeats=2)
        for name, share in BLOCKED
    ]
    return found


def _load(name: str) -> Transactions:
    if name == "hospital":
        return hospital()
    if name == "adult":
        return read(
            data_folder() / "adult.data.csv.gz",
            format="table",
            header=False,
            columns=",".join(f"c{number}" for number in range(1, 15)) + ",income",
            drop="c3,c5",
            missing="drop-row",
        )
    return read(data_folder() / f"{name}.dat.gz")


def _small(name: str) -> Transactions:
    return quest(rows=300, items=12, mean_length=5, pattern_length=3, patterns=6, seed=len(name))


def _audit(load: Callable[[str], Transactions], name: str, share: str) -> Jobs:
    rows = load(name)
    return lambda: audit(rows, k=K, min_support=share), None


def _told(load: Callable[[str], Transactions], name: str, share: str, sensitive: str) -> Jobs:
    rows = load(name)
    asked = partial(audit, rows, k=K, min_support=share, ignore_unknown=True)
    return lambda: asked(sensitive=[sensitive], rho="0.5"), asked


def _all_windows(load: Callable[[str], Transactions], name: str, share: str) -> Jobs:
    patterns = block(load(name), k=K, min_support=share, method="additive", border=False).patterns
    return lambda: audit(patterns, k=K, attack_steps="all"), None


def _block(load: Callable[[str], Transactions], name: str, share: str) -> Jobs:
    rows = load(name)
    return lambda: block(rows, k=K, min_support=share, method="additive"), None


def main() -> None:
    """Print what the attacker looked at and solved in each of the audits."""
    print("| audit, k = 10 | seconds | windows | left out | groups found | candidates | programs |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, share in AUDITS:
        rows = _load(name)
        start = time.perf_counter()
        _tell(f"{name} {share}", audit(rows, k=K, min_support=share), start)
    for name, share in ALL_WINDOWS:
        patterns = block(_load(name), k=K, min_support=share, method="additive", border=False).patterns
        start = time.perf_counter()
        _tell(f"{name} {share}, additive, all steps", audit(patterns, k=K, attack_steps="all"), start)


def _tell(name: str, found: Audit, start: float) -> None:
    attack = found.attack
    if attack is not None:
        figures = (attack.looked_at, attack.left_out, len(attack.groups), attack.candidates, attack.programs)
        print(f"| {name} | {time.perf_counter() - start:.1f} | {' | '.join(f'{figure:,}' for figure in figures)} |")


if __name__ == "__main__":
    main()
