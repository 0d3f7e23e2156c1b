"""Who may come in: nobody without the token, nobody from elsewhere, no file that is too large; and nothing is left."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.workbench_page import EXAMPLE, Page, served
from tests.patience import PATIENCE, wait_until

pytest.importorskip("nicegui", reason="the workbench needs NiceGUI: pip install '.[workbench]'")


def ask(address: str, path: str, *, method: str = "GET", headers: dict[str, str] | None = None, body: bytes = b""):
    """Send one request, and return status and content."""
    place = urlsplit(address)
    with closing(http.client.HTTPConnection("127.0.0.1", place.port, timeout=PATIENCE)) as connection:
        connection.request(method, path, body=body, headers={"Host": place.netloc} | (headers or {}))
        with connection.getresponse() as answer:
            return answer.status, answer.read(), dict(answer.getheaders())


PLACES = [
    "/",
    "/publish/x",
    "/workbench.css",
    "/files/x/patterns-bundle.zip",
    "/_nicegui_ws/socket.io/?EIO=4&transport=polling",
]
SOCKET = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


@pytest.mark.parametrize("path", PLACES)
def test_a_request_without_the_token_is_refused(workbench: str, path: str):
    for headers in ({}, {"Cookie": f"discreet-{urlsplit(workbench).port}=guessed"}):
        status, content, _ = ask(workbench, path, headers=headers)
        assert status == 403
        assert b"with its token" in content
    assert ask(workbench, f"{path}{'&' if '?' in path else '?'}token=guessed")[0] == 403


def test_uploads_and_websockets_without_the_token_are_refused(workbench: str):
    assert ask(workbench, "/drop/x/rows?name=a.dat", method="POST", body=b"1 2")[0] == 403
    assert ask(workbench, "/_nicegui_ws/socket.io/?EIO=4&transport=websocket", headers=SOCKET)[0] == 403


def test_the_token_opens_and_leaves_a_cookie_that_scripts_cannot_read(workbench: str):
    status, content, headers = ask(workbench, workbench.partition("/?")[2].join(("/?", "")))
    assert status == 200
    assert re.search(rb"url=/publish/[0-9a-f]{32}\"", content)  # 128 bits
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    kept = {"Cookie": cookie.partition(";")[0]}
    assert ask(workbench, "/workbench.css", headers=kept)[0] == 200
    for host in ("evil.example", f"127.0.0.1:{urlsplit(workbench).port}", f"localhost:{urlsplit(workbench).port}"):
        assert ask(workbench, "/workbench.css", headers=kept | {"Host": host})[0] == 403
    elsewhere = kept | SOCKET | {"Origin": "http://evil.example"}
    assert ask(workbench, "/_nicegui_ws/socket.io/?EIO=4&transport=websocket", headers=elsewhere)[0] == 403
    assert ask(workbench, "/files/nobody/private.txt", headers=kept)[0] == 404


def test_files_that_are_too_large_are_refused_with_a_sentence_and_nothing_is_left(browser, tmp_path: Path):
    large = tmp_path / "large.dat"
    large.write_bytes(b"1 2 3\n" * 200_000)
    with served("--max-size", "1") as (address, process):
        page = Page(browser, address)
        page.open()
        page.drop(large)
        told = page.until(lambda: browser.texts(".refusal"))
        assert "large.dat has 1.2 MB; up to 1 MB can be dropped" in told[0]
        token = address.partition("?")[2]
        workspace = browser.driver.current_url.rpartition("/")[2].partition("?")[0]
        status, content, _ = ask(
            address, f"/drop/{workspace}/rows?name=large.dat&{token}", method="POST", body=large.read_bytes()
        )
        assert (status, content.startswith(b"up to 1 MB can be dropped")) == (413, True)
        small = tmp_path / "small.dat"
        small.write_bytes(b"1 2 3\n1 2\n" * 20)
        page.drop(small)
        page.until(lambda: page.judged)
        (folder,) = [
            each for each in Path(tempfile.gettempdir()).glob("discreet-scratch-*") if (each / workspace).exists()
        ]
        assert (folder / workspace / "rows" / "small.dat").exists()
        assert not (folder / workspace / "rows" / "large.dat").exists()
        assert folder.stat().st_mode & 0o077 == 0
        browser.driver.get("about:blank")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 0
        assert not folder.exists()
        assert process.stderr.read() == ""


def test_a_file_that_never_comes_to_its_end_replaces_none(workbench: str):
    token = workbench.partition("?")[2]
    _, content, _ = ask(workbench, f"/?{token}")
    workspace = re.search(rb"/publish/(\w+)", content)[1].decode()
    assert ask(workbench, f"/drop/{workspace}/bundle?name=a.csv&{token}", method="POST", body=b"whole")[0] == 200
    place = urlsplit(workbench)
    with socket.create_connection(("127.0.0.1", place.port)) as line:
        head = (
            f"POST /drop/{workspace}/bundle?name=a.csv&{token} HTTP/1.1",
            f"Host: {place.netloc}",
            "Content-Length: 99",
        )
        line.sendall("\r\n".join((*head, "", "half")).encode())
    (folder,) = [each for each in Path(tempfile.gettempdir()).glob("discreet-scratch-*") if (each / workspace).exists()]
    for _ in range(3):
        assert ask(workbench, f"/?{token}")[0] == 200
        assert (folder / workspace / "bundle" / "a.csv").read_bytes() == b"whole"


def test_a_name_in_the_address_becomes_no_markup(browser, workbench: str):
    page = Page(browser, workbench)
    page.open()
    browser.driver.get(f"{workbench.partition('/?')[0]}/publish/%22%3E%3Cimg%20src=x%20onerror='hacked=1'%3E")
    page.until(lambda: browser.texts(".first .verdict"))
    assert browser.all("main img") == []
    assert all(
        each.startswith("/") for each in browser.ask("[...document.querySelectorAll('nav a')].map((a) => a.pathname)")
    )
    browser.driver.get("about:blank")


def test_the_browser_is_started_without_the_token_in_its_command(tmp_path: Path):
    told, script = tmp_path / "told", tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$@" > {told}.new; mv {told}.new {told}\n')
    script.chmod(0o700)
    words = [sys.executable, "-m", "discreet", "ui"]
    surroundings = {**os.environ, "BROWSER": str(script)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=surroundings) as process:
        try:
            address = re.search(r"http://\S+", process.stdout.readline())[0]
            wait_until(told.exists)
            page = Path(urlsplit(told.read_text().strip()).path)
            assert address.partition("token=")[2] not in told.read_text()
            assert page.stat().st_mode & 0o077 == 0
            assert address in page.read_text()
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)


def test_a_file_dropped_beside_the_box_goes_into_it_and_the_page_stays(browser, workbench: str):
    page = Page(browser, workbench)
    page.open()
    address = browser.driver.current_url
    data = {"items": [], "files": [str(EXAMPLE)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.order("Input.dispatchDragEvent", type=kind, x=900, y=500, data=data)
    page.until(lambda: browser.texts(".file") == [EXAMPLE.name])
    assert browser.driver.current_url == address
    browser.one(".correct .q-item").click()
    page.write("Leave out columns", "@/etc/passwd")
    page.click("Read again")
    told = page.until(lambda: browser.texts(".q-field--error [role=alert]"))
    assert "takes names here, and no @file" in told[0]
    browser.driver.get("about:blank")


def test_a_port_that_is_taken_is_told(workbench: str, capsys):
    from discreet.cli.main import main

    port = urlsplit(workbench).port
    assert main(["ui", "--port", str(port), "--no-browser"]) == 2
    assert f"--port {port} cannot be used" in capsys.readouterr().err
    assert ask(workbench, "/")[0] == 403
