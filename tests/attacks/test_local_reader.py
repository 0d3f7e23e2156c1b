"""What a reader guesses who knows how `local` works is what the documents say."""

from __future__ import annotations

from pathlib import Path

from discreet.uncertainty.local import GUESSED

DOCS = Path(__file__).parents[2] / "docs"


def test_the_share_of_guesses_is_the_one_that_was_counted() -> None:
    counted = f"changed: {GUESSED.denominator}; rho is reached in {GUESSED.numerator};"
    assert counted in (DOCS / "evidence.md").read_text(encoding="utf-8")
    said = f"{GUESSED.denominator}\n  were changed, and in {GUESSED.numerator} of these ({float(GUESSED):.1%}".replace(
        "%", " %"
    )
    assert said in (DOCS / "limitations.md").read_text(encoding="utf-8")
