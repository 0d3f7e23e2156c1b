"""Association rules with exact counts, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import DataError
from discreet.patterns.label_lists import label_column
from discreet.tables.tabular import library_of_frames
from discreet.wording import html_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.json_types import JsonObject
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["Rule", "RuleSet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Rows with `antecedent` also have `consequent`: in `support` of `antecedent_support` cases, among n rows."""

    antecedent: frozenset[str]
    consequent: frozenset[str]
    support: int
    antecedent_support: int
    consequent_support: int
    n: int

    @property
    def confidence(self) -> Fraction:
        """The share of the antecedent's rows that contain the consequent too."""
        return Fraction(self.support, self.antecedent_support)

    @property
    def lift(self) -> Fraction:
        """How many times as frequent the consequent is among the antecedent's rows as among all rows."""
        return Fraction(self.support * self.n, self.antecedent_support * self.consequent_support)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RuleSet:
    """Immutable association rules, ordered by antecedent, then consequent (each by length, then by items).

    `discreet.rules` returns one. A rule's confidence is `supports / antecedent_supports`.

    Attributes
    ----------
    antecedents, consequents : Itemsets
        The two sides of each rule.
    supports : array of int64
        How many rows contain both sides of each rule.
    antecedent_supports, consequent_supports : arrays of int64
        How many rows contain each side.
    vocabulary : Vocabulary
        The labels of the items.
    n : int
        The number of rows.
    min_support : int
        The least support of any rule.
    min_confidence : Fraction
        The least confidence of any rule.
    """

    antecedents: Itemsets
    consequents: Itemsets
    supports: NDArray[np.int64]
    antecedent_supports: NDArray[np.int64]
    consequent_supports: NDArray[np.int64]
    vocabulary: Vocabulary
    n: int
    min_support: int
    min_confidence: Fraction

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        counts = (self.supports, self.antecedent_supports, self.consequent_supports)
        for array in counts:
            array.flags.writeable = False
        for side in (self.antecedents, self.consequents):
            side.freeze()
        if len({len(values) for values in (*counts, self.antecedents, self.consequents)}) > 1:
            raise DataError("the arrays do not belong together; give one entry per rule in each")

    def __len__(self) -> int:
        """Return the number of rules."""
        return len(self.supports)

    def __iter__(self) -> Iterator[Rule]:
        """Yield each rule with its labels: for inspection, not for computation."""
        sides = zip(
            self.antecedents.labels(self.vocabulary.labels),
            self.consequents.labels(self.vocabulary.labels),
            strict=True,
        )
        numbers = zip(
            self.supports.tolist(), self.antecedent_supports.tolist(), self.consequent_supports.tolist(), strict=True
        )
        for (antecedent, consequent), (support, antecedent_support, consequent_support) in zip(
            sides, numbers, strict=True
        ):
            yield Rule(
                antecedent=frozenset(antecedent),
                consequent=frozenset(consequent),
                support=support,
                antecedent_support=antecedent_support,
                consequent_support=consequent_support,
                n=self.n,
            )

    def __eq__(self, other: object) -> bool:
        """Return whether both contain the same rules in the same order with the same numbers and thresholds."""
        if not isinstance(other, RuleSet):
            return NotImplemented
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with mlxtend's columns (shares as floats) and the exact counts."""
        import pyarrow as pa

        sides = {
            "antecedents": label_column(self.antecedents, self.vocabulary.labels),
            "consequents": label_column(self.consequents, self.vocabulary.labels),
        }
        return pa.table(sides | self.measures())

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas DataFrame with mlxtend's columns, itemsets as frozensets, and the exact counts."""
        sides = {}
        for name, itemsets in (("antecedents", self.antecedents), ("consequents", self.consequents)):
            column = np.empty(len(self), object)
            column[:] = [frozenset(labels) for labels in itemsets.labels(self.vocabulary.labels)]
            sides[name] = column
        frame: pd.DataFrame = library_of_frames("pandas").DataFrame(sides | self.measures())
        return frame

    def to_polars(self) -> pl.DataFrame:
        """Return a polars DataFrame with mlxtend's columns (shares as floats) and the exact counts."""
        frame: pl.DataFrame = library_of_frames("polars").DataFrame(self.to_arrow())
        return frame

    def measures(self) -> dict[str, NDArray[Any]]:
        """Return the counts, and mlxtend's measures by name, computed from the counts."""
        n = float(max(self.n, 1))
        both, before, after = self.supports, self.antecedent_supports, self.consequent_supports
        leverage = both / n - (before / n) * (after / n)
        spread = np.maximum(both / n * ((n - before) / n), before / n * ((after - both) / n))
        confidence = both / before
        return {
            "antecedent support": before / n,
            "consequent support": after / n,
            "support": both / n,
            "confidence": confidence,
            "lift": confidence / (after / n),
            "representativity": np.ones(len(self)),
            "leverage": leverage,
            "conviction": _ratio((n - after) / n, (before - both) / before, np.inf),
            "zhangs_metric": _ratio(leverage, spread, 0.0),
            "jaccard": both / (before + after - both),
            "certainty": _ratio(confidence - after / n, (n - after) / n, 0.0),
            "kulczynski": (confidence + both / after) / 2,
            "count": both.copy(),
            "antecedent count": before.copy(),
            "consequent count": after.copy(),
        }

    def heading(self) -> JsonObject:
        """Return the fields of the JSON form that precede the rules; the least confidence is a text such as "3/5"."""
        return {
            "n": self.n,
            "min_support": self.min_support,
            "min_confidence": str(self.min_confidence),
            "count": len(self),
        }

    def to_dict(self) -> JsonObject:
        """Return the JSON form as Python objects."""
        sides = zip(
            self.antecedents.labels(self.vocabulary.labels),
            self.consequents.labels(self.vocabulary.labels),
            strict=True,
        )
        rules: list[JsonObject] = [
            {
                "antecedent": antecedent,
                "consequent": consequent,
                "support": rule.support,
                "antecedent_support": rule.antecedent_support,
                "consequent_support": rule.consequent_support,
                "confidence": rule.support / rule.antecedent_support,
            }
            for rule, (antecedent, consequent) in zip(self, sides, strict=True)
        ]
        return self.heading() | {"rules": rules}

    def __repr__(self) -> str:
        return f"<RuleSet: {len(self):,} rules, n {self.n:,}, min_confidence {self.min_confidence}>"

    def _repr_html_(self) -> str:
        """Show the size and the first rules in a notebook."""
        shown = 10
        lines = []
        for _, rule in zip(range(shown), self, strict=False):
            sides = (", ".join(sorted(side))[:200] for side in (rule.antecedent, rule.consequent))
            lines.append((*sides, f"{rule.support:,}", f"{float(rule.confidence):.3f}"))
        return html_table(("antecedent", "consequent", "support", "confidence"), lines, above=repr(self)[1:-1])


def _ratio(above: NDArray[Any], below: NDArray[Any], otherwise: float) -> NDArray[np.float64]:
    """Divide, with `otherwise` for a zero denominator."""
    result = np.full(len(above), otherwise)
    np.divide(above, below, out=result, where=below != 0)
    return result
