"""Releases that promise k and rho: both are in the certificate, and both verifiers check both."""

from __future__ import annotations

import json
import re
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from discreet import (
    DataError,
    NotSafe,
    ParameterError,
    PatternSet,
    Transactions,
    audit,
    release,
    release_from,
    verify,
    verify_bundle,
)
from discreet.cli.main import main
from discreet.patterns.reading import read_patterns
from discreet.publishing.fitting import check_fit
from tests.attacks.twin import Publication, entailed_by_enumeration, expand_closed
from tests.channels.test_blocking_sensitive import hospital
from tests.conclusions_twin import by_enumeration, follows
from tests.laws.test_conclusions import asked, random_case
from tests.laws.test_withholding import KNOWN, PLANTED
from tests.laws.test_withholding import hospital as planted_hospital
from tests.strategies import parts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SETTINGS: dict[str, Any] = {"k": 5, "min_support": 20, "method": "suppressive", "sensitive": ["hiv"], "rho": "0.6"}


def published(folder: Path) -> PatternSet:
    """Return what a bundle lists."""
    return read_patterns(folder / "patterns.csv").to_patternset()


@pytest.mark.parametrize("method", ["additive", "suppressive"])
@pytest.mark.parametrize("names", [None, ["ward", "sex"]])
def test_both_verifiers_check_both(tmp_path: Path, method: str, names: list[str] | None):
    rows = hospital(3)
    settings = SETTINGS | {"method": method, "quasi_identifiers": names}
    done = release(rows, **settings, min_confidence="30%", output=tmp_path / "public")
    promise = done.certificate.promise
    assert (promise["rho"], promise["sensitive"], promise["target"]) == ("3/5", ["hiv"], "selected")
    assert "no conclusion of 60 % or more about 1 sensitive item" in done.sentence
    assert (done.to_dict()["rho"], done.to_dict()["sensitive"]) == ("3/5", 1)
    found = verify(tmp_path / "public", data=rows)
    assert found.holds, found
    status, answers = verify_bundle.verify(tmp_path / "public")
    assert status == 0, answers
    assert any(answer.startswith("conclusions: yes") for answer in answers)
    again = audit(published(tmp_path / "public"), k=5, quasi_identifiers=names, sensitive=["hiv"], rho="0.6")
    assert again.safe
    release(rows, **settings | {"sensitive": None, "rho": None}, output=tmp_path / "told")
    told = audit(published(tmp_path / "told"), k=5, quasi_identifiers=names, sensitive=["hiv"], rho="0.6")
    assert len(told.conclusions), "without the promise, all of ward c are told on"


def test_a_selection_keeps_both_promises(tmp_path: Path):
    rows = hospital(3)
    release(rows, **SETTINGS, output=tmp_path / "public")
    done = release_from(tmp_path / "public", min_support=90, output=tmp_path / "less")
    assert (done.published.patterns.target, done.certificate.promise["rho"]) == ("selected", "3/5")
    assert 0 < len(done.published.patterns) < len(published(tmp_path / "public"))
    assert verify(tmp_path / "less", data=rows).holds
    assert verify_bundle.verify(tmp_path / "less")[0] == 0


def test_what_has_nothing_to_withhold_stays_complete(tmp_path: Path):
    rows = hospital(1)
    done = release(rows, **SETTINGS | {"sensitive": ["cough"], "rho": "0.9"}, output=tmp_path / "public")
    assert (done.published.patterns.target, done.certificate.promise["sensitive"]) == ("closed", ["cough"])
    assert verify(tmp_path / "public", data=rows).holds
    assert verify_bundle.verify(tmp_path / "public")[0] == 0
    less = release_from(tmp_path / "public", min_support=90, output=tmp_path / "less")
    assert less.published.patterns.target == "closed"
    assert verify(tmp_path / "less").holds


def test_a_selection_fits_its_rows_also_where_a_closure_was_withheld():
    """{b} has the rows of {a, b}, and {a, b, s}, which {b, s} has the rows of, is withheld."""
    rows = Transactions.from_rows([*["abs"] * 4, *["ab"] * 2, *["a"] * 6, *["s"] * 2, *["t"] * 4])
    chosen = [("a", 12), ("b", 6), ("s", 6), ("t", 4), ("ab", 6), ("bs", 4)]
    patterns = PatternSet.from_itemsets(chosen, n=18, min_support=4, target="selected")
    check_fit(patterns, rows, k=2)
    wrong = PatternSet.from_itemsets([*chosen[:-1], ("bs", 5)], n=18, min_support=4, target="selected")
    with pytest.raises(DataError, match="not those of these rows"):
        check_fit(wrong, rows, k=2)


def test_a_sensitive_item_that_is_not_published_at_all(tmp_path: Path):
    rows = Transactions.from_rows(["ab"] * 20 + ["a"] * 10 + ["z"])
    settings = SETTINGS | {"sensitive": ["z"], "min_support": 8}
    done = release(rows, **settings, output=tmp_path / "public")
    assert done.certificate.promise["sensitive"] == []
    assert "No item that the owner named as sensitive is published" in done.certificate.statement
    assert verify(tmp_path / "public").holds
    assert verify_bundle.verify(tmp_path / "public")[0] == 0


def test_without_a_method_it_is_published_as_it_is_or_not_at_all(tmp_path: Path):
    with pytest.raises(NotSafe, match="about sensitive items of 60 % or more follow"):
        release(hospital(3, 3000), **SETTINGS | {"method": "none", "min_support": 900}, output=tmp_path / "public")
    assert not (tmp_path / "public").exists()
    settings = SETTINGS | {"method": "none", "min_support": 900, "sensitive": ["cough"]}
    assert release(hospital(3, 3000), **settings, output=tmp_path / "public").published.patterns.target == "closed"


def test_half_a_question_is_refused_and_so_is_one_about_nothing(tmp_path: Path):
    rows = hospital(1)
    for given, words in (
        ({"rho": None}, "sensitive needs rho"),
        ({"sensitive": None}, "rho needs sensitive"),
        ({"sensitive": ["hvi"]}, "'hvi', which is neither an item nor a column"),
        ({"sensitive": ["hvi"], "ignore_unknown": True}, "names nothing that the rows have"),
        ({"sensitive": []}, "sensitive"),
        ({"sensitive": ["ward=c"], "quasi_identifiers": ["ward"]}, "both in sensitive and in quasi_identifiers"),
        ({"rho": "0"}, "must be above 0"),
        ({"rho": Fraction(1, 10**9)}, "more digits than a bundle may have"),
    ):
        with pytest.raises(ParameterError, match=words):
            release(rows, **SETTINGS | given, output=tmp_path / "public")
    with pytest.raises(NotSafe, match="a proof is about all itemsets"):
        release(rows, **SETTINGS, proof=tmp_path / "proof.json", output=tmp_path / "public")
    assert not (tmp_path / "public").exists()


def test_the_owner_reads_what_was_withheld_and_why(tmp_path: Path):
    release(hospital(3), **SETTINGS, output=tmp_path / "public", owner_report=tmp_path / "owner.html")
    told = (tmp_path / "owner.html").read_text()
    assert "What was withheld" in told
    assert "have hiv" in told
    assert "&nbsp;=&nbsp;3/5" in told
    public = (tmp_path / "public" / "report.html").read_text()
    assert "it is rare, or it was withheld" in public
    assert "Of no group that is described by items which are not sensitive" in public
    assert "fewer rows hold it than the rarest pattern" not in public


def of_bundle(folder: Path, promise: Mapping[str, Any]) -> Publication:
    """Return what readers of a bundle see, read without the package."""
    lines = (folder / "patterns.csv").read_text().split("support\n", 1)[1].splitlines()
    cells = [re.fullmatch(r'"(.*)",([0-9]+)', line).groups() for line in lines]
    listed = {frozenset(json.loads(items.replace('""', '"'))): int(support) for items, support in cells}
    if promise["target"] == "closed":
        listed = expand_closed(listed)
    return Publication(promise["n"], listed, None if promise["target"] == "selected" else promise["min_support"])


@pytest.mark.usefixtures("no_charts")
@pytest.mark.parametrize("part", parts(20, 2))
def test_whatever_is_released_both_verifiers_accept_and_the_twin_finds_nothing_in(tmp_path: Path, part: range):
    made: Counter[str] = Counter()
    for seed in part:
        rows, sigma, known, rho = random_case(seed, most_items=4, most_rows=12)
        rows, folder = rows * 2, tmp_path / f"public-{seed}"
        settings = {"k": 2 + seed % 2, "min_support": sigma + 2, "method": ("additive", "suppressive")[seed // 2 % 2]}
        settings |= {"target": ("all", "closed")[seed % 2], "ignore_unknown": True, **asked(rows, known, rho)}
        try:
            promise = release(Transactions.from_rows(rows), **settings, output=folder).certificate.promise
        except (NotSafe, ParameterError):
            made["refused"] += 1
            continue
        made[promise["target"]] += 1
        assert verify(folder, data=Transactions.from_rows(rows)).holds
        assert verify_bundle.verify(folder)[0] == 0
        seen = of_bundle(folder, promise)
        names = settings["quasi_identifiers"]
        asked_about = {*seen.items} - {"s", "t"} if names is None else {*seen.items} & {*names}
        small = entailed_by_enumeration(seen, promise["k"])
        assert not [group for group in small if names is None or group[0] | group[1] <= {*names}]
        assert not by_enumeration(seen, asked_about, promise["sensitive"], Fraction(promise["rho"]))
    assert made["selected"], made


def test_planted_leaks_are_found_and_gone_after_release(tmp_path: Path):
    """A ward where everybody is ill, eleven of twelve, one by subtraction, and one across the border."""
    rows = Transactions.from_rows(planted_hospital())
    settings: dict[str, Any] = {
        "k": 10,
        "min_support": 10,
        "sensitive": "ill",
        "rho": "0.8",
        "quasi_identifiers": KNOWN,
    }
    found = audit(rows, **settings)
    assert found.verdict == "not-safe"
    leaks = [*((x, y) for x, y, _, _ in PLANTED.values()), (("eye",), ("clinic",))]
    for present, absent in leaks:
        assert any(one.present >= {*present} and one.absent >= {*absent} for one in found.conclusions)
    done = release(rows, **settings, method="suppressive", output=tmp_path / "public")
    assert verify(tmp_path / "public", data=rows).holds
    assert verify_bundle.verify(tmp_path / "public")[0] == 0
    seen = of_bundle(tmp_path / "public", done.certificate.promise)
    for present, absent in leaks:
        assert not follows(seen, (frozenset(present), frozenset(absent), "ill"), Fraction(4, 5))


def test_the_command_and_what_it_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data, out = tmp_path / "rows.dat", tmp_path / "public"
    data.write_text("".join(" ".join(sorted(row)) + "\n" for row in hospital(3)))
    words = ["release", str(data), "-s", "20", "-k", "5", "-o", str(out)]
    assert main([*words, "--method", "suppressive", "--sensitive", "hiv", "--rho", "0.6", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rho"], told["sensitive"], told["target"]) == ("3/5", 1, "selected")
    assert main(["verify", str(out), "--data", str(data)]) == 0
    assert "no conclusion of 3/5 or more about 1 sensitive item" in " ".join(capsys.readouterr().out.split())
    for given, status, said in (
        (["--method", "none", "--sensitive", "hiv"], 2, "--sensitive needs --rho"),
        (["--method", "none", "--rho", "0.5"], 2, "--rho needs --sensitive"),
        (["--method", "none", "--sensitive", "@missing", "--rho", "0.5"], 2, "cannot read missing"),
    ):
        assert main([*words, "--force", *given]) == status
        assert said in " ".join(capsys.readouterr().err.split())
    assert main([*words, "--force", "--method", "none", "--sensitive", "hiv", "--rho", "1"]) == 1
    shown = capsys.readouterr().out
    assert "--sensitive hiv --rho 1" in " ".join(shown.split())
    selected = ["release", "--from", str(out), "-s", "50", "-o", str(tmp_path / "less")]
    assert main([*selected, "--rho", "0.5", "--sensitive", "hiv"]) == 2
    assert "--sensitive does not go with --from" in capsys.readouterr().err
    assert main(selected) == 0
