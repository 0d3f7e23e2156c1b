"""Parameters as they are typed on the command line: for commands that can be pasted, and for error messages."""

from __future__ import annotations

import csv
import re
from io import StringIO
from shlex import quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["FileList", "flag", "one_word", "option", "option_words", "without_password"]

_QUOTES = "'"


class FileList(str):
    """Several files, typed one after another: a text for messages, with the files.

    >>> FileList.of(["a.csv", "b.csv"]), FileList.of(["a.csv", "b.csv"]).files
    ('a.csv, b.csv', ('a.csv', 'b.csv'))
    """

    __slots__ = ("files",)
    files: tuple[str, ...]

    @classmethod
    def of(cls, files: Iterable[str]) -> FileList:
        """Return the list of some files."""
        given = tuple(files)
        made = cls(", ".join(given))
        made.files = given
        return made


def flag(name: str) -> str:
    """Return the command-line option of a parameter.

    >>> flag("min_support"), flag("k"), flag("DATA")
    ('--min-support', '-k', 'DATA')
    """
    if name.isupper():
        return name
    return ("-" if len(name) == 1 and name != "n" else "--") + name.replace("_", "-")


def option(name: str, value: str | None) -> str:
    """Return a parameter, and its value in Python's notation, as typed in a shell: see `discreet.errors.spelled`.

    >>> option("k", None), option("format", "'table'"), option("force", "True"), option("header", "False")
    ('-k', '--format table', '--force', '--no-header')
    >>> option("delimiter", "';'")
    "--delimiter ';'"
    """
    if value is None or value == "True":
        return flag(name)
    return f"--no-{name}" if value == "False" else f"{flag(name)} {quote(value.strip(_QUOTES))}"


def option_words(options: Mapping[str, object]) -> list[str]:
    r"""Return options as words of a command; None stands for an option that was not given.

    A list is an option given several times; a tuple is a list of names in one word.

    >>> option_words({"k": 10, "force": True, "header": False, "bins": ["age=40", "size=2"], "drop": ("a", "b")})
    ['-k', '10', '--force', '--no-header', '--bins', 'age=40', '--bins', 'size=2', '--drop', 'a,b']
    >>> option_words({"delimiter": "\t", "columns": ("age", "height, cm"), "sql": None})
    ['--delimiter', '\\t', '--columns', 'age,"height, cm"']
    """
    words: list[str] = []
    for name, value in options.items():
        if value is True:
            words.append(flag(name))
        elif value is False:
            words.append(f"--no-{name.replace('_', '-')}")
        elif value is not None:
            for single in value if isinstance(value, list) else [value]:
                words += [flag(name), _word(single)]
    return words


def without_password(address: str) -> str:
    """Return the address of a database without the password in it, which then comes from PGPASSWORD or .pgpass.

    >>> without_password("postgresql://ana:secret@db/shop?sslmode=require&password=secret")
    'postgresql://ana@db/shop?sslmode=require'
    """
    if "://" not in address:
        return address
    scheme, _, rest = address.partition("://")
    rest = re.sub(r"(?<=[?&;])\w*password=[^&;]*[&;]?", "", rest, flags=re.IGNORECASE).rstrip("?&;")
    who, at, where = rest.rpartition("@")
    return f"{scheme}://{who.partition(':')[0]}{at}{where}"


def one_word(names: Iterable[str]) -> str:
    """Return a list of names as it is typed, with quotes around those that have a comma, or that seem to be @FILE.

    >>> one_word(["age", "height, cm"]), one_word(["@home"])
    ('age,"height, cm"', '"@home"')
    """
    line, listed = StringIO(), list(names)
    if listed and listed[0].startswith("@"):
        csv.writer(line, lineterminator="", quoting=csv.QUOTE_ALL).writerow(listed)
    else:
        csv.writer(line, lineterminator="").writerow(listed)
    return line.getvalue()


def _word(value: object) -> str:
    if isinstance(value, tuple):
        return one_word(value)
    return "\\t" if value == "\t" else str(value)
