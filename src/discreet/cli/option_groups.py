"""Options that belong together, declared once and taken by any command.

A group is a frozen dataclass whose fields are Typer options (`Annotated[..., typer.Option(...)]`). A command takes it
as one parameter; `spread_groups` shows Typer the fields in its place, and hands the command the group again:

    @app.command()
    @spread_groups
    def mine(data: Data, reading: ReadOptions, ...) -> None:
        rows = read_rows(data, reading)

`ReadOptions` belongs to the library and knows nothing of Typer; `OPTION_TEXTS` says what to show of its fields.
"""

from __future__ import annotations

import inspect
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from discreet.command_words import flag, option, option_words
from discreet.errors import spelled
from discreet.transactions.options import OPTION_TEXTS, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["as_words", "spread_groups"]

Result = TypeVar("Result")


def spread_groups(command: Callable[..., Result]) -> Callable[..., Result]:
    """Return the command with every parameter that is an option group replaced by the group's options."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters.update(_options_of(hints[name]))
        else:
            parameters[name] = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])

    @wraps(command)
    def spread(**values: Any) -> Result:  # whatever the options hold
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group) if field.init})
        return command(**values)

    spread.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    spread.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    return spread


def _options_of(group: Any) -> dict[str, inspect.Parameter]:  # a dataclass type
    hints = {} if group is ReadOptions else get_type_hints(group, include_extras=True)
    return {
        field.name: inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field),
            annotation=hints.get(field.name) or _reading_option(field.name),
        )
        for field in fields(group)
        if field.init
    }


def _reading_option(name: str) -> Any:  # an annotation
    text = OPTION_TEXTS[name]
    words = f"--{name}/--no-{name}" if text.type is bool else flag(name)
    declared = typer.Option(
        words, metavar=text.metavar, help=spelled(text.help, option), rich_help_panel="Reading DATA"
    )
    if text.type is bool:
        return Annotated[bool, declared]
    return Annotated[list[text.type] | None if text.repeats else text.type | None, declared]  # type: ignore[name-defined]


def _default(field: Field[Any]) -> Any:  # whatever the option holds
    return inspect.Parameter.empty if field.default is MISSING else field.default


def as_words(group: Any) -> list[str]:  # any option group
    """Return the words that would give a group its values again, for a command that can be pasted."""
    values = {field.name: getattr(group, field.name) for field in fields(group) if field.init}
    usual = {field.name: field.default for field in fields(group)}
    return option_words({name: value for name, value in values.items() if value != usual[name]})
