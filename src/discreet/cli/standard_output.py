"""Standard output: the only module that writes to it, and that handles a full disk or a closed pipe."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from discreet.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from discreet.answers.answer import Answer

__all__ = ["colour_wanted", "give", "write_json", "write_out", "write_text"]


def write_out(chunks: Iterable[bytes]) -> None:
    """Write to standard output; a reader that left early (`| head`) changes nothing about the answer."""
    if sys.stdout is None:
        raise OutputError("standard output is closed; leave it open, or give -o FILE where the command has it")
    try:
        sys.stdout.flush()
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _abandon_standard_output()
    except OSError as error:
        _abandon_standard_output()
        raise OutputError(
            f"cannot write to standard output: {error.strerror or error}; make room, or send it elsewhere"
        ) from error


def _abandon_standard_output() -> None:
    """Discard what is still buffered: otherwise the interpreter would try, and complain, again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def write_text(text: str) -> None:
    """Write text in the encoding of the terminal or the reader."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    write_out([text.encode(encoding, "backslashreplace")])


def write_json(document: dict[str, Any]) -> None:
    """Write the one JSON document of `--json`."""
    write_out([json.dumps(document, ensure_ascii=False).encode(), b"\n"])


def give(document: Callable[[], dict[str, Any]], answer: Callable[[], Answer], *, json: bool) -> None:
    """Write a result: the one document of `--json`, or the answer in words."""
    if json:
        write_json(document())
        return
    from discreet.cli.screen import show

    show(answer())


def colour_wanted() -> bool:
    """Return whether standard output is a terminal that supports colours and whose user has not declined them."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "") not in ("dumb", "unknown")
    )
