"""The itemsets and rules of a file by other means than ours.

Begun from docs/formats.md alone, then adjusted to what the page leaves open.
"""

from __future__ import annotations

import ast
import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from tests.cells_twin import BLANKS, Refused, content_of, json_values, parquet_columns, records, text_of

__all__ = ["patterns_of", "rules_of"]

SETS = r"(items|item_?set|pattern)s?"
COUNTS = ("count", "freq", "frequency", "supportcount", "support_count")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]|[^\S \t\r\n]|\r(?!\n|\Z)")
NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?(\s*%)?", re.ASCII)


@dataclass(slots=True)
class Table:
    """Columns of a file, whose it is, and what it says about itself."""

    columns: dict[str, list[Any]]
    tool: str = ""
    n: int | None = None
    expected: int | None = None
    names: dict[str, str] = field(default_factory=dict)


def patterns_of(name: str, content: bytes, n: int | None = None, **options: Any) -> tuple[list[Any], int | None]:
    """Return the itemsets as sorted labels with their supports, and n."""
    table = _table(name, content, options, rules=False)
    sets = [_labels(cell, table, options) for cell in table.columns["items"]]
    supports, said = _supports(table, n, [not each for each in sets])
    found = [(labels, support) for labels, support in zip(sets, supports, strict=True) if labels]
    empty = {support for labels, support in zip(sets, supports, strict=True) if not labels}
    said = _agreed(said, *empty)
    if len({tuple(labels) for labels, _ in found}) < len(found) or len(found) + 1 < len(sets):
        raise Refused("an itemset that is listed twice")
    if table.expected is not None and table.expected != len(found):
        raise Refused("it has more or fewer itemsets than it says")
    return sorted(found), said


def rules_of(name: str, content: bytes, n: int | None = None, **options: Any) -> tuple[list[Any], int | None]:
    """Return the rules as sorted labels of both sides with support and confidence, and n."""
    table = _table(name, content, options, rules=True)
    sides = [[_labels(cell, table, options) for cell in table.columns[side]] for side in ("left", "right")]
    supports, said = _supports(table, n, [False] * len(sides[0]))
    confidences = [_decimal(cell) for cell in table.columns["confidence"]]
    if len(confidences) < len(supports):
        raise Refused("no column of confidences")
    if any(set(left) & set(right) for left, right in zip(*sides, strict=True)):
        raise Refused("an item on both sides")
    return sorted(zip(*sides, supports, confidences, strict=True)), said


def _agreed(*numbers: int | None) -> int | None:
    said = {number for number in numbers if number is not None}
    if len(said) > 1:
        raise Refused("it says two numbers of rows")
    return min(said, default=None)


# Tables


def _table(name: str, content: bytes, options: dict[str, Any], *, rules: bool) -> Table:
    content = content_of(name, content)
    name = name.removesuffix(".gz")
    if name.endswith(".parquet"):
        return _named(Table(parquet_columns(content)), options, rules=rules)
    if name.endswith((".json", ".jsonl")):
        return _named(_of_json(json_values(content)), options, rules=rules)
    text = text_of(content, options.get("encoding"), nul=True)
    if name.endswith(".txt"):
        return _printed(text, rules=rules)
    return _named(_of_csv(text, options), options, rules=rules)


def _of_csv(text: str, options: dict[str, Any]) -> Table:
    """Read lines of cells below a header; remarks may stand above it."""
    said, text = _remarks(text)
    if "\0" in text:
        raise Refused("a NUL")
    header, *below = _records(text, options.get("delimiter"))
    if below and {len(line) for line in below} == {len(header) + 1}:
        header = ["", *header]
    if any(len(line) != len(header) for line in below):
        raise Refused("lines of different length")
    named = [name for name in header if name]
    if len(set(named)) < len(named):
        raise Refused("two columns of one name")
    table = Table({name: [line[at] for line in below] for at, name in enumerate(header) if name})
    rules = {"antecedent", "consequent", "support", "confidence"}
    ours = set(table.columns) == {"items", "support"} or rules <= set(table.columns)
    if "n" in said and ours:
        table.n, table.tool = _whole(said["n"]), "ours"
    return table


def _remarks(text: str) -> tuple[dict[str, str], str]:
    """Return what the remarks above the header say, and the text below them."""
    said: dict[str, str] = {}
    while text.lstrip("\r\ufeff").startswith("#") or (text and not text.partition("\n")[0].strip(BLANKS)):
        remark, _, text = text.lstrip("\r\ufeff").partition("\n")
        key, _, value = (part.strip() for part in remark[1:].partition(":"))
        if len(value.split()) == 1 and said.setdefault(key, value) != value:
            raise Refused("two remarks that contradict each other")
    return said, text


def _records(text: str, delimiter: str | None) -> list[list[str]]:
    """Return the lines as cells, cut by what the reader names, or by the first that cuts the header."""
    for separator in [delimiter] if delimiter else [",", ";", "\t", " "]:
        with suppress(Refused):
            found = records(text, separator)
            if found and len(found[0]) > 1:
                return found
    raise Refused("no header of several columns")


def _of_json(values: list[Any]) -> Table:
    """Read our own document, or records."""
    if len(values) == 1 and isinstance(values[0], dict) and ("itemsets" in values[0] or "rules" in values[0]):
        document = values[0]
        records_ = document.get("itemsets", document.get("rules"))
        if isinstance(records_, list):
            table = _of_records(records_)
            table.tool, table.n = "ours", _whole(document.get("n"))
            table.expected = _whole(document["count"]) if "count" in document else None
            return table
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    return _of_records(values)


def _of_records(values: list[Any]) -> Table:
    if not all(isinstance(each, dict) for each in values):
        raise Refused("no records")
    names = dict.fromkeys(name for each in values for name in each)
    return Table({name: [each.get(name) for each in values] for name in names})


def _named(table: Table, options: dict[str, Any], *, rules: bool) -> Table:
    """Find the columns that hold itemsets, both sides of rules, supports and confidences."""
    if rules:
        return _named_rules(table)
    given, asked = table.columns, options.get("items_column")
    items = [asked] if asked else [name for name in given if re.fullmatch(SETS, _plain(name))]
    if len(items) != 1 or items[0] not in given:
        raise Refused("no column of itemsets, or several")
    low = {_plain(name): name for name in given}
    if not table.tool:
        if {"Patterns", "Support"} <= set(given):
            table.tool = "pami"
        elif {"items", "size"} <= set(low):
            table.tool = "rapidminer"
    table.columns = {"items": given[items[0]]} | _support_columns(given, low, options.get("support_column"))
    return table


def _support_columns(given: dict[str, Any], low: dict[str, str], asked: str | None) -> dict[str, Any]:
    """Return the columns of counts and of shares; `asked` is the one that the reader names."""
    found = {}
    counts = [asked] if asked else [low[name] for name in COUNTS if name in low]
    if len(counts) > 1 or (counts and counts[0] not in given):
        raise Refused("several columns of counts, or none")
    if counts:
        found["count"] = given[counts[0]]
        texts = [str(cell).strip(BLANKS) for cell in given[counts[0]]]
        whole = all(re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII) for text in texts)
        if asked and texts and whole and max(map(int, texts)) <= 1:
            raise Refused("counts or shares")
    shares = next((low[name] for name in ("support", "supp") if name in low), None)
    if shares is not None and shares not in counts:
        found["support"] = given[shares]
    return found


def _plain(name: str) -> str:
    """Return a column's name without case and blanks."""
    return re.sub(r"\s", "", name, flags=re.ASCII).lower()


def _named_rules(table: Table) -> Table:
    given = {_plain(name): cells for name, cells in table.columns.items()}
    given["support"] = given.get("support", given.get("supp", []))
    sides = [("antecedents", "consequents"), ("antecedent", "consequent"), ("lhs", "rhs"), ("premises", "conclusion")]
    found = next(({"left": given[one], "right": given[two]} for one, two in sides if {one, two} <= set(given)), {})
    if "rules" in given:
        halves = [str(cell).split(" => ") for cell in given["rules"]]
        if found or any(len(each) != 2 for each in halves):
            raise Refused("a rule without two sides")
        found = {"left": [left for left, _ in halves], "right": [right for _, right in halves]}
    if "confidence" not in given:
        table.n = None  # not a table of ours
    given["confidence"] = given.get("confidence", given.get("conf", []))
    if not found or not {"support", "count"} & set(given):
        raise Refused("no rules")
    if {"Premises", "Conclusion"} <= set(table.columns):
        table.tool = "rapidminer"
    if {"Antecedent", "Consequent", "Strength"} <= set(table.columns):
        table.tool = "orange"
    for name in ("support", "count", "confidence"):
        if name in given:
            found[name] = given[name]
    table.columns = found
    return table


# What tools print


def _printed(text: str, *, rules: bool) -> Table:
    lines = [line.rstrip(BLANKS) for line in text.split("\n")]
    if any("#SUP:" in line for line in lines) or text.startswith("@"):
        return _spmf([line.removesuffix("\r") for line in text.split("\n")], rules=rules)
    if CONTROL.search(text):
        raise Refused("a control character")
    for form in (_weka, _pandas, _inspected, _rapidminer_text):
        table = form(lines, rules=rules)
        if table is not None:
            return table
    raise Refused("no printout of a tool")


def _spmf(lines: list[str], *, rules: bool) -> Table:
    table = Table({name: [] for name in (("left", "right", "count", "confidence") if rules else ("items", "count"))})
    table.tool = "spmf"
    for line in lines:
        if line.startswith("@ITEM="):
            number, equals, label = line.removeprefix("@ITEM=").partition("=")
            if not number.strip() or not equals:
                continue  # a remark
            if table.names.setdefault(number, label) != label:
                raise Refused("an item with two names")
        elif re.match(r"\s*([@%]|#(?!SUP:\s)|\Z)", line, re.ASCII):
            continue
        else:
            if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", line.removesuffix("\r")):
                raise Refused("a control character")
            form = r"(?:(.*?)\s)??\s*#SUP:\s*([^\s#]\S*)(?:\s+#.*)?"
            if rules:
                form = r"(?:(.*?)\s)??==>(?:\s(.*?))?\s#SUP:\s*(\S+)\s+#CONF:\s*(\S+)(?:\s.*)?"
            match = re.fullmatch(form, line.strip(BLANKS), re.ASCII)
            if match is None:
                raise Refused("a line without a support")
            for name, cell in zip(table.columns, match.groups(), strict=True):
                table.columns[name].append(cell or "")
    return table


def _pandas(lines: list[str], *, rules: bool) -> Table | None:
    lines = [line for line in lines if line.strip()]
    if rules or not lines or [_plain(each) for each in lines[0].split()] != ["support", "itemsets"]:
        return None
    found = [re.fullmatch(r"\s*\d+\s+(\S+)\s+\((.*)\)", line) for line in lines[1:]]
    if not all(found):
        raise Refused("a line that is no row")
    return Table({"items": [f"({each[2]})" for each in found if each], "support": [each[1] for each in found if each]})


def _inspected(lines: list[str], *, rules: bool) -> Table | None:
    lines = [line.removeprefix("##").strip(BLANKS) for line in lines if line.strip(BLANKS)]
    names = lines[0].split() if lines else []
    if rules or names[:1] != ["items"]:
        return None
    found = [re.fullmatch(r"\[\d+\]\s+(\{[^{}]*\})(\s.*)?", line) for line in lines[1:]]
    if not all(found):
        raise Refused("a line that is no row")
    if any("\t" in each[1] for each in found if each):
        raise Refused("a tab in a label")
    rows = [[each[1], *(each[2] or "").split(), *names] for each in found if each]
    if len({comma for row in rows for comma in re.findall(", |,", row[0])}) > 1:
        raise Refused("commas with a blank behind, and without")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    return _named(Table(columns, "inspect"), {}, rules=False)


def _weka_rules(lines: list[str]) -> Table | None:
    found = [re.fullmatch(r"\s*\d+\. +(.*?) +(\d+) +==> +(.*?) +(\d+)\s+<?conf:\((\S+?)\)>?.*", line) for line in lines]
    rows = [each for each in found if each]
    if not rows:
        return None
    columns = {"left": [each[1] for each in rows], "right": [each[3] for each in rows]}
    columns |= {"count": [each[4] for each in rows], "confidence": [each[5] for each in rows]}
    return Table(columns, "weka")


def _weka(lines: list[str], *, rules: bool) -> Table | None:
    if rules:
        return _weka_rules(lines)
    sizes = [re.fullmatch(r"Large Itemsets L\((\d+)\):", line.strip(BLANKS)) for line in lines]
    if not any(sizes):
        return None
    table = Table({"items": [], "count": []}, "weka")
    size, single = 0, set()
    for line, heading in zip(lines, sizes, strict=True):
        if heading:
            if int(heading[1]) != size + 1:
                raise Refused("a heading is missing")
            size = int(heading[1])
        elif size and line.startswith("Best rules found"):
            break
        elif size and line.strip(BLANKS):
            match = re.fullmatch(r"(.*\S)\s+(\d+)", line.strip(BLANKS))
            if match is None:
                raise Refused("a line that is no itemset")
            labels = [match[1]] if size == 1 else _known(match[1], single)
            single |= {match[1]} if size == 1 else set()
            if len(labels) != size:
                raise Refused("an itemset of another size")
            table.columns["items"].append(labels)
            table.columns["count"].append(match[2])
    return table


def _known(text: str, labels: set[str]) -> list[str]:
    """Cut a text into labels that are known, with a blank between two."""
    for label in labels:
        if text == label:
            return [label]
        if text.startswith(label + " ") and (rest := _known(text[len(label) + 1 :], labels)):
            return [label, *rest]
    return []


def _rapidminer_text(lines: list[str], *, rules: bool) -> Table | None:
    lines = [line for line in lines if line.strip(BLANKS)]
    heading = re.fullmatch(r"Frequent Item Sets \((\d+)\):", lines[0].strip(BLANKS)) if lines else None
    if heading is None or rules:
        return None
    found = [line.strip(BLANKS).rsplit(" / ", 1) for line in lines[1:]]
    if any(len(each) != 2 for each in found) or len(found) != int(heading[1]):
        raise Refused("a line that is no itemset")
    return Table({"items": [each[0] for each in found], "support": [each[1] for each in found]}, "rapidminer")


# Cells


def _labels(cell: Any, table: Table, options: dict[str, Any]) -> list[str]:
    """Return the labels of an itemset, sorted."""
    found = [str(label) for label in _taken_apart(cell, table, options.get("item_separator"))]
    found = [table.names.get(label, label) for label in found]
    if len(set(found)) < len(found):
        raise Refused("an item twice in an itemset")
    return sorted(found)


def _taken_apart(cell: Any, table: Table, separator: str | None) -> list[Any]:  # noqa: C901, PLR0911 - one tool after another
    if isinstance(cell, list):
        if not all(isinstance(label, str) for label in cell):
            raise Refused("a label that is no text")
        return cell
    text = str(cell or "").strip(BLANKS)
    if text.strip()[:1] in ("[", "{", "(", "f"):
        text = text.strip()  # other blanks around brackets say nothing
    if separator:
        inner = text[1:-1] if text[:1] + text[-1:] in ("{}", "[]", "()") else text
        return _cut(inner, separator)
    if table.tool in ("pami", "spmf"):
        return re.findall(r"\S+", text, re.ASCII)
    if table.tool == "weka":
        return text.split(" ")
    if table.tool in ("rapidminer", "orange"):
        return _cut(text, ", ")
    for form in (_json_list, _python_set):
        found = form(text)
        if found is not None:
            return found
    if table.tool == "ours":
        raise Refused("no JSON list")
    if text[:1] + text[-1:] in ("[]", "()", "{}"):
        return _cut(text[1:-1], "," if text[0] == "{" else ", ")
    raise Refused("an itemset without brackets")


def _cut(text: str, separator: str) -> list[str]:
    if not text.strip(BLANKS):
        return []
    found = [label.strip(BLANKS) for label in text.split(separator)]
    if not all(found):
        raise Refused("an empty label between two separators")
    return found


def _json_list(text: str) -> list[Any] | None:
    try:
        found = json.loads(text, parse_int=str, parse_float=str)
    except ValueError:
        return None
    if not isinstance(found, list) or not all(isinstance(label, str) for label in found):
        return None
    return found


def _python_set(text: str) -> list[Any] | None:
    """Take Python's text of a set, a list or a tuple of texts and numbers apart."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in ("set", "frozenset"):
        if not tree.args:
            return []
        tree = tree.args[0]
    if not isinstance(tree, ast.Set | ast.List | ast.Tuple) or text[0].isdigit():
        return None
    labels = [each.value if isinstance(each, ast.Constant) else None for each in tree.elts]
    return labels if all(isinstance(label, str | int) for label in labels) else None


# Numbers


def _decimal(cell: Any) -> Decimal:
    text = str(cell).strip()  # other blanks around a number say nothing
    if NUMBER.fullmatch(text) is None:
        raise Refused("no number")
    share = text.endswith("%")
    try:
        value = Decimal(text.removesuffix("%").strip(BLANKS).replace(",", "."))
    except InvalidOperation as error:
        raise Refused("no number") from error
    return value.scaleb(-2) if share else value


def _whole(cell: Any) -> int:
    value = _decimal(cell)
    if value != value.to_integral_value() or abs(value) > 10**18:
        raise Refused("no whole number")
    return int(value)


def _supports(table: Table, n: int | None, empty: list[bool]) -> tuple[list[int], int | None]:
    """Return counts, and n if it is known."""
    said = _agreed(n, table.n)
    cells = table.columns
    if "count" in cells and (
        table.tool or "support" in cells or _all_whole([_decimal(cell) for cell in cells["count"]])
    ):
        counts = [_whole(cell) for cell in cells["count"]]
        if "support" in cells and said is None:
            said = _n_of(counts, [_decimal(cell) for cell in cells["support"]])
        return _bounded(counts, said, empty), said
    shares = [_decimal(cell) for cell in cells.get("count", cells.get("support", []))]
    if len(shares) < len(empty):
        raise Refused("no column of supports")
    if table.tool in ("ours", "pami") or _all_whole(shares):
        return _bounded([_whole(share) for share in shares], said, empty), said
    if said is None or any(share > 1 for share in shares):
        raise Refused("a share of an unknown number of rows, or above 1")
    counts = [round(Fraction(share) * said) for share in shares]
    return _bounded(counts, said, empty), said


def _all_whole(values: list[Decimal]) -> bool:
    return any(value > 1 for value in values) and all(value == value.to_integral_value() for value in values)


def _bounded(counts: list[int], n: int | None, empty: list[bool]) -> list[int]:
    if any(count < (not none) for count, none in zip(counts, empty, strict=False)):
        raise Refused("a support below 1")
    if n is not None and any(count > n for count in counts):
        raise Refused("a support above n")
    return counts


def _n_of(counts: list[int], shares: list[Decimal]) -> int | None:
    """Return the only n that all shares are printed of."""
    fitting: set[int] | None = None
    for count, share in zip(counts, shares, strict=True):
        unit = Fraction(10) ** min(0, int(share.as_tuple().exponent)) / 2
        if share <= 0 or share > 1:
            raise Refused("no share")
        low, high = Fraction(share) - unit, Fraction(share) + unit
        most = int(count / low) if low > 0 else 10**4
        these = {
            number
            for number in range(max(1, int(count / high)), min(most, 10**4) + 1)
            if low <= Fraction(count, number) <= high
        }
        fitting = these if fitting is None else fitting & these
    return min(fitting) if fitting and len(fitting) == 1 else None
