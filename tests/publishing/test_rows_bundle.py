"""Bundles of rows: what is checked before they are written, what is in them, and that they verify."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import discreet
from discreet import DataError, NotSafe, ParameterError, Transactions, read, release_rows, verify, write
from discreet.publishing import bundle as bundles
from discreet.publishing.certificate import CERTIFICATE, Certificate
from discreet.publishing.ledger import open_ledger

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "certificate.schema.json").read_text())
SAFE = [["milk", "tea"], ["milk", "tea"], ["milk", "test"], ["tea"]]


def bundle_of(rows: list[list[str]], folder: Path, name: str = "rows.dat", **promise: object):
    given = Transactions.from_rows(rows)
    return release_rows(given, name=name, output=folder / "public", **promise)


@pytest.mark.parametrize("named", ["ill", "il*", "ill=flu"])
def test_a_hierarchy_need_not_know_what_is_sensitive_by_column(tmp_path: Path, named: str):
    """A column's values were once missed in the hierarchy, which must not have them."""
    (tmp_path / "arx.csv").write_text("milk;drink\ntea;drink\n")
    rows = [["milk"], ["milk", "tea"], ["tea", "ill=flu"], ["tea"], ["tea"]]
    bundle_of(rows, tmp_path, promise="rho=0.9", sensitive=[named], hierarchy=tmp_path / "arx.csv")
    assert verify(tmp_path / "public").holds


def test_rows_that_keep_the_promise_are_bundled_with_their_hierarchy(tmp_path: Path):
    (tmp_path / "arx.csv").write_text("milk;drink\ntea;drink\n")
    done = bundle_of(SAFE, tmp_path, promise="rho=0.5", sensitive=["test"], hierarchy=tmp_path / "arx.csv")
    files = sorted(path.name for path in (tmp_path / "public").iterdir())
    assert files == ["certificate.json", "hierarchy.csv", "report.html", "rows.dat"]
    assert (tmp_path / "public" / "hierarchy.csv").read_bytes() == (tmp_path / "arx.csv").read_bytes()
    assert Counter(read(tmp_path / "public" / "rows.dat")) == Counter(frozenset(row) for row in SAFE)
    assert done.certificate.promise["rho"] == "1/2"
    Draft202012Validator(SCHEMA).validate(json.loads((tmp_path / "public" / "certificate.json").read_bytes()))
    assert verify(tmp_path / "public").holds


def test_items_that_left_single_rows_are_promised_at_face_value(tmp_path: Path):
    rows = Transactions.from_rows([["milk", "test"], ["tea", "test"], ["tea"], ["tea"], ["tea"], ["tea"]])
    local = discreet.anonymize(rows, rho="0.5", sensitive=["test"], method="local").rows
    asked = {"name": "rows.dat", "promise": "rho=0.5", "sensitive": ["test"]}
    seen = release_rows(local, **asked, original=rows, output=tmp_path / "seen")
    told = release_rows(local, **asked, face_value=True, output=tmp_path / "told")
    for done, folder in ((seen, "seen"), (told, "told")):
        assert (done.verdict, done.to_dict()["safe"]) == ("face-value", False)
        assert done.certificate.statement.startswith("In the rows as they stand: Nobody who knows part of a row")
        assert done.certificate.not_promised[0].startswith("Sensitive items left single rows.")
        assert "left single rows" in (tmp_path / folder / "report.html").read_text()
        Draft202012Validator(SCHEMA).validate(json.loads((tmp_path / folder / "certificate.json").read_bytes()))
        assert verify(tmp_path / folder).holds
    promise = {**told.certificate.promise, "recoding": "global"}
    (tmp_path / "told" / "certificate.json").write_bytes(replace(told.certificate, promise=promise).to_bytes())
    assert not verify(tmp_path / "told").holds  # its words are those of another promise
    assert release_rows(local, **asked, output=tmp_path / "unknown").verdict == "face-value"
    with pytest.raises(ParameterError, match="face_value is for the promise rho"):
        release_rows(local, name="rows.dat", promise="hidden", face_value=True, output=tmp_path / "hidden")


def test_order_that_is_said_to_follow_from_content_does(tmp_path: Path):
    done = bundle_of(SAFE, tmp_path, promise="rho=0.5", sensitive=["test"], keep_order=True)
    assert list(read(tmp_path / "public" / "rows.dat")) == [frozenset(row) for row in SAFE]
    assert done.certificate.promise["order"] == "owner"
    assert "in an order that the owner chose" in done.certificate.not_promised[0]
    assert verify(tmp_path / "public").holds
    promise = {**done.certificate.promise, "order": "content"}
    forged = replace(done.certificate, promise=promise, not_promised=done.certificate.not_promised[1:])
    (tmp_path / "public" / "certificate.json").write_bytes(forged.to_bytes())
    (wrong,) = [check.words for check in verify(tmp_path / "public").checks if not check.holds]
    assert wrong == "the certificate says that the order of the rows follows from their content, but it does not"


def test_rows_that_do_not_are_refused_and_nothing_is_written(tmp_path: Path):
    with pytest.raises(NotSafe, match="anonymize the rows first"):
        bundle_of(SAFE, tmp_path, promise="rho=0.3", sensitive=["test"])
    assert list(tmp_path.iterdir()) == []


def test_only_sensitive_items_that_are_left_are_named(tmp_path: Path):
    done = bundle_of(SAFE, tmp_path, promise="rho=0.5", sensitive=["test", "suppressed"], ignore_unknown=True)
    assert done.certificate.promise["sensitive"] == ["test"]
    assert all(b"suppressed" not in path.read_bytes() for path in (tmp_path / "public").iterdir())


def test_hidden_itemsets_are_checked_and_not_named(tmp_path: Path):
    (tmp_path / "secret.txt").write_text("test tea\n")
    bundle_of(SAFE, tmp_path, promise="hidden", restrict=tmp_path / "secret.txt")
    assert verify(tmp_path / "public").holds
    certificate = json.loads((tmp_path / "public" / "certificate.json").read_bytes())
    Draft202012Validator(SCHEMA).validate(certificate)
    assert "test" not in json.dumps(certificate)
    (tmp_path / "secret.txt").write_text("milk tea\n")
    with pytest.raises(NotSafe, match="line 1"):
        bundle_of(SAFE, tmp_path / "public", promise="hidden", restrict=tmp_path / "secret.txt")


def test_a_share_of_what_is_hidden_needs_the_rows_before(tmp_path: Path):
    (tmp_path / "secret.txt").write_text("milk tea\n")
    settings = {"promise": "hidden=0.5", "restrict": tmp_path / "secret.txt"}
    with pytest.raises(ParameterError, match="the rows before hiding are needed"):
        bundle_of(SAFE, tmp_path, **settings)
    with pytest.raises(NotSafe):
        bundle_of(SAFE, tmp_path, original=Transactions.from_rows([["milk", "tea"]] * 3), **settings)
    bundle_of(SAFE, tmp_path, original=Transactions.from_rows([["milk", "tea"]] * 4), **settings)


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("rows.dat", "a b\nb\n\na\n", {}),
        ("rows.csv", "x,y\n1,2\n1,\n,2\n", {"format": "table"}),
        ("rows.csv", "a,b\nb\n", {"format": "basket"}),
        ("rows.tsv", "who\twhat\nanna\ta\nanna\tb\nben\tb\n", {"id_column": "who", "item_column": "what"}),
        ("rows.csv", "a,b\n1,0\n0,1\n1,1\n", {"format": "onehot"}),
        ("rows.jsonl", '["a","b"]\n["b"]\n[]\n', {}),
    ],
)
def test_every_format_is_read_back_as_it_was_checked(tmp_path: Path, name: str, text: str, options: dict[str, str]):
    (tmp_path / name).write_text(text)
    rows = read(tmp_path / name, **options)
    release_rows(
        rows,
        name=str(tmp_path / name),
        promise="rho=1",
        sensitive=["none"],
        original=Transactions.from_rows([["none"]]),
        output=tmp_path / "public",
    )
    assert (tmp_path / "public" / name).exists()
    assert verify(tmp_path / "public").holds
    assert all(b"anna" not in path.read_bytes() for path in (tmp_path / "public").iterdir())


def test_packed_rows_stay_packed(tmp_path: Path):
    write(Transactions.from_rows(SAFE), tmp_path / "rows.dat.gz")
    rows = read(tmp_path / "rows.dat.gz")
    release_rows(rows, name="rows.dat.gz", promise="rho=0.5", sensitive=["test"], output=tmp_path / "public")
    assert (tmp_path / "public" / "rows.dat.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert verify(tmp_path / "public").holds


def test_forged_rows_do_not_hold(tmp_path: Path):
    done = bundle_of(SAFE, tmp_path, promise="rho=0.5", sensitive=["test"])
    bundle = tmp_path / "public"
    from dataclasses import replace

    def reseal(text: str, **promise: object) -> None:
        (bundle / "rows.dat").write_text(text)
        files = {name: bundles.digest_file(bundle / name) for name in done.certificate.files}
        figures = {**done.certificate.promise, **promise}
        (bundle / "certificate.json").write_bytes(replace(done.certificate, files=files, promise=figures).to_bytes())

    original = (bundle / "rows.dat").read_text()
    reseal("milk test\nmilk test\ntea milk\ntea\n")
    assert (
        verify(bundle).checks[-1].words
        == "a sensitive item can be concluded with 50 % or more; anonymize the rows first"
    )
    for promise in (
        {"n": 5},
        {"file": "../rows.dat"},
        {"file": 1},
        {"rho": "no"},
        {"rho": None},
        {"sensitive": 5},
        {"reading": {"sql": "x"}},
        {"reading": {"format": "table", "columns": "@/etc/hostname"}},
        {"reading": {"format": 5}},
        {"definition": "x"},
    ):
        reseal(original, **promise)
        assert not verify(bundle).holds, promise
    reseal(original)
    assert verify(bundle).holds
    assert verify(bundle, data=Transactions.from_rows(SAFE)).holds
    assert not verify(bundle, data=Transactions.from_rows(SAFE[1:])).holds


@pytest.mark.usefixtures("no_charts")
def test_rows_and_patterns_do_not_share_a_ledger(tmp_path: Path):
    bundle_of(SAFE, tmp_path, promise="rho=0.5", sensitive=["test"], ledger=tmp_path / "ledger", new_ledger=True)
    with open_ledger(tmp_path / "ledger") as book:
        (entry,) = book.entries
    assert entry.patterns is None
    assert entry.certificate.input is not None
    rows = Transactions.from_rows(["a"] * 9)
    with pytest.raises(NotSafe, match="a release of rows"):
        discreet.release(rows, k=2, min_support=3, method="none", output=tmp_path / "x", ledger=tmp_path / "ledger")
    with pytest.raises(NotSafe, match="earlier releases"):
        bundle_of(SAFE, tmp_path / "public", promise="rho=0.5", sensitive=["test"], ledger=tmp_path / "ledger")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"promise": "rho=0.5"}, "give sensitive"),
        ({"promise": "hidden"}, "give restrict"),
        ({"promise": "rho=5"}, "promise must be a share"),
        ({"promise": None}, "promise must be"),
    ],
)
def test_what_is_missing_is_said(tmp_path: Path, settings: dict[str, str | None], expected: str):
    with pytest.raises(ParameterError, match=expected):
        bundle_of(SAFE, tmp_path, **settings)


def test_a_hierarchy_that_cannot_be_read_is_refused(tmp_path: Path):
    with pytest.raises(DataError, match=r"missing.csv"):
        bundle_of(SAFE, tmp_path, promise="rho=0.5", sensitive=["test"], hierarchy=tmp_path / "missing.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("root:x:0:0:root:/root:/bin/bash\nme:x:1:1::/home/me:/bin/sh\n", "has two roots"),
        ("milk;drink\n", "does not know 1 item of the rows"),
        ("milk;drink\ntea;drink\ntest;drink\n", "holds a sensitive item"),
        ("milk;drink\ntea;drink\nsuppressed;drink\n", "holds a sensitive item"),
        ("milk;drink\nmilk;food\n", "line 2 of"),
    ],
    ids=["another file", "an item is missing", "a sensitive item", "a sensitive item that is gone", "no tree"],
)
def test_only_the_hierarchy_of_the_rows_is_published(tmp_path: Path, lines: str, sentence: str):
    (tmp_path / "arx.csv").write_text(lines)
    with pytest.raises(DataError, match=sentence) as refusal:
        bundle_of(
            SAFE,
            tmp_path,
            promise="rho=0.5",
            sensitive=["test", "suppressed"],
            ignore_unknown=True,
            hierarchy=tmp_path / "arx.csv",
        )
    assert "tea" not in str(refusal.value)
    assert [path.name for path in tmp_path.iterdir()] == ["arx.csv"]


def test_the_ledger_is_never_in_what_is_published(tmp_path: Path):
    settings = {"promise": "rho=0.5", "sensitive": ["test"], "ledger": tmp_path / "public" / "ledger"}
    bundle_of(SAFE, tmp_path, promise="rho=0.5", sensitive=["test"])
    with pytest.raises(ParameterError, match="would be in the folder that is published"):
        bundle_of(SAFE, tmp_path, force=True, **settings)
    assert not (tmp_path / "public" / "ledger").exists()


def another_file(folder: Path) -> dict[str, object]:
    (folder / "more.csv").write_text("anything")
    return {"files": {"more.csv": None}}


@pytest.mark.parametrize(
    ("change", "question"),
    [
        (lambda _: {"statement": "Nobody can ever find out anything."}, "words"),
        (lambda _: {"not_promised": ("Nothing.",)}, "words"),
        (lambda _: {"promise": {"k": 50}}, "figures"),
        (lambda _: {"promise": {"n": 4.0}}, "figures"),
        (lambda _: {"promise": {"sensitive": ["test", "milk"]}}, "rows"),
        (lambda _: {"promise": {"sensitive": []}}, "words"),
        (lambda _: {"promise": {"sensitive": "test"}}, "rows"),
        (lambda _: {"promise": {"protected": {"count": 0, "names": None}}}, "rows"),
        (lambda _: {"promise": {"protected": {"count": True, "names": None}}}, "rows"),
        (lambda _: {"promise": {"protected": {"count": 2, "names": None}}}, "words"),
        (lambda _: {"promise": {"protected": {"count": 1, "names": ["milk"]}}}, "rows"),
        (lambda _: {"promise": {"protected": {"count": 1, "names": ["tests"]}}}, "figures"),
        (lambda _: {"promise": {"protected": {"count": 1, "names": "test"}}}, "rows"),
        (lambda _: {"promise": {"protected": {"count": 2, "names": ["test"]}}}, "rows"),
        (lambda _: {"promise": {"protected": None}}, "rows"),
        (lambda _: {"promise": {"rho": "1e-999999999"}}, "rows"),
        (lambda _: {"promise": {"rho": "1/0"}}, "rows"),
        (lambda _: {"promise": {"rho": "2/4"}}, "figures"),
        (lambda _: {"promise": {"file": "report.html"}}, "rows"),
        (another_file, "rows"),
    ],
)
def test_a_forged_certificate_of_rows_does_not_hold(tmp_path: Path, change, question: str):
    bundle_of(SAFE, tmp_path, promise="rho=0.5", sensitive=["test"])
    folder = tmp_path / "public"
    assert verify(folder).holds
    certificate = Certificate.from_bytes((folder / CERTIFICATE).read_bytes())
    changes = change(folder)
    changes["promise"] = {**certificate.promise, **changes.get("promise", {})}
    names = {**certificate.files, **changes.pop("files", {})}
    files = {name: bundles.digest_file(folder / name) for name in names}
    (folder / CERTIFICATE).write_bytes(replace(certificate, files=files, **changes).to_bytes())
    found = verify(folder)
    assert not found.holds
    assert found.checks[-1].name == question


@pytest.mark.parametrize(
    ("rows", "promise", "why"),
    [
        ([["a"]], {"promise": "rho=0.5", "sensitive": ["x"], "ignore_unknown": True}, "about nothing; give DATA"),
        ([["a"]], {"promise": "hidden", "restrict": "x\ny\n", "ignore_unknown": True}, "about nothing; give DATA"),
        ([["a"]], {"promise": "hidden", "restrict": ""}, "names no pattern"),
        ([], {"promise": "rho=0.5", "sensitive": ["a"], "ignore_unknown": True}, "there are no rows"),
        ([], {"promise": "hidden", "restrict": "a\n", "ignore_unknown": True}, "there are no rows"),
        ([["a"]], {"promise": "hidden", "restrict": "b\n", "name_sensitive": True}, "is for the promise rho"),
    ],
)
def test_a_promise_about_nothing_is_refused(
    tmp_path: Path, rows: list[list[str]], promise: dict[str, object], why: str
):
    if "restrict" in promise:
        (tmp_path / "private.txt").write_text(str(promise["restrict"]))
        promise = promise | {"restrict": tmp_path / "private.txt"}
    with pytest.raises(ParameterError, match=why):
        bundle_of(rows, tmp_path, **promise)
    assert not (tmp_path / "public").exists()


def test_what_is_protected_is_named_where_the_owner_allows_it(tmp_path: Path):
    before = Transactions.from_rows([*SAFE, ["hiv"]])
    asked = {"promise": "rho=0.5", "sensitive": ["test", "hiv"], "original": before}
    done = bundle_of(SAFE, tmp_path, **asked)
    assert done.certificate.promise["protected"] == {"count": 2, "names": None}
    told = (
        "The owner calls 2 items or columns sensitive and does not name them here: ask which before you rely on this."
    )
    assert f"{told} 1 sensitive item is left in the rows; the certificate lists it." in done.certificate.statement
    public = [path.read_bytes() for path in (tmp_path / "public").iterdir()]
    assert not any(b"hiv" in each for each in public)
    done = bundle_of(SAFE, tmp_path, **asked, name_sensitive=True, force=True)
    assert done.certificate.promise["protected"] == {"count": 2, "names": ["hiv", "test"]}
    assert "Sensitive are, as the owner says: hiv, test." in done.certificate.statement
    assert b"Sensitive are, as the owner says: hiv, test." in (tmp_path / "public" / "report.html").read_bytes()
    found = verify(tmp_path / "public")
    assert found.holds
    assert "hiv" in found.free_text.labels
    Draft202012Validator(SCHEMA).validate(json.loads((tmp_path / "public" / "certificate.json").read_bytes()))


def test_too_many_names_are_refused(tmp_path: Path):
    names = [f"i{number}" for number in range(101)]
    with pytest.raises(ParameterError, match="names at most 100 labels, got 101"):
        bundle_of([*([name] for name in names), []], tmp_path, promise="rho=1", sensitive=names, name_sensitive=True)


def test_a_promise_is_never_rounded_to_all(tmp_path: Path):
    done = bundle_of([["s"]] * 4998 + [["a"]] * 2, tmp_path, promise="rho=0.9999", sensitive=["s"])
    assert "with a confidence of 99.99 % or more" in done.certificate.statement
    checked = verify(tmp_path / "public")
    assert checked.holds
    assert any("a sensitive item follows with 99.96 % at most" in check.words for check in checked.checks)


def test_a_bundle_keeps_and_tells_the_limits_of_single_items(tmp_path: Path):
    rows = [["a", "hiv"], ["a"], ["a"], ["a"], ["a"], ["b", "flu"], ["b"], ["b"]]
    with pytest.raises(NotSafe, match="its own limit"):
        bundle_of(rows, tmp_path, promise="rho=0.5", sensitive=["hiv @ 0.2", "flu"])
    done = bundle_of(
        rows, tmp_path, promise="rho=0.5", sensitive=["hiv @ 0.25", "flu", "gone @ 0.1"], ignore_unknown=True
    )
    promise = done.certificate.promise
    assert promise["limits"] == {"hiv": "1/4"}  # of what is left
    assert "50 % or more, or its own limit (hiv 25 %), however much" in done.certificate.statement
    Draft202012Validator(SCHEMA).validate(json.loads((tmp_path / "public" / "certificate.json").read_bytes()))
    assert verify(tmp_path / "public").holds
    forgeries = [
        {"hiv": "1/5"},
        {"hiv": "1/4", "flu": "1/3"},
        {"hiv": "3/8"},
        {"hiv": "2/8"},
        {"a": "1/4"},
        {},
        {"hiv": 1},
    ]
    for limits in forgeries:
        forged = replace(done.certificate, promise={**promise, "limits": limits})
        (tmp_path / "public" / "certificate.json").write_bytes(forged.to_bytes())
        assert not verify(tmp_path / "public").holds, limits
    without = {name: value for name, value in promise.items() if name != "limits"}
    (tmp_path / "public" / "certificate.json").write_bytes(replace(done.certificate, promise=without).to_bytes())
    assert not verify(tmp_path / "public").holds  # the statement still speaks of it
