"""A year of releases: one policy, one ledger, a hospital that grows, and months in which something is not as it was."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from discreet import read_policy, run_policy, verify
from discreet.errors import PolicyDiffers, UnsafeTogether
from discreet.publishing.earlier_releases import check_entries
from discreet.publishing.ledger import open_ledger
from discreet.verify_bundle import main as second_verifier
from tests.attacks.months import conclusions, small_groups, supports_in

if TYPE_CHECKING:
    from pathlib import Path

    from discreet import Policy

pytestmark = pytest.mark.usefixtures("no_charts")

POLICY = """version = 1
[data]
file = "month-0.csv"
format = "table"
expect_columns = ["patient", "ward", "sex", "ill"]
expect_labels = ["ill=hiv"]
rows_added = true
[roles]
identifying = ["patient"]
quasi_identifying = ["ward", "sex"]
sensitive = ["ill=hiv"]
[protect]
k = 5
rho = 0.5
[patterns]
min_support = 15
method = "suppressive"
[publish]
output = "public-{data}"
ledger = "releases.ledger"
fit_ledger = true
"""
MONTHS = 12
KNOWN = [*(f"ward={ward}" for ward in "ABC"), "sex=f", "sex=m"]


def stays(months: int) -> list[list[str]]:
    """Return the lines of each month: 150 stays, and 40 more every month; in one ward hiv is frequent."""
    luck = random.Random(2026)
    lines: list[str] = []
    snapshots = []
    for month in range(months):
        for _ in range(150 if month == 0 else 40):
            ward = luck.choice("ABC")
            often = 0.55 if ward == "C" and month > 3 else 0.2
            ill = "hiv" if luck.random() < often else luck.choice(["flu", "cold"])
            lines.append(f"{len(lines)},{ward},{luck.choice('fm')},{ill}")
        snapshots.append(list(lines))
    return snapshots


def write(folder: Path, month: int, lines: list[str], header: str = "patient,ward,sex,ill") -> Path:
    file = folder / f"month-{month}.csv"
    file.write_text("\n".join([header, *lines]) + "\n")
    return file


def test_twelve_months_under_one_policy(tmp_path: Path):
    (tmp_path / "discreet.toml").write_text(POLICY)
    policy = read_policy(tmp_path / "discreet.toml")
    withheld = 0
    for month, lines in enumerate(stays(MONTHS)):
        done = run_policy(policy, data=write(tmp_path, month, lines), new_ledger=month == 0)
        assert done.safe
        assert verify(done.output).holds
        assert second_verifier([str(done.output)]) == 0
        withheld += done.release.to_dict()["withheld"]
    printed = [supports_in(tmp_path / f"public-month-{month}") for month in range(MONTHS)]
    assert all(len(supports) > 5 for supports in printed)
    assert withheld
    assert list(small_groups(printed, 5, KNOWN)) == []
    assert list(conclusions(printed, ["ill=hiv"], Fraction(1, 2), KNOWN)) == []
    with open_ledger(tmp_path / "releases.ledger") as book:
        assert len(book.entries) == MONTHS
        assert check_entries(book.entries) == ()
        assert {entry.policy and entry.policy.digest for entry in book.entries} == {policy.digest}


def begun(tmp_path: Path) -> list[list[str]]:
    """Publish the first month; return the lines of four."""
    (tmp_path / "discreet.toml").write_text(POLICY)
    months = stays(4)
    run_policy(tmp_path / "discreet.toml", data=write(tmp_path, 0, months[0]), new_ledger=True)
    return months


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("month-1"))


def test_a_renamed_column_stops_the_run(tmp_path: Path):
    months = begun(tmp_path)
    before = left(tmp_path)
    file = write(tmp_path, 1, months[1], "patient,wards,sex,ill")
    with pytest.raises(PolicyDiffers, match="ward"):
        run_policy(tmp_path / "discreet.toml", data=file)
    assert left(tmp_path) == before


def test_a_label_that_no_longer_occurs_stops_the_run(tmp_path: Path):
    months = begun(tmp_path)
    before = left(tmp_path)
    file = write(tmp_path, 1, [line.replace(",hiv", ",flu") for line in months[1]])
    with pytest.raises(PolicyDiffers, match="hiv"):
        run_policy(tmp_path / "discreet.toml", data=file)
    assert left(tmp_path) == before


def test_a_policy_that_was_changed_by_hand_stops_the_run(tmp_path: Path):
    months = begun(tmp_path)
    before = left(tmp_path)
    (tmp_path / "discreet.toml").write_text(POLICY.replace("k = 5", "k = 3"))
    file = write(tmp_path, 1, months[1])
    with pytest.raises(PolicyDiffers, match=r"k in \[protect\] was 5, and is 3 now"):
        run_policy(tmp_path / "discreet.toml", data=file)
    assert left(tmp_path) == before


def test_without_a_ledger_the_same_months_tell(tmp_path: Path):
    """So the test of the twelve months can fail."""
    alone = "".join(line for line in POLICY.splitlines(keepends=True) if "ledger" not in line and "rows_ad" not in line)
    (tmp_path / "discreet.toml").write_text(alone)
    outputs = [
        run_policy(tmp_path / "discreet.toml", data=write(tmp_path, month, lines)).output
        for month, lines in enumerate(stays(6))
    ]
    printed = [supports_in(output) for output in outputs]
    assert list(small_groups(printed, 5, KNOWN))
    assert list(conclusions(printed, ["ill=hiv"], Fraction(1, 2), KNOWN))


def refusal_of(policy: Policy, file: Path, *, new: bool) -> UnsafeTogether | None:
    try:
        run_policy(policy, data=file, new_ledger=new)
    except UnsafeTogether as refusal:
        return refusal
    return None


def test_without_leave_to_withhold_a_run_says_what_could_be_published(tmp_path: Path):
    (tmp_path / "discreet.toml").write_text(POLICY.replace("fit_ledger = true\n", ""))
    policy, refusals = read_policy(tmp_path / "discreet.toml"), []
    for month, lines in enumerate(stays(4)):
        file = write(tmp_path, month, lines)
        refused = refusal_of(policy, file, new=month == 0)
        if refused is not None:
            refusals.append((refused.publishable, refused.itemsets))
            done = run_policy(policy, data=file, fit_ledger=True)
            assert done.safe
            assert len(done.release.published.patterns) == refused.publishable
    assert refusals
    assert all(some and whole and some < whole for some, whole in refusals)
