"""The door alone, without a server: what is let through to the application, and what is not."""

from __future__ import annotations

import asyncio

import pytest

from discreet.workbench.guard import Guard, new_host, new_token

PORT = 4321
HOME = (b"host", b"name.localhost:4321")


def passed(headers: list[tuple[bytes, bytes]], query: bytes = b"", kind: str = "http") -> tuple[bool, list[dict]]:
    """Say whether a request reaches the application, and what is sent back."""
    reached, sent = [], []

    async def application(scope, receive, send):  # noqa: ARG001 - as ASGI has it
        reached.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    guard = Guard(application, token="right", host="name.localhost", port=PORT)  # noqa: S106 - no secret
    asyncio.run(guard({"type": kind, "headers": headers, "query_string": query}, receive, send))
    return bool(reached), sent


def test_the_token_in_the_address_opens_and_leaves_a_cookie():
    reached, sent = passed([HOME], b"token=right")
    assert reached
    assert any(name == b"set-cookie" and b"discreet-4321=right" in value for name, value in sent[0]["headers"])


def test_the_cookie_opens_and_is_not_sent_again():
    reached, sent = passed([HOME, (b"cookie", b"other=1; discreet-4321=right")])
    assert reached
    assert b"set-cookie" not in dict(sent[0]["headers"])
    assert dict(sent[0]["headers"])[b"referrer-policy"] == b"no-referrer"
    policy = dict(sent[0]["headers"])[b"content-security-policy"].decode()
    assert {"default-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"} <= set(policy.split("; "))


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("headers", "query"),
    [
        ([HOME], b""),
        ([HOME], b"token="),
        ([HOME], b"token=wrong"),
        ([HOME, (b"cookie", b"discreet-4321=wrong")], b""),
        ([HOME, (b"cookie", b"discreet-4320=right")], b""),
        ([HOME, (b"cookie", b"\x00\xff=;;;")], b""),
        ([(b"host", b"evil.example:4321")], b"token=right"),
        ([(b"host", b"name.localhost:4322")], b"token=right"),
        ([(b"host", b"127.0.0.1:4321")], b"token=right"),  # whose cookies go to every port
        ([(b"host", b"localhost:4321")], b"token=right"),
        ([], b"token=right"),
        ([HOME, (b"origin", b"http://evil.example")], b"token=right"),
        ([HOME, (b"origin", b"null")], b"token=right"),
    ],
)
def test_everything_else_is_refused(kind: str, headers: list[tuple[bytes, bytes]], query: bytes):
    reached, sent = passed(headers, query, kind)
    assert not reached
    assert sent[0].get("status") == 403 if kind == "http" else sent[0]["type"] == "websocket.close"


def test_tokens_are_long_and_never_the_same():
    assert len({new_token() for _ in range(100)}) == 100
    assert len(new_token()) >= 32
    assert len({new_host() for _ in range(100)}) == 100
    assert len(new_host().partition(".")[0]) == 32
