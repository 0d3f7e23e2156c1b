"""Import each module that is named in a process of its own; print those that cannot be, and why.

The processes are forked from one that has loaded the libraries that the modules use, but none of the modules: starting
an interpreter for each would take minutes.
"""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
import traceback
import warnings
from contextlib import suppress

_LOADED = "import sys, importlib; [importlib.import_module(name) for name in sys.argv[1:]]; print(*sys.modules)"


def load_libraries(modules: list[str]) -> None:
    """Load what the modules load, but for themselves; their kernel is a library, too."""
    done = subprocess.run([sys.executable, "-c", _LOADED, *modules], stdout=subprocess.PIPE, text=True, check=False)
    for name in done.stdout.split():
        if name.partition(".")[0] != "discreet":
            with suppress(ImportError, ValueError):  # some libraries put names there that cannot be imported
                importlib.import_module(name)
    importlib.import_module("discreet._kernel")


def imports_alone(module: str) -> bool:
    """Say whether a module can be imported as the first one, without a warning."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    warnings.simplefilter("error")
    try:
        importlib.import_module(module)
    except BaseException:  # noqa: BLE001 - a child must not go on as its parent
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    load_libraries(sys.argv[1:])
    gc.freeze()
    for each in sys.argv[1:]:
        if not imports_alone(each):
            sys.stdout.write(f"{each}\n")
