"""Every public function, class, method and parameter is documented, in one form (numpydoc)."""

from __future__ import annotations

import ast
import inspect
import sys
from typing import TYPE_CHECKING, Any

import pytest

import discreet
from discreet import errors
from tests.docs.docstrings import Docstring, members, public_names

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS = [name for name in public_names() if inspect.isfunction(getattr(discreet, name))]
CLASSES = [name for name in public_names() if inspect.isclass(getattr(discreet, name))]
METHODS = [
    (f"{name}.{member}", kind, function)
    for name in CLASSES
    for member, kind, function in members(getattr(discreet, name))
]
LONGEST_SUMMARY = 120


def parameters(function: Callable[..., Any]) -> set[str]:
    """Return the names of the parameters that a caller gives."""
    return {name for name in inspect.signature(function).parameters if name not in ("self", "cls")}


def returns_nothing(function: Callable[..., Any]) -> bool:
    """Say whether a function is declared to return None."""
    return str(inspect.signature(function).return_annotation) == "None"


def raised_by(function: Callable[..., Any]) -> set[str]:
    """Return the errors of `discreet.errors` that a function raises, itself or by functions of its own module."""
    function = inspect.unwrap(function)
    tree = ast.parse(inspect.getsource(sys.modules[function.__module__]))
    defined: dict[str, ast.AST] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            defined[node.name] = node
        elif isinstance(node, ast.ClassDef):
            defined |= {f"{node.name}.{each.name}": each for each in node.body if isinstance(each, ast.FunctionDef)}
    found: set[str] = set()
    seen: set[str] = set()
    ahead = [function.__qualname__]
    while ahead:
        name = ahead.pop()
        if name in seen or name not in defined:
            continue
        seen.add(name)
        for node in ast.walk(defined[name]):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
                found.add(node.exc.func.id)
            elif isinstance(node, ast.Name):
                ahead.append(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                owner = name.partition(".")[0] if node.value.id in ("self", "cls") else node.value.id
                ahead.append(f"{owner}.{node.attr}")
    return found & set(errors.__all__)


def missing(function: Callable[..., Any], *, name: str) -> list[str]:
    """Return what the docstring of a function with parameters does not say."""
    written = Docstring.of(function)
    documented = written.named("Parameters")
    gaps = [f"{name}: parameter {each} is not documented" for each in sorted(parameters(function) - documented)]
    gaps += [f"{name}: there is no parameter {each}" for each in sorted(documented - parameters(function))]
    if returns_nothing(function) == ("Returns" in written.sections):
        gaps.append(f"{name}: a Returns section where nothing is returned, or none where something is")
    listed = written.named("Raises")
    unknown = {each for each in listed if not hasattr(discreet, each)}
    gaps += [f"{name}: {each} is not a public exception" for each in sorted(unknown)]
    covered = tuple(getattr(discreet, each) for each in listed - unknown)
    gaps += [
        f"{name}: {each} is raised, but not documented"
        for each in sorted(raised_by(function))
        if not issubclass(getattr(errors, each), covered)
    ]
    gaps += [
        f"{name}: {title} says nothing about {', '.join(entry.names)}"
        for title in ("Parameters", "Returns", "Raises")
        for entry in written.entries(title)
        if not entry.text
    ]
    return gaps


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_documents_parameters_result_errors_and_an_example(name: str) -> None:
    function = getattr(discreet, name)
    written = Docstring.of(function)
    assert missing(function, name=name) == []
    assert written.entries("Raises")
    assert ">>> import discreet" in written.sections.get("Examples", ""), "an example that can be pasted"


@pytest.mark.parametrize(("name", "kind", "function"), METHODS, ids=[name for name, _, _ in METHODS])
def test_a_method_documents_its_parameters_and_result(name: str, kind: str, function: Callable[..., Any]) -> None:
    """A summary is enough for a property, and for a method without parameters that begins with "Return"."""
    written = Docstring.of(function)
    assert written.summary
    if kind == "property" or (not parameters(function) and written.summary.startswith("Return ")):
        return
    assert missing(function, name=name) == []


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_documents_its_fields(name: str) -> None:
    cls = getattr(discreet, name)
    if cls.__init__ in (object.__init__, Exception.__init__) or "__init__" not in vars(cls):
        return
    written = Docstring.of(cls)
    own = parameters(cls.__init__) - ({"message"} if issubclass(cls, Exception) else set())
    assert own == written.named("Parameters", "Attributes")
    assert all(entry.text for entry in written.entries("Attributes"))


@pytest.mark.parametrize("name", public_names())
def test_the_first_paragraph_is_the_short_answer(name: str) -> None:
    summary = Docstring.of(getattr(discreet, name)).summary
    assert "\n" not in summary
    assert len(summary) <= LONGEST_SUMMARY
    assert summary.endswith(".")


def test_gaps_are_found() -> None:
    def documented(k: int, n: int) -> int:
        """Return something.

        Parameters
        ----------
        k : int
            A number.
        m : int
            No such thing.

        Raises
        ------
        KeyboardInterrupt
            Not one of ours.
        """
        return k + n

    assert missing(documented, name="f") == [
        "f: parameter n is not documented",
        "f: there is no parameter m",
        "f: a Returns section where nothing is returned, or none where something is",
        "f: KeyboardInterrupt is not a public exception",
    ]


def test_errors_raised_by_helpers_of_the_module_are_found() -> None:
    assert raised_by(discreet.rules) == {"DataError", "ParameterError", "TooManyPatterns"}
