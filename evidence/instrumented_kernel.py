"""A pytest plugin that puts the build named by DISCREET_KERNEL in place, before anything loads the usual kernel."""

from __future__ import annotations

import importlib.util
import os
import sys

__all__: list[str] = []

_FILE = os.environ["DISCREET_KERNEL"]
_NAME = "discreet._kernel"
_found = importlib.util.spec_from_file_location(_NAME, _FILE)
if _found is None or _found.loader is None:
    raise ImportError(f"{_FILE} is not a build of the kernel")
sys.modules[_NAME] = importlib.util.module_from_spec(_found)
_found.loader.exec_module(sys.modules[_NAME])
