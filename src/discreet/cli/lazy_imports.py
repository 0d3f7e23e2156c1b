"""Modules that are loaded when a command first uses them, not when its options are read.

    with on_first_use():
        from discreet.publishing import bundle as bundles

`discreet mine --help` needs the options of `mine` and nothing of what mining needs, so it answers at once. What is
public needs no such block: `discreet.audit` is loaded on first use anyway.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

__all__ = ["on_first_use"]


@contextmanager
def on_first_use() -> Iterator[None]:
    """Import modules of this package, in the block, without running them: each runs when a name in it is first used.

    Import modules there, not names: `from module import name` uses the module.
    """
    sys.meta_path.insert(0, _Finder)
    try:
        yield
    finally:
        sys.meta_path.remove(_Finder)


class _Finder:
    """Finds the modules of this package, to be run later."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name.startswith("discreet.") else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec
