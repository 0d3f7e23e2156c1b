"""The inverted file: for every item the rows that contain it, and Boolean queries on it.

Problem      find the rows that contain an itemset, or match a Boolean expression, without scanning the rows.
Method       rows are transposed once; a query then combines sorted lists. AND starts with the part that has the fewest
             rows, and stops as soon as none are left. A part under NOT is never materialized but subtracted from the
             others. OR is computed by De Morgan's law.
Promises     the rows are those of the definition, ascending.
Cost         building is two passes over the items; memory is four bytes per item. A conjunction costs the length of its
             lists, or the logarithm of it for lists much longer than the shortest.
Departures   the paper uses perfect hashing of labels and bisection in its lists; here a label's list is found by its
             number, and lists of similar length are merged linearly.
Reference    oliveira2002, section 3   (docs/papers/oliveira2002.md, tests/papers/test_oliveira2002.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import _kernel
from discreet.errors import DataError
from discreet.itemsets import Itemsets
from discreet.patterns.expression import And, Item, Not, Or
from discreet.transactions.identifying import public_ids
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from discreet.patterns.expression import Expression
    from discreet.transactions.layout import Layout
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["InvertedFile"]

_MOST_ROWS = 2**31 - 1


class _Answer(NamedTuple):
    """The rows listed or, if `outside`, all the others."""

    rows: NDArray[np.int32]
    outside: bool


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InvertedFile:
    """An index of rows: for every item, the rows that contain it.

    Item i is in the rows `lists[i]`. The index contains everything that the rows contain, and needs the
    same protection.

    Attributes
    ----------
    lists : Itemsets
        For each item, its row numbers from 0, ascending.
    vocabulary : Vocabulary
        The labels of the items.
    n : int
        The number of rows.
    ids, layout
        Those of the rows.
    source : str or None
        The digest of the file the rows were read from, if known.
    read_as : tuple of str
        The options the file was read with.
    """

    lists: Itemsets
    vocabulary: Vocabulary
    n: int
    ids: Sequence[str] | None = None
    layout: Layout | None = None
    source: str | None = None
    read_as: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check what the kernel relies on, and freeze the arrays."""
        self.lists.freeze()
        if len(self.lists) != len(self.vocabulary):
            raise DataError("an inverted file has one list of rows for each of its labels")
        self.lists.check(self.n)

    @classmethod
    def build(
        cls,
        rows: Transactions,
        *,
        only: Iterable[int] | None = None,
        source: str | None = None,
        read_as: Sequence[str] = (),
    ) -> InvertedFile:
        """Build the index of rows; folded rows are unfolded first.

        Parameters
        ----------
        rows : Transactions
            The rows.
        only : iterable of int, optional
            Index only these items.
        source : str, optional
            The digest of the file the rows were read from.
        read_as : sequence of str
            The options the file was read with.

        Returns
        -------
        InvertedFile
            The index.

        Raises
        ------
        DataError
            There are more rows than an index can number.

        Examples
        --------
        >>> import discreet
        >>> discreet.InvertedFile.build(discreet.Transactions.from_rows(["ab", "b", ""]))
        <InvertedFile: 2 items in 3 rows>
        """
        rows = rows.unfold()
        if len(rows) > _MOST_ROWS:
            raise DataError(f"there are {len(rows):,} rows; an inverted file takes up to {_MOST_ROWS:,}")
        wanted = None
        if only is not None:
            wanted = np.zeros(len(rows.vocabulary), np.uint8)
            wanted[list(only)] = 1
        return cls(
            lists=Itemsets(*_kernel.invert_rows(rows.itemsets, len(rows.vocabulary), wanted)),
            vocabulary=rows.vocabulary,
            n=len(rows),
            ids=public_ids(rows),
            layout=rows.layout,
            source=source,
            read_as=tuple(read_as),
        )

    @classmethod
    def open(cls, path: str | PathLike[str], *, passphrase: str | bytes | None = None) -> InvertedFile:
        """Open an index that was saved.

        Parameters
        ----------
        path : path
            The file.
        passphrase : str or bytes, optional
            What it was encrypted with.

        Returns
        -------
        InvertedFile
            The index.

        Raises
        ------
        DataError
            The file cannot be read, is not an index, or is damaged; or the passphrase does not open it.
        """
        from discreet.hiding.saved_index import open_index

        return open_index(path, passphrase=passphrase)

    def save(self, path: str | PathLike[str], *, force: bool = False, passphrase: str | bytes | None = None) -> None:
        """Write the index atomically, readable by its owner only.

        Parameters
        ----------
        path : path
            The file.
        force : bool, default False
            Whether to replace an existing file.
        passphrase : str or bytes, optional
            Encrypt the file with it: nobody can read it without.

        Raises
        ------
        OutputError
            The file exists or cannot be written.
        """
        from discreet.hiding.saved_index import save_index

        save_index(self, path, force=force, passphrase=passphrase)

    def transactions(self) -> Transactions:
        """Return the rows that the index was built from."""
        rows = Itemsets(*_kernel.invert_rows(self.lists, self.n))
        return Transactions(rows, self.vocabulary, ids=self.ids, layout=self.layout)

    @cached_property
    def supports(self) -> NDArray[np.int64]:
        """The number of rows of each item."""
        return self.lists.lengths

    def holders(self, item: int) -> NDArray[np.int32]:
        """Return the rows that contain an item.

        Parameters
        ----------
        item : int
            The item's number in the vocabulary.

        Returns
        -------
        array of int32
            Row numbers from 0.
        """
        return self.lists[item]

    def holders_of(self, itemsets: Itemsets) -> Itemsets:
        """Return the rows that contain each itemset.

        Parameters
        ----------
        itemsets : Itemsets
            The itemsets, of one item or more each.

        Returns
        -------
        Itemsets
            The rows of each itemset, as one list of row numbers per itemset.
        """
        return Itemsets(*_kernel.find_holders(self.lists, itemsets))

    def matching_rows(self, expression: Expression) -> NDArray[np.int64]:
        """Return the rows that match an expression.

        Parameters
        ----------
        expression : Expression
            The parsed expression; a label that is not in the data matches no row.

        Returns
        -------
        array of int64
            Row numbers from 0.
        """
        answer = self._answer(expression)
        rows = answer.rows
        if answer.outside:
            rows = _kernel.in_first_alone(np.arange(self.n, dtype=np.int32), rows)
        return rows.astype(np.int64)

    def _answer(self, expression: Expression) -> _Answer:
        match expression:
            case Item(label):
                item = self.vocabulary.item(label)
                return _Answer(np.zeros(0, np.int32) if item is None else self.holders(item), outside=False)
            case Not(part):
                rows, outside = self._answer(part)
                return _Answer(rows, not outside)
            case Or(parts):
                rows, outside = self._all_of([_opposite(part) for part in parts])
                return _Answer(rows, not outside)
            case And(parts):
                return self._all_of(list(parts))

    def _all_of(self, parts: list[Expression]) -> _Answer:
        """Combine parts, those with the fewest rows first."""
        common: NDArray[np.int32] | None = None
        away: list[NDArray[np.int32]] = []
        for part in sorted(parts, key=self._most_rows):
            rows, outside = self._answer(part)
            if outside:
                away.append(rows)
            else:
                common = rows if common is None else _kernel.in_both(common, rows)
                if not len(common):
                    return _Answer(common, outside=False)
        if common is None:
            union = away[0]
            for rows in away[1:]:
                union = _kernel.in_either(union, rows)
            return _Answer(union, outside=True)
        for rows in away:
            common = _kernel.in_first_alone(common, rows)
        return _Answer(common, outside=False)

    def _most_rows(self, expression: Expression) -> int:
        """Return a quick upper bound on the number of rows that match an expression."""
        match expression:
            case Item(label):
                item = self.vocabulary.item(label)
                return 0 if item is None else int(self.supports[item])
            case Not(Item(label)):
                return self.n - self._most_rows(Item(label))
            case And(parts):
                return min(map(self._most_rows, parts))
            case Or(parts):
                return min(self.n, sum(map(self._most_rows, parts)))
            case _:
                return self.n

    def __repr__(self) -> str:
        return f"<InvertedFile: {len(self.vocabulary):,} items in {self.n:,} rows>"


def _opposite(expression: Expression) -> Expression:
    return expression.part if isinstance(expression, Not) else Not(expression)
