"""The verifier that shares no code finds what it judges, and agrees with `verify` on all of it."""

from __future__ import annotations

import ast
import functools
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from discreet import PatternSet, Transactions, __version__, audit, mine, release, release_dp, verify, verify_bundle
from discreet.channels.exclusive import exclusive_in_patterns
from discreet.patterns.patternset import trimmed
from discreet.patterns.rules import rules as find_rules
from discreet.publishing import bundle as bundles
from discreet.publishing.audiences import AttackCheck, PublishedPatterns
from tests.attacks.signatures import KEYS, SIGNERS
from tests.attacks.smuggling import BY_LABELS, IN_PATTERNS, JUDGED_ALONE, sealed_again
from tests.attacks.test_smuggling import patterns_bundle  # noqa: F401 - a fixture
from tests.attacks.vectors import FILE as FILE_OF_VECTORS
from tests.attacks.vectors import unpacked, vectors
from tests.publishing.identities import make_identity
from tests.publishing.stories import LOOKED

FILE = Path(verify_bundle.__file__)


def test_it_imports_the_standard_library_alone():
    names = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(FILE.read_text()))
        for name in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert names <= sys.stdlib_module_names
    assert __version__ == verify_bundle.VERSION


def test_it_runs_as_a_file_by_itself(patterns_bundle: Path, tmp_path: Path):  # noqa: F811 - a fixture
    shutil.copy(FILE, tmp_path / "verify_bundle.py")
    words = [sys.executable, "-I", "-S", "verify_bundle.py"]
    done = subprocess.run([*words, patterns_bundle], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("HOLDS, as far as it is judged here\n")
    assert "not judged: patterns.parquet, report.html, rules.parquet, what follows beyond" in done.stdout
    assert "    'adm=planned'\n" in done.stdout
    done = subprocess.run([*words, "missing"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("way", [way for way in IN_PATTERNS if way.startswith(JUDGED_ALONE)])
def test_rows_smuggled_in_what_it_judges_are_found(patterns_bundle: Path, tmp_path: Path, way: str):  # noqa: F811
    folder = shutil.copytree(patterns_bundle, tmp_path / "public")
    sealed_again(folder, IN_PATTERNS[way](folder))
    status, answers = verify_bundle.verify(folder)
    assert status == 1, answers


def test_both_verifiers_find_what_the_vectors_say(tmp_path: Path):
    listed = json.loads(FILE_OF_VECTORS.read_text())
    for place in ("old", "new"):
        (tmp_path / place).mkdir()
    made = unpacked(vectors(), tmp_path / "new")
    publics = [make_identity(tmp_path, str(at), key=key)[1] for at, key in enumerate(KEYS)]
    public_of = {signer.public_key: public for signer, public in zip(SIGNERS, publics, strict=True)}
    for (folder, holds), again, vector in zip(unpacked(listed, tmp_path / "old").items(), made, listed, strict=True):
        for path in again.iterdir():
            assert path.read_bytes() == (folder / path.name).read_bytes(), "python -m tests.attacks.vectors makes them"
        status, answers = verify_bundle.verify(folder, vector.get("keys", ()))
        assert (status == 0) == holds, (vector["name"], answers)
        found = verify(folder, trust=[public_of[key] for key in vector.get("keys", ())])
        assert (found.verdict != "does-not-hold") == holds, (vector["name"], found)


def planted(folder: Path, patterns: PatternSet, k: int, looked: AttackCheck = LOOKED, **others: object) -> Path:
    """Write a bundle that no audit has seen."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    published = PublishedPatterns(
        patterns=trimmed(patterns),
        k=k,
        attack=looked,
        version=__version__,
        files=bundles.bundle_files(rules=others.get("rules") is not None),
        **others,
    )
    bundles.write_files(folder, published, fingerprint=None)
    return folder


@pytest.mark.parametrize("way", BY_LABELS)
@pytest.mark.usefixtures("no_charts")
def test_labels_that_carry_more_than_a_reader_sees(tmp_path: Path, way: str):
    forged = PatternSet.from_itemsets([([BY_LABELS[way]], 20)], n=20, min_support=20, target="closed")
    status, answers = verify_bundle.verify(planted(tmp_path / "public", forged, 5))
    assert status == 1
    assert "nobody sees" in answers[-1]


@pytest.mark.usefixtures("no_charts")
def test_it_finds_a_group_exactly_where_a_channel_is(tmp_path: Path):
    """On random rows, and random supports that no rows have."""
    draw, seen = random.Random(17), {0: 0, 1: 0}
    for number in range(60):
        items = "abcdef"[: draw.randint(2, 6)]
        rows = Transactions.from_rows(
            ["".join(item for item in items if draw.random() < 0.7) for _ in range(draw.randint(10, 60))]
        )
        target = draw.choice(["closed", "all"])
        patterns = mine(rows, min_support=draw.randint(3, 8), target=target)
        if not len(patterns):
            continue
        least = int(patterns.supports.min())
        patterns = PatternSet.from_itemsets(list(patterns), n=rows.n, min_support=least, target=target)
        rules = find_rules(patterns, min_confidence="40%") if number % 2 else None
        status, answers = verify_bundle.verify(planted(tmp_path / "public", patterns, 3, rules=rules))
        assert bool(status) == bool(len(audit(patterns, k=3, border=False).channels)), answers
        assert "a group of" in answers[-1] or not status
        if status:
            assert not verify(tmp_path / "public").holds
        seen[status] += 1
    assert min(seen.values()) > 3, seen


@pytest.mark.usefixtures("no_charts")
@pytest.mark.parametrize("target", ["closed", "all"])
def test_it_agrees_about_what_is_not_complete(tmp_path: Path, target: str):
    draw = random.Random(5)
    for _ in range(20):
        rows = Transactions.from_rows(["".join(item for item in "abcd" if draw.random() < 0.7) for _ in range(60)])
        listed = list(mine(rows, min_support=5, target=target))
        lost = draw.randrange(len(listed))
        others = [entry for place, entry in enumerate(listed) if place != lost]
        least = min(support for _, support in others)
        patterns = PatternSet.from_itemsets(others, n=60, min_support=least, target=target)
        try:
            planted(tmp_path / "public", patterns, 2)
        except Exception:  # noqa: BLE001, S112 - not even written
            continue
        status, answers = verify_bundle.verify(tmp_path / "public")
        found = verify(tmp_path / "public")
        if status:
            assert not found.holds, answers
        elif not found.holds:
            assert found.checks[-1].name in ("audit", "figures"), found  # the attacker, or what it looked at
            assert not len(audit(patterns, k=2, border=False).channels)


@pytest.mark.usefixtures("no_charts")
@pytest.mark.parametrize(
    "settings",
    [
        {"target": "all", "min_confidence": "30%"},
        {"exclusive": [["tea", "wine"]], "title": "Ποτά"},
        {"quasi_identifiers": ["age", "tea"]},
        {"quasi_identifiers": ["ag*", "t*"]},
        {"k": 2, "min_confidence": 1},
        {"attack_steps": 1},
    ],
)
def test_it_accepts_what_verify_accepts(tmp_path: Path, settings: dict[str, object]):
    rows = Transactions.from_rows(
        [["age=7", "tea", 'a "quoted", label']] * 30 + [["age=8", "wine"]] * 20 + [["age=8", "tea", "milk"]] * 15
    )
    release(rows, **{"k": 4, "min_support": 10, "method": "none", "output": tmp_path / "public"} | settings)
    assert verify(tmp_path / "public").holds
    assert verify_bundle.verify(tmp_path / "public")[0] == 0, verify_bundle.verify(tmp_path / "public")


@pytest.mark.usefixtures("no_charts")
@pytest.mark.filterwarnings("ignore:'ill:discreet.errors.LabelWarning")
def test_both_read_a_beginning_alike(tmp_path: Path):
    """An item that ends in a star is that item, and not what begins like it; ill1 would single two rows out."""
    rows = Transactions.from_rows(
        [["age=7", "ill1"]] * 20 + [["ill1"]] * 2 + [["age=7", "ill*"]] * 12 + [["ill*"]] * 12 + [[]] * 10
    )
    folder, how = tmp_path / "public", {"k": 5, "min_support": 10, "method": "none"}
    done = release(rows, **how, output=folder, quasi_identifiers="ag*,ill*")
    assert done.certificate.promise["quasi_identifiers"] == ["ag*", "ill*"], "as typed"
    for names, holds in ((["ag*", "ill*"], True), (["ag*", "il*"], False), (["ag*", "y*"], False), (["*"], False)):
        sealed_again(folder, {"promise": {"quasi_identifiers": names}})
        status, answers = verify_bundle.verify(folder)
        assert (status == 0, verify(folder).holds) == (holds, holds), (names, answers)


def test_exclusive_items_that_the_patterns_contradict(tmp_path: Path, no_charts: None):  # noqa: ARG001
    patterns = PatternSet.from_itemsets([("ab", 20), ("a", 40), ("b", 40)], n=80, min_support=20, target="closed")
    alone = PatternSet.from_itemsets([("a", 40), ("b", 40)], n=80, min_support=40, target="closed")
    folder = planted(tmp_path / "public", patterns, 5, exclusive=exclusive_in_patterns(alone, [["a", "b"]]))
    assert verify_bundle.verify(folder)[1][-1].endswith("holds two items of which a row has at most one")
    assert not verify(folder).holds


def test_nonsense_is_a_no_and_never_a_fault(patterns_bundle: Path, tmp_path: Path):  # noqa: F811
    document = json.loads((patterns_bundle / "certificate.json").read_bytes())
    folder = shutil.copytree(patterns_bundle, tmp_path / "public")
    for key in document["promise"]:
        for value in (None, 5, -1, 1.5, "x", True, [], [1], ["x"], {}, {"a": 1}):
            if value != document["promise"][key]:
                sealed_again(folder, {"promise": {**document["promise"], key: value}})
                assert verify_bundle.verify(folder)[0] == 1, (key, value)


def test_a_value_of_another_type_is_a_no(patterns_bundle: Path, tmp_path: Path):  # noqa: F811 - a fixture
    """What a type does not know how to compare with is not equal: 5 is no name of a program, nor of a definition."""
    noisy = tmp_path / "noisy"
    release_dp(Transactions.from_rows([["a", "b"]] * 4000), epsilon="1", min_support=2000, universe="ab", output=noisy)
    for bundle, places in ((patterns_bundle, [("program", "name")]), (noisy, _texts_and_numbers(noisy))):
        document = json.loads((bundle / "certificate.json").read_bytes())
        for place in places:
            folder = shutil.copytree(bundle, tmp_path / "changed")
            changed = json.loads(json.dumps(document))
            table = functools.reduce(dict.__getitem__, place[:-1], changed)
            table[place[-1]] = {"a": 1} if isinstance(table[place[-1]], str) else "x"
            sealed_again(folder, {place[0]: changed[place[0]]})
            assert verify_bundle.verify(folder)[0] == 1, place
            shutil.rmtree(folder)


def _texts_and_numbers(bundle: Path) -> list[tuple[str, ...]]:
    promise = json.loads((bundle / "certificate.json").read_bytes())["promise"]
    fixed = [("promise", "fixed", name) for name in promise["fixed"]]
    return [("program", "name"), *(("promise", name) for name in promise), *fixed]
