"""What the Spark engine takes for rows as shops have them: seconds, bytes sent between tasks, and memory.

    python -m benchmarks.spark FOLDER 1000000,5000000,20000000 5% 50

generates `skewed` rows in FOLDER where they are not there yet, mines and audits them with local[2] and 8 GB, and prints
a line of a table for each number of rows. The figures in docs/how-to/big-data.md are from here.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discreet
from discreet.spark.reading import read_into_spark
from discreet.spark.spark_session import spark_session
from discreet.thresholds import Support
from discreet.transactions.generate.skewed import skewed
from discreet.transactions.writing import write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Measured", "last_stage", "measure", "shuffled"]

MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table."""

    rows: int
    items: int
    maximal: int
    distinct: int
    count_seconds: float
    fold_seconds: float
    mine_seconds: float
    audit_seconds: float
    sent: float
    memory: int | None

    def line(self) -> str:
        """Return it as a row of a table: numbers with separators, seconds and megabytes with a digit."""
        values = (getattr(self, field.name) for field in fields(self))
        return "| " + " | ".join(f"{v:,.1f}" if isinstance(v, float) else f"{v:,}" if v else "" for v in values) + " |"


def measure(session: SparkSession, path: Path, *, min_support: str, k: int) -> Measured:
    """Count, fold, mine and audit the rows of a FIMI file, one after the other."""
    with read_into_spark(session, path) as rows:
        times, start = [time.perf_counter()], last_stage(session)
        n = rows.n
        times.append(time.perf_counter())
        frequent = rows.frequent(Support.parse(min_support).of(n))
        distinct = frequent.folded.count() if frequent.distinct is None else len(frequent.distinct)
        times.append(time.perf_counter())
        discreet.mine(rows, min_support=min_support)
        times.append(time.perf_counter())
        audit = discreet.audit(rows, k=k, min_support=min_support)
        times.append(time.perf_counter())
        took = [later - earlier for earlier, later in pairwise(times)]
        sent = shuffled(session, after=start) / MEGABYTE
        return Measured(n, len(frequent.vocabulary), audit.maximal_count, distinct, *took, sent, _memory())


def last_stage(session: SparkSession) -> int:
    """Return the number of the last stage that Spark ran, -1 where it has run none."""
    return max((stage.stageId() for stage in _stages(session)), default=-1)


def shuffled(session: SparkSession, *, after: int) -> int:
    """Return how many bytes have been sent between tasks after some stage; Spark forgets stages of long ago."""
    return sum(stage.shuffleWriteBytes() for stage in _stages(session) if stage.stageId() > after)


def _stages(session: SparkSession) -> list[Any]:
    context: Any = session.sparkContext
    scala = context._jsc.sc()  # noqa: SLF001 - without the web page there is no other way to ask
    scala.listenerBus().waitUntilEmpty()  # what has ended is told a little later
    nothing = context._jvm.java.util.ArrayList  # noqa: SLF001
    quantiles = context._gateway.new_array(context._jvm.double, 0)  # noqa: SLF001
    stages = scala.statusStore().stageList(nothing(), False, False, quantiles, nothing())
    return [stages.apply(number) for number in range(stages.size())]


def _memory() -> int | None:
    """Return the most megabytes that Java has had so far, where the system tells."""
    peaks = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if words[0].endswith(b"java") and b"org.apache.spark.deploy.SparkSubmit" in words:
                status = (process / "status").read_text(encoding="ascii").splitlines()
                peaks += [int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")]
        except OSError:
            continue
    return max(peaks, default=None)


def main(folder: Path, sizes: list[int], min_support: str, k: int) -> None:
    """Print a line for each number of rows."""
    session = spark_session("local[2]", ["spark.driver.memory=8g"])
    print("| " + " | ".join(field.name.replace("_", " ") for field in fields(Measured)) + " |")
    for size in sizes:
        path = folder / f"skewed{size}.dat"
        if not path.exists():
            write(skewed(rows=size, items=2000, mean_length=8, max_length=100, seed=1), path)
        print(measure(session, path, min_support=min_support, k=k).line(), flush=True)


if __name__ == "__main__":
    where, numbers, share, least = sys.argv[1:]
    main(Path(where), [int(number) for number in numbers.split(",")], share, int(least))
