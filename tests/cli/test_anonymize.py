"""`discreet anonymize`: rows that may be published, what they cost, and what is refused."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from discreet import read
from discreet.uncertainty import anonymize
from discreet.uncertainty.simple import simple
from discreet.uncertainty.time_budget import Interrupted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.hierarchy import Hierarchy

TABLE_1 = Path(__file__).parent.parent / "data" / "uncertainty-example.dat"
SAFE_METHODS = ["best", "tdcontrol", "suppress", "simple"]
FIELDS = {"method", "rho", "n", "information_loss", "suppressed", "generalized", "worst_rule"}


@pytest.fixture(autouse=True)
def private(tmp_path: Path) -> None:
    (tmp_path / "private.txt").write_text("alpha\ngamma\n", encoding="utf-8")
    (tmp_path / "tree.csv").write_text("a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\n", encoding="utf-8")


def words(*more: object) -> list[object]:
    return ["anonymize", TABLE_1, "--rho", "0.7", "--sensitive", "private.txt", "-o", "safe.dat", *more]


@pytest.mark.parametrize("method", SAFE_METHODS)
def test_every_method_but_perturb_gives_rows_that_pass_the_check(call, method: str):
    outcome = call(*words("--method", method, "--json"))
    assert (outcome.status, outcome.err) == (0, "")
    document = json.loads(outcome.out)
    assert document.keys() >= FIELDS
    assert (document["method"], document["rho"], document["n"], document["finished"]) == (method, 0.7, 5, True)
    again = call("check", "safe.dat", "--rho", "0.7", "--sensitive", "private.txt", "--ignore-unknown", "--json")
    assert again.status == 0
    assert json.loads(again.out)["worst_rule"] == document["worst_rule"]


@pytest.mark.parametrize("method", ["tdcontrol", "suppress"])
def test_examples_a1_and_a2(call, tmp_path: Path, method: str):
    tree = ["--hierarchy", "tree.csv"] if method == "tdcontrol" else []
    document = json.loads(call(*words("--method", method, "--keep-order", "--json", *tree)).out)
    assert document["suppressed"] == {"sensitive": ["alpha"], "other": ["b1"]}
    assert document["generalized"] == {}
    assert document["information_loss"] == pytest.approx(3 / 16)
    assert (tmp_path / "safe.dat").read_text().split("\n")[:5] == [
        "a1 b2 gamma",
        "a1 a2 b2",
        "a2 b2",
        "a2 gamma",
        "a1 b2 gamma",
    ]


def test_neighbours_by_support_are_generalized_together_and_a_mapping_carries_them_over(call, tmp_path: Path):
    rows = "a x\nb\nc\nd\nd\nd\nc x\n" + "e\n" * 9 + "f\n" * 9
    (tmp_path / "in.dat").write_text(rows)
    (tmp_path / "private.txt").write_text("x\n")
    asked = ["anonymize", "in.dat", "--rho", "0.6", "--sensitive", "private.txt", "--fanout", "2"]
    made = call(*asked, "--neighbours", "support", "--method", "tdcontrol", "--mapping", "m.json", "-o", "1", "--json")
    document = json.loads(made.out)
    assert document["generalized"] == {"a": "b+1", "b": "b+1"}
    assert json.loads(call("anonymize", "in.dat", "--apply", "m.json", "-o", "2", "--json").out)["safe"]
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    by_label = json.loads(call(*asked, "--neighbours", "label", "-o", "3", "--json").out)
    assert by_label == json.loads(call(*asked, "-o", "4", "--json").out)


def test_simple_drops_every_sensitive_item_and_leaves_no_rule(call):
    document = json.loads(call(*words("--method", "simple", "--json")).out)
    assert document["suppressed"] == {"sensitive": ["alpha", "gamma"], "other": []}
    assert document["worst_rule"] is None
    assert document["information_loss"] == document["simple_loss"] == pytest.approx(5 / 16)


def test_the_default_is_best_and_never_worse_than_simple(call):
    document = json.loads(call(*words("--json")).out)
    assert document["method"] == "best"
    assert document["information_loss"] <= document["simple_loss"]


def test_perturb_is_checked_and_never_called_safe(call):
    unsafe = call(*words("--method", "perturb", "--seed", "1"))
    assert unsafe.status == 1
    assert unsafe.out.strip().startswith("NOT PROTECTED")
    assert "Anyone who has" in unsafe.out
    harmless = ["anonymize", "many.dat", "--rho", "0.9", "--sensitive", "private.txt", "--method", "perturb"]
    Path("many.dat").write_text("a alpha\na gamma\n" + "a\n" * 2000)
    by_chance = call(*harmless, "--beta", "0.5", "-o", "noise.dat")
    assert by_chance.status == 0
    assert json.loads(call(*harmless, "--beta", "0.5", "-o", "again.dat", "--json").out)["safe"] is False
    assert by_chance.out.strip().startswith("PROTECTED AT FACE VALUE")
    assert "nothing is promised" in by_chance.out


def test_where_methods_compete_the_promise_is_that_of_local_whichever_won(call):
    Path("few.dat").write_text("c d e\nc d e\ne alpha\nc d\n\nb d\nb e alpha\nc d alpha\nb d\nd\nb d\n")
    asked = ["anonymize", "few.dat", "--rho", "0.5", "--sensitive", "alpha", "--fanout", "2", "--json"]
    one = json.loads(call(*asked, "--allow-local", "-o", "one.dat").out)
    assert (one["method"], one["verdict"], one["safe"]) == ("rare-rows", "face-value", False)
    assert {each["method"]: each["verdict"] for each in one["candidates"]}["rare-rows"] == "protected"
    said = "the promise is that of local, whichever won. Do not tell anybody which one did"
    two = " ".join(call(*asked[:-1], "--allow-local", "-o", "two.dat").out.split())
    assert two.startswith("PROTECTED AT FACE VALUE")
    assert said in two
    alone = " ".join(call(*asked[:-1], "--method", "rare-rows", "-o", "three.dat").out.split())
    assert alone.startswith("PROTECTED nobody")
    assert said not in alone


def test_local_says_what_it_promises_and_what_it_does_not(call):
    Path("many.dat").write_text("a alpha\na\na\nb alpha\n" + "c\n" * 5)
    asked = ["anonymize", "many.dat", "--rho", "0.5", "--sensitive", "alpha", "--method", "local"]
    said = call(*asked, "-o", "out.dat")
    assert said.status == 0
    assert said.out.strip().startswith("PROTECTED AT FACE VALUE")
    told = " ".join(said.out.split())
    assert "Taken out: 1 of 2 entries of sensitive items, in 1 row; 0 sensitive items are in no row any more." in told
    assert "is never certain of that, but can guess" in told
    assert "0 were not there before" in told
    assert "discreet check out.dat --rho 0.5 --sensitive alpha" in told
    document = json.loads(call(*asked, "-s", "2", "-o", "again.dat", "--json").out)
    assert (document["safe"], document["verdict"]) == (False, "face-value")
    assert (document["local"]["removed"], document["local"]["changed_rows"]) == (1, 1)
    assert document["local"]["false_rules"]["min_support"] == 2
    assert Path("out.dat").read_text() == "a\na\nb\nc\nc\nc\nc\nc\na alpha\n"
    assert call("check", "out.dat", "--rho", "0.5", "--sensitive", "alpha").status == 0
    best = call(*asked[:-2], "--allow-local", "-o", "best.dat")
    assert best.status == 0
    assert "What was tried" in best.out
    assert "PROTECTED AT FACE VALUE  local" in best.out


def test_rows_come_back_in_the_format_of_data(call, tmp_path: Path):
    (tmp_path / "in.csv").write_text("tea,alpha\ntea\ntea,milk\nmilk,gamma\nmilk\nmilk\n")
    call("anonymize", "in.csv", "--format", "basket", "--rho", "0.9", "--sensitive", "private.txt", "-o", "out.csv.gz")
    assert len(read(tmp_path / "out.csv.gz", format="basket")) == 6
    (tmp_path / "in.jsonl").write_text('["tea","alpha"]\n["alpha"]\n["tea"]\n')
    (tmp_path / "one.txt").write_text("alpha\n")
    call("anonymize", "in.jsonl", "--rho", "0.5", "--sensitive", "one.txt", "--method", "simple", "-o", "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == '[]\n["tea"]\n["tea"]\n'


def test_the_words_say_verdict_price_and_what_to_do(call):
    outcome = call(*words("--method", "suppress", "--tree", "-s", "1"))
    text = " ".join(outcome.out.split())
    assert text.startswith("PROTECTED nobody can conclude a sensitive item with 70 % or more")
    assert "18.75 % of the information in 5 rows is lost; dropping every sensitive item would lose 31.25 %" in text
    assert "Dropped: 1 of 2 sensitive items and 1 of 4 others." in text
    assert "The hierarchy, as far as it was touched" in text
    assert "rules of at most three items" in text
    assert "for you alone" in text
    assert "discreet check safe.dat --rho 0.7 --sensitive private.txt" in text


def test_a_smaller_share_draws_a_subset(call, tmp_path: Path):
    drawn = {}
    for share in ("20%", "60%"):
        name = f"drawn{share[0]}.txt"
        call(
            "anonymize",
            TABLE_1,
            "--rho",
            "0.5",
            "--sensitive-share",
            share,
            "--seed",
            "3",
            "-o",
            f"{share[0]}.dat",
            "--drawn",
            name,
        )
        drawn[share] = set((tmp_path / name).read_text().split())
    assert drawn["20%"] < drawn["60%"]
    assert len(drawn["60%"]) == 4


def test_a_mapping_publishes_other_rows_alike_and_the_check_tells_whether_it_still_holds(call, tmp_path: Path):
    assert call(*words("--method", "suppress", "--mapping", "map.json")).status == 0
    (tmp_path / "next.dat").write_text("a1 b1 alpha\na1 a2\na2 gamma c9\na2\na2 b2\n")
    outcome = call("anonymize", "next.dat", "--apply", "map.json", "-o", "next-safe.dat", "--json")
    document = json.loads(outcome.out)
    assert outcome.status == 0
    assert (document["method"], document["rho"], document["safe"]) == ("apply", 0.7, True)
    assert (tmp_path / "next-safe.dat").read_text() == "a1\na2\na1 a2\na2 b2\na2 gamma\n"
    assert document["suppressed"] == {"sensitive": ["alpha"], "other": ["b1", "c9"]}
    (tmp_path / "bad.dat").write_text("a1 gamma\na2\n")
    worse = call("anonymize", "bad.dat", "--apply", "map.json", "-o", "bad-out.dat")
    assert worse.status == 1
    assert "NOT PROTECTED" in worse.out
    assert "Anyone who has a1 also has gamma: 1 of 1 row (100 %)" in worse.out
    told = call("anonymize", "next.dat", "--apply", "map.json", "-o", "again.dat").out
    assert "1 item that the mapping does not know is among the dropped: c9" in " ".join(told.split())


def test_a_sensitive_label_that_is_accepted_though_unknown_is_a_warning(call, tmp_path: Path):
    (tmp_path / "private.txt").write_text("alpha\ngamma\nnope\n")
    outcome = call(*words("--method", "simple", "--ignore-unknown"))
    assert outcome.status == 0
    assert outcome.err == (
        f"warning: the sensitive label nope is in no row of {TABLE_1}; is it spelled as in the data?\n"
    )


def test_empty_cells_of_a_table_that_tell_are_a_warning(call, tmp_path: Path):
    (tmp_path / "rows.csv").write_text("age,ill\n30,HIV\n30,no\n40,no\n")
    (tmp_path / "ill.txt").write_text("ill=HIV\n")
    outcome = call(
        "anonymize", "rows.csv", "--rho", "0.3", "--sensitive", "ill.txt", "--method", "simple", "-o", "o.csv"
    )
    assert (tmp_path / "o.csv").read_text() == "age,ill\n30,\n30,\n40,\n", "the column goes as a whole"
    assert outcome.err == ""
    (tmp_path / "rows.csv").write_text("age,ill\n" + "30,HIV\n30,no\n30,no\n40,HIV\n40,no\n40,no\n")
    words = ["anonymize", "rows.csv", "--rho", "0.4", "--sensitive", "ill.txt", "--method", "simple", "-o", "p.csv"]
    outcome = call(*words)
    assert (tmp_path / "p.csv").read_text() == "age,ill\n30,\n40,\n30,no\n30,no\n40,no\n40,no\n"
    warning = "warning: an empty cell of ill can stand for a sensitive value that was dropped"
    assert outcome.err.startswith(warning)
    bundle = ["release", "rows.csv", "--rows", "p.csv", "--sensitive", "ill.txt", "--promise", "rho=0.4"]
    outcome = call(*bundle, "-o", "pub", "--json")
    assert outcome.err.startswith(warning)
    assert json.loads(outcome.out)["promise"]["empty_cells"] == ["ill"]
    assert call("verify", "pub").status == 0
    assert call(*bundle[:-1], "rho=0.3", "-o", "other").status == 1


def test_empty_cells_that_single_out_rows_are_a_warning(call, tmp_path: Path):
    (tmp_path / "rows.csv").write_text("age,ill\n30,HIV\n30,no\n30,no\n41,HIV\n50,no\n50,no\n")
    (tmp_path / "ill.txt").write_text("ill=HIV\n")
    asked = ["anonymize", "rows.csv", "--rho", "0.5", "--sensitive", "ill.txt", "--method", "suppress", "--json"]
    outcome = call(*asked, "-o", "o.csv")
    assert json.loads(outcome.out)["suppressed"] == {"sensitive": [], "other": ["age=41"]}
    assert (tmp_path / "o.csv").read_text() == "age,ill\n,HIV\n30,HIV\n30,no\n30,no\n50,no\n50,no\n"
    assert outcome.err.startswith("warning: an empty cell of age now stands for a value that was dropped")


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        ("a1;A;ALL\na2;A;ALL\nb1;A;ALL\n", "has an item for which tree.csv has no line"),
        ("a1;A\na2;A\nb1;B\nb2;B\n", "two roots, at the ends of lines 1 and 3"),
        ("a1;A;B\na2;B;A\nb1;A;B\nb2;A;B\n", "cycle"),
        ("a1;ALL\na2;ALL\nb1;ALL\nb2;ALL\nalpha;ALL\n", "names as sensitive; such items are published as they are"),
    ],
)
def test_hierarchies_that_do_not_fit_are_refused(call, tmp_path: Path, tree: str, sentence: str):
    (tmp_path / "tree.csv").write_text(tree)
    assert sentence in call(*words("--hierarchy", "tree.csv")).refused()
    assert not (tmp_path / "safe.dat").exists()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--sensitive-share", "40%"], "--sensitive names the items"),
        (["--hierarchy", "tree.csv", "--fanout", "3"], "--hierarchy is the tree"),
        (["--hierarchy", "tree.csv", "--neighbours", "support"], "--hierarchy is the tree"),
        (["--neighbours", "size"], "--neighbours"),
        (["--fanout", "1"], "--fanout must be a whole number of at least 2"),
        (["--beta", "0.2"], "--beta is for --method perturb"),
        (["--method", "simple", "--time-limit", "5"], "--time-limit is for"),
        (["--method", "perturb", "--mapping", "map.json"], "--mapping and --apply do not go with perturb"),
        (["--method", "local", "--mapping", "map.json"], "--mapping and --apply do not go with local"),
        (["--method", "local", "--apply", "map.json"], "--apply uses"),
        (["--allow-local", "--mapping", "map.json"], "--mapping and --apply do not go with local"),
        (["--method", "simple", "--allow-local"], "--allow-local is for --method best"),
        (["--method", "perturb", "--beta", "2"], "beta must be a share between 0 and 1"),
        (["--drawn", "d.txt"], "--drawn is for --sensitive-share"),
        (["--apply", "map.json"], "--apply uses the sensitive items"),
        (["--method", "magic"], "--method"),
        (["--mapping", "tree.csv"], "exists already"),
    ],
)
def test_what_does_not_go_together_is_refused(call, tmp_path: Path, more: list[str], sentence: str):
    assert sentence in call(*words(*more)).refused()
    assert not (tmp_path / "safe.dat").exists()


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("option", ["--mapping", "--drawn"])
def test_what_is_for_the_owner_never_takes_the_place_of_the_rows(call, tmp_path: Path, option: str, force: list[str]):
    drawn = ["anonymize", TABLE_1, "--rho", "0.7", "--sensitive-share", "40%"]
    sentence = call(*drawn, "-o", "safe.dat", option, "./safe.dat", *force).refused()
    assert "must be different files" in sentence
    assert not (tmp_path / "safe.dat").exists()


def test_rows_and_mapping_are_written_together_or_not_at_all(call, monkeypatch, tmp_path: Path):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("discreet.uncertainty.mapping.json", SimpleNamespace(dumps=full))
    assert "No space left on device" in call(*words("--mapping", "map.json")).refused()
    assert {path.name for path in tmp_path.iterdir()} == {"private.txt", "tree.csv"}


def test_what_is_for_the_owner_is_readable_for_the_owner_alone(call, tmp_path: Path):
    drawn = ["anonymize", TABLE_1, "--rho", "0.7", "--sensitive-share", "40%", "-o", "safe.dat"]
    assert call(*drawn, "--mapping", "map.json", "--drawn", "drawn.txt").status == 0
    for name in ("map.json", "drawn.txt"):
        assert (tmp_path / name).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("seconds", ["0", "-1", "nan"])
def test_a_time_limit_that_is_none_is_refused(call, tmp_path: Path, seconds: str):
    sentence = call(*words(f"--time-limit={seconds}")).refused()
    assert "--time-limit must be a number of seconds above 0" in sentence
    assert not (tmp_path / "safe.dat").exists()


@pytest.mark.parametrize("option", [["-s", "x"], ["-s", "1", "--min-confidence", "7"]])
def test_thresholds_of_rules_are_checked_before_rows_are_read(call, option: list[str]):
    assert option[-1] in call("anonymize", "no-such.dat", "--rho", "0.5", "-o", "safe.dat", *option).refused()


def test_what_is_missing_is_refused(call):
    assert (
        "nothing is named that should be protected"
        in call("anonymize", TABLE_1, "--rho", "0.5", "-o", "x.dat").refused()
    )
    assert "--rho is missing" in call("anonymize", TABLE_1, "--sensitive", "private.txt", "-o", "x.dat").refused()
    assert "--output" in call("anonymize", TABLE_1, "--rho", "0.5", "--sensitive", "private.txt").refused()
    assert (
        "rho must be above 0"
        in call("anonymize", TABLE_1, "--rho", "0", "--sensitive", "private.txt", "-o", "x").refused()
    )
    refused = call("anonymize", TABLE_1, "--rho", "0.5", "--sensitive-share", "0", "-o", "x.dat").refused()
    assert "--sensitive-share must be above 0" in refused


def test_same_input_same_bytes(call, tmp_path: Path):
    texts = set()
    for name in ("one.dat", "two.dat"):
        call("anonymize", TABLE_1, "--rho", "0.5", "--sensitive", "private.txt", "-o", name)
        texts.add((tmp_path / name).read_bytes())
    assert len(texts) == 1


class Terminal(io.StringIO):
    """Someone who answers."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Ctrl-C come when a search has found out no more than that dropping every sensitive item is safe."""

    def stopped(rows: Transactions, *, sensitive: NDArray[np.int32], hierarchy: Hierarchy, **_: object) -> None:
        raise Interrupted(simple(rows, sensitive=sensitive, hierarchy=hierarchy))

    monkeypatch.setattr(anonymize, "td_control", stopped)


@pytest.mark.usefixtures("interrupted")
def test_ctrl_c_offers_the_best_so_far(call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    monkeypatch.setattr(sys, "stderr", terminal)
    outcome = call(*words("--method", "tdcontrol", "--json"))
    assert "The best so far is safe and loses 31.25 %" in terminal.getvalue()
    assert outcome.status == 0
    assert json.loads(outcome.out)["finished"] is False
    assert (tmp_path / "safe.dat").exists()
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    told = " ".join(call(*words("--method", "tdcontrol", "--force")).out.split())
    assert "The search was stopped: this is the best so far" in told


@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_ctrl_c_writes_nothing_unless_asked_to(call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: str):
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert call(*words("--method", "tdcontrol")).status == 130
    assert not (tmp_path / "safe.dat").exists()


@pytest.mark.usefixtures("interrupted")
def test_where_nobody_can_answer_ctrl_c_writes_nothing(call, tmp_path: Path):
    outcome = call(*words("--method", "tdcontrol"))
    assert (outcome.status, outcome.out, outcome.err) == (130, "", "interrupted\n")
    assert not (tmp_path / "safe.dat").exists()


def test_a_curve_shows_losses_draws_them_and_writes_no_rows(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a hiv\na\na b\nb hiv\nb\nc\n")
    words = ["anonymize", "rows.dat", "--sensitive", "hiv", "--curve", "0.2,0.9"]
    told = call(*words, "-o", "curve.svg")
    assert told.status == 0
    said = " ".join(told.out.split())
    assert said.startswith("22.2 % of the information is lost at rho = 20 %")
    assert "Written to curve.svg. This is for you alone: no rows were written." in said
    assert {path.name for path in tmp_path.iterdir()} >= {"curve.svg"}
    assert [point["rho"] for point in call(*words, "--json").document()["points"]] == [0.2, 0.9]
    assert "--curve shows losses and writes no rows, so --rho has no use" in call(*words, "--rho", "0.5").refused()
    assert "so --mapping has no use" in call(*words, "--mapping", "m").refused()
    assert "name it .svg or .html" in call(*words, "-o", "curve.dat").refused()
    missing = call("anonymize", "rows.dat", "--sensitive", "hiv", "--rho", "0.5").refused()
    assert missing == "-o/--output is missing: give OUT; see discreet anonymize --help"


def test_it_says_what_nobody_can_lose_less_than_rounded_down(call, tmp_path: Path):
    def said(*more: str) -> str:
        return " ".join(call("anonymize", "rows.dat", "-o", "out.dat", "--force", *more).out.split())

    (tmp_path / "rows.dat").write_text("1 2\n1 2\n1\n" + "5\n" * 8)
    (tmp_path / "both.txt").write_text("1\n2\n")
    least = "no recoding that is the same in all rows can lose less"
    told = said("--rho", "0.5", "--sensitive", "both.txt", "--method", "simple")
    assert f"{least} than 15.38 %: all were tried." in told  # 2 of 13
    assert f"{least}: all were tried." in said("--rho", "0.5", "--sensitive", "both.txt")
    assert "o recoding" not in said("--rho", "1", "--sensitive", "2")
    (tmp_path / "rows.dat").write_text("1 2\n1 2\n1\n" + " ".join(map(str, range(5, 30))) + "\n" + "5\n" * 7)
    told = said("--rho", "0.5", "--sensitive", "both.txt", "--method", "simple")
    assert "No recoding that is the same in all rows can lose less than 5.40 %." in told  # 2 of 37


def test_a_curve_over_several_methods_says_which_and_what_it_promises(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a hiv\n" * 3 + "a flu\n" * 2 + "b hiv\n" * 3 + "b\n" * 10)
    told = call("anonymize", "rows.dat", "--sensitive", "hiv,flu", "--curve", "0.5,0.9", "--allow-local").out
    assert "What is lost and what is left, by what loses least" in told
    assert [line.split()[-1] for line in told.splitlines() if line.startswith("    ")] == ["by", "local", "local"]
    assert "Methods compete, so that less is promised: PROTECTED AT FACE VALUE" in told


@pytest.mark.parametrize("method", ["best", "rare-rows", "local"])
def test_the_owners_page_has_what_is_left_and_what_was_done(call, tmp_path: Path, method: str):
    (tmp_path / "rows.dat").write_text("tea\n" * 30 + "tea test\n" * 10 + "milk test\nmilk <b>\nwater <b> test\n")
    (tmp_path / "private.txt").write_text("test\n<b>\n")
    words = ["anonymize", "rows.dat", "--rho", "0.5", "--sensitive", "private.txt", "--method", method]
    told = call(*words, "--owner-report", "page.html", "-o", "out.dat")
    assert told.status == 0
    page = (tmp_path / "page.html").read_text()
    assert "Not for release" in page
    assert "What is left" in page
    assert "sensitive items in rows" in page
    assert ("PROTECTED AT FACE VALUE" in page) is (method == "local")
    assert "<b>" not in page, "labels are text"
    assert (tmp_path / "page.html").stat().st_mode & 0o077 == 0
    assert call(*words, "--owner-report", "page.html", "-o", "other.dat").status == 2
    assert not (tmp_path / "other.dat").exists()
