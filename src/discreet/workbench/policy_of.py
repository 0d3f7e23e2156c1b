"""What is chosen on *Publish*, as a policy."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.channels.exclusive_names import parse_exclusive
from discreet.errors import DiscreetError
from discreet.policy.policy import POLICY_FILE, Policy
from discreet.thresholds import K, Rho, Support
from discreet.transactions.reading import columns_in
from discreet.transactions.shapes.cell_rules import parse_names

if TYPE_CHECKING:
    from discreet.publishing.audiences import ReleaseMethod
    from discreet.workbench.input_file import InputFile
    from discreet.workbench.tasks.point import Point

__all__ = ["policy_of"]


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
