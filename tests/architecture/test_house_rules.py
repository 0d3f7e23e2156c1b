"""The rules of the house that a reader of one file would not see."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from radon.complexity import cc_visit

import discreet

SOURCE = Path(discreet.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
)
NO_HOME = {"utils", "util", "helpers", "helper", "core", "common", "misc", "base"}
HEAVY = {"numpy", "pyarrow", "duckdb", "narwhals", "pandas", "polars", "rich", "typer", "click", "pydantic", "nicegui"}


def loaded_after(code: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after running the code."""
    script = f"import sys\n{code}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_every_module_imports_alone() -> None:
    """All can be imported, and none in a circle: then each can be the first, whichever others follow."""
    for module in MODULES:
        importlib.import_module(module)
    loads = {module: _loaded_with(Path(sys.modules[module].__file__)) & set(MODULES) for module in MODULES}
    assert loads["discreet.channels.audit"] > {"discreet.errors", "discreet.channels.attacker"}
    list(TopologicalSorter(loads).static_order())  # raises an error that names the circle


def _loaded_with(path: Path) -> set[str]:
    """Return the modules that a file imports when it is imported, and names in them that are no modules."""
    found = set()
    waiting = list[ast.AST](ast.parse(path.read_text()).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found |= {str(node.module), *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return found


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_after("import discreet") & HEAVY == set()


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["mine", "--help"], ["generate", "quest", "--help"]])
def test_help_and_version_load_the_parser_alone(words: list[str]) -> None:
    """So that they answer at once: what takes time is loading modules, and that they are many would take it, too."""
    loaded = loaded_after(f"from discreet.cli.main import main\nassert main({words!r}) == 0")
    assert loaded & HEAVY == {"click"}
    assert len(loaded) < 250


def test_a_source_distribution_leaves_out_what_a_local_build_made() -> None:
    """Files that .gitignore lists are left out, unless an `include` brings them back."""
    root = Path(__file__).parents[2]
    settings = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["scikit-build"]
    assert list(settings["sdist"]) == ["exclude"]
    assert {"build/", "dist/", "__pycache__/", "*.o", "*.so"} <= set((root / ".gitignore").read_text().split())


def test_no_module_is_a_grab_bag() -> None:
    assert [module for module in MODULES if NO_HOME & set(module.split("."))] == []


def test_no_file_is_a_giant() -> None:
    """A signal, not a law of style: a file this long has most likely more than one subject.

    The verifier that stands alone is one file by design: a stranger copies it, reads it and runs it.
    """
    files = [(path, 900 if path.name == "verify_bundle.py" else 600) for path in SOURCE.rglob("*.py")]
    long = {str(path): lines for path, most in files if (lines := path.read_text().count("\n")) > most}
    assert long == {}


def test_every_module_and_public_function_says_what_it_is_for() -> None:
    silent = []
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        silent += [
            f"{path}: {name}" for name, node in [("module", tree), *_public(tree)] if not ast.get_docstring(node)
        ]
    assert silent == []


def _public(tree: ast.Module) -> list[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    found: list[tuple[str, ast.FunctionDef | ast.ClassDef]] = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            found.append((node.name, node))
            if isinstance(node, ast.ClassDef):
                methods = (each for each in node.body if isinstance(each, ast.FunctionDef))
                found += [(f"{node.name}.{each.name}", each) for each in methods if not each.name.startswith("_")]
    return found


def test_all_lists_what_is_public_and_nothing_else() -> None:
    wrong = {module: fault for module in MODULES if not module.endswith("__main__") and (fault := _unlisted(module))}
    assert wrong == {}


def _unlisted(module: str) -> str:
    """Say what is wrong with a module's `__all__`, if anything."""
    path = SOURCE.parent / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    tree = ast.parse(path.read_text())
    defined = {name for name, _ in _public(tree) if "." not in name}
    listed = _listed(tree)
    if listed is None:
        return f"what the module defines is not in an __all__: {defined}" if defined else ""
    if listed != sorted(listed, key=lambda name: (not name.isupper(), not name[0].isupper(), name)):
        return "__all__ is not sorted"
    if not defined <= set(listed):
        return f"public by its name, but not in __all__: {defined - set(listed)}"
    imported = __import__(module, fromlist=["*"])
    missing = [name for name in listed if not hasattr(imported, name)]
    return f"in __all__, but not there: {missing}" if missing else ""


def _listed(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and [getattr(each, "id", "") for each in node.targets] == ["__all__"]:
            return list(ast.literal_eval(node.value))
    return None


def test_no_function_is_graded_worse_than_c() -> None:
    """Twenty decisions in one function are the most that a reader is asked to follow; radon counts them."""
    graded = {
        f"{path.relative_to(SOURCE)}: {block.name}": block.complexity
        for path in SOURCE.rglob("*.py")
        for block in cc_visit(path.read_text())
    }
    assert len(graded) > 1000
    assert {name: decisions for name, decisions in graded.items() if decisions > 20} == {}
