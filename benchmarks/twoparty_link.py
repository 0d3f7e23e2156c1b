"""`discreet party` over a link with delay and limited width: two network namespaces on one machine.

    sudo .venv/bin/python -m benchmarks.twoparty_link                 # 20 ms one way, 100 Mbit/s
    sudo .venv/bin/python -m benchmarks.twoparty_link --delay 50 --rate 10

Needs Linux, iproute2 and the right to make namespaces. Where the kernel has it, `tc netem` makes the link; where not,
two TUN devices do, and a process of our own that passes each packet on when its time has come. The round trip that a
connection really takes is measured and printed, so that nobody has to believe either. Prints a table; asserts nothing.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import select
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import data_folder
from discreet.patterns.mining import mine
from discreet.transactions.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

SPACES = ("discreet-a", "discreet-b")
HOSTS = ("10.213.0.1", "10.213.0.2")
PORT = 7000
RUNS = (
    ("ic-sapm", "60%", 10, "--dual"),
    ("ic-sapm", "60%", 10, "--no-dual"),
    ("ic-sapm", "40%", 2, "--dual"),
    ("ic-sapm", "40%", 2, "--no-dual"),
    ("ic-sapm", "35%", 2, "--dual"),
    ("ic-sapm", "35%", 2, "--no-dual"),
    ("dka-sapm", "55%", 50, ""),
)
"""Protocol, minimum support, k, and how often it is computed; on mushroom, its frequent items dealt alternately."""
TUNSETIFF = 0x400454CA
IFF_TUN_WITHOUT_HEADER = 0x1001
MTU = 1500
LONGEST_QUEUE = 8 << 20


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)  # noqa: S607 - wherever the system has it


@contextmanager
def namespaces() -> Iterator[None]:
    """Make two empty network namespaces, and take them away again."""
    with ExitStack() as stack:
        for space in SPACES:
            _ip("netns", "add", space)
            stack.callback(_ip, "netns", "del", space)
            _ip("-n", space, "link", "set", "lo", "up")
        yield


@contextmanager
def link(delay: float, rate: float) -> Iterator[str]:
    """Connect the namespaces by a link of so many seconds one way and bits a second; say how."""
    if _netem(delay, rate):
        yield "tc netem"
        return
    with _tunnel(delay, rate):
        yield "TUN devices and a delaying process (this kernel has no netem)"


def _netem(delay: float, rate: float) -> bool:
    _ip("link", "add", "discreet-v0", "netns", SPACES[0], "type", "veth", "peer", "discreet-v1", "netns", SPACES[1])
    for number, (space, host) in enumerate(zip(SPACES, HOSTS, strict=True)):
        device = f"discreet-v{number}"
        _ip("-n", space, "addr", "add", f"{host}/24", "dev", device)
        _ip("-n", space, "link", "set", device, "up")
        words = ["tc", "-n", space, "qdisc", "add", "dev", device, "root", "netem"]
        shape = ["delay", f"{delay * 1000:g}ms", "rate", f"{rate / 1e6:g}mbit", "limit", "20000"]
        if subprocess.run([*words, *shape], stderr=subprocess.DEVNULL, check=False).returncode:
            _ip("-n", SPACES[0], "link", "del", "discreet-v0")
            return False
    return True


@contextmanager
def _tunnel(delay: float, rate: float) -> Iterator[None]:
    ends = []
    for number, (space, host, peer) in enumerate(zip(SPACES, HOSTS, reversed(HOSTS), strict=True)):
        device = f"discreet-t{number}"
        end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TUN_WITHOUT_HEADER))
        _ip("link", "set", device, "netns", space)
        _ip("-n", space, "addr", "add", host, "peer", peer, "dev", device)
        _ip("-n", space, "link", "set", device, "mtu", str(MTU), "up")
        ends.append(end)
    stop = threading.Event()
    carriers = [
        threading.Thread(target=_carry, args=(one, other, delay, rate, stop))
        for one, other in (ends, list(reversed(ends)))
    ]
    for carrier in carriers:
        carrier.start()
    try:
        yield
    finally:
        stop.set()
        for carrier in carriers:
            carrier.join()
        for end in ends:
            os.close(end)


def _carry(source: int, target: int, delay: float, rate: float, stop: threading.Event) -> None:
    """Pass packets on, one after another at the link's rate, each when its delay is over; drop what overflows."""
    waiting: deque[tuple[float, bytes]] = deque()
    queued = 0
    free_at = 0.0  # when the wire has sent what it was given
    while not stop.is_set():
        wait = min(0.1, max(0.0, waiting[0][0] - time.monotonic())) if waiting else 0.1
        if select.select([source], [], [], wait)[0]:
            with suppress(BlockingIOError):
                while True:
                    packet = os.read(source, MTU + 100)
                    if queued + len(packet) > LONGEST_QUEUE:
                        continue
                    free_at = max(free_at, time.monotonic()) + 8 * len(packet) / rate
                    waiting.append((free_at + delay, packet))
                    queued += len(packet)
        while waiting and waiting[0][0] <= time.monotonic():
            packet = waiting.popleft()[1]
            queued -= len(packet)
            with suppress(OSError):
                os.write(target, packet)


def round_trip() -> float:
    """Return the seconds that opening a connection takes between the namespaces: one way there, one back."""
    server = "import socket,sys; s=socket.create_server((sys.argv[1], 7001)); print('up', flush=True); s.accept()"
    client = (
        "import socket,sys,time; t=time.perf_counter(); socket.create_connection((sys.argv[1], 7001)); "
        "print(time.perf_counter() - t)"
    )
    with subprocess.Popen(_inside(0, "-c", server, HOSTS[0]), stdout=subprocess.PIPE, text=True) as listening:
        assert listening.stdout is not None  # noqa: S101 - for the type checker
        listening.stdout.readline()
        done = subprocess.run(_inside(1, "-c", client, HOSTS[0]), stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def _inside(side: int | None, *words: str) -> list[str]:
    space = [] if side is None else ["ip", "netns", "exec", SPACES[side]]
    return [*space, sys.executable, *words]


def deal(folder: Path, min_support: str) -> None:
    """Write mushroom's rows for two parties, its frequent items dealt alternately."""
    rows = read(data_folder() / "mushroom.dat.gz")
    found = mine(rows, min_support=min_support, target="all", max_length=1)
    frequent = [next(iter(items)) for items, _ in found]
    for side in range(2):
        mine_of_it = set(frequent[side::2])
        text = "".join(" ".join(sorted(row & mine_of_it)) + "\n" for row in rows)
        (folder / f"side{side}.dat").write_text(text)


def run(folder: Path, protocol: str, min_support: str, k: int, way: str, *, far: bool) -> dict[str, float]:
    """Run both sides, in the namespaces or on loopback, and return the transcript of the first."""
    host = HOSTS[0] if far else "127.0.0.1"
    sides = []
    for side, where in enumerate(("--listen", "--connect")):
        words = ["-m", "discreet", "party", where, f"{host}:{PORT}", "--data", str(folder / f"side{side}.dat")]
        words += ["-s", min_support, "-k", str(k), "--protocol", protocol, "--json", "--timeout", "120", *way.split()]
        words += ["--identity", str(folder / f"{side}/identity.pem"), "--trust", str(folder / f"{1 - side}/public.pem")]
        command = _inside(side if far else None, *words)
        sides.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    answers = [side.communicate()[0] for side in sides]
    if any(side.returncode for side in sides):
        raise SystemExit(f"{protocol} at {min_support} failed")
    return json.loads(answers[0])["transcript"]


def main() -> None:
    """Measure every run on loopback and over the link, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay", type=float, default=20.0, help="milliseconds, one way")
    parser.add_argument("--rate", type=float, default=100.0, help="megabits a second, each way")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, namespaces(), link(given.delay / 1000, given.rate * 1e6) as how:
        folder = Path(name)
        for side in range(2):
            subprocess.run([sys.executable, "-m", "discreet", "keygen", str(folder / str(side)), "--json"], check=True)
        trip = min(round_trip() for _ in range(3))
        print(f"\nlink: {given.delay:g} ms one way, {given.rate:g} Mbit/s, by {how}; round trip {trip * 1000:.1f} ms\n")
        print("| run on mushroom | sent | received | rounds | loopback | over the link |")
        print("| --- | --- | --- | --- | --- | --- |")
        for protocol, min_support, k, way in RUNS:
            deal(folder, min_support)
            near = run(folder, protocol, min_support, k, way, far=False)
            far = run(folder, protocol, min_support, k, way, far=True)
            sizes = f"{far['bytes_sent'] / 1e6:.1f} MB | {far['bytes_received'] / 1e6:.1f} MB | {far['rounds']}"
            times = f"{near['seconds']:.1f} s | {far['seconds']:.1f} s"
            print(f"| {protocol} {way}, {min_support}, k = {k} | {sizes} | {times} |", flush=True)


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        main()
