"""Files with some of their bytes changed, read as rows, patterns and rules: a valid result, or one InputError.

Files are read by the thousand in processes of their own, so that one that would end the reader counts as broken, too.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from os import cpu_count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

import discreet
from evidence.campaign import Campaign, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["CAMPAIGNS"]

PART = 20_000
"""How many files one process reads."""

PIECES = (
    *(b",", b";", b"\t", b" ", b"\n", b"\r\n", b"\r", b'"', b'""', b"'", b"\\", b"#", b"=", b"%", b":", b"\0", b"\xff"),
    *(b"[", b"]", b"{", b"}", b"(", b")", b"a", b"b", b"1", b"0", b"-1", b"0.5", b"1e400", b"nan", b"null", b"true"),
    *(b"NA", b"?", b"99999999999999999999", b"\xef\xbb\xbf", b"\xc3\xa9", b"\xed\xa0\x80", b"\\u0061", b"\\ud800"),
    *(b"# n: 3\n", b"@ITEM=1=", b"#SUP:", b"#CONF:", b"==>", b" => ", b"frozenset({", b'"a"', b"50%"),
)


@dataclass(slots=True)
class _Seen:
    """What became of a number of files."""

    tried: int = 0
    refused: int = 0
    broken: list[str] = field(default_factory=list)

    def add(self, other: _Seen) -> None:
        """Count what another saw, too."""
        self.tried += other.tried
        self.refused += other.refused
        self.broken += other.broken


def _damaged(content: bytes, luck: random.Random) -> bytes:
    """Return a file with one to four things wrong with it."""
    changed = bytearray(content)
    for _ in range(luck.choice((1, 1, 1, 2, 3, 4))):
        at, length = luck.randint(0, len(changed)), luck.randint(1, 12)
        match luck.randrange(6):
            case 0 if at < len(changed):
                changed[at] = luck.randrange(256)
            case 1:
                del changed[at : at + length]
            case 2 | 3:
                changed[at:at] = luck.choice(PIECES)
            case 4:
                changed[at:at] = changed[max(0, at - length) : at]
            case _ if luck.random() < 0.3:
                del changed[at:]
    return bytes(changed)


ROWS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "rows.dat": (b"1 2 3\n2 3\n\n1\n3 20 100\n", {}),
    "spmf.dat": (b"@CONVERTED_FROM_TEXT\n@ITEM=1=milk\n@ITEM=2=green tea\n1 2\n2\n% remark\n1\n", {"format": "spmf"}),
    "basket.csv": (b'milk,tea\nmilk,"eggs, large"\n"a ""b""",tea\n', {"format": "basket"}),
    "table.csv": (b'age,area,sex\n34,N1,f\n35,"N 2",m\n,N1,f\n61,"a\nb",m\n', {"format": "table"}),
    "bare.csv": (b"34,N1\n35,N2\n36,\n", {"format": "table", "header": False}),
    "table.tsv": (b"age\tarea\n34\tN1\n35\tN2\n", {"format": "table"}),
    "long.csv": (
        b"who,what\n1,milk\n1,tea\n2,milk\n3,\n",
        {"format": "long", "id_column": "who", "item_column": "what"},
    ),
    "onehot.csv": (b"milk,tea,eggs\n1,1,0\n0,1,0\n1,0,1\n", {"format": "onehot"}),
    "rows.json": (b'[["milk", "tea"], ["milk"], [], ["a\\u0301"]]\n', {}),
    "rows.jsonl": (b'{"age": 34, "area": "N1"}\n{"age": 35, "area": null}\n', {"format": "table"}),
}


def _read_rows(name: str, content: bytes, path: Path) -> str:
    """Read rows; return what is wrong with them."""
    rows = discreet.read(path, **ROWS[name][1])
    if not len(rows) or len(rows.offsets) != len(rows) + 1 or rows.offsets[-1] != len(rows.items):
        return "the rows are not whole"
    expected = _lines(name, content)
    if expected is not None and expected < 0:
        return "it has a quote out of place, and was read"
    return "" if expected is None or expected == len(rows) else f"{expected} rows went in, {len(rows)} came out"


def _lines(name: str, content: bytes) -> int | None:
    """Return how many rows a file has where that is plain to see, by Python's own means."""
    if name == "rows.dat" and b"\r" not in content:
        return content.count(b"\n") + (not content.endswith(b"\n"))
    records = _records(content) if name in ("table.csv", "bare.csv", "onehot.csv") else None
    return None if records is None else records - (name != "bare.csv")


def _records(content: bytes) -> int | None:
    """Return how many records Python's reader finds in a CSV file, -1 where it finds a quote that is out of place.

    None where it could rightly differ: other line ends, text that is none, and blanks, which we do not look at.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    if set(text) & set("\r\0\ufeff"):
        return None
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return None if re.search(r'[ \t]"|"[ \t]', text) else -1
    return None if any(len(record) < 2 and not "".join(record).strip() for record in records) else len(records)


PATTERNS: dict[str, bytes] = {
    "ours.csv": (
        b'# n: 9\n# min_support: 2\n# target: all\nitems,support\n"[""a""]",5\n"[""b c""]",4\n"[""a"", ""b c""]",2\n'
    ),
    "ours.json": b'{"n": 9, "min_support": 2, "target": "all", "count": 1, "itemsets": [{"items": ["a"], "support": 5}]}',  # noqa: E501
    "mlxtend.csv": b",support,itemsets\n0,0.5,frozenset({'tea'})\n1,0.25,\"frozenset({'milk', 'tea'})\"\n",
    "spark.csv": b'items,freq\n[milk],3\n"[tea, milk]",2\n[tea],4\n',
    "spark.json": b'{"items":["milk"],"freq":3}\n{"items":["eggs, large","milk"],"freq":2}\n',
    "spmf.txt": b"@ITEM=1=milk\n@ITEM=2=tea\n1 #SUP: 4\n2 #SUP: 3\n1 2 #SUP: 2\n",
    "arules.csv": b'"items","support","count"\n"{milk}",0.5,4\n"{milk,tea}",0.25,2\n',
    "pami.csv": b"Patterns,Support\nmilk,4\ntea,3\nmilk tea,2\n",
}
RULES: dict[str, bytes] = {
    "ours.csv": (
        b"# n: 9\nantecedent,consequent,support,antecedent_support,consequent_support,confidence\n"
        b'"[""a""]","[""b""]",2,4,3,0.5\n'
    ),
    "spark.json": b'{"antecedent":["tea"],"consequent":["milk"],"confidence":0.75,"lift":1.5,"support":0.25}\n',
    "spmf.txt": b"1 2 ==> 4 #SUP: 3 #CONF: 0.75\n4 ==> 1 #SUP: 2 #CONF: 0.5 #LIFT: 1.2\n",
    "arules.csv": b'"rules","support","confidence"\n"{a} => {b}",0.25,0.5\n"{b} => {a}",0.25,0.75\n',
}


def _read_patterns(name: str, content: bytes, path: Path) -> str:
    """Read patterns; return what is wrong with them."""
    given = discreet.read_patterns(path, n=8)
    if (given.supports < 1).any() or (given.supports > 8).any():
        return "a support is out of bounds"
    given.to_patternset("all")  # whose constructor checks everything
    records = _records(content) if name in ("mlxtend.csv", "spark.csv", "arules.csv", "pami.csv") else None
    if records == -1:
        return "it has a quote out of place, and was read"
    lost = 0 if records is None or _has_the_empty_itemset(content) else records - 1 - len(given)
    return f"{lost} patterns were lost" if lost else ""


def _has_the_empty_itemset(content: bytes) -> bool:
    """Say whether a file may hold the empty itemset, which is no pattern: it says how many rows there are."""
    return any(empty in content for empty in (b"[]", b"{}", b"()", b'""', b"\n,", b"[ ", b"{ "))


def _read_rules(_name: str, _content: bytes, path: Path) -> str:
    """Read rules; return what is wrong with them."""
    given = discreet.read_rules(path, n=8)
    return "a support is out of bounds" if (given.supports < 1).any() or (given.supports > 8).any() else ""


def _packed(samples: dict[str, bytes]) -> dict[str, bytes]:
    """Add a file that is compressed to some samples."""
    name = next(iter(samples))
    return samples | {f"{name}.gz": gzip.compress(samples[name], mtime=0)}


def _parquet(columns: dict[str, list[Any]]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


SETS = {"items": [["a"], ["a", "b"]], "support": [4, 2]}
ROWS["rows.parquet"] = (_parquet({"age": [34, None], "area": ["N1", "N2"]}), {})
ROWS["rows.dat.gz"] = (gzip.compress(ROWS["rows.dat"][0], mtime=0), {})
READERS: dict[str, tuple[Callable[[str, bytes, Path], str], dict[str, bytes]]] = {
    "rows": (_read_rows, {name: content for name, (content, _) in ROWS.items()}),
    "patterns": (_read_patterns, _packed(PATTERNS) | {"ours.parquet": _parquet(SETS)}),
    "rules": (_read_rules, _packed(RULES)),
}


def read_files(kind: str, start: int, end: int) -> _Seen:
    """Read one damaged file for each seed."""
    read, samples = READERS[kind]
    names = sorted(samples)
    seen = _Seen()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(start, end):
            luck = random.Random(seed)
            name = luck.choice(names)
            content = _damaged(samples[name], luck)
            path = Path(folder) / name
            path.write_bytes(content)
            seen.tried += 1
            try:
                wrong = read(name, content, path)
            except discreet.InputError as error:
                seen.refused += 1
                wrong = "" if str(error) and "\n" not in str(error) else "the error is not one sentence"
            except Exception as error:  # noqa: BLE001 - which must not happen
                wrong = f"{type(error).__name__}: {error}"
            if wrong:
                seen.broken.append(f"seed {seed}, {name}: {wrong}")
    return seen


def _in_a_process(kind: str, start: int, end: int) -> _Seen:
    """Do the same in a process of its own."""
    command = [sys.executable, "-m", "evidence.fuzzing", kind, str(start), str(end)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        return _Seen(end - start, 0, [f"seeds {start} to {end - 1}: the process ended with {done.returncode}"])
    return _Seen(**json.loads(done.stdout))


def _fuzz(kind: str) -> Callable[[int], Iterator[Outcome]]:
    def run(count: int) -> Iterator[Outcome]:
        parts = [(kind, start, min(start + PART, count)) for start in range(0, count, PART)]
        seen = _Seen()
        with ThreadPoolExecutor(cpu_count()) as pool:
            for one in pool.map(lambda part: _in_a_process(*part), parts):
                seen.add(one)
        for each in seen.broken[:20]:
            print(each, file=sys.stderr)
        yield Outcome(
            f"damaged files of {kind}", seen.tried, seen.refused, len(seen.broken), "; ".join(seen.broken[:1])
        )

    return run


CAMPAIGNS = tuple(
    Campaign(
        f"Fuzzed files of {kind}",
        f"A damaged file of {kind} gives a valid result or is refused in one sentence, and nothing in it is lost: "
        "what Python's own reader finds in it is what is read. Each format in turn has bytes changed, removed, put in, "
        "repeated, or its end cut off.",
        _fuzz(kind),
        few=300,
        many=many,
    )
    for kind, many in (("rows", 1_000_000), ("patterns", 1_000_000), ("rules", 500_000))
)

if __name__ == "__main__":
    print(json.dumps(asdict(read_files(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))))
