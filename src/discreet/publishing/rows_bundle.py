"""Bundles of rows: what `hide -o` or `anonymize -o` wrote, with the promise that it keeps.

Rows are rewritten from what was checked, without row names and anything else in the file. A bundle of generalized rows
includes the hierarchy, without which nobody knows what a generalized item stands for (cao2010, appendix B).
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

import discreet
from discreet.errors import DataError, NotSafe, OutputError, ParameterError, param
from discreet.publishing.audiences import PublishedRows
from discreet.publishing.bundle import (
    REPORT,
    check_bundle_folder,
    check_outside,
    digest_file,
    new_bundle,
    write_certificate,
)
from discreet.publishing.byte_comparison import check_rebuilt
from discreet.publishing.certificate import CERTIFICATE, Certificate
from discreet.publishing.fingerprint import fingerprint as fingerprint_of
from discreet.publishing.free_text import check_labels, check_share, check_title
from discreet.publishing.ledger import open_ledger
from discreet.publishing.ledger_file import SECONDS_TO_WAIT, check_ledger_path
from discreet.publishing.privacy_budget import exact_entries
from discreet.publishing.report import HIERARCHY, rows_report
from discreet.publishing.rows_promises import hidden_promise, parse_promise, recheck, rho_promise
from discreet.publishing.signing import load_signers
from discreet.tables.containers import known_suffixes, writable_name
from discreet.tables.tabular import Tabular
from discreet.transactions.column_profile import refuse_identifiers
from discreet.transactions.identifying import refuse_identifying
from discreet.transactions.label_names import matches
from discreet.transactions.reading import read
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.writing import layout_for, write
from discreet.uncertainty.hierarchy import hierarchy_bytes, read_hierarchy
from discreet.uncertainty.mapping import read_mapping
from discreet.uncertainty.recoding import rare_below, recoding_of
from discreet.uncertainty.sensitive_items import read_labels
from discreet.wording import ROWS, Unit, counted

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from discreet.publishing.receipts import Receipt
    from discreet.publishing.rows_promises import RowsPromise
    from discreet.publishing.signing import Identities, Passphrases
    from discreet.transactions.layout import Layout
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.empty_cells import EmptyCells
    from discreet.uncertainty.hierarchy import Hierarchy
    from discreet.uncertainty.sensitive_items import Sensitive

    PathLike = str | os.PathLike[str]
    from discreet.json_types import JsonObject, ParsedDocument

__all__ = ["CheckedRows", "RowsRelease", "check_rebuilt_rows", "check_rows", "release_rows", "report_of_rows"]

_ANY_KEY = b"to compare rows with each other"


@dataclass(frozen=True, eq=False)
class RowsRelease(Tabular):
    """A bundle of rows that was written.

    Attributes
    ----------
    bundle : Path
        The folder.
    published : PublishedRows
        Everything that is public.
    certificate : Certificate
        The promise, the digests of the files, and the seal.
    evidence : str
        How well the promise is kept, in words; for the owner alone.
    verdict : {"protected", "face-value", "hidden", "partly-hidden"}
        The verdict as one word.
    rows : Transactions
        The rows that were published, as the bundle has them.
    receipt : Receipt or None
        The entry in the ledger, if there is one; for the owner alone.
    """

    bundle: Path
    published: PublishedRows
    certificate: Certificate
    evidence: str
    verdict: Literal["protected", "face-value", "hidden", "partly-hidden"]
    rows: Transactions = field(repr=False)
    receipt: Receipt | None = None

    @property
    def changed(self) -> bool:
        """Always False: no patterns were changed, these are rows."""
        return False

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the bundle's files."""
        return self.published.files

    @property
    def sentence(self) -> str:
        """What was published, in one sentence."""
        return f"{counted(self.published.n, 'row')} published; {self.evidence}"

    def to_dict(self) -> JsonObject:
        """Return the JSON form. It says no more than the bundle does, except for the entry in the ledger."""
        return {
            "safe": self.verdict in ("protected", "hidden"),
            "verdict": self.verdict,
            "bundle": str(self.bundle),
            "n": self.published.n,
            "items": self.published.items,
            "promise": dict(self.certificate.promise),
            "signed": bool(self.certificate.signatures),
            "seal": self.certificate.seal,
            "receipt": None if self.receipt is None else self.receipt.to_dict(),
            "files": {name: str(self.bundle / name) for name in self.published.files},
        }

    def to_arrow(self) -> pa.Table:
        """Return the rows that were published, as an Arrow table with a column of lists."""
        return self.rows.to_arrow()

    def __repr__(self) -> str:
        return f"<RowsRelease: {counted(self.published.n, 'row')} in {self.bundle}>"


def release_rows(
    rows: Transactions,
    *,
    name: str,
    promise: str | None,
    output: PathLike,
    sensitive: Sensitive | None = None,
    restrict: PathLike | None = None,
    hierarchy: PathLike | None = None,
    original: Transactions | None = None,
    mapping: PathLike | None = None,
    identifying: Names | None = None,
    ignore_unknown: bool = False,
    name_sensitive: bool = False,
    keep_order: bool = False,
    empty_cells: EmptyCells = "auto",
    exact_knowledge: bool = False,
    face_value: bool = False,
    rare_rows: bool = False,
    allow_identifiers: Names | None = None,
    title: str | None = None,
    sign: Identities | None = None,
    key_passphrase: Passphrases | None = None,
    ledger: PathLike | None = None,
    new_ledger: bool = False,
    wait: float = SECONDS_TO_WAIT,
    passphrase: str | bytes | None = None,
    accept_void: bool = False,
    force: bool = False,
) -> RowsRelease:
    """Write a bundle of rows that keep a promise, or raise NotSafe and write nothing.

    Parameters
    ----------
    rows : Transactions
        The rows to publish, anonymized or with patterns hidden.
    name : str
        The file they came from; its suffix decides how they are written.
    promise : str
        "rho=R" (with `sensitive`), "hidden" or "hidden=PSI" (with `restrict`).
    output : path
        The folder for the bundle.
    sensitive : labels or path, optional
        The sensitive items of "rho=R", or a file with one label per line, each with a limit of its own if it has one.
    restrict : path, optional
        The file of restrictive patterns of "hidden".
    hierarchy : path, optional
        The hierarchy of generalized items, to be published with the rows.
    original : Transactions, optional
        The original rows, needed if PSI or a restriction leaves a share of a pattern's rows, and for more than a
        promise at face value (`face_value`). Labels that only they have are known: they were dropped.
    mapping : path, optional
        A file of `anonymize --mapping`: labels that it knows are known too.
    identifying : names, optional
        Columns or items that tell whose a row is: rows that have them are refused. So are those that were left out of
        `original` in this way.
    ignore_unknown : bool, default False
        Accept labels that are neither an item nor a column of the rows.
    name_sensitive : bool, default False
        Name the sensitive labels in the report and the certificate. By default they say how many there are, and that
        readers must ask; the certificate lists those items that are left in the rows in either case.
    keep_order : bool, default False
        Keep the rows in their order, which can tell what they hide: in a sorted file, neighbours have things in
        common. By default the order follows from what the rows hold.
    empty_cells, exact_knowledge
        As for `check`, with "rho=R".
    face_value : bool, default False
        Promise no more than what the rows show at face value, because sensitive items left single rows (`anonymize`
        with "local"). Without it, more is promised only if no sensitive item is left, or if `original` shows that
        items left all rows or none.
    rare_rows : bool, default False
        Promise in full, because all sensitive items left rare rows and nothing else left single rows (`anonymize` with
        "rare-rows"). `original` must show it, and `hierarchy`, if items were generalized. It must be said, because
        "local" can give the same rows.
    allow_identifiers : names, optional
        Columns of a table to publish although they are different in nearly every row and no measure: names, numbers
        of people, mail addresses. Without it they are refused.
    passphrase : str or bytes, optional
        What the mapping and the ledger are encrypted with; with `new_ledger`, what to encrypt that with.
    title, sign, key_passphrase, ledger, new_ledger, wait, accept_void, force
        As for `release`.

    Returns
    -------
    RowsRelease
        The bundle that was written.

    Raises
    ------
    NotSafe
        The rows do not keep the promise, or the ledger holds earlier releases.
    ParameterError
        A parameter has an unusable value, or is missing.
    DataError
        A file that is read cannot be used.
    OutputError
        The folder exists or cannot be written, or the format cannot represent the rows.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> rows = discreet.Transactions.from_rows([["cheese", "milk"], ["milk"], ["test"], []])
    >>> folder = pathlib.Path(tempfile.mkdtemp(), "public")
    >>> discreet.release_rows(rows, name="rows.csv", promise="rho=0.5", sensitive=["test"], output=folder).files
    ('rows.csv', 'report.html', 'certificate.json')
    """
    output = Path(output)
    check_title(title)
    check_bundle_folder(output, force=force)
    check_outside(ledger, output, parameter="ledger")
    check_ledger_path(ledger, new=new_ledger)
    signers = load_signers(sign, key_passphrase)
    kind, bound = parse_promise(promise)
    never = parse_names(identifying, "identifying")
    refuse_identifying(rows, "the bundle", rows, original, names=never)
    refuse_identifiers(rows, allow_identifiers)
    check_share(bound, parameter="promise")
    file = f"rows{known_suffixes(writable_name(name)).lower()}"
    tree = None if hierarchy is None else _read_hierarchy(Path(hierarchy), rows, _named(sensitive))
    if kind == "rho":
        kept = rho_promise(
            rows,
            bound,
            sensitive,
            original=original,
            mapping=None if mapping is None else read_mapping(mapping, passphrase=passphrase),
            ignore_unknown=ignore_unknown,
            name_sensitive=name_sensitive,
            empty_cells=empty_cells,
            exact_knowledge=exact_knowledge,
            face_value=face_value,
            rare_rows=rare_rows,
            hierarchy=tree,
        )
    else:
        _refuse_for_hidden(mapping=mapping, name_sensitive=name_sensitive, face_value=face_value, rare_rows=rare_rows)
        kept = hidden_promise(rows, restrict, bound, original, ignore_unknown=ignore_unknown)
    refuse_identifying(() if tree is None else tree.labels, "the bundle's hierarchy", rows, original, names=never)
    rows = rows if keep_order else rows.by_content()
    kept = kept.in_order("owner" if keep_order else "content")
    check_labels(_labels(rows, tree, kept.names))
    layout = layout_for(rows, Path(file))
    reading = _reading(layout)
    with (
        _recording(ledger, output, new=new_ledger, wait=wait, passphrase=passphrase, accept_void=accept_void) as (
            fingerprint,
            record,
        ),
        new_bundle(output, force=force) as folder,
    ):
        write(_nameless(rows, layout), folder / file, layout=layout)
        public = read(folder / file, **reading)
        _write_again(public, folder / file, force=True)  # as a verifier will, who has nothing else
        if fingerprint_of(read(folder / file, **reading), _ANY_KEY) != fingerprint_of(rows, _ANY_KEY):
            raise OutputError(f"{file} would not hold the rows that were checked; choose another format for them")
        files = [file]
        if tree is not None:
            files.append(HIERARCHY)
            (folder / HIERARCHY).write_bytes(hierarchy_bytes(tree))
            _read_hierarchy(folder / HIERARCHY, rows, _named(sensitive))  # the copy is what is published
        unit = ROWS if rows.read is None else rows.read.what_a_row_is
        certificate = Certificate(
            kind="rows",
            promise=_figures(file, reading, public, kept, unit),
            statement=kept.statement,
            not_promised=kept.not_promised,
            program=discreet.__version__,
            input=fingerprint(rows if original is None else original),
            files={name: digest_file(folder / name) for name in files},
            title=title,
        )
        published = _published(certificate)
        (folder / REPORT).write_bytes(rows_report(published).encode())
        certificate = replace(certificate, files={**certificate.files, REPORT: digest_file(folder / REPORT)})
        certificate = write_certificate(folder, certificate, signers)
        receipt = record(folder)
    return RowsRelease(output, published, certificate, kept.evidence, kept.verdict, public, receipt)


@contextmanager
def _recording(
    path: PathLike | None, folder: Path, *, new: bool, wait: float, passphrase: str | bytes | None, accept_void: bool
) -> Iterator[tuple[Callable[[Transactions], str | None], Callable[[Path], Receipt | None]]]:
    """Yield (fingerprint, record); both are no-ops without a ledger."""
    if path is None:
        yield lambda _: None, lambda _: None
        return
    with open_ledger(path, new=new, wait=wait, passphrase=passphrase) as book:
        book.check_receipts(folder)
        if exact_entries(book.entries, accept_void=accept_void):
            raise NotSafe(
                "the ledger holds earlier releases, and rows cannot be audited together with them; publish one or the "
                "other"
            )
        with book.recording(folder) as record:
            yield book.fingerprint, record


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """The rows of a bundle as read, the promise they keep with all its figures, and the labels in its files."""

    rows: Transactions
    promise: RowsPromise
    hierarchy: Hierarchy | None

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels in the files."""
        return _labels(self.rows, self.hierarchy, self.promise.names)

    def compared_with(self, original: Transactions) -> str:
        """Return what the original rows show about these, in words; raise DataError if they contradict the promise."""
        if self.rows.n != original.n:
            raise DataError("the bundle has another number of rows than these")
        figures = self.promise.figures
        if figures.get("recoding") not in ("global", "rare-rows"):
            return ""
        left = np.array([self.rows.vocabulary.positions[label] for label in figures["sensitive"]], np.int32)
        if figures["recoding"] == "rare-rows":
            if rare_below(self.rows, left, original, self.hierarchy) != figures["rare_below"]:
                raise DataError("these rows do not show that only rare rows lost items, as the certificate says")
            return ", and only rare ones lost items, apart from what left all of them"
        if recoding_of(self.rows, left, original) != "global":
            raise DataError("these rows do not show that items left all rows or none, as the certificate says")
        return ", and items left all of them or none"


def check_rows(folder: Path, certificate: Certificate) -> tuple[CheckedRows, str]:
    """Check the rows of a bundle again, for `verify`; the digests of its files have been checked.

    Returns the promise that the certificate must make about them, with all its figures.
    """
    promise = certificate.promise
    file, reading = promise.get("file"), promise.get("reading")
    if not isinstance(file, str) or not isinstance(reading, dict):
        raise DataError("the certificate does not say which file holds the rows, or how to read it")
    if not all(_plain(key, value) for key, value in reading.items()):
        raise DataError("the certificate asks for the rows to be read in a way that is not known")
    if not {file, REPORT} <= {*certificate.files} <= {file, REPORT, HIERARCHY} or file in (REPORT, HIERARCHY):
        raise DataError("the certificate does not name the files of a bundle of rows")
    if file != f"rows{known_suffixes(file)}":
        raise DataError("the file of the rows has another name than the program gives it")
    rows = read(folder / file, **reading)
    if (rows.n, _items(rows)) != (promise.get("n"), promise.get("items")):
        raise DataError("the certificate says other numbers of rows and items than the file has")
    kept = recheck(rows, promise)
    kept = kept.in_order(_order(rows, promise.get("order")))
    tree = None
    if HIERARCHY in certificate.files:
        tree = _read_hierarchy(folder / HIERARCHY, rows, (*kept.figures.get("sensitive", ()), *kept.names))
    figures = _figures(file, reading, rows, kept, Unit.parse(promise.get("unit")))
    return CheckedRows(rows, replace(kept, figures=figures), tree), f"{counted(rows.n, 'row')}; {kept.evidence}"


def _order(rows: Transactions, said: object) -> Literal["content", "owner"]:
    if said == "content" and not rows.in_content_order:
        raise DataError("the certificate says that the order of the rows follows from their content, but it does not")
    return "content" if said == "content" else "owner"


def check_rebuilt_rows(folder: Path, certificate: Certificate, found: CheckedRows) -> tuple[None, str]:
    """Check that every byte of the rows and of the hierarchy follows from what they say."""
    file, reading = certificate.promise["file"], certificate.promise["reading"]
    if _reading(layout_for(found.rows, Path(file))) != reading:
        raise DataError("the certificate asks for the rows to be read in another way than the program would")
    if found.hierarchy is not None and (folder / HIERARCHY).read_bytes() != hierarchy_bytes(found.hierarchy):
        raise DataError(f"{HIERARCHY} is not written as the program writes it, and may hold more than it shows")
    check_rebuilt(folder / file, partial(_write_again, found.rows))
    return None, "every byte follows from what they say"


def report_of_rows(certificate: Certificate) -> str:
    """Return the page for people that belongs to a certificate of rows."""
    return rows_report(_published(certificate))


def _write_again(rows: Transactions, path: Path, *, force: bool = False) -> None:
    layout = layout_for(rows, path)
    write(_nameless(rows, layout), path, layout=layout, force=force)


def _refuse_for_hidden(**given: object) -> None:
    for name, value in given.items():
        if value:
            raise ParameterError(f"{param(name)} is for the promise rho; leave it out", parameter=name)


def _labels(rows: Transactions, tree: Hierarchy | None, sensitive: Iterable[str]) -> tuple[str, ...]:
    """Return the labels in the files of a bundle, the names of columns, and the sensitive labels that it names."""
    layout = rows.layout
    names = () if layout is None else (*layout.columns, layout.id_column or "", layout.item_column or "")
    known = dict.fromkeys(
        (*rows.vocabulary.labels, *filter(None, names), *(() if tree is None else tree.labels), *sensitive)
    )
    return tuple(known)


def _figures(file: str, reading: ParsedDocument, rows: Transactions, kept: RowsPromise, unit: Unit) -> JsonObject:
    """Return the promise as it is in a certificate."""
    known: JsonObject = {"file": file, "reading": reading, "n": rows.n, "items": _items(rows), "unit": unit.text}
    return known | dict(kept.figures)


def _published(certificate: Certificate) -> PublishedRows:
    promise = certificate.promise
    files = (promise["file"], *((HIERARCHY,) if HIERARCHY in certificate.files else ()), REPORT, CERTIFICATE)
    return PublishedRows(
        n=promise["n"],
        items=promise["items"],
        statement=certificate.statement,
        not_promised=certificate.not_promised,
        title=certificate.title,
        unit=Unit.parse(promise["unit"]),
        version=certificate.program,
        files=files,
    )


_READING = {"format": str, "delimiter": str, "header": bool, "columns": list, "id_column": str, "item_column": str}


def _plain(key: str, value: object) -> bool:
    """Return whether this is a reading option as `_reading` writes it: names, and never a file to open."""
    if type(value) is not _READING.get(key):
        return False
    return all(isinstance(name, str) for name in value) if isinstance(value, list) else True


def _reading(layout: Layout) -> ParsedDocument:
    """Return the keywords with which `read` restores the rows."""
    reading: dict[str, object] = {"format": layout.shape}
    if layout.container == "csv":
        reading["delimiter"] = layout.delimiter
    if layout.container == "csv" and not layout.header and layout.shape != "basket":
        reading |= {"header": False, "columns": list(layout.columns)}
    if layout.shape == "long":
        reading |= {"id_column": layout.id_column, "item_column": layout.item_column}
    if layout.shape == "lists" and layout.item_column is not None:
        reading["item_column"] = layout.item_column
    return reading


def _nameless(rows: Transactions, layout: Layout) -> Transactions:
    """Return the rows without their ids; with numbers if the format needs ids."""
    return replace(rows, ids=[str(number) for number in range(1, len(rows) + 1)] if layout.shape == "long" else None)


def _items(rows: Transactions) -> int:
    return int((rows.item_supports() > 0).sum())


def _named(sensitive: Sensitive | None) -> tuple[str, ...]:
    return () if sensitive is None else read_labels(sensitive)


def _read_hierarchy(path: Path, rows: Transactions, sensitive: Iterable[str]) -> Hierarchy:
    """Return a hierarchy that contains every item of the rows, and no sensitive one."""
    tree = read_hierarchy(path)
    known = {*tree.labels}
    if any(matches(sensitive, known, of=[*rows.vocabulary, *known]).values()):
        raise DataError(f"{path} holds a sensitive item; such an item is never generalized, so remove it")
    held = [label for label, count in zip(rows.vocabulary, rows.item_supports().tolist(), strict=True) if count]
    private = {label for labels in matches(sensitive, held).values() for label in labels}
    if strange := len({*held} - known - private):
        raise DataError(
            f"{path} does not know {counted(strange, 'item')} of the rows; give the hierarchy that they were "
            "generalized with"
        )
    return tree
