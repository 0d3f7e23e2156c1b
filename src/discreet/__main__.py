"""The program `discreet`; `python -m discreet` is the same."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Load the command line and run it; Ctrl-C ends it in one line, even while it loads."""
    try:
        from discreet.cli.main import main as run
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)  # noqa: T201
        return 130
    return run()


if __name__ == "__main__":
    sys.exit(main())
