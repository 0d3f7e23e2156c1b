"""Desks, without a browser: everything belongs to the rows shown, and every link to the result shown."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from discreet.workbench import rows_work, work
from discreet.workbench.desks import Desks
from discreet.workbench.source import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from discreet.workbench.desks import Desk

PATIENCE = 120
"""Seconds; a machine that does much else is slow."""


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desks]:
    made = Desks(tmp_path_factory.mktemp("desks"))
    yield made
    made.crew.close()


def people(desk: Desk, name: str = "people.csv") -> None:
    """Drop a table of people with their names."""
    path = desk.path_for("rows", name)
    lines = [f"person{row},{'ab'[row % 2]},{'mf'[row % 3 > 0]},{'hiv' if row % 4 else 'flu'}\n" for row in range(24)]
    path.write_text("name,town,sex,ill\n" + "".join(lines))
    desk.arrived("rows", path, name)
    assert ended(desk) == "done"


def ended(desk: Desk) -> str:
    """Wait for the work under way, and return how it ended."""
    end = time.monotonic() + PATIENCE
    while desk.busy:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert desk.job is not None
    return desk.job.state


@pytest.fixture
def desk(desks: Desks) -> Desk:
    """Return a desk with people whose names were left out."""
    made = desks.new()
    people(made)
    made.read(Reading(drop="name"), then_mine=True)
    assert ended(made) == "done"
    return made


@pytest.fixture
def desk_with_results(desk: Desk) -> Desk:
    """Return a desk on which something was made on each page."""
    desk.publishing.move(min_support="50%", k=3)
    desk.release("additive", "")
    assert ended(desk) == "done"
    desk.hiding.pasted = "town=a, ill=hiv"
    desk.hide(desk.hiding.lines(desk.source.rows.layout))
    assert ended(desk) == "done"
    desk.protecting.mark(["ill=hiv"])
    desk.protecting.percent = 90
    desk.protect()
    assert ended(desk) == "done"
    return desk


LINKS = (
    "patterns-bundle.zip",
    "patterns-report.html",
    "hidden-safe-people.csv",
    "hidden-private.txt",
    "hidden-bundle.zip",
    "protected-safe-people.csv",
    "protected-bundle.zip",
)


def given(desk: Desk) -> dict[str, bytes | None]:
    """Return what the links of the pages lead to."""
    paths = {name: desk.made(name) for name in LINKS}
    return {name: None if path is None else path.read_bytes() for name, path in paths.items()}


# A reading


@pytest.mark.parametrize("how", ["failed", "cancelled"])
def test_a_reading_that_comes_to_nothing_changes_nothing(desk_with_results: Desk, how: str):
    desk = desk_with_results
    source, before = desk.source, given(desk)
    shown = source.rows, source.preview, source.reading, desk.hiding.hidden, desk.protecting.protected
    assert all(before.values())
    desk.read(Reading(id_column="nosuch" if how == "failed" else ""), then_mine=True)
    if how == "cancelled":
        desk.cancel()
    assert ended(desk) == how
    assert (source.rows, source.preview, source.reading, desk.hiding.hidden, desk.protecting.protected) == shown
    assert given(desk) == before
    assert desk.protecting.labels
    desk.hide(["town=a, sex=f"])
    assert ended(desk) == "done"
    assert b"person" not in given(desk)["hidden-safe-people.csv"]


def test_a_reading_asked_for_while_work_runs_changes_nothing(desk: Desk):
    desk.compare_hiding(["town=a, ill=hiv"])
    desk.read(Reading(), then_mine=True)
    assert ended(desk) == "done"
    assert desk.source.reading == Reading(drop="name")
    desk.hide(["town=a, ill=hiv"])
    assert ended(desk) == "done"
    assert b"person" not in desk.made("hidden-safe-people.csv").read_bytes()


def test_another_reading_takes_the_place_of_all_that_belonged_to_the_last(desk_with_results: Desk):
    desk = desk_with_results
    desk.read(Reading(drop="name,sex"), then_mine=True)
    assert ended(desk) == "done"
    assert desk.source.reading == Reading(drop="name,sex")
    assert not any(given(desk).values())
    assert not list(desk.folder.glob("made-*"))
    assert desk.protecting.sensitive == ()


def test_a_new_file_is_read_as_if_nothing_had_been_said_and_nothing_of_the_last_stays(desk_with_results: Desk):
    desk = desk_with_results
    path = desk.path_for("rows", "broken.csv")
    path.write_bytes(b"\xff\xfe\x00")
    desk.arrived("rows", path, "broken.csv")
    assert desk.source.rows is desk.hiding.hidden is desk.publishing.bundle is desk.protecting.protected is None
    assert desk.source.reading == Reading()
    assert not any(given(desk).values())


# What was made


def test_links_lead_to_the_result_shown_when_the_next_is_refused(desk_with_results: Desk):
    desk = desk_with_results
    before = given(desk)
    assert all(before.values())
    desk.hide(["town=nosuch"])
    assert ended(desk) == "failed"
    desk.publishing.min_support, desk.publishing.k = 1, 24
    desk.release("none", "")
    assert ended(desk) == "failed"
    desk.protecting.sensitive = ("nosuch",)
    desk.protect()
    assert ended(desk) == "failed"
    assert given(desk) == before


def write_and_sleep(report, folder: Path, *arguments: object) -> None:  # noqa: ARG001 - all such work takes them
    for name in LINKS:
        (folder / name.partition("-")[2]).write_text("other rows")
    (folder / "written").touch()
    time.sleep(3600)


def test_links_lead_to_the_result_shown_when_the_next_is_cancelled(
    desk_with_results: Desk, monkeypatch: pytest.MonkeyPatch
):
    desk = desk_with_results
    before = given(desk)
    for module, function in ((work, "make_bundle"), (rows_work, "hide_rows"), (rows_work, "protect_rows")):
        monkeypatch.setattr(module, function, write_and_sleep)
    for again in (lambda: desk.hide(["town=b, ill=flu"]), lambda: desk.release("suppressive", ""), desk.protect):
        again()
        end = time.monotonic() + PATIENCE
        while not list(desk.folder.glob("*/written")):
            assert time.monotonic() < end
            time.sleep(0.02)
        desk.cancel()
        assert ended(desk) == "cancelled"
        assert given(desk) == before


def test_a_new_result_replaces_the_last_and_its_files(desk_with_results: Desk):
    desk = desk_with_results
    before = given(desk)
    desk.hide(["town=b, ill=flu"])
    assert ended(desk) == "done"
    assert {name for name, content in given(desk).items() if content != before[name]} == {
        "hidden-safe-people.csv",
        "hidden-private.txt",
        "hidden-bundle.zip",
    }
    assert len(list(desk.folder.glob("made-*"))) == 3
