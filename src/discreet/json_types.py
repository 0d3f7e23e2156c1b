"""JSON documents as types: those that are written, such as the JSON form of a result, and those that were read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["JsonObject", "JsonValue", "ParsedDocument"]

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
"""Anything that `json.dumps` writes."""

JsonObject: TypeAlias = "dict[str, JsonValue]"
"""A document that is written, or a part of one that has names."""

ParsedDocument: TypeAlias = "Mapping[str, Any]"
"""A document that was read, from JSON or TOML: what is under a name is checked where it is used."""
