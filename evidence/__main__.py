"""Run the campaigns and write what they tried and found to docs/evidence.md."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from evidence import attacker, forgeries, fuzzing, kills, ledgers, months, noise, readers, sanitizers, twins

if TYPE_CHECKING:
    from evidence.campaign import Campaign, Outcome

__all__ = ["ALL", "section"]

ALL = (
    attacker.CAMPAIGN,
    forgeries.CAMPAIGN,
    *fuzzing.CAMPAIGNS,
    kills.CAMPAIGN,
    ledgers.CAMPAIGN,
    months.CAMPAIGN,
    *noise.CAMPAIGNS,
    *twins.CAMPAIGNS,
    readers.CAMPAIGN,
    sanitizers.CAMPAIGN,
)
PAGE = Path(__file__).parents[1] / "docs" / "evidence.md"
HEAD = """# Evidence

What long campaigns tried to break, and what they found. `make evidence` runs them and writes this page; `make test`
runs a small part of each. A promise is broken where the last but one column is not 0.
"""


def section(campaign: Campaign, outcomes: list[Outcome], seconds: float) -> str:
    """Write a campaign's part of the page."""
    lines = [f"## {campaign.name}", "", campaign.promise, ""]
    lines += ["| what was tried | times | refused | broken | |", "| --- | --- | --- | --- | --- |"]
    lines += [outcome.line() for outcome in outcomes]
    tried, broken = sum(one.tried for one in outcomes), sum(one.broken for one in outcomes)
    lines += ["", f"{tried:,} trials in {seconds / 60:.0f} minutes; broken: {broken:,}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the campaigns whose name contains any of the arguments (all without arguments)."""
    parser = argparse.ArgumentParser(
        prog="python -m evidence", description="Run campaigns, and write docs/evidence.md."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="run the campaigns whose names hold this")
    parser.add_argument("--count", type=int, help="how many trials of each kind, if not as many as the page rests on")
    arguments = parser.parse_args()
    wanted = [word.casefold() for word in arguments.names]
    for campaign in ALL:
        if wanted and not any(word in campaign.name.casefold() for word in wanted):
            continue
        start, outcomes = time.monotonic(), []
        for outcome in campaign.run(arguments.count or campaign.many):
            print(outcome.line(), flush=True)
            outcomes.append(outcome)
        sections = _written() | {campaign.name: section(campaign, outcomes, time.monotonic() - start)}
        parts = [sections[one.name] for one in ALL if one.name in sections]
        PAGE.write_text("\n".join([HEAD, *parts]), encoding="utf-8")


def _written() -> dict[str, str]:
    """Return the sections of the page as it stands, by campaign."""
    if not PAGE.exists():
        return {}
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.split("\n", 1)[0]: f"## {part.rstrip()}\n" for part in parts}


if __name__ == "__main__":
    main()
