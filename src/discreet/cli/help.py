"""The layout of `--help`: the summary first, options in panels, examples at the end; eighty columns are enough."""

from __future__ import annotations

import shutil
import textwrap
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.standard_output import colour_wanted

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["WIDEST", "did_you_mean", "help_page"]

WIDEST = 100
_TIE = "\u00a0"  # a non-breaking blank
_LEFT = 26  # columns for the names of options; longer ones get their own line


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a suggestion in brackets, or an empty text if no known word is close.

    >>> did_you_mean("mien", ["mine", "demo"])
    ' (did you mean mine?)'
    """
    close = get_close_matches(word, list(known), n=1, cutoff=0.7)
    return f" (did you mean {close[0]}?)" if close else ""


def help_page(command: click.Command, ctx: click.Context, *, commands: list[tuple[str, str]]) -> str:
    """Return the help page of a command, or of a group of commands."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}  # these two first
    for parameter in command.get_params(ctx):
        usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
        panel = getattr(parameter, "panel", None) or usual
        panels.setdefault(panel, []).append((_names(parameter), _purpose(parameter)))
    parts = [_usage(command, ctx)]
    parts += [
        textwrap.fill(paragraph, width, initial_indent="  ", subsequent_indent="  ")
        for paragraph in (command.help or "").split("\n\n")
    ]
    if commands:
        parts.append(_heading("Commands") + _columns(commands, width, left=max(len(name) for name, _ in commands) + 4))
    parts += [_heading(title) + _columns(records, width) for title, records in panels.items() if records]
    if command.epilog:
        parts.append(_heading("Examples") + textwrap.indent(command.epilog.strip(), "  "))
    return "\n\n".join(parts)


def _usage(command: click.Command, ctx: click.Context) -> str:
    arguments = [_names(each) for each in command.params if each.param_type_name == "argument"]
    needed = [
        f"{min(each.opts, key=len)} {each.metavar}"
        for each in command.params
        if each.required and each.param_type_name == "option"
    ]
    rest = ["[OPTIONS]", *(["COMMAND"] if isinstance(command, click.Group) else [])]
    return " ".join([_heading("Usage:", end=""), ctx.command_path, *arguments, *needed, *rest])


def _names(parameter: click.Parameter) -> str:
    value = "" if getattr(parameter, "is_flag", False) else parameter.metavar or ""
    if parameter.param_type_name == "argument":
        return str(value)
    both = "/".join((", ".join(sorted(parameter.opts, key=len)), *parameter.secondary_opts))
    return f"{both} {value}".strip()


def _purpose(parameter: Any) -> str:
    default = parameter.default
    if parameter.required and parameter.param_type_name == "option":
        return f"{parameter.help} [required]"
    if isinstance(default, bool) or not isinstance(default, (int, float, str)):
        return str(parameter.help)
    return f"{parameter.help} [default:{_TIE}{f'{default:,}' if isinstance(default, int) else default}]"


def _heading(text: str, *, end: str = "\n") -> str:
    return (f"\x1b[1m{text}\x1b[0m" if colour_wanted() else text) + end


def _columns(records: list[tuple[str, str]], width: int, left: int = _LEFT) -> str:
    lines = []
    for name, purpose in records:
        start = f"  {name}  ".ljust(left)
        if len(start) > left:
            lines.append(start.rstrip())
            start = " " * left
        lines += textwrap.wrap(purpose, width, initial_indent=start, subsequent_indent=" " * left)
    return "\n".join(lines).replace(_TIE, " ")
