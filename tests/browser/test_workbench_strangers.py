"""Strangers: a page of another site in the same browser, and another user of the same machine. No file, no token."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser.workbench_page import EXAMPLE, Page, served
from tests.patience import PATIENCE, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.browser.chromium import Chromium

pytest.importorskip("nicegui", reason="the workbench needs NiceGUI: pip install '.[workbench]'")

# What a page of another site could try, if it knew the address of a workspace, which it cannot.
TRIES = """
    const [home, workspace, done] = arguments;
    const ended = (promise) => promise.then((answer) => answer, (error) => "refused");
    const read = async (path, how) => {
      const answer = await fetch(home + path, { credentials: "include", ...how });
      return answer.status + " " + (await answer.text()).length;
    };
    const loaded = (tag, path) => new Promise((tell) => {
      const element = document.createElement(tag);
      element.onload = () => tell("loaded");
      element.onerror = () => tell("refused");
      element.src = home + path;
      document.body.append(element);
    });
    const socket = () => new Promise((tell) => {
      const line = new WebSocket(home.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket");
      line.onopen = () => tell("open");
      line.onerror = () => tell("refused");
    });
    const sent = () => fetch(`${home}/drop/${workspace}/rows?name=evil.dat`, {
      method: "POST", body: "1 2 3\\n", mode: "no-cors", credentials: "include",
    }).then((answer) => answer.type === "opaque" ? "refused" : "read");
    const unread = () => fetch(`${home}/publish/${workspace}`, { mode: "no-cors", credentials: "include" })
      .then((answer) => answer.type === "opaque" ? "refused" : "read");
    (async () => done({
      page: await ended(read(`/publish/${workspace}`)),
      start: await ended(read("/")),
      file: await ended(read(`/files/${workspace}/patterns-owner-report.html`)),
      unread: await ended(unread()),
      script: await loaded("script", "/workbench.js"),
      socket: await socket(),
      sent: await ended(sent()),
      inside: await loaded("img", "/workbench.css"),
    }))();"""


def answered(browser: Chromium, home: str) -> list[int]:
    """Return the statuses of what the workbench answered since the last time, whether or not the page could see it."""
    events = [json.loads(entry["message"])["message"] for entry in browser.driver.get_log("performance")]
    asked = {
        event["params"]["requestId"]
        for event in events
        if event["method"] == "Network.requestWillBeSent" and event["params"]["request"]["url"].startswith(home)
    }
    told = {
        event["params"]["requestId"]: event["params"]["statusCode"]
        for event in events
        if event["method"] == "Network.responseReceivedExtraInfo" and event["params"]["requestId"] in asked
    }
    return list(told.values())


@contextmanager
def another_site(heard: list[str]) -> Iterator[str]:
    """Serve an empty page on another port of the same machine, and keep what browsers send to it."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(f"{self.path} {self.headers}")
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!DOCTYPE html><title>elsewhere</title><body>")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_page_of_another_site_gets_no_page_no_file_and_no_socket(browser: Chromium, workbench: str):
    page = Page(browser, workbench)
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.judged)
    page.click("Make the bundle")
    page.until(lambda: browser.all("a[href$='patterns-owner-report.html']"))  # a file that is worth having
    home, workspace = workbench.partition("/?")[0], browser.driver.current_url.rpartition("/")[2]
    heard: list[str] = []
    with another_site(heard) as elsewhere:
        browser.ask("location.assign(arguments[0])", elsewhere)  # as by a link in the page
        page.until(lambda: browser.driver.title == "elsewhere")
        assert heard
        assert not [each for each in heard if urlsplit(home).hostname in each or "discreet" in each]
        answered(browser, home)
        found = browser.driver.execute_async_script(TRIES, home, workspace)
        assert set(found.values()) == {"refused"}, found
        statuses = answered(browser, home)
        assert len(statuses) >= 7
        assert set(statuses) == {403}  # nothing was done, whatever the page may see of the answer
        browser.ask("document.body.append(Object.assign(document.createElement('iframe'), {src: arguments[0]}))",
                    f"{home}/publish/{workspace}")  # fmt: skip
        page.until(lambda: answered(browser, home) == [403])
        assert browser.ask("(() => { try { return frames[0].document.body.innerText; } catch { return ''; } })()") == ""
        browser.driver.get(f"{home}/publish/{workspace}")  # typed by the owner: the same desk, with the same file
        page.until(lambda: browser.texts(".file") == [EXAMPLE.name])
    browser.driver.get("about:blank")
    browser.logs()


def as_nobody(script: str, *words: str) -> str:
    """Run a script of the shell as another user of the machine, and return all that it prints."""
    done = subprocess.run(
        ["/bin/sh", "-c", script, "sh", *words], capture_output=True, text=True, user="nobody", cwd="/", check=False
    )
    return done.stdout + done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_another_user_of_the_machine_reads_neither_token_nor_file(tmp_path: Path):
    told, script = tmp_path / "told", tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$@" > {told}.new; mv {told}.new {told}\n')
    script.chmod(0o700)
    words = [sys.executable, "-m", "discreet", "ui"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env={**os.environ, "BROWSER": str(script)}
    ) as process:
        try:
            address = re.search(r"http://\S+", process.stdout.readline())[0]
            token = address.partition("token=")[2]
            wait_until(told.exists)
            page = Path(urlsplit(told.read_text().strip()).path)
            assert token in page.read_text()
            assert as_nobody("id -un").strip() == "nobody"
            look = 'cat "$1"; ls -la "$2"; cat "$2"/*; ps -ef; cat /proc/"$3"/environ /proc/"$3"/cmdline'
            seen = as_nobody(look, str(page), str(page.parent), str(process.pid))
            assert "Permission denied" in seen
            assert token not in seen
            assert urlsplit(address).hostname not in seen
            port = str(urlsplit(address).port)
            request = "GET / HTTP/1.0\\r\\nHost: localhost:%s\\r\\n\\r\\n"
            knock = f"exec 3<>/dev/tcp/127.0.0.1/$1; printf '{request}' $1 >&3; cat <&3"
            answer = subprocess.run(
                ["/bin/bash", "-c", knock, "bash", port],
                capture_output=True,
                text=True,
                user="nobody",
                cwd="/",
                timeout=PATIENCE,
                check=False,
            )
            assert " 403 " in answer.stdout.partition("\n")[0]
            assert page.parent.parent == Path(tempfile.gettempdir())
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)


def test_two_users_at_once_have_nothing_in_common(browser: Chromium):
    with served() as (one, _), served() as (other, _):
        first, second = urlsplit(one), urlsplit(other)
        assert first.hostname != second.hostname  # so that no cookie of one is sent to the other
        assert first.query != second.query
        browser.open(one)
        cookies = {each["name"]: each["value"] for each in browser.driver.get_cookies()}
        assert list(cookies) == [f"discreet-{first.port}"]
        browser.open(other)  # the page of the other user, in a browser that holds both cookies
        assert f"discreet-{first.port}" not in {each["name"] for each in browser.driver.get_cookies()}
        home = f"http://{first.netloc}"
        answered(browser, home)
        found = browser.driver.execute_async_script(TRIES, home, "x")
        assert set(found.values()) == {"refused"}, found
        assert set(answered(browser, home)) <= {403}  # most of it the page's own policy does not even send
        token = cookies[f"discreet-{first.port}"]
        for name in (f"discreet-{first.port}", f"discreet-{second.port}"):
            with closing(http.client.HTTPConnection("127.0.0.1", second.port, timeout=PATIENCE)) as line:
                line.request("GET", "/", headers={"Host": second.netloc, "Cookie": f"{name}={token}"})
                assert line.getresponse().status == 403
    browser.driver.get("about:blank")
    browser.logs()
