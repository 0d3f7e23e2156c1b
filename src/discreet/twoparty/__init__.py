"""Mine itemsets over the data of two owners, neither of whom sees the other's rows (jiang2006).

The layers, from the wire inwards:

- `messages`: typed messages and their bytes; `transport`: TLS between two pinned certificates; `identity`: those.
- `alignment`: are these the same people in the same order?
- `primitives`: the only access to cryptography; the engine above it computes on secret shares.
- the protocols themselves, as state machines without sockets: messages in, messages out.
"""

from __future__ import annotations
