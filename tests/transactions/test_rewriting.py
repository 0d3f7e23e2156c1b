"""Rows that lose items: every other row keeps its bytes, in every text format that has lines."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import random
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import DataError, _kernel, read
from discreet.itemsets import Itemsets
from discreet.transactions.rewriting import rewrite
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from pathlib import Path


def removals(rows: Transactions, seed: int, share: float = 0.3) -> tuple[Transactions, np.ndarray, np.ndarray]:
    """Draw some items to remove from some rows; return the rows without them, and both."""
    draw = random.Random(seed)
    pairs = []
    left = []
    for place, row in enumerate(rows):
        gone = {label for label in row if draw.random() < 0.6} if draw.random() < share else set()
        left.append(row - gone)
        pairs += [(place, rows.vocabulary.item(label)) for label in gone]
    pairs.sort()
    offsets = np.cumsum([0, *map(len, left)]).astype(np.int64)
    items = [item for row in left for item in sorted(rows.vocabulary.item(label) for label in row)]
    after = Transactions(
        Itemsets(offsets, np.array(items, np.int32)),
        vocabulary=rows.vocabulary,
        ids=rows.ids,
        layout=rows.layout,
    )
    columns = np.array(pairs, np.int32).reshape(-1, 2)
    return after, np.ascontiguousarray(columns[:, 0]), np.ascontiguousarray(columns[:, 1])


FIMI = b"3 1 2\n1   2\t3 \n\n  2\r\n10 9 8 7 \r\nx y x\n1 1 1\n5"
BASKETS = {"format": "basket"}
FILES = {
    "fimi": ("rows.dat", FIMI, {}),
    "fimi without an end": ("rows.dat", FIMI + b" 6", {}),
    "fimi with a byte order mark": ("rows.dat", b"\xef\xbb\xbf" + FIMI + b"\n", {}),
    "spmf": ("rows.txt", b"@CONVERTED_FROM_TEXT\n@ITEM=1=red tea\n@ITEM=2=milk\n2 1\n1 3 \n%no row\n2 3 1\n", {}),
    "basket": ("rows.csv", b'tea,"milk, whole",bread\n\nbread , tea\n"a ""b"" c",tea\n""\nmilk\n', BASKETS),
    "basket with line ends of Windows": ("rows.csv", b"tea,milk\r\nbread,tea,x\r\nmilk,a\r\nq,tea,milk", BASKETS),
    "table": ("rows.csv", b'a, b ,c\n1,x,?\n2,"x, y",3\n1,,3\n"1",x,\n2,NA,4', {"format": "table"}),
    "table with ids": ("rows.csv", b"who,b,c\nann,x,1\nbob,y,2\ncid,x,2\n", {"format": "table", "id_column": "who"}),
    "table without a header": (
        "rows.csv",
        b"1;x\n2;y\n 1;y\n",
        {"header": False, "columns": "a,b", "delimiter": ";"},
    ),
    "onehot": ("rows.csv", b"a,b,c\n1,0,1\n true,1,0\n0,0,0\nFALSE,1,1\n", {"format": "onehot"}),
}


LONG = b'''item , who
tea,1
"milk, whole",2
bread,"a ""b"""
tea,2

bread,1
,4
tea,1
x,3'''


def id_of(line: bytes) -> str:
    """Return the second cell of a line."""
    cells = next(csv.reader([line.decode()]), [])
    return cells[-1] if cells else ""


@pytest.mark.parametrize("data", [LONG, LONG.replace(b"\n", b"\r\n") + b"\r\n"])
def test_a_long_table_loses_lines_and_keeps_all_rows(tmp_path: Path, data: bytes):
    (tmp_path / "rows.csv").write_bytes(data)
    options = {"format": "long", "id_column": "who", "item_column": "item"}
    rows = read(tmp_path / "rows.csv", **options)
    assert len(rows) == 5
    for seed in range(30):
        after, where, what = removals(rows, seed, share=0.7)
        out = tmp_path / f"{seed}.csv"
        rewrite(after, out, source=tmp_path / "rows.csv", removed_from=where, removed=what, as_read=True)
        again = read(out, **options)
        assert list(again.ids) == list(after.ids)
        assert list(again) == list(after)
        untouched = {rows.ids[place] for place in set(range(len(rows))) - set(where.tolist())}
        old, new = (
            [line for line in text.splitlines() if id_of(line) in untouched] for text in (data, out.read_bytes())
        )
        assert old == new
        if not len(where):
            assert out.read_bytes() == data


def test_a_long_table_with_more_columns_is_written_anew(tmp_path: Path):
    (tmp_path / "rows.csv").write_bytes(b"who,item,name\n1,a,ann\n1,b,ann\n")
    rows = read(tmp_path / "rows.csv", format="long", id_column="who", item_column="item")
    nothing = np.zeros(0, np.int32)
    rewrite(
        rows, tmp_path / "out.csv", source=tmp_path / "rows.csv", removed_from=nothing, removed=nothing, as_read=True
    )
    assert (tmp_path / "out.csv").read_bytes() == b"who,item\n1,a\n1,b\n"


def lines_of(data: bytes, name: str) -> list[bytes]:
    """Cut a file into its rows' bytes (no quoted line ends here), headers and blank lines of a CSV apart."""
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)
    if name.startswith("spmf"):
        return [line for line in lines if line[:1] not in (b"@", b"%")]
    if not name.startswith("fimi"):
        lines = [line for line in lines if line.strip()]
    if name.startswith(("table", "onehot")) and "without" not in name:
        lines = lines[1:]
    return lines


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("case", FILES)
def test_untouched_rows_are_the_same_bytes(tmp_path: Path, case: str, packed: str):
    name, data, options = FILES[case]
    source = tmp_path / f"{name}{packed}"
    source.write_bytes(gzip.compress(data) if packed else data)
    rows = read(source, **options)
    for seed in range(12):
        after, where, what = removals(rows, seed)
        out = tmp_path / f"out-{seed}-{name}{packed}"
        rewrite(after, out, source=source, removed_from=where, removed=what, as_read=True)
        written = gzip.decompress(out.read_bytes()) if packed else out.read_bytes()
        assert list(read(out, **options)) == list(after)
        before_lines, after_lines = lines_of(data, case), lines_of(written, case)
        assert len(before_lines) == len(after_lines) == len(rows)
        untouched = sorted(set(range(len(rows))) - set(where.tolist()))
        assert [after_lines[place] for place in untouched] == [before_lines[place] for place in untouched]
        if not len(where):
            assert written == data
        if after_lines[-1].strip():  # a row that lost all it had needs its newline
            assert written.endswith(b"\n") == data.endswith(b"\n")


def test_what_leaves_takes_its_blanks_along(tmp_path: Path):
    source = tmp_path / "rows.dat"
    source.write_bytes(b"a b c\n a  b c \r\na a b\na\n")
    rows = read(source)
    a, b, c = (rows.vocabulary.item(label) for label in "abc")
    offsets, items = np.array([0, 2, 4, 5, 5]), np.array([a, b, b, c, b], np.int32)
    after = Transactions(Itemsets(offsets, items), vocabulary=rows.vocabulary, layout=rows.layout)
    where, what = np.array([0, 1, 2, 3], np.int32), np.array([c, a, a, a], np.int32)
    rewrite(after, tmp_path / "out.dat", source=source, removed_from=where, removed=what, as_read=True)
    assert (tmp_path / "out.dat").read_bytes() == b"a b\n b c \r\nb\n\n"


def test_an_spmf_file_keeps_no_name_of_an_item_that_is_gone(tmp_path: Path):
    source = tmp_path / "rows.txt"
    source.write_bytes(b"@CONVERTED_FROM_TEXT\n@ITEM=1=secret\n@ITEM=2=milk\n1 2\n2\n1\n")
    rows = read(source)
    item = rows.vocabulary.item("secret")
    after = Transactions(
        Itemsets(np.array([0, 1, 2, 2]), np.full(2, rows.vocabulary.item("milk"), np.int32)),
        vocabulary=rows.vocabulary,
        layout=rows.layout,
    )
    where, what = np.array([0, 2], np.int32), np.full(2, item, np.int32)
    rewrite(after, tmp_path / "out.txt", source=source, removed_from=where, removed=what, as_read=True)
    assert (tmp_path / "out.txt").read_bytes() == b"@CONVERTED_FROM_TEXT\n@ITEM=2=milk\n2\n2\n\n"


@pytest.mark.parametrize("seed", range(5))
def test_large_files_in_many_chunks(tmp_path: Path, seed: int):
    draw = random.Random(seed)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=" ", quoting=csv.QUOTE_NONE, escapechar="\\", lineterminator=" \n")
    writer.writerows(draw.sample(range(500), draw.randint(0, 40)) for _ in range(12_000))
    data = text.getvalue().encode()
    (tmp_path / "rows.dat").write_bytes(data)
    rows = read(tmp_path / "rows.dat")
    after, where, what = removals(rows, seed, share=0.1)
    rewrite(after, tmp_path / "out.dat", source=tmp_path / "rows.dat", removed_from=where, removed=what, as_read=True)
    assert read(tmp_path / "out.dat") == after or list(read(tmp_path / "out.dat")) == list(after)
    changed = set(where.tolist())
    before_lines, after_lines = data.split(b"\n"), (tmp_path / "out.dat").read_bytes().split(b"\n")
    assert all(a == b for at, (a, b) in enumerate(zip(before_lines, after_lines, strict=True)) if at not in changed)


def test_csv_of_many_blocks(tmp_path: Path):
    lines = [f'{number % 97},"x, {number % 13}",{number % 7}' for number in range(400_000)]
    (tmp_path / "rows.csv").write_text("a,b,c\n" + "\n".join(lines) + "\n")
    rows = read(tmp_path / "rows.csv")
    where = np.arange(0, len(rows), 1000, dtype=np.int32)
    what = rows.items[rows.offsets[where]]
    keep = np.ones(len(rows.items), bool)
    keep[rows.offsets[where]] = False
    offsets = np.concatenate([[0], np.cumsum(keep)])[rows.offsets].astype(np.int64)
    after = Transactions(Itemsets(offsets, rows.items[keep]), vocabulary=rows.vocabulary, layout=rows.layout)
    rewrite(after, tmp_path / "out.csv", source=tmp_path / "rows.csv", removed_from=where, removed=what, as_read=True)
    written = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert len(written) == len(lines)
    differing = [place for place, (old, new) in enumerate(zip(lines, written, strict=True)) if old != new]
    assert differing == where.tolist()
    assert written[0].count(",") == lines[0].count(",")


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b'a,b,c\n1,"x\ny",2\n1,z,"p ""q"""\n2,"x\ny",2\n', b'a,b,c\n,"x\ny",2\n1,z,"p ""q"""\n2,"x\ny",2\n'),
        (b'a,b\n5" pipe,1\n6" pipe,2\n5" pipe,2\n', b'a,b\n,1\n6" pipe,2\n5" pipe,2\n'),
        (b"a,b\r1,2\r3,2\r1,4\r", b"a,b\r,2\r3,2\r1,4\r"),
    ],
    ids=["line ends in cells", "quotes in cells", "line ends of old"],
)
def test_cells_and_lines_that_are_hard_to_cut(tmp_path: Path, data: bytes, wanted: bytes):
    (tmp_path / "rows.csv").write_bytes(data)
    rows = read(tmp_path / "rows.csv", format="table")
    first = min(range(*rows.offsets[:2].tolist()), key=lambda place: rows.vocabulary[rows.items[place]])
    keep = np.arange(len(rows.items)) != first
    offsets = rows.offsets - (rows.offsets > first)
    after = Transactions(Itemsets(offsets, rows.items[keep]), vocabulary=rows.vocabulary, layout=rows.layout)
    where, what = np.zeros(1, np.int32), rows.items[first : first + 1]
    rewrite(after, tmp_path / "out.csv", source=tmp_path / "rows.csv", removed_from=where, removed=what, as_read=True)
    assert (tmp_path / "out.csv").read_bytes() == wanted


def test_another_file_is_noticed_and_nothing_written(tmp_path: Path):
    source = tmp_path / "rows.dat"
    source.write_bytes(b"a b\na c\n")
    rows = read(source)
    after, where, what = removals(rows, 3, share=1)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    assert len(where)
    for changed in (b"a b\na c\na\n", b"a b\n", b"x y\nz w\n"):
        source.write_bytes(changed)
        with pytest.raises(DataError, match="is not the file that these 2 rows were read from"):
            rewrite(after, tmp_path / "out.dat", source=source, removed_from=where, removed=what, as_read=True)
    source.write_bytes(b"a  b\na c\n")
    with pytest.raises(DataError, match="is not the file"):
        rewrite(
            after, tmp_path / "out.dat", source=source, removed_from=where, removed=what, as_read=True, digest=digest
        )
    assert [path.name for path in tmp_path.iterdir()] == ["rows.dat"]


@pytest.mark.parametrize(
    ("name", "data", "changed"),
    [
        ("rows.dat", b"a b\nc d\n", b"a b\na b\n"),
        ("rows.csv", b"x,y\na,b\nc,d\n", b"x,y\na,b\na,b\n"),
    ],
)
def test_what_was_written_is_read_again_before_it_takes_its_name(
    tmp_path: Path, name: str, data: bytes, changed: bytes
):
    source = tmp_path / name
    source.write_bytes(data)
    rows = read(source)
    removed = rows.items[:1]
    after = Transactions(Itemsets(np.array([0, 1, 3]), rows.items[1:]), rows.vocabulary, layout=rows.layout)
    where = np.zeros(1, np.int32)
    source.write_bytes(changed)
    with pytest.raises(DataError, match="changed in the meantime; start again"):
        rewrite(after, tmp_path / f"out-{name}", source=source, removed_from=where, removed=removed, as_read=True)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_columns_that_were_left_out_do_not_come_back(tmp_path: Path):
    source = tmp_path / "rows.csv"
    source.write_bytes(b"name,a,b\nann,1,2\nbob,1,3\n")
    rows = read(source, format="table", drop="name")
    after, where, what = removals(rows, 1, share=1)
    rewrite(after, tmp_path / "out.csv", source=source, removed_from=where, removed=what, as_read=False)
    assert b"ann" not in (tmp_path / "out.csv").read_bytes()


def test_another_format_is_written_anew(tmp_path: Path):
    source = tmp_path / "rows.dat"
    source.write_bytes(b"b  a\nc\n")
    rows = read(source)
    nothing = np.zeros(0, np.int32)
    rewrite(rows, tmp_path / "out.csv", source=source, removed_from=nothing, removed=nothing, as_read=True)
    assert (tmp_path / "out.csv").read_bytes() == b"a,b\nc\n"


def edited(line: str, gone: set[str]) -> str:
    """Take tokens out of a line: with the blanks behind them, or at its end with those before them."""
    content, end = (line[:-1], "\r") if line.endswith("\r") else (line, "")
    pieces = re.findall(r"[ \t]+|[^ \t]+", content)
    while any(piece in gone for piece in pieces):
        at = next(place for place, piece in enumerate(pieces) if piece in gone)
        if at + 1 < len(pieces):
            del pieces[at : at + 2]
        else:
            del pieces[at - 1 if at else 0 :]
    return "".join(pieces) + end


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "ab", " ", "\t"]), max_size=8).map("".join), max_size=6),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_text_comes_in_chunks_of_any_size(lines, end, closed, size, draw):
    tokens = sorted({token for line in lines for token in line.split()})
    gone = [{token for token in sorted(set(line.split())) if draw.random() < 0.4} for line in lines]
    pairs = [(row, tokens.index(token)) for row, each in enumerate(gone) for token in sorted(each)]
    rows, items = (np.array([pair[at] for pair in pairs], np.int32) for at in (0, 1))
    data = end.join(lines) + (end if closed and lines else "")
    editor = _kernel.TextEditor(False, tokens, rows, items, [])
    text = data.encode()
    written = b"".join(editor.feed(text[at : at + size]) for at in range(0, len(text), size)) + editor.finish()
    wanted = [edited(line, each) for line, each in zip(lines, gone, strict=True)]
    assert editor.matched or not pairs
    assert written.decode().replace("\r", "").rstrip("\n").split("\n") == "\n".join(wanted).rstrip("\n").split("\n")


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize(
    ("encoding", "said"),
    [("cp1252", True), ("latin-1", True), ("utf-16", False), ("utf-8-sig", False), ("utf-16-le", True)],
)
@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("rows.csv", 'größe;stadt\r\ngroß;"Köln; Süd"\r\nklein ;Bonn\r\ngroß;Jülich\r\n' * 1, {"delimiter": ";"}),
        ("rows.dat", "tee brötchen\r\nmüsli  tee\n\nbrötchen müsli", {"format": "fimi"}),
        ("rows.csv", "wer,was\n1,brötchen\n1,tee\n2,müsli\n2,tee\n", {"id_column": "wer", "item_column": "was"}),
    ],
)
def test_rows_keep_their_encoding(
    tmp_path: Path, name: str, text: str, options: dict[str, str], encoding: str, said: bool, packed: str
):
    source, out = tmp_path / f"{name}{packed}", tmp_path / f"out-{name}{packed}"
    pack, unpack = (gzip.compress, gzip.decompress) if packed else (bytes, bytes)
    source.write_bytes(pack(text.encode(encoding)))
    asked = {**options, "encoding": encoding} if said else options
    rows = read(source, **asked)
    for seed in range(6):
        after, where, what = removals(rows, seed, share=0.5)
        rewrite(
            after,
            out,
            source=source,
            removed_from=where,
            removed=what,
            as_read=True,
            encoding=asked.get("encoding"),
            force=True,
        )
        assert list(read(out, **asked)) == list(after)
        before, written = text.splitlines(), unpack(out.read_bytes()).decode(encoding).splitlines()
        if options.get("id_column") is None:
            header = "delimiter" in options
            untouched = set(range(len(rows))) - set(where.tolist())
            assert all(written[place + header] == before[place + header] for place in untouched)
        if not len(where):
            assert out.read_bytes() == source.read_bytes() or packed
