"""The job that hides patterns: the page says which method won, and how far that can be from the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import discreet
from discreet.workbench.jobs.hiding import Hiding, Original, hide_rows

if TYPE_CHECKING:
    from pathlib import Path

CHOSEN = (
    "Chosen: maxfia, as none loses fewer itemsets or removes fewer items, and it is the first of those equal. "
    "No way of hiding loses fewer: proved by an integer program (HiGHS)."
)


@pytest.mark.parametrize(("method", "chosen"), [("best", CHOSEN), ("iga", "")])
def test_what_best_chose_is_said(tmp_path: Path, method: str, chosen: str) -> None:
    file = tmp_path / "rows.dat"
    file.write_text("a b c\n" * 4 + "b c\n" * 4 + "a\n" * 3)
    folder = tmp_path / "made"
    folder.mkdir()
    done = hide_rows(
        lambda _share, _words: None, folder, discreet.read(file), Original(file, True), Hiding(("a b",), method, 0, "3")
    )
    assert done.chosen == chosen
    assert done.restrictive[0].after == 0
