"""What `verify` says of bundles that are as published, damaged, forged, or of other rows."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import DataError, NotSafe, PatternSet, Transactions, block, mine, read, write_patterns
from discreet.cli.main import main
from discreet.publishing import bundle as bundles
from discreet.publishing import verifier
from discreet.publishing.certificate import CERTIFICATE, Certificate
from discreet.publishing.fitting import check_fit
from discreet.publishing.ledger import open_ledger
from discreet.publishing.release import release, release_from
from discreet.publishing.verifier import verify
from tests.papers.adult import read_adult
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable

RUNNING = Path(__file__).parent.parent / "data" / "running-example.dat"


def failed(found) -> tuple[str, str]:
    """Return the question that was answered with no, and the words."""
    assert not found.holds
    assert all(check.holds for check in found.checks[:-1])
    return found.checks[-1].name, found.checks[-1].words


def reseal(folder: Path, **changes: object) -> None:
    """Write a certificate that fits the files, as a forger would."""
    certificate = Certificate.from_bytes((folder / CERTIFICATE).read_bytes())
    files = {name: bundles.digest_file(folder / name) for name in certificate.files}
    (folder / CERTIFICATE).write_bytes(replace(certificate, files=files, **changes).to_bytes())


def test_a_bundle_holds_by_itself_and_with_its_rows(mushroom: Transactions, mushroom_bundle: Path):
    found = verify(mushroom_bundle, data=mushroom)
    assert found.holds
    assert [check.name for check in found.checks] == [
        "certificate",
        "files",
        "patterns",
        "audit",
        "proof",
        "rules",
        "figures",
        "tables",
        "words",
        "report",
        "free text",
        "data",
    ]
    with open_ledger(mushroom_bundle.parent / "ledger") as book:
        assert verify(mushroom_bundle, data=mushroom, ledger=book).holds


def test_1000_random_single_byte_changes_are_all_noticed(own_bundle: Path):
    seed = 20261116
    draw = random.Random(seed)
    files = sorted(own_bundle.iterdir())
    contents = {path: path.read_bytes() for path in files}
    for number in range(1000):
        path = draw.choice(files)
        content = contents[path]
        place = draw.randrange(len(content))
        other = draw.choice([byte for byte in range(256) if byte != content[place]])
        path.write_bytes(content[:place] + bytes([other]) + content[place + 1 :])
        assert not verify(own_bundle).holds, f"seed {seed}, change {number}: {path.name}, byte {place}"
        path.write_bytes(content)
    assert verify(own_bundle).holds


def test_every_bit_of_the_certificate_counts(mushroom_bundle: Path):
    content = bytearray((mushroom_bundle / CERTIFICATE).read_bytes())
    for place in range(len(content)):
        for bit in range(8):
            content[place] ^= 1 << bit
            with pytest.raises(DataError):
                Certificate.from_bytes(bytes(content))
            content[place] ^= 1 << bit
    Certificate.from_bytes(bytes(content))


@pytest.mark.parametrize(
    ("change", "question"),
    [
        (lambda folder: (folder / CERTIFICATE).unlink(), "certificate"),
        (lambda folder: (folder / CERTIFICATE).write_bytes(b"\xff\x00"), "certificate"),
        (lambda folder: (folder / CERTIFICATE).write_bytes(b"[" * 100_000), "certificate"),
        (lambda folder: (folder / CERTIFICATE).write_bytes((folder / CERTIFICATE).read_bytes() + b" "), "certificate"),
        (lambda folder: (folder / "patterns.csv").unlink(), "files"),
        (lambda folder: (folder / "report.html").write_bytes(b""), "files"),
        (lambda folder: (folder / "notes.txt").write_text("8 of 52 supports changed"), "files"),
        (lambda folder: (folder / ".hidden").mkdir(), "files"),
        (lambda folder: (folder / "patterns.csv").rename(folder / "Patterns.csv"), "files"),
    ],
)
def test_what_is_damaged_does_not_hold(own_bundle: Path, change: Callable[[Path], object], question: str):
    change(own_bundle)
    assert failed(verify(own_bundle))[0] == question


def test_a_link_in_place_of_a_file_does_not_hold(own_bundle: Path, tmp_path: Path):
    (own_bundle / "patterns.csv").rename(tmp_path / "elsewhere.csv")
    (own_bundle / "patterns.csv").symlink_to(tmp_path / "elsewhere.csv")
    assert failed(verify(own_bundle)) == ("files", "patterns.csv is not a plain file")
    (own_bundle / CERTIFICATE).rename(tmp_path / CERTIFICATE)
    (own_bundle / CERTIFICATE).symlink_to(tmp_path / CERTIFICATE)
    assert failed(verify(own_bundle)) == ("certificate", "certificate.json is not a plain file")


def test_a_folder_that_is_not_there_is_no_answer_but_an_error(tmp_path: Path):
    with pytest.raises(DataError, match="No such file"):
        verify(tmp_path / "missing")
    assert failed(verify(tmp_path)) == ("certificate", "there is no certificate.json")


def forged_patterns(folder: Path, change: Callable[[PatternSet], PatternSet]) -> None:
    """Publish other patterns under a certificate that fits them in everything but the truth."""
    patterns = change(bundles.read_bundle(folder).patterns)
    for name in ("patterns.csv", "patterns.parquet"):
        write_patterns(patterns, folder / name, force=True)
    certificate = Certificate.from_bytes((folder / CERTIFICATE).read_bytes())
    figures = {"n": patterns.n, "min_support": patterns.min_support, "itemsets": len(patterns)}
    reseal(folder, promise={**certificate.promise, **figures})


@pytest.fixture
def small_bundle(tmp_path: Path, no_charts: None) -> Path:  # noqa: ARG001 - for what it does
    release(read(RUNNING), k=3, min_support=6, method="suppressive", output=tmp_path / "small")
    return tmp_path / "small"


def test_forged_patterns_that_are_not_safe_are_found_by_the_audit(small_bundle: Path):
    forged_patterns(small_bundle, lambda patterns: replace(patterns, n=patterns.n + 1))
    name, words = failed(verify(small_bundle))
    assert name == "audit"
    assert words.startswith("a group of fewer than 3 rows follows from what is published: 1 row has")


def test_forged_patterns_that_are_safe_are_found_with_the_rows(small_bundle: Path):
    forged_patterns(small_bundle, lambda patterns: replace(patterns, n=patterns.n + 30))
    assert verify(small_bundle).holds
    assert failed(verify(small_bundle, data=read(RUNNING)))[0] == "data"


@pytest.mark.parametrize(
    ("promise", "question"),
    [
        ({"k": 2}, "words"),
        ({"k": True}, "audit"),
        ({"k": "3"}, "audit"),
        ({"n": 1000}, "patterns"),
        ({"target": "all"}, "patterns"),
        ({"itemsets": 99}, "patterns"),
        ({"attack": None}, "audit"),
        ({"attack": {"steps": 0}}, "audit"),
        ({"attack": {"steps": 20_000, "complete": True}}, "figures"),
        ({"attack": {"steps": "all"}}, "audit"),
        ({"exclusive": None}, "audit"),
        ({"exclusive": {"columns": [], "named": [["a", 1]]}}, "audit"),
        ({"exclusive": {"columns": ["a"], "named": []}}, "figures"),
        ({"exclusive": {"columns": [], "named": [["a", "b"]]}}, "audit"),
        ({"proved": None}, "proof"),
        ({"proved": 1}, "proof"),
        ({"rules": {"min_confidence": "1/2", "count": 3}}, "patterns"),
        ({"definition": "another"}, "figures"),
        ({"more": 1}, "figures"),
    ],
)
def test_a_certificate_that_says_more_than_the_files_does_not_hold(
    small_bundle: Path, promise: dict[str, object], question: str
):
    said = Certificate.from_bytes((small_bundle / CERTIFICATE).read_bytes()).promise
    reseal(small_bundle, promise={**said, **promise})
    assert failed(verify(small_bundle))[0] == question


@pytest.mark.parametrize(
    "key", ["attack", "proved", "exclusive", "definition", "itemsets", "k", "n", "quasi_identifiers", "rules", "target"]
)
def test_nonsense_in_a_certificate_is_a_no_and_never_a_fault(small_bundle: Path, key: str):
    said = Certificate.from_bytes((small_bundle / CERTIFICATE).read_bytes()).promise
    for value in (None, 5, -1, 1.5, "x", True, [], [1], ["x"], {}, {"a": 1}, {"depth": "x"}, {"min_confidence": 1}):
        if value != said[key]:
            reseal(small_bundle, promise={**said, key: value})
            assert not verify(small_bundle, data=read(RUNNING)).holds, value
    reseal(small_bundle, promise={name: figure for name, figure in said.items() if name != key})
    assert not verify(small_bundle).holds


def test_a_figure_of_another_type_is_another_figure(small_bundle: Path):
    said = Certificate.from_bytes((small_bundle / CERTIFICATE).read_bytes()).promise
    for forged in ({"n": float(said["n"])}, {"itemsets": float(said["itemsets"])}):
        reseal(small_bundle, promise={**said, **forged})
        assert failed(verify(small_bundle))[0] == "figures"
    reseal(small_bundle, promise={**said, "attack": {**said["attack"], "complete": int(said["attack"]["complete"])}})
    assert failed(verify(small_bundle))[0] == "figures"


def test_sentences_of_another_version_are_not_taken_for_promises(small_bundle: Path, capsys: pytest.CaptureFixture):
    reseal(small_bundle, program="99.0", statement="Nobody can ever find out anything.", not_promised=("Nothing.",))
    found = verify(small_bundle)
    assert (found.verdict, found.not_judged) == ("not-judged", ("words", "report"))
    assert "those of version 99.0, which this one cannot judge" in found.reason
    assert main(["verify", str(small_bundle)]) == 1
    said = capsys.readouterr().out
    assert "CANNOT BE JUDGED" in said
    assert "find out anything" not in said


def test_words_that_promise_more_than_the_figures_do_not_hold(small_bundle: Path):
    reseal(small_bundle, statement="Nobody can ever find out anything.")
    assert failed(verify(small_bundle))[0] == "words"


def test_itemsets_that_cannot_be_the_closed_ones_do_not_hold(small_bundle: Path):
    def two_without_what_they_share(_: PatternSet) -> PatternSet:
        return PatternSet.from_itemsets([("ab", 20), ("ac", 20)], n=80, min_support=20, target="closed")

    forged_patterns(small_bundle, two_without_what_they_share)
    name, words = failed(verify(small_bundle))
    assert (name, "cannot be" in words) == ("patterns", True)


def test_a_table_that_differs_from_the_text_does_not_hold(small_bundle: Path):
    patterns = bundles.read_bundle(small_bundle).patterns
    write_patterns(replace(patterns, n=patterns.n + 3), small_bundle / "patterns.parquet", force=True)
    reseal(small_bundle)
    assert failed(verify(small_bundle))[0] == "patterns"


def test_rules_that_do_not_follow_from_the_patterns_do_not_hold(own_bundle: Path):
    path = own_bundle / "rules.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    reseal(own_bundle)
    assert failed(verify(own_bundle))[0] == "rules"


def test_files_that_are_not_what_their_names_say_do_not_hold(small_bundle: Path):
    for name in ("patterns.parquet", "patterns.csv"):
        (small_bundle / name).write_bytes(b"PAR1 no")
        reseal(small_bundle)
        assert failed(verify(small_bundle))[0] == "patterns"


def test_other_rows_do_not_fit(mushroom: Transactions, mushroom_bundle: Path):
    others = Transactions.from_rows([*list(mushroom)[:-1], ["34", "85"]])
    name, words = failed(verify(mushroom_bundle, data=others))
    assert (name, "not those of these rows" in words) == ("data", True)
    with open_ledger(mushroom_bundle.parent / "ledger") as book:
        _, words = failed(verify(mushroom_bundle, data=others, ledger=book))
    assert "according to the ledger's key" in words


@pytest.mark.usefixtures("no_charts")
def test_groups_are_made_of_quasi_identifiers_and_all_items_are_published(tmp_path: Path):
    rows = Transactions.from_rows([["age=7", "ill"]] * 20 + [["age=7"]] * 2 + [["age=8", "well"]] * 20)
    settings = {"k": 5, "min_support": 10, "method": "none", "output": tmp_path / "public"}
    with pytest.raises(NotSafe):
        release(rows, **settings)
    done = release(rows, quasi_identifiers="age", **settings)
    assert {label for itemset, _ in done.published.patterns for label in itemset} == {"age=7", "age=8", "ill", "well"}
    assert done.certificate.promise["quasi_identifiers"] == ["age"]
    assert verify(tmp_path / "public", data=rows).holds
    for others in (["ag"], [], [1], "age", ["ill", "age"], ["age", "zip"], ["age", "age"], ["age", "ill"], None):
        reseal(tmp_path / "public", promise={**done.certificate.promise, "quasi_identifiers": others})
        assert failed(verify(tmp_path / "public"))[0] == "audit", "not in order, of nothing, or not safe for these"
    reseal(tmp_path / "public", promise={**done.certificate.promise, "quasi_identifiers": ["ill"]})
    assert failed(verify(tmp_path / "public"))[0] == "figures", "safe for it as well, but the attacker looked elsewhere"


@pytest.mark.usefixtures("no_charts")
@pytest.mark.parametrize("method", ["additive", "suppressive", "none"])
@pytest.mark.parametrize("target", ["closed", "all"])
def test_every_method_and_target_fits_its_rows(tmp_path: Path, method: str, target: str):
    rows = Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + ["c"] * (5 if method == "none" else 2) + [""] * 20)
    release(rows, k=5, min_support=10, method=method, target=target, output=tmp_path / "public")
    assert verify(tmp_path / "public", data=rows).holds
    release_from(tmp_path / "public", min_support=30, output=tmp_path / "less")
    assert verify(tmp_path / "less", data=rows).holds


def test_random_patterns_fit_their_rows_and_no_others():
    draw = random.Random(5)
    for _ in range(30):
        rows = Transactions.from_rows(["".join(label for label in "abcd" if draw.random() < 0.6) for _ in range(40)])
        blocked = block(rows, k=4, min_support=8, method="suppressive").patterns
        check_fit(blocked, rows, k=4)
        patterns = mine(rows, min_support=8)
        check_fit(patterns, rows, k=4)
        wrong = patterns.supports.copy()
        wrong[draw.randrange(len(wrong))] += 1
        with pytest.raises(DataError):
            check_fit(replace(patterns, supports=wrong, n=patterns.n + 1), rows, k=4)
        listed = np.flatnonzero(patterns.supports > patterns.supports.min())
        fewer = replace(patterns, itemsets=patterns.itemsets.select(listed), supports=patterns.supports[listed])
        with pytest.raises(DataError):
            check_fit(fewer, rows, k=4)


@pytest.mark.parametrize("name", ["adult", "groceries"])
def test_release_and_verify_on_public_data(data_folder: Path, tmp_path: Path, name: str):
    if name == "adult":
        rows, settings = read_adult(data_folder), {"k": 50, "min_support": 18100, "method": "additive"}
    else:
        rows, settings = read(data_folder / "groceries.dat.gz"), {"k": 10, "min_support": "1%", "method": "suppressive"}
    done = release(rows, output=tmp_path / "public", min_confidence="50%", **settings)
    assert len(done.published.patterns) >= 40
    assert verify(tmp_path / "public", data=rows).holds


def test_another_machine_makes_the_same_bytes_and_finds_them_right(
    mushroom_bundle: Path, data_folder: Path, tmp_path: Path
):
    """Another language, another time zone, another order of Python's sets, another folder."""
    settings = os.environ | {
        "LC_ALL": "tr_TR.UTF-8",
        "LANG": "tr_TR.UTF-8",
        "TZ": "Pacific/Auckland",
        "PYTHONHASHSEED": "7",
        "SOURCE_DATE_EPOCH": "1",
    }
    (tmp_path / "ledger").write_bytes((mushroom_bundle.parent / "ledger").read_bytes())
    (tmp_path / "ledger").chmod(0o600)
    program = (
        "import discreet, sys; from discreet.publishing.release import release\n"
        "from discreet.publishing.verifier import verify\n"
        f"assert verify({str(mushroom_bundle)!r}).holds\n"
        f"rows = discreet.read({str(data_folder / 'mushroom.dat.gz')!r})\n"
        "release(rows, k=10, min_support='60%', method='additive', min_confidence='90%', output='again',\n"
        "        ledger='ledger')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path, env=settings, timeout=PATIENCE)
    for path in mushroom_bundle.iterdir():
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes(), path.name
    with open_ledger(tmp_path / "ledger") as book:
        assert len(book.entries) == 1, "the same bundle is the same release"


def test_the_answer_as_json(mushroom_bundle: Path):
    document = json.loads(json.dumps(verify(mushroom_bundle).to_dict()))
    assert document["safe"] is True
    assert document["promise"]["k"] == 10


def test_a_table_that_declares_more_rows_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "public"
    release(
        Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + [""] * 20),
        k=5,
        min_support=10,
        method="none",
        output=folder,
    )
    lists = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array(["a"]))
    table = pa.table({"items": pa.chunked_array([lists] * 5000), "support": pa.array([20] * 5000)})
    pq.write_table(table, folder / "patterns.parquet")
    reseal(folder)
    read_before = verifier.read_patterns

    def read(path: Path) -> object:
        assert path.name != "patterns.parquet", "it was read"
        return read_before(path)

    monkeypatch.setattr(verifier, "read_patterns", read)
    assert "patterns.parquet holds 5,000 rows" in failed(verify(folder))[1]


def test_a_certificate_of_gigabytes_is_not_read(tmp_path: Path):
    folder = tmp_path / "public"
    release(
        Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + [""] * 20),
        k=5,
        min_support=10,
        method="none",
        output=folder,
    )
    with (folder / "certificate.json").open("ab") as file:
        file.truncate(1 << 33)  # sparse: it takes no room on the disk
    assert "far more than any certificate" in failed(verify(folder))[1]
