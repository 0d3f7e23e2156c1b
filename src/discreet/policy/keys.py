"""The keys of a policy file: what each says, and which values it takes. The JSON schema and the parser are this table.

A key of the section `data` is an option of `discreet.read`, and takes what the Python keyword takes. The name of a key
stands in one section only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal, get_args

from discreet.errors import spelled
from discreet.transactions.layout import Shape
from discreet.transactions.options import OPTION_TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.json_types import JsonObject, ParsedDocument

__all__ = ["SECTIONS", "VERSION", "WORKBENCH", "Key", "fits", "needed_keys", "schema", "section_of"]

VERSION: Final = 1
WORKBENCH: Final = "workbench"
"""A section that is not part of the policy: what the workbench keeps in a project file. Commands pass over it."""

_TEXT: Final[JsonObject] = {"type": "string", "pattern": "^[^\\u0000]+$"}
_TEXTS: Final[JsonObject] = {"type": "array", "items": _TEXT, "minItems": 1}
_NAMES: Final[JsonObject] = {"anyOf": [_TEXT, _TEXTS]}
_NUMBER: Final[JsonObject] = {"anyOf": [{"type": "number"}, _TEXT]}
_EDGES: Final[JsonObject] = {"type": "array", "items": _NUMBER, "minItems": 1}
_KINDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "integer": int,
    "number": (int, Decimal),
    "boolean": bool,
    "array": list,
    "object": dict,
}
_LIKE_NAMES: Final = 'a list of texts, like ["age", "sex"], or "@FILE" for one with a name per line'


@dataclass(frozen=True, slots=True)
class Key:
    """A key: what it says, what its value must be, in words and as JSON schema, and whether every policy has it.

    A `place` says where files are, not what is done with them: it may change from month to month. `only` says that the
    key is for exact patterns, or for those with noise (method "dp"); a policy of the other kind must not have it.
    """

    words: str
    expected: str
    schema: ParsedDocument
    needed: bool = False
    place: bool = False
    only: Literal["exact", "dp"] | None = None

    def is_for(self, method: object) -> bool:
        """Return whether a policy with this method may have the key."""
        return self.only is None or (self.only == "dp") == (method == "dp")


def _choice(words: str, *choices: str, needed: bool = False, only: Literal["exact", "dp"] | None = None) -> Key:
    *most, last = (f'"{choice}"' for choice in choices)
    return Key(words, f"{', '.join(most)} or {last}", {"enum": list(choices)}, needed, only=only)


def _text(words: str, *, place: bool = False, needed: bool = False, only: Literal["exact", "dp"] | None = None) -> Key:
    return Key(words, "a text in quotes", _TEXT, needed, place, only)


def _names(words: str, *, place: bool = False, only: Literal["exact", "dp"] | None = None) -> Key:
    return Key(words, _LIKE_NAMES, _NAMES, place=place, only=only)


def _spent(words: str, *, needed: bool = False) -> Key:
    return Key(words, 'a decimal, like 0.5 or "1e-6"', _NUMBER, needed, only="dp")


def _flag(words: str, *, only: Literal["exact", "dp"] | None = None) -> Key:
    return Key(words, "true or false", {"type": "boolean"}, only=only)


_RENAMED: Final[JsonObject] = {"type": "object", "additionalProperties": {"type": "string"}}
_OF_TABLES: Final[Mapping[str, Key]] = {
    "format": _choice("What the file is, if its name does not say it.", *get_args(Shape)),
    "header": _flag("Whether the first line names the columns."),
    "sheet": Key(OPTION_TEXTS["sheet"].help, "a text or a number", {"anyOf": [_TEXT, {"type": "integer"}]}),
    "columns": _names("The names of the columns, in order, if header is false."),
    "drop": _names("Columns of a table to leave out."),
    "keep": _names("The columns of a table to use, instead of all."),
    "bins": Key(
        "Limits by which a table's columns of numbers become intervals.",
        "a table like { age = [20, 40] }",
        {"anyOf": [_TEXT, _TEXTS, {"type": "object", "additionalProperties": _EDGES}]},
    ),
    "map": Key(
        'New values of a table\'s columns; "*" stands for all others.',
        'a table like { gain = { "0" = "none", "*" = "some" } }',
        {"anyOf": [_TEXT, _TEXTS, {"type": "object", "additionalProperties": _RENAMED}]},
    ),
    "missing": _choice("Skip a missing cell of a table (the default), or drop its row.", "drop-row", "skip"),
}
"""The keys of reading options that take more than a text."""


def _reading_key(name: str) -> Key:
    """Return the key of a reading option."""
    return _OF_TABLES.get(name) or _text(spelled(OPTION_TEXTS[name].help), place=name == "database")


SECTIONS: Final[Mapping[str, Mapping[str, Key]]] = {
    "data": {
        "file": Key(
            "The rows: a file, a folder, or a list of files. `run` with other data reads those instead.",
            "the name of a file, or a list of them",
            _NAMES,
            place=True,
        ),
        **{name: _reading_key(name) for name in OPTION_TEXTS if name != "identifying"},
        "expect_columns": _names("The columns that the data had when this was written: others, or fewer, stop a run."),
        "rows_added": _flag(
            "Whether all rows of earlier releases are still in the data, so that more can be published.", only="exact"
        ),
        "expect_labels": _names("Items that must still occur: a run stops if one does not."),
    },
    "roles": {
        "identifying": _names("Columns or items that tell whose a row is, such as names: never read, never published."),
        "quasi_identifying": _names(
            "Items or columns that readers may know about people. Without this key, readers may know everything.",
            only="exact",
        ),
        "sensitive": _names(
            "Items or columns that nobody may conclude of a group with confidence rho or more.", only="exact"
        ),
    },
    "protect": {
        "k": Key(
            "No group of 1 to k-1 rows may be computable.",
            "a whole number of at least 2",
            {"type": "integer", "minimum": 2},
            needed=True,
            only="exact",
        ),
        "rho": Key(
            "The confidence that no conclusion about a sensitive item may reach.",
            'a share above 0, like 0.5 or "50%"',
            _NUMBER,
            only="exact",
        ),
        "exclusive": Key(
            "Items of which a row has at most one: a list, or a list of such lists.",
            'a list like ["tea", "coffee"], or a list of such lists',
            {"anyOf": [_TEXT, {"type": "array", "items": _NAMES, "minItems": 1}]},
            only="exact",
        ),
        "attack_steps": Key(
            "How far the attacker looks: so many windows and linear programs, or all.",
            'a whole number, or "all"',
            {"anyOf": [{"type": "integer", "minimum": 1}, {"enum": ["all"]}]},
            only="exact",
        ),
    },
    "budget": {
        "epsilon": _spent(
            "What each release spends: no row changes a probability by more than exp(epsilon).", needed=True
        ),
        "delta": _spent("Except with this probability; needed if there is no universe."),
        "total_epsilon": _spent("What all releases in the ledger may spend together: one beyond it is refused."),
        "total_delta": _spent("The same for delta."),
    },
    "patterns": {
        "min_support": Key(
            "In how many rows an itemset must occur to be published; method dp may have top instead.",
            'a number of rows, like 500, or a share of them, like "5%" or 0.05',
            _NUMBER,
            needed=True,
        ),
        "method": _choice(
            "How patterns are made safe: additive raises supports, suppressive leaves rows out, none does nothing, dp "
            "adds noise (differential privacy).",
            *("additive", "suppressive", "none", "dp"),
            needed=True,
        ),
        "target": _choice("Which itemsets are published; closed unless given.", "closed", "all", only="exact"),
        "min_confidence": Key(
            "Also publish association rules of at least this confidence.",
            'a share, like 0.8 or "80%"',
            _NUMBER,
            only="exact",
        ),
        "top": Key(
            "With noise: the most itemsets to publish.",
            "a whole number of at least 1",
            {"type": "integer", "minimum": 1},
            only="dp",
        ),
        "universe": _text("With noise: a file of all items that could occur, one per line, public before.", only="dp"),
        "max_items": Key(
            "With noise: how many items of a row count while items are found; 10 unless given.",
            "a whole number of at least 1",
            {"type": "integer", "minimum": 1},
            only="dp",
        ),
        "public_n": _flag("With noise: whether the number of rows is public; else it has noise.", only="dp"),
    },
    "rows": {
        "hierarchy": _text("For anonymize: what items can be generalized to, as lines leaf;parent;…;root.", place=True),
        "hierarchies": _text("For kanon and compare: the folder with a hierarchy for each column.", place=True),
    },
    "publish": {
        "title": _text("What the public report is called."),
        "output": _text(
            "The folder to publish. {date} is the day, as in 2026-11-30, and {data} the name of the data's file "
            "without its ending.",
            place=True,
            needed=True,
        ),
        "ledger": _text("The file that records releases; each is audited together with all earlier ones.", place=True),
        "fit_ledger": _flag(
            "Whether to withhold what is not safe together with earlier releases. Otherwise a run stops, and says what "
            "could be published.",
            only="exact",
        ),
        "owner_report": _text(
            "The owner's report, which is not for release. {name} is the name of the folder.", place=True, only="exact"
        ),
        "sign": _names("The identities (identity.pem of keygen) to sign with.", place=True),
    },
}
"""The sections of a policy file, and the keys in each, in the order in which they are explained."""


def section_of(name: str) -> str | None:
    """Return the section that a key belongs to; None if there is no such key."""
    return next((section for section, keys in SECTIONS.items() if name in keys), None)


def schema() -> JsonObject:
    """Return the JSON schema of a policy file, as TOML is read."""
    sections: JsonObject = {
        section: {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: {"description": key.words, **key.schema} for name, key in keys.items()},
        }
        for section, keys in SECTIONS.items()
    }
    noisy: JsonObject = {
        "properties": {"patterns": {"properties": {"method": {"const": "dp"}}, "required": ["method"]}}
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A policy of discreet",
        "type": "object",
        "additionalProperties": False,
        "required": ["version", "patterns"],
        "properties": {
            "version": {"description": "The version of this form.", "enum": [VERSION]},
            **sections,
            WORKBENCH: {
                "description": "What the workbench keeps in a project file; commands pass over it.",
                "type": "object",
            },
        },
        "if": noisy,
        "then": _kind("dp"),
        "else": _kind("exact"),
    }


def needed_keys(section: str, method: object) -> list[str]:
    """Return the keys that a section of a policy with this method must have; with noise, a support or `top` will do."""
    return [
        name
        for name, key in SECTIONS[section].items()
        if key.needed and key.is_for(method) and (name, method) != ("min_support", "dp")
    ]


def _kind(method: Literal["exact", "dp"]) -> JsonObject:
    """Return what the schema asks of exact policies, or of those with noise: keys that must be there, or must not."""
    sections: dict[str, JsonObject] = {
        section: {
            "required": needed_keys(section, method),
            "properties": {name: False for name, key in keys.items() if not key.is_for(method)},
        }
        for section, keys in SECTIONS.items()
    }
    if method == "dp":
        sections["patterns"]["anyOf"] = [{"required": ["min_support"]}, {"required": ["top"]}]
    return {
        "required": [section for section, asked in sections.items() if asked["required"]],
        "properties": {section: asked for section, asked in sections.items() if any(asked.values())},
    }


def fits(value: object, wanted: ParsedDocument) -> bool:  # noqa: PLR0911 - one line for each kind of value
    """Return whether a value is what a part of the schema says.

    >>> fits(["a"], _NAMES), fits([], _NAMES), fits(True, {"type": "integer"}), fits(Decimal("0.5"), _NUMBER)
    (True, False, False, True)
    """
    if "anyOf" in wanted:
        return any(fits(value, each) for each in wanted["anyOf"])
    if "enum" in wanted:
        return any(value == each and type(value) is type(each) for each in wanted["enum"])
    kind = wanted["type"]
    if not isinstance(value, _KINDS[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return False
    if isinstance(value, list):
        return len(value) >= wanted.get("minItems", 0) and all(fits(each, wanted["items"]) for each in value)
    if isinstance(value, dict):
        return all(fits(each, wanted["additionalProperties"]) for each in value.values())
    if isinstance(value, str):
        return re.search(wanted.get("pattern", ""), value) is not None
    return "minimum" not in wanted or bool(value >= wanted["minimum"])
