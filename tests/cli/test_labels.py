"""Labels that stand for nothing are refused by every command, and what that protects from."""

from __future__ import annotations

import json
import shlex
import shutil
import unicodedata
from typing import TYPE_CHECKING

import pytest

import discreet
from discreet.workbench.jobs.protecting import check_rows

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "flu,ward 1\nflu,ward 2\nhiv,ward 1\nflu\ncold,ward 2\ncold,ward 1\n"
TABLE = "ill,ward\nflu,1\nflu,2\nhiv,1\nflu,1\ncold,2\ncold,1\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "wrong.txt").write_text("flu\nHIV\nsyphilis\n")
    (tmp_path / "hive.txt").write_text("hiv\n")
    (tmp_path / "ill.txt").write_text("ill\n")


@pytest.mark.parametrize(
    "words",
    [
        "check rows.csv --format basket --rho 0.5 --sensitive wrong.txt",
        "anonymize rows.csv --format basket --rho 0.5 --sensitive wrong.txt -o out.csv",
        "release --rows rows.csv --format basket --promise rho=0.9 --sensitive wrong.txt -o out",
        "hide rows.csv --format basket --restrict wrong.txt --method naive -o out.csv",
        "release --rows rows.csv --format basket --promise hidden --restrict wrong.txt -o out",
        "hide rows.csv --format basket --restrict hive.txt --protect wrong.txt --method naive -o out.csv",
    ],
)
def test_a_label_that_stands_for_nothing_is_refused(call, tmp_path: Path, words: str):
    sentence = call(*words.split()).refused()
    assert "2 of " in sentence
    assert (
        "names the label 'HIV', which is neither an item nor a column of the data (and 1 more of the list)" in sentence
    )
    assert "the data has 'hiv': write that, or give --ignore-unknown to accept it" in sentence
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.csv").exists()
    assert call(*words.split(), "--ignore-unknown").status in (0, 1)


@pytest.mark.parametrize(
    "words",
    [
        "audit table.csv --format table -s 2 -k 2 --quasi-identifiers ill,wart",
        "block table.csv --format table -s 2 -k 2 --method additive --quasi-identifiers ill,wart",
        "tradeoff table.csv --format table -s 2 -k 2 --quasi-identifiers ill,wart",
        "release table.csv --format table -s 2 -k 2 --method none --quasi-identifiers ill,wart -o out",
        "kanon table.csv -k 2 --quasi-identifiers ill,wart -o out.csv",
        "compare table.csv -s 2 -k 2 --quasi-identifiers ill,wart",
        "audit table.csv --format table -s 2 -k 2 --exclusive wart",
    ],
)
def test_so_is_a_column_that_is_not_there(call, words: str):
    assert "'wart'" in call(*words.split()).refused()


def test_a_look_alike_is_named_in_a_warning(call, tmp_path: Path):
    (tmp_path / "two.csv").write_text(ROWS + "HIV,ward 2\n")
    outcome = call("check", "two.csv", "--format", "basket", "--rho", "0.9", "--sensitive", "hive.txt")
    assert outcome.err.startswith("warning: the data also has 'HIV', which is not named, but differs from a named")


def test_rows_of_a_column_are_not_promised_unseen(call, tmp_path: Path):
    """A column's name once stood for nothing in `release --rows`, which then promised anything about it."""
    words = ["release", "--rows", "table.csv", "--format", "table", "--sensitive", "ill.txt", "-o", "out"]
    assert call(*words, "--promise", "rho=0.5").status == 1
    assert not (tmp_path / "out").exists()
    hidden = ["release", "--rows", "table.csv", "--format", "table", "--restrict", "ill.txt", "-o", "out"]
    assert call(*hidden, "--promise", "hidden").status == 1


def test_what_was_dropped_is_known_from_the_original_rows(call):
    private = ["--rho", "0.1", "--sensitive", "hive.txt"]
    made = call("anonymize", "rows.csv", "--format", "basket", *private, "--method", "simple", "-o", "safe.csv")
    assert made.status == 0
    (step,) = [line for line in made.out.splitlines() if line.startswith("    discreet check")]
    assert step.endswith("--ignore-unknown")
    assert call(*shlex.split(step)[1:]).status == 0
    words = ["--rows", "safe.csv", "--format", "basket", "--promise", "rho=0.1", "--sensitive", "hive.txt", "-o"]
    assert "names the label 'hiv'" in call("release", *words, "one").refused()
    done = call("release", "rows.csv", *words, "two", "--json")
    assert (done.status, json.loads(done.out)["promise"]["sensitive"]) == (0, [])
    assert call("verify", "two").status == 0


def test_what_was_dropped_is_known_from_the_mapping(call, tmp_path: Path):
    private = ["--rho", "0.1", "--sensitive", "hive.txt", "--method", "simple"]
    made = call("anonymize", "rows.csv", "--format", "basket", *private, "--mapping", "map.json", "-o", "safe.csv")
    (step,) = [line for line in made.out.splitlines() if line.startswith("    discreet check")]
    assert step.endswith("--mapping map.json")
    done = call(*shlex.split(step)[1:])
    assert (done.status, done.err) == (0, "")
    (tmp_path / "hive.txt").write_text("hiv\nhepatitis\n")
    assert "line 2 of hive.txt names the label 'hepatitis'" in call(*shlex.split(step)[1:]).refused()


def test_a_sensitive_label_of_no_row_is_not_generalized_later(call, tmp_path: Path):
    (tmp_path / "first.dat").write_text("a b\na c\nb c x\na\n")
    (tmp_path / "next.dat").write_text("a b y\na c\nb c\na\n")
    (tmp_path / "private.txt").write_text("x\ny\n")
    (tmp_path / "tree.csv").write_text("a;A;ALL\nb;A;ALL\nc;C;ALL\ny;C;ALL\n")
    words = "anonymize first.dat --rho 0.9 --sensitive private.txt --ignore-unknown --mapping map.json -o safe.dat"
    refused = call(*words.split(), "--hierarchy", "tree.csv").refused()
    assert "tree.csv has a line for what line 2 of private.txt names as sensitive" in refused
    assert call(*words.split()).status == 0
    done = call("anonymize", "next.dat", "--apply", "map.json", "-o", "next-safe.dat", "--json")
    assert json.loads(done.out)["suppressed"]["sensitive"] == ["y"]


def test_a_text_is_the_name_of_a_file_for_every_function(tmp_path: Path):
    """`release_rows` once took it for a list of labels, and promised something about a label called private.txt."""
    rows = discreet.read(tmp_path / "table.csv", format="table")
    private = str(tmp_path / "ill.txt")
    assert not discreet.check(rows, rho="0.5", sensitive=private).safe
    with pytest.raises(discreet.NotSafe):
        discreet.release_rows(rows, name="t.csv", promise="rho=0.5", sensitive=private, output=tmp_path / "out")


@pytest.mark.parametrize("labels", ["ill", "i*", "ill=h*", "ill=hiv", "ill\nward", "ill=flu\nill=hiv\nill=cold"])
@pytest.mark.parametrize("rho", ["0.2", "0.5", "0.6", "0.8", "1"])
def test_the_same_labels_give_the_same_verdict_everywhere(call, tmp_path: Path, labels: str, rho: str):
    """No command promises about raw rows what another one denies."""
    (tmp_path / "same.txt").write_text(f"{labels}\n")
    private = ["--sensitive", "same.txt"]
    raw = ["--format", "table", "--json"]
    checked = call("check", "table.csv", "--rho", rho, *private, *raw)
    released = call(
        "release", "table.csv", "--rows", "table.csv", "--promise", f"rho={rho}", *private, *raw, "-o", "raw"
    )
    assert checked.status == released.status
    assert json.loads(checked.out)["verdict"] == json.loads(released.out)["verdict"]
    assert (tmp_path / "raw").exists() is (checked.status == 0)
    rows = discreet.read(tmp_path / "table.csv", format="table")
    assert check_rows(_no_report, rows, rho, tuple(labels.split("\n"))).safe is (checked.status == 0)
    if checked.status == 0:
        assert call("verify", "raw").status == 0
    made = call("anonymize", "table.csv", "--rho", rho, *private, *raw, "--mapping", "map.json", "-o", "safe.csv")
    assert json.loads(made.out)["verdict"] == "protected"
    again = [*private, "--mapping", "map.json", *raw]
    assert call("check", "safe.csv", "--rho", rho, *again).status == 0
    words = ["release", "--rows", "safe.csv", "--promise", f"rho={rho}", "--name-sensitive", *again]
    assert call(*words, "-o", "done").status == 0
    shown = call("verify", "done")
    assert shown.status == 0
    assert all(label in shown.out for label in labels.split("\n"))


def _no_report(share: float, words: str) -> None:
    """Report progress to nobody."""


LAW = "ill,Métier\n" + "flu,chef\nflu,juge\nhiv,chef\nflu,chef\ncold,juge\ncold,chef\n" * 4
NAMES = {
    "misspelt": ("Metjer", "check the spelling"),
    "of another case": ("MÉTIER", "the data has 'Métier': write that"),
    "in another Unicode form": (unicodedata.normalize("NFD", "Métier"), "has 'Métier' in another Unicode form"),
}
COMMANDS = {
    "audit": "audit law.csv -s 3 -k 2 --quasi-identifiers LABEL,ill",
    "audit --exclusive": "audit law.csv -s 3 -k 2 --exclusive LABEL",
    "audit --patterns": "audit --patterns patterns.csv -k 2 --quasi-identifiers LABEL,ill",
    "block": "block law.csv -s 3 -k 2 --method additive --quasi-identifiers LABEL,ill -o out.csv",
    "tradeoff": "tradeoff law.csv -s 3 -k 2 --quasi-identifiers LABEL,ill",
    "release": "release law.csv -s 3 -k 2 --method suppressive --quasi-identifiers LABEL,ill -o out.csv",
    "release --exclusive": "release law.csv -s 3 -k 2 --method suppressive --exclusive LABEL -o out.csv",
    "kanon": "kanon law.csv -k 2 --quasi-identifiers LABEL,ill -o out.csv",
    "compare": "compare law.csv -s 3 -k 2 --quasi-identifiers LABEL,ill",
    "query": "query law.csv LABEL",
    "query --index": "query law.csv LABEL --index law.index",
    "check": "check law.csv --rho 0.9 --sensitive file.txt",
    "anonymize": "anonymize law.csv --rho 0.9 --sensitive file.txt -o out.csv",
    "hide": "hide law.csv --restrict file.txt --method naive -o out.csv",
    "hide --protect": "hide law.csv --restrict ill.txt --protect file.txt --method minfia -o out.csv",
    "release --promise rho": "release --rows law.csv --promise rho=0.9 --sensitive file.txt -o out.csv",
    "release --promise hidden": "release --rows law.csv --promise hidden --restrict file.txt -o out.csv",
}


@pytest.fixture
def law(call, tmp_path: Path):
    """Run a command about a label, typed or in a file."""
    (tmp_path / "law.csv").write_text(LAW)
    assert call("mine", "law.csv", "-s", "3", "-o", "patterns.csv").status == 0

    def run(words: str, label: str, *more: str):
        (tmp_path / "file.txt").write_text(f"{label}\n")
        return call(*(word.replace("LABEL", label) for word in words.split()), *more)

    return run


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("how", NAMES)
def test_every_command_refuses_what_stands_for_nothing(law, tmp_path: Path, words: str, how: str):
    label, advice = NAMES[how]
    sentence = law(words, label).refused()
    assert f"names the label '{label}'" in sentence
    assert advice in sentence
    assert not (tmp_path / "out.csv").exists()
    assert "--ignore-unknown to accept it" in sentence
    if how == "misspelt":
        accepted = law(words, label, "--ignore-unknown")
        about_nothing = "--promise" in words and "would be about nothing" in accepted.err
        assert accepted.status == 2 if about_nothing else accepted.status in (0, 1)


@pytest.mark.parametrize("how", NAMES)
@pytest.mark.parametrize(
    "option", ["drop LABEL", "keep LABEL", "bins LABEL=1", "map LABEL:a=b", "id-column LABEL", "person-column LABEL"]
)
def test_so_do_the_options_of_reading(law, option: str, how: str):
    label, advice = NAMES[how]
    name, value = option.split()
    sentence = law(f"mine law.csv --format table -s 3 --{name} {value}", label).refused()
    assert f"has no column '{label}', which --{name} names, among its 2 columns" in sentence
    assert advice.replace("the data has", "it has") in sentence


ACCEPTED = [
    "audit law.csv -s 3 -k 5 --quasi-identifiers Metjer,ill --exclusive Metjer --ignore-unknown",
    "tradeoff law.csv -s 3,5 -k 3,9 --quasi-identifiers Metjer,ill --ignore-unknown",
    "kanon law.csv -k 3 --quasi-identifiers Metjer,ill --ignore-unknown -o out.csv",
    "check law.csv --rho 0.3 --sensitive both.txt --ignore-unknown",
    "anonymize law.csv --rho 0.3 --sensitive both.txt --ignore-unknown -o out.csv",
    "anonymize law.csv --rho 0.3 --sensitive both.txt --ignore-unknown --mapping map.json -o out.csv",
    "hide law.csv --restrict both.txt --method naive --ignore-unknown -o out.csv",
    "release law.csv -s 3 -k 9 --method none --quasi-identifiers Metjer,ill --ignore-unknown -o out",
    'query law.csv "Metjer OR ill" --ignore-unknown',
]


@pytest.mark.parametrize("words", ACCEPTED)
def test_the_next_steps_work_as_they_are_printed(call, tmp_path: Path, words: str):
    (tmp_path / "law.csv").write_text(LAW)
    (tmp_path / "both.txt").write_text("Metjer\nill\n")
    done = call(*shlex.split(words))
    assert done.status in (0, 1), done.err
    steps = [line for line in done.out.splitlines() if line.startswith("    discreet ")]
    assert steps
    for step in steps:
        assert call(*shlex.split(step)[1:]).status in (0, 1), step


@pytest.mark.parametrize("named", ["Métier", "Mét*"])
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_every_command_takes_a_column_or_a_beginning_for_all_its_values(law, tmp_path: Path, words: str, named: str):
    by_name = law(words, named, "--json")
    assert by_name.status in (0, 1), by_name.err
    if words.startswith(("kanon", "compare")):  # which are about columns
        return
    written = _taken_away(tmp_path / "out.csv")
    between = " OR " if words.startswith("query") else "," if "LABEL" in words else "\n"
    by_value = law(words, between.join(["Métier=chef", "Métier=juge"]), "--json")
    assert by_value.status == by_name.status
    names = {"seal", "promise", "advice", "read"}  # which may repeat what was named; an index is read once
    assert _without(by_value.out, names) == _without(by_name.out, names)
    assert _taken_away(tmp_path / "out.csv") == written


def test_sensitive_items_are_typed_or_in_a_file(call, tmp_path: Path):
    (tmp_path / "private").write_text("ill\n")
    answers = {
        call("check", "table.csv", "--format", "table", "--rho", "0.5", "--sensitive", given, "--json").out
        for given in ("ill", "ill=flu,ill=cold,ill=hiv", "il*", "ill.txt", "@ill.txt", "private")
    }
    assert len(answers) == 1
    words = ["check", "table.csv", "--format", "table", "--rho", "0.5", "--ignore-unknown", "--sensitive"]
    assert "cannot read the --sensitive items from 'il.txt'" in call(*words, "il.txt").refused(), (
        "no label of that name"
    )


def _without(document: str, names: set[str]) -> dict[str, object]:
    return {name: value for name, value in json.loads(document).items() if name not in names}


def _taken_away(output: Path) -> list[bytes]:
    """Return what was written, except the certificate and the report, and remove it."""
    if not output.is_dir():
        written = [output.read_bytes()] if output.exists() else []
        output.unlink(missing_ok=True)
        return written
    written = [each.read_bytes() for each in sorted(output.iterdir()) if each.suffix in (".csv", ".parquet")]
    shutil.rmtree(output)
    return written
