"""Next month's release: what may stand next to all earlier ones, and what is withheld for that."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from discreet import ParameterError, Transactions, release, verify
from discreet.errors import UnsafeTogether
from discreet.publishing.earlier_releases import check_entries
from discreet.publishing.ledger import open_ledger
from discreet.verify_bundle import main as second_verifier
from tests.attacks.months import small_groups, supports_in

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("no_charts")

HOW = {"k": 5, "min_support": 20, "method": "suppressive"}


def months(count: int) -> list[Transactions]:
    """Return the rows of a hospital that grows, as each month has them."""
    luck = random.Random(7)
    wards = {"heart": "ab", "bones": "bc"}
    rows: list[list[str]] = []
    snapshots = []
    for month in range(count):
        for _ in range(200 if month == 0 else 45):
            ward = luck.choice(list(wards))
            signs = [sign for sign in "abc" if luck.random() < (0.8 if sign in wards[ward] else 0.15)]
            rows.append([ward, *signs])
        snapshots.append(Transactions.from_rows(rows))
    return snapshots


def test_four_months_are_published_and_nobody_is_told_of(tmp_path: Path):
    ledger, withheld = tmp_path / "book", 0
    for month, rows in enumerate(months(4)):
        again = {"rows_added": True, "fit_ledger": True} if month else {"new_ledger": True}
        done = release(rows, output=tmp_path / f"month-{month}", ledger=ledger, **HOW, **again)
        withheld += 0 if done.withheld is None else len(done.withheld)
        assert verify(done.bundle).holds
        assert second_verifier([str(done.bundle)]) == 0
        if done.withheld is not None:
            assert done.published.patterns.target == "selected"
            assert done.to_dict()["withheld"] == len(done.withheld)
    assert withheld >= 3
    printed = [supports_in(tmp_path / f"month-{month}") for month in range(4)]
    assert list(small_groups(printed, k=5)) == []
    assert all(len(supports) > 5 for supports in printed)
    with open_ledger(ledger) as book:
        assert check_entries(book.entries) == ()


def test_the_attacker_of_months_sees_what_would_have_been_told(tmp_path: Path):
    """What the months print without a ledger tells of small groups: the test above can fail."""
    printed = []
    for month, rows in enumerate(months(3)):
        done = release(rows, output=tmp_path / f"month-{month}", **HOW)
        printed.append(supports_in(done.bundle))
    assert len(list(small_groups(printed, k=5))) > 10


def test_what_was_withheld_is_for_the_owner_alone(tmp_path: Path):
    first, second = months(2)
    release(first, output=tmp_path / "1", ledger=tmp_path / "book", new_ledger=True, **HOW)
    told = {"rows_added": True, "ledger": tmp_path / "book", "output": tmp_path / "2"}
    with pytest.raises(UnsafeTogether):
        release(second, **told, **HOW)
    assert not (tmp_path / "2").exists()
    done = release(second, **told, fit_ledger=True, owner_report=tmp_path / "owner.html", **HOW)
    assert done.withheld is not None
    owner = (tmp_path / "owner.html").read_text()
    assert f"{len(done.withheld)} itemset" in owner
    assert "withheld because of earlier releases" in owner
    assert "Not all frequent itemsets are listed" in done.certificate.statement


def test_a_month_with_hardly_anyone_new_is_refused(tmp_path: Path):
    """The numbers of rows alone tell that three people came."""
    rows = [["a"]] * 40 + [["b"]] * 40
    release(Transactions.from_rows(rows), output=tmp_path / "1", ledger=tmp_path / "book", new_ledger=True, **HOW)
    more = Transactions.from_rows([*rows, *[["a"]] * 3])
    with pytest.raises(UnsafeTogether) as refusal:
        release(more, output=tmp_path / "2", ledger=tmp_path / "book", rows_added=True, fit_ledger=True, **HOW)
    assert refusal.value.rows == 3


def test_it_needs_a_ledger(tmp_path: Path):
    with pytest.raises(ParameterError, match="give a ledger as well"):
        release(months(1)[0], output=tmp_path / "1", fit_ledger=True, **HOW)
    assert list(tmp_path.iterdir()) == []
