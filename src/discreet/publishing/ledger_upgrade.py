"""Ledgers of discreet 0.1, taken over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.publishing.certificate import digest_of
from discreet.publishing.ledger import FORM_OF_FIRST_VERSION, new_ledger
from discreet.publishing.ledger_file import SECONDS_TO_WAIT, check_ledger_path, lock_file, opened_file

if TYPE_CHECKING:
    import os

    from discreet.publishing.receipts import Receipt

__all__ = ["upgrade_ledger"]


def upgrade_ledger(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    *,
    wait: float = SECONDS_TO_WAIT,
    passphrase: str | bytes | None = None,
) -> Receipt:
    """Take over a ledger of discreet 0.1: the same key and releases, in a new file; the old one stays as it is.

    Parameters
    ----------
    old : path
        The ledger of the first version.
    new : path
        The file to write.
    wait : float, default 300
        How many seconds to wait while the old one is in use.
    passphrase : str or bytes, optional
        Encrypt the new one with it.

    Returns
    -------
    Receipt
        The receipt of the last entry.

    Raises
    ------
    DataError
        The old one is not a ledger of that version, or it is damaged.
    OutputError
        The new one exists already, or cannot be written.
    """
    old, new = Path(old), Path(new)
    check_ledger_path(old, new=False)
    check_ledger_path(new, new=True)
    with opened_file(old, old) as connection:
        lock_file(old, connection, wait)
        form, key, *_ = connection.execute("SELECT * FROM owner").fetchone() or (None, b"")
        if form != FORM_OF_FIRST_VERSION:
            raise DataError(f"{old} is not a ledger of discreet 0.1, so there is nothing to take over")
        cursor = connection.execute("SELECT * FROM releases ORDER BY number")
        names = [column[0] for column in cursor.description]
        with new_ledger(new, key, passphrase=passphrase, at_once=False) as book:
            for row in cursor:
                line = dict(zip(names, row, strict=True))
                about = {name: line[name] for name in ("day", "folder")} | {
                    "rows_left": bool(line.get("rows_left")),
                    "certificate": digest_of(line["certificate"]),
                }
                book._add("release", about, line["certificate"], line["patterns"])  # noqa: SLF001 - as it was then
            _ = book.entries  # refuses what is damaged
            return book.receipt
