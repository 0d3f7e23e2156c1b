"""Draw the README's picture of a terminal from what the program prints: python -m tests.docs.terminal_picture."""

from __future__ import annotations

import io
import re
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

from rich.console import Console
from rich.text import Text

from discreet.cli.main import main as discreet
from tests.docs.pages import ROOT, surroundings

__all__ = ["PICTURE", "picture", "write"]

PICTURE = ROOT / "docs" / "terminal.svg"
COMMAND = "audit hospital.csv -s 20% -k 10"
BOLD = re.compile(r"NOT SAFE|What you can do|discreet (?:block|audit) .*")


def picture() -> str:
    """Return the picture: the command, and its answer."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with tempfile.TemporaryDirectory() as folder, surroundings(Path(folder)), redirect_stdout(printed):
        discreet(["generate", "hospital", "-o", "hospital.csv", "--json"])
        printed.seek(0)
        printed.truncate()
        discreet(COMMAND.split())
    answer = Text(printed.buffer.getvalue().decode().rstrip())  # type: ignore[attr-defined]
    answer.highlight_regex(BOLD, "bold")
    answer.highlight_regex(re.compile("NOT SAFE"), "red")
    console = Console(record=True, width=84, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"$ discreet {COMMAND}", "green"))
    console.print(answer)
    drawn = console.export_svg(title="discreet", unique_id="discreet")
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)  # nothing is fetched from elsewhere
    return "".join(f"{line.rstrip()}\n" for line in drawn.split("\n")).rstrip("\n") + "\n"


def write() -> None:
    """Write the picture."""
    PICTURE.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    write()
