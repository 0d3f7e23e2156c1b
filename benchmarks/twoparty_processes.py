"""Two parties as two processes over TLS on loopback: python -m benchmarks.twoparty_processes [NAME ...].

Prints a table: seconds by the clock (of both commands from start to end, and of the session), of the processor,
megabytes each way, rounds, memory of the larger side, itemsets and the share of those of the joined rows that is lost,
up to 812,400 rows. Over a slow link: see `twoparty_link`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cases import data_folder
from benchmarks.twoparty import dealt
from discreet.patterns.mining import mine
from discreet.thresholds import Support
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.transactions.writing import write
from discreet.twoparty.identity import keygen

__all__ = ["Job", "main", "run_pair"]

SIDE = """
import resource, sys
from discreet.cli.main import main
status = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
print("used", used.ru_maxrss, used.ru_utime + used.ru_stime, file=sys.stderr)
sys.exit(status)
"""
PORT = 47117


@dataclass(frozen=True, slots=True)
class Job:
    """What two parties are to mine: mushroom, its rows repeated `times`, frequent columns dealt alternately."""

    name: str
    protocol: str
    share: str
    k: int
    times: int = 1
    iterate: bool = False
    dual: bool = False


JOBS = (
    Job("IC-SAPM, mushroom 35 %, k = 2, computed twice", "ic-sapm", "35%", 2, dual=True),
    Job("IC-SAPM, mushroom 35 %, k = 2, computed once", "ic-sapm", "35%", 2),
    Job("DkA-SAPM, mushroom 60 %, k = 50", "dka-sapm", "60%", 50),
    Job("DkA-SAPM, mushroom 55 %, k = 50", "dka-sapm", "55%", 50),
    Job("DkA-SAPM, mushroom 50 %, k = 25", "dka-sapm", "50%", 25),
    Job("DkA-SAPM, mushroom 40 %, k = 10", "dka-sapm", "40%", 10),
    Job("DkA-SAPM, mushroom 35 %, k = 10", "dka-sapm", "35%", 10),
    Job("DkA-SAPM in rounds, mushroom 55 %, k = 50", "dka-sapm", "55%", 50, iterate=True),
    Job("DkA-SAPM in rounds, mushroom 50 %, k = 25", "dka-sapm", "50%", 25, iterate=True),
    Job("DkA-SAPM in rounds, mushroom 40 %, k = 10", "dka-sapm", "40%", 10, iterate=True),
    Job("DkA-SAPM in rounds, mushroom 35 %, k = 10", "dka-sapm", "35%", 10, iterate=True),
    Job("IC-SAPM, mushroom 60 %, 8,124 rows", "ic-sapm", "60%", 2, dual=True),
    Job("IC-SAPM, mushroom 60 %, 81,240 rows", "ic-sapm", "60%", 2, times=10, dual=True),
    Job("IC-SAPM, mushroom 60 %, 812,400 rows", "ic-sapm", "60%", 2, times=100, dual=True),
    Job("IC-SAPM, mushroom 60 %, 812,400 rows, computed once", "ic-sapm", "60%", 2, times=100),
)


def run_pair(job: Job, rows: Transactions, folder: Path) -> dict[str, Any]:
    """Run both sides; the figures of the first side's transcript, and what the processes used.

    `took` is the seconds of both commands from start to end, by the clock. `memory` is that of the larger side in
    megabytes, `processor` the seconds of both from start to end, `lost` the share of the frequent itemsets of the
    joined rows that is not released, in per cent.
    """
    sigma = Support.parse(job.share).of(rows.n)
    halves = dealt(rows, sigma)
    if job.times > 1:
        halves = tuple(Transactions.from_rows(list(half) * job.times) for half in halves)
    names = "first", "second"
    for own, half in zip(names, halves, strict=True):
        write(half, folder / f"{own}.dat", force=True)
    sides = []
    start = time.perf_counter()
    for which, (own, partner) in enumerate(zip(names, reversed(names), strict=True)):
        meeting = "--connect" if which else "--listen", f"127.0.0.1:{PORT}"
        words = [
            sys.executable, "-c", SIDE, "party", *meeting, "--data", str(folder / f"{own}.dat"),
            "-s", str(sigma * job.times), "-k", str(job.k), "--protocol", job.protocol,
            "--identity", str(folder / own / "identity.pem"), "--trust", str(folder / partner / "public.pem"),
            "--timeout", "120", "--json", *(["--iterate"] if job.iterate else []),
            *(["--no-dual"] if job.protocol == "ic-sapm" and not job.dual else []),
        ]  # fmt: skip
        sides.append(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    texts = [side.communicate() for side in sides]
    took = time.perf_counter() - start
    for side, (_, errors) in zip(sides, texts, strict=True):
        if side.returncode:
            raise RuntimeError(errors)
    results = [json.loads(output) for output, _ in texts]
    if results[0]["itemsets"] != results[1]["itemsets"]:
        raise RuntimeError("the two sides have different results")
    used = [errors.rsplit("used", 1)[1].split() for _, errors in texts]
    memory, seconds = max(int(each) for each, _ in used) / 1024, sum(float(each) for _, each in used)
    return results[0]["transcript"] | {
        "took": took,
        "memory": memory,
        "processor": seconds,
        "itemsets": len(results[0]["itemsets"]),
        "lost": 100 * (1 - len(results[0]["itemsets"]) / len(mine(rows, min_support=sigma, target="all"))),
    }


def main() -> None:
    """Print the table of all jobs, or of those whose name contains one of the arguments."""
    wanted = sys.argv[1:]
    jobs = [job for job in JOBS if not wanted or any(word in job.name for word in wanted)]
    rows = read(data_folder() / "mushroom.dat.gz")
    print(
        "| job | seconds, commands | seconds, session | processor seconds, both | MB sent | MB received | rounds | "
        "MB memory | itemsets | lost |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for own in ("first", "second"):
            keygen(folder / own)
        for job in jobs:
            done = run_pair(job, rows, folder)
            sent, received = done["bytes_sent"] / 1e6, done["bytes_received"] / 1e6
            seconds = f"{done['took']:.1f} | {done['seconds']:.1f} | {done['processor']:.1f}"
            figures = f"{seconds} | {sent:,.1f} | {received:,.1f} | {done['rounds']:,} | {done['memory']:.0f}"
            print(f"| {job.name} | {figures} | {done['itemsets']:,} | {done['lost']:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
