"""A setting of *Publish*: how the rows are read, the point, and the method.

It can be pinned, undone and saved, and what is chosen can be kept as a policy.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from discreet.channels.exclusive_names import parse_exclusive
from discreet.errors import DiscreetError
from discreet.policy.policy import POLICY_FILE, Policy
from discreet.thresholds import K, Rho, Support
from discreet.transactions.reading import columns_in
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.wording import counted, number, percent

if TYPE_CHECKING:
    from discreet.publishing.audiences import ReleaseMethod
    from discreet.transactions.options import ReadOptions
    from discreet.workbench.input_file import InputFile
    from discreet.workbench.tasks.point import Point

__all__ = ["METHOD_WORDS", "Setting", "policy_of"]


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


def policy_of(file: InputFile, point: Point, method: ReleaseMethod, title: str) -> Policy:
    """Return the policy that publishes the patterns of a file at a point; refuse a field that makes no sense."""
    columns: tuple[str, ...] = ()
    with suppress(DiscreetError):
        columns = columns_in(None if file.path is None else str(file.path), file.reading)
    return Policy(
        path=Path(POLICY_FILE),
        file=file.name,
        options=file.reading,
        expect_columns=columns if all(columns) else (),  # lists of labels are a column without a name
        quasi_identifying=parse_names(point.quasi_identifiers, "quasi_identifiers"),
        sensitive=parse_names(point.sensitive, "sensitive"),
        rho=None if point.rho is None else Rho.parse(point.rho),
        exclusive=parse_exclusive(point.exclusive, typed=True),
        k=K.parse(point.k),
        min_support=Support.parse(point.min_support),
        method=method,
        title=title or None,
        output="release-{date}",
        ledger=Path("releases.ledger"),
        owner_report="{name}.owner.html",
    )
