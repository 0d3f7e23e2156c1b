"""The project file: a policy, and in its section `workbench` what was answered, marked, pinned and decided.

It is a policy that `discreet run` follows, and it holds no rows: only names that the owner typed or ticked, settings,
and the decision log. Whoever opens one may have got it from somebody else. So it is read strictly, it names no file
that would be read, its figures are not believed (pinned settings are weighed again), and its log has no commands.
"""

from __future__ import annotations

import tomllib
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.policy.keys import WORKBENCH
from discreet.policy.policy import read_policy
from discreet.policy.toml_text import policy_text, toml, toml_key
from discreet.thresholds import K, Rho, Support
from discreet.transactions.options import OPTION_TEXTS, ReadOptions
from discreet.wording import one_line
from discreet.workbench.decisions import KINDS, Decision, LogEntry
from discreet.workbench.house_rule import HouseRule
from discreet.workbench.settings import METHOD_WORDS, Setting, policy_of
from discreet.workbench.tasks.pinned_settings import MOST_PINNED
from discreet.workbench.tasks.point import Point
from discreet.workbench.typed_words import plain_list

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.json_types import JsonObject, ParsedDocument
    from discreet.policy.policy import Policy
    from discreet.workbench.reading_questions import OneRow
    from discreet.workbench.workspace import Workspace

__all__ = ["Marks", "Project", "project_name", "project_text", "read_project"]

_VERSION = 1
_MOST_ENTRIES = 1000
_LONGEST = 4000
_LARGEST = 1 << 20
"""Bytes, as of a policy."""
_HEAD = (
    "# A project of discreet's workbench: a policy, and what was answered, marked, pinned and decided, without\n"
    "# rows. For the owner alone. Drop it on the page, and then the data; discreet run follows it as a policy.\n"
)
_ROLES = ("quasi_identifiers", "sensitive", "rho")
_OF_A_FILE = ("sql", "database")


@dataclass(frozen=True, slots=True)
class Marks:
    """What is marked on a page about rows: the lines or items, a share in per cent, and the method."""

    marked: tuple[str, ...] = ()
    percent: int | None = None
    method: str = ""


@dataclass(frozen=True, slots=True)
class Project:
    """What a project file says beyond its policy."""

    policy: Policy
    rows: int = 0
    one_row: OneRow = ""
    kept: tuple[tuple[str, ...], ...] = ()
    """The questions about columns that were answered with: keep them."""
    house: HouseRule | None = None
    pinned: tuple[Setting, ...] = ()
    entries: tuple[LogEntry, ...] = ()
    hide: Marks = Marks()
    protect: Marks = Marks()
    whole: bool = False
    """Whether it is a project, and not a policy alone."""


def project_name(workspace: Workspace) -> str:
    """Return what the project's file is called."""
    stem = workspace.file.name.partition(".")[0] or "project"
    return f"{stem}.discreet.toml"


# Writing


def project_text(workspace: Workspace) -> str:
    """Return the project of a workspace; refuse a field that does not say what it should."""
    task, file = workspace.publish, workspace.file
    point = task.point if task.mined is not None else task.point._replace(min_support=max(1, task.min_support))
    policy = policy_of(file, point, task.method, task.title.strip())
    if file.layout is None or file.layout.shape != "table":
        policy = replace(policy, expect_columns=())  # the columns of a one-hot table are items
    said: JsonObject = {
        "version": _VERSION,
        "rows": 0 if file.preview is None else file.preview.n,
        "one_row": file.one_row,
        "kept": [list(each) for each in sorted(file.answered)],
        "house": {"k": task.house.k, "source": task.house.source, "roles": dict(task.house.roles)},
        "hide": {
            "lines": list(workspace.hide.lines),
            "percent": workspace.hide.percent,
            "method": workspace.hide.method,
        },
        "protect": {
            "sensitive": list(workspace.protect.sensitive),
            "percent": workspace.protect.percent,
            "method": workspace.protect.method,
        },
    }
    lines = [f"{name} = {toml(value)}" for name, value in said.items()]
    for each in workspace.pins.pinned:
        lines += ["", f"[[{WORKBENCH}.pinned]]", *_lines(_setting_says(each.setting))]
    for entry in workspace.log.entries:
        lines += ["", f"[[{WORKBENCH}.made]]", *_lines(_entry_says(entry))]
    return f"{_HEAD}{policy_text(policy)}\n[{WORKBENCH}]\n" + "\n".join(lines) + "\n"


def _lines(said: ParsedDocument) -> list[str]:
    return [f"{toml_key(name)} = {toml(value)}" for name, value in said.items() if value not in (None, "", [], {})]


def _setting_says(setting: Setting) -> JsonObject:
    point = setting.point
    return {
        "min_support": point.min_support,
        "k": point.k,
        "method": setting.method,
        **{name: getattr(point, name) for name in _ROLES},
        "exclusive": list(point.exclusive),
        "reading": setting.reading.typed(),
    }


def _entry_says(entry: LogEntry) -> JsonObject:
    return {
        "page": entry.page,
        "made": entry.made,
        "setting": entry.setting,
        "verdict": entry.verdict,
        "sentence": entry.sentence,
        "left": entry.left,
        "decisions": [
            {"outcome": each.outcome, "who": each.who, "why": each.why, "when": each.when} for each in entry.decisions
        ],
    }


# Reading


def read_project(path: Path) -> Project:
    """Read a project, or a policy alone; refuse what is none, and whatever names another file."""
    policy = _policy_in(path)
    found = tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal).get(WORKBENCH)
    if found is None:
        return Project(policy)
    try:
        return _Reader(path.name).project(policy, found)
    except ParameterError as error:
        raise DataError(f"{path.name} is no project that can be opened: {error}") from None


def _policy_in(path: Path) -> Policy:
    """Return the policy of a file; other files that it names by @ are not read, however that is written."""
    found = {}
    with suppress(OSError, ValueError, RecursionError, ArithmeticError):  # said by read_policy, with its line
        if path.stat().st_size <= _LARGEST:
            found = tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal)
    if _names_a_file({name: each for name, each in found.items() if name != WORKBENCH}):
        raise DataError(f"{path.name} names another file by @, which is not read here; write the names into it")
    return read_policy(path)


def _names_a_file(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().startswith("@")
    if isinstance(value, dict):
        return any(_names_a_file(each) for each in value.values())
    return isinstance(value, list) and any(_names_a_file(each) for each in value)


class _Reader:
    """Values of a project, each of the right kind; anything else is refused in one sentence."""

    def __init__(self, name: str) -> None:
        self._name = name

    def project(self, policy: Policy, found: ParsedDocument) -> Project:
        known = ("version", "rows", "one_row", "kept", "house", "hide", "protect", "pinned", "made")
        self._known(found, known, WORKBENCH)
        if found.get("version") != _VERSION:
            raise self._wrong("version", f"{_VERSION}: it comes from another version of discreet")
        one_row: Any = self._choice(found, "one_row", ("", "person", "several"))
        pinned, made = self._tables(found, "pinned"), self._tables(found, "made")
        if len(pinned) > MOST_PINNED or len(made) > _MOST_ENTRIES:
            raise self._wrong("pinned", f"at most {MOST_PINNED} settings, and made at most {_MOST_ENTRIES} results")
        return Project(
            policy,
            rows=self._whole(found, "rows"),
            one_row=one_row,
            kept=self._kept(found),
            house=self._house(self._table(found, "house")),
            pinned=tuple(self._setting(each) for each in pinned),
            entries=tuple(self._entry(each) for each in made),
            hide=self._marks(self._table(found, "hide"), "lines"),
            protect=self._marks(self._table(found, "protect"), "sensitive"),
            whole=True,
        )

    def _wrong(self, name: str, expected: str) -> DataError:
        return DataError(f"{self._name} is no project that can be opened: {name} must be {expected}; save it again")

    def _known(self, found: ParsedDocument, names: tuple[str, ...], where: str) -> None:
        for name in found:
            if name not in names:
                raise DataError(
                    f"{self._name} is no project that can be opened: [{where}] has {one_line(name)[:60]!r}, which is "
                    "not known here; take it out"
                )

    def _text(self, found: ParsedDocument, name: str) -> str:
        value = found.get(name, "")
        if not isinstance(value, str) or len(value) > _LONGEST:
            raise self._wrong(name, "a text, and not a long one")
        return value

    def _choice(self, found: ParsedDocument, name: str, choices: tuple[str, ...]) -> str:
        value = self._text(found, name)
        if value not in choices:
            raise self._wrong(name, " or ".join(repr(each) for each in choices if each))
        return value

    def _whole(self, found: ParsedDocument, name: str, least: int = 0) -> int:
        value = found.get(name, least)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 1 << 62:
            raise self._wrong(name, f"a whole number of at least {least}")
        return value

    def _texts(self, found: ParsedDocument, name: str) -> tuple[str, ...]:
        value = found.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, str) and len(each) <= _LONGEST for each in value):
            raise self._wrong(name, "a list of texts")
        return tuple(value)

    def _table(self, found: ParsedDocument, name: str) -> JsonObject:
        value = found.get(name, {})
        if not isinstance(value, dict):
            raise self._wrong(name, "a table")
        return value

    def _tables(self, found: ParsedDocument, name: str) -> list[JsonObject]:
        value = found.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self._wrong(name, "a list of tables")
        return value

    def _kept(self, found: ParsedDocument) -> tuple[tuple[str, ...], ...]:
        value = found.get("kept", [])
        if not isinstance(value, list):
            raise self._wrong("kept", "a list of lists")
        answers = tuple(self._texts({"kept": each}, "kept") for each in value)
        if not all(answers):
            raise self._wrong("kept", "a list of lists, each of a question and its columns")
        return answers

    def _house(self, found: ParsedDocument) -> HouseRule | None:
        if not found:
            return None
        self._known(found, ("k", "source", "roles"), f"{WORKBENCH}.house")
        roles = self._table(found, "roles")
        self._known(roles, (*_ROLES, "exclusive"), f"{WORKBENCH}.house.roles")
        ruled = tuple((name, self._text(roles, name)) for name in roles)
        return HouseRule(K.parse(self._whole(found, "k", 2)), ruled, self._text(found, "source"))

    def _marks(self, found: ParsedDocument, marked: str) -> Marks:
        if not found:
            return Marks()
        self._known(found, (marked, "percent", "method"), WORKBENCH)
        percent = self._whole(found, "percent")
        if percent > 100:  # noqa: PLR2004 - per cent
            raise self._wrong("percent", "100 at most")
        return Marks(self._texts(found, marked), percent, self._text(found, "method"))

    def _setting(self, found: ParsedDocument) -> Setting:
        names = ("min_support", "k", "method", *_ROLES, "exclusive", "reading")
        self._known(found, names, f"{WORKBENCH}.pinned")
        roles = {name: plain_list(self._text(found, name), name) or None for name in _ROLES}
        if roles["rho"] is not None:
            Rho.parse(roles["rho"])
        exclusive = tuple(plain_list(each, "exclusive") for each in self._texts(found, "exclusive"))
        support = Support.parse(self._whole(found, "min_support", 1)).of(1)
        point = Point(support, K.parse(self._whole(found, "k", 2)), **roles, exclusive=exclusive)
        method: Any = self._choice(found, "method", tuple(METHOD_WORDS))
        return Setting(self._reading(self._table(found, "reading")), point, method)

    def _reading(self, found: ParsedDocument) -> ReadOptions:
        self._known(found, tuple(name for name in OPTION_TEXTS if name not in _OF_A_FILE), f"{WORKBENCH}.pinned")
        if _names_a_file(found):
            raise DataError(f"{self._name} names another file by @, which is not read here; write the names into it")
        try:
            return ReadOptions(**found)
        except (DiscreetError, TypeError, ValueError, AttributeError):
            raise self._wrong("reading", "options of how a file is read") from None

    def _entry(self, found: ParsedDocument) -> LogEntry:
        names = ("page", "made", "setting", "verdict", "sentence", "left", "decisions")
        self._known(found, names, f"{WORKBENCH}.made")
        left: Any = found.get("left", False)
        if not isinstance(left, bool):
            raise self._wrong("left", "true or false")
        made, setting, verdict, sentence = (self._text(found, name) for name in names[1:5])
        return LogEntry(
            self._choice(found, "page", tuple(KINDS)),
            made,
            setting,
            verdict,
            sentence,
            decisions=tuple(self._decision(each) for each in self._tables(found, "decisions")),
            left=left,
            earlier=True,
        )

    def _decision(self, found: ParsedDocument) -> Decision:
        self._known(found, ("outcome", "who", "why", "when"), f"{WORKBENCH}.made.decisions")
        outcome: Any = self._choice(found, "outcome", ("released", "rejected"))
        return Decision(outcome, *(self._text(found, name) for name in ("who", "why", "when")))
