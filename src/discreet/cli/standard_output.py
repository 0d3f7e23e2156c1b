"""Standard output: the only module that writes to it, and that handles a full disk or a closed pipe."""

from __future__ import annotations

import json
import os
import re
import sys
from itertools import chain
from typing import TYPE_CHECKING

import click

from discreet.errors import OutputError
from discreet.wording import ROWS, is_harmless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from discreet.answers.answer import Answer
    from discreet.json_types import JsonValue
    from discreet.patterns.pattern_read import PatternRead
    from discreet.transactions.read_record import ReadRecord
    from discreet.wording import Unit

__all__ = [
    "colour_wanted",
    "give",
    "note_read",
    "refusal_of",
    "what_a_row_is",
    "what_was_read",
    "write_json",
    "write_json_blocks",
    "write_out",
    "write_text",
]

_READ = "discreet.read"
_MAY_BE_OBEYED = re.compile(r"[^\x20-\x7e\w]")


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
        raise refusal_of(error) from error


def refusal_of(error: OSError) -> OutputError:
    """Return what standard output's refusal means, and give up on standard output."""
    _abandon_standard_output()
    return OutputError(f"cannot write to standard output: {error.strerror or error}; make room, or send it elsewhere")


def _abandon_standard_output() -> None:
    """Discard what is still buffered: otherwise the interpreter would try, and complain, again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def write_text(text: str) -> None:
    """Write text in the encoding of the terminal or the reader."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    write_out([text.encode(encoding, "backslashreplace")])


def write_json(document: Mapping[str, JsonValue]) -> None:
    """Write the one JSON document of `--json`."""
    write_out([_shown(json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")), b"\n"])


def write_json_blocks(blocks: Iterable[bytes]) -> None:
    """Write the document of `--json` from its blocks, each a whole number of characters."""
    write_out(chain(map(_shown, blocks), [b"\n"]))


def _shown(block: bytes) -> bytes:
    """Escape what a terminal obeys, such as marks that change the direction of text, in a block of a JSON document."""
    if block.isascii() and b"\x7f" not in block:  # JSON escapes the other control characters itself
        return block
    return _MAY_BE_OBEYED.sub(_escaped, block.decode("utf-8", "surrogatepass")).encode()


def _escaped(found: re.Match[str]) -> str:
    letter = found[0]
    return letter if is_harmless(letter) else json.dumps(letter)[1:-1]


def give(document: Callable[[], Mapping[str, JsonValue]], answer: Callable[[], Answer], *, json: bool) -> None:
    """Write a result: the one document of `--json`, or the answer in words; both say how DATA or FILE was read."""
    read = what_was_read()
    if json:
        write_json({**document(), **({} if read is None else {"read": read.to_dict()})})
        return
    from discreet.cli.screen import show

    show(answer() if read is None else answer().about(read.sentences()))


def note_read(record: ReadRecord | PatternRead | None) -> None:
    """Keep how DATA was read, for the answer of the command that is under way; what is read later is not DATA."""
    context = click.get_current_context(silent=True)
    if context is not None and record is not None:
        context.meta.setdefault(_READ, record)


def what_was_read() -> ReadRecord | PatternRead | None:
    """Return how DATA was read; None if the command read no rows."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_READ)


def what_a_row_is() -> Unit:
    """Return what a row of DATA is, as its owner said."""
    return getattr(what_was_read(), "what_a_row_is", ROWS)


def colour_wanted() -> bool:
    """Return whether standard output is a terminal that supports colours and whose user has not declined them."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "") not in ("dumb", "unknown")
    )
