"""Published rows, what was done to them, and the proof that they keep the promise."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.uncertainty.checking import check_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.checking import Checked
    from discreet.uncertainty.publication import Publication
    from discreet.uncertainty.sensitive_rules import SensitiveRule

__all__ = ["Anonymized", "published", "simple_loss"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Anonymized:
    """Anonymized rows, whether they are safe to publish, and what was lost.

    Only `rows` may be published, and only where `safe` is True. Everything else is for the owner.

    Attributes
    ----------
    method : str
        How the rows were anonymized.
    rho : Fraction
        The confidence that nobody may reach.
    n : int
        The number of rows.
    rows : Transactions
        The rows to publish.
    publication : Publication or None
        What became of each item; None after "perturb", which changes rows one by one.
    information_loss : Fraction
        The share of information lost.
    simple_loss : Fraction
        What dropping every sensitive item would have lost.
    checked : Checked
        The check of the published rows.
    finished : bool
        False where a time limit or Ctrl-C ended the search; the rows are the best found so far, and checked all the
        same.
    unknown : tuple of str
        Items that a mapping does not know, and that were dropped.
    """

    method: str
    rho: Fraction
    n: int
    rows: Transactions
    publication: Publication | None
    information_loss: Fraction
    simple_loss: Fraction
    checked: Checked = field(repr=False)
    finished: bool = True
    unknown: tuple[str, ...] = ()

    @property
    def safe(self) -> bool:
        """Whether the published rows passed the check."""
        return self.checked.safe

    @property
    def worst_rule(self) -> SensitiveRule | None:
        """The rule with the greatest confidence in the published rows."""
        return self.checked.worst_rule

    @property
    def suppressed(self) -> dict[str, list[str]]:
        """The labels that were dropped, sensitive ones and others."""
        if self.publication is None:
            return {"sensitive": [], "other": []}
        private = self.publication.node_of[self.publication.suppressed] < 0
        labels = self.publication.vocabulary.labels
        return {
            name: [labels[item] for item in np.sort(self.publication.suppressed[chosen]).tolist()]
            for name, chosen in (("sensitive", private), ("other", ~private))
        }

    @property
    def generalized(self) -> dict[str, str]:
        """What each generalized item is published as."""
        if self.publication is None:
            return {}
        return {
            self.publication.vocabulary[item]: self.publication.published_label(item)
            for item in np.flatnonzero(self.publication.generalized()).tolist()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "method": self.method,
            "rho": float(self.rho),
            "n": self.n,
            "information_loss": float(self.information_loss),
            "suppressed": self.suppressed,
            "generalized": self.generalized,
            "worst_rule": None if self.worst_rule is None else self.worst_rule.to_dict(),
            "safe": self.safe,
            "finished": self.finished,
            "simple_loss": float(self.simple_loss),
        }

    def __repr__(self) -> str:
        """Say what was reached and what it cost, in one line."""
        verdict = "checked" if self.method == "perturb" and self.safe else "safe" if self.safe else "NOT safe"
        return f"<Anonymized: {verdict} for rho = {float(self.rho):.3g}, {float(self.information_loss):.1%} lost>"


def published(
    rows: Transactions,
    publication: Publication,
    *,
    method: str,
    rho: Fraction,
    finished: bool = True,
    unknown: tuple[str, ...] = (),
) -> Anonymized:
    """Apply a publication, measure what it loses, and check what it gives."""
    made = publication.apply(rows)
    private = publication.node_of < 0
    kept = [made.vocabulary.item(rows.vocabulary[item]) for item in np.flatnonzero(private).tolist()]
    codes = np.array([item for item in kept if item is not None], np.int32)
    return Anonymized(
        method=method,
        rho=rho,
        n=rows.n,
        rows=made,
        publication=publication,
        information_loss=publication.information_loss(rows),
        simple_loss=simple_loss(rows, private),
        checked=check_items(made, rho, codes),
        finished=finished,
        unknown=unknown,
    )


def simple_loss(rows: Transactions, sensitive: NDArray[np.bool_]) -> Fraction:
    """Return what dropping every sensitive item loses."""
    supports = rows.item_supports()
    held = int(supports.sum())
    return Fraction(int(supports[sensitive].sum()), held) if held else Fraction(0)
