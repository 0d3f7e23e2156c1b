"""One word, one thing: what the names of modules and classes mean in the house."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import discreet

SOURCE = Path(discreet.__file__).parent
MODULES = [path for path in sorted(SOURCE.rglob("*.py")) if not path.stem.startswith("__")]

SAME_JOB = ("cli", "spark", "workbench")
"""What shows a job, or does it in Spark, bears the name of the job: `cli/audit.py` runs `channels/audit.py`."""

STILL_DOUBLE = {"reading", "writing"}
"""Words that still have two meanings. No word may be added; a word that has lost one of them is taken off."""

ADJECTIVES = {"skewed"}
"""What looks like a participle and says what the rows are."""

IRREGULAR = {"given", "held", "kept", "made", "rebuilt", "sent", "shown", "taken", "told", "written"}


def test_no_word_has_two_meanings() -> None:
    assert sorted(word for word, homes in _homes().items() if len(homes) > 1 and word not in STILL_DOUBLE) == []


def test_no_module_is_named_after_a_participle() -> None:
    last_words = {path.stem: path.stem.rpartition("_")[2] for path in MODULES}
    named = {stem for stem, word in last_words.items() if word in IRREGULAR or word.endswith("ed")}
    assert sorted(named - ADJECTIVES) == []


def _homes() -> dict[str, set[Path]]:
    """Return for each word the modules that give it a meaning, as their own name or as that of a class."""
    homes: dict[str, set[Path]] = defaultdict(set)
    for path in MODULES:
        if path.relative_to(SOURCE).parts[0] not in SAME_JOB:
            homes[path.stem.replace("_", "")].add(path)
        for name in _classes(ast.parse(path.read_text())):
            homes[name.lower()].add(path)
    return homes


def _classes(tree: ast.Module) -> list[str]:
    """Return the public classes and type aliases of a module; a type variable or a command's option is neither."""
    names = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            value = ast.unparse(node.value)
            if isinstance(target, ast.Name) and not value.startswith(("TypeVar", "ParamSpec", "Annotated")):
                names.append(target.id)
    return [name for name in names if name[0].isupper() and not name.isupper()]
