"""A cluster of two executors on this machine, which are killed while they work: the whole answer, or none."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from tests.conftest import ROOT
from tests.spark.conftest import HASTY_JAVA

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = ROOT / "tests/data/running-example.dat"
SETTINGS = (
    f"spark.driver.extraJavaOptions={HASTY_JAVA}",
    f"spark.executor.extraJavaOptions={HASTY_JAVA}",
    "spark.sql.shuffle.partitions=4",
    "spark.sql.codegen.wholeStage=false",
    "spark.sql.adaptive.enabled=false",  # as in conftest.py: planning costs more than running
    "spark.ui.enabled=false",
)
CLUSTER = (
    *("--engine", "spark", "--spark-master", "local-cluster[2,1,1024]"),
    *(word for setting in SETTINGS for word in ("--spark-conf", setting)),
)


class Cluster:
    """Spark with a home of its own, where the executors' logs tell what they do."""

    def __init__(self, home: Path) -> None:
        self._home = home
        for part in Path(pyspark.__file__).parent.iterdir():
            (home / part.name).symlink_to(part)

    def kill_while_working(self, *words: object, tasks: int, killings: int) -> tuple[int, str, str, int]:
        """Run a command and kill executors that have begun so many tasks; return status, outputs and how many."""
        command = [sys.executable, "-m", "discreet", *map(str, words), *CLUSTER]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"SPARK_HOME": str(self._home)},
        ) as run:
            killed: set[int] = set()
            while run.poll() is None:
                for number in self._busy_executors(tasks):
                    if len(killed) < killings:
                        os.kill(number, signal.SIGKILL)
                        killed.add(number)
                time.sleep(0.05)
            output, errors = run.communicate()
        return run.returncode, output, errors, len(killed)

    def _busy_executors(self, tasks: int) -> Iterator[int]:
        """Each works in a folder of its own, and its log lies there: it names the process, and the tasks it begins.

        Only when it says more after that does the driver know that the task has begun, and count its loss as a failure.
        """
        for log in self._home.glob("work/*/*/stderr"):
            told = log.read_text()
            number = re.search(r"process name: ([0-9]+)@", told)
            if number and sum("Running task" in line for line in told.splitlines()[:-1]) >= tasks:
                with suppress(OSError):  # it has ended
                    if Path("/proc", number[1], "cwd").readlink() == log.parent:
                        yield int(number[1])


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    (tmp_path / "spark").mkdir()
    return Cluster(tmp_path / "spark")


def test_a_lost_executor_changes_nothing(cluster: Cluster) -> None:
    """What it held of the rows is gone with it, and is made again."""
    job = ("audit", ROWS, "-s", 8, "-k", 3, "--json")
    here = subprocess.run(
        [sys.executable, "-m", "discreet", *map(str, job)], capture_output=True, text=True, check=False
    )
    status, out, errors, killed = cluster.kill_while_working(*job, tasks=2, killings=1)
    assert (status, errors, killed) == (here.returncode, here.stderr, 1)
    there, expected = json.loads(out), json.loads(here.stdout)
    del there["advice"], expected["advice"]  # commands to go on with, which name the engine
    for read in (there["read"], expected["read"]):
        read |= {"sha256": None, "bytes": None, "encoding": None}  # Spark reads without a digest
    assert there == expected


def test_where_executors_keep_getting_lost_the_command_fails_and_writes_nothing(
    cluster: Cluster, tmp_path: Path
) -> None:
    (tmp_path / "restrict.txt").write_text("a b\n")
    job = ("hide", ROWS, "--restrict", tmp_path / "restrict.txt", "--method", "iga", "-o", tmp_path / "out.parquet")
    once = ("--spark-conf", "spark.task.maxFailures=1", "--spark-conf", "spark.stage.maxConsecutiveAttempts=1")
    status, output, errors, _ = cluster.kill_while_working(*job, *once, tasks=1, killings=1000)
    assert (status, output) == (3, "")
    assert "Spark could not finish" in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["restrict.txt", "spark"]
