"""What a policy says, as defaults of a command's options: `--policy FILE`, on every command that reads rows.

What is typed comes first. What is typed instead of rows, such as `--patterns FILE`, makes the policy silent about them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import discreet
from discreet.cli.lazy_imports import on_first_use
from discreet.command_words import FileList, one_word
from discreet.differential_privacy.budget import decimal_text
from discreet.policy.toml_text import policy_words
from discreet.thresholds import share_text
from discreet.transactions.options import OPTION_TEXTS

with on_first_use():
    from discreet.policy import run as runs

if TYPE_CHECKING:
    from collections.abc import Mapping

    import click

    from discreet.policy.policy import Policy

__all__ = ["LAST_WORD", "policy_defaults"]

LAST_WORD: Final = "expression"
"""An argument after DATA: a word alone is meant for it, if a policy names the data."""

_ROWS: Final = {"data", *OPTION_TEXTS}
_PATTERNS: Final = {"min_support", "method", "target", "rules", "min_confidence"}
_NOISE: Final = {"epsilon", "delta", "universe", "max_items", "top", "public_n", "budget_epsilon", "budget_delta"}
_PROMISE: Final = {"k", "ks", "rho", "sensitive", "quasi_identifiers", "exclusive", "attack_steps"}
_EXACT: Final = {"target", "attack_steps"}
"""What a policy with noise says nothing about."""
_BUNDLE: Final = {"output", "title", "sign", "ledger", "owner_report", "rows_added", "fit_ledger"}
_MINING: Final = {"mine", "audit", "tradeoff", "block", "release", "compare", "party"}
_INSTEAD: Final = {
    "patterns": _ROWS | {"min_support", "target"},
    "rules": _ROWS | {"min_support"},
    "earlier": (_ROWS | _PATTERNS | _NOISE | _PROMISE | {"fit_ledger"}) - {"identifying"},
    "rows": (_ROWS | _PATTERNS | _NOISE | _PROMISE | {"fit_ledger", "rows_added"}) - {"identifying"},
    "apply": {"sensitive", "rho", "hierarchy"},
    "curve": {"rho"},
    "fanout": {"hierarchy"},
    "neighbours": {"hierarchy"},
    "sensitive_share": {"sensitive"},
    "estimate": {"data"},
    "index": {"data"},
    "sql": {"data"},
    "data": {"sql", "database"},
    "keep": {"drop"},
    "drop": {"keep"},
    "id_column": {"person_column"},
    "person_column": {"id_column"},
    "rows_left": {"rows_added"},
}
"""Options that, typed, make the policy silent about others."""


def policy_defaults(file: Path, command: click.Command, typed: Mapping[str, object]) -> dict[str, object]:
    """Return the defaults of a command's parameters that a policy gives, after what was typed."""
    policy = discreet.read_policy(file)
    silent = {name for each in typed for name in _INSTEAD.get(each, ())}
    if command.name not in _MINING:
        silent |= _PATTERNS
    if command.name != "release":
        silent |= _BUNDLE
    if command.name == "release":
        silent |= {"hierarchy"}  # it is about --rows alone
    if policy.method == "dp":
        silent |= _EXACT
    if typed.get("method", policy.method) != "dp" or command.name not in ("release", "compare"):
        silent |= _NOISE
    if command.name == "verify":
        silent |= {"data", "attack_steps"} if "data" in typed else {"data", "attack_steps", "sql", "database"}
    given = {**_reading(policy), **_others(policy)}
    if command.name == "verify":
        silent -= {"ledger"}
    known = {each.name: each for each in command.params if each.name in given.keys() - silent}
    found = {name: _for(each, given[name]) for name, each in known.items() if name and _takes(each, given[name])}
    if command.name == "release":
        found |= _places(policy, typed)
    return found


def _takes(parameter: click.Parameter, value: object) -> bool:
    """Return whether a parameter of this name is meant, and not another command's."""
    choices = getattr(parameter.type, "choices", ())
    if choices and value not in choices:
        return False
    return bool(getattr(parameter, "is_flag", False)) == isinstance(value, bool)


def _for(parameter: click.Parameter, value: object) -> object:
    """Return a value in the form of a parameter: files one by one if it takes several."""
    if parameter.name != "data" or parameter.nargs == 1:
        return value
    return value.files if isinstance(value, FileList) else (value,)


def _reading(policy: Policy) -> dict[str, object]:
    """Return how rows are read, as typed."""
    found: dict[str, object] = dict(policy.options.typed())
    return found if policy.file is None else found | {"data": policy.file}


def _others(policy: Policy) -> dict[str, object]:
    """Return what is protected, what is published and where it is recorded, as typed."""
    (support, known), confidence = policy_words(policy), policy.min_confidence
    found = {
        "k": policy.k,
        "ks": None if policy.k is None else str(policy.k),
        "rho": None if policy.rho is None else share_text(policy.rho),
        "sensitive": one_word(policy.sensitive) or None,
        "quasi_identifiers": known,
        "exclusive": [one_word(each) for each in policy.exclusive] or None,
        "attack_steps": str(policy.attack_steps),
        "min_support": support,
        "method": policy.method,
        "target": policy.target,
        "rules": None if confidence is None else True,
        "min_confidence": None if confidence is None else share_text(confidence),
        "hierarchy": policy.hierarchy,
        "hierarchies": policy.hierarchies,
        "title": policy.title,
        "sign": list(policy.sign) or None,
        "ledger": policy.ledger,
        "rows_added": (policy.rows_added and policy.ledger is not None) or None,
        "fit_ledger": (policy.fit_ledger and policy.ledger is not None) or None,
        "universe": policy.universe,
        "max_items": policy.max_items,
        "top": policy.top,
        "public_n": policy.public_n or None,
    }
    spent = {"epsilon": policy.epsilon, "delta": policy.delta}
    spent |= {"budget_epsilon": policy.total_epsilon, "budget_delta": policy.total_delta}
    found |= {name: decimal_text(value) for name, value in spent.items() if value is not None}
    return {name: value for name, value in found.items() if value is not None}


def _places(policy: Policy, typed: Mapping[str, object]) -> dict[str, object]:
    """Return where a release goes: the folder, and the owner's report, which is named after it."""
    data = typed.get("data") or policy.file
    if isinstance(data, (list, tuple)):
        data = None if not data else data[0] if len(data) == 1 else FileList.of(data)
    source = data if isinstance(data, str) else None
    output = Path(str(typed["output"])) if "output" in typed else runs.output_of(policy, source)
    report = runs.owner_report_of(policy, output)
    return {
        "output": output,
        **({} if report is None or typed.keys() & {"earlier", "rows"} else {"owner_report": report}),
    }
