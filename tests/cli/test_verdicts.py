"""The words on the first line, `verdict` in the JSON form and the status: the same story, for every verdict."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "safe.dat": "a b\n" * 30,
    "leaky.dat": "a b\n" * 10 + "a\n",
    "empty.dat": "a\nb\nc\nd\n",
    "listed.txt": "a b #SUP: 8\na c #SUP: 8\n",
    "rows.dat": "a x\na\na\nb\n",
    "x.txt": "x\n",
    "ab.txt": "a b\n",
    "half.txt": "a b @ 0.5\n",
    "table.csv": "age,sex\n30,f\n30,f\n30,m\n30,m\n",
}

CASES = {
    "audit, safe": ("audit safe.dat -s 5 -k 3", "SAFE", "safe", 0),
    "audit, not safe": ("audit leaky.dat -s 5 -k 3", "NOT SAFE", "not-safe", 1),
    "audit, nothing": ("audit empty.dat -s 3 -k 2", "NOTHING TO PUBLISH", "nothing", 1),
    "audit, incomplete": ("audit --patterns listed.txt --n 100 -k 3", "NO CHANNEL FOUND", "incomplete", 1),
    "audit, accepted": (
        "audit --patterns listed.txt --n 100 -k 3 --accept-incomplete",
        "NO CHANNEL FOUND",
        "incomplete",
        0,
    ),
    "block, safe": ("block leaky.dat -s 5 -k 3 --method suppressive", "SAFE", "safe", 0),
    "block, nothing": ("block empty.dat -s 3 -k 2 --method additive -o out.csv", "NOTHING TO PUBLISH", "nothing", 1),
    "release, safe": ("release safe.dat -s 5 -k 3 --method none -o out", "SAFE", "safe", 0),
    "release, not safe": ("release leaky.dat -s 5 -k 3 --method none -o out", "NOT SAFE", "not-safe", 1),
    "release, nothing": ("release empty.dat -s 3 -k 2 --method none -o out", "NOTHING TO PUBLISH", "nothing", 1),
    "tradeoff, nothing": ("tradeoff empty.dat -s 3,4 -k 2,5 -o out.svg", "NOTHING TO PUBLISH", "nothing", 1),
    "check, protected": ("check rows.dat --rho 0.5 --sensitive x.txt", "PROTECTED", "protected", 0),
    "check, not": ("check rows.dat --rho 0.3 --sensitive x.txt", "NOT PROTECTED", "not-protected", 1),
    "anonymize": ("anonymize rows.dat --rho 0.3 --sensitive x.txt -o out.dat", "PROTECTED", "protected", 0),
    "anonymize, local": (
        "anonymize rows.dat --rho 0.3 --sensitive x.txt --method local -o out.dat",
        "PROTECTED AT FACE VALUE",
        "face-value",
        0,
    ),
    "rows, face value": (
        "release --rows rows.dat --promise rho=0.5 --sensitive x.txt --face-value -o out",
        "PROTECTED AT FACE VALUE",
        "face-value",
        0,
    ),
    "rows, protected": (
        "release rows.dat --rows rows.dat --promise rho=0.5 --sensitive x.txt -o out",
        "PROTECTED",
        "protected",
        0,
    ),
    "rows, unknown": (
        "release --rows rows.dat --promise rho=0.5 --sensitive x.txt -o out",
        "PROTECTED AT FACE VALUE",
        "face-value",
        0,
    ),
    "rows, not": (
        "release --rows rows.dat --promise rho=0.3 --sensitive x.txt -o out",
        "NOT PROTECTED",
        "not-protected",
        1,
    ),
    "rows, hidden": ("release --rows rows.dat --promise hidden --restrict ab.txt -o out", "HIDDEN", "hidden", 0),
    "rows, partly": (
        "release safe.dat --rows safe.dat --promise hidden=1 --restrict ab.txt -o out",
        "PARTLY HIDDEN",
        "partly-hidden",
        0,
    ),
    "rows, not hidden": (
        "release --rows safe.dat --promise hidden --restrict ab.txt -o out",
        "NOT HIDDEN",
        "not-hidden",
        1,
    ),
    "hide": ("hide safe.dat --restrict ab.txt --method iga -o out.dat", "HIDDEN", "hidden", 0),
    "hide, partly": ("hide safe.dat --restrict half.txt --method iga -o out.dat", "PARTLY HIDDEN", "partly-hidden", 0),
    "kanon": ("kanon table.csv -k 2 --quasi-identifiers age,sex -o out.csv", "2-ANONYMOUS", "k-anonymous", 0),
}


@pytest.mark.parametrize("case", CASES)
def test_words_json_and_status_agree(call, tmp_path: Path, case: str):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    command, words, verdict, status = CASES[case]
    told = call(*command.split())
    first = next(line for line in told.out.splitlines() if line.strip())
    assert (told.status, first.strip().split("  ")[0].removesuffix(", PROVED")) == (status, words)
    if status:
        assert not list(tmp_path.glob("out*")), "nothing may be written"
    document = json.loads(call(*command.split(), "--json", *(["--force"] if " -o " in command else [])).out)
    assert document["verdict"] == verdict
    if "safe" in document:
        assert document["safe"] is (verdict in ("safe", "protected", "hidden"))


def test_a_bundle_holds_does_not_hold_or_cannot_be_judged(call, tmp_path: Path):
    (tmp_path / "safe.dat").write_text(FILES["safe.dat"])
    assert call("release", "safe.dat", "-s", 5, "-k", 3, "--method", "none", "-o", "out").status == 0

    def verify() -> tuple[int, str, str]:
        told = call("verify", "out")
        return told.status, told.out.split("  ")[1].strip(), json.loads(call("verify", "out", "--json").out)["verdict"]

    assert verify() == (0, "HOLDS", "holds")
    certificate = tmp_path / "out" / "certificate.json"
    written = certificate.read_text()
    form = json.loads(written)["form"]
    certificate.write_text(written.replace(f'"form": {form}', '"form": 99'))
    assert verify() == (1, "CANNOT BE JUDGED", "not-judged")
    certificate.write_text(written)
    with (tmp_path / "out" / "patterns.csv").open("a") as file:
        file.write("\n")
    assert verify() == (1, "DOES NOT HOLD", "does-not-hold")
