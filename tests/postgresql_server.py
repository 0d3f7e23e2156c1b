"""A PostgreSQL of the tests' own: Debian's programs, a folder that is thrown away, a socket and no network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
PASSWORD = "s3cret-of-ana"  # noqa: S105 - of a server that lives for a test


@dataclass(frozen=True)
class Server:
    """A running server."""

    folder: Path

    @property
    def address(self) -> str:
        """The address for its owner, with a password."""
        return f"postgresql://tester:{PASSWORD}@/postgres?host={self.folder}"

    def control(self, *words: str) -> None:
        """Start or stop it."""
        _run(
            *("pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log"),
            *("-o", f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off", *words),
        )

    def execute(self, *statements: str, database: str = "postgres") -> str:
        """Run statements with psql, and return what they give."""
        given, address = "", self.address.replace("/postgres?", f"/{database}?")
        for statement in statements:
            given += _run("psql", "-q", "-t", "-v", "ON_ERROR_STOP=1", "-d", address, "-c", statement)
        return given


def _run(program: str, *words: object) -> str:
    as_other = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []  # PostgreSQL refuses root
    done = subprocess.run(
        [*as_other, str(PROGRAMS[-1] / program), *map(str, words)],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if program == "psql" else subprocess.DEVNULL,
        stderr=subprocess.PIPE if program == "psql" else subprocess.DEVNULL,
        check=False,
        text=True,
    )
    assert done.returncode == 0, (program, words, done.stderr)
    return done.stdout or ""


@contextmanager
def postgresql_server() -> Iterator[Server]:
    """Start a server, or skip the test where PostgreSQL is not installed."""
    if not PROGRAMS:
        pytest.skip("PostgreSQL is not installed here; install Debian's postgresql to run this test")
    # Short, since a socket's path has at most 107 bytes, and not of one test, since others use the server too.
    folder = Path(tempfile.mkdtemp(prefix="discreet-pg-", dir="/tmp"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        secret = folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        _run(
            "initdb",
            "-D",
            folder / "data",
            "-U",
            "tester",
            "-A",
            "scram-sha-256",
            f"--pwfile={secret}",
            "-N",
            "-E",
            "UTF8",
        )
        server = Server(folder)
        server.control("start")
        try:
            yield server
        finally:
            if (folder / "data" / "postmaster.pid").exists():
                server.control("stop", "-m", "immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
