"""A policy: how data are read, who is protected from what, and where the result goes, as one value.

Problem      who publishes every month types twenty options every month, and a mistake in one is another promise.
Method       one TOML file (see `keys`), parsed by the parsers of the options themselves. Decimals stay exact.
Promises     an unknown key, a wrong type or a value that a command would refuse is refused, with its key and its line
             where that can be found. The digest follows from what the file says: comments, the order of keys and of
             names, and other ways to write a number do not change it, nor does the place of a file.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from discreet.channels.attacker import DEFAULT_ATTACK_STEPS, check_steps
from discreet.channels.exclusive_names import parse_exclusive
from discreet.command_words import FileList
from discreet.differential_privacy.budget import parse_decimal
from discreet.differential_privacy.private_itemsets import DpRequest
from discreet.errors import DataError, ParameterError, spelled
from discreet.policy.keys import SECTIONS, VERSION, WORKBENCH, fits, needed_keys, section_of
from discreet.publishing.free_text import check_title
from discreet.thresholds import K, Rho, Share, Support
from discreet.transactions.label_names import entry_of, two_roles
from discreet.transactions.options import OPTION_TEXTS, ReadOptions
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.wording import nearest

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from discreet.channels.attacker import StepBudget
    from discreet.json_types import JsonObject, ParsedDocument
    from discreet.publishing.audiences import ReleaseMethod

__all__ = ["POLICY_FILE", "Policy", "in_toml", "parse_policy", "read_policy"]

POLICY_FILE = "discreet.toml"
"""What a policy is called if nothing else is said."""

_LARGEST = 1 << 20
_LISTS = ("quasi_identifying", "sensitive", "expect_columns", "expect_labels")
_TOTALS = ("total_epsilon", "total_delta")
_PLACES = ("hierarchy", "hierarchies", "ledger")
_READ_LISTS = ("columns", "drop", "keep", "identifying")
_IN_TOML = {
    "quasi_identifiers": "quasi_identifying",
    "budget_epsilon": "total_epsilon",
    "budget_delta": "total_delta",
}
_FIELD = re.compile(r"\{([^{}]*)\}")
_DECIMAL = re.compile(r"Decimal\('([^']*)'\)")
_HEADER = re.compile(r"\s*\[\s*([\w-]+)\s*\]\s*(?:#.*)?")
_ASSIGNED = re.compile(r"""\s*["']?([\w-]+)["']?\s*[.=]""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a policy file says; `discreet.read_policy` reads one.

    Attributes
    ----------
    path : Path
        The file. Names of files in it are relative to its folder.
    file : str or None
        The rows, as `discreet.read` takes them.
    options : ReadOptions
        How they are read, and which columns or items are identifying.
    rows_added : bool
        Whether all rows of earlier releases are still there.
    expect_columns, expect_labels : tuple of str
        The columns and items that the rows must have; none if nothing is said.
    quasi_identifying, sensitive : tuple of str
        The columns or items with these roles.
    k : int or None
        The least size of a group that may be known; None with noise.
    rho : Fraction or None
        The confidence that no conclusion about a sensitive item may reach.
    exclusive : tuple of tuples of str
        Sets of items of which a row has at most one.
    attack_steps : int or "all"
        The attacker's budget.
    epsilon, delta : Fraction or None
        What a release with noise spends; None without noise.
    total_epsilon, total_delta : Fraction or None
        What all releases with noise in the ledger may spend together.
    min_support : Support or None
        The least support of a published itemset; None if `top` says how many.
    method, target : str
        How patterns are made safe, and which are published.
    top, max_items : int or None
        With noise: the most itemsets, and the items of a row that count while items are found.
    universe : Path or None
        With noise: the file of all items that could occur.
    public_n : bool
        With noise: whether the number of rows is public.
    min_confidence : Fraction or None
        The least confidence of the rules that are published, if any are.
    hierarchy, hierarchies : Path or None
        A hierarchy of items, and a folder of hierarchies of columns, for commands that publish rows.
    title : str or None
        The title of the public report.
    output, owner_report : str or None
        Where the bundle and the owner's report go, with the fields that `run` fills in.
    ledger : Path or None
        The ledger.
    fit_ledger : bool
        Whether to withhold what is not safe together with earlier releases.
    sign : tuple of Path
        The identities to sign with.
    """

    path: Path
    file: str | None = None
    options: ReadOptions
    rows_added: bool = False
    expect_columns: tuple[str, ...] = ()
    expect_labels: tuple[str, ...] = ()
    quasi_identifying: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    k: K | None = None
    rho: Rho | None = None
    exclusive: tuple[tuple[str, ...], ...] = ()
    attack_steps: StepBudget = DEFAULT_ATTACK_STEPS
    epsilon: Fraction | None = None
    delta: Fraction | None = None
    total_epsilon: Fraction | None = None
    total_delta: Fraction | None = None
    min_support: Support | None = None
    method: ReleaseMethod | Literal["dp"]
    target: Literal["closed", "all"] = "closed"
    min_confidence: Share | None = None
    top: int | None = None
    universe: Path | None = None
    max_items: int | None = None
    public_n: bool = False
    hierarchy: Path | None = None
    hierarchies: Path | None = None
    title: str | None = None
    output: str
    ledger: Path | None = None
    fit_ledger: bool = False
    owner_report: str | None = None
    sign: tuple[Path, ...] = ()

    @property
    def says(self) -> JsonObject:
        """What the policy says, by section and key, in one form for each meaning; without the places of files."""
        found: JsonObject = {}
        for section, keys in SECTIONS.items():
            for name, key in keys.items():
                value = getattr(self.options if name in OPTION_TEXTS else self, name)
                told = key.is_for(self.method) and not key.place
                if told and (plain := _plain(name, value, self.options)) not in (None, False, [], {}):
                    found[f"{section}.{name}"] = plain
        return found

    @property
    def digest(self) -> str:
        """The SHA-256 of what the policy says, in hexadecimal digits."""
        text = json.dumps({"version": VERSION, **self.says}, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {"policy": str(self.path), "digest": self.digest, "says": self.says}


def read_policy(path: str | os.PathLike[str] = POLICY_FILE) -> Policy:
    r"""Read a policy file.

    Parameters
    ----------
    path : path, default "discreet.toml"
        The file.

    Returns
    -------
    Policy
        What it says.

    Raises
    ------
    DataError
        The file cannot be read, is not TOML, or has a key or a value that is not one of a policy; the line is given if
        known.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "discreet.toml")
    >>> _ = file.write_text(
    ...     'version = 1\nprotect.k = 10\npublish.output = "public"\n'
    ...     'patterns = { min_support = 0.07, method = "additive" }\n# comments do not matter'
    ... )
    >>> policy = discreet.read_policy(file)
    >>> policy.k, policy.min_support.of(100), len(policy.digest)
    (10, 7, 64)
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"{path} does not exist; write a policy with: discreet policy init DATA -o {path}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DataError(f"cannot read {path}: {reason}") from None
    if len(content) > _LARGEST:
        raise DataError(f"{path} has more than {_LARGEST:,} bytes, far more than any policy; name another file")
    return parse_policy(text, path)


def parse_policy(text: str, path: Path) -> Policy:
    """Return the policy that a text says; `path` is the file that it is, or will be, in."""
    try:
        found = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError, ArithmeticError) as error:
        raise DataError(f"{path} is not TOML: {error}; check the quotes and brackets there") from None
    return _Parser(text, path).policy(found)


class _NoiseFields(TypedDict, total=False):
    """The fields of a policy with noise."""

    epsilon: Fraction
    delta: Fraction | None
    total_epsilon: Fraction | None
    total_delta: Fraction | None
    top: int | None
    universe: Path | None
    max_items: int | None
    public_n: bool


class _Parser:
    """What parsing needs to know besides the values: the file, and its lines."""

    def __init__(self, text: str, path: Path) -> None:
        self._lines = text.splitlines()
        self._path = path

    def policy(self, found: ParsedDocument) -> Policy:
        given = self._checked(found)
        try:
            return self._made(given)
        except ParameterError as error:
            section = section_of(error.parameter) or ""
            words = _DECIMAL.sub(r"\1", spelled(error.message, in_toml))
            raise self._refusal(section, error.parameter, words) from None

    def _checked(self, found: ParsedDocument) -> JsonObject:
        """Return all values by the names of their keys, each of the right type."""
        if found.get("version") != VERSION or isinstance(found["version"], bool):
            raise self._refusal(
                "", "version", f"a policy begins with: version = {VERSION}; this version of discreet knows no other"
            )
        given: JsonObject = {}
        for section, values in found.items():
            if section == "version":
                continue
            if section not in SECTIONS and section != WORKBENCH:
                raise self._refusal(section, section, f"there is no {_unknown(section, SECTIONS)}")
            if not isinstance(values, dict):
                raise self._refusal("", section, f"{section} is a section: write [{section}], and its keys below")
            if section == WORKBENCH:
                continue
            self._check_section(section, values)
            given |= values
        self._check_kind(given)
        return given

    def _check_kind(self, given: ParsedDocument) -> None:
        """Refuse a policy that lacks a key, or has one that does not go with its method."""
        method = given.get("method")
        for section, keys in SECTIONS.items():
            for name in needed_keys(section, method):
                if name not in given:
                    raise self._refusal(section, "", f"[{section}] {name} is missing: give {keys[name].expected}")
            for name, key in keys.items():
                if name in given and not key.is_for(method):
                    what = 'with method = "dp" only' if key.only == "dp" else 'of no use with method = "dp"'
                    raise self._refusal(section, name, f"[{section}] {name} is {what}; take one of them out")

    def _check_section(self, section: str, values: ParsedDocument) -> None:
        for name, value in values.items():
            key = SECTIONS[section].get(name)
            if key is None:
                raise self._refusal(section, name, f"[{section}] has no {_unknown(name, SECTIONS[section])}")
            if not fits(value, key.schema):
                raise self._refusal(section, name, f"{name} must be {key.expected}, got {_shown(value)}")

    def _made(self, given: ParsedDocument) -> Policy:
        """Return the policy, parsed by what parses the options."""
        names = {name: self._names(given, name) for name in _LISTS}
        reading = {name: given[name] for name in OPTION_TEXTS if name in given}
        reading |= {name: self._names(given, name) for name in _READ_LISTS if name in given}
        if "database" in reading and "://" not in reading["database"]:
            reading["database"] = str(self._place(reading["database"]))
        _check_together(given)
        for other in ("quasi_identifying", "sensitive"):
            if both := {entry_of(name, other).label for name in names[other]}.intersection(
                reading.get("identifying", ())
            ):
                raise two_roles(min(both), other)
        check_steps(steps := given.get("attack_steps", DEFAULT_ATTACK_STEPS))
        check_title(given.get("title"))
        _check_fields(given, "output", "date", "data")
        _check_fields(given, "owner_report", "name")
        owner_report = given.get("owner_report")
        places = {name: self._place(given[name]) if name in given else None for name in _PLACES}
        return Policy(
            path=self._path,
            file=self._place_of(given.get("file")),
            options=ReadOptions(**reading),
            rows_added=given.get("rows_added", False),
            quasi_identifying=names["quasi_identifying"],
            sensitive=names["sensitive"],
            expect_columns=names["expect_columns"],
            expect_labels=names["expect_labels"],
            k=K.parse(given["k"]) if "k" in given else None,
            rho=Rho.parse(given["rho"]) if "rho" in given else None,
            exclusive=parse_exclusive(self._at_home(given.get("exclusive"))),
            attack_steps=steps,
            **self._noise(given),
            min_support=Support.parse(given["min_support"]) if "min_support" in given else None,
            method=given["method"],
            target=given.get("target", "closed"),
            min_confidence=Share.parse(given["min_confidence"], parameter="min_confidence")
            if "min_confidence" in given
            else None,
            title=given.get("title"),
            output=str(self._place(given["output"])),
            hierarchy=places["hierarchy"],
            hierarchies=places["hierarchies"],
            ledger=places["ledger"],
            fit_ledger=given.get("fit_ledger", False),
            owner_report=None if owner_report is None else str(self._place(owner_report)),
            sign=tuple(self._place(each) for each in self._names(given, "sign")),
        )

    def _noise(self, given: ParsedDocument) -> _NoiseFields:
        """Return what a policy with noise says beyond others, parsed by what parses the options."""
        if given["method"] != "dp":
            return {}
        for name in _TOTALS:
            if name in given and "ledger" not in given:
                raise ParameterError(
                    f"{name} is about all releases in a ledger: give ledger in [publish], too", parameter=name
                )
        universe = self._place(given["universe"]) if "universe" in given else None
        top, max_items, public_n = given.get("top"), given.get("max_items"), given.get("public_n", False)
        budget = DpRequest.parse(
            epsilon=given["epsilon"],
            delta=given.get("delta"),
            min_support=given.get("min_support"),
            top=top,
            max_items=max_items,
            universe=universe,
            public_n=public_n,
        ).budget
        totals = {name: parse_decimal(given[name], parameter=name) if name in given else None for name in _TOTALS}
        return {
            "top": top,
            "universe": universe,
            "max_items": max_items,
            "public_n": public_n,
            "total_epsilon": totals["total_epsilon"],
            "total_delta": totals["total_delta"],
            "epsilon": budget.epsilon,
            "delta": budget.delta or None,
        }

    def _names(self, given: ParsedDocument, name: str) -> tuple[str, ...]:
        return parse_names(self._at_home(given[name]), name) if name in given else ()

    def _at_home(self, value: Any) -> Any:
        """Return a value whose @FILE, if it is one, is in the folder of the policy."""
        if isinstance(value, str):
            return f"@{self._place(value[1:])}" if value.startswith("@") else value
        return [self._at_home(each) for each in value] if isinstance(value, list) else value

    def _place(self, name: str) -> Path:
        return self._path.parent / name

    def _place_of(self, files: str | list[str] | None) -> str | None:
        if files is None or isinstance(files, str):
            return None if files is None else str(self._place(files))
        places = [str(self._place(each)) for each in files]
        return places[0] if len(places) == 1 else FileList.of(places)

    def _refusal(self, section: str, name: str, words: str) -> DataError:
        line = self._line(section, name)
        where = "" if line is None else f", line {line}"
        return DataError(f"{self._path}{where}: {words}", line=line)

    def _line(self, section: str, name: str) -> int | None:
        """Return the line of a key, or of a section without one; None if it is not found, or found more than once."""
        at, places = "", []
        for number, line in enumerate(self._lines, 1):
            if header := _HEADER.fullmatch(line):
                at = header[1]
                if name in ("", at) and at == section:
                    places.append(number)
            elif name and at == section and (found := _ASSIGNED.match(line)) and found[1] == name:
                places.append(number)
        return places[0] if len(places) == 1 else None


def _check_together(given: ParsedDocument) -> None:
    """Refuse sensitive items without a confidence, and the reverse."""
    if ("sensitive" in given) != ("rho" in given):
        there, other = ("sensitive", "rho") if "sensitive" in given else ("rho", "sensitive")
        raise ParameterError(
            f"{there} needs {other} in [{section_of(other)}]: which items nobody may conclude, and with which "
            "confidence",
            parameter=there,
        )


def _check_fields(given: ParsedDocument, name: str, *known: str) -> None:
    """Refuse fields in braces that nothing fills in."""
    for field in _FIELD.findall(given.get(name, "")):
        if field not in known:
            raise ParameterError(
                f"{name} has the field {{{field}}}, and only {' and '.join(f'{{{each}}}' for each in known)} can be "
                "filled in; write that, or a name without braces",
                parameter=name,
            )


def _unknown(name: str, known: Iterable[str]) -> str:
    """Return an unknown key or section, and the one that was most likely meant."""
    listed = list(known)
    what = "section" if listed == list(SECTIONS) else "key"
    meant, home = nearest(name, listed), section_of(name)
    if meant is not None:
        return f"{what} {name!r}; write {meant}"
    if home is not None:
        return f"{what} {name!r}; it belongs into [{home}]"
    anywhere = nearest(name, [each for keys in SECTIONS.values() for each in keys])
    if anywhere is not None:
        return f"{what} {name!r}; write {anywhere} in [{section_of(anywhere)}]"
    return f"{what} {name!r}; it has {', '.join(listed)}"


def in_toml(name: str, value: str | None = None) -> str:
    """Return a parameter, and its value in Python's notation, as a policy has it.

    >>> in_toml("quasi_identifiers"), in_toml("header", "False")
    ('quasi_identifying', 'header = false')
    """
    name = _IN_TOML.get(name, name)
    words = {"True": "true", "False": "false"}
    return name if value is None else f"{name} = {words.get(value, value.replace(chr(39), chr(34)))}"


def _shown(value: object) -> str:
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else _DECIMAL.sub(r"\1", str(value))
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else text
    return text if len(text) <= 60 else f"{text[:60]}…"  # noqa: PLR2004 - as much as a line has room for


def _plain(name: str, value: Any, options: ReadOptions) -> Any:
    """Return a value as JSON has it, the same for all ways to write it."""
    rules = options.rules
    of_tables: JsonObject = {
        "columns": list(options.names),
        "drop": sorted(rules.drop),
        "identifying": sorted(rules.identifying),
        "keep": sorted(rules.keep),
        "bins": {column: [str(Fraction(edge)) for edge in bins.edges] for column, bins in rules.bins.items()},
        "map": {column: [sorted(each.values.items()), each.other] for column, each in rules.map.items()},
    }
    if name in of_tables:
        return of_tables[name]
    if name == "exclusive":
        return sorted(sorted(each) for each in value)
    if name == "universe" and value is not None:  # the ledger remembers what it had, not where it was
        labels = "\n".join(sorted(parse_names(value, name)))
        return hashlib.sha256(labels.encode("utf-8", "surrogatepass")).hexdigest()
    if isinstance(value, Support):
        value = value.value
    if isinstance(value, tuple):
        return sorted(value)
    return str(value) if isinstance(value, Fraction) else value
