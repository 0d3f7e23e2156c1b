"""MINE TOGETHER: itemsets over the data of two owners, neither of whom sees the other's rows (jiang2006).

What stands where, from the wire inwards:

- `messages`: typed messages and their bytes; `transport`: TLS between two pinned certificates; `identity`: those.
- `alignment`: are these the same people in the same order?
- `primitives`: the only door to cryptography; the engine above it works on secret shares.
- the protocols themselves, as machines without sockets: messages in, messages out.
"""

from __future__ import annotations
