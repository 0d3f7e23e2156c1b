"""The files that were made: each result in a folder of its own, and links that lead to the results shown alone.

Work that is cancelled or refused leaves files in its own folder only, so it never changes what a shown result gives.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.workbench.jobs.patterns import Bundle
    from discreet.workbench.workspace import Workspace

__all__ = ["clear_away", "made_file", "new_folder"]

_PREFIX = "made-"


def new_folder(workspace: Workspace) -> Path:
    """Return an empty folder for the next result."""
    return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=workspace.folder))


def clear_away(workspace: Workspace) -> None:
    """Remove the files of every result that is not shown: replaced, forgotten, cancelled, or refused."""
    shown = {bundle.archive.parent for bundle in _bundles(workspace).values()}
    for folder in workspace.folder.glob(f"{_PREFIX}*"):
        if folder not in shown:
            shutil.rmtree(folder, ignore_errors=True)


def made_file(workspace: Workspace, name: str) -> Path | None:
    """Return a file of a result that is shown, by the name that its link has."""
    made = {}
    for prefix, bundle in _bundles(workspace).items():
        for path in (bundle.archive, bundle.report, bundle.owner_report):
            made[f"{prefix}-{path.name}"] = path
    hidden, protected = workspace.hiding.hidden, workspace.protecting.protected
    if hidden is not None:
        made |= {f"hidden-{path.name}": path for path in (hidden.file, hidden.restrict_file)}
    if protected is not None:
        files = (protected.file, protected.sensitive_file, protected.hierarchy_file)
        made |= {f"protected-{path.name}": path for path in files}
    return made.get(name)


def _bundles(workspace: Workspace) -> dict[str, Bundle]:
    """Return the bundles shown, by how the names of their links begin."""
    hidden, protected = workspace.hiding.hidden, workspace.protecting.protected
    bundles = {
        "patterns": workspace.publishing.bundle,
        "hidden": None if hidden is None else hidden.bundle,
        "protected": None if protected is None else protected.bundle,
    }
    return {prefix: bundle for prefix, bundle in bundles.items() if bundle is not None}
