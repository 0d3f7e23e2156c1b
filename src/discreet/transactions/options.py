"""How a file becomes rows of items: one value, for the command line, the workbench, Python and certificates.

Each field of `ReadOptions` is an option of `discreet.read`, of every command that reads rows and of the workbench's
form. To add an option, add a field and its text here, a line to `read`, and the code that implements it.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypedDict, cast, get_args

from discreet.command_words import one_word, option_words, without_password
from discreet.errors import ParameterError, param
from discreet.thresholds import one_of
from discreet.transactions.layout import Shape
from discreet.wording import Unit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from pathlib import Path

    from discreet.tables.containers import Container
    from discreet.transactions.layout import Layout
    from discreet.transactions.shapes.cell_rules import Edge, Names, TableRules

__all__ = ["OPTION_TEXTS", "OptionText", "ReadKeywords", "ReadOptions"]

_OF_TEXT_FILES = {"delimiter", "header", "columns", "encoding"}
_OF_SHEETS = {"sheet", "header", "columns"}
_OPTIONS_OF: dict[Shape, set[str]] = {
    "fimi": {"encoding"},
    "spmf": {"encoding"},
    "basket": {"delimiter", "header", "encoding"},
    "long": {"id_column", "person_column", "item_column"},
    "onehot": {"id_column", "person_column", "drop", "keep"},
    "table": {"id_column", "person_column", "drop", "keep", "bins", "map", "missing"},
    "lists": {"id_column", "person_column", "item_column"},
}


class ReadKeywords(TypedDict, total=False):
    """The keywords of `discreet.read` that say how rows are read."""

    format: Shape | None
    delimiter: str | None
    id_column: str | None
    person_column: str | None
    item_column: str | None
    header: bool | None
    encoding: str | None
    sheet: str | int | None
    columns: Names | None
    drop: Names | None
    identifying: Names | None
    keep: Names | None
    bins: Mapping[str, Iterable[Edge]] | str | Iterable[str] | None
    map: Mapping[str, Mapping[str, str]] | str | Iterable[str] | None
    missing: Literal["drop-row", "skip"] | None
    unit: str | None
    sql: str | None
    database: str | PathLike[str] | None


_OF_EVERYTHING = {"format", "sql", "database", "unit", "identifying"}
_LISTS = {"columns", "drop", "identifying", "keep"}
_RULES = ("drop", "identifying", "keep", "bins", "map", "missing")
_TAB = {"\\t": "\t", "tab": "\t"}


@dataclass(frozen=True, slots=True)
class OptionText:
    """What the command line and the workbench show for an option.

    `help` and `metavar` are for the command line (`discreet.errors.spelled` completes them). `label` and `hint` are for
    the workbench's form, which shows the options with a label. `type` is the type of one value on the command line;
    `repeats` allows several.
    """

    help: str
    metavar: str | None = None
    label: str | None = None
    hint: str = ""
    type: object = str
    repeats: bool = False


OPTION_TEXTS = {
    "format": OptionText(
        "fimi, spmf, basket, long, onehot, table or lists: what DATA is, where its name does not say.",
        metavar="NAME",
        type=Shape,
    ),
    "delimiter": OptionText(
        r"What separates cells, if not a comma (\t: a tab).",
        metavar="CHAR",
        label="Delimiter",
        hint=r"what separates cells: ; or \t",
    ),
    "id_column": OptionText(
        "The column that names the row.", metavar="COLUMN", label="Id column", hint="the column that names the row"
    ),
    "person_column": OptionText(
        "The column that says whose a row is: what one person has becomes one row.",
        metavar="COLUMN",
        label="Person column",
        hint="the column that says whose a row is",
    ),
    "item_column": OptionText(
        "long: the column that holds the item.",
        metavar="COLUMN",
        label="Item column",
        hint="long tables: the column that holds the item",
    ),
    "header": OptionText(f"Whether the first line names the columns; if not, see {param('columns')}.", type=bool),
    "encoding": OptionText(
        "How a text file is encoded, if not in UTF-8, as in cp1252 or utf-16.",
        metavar="NAME",
        label="Encoding",
        hint="if not UTF-8: cp1252, utf-16",
    ),
    "sheet": OptionText(
        "The sheet of a workbook, by its name or number, if several hold anything.",
        metavar="NAME",
        label="Sheet",
        hint="of a workbook: its name or number",
    ),
    "columns": OptionText(
        "The columns' names, in order: a,b,c or @FILE.",
        metavar="LIST",
        label="Columns",
        hint="names for a file without header: a,b,c",
    ),
    "drop": OptionText(
        "table: columns to leave out: a,diag* or @FILE.", metavar="LIST", label="Leave out columns", hint="a,b,c"
    ),
    "identifying": OptionText(
        "Columns or items that tell whose a row is: left out, and refused in what is written: a,b*,c or @FILE.",
        metavar="LIST",
        label="Identifying",
        hint="columns or items never to be read or written: name,mail*",
    ),
    "keep": OptionText(
        "table: the columns to use, instead of all: a,diag* or @FILE.",
        metavar="LIST",
        label="Only these columns",
        hint="a,b,c",
    ),
    "bins": OptionText(
        "table: make intervals, as in hours=20,40 (again for each column).",
        metavar="COLUMN=LIMITS",
        label="Intervals",
        hint="age=20,40; hours=30",
        repeats=True,
    ),
    "map": OptionText(
        "table: rename values, as in gain:0=none,*=some (again for each column).",
        metavar="COLUMN:OLD=NEW",
        label="Rename values",
        hint="gain:0=none,*=some",
        repeats=True,
    ),
    "missing": OptionText(
        "table: skip a missing cell (the default), or drop its row.",
        metavar="drop-row|skip",
        type=Literal["drop-row", "skip"],
    ),
    "unit": OptionText(
        "What a row is, in words: patients, households. Without it, answers speak of rows.",
        metavar="NAME",
        label="A row is one of",
        hint="patients, households",
    ),
    "sql": OptionText("Read what this query gives, instead of DATA.", metavar="SELECT"),
    "database": OptionText(
        f"Where {param('sql')} runs: a DuckDB or SQLite file, postgresql://…; else the query names files.",
        metavar="PATH",
    ),
}
"""The text of each option, in display order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    r"""How to read rows: the keywords of `discreet.read`. Combinations that fit no file are refused.

    Values keep their original spelling, so that they can be typed again. `rules` and `names` are the parsed values.

    >>> ReadOptions(delimiter="\\t", drop="name").words()
    ['--delimiter', '\\t', '--drop', 'name']
    """

    format: Shape | None = None
    delimiter: str | None = None
    id_column: str | None = None
    person_column: str | None = None
    item_column: str | None = None
    header: bool | None = None
    encoding: str | None = None
    sheet: str | int | None = None
    columns: Names | None = None
    drop: Names | None = None
    identifying: Names | None = None
    keep: Names | None = None
    bins: Mapping[str, Iterable[Edge]] | str | Iterable[str] | None = None
    map: Mapping[str, Mapping[str, str]] | str | Iterable[str] | None = None
    missing: Literal["drop-row", "skip"] | None = None
    unit: str | None = None
    sql: str | None = None
    database: str | PathLike[str] | None = field(default=None, repr=False)  # it may hold a password
    rules: TableRules = field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse values that no format accepts, and parse the rest."""
        from discreet.transactions.shapes.cell_rules import TableRules, parse_names  # `--help` needs none of it

        if self.format is not None:
            one_of(self.format, get_args(Shape), parameter="format")
        if self.missing is not None:
            one_of(self.missing, ("drop-row", "skip"), parameter="missing")
        if self.delimiter is not None:
            object.__setattr__(self, "delimiter", _checked_delimiter(self.delimiter))
        Unit.parse(self.unit)
        if self.encoding is not None:
            object.__setattr__(self, "encoding", _checked_encoding(self.encoding))
        if self.sheet is not None:
            object.__setattr__(self, "sheet", str(self.sheet))
        if self.columns is not None and self.header is not False:
            raise ParameterError(
                f"{param('columns')} names the columns of a file without a header: add {param('header', value=False)}",
                parameter="columns",
            )
        object.__setattr__(self, "names", parse_names(self.columns, "columns"))
        object.__setattr__(self, "rules", TableRules.parse(**{name: getattr(self, name) for name in _RULES}))
        if self.keep is not None and self.drop is not None:
            raise ParameterError(f"{param('keep')} and {param('drop')} exclude each other", parameter="keep")
        if self.person_column is not None and self.id_column is not None:
            raise ParameterError(
                f"{param('person_column')} and {param('id_column')} exclude each other: a person's rows become one",
                parameter="person_column",
            )

    @classmethod
    def of_layout(cls, layout: Layout, path: Path | None = None) -> ReadOptions:
        """Return the options that read rows of a layout again, omitting what the name of their file already says."""
        from discreet.tables.containers import container_of

        by_name, usual = (None, None) if path is None else container_of(path)
        if layout.container == "text" and by_name == "text":
            return cls()
        as_csv = layout.container == "csv"
        headless = as_csv and not layout.header and layout.shape != "basket"
        return cls(
            format=layout.shape,
            delimiter=layout.delimiter if as_csv and layout.delimiter != (usual or ",") else None,
            id_column=layout.id_column,
            item_column=layout.item_column,
            header=False if headless else None,
            columns=layout.columns if headless else None,
        )

    def keywords(self) -> ReadKeywords:
        """Return the options that are set, as keywords of `discreet.read`."""
        given = {name: getattr(self, name) for name in OPTION_TEXTS}
        return cast("ReadKeywords", {name: value for name, value in given.items() if value or value is False})

    def typed(self) -> ReadKeywords:
        """Return the options that are set in the form in which they are typed: lists and tables as texts.

        >>> ReadOptions(drop=["a", "b, c"], bins={"age": [20, 40]}, map={"gain": {"0": "no", "*": "yes"}}).typed()
        {'drop': 'a,"b, c"', 'bins': ['age=20,40'], 'map': ['gain:0=no,*=yes']}
        """
        given = dict(self.keywords())
        for name in _LISTS & given.keys():
            if not isinstance(given[name], str):
                given[name] = one_word(self.names if name == "columns" else getattr(self.rules, name))
        if isinstance(self.bins, Mapping):
            given["bins"] = [f"{column}={','.join(map(str, edges))}" for column, edges in self.bins.items()]
        if isinstance(self.map, Mapping):
            pairs = {column: [f"{old}={new}" for old, new in each.items()] for column, each in self.map.items()}
            given["map"] = [f"{column}:{one_word(each)}" for column, each in pairs.items()]
        return cast("ReadKeywords", given)

    def words(self) -> list[str]:
        """Return the options as they are typed on the command line; the address of a database without its password."""
        given = dict(self.typed())
        if "database" in given:
            given["database"] = without_password(str(given["database"]))
        return option_words(given)

    @property
    def whole(self) -> bool:
        """Whether the rows hold all that their file does, in the bytes that it does."""
        changing = (
            self.drop,
            self.identifying,
            self.keep,
            self.bins,
            self.map,
            self.sql,
            self.person_column,
        )
        return not any(changing) and self.missing != "drop-row"

    def refuse_others(self, shape: Shape, container: Container) -> None:
        """Refuse options that do not apply to this shape in this container."""
        known = _OPTIONS_OF[shape] | (_OF_TEXT_FILES if container == "csv" and shape != "basket" else set())
        known |= _OF_SHEETS if container == "sheet" else set()
        harmless = {"header"} if self.header else set()
        for name in sorted(self.keywords().keys() - known - _OF_EVERYTHING - harmless):
            said = param(name, value=self.header) if name == "header" else param(name)
            what = shape if container in ("text", "csv") else f"{shape} in {container}"
            raise ParameterError(f"{said} says nothing about a {what} file; leave it out", parameter=name)


def _checked_encoding(given: str) -> str:
    try:
        "".encode(given)
        return codecs.lookup(given).name
    except (LookupError, ValueError):  # ValueError: no name has a NUL in it
        raise ParameterError(
            f"{param('encoding')} must be the name of an encoding, like cp1252 or utf-16, got {given!r}",
            parameter="encoding",
        ) from None


def _checked_delimiter(given: str) -> str:
    delimiter = _TAB.get(given, given)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise ParameterError(
            f"{param('delimiter')} must be one ASCII character, like ; or \\t, got {given!r}", parameter="delimiter"
        )
    return delimiter
