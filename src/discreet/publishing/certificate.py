"""The certificate of a bundle: what is promised, what is not, and a digest of every file.

It has one canonical form (JSON with sorted keys, two blanks of indentation, ASCII, a newline at the end) and ends with
a seal over everything else, so that no bit of it can change unnoticed. Seal and digests detect damage; only signatures
prove who stands for it: each is over everything but seal and signatures, so that one can be added later.
docs/certificate.md describes every field, docs/certificate.schema.json its form.

What is *not* in it matters as much: neither the method, nor any figure about what was changed.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NoReturn

from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from discreet.json_types import JsonObject, ParsedDocument

__all__ = [
    "CERTIFICATE",
    "FORM",
    "MOST_SIGNATURES",
    "OLDER_FORM",
    "AnotherVersion",
    "Certificate",
    "FileDigest",
    "Signature",
    "another_form",
    "digest_of",
]

CERTIFICATE = "certificate.json"
FORM = 2
"""The version of the format that is written."""

OLDER_FORM = 1
"""An earlier version, which is read, but not judged: less was looked at, and its files cannot be rebuilt."""

MOST_SIGNATURES = 8
"""A signer can hide some 30 bytes in a signature, so there cannot be any number of them."""

_NAME = re.compile(r"[a-z][a-z0-9-]*(\.[a-z0-9]+)+")
_VERSION = re.compile(r"[0-9]{1,4}(\.[0-9a-z+-]{1,16}){1,4}")
_HEX = re.compile(r"[0-9a-f]+")
_DIGEST_DIGITS = 64


class AnotherVersion(DataError):  # noqa: N818 - says what was met
    """Another version of the program wrote this, so that this one cannot judge it."""


@dataclass(frozen=True, slots=True)
class FileDigest:
    """The size and SHA-256 that a file of the bundle must have."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Signature:
    """An Ed25519 signature of the certificate without `seal` and `signatures`, and the key to check it with, as hex."""

    public_key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What a bundle says about itself.

    kind           patterns or rows
    promise        what holds, as figures that a verifier checks (see docs/certificate.md)
    statement      the same in words
    not_promised   what it does not promise
    program        the version of discreet that wrote it
    input          HMAC-SHA256 of the rows under the owner's key, as hex; None if there is no ledger with a key
    files          every file of the bundle except the certificate itself
    title          what the owner calls it, if anything
    signatures     by the owner and others, in the order of their keys, each key once
    form           the version of its format
    """

    kind: str
    promise: ParsedDocument
    statement: str
    not_promised: tuple[str, ...]
    program: str
    input: str | None
    files: Mapping[str, FileDigest]
    title: str | None = None
    signatures: tuple[Signature, ...] = ()
    form: int = FORM

    def body(self) -> bytes:
        """Return the bytes that every signature signs."""
        return _canonical(self._document())

    def to_bytes(self) -> bytes:
        """Return the file."""
        signed: list[Any] = [_as_dict(signature) for signature in self.signatures]
        document = self._document()
        document |= {"signature": next(iter(signed), None)} if self.form == OLDER_FORM else {"signatures": signed}
        return _canonical(document | {"seal": digest_of(_canonical(document))})

    @property
    def seal(self) -> str:
        """The digest of everything else, signatures included."""
        seal: str = json.loads(self.to_bytes())["seal"]
        return seal

    def _document(self) -> JsonObject:
        since_form_2: JsonObject = {} if self.form == OLDER_FORM else {"title": self.title}
        return since_form_2 | {
            "form": self.form,
            "kind": self.kind,
            "promise": dict(self.promise),
            "statement": self.statement,
            "not_promised": list(self.not_promised),
            "program": {"name": "discreet", "version": self.program},
            "input": None if self.input is None else {"hmac_sha256": self.input},
            "files": {name: _as_dict(file) for name, file in self.files.items()},
        }

    @classmethod
    def from_bytes(cls, data: bytes) -> Certificate:
        """Read a certificate, and refuse one that is not in canonical form."""
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            raise DataError(f"{CERTIFICATE} is not JSON; it was damaged, ask for the bundle again") from None
        form = document.get("form") if isinstance(document, dict) else None
        if type(form) is not int or form not in (OLDER_FORM, FORM):
            raise AnotherVersion(
                f"{CERTIFICATE} is of a form that this version does not know; it knows forms {OLDER_FORM} and {FORM}; "
                "use another version"
            )
        certificate = _read(document)
        if certificate.to_bytes() != data:
            raise DataError(f"{CERTIFICATE} does not bear its own seal; it was changed, ask for the bundle again")
        return certificate

    def signed(self, sign: Callable[[bytes], Signature]) -> Certificate:
        """Return the certificate with one more signature."""
        if len(self.signatures) >= MOST_SIGNATURES:
            raise ParameterError(f"a certificate has at most {MOST_SIGNATURES} signatures", parameter="sign")
        signatures = (*self.signatures, sign(self.body()))
        return replace(self, signatures=tuple(sorted(signatures, key=lambda signature: signature.public_key)))


def another_form(certificate: Certificate) -> NoReturn:
    """Refuse to judge a certificate of an earlier form."""
    about = f"{CERTIFICATE} is of form {certificate.form}: an earlier version wrote it, and looked less far"
    raise AnotherVersion(f"{about}; ask the owner to publish again, or verify it with that version")


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes, as hex."""
    return hashlib.sha256(data).hexdigest()


def _as_dict(value: FileDigest | Signature) -> JsonObject:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _canonical(document: ParsedDocument) -> bytes:
    return (json.dumps(document, sort_keys=True, indent=2, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def _read(document: ParsedDocument) -> Certificate:
    given = document.get("input")
    return Certificate(
        kind=_text(document, "kind"),
        promise=_table(document, "promise"),
        statement=_text(document, "statement"),
        not_promised=_texts(document, "not_promised"),
        program=_version(_table(document, "program")),
        input=None if given is None else _hex(_table(document, "input"), "hmac_sha256", digits=_DIGEST_DIGITS),
        files={name: _file(name, file) for name, file in _table(document, "files").items()},
        title=None if document.get("title") is None else _text(document, "title"),
        signatures=_signatures(document),
        form=document["form"],
    )


def _file(name: str, file: object) -> FileDigest:
    if not _NAME.fullmatch(name) or name == CERTIFICATE or not isinstance(file, dict):
        raise _wrong("files")
    size = file.get("bytes")
    if type(size) is not int or size < 0:
        raise _wrong("files")
    return FileDigest(size, _hex(file, "sha256", digits=_DIGEST_DIGITS))


def _signatures(document: ParsedDocument) -> tuple[Signature, ...]:
    if document["form"] == OLDER_FORM:
        return () if document.get("signature") is None else (_signature(document["signature"]),)
    listed = document.get("signatures")
    if not isinstance(listed, list) or len(listed) > MOST_SIGNATURES:
        raise _wrong("signatures")
    found = tuple(map(_signature, listed))
    keys = [signature.public_key for signature in found]
    if keys != sorted({*keys}):
        raise _wrong("signatures")
    return found


def _signature(table: object) -> Signature:
    if not isinstance(table, dict):
        raise _wrong("signatures")
    return Signature(
        public_key=_hex(table, "public_key", digits=_DIGEST_DIGITS), value=_hex(table, "value", digits=128)
    )


def _text(table: ParsedDocument, key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise _wrong(key)
    return value


def _version(table: ParsedDocument) -> str:
    version = _text(table, "version")
    if not _VERSION.fullmatch(version):
        raise _wrong("program")
    return version


def _texts(table: ParsedDocument, key: str) -> tuple[str, ...]:
    value = table.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(text, str) and text for text in value):
        raise _wrong(key)
    return tuple(value)


def _table(table: ParsedDocument, key: str) -> JsonObject:
    value = table.get(key)
    if not isinstance(value, dict):
        raise _wrong(key)
    return value


def _hex(table: ParsedDocument, key: str, *, digits: int) -> str:
    value = _text(table, key)
    if len(value) != digits or not _HEX.fullmatch(value):
        raise _wrong(key)
    return value


def _wrong(key: str) -> DataError:
    return DataError(
        f"{CERTIFICATE}: {key} is not what docs/certificate.schema.json asks for; ask for the bundle again"
    )
