"""Speed and memory, as ratios against a peer in one run, because machines differ and are noisy.

`make bench` (or `python -m benchmarks [WORD …]`) runs every case at full size on the public data sets and prints a
table; `make test` runs every case once, small, so that none of them rots. Results are kept in benchmarks/results/.
"""
