"""Ways to carry people's rows out in a bundle that was sealed again, each as what a forger does to the folder.

A way changes the files and returns what else it changes in the certificate. The certificate is then written anew, with
the digests of the files, as anyone can: what stands in the way is not the seal, but that nothing in a bundle is free.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from discreet import read_patterns, write_patterns
from discreet.publishing import bundle as bundles
from discreet.publishing.certificate import CERTIFICATE, Certificate, FileDigest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Way = Callable[[Path], object]

__all__ = ["BY_LABELS", "IN_PATTERNS", "IN_ROWS", "JUDGED_ALONE", "ON_NOISE", "ON_RHO", "PAYLOAD", "sealed_again"]

ROWS = "".join(f"patient {number},flu,{number % 7},1{number:04}\n" for number in range(5000)).encode()
PAYLOAD = base64.b64encode(zlib.compress(ROWS, 9)).decode()[:3000]
"""The first part of 5,000 patients' rows, packed."""

BITS = [int(bit) for byte in PAYLOAD.encode() for bit in f"{byte:08b}"]


def sealed_again(folder: Path, changes: object) -> None:
    """Write a certificate that fits the files, with whatever else was changed in it."""
    certificate = Certificate.from_bytes((folder / CERTIFICATE).read_bytes())
    changes = dict(changes) if isinstance(changes, dict) else {}
    raw = changes.pop("raw", None)
    promise = {**certificate.promise, **changes.pop("promise", {})}
    names = (*certificate.files, *changes.pop("more_files", ()))
    files = {name: bundles.digest_file(folder / name) for name in names}
    files |= changes.pop("files", {})
    written = replace(certificate, files=files, promise=promise, **changes).to_bytes()
    (folder / CERTIFICATE).write_bytes(written if raw is None else raw(written))


def replaced(name: str, old: str, new: str, count: int = 1) -> Way:
    """Return a way that replaces text in a file."""

    def change(folder: Path) -> None:
        text = (folder / name).read_bytes().decode()
        assert old in text, f"{old!r} is not in {name}"
        (folder / name).write_bytes(text.replace(old, new, count).encode())

    return change


def told(**changes: Any) -> Way:
    """Return a way that changes the certificate alone."""
    return lambda _: changes


def promised(**changes: Any) -> Way:
    """Return a way that changes the figures of the certificate."""
    return told(promise=changes)


def in_the_certificate(key: str, change: Callable[[dict[str, Any]], Any]) -> Way:
    """Return a way that changes one of the figures, given all of them."""

    def changed(folder: Path) -> dict[str, Any]:
        promise = json.loads((folder / CERTIFICATE).read_bytes())["promise"]
        return {"promise": {key: change(promise)}}

    return changed


def written_otherwise(change: Callable[[dict[str, Any]], bytes]) -> Way:
    """Return a way that writes the certificate in another form; its seal is right."""
    return told(raw=lambda written: change(json.loads(written)))


def _table(name: str, change: Callable[[pa.Table], pa.Table] = lambda table: table, **options: Any) -> Way:
    """Return a way that writes a Parquet file again."""

    def write(folder: Path) -> None:
        table = change(pq.read_table(folder / name))
        pq.write_table(table, folder / name, **{"compression": "zstd", "store_schema": False} | options)

    return write


def _more_metadata(table: pa.Table) -> pa.Table:
    return table.replace_schema_metadata({**(table.schema.metadata or {}), "rows": PAYLOAD})


def _bytes_before_the_footer(folder: Path) -> None:
    """Put bytes where no page points to."""
    path = folder / "patterns.parquet"
    content = path.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    footer = len(content) - 8 - length
    path.write_bytes(content[:footer] + PAYLOAD.encode() + content[footer:])


def _another_writer(folder: Path) -> None:
    path = folder / "patterns.parquet"
    content = path.read_bytes()
    told_by = re.search(rb"parquet-cpp-arrow version [0-9.]+", content)
    assert told_by is not None
    mine = told_by[0][:-2] + b"99"
    path.write_bytes(content.replace(told_by[0], mine))


def _invisible_blanks(name: str) -> Way:
    """Return a way that ends lines with one blank or none."""

    def change(folder: Path) -> None:
        lines = (folder / name).read_bytes().split(b"\n")
        bits = (BITS * (len(lines) // len(BITS) + 1))[: len(lines)]
        (folder / name).write_bytes(b"\n".join(line + b" " * bit for line, bit in zip(lines, bits, strict=True)))

    return change


def _other_order(name: str) -> Way:
    def change(folder: Path) -> None:
        lines = (folder / name).read_bytes().splitlines(keepends=True)
        lines[-1], lines[-2] = lines[-2], lines[-1]
        (folder / name).write_bytes(b"".join(lines))

    return change


def _beside(name: str) -> Way:
    """Return a way that puts a file into the folder that the certificate does not name."""

    def change(folder: Path) -> None:
        (folder / name).write_text(PAYLOAD)

    return change


def _named_file(folder: Path) -> dict[str, Any]:
    name = f"{PAYLOAD[:100].lower().replace('+', '-').replace('/', '-').replace('=', '-')}.txt"
    name = f"a{name}"
    (folder / name).write_text("")
    return {"more_files": (name,)}


def _linked(folder: Path) -> None:
    (folder / "report.html").rename(folder.parent / "elsewhere.html")
    (folder / "report.html").symlink_to(folder.parent / "elsewhere.html")


def _folder(folder: Path) -> None:
    (folder / PAYLOAD[:100].replace("/", "-")).mkdir()


CARD = '<div class="cards">'
IN_PATTERNS: dict[str, Way] = {
    "report: a comment": replaced("report.html", CARD, f"<!-- {PAYLOAD} -->{CARD}"),
    "report: a script from elsewhere": replaced(
        "report.html", "</body>", '<script src="//x.example/a.js"></script></body>'
    ),
    "report: a script of its own": replaced("report.html", "</body>", f"<script>var rows='{PAYLOAD}'</script></body>"),
    "report: a rule of its style": replaced("report.html", "</style>", f"x::after{{content:'{PAYLOAD}'}}</style>"),
    "report: a font": replaced(
        "report.html", "</style>", f"@font-face{{font-family:x;src:url(data:font/woff2;base64,{PAYLOAD})}}</style>"
    ),
    "report: an attribute": replaced("report.html", CARD, f'<div class="cards" data-rows="{PAYLOAD}">'),
    "report: an element that is not shown": replaced("report.html", CARD, f"<p hidden>{PAYLOAD}</p>{CARD}"),
    "report: a picture": replaced("report.html", 'href="data:,"', f'href="data:image/png;base64,{PAYLOAD}"'),
    "report: a line about it": replaced("report.html", "<meta name", f'<meta name="x" content="{PAYLOAD}"><meta name'),
    "report: blanks at the ends of lines": _invisible_blanks("report.html"),
    "report: after its end": replaced("report.html", "</html>", f"</html>{PAYLOAD}"),
    "report: characters of no width": replaced("report.html", "promised", "pro\u200bmi\u200csed"),
    "report: another way to write a character": replaced("report.html", "<i>k</i>", "<i>&#107;</i>"),
    "report: quotation marks": replaced("report.html", 'class="lead"', "class='lead'"),
    "report: another title": replaced("report.html", "<title>", f"<title>{PAYLOAD[:200]} "),
    "report: a figure": replaced("report.html", '"lengths"', '"rows":[1,2,3],"lengths"'),
    "report: a drawing's description": replaced("report.html", "</svg>", f"<metadata>{PAYLOAD}</metadata></svg>"),
    "report: a second drawing": replaced("report.html", "</svg>", f'</svg><svg hidden="{PAYLOAD}"></svg>'),
    "patterns.parquet: metadata": _table("patterns.parquet", _more_metadata, store_schema=True),
    "patterns.parquet: a column": _table(
        "patterns.parquet", lambda table: table.append_column("rows", pa.array([PAYLOAD] * len(table)))
    ),
    "patterns.parquet: a field's metadata": _table(
        "patterns.parquet",
        lambda table: table.cast(
            pa.schema([table.schema.field(0), table.schema.field(1).with_metadata({"rows": PAYLOAD})])
        ),
        store_schema=True,
    ),
    "patterns.parquet: between pages": _bytes_before_the_footer,
    "patterns.parquet: another compression": _table("patterns.parquet", compression="gzip"),
    "patterns.parquet: groups of rows": _table("patterns.parquet", row_group_size=3),
    "patterns.parquet: the order of rows": _table(
        "patterns.parquet", lambda table: table.take(pa.array(range(len(table))[::-1]))
    ),
    "patterns.parquet: another writer": _another_writer,
    "patterns.parquet: after its end": lambda folder: (folder / "patterns.parquet").write_bytes(
        (folder / "patterns.parquet").read_bytes() + PAYLOAD.encode()
    ),
    "rules.parquet: metadata": _table("rules.parquet", _more_metadata, store_schema=True),
    "rules.parquet: digits of shares": _table(
        "rules.parquet",
        lambda table: table.set_column(
            5, "confidence", pa.array([share.as_py() + 1e-15 for share in table["confidence"]])
        ),
    ),
    "patterns.csv: a remark": replaced("patterns.csv", "items,support", f"# rows: {PAYLOAD}\nitems,support"),
    "patterns.csv: the order of lines": _other_order("patterns.csv"),
    "patterns.csv: blanks at the ends of lines": _invisible_blanks("patterns.csv"),
    "patterns.csv: a column": replaced("patterns.csv", "items,support", "items,support,rows"),
    "patterns.csv: ends of lines": replaced("patterns.csv", "\n", "\r\n", 99),
    "patterns.csv: zeros before a number": replaced("patterns.csv", "# n: ", "# n: 000"),
    "patterns.csv: another way to write a letter": replaced("patterns.csv", "ad", "\\u0061d"),
    "patterns.csv: blanks in a list": replaced("patterns.csv", '"", ""', '"",  ""'),
    "patterns.csv: after its end": lambda folder: (folder / "patterns.csv").write_bytes(
        (folder / "patterns.csv").read_bytes() + b"\n"
    ),
    "rules.csv: digits of shares": lambda folder: (folder / "rules.csv").write_text(
        re.sub(r"(0\.\d+)\n", lambda found: f"{found[1]}123\n", (folder / "rules.csv").read_text(), count=1)
    ),
    "rules.csv: the order of lines": _other_order("rules.csv"),
    "rules.csv: a remark": replaced("rules.csv", "antecedent,", f"# {PAYLOAD}\nantecedent,"),
    "certificate: its statement": told(statement=PAYLOAD),
    "certificate: one more sentence": lambda folder: {
        "not_promised": (*json.loads((folder / CERTIFICATE).read_bytes())["not_promised"], PAYLOAD)
    },
    "certificate: its version": told(program=f"0.1.0+{PAYLOAD[:12].lower()}"),
    "certificate: a long version": told(program=PAYLOAD),
    "certificate: a long title": told(title=PAYLOAD),
    "certificate: an invisible title": told(title="Hospital\u200b\u200c\u200b"),
    "report: it lacks the title": told(title=PAYLOAD[:200]),
    "certificate: one more figure": promised(rows=PAYLOAD),
    "certificate: one more figure of the attack": in_the_certificate(
        "attack", lambda promise: {**promise["attack"], "rows": PAYLOAD}
    ),
    "certificate: digits of steps": in_the_certificate(
        "attack", lambda promise: {**promise["attack"], "steps": int.from_bytes(PAYLOAD[:400].encode())}
    ),
    "certificate: digits of a share": in_the_certificate(
        "rules", lambda promise: {**promise["rules"], "min_confidence": "5000000000001/10000000000000"}
    ),
    "certificate: names of items": in_the_certificate("quasi_identifiers", lambda _: [PAYLOAD]),
    "certificate: names of columns": in_the_certificate(
        "exclusive", lambda promise: {**promise["exclusive"], "columns": [PAYLOAD]}
    ),
    "certificate: names of columns twice": in_the_certificate(
        "exclusive", lambda promise: {**promise["exclusive"], "columns": promise["exclusive"]["columns"] * 2}
    ),
    "certificate: the order of columns": in_the_certificate(
        "exclusive", lambda promise: {**promise["exclusive"], "columns": promise["exclusive"]["columns"][::-1]}
    ),
    "certificate: the unit": promised(unit=PAYLOAD),
    "certificate: the definition": promised(definition=PAYLOAD),
    "certificate: blanks": written_otherwise(lambda document: json.dumps(document, indent=3, sort_keys=True).encode()),
    "certificate: the order of keys": written_otherwise(
        lambda document: (json.dumps(dict(reversed(document.items())), indent=2) + "\n").encode()
    ),
    "certificate: one more key": written_otherwise(
        lambda document: (json.dumps({**document, "rows": PAYLOAD}, indent=2, sort_keys=True) + "\n").encode()
    ),
    "certificate: a key twice": told(raw=lambda written: written.replace(b'"form": 2', b'"form": 1,\n  "form": 2')),
    "certificate: another size": told(files={"report.html": FileDigest(5, "0" * 64)}),
    "folder: a file": _beside("rows.csv"),
    "folder: a hidden file": _beside(".rows"),
    "folder: a file name": _named_file,
    "folder: a link": _linked,
    "folder: a folder": _folder,
}
"""Ways through a bundle of patterns, by where they hide the rows."""

JUDGED_ALONE = ("patterns.csv", "rules.csv", "certificate", "folder")
"""What a way must begin with for the stand-alone verifier to find it: it does not judge the other files."""

BY_LABELS = {
    "a long label": f"rows {PAYLOAD[:300]}",
    "characters of no width": "tea\u200b\u200c\u200b",
    "variants of a character": "tea\U000e0101\U000e0155",
    "tags": "tea\U000e0072\U000e006f",
    "blanks": "tea  \u2009 cup",
    "directions": "tea\u202ecup",
    "no character at all": "tea\u3164cup",
}
"""Labels that carry more than a reader sees."""


def _packed(**options: Any) -> Way:
    """Return a way that packs the rows again."""

    def change(folder: Path) -> None:
        path = folder / "rows.csv.gz"
        content = gzip.decompress(path.read_bytes())
        with (
            path.open("wb") as file,
            gzip.GzipFile(fileobj=file, mode="wb", **{"filename": "", "mtime": 0} | options) as packed,
        ):
            packed.write(content)

    return change


def _unpacked_text(old: bytes, new: bytes) -> Way:
    def change(folder: Path) -> None:
        path = folder / "rows.csv.gz"
        content = gzip.decompress(path.read_bytes())
        assert old in content
        path.write_bytes(gzip.compress(content.replace(old, new, 1), 9, mtime=0))

    return change


def _appended(content: bytes) -> Way:
    def change(folder: Path) -> None:
        path = folder / "rows.csv.gz"
        path.write_bytes(path.read_bytes() + content)

    return change


IN_ROWS: dict[str, Way] = {
    "rows: a file name inside": _packed(filename="1234-flu-5678-hiv.csv"),
    "rows: a time inside": _packed(mtime=1_234_567_890),
    "rows: packed otherwise": _packed(compresslevel=1),
    "rows: a second stream": _appended(gzip.compress(b"", mtime=1_234_567_890)),
    "rows: after its end": _appended(b"\0" * 8),
    "rows: quotation marks": _unpacked_text(b"milk", b'"milk"'),
    "rows: a blank line": _unpacked_text(b"\n", b"\n\n"),
    "rows: ends of lines": _unpacked_text(b"\n", b"\r\n"),
    "hierarchy: a level": replaced("hierarchy.csv", "milk;drink;ALL", "milk;milk;drink;ALL"),
    "hierarchy: the order of lines": _other_order("hierarchy.csv"),
    "hierarchy: a blank line": replaced("hierarchy.csv", "\n", "\n\n"),
    "report: a comment": replaced("report.html", CARD, f"<!-- {PAYLOAD} -->{CARD}"),
    "certificate: how to read": in_the_certificate("reading", lambda promise: {**promise["reading"], "delimiter": ";"}),
    "certificate: sensitive items": in_the_certificate("sensitive", lambda promise: [*promise["sensitive"], PAYLOAD]),
    "certificate: the unit": promised(unit=PAYLOAD),
}
"""Ways through a bundle of rows."""


def listed_again(*lines: str, without: tuple[str, ...] = (), **figures: Any) -> Way:
    """Return a way that adds lines to the patterns, and takes others away, in both files, with the right figures."""

    def change(folder: Path) -> dict[str, Any]:
        text = (folder / "patterns.csv").read_text()
        at = text.index("support\n") + len("support\n")
        kept = [line for line in text[at:].splitlines() if line not in without]
        assert len(kept) == text[at:].count("\n") - len(without), "these lines are not there"
        for name in ("patterns.csv", "patterns.parquet"):
            (folder / name).unlink()
        found = [*kept, *lines]
        (folder / "loose.csv").write_text(text[:at] + "".join(f"{line}\n" for line in found))
        patterns = replace(
            read_patterns(folder / "loose.csv").to_patternset(), target=figures.get("target", "selected")
        )
        (folder / "loose.csv").unlink()
        for name in ("patterns.csv", "patterns.parquet"):
            write_patterns(patterns, folder / name)
        return {"promise": {"itemsets": len(found), **figures}}

    return change


ON_RHO: dict[str, Way] = {
    "rho: raised": promised(rho="4/5"),
    "rho: lowered": promised(rho="1/10"),
    "rho: another way to write it": promised(rho="12/20"),
    "rho: of nothing": promised(sensitive=[]),
    "rho: without what is sensitive": promised(sensitive=None),
    "rho: not promised": promised(rho=None, sensitive=None, conclusion_search=None),
    "rho: an item that is not published": promised(sensitive=["flu", "hiv"]),
    "rho: all are listed": promised(target="all"),
    "rho: further looked": promised(conclusion_search={"windows": 10**6, "left_out": 0}),
    "rho: an itemset is back": listed_again('"[""flu"", ""south""]",40'),
    "rho: a subset is missing": listed_again(without=('"[""old""]",70',)),
    "rho: called complete": listed_again(target="all"),
}
"""Forgeries of a bundle that withholds itemsets: see `vectors.bundle_that_withholds`."""


def in_step(name: str, **changes: Any) -> Way:
    """Return a way that changes a step; a value may be a function of the old one."""

    def changed(promise: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            step | {key: new(step[key]) if callable(new) else new for key, new in changes.items()}
            if step["name"] == name
            else step
            for step in promise["steps"]
        ]

    return in_the_certificate("steps", changed)


def fixed(**changes: Any) -> Way:
    """Return a way that changes what was fixed."""
    return in_the_certificate("fixed", lambda promise: {**promise["fixed"], **changes})


ON_NOISE: dict[str, Way] = {
    "noise: a smaller epsilon": promised(epsilon="0.5"),
    "noise: a larger epsilon": promised(epsilon="2"),
    "noise: another way to write epsilon": promised(epsilon="1.0"),
    "noise: a smaller delta": promised(delta="0.0000001"),
    "noise: a larger delta": promised(delta="0.0001"),
    "noise: half the scale": in_step("bins", scale=lambda old: repr(float(old) / 2)),
    "noise: twice the scale": in_step("bins", scale=lambda old: repr(float(old) * 2)),
    "noise: digits of a scale": in_step("items", scale=lambda old: repr(float(old) * (1 + 1e-9))),
    "noise: zeros of a scale": in_step("n", scale=lambda old: f"{old}0"),
    "noise: digits of what is accounted": in_step("depth", accounted=lambda old: repr(float(old) * (1 - 1e-9))),
    "noise: a smaller share": in_step("bins", epsilon="1/100"),
    "noise: a share with more digits": in_step("n", epsilon="500000001/10000000000"),
    "noise: a larger sensitivity": in_step("n", sensitivity=2),
    "noise: fewer bases": in_step("bins", sensitivity=lambda old: old + 1),
    "noise: another mechanism": in_step("depth", mechanism="make_noisy_top_k"),
    "noise: more are chosen": in_step("pairs", chosen=lambda old: old + 1),
    "noise: several numbers of rows": in_step("n", chosen=3),
    "noise: a lower threshold": in_step("universe", threshold=lambda old: old - 1),
    "noise: a higher threshold": in_step("universe", threshold=lambda old: old + 1),
    "noise: another delta of the threshold": in_step("universe", delta=lambda old: repr(float(old) * 0.99)),
    "noise: a threshold of other steps": in_step("bins", threshold=5),
    "noise: the steps in another order": in_the_certificate("steps", lambda promise: promise["steps"][::-1]),
    "noise: a step twice": in_the_certificate("steps", lambda promise: [*promise["steps"], promise["steps"][0]]),
    "noise: without a step": in_the_certificate("steps", lambda promise: promise["steps"][1:]),
    "noise: no steps": promised(steps=[]),
    "noise: items that were known": fixed(universe=99, max_items=None),
    "noise: other shares": in_the_certificate(
        "fixed", lambda promise: {**promise["fixed"], "shares": {**promise["fixed"]["shares"], "n": "1"}}
    ),
    "noise: one more thing that was fixed": fixed(more=1),
    "noise: another support": fixed(min_support="7"),
    "noise: a support with more digits": fixed(min_support="123456789/9876543210"),
    "noise: fewer itemsets": fixed(top=1),
    "noise: the number of rows is public": fixed(public_n=True),
    "noise: other neighbours": promised(neighbours="one row replaced"),
    "noise: a digest of items that were found": fixed(universe_sha256="0" * 64),
    "noise: rows read as nothing known": fixed(
        reading={"container": "csv", "format": "rows", "delimiter": ",", "header": True}
    ),
    "noise: a separator of no file": fixed(
        reading={"container": "text", "format": "fimi", "delimiter": ",", "header": None}
    ),
    "noise: rows read in a way that nobody fixed": fixed(
        reading={"container": "text", "format": "fimi", "delimiter": None, "header": None}
    ),
    "noise: another number of rows": promised(n=12345),
    "noise: another library": promised(library="dice 1.0"),
    "noise: a subset is missing": listed_again(without=('"[""b""]",1480',)),
    "noise: all itemsets": promised(target="all"),
    "noise: its statement": told(statement="Nothing has noise."),
}
"""Forgeries of a bundle with noise: see `vectors.bundle_with_noise`."""
