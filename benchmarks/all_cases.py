"""Every benchmark there is."""

from __future__ import annotations

from benchmarks import (
    attacker,
    blocking,
    channels,
    command_line,
    databases,
    generate,
    hiding,
    microdata,
    patterns,
    publishing,
    tradeoff,
    transactions,
    twoparty,
    uncertainty,
)

__all__ = ["ALL"]

ALL = (
    transactions.cases,
    databases.cases,
    generate.cases,
    patterns.cases,
    channels.cases,
    attacker.cases,
    blocking.cases,
    tradeoff.cases,
    hiding.cases,
    microdata.cases,
    uncertainty.cases,
    twoparty.cases,
    publishing.cases,
    command_line.cases,
)
