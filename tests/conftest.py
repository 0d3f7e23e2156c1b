"""What every test may use: the public data sets, and the repository's own folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of public data sets: DISCREET_DATA, else shared/data beside the checkout."""
    folder = Path(os.environ.get("DISCREET_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"the public data sets are not at {folder}; set DISCREET_DATA to their folder")
    return folder
