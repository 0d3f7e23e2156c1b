"""Bundles for testing verifiers, good and bad, in one file: python -m tests.attacks.vectors writes docs/vectors.json.

A vector has a name, what is to be found (`holds`), and its files, packed by zlib, as base64. One that is `of` another,
which is good, has only the files that differ from it. Where there are `keys`, all of them must have signed.
"""

from __future__ import annotations

import base64
import json
import shutil
import tempfile
import zlib
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

from discreet import PatternSet, Transactions, read, release, release_dp, verify_bundle
from discreet.differential_privacy import private_itemsets
from discreet.publishing import bundle as bundles
from discreet.publishing.certificate import CERTIFICATE
from tests.attacks.signatures import FORGED_SIGNATURES, SIGNERS, forged, signed
from tests.attacks.smuggling import IN_PATTERNS, ON_NOISE, ON_RHO, sealed_again

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

__all__ = [
    "FILE",
    "bundle_that_withholds",
    "bundle_with_known_items",
    "bundle_with_noise",
    "bundle_with_rules",
    "unpacked",
    "vectors",
    "without_noise",
]

FILE = Path(__file__).parents[2] / "docs" / "vectors.json"

FORGERIES = (
    *("patterns.csv: a remark", "patterns.csv: the order of lines", "patterns.csv: ends of lines"),
    *("patterns.csv: another way to write a letter", "patterns.csv: zeros before a number"),
    *("rules.csv: digits of shares", "rules.csv: the order of lines"),
    *("certificate: its statement", "certificate: an invisible title", "certificate: digits of steps"),
    *("certificate: digits of a share", "certificate: names of columns twice", "certificate: the order of keys"),
    *("certificate: one more key", "certificate: a key twice", "folder: a file"),
)
SUPPORTS = {
    "a group of 3 rows": [(["adm=planned"], 40), (["age=old"], 43), (["adm=planned", "age=old"], 40)],
    "not all closed itemsets": [(["adm=planned", "age=old"], 40), (["age=old", "area=north"], 40)],
    "supports that no rows have": [(["adm=planned"], 90), (["age=old"], 90), (["adm=planned", "age=old"], 40)],
}


def bundle_with_rules(folder: Path) -> Path:
    """Write a bundle of patterns of a table, with rules and a title."""
    lines = ["adm,age,area", *["planned,old,north"] * 40, *["urgent,old,south"] * 40, *["urgent,young,south"] * 40]
    (folder / "stays.csv").write_text("\n".join(lines) + "\n")
    rows = read(folder / "stays.csv", format="table")
    settings: dict[str, Any] = {"k": 5, "min_support": 30, "method": "none", "min_confidence": "50%"}
    return release(rows, **settings, title="Stays of a hospital", output=folder / "public").bundle


def bundle_that_withholds(folder: Path) -> Path:
    """Write a bundle without the itemset that tells who of the south has the flu: 40 of 45."""
    kinds = {"south flu": 40, "south": 5, "north old flu": 15, "north old": 35, "north": 30, "old": 20, "flu tea": 10}
    rows = Transactions.from_rows([kind.split() for kind, times in kinds.items() for _ in range(times)])
    settings: dict[str, Any] = {"k": 5, "min_support": 10, "method": "suppressive", "min_confidence": "20%"}
    return release(rows, **settings, sensitive=["flu"], rho="60%", output=folder / "withholding").bundle


def without_noise() -> AbstractContextManager[Any]:
    """Leave out the noise, so that bundles are the same every time; their steps are those of a release."""

    def leave_out(name: str, exact: Callable[..., Any]) -> None:
        right = getattr(private_itemsets, name)
        stack.enter_context(
            mock.patch.object(private_itemsets, name, lambda *given, **rest: (exact(*given), right(*given, **rest)[1]))
        )

    stack = ExitStack()
    stack.enter_context(mock.patch.object(private_itemsets, "library", return_value="opendp 0.16.0"))
    leave_out("noisy_count", int)
    leave_out("noisy_bins", np.array)
    leave_out("noisy_place", lambda scores: int(scores.argmax()))
    leave_out("noisy_top", lambda counts, chosen: np.sort(np.argsort(-counts, kind="stable")[:chosen]))
    leave_out("frequent_labels", lambda counts: tuple(sorted(label for label, rows in counts.items() if rows > 400)))
    return stack


def bundle_with_known_items(folder: Path) -> Path:
    """Write a bundle of the form of differential privacy, of items that were known before; it has no noise."""
    rows = Transactions.from_rows([["tea", "milk"]] * 600 + [["tea"]] * 400 + [["gin"]] * 30)
    settings: dict[str, Any] = {"epsilon": "0.3", "top": 3, "universe": ["gin", "milk", "rum", "tea"]}
    with without_noise():
        return release_dp(rows, **settings, public_n=True, title="Drinks", output=folder / "known").bundle


def bundle_with_noise(folder: Path) -> Path:
    """Write a bundle of the form of differential privacy, of items that were found, in all steps; it has no noise."""
    labels = "abcdefghijklmnopqrstuvwxyzABCDEF"
    rows = [[label] for label in labels for _ in range(500)] + [["b", "c", "d"]] * 500 + [[labels[31], "b"]] * 480
    settings: dict[str, Any] = {"epsilon": "1", "delta": "1e-6", "min_support": "2.5%", "max_items": 3}
    with without_noise():
        return release_dp(Transactions.from_rows(rows), **settings, output=folder / "noisy").bundle


def vectors() -> list[dict[str, Any]]:
    """Return all vectors."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = bundle_with_rules(folder)
        baskets = Transactions.from_rows([["1", "2"]] * 30 + [["1"]] * 12 + [["10"]] * 9 + [[]] * 40)
        plain = release(baskets, k=9, min_support=9, method="none", target="all", output=folder / "baskets").bundle
        found = [_good("a table, with rules", table), _good("baskets, all itemsets", plain)]
        less = bundle_that_withholds(folder)
        found.append(_good("itemsets withheld for rho", less))
        noisy = bundle_with_noise(folder)
        found += [_good("noise", noisy), _good("noise, known items", bundle_with_known_items(folder))]
        forgeries = [("a table, with rules", table, way, IN_PATTERNS[way]) for way in FORGERIES]
        forgeries += [("itemsets withheld for rho", less, name, way) for name, way in ON_RHO.items()]
        forgeries += [("noise", noisy, name, way) for name, way in ON_NOISE.items()]
        for of, good, what, way in forgeries:
            bad = shutil.copytree(good, folder / "bad")
            sealed_again(bad, way(bad))
            found.append(_bad(what, of, good, bad))
            shutil.rmtree(bad)
        for way, listed in SUPPORTS.items():
            bad = shutil.copytree(plain, folder / "bad")
            least = min(support for _, support in listed)
            patterns = PatternSet.from_itemsets(listed, n=120, min_support=least, target="closed")
            (bad / "patterns.csv").unlink()
            bundles.write_patterns(patterns, bad / "patterns.csv")
            figures = {"n": 120, "min_support": least, "itemsets": len(patterns), "target": "closed"}
            sealed_again(bad, {"promise": figures})
            found.append(_bad(way, "baskets, all itemsets", plain, bad))
            shutil.rmtree(bad)
        found += _signed((table / CERTIFICATE).read_bytes())
    return found


def _signed(certificate: bytes) -> list[dict[str, Any]]:
    """Return a bundle with one and with two signatures, and forgeries of the latter."""
    keys = [signer.public_key for signer in SIGNERS[:2]]
    one, two = signed(certificate, SIGNERS[:1]), signed(certificate, SIGNERS[:2])
    good = {"by one": (one, keys[:1]), "by two": (two, keys)}
    bad = {name: (forged(two, way), keys) for name, way in FORGED_SIGNATURES.items()}
    bad |= {"one of them stripped": (one, keys), "both stripped": (certificate, keys)}
    return [
        {
            "name": f"signatures: {name}",
            "holds": name in good,
            "of": "a table, with rules",
            "keys": wanted,
            "files": {CERTIFICATE: _packed(content)},
        }
        for name, (content, wanted) in (good | bad).items()
    ]


def _good(name: str, folder: Path) -> dict[str, Any]:
    return {"name": name, "holds": True, "files": _files(folder)}


def _bad(name: str, of: str, good: Path, forged: Path) -> dict[str, Any]:
    known = _files(good)
    differ = {file: content for file, content in _files(forged).items() if known.get(file) != content}
    return {"name": name, "holds": False, "of": of, "files": differ}


def _files(folder: Path) -> dict[str, str]:
    return {path.name: _packed(path.read_bytes()) for path in sorted(folder.iterdir())}


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()


def unpacked(listed: list[dict[str, Any]], folder: Path) -> dict[Path, bool]:
    """Write all vectors as folders; return whether each is to hold."""
    good = {each["name"]: each["files"] for each in listed if each["holds"]}
    found = {}
    for number, each in enumerate(listed):
        place = folder / f"{number:02}"
        place.mkdir()
        for name, content in {**good.get(each.get("of"), {}), **each["files"]}.items():
            (place / name).write_bytes(zlib.decompress(base64.b64decode(content)))
        found[place] = each["holds"]
    return found


if __name__ == "__main__":
    made = vectors()
    with tempfile.TemporaryDirectory() as temporary:
        for (place, holds), vector in zip(unpacked(made, Path(temporary)).items(), made, strict=True):
            assert (verify_bundle.verify(place, vector.get("keys", ()))[0] == 0) == holds, vector["name"]
    FILE.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
