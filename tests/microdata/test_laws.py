"""What holds for every table: the result is k-anonymous, within its limit, and what trying everything gives."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.microdata.kanon import kanon
from discreet.transactions.transactions import Transactions
from tests.microdata.kanon_twin import Twin


@st.composite
def hierarchy(draw: st.DrawFn) -> list[list[str]]:
    """Draw lines in which each level is a function of the one below; most end in one value for all."""
    level = [f"v{number}" for number in range(draw(st.integers(1, 5)))]
    lines = [[value] for value in level]
    for number in range(1, draw(st.integers(1, 3)) + 1):
        parents = draw(st.integers(1, 3))
        parent_of = {value: f"l{number}-{draw(st.integers(1, parents))}" for value in sorted(set(level))}
        level = [parent_of[value] for value in level]
        for line, value in zip(lines, level, strict=True):
            line.append(value)
    if draw(st.booleans()) or draw(st.booleans()):
        for line in lines:
            line.append("*")
    return lines


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[list[str]], list[list[list[str]]], int, int]:
    """Draw rows, a hierarchy for each column, k, and how many rows may be suppressed."""
    hierarchies = draw(st.lists(hierarchy(), min_size=1, max_size=4))
    values = [st.sampled_from([line[0] for line in lines]) for lines in hierarchies]
    rows = draw(st.lists(st.tuples(*values), min_size=1, max_size=25))
    return [list(row) for row in rows], hierarchies, draw(st.integers(2, 5)), draw(st.integers(0, 6))


def table_of(rows: list[list[str]]) -> Transactions:
    """Return the rows as a table with one more column, which is no quasi-identifier."""
    return Transactions.from_rows(
        [[f"q{at}={value}" for at, value in enumerate(row)] + [f"other={number}"] for number, row in enumerate(rows)]
    )


def solved(rows, hierarchies, k, limit, method, **options):
    """Return the result, or None where there is none."""
    names = [f"q{at}" for at in range(len(hierarchies))]
    try:
        return kanon(
            table_of(rows),
            k=k,
            quasi_identifiers=names,
            hierarchies=dict(zip(names, hierarchies, strict=True)),
            method=method,
            suppress=limit,
            **options,
        )
    except InputError:
        return None


def check_result(result, rows, hierarchies, k, limit):
    """Check by looking at every row: each is the generalized one it was, and shares its values with k - 1 others."""
    twin = Twin(rows, hierarchies)
    levels = tuple(result.generalization.values())
    sizes = twin.groups(levels)
    kept = {}
    for row in result.rows:
        number = next(label for label in row if label.startswith("other=")).removeprefix("other=")
        kept[int(number)] = {label for label in row if not label.startswith("other=")}
    assert sorted(kept) == [number for number, row in enumerate(rows) if sizes[twin.generalized(row, levels)] >= k]
    for number, items in kept.items():
        assert items == {f"q{at}={value}" for at, value in enumerate(twin.generalized(rows[number], levels))}
    assert min(Counter(frozenset(items) for items in kept.values()).values()) >= k
    assert result.suppressed_rows == len(rows) - len(kept) <= limit


@settings(max_examples=120, deadline=None)
@given(problems())
def test_incognito_is_trying_everything(problem):
    rows, hierarchies, k, limit = problem
    result = solved(*problem, "incognito")
    minimal = Twin(rows, hierarchies).minimal(k, limit)
    if result is None:
        assert minimal == []
        return
    assert [tuple(each.values()) for each in result.alternatives] == minimal
    assert result.generalization == result.alternatives[0]
    check_result(result, rows, hierarchies, k, limit)
    last = solved(*problem, "incognito", take=len(minimal))
    assert last.generalization == last.alternatives[-1]
    check_result(last, rows, hierarchies, k, limit)


@settings(max_examples=120, deadline=None)
@given(problems())
def test_datafly_is_the_papers_three_steps(problem):
    rows, hierarchies, k, limit = problem
    result = solved(*problem, "datafly")
    levels = Twin(rows, hierarchies).datafly(k, limit)
    if result is None:
        assert levels is None
        return
    assert tuple(result.generalization.values()) == levels
    assert result.alternatives == ()
    check_result(result, rows, hierarchies, k, limit)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_what_passes_stays_so_when_a_column_is_raised_or_left_out(problem):
    """The two properties on which Incognito rests, with rows suppressed, too."""
    rows, hierarchies, k, limit = problem
    twin = Twin(rows, hierarchies)
    for levels in twin.passing(k, limit):
        outliers = twin.outliers(levels, k)
        for at, level in enumerate(levels):
            if level < twin.heights[at]:
                assert twin.outliers((*levels[:at], level + 1, *levels[at + 1 :]), k) <= outliers
            fewer = Twin([row[:at] + row[at + 1 :] for row in rows], hierarchies[:at] + hierarchies[at + 1 :])
            assert fewer.outliers(levels[:at] + levels[at + 1 :], k) <= outliers


@settings(max_examples=50, deadline=None)
@given(problems(), st.sampled_from(["datafly", "incognito"]))
def test_folded_rows_count_as_often_as_they_occur(problem, method):
    rows, hierarchies, k, limit = problem
    names = [f"q{at}" for at in range(len(hierarchies))]
    options = {
        "k": k,
        "quasi_identifiers": names,
        "hierarchies": dict(zip(names, hierarchies, strict=True)),
        "method": method,
        "suppress": limit,
    }
    plain = Transactions.from_rows([[f"q{at}={value}" for at, value in enumerate(row)] for row in rows])
    try:
        expected = kanon(plain, **options)
    except InputError:
        return
    found = kanon(plain.fold(), **options)
    assert found.to_dict() == expected.to_dict()
    assert found.rows.fold() == expected.rows.fold()
