"""Make the pictures of reports in docs/reports from the running program: `python -m tests.browser.report_pictures`.

The demo's two reports and an audit for the file, on made-up data, at twice the usual density. Look at each of them
before committing.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.browser.chromium import installed

__all__ = ["REPORTS", "main"]

FOLDER = Path("docs/reports")
REPORTS = {"public": "tour/public/report.html", "owner": "tour/owner-report.html", "audit": "audit.html"}
SIZE = (1000, 1100)
DENSITY = 2
COLOURS = 32


def main() -> int:
    """Make all pictures, and return the exit status."""
    found = installed()
    if found is None:
        print("there is no Chromium with its driver; install chromium and chromium-driver", file=sys.stderr)  # noqa: T201
        return 2
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = [sys.executable, "-m", "discreet"]
        audit = ["audit", "tour/hospital.csv", "-s", "20%", "-k", "10", "--report", "audit.html"]
        for words in (["demo", "-o", "tour"], audit):
            subprocess.run([*program, *words], cwd=folder, check=False, capture_output=True)
        for picture, report in REPORTS.items():
            shot = folder / f"{picture}.png"
            size = f"--window-size={SIZE[0]},{SIZE[1]}"
            words = ["--headless", "--no-sandbox", "--hide-scrollbars", size, f"--screenshot={shot}"]
            words.append(f"--force-device-scale-factor={DENSITY}")
            subprocess.run([found[0], *words, (folder / report).as_uri()], check=True, capture_output=True)
            few = Image.open(shot).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
            few.save(FOLDER / f"{picture}.png", optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
