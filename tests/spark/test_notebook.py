"""The notebook about rows in Spark shows what is printed; it runs in the session of these tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.docs.pages import IN_SPARK, assert_shown, surroundings

if TYPE_CHECKING:
    from pathlib import Path


def test_the_notebook(tmp_path: Path) -> None:
    with surroundings(tmp_path):
        assert_shown(IN_SPARK)
