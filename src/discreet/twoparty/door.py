"""The door of a side that waits: many may stand there, and only who is trusted comes in.

Problem      whoever reaches the port may call: port scans, other programs, strangers, callers that say nothing. None of
             them may end the wait for the partner, or keep the partner waiting for longer than it takes to see who it
             is.
Method       the handshakes of all callers go on at the same time, without threads: whichever socket has something to
             read goes on with its own. A caller that does not show the trusted certificate within `HANDSHAKE` seconds
             is turned away.
Promises     a caller that says nothing costs a place, of which there are `MOST_CALLERS`, and no time of others. Nobody
             is let in but who holds the key of the trusted certificate.
"""

from __future__ import annotations

import selectors
import socket
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from discreet.errors import PartnerError, PartnerLost
from discreet.twoparty.tls import REFUSAL_PATIENCE, explained_faults, greet

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from discreet.twoparty.identity import Identity

    Begin = Callable[[socket.socket], tuple[ssl.SSLSocket, Callable[[], Identity]]]
    """Prepares a handshake with a caller; says, once it is over, whom it had to be with."""

__all__ = ["HANDSHAKE", "MOST_CALLERS", "Door"]

HANDSHAKE: Final = 5.0
"""The seconds that a caller has to prove that it is trusted."""
MOST_CALLERS: Final = 64
"""How many may be at the door at once; the others wait until one of them has left."""
_AT_LEAST: Final = 1.0
"""The seconds that one has who comes just before the wait is over."""
_LONGEST_NAP: Final = 0.5


@dataclass(eq=False, slots=True)
class _Caller:
    """One that stands at the door, until when it may, and whether it has been turned away."""

    identity: Callable[[], Identity]
    until: float
    leaves: bool = False


class Door:
    """Those who call at a listening socket; as a context manager, it sends the rest away at the end."""

    def __init__(self, listening: socket.socket, begin: Begin) -> None:
        """Open the door; the socket stays its owner's."""
        self.refused: list[PartnerError] = []
        self._listening, self._begin = listening, begin
        self._callers: dict[ssl.SSLSocket, _Caller] = {}
        self._selector = selectors.DefaultSelector()
        listening.setblocking(False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for caller in list(self._callers):
            self._forget(caller)
            caller.close()
        self._selector.close()

    def wait(self, deadline: float) -> ssl.SSLSocket | None:
        """Return the next caller that is trusted, None if none came by then."""
        while time.monotonic() < deadline or any(not each.leaves for each in self._callers.values()):
            self._listen(time.monotonic() < deadline and len(self._callers) < MOST_CALLERS)
            nap = min(_LONGEST_NAP, max(0.0, deadline - time.monotonic()) or _LONGEST_NAP)
            for key, _ in self._selector.select(nap):
                if key.fileobj is self._listening:
                    self._accept(deadline)
                elif isinstance(key.fileobj, ssl.SSLSocket) and self._goes_on(key.fileobj):
                    return key.fileobj
            self._end_the_late()
        return None

    def _listen(self, wanted: bool) -> None:
        known = self._listening in {key.fileobj for key in self._selector.get_map().values()}
        if wanted and not known:
            self._selector.register(self._listening, selectors.EVENT_READ)
        elif known and not wanted:
            self._selector.unregister(self._listening)

    def _accept(self, deadline: float) -> None:
        with suppress(OSError):  # one that has left already
            accepted, _ = self._listening.accept()
            try:
                caller, identity = self._begin(accepted)
            except OSError:
                accepted.close()
                self.refused.append(PartnerLost("a caller left before the TLS handshake"))
                return
            caller.setblocking(False)
            now = time.monotonic()
            self._callers[caller] = _Caller(identity, now + min(HANDSHAKE, max(_AT_LEAST, deadline - now)))
            self._selector.register(caller, selectors.EVENT_READ)

    def _goes_on(self, caller: ssl.SSLSocket) -> bool:
        """Go on with a handshake; return whether it ended well."""
        about = self._callers[caller]
        if about.leaves:
            self._hear_out(caller)
            return False
        try:
            with explained_faults():
                caller.do_handshake()
                about.identity().check_pinned(caller.getpeercert(binary_form=True))
                caller.settimeout(_AT_LEAST)
                greet(caller, listens=True)
        except ssl.SSLWantReadError:
            self._selector.modify(caller, selectors.EVENT_READ)
        except ssl.SSLWantWriteError:
            self._selector.modify(caller, selectors.EVENT_WRITE)
        except PartnerError as error:
            self._turn_away(caller, error)
        else:
            self._forget(caller)
            return True
        return False

    def _turn_away(self, caller: ssl.SSLSocket, error: PartnerError) -> None:
        """Refuse a caller, and go on reading for a while: if a connection ends at once, the reason may be lost."""
        self.refused.append(error)
        about = self._callers[caller]
        about.leaves, about.until = True, time.monotonic() + REFUSAL_PATIENCE
        caller.setblocking(False)
        self._selector.modify(caller, selectors.EVENT_READ)
        with suppress(OSError):
            socket.socket.shutdown(caller, socket.SHUT_WR)

    def _hear_out(self, caller: ssl.SSLSocket) -> None:
        with suppress(BlockingIOError):
            try:
                left = not socket.socket.recv(caller, 1 << 16)
            except ConnectionError:
                left = True
            if left:
                self._forget(caller)
                caller.close()

    def _end_the_late(self) -> None:
        now = time.monotonic()
        for caller, about in list(self._callers.items()):
            if now > about.until:
                if not about.leaves:
                    self.refused.append(PartnerLost("a caller did not answer the TLS handshake in time"))
                self._forget(caller)
                caller.close()

    def _forget(self, caller: ssl.SSLSocket) -> None:
        self._selector.unregister(caller)
        del self._callers[caller]
