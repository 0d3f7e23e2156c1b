"""Files of patterns and rules on the command line: how they were read, what can be said about them, and n."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pytest

COUNTS = 'itemset,count\n"{a,b}",30\n{a},33\n{b},40\n'
SHARES = "Menge;Anteil\na + b;0,30\na;0,33\nb;0,40\n"
NAMED = ["--items-column", "Menge", "--support-column", "Anteil", "--item-separator", "+"]
LOW = "support,itemsets\n" + "".join(
    f'{count / 9835!r},"frozenset({{{labels}}})"\n'
    for labels, count in (("'a'", 2513), ("'b'", 1903), ("'a', 'b'", 1893))
)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("counts.csv").write_text(COUNTS)
    Path("shares.csv").write_bytes(SHARES.encode("utf-16"))
    Path("low.csv").write_text(LOW)


def test_an_audit_says_how_the_file_was_read(call):
    done = call("audit", "--patterns", "shares.csv", *NAMED, "--n", 100, "-k", 10)
    words = " ".join(done.out.split())
    assert done.status == 1
    assert "Read as itemsets in a table: 3 itemsets, 2 items, separator ;, utf-16, shares of n = 100." in words


@pytest.mark.parametrize("command", [["audit", "-k", 10], ["query", "a AND NOT b"]])
def test_json_has_how_the_file_was_read(call, command):
    done = call(*command, "--patterns", "counts.csv", "--json")
    digest = hashlib.sha256(COUNTS.encode()).hexdigest()
    assert json.loads(done.out)["read"] == {
        "name": "counts.csv",
        "sha256": digest,
        "bytes": len(COUNTS),
        "encoding": "utf-8",
        "container": "csv",
        "separator": ",",
        "tool": "unnamed",
        "shape": "itemsets",
        "count": 3,
        "items": 2,
        "supports": "counts",
        "n": None,
        "n_is_least": False,
    }


def test_rules_say_it_too(call):
    Path("rules.txt").write_text("a ==> b #SUP: 30 #CONF: 0.9\n")
    read = json.loads(call("audit", "--rules", "rules.txt", "-k", 10, "--json").out)["read"]
    assert (read["tool"], read["shape"], read["count"], read["container"]) == ("spmf", "rules", 1, "text")


def test_standard_input_has_no_digest(call, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(COUNTS.encode())))
    read = json.loads(call("audit", "--patterns", "-", "-k", 10, "--json").out)["read"]
    assert (read["name"], read["sha256"], read["bytes"]) == ("standard input", None, None)


def test_counts_without_n_say_what_was_not_looked_at(call):
    done = call("audit", "--patterns", "counts.csv", "-k", 10)
    words = " ".join(done.out.split())
    assert done.status == 1
    assert "33 − 30 = 3" in words
    assert "n is not known" in words
    assert "groups that follow only with it" in words
    assert "depends" not in words
    assert "give --n" in call("audit", "--patterns", "counts.csv", "-k", 3).refused()


def test_one_zero_too_many_does_not_open_the_gate(call):
    assert call("audit", "--patterns", "low.csv", "-k", 50, "--n", 9835).status == 1
    refused = call("audit", "--patterns", "low.csv", "-k", 50, "--n", 98350).refused()
    assert "the supports fit n = 9,835 as well: with 98,350 every count is a multiple of 10" in refused


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("rows.dat", "1 2 3\n1 2\n", "if the file holds rows, read it as rows|if it holds rows, read it as rows"),
        ("rows.txt", "1 2 3\n1 2\n", "if the file holds rows, read it as rows"),
        ("rows.csv", "ward,sex\nsurgery,f\n", "if it holds rows, read it as rows"),
        ("rows.json", '[["a", "b"], ["c"]]', "if it holds rows, read it as rows"),
        ("rows.jsonl", '{"id": 1, "items": ["a"]}\n{"id": 2, "items": []}\n', "if it holds rows, read it as rows"),
    ],
)
@pytest.mark.parametrize("door", ["--patterns", "--rules"])
def test_rows_given_as_patterns_are_refused(call, name: str, content: str, words: str, door: str):
    Path(name).write_text(content)
    refused = call("audit", door, name, "-k", 10, "--n", 100).refused()
    assert any(word in refused for word in words.split("|"))
    assert "surgery" not in refused


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["audit", "--patterns", "counts.csv", "-k", 10, "--drop", "a"], "--drop is for rows, but --patterns is given"),
        (["audit", "--rules", "counts.csv", "-k", 10, "--items-column", "a"], "--items-column is for --patterns"),
        (["audit", "counts.csv", "-s", 1, "-k", 10, "--item-separator", ";"], "--item-separator says something about"),
        (["query", "counts.csv", "a", "--items-column", "a"], "--items-column says something about --patterns"),
        (
            ["query", "--patterns", "counts.csv", "a", "--items-column", "x"],
            "no column 'x', which --items-column names",
        ),
    ],
)
def test_options_for_another_kind_of_file_are_refused(call, arguments, words: str):
    assert words in call(*arguments).refused()
