"""Access control of the workbench: without the token, nothing can be seen or changed.

The address that `discreet ui` prints contains a random token. The first request with it gets a cookie, and everything
else (pages, files, scripts, the websocket) must present one of the two. Browsers send a host's cookies to all of its
ports, and another user may serve on any of them. So the host has a random name of its own (`….localhost`, which is this
machine to every browser), and nobody else knows it. A request for another host name, or a websocket opened by another
page, is refused even with the token: a web site that points its own name at 127.0.0.1 gains nothing.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    Message = MutableMapping[str, Any]  # as servers and applications pass it on
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    Application = Callable[[Message, Receive, Send], Awaitable[None]]

__all__ = ["Guard", "new_host", "new_token"]

_REFUSED = b"This page is for whoever started it: open the address that discreet ui printed, with its token.\n"
_POLICY_VIOLATION = 1008


_POLICY = (
    "default-src 'self'; "
    "script-src 'self' 'unsafe-inline' 'unsafe-eval'; "  # the framework compiles its templates in the browser
    "style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; "
    "font-src 'self' data:; "
    "connect-src 'self'; "
    "object-src 'none'; "
    "base-uri 'none'; "
    "form-action 'self'; "
    "frame-ancestors 'none'"
)
"""The Content-Security-Policy: nothing is fetched from elsewhere or sent there, whatever a file made a page show."""


def new_host() -> str:
    """Return an unguessable name for this machine."""
    return f"{secrets.token_hex(16)}.localhost"


def new_token() -> str:
    """Return an unguessable token."""
    return secrets.token_urlsafe(24)


class Guard:
    """Passes requests with the token on to `app`, and refuses all others."""

    def __init__(self, app: Application, *, token: str, host: str, port: int) -> None:
        self.app = app
        self._token = token
        self._cookie = f"discreet-{port}"
        self._host = f"{host}:{port}"

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle one request, or one connection."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        in_address = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        known = self._matches(in_address) or self._matches(self._brought(headers))
        if not known or not self._from_here(headers):
            await _refuse(scope, receive, send)
            return
        await self.app(scope, receive, self._leaving_cookie(send) if self._matches(in_address) else _plain(send))

    def _matches(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self._token.encode())

    def _brought(self, headers: dict[str, str]) -> str:
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return ""
        return "" if morsel is None else morsel.value

    def _from_here(self, headers: dict[str, str]) -> bool:
        origin = headers.get("origin")
        same = origin is None or origin.removeprefix("http://") == self._host
        return headers.get("host", "") == self._host and same

    def _leaving_cookie(self, send: Send) -> Send:
        cookie = f"{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/"

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"set-cookie", cookie.encode())]
            await _plain(send)(message)

        return sending


def _plain(send: Send) -> Send:
    """Add headers that prevent framing by other pages and keep the address out of referrers."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                *message.get("headers", ()),
                (b"x-content-type-options", b"nosniff"),
                (b"content-security-policy", _POLICY.encode()),
                (b"x-frame-options", b"DENY"),
                (b"referrer-policy", b"no-referrer"),
            ]
        await send(message)

    return sending


async def _refuse(scope: Message, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(_REFUSED)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": _REFUSED})
