"""An invented hospital: one row per stay, with readable labels.

Problem      data for demonstrating the other commands: patterns worth reading, and people to protect.
Method       A stay gets an age band and a sex, then an area by age, the illness it is for by age and sex, further
             illnesses by age and by each other, and from these the drugs, the ward and the length of the stay. All
           names and shares are in the tables below. They are invented: nothing here describes a real hospital.
Promises     same rows and seed, same stays on every release of NumPy (nothing but uniform numbers is drawn). A drug
           with `all_but=4` is given to all but 4 of those who have the illness (unless another illness brings it), so
           that a handful of people can be computed from two counts; rare illnesses occur in few areas only.
Cost         some 600 bytes per row during generation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.itemsets import Itemsets
from discreet.transactions.generate.parameters import check_memory, check_whole
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["hospital"]


_Held = dict[str, "NDArray[np.bool_]"]  # for each label, which stays have it


@dataclass(frozen=True, slots=True)
class _Drug:
    """A drug: given to this share of those who have the illness, or to all but this many of them."""

    name: str
    share: float = 1.0
    all_but: int = 0


@dataclass(frozen=True, slots=True)
class _Illness:
    """An illness. `by_age` are chances at ages under 20, 20-39, 40-59, 60-79 and from 80.

    For an illness that is the reason for a stay they are weights among the reasons. `women` and `men` multiply them.
    `areas`, if given, are the only ones in which the illness occurs. `stays` are the shares of stays of 1 day and of
    more than 7 days.
    """

    name: str
    by_age: tuple[float, float, float, float, float]
    women: float = 1.0
    men: float = 1.0
    drugs: tuple[_Drug, ...] = ()
    areas: tuple[str, ...] = ()
    ward: str = ""
    urgent: float = 0.5
    stays: tuple[float, float] = (0.2, 0.2)
    makes_likelier: tuple[tuple[str, float], ...] = ()


_ROW_BYTES = 700  # of the table that the stays are made in

_AGES = ("0-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80-89", "90 and over")
_AGE_SHARES = (0.06, 0.03, 0.08, 0.11, 0.08, 0.11, 0.16, 0.20, 0.14, 0.03)
_AGE_GROUP = (0, 0, 1, 1, 2, 2, 3, 3, 4, 4)  # the column of `by_age` for each age band

_WOMEN = 0.53

_AREAS = ("N1", "N2", "N3", "N4", "N5", "N6", "N7", "N8", "N9")
_AREA_SHARES = (
    (0.24, 0.20, 0.16, 0.12, 0.10, 0.08, 0.02, 0.06, 0.02),  # under 20
    (0.18, 0.16, 0.13, 0.10, 0.08, 0.07, 0.01, 0.25, 0.02),  # 20-39: students live in N8
    (0.23, 0.19, 0.16, 0.13, 0.11, 0.09, 0.03, 0.04, 0.02),
    (0.21, 0.18, 0.15, 0.13, 0.10, 0.08, 0.12, 0.01, 0.02),
    (0.17, 0.15, 0.12, 0.11, 0.09, 0.07, 0.26, 0.01, 0.02),  # from 80: care homes are in N7
)

_WARD_FULL = 0.06  # of emergency patients are in another ward

_REASONS = (
    _Illness(
        "childbirth",
        (0.03, 1.2, 0.05, 0.0, 0.0),
        men=0.0,
        ward="maternity",
        urgent=0.45,
        stays=(0.15, 0.02),
        drugs=(_Drug("oxytocin", all_but=8), _Drug("paracetamol", 0.5)),
    ),
    _Illness(
        "pneumonia",
        (0.22, 0.06, 0.10, 0.17, 0.24),
        ward="respiratory",
        urgent=0.97,
        stays=(0.05, 0.45),
        drugs=(_Drug("amoxicillin", 0.75), _Drug("clarithromycin", 0.35), _Drug("paracetamol", 0.6)),
    ),
    _Illness(
        "hip fracture",
        (0.0, 0.01, 0.03, 0.13, 0.30),
        women=1.8,
        ward="orthopaedics",
        urgent=1.0,
        stays=(0.0, 0.985),
        drugs=(_Drug("enoxaparin", all_but=5), _Drug("morphine", 0.8), _Drug("paracetamol", 0.9)),
    ),
    _Illness(
        "hip replacement",
        (0.0, 0.01, 0.09, 0.18, 0.06),
        women=1.2,
        ward="orthopaedics",
        urgent=0.0,
        stays=(0.02, 0.12),
        drugs=(_Drug("enoxaparin", 0.97), _Drug("morphine", 0.5), _Drug("paracetamol", 0.95)),
    ),
    _Illness(
        "heart attack",
        (0.0, 0.01, 0.18, 0.17, 0.12),
        women=0.55,
        ward="cardiology",
        urgent=1.0,
        stays=(0.02, 0.3),
        drugs=(_Drug("aspirin", all_but=6), _Drug("atorvastatin", 0.93), _Drug("bisoprolol", 0.8)),
    ),
    _Illness(
        "stroke",
        (0.0, 0.01, 0.08, 0.14, 0.16),
        ward="neurology",
        urgent=1.0,
        stays=(0.02, 0.7),
        drugs=(_Drug("clopidogrel", 0.8), _Drug("atorvastatin", 0.85)),
    ),
    _Illness(
        "appendicitis",
        (0.34, 0.14, 0.07, 0.02, 0.01),
        ward="surgery",
        urgent=0.98,
        stays=(0.25, 0.03),
        drugs=(_Drug("cefuroxime", 0.9), _Drug("paracetamol", 0.85), _Drug("morphine", 0.3)),
    ),
    _Illness(
        "gallstones",
        (0.01, 0.11, 0.19, 0.09, 0.05),
        women=1.7,
        ward="surgery",
        urgent=0.35,
        stays=(0.4, 0.04),
        drugs=(_Drug("paracetamol", 0.8), _Drug("morphine", 0.25)),
    ),
    _Illness(
        "cataract",
        (0.0, 0.0, 0.03, 0.08, 0.06),
        ward="eye clinic",
        urgent=0.0,
        stays=(0.98, 0.0),
        drugs=(_Drug("chloramphenicol drops", 0.95),),
    ),
    _Illness(
        "bronchiolitis",
        (0.28, 0.0, 0.0, 0.0, 0.0),
        ward="children",
        urgent=0.95,
        stays=(0.3, 0.05),
        drugs=(_Drug("oxygen", 0.6), _Drug("paracetamol", 0.5)),
    ),
    _Illness(
        "broken arm",
        (0.13, 0.06, 0.06, 0.02, 0.02),
        ward="orthopaedics",
        urgent=0.9,
        stays=(0.8, 0.01),
        drugs=(_Drug("paracetamol", 0.9), _Drug("ibuprofen", 0.5)),
    ),
    _Illness(
        "overdose",
        (0.01, 0.05, 0.02, 0.0, 0.0),
        ward="general medicine",
        urgent=1.0,
        stays=(0.5, 0.05),
        drugs=(_Drug("naloxone", 0.5),),
    ),
    _Illness(
        "cystic fibrosis",
        (0.020, 0.014, 0.004, 0.0, 0.0),
        areas=("N2", "N5"),
        ward="respiratory",
        urgent=0.6,
        stays=(0.05, 0.6),
        drugs=(_Drug("ivacaftor", 0.9), _Drug("salbutamol", 0.5)),
    ),
    _Illness(
        "Lassa fever",
        (0.0, 0.004, 0.006, 0.001, 0.0),
        areas=("N9",),
        ward="isolation",
        urgent=1.0,
        stays=(0.0, 1.0),
        drugs=(_Drug("ribavirin"),),
    ),
)

_FURTHER = (
    _Illness(
        "type 2 diabetes",
        (0.0, 0.03, 0.15, 0.24, 0.22),
        drugs=(_Drug("metformin", all_but=4), _Drug("insulin", 0.3), _Drug("gliclazide", 0.2)),
        makes_likelier=(("high blood pressure", 0.25), ("kidney disease", 0.12)),
    ),
    _Illness(
        "high blood pressure",
        (0.0, 0.03, 0.22, 0.44, 0.52),
        drugs=(_Drug("amlodipine", 0.62), _Drug("ramipril", 0.48)),
        makes_likelier=(("atrial fibrillation", 0.05), ("heart failure", 0.05)),
    ),
    _Illness(
        "atrial fibrillation",
        (0.0, 0.0, 0.03, 0.13, 0.26),
        drugs=(_Drug("apixaban", all_but=6), _Drug("bisoprolol", 0.7)),
        makes_likelier=(("heart failure", 0.2),),
    ),
    _Illness(
        "heart failure",
        (0.0, 0.0, 0.02, 0.08, 0.18),
        drugs=(_Drug("furosemide", all_but=7), _Drug("bisoprolol", 0.6), _Drug("ramipril", 0.4)),
    ),
    _Illness(
        "asthma", (0.12, 0.09, 0.07, 0.05, 0.04), drugs=(_Drug("salbutamol", all_but=3), _Drug("beclometasone", 0.6))
    ),
    _Illness(
        "chronic bronchitis", (0.0, 0.0, 0.06, 0.13, 0.14), drugs=(_Drug("tiotropium", 0.75), _Drug("salbutamol", 0.8))
    ),
    _Illness("kidney disease", (0.0, 0.01, 0.03, 0.09, 0.18)),
    _Illness("depression", (0.02, 0.10, 0.12, 0.08, 0.07), women=1.5, drugs=(_Drug("sertraline", 0.7),)),
    _Illness("dementia", (0.0, 0.0, 0.0, 0.03, 0.22), drugs=(_Drug("donepezil", 0.45),)),
    _Illness("schizophrenia", (0.0, 0.008, 0.008, 0.004, 0.002), drugs=(_Drug("olanzapine", 0.8),)),
    _Illness("HIV", (0.0, 0.016, 0.012, 0.003, 0.0), women=0.5, drugs=(_Drug("antiretrovirals", all_but=1),)),
    _Illness("Huntington's disease", (0.0, 0.0, 0.15, 0.05, 0.0), areas=("N9",), drugs=(_Drug("tetrabenazine", 0.8),)),
)


def hospital(*, rows: int = 5000, seed: int = 1) -> Transactions:
    """Generate `rows` hospital stays, each with an age band, sex, area, illnesses, drugs, ward, admission and length.

    >>> stays = hospital()
    >>> "drug metformin" in stays.vocabulary
    True
    """
    check_whole("rows", rows)
    check_whole("seed", seed, least=0)
    check_memory(_ROW_BYTES * rows)
    rng = np.random.Generator(np.random.PCG64(seed))
    held: _Held = {}

    age = _choose(rng, np.tile(_AGE_SHARES, (rows, 1)))
    _spell_out(held, "age", _AGES, age)
    group = np.array(_AGE_GROUP)[age]
    woman = rng.random(rows) < _WOMEN
    held["sex female"], held["sex male"] = woman, ~woman
    _spell_out(held, "area", _AREAS, _choose(rng, np.array(_AREA_SHARES)[group]))

    reason = _choose(rng, np.stack([_chances(illness, held, group) for illness in _REASONS], axis=1))
    for number, illness in enumerate(_REASONS):
        _admit(rng, held, illness, reason == number)
        _diagnose(rng, held, illness, reason == number)
    likelier = {illness.name: np.zeros(rows) for illness in _FURTHER}
    for illness in _FURTHER:
        has = rng.random(rows) < _chances(illness, held, group) + likelier[illness.name]
        _diagnose(rng, held, illness, has)
        for name, more in illness.makes_likelier:
            likelier[name] += more * has
    return _as_rows(held)


def _choose(rng: np.random.Generator, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Choose one column for each row of weights."""
    reach = np.cumsum(weights, axis=1)
    place = rng.random(len(weights)) * reach[:, -1]
    passed: NDArray[np.int64] = np.count_nonzero(reach <= place[:, np.newaxis], axis=1)
    return passed


def _spell_out(held: _Held, kind: str, names: Sequence[str], chosen: NDArray[np.int64]) -> None:
    for number, name in enumerate(names):
        held[f"{kind} {name}"] = chosen == number


def _chances(illness: _Illness, held: _Held, group: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return each stay's chance of having the illness."""
    chances = np.array(illness.by_age)[group] * np.where(held["sex female"], illness.women, illness.men)
    if illness.areas:
        chances *= np.logical_or.reduce([held[f"area {area}"] for area in illness.areas])
    return chances


def _admit(rng: np.random.Generator, held: _Held, illness: _Illness, has: NDArray[np.bool_]) -> None:
    """Assign those with the illness to its ward, and draw their admission and length of stay."""
    urgent = rng.random(len(has)) < illness.urgent
    days = rng.random(len(has))
    short, long = days < illness.stays[0], days >= 1 - illness.stays[1]
    lodged = has & urgent & (rng.random(len(has)) < _WARD_FULL)
    _add(held, f"ward {illness.ward}", has & ~lodged)
    _add(held, "ward general medicine", lodged)
    _add(held, "admission emergency", has & urgent)
    _add(held, "admission planned", has & ~urgent)
    _add(held, "stay 1 day", has & short)
    _add(held, "stay 2-7 days", has & ~short & ~long)
    _add(held, "stay over 7 days", has & long)


def _diagnose(rng: np.random.Generator, held: _Held, illness: _Illness, has: NDArray[np.bool_]) -> None:
    """Record the illness and assign its drugs."""
    _add(held, f"diagnosis {illness.name}", has)
    for drug in illness.drugs:
        luck = rng.random(len(has))
        given = has & (luck < drug.share)
        patients = np.flatnonzero(has)
        given[patients[np.argsort(luck[patients])[: drug.all_but]]] = False
        _add(held, f"drug {drug.name}", given)


def _add(held: _Held, label: str, has: NDArray[np.bool_]) -> None:
    held[label] = held[label] | has if label in held else has


def _as_rows(held: _Held) -> Transactions:
    labels = [label for label, has in held.items() if has.any()]
    table = np.stack([held[label] for label in labels], axis=1)
    codes = Itemsets.from_lengths(np.count_nonzero(table, axis=1), np.nonzero(table)[1].astype(np.int32))
    return Transactions.from_codes(codes, labels)
