"""What of a bundle with noise can be checked: that its steps are those of the method, and that the figures add up.

That the noise was right, nobody can see from the outcome.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, get_args

from discreet.channels.collection import lists_every_subset
from discreet.differential_privacy.basis_sets import MOST_ITEMS
from discreet.differential_privacy.budget import Budget, Spent, decimal_text, parse_decimal
from discreet.differential_privacy.private_itemsets import EARLIER_SHARES, SHARES, DpRequest, share_of
from discreet.errors import DataError, ParameterError, param
from discreet.publishing.bundle import PATTERNS
from discreet.publishing.noisy_bundle import PublishedNoise
from discreet.tables.containers import Container
from discreet.thresholds import Support
from discreet.transactions.layout import Shape
from discreet.wording import Unit, counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.json_types import JsonObject, ParsedDocument
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.certificate import Certificate

__all__ = ["check_noise", "refuse_rows"]

_CHOSEN = {"make_laplace": 1, "make_laplace_threshold": 1, "make_noisy_max": 2, "make_noisy_top_k": 1}
"""Each mechanism, and by what its scale is multiplied for a change of 1 in one of what it chooses."""

_STEPS = {
    "n": "make_laplace",
    "universe": "make_laplace_threshold",
    "depth": "make_noisy_max",
    "items": "make_noisy_top_k",
    "depth of pairs": "make_noisy_max",
    "pairs": "make_noisy_top_k",
    "bins": "make_laplace",
}
"""The steps in their order, each with its mechanism."""

_MOST_THRESHOLD, _ROUNDED = 2**53, 1e-6
_NEARLY = Fraction(1, 10**12)
"""By what a scale, and what is accounted for it, may differ from the exact fraction: floats are rounded."""

_LIBRARY = re.compile(r"opendp [0-9]+(\.[0-9]+){1,3}", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}")


def check_noise(patterns: PatternSet, certificate: Certificate) -> tuple[PublishedNoise, str]:
    """Return what is published, as far as it can be checked: that the figures add up, and supports agree."""
    told = certificate.promise
    steps, fixed = told.get("steps"), told.get("fixed")
    if certificate.input is not None:
        raise DataError("the certificate has a fingerprint of the rows, which has no noise")
    named = isinstance(told.get("library"), str) and _LIBRARY.fullmatch(told["library"])
    if not isinstance(steps, list) or not isinstance(fixed, dict) or not named:
        raise DataError("the certificate does not say how the noise was made")
    budget = Budget.parse(_text(told, "epsilon"), _text(told, "delta"))
    again = PublishedNoise(
        patterns=patterns,
        budget=budget,
        fixed=_fixed(fixed, patterns),
        steps=tuple(map(Spent.from_dict, steps)),
        library=told["library"],
        unit=Unit.parse(told.get("unit")),
        persons=told.get("persons") is True,
        title=certificate.title,
        version=certificate.program,
    )
    if replace(certificate, promise=again.promise).to_bytes() != certificate.to_bytes():
        raise DataError("the certificate's figures are not those of what is published")
    _check_steps(again)
    _check_supports(patterns, again.fixed["min_support"])
    return again, (
        f"{budget}, and its {counted(len(steps), 'step')} add up to no more; supports agree with each other. That the "
        "noise was right cannot be checked from the outcome: the promise rests on the program that ran"
    )


def refuse_rows(data: object) -> None:
    """Refuse to compare noise with rows."""
    if data is not None:
        raise ParameterError(
            f"{param('data')} is for exact bundles: supports with noise cannot be compared with rows; leave it out",
            parameter="data",
        )


def _check_steps(again: PublishedNoise) -> None:
    """Refuse steps that are not those of the method, that spend more than the budget or than their scale allows.

    Everything about a step but its float's last digits follows from what was fixed and from how many were chosen.
    """
    left, chosen = again.budget.epsilon, {step.name: step.chosen for step in again.steps}
    shares = {name: Fraction(share) for name, share in again.fixed["shares"].items()}
    if [step.name for step in again.steps] != _steps_taken(again, chosen):
        raise DataError("the certificate names other steps than the program takes")
    for step in again.steps:
        share = Fraction(0) if step.name == "bins" else share_of(step.name, chosen.get("items", 0), shares)
        epsilon = again.budget.epsilon * share if share else left
        left -= epsilon
        changes = 2 if again.fixed["public_n"] else 1
        sensitivity = changes * (again.fixed["max_items"] if step.name == "universe" else 1)
        several = step.name == "bins" and chosen["items"] > MOST_ITEMS  # bases, of which the certificate names none
        if (
            (step.mechanism, step.epsilon) != (_STEPS[step.name], epsilon)
            or not (step.sensitivity == sensitivity or (several and step.sensitivity % changes == 0))
            or (step.chosen > 1 and step.mechanism != "make_noisy_top_k")
            or min(step.sensitivity, step.chosen) < 1
        ):
            raise DataError(f"the certificate's step {step.name!r} is none that the program takes")
        least = _CHOSEN[step.mechanism] * step.sensitivity * step.chosen / epsilon
        if not least <= Fraction(step.scale) <= least * (1 + _NEARLY):
            raise DataError(f"the noise of the step {step.name!r} is not what its share of epsilon needs")
        if not epsilon * (1 - _NEARLY) <= Fraction(step.accounted) <= epsilon:
            raise DataError(f"the step {step.name!r} is accounted for with another share of epsilon")
        _check_threshold(step, again.budget)


def _steps_taken(again: PublishedNoise, chosen: Mapping[str, int]) -> list[str]:
    """Return the names of the steps that the program takes, if it chose so many."""
    taken = [*([] if again.fixed["public_n"] else ["n"]), *(["universe"] if again.fixed["universe"] is None else [])]
    taken.append("depth")
    if "items" in chosen:
        several = ["depth of pairs", *(["pairs"] if "pairs" in chosen else [])]
        taken += ["items", *(several if chosen["items"] > MOST_ITEMS else []), "bins"]
    return taken


def _check_threshold(step: Spent, budget: Budget) -> None:
    """Refuse a threshold, or a delta of one, that is not the least for the scale: a label that one row alone has.

    Of discrete Laplace noise of scale s, P(1 + noise >= t) = exp(-(t - 1) / s) / (1 + exp(-1 / s)), for each label.
    """
    if step.name != "universe":
        if step.threshold is not None or step.delta:
            raise DataError(f"the certificate's step {step.name!r} has a threshold, and none is taken")
        return

    def failing(threshold: int) -> float:
        return step.sensitivity * math.exp(-(threshold - 1) / step.scale) / (1 + math.exp(-1 / step.scale))

    found = step.threshold
    right = type(found) is int and 1 < found <= _MOST_THRESHOLD and Fraction(step.delta) <= budget.delta
    if not right or found is None or abs(step.delta - failing(found)) > _ROUNDED * failing(found):
        raise DataError("the threshold of the step 'universe' does not keep to delta")
    if failing(found - 1) < float(budget.delta) * (1 - _ROUNDED):
        raise DataError("the threshold of the step 'universe' is not the least for delta")


def _check_supports(patterns: PatternSet, least: str | None) -> None:
    listed = (tuple(one.tolist()) for one in patterns.itemsets)
    supports = dict(zip(listed, patterns.supports.tolist(), strict=True))
    if patterns.target != "selected" or not lists_every_subset(patterns):
        raise DataError(f"{PATTERNS} lists an itemset without its subsets")
    if any(not patterns.min_support <= support <= patterns.n for support in supports.values()):
        raise DataError(f"{PATTERNS} has a support that is below the least or above the number of rows")
    asked = None if least is None else Support.parse(Fraction(least) if "/" in least else int(least))
    if patterns.min_support != (
        max(1, min(supports.values(), default=patterns.n)) if asked is None else asked.of(patterns.n)
    ):
        raise DataError(f"{PATTERNS} has another least support than was asked for")
    for itemset, support in supports.items():
        for place in range(len(itemset) if len(itemset) > 1 else 0):
            if supports[itemset[:place] + itemset[place + 1 :]] < support:
                raise DataError(f"{PATTERNS} has a superset that is more frequent than a subset")


def _fixed(fixed: ParsedDocument, patterns: PatternSet) -> JsonObject:
    """Return what was fixed before anyone looked, if it is what the program fixes."""
    least, top, universe, cut = (fixed.get(name) for name in ("min_support", "top", "universe", "max_items"))
    wanted = DpRequest.parse(
        epsilon=1,
        delta="1e-6" if universe is None else None,
        min_support=None if least is None else Fraction(least) if "/" in least else int(least),
        top=top,
        universe=None if universe is None else ["any"],
        max_items=cut,
        public_n=fixed.get("public_n") is True,
    ).to_dict()
    if universe is not None and (type(universe) is not int or universe < len(patterns.vocabulary)):
        raise DataError("the certificate says that fewer items could occur than are published")
    if top is not None and len(patterns) > top:
        raise DataError("more itemsets are published than the certificate says")
    digest, reading = fixed.get("universe_sha256"), fixed.get("reading")
    right = digest is None if universe is None else isinstance(digest, str) and _DIGEST.fullmatch(digest)
    if not right or not _is_reading(reading):
        raise DataError("the certificate does not say in its form what was known before, or how rows were read")
    known = ({name: str(share) for name, share in shares.items()} for shares in (SHARES, EARLIER_SHARES))
    shares = next((each for each in known if each == fixed.get("shares")), None)
    if shares is None:
        raise DataError("the certificate divides epsilon otherwise than the program does")
    return wanted | {"universe": universe, "universe_sha256": digest, "reading": reading, "shares": shares}


def _is_reading(told: object) -> bool:
    """Return whether this is how rows are read; None if nobody says it."""
    if told is None:
        return True
    if not isinstance(told, dict) or told.keys() != {"container", "format", "delimiter", "header"}:
        return False
    container, shape, delimiter, header = (told[name] for name in ("container", "format", "delimiter", "header"))
    separated = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
    with_header = container in ("csv", "sheet") and shape != "basket"
    return (
        container in get_args(Container)
        and shape in get_args(Shape)
        and (separated if container == "csv" else delimiter is None)
        and (isinstance(header, bool) if with_header else header is None)
    )


def _text(told: ParsedDocument, name: str) -> str:
    value = told.get(name)
    if not isinstance(value, str) or decimal_text(parse_decimal(value, parameter=name)) != value:
        raise DataError(f"the certificate's {name} is not written as a decimal")
    return value
