"""Protect sensitive items in rows: which ones, the tree of the others, and what each method costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.wording import number, percent
from discreet.workbench.tasks.tree import EditableTree

if TYPE_CHECKING:
    import os

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.sensitive_rules import SensitiveRule
    from discreet.workbench.jobs.rows import ProtectedRows, ProtectingCost

__all__ = ["Asked", "ProtectTask", "rule_words"]

Asked = tuple[str, list[str], list[list[str]] | None]
"""The rho, the sensitive items, and the lines of the hierarchy."""

_FANOUT = 4


def rule_words(rule: SensitiveRule | None) -> str:
    """Say in words what can be concluded."""
    if rule is None:
        return "nothing sensitive is left"
    share = percent(rule.together, rule.holding)
    counts = f"{number(rule.together)} of {number(rule.holding)} rows ({share})"
    if not rule.antecedent:
        return f"of all rows, {counts} have {rule.consequent}"
    return f"who has {', '.join(rule.antecedent)} also has {rule.consequent}: {counts}"


class ProtectTask:
    """Everything on the page *Protect sensitive items in rows*."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.labels: tuple[str, ...] = ()
        self.sensitive: tuple[str, ...] = ()
        self.percent = 50
        self.method = "best"
        self.fanout = _FANOUT
        self.tree: EditableTree | None = None
        self.checked: Checked | None = None
        self.checked_of: tuple[str, list[str]] | None = None
        self.checking: tuple[str, list[str]] | None = None
        """The rho and the sensitive items that were last checked, or are being checked."""
        self.given_up_on: tuple[str, list[str]] | None = None
        self.costs: tuple[ProtectingCost, ...] = ()
        self.costs_of: Asked | None = None
        self.protected: ProtectedRows | None = None
        self.protected_of: Asked | None = None

    def forget(self) -> None:
        """Start anew: there is another file, or it is read in another way."""
        self.__init__()  # type: ignore[misc]

    def take_rows(self, rows: Transactions) -> None:
        """Take the items that rows hold."""
        held = (rows.item_supports() > 0).tolist()
        self.labels = tuple(label for label, there in zip(rows.vocabulary, held, strict=True) if there)

    def mark(self, sensitive: list[str]) -> None:
        """Take the items that are sensitive; the tree keeps the others."""
        self.sensitive = tuple(sensitive)
        others = [label for label in self.labels if label not in set(sensitive)]
        if self.tree is None:
            self.grow(self.fanout)
        else:
            self.tree = self.tree.without(sensitive).with_items(others)

    def grow(self, fanout: int) -> None:
        """Make the tree anew: neighbours in order, `fanout` under each group."""
        private = set(self.sensitive)
        self.fanout = fanout
        self.tree = EditableTree.neighbours((label for label in self.labels if label not in private), fanout)

    def load_tree(self, path: str | os.PathLike[str]) -> None:
        """Take a hierarchy from a file in ARX's form; items that it lacks come right under its root."""
        private = set(self.sensitive)
        others = [label for label in self.labels if label not in private]
        self.tree = EditableTree.read(path).without(private).with_items(others)

    @property
    def asked(self) -> Asked:
        """What the fields ask for now."""
        return f"{self.percent}%", list(self.sensitive), None if self.tree is None else self.tree.lines()

    def take_check(self, checked: Checked, of: tuple[str, list[str]]) -> None:
        """Take whether the rows as they are would be safe."""
        self.checked, self.checked_of = checked, of

    def give_up(self) -> None:
        """Note that the rows are not checked, because somebody did not want to wait."""
        if self.checked is None or self.checked_of != self.checking:
            self.given_up_on = self.checking

    def take_costs(self, costs: tuple[ProtectingCost, ...], asked: Asked) -> None:
        """Take what the methods lose."""
        self.costs, self.costs_of = costs, asked

    def take(self, protected: ProtectedRows, asked: Asked) -> None:
        """Take the rows."""
        self.protected, self.protected_of = protected, asked
