"""Time stamps: requested, given by a service that is made here with OpenSSL, and checked without a network."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from discreet import DataError, OutputError, ParameterError, Transactions, release, sign, verify
from discreet.cli.main import main
from discreet.publishing import timestamps
from discreet.publishing.certificate import CERTIFICATE
from discreet.publishing.timestamps import read_timestamp, request_for
from tests.publishing.identities import make_identity

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + [""] * 20)
SETTINGS = {"k": 5, "min_support": 10, "method": "none"}
SERVICE = """
[service]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
ess_cert_id_alg = sha256
"""
EXTENSIONS = "basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=critical,timeStamping\n"

pytestmark = [
    pytest.mark.usefixtures("no_charts"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="needs OpenSSL to make a time stamping service"),
]


def openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)  # noqa: S607 - any of them


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a time stamping service, whose root is root.pem."""
    folder = tmp_path_factory.mktemp("service")
    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for name in ("root", "other"):
        openssl(
            folder,
            *new,
            "-x509",
            "-days",
            "9000",
            "-subj",
            "/CN=A root",
            "-keyout",
            f"{name}.key",
            "-out",
            f"{name}.pem",
        )
    openssl(folder, *new, "-subj", "/CN=A service", "-keyout", "service.key", "-out", "service.csr")
    (folder / "extensions").write_text(EXTENSIONS)
    (folder / "service.cnf").write_text(SERVICE)
    (folder / "serial").write_text("01")
    issue = ("x509", "-req", "-days", "8000", "-in", "service.csr", "-CA", "root.pem", "-CAkey", "root.key")
    openssl(folder, *issue, "-CAcreateserial", "-extfile", "extensions", "-out", "service.pem")
    return folder


@pytest.fixture
def stamped(service: Path, tmp_path: Path) -> Callable[[Path], Path]:
    """Return a function that has a request stamped."""

    def stamp(request: Path) -> Path:
        response = tmp_path / f"{request.stem}.tsr"
        words = ("-signer", "service.pem", "-inkey", "service.key", "-config", "service.cnf", "-section", "service")
        openssl(service, "ts", "-reply", "-queryfile", str(request), *words, "-out", str(response))
        return response

    return stamp


def test_a_stamp_says_when_it_was_signed(service: Path, stamped: Callable[[Path], Path], tmp_path: Path):
    identity, public = make_identity(tmp_path, "owner")
    request, root = tmp_path / "request.tsq", service / "root.pem"
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public").bundle
    done = sign(bundle, key=identity, timestamp_request=request)
    assert request.read_bytes() == request_for((bundle / CERTIFICATE).read_bytes())
    response = stamped(request)
    openssl(tmp_path, "ts", "-verify", "-data", str(bundle / CERTIFICATE), "-in", str(response), "-CAfile", str(root))
    found = verify(bundle, trust=public, timestamp=response, timestamp_root=root)
    assert (found.holds, found.trusted) == (True, True)
    assert found.timestamp is not None
    assert abs(datetime.now(UTC) - found.timestamp.time) < timedelta(hours=1)
    serial = str(int((service / "serial").read_text(), 16))  # of the service's last stamp, whichever test came first
    assert found.to_dict()["timestamp"] == {"time": found.timestamp.time.isoformat(), "serial": serial}
    words = {check.name: check.words for check in found.checks}
    assert words["timestamp"] == f"the certificate was there, as it is, on {found.timestamp.words}"
    assert done.public_key in found.signed_by


def test_a_stamp_is_of_one_certificate_by_one_service(service: Path, stamped: Callable[[Path], Path], tmp_path: Path):
    request, root = tmp_path / "request.tsq", service / "root.pem"
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public").bundle
    assert sign(bundle, timestamp_request=request).public_key is None
    response = stamped(request)
    assert verify(bundle, timestamp=response, timestamp_root=root).holds
    found = verify(bundle, timestamp=response, timestamp_root=service / "other.pem")
    assert (found.verdict, found.timestamp) == ("does-not-hold", None)
    assert found.reason == "the time stamp does not hold: it is not by a service below the trusted root"
    sign(bundle, key=make_identity(tmp_path, "owner")[0])
    found = verify(bundle, timestamp=response, timestamp_root=root)
    assert found.reason == (
        "the time stamp does not hold: it is of another file, or of this one before it was signed again"
    )


def test_a_changed_response_says_no_other_time(service: Path, stamped: Callable[[Path], Path], tmp_path: Path):
    """Some bits of a response are not signed; none of them changes what it says."""
    data = b"a certificate"
    (tmp_path / "request.tsq").write_bytes(request_for(data))
    response = stamped(tmp_path / "request.tsq")
    content, draw, refused = response.read_bytes(), random.Random(17), 0
    time = read_timestamp(response, service / "root.pem").time
    for _ in range(200):
        wrong = bytearray(content)
        wrong[draw.randrange(len(wrong))] ^= 1 << draw.randrange(8)
        response.write_bytes(wrong)
        try:
            stamp = read_timestamp(response, service / "root.pem")
            stamp.check(data)
        except DataError:
            refused += 1
        else:
            assert stamp.time == time
    assert refused > 150


def test_keys_are_judged_at_the_time_of_the_stamp(
    service: Path, stamped: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    identity, public = make_identity(tmp_path, "owner")
    request, root = tmp_path / "request.tsq", service / "root.pem"
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public", sign=identity).bundle
    sign(bundle, timestamp_request=request)
    response = stamped(request)
    later = datetime(2045, 1, 1, tzinfo=UTC)

    class Later(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            assert tz is UTC
            return later

    for module in ("signing", "timestamps"):
        monkeypatch.setattr(f"discreet.publishing.{module}.datetime", Later)
    with pytest.raises(DataError, match="was used until 2040-01-01"):
        verify(bundle, trust=public)
    found = verify(bundle, trust=public, timestamp=response, timestamp_root=root)
    assert (found.holds, found.trusted) == (True, True)
    found = verify(bundle, trust=public, timestamp=response, timestamp_root=service / "other.pem")
    assert (found.verdict, found.trusted) == ("does-not-hold", False)
    later = datetime(2019, 1, 1, tzinfo=UTC)
    found = verify(bundle, timestamp=response, timestamp_root=root)
    assert "which is not over yet" in found.reason


def test_what_is_no_stamp_is_refused(service: Path, tmp_path: Path):
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public").bundle
    root, nothing = service / "root.pem", tmp_path / "nothing"
    nothing.write_bytes(b"no response")
    with pytest.raises(DataError, match=r"nothing is no response of a time stamping service, or not in DER"):
        verify(bundle, timestamp=nothing, timestamp_root=root)
    with pytest.raises(DataError, match=r"cannot read .*missing"):
        verify(bundle, timestamp=tmp_path / "missing", timestamp_root=root)
    with pytest.raises(ParameterError, match=r"timestamp is of no use without timestamp_root; give both"):
        verify(bundle, timestamp=nothing)
    with pytest.raises(ParameterError, match=r"timestamp_root is of no use without timestamp; give both"):
        verify(bundle, timestamp_root=root)
    (tmp_path / "sha1.tsq").write_bytes(b"0\x00")
    openssl(
        service, "ts", "-reply", "-queryfile", str(tmp_path / "sha1.tsq"), "-config", "service.cnf", "-section",
        "service", "-signer", "service.pem", "-inkey", "service.key", "-out", str(tmp_path / "refused.tsr"),
    )  # fmt: skip
    with pytest.raises(DataError, match=r"refused.tsr says that the service refused to stamp"):
        verify(bundle, timestamp=tmp_path / "refused.tsr", timestamp_root=root)


def test_the_request_is_written_whole_and_outside(tmp_path: Path):
    bundle = release(ROWS, **SETTINGS, output=tmp_path / "public").bundle
    before = (bundle / CERTIFICATE).read_bytes()
    identity, _ = make_identity(tmp_path, "owner")
    (tmp_path / "there").write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        sign(bundle, key=identity, timestamp_request=tmp_path / "there")
    with pytest.raises(ParameterError, match="would be in the folder that is published"):
        sign(bundle, key=identity, timestamp_request=bundle / "request.tsq")
    with pytest.raises(ParameterError, match=r"^key is missing: give an identity.pem"):
        sign(bundle)
    assert (bundle / CERTIFICATE).read_bytes() == before
    assert (tmp_path / "there").read_text() == "mine"


def test_commands(service: Path, stamped: Callable[[Path], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    bundle, request = str(release(ROWS, **SETTINGS, output=tmp_path / "public").bundle), tmp_path / "request.tsq"
    assert main(["sign", bundle, "--timestamp-request", str(request)]) == 0
    assert "for a time stamping service" in " ".join(capsys.readouterr().out.split())
    words = ["verify", bundle, "--timestamp", str(stamped(request)), "--timestamp-root"]
    assert main([*words, str(service / "root.pem"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["timestamp"]["time"].startswith("20")
    assert main([*words, str(service / "other.pem")]) == 1


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    with pytest.raises(ParameterError, match=r"pip install 'discreet\[timestamps\]'"):
        timestamps.request_for(b"data")
