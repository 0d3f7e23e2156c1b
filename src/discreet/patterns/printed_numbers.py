"""Numbers as other tools print them: counts, shares of rows that stand for counts, and confidences digit by digit.

A share printed in full determines its count: share * n is close to one whole number. A share with few digits does so
only if n is small enough; otherwise it is refused rather than guessed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.errors import DataError, param
from discreet.patterns.imported_patterns import agreed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.tables.table import RawColumn

    Place = Callable[[int], str]

__all__ = [
    "Printed",
    "Supports",
    "confidences",
    "counts_from_shares",
    "fewest_rows",
    "fewest_rows_of_rounded",
    "n_from_shares",
    "numbers",
    "supports",
    "whole_numbers",
]

_WHOLE = r"^[+-]?[0-9]{1,18}$"
_WITH_COMMA = r"^[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]{1,3})?\s*%?$"
_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"
_NUMBER = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\s*%?$"
_LONGEST = 400
_IN_FULL = 1e-14
"""The relative error of a share printed in full (15 digits or more)."""

_DECIMAL_GRIDS = {10**digits for digits in range(2, 10)}
_SURE = 3
"""How many different counts must agree with n to all digits: too many for a rounding coincidence."""

_CHANCE = 9.0
"""How many digits of odds against a coincidence are enough to rule it out."""

_AGREE = 0.005
"""How far a share may be from its count, however few digits it was printed with."""

_FULL_DIGITS = 15
"""A share with so many digits was printed in full."""

_FEWEST = 10**6
"""Below so many rows, no two fractions are as close as a float's rounding error."""

_FIRST_TRIED = 1000
_FINEST = 2 * 10**9
"""The finest denominator of a rounded share for which the least number of rows is looked for."""

_MOST_ROWS = 2**40
"""With more rows, a float can no longer distinguish one row from none."""


class Supports(NamedTuple):
    """Exact supports, n if it is known, and what counts from shares have in common with n.

    `n_is_least` is whether nobody said n, and it is the least that fits.
    """

    counts: NDArray[np.int64]
    n: int | None
    factor: int | None = None
    n_is_least: bool = False


@dataclass(frozen=True, slots=True)
class Printed:
    """Numbers with a fractional part, as printed: texts, or floats that stand for their shortest text."""

    texts: list[str] | None
    floats: NDArray[np.float64]

    def decimals(self) -> list[Decimal]:
        """Return each number with the digits it was printed with; a percentage is divided by 100."""
        texts = map(repr, self.floats.tolist()) if self.texts is None else self.texts
        return [_decimal(text) for text in texts]


def _decimal(text: str) -> Decimal:
    return Decimal(text[:-1]).scaleb(-2) if text.endswith("%") else Decimal(text)


def numbers(chunks: list[RawColumn], what: str, place: Place) -> NDArray[np.int64] | Printed:
    """Return a column's numbers: exact integers if all are whole, otherwise as printed."""
    arrays = [chunk for chunk in chunks if not isinstance(chunk, list)]
    if len(arrays) == len(chunks):
        return _arrow_numbers(arrays, what, place)
    listed = (chunk if isinstance(chunk, list) else chunk.to_pylist() for chunk in chunks)
    return _python_numbers(list(chain.from_iterable(listed)), what, place)


def whole_numbers(chunks: list[RawColumn], what: str, place: Place) -> NDArray[np.int64]:
    """Return a column's whole numbers; whole floats (3.0) are accepted."""
    found = numbers(chunks, what, place)
    if not isinstance(found, Printed):
        return found
    wrong = np.flatnonzero((found.floats != np.floor(found.floats)) | (np.abs(found.floats) >= 2.0**53))
    if len(wrong):
        raise DataError(f"{place(int(wrong[0]))}: the {what} must be a whole number of rows; correct it")
    return found.floats.astype(np.int64)


def _arrow_numbers(chunks: list[pa.Array], what: str, place: Place) -> NDArray[np.int64] | Printed:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pa.chunked_array(chunks) if chunks else pa.chunked_array([], pa.int64())
    kind = column.type
    if column.null_count:
        _refuse(column.is_null().to_numpy(), what, place)
    if pa.types.is_integer(kind):
        try:
            return np.asarray(column.cast(pa.int64()).to_numpy(), np.int64)
        except pa.ArrowInvalid:
            raise DataError(f"a {what} is larger than any number of rows; correct it") from None
    if pa.types.is_floating(kind):
        floats = np.asarray(column.to_numpy(), np.float64)
        _refuse(~np.isfinite(floats), what, place)
        return Printed(None, floats)
    if pa.types.is_decimal(kind) or pa.types.is_string_view(kind):
        column, kind = column.cast(pa.string()), pa.string()
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise DataError(f"{place(0)}: expected a number as {what}, found the type {kind}")
    column = pc.utf8_trim_whitespace(column)
    if pc.all(pc.match_substring_regex(column, _WHOLE)).as_py() is not False:
        return np.asarray(pc.utf8_ltrim(column, "+").cast(pa.int64()).to_numpy(), np.int64)
    column = _with_points(column, what, place)
    written = pc.and_(pc.match_substring_regex(column, _NUMBER), pc.less(pc.binary_length(column), _LONGEST))
    _refuse(~written.to_numpy(), what, place)
    return _of_texts(column.to_pylist(), what, place)


def _with_points(column: pa.ChunkedArray, what: str, place: Place) -> pa.ChunkedArray:
    """Write 0,35 as 0.35; a comma that may separate thousands is refused."""
    import pyarrow.compute as pc

    commas = pc.match_substring_regex(column, _WITH_COMMA).to_numpy()
    if not commas.any():
        return column
    if pc.match_substring_regex(column, r"\.").to_numpy().any():
        _refuse(commas, what, place)
    unclear = pc.match_substring_regex(column, _THOUSANDS).to_numpy()
    if (unclear | ~commas).all():
        raise DataError(
            f"{place(int(np.argmax(unclear)))}: the comma in the {what} could be a decimal comma or separate "
            "thousands; write the number without it"
        )
    return pc.replace_substring(column, ",", ".")


def _refuse(wrong: NDArray[np.bool_], what: str, place: Place) -> None:
    rows = np.flatnonzero(wrong)
    if len(rows):
        raise DataError(f"{place(int(rows[0]))}: the {what} is missing or not a number; correct it")


def _of_texts(texts: list[str], what: str, place: Place) -> Printed:
    floats = np.array([float(text[:-1]) / 100 if text.endswith("%") else float(text) for text in texts], np.float64)
    wrong = np.flatnonzero(~np.isfinite(floats))
    if len(wrong):
        raise DataError(f"{place(int(wrong[0]))}: the {what} is not a number of a usable size; correct it")
    return Printed(texts, floats)


def _python_numbers(cells: list[Any], what: str, place: Place) -> NDArray[np.int64] | Printed:
    import pyarrow as pa

    texts = []
    for row, cell in enumerate(cells):
        if isinstance(cell, bool) or not isinstance(cell, (int, float, str, Decimal, np.integer, np.floating)):
            raise DataError(f"{place(row)}: the {what} is missing or not a number; correct it")
        texts.append(repr(float(cell)) if isinstance(cell, (float, np.floating)) else str(cell)[:1000])
    try:
        return _arrow_numbers([pa.array(texts, pa.string())], what, place)
    except UnicodeEncodeError:
        raise DataError(f"a {what} is not a number; correct it") from None


def counts_from_shares(shares: Printed, n: int, what: str, place: Place) -> NDArray[np.int64]:
    """Return the counts that printed shares of n rows stand for."""
    wrong = np.flatnonzero((shares.floats < 0) | (shares.floats > 1 + _IN_FULL))
    if len(wrong):
        raise DataError(f"{place(int(wrong[0]))}: the {what} must be a share between 0 and 1, or a count; correct it")
    counts = np.rint(shares.floats * n).astype(np.int64)
    if n < _MOST_ROWS and (np.abs(shares.floats * n - counts) <= counts * _IN_FULL).all():
        _refuse_decimal_grid(counts, n, what, place)
        return counts
    return _counts_of_rounded(shares.decimals(), n, what, place)


def _refuse_decimal_grid(counts: NDArray[np.int64], n: int, what: str, place: Place) -> None:
    """Refuse shares that fit n only because n is a multiple of 100 or 1000 and they were rounded to as many digits.

    All shares of 7000 rows rounded to three digits stand for multiples of 7 rows. If they were true counts, that many
    different ones would hardly all be multiples.
    """
    step = math.gcd(n, int(np.gcd.reduce(counts, initial=0)))
    if step > 1 and n // step in _DECIMAL_GRIDS and len(np.unique(counts)) * math.log10(step) > _CHANCE:
        raise DataError(f"{place(0)}: the {what} has too few digits to tell how many of {n} rows; give counts")


def _counts_of_rounded(shares: list[Decimal], n: int, what: str, place: Place) -> NDArray[np.int64]:
    counts = np.zeros(len(shares), np.int64)
    for row, (low, high) in enumerate(_windows(shares)):
        least, most = math.ceil(low * n), math.floor(high * n)
        if least > most:
            raise DataError(f"{place(row)}: the {what} is not a share of {n} rows; give the right n, or counts")
        if least < most:
            raise DataError(f"{place(row)}: the {what} has too few digits to tell how many of {n} rows; give counts")
        counts[row] = least
    return counts


def _windows(shares: list[Decimal]) -> list[tuple[Fraction, Fraction]]:
    """Return the range of each share before rounding, judging by the digits in the column.

    Not all tools print trailing zeros, so the longest number determines how many digits there were: either that many
    decimals or that many significant digits, whichever allows more.
    """
    places = max((-_exponent(share) for share in shares), default=0)
    significant = max((len(share.as_tuple().digits) for share in shares), default=1)
    windows = []
    for share in shares:
        last = max(-places, share.adjusted() + 1 - significant) if share else -places
        half = Fraction(10) ** last / 2
        windows.append((Fraction(share) - half, Fraction(share) + half))
    return windows


def _exponent(share: Decimal) -> int:
    exponent = share.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def n_from_shares(counts: NDArray[np.int64], shares: Printed) -> int | None:
    """Return the one number of rows that fits all counts and their shares, or None if it is ambiguous."""
    if not len(counts) or (counts < 1).any() or (shares.floats <= 0).any():
        return None
    row = int(np.argmax(counts))
    estimate = float(counts[row]) / float(shares.floats[row])
    if not estimate < _MOST_ROWS:
        return None
    n = round(estimate)
    in_full = shares.texts is None or len(np.unique(counts)) >= _SURE
    if in_full and (np.abs(shares.floats * n - counts) <= counts * _IN_FULL).all():
        return n
    windows = _windows(shares.decimals())
    if any(low <= 0 for low, _ in windows):
        return None
    pairs = list(zip(counts.tolist(), windows, strict=True))
    least = max(math.ceil(count / high) for count, (_, high) in pairs)
    most = min(math.floor(count / low) for count, (low, _) in pairs)
    return least if least == most else None


def supports(
    columns: Mapping[str, list[RawColumn]],
    n: int | None,
    place: Place,
    *,
    counts: str,
    shares: str,
    always_shares: bool = False,
    or_least_n: bool = False,
) -> Supports:
    """Return exact supports, and n if it is known, from a column of counts or of shares, or from both.

    Whole numbers in the column of shares are counts, unless the tool only ever writes shares there. Shares of which
    nobody says how many rows there are stand for the counts of the least number that fits, or are refused.
    """
    if counts in columns:
        exact = whole_numbers(columns[counts], counts, place)
        if shares in columns:
            given = _shares(columns[shares], shares, place)
            n = agreed("n", n, n_from_shares(exact, given))
            wrong = np.flatnonzero(np.abs(given.floats - exact / max(n or 0, 1)) > _AGREE)
            if n is not None and len(wrong):
                raise DataError(f"{place(int(wrong[0]))}: the {counts} and the {shares} do not agree; correct one or n")
        return Supports(exact, n)
    found = numbers(columns[shares], shares, place)
    if not always_shares:
        if not isinstance(found, Printed):
            return Supports(found, n)
        if (found.floats > 1 + _IN_FULL).any():
            return Supports(whole_numbers(columns[shares], shares, place), n)
    given = _shares(columns[shares], shares, place)
    least = None if n is not None else fewest_rows(given)
    if least is not None and or_least_n:
        return Supports(counts_from_shares(given, least, shares, place), least, 1, n_is_least=True)
    if n is None:
        least = fewest_rows_of_rounded(given) if least is None else least
        smallest = "" if least is None else f" ({least:,} is the least that fits)"
        raise DataError(
            f"{place(0)}: the {shares} is a share of the rows, and nothing says how many there are; give "
            f"{param('n')}{smallest}"
        )
    recovered = counts_from_shares(given, n, shares, place)
    return Supports(recovered, n, max(1, math.gcd(n, int(np.gcd.reduce(recovered, initial=0)))))


def fewest_rows(shares: Printed) -> int | None:
    """Return the least number of rows of which shares printed in full can be shares; None if that is not certain.

    It is the least common multiple of the denominators, call it m. Every multiple of m fits, and no other number below
    10^14 / m does: if c of n rows are printed as the share p / m, then c m and p n are whole numbers that differ by at
    most p n / 10^14 < 1, so they are equal for every share, and all the denominators divide n.
    """
    if max((len(share.as_tuple().digits) for share in shares.decimals()), default=0) < _FULL_DIGITS:
        return None
    least = 1
    for share in np.unique(shares.floats).tolist():
        count = round(share * least)
        if not 0 < share <= 1 + _IN_FULL:
            return None
        if abs(share * least - count) > count * _IN_FULL or not count:
            exact = Fraction(share)
            nearest = exact.limit_denominator(_FEWEST)
            if abs(nearest - exact) > exact * Fraction(_IN_FULL):
                return None
            least = math.lcm(least, nearest.denominator)
            if least > _FEWEST:
                return None
    return least


def fewest_rows_of_rounded(shares: Printed) -> int | None:
    """Return the least number of rows that fits shares of few digits, as they may have been rounded; None if none."""
    windows = set(_windows(shares.decimals()))
    if not windows or any(bound.denominator > _FINEST for window in windows for bound in window):
        return None
    for first, last in ((1, _FIRST_TRIED), (_FIRST_TRIED + 1, _FEWEST)):
        fitting = np.arange(first, last + 1, dtype=np.int64)
        for low, high in windows:
            least = np.maximum(1, -(-fitting * low.numerator // low.denominator))
            fitting = fitting[least <= fitting * high.numerator // high.denominator]
        if len(fitting):
            return int(fitting[0])
    return None


def _shares(chunks: list[RawColumn], what: str, place: Place) -> Printed:
    found = numbers(chunks, what, place)
    return found if isinstance(found, Printed) else Printed([str(share) for share in found], found.astype(np.float64))


def confidences(chunks: list[RawColumn], place: Place) -> list[Decimal]:
    """Return confidences with the digits they were printed with."""
    found = numbers(chunks, "confidence", place)
    values = found.decimals() if isinstance(found, Printed) else [Decimal(number) for number in found.tolist()]
    for row, value in enumerate(values):
        if not 0 <= value <= 1 + Decimal("1e-9"):  # a quotient of floats may be slightly above 1
            raise DataError(f"{place(row)}: the confidence must be a share between 0 and 1, or a percentage with %")
    return values
