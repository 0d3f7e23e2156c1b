"""Options that belong together, declared once and taken by any command.

A group is a frozen dataclass whose fields are Typer options (`Annotated[..., typer.Option(...)]`). A command takes it
as one parameter; `spread_groups` shows Typer the fields in its place, and hands the command the group again:

    @app.command()
    @spread_groups
    def mine(data: Data, reading: ReadingOptions, ...) -> None:
        rows = reading.rows(data)

So a new reading option is one line in one file, and every command that reads has it.
"""

from __future__ import annotations

import inspect
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["as_words", "flag", "option", "spread_groups"]

Result = TypeVar("Result")
_QUOTES = "'"


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
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        return command(**values)

    spread.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    spread.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    return spread


def _options_of(group: Any) -> dict[str, inspect.Parameter]:  # a dataclass type
    hints = get_type_hints(group, include_extras=True)
    return {
        field.name: inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=_default(field), annotation=hints[field.name]
        )
        for field in fields(group)
    }


def _default(field: Field[Any]) -> Any:  # whatever the option holds
    return inspect.Parameter.empty if field.default is MISSING else field.default


def flag(name: str) -> str:
    """Return the option that a parameter is on the command line.

    >>> flag("min_support"), flag("k"), flag("DATA")
    ('--min-support', '-k', 'DATA')
    """
    if name.isupper():
        return name
    return ("-" if len(name) == 1 and name != "n" else "--") + name.replace("_", "-")


def option(name: str, value: str | None) -> str:
    """Return a parameter, and its value as Python writes it, as they are typed: see `discreet.errors.spelled`.

    >>> option("k", None), option("format", "'table'"), option("force", "True"), option("header", "False")
    ('-k', '--format table', '--force', '--no-header')
    """
    if value is None or value == "True":
        return flag(name)
    return f"--no-{name}" if value == "False" else f"{flag(name)} {value.strip(_QUOTES)}"


def as_words(group: Any) -> list[str]:  # any option group
    """Return the words that would give a group its values again, for a command that can be pasted."""
    words: list[str] = []
    for field in fields(group):
        value = getattr(group, field.name)
        if value == field.default:
            continue
        if value is True:
            words.append(flag(field.name))
        else:
            for single in value if isinstance(value, list) else [value]:
                words += [flag(field.name), str(single)]
    return words
