"""A setting of *Publish*: how the rows are read, the point, and the method. It can be pinned, undone and saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from discreet.wording import counted, number, percent

if TYPE_CHECKING:
    from discreet.publishing.audiences import ReleaseMethod
    from discreet.transactions.options import ReadOptions
    from discreet.workbench.tasks.point import Point

__all__ = ["METHOD_WORDS", "Setting"]

METHOD_WORDS: dict[ReleaseMethod, str] = {
    "none": "as they are",
    "additive": "supports raised (additive)",
    "suppressive": "rows left out (suppressive)",
}


class Setting(NamedTuple):
    """What is chosen; a method of None stands for the one that follows from the verdict."""

    reading: ReadOptions
    point: Point
    method: ReleaseMethod | None

    def support_words(self, n: int) -> str:
        """Return the support in rows, and as a share of all."""
        support = self.point.min_support
        return f"{counted(support, 'row')} ({percent(min(support, n), n)})" if n else counted(support, "row")

    @property
    def roles_words(self) -> str:
        """What is said about columns and items, empty if nothing is."""
        point, told = self.point, []
        if self.reading.drop:
            told.append(f"without {', '.join(self.reading.rules.drop)}")
        if point.quasi_identifiers:
            told.append(f"only {point.quasi_identifiers} identifies")
        if point.sensitive:
            told.append(f"{point.sensitive} below {point.rho}")
        if point.exclusive:
            told.append(f"at most one of {'; '.join(point.exclusive)}")
        return "; ".join(told)

    @property
    def words(self) -> str:
        """The setting in one line."""
        method = "" if self.method is None else f", {METHOD_WORDS[self.method]}"
        roles = f"; {self.roles_words}" if self.roles_words else ""
        return f"from {counted(self.point.min_support, 'row')} up, k = {number(self.point.k)}{method}{roles}"
