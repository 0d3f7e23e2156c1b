"""Serve the workbench: on the loopback only, behind the guard, with a temporary folder."""

from __future__ import annotations

import secrets
import signal
import socket
import webbrowser
from asyncio import to_thread
from importlib.resources import files
from threading import Timer
from typing import TYPE_CHECKING

from discreet.errors import InputError, ParameterError, param
from discreet.tables.scratch import scratch_folder
from discreet.workbench.guard import Guard, new_host, new_token
from discreet.workbench.workspace import Workspaces

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import Response

    from discreet.workbench.pages.page_kit import WorkbenchPage

__all__ = ["serve"]

_HOST = "127.0.0.1"
_LEADING_TO = '<!DOCTYPE html><title>discreet</title><meta http-equiv="refresh" content="0; url={}">\n'


def serve(
    *, port: int | None, browser: bool, max_size: int, announce: Callable[[str], None], ledger: Path | None = None
) -> None:
    """Serve until Ctrl-C. `announce` is called with the address, including the token; `max_size` is in bytes.

    Bundles of patterns are recorded in `ledger`; without one, those that are downloaded are remembered until the end.
    """
    import uvicorn

    listening = _listen(port)
    token = new_token()
    with listening, scratch_folder() as folder:
        own_port, host = listening.getsockname()[1], new_host()
        address = f"http://{host}:{own_port}/?token={token}"
        workspaces = Workspaces(folder, ledger)
        guarded = Guard(_application(workspaces, max_size), token=token, host=host, port=own_port)
        config = uvicorn.Config(guarded, log_level="error", access_log=False, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        # uvicorn re-raises signals after it has shut down. A shell's background jobs ignore SIGINT: here it ends them.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            announce(address)
            if browser:
                opening = Timer(0.5, webbrowser.open, (_redirection(folder, address).as_uri(),))
                opening.daemon = True
                opening.start()
            workspaces.pool.warm_up()
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            pass
        finally:
            workspaces.pool.close()


def _redirection(folder: Path, address: str) -> Path:
    """Return a page for the owner's eyes alone that leads to the address: arguments of commands are for everyone."""
    page = folder / "open.html"
    page.touch(mode=0o600, exist_ok=False)
    page.write_text(_LEADING_TO.format(address), encoding="utf-8")
    return page


def _listen(port: int | None) -> socket.socket:
    """Return a socket on the loopback, on the requested port or on any."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((_HOST, port or 0))
        listening.listen()  # from now on connections are queued
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or "there is no such port"
        raise ParameterError(
            f"{param('port', port)} cannot be used: {reason}; choose another, or omit it to have one chosen",
            parameter="port",
        ) from error
    return listening


def _application(workspaces: Workspaces, max_size: int) -> FastAPI:
    from fastapi import FastAPI
    from nicegui import app as pages
    from nicegui import ui

    from discreet.publishing.page import part
    from discreet.workbench.pages.books import BooksPage
    from discreet.workbench.pages.hide import HidePage
    from discreet.workbench.pages.page_kit import part as page_part
    from discreet.workbench.pages.protect import ProtectPage
    from discreet.workbench.pages.publish import PublishPage
    from discreet.workbench.pages.verify import VerifyPage

    page_part("words", "")  # compiles the templates now, and not while somebody waits for a page
    application = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    _add_files(application, workspaces, max_size)
    for name in ("workbench.css", "workbench.js", "books.css", "undo.js"):
        local = str(files("discreet.workbench.pages") / "static" / name)
        pages.add_static_file(local_file=local, url_path=f"/{name}")
    for page in (PublishPage, HidePage, ProtectPage, VerifyPage, BooksPage):
        _add_page(workspaces, page, max_size)
    _add_list(workspaces)
    ui.run_with(
        application,
        title="discreet",
        dark=None,
        language="en-US",
        favicon=str(part("favicon")),
        tailwind=False,
        show_welcome_message=False,
        cache_control_directives="private, max-age=3600",
        reconnect_timeout=60,  # on a busy machine a page may be silent for a while
    )
    return application


def _add_page(workspaces: Workspaces, page: type[WorkbenchPage], max_size: int) -> None:
    from nicegui import ui

    def show(workspace: str) -> None:
        page(workspaces.named(workspace), max_size).show()

    ui.page(f"/{page.name}/{{workspace}}")(show)


def _add_list(workspaces: Workspaces) -> None:
    from nicegui import ui

    from discreet.workbench.pages.workspaces import show_workspaces

    def show(workspace: str = "") -> None:
        show_workspaces(workspaces, workspace)

    ui.page("/workspaces/{workspace}")(show)


def _add_files(application: FastAPI, workspaces: Workspaces, max_size: int) -> None:
    """Add the upload and download endpoints."""
    from starlette.requests import ClientDisconnect
    from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
    from starlette.routing import Route

    async def start(request: Request) -> Response:
        place = f"/publish/{workspaces.new().name}"
        if "token" not in request.query_params:
            return RedirectResponse(place, status_code=303)
        # A browser that comes from elsewhere brings its cookie only when this page sends it on.
        return HTMLResponse(
            f'<!DOCTYPE html><title>discreet</title><meta http-equiv="refresh" content="0; url={place}">'
        )

    async def drop(request: Request) -> Response:
        workspace = workspaces.find(request.path_params["workspace"])
        if workspace is None:
            return PlainTextResponse("this page is no longer known; open it again", status_code=404)
        if int(request.headers.get("content-length", max_size + 1)) > max_size:
            return PlainTextResponse(_too_large(max_size), status_code=413)
        slot, name = request.path_params["slot"], request.query_params.get("name", "")
        path = workspace.path_for(slot, name)
        arriving = path.with_name(f".{secrets.token_hex(4)}")  # an incomplete upload replaces no file
        try:
            with arriving.open("wb") as file:
                async for chunk in request.stream():
                    file.write(chunk)
            arriving.replace(path)
        except ClientDisconnect:
            return PlainTextResponse("", status_code=400)  # nobody is there to read it
        except OSError as error:
            reason = error.strerror or type(error).__name__
            return PlainTextResponse(f"{name} cannot be kept here: {reason}; make room, or use the command line", 507)
        finally:
            arriving.unlink(missing_ok=True)
        workspace.arrived(slot, path, name)
        return PlainTextResponse("")

    application.router.routes += [
        Route("/", start),
        Route("/drop/{workspace}/{slot}", drop, methods=["POST"]),
        Route("/files/{workspace}/{name}", _giving(workspaces)),
    ]


def _giving(workspaces: Workspaces) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint for downloads."""
    from starlette.responses import FileResponse, PlainTextResponse

    async def give(request: Request) -> Response:
        workspace = workspaces.find(request.path_params["workspace"])
        try:
            name = request.path_params["name"]
            path = None if workspace is None else await to_thread(workspace.hand_out, name)
        except InputError as error:
            return PlainTextResponse(str(error), status_code=409)
        if path is None or not path.is_file():
            return PlainTextResponse("there is no such file; make it again on its page", status_code=404)
        shown = path.suffix == ".html"
        return FileResponse(path, filename=None if shown else path.name, headers={"cache-control": "no-store"})

    return give


def _too_large(max_size: int) -> str:
    return (
        f"up to {max_size / 1e6:,.0f} MB can be dropped; start discreet ui with a larger --max-size, or use the "
        "command line"
    )
