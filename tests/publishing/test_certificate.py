"""The certificate: its form and its schema."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator, ValidationError

from discreet import DataError, Transactions, release
from discreet.publishing.certificate import CERTIFICATE, Certificate
from tests.publishing.identities import make_identity

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "certificate.schema.json").read_text())
ROWS = Transactions.from_rows(["abc"] * 20 + ["ab"] * 20 + [""] * 20)


pytestmark = pytest.mark.usefixtures("no_charts")


def test_certificates_validate_against_the_schema(tmp_path: Path, mushroom_bundle: Path):
    signers = [make_identity(tmp_path, name)[0] for name in ("steward", "checker")]
    release(ROWS, k=5, min_support=10, method="none", output=tmp_path / "qi", quasi_identifiers=["a", "b"])
    release(ROWS, k=5, min_support=10, method="none", output=tmp_path / "signed", sign=signers)
    Draft202012Validator.check_schema(SCHEMA)
    for bundle in (tmp_path / "signed", tmp_path / "qi", mushroom_bundle):
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
        _set("signatures", value=[{"public_key": "0" * 64, "value": "0"}]),
        _set("signatures", value={"public_key": "0" * 64, "value": "0" * 128}),
        _set("signatures", value=None),
        _set("signatures", value=[{"public_key": f"{number:064}", "value": "0" * 128} for number in range(9)]),
        _set("signatures", value=[{"public_key": "0" * 64, "value": "0" * 128}] * 2),
        _set("signature", value=None),
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
