"""Record the commands again: python -m tests.goldens.refresh. Read the difference before committing it.

Name recordings to refresh only these. To record a new command, write a line `$ discreet ...` into a recording first.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.goldens.recording import RECORDINGS, record

__all__: list[str] = []


def main() -> None:
    """Refresh the recordings that are named, or all."""
    for recording in [Path(name) for name in sys.argv[1:]] or RECORDINGS:
        with tempfile.TemporaryDirectory() as folder:
            now = record(recording.absolute(), Path(folder))
        if now != recording.read_text(encoding="utf-8"):
            recording.write_text(now, encoding="utf-8")
            sys.stdout.write(f"{recording}\n")


if __name__ == "__main__":
    main()
