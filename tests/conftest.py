"""What every test may use: the public data sets, and the repository's own folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same random data on every machine, so that what passed here passes there; `make explore` draws anew each time.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of public data sets: DISCREET_DATA, else shared/data beside the checkout."""
    folder = Path(os.environ.get("DISCREET_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"the public data sets are not at {folder}; set DISCREET_DATA to their folder")
    return folder
