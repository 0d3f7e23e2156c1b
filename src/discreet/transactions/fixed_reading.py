"""How rows are read, fixed before anyone looks at them: what differential privacy needs of a file.

Where the format, the separator or the header of a file is found by looking at it, a single row can change what all
others are read as. So for noise they are asked for, and recorded.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import ParameterError, param
from discreet.tables.containers import CONTAINERS, container_of, usual_suffix
from discreet.tables.file_parts import FileParts, files_of

if TYPE_CHECKING:
    from discreet.json_types import JsonObject
    from discreet.transactions.options import ReadOptions
    from discreet.transactions.read_record import ReadRecord

__all__ = ["fixed_reading"]


def fixed_reading(read: ReadRecord | None, options: ReadOptions) -> JsonObject:
    """Return how rows were read, if the options alone say it; refuse what would be found by looking at the rows."""
    if options.sql is not None or read is None:
        raise ParameterError(
            f"{param('sql')} does not go with noise: a query can make one row of several people's, or look at all rows "
            "to make one; write what it gives into a file with one row for each person, and name that",
            parameter="sql",
        )
    _refuse_unnamed_container(read)
    told: JsonObject = {"format": read.shape}
    if read.container == "csv":
        told["delimiter"] = read.separator
    if read.container in ("csv", "sheet") and read.shape != "basket":
        told["header"] = read.header
    missing = [name for name in told if getattr(options, name) is None]
    words = [param(name, told[name]) for name in missing]
    if read.encoding not in (None, "utf-8", "utf-8-sig") and options.encoding is None:
        missing.append("encoding")
        words.append(param("encoding", read.encoding))
    if read.container == "sheet" and options.sheet is None:
        missing.append("sheet")
        words.append(f"{param('sheet')} with the name of the sheet")
    if missing:
        raise ParameterError(
            f"how {read.name} is read must be fixed before anyone looks at it, as one row could change it, and what "
            f"noise protects is one row; it would be read with {' '.join(words)} now: if that is right whatever the "
            "rows are, say so",
            parameter=missing[0],
        )
    return {"container": str(read.container), "delimiter": None, "header": None, **told}


def _refuse_unnamed_container(read: ReadRecord) -> None:
    """Refuse files whose names do not say what their bytes are, unless the format does; frames have no bytes."""
    found = next((container for container in CONTAINERS if container == read.container), None)
    if read.shape in ("fimi", "spmf") or found is None:
        return
    several = files_of(read.name) if Path(read.name).is_dir() else None
    names = [part.path for part in several.parts] if isinstance(several, FileParts) else [read.name]
    if any(container_of(name)[0] != found for name in names):
        raise ParameterError(
            f"what kind of file {read.name} is was found by looking at it, and one row could change that; name it so "
            f"that it ends in {usual_suffix(found)}",
            parameter="DATA",
        )
