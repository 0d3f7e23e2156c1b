"""Every benchmark there is."""

from __future__ import annotations

from benchmarks import channels, command_line, generate, microdata, patterns, tradeoff, transactions, twoparty

__all__ = ["ALL"]

ALL = (
    transactions.cases,
    generate.cases,
    patterns.cases,
    channels.cases,
    tradeoff.cases,
    microdata.cases,
    twoparty.cases,
    command_line.cases,
)
