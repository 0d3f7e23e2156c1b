"""Identities: private where they must be, never replaced, and pinned byte for byte."""

from __future__ import annotations

import ssl
import stat
from typing import TYPE_CHECKING

import pytest

from discreet.errors import OutputError, ParameterError, PartnerUntrusted
from discreet.twoparty.identity import Identity, fingerprint, keygen

if TYPE_CHECKING:
    from pathlib import Path


def test_an_identity_is_a_key_for_its_owner_and_a_certificate_for_the_partner(tmp_path: Path) -> None:
    identity, public = keygen(tmp_path / "mine")
    assert stat.S_IMODE(identity.stat().st_mode) == 0o600
    assert "PRIVATE KEY" in identity.read_text()
    assert "PRIVATE KEY" not in public.read_text()
    assert public.read_text() in identity.read_text()


def test_the_folder_of_a_key_is_private_and_the_key_has_its_time(tmp_path: Path) -> None:
    _, public = keygen(tmp_path / "new" / "mine", valid_from="2026-01-31", valid_until="2090-12-31")
    assert stat.S_IMODE((tmp_path / "new" / "mine").stat().st_mode) == 0o700
    told = ssl._ssl._test_decode_cert(str(public))  # noqa: SLF001 - what a partner sees
    assert (told["notBefore"], told["notAfter"]) == ("Jan 31 00:00:00 2026 GMT", "Dec 31 23:59:59 2090 GMT")
    for days in ({"valid_from": "31.1.2026"}, {"valid_until": "2001-01-01"}):
        with pytest.raises(ParameterError, match="valid_"):
            keygen(tmp_path / "other", **days)
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("name", ["identity.pem", "public.pem"])
def test_an_existing_identity_is_refused_and_kept(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        keygen(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_nothing_is_left_where_the_folder_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write an identity"):
        keygen(tmp_path / "file" / "below")


def test_two_identities_share_nothing(tmp_path: Path) -> None:
    one, other = keygen(tmp_path / "one")[1], keygen(tmp_path / "other")[1]
    assert fingerprint(one) != fingerprint(other)
    assert len(fingerprint(one).replace(" ", "")) == 64


def test_only_tls_13_and_only_with_a_certificate(keys) -> None:
    for listens in (True, False):
        context = keys.hospital.context(listens=listens)
        assert context.minimum_version is ssl.TLSVersion.TLSv1_3
        assert context.verify_mode is ssl.CERT_REQUIRED


def test_another_certificate_than_the_pinned_one_is_refused(keys) -> None:
    def certificate(name: str) -> bytes:
        return ssl.PEM_cert_to_DER_cert((keys.folder / name / "public.pem").read_text())

    keys.hospital.check_pinned(certificate("insurer"))
    for presented in (certificate("stranger"), certificate("insurer")[:-1], b"", None):
        with pytest.raises(PartnerUntrusted):
            keys.hospital.check_pinned(presented)


def test_files_that_cannot_serve_are_refused_by_their_option(tmp_path: Path, keys) -> None:
    public, other = keys.folder / "hospital" / "public.pem", keys.folder / "insurer" / "public.pem"
    identity = keys.folder / "hospital" / "identity.pem"
    binary = tmp_path / "binary.pem"
    binary.write_bytes(b"\xff\x00")
    both = tmp_path / "both.pem"
    both.write_text(public.read_text() + other.read_text())
    damaged = tmp_path / "damaged.pem"
    damaged.write_text(other.read_text().replace("M", "*"))
    for own, trust, sentence in (
        (tmp_path / "none.pem", other, "cannot read identity"),
        (public, other, "holds no private key"),
        (identity, tmp_path / "none.pem", "cannot read trust"),
        (identity, binary, "exactly one certificate"),
        (identity, both, "exactly one certificate"),
        (identity, damaged, "damaged certificate"),
        (identity, public, "this side's own certificate"),
        (identity, keys.folder / "insurer" / "identity.pem", "holds a private key, which nobody but its owner"),
    ):
        with pytest.raises(ParameterError, match=sentence):
            Identity.load(own, trust)


def test_both_sides_name_the_channel_alike_and_no_other_pair_does(tmp_path: Path) -> None:
    for name in ("clinic", "lab", "middle"):
        keygen(tmp_path / name)

    def channel(own: str, trusted: str, *, listens: bool) -> bytes:
        files = tmp_path / own / "identity.pem", tmp_path / trusted / "public.pem"
        return Identity.load(*files).channel(listens=listens)

    assert channel("clinic", "lab", listens=True) == channel("lab", "clinic", listens=False)
    pairs = [("clinic", "lab"), ("clinic", "middle"), ("middle", "lab"), ("lab", "clinic")]
    assert len({channel(*pair, listens=True) for pair in pairs}) == len(pairs)
