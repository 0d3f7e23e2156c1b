"""Bundles that several test files look at; making one takes a second."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from discreet import read
from discreet.publishing import wrapping
from discreet.publishing.ledger import open_ledger
from discreet.publishing.release import release
from discreet.tables import private_files

if TYPE_CHECKING:
    from pathlib import Path

    from discreet import Transactions


@pytest.fixture(scope="session")
def mushroom(data_folder: Path) -> Transactions:
    return read(data_folder / "mushroom.dat.gz")


@pytest.fixture(scope="session")
def mushroom_bundle(mushroom: Transactions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the bundle of mushroom 60 %, k = 10, additive: do not write to it."""
    folder = tmp_path_factory.mktemp("mushroom")
    release(
        mushroom,
        k=10,
        min_support="60%",
        method="additive",
        min_confidence="90%",
        output=folder / "public",
        ledger=folder / "ledger",
        new_ledger=True,
    )
    return folder / "public"


@pytest.fixture
def own_bundle(mushroom_bundle: Path, tmp_path: Path) -> Path:
    """Return a copy of that bundle to do anything to."""
    return shutil.copytree(mushroom_bundle, tmp_path / "public")


@pytest.fixture(params=["plain", "encrypted"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with a plain and with an encrypted ledger."""
    if request.param == "encrypted":

        def opened(*args: object, **how: object) -> object:
            return open_it(*args, **how | {"passphrase": "correct horse battery"})

        open_it = open_ledger
        monkeypatch.setattr(private_files, "_COST", 1)
        monkeypatch.setattr(wrapping, "open_ledger", opened)
        monkeypatch.setitem(vars(request.module), "open_ledger", opened)
