"""A slow link on one machine: a relay that passes bytes on late and no faster than a line would.

It needs no rights and no kernel modules, unlike network namespaces with netem. Each direction has its own delay and
rate, as on a full-duplex line; what is under way is bounded, so that a sender is held up as by a real one.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["slow_link"]

CHUNK = 1 << 14
PATIENCE = 600
UNDER_WAY = 1 << 20
"""Bytes under way in one direction: more than delay times rate."""


@contextmanager
def slow_link(port: int, *, delay: float, rate: float) -> Iterator[int]:
    """Give a port that leads to another one over a line with a delay in seconds and a rate in bits a second."""
    loop = asyncio.new_event_loop()
    opened: list[int] = []
    ready = threading.Event()

    async def serve() -> None:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            far_reader, far_writer = await _reach(port)
            await asyncio.gather(_pass_on(reader, far_writer, delay, rate), _pass_on(far_reader, writer, delay, rate))

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        opened.append(server.sockets[0].getsockname()[1])
        ready.set()

    def run() -> None:
        loop.run_until_complete(serve())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait()
    try:
        yield opened[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _reach(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    for _ in range(PATIENCE):
        try:
            return await asyncio.open_connection("127.0.0.1", port)
        except OSError:  # nobody listens there yet
            await asyncio.sleep(0.1)
    raise TimeoutError(f"nobody listens at port {port}")


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float, rate: float) -> None:
    loop = asyncio.get_running_loop()
    line: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(UNDER_WAY // CHUNK)

    async def arrive() -> None:
        while True:
            due, chunk = await line.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not chunk:
                writer.close()
                return
            writer.write(chunk)
            await writer.drain()

    arriving = loop.create_task(arrive())
    free = loop.time()
    try:
        while chunk := await reader.read(CHUNK):
            free = max(free, loop.time()) + 8 * len(chunk) / rate
            await line.put((free + delay, chunk))
    except ConnectionError:
        pass
    await line.put((loop.time() + delay, b""))
    await arriving
