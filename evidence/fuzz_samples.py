"""Small files of every format of rows, patterns and rules, and ways to damage them."""

from __future__ import annotations

import gzip
import io
import zipfile
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

__all__ = ["PATTERNS", "ROWS", "RULES", "Sample"]

PIECES = (
    *(b",", b";", b"\t", b" ", b"\n", b"\r\n", b"\r", b'"', b'""', b"'", b"\\", b"#", b"=", b"%", b":", b"\0", b"\xff"),
    *(b"[", b"]", b"{", b"}", b"(", b")", b"a", b"b", b"1", b"0", b"-1", b"0.5", b"1e400", b"nan", b"null", b"true"),
    *(b"NA", b"?", b"99999999999999999999", b"\xef\xbb\xbf", b"\xc3\xa9", b"\xed\xa0\x80", b"\\u0061", b"\\ud800"),
    *(b"# n: 3\n", b"@ITEM=1=", b"#SUP:", b"#CONF:", b"==>", b" => ", b"frozenset({", b'"a"', b"50%", b"|", b"007"),
    *(
        b"\xc2\xa0",
        b"\xe2\x80\xa8",
        b"\xc2\x85",
        b"\x0b",
        b"\x0c",
        b"\x1f",
        b"a\xcc\x81",
        b"1.0",
        b"0,5",
        b"2024-01-31",
    ),
)


def damaged(content: bytes, luck: random.Random) -> bytes:
    """Return a file with one to four things wrong with it."""
    changed = bytearray(content)
    for _ in range(luck.choice((1, 1, 1, 2, 3, 4))):
        at, length = luck.randint(0, len(changed)), luck.randint(1, 12)
        match luck.randrange(7):
            case 0 if at < len(changed):
                changed[at] = luck.randrange(256)
            case 1:
                del changed[at : at + length]
            case 2 | 3:
                changed[at:at] = luck.choice(PIECES)
            case 4:
                changed[at:at] = changed[max(0, at - length) : at]
            case 5:
                lines = bytes(changed).splitlines(keepends=True)
                changed = bytearray(b"".join([*lines, luck.choice(lines)] if lines else lines))
            case _ if luck.random() < 0.3:
                del changed[at:]
    return bytes(changed)


def _packed(content: bytes, luck: random.Random) -> bytes:
    """Damage a file before it is compressed, or after."""
    inside = luck.random() < 0.8
    found = gzip.compress(damaged(content, luck) if inside else content, compresslevel=1, mtime=0)
    return found if inside else damaged(found, luck)


def _wide(content: bytes, luck: random.Random) -> bytes:
    """Damage a file before or after it becomes UTF-16."""
    inside = luck.random() < 0.8
    changed = damaged(content, luck) if inside else content
    found = changed.decode("utf-8", "replace").encode(luck.choice(("utf-16", "utf-16-be", "utf-16-le")))
    found = found if found.startswith(b"\xff\xfe") else b"\xfe\xff" + found
    return found if inside else damaged(found, luck)


def _marked(content: bytes, luck: random.Random) -> bytes:
    """Damage a file with a byte order mark."""
    return b"\xef\xbb\xbf" + damaged(content, luck)


VALUES: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, 34, -7, None, 2**53 + 1, 2**63 - 1),
    "float": (0.0, 1.0, 34.5, 0.1, None, 1e300, 1e-7, -0.0, 123456789.125),
    "text": ("N1", "N 2", "", "?", "NA", " a ", "007", None, "a=b", "true", "é", "a\nb", '"'),
    "bool": (True, False, None),
    "date": (date(2024, 1, 31), None),
    "moment": (datetime(2024, 1, 31, 8, 30), datetime(1999, 12, 31), None),  # noqa: DTZ001
    "list": (["a"], ["a", "b"], [], ["b", "b"], [" a "], ["x,y"], None, [""], [None]),
}


def _parquet(content: bytes, luck: random.Random) -> bytes:
    """Return a Parquet file with odd values; `content` names the types of its columns."""
    rows = luck.randint(1, 4)
    kinds = content.decode().split()
    columns = {f"c{at}": [luck.choice(VALUES[kind]) for _ in range(rows)] for at, kind in enumerate(kinds)}
    types = {"int": pa.int64(), "float": pa.float64(), "text": pa.string(), "bool": pa.bool_(), "date": pa.date32()}
    types |= {"moment": pa.timestamp("us"), "list": pa.list_(pa.string())}
    schema = pa.schema([(f"c{at}", types[kind]) for at, kind in enumerate(kinds)])
    file = io.BytesIO()
    packed = luck.choice(("none", "snappy"))
    pq.write_table(pa.table(columns, schema=schema), file, compression=packed, store_schema=False)
    return file.getvalue()


def _sets(_content: bytes, luck: random.Random) -> bytes:
    """Return a Parquet file of itemsets."""
    sets = luck.sample([["a"], ["b"], ["a", "b"], ["c, d"], ["c"], [" e "]], luck.randint(1, 4))
    file = io.BytesIO()
    columns = {"items": pa.array(sets, pa.list_(pa.string())), "support": [luck.randint(1, 8) for _ in sets]}
    pq.write_table(pa.table(columns), file, store_schema=False)
    return file.getvalue()


def _book(content: bytes, luck: random.Random) -> bytes:
    """Return a workbook of Excel or OpenDocument with odd cells, some of them missing."""
    rows = [[luck.choice(CELLS) if at else f"name {place}" for place in range(3)] for at in range(luck.randint(2, 5))]
    if content == b"Excel":
        cells = [
            [_excel_cell(cell, f"{'ABC'[place]}{at}") for place, cell in enumerate(row)]
            for at, row in enumerate(rows, 1)
        ]
        body = "".join(f'<row r="{at}">{"".join(row)}</row>' for at, row in enumerate(cells, 1))
        sheet = f'<worksheet xmlns="{EXCEL}spreadsheetml/2006/main"><sheetData>{body}</sheetData></worksheet>'
        return _zipped(BOOK | {"xl/worksheets/sheet1.xml": sheet})
    body = "".join(f"<table:table-row>{''.join(map(_office_cell, row))}</table:table-row>" for row in rows)
    return _zipped(OFFICE | {"content.xml": CONTENT.format(body)})


def _excel_cell(cell: object, place: str) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return f'<c r="{place}" t="b"><v>{cell:d}</v></c>'
        case str() if cell == "#N/A":
            return f'<c r="{place}" t="e"><v>{cell}</v></c>'
        case str():
            return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'
        case _:
            return f'<c r="{place}"><v>{cell!r}</v></c>'


def _office_cell(cell: object) -> str:
    match cell:
        case None:
            return "<table:table-cell/>"
        case bool():
            return f'<table:table-cell office:value-type="boolean" office:boolean-value="{str(cell).lower()}"/>'
        case str():
            return f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'
        case _:
            return f'<table:table-cell office:value-type="float" office:value="{cell!r}"/>'


def _zipped(parts: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        for name, content in parts.items():
            book.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def _sometimes(content: bytes, luck: random.Random) -> bytes:
    """Damage a file as a whole, or leave it with the odd values that it has."""
    return content if luck.random() < 0.5 else damaged(content, luck)


def _as_it_is(content: bytes, _luck: random.Random) -> bytes:
    return content


@dataclass(frozen=True, slots=True)
class Sample:
    """A file's name, what it holds, the options that it is read with, and how it is damaged.

    `whole` makes the file of its content. `weight` is how often it is taken; what takes long to read has less.
    """

    name: str
    content: bytes
    options: dict[str, Any] = field(default_factory=dict)
    damage: Callable[[bytes, random.Random], bytes] = damaged
    weight: int = 100
    whole: Callable[[bytes, random.Random], bytes] = _as_it_is


EXCEL = "http://schemas.openxmlformats.org/"
RELATIONS = (
    f'<Relationships xmlns="{EXCEL}package/2006/relationships"><Relationship Id="r1" Type="{EXCEL}officeDocument/'
)
MAIN = f'xmlns="{EXCEL}spreadsheetml/2006/main" xmlns:r="{EXCEL}officeDocument/2006/relationships"'
BOOK = {
    "[Content_Types].xml": f'<Types xmlns="{EXCEL}package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>',
    "_rels/.rels": RELATIONS + '2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook {MAIN}><sheets><sheet name="people" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": RELATIONS
    + '2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
OPEN = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE = {
    "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
    "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{OPEN}manifest:1.0"><manifest:file-entry '
    'manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
}
CONTENT = (
    f'<office:document-content xmlns:office="{OPEN}office:1.0" xmlns:table="{OPEN}table:1.0" '
    f'xmlns:text="{OPEN}text:1.0"><office:body><office:spreadsheet><table:table table:name="people">{{}}</table:table>'
    "</office:spreadsheet></office:body></office:document-content>"
)
CELLS = (34, 2.0, 41.5, 0.1, -7, 1e-7, 123456.789, 1e20, True, False, None, None, "N1", "N 2", " a ", "007", "NA", "?")
CELLS += ("a=b", "<&>", "é", "2024-01-31", "", " ", "1", "#N/A")

TABLE = b'age,area,sex\n34,N1,f\n35,"N 2",m\n,N1,f\n61,"a\nb",m\n'
VISITS = b"patient,area,drug\np1,N1,a\np2,N2,b\np1,N1,c\np3,,a\np2,N3,b\n"
LONG = b"who,what\n1,milk\n1,tea\n2,milk\n3,\n4,tea\n4,rye bread\n"
FLAGS = b"milk,tea,eggs\n1,1,0\n0,1,0\n1,0,1\n0,0,0\n"
BASKETS = b'milk,tea\nmilk,"eggs, large",salt\n"a ""b"""\n""\n'
ROWS: dict[str, Sample] = {
    "dat": Sample("rows.dat", b"1 2 3\n2 3\n\n1\n3 20 100\n"),
    "dat, any text": Sample("rows.txt", b"tea milk\ntea milk sugar\n\ncoffee\tmilk milk\n"),
    "dat, gzipped": Sample("rows.dat.gz", b"1 2 3\n2 3\n\n1\n3 20 100\n", damage=_packed, weight=50),
    "SPMF": Sample(
        "spmf.dat", b"@CONVERTED_FROM_TEXT\n@ITEM=1=milk\n@ITEM=2=green tea\n1 2\n2\n% remark\n1\n", {"format": "spmf"}
    ),
    "SPMF, found out": Sample("spmf.txt", b"@CONVERTED_FROM_TEXT\n@ITEM=1=milk\n@ITEM=2=green tea\n1 2\n\n2\n3\n"),
    "baskets": Sample("basket.csv", BASKETS, {"format": "basket"}),
    "baskets, found out": Sample("found.csv", BASKETS),
    "baskets, ;": Sample("basket.csv", BASKETS.replace(b",", b";"), {"format": "basket", "delimiter": ";"}),
    "table": Sample("table.csv", TABLE, {"format": "table"}),
    "table, found out": Sample("found.csv", TABLE),
    "table, ;": Sample("table.csv", TABLE.replace(b",", b";"), {"format": "table", "delimiter": ";"}),
    "table, ; found out": Sample("found.csv", b"age;area;sex\n34,5;N1;f\n35,2;N2;m\n;N1;f\n61;a b;m\n"),
    "table, tabs": Sample("table.tsv", b"age\tarea\n34\tN1\n35\tN2\n\tN 3\n"),
    "table, tabs found out": Sample("found.csv", b"age\tarea\n34\tN1\n35\tN2\n\tN 3\n"),
    "table, its mark": Sample("marked.csv", TABLE, {"format": "table"}, _marked, 50),
    "table, UTF-16": Sample("wide.csv", TABLE, {"format": "table"}, _wide, 50),
    "table, UTF-16 found out": Sample("wide.csv", TABLE.replace(b",", b"\t"), {}, _wide, 50),
    "table, cp1252": Sample("west.csv", b"age,area\n34,\xe9t\xe9\n35,a\x80\n", {"encoding": "cp1252"}, weight=50),
    "table, gzipped": Sample("table.csv.gz", TABLE, {"format": "table"}, _packed, 50),
    "table, no header": Sample("bare.csv", b"34,N1\n35,N2\n36,\n", {"format": "table", "header": False}),
    "table, names given": Sample(
        "bare.csv", b"34,N1\n35,N2\n36,\n", {"format": "table", "header": False, "columns": ["age", "area"]}, weight=50
    ),
    "table, ids": Sample("ids.csv", b"id,age,area\np1,34,N1\np2,35,\np3,36,N1\n", {"id_column": "id"}, weight=50),
    "table, bins and names": Sample(
        "bins.csv",
        b"age,gain,area\n34,0,N1\n20.5,17,N2\n61,0,?\n40,2174,N1\n",
        {"bins": {"age": [20, 40, 60]}, "map": {"gain": {"0": "none", "*": "some"}}, "drop": ["area"]},
        weight=50,
    ),
    "table, whole rows": Sample("whole.csv", TABLE, {"format": "table", "missing": "drop-row"}, weight=50),
    "table, persons": Sample("visits.csv", VISITS, {"person_column": "patient"}),
    "long": Sample("long.csv", LONG, {"format": "long", "id_column": "who", "item_column": "what"}),
    "long, persons": Sample(
        "long.csv",
        b"stay,what,who\n1,milk,a\n1,tea,a\n2,milk,b\n3,,a\n4,tea,c\n",
        {"format": "long", "person_column": "who", "item_column": "what"},
        weight=50,
    ),
    "one-hot": Sample("onehot.csv", FLAGS, {"format": "onehot"}),
    "one-hot, found out": Sample("found.csv", FLAGS.replace(b"1", b"true").replace(b"0", b"false")),
    "one-hot, persons": Sample(
        "onehot.csv",
        b"who,milk,tea\na,1,0\nb,0,1\na,0,1\nc,0,0\n",
        {"format": "onehot", "person_column": "who"},
        weight=50,
    ),
    "JSON lists": Sample("rows.json", b'[["milk", "tea"], ["milk"], [], ["a\\u0301"]]\n', weight=2),
    "JSON records": Sample(
        "rows.json", b'[{"age": 34, "area": "N1"}, {"age": 35.5, "area": null}, {"age": 2.0, "area": "N 2"}]', weight=2
    ),
    "JSON lines of lists": Sample(
        "rows.jsonl", b'{"id": 17, "items": ["tea", "milk"]}\n{"id": 4, "items": []}\n', {"id_column": "id"}, weight=2
    ),
    "JSON lines": Sample(
        "rows.jsonl", b'{"age": 34, "area": "N1"}\n{"age": 35, "area": null}\n', {"format": "table"}, weight=2
    ),
    "JSON lines, gzipped": Sample(
        "rows.jsonl.gz", b'["tea", "milk"]\n["milk"]\n[]\n["007"]\n', damage=_packed, weight=2
    ),
    "Parquet table": Sample("rows.parquet", b"int text float", {}, _sometimes, 2, _parquet),
    "Parquet dates": Sample("rows.parquet", b"date moment bool text", {}, _sometimes, 2, _parquet),
    "Parquet lists": Sample("rows.parquet", b"list", {}, _sometimes, 2, _parquet),
    "Excel": Sample("rows.xlsx", b"Excel", {"format": "table"}, _sometimes, 5, _book),
    "OpenDocument": Sample("rows.ods", b"OpenDocument", {"format": "table"}, _sometimes, 5, _book),
}
MLXTEND = (
    b",support,itemsets\n0,0.5,frozenset({'tea'})\n1,0.25,\"frozenset({'milk', 'tea'})\"\n2,0.375,frozenset({'milk'})\n"
)
ARULES = b'"items","support","count"\n"{milk}",0.5,4\n"{milk,tea}",0.25,2\n"{tea}",0.375,3\n'
OURS = b'# n: 8\n# min_support: 2\n# target: all\nitems,support\n"[""a""]",5\n"[""b c""]",4\n"[""a"", ""b c""]",2\n'
OTHER = "Menge;Anteil\nTee + Müsli;0,25\nTee;0,5\nMüsli;0,375\n".encode()
NAMED = {"items_column": "Menge", "support_column": "Anteil", "item_separator": "+"}
ALONE: dict[str, Any] = {"n": None}
WEKA_SETS = (
    b"Large Itemsets L(1):\noutlook=sunny 5\nhumidity=high 7\n\nLarge Itemsets L(2):\noutlook=sunny humidity=high 3\n"
)
PATTERNS: dict[str, Sample] = {
    "ours": Sample("ours.csv", OURS, ALONE),
    "ours, gzipped": Sample("ours.csv.gz", OURS, ALONE, _packed, 50),
    "ours, JSON": Sample(
        "ours.json",
        b'{"n": 8, "min_support": 2, "target": "all", "count": 2, '
        b'"itemsets": [{"items": ["a"], "support": 5}, {"items": ["a", "b"], "support": 2}]}',
        ALONE,
        weight=50,
    ),
    "ours, Parquet": Sample("ours.parquet", b"sets", damage=_sometimes, weight=2, whole=_sets),
    "mlxtend": Sample("mlxtend.csv", MLXTEND),
    "mlxtend, UTF-16": Sample("wide.csv", MLXTEND, damage=_wide, weight=50),
    "mlxtend, its mark": Sample("marked.csv", MLXTEND, damage=_marked, weight=50),
    "mlxtend, JSON": Sample(
        "mlxtend.json", b'[{"support":0.5,"itemsets":["tea"]},{"support":0.25,"itemsets":["milk","tea"]}]', weight=50
    ),
    "mlxtend, printed": Sample(
        "printed.txt",
        b"   support     itemsets\n0    0.500        (tea)\n1    0.375  (milk, tea)\n2    0.500       (milk)\n",
    ),
    "Spark": Sample("spark.csv", b'items,freq\n[milk],3\n"[tea, milk]",2\n[tea],4\n'),
    "Spark, JSON lines": Sample(
        "spark.json", b'{"items":["milk"],"freq":3}\n{"items":["eggs, large","milk"],"freq":2}\n', weight=50
    ),
    "SPMF": Sample("spmf.txt", b"@ITEM=1=milk\n@ITEM=2=green tea\n1 #SUP: 4\n2 #SUP: 3\n1 2 #SUP: 2\n"),
    "arules": Sample("arules.csv", ARULES),
    "arules, its n": Sample("arules.csv", ARULES, ALONE),
    "arules, ;": Sample("arules.csv", ARULES.replace(b",", b";").replace(b"k;t", b"k,t").replace(b".", b",")),
    "arules, inspected": Sample(
        "inspected.txt",
        b"    items       support count\n[1] {tea}       0.500   4\n[2] {milk}      0.375   3\n"
        b"[3] {milk, tea} 0.250   2\n",
    ),
    "PAMI": Sample("pami.csv", b"Patterns,Support\nmilk,4\ntea,3\nmilk tea,2\n"),
    "WEKA": Sample("weka.txt", WEKA_SETS),
    "RapidMiner": Sample(
        "rapidminer.csv", b"Items;Size;Frequency;Support\ntea;1;4;0.5\nmilk;1;3;0.375\ntea, milk;2;3;0.375\n"
    ),
    "RapidMiner, as text": Sample(
        "view.txt", b"Frequent Item Sets (3):\ntea / 0.500\nmilk / 0.375\ntea, milk / 0.250\n"
    ),
    "itemset and count": Sample("named.csv", b'itemset,count\n"{milk,tea}",3\n{tea},4\n{milk},3\n'),
    "columns that are named": Sample("other.csv", OTHER, NAMED),
}
RULES: dict[str, Sample] = {
    "ours": Sample(
        "ours.csv",
        b"# n: 8\nantecedent,consequent,support,antecedent_support,consequent_support,confidence\n"
        b'"[""a""]","[""b""]",2,4,3,0.5\n"[""b""]","[""a""]",2,3,4,0.6666666666666666\n',
        ALONE,
    ),
    "mlxtend": Sample(
        "mlxtend.csv",
        b",antecedents,consequents,antecedent support,consequent support,support,confidence\n"
        b"0,frozenset({'tea'}),frozenset({'milk'}),0.5,0.375,0.25,0.5\n"
        b"1,\"frozenset({'tea', 'rye'})\",frozenset({'milk'}),0.25,0.375,0.25,1.0\n",
    ),
    "Spark, JSON lines": Sample(
        "spark.json",
        b'{"antecedent":["tea"],"consequent":["milk"],"confidence":0.75,"lift":1.5,"support":0.375}\n'
        b'{"antecedent":["tea","rye"],"consequent":["milk"],"confidence":1.0,"lift":1.5,"support":0.25}\n',
        weight=50,
    ),
    "SPMF": Sample("spmf.txt", b"1 2 ==> 4 #SUP: 3 #CONF: 0.75\n4 ==> 1 #SUP: 2 #CONF: 0.5 #LIFT: 1.2\n"),
    "arules": Sample("arules.csv", b'"rules","support","confidence"\n"{a} => {b}",0.25,0.5\n"{b,c} => {a}",0.25,1\n'),
    "arules, two sides": Sample(
        "arules.csv", b'"lhs","rhs","support","confidence","count"\n"{a}","{b}",0.25,0.5,2\n"{b,c}","{a}",0.25,1,2\n'
    ),
    "WEKA": Sample(
        "weka.txt",
        b"Best rules found:\n\n 1. outlook=overcast 4 ==> play=yes 4    conf:(1)\n"
        b" 2. humidity=normal windy=FALSE 4 ==> play=yes 3    conf:(0.75)\n",
    ),
    "Orange": Sample(
        "orange.csv",
        b"Antecedent,Consequent,Support,Confidence,Coverage,Strength,Lift,Leverage\n"
        b"backbone=1,venomous=0,0.375,0.75,0.5,1.12,1.034,0.025\n"
        b'"backbone=1, fins=0",venomous=0,0.250,1,0.25,1.4,1.03,0.02\n',
    ),
    "RapidMiner": Sample(
        "rapidminer.csv",
        b"No.;Premises;Conclusion;Support;Confidence;Lift\n1;tea, rye;milk;0.250;1.000;1.667\n"
        b"2;tea;milk;0.375;0.750;1.2\n",
    ),
}
