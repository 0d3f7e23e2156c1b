"""What typings/pyarrow says about Arrow is there in the Arrow that is installed."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

STUBS = Path(__file__).parents[2] / "typings" / "pyarrow"
IN_SOME = {  # arrays, types and instances, but not in the class
    *(f"Array.{name}" for name in ("offsets", "flatten", "dictionary", "indices", "dictionary_decode", "field")),
    "DataType.value_type",
    "Buffer.__buffer__",
    "Scalar.as_buffer",
    "ParquetWriter.schema",
}


def names(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name
        elif isinstance(node, ast.ClassDef):
            yield prefix + node.name
            yield from names(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield prefix + node.target.id


@pytest.mark.parametrize("stub", sorted(STUBS.glob("*.pyi")), ids=lambda stub: stub.stem)
def test_every_name_is_there(stub: Path) -> None:
    module = importlib.import_module("pyarrow" if stub.stem == "__init__" else f"pyarrow.{stub.stem}")
    missing = []
    for name in names(ast.parse(stub.read_text()).body):
        owner: object = module
        *path, last = name.split(".")
        for part in path:
            owner = getattr(owner, part)
        if name not in IN_SOME and not last.startswith("_String") and not hasattr(owner, last):
            missing.append(name)
    assert missing == []
