"""The tree of errors: our own faults are told apart from verdicts, bad input and engines."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

from discreet.errors import EngineError, InputError, InternalFault, NotSafe

SOURCE = Path(__file__).parents[2] / "src/discreet"


def test_a_fault_of_ours_is_no_verdict_and_no_bad_input() -> None:
    assert not issubclass(InternalFault, NotSafe | InputError | EngineError)


def test_a_fault_of_ours_keeps_its_sentence_on_its_way_between_processes() -> None:
    fault = InternalFault("a rule is left")
    assert str(pickle.loads(pickle.dumps(fault))) == str(fault)  # noqa: S301 - our own bytes
    assert str(fault).startswith("a rule is left: this is a fault of discreet")


def test_no_other_error_claims_to_be_a_fault_of_discreet() -> None:
    """One class has that sentence; a RuntimeError or an AssertionError of ours would be one more way to say it."""
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name != "errors.py":
            assert "please report" not in text, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
                assert node.exc.func.id not in ("RuntimeError", "AssertionError", "Exception"), f"{path}:{node.lineno}"
