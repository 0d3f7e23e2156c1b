"""`block --sensitive --rho` on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.channels.test_blocking_sensitive import hospital

if TYPE_CHECKING:
    from pathlib import Path


def test_on_the_command_line(call, tmp_path: Path):
    (tmp_path / "rows.txt").write_text("".join(" ".join(sorted(row)) + "\n" for row in hospital(2)), encoding="utf-8")
    words = ["block", "rows.txt", "-s", 20, "-k", 5, "--method", "suppressive", "--sensitive", "hiv"]
    assert "--sensitive needs --rho" in call(*words).refused()
    told = call(*words, "--rho", "60%", "-o", "safe.csv")
    assert told.status == 0
    assert "no conclusion of 60 % or more" in " ".join(told.out.split())
    assert "an itemset that is not listed is rare, or was withheld" in " ".join(told.out.split())
    document = json.loads(call(*words, "--rho", "60%", "--json").out)
    assert document["rho"] == "3/5"
    assert ["hiv", "ward=c"] in [each["items"] for each in document["withheld"]]
    audited = json.loads(
        call("audit", "--patterns", "safe.csv", "-k", 5, "--sensitive", "hiv", "--rho", "60%", "--json").out
    )
    assert (audited["conclusions"], audited["bounded_conclusions"], audited["count"]) == ([], [], 0)
