"""The gate of docs/how-to/gate.md: every row of its table is run, and none may open it.

`discreet audit … && publish` publishes whatever ends with status 0. What was misread, is empty, incomplete, damaged or
about unknown labels must end otherwise, with the sentence of the page.
"""

from __future__ import annotations

import gzip
import re
import shlex
import subprocess
from itertools import product
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

from tests.cli.conftest import COMMAND

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "gate.md"
ROWS = "".join(f"{','.join(cells)}\n" * 6 for cells in product(("young", "old"), ("north", "south"), ("flu", "cold")))
TABLE = f"age,ward,ill\n{ROWS}"
LONG = "stay,what\n" + "".join(f"{stay},{item}\n" for stay in range(20) for item in "abc"[: 1 + stay % 3])
STAYS = "patient,ill\n" + "".join(f"{stay // 4},{'flu' if stay % 4 else 'cold'}\n" for stay in range(60))
COUNTS = 'items,support\n"[""a""]",33\n"[""a"", ""b""]",30\n'
SHARES = "support,itemsets\n" + "".join(
    f'{count / 9835!r},"frozenset({items!r})"\n' for items, count in (({"a"}, 2513), ({"b"}, 1903), ({"a", "b"}, 1893))
)

CASES: dict[str, tuple[str | bytes, str]] = {
    "a table without a header": (ROWS, "FILE.csv -s 10 -k 3"),
    "a first line of numbers": (
        "".join(f"{x % 3},{x % 4 + 5},{x % 5 + 20}\n" for x in range(60)),
        "FILE.csv -s 5 -k 3",
    ),
    "a long table, read as a table": (LONG, "FILE.csv -s 5 -k 3"),
    "comments above the rows": (f"# exported\n{TABLE}", "FILE.csv -s 10 -k 3"),
    "a line of another length": (f"{TABLE}young,north\n", "FILE.csv -s 10 -k 3"),
    "two possible separators": ("a;b,c\n" * 3 + "a;b,d\n" * 30, "FILE.csv -s 10 -k 3"),
    "itemsets in place of rows": (COUNTS, "FILE.csv -s 1 -k 3"),
    "SPMF's itemsets in place of rows": ("a b #SUP: 20\na #SUP: 30\n", "FILE.txt -s 1 -k 3"),
    "rows in place of itemsets": (TABLE, "--patterns FILE.csv -k 3"),
    "several rows of one id": (STAYS, "FILE.csv -s 10 -k 3 --id-column patient"),
    "UTF-16 without a mark": (TABLE.encode("utf-16-le"), "FILE.csv -s 10 -k 3"),
    "another encoding": (TABLE.replace("flu", "gripe aviária").encode("latin-1"), "FILE.csv -s 10 -k 3"),
    "a PDF named .csv": (b"%PDF-1.7\n1 0 obj\n", "FILE.csv -s 1 -k 3"),
    "a web page saved as .csv": ("<!DOCTYPE html>\n<html>\n<p>Sign in</p>\n</html>\n", "FILE.csv -s 1 -k 3"),
    "an empty file": ("", "FILE.csv -s 10 -k 3"),
    "a header and no rows": ("age,ward,ill\n", "FILE.csv -s 1 -k 3"),
    "no frequent itemset": ("".join(f"i{row}\n" for row in range(40)), "FILE.dat -s 3 -k 3"),
    "itemsets are missing": ("a b #SUP: 20\na c #SUP: 20\n", "--patterns FILE.txt --n 100 -k 3"),
    "*n* smaller than a support": (COUNTS, "--patterns FILE.csv --n 20 -k 3"),
    "shares, and one zero too many in *n*": (SHARES, "--patterns FILE.csv --n 98350 -k 50"),
    "shares without *n*": (SHARES, "--patterns FILE.csv -k 50"),
    "shares of few digits without *n*": (
        "support,itemsets\n0.256,frozenset({'a'})\n0.193,frozenset({'b'})\n",
        "--patterns FILE.csv -k 3",
    ),
    "counts without *n*": (COUNTS, "--patterns FILE.csv -k 3"),
    "an unknown quasi-identifier": (TABLE, "FILE.csv -s 3 -k 3 --quasi-identifiers agee"),
    "an unknown exclusive item": (TABLE, "FILE.csv -s 3 -k 3 --exclusive agee"),
    "exclusive items that meet": (TABLE, "FILE.csv -s 3 -k 3 --exclusive age=young,ward=north"),
    "`check` of a misspelt label": (TABLE, "check FILE.csv --rho 0.9 --sensitive private.txt"),
    "`release --rows` of one": (TABLE, "release --rows FILE.csv --promise rho=0.9 --sensitive private.txt -o out"),
    "`block` with nothing left": (
        "".join(f"i{row}\n" for row in range(40)),
        "block FILE.dat -s 3 -k 3 --method additive",
    ),
    "an unknown column": (TABLE, "FILE.csv -s 3 -k 3 --drop agee"),
    "gzip data cut off": (gzip.compress(TABLE.encode() * 200)[:-60], "FILE.csv.gz -s 10 -k 3"),
    "no gzip data": (TABLE, "FILE.csv.gz -s 10 -k 3"),
    "Parquet cut off": (b"PAR1", "FILE.parquet -s 10 -k 3"),
    "an open quote": (f'{TABLE}"young,north,flu\n', "FILE.csv -s 10 -k 3"),
    "no such file": (TABLE, "OTHER.csv -s 10 -k 3"),
    "*k* of 1": (TABLE, "FILE.csv -s 3 -k 1"),
}


def on_the_page() -> dict[str, tuple[str, int]]:
    """Return the rows of the page's table: what comes in, what is said, and the status."""
    table = PAGE.read_text(encoding="utf-8").partition("## What the gate meets")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([0-9]) \|$", table, re.MULTILINE)
    return {name: (said, int(status)) for name, said, status in rows}


def test_the_page_has_every_case_and_no_other() -> None:
    assert list(on_the_page()) == list(CASES)


def command_of(words: str) -> str:
    return words if words.startswith(("check ", "block ", "release ")) else f"audit {words}"


def place(tmp_path: Path, words: str, content: str | bytes) -> None:
    """Write the file that the words name."""
    name = next((word for word in words.split() if word.startswith("FILE")), "FILE.csv")
    if name.endswith(".parquet"):
        pyarrow.parquet.write_table(pyarrow.csv.read_csv(pyarrow.BufferReader(TABLE.encode())), tmp_path / name)
        content = (tmp_path / name).read_bytes()[:-40]
    (tmp_path / "private.txt").write_text("ill=Flu\n")
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize("case", CASES)
def test_the_gate_stays_shut(call, tmp_path: Path, case: str):
    said, status = on_the_page()[case]
    content, words = CASES[case]
    place(tmp_path, words, content)
    told = call(*shlex.split(command_of(words)))
    assert told.status == status
    assert status != 0
    assert said in " ".join((told.out + told.err).split())


@pytest.mark.parametrize("case", ["no frequent itemset", "an empty file", "what is safe"])
def test_a_shell_publishes_what_is_safe_and_nothing_else(tmp_path: Path, case: str):
    """As the page has it: `discreet audit … && publish`."""
    content, words = (CASES | {"what is safe": (TABLE, "FILE.csv -s 3 -k 3")})[case]
    place(tmp_path, words, content)
    line = f"{' '.join(COMMAND)} {command_of(words)} && echo published > published"
    subprocess.run(["/bin/sh", "-c", line], cwd=tmp_path, capture_output=True, check=False)
    assert (tmp_path / "published").exists() == (case == "what is safe")
