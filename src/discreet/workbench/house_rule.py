"""The house rule: what a policy says about k and the roles of items, and how a choice departs from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.wording import number

if TYPE_CHECKING:
    from discreet.workbench.tasks.point import Point

__all__ = ["HouseRule"]

_DEFAULT_K = 10
_ROLES = {
    "quasi_identifiers": "Quasi-identifiers",
    "sensitive": "Sensitive items",
    "rho": "Rho",
    "exclusive": "Exclusive items",
}


@dataclass(frozen=True, slots=True)
class HouseRule:
    """What the policy that was dropped says; the default is a k, and no roles."""

    k: int = _DEFAULT_K
    roles: tuple[tuple[str, str], ...] = ()
    """The roles that the policy names, as they are typed."""
    source: str = ""
    """The file of the policy, nothing if there is none."""

    @property
    def words(self) -> str:
        """Where the rule comes from."""
        return self.source or "the default"

    def departures(self, point: Point) -> tuple[str, ...]:
        """Return how a choice departs from the rule, in words.

        >>> from discreet.workbench.tasks.point import Point
        >>> HouseRule().departures(Point(20, 5))
        ('k = 5, below the house rule of 10',)
        >>> rule = HouseRule(k=5, roles=(("rho", "50%"),), source="discreet.toml")
        >>> rule.departures(Point(20, 8, rho="60%"))
        ('k = 8, above the house rule of 5', 'Rho: 60%, where the house rule has 50%')
        """
        told = []
        if point.k != self.k:
            below = "below" if point.k < self.k else "above"
            told.append(f"k = {number(point.k)}, {below} the house rule of {number(self.k)}")
        if self.source:
            ruled = dict(self.roles)
            chosen = {name: getattr(point, name) or "" for name in _ROLES} | {"exclusive": "; ".join(point.exclusive)}
            told += [
                f"{label}: {chosen[name] or 'none'}, where the house rule has {ruled.get(name) or 'none'}"
                for name, label in _ROLES.items()
                if chosen[name] != ruled.get(name, "")
            ]
        return tuple(told)
