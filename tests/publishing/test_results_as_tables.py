"""Every result is a table, in Arrow, pandas and polars, and shows itself in a notebook."""

from __future__ import annotations

import inspect
import re
from html import unescape
from pathlib import Path

import pyarrow as pa
import pytest

import discreet
from discreet.microdata.comparison import Way
from discreet.tables.tabular import Tabular

TREE = """\
|--- age <= 30.50
|   |--- weights: [50.00, 0.00] class: 0
|--- age >  30.50
|   |--- weights: [5.00, 45.00] class: 1
"""
ROWS = discreet.Transactions.from_rows([["a", "b", "c"]] * 6 + [["a", "b"]] * 5 + [["a"]] * 2 + [["c"]] * 7 + [[]] * 9)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory):
    place = tmp_path_factory.mktemp("results")
    folder = place / "public"
    audit = discreet.audit(ROWS, k=4, min_support=5)
    hidden = discreet.hide(ROWS, restrict=["a b c"], method="iga", min_support=5)
    noisy = {"epsilon": "20", "min_support": 5, "universe": ["a", "b"]}
    discreet.write_patterns(discreet.mine(ROWS, min_support=5), place / "found.csv")
    discreet.write_rules(discreet.rules(discreet.mine(ROWS, min_support=5), min_confidence=0.5), place / "rules.json")
    Path(place / "wards.csv").write_text("ward,age\n" + "a,1\n" * 12 + "b,2\n" * 9, encoding="utf-8")
    Path(place / "tree.txt").write_text(TREE, encoding="utf-8")
    table = discreet.read(place / "wards.csv", format="table")
    private, _ = discreet.keygen(place / "owner")
    return {
        "look": discreet.look(place / "wards.csv"),
        "look at baskets": discreet.look(place / "found.csv", format="basket"),
        "k-anonymous": discreet.kanon(table, k=3, quasi_identifiers=["age"], suppress=0),
        "compared": discreet.compare(table, k=3, min_support=4, epsilon="1"),
        "noise": discreet.dp_patterns(ROWS, **noisy),
        "noise published": discreet.release_dp(ROWS, **noisy, output=place / "noisy"),
        "hidden for all": discreet.hide_for(ROWS, recipients={"x": ["a b"], "y": ["b c"]}, method="iga"),
        "rows published": discreet.release_rows(
            ROWS, name="rows.dat", promise="rho=0.99", sensitive=["c"], output=place / "rows"
        ),
        "patterns read": discreet.read_patterns(place / "found.csv"),
        "rules read": discreet.read_rules(place / "rules.json"),
        "tree": discreet.read_tree(place / "tree.txt"),
        "rehearsal": (rehearsal := discreet.rehearse(ROWS, min_support=5, k=2)),
        "joint": rehearsal.joint,
        "synthetic": discreet.synthetic_rows(discreet.mine(ROWS, min_support=5)),
        "audit": audit,
        "channels": audit.channels,
        "channel": audit.channels[0],
        "blocked": discreet.block(ROWS, k=4, min_support=5, method="suppressive"),
        "hidden": hidden,
        "side effects": hidden.side_effects,
        "anonymized": discreet.anonymize(ROWS, rho=0.5, sensitive=["c"], method="simple"),
        "checked": discreet.check(ROWS, rho=0.5, sensitive=["c"]),
        "loss curve": discreet.loss_curve(ROWS, curve=[0.3, 0.6], sensitive=["c"], method="simple"),
        "release": discreet.release(ROWS, k=4, min_support=5, method="suppressive", output=folder),
        "verification": discreet.verify(folder),
        "signed": discreet.sign(folder, key=private),
        "synthetic published": discreet.synthesize(folder, output=place / "synthetic"),
        "query": discreet.query(ROWS, "a AND NOT b"),
        "query of patterns": discreet.query(discreet.mine(ROWS, min_support=2, target="all"), "a AND NOT b"),
    }


COLUMNS = {
    "look": ["name", "type", "distinct", "missing", "role"],
    "look at baskets": ["min_support", "closed"],
    "k-anonymous": ["ward", "age"],
    "compared": [name for name in Way.__slots__ if name != "generalization"],
    "rehearsal": ["bytes_sent", "bytes_received", "rounds", "seconds"],
    "noise": ["items", "support"],
    "noise published": ["items", "support"],
    "hidden for all": ["items"],
    "rows published": ["items"],
    "patterns read": ["items", "support"],
    "rules read": ["antecedent", "consequent", "support", "confidence"],
    "tree": ["items", "support"],
    "joint": ["items", "support"],
    "synthetic": ["items"],
    "synthetic published": ["items"],
    "signed": ["public_key"],
    "audit": ["where", "base", "full", "low", "high"],
    "channels": ["base", "full", "low", "high"],
    "channel": ["base", "full", "low", "high"],
    "blocked": ["items", "support"],
    "hidden": ["items"],
    "anonymized": ["items"],
    "checked": ["antecedent", "consequent", "together", "holding", "confidence", "limit"],
    "loss curve": ["rho", "information_loss", "surest", "finished", "better"],
    "release": ["items", "support"],
    "verification": ["name", "holds", "words"],
    "query": ["row"],
    "query of patterns": ["times", "items", "support"],
}


def test_every_result_is_a_table_in_three_libraries(results) -> None:
    for name, result in results.items():
        table = result.to_arrow()
        assert isinstance(result, Tabular)
        assert isinstance(table, pa.Table)
        assert table.column_names == COLUMNS.get(name, list(results["side effects"].to_dict())), name
        assert list(result.to_pandas().columns) == result.to_polars().columns == table.column_names
        assert len(result.to_pandas()) == len(result.to_polars()) == len(table) > 0, name


NO_RESULTS = {
    "bool",
    "None",
    "Path",
    "tuple[Path, Path]",
    "str",
    "list[str]",
    "Transactions",
    "Policy",
    "Iterator[Ledger]",
}
"""What public functions return besides results: files, names, and what other functions take."""


def test_no_result_is_left_out(results) -> None:
    functions = [each for name in discreet.__all__ if inspect.isfunction(each := getattr(discreet, name))]
    returned = {str(inspect.signature(each).return_annotation) for each in functions}
    told = {type(result).__name__ for result in results.values()} | {"PatternSet", "RuleSet", "Tradeoff", "PolicyRun"}
    assert returned - NO_RESULTS <= told


def test_a_run_of_a_policy_is_what_it_publishes(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    discreet.write(ROWS, "rows.dat")
    Path("discreet.toml").write_text(discreet.draft_policy("rows.dat").replace("k = 10", "k = 4"), encoding="utf-8")
    done = discreet.run_policy("discreet.toml", mode="check", new_ledger=True)
    assert done.to_arrow() == done.release.to_arrow()
    assert repr(done).startswith("<PolicyRun: checked; Release: ")


def test_the_tables_say_what_the_results_say(results) -> None:
    audit = results["audit"]
    assert audit.channels.to_arrow().slice(0, 1).to_pylist() == audit.channels[0].to_arrow().to_pylist()
    assert len(audit.to_arrow()) == len(audit.channels) + len(audit.border)
    assert [row["base"] for row in audit.channels.to_arrow().to_pylist()] == [sorted(c.base) for c in audit.channels]
    assert results["query"].to_arrow()["row"].to_pylist() == [12, 13]
    assert [(row["times"], row["items"]) for row in results["query of patterns"].to_arrow().to_pylist()] == [
        (1, ["a"]),
        (-1, ["a", "b"]),
    ]


def test_only_what_may_leave_is_in_the_tables_of_what_leaves(results) -> None:
    assert results["blocked"].to_arrow() == results["blocked"].patterns.to_arrow()
    assert results["release"].to_arrow() == results["release"].published.patterns.to_arrow()
    for name in ("hidden", "anonymized"):
        assert results[name].to_arrow() == results[name].rows.to_arrow()


def shown(result) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", result._repr_html_()))


def test_every_result_shows_itself_and_names_calls_of_python(results) -> None:
    for name, result in results.items():
        assert re.search(r"\w", shown(result)), name
        assert not re.search(r"(?<!\w)--?[a-z]", shown(result)), f"{name}: a flag"
        assert "discreet " not in shown(result), f"{name}: a command"


def test_arithmetic_and_advice_are_shown(results) -> None:
    assert "(sup(a) − sup(a, b)) − (sup(a, c) − sup(a, b, c)) = (13 − 11) − (6 − 6) = 2" in shown(results["audit"])
    assert "discreet.block(rows, k=4, min_support=5, method='suppressive')" in shown(results["audit"])
    assert "Its size is sup(a) − sup(a, b)." in shown(discreet.Channel(frozenset("a"), frozenset("ab"), 2, 2))
    assert "b → c: 6 of 11 rows, 54.5 %" in shown(results["checked"])
    assert "discreet.verify" in shown(results["release"])


def test_no_label_is_markup() -> None:
    evil = discreet.Transactions.from_rows([["<script>", "b"]] * 6 + [["<script>"]] * 2 + [[]] * 9)
    found = discreet.audit(evil, k=4, min_support=5)
    for result in (found, found.channels, found.channels[0], discreet.check(evil, rho=0.5, sensitive=["<script>"])):
        assert "<script>" not in result._repr_html_()
        assert "&lt;script&gt;" in result._repr_html_()


def test_what_verify_says_names_parameters_of_python(tmp_path) -> None:
    private, _ = discreet.keygen(tmp_path / "owner")
    signed = discreet.release(ROWS, k=4, min_support=5, method="suppressive", output=tmp_path / "signed", sign=private)
    words = [check.words for check in discreet.verify(signed.bundle).checks]
    assert any("or use trust" in each for each in words)
    assert not any("--" in each for each in words)
