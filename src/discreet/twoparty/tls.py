"""The TLS handshake between two pinned certificates, and what its errors mean."""

from __future__ import annotations

import socket
import ssl
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from discreet.errors import PartnerError, PartnerLost, PartnerUntrusted, ProtocolViolation, param
from discreet.twoparty.messages import HEADER_LENGTH, Message, MessageDecoder, MessageKind, encode
from discreet.twoparty.steps import Expected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from discreet.twoparty.identity import Identity

__all__ = ["discard_rest", "explained_faults", "finished", "greet", "handshake"]

EXPIRED: Final = 10  # X509_V_ERR_CERT_HAS_EXPIRED
NOT_YET: Final = 9  # X509_V_ERR_CERT_NOT_YET_VALID
REFUSAL_PATIENCE: Final = 2.0


def handshake(
    connection: socket.socket, identity: Identity, *, listens: bool, timeout: float, name: str | None = None
) -> ssl.SSLSocket:
    """Turn a connected socket into a TLS connection with the pinned partner, or raise an error that says why not.

    In TLS 1.3 the connecting side finishes before the listening side has checked its certificate. So the listening side
    sends the first message; once the connecting side has received it, both know that both agreed. `name` is what the
    connecting side calls itself, for a listener that waits for several.
    """
    secured = identity.context(listens=listens).wrap_socket(
        connection, server_side=listens, do_handshake_on_connect=False, server_hostname=name
    )
    return finished(secured, lambda: identity, listens=listens, timeout=timeout)


def finished(
    secured: ssl.SSLSocket, identity: Callable[[], Identity], *, listens: bool, timeout: float
) -> ssl.SSLSocket:
    """Shake hands, and check that it is the partner; `identity` is asked for when it is known who came."""
    secured.settimeout(timeout)
    try:
        with explained_faults():
            secured.do_handshake()
            identity().check_pinned(secured.getpeercert(binary_form=True))
            greet(secured, listens=listens)
    except PartnerError:
        discard_rest(secured, REFUSAL_PATIENCE)  # so that the alert arrives before the connection ends
        secured.close()
        raise
    except BaseException:
        secured.close()
        raise
    return secured


def greet(secured: ssl.SSLSocket, *, listens: bool) -> None:
    """Send the first sign of life, or wait for it."""
    greeting = encode(Message(MessageKind.ALIVE))
    if listens:
        secured.sendall(greeting)
        return
    decoder, heard = MessageDecoder(), 0
    while heard < HEADER_LENGTH:
        received = secured.recv(HEADER_LENGTH - heard)
        if not received:
            raise PartnerLost("the partner ended the connection before it began; its message says why")
        heard += len(received)
        decoder.feed(received)
        decoder.next(Expected(MessageKind.ALIVE, 0).admit)


@contextmanager
def explained_faults() -> Iterator[None]:
    """Translate socket and TLS errors into errors that say what to do, without received data."""
    try:
        yield
    except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
        raise
    except ssl.SSLCertVerificationError as error:
        raise PartnerUntrusted(_distrust(error.verify_code)) from None
    except ssl.SSLError as error:
        raise _tls_fault(error.reason or "") from None
    except TimeoutError:
        raise PartnerLost(
            "the partner did not answer the TLS handshake in time; is it discreet that runs there?"
        ) from None
    except OSError:
        raise PartnerLost(
            "the connection to the partner broke; nothing of a broken session is kept: start both sides again, from "
            "the beginning"
        ) from None


def _distrust(code: int) -> str:
    if code in (EXPIRED, NOT_YET):
        when = "has expired" if code == EXPIRED else "is not valid yet (are both clocks right?)"
        return f"the partner's certificate {when}; let it make a new one with discreet keygen and hand over public.pem"
    return (
        f"the partner's certificate is not the one that {param('trust')} names; nothing was sent; ask the partner for "
        "its public.pem over a channel you trust"
    )


def _tls_fault(reason: str) -> PartnerError:
    if "ALERT" in reason and ("CERT" in reason or "UNKNOWN_CA" in reason):
        return PartnerUntrusted(
            "the partner does not trust this side's certificate; nothing was sent; give it the public.pem next to "
            "your identity.pem"
        )
    if "BAD_RECORD_MAC" in reason:
        return ProtocolViolation(
            "what arrived is not what was sent: the bytes between the two sides were changed on their way; nothing of "
            "it was used"
        )
    if "EOF" in reason:
        return PartnerLost("the partner ended the connection during the TLS handshake")
    return ProtocolViolation(
        "the partner does not speak TLS 1.3 as discreet does; is another program behind that port?"
    )


def discard_rest(secured: ssl.SSLSocket, patience: float) -> None:
    """Signal the end of our data, then read and discard until the partner has left.

    Closing a connection before everything was read resets it, which may overtake our last message.
    """
    deadline = time.monotonic() + patience
    with suppress(OSError):
        socket.socket.shutdown(secured, socket.SHUT_WR)
        while (left := deadline - time.monotonic()) > 0:
            secured.settimeout(left)
            if not socket.socket.recv(secured, 1 << 16):
                return
