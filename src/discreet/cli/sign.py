"""`discreet sign`: verify a bundle, and add a signature to it."""

# `command` reads the annotations at run time.

from pathlib import Path
from typing import Annotated

import discreet
from discreet.cli.command import Argument, Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import Force, TalkingOptions
from discreet.cli.passphrase import KeyPassphraseFile, key_passphrases
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give

with on_first_use():
    from discreet.answers import releases as release_answers
    from discreet.publishing import sign as signing_off


__all__ = ["sign"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet keygen steward
discreet keygen checker
discreet release hospital.csv -s 20% -k 10 --method suppressive -o public --sign steward/identity.pem
discreet sign public --key checker/identity.pem --trust steward/public.pem
discreet verify public --trust steward/public.pem --trust checker/public.pem
"""


@command(examples=EXAMPLES)
def sign(
    *,
    bundle: Annotated[Path, Argument(metavar="DIR", help="The folder that discreet release wrote.")],
    key: Annotated[
        Path | None, Option("--key", metavar="IDENTITY", help="Your identity.pem of discreet keygen.")
    ] = None,
    key_passphrase_file: KeyPassphraseFile = None,
    trust: Annotated[
        list[Path] | None,
        Option(
            "--trust",
            metavar="PUBLIC",
            help="It must be signed by the owner of this public.pem already (again for each).",
        ),
    ] = None,
    timestamp_request: Annotated[
        Path | None,
        Option(
            "--timestamp-request",
            writes=True,
            metavar="FILE",
            help="Write a request (RFC 3161) for a time stamp of the certificate as it is then.",
        ),
    ] = None,
    force: Force = False,
    talking: TalkingOptions,
) -> int:
    """Verify a bundle, and add your signature to it.

    The bundle is checked as by discreet verify, and not signed unless it holds: status 1. The signature is added to
    certificate.json; no other file changes, and signatures that are there stay. All are over the same words, figures
    and digests, so that nothing can be changed after the first one.

    A time stamp shows when it was signed: send FILE to a time stamping service, and verify its response with discreet
    verify --timestamp. Whoever signs later needs a new one.
    """
    secrets = key_passphrases([] if key is None else [key], [key_passphrase_file])
    try:
        with patience_note("Verifying", quiet=talking.quiet):
            done = discreet.sign(
                bundle,
                key=key,
                passphrase=secrets[0] if secrets else None,
                trust=trust,
                timestamp_request=timestamp_request,
                force=force,
            )
    except signing_off.NotSigned as refusal:
        found = refusal.found
        give(
            lambda: found.to_dict() | {"signed": False},
            lambda: release_answers.not_signed_answer(bundle, found),
            json=talking.json,
        )
        return 1
    give(done.to_dict, lambda: release_answers.signed_answer(done, timestamp_request), json=talking.json)
    return 0
