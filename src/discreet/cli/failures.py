"""One sentence and one exit status for everything that can go wrong, and warnings where nothing did."""

from __future__ import annotations

import re
import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from discreet.cli.help import did_you_mean
from discreet.command_words import option
from discreet.errors import DiscreetError, InputError, InternalFault, NotSafe, spelled
from discreet.wording import label_text, number, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BAD_INPUT", "ENGINE_FAILED", "INTERRUPTED", "NOT_SAFE", "report_failure", "warn", "warn_of_absent"]

NOT_SAFE = 1
BAD_INPUT = 2
ENGINE_FAILED = 3
INTERRUPTED = 130


def report_failure(error: BaseException, *, debug: bool) -> int:
    """Tell standard error what went wrong, and return the exit status that stands for it."""
    status, sentence = _explain(error)
    lines = traceback.format_exception(error) if debug else []
    with suppress(OSError, AttributeError):  # where nobody listens (closed, or full), the status still tells
        print(*lines, one_line(sentence), sep="", file=sys.stderr, flush=True)  # noqa: T201
    return status


def warn(sentence: str) -> None:
    """Tell standard error what the user may not have meant."""
    with suppress(OSError, AttributeError):  # where nobody listens, the answer still stands
        print(one_line(f"warning: {sentence}"), file=sys.stderr, flush=True)  # noqa: T201


def warn_of_absent(absent: Sequence[str], data: str) -> None:
    """Warn of sensitive labels that no row holds."""
    if len(absent) == 1:
        warn(f"the sensitive label {label_text(absent[0])} is in no row of {data}; is it spelled as in the data?")
    elif absent:
        warn(
            f"{number(len(absent))} sensitive labels are in no row of {data}, {label_text(absent[0])} the first of "
            "them; are they spelled as in the data?"
        )


def _explain(error: BaseException) -> tuple[int, str]:  # noqa: PLR0911 - one line for each way to end
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, "interrupted"
    if isinstance(error, InternalFault):
        return ENGINE_FAILED, f"error: {error}"
    if isinstance(error, DiscreetError):
        sentence = spelled(error.message, option)
        if isinstance(error, NotSafe):
            return NOT_SAFE, f"not safe: {sentence}"
        return BAD_INPUT if isinstance(error, InputError) else ENGINE_FAILED, f"error: {sentence}"
    if hasattr(error, "format_message"):
        return BAD_INPUT, f"error: {_usage_fault(error)}"
    if isinstance(error, MemoryError):
        return BAD_INPUT, "error: there is not enough memory for this; raise -s, or use a machine with more memory"
    if isinstance(error, OSError):
        where = f" {error.filename}" if error.filename else ""
        return BAD_INPUT, f"error: the system refused{where}: {error.strerror or type(error).__name__}"
    return ENGINE_FAILED, f"error: {InternalFault.from_unexpected(error)}; --debug shows where it occurred"


def _usage_fault(error: Any) -> str:  # Typer keeps the types of its usage errors to itself
    """Return what was wrong on the command line, in one sentence that ends in where to look it up."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "discreet"
    return f"{_fault(error, context)}; see {path} --help"


def _fault(error: Any, context: Any) -> str:
    kind = type(error).__name__
    parameter = getattr(error, "param", None)
    if kind == "NoSuchOption":
        known = [name for known in context.command.params for name in (*known.opts, *known.secondary_opts)]
        return f"there is no option {error.option_name}{did_you_mean(error.option_name, known)}"
    if kind == "BadOptionUsage":
        flagged = error.message.endswith("take a value.")
        return f"{error.option_name} takes no value" if flagged else f"{error.option_name} needs a value"
    if kind == "MissingParameter" and parameter is not None:
        wanted = _expected(parameter) or parameter.metavar
        return f"{_name(parameter)} is missing" + (f": give {wanted}" if wanted else "")
    if parameter is not None and (expected := _expected(parameter)):
        return f"{_name(parameter)} must be {expected}{_what_came(error)}"
    message = re.sub(r"\s+", " ", error.message).strip().rstrip(".")
    if parameter is not None:
        return f"{_name(parameter)}: {message}"
    return message[:1].lower() + message[1:]


def _expected(parameter: Any) -> str | None:
    """Return what the option takes, in words; None where Typer's own words must do."""
    kind = getattr(parameter, "type_descriptor", None)
    if kind is None:
        return None
    if kind.choices:
        *most, last = map(str, kind.choices)
        return f"{', '.join(most)} or {last}" if most else last
    noun = {int: "a whole number", float: "a number"}.get(kind.annotation)
    return f"{noun} of at least {parameter.min}" if noun and parameter.min is not None else noun


def _what_came(error: Any) -> str:
    details: list[dict[str, Any]] = getattr(error.__cause__, "errors", list)()
    return f", got {details[0]['input']!r}" if details and "input" in details[0] else ""


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    return "/".join(sorted(parameter.opts, key=len))
