"""JSON of patterns and rules as a table: our own document, records one per line or in one list, or a frame of pandas.

Arrow splits our own document, and lines of items with a count, into columns, some megabytes at a time; text in any
other form is parsed by Python. DuckDB, which reads JSON of rows, would lose digits: 0.980 becomes 0.98.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from discreet.errors import DataError
from discreet.tables.table import ArrowBatch, ColumnsByName, Table
from discreet.tables.text_blocks import blocks, pieces, tails

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from discreet.json_types import JsonObject, ParsedDocument
    from discreet.tables.byte_source import ByteSource
    from discreet.tables.table import Batch, RawColumn

__all__ = ["json_document"]

_NUMBER = rb"(?:0|[1-9]\d{0,17})"
_OURS = re.compile(
    rb'\s*(\{"n": %(n)b, "min_support": %(n)b, "target": "[a-z]+"(?:, "max_length": %(n)b)?, '
    rb'"count": %(n)b), "itemsets": \[' % {b"n": _NUMBER}
)
_OPENING = b'{"items": ['
_BETWEEN = b'}, {"items": ['
_FRAME_COLUMNS = {"itemsets", "items", "support", "freq", "count", "antecedents", "antecedent", "confidence"}
_REMARKS = ("n", "min_support", "target", "max_length", "count")


@contextmanager
def json_document(source: ByteSource) -> Iterator[Table]:
    """Read `{"n": …, "itemsets": [{"items": …, "support": …}, …]}` (or `"rules"`), or records alone."""
    if heading := _OURS.match(source.head):
        remarks = json.loads(heading[1] + b"}")
        batches = _document_batches(source, heading.end())
        columns: tuple[str, ...] = ("items", "support")
    else:
        remarks, columns, batches = _records_or_lines(source)

    yield Table(
        name=source.name,
        columns=columns,
        batches=_batches(batches, columns, source.name),
        container="json",
        remarks={key: str(remarks[key]) for key in remarks},
    )


def _batches(found: Iterator[Any], columns: tuple[str, ...], name: str) -> Iterator[Batch]:
    """Turn records, and columns from Arrow, into batches of a table."""
    before = 0
    for part in found:
        rows = len(next(iter(part.values()))) if isinstance(part, dict) else len(part)
        named = ColumnsByName(columns, partial(_values, part, before, name))
        yield ArrowBatch(columns=named, rows=rows, before=before, name=name)
        before += rows


def _values(part: Any, before: int, name: str, key: str) -> RawColumn:
    """Return the values of the records, or the columns, under a key that all of them must have."""
    if isinstance(part, dict):
        wrong = None if key in part else 0
    else:
        known = (isinstance(record, dict) and key in record for record in part)
        wrong = next((row for row, is_known in enumerate(known) if not is_known), None)
    if wrong is not None:
        raise DataError(f"{name}, row {before + wrong + 1}: expected a record with {key}; complete it")
    return part[key] if isinstance(part, dict) else [record[key] for record in part]


def _document_batches(source: ByteSource, start: int) -> Iterator[Any]:
    """Split our own document between its records; quotes are escaped, so no label contains the separator."""
    opening, ended, found = _OPENING, False, 0
    for block in blocks(source, _BETWEEN, start=start):
        records = block.removesuffix(_BETWEEN)
        if len(records) == len(block):  # the last block
            records = block.rstrip()
            ended = records.endswith(b"}]}") or (records == b"]}" and opening == _OPENING)
            if not ended or records == b"]}":
                break
            records = records.removesuffix(b"}]}")
        if not records.startswith(opening):
            raise DataError(f"{source.name}, row 1: expected a record with items and support")
        batch = _document_batch(records.removeprefix(opening), source.name, found)
        found += len(batch["support"] if isinstance(batch, dict) else batch)
        opening = b""
        yield batch
    if not ended:
        raise DataError(f"{source.name} does not end as a JSON document; is it complete?")


def _document_batch(records: bytes, name: str, before: int) -> Any:  # columns, or records
    """Return the columns of `…], "support": 3}, {"items": […], "support": 2`."""
    parts = pieces(records, _BETWEEN.decode(), name)
    if (columns := _two_columns(parts, '], "support": ', "support")) is not None:
        return columns
    return _parsed(b'[{"items": [' + records + b"}]", name, f"after itemset {before}")


def _two_columns(parts: pa.Array, between: str, count: str) -> dict[str, pa.Array] | None:
    """Split `"a", "b"` from its count; cells and counts are checked later."""
    import pyarrow.compute as pc

    both = tails(parts, between)
    if both is None or not pc.all(pc.match_substring_regex(both[1], "^(0|[1-9][0-9]{0,17})$")).as_py():
        return None
    return {"items": pc.binary_join_element_wise("[", both[0], "]", ""), count: both[1]}


def _records_or_lines(source: ByteSource) -> tuple[ParsedDocument, tuple[str, ...], Iterator[Any]]:
    """Return remarks, columns and records; it is lines of records if the first line is a complete one."""
    text = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")
    first, newline, _ = text.partition(b"\n")
    if text.startswith(b"{") and newline:
        try:
            record = json.loads(first)
        except (ValueError, RecursionError):
            record = None
        is_record = isinstance(record, dict) and not {"itemsets", "rules"} & record.keys()
        if is_record and not any(isinstance(value, dict) for value in record.values()) and "data" not in record:
            return {}, tuple(record), _line_batches(source)
    return _whole_document(source)


def _line_batches(source: ByteSource) -> Iterator[Any]:
    line = 0
    for block in blocks(source, b"\n"):
        text = block.strip(b"\r\n")
        batch: Any = None
        if text.startswith(b'{"items":[') and text.endswith(b"}"):
            parts = pieces(text.removeprefix(b'{"items":[').removesuffix(b"}"), '}\n{"items":[', source.name)
            batch = _two_columns(parts, '],"freq":', "freq")
        if batch is None:
            batch = [
                _parsed(part, source.name, f"line {line + number}")
                for number, part in enumerate(block.split(b"\n"), start=1)
                if part.strip()
            ]
        line += block.count(b"\n")
        if batch:
            yield batch


def _whole_document(source: ByteSource) -> tuple[ParsedDocument, tuple[str, ...], Iterator[Any]]:
    text = b"".join(source.chunks()).removeprefix(b"\xef\xbb\xbf")
    if not text.strip():
        raise DataError(f"{source.name} is empty; expected a JSON document")
    document = _parsed(text, source.name, "the document")
    document = _frame_records(document, source.name)
    records = document
    remarks: ParsedDocument = {}
    if isinstance(document, dict):
        records = document.get("itemsets", document.get("rules", [document]))
        remarks = {key: document[key] for key in _REMARKS if document.get(key) is not None}
        if "itemsets" in document or "rules" in document:
            named = (
                ("items", "support")
                if "itemsets" in document
                else ("antecedent", "consequent", "support", "confidence")
            )
            return remarks, _keys(records, named, source.name), iter([records])
    return remarks, _keys(records, (), source.name), iter([records])


def _frame_records(document: Any, name: str) -> Any:  # any JSON
    """Return the records of a frame as `DataFrame.to_json` writes it in any orientation, other JSON as it is."""
    if not isinstance(document, dict) or not document:
        return document
    columns, data = document.get("columns"), document.get("data")
    if isinstance(columns, list) and isinstance(data, list):  # orient="split"
        if not all(isinstance(row, list) and len(row) == len(columns) for row in data):
            raise DataError(f"{name}: expected as many values in each row as there are columns; is it complete?")
        return [dict(zip(columns, row, strict=True)) for row in data]
    if isinstance(document.get("schema"), dict) and isinstance(data, list):  # orient="table"
        return data
    parts = list(document.values())
    if not all(isinstance(part, dict) for part in parts):
        return document
    if any(part.keys() != parts[0].keys() for part in parts):
        raise DataError(f"{name}: expected the same rows in every column; is it complete?")
    if _FRAME_COLUMNS & document.keys():  # orient="columns"
        return [{key: part[row] for key, part in document.items()} for row in parts[0]]
    return parts  # orient="index"


def _keys(records: Any, otherwise: tuple[str, ...], name: str) -> tuple[str, ...]:  # any JSON
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise DataError(
            f'{name}: expected a list of records such as {{"items": ["a", "b"], "support": 3}}; if it holds rows, read '
            "it as rows"
        )
    return tuple(records[0]) if records else otherwise


def _parsed(text: bytes, name: str, where: str) -> Any:  # any JSON
    try:
        document = text.decode()  # json.loads would accept some bytes that are not UTF-8
        return json.loads(document, parse_float=Decimal, parse_constant=_no_number, object_pairs_hook=_each_once)
    except UnicodeDecodeError:
        raise DataError(f"{name} is not UTF-8 text; save it as UTF-8") from None
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}" if where == "the document" else where
        raise DataError(f"{name}, {position}: not JSON ({error.msg.lower()}); is it complete?") from None
    except (ValueError, RecursionError, ArithmeticError):
        raise DataError(f"{name}, {where}: JSON that cannot be read; is it complete?") from None


def _each_once(pairs: list[tuple[str, Any]]) -> JsonObject:
    """Refuse an object in which a name occurs twice: nothing says which value is meant."""
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError
    return record


def _no_number(constant: str) -> NoReturn:
    raise ValueError(constant)
