"""Imports stand at the top of a module. Those inside functions are doors to a library, or are named here with a reason.

A command loads what it works with on first use: see `discreet.cli.lazy_imports`.
"""

from __future__ import annotations

import ast
from pathlib import Path

import discreet

SOURCE = Path(discreet.__file__).parent
LIBRARIES = {
    "adbc_driver_postgresql",
    "adbc_driver_sqlite",
    "cryptography",
    "duckdb",
    "fastapi",
    "highspy",
    "jinja2",
    "nacl",
    "narwhals",
    "nicegui",
    "opendp",
    "pandas",
    "polars",
    "py4j",
    "pyarrow",
    "pyspark",
    "python_calamine",
    "rfc3161_client",
    "rich",
    "starlette",
    "uvicorn",
}
"""Libraries that are loaded by what needs them: reading a basket file takes no Arrow, and an audit no cryptography."""

_LIGHT = "the command line knows these options, and loads no arrays for them"
_PAGES = "pages are loaded by the server alone, and load the web framework"
_IN_A_TASK = "a task in Spark takes its modules from the machine that it runs on"

REASONS: dict[str, dict[str, str]] = {
    "__init__.py": {"importlib.metadata": "the version is looked up when it is asked for"},
    "__main__.py": {"discreet.cli.main": "Ctrl-C is heard while it loads"},
    "cli/main.py": {"discreet": "here, `discreet` is the command"},
    "cli/standard_output.py": {"discreet.cli.screen": "a circle: a screen is written to standard output"},
    "engines.py": {"discreet.spark.rows": "only where the rows are in Spark"},
    "hiding/inverted_file.py": {"discreet.hiding.saved_index": "a circle: what is saved is an inverted file"},
    "publishing/synthetic_bundle.py": {
        "discreet.publishing.verifier": "a circle: made-up rows are of a verified bundle, and are verified"
    },
    "spark/__init__.py": {"discreet.spark": "public, and loaded on first use like all that is public"},
    "spark/check.py": {
        "discreet": _IN_A_TASK,
        "discreet.itemsets": _IN_A_TASK,
        "json": _IN_A_TASK,
        "numpy": _IN_A_TASK,
    },
    "spark/kernel_passes.py": {"discreet.tables.ceilings": _IN_A_TASK},
    "tables/system.py": {
        "ctypes": "only where a folder is exchanged with another",
        "hashlib": "only where folders cannot be locked",
    },
    "tables/whole.py": {"discreet.tables.containers": _LIGHT, "discreet.tables.file_parts": _LIGHT},
    "transactions/options.py": {
        "discreet.tables.containers": _LIGHT,
        "discreet.transactions.shapes.cell_rules": _LIGHT,
    },
    "transactions/transactions.py": {
        "discreet.transactions.frame_rows": "a circle: rows of a frame are Transactions, which become a frame"
    },
    "twoparty/identity.py": {"discreet.twoparty.primitives": "it loads cryptography"},
    "twoparty/salt.py": {"discreet.twoparty.primitives": "it loads cryptography"},
    "workbench/jobs/process.py": {"discreet.workbench.jobs.patterns": "only the worker runs jobs"},
    "workbench/pages/page_kit.py": {"discreet.workbench.pages.decisions": "a circle: decisions are drawn with the kit"},
    "workbench/server.py": {
        "discreet.publishing.page": _PAGES,
        "discreet.workbench.pages.books": _PAGES,
        "discreet.workbench.pages.hide": _PAGES,
        "discreet.workbench.pages.page_kit": _PAGES,
        "discreet.workbench.pages.protect": _PAGES,
        "discreet.workbench.pages.publish": _PAGES,
        "discreet.workbench.pages.verify": _PAGES,
        "discreet.workbench.pages.workspaces": _PAGES,
    },
}
"""What else functions import, by module, and why."""


def test_imports_inside_functions_are_doors() -> None:
    """So that the top of a module shows what it is made of."""
    found = {
        str(path.relative_to(SOURCE)): imported
        for path in sorted(SOURCE.rglob("*.py"))
        if (imported := _inside_functions(path))
    }
    assert sum(map(len, found.values())) > 20
    assert found == {module: set(imported) for module, imported in REASONS.items()}


def _inside_functions(path: Path) -> set[str]:
    """Return the modules that the functions of a file import, without libraries."""
    functions = (
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    found = set()
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Import):
                found |= {each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add(str(node.module))
    return {name for name in found if name.split(".")[0] not in LIBRARIES}
