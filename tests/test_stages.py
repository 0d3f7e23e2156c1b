"""Long work says which stage it is in, and how much of it is done."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import pytest

import discreet
from discreet import _kernel, stages
from discreet.channels.attacker import attack
from discreet.channels.border import find_border_channels
from discreet.channels.grouping import EVERY_SIZE
from discreet.channels.row_source import LocalRows
from discreet.spark.task_share import task_share
from discreet.transactions.disk_rows import frequent_rows
from discreet.transactions.generate import hospital
from discreet.transactions.transactions import Transactions

Heard = list[tuple[str, float | None]]


def shares_grow(heard: Heard) -> bool:
    """Return whether the share never falls within a stage, and is one."""
    for _, told in groupby(heard, key=lambda each: each[0]):
        shares = [done for _, done in told if done is not None]
        if shares != sorted(shares) or not all(0 <= done <= 1 for done in shares):
            return False
    return True


def listened(heard: Heard):
    return stages.heard_by(lambda stage, done: heard.append((stage, done)))


def test_nobody_has_to_listen():
    stages.tell("reading", 0.5)
    assert stages.share_of("reading") is None


def test_the_innermost_listener_hears_a_stage_and_its_shares():
    outer: Heard = []
    inner: Heard = []
    with listened(outer):
        stages.tell("one")
        with listened(inner):
            report = stages.share_of("two")
            assert report is not None
            report(0.5, 7)
        stages.tell("three", 1)
    stages.tell("four")
    assert outer == [("one", None), ("three", 1)]
    assert inner == [("two", None), ("two", 0.5)]


@pytest.mark.parametrize("method", ["additive", "suppressive"])
def test_blocking_says_the_round_and_what_it_does(monkeypatch: pytest.MonkeyPatch, method):
    heard: Heard = []

    def halfway(*given, progress, **named):
        """Report at once: the kernel does so after a while."""
        if progress is not None:
            progress(0.0, 0)
        return attack(*given, progress=progress, **named)

    monkeypatch.setattr("discreet.channels.blocking.attack", halfway)
    rows = hospital(rows=1500)
    with listened(heard):
        done = discreet.block(rows, k=10, min_support="10%", method=method)
    alone = discreet.block(rows, k=10, min_support="10%", method=method)
    assert done.to_dict() == alone.to_dict(), "listening changes nothing"
    said = [stage for stage, _ in groupby(heard, key=lambda each: each[0])]
    assert said[:2] == ["mining", "finding channels"]
    rounds = [int(stage.split()[1].rstrip(",")) for stage in said if stage.startswith("round ")]
    assert rounds == sorted(rounds)
    assert rounds[0] == 1
    last = rounds[-1]
    assert f"round {last}, attacking the result" in said
    assert f"round {last}, auditing the result" in said
    assert ("round 1, attacking the result", 0) in heard
    assert shares_grow(heard)


def test_a_release_says_what_blocking_does(tmp_path):
    heard: Heard = []
    with listened(heard):
        discreet.release(
            hospital(rows=1500),
            k=10,
            min_support="10%",
            method="suppressive",
            output=tmp_path / "bundle",
        )
    said = [stage for stage, _ in heard]
    assert "round 1, attacking the result" in said
    assert "auditing what will be published" in said


def test_the_border_says_its_share(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("discreet.channels.border._AT_ONCE", 5)
    heard: Heard = []
    frequent = LocalRows(hospital(rows=500), 50)
    found = frequent.mine(target="all")
    with listened(heard):
        find_border_channels(found, lambda _, some: frequent.groups(some, below=EVERY_SIZE), k=10, depth=1)
    assert len(heard) > 2
    assert {stage for stage, _ in heard} == {"the border"}
    assert heard[0][1] == 0
    assert shares_grow(heard)


def test_hiding_says_how_many_ways_are_measured():
    heard: Heard = []
    rows = Transactions.from_rows(["abc", "ab", "bcd", "abd", "cd"] * 9)
    with listened(heard):
        done = discreet.hide(rows, restrict=["a b"], min_support=4)
    assert done.to_dict() == discreet.hide(rows, restrict=["a b"], min_support=4).to_dict(), "listening changes nothing"
    shares = [share for stage, share in heard if stage == "measuring what each way costs"]
    assert shares == [number / len(done.candidates) for number in range(len(done.candidates))]


@pytest.mark.parametrize("name", ["rows.dat", "rows.csv", "rows.parquet"])
def test_writing_says_its_share(tmp_path, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setattr("discreet.transactions.shapes.fimi._ROWS", 5)
    monkeypatch.setattr("discreet.transactions.shapes.row_columns._CELLS", 15)
    heard: Heard = []
    with listened(heard):
        discreet.write(Transactions.from_rows(["abc", "ab"] * 10), tmp_path / name)
    shares = [share for stage, share in heard if stage == "laying out rows"]
    assert len(shares) >= 4
    assert shares[0] == 0
    assert shares_grow(heard)


def test_mining_deep_below_says_its_share(monkeypatch: pytest.MonkeyPatch):
    told: list[object] = []

    def mined(*given, progress, **named):
        told.append(progress)
        return kernel(*given, progress=None, **named)

    kernel = _kernel.mine
    monkeypatch.setattr("discreet._kernel.mine", mined)
    rows = Transactions.from_rows(["abc", "ab", "bcd"])
    heard: Heard = []
    discreet.mine(rows, min_support=1, target="maximal")
    with listened(heard):
        discreet.mine(rows, min_support=1, target="maximal")
    nobody, report = told
    assert nobody is None
    report(0.5, 7)  # type: ignore[operator]
    assert heard == [("mining", None), ("mining", 0.5)]


def test_the_second_pass_over_rows_on_the_disk_says_its_share():
    heard: Heard = []
    with listened(heard):
        frequent_rows(Transactions.from_rows(["ab", "cd", "ab", "bc"] * 5), 2, slice_items=8)
    assert heard == [("counting equal rows", share) for share in (0, 0.2, 0.4, 0.6, 0.8)]


@dataclass
class Stage:
    """What Spark tells about a stage."""

    numTasks: int  # noqa: N815 - Spark's name
    numCompletedTasks: int  # noqa: N815


class Tracker:
    """A tracker as Spark's, with these stages; None for one that has just ended."""

    def __init__(self, *running: Stage | None) -> None:
        self._running = running

    def getActiveStageIds(self) -> list[int]:  # noqa: N802
        return list(range(len(self._running)))

    def getStageInfo(self, number: int) -> Stage | None:  # noqa: N802
        return self._running[number]


def test_tasks_of_all_running_stages_are_counted():
    assert task_share(Tracker()) is None
    assert task_share(Tracker(None)) is None
    assert task_share(Tracker(Stage(8, 2), None, Stage(2, 1))) == 0.3
