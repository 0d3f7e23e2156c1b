"""Kill a release at many moments and say what each leaves behind; run as a program by test_whole_or_nothing.py.

A moment is a call of any function, Python's own or one in C, from when the first file is made. Each release runs in a
fork of this process that ends itself with SIGKILL, so that no `finally` and no `with` is run. The arguments are a
folder, how many moments, and, for an encrypted ledger, its passphrase.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from discreet import Transactions
from discreet.publishing import bundle
from discreet.publishing.ledger import open_ledger
from discreet.publishing.release import release
from discreet.publishing.verifier import verify
from discreet.tables import private_files

folder, moments = Path(sys.argv[1]), int(sys.argv[2])
passphrase = sys.argv[3] if sys.argv[3:] else None
rows = Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + ["a"] * 3 + [""] * 20)


def publish(*, force: bool = False) -> None:
    """Make the release that is killed."""
    how = {"k": 5, "min_support": 10, "method": "suppressive", "ledger": folder / "ledger", "passphrase": passphrase}
    release(rows, output=folder / "public", force=force, **how)


def attempt(last: int | None) -> int | None:
    """Release in a fork that is killed at one of its moments; return how many there were, None where it was killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        seen = -1

        def watch(frame: object, event: str, function: object) -> None:
            nonlocal seen
            if seen < 0:
                seen += event == "call" and getattr(frame, "f_code").co_name == "new_bundle"  # noqa: B009
            elif event in ("call", "c_call"):
                if seen == last:
                    os.kill(os.getpid(), signal.SIGKILL)
                seen += 1
            del function

        sys.setprofile(watch)
        publish()
        sys.setprofile(None)
        os.write(writer, str(seen).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    told = os.read(reader, 20)
    os.close(reader)
    return int(told) if told else None


def what_is_left() -> dict[str, object]:
    """Say what is there after an attempt."""
    public = folder / "public"
    with open_ledger(folder / "ledger", passphrase=passphrase) as book:
        recorded = len(book.entries)
    return {
        "there": public.exists(),
        "holds": public.exists() and verify(public).holds,
        "recorded": recorded,
        "hidden": sorted(path.name for path in folder.iterdir() if path.name.startswith(".")),
    }


def start_anew() -> None:
    """Empty the folder, but for a ledger with nothing in it."""
    shutil.rmtree(folder)
    folder.mkdir()
    shutil.copy(folder.parent / "empty-ledger", folder / "ledger")


bundle.public_report = lambda _: "<!doctype html>"  # the drawing engine does not survive a fork
private_files._COST = 1  # noqa: SLF001 - quick
os.fsync = lambda _: None  # a killed program loses nothing that it has written; a power cut would
with open_ledger(folder.parent / "empty-ledger", new=True, passphrase=passphrase):
    pass
start_anew()
publish()  # loads what is loaded late
what_is_left()
start_anew()
total = attempt(None) or 0
outcomes = []
for moment in sorted({total * number // moments for number in range(moments)}):
    start_anew()
    finished = attempt(moment) is not None
    left = what_is_left()
    after = None
    if left["hidden"]:
        publish(force=bool(left["there"]))  # the next release removes what was left behind
        after = what_is_left()
    outcomes.append({"moment": moment, "finished": finished, **left, "after": after})
print(json.dumps({"total": total, "outcomes": outcomes}))  # noqa: T201 - this is the answer
