"""Every claim of every paper gets a verdict; those that rest on counts have the verdict that is written down here."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from benchmarks.detection_figures import oicd_as_printed
from benchmarks.findings import Case, Finding, share_of, write_page
from benchmarks.papers import APART, PAPERS, write_papers
from discreet.channels.audit import audit
from discreet.patterns.mining import mine
from discreet.transactions.generate import quest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[Finding]]]:
    """Return a folder with a page for each paper, and the findings."""
    folder = tmp_path_factory.mktemp("papers")
    return folder, write_papers(folder, small=True)


def test_every_paper_has_a_page_with_all_its_figures_and_claims(written: tuple[Path, dict[str, list[Finding]]]):
    folder, found = written
    assert set(found) == set(PAPERS)
    for key, paper in PAPERS.items():
        text = (folder / f"{key}.md").read_text(encoding="utf-8")
        for number in paper.drawn:
            assert f"{key}/figure-{number}.svg" in text
            assert (folder / key / f"figure-{number}.svg").read_text(encoding="utf-8").startswith("<svg")
        assert all(finding.says in text and finding.here in text for finding in found[key])
        claimed = {word for finding in found[key] for word in finding.where.replace("(", " ").split() if word.isdigit()}
        assert {str(number) for number in paper.drawn if key != "oliveira2002" or number != 12} <= claimed


def test_the_index_names_what_is_measured_apart(written: tuple[Path, dict[str, list[Finding]]]):
    text = (written[0] / "index.md").read_text(encoding="utf-8")
    for command in APART.values():
        assert f"python -m benchmarks.{command}" in text
        assert find_spec(f"benchmarks.{command.split()[0]}") is not None


def test_what_must_hold_on_any_data_holds_on_made_up_rows(written: tuple[Path, dict[str, list[Finding]]]):
    _, found = written
    verdicts = {(key, finding.says): finding.verdict for key, findings in found.items() for finding in findings}
    for claim in (
        ("atzori2008", "merging adds fewer rows than one k-fold row per channel"),
        ("atzori2008", "(ours) our search never adds more than the paper's order"),
        ("waim2008", "PMICD and OICD find the same channels"),
        ("waim2008", "more channels with larger k, mushroom"),
        ("oliveira2002", "nothing is disclosed at ψ = 0 (Naïve, MaxFIA, MinFIA, IGA)"),
        ("oliveira2002", "nothing is missed at ψ = 100 %"),
        ("cao2010", "(ours) the default never loses more than Simple"),
    ):
        assert verdicts[claim] == "holds", claim


@pytest.mark.parametrize("seed", range(5))
def test_the_printed_sum_finds_what_the_audit_finds(seed: int):
    rows = quest(rows=80, items=10, mean_length=5, pattern_length=3, patterns=6, seed=seed)
    closed, maximal = (mine(rows, min_support=12, target=target) for target in ("closed", "maximal"))
    assert oicd_as_printed(closed, maximal, 6) == len(audit(rows, k=6, min_support=12, border=False).channels)


def test_a_verdict_comes_with_both_figures_of_the_tightest_case():
    """Whether it holds or not; which figure is whose is said."""
    far, near, off = Case(1, 9, "a", "b", "at 1"), Case(8, 9, "a", "b", "at 2"), Case(12.34, 9, "a", "b", "at 3")
    assert share_of([far, near]) == ("2 of 2 cases; closest: a: 8, b: 9 (at 2)", True)
    assert share_of([far, off, near]) == ("2 of 3 cases; furthest off: a: 12.3, b: 9 (at 3)", False)
    assert [Case(2, 2, "a", "b", relation=each).holds for each in ("<=", "<", "==")] == [True, False, True]
    assert share_of([Case(1, 1, "a", "b", relation="=="), Case(1, 2, "a", "b", relation="==")])[1] is False


def test_a_claim_without_cases_is_not_called_true(tmp_path: Path):
    here, holds = share_of([])
    finding = Finding("Figure 1", "something", "always", here, holds)
    assert (finding.verdict, here) == ("not compared", "0 of 0 cases")
    write_page(tmp_path / "paper.md", "A paper", [finding], [])
    assert "0 of 0 claims hold here" in (tmp_path / "paper.md").read_text(encoding="utf-8")
