"""Bundles that were damaged or forged, against both verifiers: neither of them may accept one.

A forger has all of discreet and can seal a bundle again, so that every digest is right. The second verifier is asked
about what it judges: certificate.json, patterns.csv, rules.csv and the folder; of the certificate it does not judge
how far the attacker looked.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet import Transactions, release_rows, verify, verify_bundle
from evidence.campaign import Campaign, Outcome
from tests.attacks.smuggling import IN_PATTERNS, IN_ROWS, JUDGED_ALONE, ON_NOISE, ON_RHO, sealed_again
from tests.attacks.vectors import bundle_that_withholds, bundle_with_noise, bundle_with_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["CAMPAIGN"]

MANY = 2000
JUDGED_FILES = ("certificate.json", "patterns.csv", "rules.csv")
NONSENSE = (None, 5, -1, 1.5, "x", True, [], [1], ["x"], {}, {"a": 1}, 10**30)


@dataclass(slots=True)
class _Seen:
    """What the verifiers said about forged bundles."""

    tried: int = 0
    asked_twice: int = 0
    not_judged: int = 0
    accepted: list[str] = field(default_factory=list)

    def ask(self, folder: Path, what: str, *, twice: bool) -> None:
        """Ask one verifier about a bundle, or both."""
        self.tried += 1
        found = verify(folder).verdict
        self.not_judged += found == "not-judged"
        if found == "holds":
            self.accepted.append(what)
        if twice:
            self.asked_twice += 1
            if verify_bundle.verify(folder)[0] == 0:
                self.accepted.append(f"{what}, by the second verifier")

    def outcome(self, what: str) -> Outcome:
        """Return what the page says."""
        note = f"{self.asked_twice:,} of them for the second verifier, too; not judged: {self.not_judged:,}"
        return Outcome(what, self.tried, 0, len(self.accepted), note + "".join(f"; {each}" for each in self.accepted))


def _bundles(folder: Path) -> tuple[Path, Path, Path, Path]:
    """Write bundles of patterns, without and with sensitive items, with noise, and of rows; see that they hold."""
    patterns, less, noisy = bundle_with_rules(folder), bundle_that_withholds(folder), bundle_with_noise(folder)
    rows = Transactions.from_rows([["milk", "tea"], ["milk"], ["milk", "test"], ["tea"], ["tea", "beer"]] * 4)
    (folder / "tree.csv").write_text("beer;beer;ALL\nmilk;drink;ALL\ntea;drink;ALL\n")
    settings: dict[str, Any] = {"name": "rows.csv.gz", "promise": "rho=0.5", "sensitive": ["test"]}
    done = release_rows(rows, **settings, hierarchy=folder / "tree.csv", output=folder / "rows")
    right = [verify(bundle).holds for bundle in (patterns, less, noisy, done.bundle)]
    right += [verify_bundle.verify(bundle)[0] == 0 for bundle in (patterns, less, noisy)]
    if not all(right):
        raise RuntimeError("a bundle that nobody touched does not hold")
    return patterns, less, noisy, done.bundle


def _bytes(bundle: Path, count: int, *, sealed: bool) -> _Seen:
    """Change one byte of a file, drawn at random; seal the bundle again, or not."""
    luck, seen = random.Random(count), _Seen()
    contents = {path: path.read_bytes() for path in sorted(bundle.iterdir())}
    certificate = bundle / "certificate.json"
    files = [path for path in contents if not (sealed and path == certificate)]
    for _ in range(count):
        path = luck.choice(files)
        content = contents[path]
        place = luck.randrange(len(content))
        other = luck.choice([byte for byte in range(256) if byte != content[place]])
        path.write_bytes(content[:place] + bytes([other]) + content[place + 1 :])
        if sealed:
            sealed_again(bundle, None)
        seen.ask(bundle, f"{path.name}, byte {place} to {other}", twice=not sealed or path.name in JUDGED_FILES)
        path.write_bytes(content)
        certificate.write_bytes(contents[certificate])
    return seen


def _forged(bundles: tuple[Path, Path, Path, Path], count: int) -> _Seen:
    """Try every forgery of a list; all of them if `count` is large, else some."""
    seen = _Seen()
    patterns, less, noisy, rows = bundles
    tries: list[tuple[Path, str, Callable[[Path], object]]] = []
    tries += [(patterns, name, way) for name, way in IN_PATTERNS.items()]
    tries += [(rows, name, way) for name, way in IN_ROWS.items()]
    tries += [(less, name, way) for name, way in ON_RHO.items()]
    tries += [(noisy, name, way) for name, way in ON_NOISE.items()]
    for bundle in bundles:
        promise = json.loads((bundle / "certificate.json").read_bytes())["promise"]
        for key, said in promise.items():
            for value in NONSENSE:
                if value != said or type(value) is not type(said):
                    tries.append((bundle, f"{bundle.name}: {key} = {value!r}", _told(key, value)))
            tries.append((bundle, f"{bundle.name}: without {key}", _without(key)))
    step = max(1, len(tries) // count)
    for number, (bundle, name, way) in enumerate(tries[::step]):
        folder = shutil.copytree(bundle, patterns.parent / f"forged-{number}")
        sealed_again(folder, way(folder))
        listed = name in IN_PATTERNS
        seen.ask(folder, name, twice=bundle != rows and (name.startswith(JUDGED_ALONE) or not listed))
        shutil.rmtree(folder)
    return seen


def _told(key: str, value: object) -> Callable[[Path], object]:
    return lambda _: {"promise": {key: value}}


def _without(key: str) -> Callable[[Path], object]:
    def change(written: bytes) -> bytes:
        document = json.loads(written)
        del document["promise"][key]
        others = {name: value for name, value in document.items() if name != "seal"}
        digest = verify_bundle.hashlib.sha256(verify_bundle.canonical(others)).hexdigest()
        return verify_bundle.canonical({**others, "seal": digest})

    return lambda _: {"raw": change}


def _run(count: int) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory() as name:
        bundles = patterns, less, _, rows = _bundles(Path(name))
        yield _bytes(patterns, count, sealed=False).outcome("one byte changed")
        yield _bytes(patterns, max(4, count // 4), sealed=True).outcome("one byte changed, and sealed again")
        yield _bytes(less, max(4, count // 8), sealed=True).outcome("one byte with sensitive items, and sealed again")
        yield _bytes(rows, max(4, count // 8), sealed=True).outcome("one byte of a bundle of rows, and sealed again")
        yield _forged(bundles, count).outcome("forged on purpose, and sealed again")


CAMPAIGN = Campaign(
    "Forgeries",
    "No bundle that was damaged or forged is accepted by `verify`, nor by the second verifier where it judges the file "
    "that was forged. Forgeries smuggle rows in every place that we could think of, or say nonsense in each figure of "
    "the certificate. A label of a hierarchy that no row uses is free text, which neither can judge: a first run had "
    "one in its bundle, and accepted a change of one of its letters. The bundles tried since have none.",
    _run,
    few=24,
    many=MANY,
)
