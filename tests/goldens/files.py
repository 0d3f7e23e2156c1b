"""The small files that the recorded commands read: made here, or copied from tests/data."""

from __future__ import annotations

import shutil
from pathlib import Path

__all__ = ["write_files"]

_DATA = Path(__file__).parent.parent / "data"

_PEOPLE = "name,age,area,illness\n" + "".join(
    f"{number},{30 + number % 8},{'N1' if number % 5 else 'N2'},{'flu' if number % 4 else 'cold'}\n"
    for number in range(80)
)
_SQUARE = "a b\n" * 20 + "a\n" * 20 + "b\n" * 20 + "\n" * 20
"""Every group of these rows has 20 rows."""

_EXCLUSIVE = "f old\n" * 24 + "f young\n" * 33 + "m old\n" * 31 + "m young\n" * 12

_FILES = {
    # rows
    "square.dat": _SQUARE,
    "channel.dat": _SQUARE + "a b c\n" * 30 + "c\n" * 3,
    "exclusive.dat": _EXCLUSIVE,
    "next.dat": _SQUARE + "a\n" * 2,
    "people.csv": _PEOPLE,
    "few.csv": "name,age,area,illness\nAnn,34,N1,flu\nBen,37,N1,flu\nCid,34,N2,cold\nDot,37,N2,flu\nEve,61,N2,cold\n",
    "long.csv": "who,what\n1,milk\n1,tea\n2,milk\n2,tea\n3,milk\n4,\n",
    "onehot.csv": "milk,tea,eggs\n1,1,0\n1,0,0\n1,1,1\n0,1,0\n",
    "basket.csv": 'milk,tea\nmilk,"eggs, large"\nmilk,tea\n',
    "rows.json": '[["milk", "tea"], ["milk"], [], ["milk", "tea", "eggs"]]\n',
    "spaced.txt": "1 2 3\n\n2 3\n",
    "ragged.csv": "age,area\n34,N1\n35,N1,N2\n",
    "quote.csv": 'age,area\n34,"N1\n35,N1\n',
    "nul.dat": "a b\na \x00 c\n",
    "nothing.dat": "",
    # what kanon generalizes to
    "levels/age.csv": "".join(f"{age};{age // 4 * 4}+;*\n" for age in [*range(30, 38), 61]),
    "levels/area.csv": "N1;*\nN2;*\n",
    # what must not be known
    "restrict.txt": "A B D\nA C D\n",
    "restrict-rules.txt": "A B => C @ 0.5\nA D @ 0.5\n",
    "sensitive.txt": "alpha\ngamma\n",
    "unknown.txt": "omega\n",
    "tree.csv": "a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\n",
    # patterns and rules as other tools write them
    "mlxtend.csv": (
        ",support,itemsets\n0,0.6,frozenset({'tea'})\n1,0.9,frozenset({'milk'})\n2,0.5,\"frozenset({'milk', 'tea'})\"\n"
    ),
    "spark.json": '{"items":["milk"],"freq":9}\n{"items":["tea"],"freq":6}\n{"items":["tea","milk"],"freq":5}\n',
    "spark.csv": 'items,freq\n[milk],9\n[tea],6\n"[tea, milk]",5\n',
    "spmf.txt": "1 #SUP: 9\n2 #SUP: 6\n1 2 #SUP: 5\n",
    "spmf-labels.txt": "@CONVERTED_FROM_TEXT\n@ITEM=1=milk\n@ITEM=2=green tea\n1 #SUP: 9\n2 #SUP: 6\n1 2 #SUP: 5\n",
    "arules.csv": '"items","support","count"\n"{milk}",0.9,9\n"{tea}",0.6,6\n"{milk,tea}",0.5,5\n',
    "pami.csv": "Patterns,Support\nmilk,9\ntea,6\nmilk tea,5\n",
    "spmf-rules.txt": "1 ==> 2 #SUP: 50 #CONF: 0.8\n2 ==> 1 #SUP: 50 #CONF: 0.9\n",
    "spark-rules.json": (
        '{"antecedent":["tea"],"consequent":["milk"],"confidence":0.75,"lift":1.5,"support":0.3}\n'
        '{"antecedent":["milk"],"consequent":["tea"],"confidence":0.6,"lift":1.5,"support":0.3}\n'
    ),
    "bad-support.txt": "1 #SUP: 9\n2 #SUP: six\n",
    "impossible.txt": "1 #SUP: 5\n2 #SUP: 6\n1 2 #SUP: 9\n",
    "bad-label.csv": "support,itemsets\n0.6,frozenset({'tea'})\n0.5,\"frozenset({open('x')})\"\n",
}


def write_files(folder: Path) -> None:
    """Write all of them into a folder."""
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
        (folder / name).chmod(0o644)
    for example in _DATA.glob("*-example.dat"):
        shutil.copyfile(example, folder / example.name.replace("-example", ""))
        (folder / example.name.replace("-example", "")).chmod(0o644)
