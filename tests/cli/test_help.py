"""Every `--help`: its examples run, its words fit the screen, its one-liners are true."""

from __future__ import annotations

import os
import shlex
import signal
import sqlite3
import sys
from contextlib import closing
from importlib import import_module
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING, Any

import pytest

from discreet.cli.main import Commands
from discreet.cli.main import discreet as root
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def _commands() -> Iterator[tuple[str, Any]]:
    yield "", root
    context = root.make_context("discreet", ["demo"])
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        yield name, command
        for inner in getattr(command, "commands", {}):
            yield f"{name} {inner}", command.commands[inner]


COMMANDS = dict(_commands())
SERVERS = {"ui"}
"""Commands that go on until they are stopped."""


def _old_ledger(path: Path) -> None:
    """Write an empty ledger, as discreet 0.1 did."""
    path.touch(mode=0o600)
    with closing(sqlite3.connect(path)) as file, file:
        file.executescript(
            "CREATE TABLE owner (form INTEGER NOT NULL, key BLOB NOT NULL); INSERT INTO owner VALUES (1, zeroblob(32));"
            "CREATE TABLE releases (number INTEGER PRIMARY KEY, seal TEXT NOT NULL UNIQUE, day TEXT NOT NULL, "
            "folder TEXT NOT NULL, certificate BLOB NOT NULL, patterns BLOB);"
        )


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - SERVERS))
def test_every_example_runs(call, tmp_path: Path, name: str) -> None:
    """In the order in which they stand, in an empty folder: an example may use what the one before it made."""
    examples = COMMANDS[name].epilog.strip().splitlines()
    assert examples
    if name == "ledger upgrade":
        _old_ledger(tmp_path / "old.ledger")
    (tmp_path / "secret").touch(0o600)
    (tmp_path / "secret").write_text("correct horse battery staple\n")
    for example in examples:
        program, *words = shlex.split(example)
        assert program == "discreet"
        outcome = call(*words)
        assert outcome.status in (0, 1), (example, outcome.err)
        assert outcome.out


@pytest.mark.parametrize("name", sorted(SERVERS))
def test_every_example_serves_until_it_is_stopped(name: str, tmp_path: Path) -> None:
    for example in COMMANDS[name].epilog.strip().splitlines():
        words = [sys.executable, "-m", *shlex.split(example)]
        surroundings = os.environ | {"BROWSER": "true"}  # a browser that shows nothing
        with Popen(words, cwd=tmp_path, env=surroundings, stdout=PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                assert ".localhost:" in server.stdout.readline()
                server.send_signal(signal.SIGINT)
                assert server.wait(timeout=PATIENCE) == 0
            finally:
                server.kill()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_page_shows_its_examples_and_fits(call, name: str) -> None:
    page = call(*name.split(), "--help").out
    assert all(f"  {line}" in page for line in COMMANDS[name].epilog.strip().splitlines())
    assert max(len(line) for line in page.splitlines() if "  discreet" not in line) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is_for_and_what_it_takes(name: str) -> None:
    for parameter in COMMANDS[name].params:
        assert parameter.help
        assert parameter.help.endswith(".")
        assert parameter.param_type_name == "argument" or parameter.is_flag or parameter.metavar


@pytest.mark.parametrize("name", Commands.modules)
def test_the_list_of_commands_says_what_each_command_says(name: str) -> None:
    """The list is written by hand, so that it can be shown without loading the commands."""
    assert COMMANDS[name].help.splitlines()[0] == Commands.modules[name]
    assert name in import_module(f"discreet.cli.{name}").__all__


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_help_follows_the_width_of_the_screen(call, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    page = call("mine", "--help").out
    assert max(len(line) for line in page.splitlines() if "  discreet" not in line) <= min(columns, 100)
