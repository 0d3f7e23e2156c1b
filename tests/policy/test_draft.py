"""The draft of a policy: it can be run as it is, and every guess in it says that it is one."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import draft_policy, read, run_policy, write
from discreet.policy.policy import parse_policy
from discreet.transactions.generate import hospital

pytestmark = pytest.mark.usefixtures("no_charts")


def draft(source: Path, **options: object) -> str:
    text = draft_policy(source, path=source.parent / "discreet.toml", **options)
    parse_policy(text, Path("discreet.toml"))
    return text


def edited(text: str, edits: dict[str, str]) -> str:
    """Return a draft with at most three of its lines changed."""
    assert len(edits) <= 3
    for old, new in edits.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("name", "options", "edits"),
    [
        ("adult.data.csv.gz", {"header": False}, {}),
        ("diabetic_data.csv.gz", {}, {}),
        ("groceries.csv.gz", {}, {'min_support = "1%"': 'min_support = "5%"'}),
        ("hospital.csv", {}, {}),
    ],
)
def test_a_draft_needs_at_most_three_edits_to_run(
    data_folder: Path, tmp_path: Path, name: str, options: dict[str, object], edits: dict[str, str]
) -> None:
    source = data_folder / name
    if name == "hospital.csv":
        source = tmp_path / name
        write(hospital(rows=1000, seed=1), source)
    file = tmp_path / "discreet.toml"
    file.write_text(edited(draft_policy(source, path=file, **options), edits))
    done = run_policy(file, mode="check", new_ledger=True)
    assert done.safe
    assert len(done.release.published.patterns) > 5


COLUMNS = "patient,age,sex,phone,ward,diagnosis,country"


@pytest.fixture
def stays(tmp_path: Path) -> Path:
    """Write a table of stays, several for each patient."""
    file = tmp_path / "stays.csv"
    lines = [
        f"{row % 150},{20 + row * 7 % 60},{'fm'[row % 2]},0{row:05},{'NSEW'[row % 4]},{'flu' if row % 3 else 'gout'},NL"
        for row in range(400)
    ]
    file.write_text("\n".join([COLUMNS, *lines]) + "\n")
    return file


def test_every_guess_has_its_comment(stays: Path) -> None:
    lines = draft(stays).splitlines()

    def above(line: str) -> str:
        at = lines.index(line)
        return " ".join(each for each in lines[max(0, at - 3) : at] if each.startswith("#"))

    assert "A guess by its name and its values" in above('person_column = "patient"')
    assert "A guess: these columns are the same" in above('drop = ["country"]')
    assert "A guess: numbers as three intervals" in above("bins.age = [39, 59]")
    assert "A guess: these are different in nearly every row" in above('identifying = ["phone"]')
    assert "By their names, these could be it" in above('# quasi_identifying = ["age", "sex"]')
    assert "By their names, these could be it" in above('# sensitive = ["diagnosis"]').replace("# it", "it")
    assert 'expect_columns = ["patient", "age", "sex", "phone", "ward", "diagnosis", "country"]' in lines
    assert 'expect_labels = ["diagnosis=flu", "diagnosis=gout", "sex=f", "sex=m"]' in lines


def test_what_the_owner_says_is_no_guess(stays: Path) -> None:
    text = draft(stays, id_column="phone", drop="country", bins=["age=40"], unit="stays", missing="drop-row")
    assert 'id_column = "phone"' in text
    assert "person_column" not in text
    assert "A guess: these columns" not in text
    assert "A guess: numbers" not in text
    assert "bins.age = [40]" in text
    assert 'unit = "stays"' in text
    assert 'missing = "drop-row"' in text


def test_a_draft_reads_the_data_as_they_were_looked_at(stays: Path) -> None:
    file = stays.parent / "discreet.toml"
    file.write_text(draft_policy(stays, path=file))
    policy = parse_policy(file.read_text(), file)
    assert policy.file == str(stays)
    rows = read(policy.file, **policy.options.keywords())
    assert rows.n == 150
    assert not any(label.startswith(("phone", "country", "patient")) for label in rows.vocabulary)


@pytest.mark.parametrize("name", ["stays.csv", "stays.jsonl", "stays.parquet", "*.csv"])
def test_a_draft_of_any_container_can_be_run(stays: Path, name: str) -> None:
    lines = [line.split(",") for line in stays.read_text().splitlines()]
    if name == "stays.jsonl":
        (stays.parent / name).write_text("".join(f"{json.dumps(line[2:3] + line[4:6])}\n" for line in lines[1:]))
    elif name == "stays.parquet":
        pq.write_table(pa.table(dict(zip(lines[0], zip(*lines[1:], strict=True), strict=True))), stays.parent / name)
    file = stays.parent / "discreet.toml"
    file.write_text(draft_policy(stays.parent / name, path=file))
    assert run_policy(file, mode="check", new_ledger=True, output=stays.parent / "out").safe


def test_names_that_toml_would_take_for_something_else_are_quoted(tmp_path: Path) -> None:
    file = tmp_path / "odd.csv"
    file.write_text('"a ""b"", c.d",x=y\n' + "".join(f"{row},{row % 3}\n" for row in range(40)))
    text = draft(file, id_column='a "b", c.d')
    assert parse_policy(text, Path("discreet.toml")).expect_columns == ('a "b", c.d', "x=y")
