"""Many releases at once with one ledger: whatever is public afterwards is in it.

Each release runs in a fork of a process that has loaded what it needs; all start at the same moment. Some make the very
same bundle, and some want the same folder, so that one of them fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import discreet
from evidence.campaign import Campaign, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CAMPAIGN"]

ROWS = "a b c\n" * 20 + "a b\n" * 20 + "c\n" * 20 + "\n" * 20
SUPPORTS = ("10", "20", "40")
PASSPHRASE = "correct horse battery"  # noqa: S105 - of made-up files


def _release(number: int, folders: int) -> tuple[str, ...]:
    how = ("-s", SUPPORTS[number % len(SUPPORTS)], "-k", "5", "--method", "none")
    return ("release", "rows.dat", *how, "-o", f"public-{number % folders}", "--ledger", "book", "--wait", "600")


def at_once(count: int, passphrase: str | None) -> tuple[int, int]:
    """Release so many times at once in this folder; return how many failed, and how many public ones are unknown."""
    from discreet.cli.main import main
    from discreet.publishing.ledger import open_ledger
    from discreet.publishing.verifier import verify

    Path("rows.dat").write_text(ROWS, encoding="utf-8")
    Path("secret").touch(0o600)
    Path("secret").write_text(PASSPHRASE, encoding="utf-8")
    more = () if passphrase is None else ("--passphrase-file", "secret")
    with open_ledger("book", new=True, passphrase=passphrase):
        pass
    ready, start = os.pipe()
    children = []
    for number in range(count):
        child = os.fork()
        if child == 0:
            status = 3
            try:
                os.close(start)
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.dup2(null, 2)
                os.read(ready, 1)  # until all have been started
                status = main([*_release(number, count - count // 4), *more])
            finally:
                os._exit(status)
        children.append(child)
    os.close(start)
    failed = sum(os.waitpid(child, 0)[1] != 0 for child in children)
    with open_ledger("book", passphrase=passphrase) as book:
        known = {entry.certificate.body() for entry in book.entries}
    found = [verify(folder) for folder in Path().glob("public-*/")]
    return failed, sum(not one.holds or one.certificate.body() not in known for one in found if one.certificate)


def _run(count: int) -> Iterator[Outcome]:
    for kind, passphrase in (("one ledger", []), ("one encrypted ledger", [PASSPHRASE])):
        with tempfile.TemporaryDirectory() as folder:
            code = "import sys; from evidence import ledgers; sys.exit(ledgers.main(*sys.argv[1:]))"
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", code, str(count), folder, *passphrase],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
                cwd=Path(__file__).parents[1],
            )
        failed, unknown = map(int, done.stdout.split())
        note = "a quarter want the folder of another one, and are refused"
        yield Outcome(f"releases at once on {kind}", count, failed, unknown + (failed != count // 4), note)


def main(count: str, folder: str, passphrase: str | None = None) -> None:
    """Run in a process of its own, which only forks."""
    for public in discreet.__all__:
        getattr(discreet, public)  # loaded here, once for all forks
    os.chdir(folder)
    print(*at_once(int(count), passphrase))


CAMPAIGN = Campaign(
    "Ledgers",
    "A release that is public is in its ledger, however many are made at the same time; those that come while another "
    "one is being made wait for it.",
    _run,
    few=4,
    many=64,
)
