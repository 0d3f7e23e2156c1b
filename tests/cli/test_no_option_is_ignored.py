"""An option that is given either does something or is refused: none is passed over in silence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import discreet
from discreet.answers import check_and_anonymize
from discreet.uncertainty import anonymize, utility

if TYPE_CHECKING:
    from collections.abc import Callable

TABLE_1 = Path(__file__).parent.parent / "data" / "uncertainty-example.dat"

WATCHED = [
    (discreet, "anonymize"),
    (anonymize, "apply_publication"),
    (discreet, "loss_curve"),
    (utility, "remaining_rules"),
    (utility, "false_rules"),
    (check_and_anonymize, "anonymize_answer"),
    (discreet, "hide"),
]
"""What the commands hand their options to."""

PROTECT = ["anonymize", TABLE_1, "--sensitive", "private.txt"]
MODES = {
    "best": [*PROTECT, "--rho", "0.7", "-o", "safe.dat"],
    "drawn": ["anonymize", TABLE_1, "--sensitive-share", "40%", "--rho", "0.7", "-o", "safe.dat"],
    "local": [*PROTECT, "--rho", "0.7", "-o", "safe.dat", "--method", "local"],
    "perturb": [*PROTECT, "--rho", "0.7", "-o", "safe.dat", "--method", "perturb"],
    "curve": [*PROTECT, "--curve", "0.5,0.7"],
    "apply": ["anonymize", TABLE_1, "--apply", "map.json", "-o", "safe.dat"],
}
OPTIONS: list[list[str]] = [
    ["--allow-local"],
    ["--beta", "0.2"],
    ["--time-limit", "50"],
    ["--seed", "7"],
    ["--hierarchy", "tree.csv"],
    ["--fanout", "3"],
    ["--neighbours", "support"],
    ["--ignore-unknown"],
    ["--allow-identifiers", "a"],
    ["--min-support", "2"],
    ["--min-confidence", "80%"],
    ["--tree"],
    ["--keep-order"],
    ["--mapping", "new.json"],
    ["--drawn", "drawn.txt"],
    ["--owner-report", "report.html"],
]
HIDING: dict[str, list[Any]] = {
    "iga": ["--method", "iga"],
    "best": ["-s", "2"],
    "below": ["--below", "2", "--method", "iga"],
}
HIDE_OPTIONS: list[list[str]] = [
    ["--disclosure", "0.5"],
    ["--below", "3"],
    ["--margin", "1"],
    ["-s", "3"],
    ["--protect", "spare.txt"],
    ["--ignore-unknown"],
    ["--log", "log.csv"],
    ["--lost", "lost.csv"],
]


@pytest.fixture(autouse=True)
def files(call, tmp_path: Path) -> None:
    (tmp_path / "private.txt").write_text("alpha\ngamma\n", encoding="utf-8")
    (tmp_path / "tree.csv").write_text("a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\n", encoding="utf-8")
    (tmp_path / "hidden.txt").write_text("a1 b1\n", encoding="utf-8")
    (tmp_path / "spare.txt").write_text("a1\n", encoding="utf-8")
    call(*PROTECT, "--rho", "0.7", "-o", "first.dat", "--mapping", "map.json")


def handed_over(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any]) -> tuple[int, Any]:
    """Return how a call ended, and all that it handed over, said and wrote."""
    given: list[tuple[str, str]] = []
    with monkeypatch.context() as patched:
        for module, name in WATCHED:
            before = getattr(module, name)

            def watching(*rows: Any, _before: Any = before, _name: str = name, **options: Any) -> Any:
                shown = {key: repr(value) for key, value in options.items() if key not in ("progress", "output")}
                given.append((_name, str(sorted(shown.items()))))
                return _before(*rows, **options)

            patched.setattr(module, name, watching)
        outcome = call()
    return outcome.status, (given, outcome.out, sorted(path.name for path in Path().iterdir()))


def forget(*names: str) -> None:
    for name in names:
        Path(name).unlink(missing_ok=True)


@pytest.mark.parametrize("mode", MODES)
def test_anonymize_uses_or_refuses_every_option(call, monkeypatch: pytest.MonkeyPatch, mode: str):
    words = MODES[mode]
    status, plain = handed_over(monkeypatch, lambda: call(*words))
    assert status in (0, 1)
    ignored = []
    for option in OPTIONS:
        forget("safe.dat", "new.json", "drawn.txt", "report.html")
        status, made = handed_over(monkeypatch, lambda option=option: call(*words, *option))
        if status != 2 and made == plain:
            ignored.append(option[0])
    assert ignored == []


@pytest.mark.parametrize("mode", HIDING)
def test_hide_uses_or_refuses_every_option(call, monkeypatch: pytest.MonkeyPatch, mode: str):
    words = ["hide", TABLE_1, "--restrict", "hidden.txt", "-o", "out.dat", *HIDING[mode]]
    status, plain = handed_over(monkeypatch, lambda: call(*words))
    assert status == 0
    ignored = []
    for option in HIDE_OPTIONS:
        forget("out.dat", "log.csv", "lost.csv")
        status, made = handed_over(monkeypatch, lambda option=option: call(*words, *option))
        if status != 2 and made == plain:
            ignored.append(option[0])
    assert ignored == []


def test_a_curve_lets_methods_compete(call):
    words = [*PROTECT, "--curve", "0.5,0.7", "--allow-local", "--json"]
    points = call(*words).document()["points"]
    plain = call(*words[:-2], "--json").document()["points"]
    alone = call(*words[:-2], "--method", "local", "--json").document()["points"]
    assert all(one["information_loss"] <= other["information_loss"] for one, other in zip(points, alone, strict=True))
    assert {point["verdict"] for point in points} == {"face-value"}
    assert {point["verdict"] for point in plain} == {"protected"}
    assert {point["method"] for point in plain} == {"best"}
