"""Bundles from which a group follows, under certificates that say otherwise: `verify` finds it, and says why."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet import PatternSet, Transactions, __version__, block, read
from discreet.channels.exclusive import exclusive_in_patterns
from discreet.patterns.patternset import trimmed
from discreet.publishing import bundle as bundles
from discreet.publishing.audiences import PublishedPatterns
from discreet.publishing.certificate import OLDER_FORM
from discreet.publishing.release import release
from discreet.publishing.rows_bundle import release_rows
from discreet.publishing.verifier import verify
from discreet.transactions.generate import hospital
from tests.publishing.stories import LOOKED
from tests.publishing.test_verifier import failed, reseal

if TYPE_CHECKING:
    from discreet.channels.exclusive_names import Named
    from discreet.publishing.verification import Verification

ENTAILED = Path(__file__).parent.parent / "data" / "entailed.json"


pytestmark = pytest.mark.usefixtures("no_charts")


def plant(folder: Path, patterns: PatternSet, k: int, columns: tuple[str, ...] = (), named: Named = ()) -> Path:
    """Write a bundle that no audit has seen."""
    folder.mkdir()
    published = PublishedPatterns(
        patterns=trimmed(patterns),
        k=k,
        attack=LOOKED,
        exclusive=exclusive_in_patterns(patterns, named, columns=columns),
        version=__version__,
        files=bundles.bundle_files(rules=False),
    )
    bundles.write_files(folder, published, fingerprint=None)
    return folder


def words_of(found: Verification) -> str:
    """Return what the audit says that is not so."""
    name, words = failed(found)
    assert name == "audit"
    assert "rows follows from what is published: " in words
    return words.partition("published: ")[2]


def test_the_smallest_case(tmp_path: Path):
    """Ten groups of one are certain: b and c are in four rows of six, and two have both, so every row has one."""
    patterns = PatternSet.from_itemsets([("a", 2), ("b", 4), ("c", 4), ("bc", 2)], n=6, min_support=2, target="closed")
    words = words_of(verify(plant(tmp_path / "public", patterns, 2)))
    assert words.startswith("1 row has ")
    assert "sup(" in words
    assert words.endswith("= 1")


@pytest.mark.parametrize("case", json.loads(ENTAILED.read_text()), ids=lambda case: case["name"])
def test_what_was_entailed_and_called_safe(tmp_path: Path, case: dict):
    patterns = PatternSet.from_itemsets(
        [(each["items"], each["support"]) for each in case["itemsets"]], n=case["n"], min_support=case["min_support"]
    )
    folder = plant(tmp_path / "public", patterns, case["k"], named=[*map(tuple, case["exclusive"])])
    words_of(verify(folder))


def test_the_papers_own_blocking_of_the_hospital(tmp_path: Path):
    done = block(hospital(rows=4000, seed=1), k=10, min_support="10%", method="additive", border=False)
    words = words_of(verify(plant(tmp_path / "public", done.patterns, 10)))
    assert "at least " in words


def test_the_papers_own_blocking_of_chess(tmp_path: Path, data_folder: Path):
    """36, 40 and 60 and not 58 is exactly one row."""
    done = block(read(data_folder / "chess.dat.gz"), k=10, min_support="95%", method="additive", border=False)
    words = words_of(verify(plant(tmp_path / "public", done.patterns, 10)))
    assert words.startswith("1 row has ")


GENDERS = PatternSet.from_itemsets(
    [(["gender=Female"], 54_708), (["gender=Male"], 47_055)], n=101_766, min_support=20_354, target="closed"
)


def test_values_of_a_column_exclude_each_other(tmp_path: Path):
    words = words_of(verify(plant(tmp_path / "public", GENDERS, 10, columns=("gender",))))
    assert words.startswith("3 rows have none of gender=Female, gender=Male: ")
    assert "101,766 − 54,708 − 47,055 = 3" in words


def test_a_column_that_the_certificate_conceals_is_found_with_the_rows(tmp_path: Path):
    (tmp_path / "people.csv").write_text("gender\n" + "F\n" * 30 + "M\n" * 25 + "other\n" * 3)
    rows = read(tmp_path / "people.csv", format="table")
    release(Transactions.from_rows(list(rows)), k=5, min_support=25, method="none", output=tmp_path / "public")
    assert verify(tmp_path / "public").holds
    name, words = failed(verify(tmp_path / "public", data=rows))
    assert name == "data"
    assert "3 rows have none of gender=F, gender=M: " in words


def test_a_release_of_a_table_reckons_with_its_columns_and_keeps_them(tmp_path: Path):
    (tmp_path / "people.csv").write_text("sex,ill\n" + "f,yes\n" * 30 + "m,yes\n" * 25 + "m,no\n" * 20 + "x,no\n" * 20)
    rows = read(tmp_path / "people.csv", format="table")
    done = release(rows, k=5, min_support=20, method="none", output=tmp_path / "public")
    assert done.certificate.promise["exclusive"] == {"columns": ["ill", "sex"], "named": []}
    assert "no row has two values of one column (2 columns)" in done.certificate.statement
    assert verify(tmp_path / "public", data=rows).holds
    names = release(
        Transactions.from_rows(list(rows)),
        k=5,
        min_support=20,
        method="none",
        exclusive=[["sex=f", "sex=m", "sex=x"], ["ill"]],
        output=tmp_path / "named",
    )
    assert names.certificate.promise["exclusive"]["columns"] == []
    assert names.certificate.promise["exclusive"]["named"] == [["ill=no", "ill=yes"], ["sex=f", "sex=m", "sex=x"]]
    assert verify(tmp_path / "named").holds
    assert done.certificate.promise["attack"] == names.certificate.promise["attack"]


@pytest.mark.parametrize("steps", ["all", 10**12])
def test_a_certificate_that_claims_more_than_is_taken_again_is_not_judged(tmp_path: Path, steps: object):
    rows = Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + ["c"] * 20 + [""] * 20)
    done = release(rows, k=5, min_support=10, method="none", attack_steps=steps, output=tmp_path / "public")
    assert done.certificate.promise["attack"]["steps"] == steps
    assert verify(tmp_path / "public").holds  # within fewer steps all was seen that it speaks of
    said = done.certificate.promise
    reseal(tmp_path / "public", promise={**said, "attack": {**said["attack"], "windows": 10**9}})
    name, words = failed(verify(tmp_path / "public"))
    assert (name, words[:20], "200,000" in words) == ("audit", "it cannot be judged:", True)
    assert failed(verify(tmp_path / "public", attack_steps="all"))[0] == "figures"


def test_a_proof_that_the_owner_keeps(tmp_path: Path):
    rows = Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + ["c"] * 20 + [""] * 20)
    settings = {"k": 5, "min_support": 10, "method": "none"}
    done = release(rows, output=tmp_path / "public", proof=tmp_path / "proof.json", **settings)
    assert done.certificate.promise["proved"] is True
    assert "it is proved that no group of 1 to 4 rows follows at all" in done.certificate.statement
    assert (tmp_path / "proof.json").stat().st_mode & 0o777 == 0o600
    assert "proof.json" not in done.files
    found = verify(tmp_path / "public", proof=tmp_path / "proof.json")
    assert found.holds
    assert "the one given" in next(check.words for check in found.checks if check.name == "proof")
    document = json.loads((tmp_path / "proof.json").read_text())
    document["rows"][0]["count"] += 1
    document["n"] += 1
    (tmp_path / "other.json").write_text(json.dumps(document))
    name, words = failed(verify(tmp_path / "public", proof=tmp_path / "other.json"))
    assert (name, "does not prove it" in words) == ("proof", True)


def test_a_proof_that_is_claimed_and_not_found_is_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rows = Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + ["c"] * 20 + [""] * 20)
    release(rows, k=5, min_support=10, method="none", output=tmp_path / "public", proof=tmp_path / "proof.json")
    monkeypatch.setattr(import_module("discreet.channels.audit"), "find_witness", lambda *_, **__: None)
    name, words = failed(verify(tmp_path / "public"))
    assert (name, words[:20]) == ("proof", "it cannot be judged:")
    assert verify(tmp_path / "public", proof=tmp_path / "proof.json").holds


@pytest.mark.parametrize("kind", ["patterns", "rows"])
def test_bundles_of_an_earlier_form_are_not_judged(tmp_path: Path, kind: str):
    rows = Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + ["c"] * 20 + [""] * 20)
    if kind == "patterns":
        release(rows, k=5, min_support=10, method="none", output=tmp_path / "public")
    else:
        release_rows(rows, name="rows.dat", promise="rho=1", sensitive=["c"], output=tmp_path / "public")
    reseal(tmp_path / "public", form=OLDER_FORM)
    found = verify(tmp_path / "public")
    assert (found.verdict, found.not_judged) == ("not-judged", ("form",))
    assert "an earlier version wrote it, and looked less far" in found.reason
