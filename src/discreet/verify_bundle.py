"""Check a bundle of published patterns with nothing but Python: `python verify_bundle.py DIR [KEY ...]`.

This file shares no code with discreet, and needs nothing but Python 3.11: read it, then run it. It judges
certificate.json, patterns.csv and rules.csv, completely, and of the other files that they are those of the certificate.
It names what it does not judge: `discreet verify` does. In order, and stopping at the first "no":

    folder        plain files, those that the certificate names, and no others; sizes and SHA-256 are right
    certificate   its bytes are the one form of its content, its seal is right, and every field is what it may be
    signatures    each is by the key that it names, as RFC 8032 says; every KEY of 64 hex digits signed it
    patterns      patterns.csv is the one form of its itemsets, with the figures of the certificate
    complete      they can be all itemsets of at least `min_support` rows, all closed ones, or those left by withholding
    groups        no group of 1 to k-1 rows can be computed from supports of items that are published together, and no
                  group is found by counting them of which a share of rho or more has a sensitive item
    rules         rules.csv has exactly the rules that follow from the patterns, in their one form
    words         the sentences of the certificate are those of its figures

Of a bundle with noise (differential privacy) it judges, in place of complete, groups and rules:

    noise         the steps are those of the method, each with its share of epsilon and noise of the scale that this
                  share needs, and all of them spend no more than is promised; with an itemset all its subsets are
                  listed, no superset is above a subset. That the noise was drawn so cannot be seen from its outcome.

Groups are counted as in Atzori, Bonchi, Giannotti, Pedreschi, Anonymity preserving pattern discovery (2008): for
itemsets I and J, I within J, the rows that hold all of I and nothing else of J are the sum of sup(X) over all X between
I and J, with a minus sign where X has an odd number of items more than I. It is enough to look at the largest
itemsets: a group within a smaller one is a sum of groups within the larger, and if it has 1 to k-1 rows, so has one of
them.

The status is 0 if all that it judges holds, 1 if not or if something cannot be judged, and 2 if DIR cannot be opened.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
import unicodedata
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["No", "NotJudged", "Patterns", "canonical", "is_signed", "main", "verify"]

VERSION = "0.2.0"
"""The version of discreet whose sentences this file knows."""

LONGEST_ITEMSET, MOST_COMPARED, MOST_EXPANDED = 20, 5_000, 300_000
"""Beyond these it would take too long, and is not judged."""


class No(Exception):
    """Something is wrong."""


class NotJudged(Exception):
    """Something cannot be judged here."""


def main(words: list[str]) -> int:
    """Print the answers about the folder that is named; return the status."""
    if not words or not Path(words[0]).is_dir() or not all(_matches("[0-9a-f]{64}", key) for key in words[1:]):
        print("usage: python verify_bundle.py DIR [KEY ...]: the folder of a bundle, keys that signed", file=sys.stderr)
        return 2
    status, answers = verify(Path(words[0]), words[1:])
    print(*answers, sep="\n")
    return status


def verify(folder: Path, keys: tuple[str, ...] | list[str] = ()) -> tuple[int, list[str]]:
    """Return the status and the answers, in words; these keys must have signed."""
    said: list[str] = []
    try:
        certificate = _read_certificate(folder)
        _check_folder(folder, certificate["files"])
        _check_certificate(certificate)
        said.append("certificate, folder: yes")
        signed = _check_signatures(certificate, keys)
        said.append(f"signatures: {'yes, with ' + ', '.join(signed) if signed else 'none'}")
        promise = certificate["promise"]
        patterns = Patterns((folder / "patterns.csv").read_bytes(), promise)
        said.append(f"patterns: yes, {len(patterns.supports):,} itemsets")
        patterns.check_complete()
        if certificate["kind"] == "noisy-patterns":
            _check_steps(promise, patterns)
            said.append("noise: yes, of the scale that epsilon and delta need, step by step; supports agree")
        else:
            patterns.check_names(promise)
            patterns.check_groups(promise)
            said.append("complete, groups: yes, every group of items published together is empty or has k rows or more")
            if promise["rho"] is not None:
                said.append("conclusions: yes, no group of items published together has a sensitive item that often")
            if promise["rules"] is not None:
                _check_rules((folder / "rules.csv").read_bytes(), patterns, promise["rules"])
                said.append("rules: yes, those that follow from the patterns")
        _check_words(certificate)
        said.append("words: yes, those of the figures")
    except (No, NotJudged) as answer:
        return 1, [*said, f"{'DOES NOT HOLD' if isinstance(answer, No) else 'CANNOT BE JUDGED'}: {answer}"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError, IndexError) as error:
        return 1, [*said, f"DOES NOT HOLD: a file is not what its name says ({type(error).__name__})"]
    others = [name for name in certificate["files"] if name not in ("patterns.csv", "rules.csv")]
    beyond = "what follows beyond items published together (attack, proved, exclusive, conclusion_search)"
    if certificate["kind"] == "noisy-patterns":
        beyond = "whether the noise was drawn as it says, which nobody can see from the outcome (library)"
    said.append(f"free text: title {certificate['title']!a}, {len(patterns.labels):,} labels:")
    said += [f"    {label!a}" for label in patterns.labels]
    said.append(f"not judged: {', '.join([*others, beyond])}, where it is from (input)")
    return 0, [*said, "HOLDS, as far as it is judged here"]


# The certificate ------------------------------------------------------------------------------------------------------


def _read_certificate(folder: Path) -> dict[str, Any]:
    """Return the certificate, if its bytes are the one form of its content and its seal is right."""
    path = folder / "certificate.json"
    if path.is_symlink() or not path.is_file():
        raise No("there is no certificate.json")
    data = path.read_bytes()
    document: dict[str, Any] = json.loads(data)
    if canonical(document) != data:
        raise No("certificate.json is not in its canonical form")
    others = {key: value for key, value in document.items() if key != "seal"}
    if document["seal"] != hashlib.sha256(canonical(others)).hexdigest():
        raise No("certificate.json does not bear its own seal")
    return document


def canonical(document: dict[str, Any]) -> bytes:
    """Return the one form of a document."""
    return (json.dumps(document, sort_keys=True, indent=2, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def _check_folder(folder: Path, files: dict[str, Any]) -> None:
    """Refuse files that the certificate does not name, and those that are not what it says."""
    entries = {path.name: path for path in folder.iterdir()}
    if entries.keys() != {*files, "certificate.json"}:
        raise No("the folder does not hold just the files that the certificate names")
    for name, said in files.items():
        if entries[name].is_symlink() or not entries[name].is_file():
            raise No(f"{name} is not a plain file")
        content = entries[name].read_bytes()
        true = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        if said != true or type(said["bytes"]) is not int:
            raise No(f"{name} is not the file of the certificate")


def _check_certificate(document: dict[str, Any]) -> None:
    """Check every field against docs/certificate.schema.json."""
    if document.get("form") != 2 or document.get("kind") not in ("patterns", "noisy-patterns"):
        raise NotJudged("this is no bundle of patterns of form 2; use discreet verify")
    digest = partial(_matches, "[0-9a-f]{64}")
    noisy = document["kind"] == "noisy-patterns"
    _fields(
        document,
        form=lambda value: type(value) is int,
        statement=lambda value: isinstance(value, str),
        not_promised=lambda value: isinstance(value, list),
        title=lambda value: value is None or _plain(value),
        program=lambda value: _fields(
            value, name=_is("discreet"), version=partial(_matches, r"[0-9]{1,4}(\.[0-9a-z+-]{1,16}){1,4}")
        ),
        input=lambda value: value is None or (not noisy and _fields(value, hmac_sha256=digest)),
        signatures=lambda value: isinstance(value, list) and len(value) <= 8,
        **dict.fromkeys(("kind", "promise", "files", "seal"), lambda _: True),
    )
    promise, tables = document["promise"], ("patterns.csv", "patterns.parquet", "report.html")
    if noisy:
        _check_noisy_fields(promise)
        if {*document["files"]} != {*tables}:
            raise No("the certificate does not name the files of a bundle of patterns")
        return
    _check_fields(promise)
    if {*document["files"]} != {*tables, *(() if promise["rules"] is None else ("rules.csv", "rules.parquet"))}:
        raise No("the certificate does not name the files of a bundle of patterns")


def _check_fields(promise: dict[str, Any]) -> None:
    """Check the fields of a promise about groups."""
    count = partial(_whole, least=0)
    _fields(
        promise,
        definition=lambda value: value == "atzori2008",
        k=lambda value: _whole(value, 2),
        n=count,
        min_support=lambda value: _whole(value, 1),
        target=lambda value: value in ("closed", "all", "selected"),
        itemsets=lambda value: _whole(value, 1),
        attack=lambda value: _fields(
            value,
            steps=lambda steps: steps == "all" or (_whole(steps, 1) and steps <= 10**12),
            complete=lambda complete: isinstance(complete, bool),
            **dict.fromkeys(("windows", "items_per_window", "left_out", "candidates", "programs"), count),
        ),
        proved=lambda value: isinstance(value, bool),
        exclusive=lambda value: _fields(
            value, columns=_names_in_order, named=lambda sets: sets == sorted(sets) and all(map(_names_in_order, sets))
        ),
        rules=lambda value: value is None or _fields(value, count=count, min_confidence=_share),
        quasi_identifiers=lambda value: value is None or _names_in_order(value),
        rho=lambda value: value is None or (value != "0" and _share(value)),
        sensitive=lambda value: value is None or _names_in_order(value),
        conclusion_search=lambda value: value is None or _fields(value, windows=count, left_out=count),
        unit=lambda value: _unit_words(value) is not None,
        persons=lambda value: isinstance(value, bool),
    )
    if len({promise[name] is None for name in ("rho", "sensitive", "conclusion_search")}) > 1:
        raise No("the certificate names sensitive items without rho, or the reverse")


def _is(right: object) -> Callable[[object], bool]:
    """Return what allows this value alone; __eq__ of another type is NotImplemented, which counts as true."""
    return lambda value: type(value) is type(right) and value == right


def _fields(table: Any, **allowed: Any) -> bool:
    """Refuse a table that has other fields, or one whose value is not allowed."""
    if not isinstance(table, dict) or table.keys() != allowed.keys():
        raise No("the certificate has other fields than docs/certificate.schema.json")
    for name, allows in allowed.items():
        if not allows(table[name]):
            raise No(f"certificate.json: {name} is not what docs/certificate.schema.json asks for")
    return True


def _whole(value: Any, least: int) -> bool:
    """Return whether this is a whole number."""
    return type(value) is int and least <= value < 2**63


def _matches(pattern: str | re.Pattern[str], value: Any) -> bool:
    """Return whether this is a text of the pattern."""
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _share(text: Any) -> bool:
    """Return whether this is a share in its one form, such as 1/2."""
    return _matches("[0-9]{1,9}(/[1-9][0-9]{0,8})?", text) and str(Fraction(text)) == text and Fraction(text) <= 1


def _names_in_order(names: Any) -> bool:
    """Return whether this is a list of different names, in order."""
    return isinstance(names, list) and all(isinstance(name, str) for name in names) and names == sorted({*names})


def _plain(text: Any) -> bool:
    """Return whether a reader sees all of a title or a label: it is short, and no character of it is invisible."""
    if not isinstance(text, str) or not 0 < len(text) <= 200:
        return False
    blanks, joiners, styles = " \u00a0\u202f\u3000", "\u200c\u200d", "\ufe0e\ufe0f"
    empty = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0000-\U000e0fff]"
    around = ["Zs", *map(unicodedata.category, text), "Zs"]
    for place, letter in enumerate(text):
        before, kind, after = around[place : place + 3]
        if letter in joiners:
            seen = before[0] in "LMNS" and after[0] in "LMNS"
        elif letter in styles:
            seen = before[0] in "NPS"
        elif letter in blanks:
            seen = 0 < place < len(text) - 1 and text[place - 1] not in blanks
        else:
            seen = kind not in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs") and not re.match(empty, letter)
        if not seen:
            return False
    return True


# The signatures: Ed25519, as in RFC 8032, section 5.1 -----------------------------------------------------------------

PRIME, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
CURVE, BASE_Y = -121665 * pow(121666, -1, PRIME) % PRIME, 4 * pow(5, -1, PRIME) % PRIME
BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % PRIME)


def _check_signatures(document: dict[str, Any], wanted: tuple[str, ...] | list[str]) -> list[str]:
    """Return the keys that signed everything but seal and signatures; refuse signatures that do not hold."""
    body = canonical({key: value for key, value in document.items() if key not in ("seal", "signatures")})
    keys = []
    for each in document["signatures"]:
        _fields(each, public_key=partial(_matches, "[0-9a-f]{64}"), value=partial(_matches, "[0-9a-f]{128}"))
        keys.append(each["public_key"])
        if not is_signed(bytes.fromhex(each["public_key"]), body, bytes.fromhex(each["value"])):
            raise No(f"the signature with the key {each['public_key']} is not one of this certificate")
    if keys != sorted({*keys}):
        raise No("the signatures are not in the order of their keys, each key once")
    if missing := [key for key in wanted if key not in keys]:
        raise No(f"it is not signed with the key {missing[0]}")
    return keys


def is_signed(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether a signature is one of the message with this key, which is none that anyone could sign with."""
    public, commitment, answer = _point(key), _point(signature[:32]), int.from_bytes(signature[32:], "little")
    if public is None or commitment is None or answer >= ORDER or _times(8, public)[0] == 0:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    left, right = _times(answer, BASE), _plus(commitment, _times(challenge, public))
    return all((left[at] * right[2] - right[at] * left[2]) % PRIME == 0 for at in (0, 1))


def _point(data: bytes) -> tuple[int, int, int, int] | None:
    """Return a point of the curve in extended coordinates; None if these bytes are none."""
    odd, y = divmod(int.from_bytes(data, "little"), 2**255)
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    if y >= PRIME or (x * x - square) % PRIME or (x == 0 and odd):
        return None
    x = x if x % 2 == odd else PRIME - x
    return x, y, 1, x * y % PRIME


def _plus(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Return the sum of two points."""
    a, b = (one[1] - one[0]) * (other[1] - other[0]), (one[1] + one[0]) * (other[1] + other[0])
    c, d = 2 * CURVE * one[3] * other[3], 2 * one[2] * other[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _times(number: int, one: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return a multiple of a point."""
    found = (0, 1, 1, 0)
    while number:
        found = _plus(found, one) if number % 2 else found
        one, number = _plus(one, one), number // 2
    return found


# The patterns ---------------------------------------------------------------------------------------------------------


class Patterns:
    """The itemsets of patterns.csv, as whole numbers of which bit i stands for label i, with their supports."""

    def __init__(self, data: bytes, promise: dict[str, Any]) -> None:
        """Read the file; refuse it if its bytes are not the one form of what it says."""
        self.n, self.least, self.target = promise["n"], promise["min_support"], promise["target"]
        head = f"# n: {self.n}\n# min_support: {self.least}\n# target: {self.target}\nitems,support\n"
        if not (text := data.decode()).startswith(head):
            raise No("patterns.csv begins otherwise than the certificate says")
        listed: list[tuple[list[str], int]] = []
        for line in text[len(head) :].split("\n")[:-1]:
            found = re.fullmatch(r'"(\[.*\])",([0-9]{1,18})', line)
            items = json.loads(found[1].replace('""', '"')) if found else None
            if not isinstance(items, list) or not items or not all(map(_plain, items)):
                raise No("patterns.csv has a line that is no itemset with its support, or a label that nobody sees")
            listed.append((items, int(found[2])))  # type: ignore[index]
        self.labels = _in_order({label for items, _ in listed for label in items})
        number = {label: place for place, label in enumerate(self.labels)}
        self.supports = {sum(1 << number[label] for label in {*items}): support for items, support in listed}
        lines = [f"{self.cell(one)},{support}\n" for one, support in sorted(self.supports.items(), key=self.key)]
        if (head + "".join(lines)).encode() != data or len(lines) != len(listed):
            raise No("patterns.csv is not written as the program writes it")
        low, high = min(self.supports.values(), default=self.least), max(self.supports.values(), default=0)
        if len(lines) != promise["itemsets"] or low < self.least or (low > self.least and "fixed" not in promise):
            raise No("the certificate says other figures than patterns.csv")
        if high > self.n:
            raise No("an itemset is in more rows than there are")

    def items(self, itemset: int) -> list[int]:
        """Return the numbers of an itemset's labels."""
        return [place for place in range(itemset.bit_length()) if itemset >> place & 1]

    def key(self, entry: tuple[int, Any]) -> tuple[int, list[int]]:
        """Return what itemsets are sorted by: their length, then their labels."""
        return entry[0].bit_count(), self.items(entry[0])

    def cell(self, itemset: int) -> str:
        """Return an itemset as a cell of a CSV file."""
        labels = ", ".join(json.dumps(self.labels[place], ensure_ascii=False) for place in self.items(itemset))
        return '"[' + labels.replace('"', '""') + ']"'

    def check_complete(self) -> None:
        """Refuse itemsets that cannot be all of at least `min_support` rows, or all closed ones of these."""
        if self.target in ("all", "selected"):
            for itemset, support in self.supports.items():
                for place in self.items(itemset):
                    smaller = itemset & ~(1 << place)
                    if smaller and self.supports.get(smaller, 0) < support:
                        raise No("patterns.csv lacks an itemset, or a larger one is in more rows")
        elif len(self.supports) > MOST_COMPARED:
            raise NotJudged(f"{len(self.supports):,} closed itemsets are too many to compare; use discreet verify")
        else:
            for (one, support), (other, of_other) in combinations(self.supports.items(), 2):
                common = one & other
                as_frequent = (common == one and support <= of_other) or (common == other and of_other <= support)
                if as_frequent or (common and common not in self.supports):
                    raise No("patterns.csv says that its itemsets are the closed ones, and they cannot be")

    def check_groups(self, promise: dict[str, Any]) -> None:
        """Refuse patterns from which a small group follows, of quasi-identifiers if there are any, or a large share."""
        k, names, rho = promise["k"], promise["quasi_identifiers"], Fraction(promise["rho"] or 0)
        meant = self.labels if names is None else [label for name in names for label in _stands_for(name, self.labels)]
        known = {place for place, label in enumerate(self.labels) if label in meant}
        private = {place for place, label in enumerate(self.labels) if label in (promise["sensitive"] or ())}
        for largest in self.maximal():
            rows, places = self.rows_of(largest), self.items(largest)
            if small := [number for number in _sums(rows, places, known).values() if 0 < number < k]:
                raise No(f"a group of {min(small):,} rows can be computed from patterns.csv")
            for item in private.intersection(places):
                having = _sums(rows, places, known - private, item)
                if any(size and having[at] >= rho * size for at, size in _sums(rows, places, known - private).items()):
                    raise No(f"of a group that can be counted in patterns.csv, {rho} or more have a sensitive item")

    def rows_of(self, largest: int) -> list[int]:
        """Return how many rows have just each part of an itemset, of its items; refuse supports that no rows have."""
        rows = self.within(largest)
        for bit in range(largest.bit_count()):  # the triangular sum, one item after the other
            for mask in range(len(rows)):
                if not mask >> bit & 1:
                    rows[mask] -= rows[mask | 1 << bit]
        if min(rows) < 0:
            raise No("no rows can have the supports of patterns.csv")
        return rows

    def maximal(self) -> list[int]:
        """Return the itemsets that no other contains."""
        found: list[int] = []
        for itemset, _ in sorted(self.supports.items(), key=self.key, reverse=True):
            if not any(itemset & larger == itemset for larger in found):
                found.append(itemset)
        return found

    def within(self, largest: int) -> list[int]:
        """Return the support of every itemset within one: that of the most frequent itemset that contains it."""
        places = self.items(largest)
        if len(places) > LONGEST_ITEMSET:
            raise NotJudged(f"an itemset of {len(places)} items is too long here; use discreet verify")
        found = [0] * (1 << len(places))
        for itemset, support in self.supports.items():
            mask = sum(1 << bit for bit, place in enumerate(places) if itemset >> place & 1)
            found[mask] = max(found[mask], support)
        for bit in range(len(places)):
            for mask in range(len(found)):
                if not mask >> bit & 1:
                    found[mask] = max(found[mask], found[mask | 1 << bit])
        found[0] = self.n
        return found

    def expanded(self) -> dict[int, int]:
        """Return all frequent itemsets with their supports."""
        every: dict[int, int] = {}
        for largest in self.maximal():
            places = self.items(largest)
            for mask, support in enumerate(self.within(largest)):
                every[sum(1 << place for bit, place in enumerate(places) if mask >> bit & 1)] = support
            if len(every) > MOST_EXPANDED:
                raise NotJudged("there are too many itemsets for rules to be computed here; use discreet verify")
        del every[0]
        return every

    def check_names(self, promise: dict[str, Any]) -> None:
        """Refuse names of columns and items in the certificate that do not stand for what is published."""
        names = promise["quasi_identifiers"]
        if names is not None and not (names and all(_stands_for(name, self.labels) for name in names)):
            raise No("the certificate does not name quasi-identifiers that are published, and only those")
        meant = {label for name in names or [] for label in _stands_for(name, self.labels)}
        if not {*(promise["sensitive"] or [])} <= {*self.labels} - meant:
            raise No("the certificate names sensitive items that are not published, or that strangers may know")
        self.check_exclusive(promise["exclusive"]["columns"], promise["exclusive"]["named"])

    def check_exclusive(self, columns: list[str], named: list[list[str]]) -> None:
        """Refuse columns and sets that are not those of the published items, and patterns that contradict them."""
        column_of = {label: _column(label, columns) for label in self.labels}
        if {*columns} - {*column_of.values()}:
            raise No("the certificate names a column that has no published value")
        for one in named:
            if any({*one} < {*other} for other in named) or len(one) < 2 or not {*one} <= {*self.labels}:
                raise No("the certificate names sets of exclusive items that are not in order")
            if len({column_of[label] for label in one}) == 1 and column_of[one[0]] is not None:
                raise No("the certificate names the values of a column as a set of their own")
        for each in columns:
            self.check_one_of({label for label in self.labels if column_of[label] == each})
        for one in named:
            self.check_one_of({*one})

    def check_one_of(self, exclusive: set[str]) -> None:
        """Refuse patterns in which a row has more than one of these items."""
        bits = sum(1 << place for place, label in enumerate(self.labels) if label in exclusive)
        if any((itemset & bits).bit_count() > 1 for itemset in self.supports):
            raise No("an itemset holds two items of which a row has at most one")
        if sum(max(sup for of, sup in self.supports.items() if of >> at & 1) for at in self.items(bits)) > self.n:
            raise No("items of which a row has at most one are in more rows than there are")


def _sums(rows: list[int], places: list[int], known: set[int], item: int | None = None) -> dict[int, int]:
    """Return the sizes of the groups of known items, of finer ones; with an item, how many of their rows have it."""
    asked = sum(1 << bit for bit, place in enumerate(places) if place in known)
    sums: dict[int, int] = {}
    for mask, number in enumerate(rows):
        sums[mask & asked] = sums.get(mask & asked, 0) + number * (item is None or mask >> places.index(item) & 1)
    return sums


def _in_order(labels: set[str]) -> list[str]:
    """Return labels in order: by number if all are whole numbers, else by text."""
    if all(re.fullmatch("-?[0-9]{1,18}", label) for label in labels):
        return sorted(labels, key=lambda label: (int(label), label))
    return sorted(labels)


def _stands_for(name: str, labels: list[str]) -> list[str]:
    """Return the labels that a name stands for: itself, its column's values, or for `diag*` what begins with diag."""
    found = [label for label in labels if label == name or label.startswith(f"{name}=")]
    begins = name[:-1] if name.endswith("*") and not found else ""
    return [label for label in labels if label.startswith(begins)] if begins else found


def _column(label: str, columns: list[str]) -> str | None:
    """Return the column of a label `column=value`: the longest that it begins with."""
    return max((name for name in columns if label.startswith(f"{name}=")), key=len, default=None)


def _check_rules(data: bytes, patterns: Patterns, said: dict[str, Any]) -> None:
    """Refuse rules that are not exactly those that follow from the patterns."""
    least, every = Fraction(said["min_confidence"]), patterns.expanded()
    order, found = {one: place for place, (one, _) in enumerate(sorted(every.items(), key=patterns.key))}, []
    for both, support in every.items():
        left = (both - 1) & both
        while left:  # every part of both
            if support >= least * every[left]:
                found.append((order[left], order[both & ~left], left, both & ~left, support))
            left = (left - 1) & both
    head = f"# n: {patterns.n}\n# min_support: {patterns.least}\n# min_confidence: {least}\n"
    lines = [head, "antecedent,consequent,support,antecedent_support,consequent_support,confidence\n"]
    for _, _, left, right, support in sorted(found):
        figures = f"{support},{every[left]},{every[right]},{support / every[left]!r}"
        lines.append(f"{patterns.cell(left)},{patterns.cell(right)},{figures}\n")
    if len(found) != said["count"] or "".join(lines).encode() != data:
        raise No("rules.csv does not hold the rules that follow from the patterns, as the program writes them")


# Noise ----------------------------------------------------------------------------------------------------------------

SHARES = {"n": "1/20", "universe": "1/10", "depth": "1/20", "items": "3/20", "many items": "7/20"}
SHARES |= {"depth of pairs": "1/20"}
EVERY_SHARES = (
    SHARES | {"pairs": "3/10", "pairs of many items": "3/20"},
    SHARES | {"pairs": "3/20"},
)  # now, and before
FIXED = {"most_items_of_a_basis": 12, "many_items": 24, "most_items": 256, "most_pairs": 512}
NEIGHBOURS = {False: "one row added or removed", True: "one row replaced"}
MECHANISMS = {
    "n": "make_laplace",
    "universe": "make_laplace_threshold",
    "depth": "make_noisy_max",
    "bins": "make_laplace",
}
MECHANISMS |= {"items": "make_noisy_top_k", "depth of pairs": "make_noisy_max", "pairs": "make_noisy_top_k"}


def _check_noisy_fields(promise: dict[str, Any]) -> None:
    """Check the fields of a promise with noise."""
    at_least_one, few = partial(_whole, least=1), partial(_whole, least=0)
    _fields(
        promise,
        definition=_is("differential-privacy"),
        neighbours=lambda value: value in NEIGHBOURS.values(),
        epsilon=lambda value: _decimal(value) and 0 < Fraction(value) <= 20,
        delta=lambda value: _decimal(value) and Fraction(value) <= Fraction(1, 1000),
        n=few,
        min_support=at_least_one,
        target=_is("selected"),
        itemsets=few,
        library=partial(_matches, r"opendp [0-9]+(\.[0-9]+){1,3}"),
        steps=lambda value: isinstance(value, list),
        unit=lambda value: _unit_words(value) is not None,
        persons=lambda value: isinstance(value, bool),
        fixed=lambda value: _fields(
            value,
            min_support=lambda least: (
                least is None or _matches("[1-9][0-9]{0,17}", least) or least == "1/1" or _share(least)
            ),
            top=lambda top: top is None or (_whole(top, 1) and top <= 10_000),
            universe=lambda items: items is None or _whole(items, 1),
            universe_sha256=lambda digest: digest is None or _matches("[0-9a-f]{64}", digest),
            reading=_is_reading,
            max_items=lambda items: items is None or _whole(items, 1),
            public_n=lambda public: isinstance(public, bool),
            shares=lambda shares: shares in EVERY_SHARES,
            **{name: _is(right) for name, right in FIXED.items()},
        ),
    )
    fixed = promise["fixed"]
    if promise["neighbours"] != NEIGHBOURS[fixed["public_n"]]:
        raise No("the certificate says otherwise what neighbours are than whether the number of rows is public")
    if (fixed["universe"] is None) != (fixed["universe_sha256"] is None):
        raise No("the certificate has a digest of no items, or none of those that were known before")
    if (fixed["universe"] is None) != (fixed["max_items"] is not None) or (fixed["universe"] is None) != (
        promise["delta"] != "0"
    ):
        raise No("the certificate says both that its items were known before and that they were found, or neither")


def _is_reading(told: Any) -> bool:
    """Return whether this is how rows are read; None if nobody says it."""
    if told is None:
        return True
    separated = isinstance(told, dict) and told.get("container") == "csv"
    headed = isinstance(told, dict) and told.get("container") in ("csv", "sheet") and told.get("format") != "basket"
    return _fields(
        told,
        container=lambda name: name in ("text", "csv", "parquet", "json", "jsonl", "sheet"),
        format=lambda name: name in ("fimi", "spmf", "basket", "long", "onehot", "table", "lists"),
        delimiter=lambda one: _matches(r"[\x00-\x7f]", one) if separated else one is None,
        header=lambda value: isinstance(value, bool) if headed else value is None,
    )


def _decimal(text: Any) -> bool:
    """Return whether this is a decimal in its one form."""
    return _matches(r"(0|[1-9][0-9]{0,19})(\.[0-9]{0,17}[1-9])?", text)


def _check_steps(promise: dict[str, Any], patterns: Patterns) -> None:
    """Refuse steps that are not those of the method, or whose noise is not of the scale that their shares need."""
    fixed, steps = promise["fixed"], promise["steps"]
    for step in steps:
        texts = dict.fromkeys(
            ("name", "mechanism", "scale", "epsilon", "accounted", "delta"), lambda one: isinstance(one, str)
        )
        numbers = dict.fromkeys(("sensitivity", "chosen"), partial(_whole, least=1))
        _fields(step, threshold=lambda value: value is None or _whole(value, 2), **texts, **numbers)
    chosen = {step["name"]: step["chosen"] for step in steps}
    many = chosen.get("items", 0) > FIXED["most_items_of_a_basis"]  # one basis does not hold them
    if [step["name"] for step in steps] != _names_of_steps(fixed, chosen, many=many):
        raise No("the certificate names other steps than the method takes")
    left = Fraction(promise["epsilon"])
    for step in steps:
        share = left
        if step["name"] != "bins":
            share = Fraction(promise["epsilon"]) * _share_of(step["name"], fixed["shares"], chosen.get("items", 0))
        left -= share
        if not _is_step(step, fixed, share, many=many):
            raise No(f"the step {step['name']!r} is none that the method takes")
        if not _scale_fits(step, share):
            raise No(f"the noise of the step {step['name']!r} is not of the scale that its share of epsilon needs")
        if not _delta_fits(step, promise["delta"]):
            raise No(f"the step {step['name']!r} does not keep to delta with the least threshold that does")
    _check_listed(fixed, patterns)


def _share_of(step: str, shares: dict[str, str], items: int) -> Fraction:
    """Return the share of epsilon of a step: of many items the choice has more, and that of their pairs less."""
    of_many = {"items": "many items", "pairs": "pairs of many items"}.get(step, step)
    return Fraction(shares[of_many if of_many in shares and items > FIXED["many_items"] else step])


def _names_of_steps(fixed: dict[str, Any], chosen: dict[str, int], *, many: bool) -> list[str]:
    """Return which steps the method takes, by what is public and how many items it chose."""
    names = [*["n"] * (not fixed["public_n"]), *["universe"] * (fixed["universe"] is None), "depth"]
    names += ["items"] * ("items" in chosen) + ["depth of pairs"] * many + ["pairs"] * (many and "pairs" in chosen)
    return names + ["bins"] * ("items" in chosen)


def _is_step(step: dict[str, Any], fixed: dict[str, Any], share: Fraction, *, many: bool) -> bool:
    """Return whether the method takes this step: by this mechanism, with this share, for what one row can change."""
    name = step["name"]
    changed = 2 if fixed["public_n"] else 1  # a row that is replaced is one removed and one added
    most = changed * (fixed["max_items"] if name == "universe" else 1)
    sizes = (most, step["chosen"] if name in ("items", "pairs") else 1)
    bases = many and name == "bins" and step["chosen"] == 1 and step["sensitivity"] % changed == 0
    right = sizes == (step["sensitivity"], step["chosen"]) or bases
    return right and (step["mechanism"], step["epsilon"]) == (MECHANISMS[name], str(share))


def _scale_fits(step: dict[str, Any], share: Fraction) -> bool:
    """Return whether the noise has the scale that the share of epsilon needs, and was accounted as that share."""
    scale, found = float(step["scale"]), float(step["accounted"])
    least = step["sensitivity"] * step["chosen"] * (2 if step["mechanism"] == "make_noisy_max" else 1) / share
    nearly = (least <= Fraction(scale) <= least * NEARLY) and share / NEARLY <= Fraction(found) <= share
    return nearly and (repr(scale), repr(found)) == (step["scale"], step["accounted"])


def _delta_fits(step: dict[str, Any], delta: str) -> bool:
    """Return whether a step keeps to delta, and with the least threshold that does."""
    if (step["threshold"] is None) == (step["name"] == "universe"):
        return False
    scale, failing = float(step["scale"]), 0.0
    if step["threshold"] is not None:  # that a label which only one row has is listed
        failing = step["sensitivity"] * math.exp((1 - step["threshold"]) / scale) / (1 + math.exp(-1 / scale))
    told = float(step["delta"])
    if abs(told - failing) > failing / 10**6 or Fraction(told) > Fraction(delta) or repr(told) != step["delta"]:
        return False
    return not failing or failing * math.exp(1 / scale) * (1 + 1e-6) >= float(delta)


def _check_listed(fixed: dict[str, Any], patterns: Patterns) -> None:
    """Refuse more itemsets or items than were asked for, and another least support."""
    asked, low = fixed["min_support"], min(patterns.supports.values(), default=patterns.n)
    rows = max(1, low) if asked is None else max(1, math.ceil(Fraction(asked) * (patterns.n if "/" in asked else 1)))
    if patterns.least != rows or len(patterns.supports) > (fixed["top"] or len(patterns.supports)):
        raise No("patterns.csv has another least support, or more itemsets, than was asked for")
    if len(patterns.labels) > (fixed["universe"] or len(patterns.labels)):
        raise No("more items are published than the certificate says could occur")


NEARLY = 1 + Fraction(1, 10**12)
"""By what a float may differ from the fraction that it stands for."""


# The sentences of the certificate -------------------------------------------------------------------------------------


def _check_words(certificate: dict[str, Any]) -> None:
    """Refuse sentences that are not those of the figures."""
    if certificate["program"]["version"] != VERSION:
        raise NotJudged(f"the sentences of the certificate are not of version {VERSION}, which this file is of")
    promise = certificate["promise"]
    if certificate["kind"] == "noisy-patterns":
        if (certificate["statement"], certificate["not_promised"]) != _noisy_words(promise):
            raise No("the certificate promises in words what its figures do not say")
        return
    if certificate["statement"] != _statement(promise):
        raise No("the certificate promises in words what its figures do not say")
    told = [BELOW_RHO if words == SHARED and promise["rho"] else words for words in NOT_PROMISED]
    told += [WITHHELD] * (promise["target"] == "selected") + [SEVERAL_ROWS] * (not promise["persons"])
    if certificate["not_promised"] != told:
        raise No("the certificate does not say what is not promised")


SHARED = "A group of k or more that shares a sensitive item is not protected: this is anonymity, not secrecy."
BELOW_RHO = "Shares below rho are told, and other items, or that an item is absent, may be concluded of any group."
WITHHELD = (
    "Of an itemset that is not listed nothing is told: it is rare, or was withheld, because of a sensitive item or of "
    "other releases."
)
SEVERAL_ROWS = "Groups are counted in rows: where one person has several rows, k rows can be fewer people."
NOT_PROMISED = [
    "Published supports need not be the exact numbers of rows: they may have been changed, by as much as it takes.",
    "Certainty is excluded, not likelihood: that a group is small may be likely, as long as it need not be so.",
    "Nothing is promised against someone who knows from elsewhere what some rows hold, or how many there are in truth.",
    "Nothing is promised against someone who knows by which method the supports were made safe.",
    "Nothing is promised about other publications from the same rows, unless the owner keeps a ledger of all of them.",
    "Where it is not proved, and not all items were looked at together, a small group may follow that no window holds.",
    SHARED,
    "Without a signature, nothing tells who wrote this.",
]


def _noisy_words(promise: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the promise of noise in words, and what is not promised."""
    one, _ = _unit_words(promise["unit"]) or ("row", "rows")
    failing = "" if promise["delta"] == "0" else f", except with probability {promise['delta']}"
    n = f"The number of rows {'is public' if promise['fixed']['public_n'] else 'has noise'}."
    found = promise["fixed"]["universe"] is None
    items = "occur was found with noise as well" if found else "could occur was known before"
    replaced = promise["fixed"]["public_n"]
    what = f"replacing any one {one} by another" if replaced else f"whether any one {one} is in the data"
    said = f"Differential privacy: {what} changes the probability of what is published here"
    said += (
        f" by a factor of at most exp({promise['epsilon']}){failing}, whatever else anyone knows. Supports have noise,"
    )
    said += f" made by {promise['library']}. {n} Which items {items}."
    told = [*NOISY[:-1], *([] if promise["persons"] else [PERSON_LESS])]
    told += [*([NOT_FIXED] if promise["fixed"]["reading"] is None else []), NOISY[-1]]
    return said, told


NOISY = [
    "Nobody can check from the outcome that the noise was right: the promise rests on the program that ran.",
    "Supports, and which itemsets are listed, are right only up to noise.",
    "Other releases about the same people add their epsilon to this one, and an exact one voids it.",
    "Those whose rows say the same, such as a household, are protected less.",
    "What the data say about everybody may be concluded about anybody.",
    "Without a signature, nothing tells who wrote this.",
]
NOT_FIXED = "How the rows were read was not fixed here: if that was found by looking at them, it is not covered."
PERSON_LESS = "One row is protected: where one person has several rows, the person is protected less."


def _unit_words(text: Any) -> tuple[str, str] | None:
    """Return what a row is, in the singular and the plural; None if it is not written in its one form."""
    one, slash, many = text.partition("/") if isinstance(text, str) else ("", "", "")
    one, many = (one, many) if slash else (one.removesuffix("s"), one)
    noun = r"[^\W\d_][\w -]{0,39}"
    right = _matches(noun, one) and _matches(noun, many) and text == (many if f"{one}s" == many else f"{one}/{many}")
    return (one, many) if right and one == one.strip() and many == many.strip() else None


def _counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def _statement(promise: dict[str, Any]) -> str:
    """Return the promise in words."""
    k, attack, exclusive = promise["k"], promise["attack"], promise["exclusive"]
    one, many = _unit_words(promise["unit"]) or ("row", "rows")
    group = f"group of one {one}" if k == 2 else f"group of 1 to {k - 1:,} {many}"
    chosen = promise["quasi_identifiers"] is not None
    said = [f"No {group}{' that is described by items which strangers may know' if chosen else ''} can be computed"]
    said.append(f"from the published supports, for any {'of these items' if chosen else 'items'} published together:")
    said.append(f"every number of {many} that follows from them is 0 or at least {k:,}.")
    if attack["complete"]:
        said.append(f"Beyond them, no {group} follows either, whichever {'of these' if chosen else 'published'} items")
        said.append("it has or lacks: all published items were looked at together, exactly.")
    else:
        said.append(f"Beyond them, no {group} follows within any window of published items that the attacker looked")
        said.append(f"at, whichever of {'these' if chosen else 'its'} items it has or lacks:")
        windows = f"{_counted(attack['windows'], 'window')} of up to {_counted(attack['items_per_window'], 'item')}"
        said.append(f"{windows}{_left_out(attack['left_out'])}.")
    if promise["proved"]:
        said.append(f"And it is proved that no {group} follows at all, of whichever published items: there is a data")
        said.append(f"set that has just these supports, and in which every kind of row occurs at least {k:,} times.")
    said += _conclusions(promise, "strangers may know" if chosen else "are not sensitive")
    if promise["target"] == "selected":
        said.append("Not all frequent itemsets are listed: one that is not is rare, or was withheld.")
    columns, named = _counted(len(exclusive["columns"]), "column"), _counted(len(exclusive["named"]), "set")
    known = [f"two values of one column ({columns})"] if exclusive["columns"] else []
    known += [f"two items of one set that the owner named ({named})"] if exclusive["named"] else []
    if known:
        said.append(f"Readers were taken to know that no row has {', or '.join(known)}.")
    if chosen:
        said.append("What strangers may know is the owner's list of quasi-identifiers; whoever knows other published")
        said.append("items of a person as well may single out a smaller group.")
    return " ".join(said)


def _left_out(left_out: int) -> str:
    """Return how many windows were not looked at, in words."""
    return f"; {left_out:,} more {'was' if left_out == 1 else 'were'} not looked at" if left_out else ""


def _conclusions(promise: dict[str, Any], whose: str) -> list[str]:
    """Return what nobody can conclude, in words."""
    if promise["rho"] is None:
        return []
    count, windows = len(promise["sensitive"]), _counted(promise["conclusion_search"]["windows"], "window")
    said = [f"Of no group that is described by items which {whose}, nor of everybody, does it follow that a share of"]
    said += [f"{promise['rho']} or more has a sensitive item, of which {count:,} {'is' if count == 1 else 'are'}"]
    said += ["published: this was counted for all items published together, and looked for beyond them in"]
    said += [f"{windows}{_left_out(promise['conclusion_search']['left_out'])}."]
    none = ["No item that the owner named as sensitive is published, so nothing follows about one."]
    return said if count else none


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
