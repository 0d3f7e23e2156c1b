"""Groups of options: what Typer sees, what the command gets, and how it is typed again."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import Annotated

import typer
from typer.testing import CliRunner

from discreet.cli.option_groups import as_words, spread_groups
from discreet.cli.options import TalkingOptions
from discreet.command_words import flag
from discreet.transactions.options import ReadOptions


@dataclass(frozen=True, kw_only=True)
class Kitchen:
    """A group for these tests."""

    salt: Annotated[bool, typer.Option("--salt")] = False
    oven_heat: Annotated[int, typer.Option("--oven-heat")] = 180
    herbs: Annotated[list[str] | None, typer.Option("--herbs")] = None


def cook(*, dish: Annotated[str, typer.Argument()], kitchen: Kitchen, guests: int = 2) -> None:
    """Cook."""
    print(dish, kitchen, guests)  # noqa: T201


def test_typer_sees_the_options_and_the_command_the_group() -> None:
    app = typer.Typer()
    app.command()(spread_groups(cook))
    done = CliRunner().invoke(
        app, ["soup", "--oven-heat", "200", "--herbs", "thyme", "--herbs", "sage", "--guests", "3"]
    )
    assert done.output == f"soup {Kitchen(oven_heat=200, herbs=['thyme', 'sage'])} 3\n"


def test_the_spread_signature_keeps_order_and_defaults() -> None:
    parameters = inspect.signature(spread_groups(cook)).parameters
    assert list(parameters) == ["dish", "salt", "oven_heat", "herbs", "guests"]
    assert parameters["oven_heat"].default == 180


def test_words_give_the_same_group_again() -> None:
    group = Kitchen(salt=True, herbs=["thyme", "bay leaf"])
    assert as_words(group) == ["--salt", "--herbs", "thyme", "--herbs", "bay leaf"]
    assert as_words(Kitchen()) == []


def test_every_shared_option_is_called_like_its_field_and_says_what_it_takes() -> None:
    """Words typed again, and sentences of the library, rely on the names; the help relies on the rest."""
    for group in (ReadOptions, TalkingOptions):
        app = typer.Typer(rich_markup_mode=None)

        def command(*, group: group) -> None: ...  # type: ignore[valid-type]

        command.__annotations__ = {"group": group}
        app.command()(spread_groups(command))
        options = {option.name: option for option in typer.main.get_command(app).params if option.name in _names(group)}
        assert list(options) == _names(group)
        for name, option in options.items():
            assert flag(name) in option.opts
            assert option.help.endswith(".")
            assert option.is_flag or option.metavar


def _names(group: type) -> list[str]:
    return [field.name for field in fields(group) if field.init]
