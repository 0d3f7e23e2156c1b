"""Two parties that trust each other, and a third that nobody knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from discreet.twoparty.identity import Identity, keygen

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Keys:
    """The folders of three parties; `hospital` and `insurer` know each other."""

    folder: Path

    def identity(self, own: str, partner: str) -> Identity:
        return Identity.load(self.folder / own / "identity.pem", self.folder / partner / "public.pem")

    @property
    def hospital(self) -> Identity:
        return self.identity("hospital", "insurer")

    @property
    def insurer(self) -> Identity:
        return self.identity("insurer", "hospital")


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    folder = tmp_path_factory.mktemp("keys")
    for name in ("hospital", "insurer", "stranger"):
        keygen(folder / name)
    return Keys(folder)
