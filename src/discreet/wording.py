"""Numbers, percentages, labels and paths in readable form, for terminals, reports, charts and notebooks."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import ParameterError, param

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

__all__ = [
    "ROWS",
    "Unit",
    "counted",
    "folded",
    "free_name",
    "from_here",
    "html_table",
    "is_harmless",
    "itemset_text",
    "label_text",
    "limit",
    "nearest",
    "number",
    "one_line",
    "percent",
    "share",
    "shortened",
    "sizes_below",
    "spelling",
]

_JOINERS = "\u200c\u200d"  # invisible, harmless, and part of how Persian, Hindi or a flag is written


def number(value: int) -> str:
    """Return a whole number with thousands separators.

    >>> number(574431)
    '574,431'
    """
    return f"{value:,}"


def counted(value: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "row"), counted(8124, "row"), counted(2, "company", "companies")
    ('1 row', '8,124 rows', '2 companies')
    """
    return f"{value:,} {singular if value == 1 else plural or singular + 's'}"


def folded(label: str) -> str:
    r"""Return a label without what readers overlook: case, surrounding blanks, Unicode's ways to write a character.

    >>> folded(" H\uff29V") == folded("hiv")
    True
    """
    return (label if label.isascii() else unicodedata.normalize("NFKC", label)).casefold().strip()


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most likely meant: equal once folded, else of similar letters; None if none is.

    >>> nearest("Sex", ["age", "sex"]), nearest("diagnoses", ["diagnosis", "age"]), nearest("x", ["age"])
    ('sex', 'diagnosis', None)
    """
    known = list(known)
    alike = [each for each in known if folded(each) == folded(name)] or get_close_matches(name, known, 1, 0.8)
    return alike[0] if alike else None


def spelling(name: str, meant: str | None, *, of: str = "the data") -> str:
    """Return the advice about an unknown name, given the known one that is most likely meant.

    >>> spelling("HIV", "hiv"), spelling("tee", None)
    ("the data has 'hiv': write that", 'check the spelling')
    """
    if meant is None:
        return "check the spelling"
    same = unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", meant)
    return f"{of} has {meant!r}{' in another Unicode form: copy it from there' if same else ': write that'}"


@dataclass(frozen=True, slots=True)
class Unit:
    """What a row is: the noun that answers and reports count in."""

    singular: str
    plural: str

    @classmethod
    def parse(cls, text: str | None) -> Unit:
        """Return the unit that an owner named in the plural; both forms may be given, as in person/people.

        >>> Unit.parse("patients").counted(1), Unit.parse("person/people").counted(2), Unit.parse(None).counted(3)
        ('1 patient', '2 people', '3 rows')
        """
        if text is None:
            return ROWS
        singular, slash, plural = (part.strip() for part in text.partition("/"))
        if not slash:
            singular, plural = singular.removesuffix("s"), singular
        if not all(_UNIT.fullmatch(part) for part in (singular, plural)):
            raise ParameterError(
                f"{param('unit')} must be a noun in the plural, like patients, or both forms, like person/people",
                parameter="unit",
            )
        return cls(singular, plural)

    def counted(self, value: int) -> str:
        """Return a number of them."""
        return counted(value, self.singular, self.plural)

    def sizes_below(self, k: int) -> str:
        """Return the sizes of a small group of them.

        >>> ROWS.sizes_below(10), ROWS.sizes_below(3), ROWS.sizes_below(2)
        ('1 to 9 rows', '1 or 2 rows', '1 row')
        """
        return f"{sizes_below(k)} {self.singular if k == 2 else self.plural}"  # noqa: PLR2004

    @property
    def text(self) -> str:
        """The unit as `parse` reads it."""
        return self.plural if f"{self.singular}s" == self.plural else f"{self.singular}/{self.plural}"


def sizes_below(k: int) -> str:
    """Return the sizes of a small group.

    >>> sizes_below(10), sizes_below(3), sizes_below(2)
    ('1 to 9', '1 or 2', '1')
    """
    return {2: "1", 3: "1 or 2"}.get(k, f"1 to {number(k - 1)}")


ROWS = Unit("row", "rows")
_UNIT = re.compile(r"[^\W\d_][\w -]{0,39}")


def percent(part: int, whole: int) -> str:
    """Return a share in per cent with significant digits, never rounded to 0 or 100.

    >>> percent(813, 8124), percent(7907, 8124), percent(8, 5597), percent(99999, 100000), percent(1, 10**9)
    ('10 %', '97.3 %', '0.143 %', 'over 99.9 %', 'under 0.01 %')
    >>> percent(1001, 1000), percent(191, 10)
    ('over 100 %', '1,910 %')
    """
    if part in (0, whole):
        return "0 %" if part == 0 else "100 %"
    value = 100 * part / whole
    if value < 0.01:  # noqa: PLR2004
        return "under 0.01 %"
    if part > whole:  # an error can be
        text = f"{value:,.0f}"
        return "over 100 %" if text == "100" else f"{text} %"
    text = f"{value:.3g}"
    return "over 99.9 %" if text == "100" else f"{text} %"


def share(value: Fraction) -> str:
    """Return an exact share in per cent, as `percent` does.

    >>> from fractions import Fraction
    >>> share(Fraction(1, 3))
    '33.3 %'
    """
    return percent(value.numerator, value.denominator)


def limit(value: Fraction) -> str:
    """Return an upper bound in per cent, with enough digits to distinguish it from 100.

    >>> from fractions import Fraction
    >>> limit(Fraction(1, 3)), limit(Fraction("0.9999")), limit(Fraction(1)), limit(1 - Fraction(1, 10**20))
    ('33.3 %', '99.99 %', '100 %', 'under 100 %')
    """
    texts = (f"{float(100 * value):.{digits}g}" for digits in range(3, 18))
    text = next((text for text in texts if text != "100" or value == 1), None)
    return "under 100 %" if text is None else f"{text} %"


def one_line(text: str) -> str:
    r"""Return text with every control character escaped.

    This includes escape sequences, line ends, and marks that change the text direction: a label from a file must not
    move the cursor, colour the screen, or pass for another label.

    >>> one_line("a\x1b[31mb\nc\u202ed")
    'a\\x1b[31mb\\nc\\u202ed'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if is_harmless(letter) else _written_out(letter) for letter in text)


def is_harmless(letter: str) -> bool:
    """Return whether a terminal shows a character, rather than obeys it."""
    return letter in _JOINERS or letter == " " or unicodedata.category(letter) not in _OBEYED


_OBEYED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _written_out(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def from_here(path: str) -> str:
    """Return a path as one would type it here: relative if it is below the current folder.

    >>> from_here(str(Path.cwd() / "public")), from_here("elsewhere")
    ('public', 'elsewhere')
    """
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path


def free_name(stem: str, suffix: str) -> str:
    """Return the name of a file that does not exist yet, such as `patterns.csv` or else `patterns-2.csv`."""
    names = (f"{stem}{suffix}", *(f"{stem}-{number}{suffix}" for number in range(2, 1000)))
    return next((name for name in names if not Path(name).exists()), names[0])


def shortened(text: str, width: int = 40) -> str:
    """Return text of at most `width` characters without its middle: both ends of `column=value` are informative.

    >>> shortened("number-of-emergency-visits=more-than-three", 20)
    'number-of-em…n-three'
    """
    if len(text) <= width:
        return text
    tail = (width - 1) * 2 // 5
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def label_text(label: str, width: int = 40) -> str:
    """Return a label for display: escaped, short, and in quotes if its ends would be unclear otherwise.

    >>> label_text("diagnosis=flu"), label_text("salt, coarse"), label_text("")
    ('diagnosis=flu', '"salt, coarse"', '""')
    """
    text = shortened(one_line(label[: 4 * width + 1] if len(label) > 4 * width else label), width)
    return f'"{text}"' if not text or "," in text or '"' in text or text != text.strip() else text


def itemset_text(labels: Iterable[str], width: int = 60) -> str:
    """Return an itemset's labels on one line of at most about `width` characters.

    >>> itemset_text(["34", "85", "86"]), itemset_text(["alpha", "beta", "gamma"], 14)
    ('34, 85, 86', 'alpha, +2 more')
    """
    listed = list(labels)
    for longest in (width, width // 2):
        texts = [label_text(label, max(12, longest)) for label in listed]
        line = ", ".join(texts)
        if len(line) <= width:
            return line
    for kept in range(len(texts) - 1, 0, -1):
        line = ", ".join([*texts[:kept], f"+{len(texts) - kept} more"])
        if len(line) <= width:
            break
    return line


def html_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, above: str = "", below: str = "") -> str:
    """Return a table as a notebook shows it, with a paragraph above or below it, or without heads a paragraph alone.

    >>> html_table(["items"], [["<b>"]], below="… and more")
    '<table><tr><th>items</th></tr><tr><td>&lt;b&gt;</td></tr></table><p>… and more</p>'
    """
    from jinja2 import Environment

    template = Environment(autoescape=True).from_string(_TABLE)
    return template.render(heads=heads, rows=rows, above=above, below=below)


_TABLE = (
    "{% if above %}<p>{{ above }}</p>{% endif %}"
    "{% if heads %}<table><tr>{% for head in heads %}<th>{{ head }}</th>{% endfor %}</tr>"
    "{% for row in rows %}<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>{% endfor %}</table>{% endif %}"
    "{% if below %}<p>{{ below }}</p>{% endif %}"
)
