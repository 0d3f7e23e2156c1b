"""Run the pages of the documentation and write what their commands print into them: python -m tests.docs.refresh.

Name pages to refresh only these. What a page shows is left as it is where it still fits, `...` included. The pages of
docs/api and the picture of the house are made from the code first.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.docs import api_pages, house_picture, policy_page, terminal_picture
from tests.docs.pages import PAGES, Block, Exchange, Session, blocks, run_block, surroundings

__all__: list[str] = []


def refreshed(block: Block, exchanges: list[Exchange]) -> str:
    """Return a block's text with the output of today."""
    if all(exchange.same for exchange in exchanges):
        return block.text
    parts = []
    for exchange in exchanges:
        shown = exchange.shown if exchange.same else exchange.printed
        if block.language == "pycon":
            first, *more = exchange.typed.rstrip("\n").split("\n")
            typed = "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in more)])
        else:
            typed = exchange.typed
        lines = [line.rstrip() for line in shown.rstrip().split("\n")] if shown.strip() else []
        apart = [""] if block.language == "console" and lines[:1] == [""] and exchange is not exchanges[-1] else []
        parts += [typed, *lines, *apart]
    return "".join(f"{line}\n" for line in "\n".join(parts).split("\n"))


def refresh(page: Path) -> bool:
    """Run a page and rewrite it; say whether it changed."""
    text = page.read_text(encoding="utf-8")
    session = Session()
    lines = text.split("\n")
    replaced = []
    with tempfile.TemporaryDirectory() as folder, surroundings(Path(folder)):
        for block in blocks(page):
            exchanges = run_block(block, session)
            if any("internal fault" in exchange.printed for exchange in exchanges):
                raise SystemExit(f"{page}, from line {block.line}: the program failed; the page is left as it is")
            if exchanges:
                replaced.append((block, refreshed(block, exchanges)))
    for block, new in reversed(replaced):
        end = block.line - 1 + block.text.count("\n")
        lines[block.line - 1 : end] = new.rstrip("\n").split("\n")
    changed = "\n".join(lines) != text
    if changed:
        page.write_text("\n".join(lines), encoding="utf-8")
    return changed


def main() -> None:
    """Refresh the pages that are named, or all."""
    named = [Path(name).absolute() for name in sys.argv[1:]]
    if not named:
        house_picture.write()
        terminal_picture.write()
    for page in [] if named else [*api_pages.write(), *policy_page.write()]:
        sys.stdout.write(f"{page}\n")
    for page in named or [page for page in PAGES if page.exists() and page.parent != api_pages.FOLDER]:
        if refresh(page):
            sys.stdout.write(f"{page}\n")


if __name__ == "__main__":
    main()
