"""The files that were made: each result in a folder of its own, and links that lead to the results shown alone.

Work that is cancelled or refused leaves files in its own folder only, so it never changes what a shown result gives.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.workbench.desks import Desk
    from discreet.workbench.work import Bundle

__all__ = ["clear_away", "made_file", "new_folder"]

_PREFIX = "made-"


def new_folder(desk: Desk) -> Path:
    """Return an empty folder for the next result."""
    return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=desk.folder))


def clear_away(desk: Desk) -> None:
    """Remove the files of every result that is not shown: replaced, forgotten, cancelled, or refused."""
    shown = {bundle.archive.parent for bundle in _bundles(desk).values()}
    for folder in desk.folder.glob(f"{_PREFIX}*"):
        if folder not in shown:
            shutil.rmtree(folder, ignore_errors=True)


def made_file(desk: Desk, name: str) -> Path | None:
    """Return a file of a result that is shown, by the name that its link has."""
    made = {}
    for prefix, bundle in _bundles(desk).items():
        for path in (bundle.archive, bundle.report, bundle.owner_report):
            made[f"{prefix}-{path.name}"] = path
    hidden, protected = desk.hiding.hidden, desk.protecting.protected
    if hidden is not None:
        made |= {f"hidden-{path.name}": path for path in (hidden.file, hidden.restrict_file)}
    if protected is not None:
        files = (protected.file, protected.sensitive_file, protected.hierarchy_file)
        made |= {f"protected-{path.name}": path for path in files}
    return made.get(name)


def _bundles(desk: Desk) -> dict[str, Bundle]:
    """Return the bundles shown, by how the names of their links begin."""
    hidden, protected = desk.hiding.hidden, desk.protecting.protected
    bundles = {
        "patterns": desk.publishing.bundle,
        "hidden": None if hidden is None else hidden.bundle,
        "protected": None if protected is None else protected.bundle,
    }
    return {prefix: bundle for prefix, bundle in bundles.items() if bundle is not None}
