"""`import discreet` offers what it says it offers, each name from its one home."""

from __future__ import annotations

import ast
import doctest
from importlib.metadata import version
from pathlib import Path

import pytest

import discreet


def test_the_names_for_programs_and_for_readers_are_the_same() -> None:
    """The loader's table, `__all__`, `dir` and the imports that type checkers and editors see."""
    tree = ast.parse(Path(discreet.__file__).read_text())
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in guarded.body if isinstance(node, ast.ImportFrom)]
    seen_by_checkers = {name.name: node.module for node in imports for name in node.names}
    assert seen_by_checkers == discreet._HOMES  # noqa: SLF001 - nothing else would notice a difference
    assert set(discreet.__all__) == {*seen_by_checkers, "__version__"}
    assert dir(discreet) == sorted(discreet.__all__)


@pytest.mark.parametrize("name", [name for name in discreet.__all__ if name != "__version__"])
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(discreet, name).__name__ == name


def test_the_version_is_the_installed_one() -> None:
    assert discreet.__version__ == version("discreet")


def test_other_names_are_refused_as_by_any_module() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        discreet.nothing  # noqa: B018


def test_the_tour_is_true() -> None:
    assert doctest.testmod(discreet).failed == 0
