"""`discreet run` and `discreet policy`: from a file that says it all to a bundle that holds, or a sentence."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from discreet import read, read_patterns, read_policy
from discreet.publishing.ledger import open_ledger
from discreet.tables import private_files
from tests.publishing.identities import make_identity

pytestmark = pytest.mark.usefixtures("no_charts")

POLICY = """\
version = 1
[data]
file = "january.csv"
expect_columns = ["name", "sex", "ward", "ill"]
expect_labels = ["ward=north"]
[roles]
identifying = ["name"]
[protect]
k = 5
[patterns]
min_support = 20
method = "suppressive"
[publish]
output = "public-{data}"
ledger = "releases.ledger"
owner_report = "{name}.owner.html"
"""
KINDS = [("f", "north", "flu", 40), ("f", "south", "cold", 30), ("m", "north", "cold", 30), ("m", "south", "flu", 20)]
RARE = ("m", "south", "gout", 3)


def write(name: str, *kinds: tuple[str, str, str, int], header: str = "name,sex,ward,ill") -> None:
    rows = [kind[:3] for kind in kinds or (*KINDS, RARE) for _ in range(kind[3])]
    lines = [",".join((f"Ann {number}", *row)) for number, row in enumerate(rows)]
    Path(name).write_text("\n".join([header, *lines]) + "\n")


@pytest.fixture(autouse=True)
def home(surroundings: None, no_charts: None) -> None:  # noqa: ARG001 - the folder to write into
    """Write the policy, and the rows of January."""
    write("january.csv")
    Path("discreet.toml").write_text(POLICY)


def everything() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path.cwd().rglob("*")) if path.is_file()}


def change(old: str, new: str) -> None:
    text = Path("discreet.toml").read_text()
    assert old in text
    Path("discreet.toml").write_text(text.replace(old, new, 1))


def test_a_run_publishes_records_and_verifies(call) -> None:
    outcome = call("run", "--new-ledger")
    assert outcome.status == 0, outcome.err
    assert re.match(r"\s+SAFE(, PROVED)?  \d+ closed itemsets published; no group of fewer than 5 rows", outcome.out)
    assert "It follows discreet.toml, and holds" in " ".join(outcome.out.split())
    assert call("verify", "public-january", "--ledger", "releases.ledger").status == 0
    with open_ledger("releases.ledger") as book:
        (entry,) = book.entries
    policy = read_policy()
    assert entry.policy is not None
    assert (entry.policy.digest, dict(entry.policy.says)) == (policy.digest, policy.says)
    assert policy.digest in Path("public-january.owner.html").read_text()
    public = b"".join(path.read_bytes() for path in Path("public-january").iterdir())
    assert policy.digest.encode() not in public
    assert b"Ann" not in public


def test_json_says_what_was_published_and_what_it_cost(call) -> None:
    found = call("run", "--new-ledger", "--json").document()
    assert found["safe"]
    assert (found["verdict"], found["mode"], found["verified"]) == ("safe", "publish", "holds")
    assert (found["bundle"], found["policy"]) == ("public-january", "discreet.toml")
    assert found["policy_digest"] == read_policy().digest
    assert found["changes"]["rows"] >= 3
    assert found["receipt"]["number"] == 1
    assert found["earlier_releases"] == 0


@pytest.mark.parametrize("mode", ["--check", "--dry"])
def test_a_rehearsal_ends_as_the_run_would_and_writes_nothing(call, mode: str) -> None:
    before = everything()
    first = call("run", "--new-ledger", mode)
    assert first.status == 0
    assert "would be published" in " ".join(first.out.split())
    assert everything() == before
    rehearsed = call("run", "--new-ledger", mode, "--json").document()
    assert call("run", "--new-ledger").status == 0
    published = read_patterns("public-january/patterns.csv").to_patternset()
    assert rehearsed["count"] == len(published)
    if mode == "--dry":
        assert rehearsed["itemsets"] == published.to_dict()["itemsets"]
    before = everything()
    again = call("run", mode, "--data", "january.csv", "--json", "-o", "again").document()
    assert (again["safe"], again["earlier_releases"], again["bundle"]) == (True, 1, "again")
    assert everything() == before


def test_sensitive_items_are_protected_as_in_a_release(call) -> None:
    change("[protect]", 'sensitive = ["ill"]\n[protect]\nrho = 0.6')
    change('ledger = "releases.ledger"\n', "")
    found = call("run", "--json").document()
    assert (found["safe"], found["verified"]) == (True, "holds")
    promise = call("verify", "public-january", "--json").document()["promise"]
    assert promise["rho"] == "3/5"
    change("rho = 0.6", "rho = 0.001")
    less = call("run", "-o", "less", "--dry", "--json").document()
    assert less["changes"]["withheld"] > 0
    assert not any(item.startswith("ill=") for each in less["itemsets"] for item in each["items"])


def test_two_months_with_sensitive_items_are_judged_together(call) -> None:
    change("[protect]", 'sensitive = ["ill=gout"]\n[protect]\nrho = 0.9')
    assert call("run", "--new-ledger").status == 0
    again = call("run", "-o", "again", "--check", "--json")
    assert (again.status, again.document()["earlier_releases"]) == (0, 1)


def test_a_policy_signs(call, tmp_path: Path) -> None:
    identity, public = make_identity(tmp_path, "steward")
    change("[publish]", f'[publish]\nsign = ["{identity}"]\ntitle = "Stays"')
    assert call("run", "--new-ledger", "--check").status == 0
    assert call("run", "--new-ledger", "--json").document()["signed"] is True
    assert call("verify", "public-january", "--trust", public).status == 0


def test_an_error_about_the_policy_names_its_key(call) -> None:
    change("min_support = 20", "min_support = 60")
    change("[protect]", 'quasi_identifying = ["ward=south"]\n[protect]')
    sentence = call("run", "--new-ledger").refused()
    assert sentence.startswith("discreet.toml, [roles]: none of the items in quasi_identifying is in an itemset")


def test_a_ledger_shows_where_the_policy_changed(call) -> None:
    assert call("run", "--new-ledger").status == 0
    change("[protect]", "# as before\n[protect]")
    assert call("run", "-o", "second", "--force").status == 0
    assert "follows another policy" not in call("ledger", "show", "releases.ledger").out
    change("attack_steps", "attack_steps") if "attack_steps" in POLICY else change(
        "k = 5", "k = 5\nattack_steps = 5000"
    )
    assert call("run", "-o", "third", "--accept-policy").status == 0
    assert "follows another policy than release" in call("ledger", "show", "releases.ledger").out


def test_a_gate_is_shut_for_what_is_not_safe(call) -> None:
    change('"suppressive"', '"none"')
    before = everything()
    for words in (["--check"], ["--dry"], []):
        outcome = call("run", "--new-ledger", *words)
        assert outcome.status == 1
        assert "NOT SAFE  nothing was published" in " ".join(outcome.out.split()).replace("SAFE ", "SAFE  ")
    assert call("run", "--new-ledger", "--json").document()["verdict"] == "not-safe"
    assert everything() == before


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("name,sex,wards,ill", "the column 'ward' is gone, and 'wards' is new"),
        ("name,sex,unit,ill", "the column 'ward' is gone; the column 'unit' is new"),
        ("family name,sex,ward,ill", "the column 'name' is gone; the column 'family name' is new"),
    ],
)
def test_other_columns_stop_a_run(call, header: str, sentence: str) -> None:
    write("february.csv", header=header)
    before = everything()
    for words in (["--check"], []):
        outcome = call("run", "--data", "february.csv", "--new-ledger", *words)
        assert outcome.status == 1
        assert f"february.csv is not as discreet.toml says: {sentence}" in " ".join(outcome.out.split())
    document = call("run", "--data", "february.csv", "--new-ledger", "--json").document()
    assert (document["safe"], document["verdict"], document["problem"]) == (False, "stopped", "columns")
    assert everything() == before


def test_a_new_and_a_missing_column_stop_a_run(call) -> None:
    rows = Path("january.csv").read_text().splitlines()
    Path("more.csv").write_text("\n".join([rows[0] + ",phone", *(f"{row},0{n}" for n, row in enumerate(rows[1:]))]))
    Path("less.csv").write_text("\n".join(row.rpartition(",")[0] for row in rows))
    more, less = (call("run", "--data", name, "--new-ledger") for name in ("more.csv", "less.csv"))
    assert more.status == less.status == 1
    assert "the column 'phone' is new; if that is a mistake" in " ".join(more.out.split())
    assert "decide on the role of what is new" in " ".join(more.out.split())
    assert "the column 'ill' is gone; if that is a mistake" in " ".join(less.out.split())
    assert not Path("releases.ledger").exists()


def test_columns_may_be_named_by_how_they_begin(call) -> None:
    change('file = "january.csv"\n', 'file = "january.csv"\ndrop = ["na*"]\n')
    change('[roles]\nidentifying = ["name"]\n', "")
    assert call("run", "--new-ledger", "--check").status == 0
    change('drop = ["na*"]', 'drop = ["name", "mail*"]')
    assert "the column 'mail*' is gone" in " ".join(call("run", "--new-ledger", "--check").out.split())


def test_columns_in_another_order_are_the_same(call) -> None:
    rows = [row.split(",") for row in Path("january.csv").read_text().splitlines()]
    Path("january.csv").write_text("\n".join(",".join(row[::-1]) for row in rows))
    assert call("run", "--new-ledger", "--check").status == 0


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('["ward=north"]', '["ward=west"]', "entry 1 of expect_labels names the label 'ward=west'"),
        ("[roles]", '[roles]\nquasi_identifying = ["sex=f", "ward=North"]', "the data has 'ward=north': write that"),
        ("[roles]", '[roles]\nquasi_identifying = ["sexx"]', "the data has 'sex': write that"),
        ("k = 5", 'k = 5\nexclusive = ["tea", "coffee"]', "names the label 'tea'"),
    ],
)
def test_labels_that_no_longer_occur_stop_a_run(call, old: str, new: str, sentence: str) -> None:
    change(old, new)
    before = everything()
    outcome = call("run", "--new-ledger")
    assert outcome.status == 1
    assert sentence in " ".join(outcome.out.split())
    assert call("run", "--new-ledger", "--json").document()["problem"] == "labels"
    assert everything() == before


def test_a_changed_policy_stops_a_run_until_it_is_accepted(call) -> None:
    assert call("run", "--new-ledger").status == 0
    change("k = 5", "k = 6  # six")
    before = everything()
    outcome = call("run", "-o", "again")
    assert outcome.status == 1
    said = " ".join(outcome.out.split())
    assert "discreet.toml says something else than when release 1 was made" in said
    assert "k in [protect] was 5, and is 6 now; if that is meant, give --accept-policy" in said
    assert call("run", "-o", "again", "--json").document()["problem"] == "policy"
    assert everything() == before
    assert call("run", "-o", "again", "--check", "--accept-policy").status in (0, 1)
    change("k = 6  # six", "k = 5  # five")
    assert call("run", "-o", "again", "--check").status == 0
    change("[protect]", 'quasi_identifying = ["sex"]\n[protect]')
    change('identifying = ["name"]\n', 'identifying = ["name", "ill"]\n')
    said = " ".join(call("run", "-o", "again").out.split())
    assert "identifying in [roles] names others; quasi_identifying in [roles] is new" in said


def test_a_release_that_is_not_safe_beside_an_earlier_one_is_refused(call) -> None:
    assert call("run", "--new-ledger").status == 0
    write("february.csv", *KINDS, RARE, ("f", "north", "flu", 2))
    before = everything()
    outcome = call("run", "--data", "february.csv", "--json")
    assert outcome.status == 1
    assert outcome.document()["together"]["releases"][0]["number"] == 1
    assert call("run", "--data", "february.csv", "--check").status == 1
    assert everything() == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run"], "releases.ledger does not exist; check the name, or begin a ledger with --new-ledger"),
        (["run", "--check", "--dry"], "--check and --dry exclude each other; give one of them"),
        (["run", "nothing.toml"], "nothing.toml does not exist; write a policy with: discreet policy init DATA"),
        (["run", "--new-ledger", "--data", "-"], "a run reads its data twice, so it takes no standard input"),
        (["run", "--new-ledger", "--data", "nothing.csv"], "nothing.csv does not exist; check the name"),
        (["run", "--new-ledger", "--data", "january.csv", "--data", "january.csv"], "output has {data}"),
        (["run", "--new-ledger", "-o", "missing/public"], "the folder missing does not exist; create it"),
        (["run", "--new-ledger", "-o", "january.csv"], "january.csv exists and is not a folder"),
        (["policy", "init", "january.csv"], "discreet.toml exists already; choose another name, or give --force"),
        (["policy", "init"], "DATA is missing: name a file, or give --sql"),
        (["policy", "init", "-", "-o", "new.toml"], "a policy names its data: give a file instead of standard input"),
    ],
)
def test_what_cannot_be_run_is_one_sentence(call, words: list[str], sentence: str) -> None:
    before = everything()
    assert sentence in call(*words).refused()
    assert everything() == before


def test_a_policy_without_data_takes_those_given(call) -> None:
    change('file = "january.csv"\n', "")
    assert "discreet.toml names no data" in call("run", "--new-ledger").refused()
    assert call("run", "--new-ledger", "--data", "january.csv").status == 0


def test_fields_of_the_folder_are_filled_in(call) -> None:
    change("public-{data}", "public-{date}-{data}")
    day = datetime.now(UTC).date().isoformat()
    assert call("run", "--new-ledger", "--check", "--json").document()["bundle"] == f"public-{day}-january"


def test_an_encrypted_ledger_stays_encrypted(call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_files, "_COST", 1)
    Path("secret").touch(0o600)
    Path("secret").write_text("correct horse battery staple\n")
    assert call("run", "--new-ledger", "--encrypt", "--passphrase-file", "secret").status == 0
    assert not Path("releases.ledger").read_bytes().startswith(b"SQLite")
    assert call("run", "--check", "-o", "again", "--passphrase-file", "secret").status == 0
    assert call("run", "-o", "again", "--passphrase-file", "secret").status == 0


def test_a_policy_can_be_shown(call) -> None:
    outcome = call("policy", "check", "discreet.toml")
    assert outcome.status == 0
    assert "protect.k             5" in outcome.out
    document = call("policy", "check", "discreet.toml", "--json").document()
    assert document["digest"] == read_policy().digest
    assert document["says"]["patterns.method"] == "suppressive"
    change("k = 5", "kk = 5")
    assert "discreet.toml, line 9: [protect] has no key 'kk'" in call("policy", "check", "discreet.toml").refused()
    assert json.loads(call("policy", "schema").out)["title"] == "A policy of discreet"


def test_a_policy_in_another_folder_names_files_next_to_it(call) -> None:
    Path("keep").mkdir()
    for name in ("discreet.toml", "january.csv"):
        Path(name).rename(f"keep/{name}")
    assert call("run", "keep/discreet.toml", "--new-ledger").status == 0
    assert Path("keep/public-january/certificate.json").is_file()
    assert call("policy", "init", "keep/january.csv", "-o", "keep/more.toml").status == 0
    assert read_policy("keep/more.toml").file == "keep/january.csv"
    assert len(read("keep/january.csv")) == 123


NOISY = """\
version = 1
[data]
file = "january.dat"
format = "fimi"
unit = "patients"
[patterns]
method = "dp"
min_support = "20%"
universe = "items.txt"
[budget]
epsilon = 0.1
total_epsilon = 1.25
[publish]
output = "public-{data}"
ledger = "noisy.ledger"
"""


def test_twelve_months_add_up_and_the_thirteenth_is_refused(call) -> None:
    Path("discreet.toml").write_text(NOISY)
    Path("items.txt").write_text("tea\nmilk\ngin\n")
    for month in range(1, 14):
        Path(f"month-{month}.dat").write_text("tea milk\n" * (600 + month) + "tea\n" * 400)
    for month in range(1, 13):
        begun = ("--new-ledger",) if month == 1 else ()
        checked = call("run", "--data", f"month-{month}.dat", *begun, "--check", "--json")
        assert (checked.status, checked.document()["verdict"]) == (0, "within-budget")
        assert not Path(f"public-month-{month}").exists()
        outcome = call("run", "--data", f"month-{month}.dat", *begun)
        assert outcome.status == 0, outcome.err
        assert call("verify", f"public-month-{month}", "--ledger", "noisy.ledger").status == 0
    assert "epsilon = 0.05 is left" in " ".join(outcome.out.split())
    assert "Noise has spent epsilon = 1.2 so far." in call("ledger", "show", "noisy.ledger").out
    for words in (("--check",), ()):
        before = everything()
        refused = call("run", "--data", "month-13.dat", *words)
        assert refused.status == 1
        said = "its 12 releases spent 1.2, so 0.05 is left, and this one asks for 0.1"
        assert said in " ".join(refused.out.split())
        assert everything() == before


def test_a_policy_with_noise_fixes_how_rows_are_read(call) -> None:
    Path("discreet.toml").write_text(NOISY.replace('format = "fimi"\n', ""))
    Path("items.txt").write_text("tea\nmilk\ngin\n")
    Path("january.dat").write_text("tea milk\n" * 600)
    for words in ((), ("--check",)):
        refused = " ".join(call("run", "--new-ledger", *words).refused().split())
        assert "[data]: how january.dat is read must be fixed" in refused
        assert 'it would be read with format = "fimi" now' in refused


def test_a_larger_budget_is_another_policy(call) -> None:
    """Who raises the budget says so: it does not happen by the way."""
    Path("discreet.toml").write_text(NOISY)
    Path("items.txt").write_text("tea\nmilk\ngin\n")
    Path("january.dat").write_text("tea milk\n" * 600)
    assert call("run", "--new-ledger").status == 0
    change("total_epsilon = 1.25", "total_epsilon = 5")
    stopped = call("run", "-o", "again")
    assert stopped.status == 1
    assert "total_epsilon in [budget] was 5/4, and is 5 now" in " ".join(stopped.out.split())
    refused = " ".join(call("run", "-o", "again", "--accept-policy").refused().split())
    assert "the budget of the ledger is epsilon = 1.25, and total_epsilon asks for 5" in refused
    assert call("ledger", "budget", "noisy.ledger", "--epsilon", "5", "--reason", "as decided").status == 0
    assert call("run", "-o", "again", "--accept-policy").status == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--dry",), "looking at it twice would spend twice; instead of a dry run, check"),
        (("--fit-ledger",), "--fit-ledger is of no use with noise"),
        (("--rows-left",), "--rows-left is of no use with noise"),
    ],
)
def test_what_a_run_with_noise_does_not_take(call, words: tuple[str, ...], said: str) -> None:
    Path("discreet.toml").write_text(NOISY)
    Path("items.txt").write_text("tea\nmilk\ngin\n")
    Path("january.dat").write_text("tea milk\n" * 600)
    assert said in call("run", "--new-ledger", *words).refused()


def test_a_policy_with_noise_gives_defaults(call) -> None:
    Path("discreet.toml").write_text(NOISY)
    Path("items.txt").write_text("tea\nmilk\ngin\n")
    Path("january.dat").write_text("tea milk\n" * 600)
    outcome = call("release", "--policy", "discreet.toml", "--new-ledger", "--json")
    assert outcome.status == 0, outcome.err
    assert (outcome.document()["epsilon"], outcome.document()["left"]) == ("0.1", {"epsilon": "1.15"})
    assert call("mine", "--policy", "discreet.toml").status == 0
    exact = ("--method", "none", "-k", "5", "--accept-void", "-o", "exact")
    assert call("release", "--policy", "discreet.toml", *exact).status == 0
