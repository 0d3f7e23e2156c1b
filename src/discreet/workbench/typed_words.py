"""What people type into fields, and messages about it: numbers as they write them, fields by their labels."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from discreet.errors import ParameterError, spelled
from discreet.transactions.options import OPTION_TEXTS

if TYPE_CHECKING:
    from discreet.errors import DiscreetError

__all__ = ["choices_in", "plain_list", "plain_number", "sentence_of"]

_BLANKS = re.compile("[\\s'\N{RIGHT SINGLE QUOTATION MARK}]")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}([.,])[0-9]{3}(\1[0-9]{3})*", re.ASCII)
_DECIMAL_COMMA = re.compile(r"([0-9]*),([0-9]+)(%?)", re.ASCII)
_LABELS = {
    "k": "k",
    "min_support": "the support",
    "quasi_identifiers": "Quasi-identifiers",
    "sensitive": "Sensitive items",
    "rho": "Rho",
    "restrict": "the patterns to hide",
    "disclosure": "ψ",
    "format": "Format",
    "missing": "Missing cells",
    "patterns": "“Audit it as patterns”",
    "rules": "“as rules”",
    "n": "“Rows in all”",
} | {name: f"“{text.label}”" for name, text in OPTION_TEXTS.items() if text.label is not None}


def plain_number(text: str) -> str:
    """Return a number or a share without separators of thousands, and with a decimal point.

    >>> [plain_number(each) for each in ("1,000", "1.000", "1 000", "0,2", "12,5 %", "0.125", "20%")]
    ['1000', '1000', '1000', '0.2', '12.5%', '0.125', '20%']
    """
    text = _BLANKS.sub("", text)
    if _THOUSANDS.fullmatch(text):
        return re.sub("[.,]", "", text)
    found = _DECIMAL_COMMA.fullmatch(text)
    return text if found is None else f"{found[1] or '0'}.{found[2]}{found[3]}"


def plain_list(text: str, parameter: str) -> str:
    """Return a list of names as typed; refuse `@FILE`, by which a page would read any file of the owner.

    >>> plain_list(" age,sex ", "drop")
    'age,sex'
    """
    text = text.strip()
    if text.startswith("@"):
        raise ParameterError(
            f"{_LABELS.get(parameter, parameter)} takes names here, and no @file; type them, or put a name that begins "
            "with @ in double quotes",
            parameter=parameter,
        )
    return text


def sentence_of(error: DiscreetError) -> str:
    """Return an error's sentence with the labels of fields in place of options."""
    return spelled(error.message, _in_fields)


def choices_in(error: DiscreetError) -> tuple[tuple[str, object], ...]:
    """Return the options that an error's sentence names, each with its value, None if it names none.

    >>> from discreet.errors import param
    >>> choices_in(ParameterError(f"give {param('header', True)} or {param('header', False)}", parameter="header"))
    (('header', True), ('header', False))
    """
    found: list[tuple[str, object]] = []

    def note(name: str, value: str | None) -> str:
        found.append((name, None if value is None else ast.literal_eval(value)))
        return ""

    spelled(error.message, note)
    return tuple(dict.fromkeys(found))


def _in_fields(name: str, value: str | None) -> str:
    if name == "header":
        return "“the first line is data”" if value == "False" else "“the first line names the columns”"
    label = _LABELS.get(name, name.replace("_", " "))
    return label if value is None else f"{label}: {value.strip(chr(39))}"
