"""Commands that write, ended at random moments: what they write is there as a whole, or not at all.

Each command runs in a fork of a process that has loaded what it needs, and gets SIGKILL or SIGTERM after a random part
of the time that it takes. The process itself only forks, because threads do not survive a fork.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import discreet
from evidence.campaign import Campaign, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CAMPAIGN"]

MANY = 25
SOME = 5
"""From how many trials on all commands are ended."""
ROWS = "a b c\n" * 20 + "a b\n" * 20 + "a\n" * 3 + "\n" * 20
RELEASE = ("release", "rows.dat", "-s", "10", "-k", "5", "--method", "suppressive", "-o", "out")
COMMANDS = {
    "block -o": ("block", "rows.dat", "-s", "10", "-k", "5", "--method", "suppressive", "-o", "out.csv"),
    "block -o of Parquet": ("block", "rows.dat", "-s", "10", "-k", "5", "--method", "additive", "-o", "out.parquet"),
    "hide -o, with a log": ("hide", "rows.dat", "--restrict", "secret", "--method", "iga", "-o", "out", "--log", "log"),
    "mine -o, of packed rows": ("mine", "rows.json.gz", "-s", "10", "-o", "out.csv"),
    "tradeoff -o": ("tradeoff", "rows.dat", "-s", "10", "-k", "5", "-o", "out.svg"),
    "query --index": ("query", "rows.dat", "a AND NOT b", "--index", "out.index"),
    "anonymize -o, with a mapping": (
        *("anonymize", "rows.dat", "--sensitive", "ill", "--rho", "40%", "--method", "suppress", "-o", "out.dat"),
        *("--mapping", "map.json"),
    ),
    "kanon -o": ("kanon", "table.csv", "--quasi-identifiers", "age,area", "-k", "5", "-o", "out.csv"),
    "generate": ("generate", "hospital", "--rows", "500", "-o", "out.csv"),
    "release": RELEASE,
    "release --rows": (*("release", "--rows", "safe.dat", "--promise", "rho=60%", "--sensitive", "ill", "-o", "out"),),
    "release with a ledger": (*RELEASE, "--ledger", "book"),
}
SCRATCH = ".scratch"
"""The folder for temporary files, next to the outputs."""
REPLACING = {
    "block -o --force": (*COMMANDS["block -o"], "--force"),
    "release --force": (*RELEASE, "--force"),
    "sign": ("sign", "out", "--key", "steward/identity.pem"),
}
"""Commands that replace what is there."""


@dataclass(slots=True)
class _Seen:
    """What was left behind by commands that were ended."""

    tried: int = 0
    finished: int = 0
    absent: int = 0
    unfinished: int = 0
    broken: int = 0


def _forked(words: tuple[str, ...]) -> int:
    """Start a command in a fork of this process; return its number."""
    child = os.fork()
    if child:
        return child
    from discreet.cli.main import main

    status = 3
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        tempfile.tempdir = SCRATCH
        Path(SCRATCH).mkdir(exist_ok=True)
        status = main(list(words))
    finally:
        os._exit(status)


def _finish(words: tuple[str, ...]) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(_forked(words), 0)[1])


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _visible(contents: dict[str, bytes]) -> dict[str, bytes]:
    """Return what a user sees: not files that are being written, and not the ledger, which is looked at apart."""
    return {name: content for name, content in contents.items() if not name.startswith((".", "book"))}


def end(name: str, way: signal.Signals, count: int, folder: Path) -> _Seen:
    """End a command a number of times with a signal; whatever SIGTERM leaves is broken."""
    words = COMMANDS.get(name) or REPLACING[name]
    start = folder / "start"
    start.mkdir()
    (start / "rows.dat").write_text(ROWS, encoding="utf-8")
    (start / "safe.dat").write_text("a b\n" * 9 + "a c\n" * 9, encoding="utf-8")
    (start / "rows.json.gz").write_bytes(gzip.compress(b'["a", "b"]\n' * 5000))
    (start / "table.csv").write_text("age,area,ill\n" + "34,N1,flu\n35,N2,cold\n" * 20, encoding="utf-8")
    (start / "ill").write_text("c\n", encoding="utf-8")
    (start / "secret").write_text("a b\n", encoding="utf-8")
    if name in REPLACING:
        (start / "out.csv").write_text("old", encoding="utf-8")
        os.chdir(start)
        _finish(("keygen", "steward"))
        _finish((*RELEASE, "-k", "4"))
    if "--ledger" in words:
        os.chdir(start)
        _finish((*COMMANDS["release"], "--ledger", "book", "--new-ledger"))  # so that there is a ledger with an entry
        shutil.rmtree(start / "out")
        (start / "out.receipt.json").unlink()
    whole, seconds = _undisturbed(words, start, folder, times=3 if count >= SOME else 1)
    before = _visible(_contents(start))
    seen, luck = _Seen(), random.Random(count)
    for number in range(count):
        work = folder / f"work-{number}"
        shutil.copytree(start, work)
        os.chdir(work)
        child = _forked(words)
        time.sleep(luck.uniform(0.3, 1.1) * seconds)
        os.kill(child, way)
        ended = os.waitpid(child, 0)[1]
        left = _contents(work)
        seen.tried += 1
        seen.finished += ended == 0
        seen.absent += _visible(left) == before
        seen.unfinished += (hidden := any(part.startswith(".") for part in left))
        seen.broken += hidden and way is not signal.SIGKILL
        seen.broken += _broken(_visible(left), before, whole) or _not_in_the_ledger(left, words)
        done = name == "sign" and _visible(left) == whole  # nobody signs twice
        if number % 5 == 0 and not done:  # whatever was left behind, the command works when it is given again
            again = words if {"--force", "--index", "sign"} & set(words) else (*words, "--force")
            seen.broken += _finish(again) != 0 or _visible(_contents(work)) != whole
        shutil.rmtree(work)
    return seen


def _undisturbed(words: tuple[str, ...], start: Path, folder: Path, times: int) -> tuple[dict[str, bytes], float]:
    """Return what the command leaves when nobody disturbs it, and how long it takes."""
    seconds = []
    for number in range(times):
        work = folder / f"whole-{number}"
        shutil.copytree(start, work)
        os.chdir(work)
        begin = time.monotonic()
        if _finish(words) != 0:
            raise RuntimeError(f"{' '.join(words)} does not work")
        seconds.append(time.monotonic() - begin)
    return _visible(_contents(work)), min(seconds)


def _broken(left: dict[str, bytes], before: dict[str, bytes], whole: dict[str, bytes]) -> bool:
    """Say whether anything is there in part: each output is as it was before, or as it should become."""
    outputs = {name.partition("/")[0] for name in whole if whole[name] != before.get(name)}
    for output in outputs:
        states = [{name: at[name] for name in at if name.partition("/")[0] == output} for at in (left, before, whole)]
        if states[0] not in states[1:]:
            return True
    return any(left.get(name) != before[name] for name in before if name.partition("/")[0] not in outputs)


def _not_in_the_ledger(left: dict[str, bytes], words: tuple[str, ...]) -> bool:
    """Say whether a bundle is public that the ledger does not know, or the ledger is damaged."""
    if "--ledger" not in words:
        return False
    if _finish(("ledger", "check", "book")) != 0:
        return True
    return "out/certificate.json" in left and _finish(("verify", "out", "--data", "rows.dat", "--ledger", "book")) != 0


def _run(count: int) -> Iterator[Outcome]:
    every = product([*COMMANDS, *REPLACING], (signal.SIGKILL, signal.SIGTERM))
    few = [("block -o", signal.SIGTERM), ("release with a ledger", signal.SIGKILL)]
    for name, way in every if count >= SOME else few:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-W", "ignore", "-m", "evidence.kills", name, way.name, str(count), folder]
            root = Path(__file__).parents[1]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=root)
        seen = _Seen(**json.loads(done.stdout))
        note = f"{seen.finished} were done already; {seen.absent} left nothing new, {seen.unfinished} a hidden part"
        yield Outcome(f"{name}, {way.name}", seen.tried, 0, seen.broken, note)


CAMPAIGN = Campaign(
    "Kills",
    "What a command writes is there as a whole, with the bytes that it would have had, or not at all, whenever the "
    "command is ended with SIGKILL or SIGTERM; after SIGTERM no hidden or temporary file is left. A "
    "bundle that is there verifies and is in its ledger, and the same command works afterwards.",
    _run,
    few=1,
    many=MANY,
)

if __name__ == "__main__":
    for public in discreet.__all__:
        getattr(discreet, public)  # loaded here, once for all forks
    way = signal.Signals[sys.argv[2]]
    print(json.dumps(asdict(end(sys.argv[1], way, int(sys.argv[3]), Path(sys.argv[4])))))
