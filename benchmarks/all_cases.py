"""Every benchmark there is."""

from __future__ import annotations

from benchmarks import (
    channels,
    command_line,
    generate,
    hiding,
    microdata,
    patterns,
    tradeoff,
    transactions,
    uncertainty,
)

__all__ = ["ALL"]

ALL = (
    transactions.cases,
    generate.cases,
    patterns.cases,
    channels.cases,
    tradeoff.cases,
    hiding.cases,
    microdata.cases,
    uncertainty.cases,
    command_line.cases,
)
