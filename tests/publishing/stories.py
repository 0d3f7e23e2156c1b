"""Releases for tests of reports, made of rows without the files around them; and what a page says in words."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.channels.attacker import DEFAULT_ATTACK_STEPS
from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.itemsets import Itemsets
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.publishing.audiences import AttackCheck, OwnerStory, PublishedPatterns
from discreet.transactions.generate import hospital
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary

if TYPE_CHECKING:
    from discreet.thresholds import MinSupport

FILES = ("certificate.json", "patterns.csv", "patterns.parquet", "report.html")

LOOKED = AttackCheck(steps=20_000, windows=1, items_per_window=2, left_out=0, candidates=4, programs=3, complete=True)
"""What an attacker looked at, where nobody is to look again."""

HOSTILE = (
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 1">',
    "</script><script>window.hacked = 1</script>",
    "$title ${body} &lt;b&gt; &amp;",
    "שלום עולם",
    "evil \u202egnp.exe",
    "two\nlines\x1b[31m",
    "long-" + "x" * 300,
    "'; DROP TABLE people; --",
)
"""Labels as nobody should write them."""


def published_of(patterns: PatternSet, k: int, **others: Any) -> PublishedPatterns:
    """Return what is public about safe patterns; `attack` says what was looked at, unless it is to be found."""
    patterns = replace(patterns, min_support=int(patterns.supports.min(initial=patterns.n)))
    if "attack" not in others:
        found = audit(patterns, k=k)
        others |= {"attack": AttackCheck.of(found.attack, DEFAULT_ATTACK_STEPS), "proved": found.proved}
    return PublishedPatterns(patterns=patterns, k=k, **{"version": "0.0", "files": FILES} | others)


def story_of(
    rows: Transactions, *, k: int, min_support: MinSupport, method: Any, title: str | None = None
) -> OwnerStory:
    """Return the whole story of a release."""
    blocked = None if method == "none" else block(rows, k=k, min_support=min_support, method=method)
    patterns = mine(rows, min_support=min_support) if blocked is None else blocked.patterns
    words = ("discreet", "release", "rows.csv", "-s", str(min_support), "-k", str(k), "--method", method, "-o", "out")
    before = audit(rows, k=k, min_support=min_support)
    return OwnerStory(
        published=published_of(patterns, k, title=title),
        before=before,
        blocked=blocked,
        source="rows.csv",
        command=words,
        bundle="out",
    )


def hospital_story(method: str = "additive") -> OwnerStory:
    """Return a release of the made-up hospital."""
    return story_of(hospital(rows=800, seed=3), k=5, min_support="12%", method=method, title="A made-up hospital")


def hostile_story() -> OwnerStory:
    """Return a release of rows with hostile labels, under a hostile title."""
    lists = [HOSTILE[: 2 + number % 8] for number in range(90)] + [HOSTILE[:3]] * 2 + [[*HOSTILE[5:], "rare"]] * 3
    return story_of(Transactions.from_rows(lists), k=5, min_support=20, method="additive", title=HOSTILE[0])


def many_patterns(count: int) -> PatternSet:
    """Return so many itemsets: pairs of items, the later ones in more rows."""
    items = next(size for size in range(2, count) if size * (size - 1) // 2 >= count)
    pairs = np.stack(np.triu_indices(items, k=1), axis=1)[:count]
    return PatternSet(
        itemsets=Itemsets.of_matrix(pairs.astype(np.int32)),
        supports=np.arange(1000, 1000 + count),
        vocabulary=Vocabulary(f"item {number:05}" for number in range(items)),
        n=1000 + 10 * count,
        min_support=1000,
        target="closed",
    )


def words_of(page: str) -> str:
    """Return what a page says: without its style, its script, its drawings and its numbers for the script."""
    bare = re.sub(r"<(style|script|svg).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", bare)).split())
