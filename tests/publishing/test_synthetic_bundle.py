"""Made-up rows: from published patterns alone, the same every time, labelled, and made again by verify."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

import discreet
from discreet.errors import DataError, NotSafe, OutputError
from discreet.publishing.certificate import CERTIFICATE
from tests.attacks.smuggling import promised, replaced, sealed_again, told
from tests.attacks.vectors import bundle_that_withholds, bundle_with_noise, bundle_with_rules
from tests.docs.pages import ROOT

BUNDLES = {"exact": bundle_with_rules, "withheld": bundle_that_withholds, "noisy": bundle_with_noise}


@pytest.fixture(scope="module", params=BUNDLES)
def public(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return BUNDLES[request.param](tmp_path_factory.mktemp("public"))


def test_the_bundle_is_enough_and_gives_the_same_rows(public: Path, tmp_path: Path) -> None:
    """The rows were read from a file that is gone, the bundle is a copy elsewhere, and nothing else is opened."""
    copy = shutil.copytree(public, tmp_path / "copy")
    for name in ("one", "two"):
        discreet.synthesize(copy, output=tmp_path / name)
    contents = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two")]
    assert contents[0] == contents[1]
    assert contents[0]["patterns.csv"] == (public / "patterns.csv").read_bytes()
    assert contents[0]["source.json"] == (public / CERTIFICATE).read_bytes()


def test_no_data_are_opened(public: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file that Python or the kernel's readers open is of the bundle, of the output, or of the program."""
    opened = []
    right = Path.open

    def noted(self: Path, *given: object, **rest: object) -> object:
        opened.append(self)
        return right(self, *given, **rest)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", noted)
    monkeypatch.setattr(discreet, "read", None)
    monkeypatch.setattr("discreet.transactions.reading.read", None)
    discreet.synthesize(public, output=tmp_path / "made")
    own = Path(discreet.__file__).parent
    strangers = [path for path in opened if not {public, tmp_path, own}.intersection(path.absolute().parents)]
    assert [path for path in strangers if path.suffix in (".csv", ".dat", ".gz")] == []


def test_supports_are_near_and_off_is_what_is_said(public: Path, tmp_path: Path) -> None:
    done = discreet.synthesize(public, output=tmp_path / "made")
    rows = discreet.read(tmp_path / "made" / "synthetic-rows.csv")
    patterns = discreet.read_patterns(public / "patterns.csv").to_patternset()
    assert rows.n == patterns.n
    off = [abs(sum(itemset <= {*row} for row in rows) - support) for itemset, support in patterns]
    assert max(off) == done.made.worst == done.certificate.promise["off"]["worst"]
    assert sum(off) == done.made.average * len(off)
    assert max(off) <= patterns.n // 20


def test_it_holds_and_everything_says_what_it_is(public: Path, tmp_path: Path) -> None:
    discreet.synthesize(public, output=tmp_path / "made")
    found = discreet.verify(tmp_path / "made")
    assert found.holds, found
    assert [check.name for check in found.checks][2:4] == ["source", "rows"]
    document = json.loads((tmp_path / "made" / CERTIFICATE).read_bytes())
    assert document["kind"] == "synthetic-rows"
    assert document["statement"].startswith("Synthetic rows, of nobody")
    assert "Synthetic rows, which are nobody" in (tmp_path / "made" / "report.html").read_text(encoding="utf-8")
    jsonschema.validate(document, json.loads((ROOT / "docs" / "certificate.schema.json").read_bytes()))


FORGERIES = {
    "another row": lambda folder: (folder / "synthetic-rows.csv").write_bytes(
        (folder / "synthetic-rows.csv").read_bytes() + b"Ann\n"
    ),
    "another fit": promised(off={"average": "0", "worst": 0, "more": 1}),
    "another source": promised(source="0" * 64),
    "one more figure": promised(more=1),
    "its statement": told(statement="Rows of people."),
    "the source": replaced("source.json", '"kind"', '"kinds"'),
    "the report": replaced("report.html", "nobody", "somebody"),
}


@pytest.mark.parametrize("way", FORGERIES)
def test_what_was_changed_is_found(public: Path, tmp_path: Path, way: str) -> None:
    folder = discreet.synthesize(public, output=tmp_path / "made").bundle
    sealed_again(folder, FORGERIES[way](folder))
    assert discreet.verify(folder).verdict == "does-not-hold"


def test_patterns_of_another_bundle_do_not_go_with_its_certificate(tmp_path: Path) -> None:
    made = discreet.synthesize(bundle_with_rules(tmp_path), output=tmp_path / "made").bundle
    other = discreet.synthesize(bundle_that_withholds(tmp_path), output=tmp_path / "other").bundle
    for name in ("patterns.csv", "synthetic-rows.csv"):
        shutil.copyfile(other / name, made / name)
    sealed_again(made, None)
    found = discreet.verify(made)
    assert (found.verdict, found.checks[-1].name) == ("does-not-hold", "source")


def test_what_is_refused(public: Path, tmp_path: Path) -> None:
    done = discreet.synthesize(public, output=tmp_path / "made")
    with pytest.raises(OutputError):
        discreet.synthesize(public, output=tmp_path / "made")
    with pytest.raises(DataError, match="is a bundle of synthetic-rows; expected one of patterns"):
        discreet.synthesize(done.bundle, output=tmp_path / "twice")
    forged = shutil.copytree(public, tmp_path / "forged")
    (forged / "patterns.csv").write_bytes((forged / "patterns.csv").read_bytes() + b"\n")
    with pytest.raises(NotSafe, match="does not hold"):
        discreet.synthesize(forged, output=tmp_path / "of-forged")
    assert not (tmp_path / "of-forged").exists()
