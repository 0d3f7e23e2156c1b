"""The owner's ledger: earlier releases, the key, and what it refuses."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest

from discreet import DataError, NotSafe, OutputError, ParameterError, Transactions, mine, read_patterns
from discreet.answers.releases import release_answer
from discreet.channels.quasi_identifiers import restrict_rows
from discreet.errors import UnsafeTogether
from discreet.itemsets import Itemsets
from discreet.publishing import ledger, ledger_file
from discreet.publishing import release as release_module
from discreet.publishing.certificate import Certificate
from discreet.publishing.earlier_releases import audit_together, check_bundle, check_entries
from discreet.publishing.fingerprint import fingerprint
from discreet.publishing.ledger import open_ledger
from discreet.publishing.mixed_supports import border_clash, border_of, support_table
from discreet.publishing.release import release, release_from
from discreet.tables import whole
from tests.patience import PATIENCE
from tests.publishing.mixing_twin import differences, mixed_sums, printed_by
from tests.publishing.small_releases import ROWS, publish

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("no_charts")


def test_two_releases_of_mushroom_that_are_safe_apart_and_not_together(mushroom: Transactions, tmp_path: Path):
    """Every difference of supports is 0 or k, and yet 7914 of the one with the rest of the other gives 8."""
    publish(tmp_path, "exact", mushroom, support=7907, k=10)
    with pytest.raises(UnsafeTogether) as refusal:
        publish(tmp_path, "raised", mushroom, support="60%", k=10, method="additive")
    assert list(refusal.value.releases) == [1]
    assert 1 <= refusal.value.rows < 10
    assert refusal.value.instead is not None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["exact", "exact.receipt.json", "ledger"]

    release(mushroom, k=10, min_support="60%", method="additive", output=tmp_path / "raised")  # by itself
    exact, raised = (
        printed_by(read_patterns(tmp_path / name / "patterns.csv").to_patternset()) for name in ("exact", "raised")
    )
    assert {raised[itemset] - exact[itemset] for itemset in exact} <= {0, 10}
    base, full = frozenset({"34", "85"}), frozenset({"34", "39", "85", "86"})
    assert exact[base] - raised[base | {"39"}] - raised[base | {"86"}] + raised[full] == 8

    instead = refusal.value.instead
    publish(tmp_path, "instead", mushroom, support=instead, k=10, method="additive")
    with open_ledger(tmp_path / "ledger") as book:
        assert len(book.entries) == 2
        check_entries(book.entries)


@pytest.mark.usefixtures("either")
def test_two_snapshots_that_differ_by_one_row(tmp_path: Path):
    publish(tmp_path, "monday", Transactions.from_rows(ROWS))
    tuesday = Transactions.from_rows([*ROWS, "abc"])
    with pytest.raises(UnsafeTogether) as refusal:
        publish(tmp_path, "tuesday", tuesday)
    assert list(refusal.value.releases.values()) == [str(tmp_path / "monday")]
    assert 1 in differences(
        printed_by(mine(tuesday, min_support=10)), printed_by(mine(Transactions.from_rows(ROWS), min_support=10))
    )


@pytest.mark.usefixtures("either")
def test_a_selection_from_what_is_public_is_always_accepted(tmp_path: Path):
    publish(tmp_path, "public", Transactions.from_rows(ROWS), method="suppressive")
    done = release_from(tmp_path / "public", min_support=30, output=tmp_path / "less", ledger=tmp_path / "ledger")
    with open_ledger(tmp_path / "ledger") as book:
        first, second = book.entries
    assert first.certificate.input == second.certificate.input == done.certificate.input
    assert second.patterns == done.published.patterns


def test_snapshots_that_differ_by_whole_groups_are_accepted(tmp_path: Path):
    publish(tmp_path, "monday", Transactions.from_rows(ROWS))
    publish(tmp_path, "tuesday", Transactions.from_rows([*ROWS, *["abc"] * 40, *["ab"] * 40, *["c"] * 40, *[""] * 40]))
    with open_ledger(tmp_path / "ledger") as book:
        assert len({entry.certificate.input for entry in book.entries}) == 2


@pytest.mark.usefixtures("either")
def test_the_ledger_is_the_owners_alone(tmp_path: Path):
    publish(tmp_path, "public", Transactions.from_rows(ROWS))
    ledger = tmp_path / "ledger"
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    ledger.chmod(0o644)
    with pytest.raises(DataError, match="chmod 600"):
        publish(tmp_path, "again", Transactions.from_rows(ROWS))
    assert not (tmp_path / "again").exists()


def test_the_key_is_nowhere_in_the_bundle_and_fingerprints_are_keyed(tmp_path: Path):
    rows = Transactions.from_rows(ROWS)
    done = publish(tmp_path, "public", rows)
    (key,) = sqlite3.connect(tmp_path / "ledger").execute("SELECT key FROM owner").fetchone()
    assert len(key) == 32
    assert done.certificate.input == fingerprint(rows, key) != fingerprint(rows, b"another key")
    for path in (tmp_path / "public").iterdir():
        content = path.read_bytes()
        assert key not in content
        assert key.hex().encode() not in content


def test_fingerprints_know_rows_by_what_they_hold():
    key = b"k" * 32
    rows = Transactions.from_rows(["ab", "c", "c", ""])
    for same in (["c", "", "ba", "c"], ["c", "c", "ab", ""]):
        assert fingerprint(Transactions.from_rows(same), key) == fingerprint(rows, key)
    assert fingerprint(rows.fold(), key) == fingerprint(rows, key)
    for other in (
        ["ab", "c", "c"],
        ["ab", "c", ""],
        ["ab", "c", "c", "d"],
        ["a", "bc", "c", ""],
        [["ab"], "c", "c", ""],
    ):
        assert fingerprint(Transactions.from_rows(other), key) != fingerprint(rows, key)


def test_labels_that_no_row_holds_do_not_count():
    key = b"k" * 32
    some = Transactions.from_rows([["2", "10"], ["10"]])
    more = Transactions.from_rows([["2", "10"], ["10"], ["x"]])  # with a word, 10 comes before 2
    assert some.vocabulary.labels == ("2", "10")
    assert more.vocabulary.labels == ("10", "2", "x")
    cut = Transactions(Itemsets(more.offsets[:3].copy(), more.items[:3].copy()), vocabulary=more.vocabulary)
    assert fingerprint(cut, key) == fingerprint(some, key)


def test_a_release_without_a_fingerprint_is_a_snapshot_of_its_own(tmp_path: Path):
    release(Transactions.from_rows(ROWS), k=5, min_support=10, method="none", output=tmp_path / "unknown")
    book = {"ledger": tmp_path / "ledger", "new_ledger": True}
    release_from(tmp_path / "unknown", min_support=30, output=tmp_path / "known", **book)
    with open_ledger(tmp_path / "ledger") as book:
        (entry,) = book.entries
    assert entry.certificate.input is None
    other = mine(Transactions.from_rows([*ROWS, "abc"]), min_support=10)
    with pytest.raises(UnsafeTogether):
        audit_together(other, [entry], k=5, fingerprint=None)


def test_a_bundle_is_checked_beside_the_ledger(mushroom: Transactions, tmp_path: Path):
    publish(tmp_path, "exact", mushroom, support=7907, k=10)
    release(mushroom, k=10, min_support="60%", method="additive", output=tmp_path / "raised")
    with open_ledger(tmp_path / "ledger") as book:
        check_bundle(tmp_path / "exact", book.entries)
        with pytest.raises(UnsafeTogether):
            check_bundle(tmp_path / "raised", book.entries)
        (tmp_path / "raised" / "report.html").write_text("changed")
        with pytest.raises(NotSafe, match="does not hold"):
            check_bundle(tmp_path / "raised", book.entries)


def test_what_is_no_ledger_is_refused(tmp_path: Path):
    with pytest.raises(DataError, match="does not exist"), open_ledger(tmp_path / "missing"):
        pass
    (tmp_path / "text").write_text("no ledger, but long enough to be looked at " * 10)
    (tmp_path / "text").chmod(0o600)
    with pytest.raises(DataError, match="not a ledger"), open_ledger(tmp_path / "text"):
        pass
    with pytest.raises(DataError, match="is a folder"), open_ledger(tmp_path, new=True):
        pass
    (tmp_path / "empty").touch(0o600)
    with pytest.raises(DataError, match="not a ledger"), open_ledger(tmp_path / "empty"):
        pass
    with pytest.raises(OutputError, match="exists already"), open_ledger(tmp_path / "empty", new=True):
        pass
    assert (tmp_path / "empty").read_bytes() == b"", "a ledger that lost everything is not begun anew"


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ("DELETE FROM owner", "the owner's key is gone"),
        (
            """UPDATE entries SET certificate = CAST(replace(certificate, '"k": 5', '"k": 4') AS BLOB)""",
            "release 1 in .* is damaged",
        ),
        ("UPDATE entries SET patterns = CAST(replace(patterns, '40', '41') AS BLOB)", "release 1 in .* is damaged"),
        ("UPDATE entries SET patterns = NULL", "release 1 in .* is damaged"),
        ("UPDATE entries SET record = replace(record, 'public', 'nowhere')", "entry 1 of .* was changed"),
        ("UPDATE entries SET number = 2", "entry 1 of .* is missing"),
        ("DELETE FROM entries", "ends with entry 0, and it had 1"),
    ],
)
def test_a_damaged_ledger_is_refused(tmp_path: Path, damage: str, sentence: str):
    publish(tmp_path, "public", Transactions.from_rows(ROWS))
    with closing(sqlite3.connect(tmp_path / "ledger")) as file, file:
        file.execute(damage)
    with pytest.raises(DataError, match=sentence):
        publish(tmp_path, "again", Transactions.from_rows(ROWS), support=20)
    assert not (tmp_path / "again").exists()


@pytest.mark.usefixtures("either")
def test_of_two_that_begin_a_ledger_at_once_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    both_begin = threading.Barrier(2)
    plain = ledger_file.locked_file

    def making(parent: Path, prefix: str, suffix: str) -> tuple[Path, int]:
        both_begin.wait(PATIENCE)  # both have seen that there is no ledger
        return plain(parent, prefix, suffix)

    monkeypatch.setattr(ledger_file, "locked_file", making)

    def begin() -> str:
        with open_ledger(tmp_path / "ledger", new=True) as book:
            return book.id

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(begin), pool.submit(begin)]
        (failed,) = [error for each in both if (error := each.exception()) is not None]
    assert isinstance(failed, OutputError)
    assert "begun by another release meanwhile" in str(failed)
    assert [path.name for path in tmp_path.iterdir()] == ["ledger"]
    (made,) = [each.result() for each in both if each.exception() is None]
    with open_ledger(tmp_path / "ledger") as book:
        assert made == book.id


@pytest.mark.usefixtures("either")
def test_a_release_that_begins_a_ledger_never_removes_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write = release_module.write_files

    def writing(*what: object, **how: object) -> object:
        with open_ledger(tmp_path / "ledger", new=True):
            pass
        return write(*what, **how)

    monkeypatch.setattr(release_module, "write_files", writing)
    with pytest.raises(OutputError, match="begun by another release meanwhile"):
        publish(tmp_path, "public", Transactions.from_rows(ROWS))
    assert [path.name for path in tmp_path.iterdir()] == ["ledger"]


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("moment", ["refused", "written", "named"])
def test_a_run_that_fails_leaves_no_new_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str):
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if moment != "refused":
        monkeypatch.setattr(whole if moment == "named" else release_module, *FAILING[moment], fail)
    rows = Transactions.from_rows([*ROWS, "ad"] if moment == "refused" else ROWS)
    with pytest.raises((OutputError, OSError, NotSafe)):
        publish(tmp_path, "public", rows, support=1 if moment == "refused" else 10)
    assert [*tmp_path.iterdir()] == []


FAILING = {"written": ("write_files",), "named": ("_settle",)}


def test_the_owners_report_does_not_replace_the_ledger(tmp_path: Path):
    publish(tmp_path, "public", Transactions.from_rows(ROWS))
    before = (tmp_path / "ledger").read_bytes()
    with pytest.raises(ParameterError, match="is the ledger"):
        release(
            Transactions.from_rows(ROWS),
            k=5,
            min_support=10,
            method="none",
            output=tmp_path / "again",
            ledger=tmp_path / "ledger",
            owner_report=tmp_path / "ledger",
            force=True,
        )
    assert (tmp_path / "ledger").read_bytes() == before


@pytest.mark.usefixtures("either")
def test_while_one_release_is_made_no_other_is(tmp_path: Path):
    with open_ledger(tmp_path / "ledger", new=True):
        pass
    with (
        open_ledger(tmp_path / "ledger"),
        pytest.raises(DataError, match=r"after 0\.05 s: another release"),
        open_ledger(tmp_path / "ledger", wait=0.05),
    ):
        pass
    with pytest.raises(ParameterError, match="wait must be"), open_ledger(tmp_path / "ledger", wait=-1):
        pass


@pytest.mark.usefixtures("either")
def test_the_ledger_is_locked_until_the_release_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    settle, tried = whole._settle, []  # noqa: SLF001 - where it gets its name

    def settling(*where: object, **how: object) -> None:
        with pytest.raises(DataError, match="in use"), open_ledger(tmp_path / "ledger", wait=0):
            pass
        tried.append(settle(*where, **how))
        with pytest.raises(DataError, match="in use"), open_ledger(tmp_path / "ledger", wait=0):
            pass

    monkeypatch.setattr(whole, "_settle", settling)
    publish(tmp_path, "public", Transactions.from_rows(ROWS))
    assert len(tried) == 1


@pytest.mark.usefixtures("either")
def test_a_failing_twin_leaves_the_line_that_another_relies_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with open_ledger(tmp_path / "ledger", new=True):
        pass
    rows = Transactions.from_rows(ROWS)
    settle, begun, made = whole._settle, threading.Event(), threading.Event()  # noqa: SLF001 - where it gets its name

    def failing(temporary: Path, path: Path, **how: bool) -> None:
        if path.name == "first":
            begun.set()
            assert not made.wait(0.2), "the twin waits for the ledger"
            raise OSError(28, "No space left on device")
        settle(temporary, path, **how)
        made.set()

    monkeypatch.setattr(whole, "_settle", failing)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(publish, tmp_path, "first", rows)
        assert begun.wait(PATIENCE)
        second = pool.submit(publish, tmp_path, "second", rows)  # the very same bundle
        with pytest.raises(OutputError, match="No space left"):
            first.result()
        second.result()
    with open_ledger(tmp_path / "ledger") as book:
        assert [entry.folder for entry in book.entries] == [str(tmp_path / "second")]


def test_what_killed_runs_left_of_a_new_ledger_is_removed(tmp_path: Path):
    """It holds the key; and after the ledger got its name, it is the ledger itself, by another name."""
    left = tmp_path / ".ledger.abcd1234.part"
    left.write_bytes(b"a key")
    publish(tmp_path, "public", Transactions.from_rows(ROWS))
    assert not left.exists()
    left.hardlink_to(tmp_path / "ledger")
    another = tmp_path / ".ledger.efgh5678.part"
    another.write_bytes(b"another key")
    program = "import sys, discreet\nwith discreet.open_ledger(sys.argv[1], wait=0):\n    pass"
    with open_ledger(tmp_path / "ledger"):
        assert not left.exists()
        assert not another.exists()
        left.hardlink_to(tmp_path / "ledger")
        with pytest.raises(DataError, match="in use"), open_ledger(tmp_path / "ledger", wait=0):
            pass
        other = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "ledger")], capture_output=True, text=True, check=False
        )
    assert "is in use" in other.stderr, "the lock was lost when the other name was looked at"


@pytest.mark.usefixtures("either")
def test_what_is_public_stays_in_the_ledger_although_the_end_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    settle = whole._settle  # noqa: SLF001 - where it gets its name

    def interrupted(*where: object, **how: object) -> None:
        settle(*where, **how)
        raise KeyboardInterrupt

    monkeypatch.setattr(whole, "_settle", interrupted)
    with pytest.raises(KeyboardInterrupt):
        publish(tmp_path, "public", Transactions.from_rows(ROWS))
    assert (tmp_path / "public").exists()
    with open_ledger(tmp_path / "ledger") as book:
        assert len(book.entries) == 1


@pytest.mark.usefixtures("either")
def test_every_release_of_many_at_once_is_in_the_ledger(tmp_path: Path):
    """Some make the same bundle, some want the same folder, and one of those fails."""
    with open_ledger(tmp_path / "ledger", new=True):
        pass
    rows = Transactions.from_rows(ROWS)

    def one(number: int) -> None:
        with suppress(OutputError):  # of two that want the same folder, one comes too late
            publish(tmp_path, f"public-{number % 6}", rows, support=(10, 20, 40)[number % 3])

    with ThreadPoolExecutor(8) as pool:
        for each in [pool.submit(one, number) for number in range(8)]:
            each.result()
    public = {Certificate.from_bytes(path.read_bytes()).seal for path in tmp_path.glob("public-*/certificate.json")}
    with open_ledger(tmp_path / "ledger") as book:
        assert public == {entry.certificate.seal for entry in book.entries}
    assert len([*tmp_path.glob("public-*/")]) == 6


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    publish(tmp_path, "public", Transactions.from_rows(ROWS))
    lock = ledger.lock_file

    def locking(path: Path, connection: sqlite3.Connection, wait: float) -> None:
        lock(path, connection, wait)
        connection.execute("PRAGMA max_page_count = 1")

    monkeypatch.setattr(ledger, "lock_file", locking)
    with pytest.raises(OutputError, match="the disk is full; nothing was published"):
        publish(tmp_path, "again", Transactions.from_rows([*ROWS, *["abc"] * 40]))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger", "public", "public.receipt.json"]


@pytest.mark.usefixtures("either")
def test_three_releases_mix(tmp_path: Path):
    rows = Transactions.from_rows(ROWS)
    for number, support in enumerate((10, 20, 40)):
        publish(tmp_path, f"release-{number}", rows, support=support)
    with open_ledger(tmp_path / "ledger") as book:
        printed = [printed_by(entry.patterns) for entry in book.entries if entry.patterns is not None]
        check_entries(book.entries)
    assert len(printed) == 2, "at 10 and at 20 the bundle is the same, so the release is"
    assert not mixed_sums(printed) & set(range(1, 5))


# f of {} is 5 - s and f of {c} is s - 5, s being the rows with a, b and c, so s = 5; and 6 rows have a and b.
ACROSS = [row for row, times in (("a", 3), ("b", 3), ("ac", 3), ("bc", 3), ("ab", 1), ("abc", 5)) for _ in range(times)]


def test_what_follows_across_the_border_of_all_releases_together():
    rows = Transactions.from_rows(ACROSS)
    pairs = [mine(restrict_rows(rows, names), min_support=3) for names in ("a,b", "a,c", "b,c")]
    border = border_of(support_table(pairs), range(3), [3, 3, 3], k=3)
    found = border_clash(border)
    assert found is not None
    assert (found.base, found.full, found.rows) == (frozenset("ab"), frozenset("abc"), 1)
    assert border_clash(border, ["a", "b"]) is None


def test_what_strangers_may_know_is_what_any_release_says(tmp_path: Path):
    """Two rows have c and nothing else: a release may tell it if only a and b identify, and no later one undoes it."""
    rows = Transactions.from_rows(["abc"] * 20 + ["c"] * 2 + ["a"] * 5 + [""] * 13)
    how = {"k": 3, "method": "none", "ledger": tmp_path / "ledger"}
    release(rows, min_support=20, quasi_identifiers="a,b", output=tmp_path / "1", new_ledger=True, **how)
    release(rows, min_support=22, quasi_identifiers="a,b", output=tmp_path / "2", **how)
    for number, names in enumerate(("a,c", None)):
        with pytest.raises(NotSafe):
            release(rows, min_support=22, quasi_identifiers=names, output=tmp_path / f"no{number}", **how)
    with open_ledger(tmp_path / "ledger") as book:
        check_entries(book.entries)


def test_a_release_says_which_earlier_ones_do_not_fit_it(tmp_path: Path):
    rows = ["ab"] * 20 + ["a"] * 30 + [""] * 40
    how = {"k": 5, "min_support": 10, "method": "none", "ledger": tmp_path / "ledger"}
    release(Transactions.from_rows(rows), output=tmp_path / "first", new_ledger=True, **how)
    later = release(Transactions.from_rows([*rows[20:], *["b"] * 60]), output=tmp_path / "later", **how)
    assert later.unread == (1,)
    assert later.to_dict()["unread"] == [1]
    said = release_answer(later, None)
    assert any(isinstance(words, str) and "figures of release 1" in words for words in said.evidence)
