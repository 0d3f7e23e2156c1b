"""Hierarchies for the five quasi-identifiers that section 8.3 of atzori2008 names.

The paper prints none. Of the regions it shows one, North-America in Table 5, whose supports fix its members: the
United States, Canada and the outlying territories.
"""

from __future__ import annotations

QUASI_IDENTIFIERS = ["age", "race", "sex", "native-country", "income"]

REGIONS = {
    "North-America": "United-States Canada Outlying-US(Guam-USVI-etc)",
    "Latin-America": (
        "Mexico Puerto-Rico Cuba Jamaica Dominican-Republic Haiti Trinadad&Tobago El-Salvador Guatemala Honduras "
        "Nicaragua Columbia Ecuador Peru"
    ),
    "Europe": (
        "England Scotland Ireland Germany France Holand-Netherlands Italy Portugal Greece Poland Hungary Yugoslavia"
    ),
    "Asia": "Philippines India Iran China Taiwan Hong Japan South Vietnam Cambodia Laos Thailand",
}
RACES = ["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"]


def band(age: int, width: int) -> str:
    """Return the ages from one multiple of the width to the next.

    >>> band(37, 20)
    '20-39'
    """
    start = age // width * width
    return f"{start}-{start + width - 1}"


ADULT = {
    "age": [[str(age), band(age, 5), band(age, 10), band(age, 20), "*"] for age in range(100)],
    "race": [[race, "*"] for race in RACES],
    "sex": [["Male", "*"], ["Female", "*"]],
    "native-country": [[country, region, "*"] for region, names in REGIONS.items() for country in names.split()],
    "income": [["<=50K", "*"], [">50K", "*"]],
}
