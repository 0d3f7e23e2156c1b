"""The curve of loss over rho: each point is what anonymizing for it gives, and the chart has just these numbers."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

import discreet
from discreet.errors import OutputError, ParameterError
from discreet.publishing.charts import loss_chart, write_loss_chart
from discreet.transactions.transactions import Transactions
from tests.uncertainty.settings import random_setting

if TYPE_CHECKING:
    from pathlib import Path

RHOS = ["0.2", "0.5", "0.8"]
ROWS = Transactions.from_rows([["a", "hiv"], ["a"], ["a", "b"], ["b", "flu"], ["b"], ["c", "flu"], ["c"], ["d"]] * 2)


@pytest.mark.parametrize("method", ["best", "tdcontrol", "suppress", "simple"])
def test_each_point_is_what_anonymizing_for_it_gives(method: str) -> None:
    for seed in range(12):
        setting = random_setting(seed)
        asked = {"sensitive": setting.sensitive, "method": method, "ignore_unknown": True}
        found = discreet.loss_curve(setting.rows, curve=",".join(reversed(RHOS)), **asked)
        assert [point.rho for point in found.points] == [Fraction(rho) for rho in RHOS]
        least: dict[object, object] = {}
        for point in found.points:
            alone = discreet.anonymize(setting.rows, rho=point.rho, **asked)
            assert (point.information_loss, point.left) == (alone.information_loss, alone.left)
            assert point.surest == (None if alone.worst_rule is None else alone.worst_rule.confidence)
            assert found.simple_loss == alone.simple_loss
            better = [rho for rho, loss in least.items() if loss < point.information_loss]
            assert (point.better in better) if better else point.better is None
            least[point.rho] = point.information_loss


def test_items_with_a_limit_of_their_own_keep_it_at_every_rho() -> None:
    found = discreet.loss_curve(ROWS, curve=RHOS, sensitive=["hiv @ 0.1", "flu"])
    assert all(point.surest is None or point.surest < point.rho for point in found.points)
    assert found.points[-1].left.sensitive_items == (2, 1)  # at 0.8 only hiv had to go


def test_a_curve_needs_confidences_and_a_promise() -> None:
    with pytest.raises(ParameterError, match="curve must be 1 to 100 confidences"):
        discreet.loss_curve(ROWS, curve=[], sensitive=["hiv"])
    with pytest.raises(ParameterError, match="curve must be a share between 0 and 1, got 'x'"):
        discreet.loss_curve(ROWS, curve="0.1,x", sensitive=["hiv"])
    with pytest.raises(ParameterError, match="does not go with perturb"):
        discreet.loss_curve(ROWS, curve="0.1", sensitive=["hiv"], method="perturb")


def test_the_chart_has_just_the_numbers(tmp_path: Path) -> None:
    found = discreet.loss_curve(ROWS, curve=RHOS, sensitive=["hiv", "flu"])
    told = [shape.told for _, shapes in loss_chart(found).groups for shape in shapes if shape.told]
    assert told == [
        f"rho {100 * float(point.rho):.4g} %: {100 * float(point.information_loss):.4g} % lost"
        for point in found.points
    ]
    for name in ("one.svg", "two.svg", "page.html"):
        write_loss_chart(found, tmp_path / name)
    one = (tmp_path / "one.svg").read_bytes()
    assert one == (tmp_path / "two.svg").read_bytes()
    assert b"hiv" not in one + (tmp_path / "page.html").read_bytes()
    assert ET.fromstring(one).attrib["role"] == "img"  # noqa: S314 - made above
    assert found.sentences[0] in (tmp_path / "page.html").read_text()
    with pytest.raises(OutputError, match=r"name it \.svg or \.html"):
        write_loss_chart(found, tmp_path / "chart.png")
