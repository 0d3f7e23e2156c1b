"""The tables of docs/policy.md and its JSON schema, made from the keys there are: python -m tests.docs.policy_page."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

from discreet.policy.keys import SECTIONS, schema
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["PAGE", "SCHEMA", "made", "write"]

PAGE = ROOT / "docs" / "policy.md"
SCHEMA = ROOT / "docs" / "policy.schema.json"


def made() -> dict[Path, str]:
    """Return the page and the schema as they should be."""
    page = PAGE.read_text(encoding="utf-8")
    for section in SECTIONS:
        page = re.sub(rf"### \[{section}\]\n.*?(?=\n##)", lambda _, at=section: _table(at), page, flags=re.DOTALL)
    return {PAGE: page, SCHEMA: json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"}


def _table(section: str) -> str:
    rows = [
        f"| `{name}`{' ●' if key.needed else ''} | {key.words} | {key.expected} |"
        for name, key in SECTIONS[section].items()
    ]
    return "\n".join([f"### [{section}]", "", "| key | what it says | value |", "| --- | --- | --- |", *rows, ""])


def write() -> list[Path]:
    """Write what changed, and return it."""
    changed = [path for path, text in made().items() if path.read_text(encoding="utf-8") != text]
    for path in changed:
        path.write_text(made()[path], encoding="utf-8")
    return changed


if __name__ == "__main__":
    for each in write():
        sys.stdout.write(f"{each}\n")
