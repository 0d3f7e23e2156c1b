"""Two parties that trust each other, and a third that nobody knows."""

from __future__ import annotations

import socket
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from discreet.twoparty.identity import Identity, keygen
from discreet.twoparty.party import Joint, party

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.transactions.transactions import Transactions


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


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        return probe.getsockname()[1]


@pytest.fixture
def mine(keys):
    """Return a function that runs both sides; what is given once is given to both, a pair is one for each."""

    def mine(hospital: Transactions, insurer: Transactions, **given: object) -> list[Future[Joint]]:
        address = f"127.0.0.1:{free_port()}"
        settings = {"min_support": 8, "k": 3, "timeout": 120.0} | given
        sides = [
            {name: each[side] if isinstance(each, tuple) else each for name, each in settings.items()}
            for side in range(2)
        ]
        folder = keys.folder
        with ThreadPoolExecutor(2) as pool:
            return [
                pool.submit(
                    party,
                    hospital,
                    listen=address,
                    identity=folder / "hospital" / "identity.pem",
                    trust=folder / "insurer" / "public.pem",
                    **sides[0],
                ),
                pool.submit(
                    party,
                    insurer,
                    connect=address,
                    identity=folder / "insurer" / "identity.pem",
                    trust=folder / "hospital" / "public.pem",
                    **sides[1],
                ),
            ]

    return mine
