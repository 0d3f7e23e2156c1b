"""How `--help` looks, and how a command is found by its name.

Typer's own look needs Rich, which takes longer to load than everything else in `discreet --help`; a command line that
answers at once is worth these lines. A command's module is loaded when the command is called, not before.
"""

from __future__ import annotations

import shutil
import textwrap
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import typer.main
from typer.core import TyperCommand, TyperGroup

from discreet.cli.standard_output import colour_wanted, write_text
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["HelpfulCommand", "HelpfulGroup", "command_app", "did_you_mean"]

WIDEST = 100
_TIE = "\u00a0"  # a blank at which no line is broken
_LEFT = 26  # columns for the names of options; longer ones have a line for themselves


def _print_help(ctx: Any, _: Any, wanted: bool) -> None:  # Typer keeps these types to itself
    if wanted and not ctx.resilient_parsing:
        write_text(ctx.get_help() + "\n")
        ctx.exit()


def _printing_here(option: Any) -> Any:
    if option is not None:
        option.callback = _print_help
    return option


class HelpfulCommand(TyperCommand):
    """A command whose help ends in examples: the lines of its epilog."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return `--help`, which prints where everything is printed."""
        return _printing_here(super().get_help_option(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the whole help page."""
        formatter.write(_page(self, ctx, commands=[]))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the command line apart; every complaint about it knows which command was called."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]
            raise


class HelpfulGroup(TyperGroup):
    """A group of commands; those named in `modules` are loaded when they are called."""

    modules: ClassVar[Mapping[str, str]] = {}
    """Each such command, which is the `app` of the module of the same name beside this one, and what it does."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return `--help`, which prints where everything is printed."""
        return _printing_here(super().get_help_option(ctx))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options; a flag that was not given is false, which needs no checking.

        Typer's check of a value that is None begins with loading pydantic: a fifth of a second.
        """
        parameters = super().get_params(ctx)
        for parameter in parameters:
            if getattr(parameter, "is_flag", False) and parameter.default is None:
                parameter.default = False
        return parameters

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, in the order in which a newcomer meets them."""
        return [*self.modules, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, loading its module first where that is needed."""
        if cmd_name not in self.commands and cmd_name in self.modules:
            module = import_module(f"discreet.cli.{cmd_name}")
            command = typer.main.get_command(module.app)
            command.name = cmd_name
            self.commands[cmd_name] = command
            return command
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was called, or say which one may have been meant."""
        if args[0] not in self.list_commands(ctx) and not ctx.resilient_parsing:
            meant = did_you_mean(args[0], self.list_commands(ctx))
            raise ParameterError(
                f"there is no command {args[0]!r}{meant}; see {ctx.command_path} --help", parameter="COMMAND"
            )
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the whole help page."""
        commands = [
            (name, self.modules.get(name) or self.commands[name].get_short_help_str(WIDEST))
            for name in self.list_commands(ctx)
        ]
        formatter.write(_page(self, ctx, commands=commands))


def command_app(**settings: Any) -> typer.Typer:  # passed on to Typer
    """Return the Typer app that holds one command, or the commands of one group."""
    return typer.Typer(cls=HelpfulGroup, add_completion=False, rich_markup_mode=None, **settings)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a suggestion in brackets, or nothing where no known word is close.

    >>> did_you_mean("mien", ["mine", "demo"])
    ' (did you mean mine?)'
    """
    close = get_close_matches(word, list(known), n=1, cutoff=0.7)
    return f" (did you mean {close[0]}?)" if close else ""


def _page(command: TyperCommand | TyperGroup, ctx: Any, *, commands: list[tuple[str, str]]) -> str:
    width = min(shutil.get_terminal_size().columns, WIDEST)
    panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}  # these two first
    for parameter in command.get_params(ctx):
        usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
        panel = getattr(parameter, "rich_help_panel", None) or usual
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


def _usage(command: TyperCommand | TyperGroup, ctx: Any) -> str:
    arguments = [_names(each) for each in command.params if each.param_type_name == "argument"]
    needed = [
        f"{min(each.opts, key=len)} {each.metavar}"
        for each in command.params
        if each.required and each.param_type_name == "option"
    ]
    rest = ["[OPTIONS]", *(["COMMAND"] if isinstance(command, TyperGroup) else [])]
    return " ".join([_heading("Usage:", end=""), ctx.command_path, *arguments, *needed, *rest])


def _names(parameter: Any) -> str:
    value = "" if getattr(parameter, "is_flag", False) else parameter.metavar or ""
    if parameter.param_type_name == "argument":
        return str(value)
    both = "/".join((", ".join(sorted(parameter.opts, key=len)), *parameter.secondary_opts))
    return f"{both} {value}".strip()


def _purpose(parameter: Any) -> str:
    default = parameter.default
    if parameter.required and parameter.param_type_name == "option":
        return f"{parameter.help} [required]"
    if default is None or isinstance(default, bool):
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
