"""Partners with changed software over TLS: the honest side ends with status 3 and leaves no file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet.twoparty.identity import keygen
from tests.cli.test_party import STARTED, Side, free_port, start, start_both, write_half
from tests.conftest import ROOT
from tests.twoparty.test_cheating import crowd, one_half_each, people_and_diagnoses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.transactions.transactions import Transactions


@pytest.fixture(autouse=True)
def two_parties(surroundings: None) -> Iterator[None]:  # noqa: ARG001 - the folder to work in
    keygen("hospital")
    keygen("insurer")
    yield
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:  # the test failed before its end
            process.kill()
            process.communicate()


def write(name: str, rows: Transactions) -> None:
    write_half(name, [list(row) for row in rows], set(rows.vocabulary))


def start_cheat(kind: str, where: list[str], *more: str) -> Side:
    words = ["party", *where, "--data", "insurer.dat", "--identity", "insurer/identity.pem", *more]
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "tests/cheating_party.py"), kind, *words, "--trust", "hospital/public.pem"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    STARTED.append(process)
    return Side(process)


@pytest.mark.parametrize(
    ("kind", "more", "sentence"),
    [
        ("Fishing", ["--no-dual"], "transfers contradict each other"),
        ("HidesSmallGroupsAfterwards", ["--no-dual"], "something else than it had committed to"),
        ("NamesPeopleBoldly", ["--no-dual"], "no data set can have the supports"),
        ("FishesForTheSecret", [], "transfers contradict each other"),
        ("HidesSmallGroups", [], "two computations do not agree"),
        ("BringsOnePersonEach", [], "calls frequent is not"),
        ("OpensOtherNumbers", [], "two computations do not agree"),
    ],
    ids=lambda each: each if isinstance(each, str) and " " not in each else "",
)
def test_a_partner_with_changed_software_is_status_3_and_leaves_no_file(
    kind: str, more: list[str], sentence: str
) -> None:
    rows = crowd()
    write_half("hospital.dat", rows, set("aceg"))
    write_half("insurer.dat", rows, set("bdfh"))
    question = ["-s", "30", "-k", "5"]
    if kind == "Fishing":
        write("hospital.dat", one_half_each(64, "d", 1))
        write("insurer.dat", one_half_each(64, "p", 2))
        question = ["-s", "30", "-k", "2"]
    if kind in ("NamesPeopleBoldly", "BringsOnePersonEach"):
        ours, theirs, _ = people_and_diagnoses()
        write("hospital.dat", ours)
        write("insurer.dat", theirs)
    more = [*question, *more]
    address = f"127.0.0.1:{free_port()}"
    honest = start("hospital", "insurer", ["--listen", address], *more, "-o", "safe.csv")
    cheat = start_cheat(kind, ["--connect", address], *more, "--timeout", "120")
    assert sentence in honest.failed()
    assert cheat.end()[0] != 0
    assert not Path("safe.csv").exists()


def test_two_sessions_at_once_do_not_meet() -> None:
    rows = crowd()
    write_half("hospital.dat", rows, set("ac"))
    write_half("insurer.dat", rows, set("bd"))
    pairs = [start_both("-s", "30", "-k", "5", hospital=("--json",)) for _ in range(2)]
    told = [side.end() for pair in pairs for side in pair]
    assert [status for status, *_ in told] == [0] * 4, told
    one, other = (out.split('"transcript"')[0] for _, out, _ in told[::2])
    assert one == other
    assert "until a wrong one ends the session; it cannot change the result" in one


@pytest.mark.parametrize(
    ("kind", "more", "sentence"),
    [
        ("HidesSmallGroups", [], "two computations do not agree"),
        ("HidesSmallGroupsAfterwards", ["--no-dual"], "something else than it had committed to"),
    ],
)
def test_the_connecting_side_notices_as_well(kind: str, more: list[str], sentence: str) -> None:
    rows = crowd()
    write_half("hospital.dat", rows, set("aceg"))
    write_half("insurer.dat", rows, set("bdfh"))
    more = ["-s", "30", "-k", "5", *more]
    address = f"127.0.0.1:{free_port()}"
    cheat = start_cheat(kind, ["--listen", address], *more, "--timeout", "120")
    honest = start("hospital", "insurer", ["--connect", address], *more, "-o", "safe.csv")
    assert sentence in honest.failed()
    assert cheat.end()[0] != 0
    assert not Path("safe.csv").exists()


def test_an_owner_lost_in_the_middle_ends_all_with_status_3_and_no_file() -> None:
    names = ("hospital", "insurer", "clinic")
    keygen("clinic")
    addresses = {name: f"127.0.0.1:{free_port()}" for name in names}
    for name in names:
        write_half(f"{name}.dat", [list("abc")] * 9 + [list("ab")] * 6 + [[]] * 6, set("abc"))
    started = {}
    for name in names:
        words = ["party", "--horizontal", "--labels", "a,b,c", "--data", f"{name}.dat", "-s", "20", "-k", "3"]
        words += ["--identity", f"{name}/identity.pem", "--listen", addresses[name], "--timeout", "120"]
        for other in names:
            if other != name:
                words += ["--trust", f"{other}/public.pem", "--connect", addresses[other]]
        program = [str(ROOT / "tests/cheating_party.py"), "Leaves"] if name == "clinic" else ["-m", "discreet"]
        process = subprocess.Popen(
            [sys.executable, *program, *words, "-o", f"{name}.csv"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        STARTED.append(process)
        started[name] = Side(process)
    assert started["clinic"].end()[0] == 9
    for name in names[:2]:
        assert started[name].failed()
    assert not list(Path().glob("*.csv"))
