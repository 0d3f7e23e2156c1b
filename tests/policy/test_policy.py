"""A policy file: what it says, what is refused, its digest, and its schema."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from discreet import DataError, read_policy
from discreet.policy.keys import SECTIONS, fits, schema
from discreet.policy.policy import Policy, parse_policy
from discreet.policy.toml_text import policy_text
from tests.docs import policy_page

FILE = Path("folder/discreet.toml")
POLICY = """\
version = 1

[data]
file = "stays.csv"
drop = ["stay", "note"]
bins = { age = [20, 40.50] }
map.ward = { "1" = "north", "*" = "south" }

[roles]
identifying = ["name"]
quasi_identifying = ["sex", "age"]

[protect]
k = 10
exclusive = [["tea", "coffee"], ["age"]]

[patterns]
min_support = 0.07
method = "suppressive"

[publish]
output = "release-{date}"
ledger = "releases.ledger"

[rows]
hierarchy = "tree.csv"
"""


def parsed(text: str = POLICY) -> Policy:
    return parse_policy(text, FILE)


def changed(old: str, new: str) -> str:
    assert old in POLICY
    return POLICY.replace(old, new, 1)


def test_a_policy_is_parsed_by_the_parsers_of_the_options() -> None:
    policy = parsed()
    assert policy.file == "folder/stays.csv"
    assert policy.ledger == Path("folder/releases.ledger")
    assert policy.output == "folder/release-{date}"
    assert policy.min_support.of(100) == 7
    assert policy.options.rules.bins["age"].names == ("<=20", "(20,40.50]", ">40.50")
    assert policy.options.rules.map["ward"].value("2") == "south"
    assert (policy.options.rules.drop, policy.options.rules.identifying) == (("stay", "note"), ("name",))
    assert policy.exclusive == (("tea", "coffee"), ("age",))
    assert (policy.k, policy.target, policy.rho) == (10, "closed", None)


@pytest.mark.parametrize(
    ("written", "value"), [("0.07", "7/100"), ('"7%"', "7/100"), ("0.1", "1/10"), ("1.0e-1", "1/10")]
)
def test_shares_are_exact(written: str, value: str) -> None:
    with_rho = changed("k = 10", f"k = 10\nrho = {written}").replace("[roles]", '[roles]\nsensitive = ["ill"]')
    policy = parsed(with_rho.replace("0.07", written))
    assert policy.rho == Fraction(value)
    assert policy.min_support.value == Fraction(value)


@pytest.mark.parametrize(
    "more",
    [
        ("", ""),
        ('"stays.csv"', '["a.csv", "b.csv"]'),
        ("0.07", '"100%"'),
        ("k = 10", "k = 10\nattack_steps = 'all'"),
        ("[publish]", "min_confidence = 0.333\n[publish]\nsign = ['keys/identity.pem']\ntitle = 'Stays \"19\"'"),
        ("[data]", "[data]\nheader = false\ncolumns = ['a, b', 'c']\nrows_added = true"),
    ],
)
def test_a_policy_that_is_written_is_read_as_the_same(more: tuple[str, str]) -> None:
    policy = parsed(changed(*more))
    again = parse_policy(policy_text(policy), FILE)
    assert (again.says, again.digest) == (policy.says, policy.digest)
    assert (again.file, again.output, again.ledger) == (policy.file, policy.output, policy.ledger)
    assert (again.sign, again.owner_report) == (policy.sign, policy.owner_report)


NOISY = """\
version = 1
[data]
file = "stays.csv"
[patterns]
method = "dp"
top = 50
universe = "codes.txt"
public_n = true
[budget]
epsilon = 0.10
total_epsilon = "1.2"
[publish]
output = "release-{date}"
ledger = "releases.ledger"
"""


@pytest.fixture
def noisy_file(tmp_path: Path) -> Path:
    (tmp_path / "codes.txt").write_text("E10\nE11\n")
    return tmp_path / "discreet.toml"


def test_a_policy_with_noise(noisy_file: Path) -> None:
    policy = parse_policy(NOISY, noisy_file)
    digest = policy.digest
    assert (policy.method, policy.k, policy.min_support, policy.top) == ("dp", None, None, 50)
    assert (policy.epsilon, policy.delta, policy.total_epsilon) == (Fraction(1, 10), None, Fraction(6, 5))
    assert policy.says["budget.epsilon"] == "1/10"
    assert not policy.says.keys() & {"patterns.target", "protect.attack_steps"}
    again = parse_policy(policy_text(policy), noisy_file)
    assert (again.says, again.digest, again.universe) == (policy.says, policy.digest, policy.universe)
    (noisy_file.parent / "codes.txt").write_text("E10\nE12\n")
    assert parse_policy(NOISY, noisy_file).digest != digest


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[budget]", "[protect]\nk = 5\n[budget]", 'line 10: [protect] k is of no use with method = "dp"'),
        ("top = 50", 'target = "all"', 'line 6: [patterns] target is of no use with method = "dp"'),
        ("top = 50", "", "min_support is missing; say in how many rows"),
        ("epsilon = 0.10", "", "line 9: [budget] epsilon is missing: give a decimal"),
        ("0.10", "0", "line 10: epsilon must be above 0 and at most 20, got 0"),
        ('"1.2"', '"x"', "line 11: total_epsilon must be a decimal, got 'x'"),
        ("0.10", "0.10\ndelta = 1e-6", "line 11: delta is for items that are found in the rows"),
        ('universe = "codes.txt"\n', "", "universe is missing: which items there are may give someone away"),
        ('ledger = "releases.ledger"\n', "", "line 11: total_epsilon is about all releases in a ledger"),
        ('"codes.txt"', '"nowhere.txt"', "nowhere.txt"),
    ],
)
def test_what_is_wrong_with_noise(noisy_file: Path, old: str, new: str, sentence: str) -> None:
    assert old in NOISY
    with pytest.raises(DataError) as refusal:
        parse_policy(NOISY.replace(old, new, 1), noisy_file)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_budget_is_for_noise_only() -> None:
    with pytest.raises(DataError, match=r'line 17: \[budget\] epsilon is with method = "dp" only'):
        parsed(changed("[patterns]", "[budget]\nepsilon = 1\n[patterns]").replace("\n\n[budget]", "\n[budget]"))


def test_names_may_be_in_a_file_next_to_the_policy(tmp_path: Path) -> None:
    (tmp_path / "codes.txt").write_text("E10\nE11\n")
    file = tmp_path / "discreet.toml"
    file.write_text(changed('["sex", "age"]', '"@codes.txt"'))
    first = read_policy(file)
    assert first.quasi_identifying == ("E10", "E11")
    (tmp_path / "codes.txt").write_text("E10\nE12\n")
    assert read_policy(file).digest != first.digest


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("k = 10", "kk = 10", "line 14: [protect] has no key 'kk'; it has k, rho, exclusive, attack_steps"),
        ("min_support", "minsupport", "line 18: [patterns] has no key 'minsupport'; write min_support"),
        ("[patterns]", "[pattern]", "line 17: there is no section 'pattern'; write patterns"),
        ("k = 10", 'k = 10\nmethod = "none"', "line 15: [protect] has no key 'method'; it belongs into [patterns]"),
        ("k = 10", "k = 10\nsensitiv = 1", "line 15: [protect] has no key 'sensitiv'; write sensitive in [roles]"),
        ("k = 10", 'k = "10"', 'line 14: k must be a whole number of at least 2, got "10"'),
        ("k = 10", "k = 1", "line 14: k must be a whole number of at least 2, got 1"),
        ("k = 10", "k = true", "line 14: k must be a whole number of at least 2, got true"),
        ("k = 10", "k = 2026-11-30", "line 14: k must be a whole number of at least 2, got 2026-11-30"),
        ("k = 10", "", "line 13: [protect] k is missing: give a whole number of at least 2"),
        ("0.07", "7.5", "line 18: min_support must be at least one row and at most all of them, got 7.5; write"),
        ("0.07", '"lots"', "line 18: min_support must be at least one row and at most all of them, got 'lots'; write"),
        (
            '"suppressive"',
            '"delete"',
            'line 19: method must be "additive", "suppressive", "none" or "dp", got "delete"',
        ),
        ("[20, 40.50]", "[40, 20]", "line 6: the edges of bins age=… must ascend, like 20,40"),
        ('["stay", "note"]', "[]", "line 5: drop must be a list of texts"),
        ('["stay", "note"]', '["a", "a"]', "line 5: drop names a column twice"),
        (
            "[data]",
            '[data]\ncolumns = ["a"]',
            "line 4: columns names the columns of a file without a header: add header",
        ),
        ("{date}", "{month}", "line 22: output has the field {month}, and only {date} and {data} can be filled in"),
        ('["sex", "age"]', '["sex", "name"]', "line 10: 'name' is named by both identifying and quasi_identifying"),
        ("k = 10", "k = 10\nrho = 0.5", "line 15: rho needs sensitive in [roles]"),
        ("version = 1", "version = 2", "line 1: a policy begins with: version = 1; this version of discreet knows no"),
        ("version = 1", "", ": a policy begins with: version = 1"),
        ("[protect]", "[protect", "is not TOML: Expected ']' at the end of a table declaration (at line 13, column 9)"),
        ("k = 10", "k = 10\nk = 11", "is not TOML: Cannot overwrite a value (at line 15, column 7)"),
        ("[data]", "data = 3\n[x]", "line 3: data is a section: write [data], and its keys below"),
        ("0.07", "1e99999999999999999999", "is not TOML"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_line(old: str, new: str, sentence: str) -> None:
    with pytest.raises(DataError) as refusal:
        parsed(changed(old, new))
    assert sentence in str(refusal.value)
    assert str(refusal.value).startswith("folder/discreet.toml")
    assert "\n" not in str(refusal.value)


ODD = [
    "nan",
    "inf",
    "1e400",
    '"\\u0000"',
    "[1.5]",
    '{ "" = [1] }',
    '"@"',
    '["*"]',
    '"a,,b"',
    "07:32:00",
    "[[]]",
    '"{"',
    "''",
]


@pytest.mark.parametrize("section", SECTIONS)
def test_odd_values_are_refused_in_one_sentence_or_used(section: str) -> None:
    """A fuzzer found a NUL in the name of an encoding, and a comparison with NaN."""
    refusals = []
    for name in SECTIONS[section]:
        lines = [line for line in POLICY.splitlines() if not line.startswith((f"{name} ", f"{name}."))]
        lines += [f"[{section}]"] if f"[{section}]" not in lines else []
        at = lines.index(f"[{section}]") + 1
        for odd in ODD:
            try:
                parsed("\n".join([*lines[:at], f"{name} = {odd}", *lines[at:]])).to_dict()
            except DataError as refusal:
                refusals.append(str(refusal))
    assert len(refusals) > len(SECTIONS[section])
    assert not any("\n" in refusal for refusal in refusals)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b"#" * (1 << 20) + b"# too long"])
def test_a_file_that_is_not_a_policy_is_refused(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "discreet.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(DataError):
        read_policy(file)


@pytest.mark.parametrize(
    "same",
    [
        "# a comment\n" + POLICY,
        changed("k = 10", "k = 10  # ten"),
        changed("0.07", '"7%"'),
        changed("40.50", "40.5"),
        changed('["sex", "age"]', '["age", "sex"]'),
        changed('["stay", "note"]', '"note,stay"'),
        changed('[["tea", "coffee"], ["age"]]', '[["age"], ["coffee", "tea"]]'),
        changed("[publish]", 'target = "closed"\n[publish]'),
        changed("stays.csv", "stays-december.csv"),
        changed("release-{date}", "elsewhere"),
        changed("bins = { age = [20, 40.50] }", 'bins = ["age=20,40.5"]'),
    ],
)
def test_the_digest_follows_from_what_is_said(same: str) -> None:
    assert same != POLICY
    assert parsed(same).digest == parsed().digest
    assert parsed(same).says == parsed().says


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("k = 10", "k = 11"),
        ("0.07", "0.0700001"),
        ('["sex", "age"]', '["sex"]'),
        ('identifying = ["name"]', ""),
        ('"note"]', '"notes"]'),
        ("40.50", "41"),
        ('"south"', '"west"'),
        ("suppressive", "additive"),
        ("[publish]", 'min_confidence = 0.5\n[publish]\ntitle = "Stays"'),
    ],
)
def test_the_digest_changes_with_what_is_said(old: str, new: str) -> None:
    assert parsed(changed(old, new)).digest != parsed().digest


SCHEMA = schema()
VALUES = [
    1,
    2,
    0,
    -1,
    True,
    "",
    "a",
    "closed",
    "none",
    "all",
    "fimi",
    "skip",
    [],
    ["a"],
    [""],
    [1],
    [["a"]],
    [["a"], "b"],
]
VALUES += [{}, {"a": [1]}, {"a": []}, {"a": {"b": "c"}}, {"a": "b"}, {"a": 1}]


def test_the_page_and_the_published_schema_are_made_from_the_keys() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    made = policy_page.made()
    stale = [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "python -m tests.docs.policy_page makes them again"
    page = made[policy_page.PAGE]
    assert all(page.count(f"\n| `{name}`") == 1 for keys in SECTIONS.values() for name in keys)


@pytest.mark.parametrize("section", SECTIONS)
def test_schema_and_parser_accept_the_same_values(section: str) -> None:
    for name, key in SECTIONS[section].items():
        judge = Draft202012Validator(SCHEMA["properties"][section]["properties"][name])
        for value in VALUES:
            assert judge.is_valid(value) == fits(value, key.schema), (name, value)


def test_the_schema_accepts_the_example_and_refuses_what_the_parser_refuses() -> None:
    judge = Draft202012Validator(SCHEMA)
    judge.validate(tomllib.loads(POLICY))
    judge.validate(tomllib.loads(NOISY))
    for old, new in [("[budget]", "[protect]\nk = 5\n[budget]"), ("epsilon = 0.10", ""), ("top = 50", "")]:
        assert not judge.is_valid(tomllib.loads(NOISY.replace(old, new, 1)))
    for old, new in [("k = 10", "kk = 10"), ("[patterns]", "[pattern]"), ("version = 1", ""), ("k = 10", "k = 1")]:
        assert not judge.is_valid(tomllib.loads(changed(old, new)))
