"""Signatures: of one, of several, with keys that may and that may not; added to a bundle that is there."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet import (
    DataError,
    NotSafe,
    OutputError,
    ParameterError,
    Transactions,
    open_ledger,
    release,
    release_rows,
    sign,
    verify,
    verify_bundle,
)
from discreet.cli.main import main
from discreet.publishing.certificate import CERTIFICATE, Certificate, Signature
from discreet.publishing.signing import holds as signature_holds
from discreet.publishing.signing import load_signer, trusted_keys
from tests.attacks.signatures import FORGED_SIGNATURES, KEYS, forged
from tests.publishing.identities import make_identity

if TYPE_CHECKING:
    from discreet import Verification

ROWS = Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + [""] * 20)
SETTINGS = {"k": 5, "min_support": 10, "method": "none"}

pytestmark = pytest.mark.usefixtures("no_charts")


def words_about_signatures(found: Verification) -> str:
    return next(check.words for check in found.checks if check.name == "signature")


@pytest.fixture
def signed(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Return a signed bundle, its owner's public half, and somebody else's."""
    identity, public = make_identity(tmp_path, "owner")
    _, other = make_identity(tmp_path, "other")
    release(ROWS, k=5, min_support=10, method="none", output=tmp_path / "public", sign=identity)
    return tmp_path / "public", public, other


def test_a_signed_bundle_is_by_whom_it_says(signed: tuple[Path, Path, Path]):
    bundle, public, other = signed
    assert verify(bundle, trust=public).holds
    found = verify(bundle, trust=other)
    assert [check.name for check in found.checks if not check.holds] == ["signature"]
    without = verify(bundle)
    assert without.holds
    assert without.signed_by == (*trusted_keys(public),)
    assert f"with the key {without.signed_by[0]}: compare it" in words_about_signatures(without)


def test_what_is_not_signed_is_not_trusted(signed: tuple[Path, Path, Path], tmp_path: Path):
    release(ROWS, k=5, min_support=10, method="none", output=tmp_path / "unsigned")
    assert words_about_signatures(verify(tmp_path / "unsigned", trust=signed[1])) == (
        f"it is not signed with the key in {signed[1]}"
    )


def test_a_signature_of_another_certificate_does_not_hold(signed: tuple[Path, Path, Path], tmp_path: Path):
    bundle, public, _ = signed
    signature = Certificate.from_bytes((bundle / CERTIFICATE).read_bytes()).signatures[0]
    release(ROWS, k=6, min_support=10, method="none", output=tmp_path / "other")
    path = tmp_path / "other" / CERTIFICATE
    other = Certificate.from_bytes(path.read_bytes())
    path.write_bytes(other.signed(lambda _: signature).to_bytes())
    for trust in (public, None):
        assert verify(tmp_path / "other", trust=trust).checks[-1].name == "signature"
        assert not verify(tmp_path / "other", trust=trust).holds


def test_the_same_identity_signs_the_same_bytes(tmp_path: Path):
    identity, _ = make_identity(tmp_path, "owner")
    for name in ("one", "two"):
        release(ROWS, k=5, min_support=10, method="none", output=tmp_path / name, sign=identity)
    assert (tmp_path / "one" / CERTIFICATE).read_bytes() == (tmp_path / "two" / CERTIFICATE).read_bytes()


@pytest.mark.parametrize("content", [b"", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_what_is_no_identity_is_refused_before_anything_is_written(tmp_path: Path, content: bytes):
    (tmp_path / "identity.pem").write_bytes(content)
    with pytest.raises(DataError, match="keygen"):
        release(ROWS, k=5, min_support=10, method="none", output=tmp_path / "public", sign=tmp_path / "identity.pem")
    with pytest.raises(DataError, match="keygen"):
        trusted_keys(tmp_path / "identity.pem")
    with pytest.raises(DataError, match="cannot read"):
        load_signer(tmp_path / "missing.pem")
    assert [path.name for path in tmp_path.iterdir()] == ["identity.pem"]


def test_a_key_that_others_can_read_is_refused(tmp_path: Path):
    identity, _ = make_identity(tmp_path, "owner")
    identity.chmod(0o640)
    with pytest.raises(DataError, match=r"can be read by others.*chmod 600"):
        load_signer(identity)


@pytest.mark.parametrize(("years", "words"), [((2001, 2002), "was used until 2002-01-01"), ((2090, 2091), "from 2090")])
def test_a_key_outside_its_time_neither_signs_nor_is_trusted(tmp_path: Path, years: tuple[int, int], words: str):
    identity, public = make_identity(tmp_path, "owner", years=years)
    for look in (lambda: load_signer(identity), lambda: trusted_keys(public)):
        with pytest.raises(DataError, match=words):
            look()


@pytest.mark.parametrize("bit", [0, 128])
@pytest.mark.parametrize(
    "point",
    [
        "00" * 32,
        "01" + "00" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
    ],
)
def test_keys_with_which_anyone_can_sign_are_refused(point: str, bit: int):
    """Libsodium's list of points of small order: with R = 01 00 ... and s = 0, some of them "sign" any bytes."""
    key = bytes.fromhex(point)
    key = key[:-1] + bytes([key[-1] | bit])
    for message in (b"one", b"another", b"a third"):
        assert not signature_holds(Signature(key.hex(), "01" + "00" * 63), message)


@pytest.fixture
def people(tmp_path: Path) -> dict[str, tuple[Path, Path]]:
    """Return the identities of three people: the files of the key and of its public half."""
    names = ("steward", "checker", "stranger")
    return {name: make_identity(tmp_path, name, key=key) for name, key in zip(names, KEYS, strict=False)}


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mode) for path in folder.iterdir()}


def test_four_eyes(people: dict[str, tuple[Path, Path]], tmp_path: Path):
    """The steward signs the release, the checker later; each of the two is asked for by --trust."""
    steward, checker, stranger = people.values()
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public", sign=steward[0]).bundle
    (bundle / CERTIFICATE).chmod(0o640)
    before, body = contents(bundle), Certificate.from_bytes((bundle / CERTIFICATE).read_bytes()).body()
    found = verify(bundle, trust=[steward[1], checker[1], stranger[1]])
    assert words_about_signatures(found) == (
        f"it is not signed with the key in {checker[1]}, nor with the key in {stranger[1]}"
    )
    assert (found.verdict, found.trusted, found.signed_by) == ("does-not-hold", False, ())
    done = sign(bundle, key=checker[0], trust=steward[1])
    assert {*done.signed_by} == {*trusted_keys([steward[1], checker[1]])}
    after = contents(bundle)
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert (changed, after[CERTIFICATE][1]) == ({CERTIFICATE}, before[CERTIFICATE][1])
    assert done.certificate.body() == body
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    found = verify(bundle, trust=[checker[1], steward[1]])
    assert (found.verdict, found.trusted) == ("holds", True)
    assert words_about_signatures(found) == "with both trusted keys"
    other = done.signed_by[done.signed_by[0] in trusted_keys(steward[1])]
    assert words_about_signatures(verify(bundle, trust=steward[1])) == f"with the trusted key, and with the key {other}"
    assert words_about_signatures(verify(bundle)) == (
        f"with the keys {', '.join(done.signed_by)}: compare them with the owner's, or use trust"
    )
    assert verify_bundle.verify(bundle, done.signed_by)[0] == 0


def test_the_order_of_signing_does_not_show(people: dict[str, tuple[Path, Path]], tmp_path: Path):
    steward, checker, _ = (files[0] for files in people.values())
    release(ROWS, **SETTINGS, output=tmp_path / "both", sign=[checker, steward])
    for name, first, second in (("one", steward, checker), ("two", checker, steward)):
        release(ROWS, **SETTINGS, output=tmp_path / name, sign=first)
        sign(tmp_path / name, key=second)
        assert contents(tmp_path / name) == contents(tmp_path / "both")
    release(ROWS, **SETTINGS, output=tmp_path / "none")
    for signer in (steward, checker):
        sign(tmp_path / "none", key=signer)
    assert contents(tmp_path / "none") == contents(tmp_path / "both")


def test_rows_are_signed_by_several_too(people: dict[str, tuple[Path, Path]], tmp_path: Path):
    steward, checker, _ = people.values()
    rows = Transactions.from_rows([["cheese", "milk"], ["milk"], ["test"], []])
    bundle = release_rows(
        rows, name="r.csv", promise="rho=0.5", sensitive=["test"], output=tmp_path / "rows", sign=steward[0]
    ).bundle
    sign(bundle, key=checker[0])
    assert verify(bundle, trust=[steward[1], checker[1]]).holds


def test_what_does_not_hold_is_not_signed(people: dict[str, tuple[Path, Path]], tmp_path: Path):
    steward, checker, _ = people.values()
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public", sign=steward[0]).bundle
    with pytest.raises(ParameterError, match=r"public is signed with the key of key already"):
        sign(bundle, key=steward[0])
    with pytest.raises(NotSafe, match=r"public does not hold, and was not signed: it is not signed with the key in"):
        sign(bundle, key=checker[0], trust=people["stranger"][1])
    with pytest.raises(DataError, match=r"cannot open .*missing"):
        sign(tmp_path / "missing", key=checker[0])
    (bundle / "report.html").write_text("another")
    before = contents(bundle)
    with pytest.raises(NotSafe, match=r"public does not hold, and was not signed: report.html was changed"):
        sign(bundle, key=checker[0])
    assert contents(bundle) == before


def test_the_command_answers_as_verify_does(
    people: dict[str, tuple[Path, Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    key = str(people["checker"][0])
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public").bundle
    assert main(["sign", str(bundle), "--key", key, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["verdict"], document["signed"]) == ("holds", True)
    assert document["signed_by"] == [document["public_key"]]
    assert main(["sign", str(bundle), "--key", key]) == 2
    assert capsys.readouterr().err == (
        f"error: {bundle} is signed with the key of --key already; a second person signs with another one\n"
    )
    (bundle / "report.html").write_text("another")
    assert main(["sign", str(bundle), "--key", str(people["steward"][0]), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["verdict"], document["signed"]) == ("does-not-hold", False)
    assert main(["sign", str(bundle), "--key", str(people["steward"][0])]) == 1
    said = capsys.readouterr().out
    assert "DOES NOT HOLD" in said
    assert "Nothing was signed." in said


def test_the_commands_take_several_keys(
    people: dict[str, tuple[Path, Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "rows.dat").write_text("a b\n" * 20 + "a\n" * 20)
    bundle = str(tmp_path / "public")
    words = ["release", str(tmp_path / "rows.dat"), "-s", "10", "-k", "5", "--method", "none", "-o", bundle]
    identities, publics = zip(*people.values(), strict=True)
    for identity in identities[:2]:
        words += ["--sign", str(identity)]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["signed"] is True
    for count, status in ((1, 0), (2, 0), (3, 1)):
        trust = [word for public in publics[:count] for word in ("--trust", str(public))]
        assert main(["verify", bundle, *trust]) == status
        keys = [*trusted_keys(publics[:count])]
        assert verify_bundle.main([bundle, *keys]) == status
    assert f"itisnotsignedwiththekeyin{publics[2]}" in "".join(capsys.readouterr().out.split())
    assert main(["verify", bundle, "--trust", str(publics[0]), "--trust", str(publics[0])]) == 2
    assert "--trust names the key in" in capsys.readouterr().err
    assert verify_bundle.main([bundle, "no key"]) == 2


def test_one_key_is_one_person(people: dict[str, tuple[Path, Path]], tmp_path: Path):
    """Also behind two names, and in two certificates."""
    identity, public = people["steward"]
    again = make_identity(tmp_path, "renewed", key=KEYS[0])
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public", sign=identity).bundle
    for twice in ([public, public], [public, again[1]], [str(public), public]):
        with pytest.raises(ParameterError, match=r"trust names the key in .* twice, and one key is one person"):
            verify(bundle, trust=twice)
    with pytest.raises(ParameterError, match=r"sign names the key in .* twice"):
        release(ROWS, **SETTINGS, output=tmp_path / "other", sign=[identity, again[0]])
    with pytest.raises(ParameterError, match=r"already"):
        sign(bundle, key=again[0])
    assert not (tmp_path / "other").exists()


def test_there_are_at_most_eight(tmp_path: Path):
    identities = [make_identity(tmp_path, str(at), key=key)[0] for at, key in enumerate(KEYS)]
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public", sign=identities[:8]).bundle
    assert len(verify(bundle).signed_by) == 8
    with pytest.raises(ParameterError, match=r"^a certificate has at most 8 signatures"):
        sign(bundle, key=identities[8])


@pytest.mark.parametrize("way", FORGED_SIGNATURES)
def test_forged_signatures_are_found_by_both_verifiers(people: dict[str, tuple[Path, Path]], tmp_path: Path, way: str):
    steward, checker, _ = people.values()
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public", sign=[steward[0], checker[0]]).bundle
    data = (bundle / CERTIFICATE).read_bytes()
    (bundle / CERTIFICATE).write_bytes(forged(data, lambda *_: {}))
    assert verify(bundle).holds
    (bundle / CERTIFICATE).write_bytes(forged(data, FORGED_SIGNATURES[way]))
    assert verify(bundle).verdict == "does-not-hold"
    assert verify(bundle, trust=[steward[1], checker[1]]).verdict == "does-not-hold"
    assert verify_bundle.verify(bundle)[0] == 1
    with pytest.raises(NotSafe):
        sign(bundle, key=people["stranger"][0])


def test_a_counter_signed_bundle_is_the_same_release(people: dict[str, tuple[Path, Path]], tmp_path: Path):
    steward, checker, stranger = (files[0] for files in people.values())
    bundle, ledger = tmp_path / "public", tmp_path / "book.ledger"
    done = release(ROWS, **SETTINGS, output=bundle, sign=steward, ledger=ledger, new_ledger=True)
    sign(bundle, key=checker)
    with open_ledger(ledger) as book:
        found = verify(bundle, ledger=book, data=ROWS)
        assert found.holds
        assert found.recorded is not None
        assert found.recorded.number == 1
        assert book.add(bundle) == done.receipt
        assert book.check_receipts(bundle) == ()
        assert len(book.entries) == 1
    again = release(ROWS, **SETTINGS, output=bundle, sign=stranger, ledger=ledger, force=True)
    assert again.receipt == done.receipt
    sign(bundle, key=checker)
    with open_ledger(ledger) as book:
        book.withdraw(1)
        assert verify(bundle, ledger=book).reason.startswith("it is release 1 of ")


def test_those_who_sign_at_once_wait_for_each_other(tmp_path: Path):
    identities = [make_identity(tmp_path, str(at))[0] for at in range(6)]
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public").bundle
    threads = [threading.Thread(target=sign, args=(bundle,), kwargs={"key": key}) for key in identities]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(verify(bundle).signed_by) == 6


def test_a_certificate_that_cannot_be_written_stays(
    people: dict[str, tuple[Path, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public").bundle
    before = contents(bundle)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError, match=r"^cannot write .*certificate.json: No space left on device$"):
        sign(bundle, key=people["steward"][0])
    assert contents(bundle) == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_folder_on_a_disk_of_its_own_is_signed_too(
    people: dict[str, tuple[Path, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public").bundle
    monkeypatch.setattr(os, "access", lambda *_: False)
    sign(bundle, key=people["steward"][0])
    assert len(verify(bundle).signed_by) == 1
    assert sorted(contents(bundle)) == [CERTIFICATE, "patterns.csv", "patterns.parquet", "report.html"]


def test_the_second_verifier_knows_the_same_signatures():
    """RFC 8032, section 7.1, test 3; changed bits; and an answer beyond the order of the group."""
    key = bytes.fromhex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
    value = bytes.fromhex(
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    )
    assert verify_bundle.is_signed(key, b"\xaf\x82", value)
    for at in range(0, 64, 7):
        wrong = bytes([*value[:at], value[at] ^ 4, *value[at + 1 :]])
        signature = Signature(key.hex(), wrong.hex())
        assert verify_bundle.is_signed(key, b"\xaf\x82", wrong) is signature_holds(signature, b"\xaf\x82") is False
