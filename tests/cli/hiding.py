"""The paper's example, and how tests call `discreet hide` on it."""

from __future__ import annotations

from pathlib import Path

EXAMPLE = Path(__file__).parent.parent / "data" / "hiding-example.dat"


def hidden(call, *words: object, data: object = EXAMPLE, method: str = "iga", out: str = "out.dat"):
    """Hide what private.txt names (see the fixture `private`)."""
    return call("hide", data, "--restrict", "private.txt", "--method", method, "-o", out, *words)
