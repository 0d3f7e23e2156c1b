"""The receipt of a ledger's entry: what shows later that the ledger lost something.

A receipt has the ledger's id, the number of an entry and its head, a digest under the owner's key of this entry and of
all before it. It lies next to the bundle, in `NAME.receipt.json`, and tells nothing to anyone without the key. A ledger
that is shorter than a receipt says was rolled back; one with another head at that number went on apart.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError, OutputError, ParameterError, param
from discreet.tables.whole import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.json_types import JsonObject

__all__ = ["Receipt", "parse_receipt", "receipt_path", "receipts_beside", "write_receipt"]

_SUFFIX = ".receipt.json"
_LONGEST = 10_000
_TYPED = re.compile(r"([1-9][0-9]{0,17}):([0-9a-f]{64})", re.ASCII)
_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Receipt:
    """An entry of a ledger.

    Attributes
    ----------
    ledger : str or None
        The ledger's id; None if only the number and the head are known.
    number : int
        The entry's number, from 1.
    head : str
        The digest, under the owner's key, of this entry and all before it.
    """

    ledger: str | None
    number: int
    head: str

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return asdict(self)


def receipt_path(bundle: Path) -> Path:
    """Return where the receipt of a bundle lies: next to it, never in it."""
    bundle = bundle.resolve()
    return bundle.with_name(f"{bundle.name}{_SUFFIX}")


def write_receipt(receipt: Receipt, bundle: Path) -> Path | None:
    """Write a receipt next to its bundle, which is public already; return where, None if it cannot be written."""
    path = receipt_path(bundle)
    with suppress(OutputError, OSError):
        with whole_file(path, force=True, private=True) as temporary:
            temporary.write_text(json.dumps(receipt.to_dict(), indent=2) + "\n", encoding="ascii")
        return path
    return None


def receipts_beside(bundle: Path) -> Iterator[tuple[Path, Receipt]]:
    """Yield the receipts in the folder where a bundle is, or will be."""
    for path in sorted(bundle.resolve().parent.glob(f"*{_SUFFIX}")):
        with suppress(DataError):
            yield path, _read(path)


def parse_receipt(text: str) -> Receipt:
    """Return the receipt that is meant by NUMBER:HEAD, or by the name of its file."""
    if typed := _TYPED.fullmatch(text.strip()):
        return Receipt(None, int(typed[1]), typed[2])
    if not Path(text).is_file():
        raise ParameterError(
            f"{param('head')} is neither NUMBER:HEAD, as release prints it, nor a file, got {text}", parameter="head"
        )
    return _read(Path(text))


def _read(path: Path) -> Receipt:
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_LONGEST))
    except (OSError, ValueError, RecursionError):
        found = None
    held = found if isinstance(found, dict) else {}
    ledger, number, head = (held.get(name) for name in ("ledger", "number", "head"))
    texts = all(isinstance(text, str) and _HEX.fullmatch(text) for text in (ledger, head))
    if not texts or type(number) is not int or number < 1:
        raise DataError(f"{path} is no receipt of a ledger; name a file that release wrote next to a bundle")
    return Receipt(ledger, number, str(head))
