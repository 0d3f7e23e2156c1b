"""What every test may use: the public data sets, and the repository's own folder."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from tests.postgresql_server import postgresql_server
from tests.strategies import DRAWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgresql_server import Server

# The same random data on every machine, so that what passed here passes there; `make evidence` tries more of it, and
# `make explore` draws anew each time.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50 * DRAWS)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# Tests start the program hundreds of times. Without compiled modules, each start would compile the package first.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell starts what runs in the background with SIGINT ignored, and programs inherit that. Tests interrupt programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of public data sets: DISCREET_DATA, else shared/data beside the checkout."""
    folder = Path(os.environ.get("DISCREET_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"the public data sets are not at {folder}; set DISCREET_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """Return a PostgreSQL of the tests' own; each module makes its own tables or database."""
    with postgresql_server() as running:
        yield running


@pytest.fixture
def no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write bundles whose report is an empty page: drawing takes longer than all the rest."""
    monkeypatch.setattr("discreet.publishing.bundle.public_report", lambda _: "<!doctype html>")


SHARING = ("tests/spark/", "tests/browser/")
"""Folders whose tests share something that takes long to start: Spark with its Java, a browser with a workbench."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let one worker run all tests of such a folder, so that what they share is started once.

    Marks (xdist_group) would say the same, but pytest-xdist 3.8 writes them into names that pytest 9.2 no longer reads.
    """
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Together(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next((folder for folder in SHARING if nodeid.startswith(folder)), super()._split_scope(nodeid))

    return Together(config, log)
