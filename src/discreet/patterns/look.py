"""What a file of rows is, and what to do with it: its columns, how many itemsets to expect, and the next command.

Problem      a table of fifty columns has ids, constants and numbers in it, and more itemsets than anyone can read. A
             newcomer's first audit of it is refused, or takes minutes.
Method       columns get a role from counts and names (`transactions.column_profile`). Itemsets are counted, exactly up
             to a limit, at falling supports, with the columns left out that the next command leaves out.
Promises     counts are exact, or said to be more than the limit. The commands run as they are printed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from discreet.errors import TooManyPatterns
from discreet.patterns.mining import mine
from discreet.tables.tabular import Tabular
from discreet.thresholds import Support
from discreet.transactions.column_profile import column_profiles
from discreet.transactions.options import ReadOptions
from discreet.transactions.read_record import record_of
from discreet.transactions.reading import read_as

if TYPE_CHECKING:
    from os import PathLike

    import pyarrow as pa

    from discreet.json_types import JsonObject
    from discreet.transactions.column_profile import ColumnProfile
    from discreet.transactions.read_record import ReadRecord
    from discreet.transactions.transactions import Transactions

__all__ = ["Look", "SupportCount", "look", "look_at", "look_with_rows"]

SUPPORTS = ("50%", "20%", "10%", "5%", "2%", "1%")
MOST_ITEMSETS = 50_000
"""Beyond so many closed itemsets at a support, no lower one is tried."""

COMFORTABLE = 5_000
"""How many closed itemsets a first audit should have at most."""

FEWEST_ROWS = 10
"""An itemset of fewer rows is a small group itself."""

_LEFT_OUT = {"id", "constant", "near-constant", "near-empty"}


@dataclass(frozen=True, slots=True)
class SupportCount:
    """How many closed itemsets there are at a support; None if there are more than `MOST_ITEMSETS`."""

    min_support: str
    closed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look(Tabular):
    """What was found out about rows.

    Attributes
    ----------
    read : ReadRecord
        How the file was read.
    columns : tuple of ColumnProfile
        The columns of a table; empty for other shapes.
    options : ReadOptions
        How to read the file for a first audit: which columns to leave out, whose rows they are, where to cut numbers.
    counts : tuple of SupportCount
        How many itemsets such rows have, at falling supports.
    min_support : str or None
        The lowest support with a comfortable number of itemsets; None if there is none.
    """

    read: ReadRecord
    columns: tuple[ColumnProfile, ...]
    options: ReadOptions
    counts: tuple[SupportCount, ...]
    min_support: str | None

    def named(self, *roles: str) -> tuple[str, ...]:
        """Return the names of some columns.

        Parameters
        ----------
        *roles : str
            The roles they have.

        Returns
        -------
        tuple of str
            The names, in the file's order.
        """
        return tuple(column.name for column in self.columns if column.role in roles)

    def to_dict(self) -> JsonObject:
        """Return the JSON form: `columns` and `itemsets`."""
        return {"columns": self._columns_in_json(), "itemsets": self._counts_in_json()}

    def to_arrow(self) -> pa.Table:
        """Return the columns as an Arrow table; of rows without columns, the numbers of itemsets by support."""
        import pyarrow as pa

        return pa.Table.from_pylist(self._columns_in_json() or self._counts_in_json())

    def _columns_in_json(self) -> list[JsonObject]:
        return [
            {
                "name": column.name,
                "type": column.type,
                "distinct": column.distinct,
                "missing": column.missing,
                "role": column.role,
            }
            for column in self.columns
        ]

    def _counts_in_json(self) -> list[JsonObject]:
        return [{"min_support": count.min_support, "closed": count.closed} for count in self.counts]

    def __repr__(self) -> str:
        return f"<Look: {self.read.sentence()}>"


def look(source: str | PathLike[str], **options: Any) -> Look:  # the options of `discreet.read`
    r"""Find out what a file of rows is, and how to read it for a first audit.

    Parameters
    ----------
    source : path
        The file.
    **options
        How to read it, as far as you know: see `discreet.read`.

    Returns
    -------
    Look
        Its columns and their likely roles, how many itemsets it has at falling supports, and better options.

    Raises
    ------
    InputError
        The file cannot be read, or looks like something else than it would be read as; the sentence says which
        options settle that.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "stays.csv")
    >>> _ = file.write_text("stay,ward\n" + "".join(f"{stay},{'AB'[stay % 2]}\n" for stay in range(100)))
    >>> [(column.name, column.role) for column in discreet.look(file).columns]
    [('stay', 'id'), ('ward', 'value')]
    """
    return look_at(source, ReadOptions(**options))


def look_at(source: str | PathLike[str] | None, options: ReadOptions) -> Look:
    """Find out what a file of rows is, and how to read it for a first audit."""
    return look_with_rows(source, options)[0]


def look_with_rows(source: str | PathLike[str] | None, options: ReadOptions) -> tuple[Look, Transactions, Transactions]:
    """Return what `look_at` does, with the rows as they were to be read, and as they are better read."""
    rows = asked = read_as(source, options)
    read = record_of(rows)
    columns: tuple[ColumnProfile, ...] = ()
    if read.shape == "table" and read.columns is not None and read.persons is None:
        columns = tuple(column_profiles(rows, read.columns.kept))
    better = _better(options, columns)
    if better != options and source != "-":
        rows = read_as(source, better)
    counts = _counts(rows)
    fit = [
        count.min_support
        for count in counts
        if count.closed is not None
        and 0 < count.closed <= COMFORTABLE
        and Support.parse(count.min_support).of(rows.n) >= FEWEST_ROWS
    ]
    found = Look(read=read, columns=columns, options=better, counts=counts, min_support=fit[-1] if fit else None)
    return found, asked, rows


def _better(options: ReadOptions, columns: tuple[ColumnProfile, ...]) -> ReadOptions:
    """Return the options for a first audit; what the owner said stays."""
    person = next((column.name for column in columns if column.role == "person"), None)
    dropped = tuple(column.name for column in columns if column.role in _LEFT_OUT and column.name != options.id_column)
    cut = [f"{column.name}={','.join(column.edges)}" for column in columns if column.edges]
    if options.id_column is None and options.person_column is None and person is not None:
        options = replace(options, person_column=person)
    if options.keep is None and options.drop is None and dropped:
        options = replace(options, drop=dropped)
    if options.bins is None and options.map is None and cut:
        options = replace(options, bins=cut)
    return options


def _counts(rows: Transactions) -> tuple[SupportCount, ...]:
    found = []
    for support in SUPPORTS:
        try:
            closed = len(mine(rows, min_support=support, target="closed", max_patterns=MOST_ITEMSETS))
        except TooManyPatterns:
            found.append(SupportCount(support, None))
            break
        found.append(SupportCount(support, closed))
    return tuple(found)
