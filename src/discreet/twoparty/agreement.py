"""The parameters that two parties must agree on first, and the role of each party."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import Final, Literal, get_args

from discreet.errors import Disagreement, ParameterError, ProtocolViolation, param
from discreet.thresholds import K, Support, one_of

__all__ = [
    "LONGEST_PROPOSAL",
    "MOST_ROWS",
    "MOST_ROWS_TWICE",
    "PROTOCOL_VERSION",
    "Agreed",
    "Proposal",
    "Protocol",
    "Role",
    "check_anonymizable",
    "least_support",
]

PROTOCOL_VERSION: Final = 7

Protocol = Literal["ic-sapm", "dka-sapm"]
"""Withhold what opens a channel (IC-SAPM), or make the joint rows k-anonymous first (DkA-SAPM)."""

MOST_ROWS: Final = 2**31 - 1
"""Supports are shared in 32 bits, one of which is the sign of a difference."""

MOST_ROWS_TWICE: Final = 4_000_000
"""The most rows of a session that computes twice: a column fits in one message, and a count leaves 41 bits of a tag."""

_NUMBERS: Final = struct.Struct(">HBBQQ32s")
_DIGITS: Final = 61
_SUPPORT: Final = re.compile(rb"([1-9][0-9]{0,%d})(?:/([1-9][0-9]{0,%d}))?" % (_DIGITS - 1, _DIGITS - 1), re.ASCII)
LONGEST_PROPOSAL: Final = _NUMBERS.size + 2 * _DIGITS + 1
"""The most bytes of a proposal: its numbers, and a support as a fraction."""


class Role(IntEnum):
    """The role of a party; it alone decides whatever is not symmetric."""

    FIRST = 1  # listens
    SECOND = 2  # connects

    @property
    def other(self) -> Role:
        """The partner's role."""
        return Role.SECOND if self is Role.FIRST else Role.FIRST


@dataclass(frozen=True, slots=True)
class Agreed:
    """What both parties agreed on: the number of joint rows, the threshold in rows (`least_support`), k."""

    protocol: Protocol
    horizontal: bool
    n: int
    min_support: int
    k: int
    iterate: bool = False
    dual: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one party wants to compute.

    `rows` is the number of its own rows. `min_support` is a number of rows or, if the parties hold different people
    (`horizontal`), possibly a share of the joint rows. `labels` is a digest of the labels that candidates grow from,
    empty if there is none; `identified` is whether the rows have ids to check their order with; `iterate` whether
    DkA-SAPM goes on with the rows that are not yet anonymous, and tells both which those are; `dual` whether everything
    is computed twice, once from each side.
    """

    protocol: Protocol
    rows: int
    min_support: int | Fraction
    k: int
    horizontal: bool = False
    identified: bool = False
    labels: bytes = bytes(32)
    iterate: bool = False
    dual: bool = False

    def __post_init__(self) -> None:
        """Refuse invalid values."""
        one_of(self.protocol, get_args(Protocol), parameter="protocol")
        if not 1 <= self.rows <= MOST_ROWS:
            raise ParameterError(
                f"two parties mine between 1 and {MOST_ROWS:,} rows, not {self.rows:,}", parameter="data"
            )
        K.parse(self.k)  # K also fits the wire format
        if self.protocol == "dka-sapm":
            check_anonymizable(self.rows, self.k)
        if not self.horizontal and isinstance(self.min_support, Fraction):
            raise ParameterError(f"{param('min_support')} must be a number of rows by now", parameter="min_support")
        if self.horizontal and self.protocol != "ic-sapm":
            raise ParameterError(
                f"different people can be mined with {param('protocol')} ic-sapm alone; dka-sapm joins columns of the "
                "same people",
                parameter="protocol",
            )
        if self.iterate and self.protocol != "dka-sapm":
            raise ParameterError(
                f"{param('iterate', value=True)} is for {param('protocol')} dka-sapm, whose rounds it repeats",
                parameter="iterate",
            )

        if self.dual and (self.protocol != "ic-sapm" or self.horizontal):
            raise ParameterError(
                f"{param('dual', value=True)} is for {param('protocol')} ic-sapm on columns of the same people; give "
                "it without the others",
                parameter="dual",
            )
        if self.dual and self.rows > MOST_ROWS_TWICE:
            raise ParameterError(
                f"everything is computed twice for up to {MOST_ROWS_TWICE:,} rows, not {self.rows:,}; with "
                f"{param('dual', value=False)} on both sides it is computed once, and a partner with changed software "
                "may then learn single cells",
                parameter="dual",
            )

    def to_dict(self) -> dict[str, str | int | bool]:
        """Return the JSON form."""
        return {
            "protocol": self.protocol,
            "rows": self.rows,
            "min_support": str(self.min_support),
            "k": self.k,
            "horizontal": self.horizontal,
            "iterate": self.iterate,
            "dual": self.dual,
        }

    def to_bytes(self) -> bytes:
        """Return the bytes for the partner."""
        flags = self.horizontal | self.identified << 1 | self.iterate << 2 | self.dual << 3
        which = get_args(Protocol).index(self.protocol)
        numbers = _NUMBERS.pack(PROTOCOL_VERSION, which, flags, self.rows, self.k, self.labels)
        if isinstance(self.min_support, int):
            return numbers + str(self.min_support).encode()
        return numbers + f"{self.min_support.numerator}/{self.min_support.denominator}".encode()

    @classmethod
    def from_bytes(cls, payload: bytes) -> Proposal:
        """Parse the partner's bytes."""
        if len(payload) < _NUMBERS.size or int.from_bytes(payload[:2], "big") != PROTOCOL_VERSION:
            raise Disagreement(
                f"the partner speaks another version of the protocol than this side ({PROTOCOL_VERSION}); "
                "install the same release of discreet on both sides"
            )
        _, which, flags, rows, k, labels = _NUMBERS.unpack_from(payload)
        support = _SUPPORT.fullmatch(payload[_NUMBERS.size :])
        if which >= len(get_args(Protocol)) or flags > 0b1111 or support is None:  # noqa: PLR2004 - four flags
            raise ProtocolViolation("the partner's parameters cannot be read; start both sides again")
        count, share = support.groups()
        try:
            return cls(
                protocol=get_args(Protocol)[which],
                rows=rows,
                min_support=Fraction(int(count), int(share)) if share else int(count),
                k=k,
                horizontal=bool(flags & 1),
                identified=bool(flags & 2),
                labels=labels,
                iterate=bool(flags & 4),
                dual=bool(flags & 8),
            )
        except ParameterError as error:
            raise ProtocolViolation("the partner's parameters make no sense; start both sides again") from error

    def agree(self, partner: Proposal) -> Agreed:
        """Return what both want; raise Disagreement that names the first difference."""
        for name, mine, theirs, parameter in (
            ("the protocol", self.protocol, partner.protocol, "protocol"),
            ("several rounds", _yes(self.iterate), _yes(partner.iterate), "iterate"),
            ("different people", _yes(self.horizontal), _yes(partner.horizontal), "horizontal"),
            ("computing twice", _yes(self.dual), _yes(partner.dual), "dual"),
            ("k", self.k, partner.k, "k"),
            ("a minimum support", _support(self.min_support), _support(partner.min_support), "min_support"),
        ):
            if mine != theirs:
                raise Disagreement(
                    f"the partner says {name}: {theirs}, and this side {name}: {mine}; "
                    f"agree on {param(parameter)} and start both sides again"
                )
        if self.labels != partner.labels:
            raise Disagreement("the two sides grow candidates from different labels; give both the same list")
        if self.horizontal:
            n = self.rows + partner.rows
            if n > MOST_ROWS:
                raise Disagreement(f"the two sides have {n:,} rows together; at most {MOST_ROWS:,} can be mined")
        else:
            n = self.rows
            if partner.rows != n:
                raise Disagreement(
                    f"the partner has {partner.rows:,} rows and this side {n:,}; both files must hold the same people "
                    f"in the same order (with {param('intersect', value=True)}, both sides look for those they share)"
                )
            if self.identified != partner.identified:
                raise Disagreement(
                    "one side checks the order of rows by ids and the other does not; "
                    f"give {param('id_column')} on both sides or on neither"
                )
        return Agreed(
            protocol=self.protocol,
            horizontal=self.horizontal,
            n=n,
            min_support=least_support(self.min_support, n, self.k),
            k=self.k,
            iterate=self.iterate,
            dual=self.dual,
        )


def least_support(min_support: int | Fraction, n: int, k: int) -> int:
    """Return how many rows an itemset needs to be looked for: k at least.

    What fewer than k rows have is never released, so nothing is lost; and its name, listed as frequent and withheld,
    would be about fewer than k people.
    """
    return max(Support.parse(min_support).of(n), k)


def check_anonymizable(n: int, k: int) -> None:
    """Refuse fewer than k rows: they cannot be made k-anonymous."""
    if n < k:
        raise ParameterError(
            f"there are {n:,} rows, which cannot be made {k:,}-anonymous; lower {param('k')}", parameter="k"
        )


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _support(given: int | Fraction) -> str:
    return f"{given:,} rows" if isinstance(given, int) else f"{given} of the rows"
