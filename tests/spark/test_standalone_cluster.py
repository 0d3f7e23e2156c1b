"""A standalone cluster on this machine, a master and two workers, each a process: the local engine's bytes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

import discreet
from discreet.transactions.generate import skewed
from tests.conftest import ROOT
from tests.patience import PATIENCE, wait_until
from tests.spark.conftest import HASTY_JAVA

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = ROOT / "tests/data/running-example.dat"
SETTINGS = [
    "spark.driver.host=127.0.0.1",
    "spark.driver.bindAddress=127.0.0.1",
    "spark.driver.memory=512m",
    "spark.executor.memory=512m",
    "spark.executor.cores=1",
    f"spark.driver.extraJavaOptions={HASTY_JAVA}",
    f"spark.executor.extraJavaOptions={HASTY_JAVA}",
    "spark.sql.shuffle.partitions=2",
    "spark.ui.enabled=false",
]
JOB = """
import json, sys, time
import discreet
from benchmarks.spark import last_stage, shuffled
from discreet.spark import encoded_rows
from discreet.spark.reading import read_into_spark
from discreet.spark.spark_session import spark_session

encoded_rows._PART = 16  # so that both workers have parts
session = spark_session(sys.argv[3], sys.argv[4:])
executors = session.sparkContext._jsc.sc().statusTracker().getExecutorInfos
while len(executors()) < 3:  # the driver is one of them
    time.sleep(0.1)
with read_into_spark(session, sys.argv[1]) as rows:
    mined = discreet.mine(rows, min_support=8).to_dict()
    audited = discreet.audit(rows, k=3, min_support=8).to_dict()
    parts = rows.encoded.rdd.getNumPartitions()


def held():
    infos = session.sparkContext._jsc.sc().getRDDStorageInfo()
    return sum(info.memSize() + info.diskSize() for info in infos)


encoded_rows._PART = 1 << 20
before, start = held(), last_stage(session)
with read_into_spark(session, sys.argv[2]) as rows:
    sizes = {"rows": rows.n, "items": rows.item_count, "parts": rows.encoded.rdd.getNumPartitions()}
    sizes |= {"labels": rows.read.items, "held": held() - before}
    frequent = rows.frequent(rows.n // 20)
    sizes |= {"distinct": len(frequent.distinct), "frequent": len(frequent.vocabulary)}
    sizes |= {"folded": held() - before - sizes["held"], "sent": shuffled(session, after=start)}
print(json.dumps([mined, audited, parts, sizes]))
session.stop()
"""


@contextmanager
def _daemon(folder: Path, name: str, *words: str) -> Iterator[Path]:
    """Run one of Spark's daemons and yield its log; it ends with all that it started."""
    log, home = folder / f"{name}.log", Path(pyspark.__file__).parent
    own = {"SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m", "SPARK_LOCAL_IP": "127.0.0.1"}
    with log.open("wb") as told:
        daemon = subprocess.Popen(
            [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name.split('-', maxsplit=1)[0]}", *words],
            stdout=told,
            stderr=told,
            env=os.environ | own | {"SPARK_DAEMON_JAVA_OPTS": HASTY_JAVA},
            start_new_session=True,
        )
    try:
        yield log
    finally:
        with suppress(ProcessLookupError):
            os.killpg(daemon.pid, signal.SIGKILL)
        daemon.wait(PATIENCE)


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """Return the address of a master with two workers of one core and 512 MB each."""
    here = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
    with ExitStack() as running:
        log = running.enter_context(_daemon(tmp_path, "master.Master", *here))
        wait_until(lambda: "spark://127.0.0.1:" in log.read_text())
        address = re.search(r"spark://127\.0\.0\.1:\d+", log.read_text())
        assert address
        for number in ("1", "2"):
            size = ["--cores", "1", "--memory", "512m", "--work-dir", str(tmp_path / number)]
            running.enter_context(_daemon(tmp_path, f"worker.Worker-{number}", *here, *size, address[0]))
        yield address[0]


def test_two_workers_give_the_bytes_of_one_machine_and_take_what_the_model_says(master: str, tmp_path: Path) -> None:
    """The model is that of docs/how-to/big-data.md: bytes that Spark keeps for the rows, and sends between tasks."""
    many = tmp_path / "many.dat"
    discreet.write(skewed(rows=100_000, items=1000, mean_length=6.5, max_length=100, seed=3), many)
    run = subprocess.run(
        [sys.executable, "-c", JOB, str(ROWS), str(many), master, *SETTINGS],
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,  # the executors wait for each other
        check=False,
        cwd=ROOT,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
    )
    assert run.returncode == 0, run.stderr
    mined, audited, parts, sizes = json.loads(run.stdout)
    assert parts > 2
    assert (sizes["rows"], sizes["items"], sizes["parts"]) == (100_000, 650_000, 4)
    rows, counts = 2 * sizes["items"] + 2 * sizes["rows"], 40 * sizes["labels"] * (sizes["parts"] + 1)
    assert rows <= sizes["held"] <= 1.1 * rows + counts
    assert 0 < sizes["sent"] <= counts
    assert 0 < sizes["folded"] <= 1.1 * sizes["parts"] * sizes["distinct"] * (2 * sizes["frequent"] + 2)
    here = discreet.read(ROWS)
    for there, local in (
        (mined, discreet.mine(here, min_support=8).to_dict()),
        (audited, discreet.audit(here, k=3, min_support=8).to_dict()),
    ):
        expected = json.loads(json.dumps(local))
        for document in (there, expected):
            document.pop("read", None)
        assert json.dumps(there) == json.dumps(expected)
