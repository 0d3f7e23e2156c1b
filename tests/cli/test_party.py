"""`discreet party` and `discreet keygen` as two institutions run them: two processes, two sets of files."""

from __future__ import annotations

import json
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import discreet
from discreet.twoparty.identity import Identity, fingerprint, keygen
from discreet.twoparty.messages import Message, MessageKind, encode
from discreet.twoparty.tls import handshake
from tests.conftest import ROOT
from tests.patience import PATIENCE

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator

STARTED: list[subprocess.Popen[str]] = []
RUNNING = [line.split() for line in (ROOT / "tests/data/running-example.dat").read_text().splitlines()]


def write_half(name: str, rows: list[list[str]], items: set[str]) -> None:
    Path(name).write_text("".join(" ".join(item for item in row if item in items) + "\n" for row in rows))


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        return probe.getsockname()[1]


@dataclass(frozen=True)
class Side:
    """One process of the two."""

    process: subprocess.Popen[str]

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err

    def failed(self) -> str:
        """Check that this side ended as docs/command-line.md has it where a partner fails, and return its sentence."""
        status, out, err = self.end()
        assert (status, out) == (3, ""), err
        assert err.startswith("error: ")
        assert err.count("\n") == 1
        assert "Traceback" not in err
        return err


@pytest.fixture(autouse=True)
def two_halves(surroundings: None) -> Iterator[None]:  # noqa: ARG001 - the folder to work in
    keygen("hospital")
    keygen("insurer")
    write_half("hospital.dat", RUNNING, set("abcd"))
    write_half("insurer.dat", RUNNING, set("efgh"))
    yield
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:  # the test failed before its end
            process.kill()
            process.communicate()


def start(name: str, partner: str, where: list[str], *more: str, data: str | None = None) -> Side:
    words = ["party", *where, "--data", data or f"{name}.dat", "-s", "8", "-k", "3", "--protocol", "ic-sapm"]
    words += ["--identity", f"{name}/identity.pem", "--trust", f"{partner}/public.pem", "--timeout", "120", *more]
    process = subprocess.Popen(
        [sys.executable, "-m", "discreet", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    STARTED.append(process)
    return Side(process)


def start_both(*more: str, hospital: tuple[str, ...] = (), insurer: tuple[str, ...] = ()) -> tuple[Side, Side]:
    address = f"127.0.0.1:{free_port()}"
    return (
        start("hospital", "insurer", ["--listen", address], *more, *hospital),
        start("insurer", "hospital", ["--connect", address], *more, *insurer),
    )


def test_the_running_example_split_in_the_papers_way() -> None:
    hospital, insurer = start_both(hospital=("--json", "-o", "safe.json"), insurer=("-o", "safe.parquet"))
    status, out, err = hospital.end()
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert set(found) >= {"protocol", "n", "min_support", "k", "itemsets", "withheld", "transcript"}
    assert [(each["items"], each["support"]) for each in found["itemsets"]] == [(["a"], 9), (["b"], 8), (["c"], 9)]
    assert found["withheld"] == [list(names) for names in ("d", "e", "ab", "ae", "cd", "ce", "de", "cde")]
    assert (found["protocol"], found["n"], found["min_support"], found["k"]) == ("ic-sapm", 12, 8, 3)
    assert set(found["transcript"]) == {"bytes_sent", "bytes_received", "rounds", "seconds"}
    status, out, err = insurer.end()
    assert (status, err) == (0, "")
    assert "NO CHANNEL FOUND  3 itemsets" in out  # what is withheld is not there to be judged
    assert "assumes nothing about what is not listed" in " ".join(out.split())
    assert "8 frequent itemsets withheld, not for release" in out
    assert found["dual"]
    assert "one with changed software can bring rows of its choice, and try guesses about your rows" in " ".join(
        out.split()
    )
    published = json.loads(Path("safe.json").read_text())
    assert published["itemsets"] == found["itemsets"]
    assert "withheld" not in published
    for name in ("safe.json", "safe.parquet"):
        written = discreet.read_patterns(name)
        assert (written.kind, list(written.vocabulary)) == ("selected", ["a", "b", "c"])


@pytest.mark.parametrize("iterate", [False, True])
def test_rows_made_anonymous_and_who_knows_which(iterate: bool) -> None:
    more = ["--protocol", "dka-sapm", *(["--iterate"] if iterate else []), "-s", "4"]
    hospital, insurer = start_both(*more, insurer=("--json",))
    status, out, err = hospital.end()
    assert (status, err) == (0, "")
    status, told, err = insurer.end()
    assert (status, err) == (0, "")
    found, words = json.loads(told), " ".join(out.split())
    assert ("left" in found, "columns" in found) == (iterate, not iterate)
    assert not found["dual"]
    assert "frequent items the person has, as far as they were not cleared" in words
    if iterate:
        assert "Both sides know which (--json lists them): that is for the two of you alone." in words
    else:
        assert "were cleared, so supports may be lower than they are. Neither side learned which." in words


def test_what_an_attacker_could_combine_is_withheld_and_not_written() -> None:
    rows = [list(row) for row in ["abd", "bcd", "abd", "cd", "ac", "abcd", "abc", "acd", "cd", "b", "c", "bd"]]
    write_half("hospital.dat", rows, set("ab"))
    write_half("insurer.dat", rows, set("cd"))
    hospital, insurer = start_both("-s", "2", "-k", "2", "-o", "safe.csv", insurer=("--json", "-o", "too.csv"))
    status, out, err = hospital.end()
    assert (status, err) == (0, "")
    assert "1 frequent itemset withheld afterwards, which an attacker could combine to a group:" in " ".join(
        out.split()
    )
    status, out, err = insurer.end()
    assert (status, err, json.loads(out)["withheld_after"]) == (0, "", [["b", "c"]])
    for name in ("safe.csv", "too.csv"):
        written = discreet.read_patterns(name)
        assert discreet.audit(written, k=2).verdict == "incomplete"
        assert '["b", "c"]' not in Path(name).read_text().replace('""', '"')


def test_mushroom_in_two_processes(data_folder: Path) -> None:
    joined = discreet.read(data_folder / "mushroom.dat.gz")
    expected = dict(discreet.mine(joined, min_support="50%", target="all"))
    frequent = sorted({item for itemset in expected for item in itemset}, key=int)
    rows = [sorted(row) for row in joined]
    write_half("hospital.dat", rows, set(frequent[::2]))
    write_half("insurer.dat", rows, set(frequent[1::2]))
    sides = start_both("--json", "-s", "50%", "-k", "10")
    (one, *_), (other, *_) = ends = [side.end() for side in sides]
    assert (one, other) == (0, 0), ends
    found, same = (json.loads(out) for _, out, _ in ends)
    assert (found["itemsets"], found["withheld"]) == (same["itemsets"], same["withheld"])
    released = {frozenset(each["items"]): each["support"] for each in found["itemsets"]}
    assert released.items() <= expected.items()
    assert {*released, *map(frozenset, found["withheld"])} == set(expected)
    assert found["withheld"]


def test_another_support_ends_both_sides_and_leaves_no_file() -> None:
    hospital, insurer = start_both("-o", "safe.csv", hospital=("-s", "9"))
    assert "minimum support: 8 rows" in hospital.failed()
    assert "minimum support: 9 rows" in insurer.failed()
    assert not Path("safe.csv").exists()


def test_an_untrusted_partner_is_turned_away_and_the_right_one_still_comes() -> None:
    keygen("stranger")
    address = f"127.0.0.1:{free_port()}"
    hospital = start("hospital", "insurer", ["--listen", address])
    stranger = start("stranger", "hospital", ["--connect", address], data="insurer.dat")
    assert "does not trust this side's certificate" in stranger.failed()
    insurer = start("insurer", "hospital", ["--connect", address])
    assert [side.end()[0] for side in (hospital, insurer)] == [0, 0]


def test_an_interrupted_side_tells_its_partner() -> None:
    address = f"127.0.0.1:{free_port()}"
    hospital = start("hospital", "insurer", ["--listen", address], "-o", "safe.csv")
    connection = shake_hands(address)
    received = connection.recv(1)  # the session has begun
    hospital.process.send_signal(signal.SIGINT)
    while part := connection.recv(4096):
        received += part
    connection.close()
    status, out, err = hospital.end()
    assert (status, out, err) == (130, "", "interrupted\n")
    assert encode(Message(MessageKind.REFUSED, b"\x04")) in received
    assert not Path("safe.csv").exists()


def shake_hands(address: str) -> ssl.SSLSocket:
    """Connect as the insurer, once the hospital listens."""
    host, _, port = address.rpartition(":")
    identity = Identity.load(Path("insurer/identity.pem"), Path("hospital/public.pem"))
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            raw = socket.create_connection((host, int(port)))
            return handshake(raw, identity, listens=False, timeout=PATIENCE)
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.mark.parametrize(
    ("misbehave", "sentence"),
    [
        (
            lambda connection: connection.sendall(struct.pack(">4sBBI", b"DSC2", 1, 6, 0xFFFFFFFF)),
            "4294967295 bytes where at most",
        ),
        (lambda connection: connection.close(), "connection"),
    ],
    ids=["4 GB", "dies"],
)
def test_a_partner_that_misbehaves_is_status_3_and_leaves_no_file(
    misbehave: Callable[[ssl.SSLSocket], None], sentence: str
) -> None:
    address = f"127.0.0.1:{free_port()}"
    hospital = start("hospital", "insurer", ["--listen", address], "-o", "safe.csv")
    connection = shake_hands(address)
    misbehave(connection)
    assert sentence in hospital.failed()
    connection.close()
    assert not Path("safe.csv").exists()


def test_nobody_comes(call) -> None:
    words = ["party", "--listen", f"127.0.0.1:{free_port()}", "--data", "hospital.dat", "-s", "8", "-k", "3"]
    words += ["--identity", "hospital/identity.pem", "--trust", "insurer/public.pem", "--timeout", "0.2", "-o", "x.csv"]
    outcome = call(*words)
    assert (outcome.status, outcome.out) == (3, "")
    assert "no partner came to" in outcome.err
    assert not Path("x.csv").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "--listen"),
        (["--listen", "nowhere"], "--listen must be HOST:PORT"),
        (["--listen", "127.0.0.1:1", "--connect", "127.0.0.1:1"], "either --listen"),
        (["--connect", "127.0.0.1:1", "--identity", "none.pem"], "cannot read --identity none.pem"),
        (["--connect", "127.0.0.1:1", "--trust", "hospital/public.pem"], "more than two owners"),
        (["--connect", "127.0.0.1:1", "-k", "1"], "k must be"),
        (["--connect", "127.0.0.1:1", "--timeout", "0"], "--timeout must be"),
        (["--connect", "127.0.0.1:1", "--intersect"], "--id-column"),
        (["--connect", "127.0.0.1:1", "--horizontal"], "--labels"),
        (["--connect", "127.0.0.1:1", "--data", "none.dat"], "none.dat"),
        (["--connect", "127.0.0.1:1", "-o", "hospital.dat"], "hospital.dat"),
    ],
)
def test_what_makes_no_sense_is_status_2(call, words: list[str], sentence: str) -> None:
    good = ["party", "--data", "hospital.dat", "-s", "8", "-k", "3"]
    good += ["--identity", "hospital/identity.pem", "--trust", "insurer/public.pem"]
    assert sentence in call(*good, *words).refused()


def test_an_estimate_calls_nobody_and_needs_no_data(call) -> None:
    outcome = call(
        "party", "--estimate", "--rows", "8124", "--frequent-columns", "12,12", "-s", "35%", "-k", "2", "--json"
    )
    cost = json.loads(outcome.out)
    assert (outcome.status, outcome.err) == (0, "")
    assert (cost["n"], cost["columns"]) == (8124, [12, 12])
    assert all(cost[figure] > 0 for figure in ("candidates", "bytes", "rounds", "seconds", "encryptions"))


def test_an_estimate_knows_the_link_and_the_own_data(call) -> None:
    words = ["party", "--estimate", "--data", "hospital.dat", "-s", "8", "-k", "3", "--frequent-columns", "1", "--json"]
    near, far = (json.loads(call(*words, "--delay", delay).out) for delay in ("0", "20"))
    assert near["columns"] == [4, 1]
    assert far["seconds"] > near["seconds"] + 0.02 * near["rounds"] - 0.01


def test_an_estimate_in_words(call) -> None:
    outcome = call("party", "--estimate", "--rows", "1000000", "--frequent-columns", "9,8", "-s", "9", "-k", "2")
    assert outcome.out.split("\n")[1].startswith("  about ")
    assert "encryptions" in outcome.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--rows", "9"], "--frequent-columns must be two numbers"),
        (["--rows", "9", "--frequent-columns", "3"], "--frequent-columns must be two numbers"),
        (["--rows", "9", "--frequent-columns", "3,x"], "--frequent-columns must be two numbers"),
        (["--data", "hospital.dat", "--frequent-columns", "3,4"], "--frequent-columns must be one number"),
        (["--data", "hospital.dat", "--rows", "9", "--frequent-columns", "3,4"], "give one of the two"),
        ([], "DATA is missing"),
    ],
)
def test_an_estimate_of_what_makes_no_sense_is_status_2(call, words: list[str], sentence: str) -> None:
    assert sentence in call("party", "--estimate", "-s", "2", "-k", "2", *words).refused()


@pytest.mark.parametrize("missing", ["--identity", "--trust"])
def test_both_certificates_are_needed(call, missing: str) -> None:
    given = {"--identity": "hospital/identity.pem", "--trust": "insurer/public.pem"}
    del given[missing]
    words = [word for pair in given.items() for word in pair]
    refused = call("party", "--listen", "127.0.0.1:1", "--data", "hospital.dat", "-s", "8", "-k", "3", *words)
    assert f"{missing} is missing" in refused.refused()


def test_a_key_that_others_can_read_is_refused(call) -> None:
    Path("hospital/identity.pem").chmod(0o644)
    words = ["party", "--connect", "127.0.0.1:1", "--data", "hospital.dat", "-s", "8", "-k", "3", "--timeout", "0.1"]
    refused = call(*words, "--identity", "hospital/identity.pem", "--trust", "insurer/public.pem").refused()
    assert "can be read by others" in refused
    assert "chmod 600" in refused


def test_keygen_makes_a_private_key_and_a_certificate(call) -> None:
    outcome = call("keygen", "new/keys", "--json")
    made = json.loads(outcome.out)
    assert (outcome.status, outcome.err) == (0, "")
    assert made["identity"] == "new/keys/identity.pem"
    assert stat.S_IMODE(Path(made["identity"]).stat().st_mode) == 0o600
    assert "PRIVATE" not in Path(made["public"]).read_text()
    assert len(made["fingerprint"]) == 64


@pytest.mark.parametrize("library", ["nacl", "cryptography"])
def test_without_the_libraries_the_extra_is_named(library: str) -> None:
    program = f"import sys; sys.modules[{library!r}] = None; from discreet.cli.main import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", program, "keygen", "new"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert "pip install 'discreet[twoparty]'" in done.stderr
    assert not Path("new").exists()


def test_keygen_refuses_an_existing_identity(call) -> None:
    before = Path("hospital/identity.pem").read_bytes()
    assert "hospital/identity.pem exists already" in call("keygen", "hospital").refused()
    assert Path("hospital/identity.pem").read_bytes() == before


def test_keygen_shows_the_fingerprint(call) -> None:
    outcome = call("keygen", "mine")
    assert outcome.status == 0
    assert "mine/public.pem: for your partner" in outcome.out
    assert "fingerprint" in outcome.out


def test_both_sides_keep_a_transcript_that_agrees_and_holds_no_contents() -> None:
    hospital, insurer = start_both(hospital=("--transcript", "ours.json"), insurer=("--transcript", "theirs.json"))
    assert (hospital.end()[0], insurer.end()[0]) == (0, 0)
    ours, theirs = (json.loads(Path(name).read_text()) for name in ("ours.json", "theirs.json"))
    assert (ours["sent"], ours["received"]) == (theirs["received"], theirs["sent"])
    assert ([ours["ours"]], ours["theirs"]) == (theirs["theirs"], [theirs["ours"]])
    assert ours["result"] == theirs["result"]
    assert {ours["outcome"], theirs["outcome"]} == {"finished"}
    assert (ours["role"], theirs["role"], ours["k"], ours["rows"]) == ("listens", "connects", 3, 12)
    assert ours["sent"]["messages"]["parameters"] == 1
    assert Path("ours.json").stat().st_mode & 0o077 == 0
    assert not {"itemsets", "items", "withheld"} & ours.keys()


def test_a_transcript_tells_of_a_session_that_failed() -> None:
    hospital, insurer = start_both(hospital=("--transcript", "ours.json"), insurer=("-k", "4"))
    hospital.failed()
    insurer.failed()
    kept = json.loads(Path("ours.json").read_text())
    assert kept["outcome"] == "stopped"
    assert "the partner says k: 4" in kept["why"]
    assert "result" not in kept


def test_a_transcript_is_not_replaced_unasked() -> None:
    Path("ours.json").write_text("kept")
    where = ["--listen", f"127.0.0.1:{free_port()}"]
    status, _, err = start("hospital", "insurer", where, "--transcript", "ours.json").end()
    assert (status, Path("ours.json").read_text()) == (2, "kept")
    assert "exists" in err


def test_a_rehearsal_needs_neither_partner_nor_keys_and_shows_no_item(call) -> None:
    result = call("party", "--rehearse", "--data", "hospital.dat", "-s", "4", "-k", "3")
    assert result.status == 0
    assert result.out.lstrip().startswith("rehearsed: both sides ran here")
    found = json.loads(call("party", "--rehearse", "--data", "hospital.dat", "-s", "4", "-k", "3", "--json").out)
    assert (found["rehearsal"], found["n"], found["items"]) == (True, 12, 4)
    assert found["transcript"]["bytes_sent"] > 0
    for protocol in (["--protocol", "dka-sapm", "--iterate"], ["--horizontal"]):
        assert call("party", "--rehearse", "--data", "hospital.dat", "-s", "4", "-k", "3", *protocol).status == 0


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ([], "can bring rows of its choice, and try guesses about the other side's rows, one after another, until"),
        (["--no-dual"], "which of the other side's frequent items the person has, and can make up the supports"),
        (["--protocol", "dka-sapm"], "frequent items the person has, as far as they were not cleared"),
        (["--horizontal"], "how many of the other side's people have any of the listed items together"),
        (["--horizontal", "--trust", "clinic/public.pem"], "how many people of all others together"),
    ],
)
def test_the_agreement_says_what_a_side_with_changed_software_gets(call, more: list[str], sentence: str) -> None:
    keygen("clinic")
    keys = ("--identity", "hospital/identity.pem", "--trust", "insurer/public.pem")
    assert call("party", "--agreement", "page.html", "-s", "20%", "-k", "10", *keys, *more).status == 0
    page = unescape(Path("page.html").read_text())
    assert "A side that changes its software" in page
    assert sentence in page
    assert ("computed twice" in page) == (not more)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--trust", "hospital/public.pem", "--horizontal"], "this side's own certificate, or one side twice"),
        (["--trust", "insurer/public.pem", "--horizontal"], "this side's own certificate, or one side twice"),
        (["--trust", "clinic/public.pem"], "different people only"),
        (["--trust", "clinic/identity.pem", "--horizontal"], "clinic/identity.pem holds a private key"),
        (["--protocol", "dka-sapm", "--horizontal"], "with --protocol ic-sapm alone"),
        (["--iterate"], "--iterate is for --protocol dka-sapm"),
        (["--dual", "--horizontal"], "--dual is for --protocol ic-sapm"),
        (["--salt", "salt.key"], "--salt is for --intersect"),
        (["--intersect", "--horizontal"], "with --horizontal they differ"),
        (["--transcript", "log.json"], "--transcript is for a session with a partner"),
    ],
)
def test_no_agreement_is_written_to_what_no_session_can_be(call, more: list[str], sentence: str) -> None:
    keygen("clinic")
    keys = ("--identity", "hospital/identity.pem", "--trust", "insurer/public.pem")
    made = call("party", "--agreement", "page.html", "-s", "20%", "-k", "10", *keys, *more)
    assert (made.status, made.out) == (2, "")
    assert sentence in made.err
    assert not Path("page.html").exists()


def test_a_rehearsal_looks_for_common_people_as_the_session_would(call) -> None:
    Path("people.csv").write_text("id,flu\n" + "".join(f"P{number},1\n" for number in range(12)))
    words = ("party", "--rehearse", "-s", "2", "-k", "2", "--id-column", "id", "--json")
    plain, searched = (
        json.loads(call(*words, "--data", "people.csv", *more).out)["transcript"]["rounds"]
        for more in ([], ["--intersect"])
    )
    assert searched > plain
    nameless = call(*words[:-3], "--data", "hospital.dat", "--intersect")
    assert (nameless.status, nameless.out) == (2, "")
    assert "--intersect needs --id-column" in nameless.err


def test_a_salt_is_made_once_and_the_agreement_says_whom_it_keeps_out(call) -> None:
    made = call("keygen", "salt", "--salt", "--json")
    assert (made.status, json.loads(made.out)) == (0, {"salt": str(Path("salt/salt.key"))})
    for again in (("keygen", "salt", "--salt"), ("keygen", "other", "--salt", "--encrypt")):
        assert call(*again).status == 2
    assert not Path("other").exists()
    keys = ("--identity", "hospital/identity.pem", "--trust", "insurer/public.pem", "-s", "20%", "-k", "10")
    more = ("--intersect", "--salt", "salt/salt.key")
    for page, given in (("plain.html", ["--intersect"]), ("salted.html", more)):
        assert call("party", "--agreement", page, *keys, *given).status == 0
    told = ["nobody who lacks the salt" in Path(page).read_text() for page in ("plain.html", "salted.html")]
    assert told == [False, True]


def test_the_agreement_is_the_same_page_on_both_sides(call) -> None:
    for own, other in (("hospital", "insurer"), ("insurer", "hospital")):
        keys = ("--identity", f"{own}/identity.pem", "--trust", f"{other}/public.pem")
        result = call("party", "--agreement", f"{own}.html", "-s", "20%", "-k", "10", "--intersect", *keys)
        assert result.status == 0, result.err
    page = Path("hospital.html").read_text()
    assert page == Path("insurer.html").read_text()
    for told in ("20 % of the people", "1 to 9 people", "which of its own people the other side has too"):
        assert told in page
    for own in ("hospital", "insurer"):
        assert fingerprint(Path(own, "public.pem")) in page
    rounds = call(
        "party", "--agreement", "rounds.html", "-s", "20%", "-k", "10", "--protocol", "dka-sapm", "--iterate", *keys
    )
    assert rounds.status == 0
    assert "which rows were left after each round" in Path("rounds.html").read_text()
    assert "ic-sapm, computed twice" in page
    again = call("party", "--agreement", "hospital.html", "-s", "20%", "-k", "10", *keys)
    assert again.status == 2
    assert Path("hospital.html").read_text() == page
