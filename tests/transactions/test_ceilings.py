"""A small file that stands for more than there is room for is refused before it fills the memory or the disk."""

from __future__ import annotations

import gzip
import io
import shutil
import zipfile
from collections import namedtuple
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.errors import DataError
from discreet.tables import ceilings

if TYPE_CHECKING:
    from pathlib import Path

MEBIBYTE = 1 << 20


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings, "memory_at_hand", lambda: 50 * MEBIBYTE)


@pytest.mark.usefixtures("little_memory")
def test_packed_rows_end_at_four_fifths_of_the_memory(tmp_path: Path) -> None:
    file = tmp_path / "rows.dat.gz"
    file.write_bytes(gzip.compress(b"\n" * 30_000_000, compresslevel=1))
    assert file.stat().st_size < MEBIBYTE
    with pytest.raises(DataError, match=r"rows\.dat\.gz holds more than fits into memory, and reading was stopped; "):
        discreet.read(file)


@pytest.mark.usefixtures("little_memory")
def test_packed_patterns_end_there_too(tmp_path: Path) -> None:
    file = tmp_path / "found.csv.gz"
    file.write_bytes(gzip.compress(b"items,support\n" + b'"[""a"", ""b""]",5\n' * 8_000_000, compresslevel=1))
    with pytest.raises(DataError, match=r"holds more than fits into memory"):
        discreet.read_patterns(file, n=9)


@pytest.mark.usefixtures("little_memory")
def test_a_parquet_file_of_one_repeated_value_ends_there_too(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int8()), pa.array(["a"]))
    with pq.ParquetWriter(file, pa.schema([("c", column.type)])) as writer:
        for _ in range(8):
            writer.write_table(pa.table({"c": pa.chunked_array([column] * 1000)}))
    assert file.stat().st_size < MEBIBYTE
    with pytest.raises(DataError, match=r"holds more than fits into memory"):
        discreet.read(file, header=True)


def test_unpacking_leaves_room_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "rows.jsonl.gz"
    file.write_bytes(gzip.compress(b'["a", "b"]\n' * 1_000_000))
    usage = namedtuple("usage", "total used free")  # noqa: PYI024 - as shutil has it
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(0, 0, 2 * MEBIBYTE))
    with pytest.raises(DataError, match=r"rows\.jsonl\.gz unpacks to more than .* has room for; take a part of it"):
        discreet.read(file)


def _workbook(sheet: str) -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    parts = {
        "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="rId1" Type="{office}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="S" sheetId="1" '
        'r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}"><Relationship Id="rId1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return file.getvalue()


NEAR = '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>'


def test_a_cell_in_the_last_row_of_a_sheet_is_no_reason_to_fill_the_memory(tmp_path: Path) -> None:
    """The reader makes room for every cell up to the last one, and the system ended the program."""
    file = tmp_path / "far.xlsx"
    file.write_bytes(_workbook(f"{NEAR}<row r = '1048576'><c s='1' r = 'XFD1048576'><v>3</v></c></row>"))
    with pytest.raises(DataError, match=r"far\.xlsx has cells so far apart that its sheet does not fit into memory; "):
        discreet.read(file, header=False)
    file.write_bytes(_workbook(NEAR))
    assert discreet.read(file, header=False, format="table").n == 1


@pytest.mark.usefixtures("little_memory")
def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.xlsx"
    content = bytearray(_workbook(NEAR + "<!--" + "x" * 20 * MEBIBYTE + "-->"))
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"bomb\.xlsx unpacks to more than fits into memory"):
        discreet.read(file, header=False)
    at = content.rindex(b"PK\x01\x02")  # its size as the archive's directory declares it
    content[at + 24 : at + 28] = (1000).to_bytes(4, "little")
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"bomb\.xlsx is not a whole workbook"):
        discreet.read(file, header=False)
