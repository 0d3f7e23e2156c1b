"""The certificate: its form, its schema, its signature."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from jsonschema import Draft202012Validator, ValidationError

from discreet import DataError, Transactions
from discreet.publishing.certificate import CERTIFICATE, Certificate, Signature
from discreet.publishing.release import release
from discreet.publishing.signing import holds as signature_holds
from discreet.publishing.signing import load_signer, trusted_key
from discreet.publishing.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "certificate.schema.json").read_text())
ROWS = Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + [""] * 20)


pytestmark = pytest.mark.usefixtures("no_charts")


def make_identity(folder: Path, name: str, *, years: tuple[int, int] = (2020, 2040)) -> tuple[Path, Path]:
    """Write an identity as `discreet keygen` does: key and certificate in one file, the certificate in another."""
    from datetime import UTC, datetime

    key = Ed25519PrivateKey.generate()
    named = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(named)
        .issuer_name(named)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(years[0], 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(years[1], 1, 1, tzinfo=UTC))
        .sign(key, None)
        .public_bytes(Encoding.PEM)
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    identity, public = folder / f"{name}-identity.pem", folder / f"{name}-public.pem"
    identity.write_bytes(certificate + private)
    identity.chmod(0o600)
    public.write_bytes(certificate)
    return identity, public


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
    assert trusted_key(public) in next(check.words for check in without.checks if check.name == "signature")


def test_what_is_not_signed_is_not_trusted(signed: tuple[Path, Path, Path], tmp_path: Path):
    release(ROWS, k=5, min_support=10, method="none", output=tmp_path / "unsigned")
    assert verify(tmp_path / "unsigned", trust=signed[1]).checks[-1].words == "it is not signed"


def test_a_signature_of_another_certificate_does_not_hold(signed: tuple[Path, Path, Path], tmp_path: Path):
    bundle, public, _ = signed
    signature = Certificate.from_bytes((bundle / CERTIFICATE).read_bytes()).signature
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
        trusted_key(tmp_path / "identity.pem")
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
    for look in (lambda: load_signer(identity), lambda: trusted_key(public)):
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


def test_certificates_validate_against_the_schema(
    signed: tuple[Path, Path, Path], tmp_path: Path, mushroom_bundle: Path
):
    release(ROWS, k=5, min_support=10, method="none", output=tmp_path / "qi", quasi_identifiers=["a", "b"])
    Draft202012Validator.check_schema(SCHEMA)
    for bundle in (signed[0], tmp_path / "qi", mushroom_bundle):
        Draft202012Validator(SCHEMA).validate(json.loads((bundle / CERTIFICATE).read_bytes()))


def _set(*path: str, value: object) -> Callable[[dict], None]:
    def change(document: dict) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _set("form", value=3),
        _set("form", value=True),
        _set("kind", value=""),
        _set("more", value=1),
        _set("statement", value=""),
        _set("not_promised", value=[]),
        _set("not_promised", value=[1]),
        _set("program", value="0.1"),
        _set("program", "name", value="another"),
        _set("input", value={"sha256": "0" * 64}),
        _set("input", value={"hmac_sha256": "0" * 63}),
        _set("files", value=[]),
        _set("files", "../patterns.csv", value={"bytes": 1, "sha256": "0" * 64}),
        _set("files", "certificate.json", value={"bytes": 1, "sha256": "0" * 64}),
        _set("files", "patterns.csv", "bytes", value=-1),
        _set("files", "patterns.csv", "bytes", value=True),
        _set("files", "patterns.csv", "sha256", value="A" * 64),
        _set("signature", value={"public_key": "0" * 64, "value": "0"}),
    ],
)
def test_what_the_schema_refuses_is_refused(mushroom_bundle: Path, change: Callable[[dict], None]):
    document = json.loads((mushroom_bundle / CERTIFICATE).read_bytes())
    wrong = copy.deepcopy(document)
    change(wrong)
    with pytest.raises(ValidationError):
        Draft202012Validator(SCHEMA).validate(wrong)
    text = json.dumps(wrong, sort_keys=True, indent=2) + "\n"
    with pytest.raises(DataError):
        Certificate.from_bytes(text.encode())
