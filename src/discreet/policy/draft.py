"""The draft of a policy: what `look` found out about data, and guesses, each with a comment that says so.

Nothing is guessed silently, and no guess makes a promise weaker: which items readers may know, and which are sensitive,
are proposals in comments. The draft can be run as it is.
"""

from __future__ import annotations

import os
import re
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.command_words import FileList, without_password
from discreet.errors import ParameterError, TooManyPatterns
from discreet.patterns.look import look_with_rows
from discreet.patterns.mining import mine
from discreet.policy.keys import VERSION
from discreet.policy.policy import POLICY_FILE
from discreet.policy.toml_text import toml, toml_key, toml_list
from discreet.thresholds import Support
from discreet.transactions.column_profile import identifiers, may_be_known, may_be_private
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import columns_in, read_as
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


__all__ = ["draft_policy", "drafted"]

_FEW = 500
"""How many itemsets a first release should have at most."""

_ENOUGH_ROWS = 50
"""Itemsets of fewer rows leave little room to make groups of ten safe."""

_HIGHER = ("60%", "70%", "80%", "90%")
_FEW_VALUES = 20
_RARE = 100
"""A value that fewer than one in so many rows have may be absent next month."""

_WIDTH = 100
_FIRST_WORD = re.compile(r"[^\W\d_]+[ =:_-]")
_USUAL = "utf-8"


def draft_policy(source: str | os.PathLike[str], *, path: str | os.PathLike[str] = POLICY_FILE, **options: Any) -> str:
    r"""Return a first policy for a data set, with a comment for every guess.

    Parameters
    ----------
    source : path
        The data.
    path : path, default "discreet.toml"
        Where the policy will be: names of files in it are relative to that folder. Nothing is written.
    **options
        How to read the data, as far as you know: see `discreet.read`.

    Returns
    -------
    str
        The text of the file.

    Raises
    ------
    InputError
        The data cannot be read, or look like something else than they would be read as.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "stays.csv")
    >>> _ = file.write_text("stay,ward\n" + "".join(f"{stay},{'AB'[stay % 2]}\n" for stay in range(100)))
    >>> [line for line in discreet.draft_policy(file).splitlines() if line.startswith(("identifying", "k "))]
    ['identifying = ["stay"]', 'k = 10']
    """
    return drafted(source, ReadOptions(**options), Path(path))


def drafted(source: str | os.PathLike[str] | None, options: ReadOptions, path: Path) -> str:
    """Return a first policy for data that are read with these options."""
    if source == "-":
        raise ParameterError("a policy names its data: give a file instead of standard input", parameter="source")
    return _Draft(source, options, path).text()


class _Draft:
    """What the draft goes by, and its lines."""

    def __init__(self, source: str | os.PathLike[str] | None, options: ReadOptions, path: Path) -> None:
        self._source, self._given, self._path = source, options, path
        self._look, plain, rows = look_with_rows(source, options)
        found = self._look.options
        ids = {found.id_column, found.person_column}
        by_role = self._look.named("id")
        self._identifying = tuple(dict.fromkeys(n for n in (*by_role, *identifiers(plain)) if n not in ids))
        self._said = found.rules.identifying
        self._dropped = tuple(name for name in found.rules.drop if name not in self._identifying)
        self._options = found
        if self._identifying:
            names = tuple(dict.fromkeys((*found.rules.identifying, *self._identifying)))
            self._options = replace(found, drop=self._dropped or None, identifying=names)
        self._rows = rows if {*self._identifying} <= {*found.rules.drop} else read_as(source, self._options)
        self._lines: list[str] = []

    def text(self) -> str:
        self._top()
        self._data()
        self._roles()
        self._protect()
        self._publish()
        return "\n".join(self._lines) + "\n"

    def _say(self, *lines: str) -> None:
        self._lines += lines

    def _why(self, words: str) -> None:
        """Add a comment."""
        self._say(*textwrap.wrap(words, _WIDTH, initial_indent="# ", subsequent_indent="# "))

    def _top(self) -> None:
        self._why(
            "A policy of discreet: how these data are published, every month in the same way. What is a guess says so; "
            "look at each once. Every key is explained in docs/policy.md. Then:"
        )
        name = self._path.name
        self._say(f"#     discreet run {name} --new-ledger --check    would it be safe?")
        self._say(f"#     discreet run {name} --new-ledger            the first release")
        self._say(f"#     discreet run {name} --data FILE             every later one")
        self._say(f"version = {VERSION}")

    def _data(self) -> None:
        read, options = self._look.read, self._options
        self._say("", "[data]")
        self._why(f"{read.sentence()}")
        if options.sql is None:
            self._say(f"file = {toml(self._file())}")
        self._say(f"format = {toml(read.shape)}")
        if read.container == "csv":
            self._say(f"delimiter = {toml(read.separator)}")
            if read.shape != "basket":
                self._say(f"header = {toml(read.header)}")
        if read.encoding not in (None, _USUAL):
            self._say(f"encoding = {toml(read.encoding)}")
        self._others()
        self._columns()

    def _columns(self) -> None:
        """Add what becomes of columns, and what is expected of them."""
        options = self._options
        if options.person_column is not None and self._given.person_column is None:
            self._why(
                "A guess by its name and its values, which repeat: it says whose a row is, and all rows of a person "
                "become one. Delete the line if each row is another person."
            )
        if options.person_column is not None:
            self._say(f"person_column = {toml(options.person_column)}")
        if self._dropped:
            if self._given.drop is None:
                self._why("A guess: these columns are the same, or empty, in nearly every row, and only make noise.")
            self._say(f"drop = {toml_list(self._dropped)}")
        self._bins()
        if options.unit is None:
            self._why("What a row is, in the plural, for the sentences of the report:")
            self._say('# unit = "patients"')
        self._why("Whether all rows of earlier releases are still in the data, each time: then more can be published.")
        self._say("# rows_added = true")
        columns = columns_in(self._source, options)
        if columns and all(columns):  # lists of labels are a column without a name
            self._why("The columns there are: a run stops if one is missing, or there is a new one without a role.")
            self._say(f"expect_columns = {toml_list(columns)}")
        if labels := self._expected_labels():
            self._why(
                "Frequent values that must still occur: a run stops if one does not, as when it is spelled differently."
            )
            self._say(f"expect_labels = {toml_list(labels)}")

    def _file(self) -> Any:
        """Return the data as the policy names them: relative to its folder, unless they were named from the root."""

        def named(each: str) -> str:
            return each if Path(each).is_absolute() else os.path.relpath(each, self._path.parent)

        source = self._source
        return (
            [named(each) for each in source.files] if isinstance(source, FileList) else named(os.fspath(source or ""))
        )

    def _others(self) -> None:
        """Add the reading options that the owner gave, and that have no line of their own."""
        own = {"identifying", "format", "delimiter", "header", "encoding", "person_column", "drop", "bins"}
        for name, value in self._given.keywords().items():
            if name not in own:
                plain = without_password(str(value)) if name == "database" else value
                self._say(f"{name} = {toml(list(plain) if isinstance(plain, tuple) else plain)}")

    def _bins(self) -> None:
        bins = self._options.rules.bins
        if not bins:
            return
        if self._given.bins is None:
            self._why(
                "A guess: numbers as three intervals, of about as many rows each. Choose limits that mean something."
            )
        for column, found in bins.items():
            self._say(f"bins.{toml_key(column)} = [{', '.join(map(str, found.edges))}]")

    def _expected_labels(self) -> list[str]:
        """Return frequent values of columns with few values that a role may be about."""
        if self._look.read.columns is None:
            return []
        few = {each.name for each in self._look.columns if each.distinct <= _FEW_VALUES and each.role != "number"}
        few = {name for name in few if may_be_known(name) or may_be_private(name)}
        supports = self._rows.item_supports().tolist()
        return [
            label
            for label, support in zip(self._rows.vocabulary, supports, strict=True)
            if support * _RARE >= self._rows.n and any(label.startswith(f"{name}=") for name in few)
        ]

    def _roles(self) -> None:
        self._say("", "[roles]")
        self._why("Columns that tell whose a row is, such as names and numbers of people: never read, never published.")
        if self._identifying:
            more = ", and what was named" if self._said else ""
            self._why(f"A guess: these are different in nearly every row{more}.")
        if names := self._options.rules.identifying:
            self._say(f"identifying = {toml_list(names)}")
        else:
            self._say('# identifying = ["name"]')
        self._propose(
            "quasi_identifying",
            "What readers may know about people. Without this key they may know everything, which is safest, and "
            "costs most.",
            self._named(may_be_known),
        )
        self._propose(
            "sensitive",
            "What nobody may conclude of a group with confidence rho or more.",
            self._named(may_be_private),
        )

    def _propose(self, name: str, words: str, names: Sequence[str]) -> None:
        """Add a role as a comment: what it means, and what could have it."""
        self._why(f"{words} {'By their names, these could be it:' if names else 'Columns or items, as in:'}")
        self._say(_commented(f"{name} = {toml_list(names or ['age', 'sex'])}"))

    def _named(self, by_name: Callable[[str], bool]) -> list[str]:
        """Return columns by their names; without columns, what the labels begin with."""
        options, columns = self._options, self._look.read.columns
        if columns is not None:
            left_out = {*self._identifying, *self._dropped, options.person_column}
            return [name for name in columns.kept if by_name(name) and name not in left_out]
        begins = dict.fromkeys(each[0] for each in map(_FIRST_WORD.match, self._rows.vocabulary) if each)
        return [f"{begin}*" for begin in begins if by_name(begin)]

    def _protect(self) -> None:
        self._say("", "[protect]")
        self._why("No group of fewer than k rows may be computable from what is published.")
        self._say("k = 10")
        self._why("The confidence that no conclusion about a sensitive item may reach; it needs sensitive, above:")
        self._say("# rho = 0.5")
        self._say("", "[patterns]")
        support, words = self._support()
        self._why(f"How many rows must have an itemset, as a number or a share. {words}")
        self._say(f"min_support = {toml(support)}")
        self._why("How they are made safe: suppressive leaves rows out, additive raises supports, none does nothing.")
        self._say('method = "suppressive"')

    def _support(self) -> tuple[str, str]:
        """Return a support for a first release, and why it is that one."""
        counts = {count.min_support: count.closed for count in self._look.counts}
        if not any(closed and closed <= _FEW for closed in counts.values()):
            counts |= {support: self._count(support) for support in _HIGHER}
        fits = [
            (Support.parse(support).of(self._rows.n), support, closed)
            for support, closed in counts.items()
            if closed and closed <= _FEW
        ]
        if fits:
            many = [each for each in fits if each[0] >= _ENOUGH_ROWS]
            _, support, closed = min(many) if many else max(fits)
            return (
                support,
                f"A guess: with {support}, {counted(closed or 0, 'closed itemset')} before anything is changed.",
            )
        support = self._look.min_support or _HIGHER[-1]
        return support, "A guess: there are many itemsets at any support; leave out columns, or raise it."

    def _count(self, support: str) -> int | None:
        try:
            return len(mine(self._rows, min_support=support, target="closed", max_patterns=_FEW))
        except TooManyPatterns:
            return None

    def _publish(self) -> None:
        self._say("", "[publish]")
        self._why("The folder to publish: {date} is the day of the run, {data} the name of the data's file.")
        self._say('output = "release-{date}"')
        self._why("The record of all releases, for you alone: each is audited together with the earlier ones.")
        self._say('ledger = "releases.ledger"')
        self._why("For you alone: what was found and changed. {name} is the name of the folder to publish.")
        self._say('owner_report = "{name}.owner.html"')
        self._say('# title = "Stays of our hospital"', '# sign = ["keys/identity.pem"]')


def _commented(text: str) -> str:
    return "\n".join(f"# {line}" for line in text.splitlines())
