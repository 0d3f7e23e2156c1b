"""How much of a file was read, as a share: right enough to say how long the rest takes."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from discreet.tables import byte_source
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read_as

if TYPE_CHECKING:
    from pathlib import Path

LINES = {
    "rows.dat": "".join(f"{row % 7} {row % 11} {row}\n" for row in range(4000)),
    "table.csv": "a,b,c,d\n" + "".join(f"{row % 7},x,{row},{row % 3}\n" for row in range(4000)),
    "baskets.csv.gz": "".join(f"i{row}\nj{row % 5},k{row % 9}\n" for row in range(4000)),
}


@pytest.mark.parametrize("name", LINES)
def test_after_a_tenth_the_end_is_known_within_a_factor_of_two(name: str, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / name
    data = LINES[name].encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    monkeypatch.setattr(byte_source, "CHUNK", 256)
    monkeypatch.setattr(byte_source, "_HEAD", 64)
    plain, seen = 0, []
    chunks = byte_source.ByteSource.chunks

    def counted(source):
        nonlocal plain
        for chunk in chunks(source):
            plain += len(chunk)
            yield chunk

    monkeypatch.setattr(byte_source.ByteSource, "chunks", counted)
    read_as(path, ReadOptions(), progress=lambda share, size: seen.append((share, size, plain)))
    shares = [share for share, *_ in seen]
    assert shares == sorted(shares)
    assert seen[-1][:2] == (1.0, path.stat().st_size)
    for share, _, steps in seen:
        if 0.1 <= share <= 0.9:
            assert len(data) / 2 <= steps / share <= 2 * len(data)
    assert any(0.1 <= share <= 0.2 for share in shares)


def test_what_has_no_size_reports_nothing(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "in").write_text("1 2\n3\n")
    seen: list[float] = []
    with (tmp_path / "in").open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert len(read_as("-", ReadOptions(format="fimi"), progress=lambda share, _: seen.append(share))) == 2
    assert not seen
