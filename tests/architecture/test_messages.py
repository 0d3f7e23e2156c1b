"""Errors name parameters; Python spells them as parameters, the command line as options."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
from pathlib import Path

import click
import pytest

import discreet
from discreet.cli.main import Commands
from discreet.cli.main import discreet as root
from discreet.command_words import option
from discreet.errors import DiscreetError, param, spelled

SOURCE = Path(__file__).parents[2] / "src/discreet"
ANSWERS = (
    "answers/",
    "command_words.py",
    "policy/draft.py",
    "publishing/report.py",
    "workbench/",
)
"""Where other texts than errors name a command with its options: answers, drafts, reports."""

FILES = [path for path in sorted(SOURCE.rglob("*.py")) if path.parent.name != "cli"]


def _texts(path: Path) -> list[tuple[int, str]]:
    """Return the string literals that may be part of an error, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    if str(path.relative_to(SOURCE)).startswith(ANSWERS):
        nodes = [below for node in ast.walk(tree) if isinstance(node, ast.Raise) for below in ast.walk(node)]
    else:
        nodes = [node for node in ast.walk(tree) if id(node) not in prose]
    constants = (node for node in nodes if isinstance(node, ast.Constant))
    return [(node.lineno, node.value) for node in constants if isinstance(node.value, str)]


def test_no_message_below_the_command_line_spells_an_option() -> None:
    option_or_flag = re.compile(r"(?<![\w(-])--[a-z]|\b(?:raise|lower|give) -[a-z]\b")
    for path in FILES:
        for line, text in _texts(path):
            assert not option_or_flag.search(text), f"{path}:{line}: {text}"


def test_every_name_in_a_message_is_a_parameter() -> None:
    known = {"DIR"}
    for name in discreet.__all__:
        if inspect.isfunction(thing := getattr(discreet, name)) or inspect.isclass(thing):
            known |= set(inspect.signature(thing).parameters)
    context = click.Context(root)
    commands = [root.get_command(context, name) for name in Commands.modules]
    commands += [below for command in commands for below in getattr(command, "commands", {}).values()]
    known |= {parameter.name for command in commands for parameter in command.params}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "param":
                named = node.args[0]
                if isinstance(named, ast.Constant):
                    assert named.value in known, f"{path}:{node.lineno}"


@pytest.mark.parametrize(
    ("call", "in_python", "typed"),
    [
        (
            lambda: discreet.read("x.csv", format="nope"),
            "format must be fimi, spmf, basket, long, onehot, table or lists, got 'nope'",
            "--format must be fimi, spmf, basket, long, onehot, table or lists, got 'nope'",
        ),
        (
            lambda: discreet.read("x.csv", columns="a,b"),
            "columns names the columns of a file without a header: add header=False",
            "--columns names the columns of a file without a header: add --no-header",
        ),
        (
            lambda: discreet.mine(discreet.Transactions.from_rows(["ab"]), min_support=0),
            "min_support must be at least one row",
            "--min-support must be at least one row",
        ),
        (
            lambda: discreet.audit(discreet.Transactions.from_rows(["ab"]), k=1, min_support=1),
            "k must be a whole number of at least 2, got 1",
            "-k must be a whole number of at least 2, got 1",
        ),
        (
            lambda: discreet.party(
                discreet.Transactions.from_rows(["ab"]), identity="a", trust="b", min_support=1, k=2, listen=None
            ),
            "give either listen='HOST:PORT' or connect='HOST:PORT'",
            "give either --listen HOST:PORT or --connect HOST:PORT",
        ),
    ],
)
def test_python_reads_parameters_and_the_command_line_options(call, in_python: str, typed: str) -> None:
    with pytest.raises(DiscreetError) as caught:
        call()
    assert str(caught.value).startswith(in_python)
    assert caught.value.args == (str(caught.value),)
    assert spelled(caught.value.message, option).startswith(typed)


def test_a_message_keeps_its_parameters_on_its_way_between_processes() -> None:
    error = DiscreetError(f"give {param('format', 'table')}, or {param('force', value=True)}")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert str(again) == "give format='table', or force=True"
    assert spelled(again.message, option) == "give --format table, or --force"
