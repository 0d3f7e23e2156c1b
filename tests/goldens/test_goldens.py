"""Nothing visible changes unnoticed: what commands print, write and end with is what was recorded.

Where a change is meant, `python -m tests.goldens.refresh` records it, and the difference is part of the commit.
"""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

import pytest

from tests.goldens.recording import RECORDINGS, record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_commands_print_write_and_end_as_recorded(recording: Path, tmp_path: Path):
    recorded = recording.read_text(encoding="utf-8")
    now = record(recording, tmp_path)
    changes = unified_diff(recorded.splitlines(), now.splitlines(), "recorded", "now", lineterm="", n=8)
    assert now == recorded, "\n".join(changes)
