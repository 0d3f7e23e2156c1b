"""`discreet party` as a partner with changed software runs it: the same program with another engine.

Run as `python tests/cheating_party.py ENGINE party ...`, with an engine of `twoparty_cheats` or `twoparty_dual_cheats`;
with `Leaves` in its place, the program dies where supports are to be opened.
"""

from __future__ import annotations

import os
import sys

from discreet.__main__ import main
from discreet.twoparty import session
from discreet.twoparty.circle import CircleEngine
from tests import twoparty_cheats, twoparty_dual_cheats

if __name__ == "__main__":
    name = sys.argv.pop(1)
    if name == "Leaves":
        CircleEngine.open = lambda *_: os._exit(9)  # type: ignore[method-assign]
        sys.exit(main())
    kind = getattr(twoparty_dual_cheats, name, None) or getattr(twoparty_cheats, name)
    session.start_transfer_engine = session.start_dual_engine = twoparty_cheats.starting(kind, [])
    sys.exit(main())
