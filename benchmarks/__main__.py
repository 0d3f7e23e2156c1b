"""Run the benchmarks at full size and print them as a table, with the machine's name."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from benchmarks.all_cases import ALL
from benchmarks.cases import run

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
    """Run the cases whose name contains any of the arguments (all without arguments)."""
    wanted = sys.argv[1:]
    print(f"{machine()}\n\n| case | ours | peer | ratio | promised |\n| --- | --- | --- | --- | --- |")
    for cases in ALL:
        for case in cases(small=False):
            if not wanted or any(word in case.name for word in wanted):
                print(run(case).line(), flush=True)


if __name__ == "__main__":
    main()
