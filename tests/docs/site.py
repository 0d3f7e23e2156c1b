"""Build the site of the documentation: python -m tests.docs.site FOLDER (make site).

The pages are written for a code host first, where README.md and its neighbours stand outside of docs/ and link to
source files. Here they move into one folder: links between them are adapted, and links to source files become plain
text. Only Markdown goes in, so that any builder of sites will do. The navigation is what docs/index.md lists.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from tests.docs.pages import ROOT

__all__ = ["OUTSIDE", "build", "main", "navigation", "stage"]

OUTSIDE = {
    "README.md": "start.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""The pages at the root, and their names on the site: a README would become the page of its folder."""

FOLDERS = {"command-line.md": "commands"}
"""Pages that stand next to the folder whose pages they introduce."""

SHIM = "https://unpkg.com/iframe-worker/shim"

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_BLOCK = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)


def stage(folder: Path) -> list[str]:
    """Write all pages, and what they show, into a folder; return the pages' names."""
    docs = ROOT / "docs"
    names = {f"docs/{path.relative_to(docs).as_posix()}": path for path in sorted(docs.rglob("*")) if path.is_file()}
    names |= {name: ROOT / name for name in OUTSIDE}
    places = {name: OUTSIDE.get(name, name.removeprefix("docs/")) for name in names}
    for name, path in names.items():
        target = folder / places[name]
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            target.write_text(_moved(path.read_text(encoding="utf-8"), name, places), encoding="utf-8")
        else:
            shutil.copyfile(path, target)
    (folder / "assets").mkdir()
    shutil.copyfile(ROOT / "tests" / "docs" / "site.css", folder / "assets" / "site.css")
    return [place for place in places.values() if place.endswith(".md")]


def navigation(folder: Path) -> str:
    """Return the navigation as TOML: the sections of index.md, and under a page that has a folder, its pages."""
    lines, title = ['nav = [\n  { "Home" = "index.md" },\n'], None
    for line in (folder / "index.md").read_text(encoding="utf-8").split("\n"):
        if section := re.fullmatch(r"\*\*(.+)\*\*", line):
            lines += ["  ] },\n"] if title else []
            title = section[1]
            lines.append(f'  {{ "{title}" = [\n')
        elif title:
            for _, shown, target in _LINK.findall(line):
                if target.endswith(".md") and "#" not in target:
                    lines.append(f"    {_entry(folder, shown, target)},\n")
    return "".join([*lines, "  ] },\n]\n"])


def _entry(folder: Path, shown: str, target: str) -> str:
    """Return a page of the navigation, with those of its folder if it has one."""
    inner = folder / (dirname(target) if target.endswith("/index.md") else FOLDERS.get(target, "none"))
    if not inner.is_dir() or inner == folder:
        return f"{{ {json.dumps(shown)} = {json.dumps(target)} }}"
    pages = [page.relative_to(folder).as_posix() for page in sorted(inner.glob("*.md")) if page.name != "index.md"]
    return f"{{ {json.dumps(shown)} = {json.dumps([target, *pages])} }}"


def _moved(text: str, name: str, places: dict[str, str]) -> str:
    """Return a page with its links as they are in the new place."""

    def link(match: re.Match[str]) -> str:
        mark, shown, target = match.groups()
        path, hash_, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return match[0]
        place = places.get(normpath(join(dirname(name), path)))
        if place is None:
            return "" if mark else shown
        again = re.sub(r"-(\d+)$", r"_\1", anchor) if place.startswith("api/") else anchor  # a heading's second use
        return f"{mark}[{shown}]({relpath(place, dirname(places[name]) or '.')}{hash_}{again})"

    return "".join(part if part.startswith("```") else _LINK.sub(link, part) for part in _BLOCK.split(text))


def build(folder: Path) -> str:
    """Build the site into `folder/site`, and return what the builder printed; what leads nowhere is an error."""
    shutil.rmtree(folder, ignore_errors=True)
    stage(folder / "pages")
    head, mark, rest = (ROOT / "zensical.toml").read_text(encoding="utf-8").partition("# nav\n")
    if not mark:
        raise ValueError("zensical.toml has no line '# nav', where the navigation goes")
    (folder / "zensical.toml").write_text(head + navigation(folder / "pages") + rest, encoding="utf-8")
    builder = Path(sys.executable).parent / "zensical"
    done = subprocess.run(
        [builder, "build", "--strict"],
        cwd=folder,
        env=os.environ | {"NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stdout)
    _stay_at_home(folder / "site")
    return done.stdout


def _stay_at_home(site: Path) -> None:
    """Replace the only script that pages would fetch from elsewhere by our own."""
    shutil.copyfile(ROOT / "tests" / "docs" / "site_worker.js", site / "assets" / "worker.js")
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        own = relpath(site / "assets" / "worker.js", page.parent)
        page.write_text(text.replace(SHIM, own), encoding="utf-8")


def main() -> None:
    """Build the site in the folder that is named."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m tests.docs.site FOLDER")
    folder = Path(sys.argv[1])
    sys.stdout.write(f"{build(folder)}{folder / 'site' / 'index.html'}\n")


if __name__ == "__main__":
    main()
