"""Random pattern sets, with labels that formats find hard to carry."""

from __future__ import annotations

from hypothesis import strategies as st

from discreet.patterns.patternset import PatternSet
from tests.slow_twin import mined

HARD = [
    *(
        "a b",
        " a",
        "a ",
        "",
        ",",
        "a,b",
        '"',
        '""',
        "'",
        "it's",
        "\\",
        "\\\\",
        '\\"',
        "a\\",
        "\n",
        "a\nb",
        "\r",
        "\r\n",
        "\t",
    ),
    *(
        "=",
        "a=b",
        "#",
        "#SUP:",
        "# n: 5",
        "@ITEM=1=x",
        "%",
        "==>",
        "{",
        "}",
        "{a,b}",
        "} => {",
        "[a, b]",
        '["a"]',
        "', '",
        '", "',
    ),
    *(
        '\\", "',
        "frozenset()",
        "frozenset({'a'})",
        "1",
        "01",
        "-1",
        "1.0",
        "null",
        "None",
        "NA",
        "true",
        "nan",
        "é",
        "日本語",
        "😀",
    ),
    *(
        "\u2028",
        "\xa0",
        "\x00",
        "\x1f",
        "\x7f",
        "\ufeff",
        "age=[20,40)",
        "[1",
        "2]",
        "2020-01-01",
        '}, {"items": [',
        '], "support": 3',
    ),
]
"""Labels that are part of some format's own grammar."""

LABELS = st.one_of(st.sampled_from(HARD), st.text(st.characters(exclude_categories=["Cs"]), max_size=6))


@st.composite
def pattern_sets(draw: st.DrawFn, labels: st.SearchStrategy[str] = LABELS, max_rows: int = 8) -> PatternSet:
    """Draw rows over few labels, and what is mined from them: all, closed or maximal itemsets, perhaps capped."""
    names = draw(st.lists(labels, min_size=1, max_size=5, unique=True))
    rows = draw(st.lists(st.lists(st.sampled_from(names), max_size=5), max_size=max_rows))
    target = draw(st.sampled_from(["all", "closed", "maximal"]))
    cap = draw(st.one_of(st.none(), st.integers(1, 3)))
    min_support = draw(st.integers(1, 3))
    found = [
        (itemset, support)
        for itemset, support in mined(rows, min_support, target).items()
        if cap is None or len(itemset) <= cap
    ]
    return PatternSet.from_itemsets(found, n=len(rows), min_support=min_support, target=target, max_length=cap)


def all_itemsets(rows: list[list[str]], min_support: int) -> PatternSet:
    """Return all frequent itemsets of a few rows, slowly."""
    return PatternSet.from_itemsets(mined(rows, min_support, "all").items(), n=len(rows), min_support=min_support)
