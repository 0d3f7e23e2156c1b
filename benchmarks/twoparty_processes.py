"""Two parties as two processes over TLS on loopback: python -m benchmarks.twoparty_processes [NAME ...].

Prints a table: seconds, megabytes each way, rounds and memory of the larger side, up to 812,400 rows. Over a slow link:
see `twoparty_link`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cases import data_folder
from benchmarks.twoparty import dealt
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
print("memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
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


JOBS = (
    Job("IC-SAPM, mushroom 35 %, k = 2", "ic-sapm", "35%", 2),
    Job("DkA-SAPM, mushroom 60 %, k = 50", "dka-sapm", "60%", 50),
    Job("DkA-SAPM, mushroom 55 %, k = 50", "dka-sapm", "55%", 50),
    Job("IC-SAPM, mushroom 60 %, 8,124 rows", "ic-sapm", "60%", 2),
    Job("IC-SAPM, mushroom 60 %, 81,240 rows", "ic-sapm", "60%", 2, times=10),
    Job("IC-SAPM, mushroom 60 %, 812,400 rows", "ic-sapm", "60%", 2, times=100),
)


def run_pair(job: Job, rows: Transactions, folder: Path) -> dict[str, Any]:
    """Run both sides; the figures of the first side's transcript, and the memory of the larger side in megabytes."""
    sigma = Support.parse(job.share).of(rows.n)
    halves = dealt(rows, sigma)
    if job.times > 1:
        halves = tuple(Transactions.from_rows(list(half) * job.times) for half in halves)
    sides = []
    for which, (own, partner, half) in enumerate(zip(("first", "second"), ("second", "first"), halves, strict=True)):
        write(half, folder / f"{own}.dat", force=True)
        meeting = "--connect" if which else "--listen", f"127.0.0.1:{PORT}"
        words = [
            sys.executable, "-c", SIDE, "party", *meeting, "--data", str(folder / f"{own}.dat"),
            "-s", str(sigma * job.times), "-k", str(job.k), "--protocol", job.protocol,
            "--identity", str(folder / own / "identity.pem"), "--trust", str(folder / partner / "public.pem"),
            "--timeout", "120", "--json",
        ]  # fmt: skip
        sides.append(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    texts = [side.communicate() for side in sides]
    for side, (_, errors) in zip(sides, texts, strict=True):
        if side.returncode:
            raise RuntimeError(errors)
    results = [json.loads(output) for output, _ in texts]
    if results[0]["itemsets"] != results[1]["itemsets"]:
        raise RuntimeError("the two sides have different results")
    memory = max(int(errors.rsplit("memory", 1)[1]) for _, errors in texts) / 1024
    return results[0]["transcript"] | {"memory": memory, "itemsets": len(results[0]["itemsets"])}


def main() -> None:
    """Print the table of all jobs, or of those whose name contains one of the arguments."""
    wanted = sys.argv[1:]
    jobs = [job for job in JOBS if not wanted or any(word in job.name for word in wanted)]
    rows = read(data_folder() / "mushroom.dat.gz")
    print("| job | seconds | MB sent | MB received | rounds | MB memory |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for own in ("first", "second"):
            keygen(folder / own)
        for job in jobs:
            done = run_pair(job, rows, folder)
            sent, received = done["bytes_sent"] / 1e6, done["bytes_received"] / 1e6
            figures = (
                f"{done['seconds']:.1f} | {sent:,.1f} | {received:,.1f} | {done['rounds']:,} | {done['memory']:.0f}"
            )
            print(f"| {job.name} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
