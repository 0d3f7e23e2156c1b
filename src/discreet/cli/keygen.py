"""`discreet keygen`: make the identity by which a partner recognizes you."""

# `command` reads the annotations at run time.

from pathlib import Path
from typing import Annotated

from discreet.answers.answer import Answer
from discreet.cli.command import Argument, Option, command
from discreet.cli.options import TalkingOptions
from discreet.cli.passphrase import passphrase as ask
from discreet.cli.standard_output import give
from discreet.errors import ParameterError
from discreet.publishing.signing import public_key_in
from discreet.twoparty.identity import fingerprint
from discreet.twoparty.identity import keygen as run
from discreet.twoparty.salt import make_salt

__all__ = ["keygen"]

EXAMPLES = """
discreet keygen our-keys
discreet keygen our-salt --salt
"""


@command(examples=EXAMPLES)
def keygen(
    *,
    folder: Annotated[Path, Argument(metavar="DIR", help="Where to put it; made where it does not exist.")],
    valid_from: Annotated[
        str | None, Option("--valid-from", metavar="DAY", help="The first day on which it is used: 2026-01-31.")
    ] = None,
    valid_until: Annotated[
        str | None,
        Option("--valid-until", metavar="DAY", help="The last day on which it is used; ten years unless given."),
    ] = None,
    encrypt: Annotated[
        bool, Option("--encrypt", help="Encrypt the private key with a passphrase that the terminal asks for.")
    ] = False,
    key_passphrase_file: Annotated[
        Path | None,
        Option(
            "--key-passphrase-file",
            metavar="FILE",
            help="Encrypt it with the passphrase in this file instead.",
        ),
    ] = None,
    salt: Annotated[
        bool, Option("--salt", help="Make a salt in place of an identity: DIR/salt.key, a secret that both sides hold.")
    ] = False,
    talking: TalkingOptions,
) -> None:
    """Make the identity by which a partner recognizes you.

    DIR/identity.pem is a private key with its certificate, for you alone. DIR/public.pem is the certificate, for your
    partner, who names it with --trust. Hand it over in a way that nobody can tamper with, or compare fingerprints over
    the telephone. An identity that exists is never replaced. With a passphrase, someone who gets hold of
    identity.pem cannot use it. If you forget the passphrase, neither can you.

    With --salt, DIR/salt.key is made instead: one of the two sides makes it and hands it over in a way that nobody can
    read, and both give it to party as --salt.
    """
    if salt:
        _salt(folder, talking, others=(valid_from, valid_until, key_passphrase_file, encrypt or None))
        return
    secret = None
    if encrypt or key_passphrase_file is not None:
        secret = ask(key_passphrase_file, twice=True, what=f"the key in {folder}", parameter="key_passphrase_file")
    identity, public = run(folder, valid_from=valid_from, valid_until=valid_until, passphrase=secret)
    print_of_it, key = fingerprint(public), public_key_in(public)
    halves = print_of_it[: len(print_of_it) // 2].strip(), print_of_it[len(print_of_it) // 2 :].strip()
    evidence = [
        f"{identity}: your private key; keep it to yourself\n{public}: for your partner, as --trust",
        "Its fingerprint, to compare over the telephone:\n  " + "\n  ".join(halves),
        f"Its public key, as bundles name those that signed them:\n  {key}",
    ]
    document = {"identity": str(identity), "public": str(public), "fingerprint": print_of_it.replace(" ", "")}
    give(
        lambda: document | {"public_key": key},
        lambda: Answer("a new identity has been made", evidence),
        json=talking.json,
    )


def _salt(folder: Path, talking: TalkingOptions, *, others: tuple[object, ...]) -> None:
    if any(each is not None for each in others):
        raise ParameterError("--salt makes no key: give it without the options of an identity", parameter="--salt")
    path = make_salt(folder)
    give(
        lambda: {"salt": str(path)},
        lambda: Answer(
            "a new salt has been made",
            [
                f"{path}: a secret of the two sides; hand it over in a way that nobody can read",
                "Whoever holds it can try ids against what is sent, your partner included.",
            ],
        ),
        json=talking.json,
    )
