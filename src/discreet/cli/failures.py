"""One sentence and one exit status for every error, and warnings."""

from __future__ import annotations

import re
import sys
import traceback
import warnings
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.help import did_you_mean
from discreet.command_words import option
from discreet.errors import DiscreetError, InputError, InternalFault, LabelWarning, NotSafe, spelled
from discreet.wording import itemset_text, label_text, number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "BAD_INPUT",
    "ENGINE_FAILED",
    "INTERRUPTED",
    "NOT_SAFE",
    "report_failure",
    "warn",
    "warn_of_absent",
    "warn_of_gaps",
    "warn_of_order",
    "warnings_as_sentences",
]

NOT_SAFE = 1
BAD_INPUT = 2
ENGINE_FAILED = 3
INTERRUPTED = 130


def report_failure(error: BaseException, *, debug: bool) -> int:
    """Report an error on standard error, and return its exit status."""
    status, sentence = _explain(error)
    lines = traceback.format_exception(error) if debug else []
    with suppress(OSError, AttributeError):  # if standard error is closed or full, the status still tells
        print(*lines, one_line(sentence), sep="", file=sys.stderr, flush=True)  # noqa: T201
    return status


def warn(sentence: str) -> None:
    """Warn on standard error about what the user may not have meant."""
    with suppress(OSError, AttributeError):  # the answer stands even if standard error is closed
        print(one_line(f"warning: {sentence}"), file=sys.stderr, flush=True)  # noqa: T201


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Show warnings about labels as sentences on standard error, each once; leave other warnings as they are."""

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:  # as Python calls it
        if issubclass(category, LabelWarning):
            if str(message) not in said:
                warn(str(message))
            said.add(str(message))
        else:
            as_before(message, category, *where, **more)

    said: set[str] = set()
    with warnings.catch_warnings():
        as_before = warnings.showwarning
        warnings.simplefilter("always", LabelWarning)
        warnings.showwarning = show
        yield


def warn_of_absent(absent: Sequence[str], data: str) -> None:
    """Warn about sensitive labels that no row contains."""
    if len(absent) == 1:
        warn(f"the sensitive label {label_text(absent[0])} is in no row of {data}; is it spelled as in the data?")
    elif absent:
        warn(
            f"{number(len(absent))} sensitive labels are in no row of {data}, {label_text(absent[0])} the first of "
            "them; are they spelled as in the data?"
        )


def warn_of_gaps(columns: Iterable[str]) -> None:
    """Warn that empty cells of these columns stand for a sensitive value."""
    warn(
        f"an empty cell of {itemset_text(columns)} can stand for a sensitive value that was dropped; the check counts "
        "it as one, but if every row had a value, leave out the whole column instead, with --drop"
    )


def warn_of_order(*, kept: bool) -> None:
    """Warn that the order of rows tells, if it is kept."""
    if kept:
        warn(
            "the rows stay in their order, and if that follows a date, a ward or a diagnosis, whoever knows a few rows "
            "concludes what was removed from their neighbours; omit --keep-order unless the order is random"
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
    if isinstance(error, click.UsageError):
        return BAD_INPUT, f"error: {_usage_fault(error)}"
    if isinstance(error, MemoryError):
        return BAD_INPUT, "error: there is not enough memory for this; raise -s, or use a machine with more memory"
    if isinstance(error, OSError):
        where = f" {error.filename}" if error.filename else ""
        return BAD_INPUT, f"error: the system refused{where}: {error.strerror or type(error).__name__}"
    return ENGINE_FAILED, f"error: {InternalFault.from_unexpected(error)}; --debug shows where it occurred"


def _usage_fault(error: click.UsageError) -> str:
    """Return a usage error as one sentence that ends with where to look it up."""
    path = error.ctx.command_path if error.ctx else "discreet"
    return f"{_fault(error)}; see {path} --help"


def _fault(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption):
        parameters = error.ctx.command.params if error.ctx else []
        known = [name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)]
        return f"there is no option {error.option_name}{did_you_mean(error.option_name, known)}"
    if isinstance(error, click.BadOptionUsage):
        flagged = error.message.endswith("take a value.")
        return f"{error.option_name} takes no value" if flagged else f"{error.option_name} needs a value"
    if isinstance(error, click.MissingParameter) and error.param is not None:
        wanted = getattr(error.param.type, "expected", None) or error.param.metavar
        return f"{_name(error.param)} is missing" + (f": give {wanted}" if wanted else "")
    message = re.sub(r"\s+", " ", error.message).strip().rstrip(".")
    if isinstance(error, click.BadParameter) and error.param is not None:
        return f"{_name(error.param)} {message}"
    return message[:1].lower() + message[1:]


def _name(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Argument):
        return str(parameter.metavar or parameter.name)
    return "/".join(sorted(parameter.opts, key=len))
