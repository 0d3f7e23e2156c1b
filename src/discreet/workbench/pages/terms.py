"""The terms that pages use, each with a `?` next to it that tells what it means, in the words of the glossary."""

from __future__ import annotations

from discreet.publishing import page

__all__ = ["TERMS", "explained", "named", "words_of"]

TERMS = {
    "support": "The number of rows that have all items of an itemset.",
    "k": "The size from which on a group is large enough.",
    "channel": (
        "A pair of itemsets, base and full, from whose published supports anyone can compute a group of 1 to k−1 rows: "
        "those that hold all of base and nothing else of full."
    ),
    "closed": "A frequent itemset that no larger itemset with the same support contains.",
    "rho": "The confidence that nobody may reach when concluding a sensitive item.",
    "psi": "The share of a restrictive pattern's rows that may keep it; 0 hides it completely.",
    "sensitive": (
        "An item that nobody may conclude about a person from other items in the same row, such as a diagnosis."
    ),
    "bundle": "The folder that release writes: patterns or rows, a report, and the certificate.",
}
"""What each term means; `docs/glossary.md` says the same."""
_OF_PAGE = {
    "publish": ("bundle",),
    "hide": ("support", "psi", "bundle"),
    "protect": ("sensitive", "rho", "bundle"),
    "verify": ("bundle", "channel", "k"),
    "books": ("bundle", "support", "k"),
}
_NAMES = {"psi": "ψ", "closed": "closed itemset", "sensitive": "sensitive item"}


def explained(words: str, *terms: str) -> str:
    """Return a note, with a `?` for each of the terms that it uses."""
    return page.part("explained", words, _named(*terms), template="workbench/parts.html")


def words_of(task: str) -> str:
    """Return the terms of a page that stand nowhere else on it, each with a `?`."""
    return named(*_OF_PAGE[task])


def named(*terms: str) -> str:
    """Return terms, each with a `?`."""
    return page.part("words_of_page", _named(*terms), template="workbench/parts.html")


def _named(*terms: str) -> list[tuple[str, str]]:
    return [(_NAMES.get(name, name), TERMS[name]) for name in terms]
