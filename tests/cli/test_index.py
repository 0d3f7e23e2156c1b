"""`--index` of `hide` and `query`: made once, opened ever after, refused where it is damaged or of other rows."""

from __future__ import annotations

import json
import shlex
import stat
from typing import TYPE_CHECKING

import pytest

from tests.cli.hiding import EXAMPLE, hidden

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("private")


def test_it_is_made_then_opened_and_gives_the_same(call, tmp_path: Path):
    plain = hidden(call, "--json", "-s", 2, out="plain.dat").document()
    assert hidden(call, "--json", "-s", 2, "--index", "rows.index", out="made.dat").document() == plain
    index = (tmp_path / "rows.index").read_bytes()
    assert stat.S_IMODE((tmp_path / "rows.index").stat().st_mode) == 0o600
    assert hidden(call, "--json", "-s", 2, "--index", "rows.index", out="opened.dat").document() == plain
    alone = ["hide", "--restrict", "private.txt", "--method", "iga", "--index", "rows.index", "-o", "alone.dat"]
    assert call(*alone, "--json", "-s", 2).document() == plain
    assert (tmp_path / "rows.index").read_bytes() == index
    written = {(tmp_path / f"{name}.dat").read_bytes() for name in ("plain", "made", "opened", "alone")}
    assert len(written) == 1


def test_unchanged_rows_keep_their_bytes_with_an_index_too(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_bytes(b"D B  A \nC  A\r\n")
    for out in ("made.dat", "opened.dat"):
        assert hidden(call, "--index", "rows.index", "--ignore-unknown", data="rows.dat", out=out).status == 0
        assert (tmp_path / out).read_bytes() == b"B  A \nC  A\r\n"


def test_queries_need_no_rows(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_bytes(EXAMPLE.read_bytes())
    first = call("query", "rows.dat", "A AND NOT (B AND C)", "--index", "rows.index", "--json")
    (tmp_path / "rows.dat").unlink()
    second = call("query", "A AND NOT (B AND C)", "--index", "rows.index", "--json")
    assert second.document() == {"count": 2, "rows": [3, 4]}
    assert second.document() == first.document()
    assert "check the spelling" in call("query", "--index", "rows.index", "A AND X").refused()
    assert "check the spelling" in call("query", EXAMPLE, "--index", "new.index", "A AND X").refused()
    assert not (tmp_path / "new.index").exists()
    assert call("query", "--index", "rows.index", "A AND X", "--ignore-unknown").status == 0
    assert "column 3" in call("query", "--index", "rows.index", "A B").refused()


def test_what_a_long_answer_offers_can_be_pasted(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a b\n" * 30)
    outcome = call("query", "rows.dat", "a", "--index", "rows.index")
    (command,) = [line.strip() for line in outcome.out.splitlines() if line.startswith("    discreet ")]
    assert json.loads(call(*shlex.split(command)[1:]).out)["count"] == 30


@pytest.mark.parametrize("command", ["hide", "query"])
def test_damage_is_noticed(call, tmp_path: Path, command: str):
    call("query", EXAMPLE, "A", "--index", "rows.index")
    whole = (tmp_path / "rows.index").read_bytes()
    words = {
        "hide": ["--restrict", "private.txt", "--method", "iga", "-o", "out.dat"],
        "query": ["A"],
    }[command]
    for place in range(0, len(whole), 7):
        (tmp_path / "rows.index").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert "rows.index" in call(command, *words, "--index", "rows.index").refused()
    for length in (0, 10, 50, len(whole) - 1):
        (tmp_path / "rows.index").write_bytes(whole[:length])
        assert "rows.index" in call(command, *words, "--index", "rows.index").refused()
    assert not (tmp_path / "out.dat").exists()


def test_an_index_of_other_rows_is_noticed(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_bytes(EXAMPLE.read_bytes())
    assert hidden(call, "--index", "rows.index", data="rows.dat").status == 0
    with (tmp_path / "rows.dat").open("a") as file:
        file.write("A B\n")
    sentence = hidden(call, "--index", "rows.index", data="rows.dat", out="new.dat").refused()
    assert "other rows" in sentence
    assert not (tmp_path / "new.dat").exists()


def test_reading_options_are_part_of_it(call, private: Path, tmp_path: Path):
    (tmp_path / "rows.csv").write_text("a,b\nx,ann\nx,bob\n")
    assert call("query", "rows.csv", "a=x", "--index", "rows.index", "--drop", "b").status == 0
    for words in (["--drop", "a"], []):
        assert "--drop b" in call("query", "rows.csv", "a=x", "--index", "rows.index", *words).refused()
    private.write_text("a=x\n")
    assert "--drop b" in hidden(call, "--index", "rows.index", data="rows.csv", out="out.csv").refused()
    hidden(call, "--index", "rows.index", "--drop", "b", data="rows.csv", out="out.csv")
    assert (tmp_path / "out.csv").read_text() == 'a\n""\n""\n'


def test_it_needs_rows_that_can_be_read_again(call, tmp_path: Path):
    assert "does not exist" in call("query", "A", "--index", "none.index").refused()
    assert "--index" in hidden(call, "--index", "rows.index", data="-").refused()
    assert "--index" in call("query", "A", "--index", "rows.index", "--patterns", "x.csv").refused()
    (tmp_path / "text.index").write_text("A B\n")
    assert "not an inverted file" in call("query", "A", "--index", "text.index").refused()
