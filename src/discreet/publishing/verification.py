"""What `verify` answers: the questions that were asked of a bundle, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from discreet.errors import spelled
from discreet.tables.tabular import Tabular
from discreet.wording import html_table

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from discreet.json_types import JsonObject
    from discreet.publishing.certificate import Certificate
    from discreet.publishing.free_text import FreeText
    from discreet.publishing.ledger_entries import Entry
    from discreet.publishing.timestamps import TimeStamp

__all__ = ["BundleCheck", "Verification"]


@dataclass(frozen=True, slots=True)
class BundleCheck:
    """One question, whether the answer is yes (None if it cannot be judged), and the answer in words.

    `message` is the answer with its parameters marked: `words` spells them for Python, the command line as options.
    """

    name: str
    holds: bool | None
    message: str

    @property
    def words(self) -> str:
        """The answer, with parameters as Python names them."""
        return spelled(self.message)


@dataclass(frozen=True, slots=True)
class Verification(Tabular):
    """The answers of `verify`.

    Attributes
    ----------
    checks : tuple of BundleCheck
        The questions and answers, up to the first "no".
    certificate : Certificate or None
        The certificate, if it could be read.
    signed_by : tuple of str
        The public keys, as hex, with which it was found to be signed.
    trusted : bool
        Whether trusted keys were named, and all of them signed it.
    free_text : FreeText or None
        The title and the labels, which only a reader can judge; None if a "no" came before.
    recorded : Entry or None
        The release in the ledger, if one was given.
    timestamp : TimeStamp or None
        The time stamp, if one was given and holds.
    """

    checks: tuple[BundleCheck, ...]
    certificate: Certificate | None
    signed_by: tuple[str, ...] = ()
    trusted: bool = False
    free_text: FreeText | None = None
    recorded: Entry | None = None
    timestamp: TimeStamp | None = None

    @property
    def holds(self) -> bool:
        """Whether every answer is yes."""
        return self.verdict == "holds"

    @property
    def verdict(self) -> Literal["holds", "does-not-hold", "not-judged"]:
        """The verdict as one word; "not-judged" if another version wrote a part, and no answer is no."""
        answers = {check.holds for check in self.checks}
        return "does-not-hold" if False in answers else "not-judged" if None in answers else "holds"

    @property
    def not_judged(self) -> tuple[str, ...]:
        """The questions that this version cannot answer."""
        return tuple(check.name for check in self.checks if check.holds is None)

    @property
    def reason(self) -> str:
        """Why it does not hold, or what cannot be judged; empty if it holds."""
        return spelled(self.reason_message)

    @property
    def reason_message(self) -> str:
        """The reason with its parameters marked, for other spellings than Python's."""
        worst = None if self.verdict == "not-judged" else False
        return "; ".join(check.message for check in self.checks if check.holds is worst)

    def to_dict(self, spell: Callable[[str], str] = spelled) -> JsonObject:
        """Return the JSON form.

        Parameters
        ----------
        spell : callable, optional
            Completes messages; Python's names of parameters by default.

        Returns
        -------
        dict
            The form.
        """
        return {
            "safe": self.holds,
            "verdict": self.verdict,
            "kind": None if self.certificate is None else self.certificate.kind,
            "promise": None if self.certificate is None else dict(self.certificate.promise),
            "recorded": None if self.recorded is None else self.recorded.to_dict(),
            "checks": [
                {"name": check.name, "holds": check.holds, "words": spell(check.message)} for check in self.checks
            ],
            "not_judged": list(self.not_judged),
            "signed_by": list(self.signed_by),
            "trusted": self.trusted,
            "timestamp": None if self.timestamp is None else self.timestamp.to_dict(),
            "free_text": None if self.free_text is None else self.free_text.to_dict(),
        }

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each check: `name`, `holds` (null if not judged) and `words`."""
        import pyarrow as pa

        texts = {name: [getattr(check, name) for check in self.checks] for name in ("name", "words")}
        holds = pa.array([check.holds for check in self.checks], pa.bool_())
        return pa.table({"name": texts["name"], "holds": holds, "words": texts["words"]})

    def __repr__(self) -> str:
        return "<Verification: holds>" if self.holds else f"<Verification: {self.verdict}; {self.reason}>"

    def _repr_html_(self) -> str:
        """Show the verdict and every check, in a notebook."""
        marks = {True: "holds", False: "does not hold", None: "cannot be judged"}
        rows = [(check.name, marks[check.holds], check.words) for check in self.checks]
        return html_table(("check", "", ""), rows, above=repr(self)[1:-1])
