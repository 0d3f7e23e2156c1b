"""Rows of people in a bundle that was sealed again: `verify` finds them, wherever they are."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from discreet import ParameterError, PatternSet, Transactions, release, release_rows, verify
from discreet.cli.main import main
from discreet.publishing import bundle as bundles
from tests.attacks.smuggling import BY_LABELS, IN_PATTERNS, IN_ROWS, sealed_again
from tests.attacks.vectors import bundle_with_rules

if TYPE_CHECKING:
    from pathlib import Path

NOT_JUDGED = {
    "report: a drawing's description": "report",
    "patterns.parquet: another writer": "tables",
    "certificate: its version": "words",
    "rows: packed otherwise": "tables",
}
"""What may come from another version: it is named, and never called good."""


@pytest.fixture(scope="module")
def patterns_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle of patterns of a table, with rules and a title."""
    return bundle_with_rules(tmp_path_factory.mktemp("smuggling"))


@pytest.fixture(scope="module")
def rows_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle of packed rows with a hierarchy."""
    folder = tmp_path_factory.mktemp("smuggling")
    rows = Transactions.from_rows([["milk", "tea"], ["milk"], ["milk", "test"], ["tea"], ["tea", "beer"]] * 4)
    (folder / "tree.csv").write_text("beer;alcohol;ALL\nmilk;drink;ALL\ntea;drink;ALL\nwine;alcohol;ALL\n")
    release_rows(
        rows,
        name="rows.csv.gz",
        promise="rho=0.5",
        sensitive=["test"],
        hierarchy=folder / "tree.csv",
        title="Baskets",
        output=folder / "public",
    )
    return folder / "public"


def test_untouched_bundles_hold(patterns_bundle: Path, rows_bundle: Path, tmp_path: Path):
    for number, bundle in enumerate((patterns_bundle, rows_bundle)):
        assert verify(bundle).holds, verify(bundle)
        folder = shutil.copytree(bundle, tmp_path / str(number))
        sealed_again(folder, None)
        assert verify(folder).holds


@pytest.mark.parametrize("way", IN_PATTERNS)
def test_rows_smuggled_in_a_bundle_of_patterns_are_found(patterns_bundle: Path, tmp_path: Path, way: str):
    folder = shutil.copytree(patterns_bundle, tmp_path / "public")
    sealed_again(folder, IN_PATTERNS[way](folder))
    _found(folder, way)


@pytest.mark.parametrize("way", IN_ROWS)
def test_rows_smuggled_in_a_bundle_of_rows_are_found(rows_bundle: Path, tmp_path: Path, way: str):
    folder = shutil.copytree(rows_bundle, tmp_path / "public")
    sealed_again(folder, IN_ROWS[way](folder))
    _found(folder, way)


def _found(folder: Path, way: str) -> None:
    found = verify(folder)
    if way in NOT_JUDGED:
        assert found.verdict == "not-judged", found
        assert NOT_JUDGED[way] in found.not_judged
    else:
        assert found.verdict == "does-not-hold", found


def test_the_whole_way_out_of_the_house(patterns_bundle: Path, tmp_path: Path):
    """All at once: the rows in a comment and in metadata, a script from elsewhere, and a new seal."""
    folder = shutil.copytree(patterns_bundle, tmp_path / "public")
    for way in ("report: a comment", "patterns.parquet: metadata", "report: a script from elsewhere"):
        IN_PATTERNS[way](folder)
    sealed_again(folder, None)
    assert main(["verify", str(folder)]) == 1
    found = verify(folder)
    assert found.verdict == "does-not-hold"
    assert found.reason == "patterns.parquet is not written as the program writes it, and may hold more than it shows"


def test_a_table_that_is_not_judged_does_not_cover_another(patterns_bundle: Path, tmp_path: Path):
    folder = shutil.copytree(patterns_bundle, tmp_path / "public")
    IN_PATTERNS["patterns.parquet: another writer"](folder)
    IN_PATTERNS["rules.parquet: metadata"](folder)
    sealed_again(folder, None)
    found = verify(folder)
    assert found.verdict == "does-not-hold"
    assert found.reason.startswith("rules.parquet is not written as the program writes it")


@pytest.mark.parametrize("way", BY_LABELS)
@pytest.mark.usefixtures("no_charts")
def test_labels_that_carry_more_than_a_reader_sees(tmp_path: Path, way: str):
    label = BY_LABELS[way]
    rows = Transactions.from_rows([[label]] * 20 + [["a"]] * 5)
    with pytest.raises(ParameterError, match="a label to be published has "):
        release(rows, k=5, min_support=10, method="none", output=tmp_path / "public")
    assert not (tmp_path / "public").exists()
    with pytest.raises(ParameterError, match="a label to be published has "):
        release_rows(rows, name="rows.json", promise="rho=1", sensitive=["a"], output=tmp_path / "public")
    done = release(Transactions.from_rows([["tea"]] * 20), k=5, min_support=10, method="none", output=tmp_path / "tea")
    forged = PatternSet.from_itemsets([([label], 20)], n=20, min_support=20, target="closed")
    (tmp_path / "public").mkdir()
    bundles.write_files(tmp_path / "public", replace(done.published, patterns=forged), fingerprint=None)
    found = verify(tmp_path / "public")
    assert (found.verdict, found.checks[-1].name) == ("does-not-hold", "free text"), found


def test_ordinary_labels_of_many_scripts_are_published(tmp_path: Path):
    labels = ["café", "Ποτά", "می‌خواهم", "👩‍⚕️", "☎️", "牛乳\u3000大", "שלום", "100\u00a0%", "क्‍ष"]
    rows = Transactions.from_rows([labels] * 20)
    done = release(rows, k=5, min_support=10, method="none", title="Œuvres", output=tmp_path / "public")
    assert verify(done.bundle).holds


@pytest.mark.parametrize("title", ["x" * 201, "two\nlines", "", " ends", "tea\u200bcup"])
def test_a_title_is_short_and_plain(tmp_path: Path, title: str):
    rows = Transactions.from_rows(["a"] * 20)
    with pytest.raises(ParameterError, match="the title has "):
        release(rows, k=5, min_support=10, method="none", title=title, output=tmp_path / "public")
    with pytest.raises(ParameterError, match="the title has "):
        release_rows(rows, name="r.dat", promise="rho=1", sensitive=["a"], title=title, output=tmp_path / "public")


@pytest.mark.parametrize("key", ["min_confidence", "promise"])
def test_a_share_has_few_digits(tmp_path: Path, key: str):
    rows = Transactions.from_rows(["a"] * 20)
    if key == "promise":
        job = partial(release_rows, name="r.dat", promise="rho=0.12345678901", sensitive=["a"])
    else:
        job = partial(release, k=5, min_support=10, method="none", min_confidence="0.12345678901")
    with pytest.raises(ParameterError, match="round it to at most nine"):
        job(rows, output=tmp_path / "public")


def test_free_text_is_shown(patterns_bundle: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["verify", str(patterns_bundle)]) == 0
    said = capsys.readouterr().out
    for words in ("Free text, which only a reader can judge", "Stays of a hospital", "adm=planned", "1 shorter label"):
        assert words in said
    assert "as it was published" not in said
    assert main(["verify", str(patterns_bundle), "--json"]) == 0
    text = json.loads(capsys.readouterr().out)["free_text"]
    assert text["title"] == "Stays of a hospital"
    assert sorted(text["labels"]) == ["adm=planned", "adm=urgent", "age=old", "age=young", "area=north", "area=south"]


def test_what_another_version_wrote_is_taken_from_a_trusted_key_alone(
    patterns_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    from discreet.publishing.signing import load_signer

    assert main(["keygen", str(tmp_path / "key")]) == 0
    assert main(["keygen", str(tmp_path / "other")]) == 0
    folder = shutil.copytree(patterns_bundle, tmp_path / "public")
    certificate = bundles.read_bundle(folder).certificate
    later = replace(certificate, program="99.0").signed(load_signer(tmp_path / "key" / "identity.pem"))
    (folder / "certificate.json").write_bytes(later.to_bytes())
    capsys.readouterr()
    assert main(["verify", str(folder)]) == 1
    assert "CANNOT BE JUDGED" in capsys.readouterr().out
    assert main(["verify", str(folder), "--trust", str(tmp_path / "other" / "public.pem")]) == 1
    assert "DOES NOT HOLD" in capsys.readouterr().out
    assert main(["verify", str(folder), "--trust", str(tmp_path / "key" / "public.pem"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["verdict"], document["safe"], document["trusted"]) == ("not-judged", False, True)
    assert document["not_judged"] == ["words", "report"]
