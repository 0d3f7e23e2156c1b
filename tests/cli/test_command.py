"""Commands and groups of options: what is typed, what the command gets, and how it is typed again."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path  # noqa: TC003 - the command reads it
from typing import Annotated, Literal

import click
import pytest
from click.testing import CliRunner

from discreet.cli.command import Argument, Option, as_words, command
from discreet.cli.failures import report_failure
from discreet.cli.options import TalkingOptions
from discreet.command_words import flag
from discreet.transactions.options import OPTION_TEXTS, ReadOptions


@dataclass(frozen=True, kw_only=True)
class Kitchen:
    """A group for these tests."""

    salt: Annotated[bool, Option("--salt", help="Salt it.")] = False
    oven_heat: Annotated[int, Option("--oven-heat", metavar="N", min=20, help="How hot.")] = 180
    herbs: Annotated[list[str] | None, Option("--herbs", metavar="NAME", help="What to add.")] = None


@command(examples="cook soup")
def cook(
    *,
    dish: Annotated[str, Argument(metavar="DISH", help="What to cook.")],
    kitchen: Kitchen,
    guests: Annotated[int, Option("--guests", metavar="N", help="For how many.")] = 2,
    heat: Annotated[Literal["gas", "wood"] | None, Option("--heat", metavar="NAME", help="Gas or wood.")] = None,
    hours: Annotated[float, Option("--hours", metavar="H", help="How long.")] = 1.5,
    book: Annotated[Path | None, Option("--book", metavar="FILE", help="A recipe.")] = None,
) -> None:
    """Cook."""
    print(dish, kitchen, guests, heat, hours, book)  # noqa: T201


def cooked(*words: str) -> str:
    return CliRunner().invoke(cook, words, catch_exceptions=False).output


def test_the_command_gets_its_group_and_its_values() -> None:
    kitchen = Kitchen(oven_heat=200, herbs=["thyme", "sage"])
    words = ["soup", "--oven-heat", "200", "--herbs", "thyme", "--herbs", "sage", "--guests", "3", "--heat", "gas"]
    assert cooked(*words, "--hours", ".5", "--book", "a.txt") == f"soup {kitchen} 3 gas 0.5 a.txt\n"
    assert cooked("soup") == f"soup {Kitchen()} 2 None 1.5 None\n"


def test_parameters_keep_order_and_defaults() -> None:
    names = [parameter.name for parameter in cook.params]
    assert names == ["dish", "salt", "oven_heat", "herbs", "guests", "heat", "hours", "book"]
    assert cook.params[2].default == 180


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "DISH is missing: give DISH"),
        (["soup", "--oven-heat", "19"], "--oven-heat must be a whole number of at least 20, got '19'"),
        (["soup", "--guests", "two"], "--guests must be a whole number, got 'two'"),
        (["soup", "--guests", "1_000"], "--guests must be a whole number, got '1_000'"),
        (["soup", "--hours", "one"], "--hours must be a number, got 'one'"),
        (["soup", "--heat", "sun"], "--heat must be gas or wood, got 'sun'"),
        (["soup", "--guests"], "--guests needs a value"),
        (["soup", "--salt=yes"], "--salt takes no value"),
        (["soup", "--guest", "3"], "there is no option --guest (did you mean --guests?)"),
    ],
)
def test_faults_are_one_sentence(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(click.UsageError) as fault:
        cook.main(words, prog_name="cook", standalone_mode=False)
    assert report_failure(fault.value, debug=False) == 2
    assert capsys.readouterr().err == f"error: {sentence}; see cook --help\n"


def test_words_give_the_same_group_again() -> None:
    group = Kitchen(salt=True, herbs=["thyme", "bay leaf"])
    assert as_words(group) == ["--salt", "--herbs", "thyme", "--herbs", "bay leaf"]
    assert as_words(Kitchen()) == []


def test_every_shared_option_is_called_like_its_field_and_says_what_it_takes() -> None:
    """Words typed again, and sentences of the library, rely on the names; the help relies on the rest."""
    for group in (ReadOptions, TalkingOptions):

        def run(*, group: group) -> None:  # type: ignore[valid-type]
            """Run."""

        run.__annotations__ = {"group": group}
        options = {option.name: option for option in command(examples="")(run).params if option.name != "policy"}
        assert list(options) == [field.name for field in fields(group) if field.init]
        for name, option in options.items():
            assert isinstance(option, click.Option)
            assert flag(name) in option.opts
            assert option.help is not None
            assert option.help.endswith(".")
            assert option.is_flag or option.metavar


def test_every_reading_option_has_its_text() -> None:
    assert list(OPTION_TEXTS) == [field.name for field in fields(ReadOptions) if field.init]
