"""Values and policies as TOML."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.command_words import FileList, one_word
from discreet.differential_privacy.budget import decimal_text
from discreet.policy.keys import SECTIONS, VERSION
from discreet.thresholds import Share, Support, share_text
from discreet.transactions.options import OPTION_TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.policy.policy import Policy

__all__ = ["policy_text", "policy_words", "toml", "toml_key", "toml_list"]

_WIDTH = 100
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml(value: object) -> str:
    """Return a value as TOML.

    >>> toml(["a", True, {"b c": 1}])
    '["a", true, { "b c" = 1 }]'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{toml_key(str(name))} = {toml(each)}' for name, each in value.items())} }}"
    if isinstance(value, int):
        return str(value)
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007F")


def toml_key(name: str) -> str:
    """Return a key as TOML, in quotes if need be."""
    return name if _BARE.fullmatch(name) else toml(name)


def toml_list(names: Iterable[str]) -> str:
    """Return a list of texts, over several lines if it is long."""
    texts = [toml(name) for name in names]
    line = f"[{', '.join(texts)}]"
    if len(line) <= _WIDTH - 20:
        return line
    lines = [""]
    for text in texts:
        if len(lines[-1]) + len(text) > _WIDTH - 6 and lines[-1]:
            lines.append("")
        lines[-1] += f"{text}, "
    return "[\n" + "".join(f"    {each.rstrip()}\n" for each in lines) + "]"


def policy_text(policy: Policy) -> str:
    """Return the file of a policy, without comments; reading it gives the same policy."""
    lines = [f"version = {VERSION}"]
    typed = policy.options.typed()
    for section, keys in SECTIONS.items():
        found = {name: typed.get(name) if name in OPTION_TEXTS else getattr(policy, name) for name in keys}
        said = {
            name: value
            for name, value in found.items()
            if value not in (None, ()) and (value or name == "header") and keys[name].is_for(policy.method)
        }
        lines += ["", f"[{section}]"] if said else []
        lines += [f"{name} = {_written(name, value, policy.path.parent)}" for name, value in said.items()]
    return "\n".join(lines) + "\n"


def policy_words(policy: Policy) -> tuple[str | None, str | None]:
    """Return the support and the quasi-identifiers of a policy as they are typed."""
    support = None if policy.min_support is None else policy.min_support.value
    names = one_word(policy.quasi_identifying) if policy.quasi_identifying else None
    return None if support is None else str(support) if isinstance(support, int) else share_text(support), names


def _written(name: str, value: Any, folder: Path) -> str:
    if isinstance(value, Support):
        value = value.value if isinstance(value.value, int) else share_text(value.value)
    elif isinstance(value, Share):
        value = share_text(value)
    elif isinstance(value, Fraction):
        value = decimal_text(value)
    elif name in ("file", "universe", "ledger", "output", "owner_report", "sign", "hierarchy", "hierarchies"):
        files = value.files if isinstance(value, FileList) else value if isinstance(value, tuple) else (value,)
        places = [_from(folder, str(each)) for each in files]
        value = places if isinstance(value, (FileList, tuple)) else places[0]
    elif name == "exclusive":
        value = [list(each) for each in value]
    return toml_list(value) if isinstance(value, tuple) else toml(value)


def _from(folder: Path, place: str) -> str:
    return place if Path(place).is_absolute() else os.path.relpath(place, folder)
