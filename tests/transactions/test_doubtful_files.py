"""Files that are not what their names say: read right, or refused with what settles the question; never misread."""

from __future__ import annotations

import gzip
import hashlib
from typing import TYPE_CHECKING, Any

import pytest

import discreet
from discreet.errors import InputError
from discreet.transactions.read_record import ReadColumns, record_of

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = "age,sex,area\n34,m,N1\n35,f,N2\n36,m,N1\n"
LONG = "stay,what\n" + "".join(f"{stay},{what}\n" for stay in range(10) for what in ("a", "b", "c"))
TABLE = "age,sex\n" + "".join(f"{age},{sex}\n" for age in range(30, 35) for sex in ("m", "f")) * 3

READ = {
    "semicolons": (PEOPLE.replace(",", ";"), {}, "Read as a table: 3 columns, header, separator ;, 3 rows, 7 items."),
    "decimal commas": ("a;b\n1,5;x\n2,5;y\n", {}, "Read as a table: 2 columns, header, separator ;, 2 rows, 4 items."),
    "semicolons, and a blank at the end": (PEOPLE.replace(",", ";") + " ", {}, "header, separator ;, 3 rows, 7 items."),
    "tabs in a .csv": (PEOPLE.replace(",", "\t"), {}, "separator tab"),
    "UTF-16": (PEOPLE.encode("utf-16"), {}, "header, utf-16, 3 rows"),
    "a byte order mark": (PEOPLE.encode("utf-8-sig"), {}, "header, utf-8-sig, 3 rows"),
    "cp1252": ("name,city\na,Köln\nb,Bonn\n".encode("cp1252"), {"encoding": "cp1252"}, "header, cp1252, 2 rows"),
    "numeric names of one-hot columns": ("1,2,3\n0,1,1\n1,0,1\n", {}, "Read as a one-hot table: 3 columns, header"),
    "no header": ("34,m\n35,f\n", {"header": False}, "Read as a table: 2 columns, no header, 2 rows, 4 items."),
    "a header like a row": ("m,f\nm,f\nf,m\n", {"header": True}, "Read as a table: 2 columns, header, 2 rows"),
    "baskets": ("milk,bread\nmilk\nbread,tea,jam\n", {}, "Read as baskets: 3 rows, 4 items."),
    "a narrow table": (TABLE, {}, "Read as a table: 2 columns, header, 30 rows, 7 items."),
    "long, as said": (LONG, {"format": "long"}, "Read as a long table: header, 10 rows, 3 items."),
    "a table, as said": (LONG, {"format": "table"}, "Read as a table: 2 columns, header, 30 rows, 13 items."),
    "some columns": (PEOPLE, {"keep": "sex"}, "Read as a table: 1 column, 2 left out, header, 3 rows, 2 items."),
    "short baskets, as said": ("milk,tea\njam\n", {"format": "basket"}, "Read as baskets: 2 rows, 3 items."),
    "padded baskets, as said": ("a,b,,\nc,,,\nb,d,e,\n", {"format": "basket"}, "Read as baskets: 3 rows, 5 items."),
    "row numbers without a name": (",sex,age\n1,f,7\n2,m,8\n", {}, "Read as a table: 3 columns, header, 2 rows"),
    "a column without a name or values": ("sex,age,\nf,7,\nm,8,\n", {}, "Read as a table: 3 columns, header, 2 rows"),
    "a column without a name, as said": (
        "a,,c\n1,2,3\n",
        {"header": True},
        "Read as a table: 3 columns, header, 1 row",
    ),
    "comments, as said": ("# a,b\nc,d\n", {"format": "basket"}, "Read as baskets: 2 rows, 4 items."),
}

REFUSED = {
    "two byte order marks": ("\ufeff\ufeff" + PEOPLE, {}, "begins with two byte order marks; remove one of them"),
    "two byte order marks in baskets": ("\ufeff\ufeffa,b\nc\n", {"format": "basket"}, "two byte order marks"),
    "a row as the header": ("m,N1,x\nf,N2,y\nm,N1,x\n", {}, "3 of the 3 cells in the first line"),
    "truth as the header": ("0,1\n1,0\n0,0\n", {}, "holds nothing but 0 and 1"),
    "a pair as the header": ("7,tea\n7,milk\n8,tea\n", {"format": "long"}, "both cells in the first line of"),
    "numbers as the header": ("5.1,3.5,a\n4.9,3.0,b\n5.0,3.1,c\n", {}, "2 of the 3 cells in the first line of .* are"),
    "a row of several kinds as the header": (
        "34,m,2024-01-05,x\n35,f,2024-01-06,y\n36,m,2024-02-07,z\n",
        {},
        "3 of the 4 cells in the first line .* look like the values below them; give header=False if it is a row",
    ),
    "a title above the names": (
        "Report of 2024,,\n,,\nsex,ward,drug\nf,A,x\nm,B,y\n",
        {},
        "column 2 of .* has values, but no name in its first line; name it there, remove a title .* or header=True if",
    ),
    "baskets that a spreadsheet padded": ("milk,bread,,\njam,,,\nbread,tea,jam,\n", {}, "column 3 .* format='basket'"),
    "a line drawn below the names": ("sex,ward\n---,----\nf,A\nm,B\n", {}, "line 2 of .* is no row, but drawn with"),
    "a ragged table of few lines": (
        "sex,ward,drug\nm,A,x\nf,B\nm,A,x\nf,B,y\nm,A,x\n",
        {},
        "differ in length, but each cell of the first one occurs nowhere else, as names .* give format='basket' if",
    ),
    "a ragged table of many lines": (
        "sex,ward,drug\n" + "m,A,x\nf,B\nm,A,x,\nf,B,y\n" * 20,
        {},
        "differ in length, but each cell of the first one",
    ),
    "a ragged table of long names and short lines": ("a,b,c,d\n" + "1,2\n1\n1,3\n" * 5, {}, "each cell of the first"),
    "a ragged table without names": (
        "m,A,x\nf,B\nm,A,x\nf,B,y\nm,A\nf,B,x\n",
        {},
        "differ in length, but each value has its place in the line, as in a column; give format='basket' if each line",
    ),
    "a ragged table, as said": ("a,b\n1,2\n3\n", {"header": True}, "line 3 of .* has 1 cell"),
    "the row names of R": (
        '"sex","age"\n' + "".join(f'"{row}","f",{row}\n' for row in range(1, 12)),
        {},
        "line 1 of .* has 2 cells, but 91.7 % of the lines have 3; if it names the columns, make it as long as they",
    ),
    "the same name twice": ("m,m\nf,f\n", {}, "same name; rename one, or give header=False if the first line is a row"),
    "several separators": ("1,5;2,5\n3,5;4,5\n", {}, "could be separated by , or ;; say which with delimiter"),
    "baskets with semicolons": ("a;b;c\nd;e\nf;g;h;i\n", {}, "most lines have ;; say which with delimiter"),
    "baskets with semicolons, said to be baskets": (
        "a;b;c\nd;e\nf\n",
        {"format": "basket"},
        "has no separator of its name, but most lines have ;; say which with delimiter",
    ),
    "semicolons in every line, commas in some": (
        "age;area\n34,5;N1\n35,2;N2\n61;a;b\n",
        {},
        "could be separated by , or ;; say which with delimiter",
    ),
    "semicolons, and other lines far below": (
        "age;area\n" + "34,5;N1\n" * 600 + "7;N2;x\n" * 100,
        {},
        "line 602 of .* has 3 cells, but 85.7 % of the lines have 2; correct or remove it, or give format='basket'",
    ),
    "semicolons, and an empty row": (
        'age;area\n34,5;N1\n35,2;N2\n""\n',
        {},
        "could be separated by , or ;; say which with delimiter",
    ),
    "tabs, and a blank behind a quote": (
        'age\tarea\tsex\n34\tN1\tf\n61\t"a\nb" \tm\n',
        {},
        r"most lines have \\t; say which",
    ),
    "a long table": (LONG, {}, "give format='long' with id_column and item_column, or format='table'"),
    "a long table with a third column": (
        "stay,what,n\n" + "".join(f"{stay},{what},1\n" for stay in range(10) for what in "abc"),
        {},
        "columns 'stay' and 'what'",
    ),
    "a long table with pairs that repeat": (
        "receipt,product\n" + "".join(f"{receipt},{product}\n" for receipt in range(12) for product in "aab"),
        {},
        "column 'receipt' of .* is the same in several rows, as where each line is one item of a row; give format='l",
    ),
    "a comment": (
        "# made by hand\na,b\nc,d\n",
        {},
        "line 1 .* begins with #, as comments do; remove",
    ),
    "one odd line in a table": (
        "|1x3\n" + "a,b,c\n" * 20,
        {},
        "line 1 of .* has 1 cell, but 95.2 % of",
    ),
    "itemsets as rows": ('items,support\n"[""a""]",4\n', {}, "has the columns items and support"),
    "our own itemsets as rows": ('# n: 30\nitems,support\n"[""a""]",4\n', {}, "has the columns items and support"),
    "mlxtend's frame as rows": ("support,itemsets\n0.5,frozenset({'a'})\n", {}, "audit them with patterns or rules"),
    "rules as rows": ("antecedents,consequents,support\na,b,0.5\n", {}, "audit them with patterns or rules"),
    "UTF-16 without a mark": (("a,b\n" + "1,2\n" * 9).encode("utf-16-le"), {}, "give encoding='utf-16-le'"),
    "an old encoding": ("name,city\na,Köln\n".encode("cp1252"), {}, "line 2 .* not UTF-8 text; give encoding"),
    "the wrong encoding": (b"a,b\n1,\xff\n", {"encoding": "ascii"}, "line 2 .* is not ascii text; check encoding"),
    "no encoding": (PEOPLE, {"encoding": "latin-99"}, "encoding must be the name of an encoding"),
    "an id that repeats": ("who,what,x\n1,a,1\n1,b,2\n", {"id_column": "who"}, "rows 1 and 2 .* give person_column"),
    "keep and drop": (PEOPLE, {"keep": "sex", "drop": "age"}, "keep and drop exclude each other"),
    "person and id": (PEOPLE, {"person_column": "sex", "id_column": "age"}, "exclude each other"),
    "persons of baskets": ("a,b\nc\n", {"person_column": "a", "format": "basket"}, "person_column says nothing about"),
}


def write(tmp_path: Path, text: str | bytes, name: str = "rows.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("case", READ)
def test_what_is_certain_is_read_and_said(tmp_path: Path, case: str) -> None:
    text, options, said = READ[case]
    assert said in record_of(discreet.read(write(tmp_path, text), **options)).sentence()


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_certain_is_refused_with_the_ways_on(tmp_path: Path, case: str) -> None:
    text, options, said = REFUSED[case]
    with pytest.raises(InputError, match=said):
        discreet.read(write(tmp_path, text), **options)


def test_itemsets_of_spmf_are_not_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds itemsets with their supports"):
        discreet.read(write(tmp_path, "1 2 #SUP: 3\n1 #SUP: 4\n", "found.txt"))


def test_a_comment_is_not_a_row_of_tokens(tmp_path: Path) -> None:
    path = write(tmp_path, "# tokens\n1 2\n", "rows.dat")
    with pytest.raises(InputError, match="begins with #"):
        discreet.read(path)
    assert discreet.read(path, format="fimi").n == 2


@pytest.mark.parametrize("text", ["@CONVERTED_TEXT\n@ITEM=1=a\n1 2\n", "@anna @ben\n@ben\n", "x\n@ITEM=1=a\n1\n"])
def test_what_may_be_of_spmf_is_asked(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text, "rows.txt")
    with pytest.raises(InputError, match="begins with @, as in files of SPMF; give format='spmf', or format='fimi' if"):
        discreet.read(path)
    assert discreet.read(path, format="fimi").n == text.count("\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("milk,tea\nmilk\ntea,jam\n", "no blanks, but , between .* give format='table' or format='basket', with delim"),
        ("milk;tea;\n\ntea;jam\n", "format='basket', with delimiter=';', or format='fimi' if a line is one"),
        ("1|2|3", "format='basket', with delimiter='[|]', or"),
        (
            "sex\tage group\nf\t30 to 39\nm\t40 to 49\n",
            r"have as many tabs each, as .* with delimiter='\\t', or format=",
        ),
        ("sex;age group\nf;30 to 39\nm;40 to 49\n", "have as many ; each, as those of a table do; give format='table'"),
        ("| sex | age |\n|---|---|\n| f | 39 |\n", "have as many [|] each"),
        ("green tea,milk\njam\ngreen tea,jam,rye bread\n", "have , between words without a blank; give format='table'"),
        ("green tea\tmilk\njam\ngreen tea\tjam\tmilk\n", "have tabs between what may be cells with blanks in them"),
        ("sex  ward  drug\nf    A     x\nm    B     x\nf    A     y\n", "first line of .* may name columns: its words"),
        ("1 2 -1 3 -2\n4 -1 -2\n", "end with -2, as sequences do in files of SPMF; write one row of items per line"),
        ("1 2:3:1 2\n1:2:2\n", "have utilities behind colons in files of SPMF"),
    ],
)
def test_text_of_another_form_is_asked(tmp_path: Path, text: str, sentence: str) -> None:
    path = write(tmp_path, text, "rows.txt")
    with pytest.raises(InputError, match=sentence):
        discreet.read(path)
    assert discreet.read(path, format="fimi").n == len(text.splitlines())


def test_a_table_in_a_text_file_is_read_as_said(tmp_path: Path) -> None:
    path = write(tmp_path, PEOPLE.replace(",", ";"), "people.txt")
    with pytest.raises(InputError, match="format='table' or format='basket', with delimiter=';'"):
        discreet.read(path)
    assert discreet.read(path, format="table", delimiter=";").n == 3


@pytest.mark.parametrize(
    "text",
    [
        "age=[20,40) sex=f\nage=[20,40)\n",
        "coke0,5l tea\ntea jam\nmilk1,5l coke0,5l\n",
        "1\t2\n3\n",
        "a b\nc d\ne f\n",
        "a b\nc a\nc b\n",
        "x,1\na\nb\n",
        "-2\n3 -1\n",
        "a:b c\n",
        "a:1:2 b\nc\n",
    ],
)
def test_labels_with_other_signs_are_read(tmp_path: Path, text: str) -> None:
    rows = discreet.read(write(tmp_path, text, "rows.txt"))
    assert [set(row) for row in rows] == [set(line.split()) for line in text.splitlines()]


@pytest.mark.parametrize("first", ["sep=;", "SEP=,", "\ufeffsep=;"])
def test_the_line_that_tells_excel_the_separator_is_no_header(tmp_path: Path, first: str) -> None:
    path = write(tmp_path, f"{first}\n{PEOPLE.replace(',', first[-1])}", "people.csv")
    with pytest.raises(InputError, match=f"says what separates cells, as for Excel; remove it, .*'{first[-1]}'"):
        discreet.read(path)


# Public files


def test_public_files_without_a_header_are_not_taken_for_tables_with_one(data_folder: Path) -> None:
    for name in ("adult.data.csv.gz", "adult.test.csv.gz", "agaricus-lepiota.data.csv.gz", "census-income.test.csv.gz"):
        with pytest.raises(InputError, match=r"header|line 1"):
            discreet.read(data_folder / name)
    assert discreet.read(data_folder / "adult.data.csv.gz", header=False).n == 32561


def test_public_files_are_read_as_before(data_folder: Path) -> None:
    shapes = {"groceries.csv.gz": "basket", "diabetic_data.csv.gz": "table", "retail.dat.gz": "fimi"}
    for name, shape in shapes.items():
        assert record_of(discreet.read(data_folder / name)).shape == shape


# People


def people(tmp_path: Path, text: str, **options: Any) -> list[list[str]]:
    return [sorted(row) for row in discreet.read(write(tmp_path, text), **options)]


def test_what_one_person_has_becomes_one_row(tmp_path: Path) -> None:
    table = "patient,diagnosis,drug\n7,a,x\n2,a,\n7,b,x\n"
    assert people(tmp_path, table, person_column="patient") == [
        ["diagnosis=a", "diagnosis=b", "drug=x"],
        ["diagnosis=a"],
    ]
    onehot = "patient,a,b\np,1,0\nq,0,0\np,0,1\n"
    assert people(tmp_path, onehot, person_column="patient", format="onehot") == [["a", "b"], []]
    assert people(tmp_path, LONG, person_column="stay", item_column="what") == [["a", "b", "c"]] * 10
    record = record_of(discreet.read(write(tmp_path, table), person_column="patient"))
    assert (record.rows, record.persons, record.columns) == (2, 2, ReadColumns(kept=("diagnosis", "drug")))
    assert "2 rows, one for each person" in record.sentence()


def test_twelve_rows_of_one_patient_are_one_person(tmp_path: Path) -> None:
    """812 - 800 = 12 rows, all of the same person: safe by rows, and a person singled out."""
    lines = [f"{patient},a,b" for patient in range(800)] + ["one,a,"] * 12
    path = write(tmp_path, "\n".join(["patient,x,y", *lines]) + "\n")
    assert discreet.audit(discreet.read(path, drop="patient"), k=10, min_support=100).safe
    found = discreet.audit(discreet.read(path, person_column="patient"), k=10, min_support=100)
    assert not found.safe
    assert [channel.support for channel in found.channels] == [1]


# The record


def test_the_record_names_the_file_as_it_is_on_the_disk(tmp_path: Path) -> None:
    packed = gzip.compress(PEOPLE.encode())
    record = record_of(discreet.read(write(tmp_path, packed, "rows.csv.gz"), bins={"age": [35]}, drop="area"))
    assert record.sha256 == hashlib.sha256(packed).hexdigest()
    assert record.bytes == len(packed)
    assert record.columns == ReadColumns(kept=("age", "sex"), dropped=("area",), binned=("age",))
    assert record.to_dict()["columns"] == {"kept": ("age", "sex"), "dropped": ("area",), "binned": ("age",)}
    parquet = tmp_path / "rows.parquet"
    discreet.write(discreet.read(write(tmp_path, PEOPLE)), parquet)
    record = record_of(discreet.read(parquet))
    assert record.sha256 == hashlib.sha256(parquet.read_bytes()).hexdigest()
    assert (record.container, record.encoding, record.separator, record.header) == ("parquet", None, None, None)


def test_empty_rows_are_counted(tmp_path: Path) -> None:
    record = record_of(discreet.read(write(tmp_path, "1 2\n\n3\n", "rows.dat")))
    assert (record.rows, record.empty_rows, record.items) == (3, 1, 3)
    assert record.sentence() == "Read as rows of tokens: 3 rows, 1 of them empty, 3 items."
