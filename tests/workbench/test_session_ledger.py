"""What left the workbench before: bundles of the same rows are judged together, in whatever workspace they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from discreet.errors import InputError
from discreet.publishing.ledger import open_ledger
from discreet.transactions.generate import hospital
from discreet.transactions.writing import write
from discreet.workbench.workspace import Workspaces
from tests.patience import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from discreet.workbench.workspace import Workspace

BUNDLE = "patterns-bundle.zip"


@pytest.fixture
def workspaces(tmp_path: Path) -> Iterator[Workspaces]:
    (tmp_path / "scratch").mkdir()
    made = Workspaces(tmp_path / "scratch")
    yield made
    made.pool.close()


def desk(workspaces: Workspaces) -> Workspace:
    """Return a workspace with hospital stays."""
    made = workspaces.new()
    path = made.path_for("rows", "hospital.csv")
    write(hospital(rows=600, seed=3), path)
    made.arrived("rows", path, "hospital.csv")
    wait_until(lambda: not made.busy)
    assert made.publish.mined is not None, made.failure
    return made


def bundle(workspace: Workspace, support: str, method: str, *, fit: bool = False) -> None:
    """Make a bundle."""
    workspace.publish.move(min_support=support, k=10)
    workspace.publish.method = method
    workspace.publish.release(fit=fit)
    wait_until(lambda: not workspace.busy)
    assert workspace.failure is None, workspace.failure


def test_a_second_bundle_of_the_same_rows_is_judged_together_with_one_that_was_downloaded(workspaces: Workspaces):
    first = desk(workspaces)
    bundle(first, "20%", "suppressive")
    bundle(first, "20%", "additive")  # the one before was never downloaded, so nobody has it
    assert first.publish.bundle is not None
    assert (first.publish.listed[0].after != first.publish.listed[0].before).any()  # counts were raised
    assert first.hand_out(BUNDLE).exists()
    assert first.hand_out(BUNDLE).exists()  # twice is once
    assert first.ledger.downloads == 1
    second = desk(workspaces)
    bundle(second, "20%", "suppressive")
    assert second.publish.bundle is None
    refused = second.publish.refused.value
    assert "not together with release 1" in refused.sentence
    assert second.made(BUNDLE) is None
    if refused.publishable is not None:
        bundle(second, "20%", "suppressive", fit=True)
        assert second.publish.bundle.value.verification.holds
        assert second.hand_out(BUNDLE).exists()
        assert second.ledger.downloads == 2


def test_of_two_bundles_judged_side_by_side_only_one_is_given(workspaces: Workspaces):
    one, other = desk(workspaces), desk(workspaces)
    bundle(one, "20%", "additive")
    bundle(other, "20%", "suppressive")
    assert one.hand_out(BUNDLE).exists()
    with pytest.raises(InputError, match="make it again"):
        other.hand_out(BUNDLE)


def test_a_ledger_that_is_named_has_every_bundle_and_refuses_as_the_command_does(tmp_path: Path):
    ledger = tmp_path / "releases.ledger"
    (tmp_path / "scratch").mkdir()
    workspaces = Workspaces(tmp_path / "scratch", ledger)
    try:
        first = desk(workspaces)
        bundle(first, "20%", "additive")
        with open_ledger(ledger) as book:
            assert len(book.entries) == 1
        bundle(first, "20%", "suppressive")
        assert first.publish.bundle is None
        assert "not together with release 1" in first.publish.refused.value.sentence
    finally:
        workspaces.pool.close()
