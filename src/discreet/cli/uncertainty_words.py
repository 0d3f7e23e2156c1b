"""What `check` and `anonymize` have to say in common: rules in words, warnings, files named after others."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.cli.options import data_words
from discreet.transactions.options import ReadOptions
from discreet.wording import counted, itemset_text, label_text, number, one_line, percent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.sensitive_rules import SensitiveRule

__all__ = ["beside", "loss_text", "reading_again", "row_numbers", "rule_text", "warn", "warn_of_absent"]

ROWS_SHOWN = 12


def rule_text(rule: SensitiveRule) -> str:
    """Return a sensitive rule as a sentence."""
    cases = f"{number(rule.together)} of {counted(rule.holding, 'row')} ({percent(rule.together, rule.holding)})"
    if not rule.antecedent:
        return f"Anyone has {label_text(rule.consequent)}: {cases}."
    return f"Anyone who has {itemset_text(rule.antecedent)} also has {label_text(rule.consequent)}: {cases}."


def loss_text(loss: Fraction) -> str:
    """Return an information loss in per cent, to a hundredth: methods may differ by little."""
    return f"{100 * float(loss):.2f} %"


def row_numbers(positions: NDArray[np.int64]) -> str:
    """Return rows by their numbers in the file, the first of many."""
    shown = [number(int(position) + 1) for position in positions[:ROWS_SHOWN]]
    more = len(positions) - len(shown)
    listed = ", ".join(shown) + (f" and {number(more)} more" if more else "")
    return f"row {listed}" if len(positions) == 1 else f"rows {listed}"


def warn(sentence: str) -> None:
    """Tell standard error what the user may not have meant."""
    with suppress(OSError, AttributeError):  # where nobody listens, the answer still stands
        print(one_line(f"warning: {sentence}"), file=sys.stderr, flush=True)  # noqa: T201


def warn_of_absent(absent: Sequence[str], data: str) -> None:
    """Warn of sensitive labels that no row holds."""
    if len(absent) == 1:
        warn(f"the sensitive label {label_text(absent[0])} is in no row of {data}; is it spelled as in the data?")
    elif absent:
        warn(
            f"{number(len(absent))} sensitive labels are in no row of {data}, {label_text(absent[0])} the first of "
            "them; are they spelled as in the data?"
        )


def beside(data: str, name: str) -> str:
    """Return a file name with the suffixes of DATA, in the working folder."""
    suffixes = [suffix for suffix in Path(data).suffixes if suffix.lower() in _SUFFIXES]
    return f"{name}{''.join(suffixes)}" if suffixes else f"{name}.dat"


_SUFFIXES = {".dat", ".txt", ".csv", ".tsv", ".parquet", ".json", ".jsonl", ".gz"}


def reading_again(rows: Transactions, output: Path) -> list[str]:
    """Return the words that read published rows from the file that they were written to."""
    from discreet.transactions.writing import layout_for

    return data_words(str(output), ReadOptions.of_layout(layout_for(rows, output), output))
