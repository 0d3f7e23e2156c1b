"""Every benchmark there is."""

from __future__ import annotations

from benchmarks import channels, command_line, generate, microdata, patterns, publishing, tradeoff, transactions

__all__ = ["ALL"]

ALL = (
    transactions.cases,
    generate.cases,
    patterns.cases,
    channels.cases,
    tradeoff.cases,
    microdata.cases,
    publishing.cases,
    command_line.cases,
)
