"""Files of rules that are not what they should be: one sentence that says where, and nothing of what the rows hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from discreet.patterns.reading import read_rules
from tests.patterns.formats.refusals import refused

if TYPE_CHECKING:
    from pathlib import Path

HEADS = 'antecedent,consequent,support,confidence\n"[""secret""]","[""b""]",'
RULES = {
    "a confidence above 1": (
        "r.csv",
        HEADS + "3,1.5\n",
        "row 1: the confidence must be a share between 0 and 1",
    ),
    "a confidence in words": (
        "r.csv",
        HEADS + "3,high\n",
        "row 1: the confidence is missing or not a number",
    ),
    "a negative confidence": (
        "r.csv",
        HEADS + "3,-0.5\n",
        "row 1: the confidence must be",
    ),
    "a support above n": (
        "r.csv",
        HEADS + "6,0.5\n",
        "row 1: the support is above the number of rows, 5",
    ),
    "a share without n": (
        "r.csv",
        HEADS + "0.3,0.5\n",
        "row 1: the support must be|is not a share of 5 rows",
    ),
    "a rule twice": (
        "r.csv",
        HEADS + '3,0.5\n"[""secret""]","[""b""]",3,0.5\n',
        "row 2: the same rule as in .*row 1",
    ),
    "an item on both sides": (
        "r.csv",
        HEADS.replace('""b""', '""secret""') + "3,0.5\n",
        "row 1: an item occurs twice in",
    ),
    "no consequent": (
        "r.csv",
        HEADS.replace('"[""b""]"', "[]") + "3,0.5\n",
        "row 1: the consequent is empty",
    ),
    "a quote that is not closed": (
        "r.csv",
        'support,confidence,antecedent,consequent\n3,0.5,"[""a""]","[""secret""]\n3,0.5,"[""b""]","[""c""]"\n',
        "^line 2 of .*r.csv has a quote that is not closed",
    ),
    "no arrow": (
        "r.txt",
        "1 2 #SUP: 3 #CONF: 0.5\n",
        "line 1: expected a line such as 1 2 ==> 4",
    ),
    "no confidence": (
        "r.txt",
        "1 ==> 2 #SUP: 3\n",
        "line 1: expected a line such as 1 2 ==> 4",
    ),
    "an item on both sides of the arrow": (
        "r.txt",
        "1 2 ==> 2 #SUP: 3 #CONF: 0.5\n",
        "line 1: an item occurs twice in the rule",
    ),
    "an arules cell without an arrow": (
        "r.csv",
        "rules,support,confidence\n{secret},0.4,0.5\n",
        "row 1: expected a rule such as",
    ),
    "unknown columns": (
        "r.csv",
        "if,then\nsecret,b\n",
        "expected the columns support and confidence.*not found among its 2; rename them",
    ),
}


@pytest.mark.parametrize(("name", "content", "words"), RULES.values(), ids=RULES)
def test_rules(tmp_path: Path, name: str, content: str, words: str):
    refused(read_rules, tmp_path / name, content, words, n=5)
