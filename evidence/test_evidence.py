"""Every campaign runs, small, and finds nothing broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evidence.__main__ import ALL, section

if TYPE_CHECKING:
    from evidence.campaign import Campaign


@pytest.mark.parametrize("campaign", [each for each in ALL if each.few], ids=lambda campaign: campaign.name)
def test_campaign_runs_and_breaks_nothing(campaign: Campaign):
    outcomes = list(campaign.run(campaign.few))
    assert sum(outcome.tried for outcome in outcomes) > sum(outcome.refused for outcome in outcomes)
    assert not [outcome for outcome in outcomes if outcome.broken]
    assert f"## {campaign.name}" in section(campaign, outcomes, seconds=1)
