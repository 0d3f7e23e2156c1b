"""How items left rows, by the definition on random rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet import Transactions
from discreet.uncertainty.recoding import in_fewer_rows, recoding_of
from tests.strategies import rows_of_labels


def slow(now: list[set[str]], before: list[set[str]], private: set[str]) -> str:
    """Return how items left rows, from the definition."""
    held = set().union(*now)
    if not held & private:
        return "global"
    counts, earlier = (Counter(label for row in rows for label in row) for rows in (now, before))
    if any(counts[label] < earlier[label] for label in held & private):
        return "local"
    both = held & set(earlier)
    kept = [Counter(frozenset(row & both) for row in rows) for rows in (now, before)]
    return "global" if kept[0] == kept[1] and held & private <= both else "unknown"


@given(rows_of_labels(), st.data())
def test_recodings_are_told_apart_as_defined(rows: list[list[str]], data: st.DataObject):
    labels = sorted({label for row in rows for label in row})
    private = data.draw(st.sets(st.sampled_from(labels))) if labels else set()
    before = [{*row} for row in rows]
    dropped = data.draw(st.sets(st.sampled_from(labels), max_size=2)) if labels else set()
    now = [row - dropped for row in before]
    if now and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(now) - 1))
        now[place] = data.draw(st.sets(st.sampled_from([*labels, "new"])))
    if data.draw(st.booleans()):
        now = [{f"{label}*" if label not in private else label for label in row} for row in now]
    made = Transactions.from_rows(now)
    codes = np.array([made.vocabulary.positions[label] for label in private if label in made.vocabulary], np.int32)
    original = Transactions.from_rows(before)
    found = recoding_of(made, codes, original)
    assert found == slow(now, before, private)
    assert (found == "local") is bool(in_fewer_rows(made, codes, original))
    assert recoding_of(made, codes, None) == ("global" if not set().union(*now) & private else "unknown")
