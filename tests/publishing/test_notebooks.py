"""Every result shows itself in a notebook: what it says, as HTML that no label can break."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discreet

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [["<b>tea", "milk"]] * 9 + [["milk"]] * 5 + [["<b>tea"]]


def test_results_show_themselves(tmp_path: Path):
    rows = discreet.Transactions.from_rows(ROWS)
    found = discreet.mine(rows, min_support=3)
    released = discreet.release(rows, k=3, min_support=3, method="suppressive", output=tmp_path / "public")
    shown = {
        "1 of 15 rows match": discreet.query(found, '"<b>tea" AND NOT milk'),
        "rows left out": discreet.block(rows, k=3, min_support=3, method="suppressive"),
        "items removed": discreet.hide(rows, restrict=[["<b>tea", "milk"]], method="iga"),
        "information lost": discreet.anonymize(rows, rho=0.7, sensitive=["<b>tea"]),
        "safe for k = 3": released,
        "digests": discreet.verify(tmp_path / "public"),
    }
    for words, result in shown.items():
        html = result._repr_html_()
        assert words in html, (words, html)
        assert "<b>tea" not in html
