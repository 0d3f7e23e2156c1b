"""Run the benchmarks at full size and print them as a table, with the machine's name."""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path

from benchmarks.all_cases import ALL
from benchmarks.cases import KEPT, read_kept, run

__all__: list[str] = []


def machine() -> str:
    """Say what the figures were measured on."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [
            line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")
        ]
        name = f"{models[0]}, {len(models)} cores" if models else name
    return f"{name}; {platform.system()}; Python {platform.python_version()}"


def main() -> None:
    """Run the cases whose name contains any of the words (all without words)."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("words", nargs="*", help="run only the cases whose name contains one of these")
    parser.add_argument("--keep", action="store_true", help="keep these figures, for later runs to be compared with")
    parser.add_argument(
        "--processor-time", action="store_true", help="measure processor time, for a machine that is busy otherwise"
    )
    options = parser.parse_args()
    kept = read_kept()
    clock = time.process_time if options.processor_time else time.perf_counter
    print(f"{machine()}\n\n| case | ours | peer | ratio | promised | goal | last kept | |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for cases in ALL:
        for case in cases(small=False):
            if options.words and not any(word in case.name for word in options.words):
                continue
            outcome = run(case, clock=clock)
            print(outcome.line(kept.get(case.name)), flush=True)
            if options.keep:
                kept[case.name] = outcome.kept()
                KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
