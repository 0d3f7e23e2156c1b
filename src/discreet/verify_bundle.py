"""Check a bundle of published patterns with nothing but Python: `python verify_bundle.py DIR [KEY ...]`.

This file shares no code with discreet, and needs nothing but Python 3.11: read it, then run it. It judges
certificate.json, patterns.csv and rules.csv, completely, and of the other files that they are those of the certificate.
It names what it does not judge: `discreet verify` does. In order, and stopping at the first "no":

    folder        plain files, those that the certificate names, and no others; sizes and SHA-256 are right
    certificate   its bytes are the one form of its content, its seal is right, and every field is what it may be
    signatures    each is by the key that it names, as RFC 8032 says; every KEY of 64 hex digits signed it
    patterns      patterns.csv is the one form of its itemsets, with the figures of the certificate
    complete      they can be all itemsets of at least `min_support` rows, or all closed ones
    groups        no group of 1 to k-1 rows can be computed from supports of items that are published together
    rules         rules.csv has exactly the rules that follow from the patterns, in their one form
    words         the sentences of the certificate are those of its figures

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
import re
import sys
import unicodedata
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "No",
    "NotJudged",
    "Patterns",
    "canonical",
    "is_signed",
    "main",
    "verify",
]

VERSION = "0.1.0"
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


def verify(folder: Path, keys: Sequence[str] = ()) -> tuple[int, list[str]]:
    """Return the status and the answers, in words; these keys must have signed."""
    said: list[str] = []
    try:
        certificate = _read_certificate(folder)
        _check_folder(folder, certificate["files"])
        _check_certificate(certificate)
        said.append("certificate, folder: yes")
        signed = _check_signatures(certificate, keys)
        said.append(f"signatures: {'yes, with ' + ', '.join(signed) if signed else 'none'}")
        patterns = Patterns((folder / "patterns.csv").read_bytes(), certificate["promise"])
        said.append(f"patterns: yes, {len(patterns.supports):,} itemsets")
        patterns.check_complete()
        patterns.check_groups(certificate["promise"]["k"], certificate["promise"]["quasi_identifiers"])
        patterns.check_names(certificate["promise"])
        said.append("complete, groups: yes, every group of items published together is empty or has k rows or more")
        if certificate["promise"]["rules"] is not None:
            _check_rules((folder / "rules.csv").read_bytes(), patterns, certificate["promise"]["rules"])
            said.append("rules: yes, those that follow from the patterns")
        _check_words(certificate)
        said.append("words: yes, those of the figures")
    except No as no:
        return 1, [*said, f"DOES NOT HOLD: {no}"]
    except NotJudged as open_question:
        return 1, [*said, f"CANNOT BE JUDGED: {open_question}"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError, IndexError) as error:
        return 1, [*said, f"DOES NOT HOLD: a file is not what its name says ({type(error).__name__})"]
    others = [name for name in certificate["files"] if name not in ("patterns.csv", "rules.csv")]
    more = ["what follows beyond items published together (attack, proved, exclusive)", "where it is from (input)"]
    text = [f"free text: title {certificate['title']!a}, {len(patterns.labels):,} labels:"]
    text += [f"    {label!a}" for label in patterns.labels]
    return 0, [*said, *text, f"not judged: {', '.join(others + more)}", "HOLDS, as far as it is judged here"]


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
    if document.get("form") != 2 or document.get("kind") != "patterns":
        raise NotJudged("this is no bundle of patterns of form 2; use discreet verify")
    digest, count = re.compile(r"[0-9a-f]{64}"), (lambda value: _whole(value, 0))
    _fields(
        document,
        form=lambda value: type(value) is int,
        kind=lambda _: True,
        promise=lambda _: True,
        statement=lambda value: isinstance(value, str),
        not_promised=lambda value: isinstance(value, list),
        title=lambda value: value is None or _plain(value),
        program=lambda value: _fields(
            value,
            name=lambda name: name == "discreet",
            version=lambda version: _matches(r"[0-9]{1,4}(\.[0-9a-z+-]{1,16}){1,4}", version),
        ),
        input=lambda value: value is None or _fields(value, hmac_sha256=lambda text: _matches(digest, text)),
        files=lambda _: True,
        signatures=lambda value: isinstance(value, list) and len(value) <= 8,
        seal=lambda _: True,
    )
    promise = document["promise"]
    _fields(
        promise,
        definition=lambda value: value == "atzori2008",
        k=lambda value: _whole(value, 2),
        n=count,
        min_support=lambda value: _whole(value, 1),
        target=lambda value: value in ("closed", "all"),
        itemsets=lambda value: _whole(value, 1),
        attack=lambda value: _fields(
            value,
            steps=lambda steps: steps == "all" or (_whole(steps, 1) and steps <= 10**12),
            windows=count,
            items_per_window=count,
            left_out=count,
            candidates=count,
            programs=count,
            complete=lambda complete: isinstance(complete, bool),
        ),
        proved=lambda value: isinstance(value, bool),
        exclusive=lambda value: _fields(
            value, columns=_names_in_order, named=lambda sets: sets == sorted(sets) and all(map(_names_in_order, sets))
        ),
        rules=lambda value: (
            value is None or _fields(value, count=count, min_confidence=lambda text: _share(text) is not None)
        ),
        quasi_identifiers=lambda value: value is None or _names_in_order(value),
        unit=lambda value: _unit_words(value) is not None,
        persons=lambda value: isinstance(value, bool),
    )
    tables = ("patterns.csv", "patterns.parquet", "report.html")
    if {*document["files"]} != {*tables, *(() if promise["rules"] is None else ("rules.csv", "rules.parquet"))}:
        raise No("the certificate does not name the files of a bundle of patterns")


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


def _share(text: Any) -> Fraction | None:
    """Return a share in its one form, such as 1/2."""
    if not _matches(r"[0-9]{1,9}(/[0-9]{1,9})?", text) or text.endswith("/0"):
        return None
    value = Fraction(text)
    return value if str(value) == text and 0 <= value <= 1 else None


def _names_in_order(names: Any) -> bool:
    """Return whether this is a list of different names, in order."""
    return isinstance(names, list) and all(isinstance(name, str) for name in names) and names == sorted({*names})


def _plain(text: Any) -> bool:
    """Return whether a reader sees all of a title or a label: it is short, and no character of it is invisible."""
    if not isinstance(text, str) or not 0 < len(text) <= 200:
        return False
    blanks, joiners, styles = " \u00a0\u202f\u3000", "\u200c\u200d", "\ufe0e\ufe0f"
    empty = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0000-\U000e0fff]"
    kinds = [unicodedata.category(letter) for letter in text]
    around = ["Zs", *kinds, "Zs"]
    for place, (letter, kind) in enumerate(zip(text, kinds, strict=True)):
        before, after = around[place], around[place + 2]
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


def _check_signatures(document: dict[str, Any], wanted: Sequence[str]) -> list[str]:
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
        text = data.decode()
        if not text.startswith(head):
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
        in_turn = sorted(self.supports.items(), key=self.key)
        lines = [f"{self.cell(itemset)},{support}\n" for itemset, support in in_turn]
        if (head + "".join(lines)).encode() != data or len(lines) != len(listed):
            raise No("patterns.csv is not written as the program writes it")
        if len(lines) != promise["itemsets"] or min(self.supports.values()) != self.least:
            raise No("the certificate says other figures than patterns.csv")
        if max(self.supports.values()) > self.n:
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
        if self.target == "all":
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
                if common and common not in self.supports:
                    raise No("patterns.csv says that its itemsets are the closed ones, and they cannot be")
                if (common == one and support <= of_other) or (common == other and of_other <= support):
                    raise No("patterns.csv says that its itemsets are the closed ones, and they cannot be")

    def check_groups(self, k: int, names: list[str] | None) -> None:
        """Refuse patterns from which a group of 1 to k-1 rows can be computed, or which no rows can have.

        With `names`, groups are made of these items alone.
        """
        meant = None if names is None else {label for name in names for label in _stands_for(name, self.labels)}
        known = {place for place, label in enumerate(self.labels) if meant is None or label in meant}
        for largest in self.maximal():
            rows = self.within(largest)
            for bit in range(largest.bit_count()):  # the triangular sum, one item after the other
                for mask in range(len(rows)):
                    if not mask >> bit & 1:
                        rows[mask] -= rows[mask | 1 << bit]
            if min(rows) < 0:
                raise No("no rows can have the supports of patterns.csv")
            asked = sum(1 << bit for bit, place in enumerate(self.items(largest)) if place in known)
            groups: dict[int, int] = {}
            for mask, number in enumerate(rows):
                groups[mask & asked] = groups.get(mask & asked, 0) + number
            small = [number for number in groups.values() if 0 < number < k]
            if small:
                raise No(f"a group of {min(small):,} rows can be computed from patterns.csv")

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
        columns, named = promise["exclusive"]["columns"], promise["exclusive"]["named"]
        column_of = {label: _column(label, columns) for label in self.labels}
        if {*columns} - {*column_of.values()}:
            raise No("the certificate names a column that has no published value")
        for one in named:
            within = [other for other in named if other != one and {*one} <= {*other}]
            if within or len(one) < 2 or not {*one} <= {*self.labels}:
                raise No("the certificate names sets of exclusive items that are not in order")
            if len({column_of[label] for label in one}) == 1 and column_of[one[0]] is not None:
                raise No("the certificate names the values of a column as a set of their own")
        sets = [{label for label in self.labels if column_of[label] == each} for each in columns] + [
            {*one} for one in named
        ]
        for each in sets:
            bits = sum(1 << place for place, label in enumerate(self.labels) if label in each)
            if any((itemset & bits).bit_count() > 1 for itemset in self.supports):
                raise No("an itemset holds two items of which a row has at most one")
            if sum(max(sup for of, sup in self.supports.items() if of >> at & 1) for at in self.items(bits)) > self.n:
                raise No("items of which a row has at most one are in more rows than there are")


def _in_order(labels: set[str]) -> list[str]:
    """Return labels in order: by number if all are whole numbers, else by text."""
    if all(re.fullmatch("-?[0-9]{1,18}", label) for label in labels):
        return sorted(labels, key=lambda label: (int(label), label))
    return sorted(labels)


def _stands_for(name: str, labels: Sequence[str]) -> list[str]:
    """Return the labels that a name stands for: itself, its column's values, or for `diag*` what begins with diag."""
    found = [label for label in labels if label == name or label.startswith(f"{name}=")]
    begins = name[:-1] if name.endswith("*") and not found else ""
    return [label for label in labels if label.startswith(begins)] if begins else found


def _column(label: str, columns: list[str]) -> str | None:
    """Return the column of a label `column=value`: the longest that it begins with."""
    found = [name for name in columns if label.startswith(f"{name}=")]
    return max(found, key=len) if found else None


def _check_rules(data: bytes, patterns: Patterns, said: dict[str, Any]) -> None:
    """Refuse rules that are not exactly those that follow from the patterns."""
    least, every = Fraction(said["min_confidence"]), patterns.expanded()
    order = {itemset: place for place, (itemset, _) in enumerate(sorted(every.items(), key=patterns.key))}
    found = []
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


# The sentences of the certificate -------------------------------------------------------------------------------------


def _check_words(certificate: dict[str, Any]) -> None:
    """Refuse sentences that are not those of the figures."""
    if certificate["program"]["version"] != VERSION:
        raise NotJudged(f"the sentences of the certificate are not of version {VERSION}, which this file is of")
    if certificate["statement"] != _statement(certificate["promise"]):
        raise No("the certificate promises in words what its figures do not say")
    if certificate["not_promised"] != NOT_PROMISED[: len(NOT_PROMISED) - certificate["promise"]["persons"]]:
        raise No("the certificate does not say what is not promised")


NOT_PROMISED = [
    "Published supports need not be the exact numbers of rows: they may have been changed, by as much as it takes.",
    "Certainty is excluded, not likelihood: that a group is small may be likely, as long as it need not be so.",
    "Nothing is promised against someone who knows from elsewhere what some rows hold, or how many there are in truth.",
    "Nothing is promised against someone who knows by which method the supports were made safe.",
    "Nothing is promised about other publications from the same rows, unless the owner keeps a ledger of all of them.",
    "Where it is not proved, and not all items were looked at together, a small group may follow that no window holds.",
    "A group of k or more that shares a sensitive item is not protected: this is anonymity, not secrecy.",
    "Without a signature, nothing tells who wrote this.",
    "Groups are counted in rows: where one person has several rows, k rows can be fewer people.",
]


def _unit_words(text: Any) -> tuple[str, str] | None:
    """Return what a row is, in the singular and the plural; None if it is not written in its one form."""
    if not isinstance(text, str):
        return None
    one, slash, many = text.partition("/")
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
    whose = " that is described by items which strangers may know" if chosen else ""
    which = "any of these items" if chosen else "any items"
    said = [f"No {group}{whose} can be computed from the published supports, for {which} published together:"]
    said.append(f"every number of {many} that follows from them is 0 or at least {k:,}.")
    if attack["complete"]:
        said.append(
            f"Beyond them, no {group} follows either, whichever {'of these' if chosen else 'published'} items it has "
            "or lacks: all published items were looked at together, exactly."
        )
    else:
        rest = f"; {attack['left_out']:,} more {'was' if attack['left_out'] == 1 else 'were'} not looked at"
        said.append(
            f"Beyond them, no {group} follows within any window of published items that the attacker looked at, "
            f"whichever of {'these' if chosen else 'its'} items it has or lacks: "
            f"{_counted(attack['windows'], 'window')} of up to {_counted(attack['items_per_window'], 'item')}"
            f"{rest if attack['left_out'] else ''}."
        )
    if promise["proved"]:
        said.append(
            f"And it is proved that no {group} follows at all, of whichever published items: there is a data set that "
            f"has just these supports, and in which every kind of row occurs at least {k:,} times."
        )
    known = []
    if exclusive["columns"]:
        known.append(f"two values of one column ({_counted(len(exclusive['columns']), 'column')})")
    if exclusive["named"]:
        known.append(f"two items of one set that the owner named ({_counted(len(exclusive['named']), 'set')})")
    if known:
        said.append(f"Readers were taken to know that no row has {', or '.join(known)}.")
    if chosen:
        said.append(
            "What strangers may know is the owner's list of quasi-identifiers; whoever knows other published items of "
            "a person as well may single out a smaller group."
        )
    return " ".join(said)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
