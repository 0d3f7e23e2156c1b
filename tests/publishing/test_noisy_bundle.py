"""Bundles of itemsets with noise: what is written, what is checked of it, and what a ledger says."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from typing import TYPE_CHECKING

import jsonschema
import pytest

import discreet
from discreet.errors import NotSafe, OutputError, ParameterError
from discreet.publishing import noisy_bundle
from discreet.publishing.certificate import CERTIFICATE, Certificate
from discreet.publishing.privacy_budget import budget_notes, spent_in
from discreet.transactions.options import ReadOptions
from discreet.verify_bundle import verify as stand_alone
from tests.attacks.smuggling import ON_NOISE, sealed_again
from tests.attacks.vectors import bundle_with_noise
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = discreet.Transactions.from_rows([["tea", "milk"]] * 6000 + [["tea"]] * 4000 + [["gin"]] * 30)
"""So many that noise at epsilon = 1 finds tea and milk, but with a probability below e^-100."""
UNIVERSE = ["tea", "milk", "gin", "rum"]


def release(folder: Path, **options: object) -> discreet.DpRelease:
    given = {"epsilon": "1", "min_support": 2000, "universe": UNIVERSE} | options
    return discreet.release_dp(ROWS, output=folder, **given)  # type: ignore[arg-type]


def rewritten(folder: Path, change: Callable[[dict], object]) -> discreet.Verification:
    """Verify the bundle after a change of its promise, with its seal made anew."""
    path = folder / CERTIFICATE
    before = path.read_bytes()
    certificate = Certificate.from_bytes(before)
    promise = json.loads(json.dumps(dict(certificate.promise)))
    change(promise)
    object.__setattr__(certificate, "promise", promise)
    path.write_bytes(certificate.to_bytes())
    try:
        return discreet.verify(folder)
    finally:
        path.write_bytes(before)


def test_a_bundle_holds_and_says_what_cannot_be_checked(tmp_path: Path) -> None:
    done = release(tmp_path / "public", title="Drinks")
    found = discreet.verify(tmp_path / "public")
    assert found.holds
    said = {check.name: check.words for check in found.checks}
    assert "cannot be checked from the outcome" in said["form of the promise"]
    told = done.certificate.promise
    assert (told["epsilon"], told["delta"], told["fixed"]["universe"]) == ("1", "0", 4)
    assert sum(Fraction(step["epsilon"]) for step in told["steps"]) == 1
    assert done.certificate.input is None
    schema = json.loads((ROOT / "docs" / "certificate.schema.json").read_bytes())
    jsonschema.validate(json.loads((tmp_path / "public" / CERTIFICATE).read_bytes()), schema)
    page = (tmp_path / "public" / "report.html").read_text(encoding="utf-8")
    assert "make_noisy_top_k" in page
    assert "rests on the program that ran" in page


@pytest.mark.parametrize("epsilon", ["0.01", "0.37", "1", "20"])
@pytest.mark.parametrize(
    "asked",
    [
        {"min_support": "20%"},
        {"min_support": "100%"},
        {"min_support": 10**6},
        {"min_support": None, "top": 2, "public_n": True},
        {"universe": None, "delta": "1e-9", "max_items": 2},
    ],
)
def test_both_verifiers_accept_every_release(tmp_path: Path, epsilon: str, asked: dict[str, object]) -> None:
    """Whatever the noise was, and even if nothing is left."""
    release(tmp_path / "public", epsilon=epsilon, **asked)
    assert discreet.verify(tmp_path / "public").holds
    status, said = stand_alone(tmp_path / "public")
    assert status == 0, said
    assert "whether the noise was drawn as it says" in said[-2]


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told.update(epsilon="0.5"),
        lambda told: told.update(delta="0.0001"),
        lambda told: told.update(epsilon="1.0"),
        lambda told: told["steps"][-1].update(scale="0.001"),
        lambda told: told["steps"][-1].update(epsilon="1/100"),
        lambda told: told["steps"][-1].update(accounted="0.9"),
        lambda told: told["steps"][-1].update(sensitivity=9),
        lambda told: told["steps"][-1].update(mechanism="make_nothing"),
        lambda told: told["steps"].reverse(),
        lambda told: told["steps"].append(told["steps"][0]),
        lambda told: told["fixed"].update(universe=1),
        lambda told: told["fixed"].update(top=1),
        lambda told: told["fixed"].update(more="x"),
        lambda told: told["fixed"]["shares"].update(n="1"),
        lambda told: told.update(n=told["n"] + 1),
        lambda told: told.update(more=1),
        lambda told: told.update(library=7),
    ],
)
def test_figures_that_do_not_add_up_are_a_no(noisy: Path, change: Callable[[dict], object]) -> None:
    assert rewritten(noisy, change).verdict == "does-not-hold"
    assert discreet.verify(noisy).holds


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("noisy") / "public"
    release(folder)
    return folder


@pytest.mark.parametrize("way", ON_NOISE)
def test_forged_figures_are_found_by_both_verifiers(forgeable: Path, tmp_path: Path, way: str) -> None:
    folder = shutil.copytree(forgeable, tmp_path / "forged")
    sealed_again(folder, ON_NOISE[way](folder))
    assert discreet.verify(folder).verdict == "does-not-hold"
    assert stand_alone(folder)[0] == 1


@pytest.fixture(scope="module")
def forgeable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle_with_noise(tmp_path_factory.mktemp("forgeable"))


def test_what_is_public_changes_what_is_promised(tmp_path: Path) -> None:
    """An exact n beside "one row added or removed" was false: n itself tells neighbours apart."""
    hidden, public = (release(tmp_path / str(known), public_n=known).certificate for known in (False, True))
    assert "whether any one row is in the data" in hidden.statement
    assert hidden.promise["neighbours"] == "one row added or removed"
    assert public.promise["neighbours"] == "one row replaced"
    assert "replacing any one row by another" in public.statement
    for certificate, changes in ((hidden, 1), (public, 2)):
        for step in certificate.promise["steps"]:
            each = (2 if step["mechanism"] == "make_noisy_max" else 1) * step["chosen"]
            assert float(step["scale"]) == pytest.approx(changes * each / Fraction(step["epsilon"]))
    assert [step["name"] for step in public.promise["steps"]] == ["depth", "items", "bins"]


def test_how_rows_were_read_is_recorded_or_said_to_be_unknown(tmp_path: Path) -> None:
    file = tmp_path / "rows.dat"
    file.write_text("tea milk\n" * 600)
    unknown = "How the rows were read was not fixed here"
    assert any(unknown in words for words in release(tmp_path / "made").certificate.not_promised)
    options = ReadOptions(format="fimi")
    given = {"epsilon": 1, "top": 2, "universe": UNIVERSE, "output": tmp_path / "read", "reading": options}
    done = discreet.release_dp(discreet.read(file, format="fimi"), **given)  # type: ignore[arg-type]
    assert done.certificate.promise["fixed"]["reading"]["format"] == "fimi"
    assert not any(unknown in words for words in done.certificate.not_promised)
    assert stand_alone(tmp_path / "read")[0] == 0


def test_rows_are_not_compared_with_noise(noisy: Path) -> None:
    with pytest.raises(ParameterError, match="cannot be compared with rows"):
        discreet.verify(noisy, data=ROWS)


def test_nothing_frequent_is_a_release_too(tmp_path: Path) -> None:
    """To refuse it would invite another try, and a second look at the same rows."""
    done = release(tmp_path / "public", min_support=10**6)
    assert len(done.published.patterns) == 0
    assert discreet.verify(tmp_path / "public").holds


def test_twelve_months_add_up_and_the_thirteenth_is_refused(tmp_path: Path) -> None:
    book = tmp_path / "year.ledger"
    for month in range(12):
        release(tmp_path / f"month-{month}", epsilon="0.1", ledger=book, new_ledger=month == 0, budget_epsilon="1.25")
    with discreet.open_ledger(book) as ledger:
        assert spent_in(ledger.entries).epsilon == Fraction(12, 10)
        assert budget_notes(ledger.entries) == ["Noise has spent epsilon = 1.2 so far."]
    with pytest.raises(NotSafe, match=r"12 releases spent 1\.2, so 0\.05 is left, and this one asks for 0\.1"):
        release(tmp_path / "month-13", epsilon="0.1", ledger=book, budget_epsilon="1.25")
    assert not (tmp_path / "month-13").exists()
    release(tmp_path / "less", epsilon="0.05", ledger=book, budget_epsilon="1.25")
    with discreet.open_ledger(book) as ledger:
        ledger.withdraw(3)
        assert spent_in(ledger.entries).epsilon == Fraction(125, 100)  # what is withdrawn was seen


def test_one_row_added_counts_twice_beside_one_replaced(tmp_path: Path) -> None:
    book = tmp_path / "a.ledger"
    release(tmp_path / "one", epsilon="0.5", ledger=book, new_ledger=True, budget_epsilon="2")
    release(tmp_path / "two", epsilon="0.5", ledger=book, public_n=True)
    with discreet.open_ledger(book) as ledger:
        assert spent_in(ledger.entries).epsilon == Fraction(3, 2)
    with pytest.raises(NotSafe, match=r"so 0\.5 is left, and this one asks for 0\.6, where one row added"):
        release(tmp_path / "three", epsilon="0.3", ledger=book)
    assert release(tmp_path / "three", epsilon="0.25", ledger=book).left == {"epsilon": 0}


def test_a_ledger_says_which_releases_protect_rows_and_not_people(tmp_path: Path) -> None:
    """Their epsilons were added up as if both protected the same."""
    file = tmp_path / "visits.csv"
    file.write_text("person,drink\n" + "".join(f"{number // 2},tea\n" for number in range(8000)))
    book = tmp_path / "a.ledger"
    for name, column in (("people", "person"), ("rows", None)):
        read = {"format": "table", "person_column": column, "drop": None if column else "person"}
        rows = discreet.read(file, **read)  # type: ignore[arg-type]
        asked = {"epsilon": 1, "min_support": 1000, "universe": ["drink=tea"], "ledger": book}
        discreet.release_dp(rows, output=tmp_path / name, new_ledger=name == "people", **asked)  # type: ignore[arg-type]
    with discreet.open_ledger(book) as ledger:
        both, one = budget_notes(ledger.entries), budget_notes(ledger.entries[:1])
    assert both[:2] == [
        "Noise has spent epsilon = 2 so far.",
        "Release 2 protects one row and not one person: for a person with several rows, its share counts as often.",
    ]
    assert one == ["Noise has spent epsilon = 1 so far."]


def test_delta_has_a_budget_as_well(tmp_path: Path) -> None:
    given = {"universe": None, "delta": "1e-6", "ledger": tmp_path / "a.ledger", "budget_delta": "1.5e-6"}
    release(tmp_path / "first", new_ledger=True, **given)
    with pytest.raises(NotSafe, match=r"delta = 0\.0000015"):
        release(tmp_path / "second", **given)


def test_exact_and_noisy_releases_do_not_mix_silently(tmp_path: Path) -> None:
    exact = {"k": 5, "min_support": 2000, "method": "suppressive"}
    book = tmp_path / "a.ledger"
    release(tmp_path / "noisy", ledger=book, new_ledger=True)
    with pytest.raises(NotSafe, match="would void its promise"):
        discreet.release(ROWS, output=tmp_path / "exact", ledger=book, **exact)  # type: ignore[arg-type]
    assert not (tmp_path / "exact").exists()
    discreet.release(ROWS, output=tmp_path / "exact", ledger=book, accept_void=True, **exact)  # type: ignore[arg-type]
    with discreet.open_ledger(book) as ledger:
        notes = budget_notes(ledger.entries)
    assert "is void" in notes[-1]
    with pytest.raises(NotSafe, match="voids what noise would promise"):
        release(tmp_path / "again", ledger=book)
    release(tmp_path / "again", ledger=book, accept_void=True)


def test_nothing_is_refused_after_the_noise_was_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal that depends on the outcome is a look at it that no ledger counts, and could be repeated."""
    hidden = "gin\u200b"
    rows = discreet.Transactions.from_rows([["tea", hidden]] * 6000)
    drawn = []
    right = noisy_bundle.measure
    monkeypatch.setattr(noisy_bundle, "measure", lambda *given, **rest: drawn.append(1) or right(*given, **rest))
    asked = {"epsilon": 1, "min_support": 1000, "ledger": tmp_path / "a.ledger", "new_ledger": True}
    with pytest.raises(ParameterError, match="a label to be published has a character that nobody sees"):
        discreet.release_dp(rows, output=tmp_path / "named", universe=["tea", hidden], **asked)
    assert not drawn
    done = discreet.release_dp(rows, output=tmp_path / "found", delta="1e-6", **asked)
    assert [itemset for itemset, _ in done.published.patterns] == [frozenset(["tea"])]
    assert discreet.verify(tmp_path / "found").holds
    with pytest.raises(OutputError, match="is not empty"):
        release(tmp_path / "found")
    assert len(drawn) == 1


def test_a_budget_needs_a_ledger(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="give a ledger as well"):
        release(tmp_path / "public", budget_epsilon="1")
