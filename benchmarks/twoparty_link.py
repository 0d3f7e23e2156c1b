"""`discreet party` over a link with delay and limited width, on one machine.

    .venv/bin/python -m benchmarks.twoparty_link --relay              # 20 ms one way, 100 Mbit/s; on loopback
    sudo .venv/bin/python -m benchmarks.twoparty_link                 # between two network namespaces
    sudo .venv/bin/python -m benchmarks.twoparty_link --delay 50 --rate 10
    .venv/bin/python -m benchmarks.twoparty_link --relay dka-sapm     # runs whose name contains this

With `--relay`, connections on loopback go through a thread that passes bytes on when their time has come: TCP itself
sees no delay, so that its slow start is not in the figures. Otherwise needs Linux, iproute2 and the right to make
namespaces. Where the kernel has it, `tc netem` makes the link; where not, two TUN devices do, and a process of our own
that passes each packet on when its time has come. The round trip that a message really takes is measured and printed,
so that nobody has to believe either. Prints a table; asserts nothing.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import queue
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import data_folder
from discreet.patterns.mining import mine
from discreet.transactions.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    ("dka-sapm", "60%", 50, ""),
    ("dka-sapm", "55%", 50, ""),
    ("dka-sapm", "50%", 25, ""),
)
"""Protocol, minimum support, k, and how often it is computed; on mushroom, its frequent items dealt alternately."""
OWNERS = (2, 3)
"""With `--relay`, so many owners of every second row, or every third, at 40 %."""
CHUNK = 1 << 16
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


@dataclass(frozen=True, slots=True)
class Relay:
    """Connections to a port on loopback, each of which takes so many seconds one way, and bits a second."""

    delay: float
    rate: float

    @contextmanager
    def before(self, port: int) -> Iterator[int]:
        """Return the port to call in place of this one."""
        with socket.create_server(("127.0.0.1", 0)) as listening:
            threading.Thread(target=self._accept, args=(listening, port), daemon=True).start()
            yield listening.getsockname()[1]

    def _accept(self, listening: socket.socket, port: int) -> None:
        with suppress(OSError):
            while True:
                caller = listening.accept()[0]
                threading.Thread(target=self._connect, args=(caller, port), daemon=True).start()

    def _connect(self, caller: socket.socket, port: int) -> None:
        called = None
        while called is None:
            try:
                called = socket.create_connection(("127.0.0.1", port))
            except OSError:
                time.sleep(0.1)  # nobody is there yet
        for source, target in ((caller, called), (called, caller)):
            source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            on_the_way: queue.Queue[tuple[float, bytes]] = queue.Queue(LONGEST_QUEUE // CHUNK)
            threading.Thread(target=self._take, args=(source, on_the_way), daemon=True).start()
            threading.Thread(target=_pass_on, args=(target, on_the_way), daemon=True).start()

    def _take(self, source: socket.socket, on_the_way: queue.Queue[tuple[float, bytes]]) -> None:
        free_at = 0.0  # when the wire has sent what it was given
        received = b"begin"
        while received:
            try:
                received = source.recv(CHUNK)
            except OSError:
                received = b""
            free_at = max(free_at, time.monotonic()) + 8 * len(received) / self.rate
            on_the_way.put((free_at + self.delay, received))


def _pass_on(target: socket.socket, on_the_way: queue.Queue[tuple[float, bytes]]) -> None:
    with suppress(OSError):
        while True:
            due, passed = on_the_way.get()
            time.sleep(max(0.0, due - time.monotonic()))
            if not passed:
                target.shutdown(socket.SHUT_WR)
                return
            target.sendall(passed)


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def round_trip_of(relay: Relay) -> float:
    """Return the seconds that one byte takes there and back."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        relay.before(listening.getsockname()[1]) as port,
        socket.create_connection(("127.0.0.1", port)) as near,
        listening.accept()[0] as far,
    ):
        times = []
        for _ in range(5):
            start = time.perf_counter()
            near.sendall(b"?")
            far.sendall(far.recv(1))
            near.recv(1)
            times.append(time.perf_counter() - start)
    return min(times)


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


def _party(side: int | None, *words: str) -> list[str]:
    return _inside(side, "-m", "discreet", "party", *words)


def deal(folder: Path, min_support: str) -> None:
    """Write mushroom's rows for two parties, its frequent items dealt alternately."""
    rows = read(data_folder() / "mushroom.dat.gz")
    found = mine(rows, min_support=min_support, target="all", max_length=1)
    frequent = [next(iter(items)) for items, _ in found]
    for side in range(2):
        mine_of_it = set(frequent[side::2])
        text = "".join(" ".join(sorted(row & mine_of_it)) + "\n" for row in rows)
        (folder / f"side{side}.dat").write_text(text)


def run(
    folder: Path, protocol: str, min_support: str, k: int, way: str, *, far: bool, relay: Relay | None
) -> dict[str, float]:
    """Run both sides, over the link or on loopback, and return the transcript of the first."""
    with ExitStack() as stack:
        host, port = (HOSTS[0], PORT) if far and relay is None else ("127.0.0.1", free_port())
        called = stack.enter_context(relay.before(port)) if far and relay is not None else port
        sides = []
        for side, where in enumerate((f"--listen {host}:{port}", f"--connect {host}:{called}")):
            words = ["--data", str(folder / f"side{side}.dat"), *where.split(), "--protocol", protocol, *way.split()]
            words += _words(folder, min_support, k, side, [1 - side])
            sides.append(_party(side if far and relay is None else None, *words))
        return _finished(sides)


def run_owners(folder: Path, owners: int, *, relay: Relay | None) -> dict[str, float]:
    """Run owners of slices of mushroom at 40 %, each link over a relay of its own or on loopback."""
    rows = [" ".join(sorted(row)) for row in read(data_folder() / "mushroom.dat.gz")]
    found = mine(read(data_folder() / "mushroom.dat.gz"), min_support="40%", target="all", max_length=1)
    labels = ",".join(sorted(next(iter(items)) for items, _ in found))
    ports = [free_port() for _ in range(owners)]
    with ExitStack() as stack:
        called = ports if relay is None else [stack.enter_context(relay.before(port)) for port in ports]
        sides = []
        for side in range(owners):
            (folder / f"slice{side}.dat").write_text("\n".join(rows[side::owners]) + "\n")
            others = [other for other in range(owners) if other != side]
            words = ["--data", str(folder / f"slice{side}.dat"), "--horizontal", "--labels", labels]
            words += _words(folder, "40%", 2, side, others)
            if owners > len(SPACES) or side == 0:
                words += ["--listen", f"127.0.0.1:{ports[side]}"]
            if owners > len(SPACES) or side == 1:
                words += [word for other in others for word in ("--connect", f"127.0.0.1:{called[other]}")]
            sides.append(_party(None, *words))
        return _finished(sides)


def _words(folder: Path, min_support: str, k: int, side: int, others: Sequence[int]) -> list[str]:
    words = ["-s", min_support, "-k", str(k), "--json", "--timeout", "120"]
    words += ["--identity", str(folder / f"{side}/identity.pem")]
    return words + [word for other in others for word in ("--trust", str(folder / f"{other}/public.pem"))]


def _finished(sides: list[list[str]]) -> dict[str, float]:
    """Run all sides to their end; return the transcript of the first."""
    running = [subprocess.Popen(each, stdout=subprocess.PIPE, text=True) for each in sides]
    answers = [each.communicate()[0] for each in running]
    if any(each.returncode for each in running):
        raise SystemExit("a side failed")
    transcript: dict[str, float] = json.loads(answers[0])["transcript"]
    return transcript


def _print(
    name: str, near: dict[str, float], far: dict[str, float], given: argparse.Namespace, *, links: int = 1
) -> None:
    most = max(far["bytes_sent"], far["bytes_received"]) / links
    least = given.delay / 1000 * far["rounds"] + 8 * most / (given.rate * 1e6)
    sizes = f"{far['bytes_sent'] / 1e6:.1f} MB | {far['bytes_received'] / 1e6:.1f} MB | {far['rounds']:,}"
    print(f"| {name} | {sizes} | {least:.1f} s | {near['seconds']:.1f} s | {far['seconds']:.1f} s |", flush=True)


def main() -> None:
    """Measure every run on loopback and over the link, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay", type=float, default=20.0, help="milliseconds, one way")
    parser.add_argument("--rate", type=float, default=100.0, help="megabits a second, each way")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only runs whose name contains one of these")
    parser.add_argument("--relay", action="store_true", help="on loopback, through a relay; needs no rights")
    given = parser.parse_args()
    relay = Relay(given.delay / 1000, given.rate * 1e6) if given.relay else None
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        how = "a relay on loopback"
        if relay is None:
            stack.enter_context(namespaces())
            how = stack.enter_context(link(given.delay / 1000, given.rate * 1e6))
        folder = Path(name)
        for side in range(max(OWNERS)):
            subprocess.run([sys.executable, "-m", "discreet", "keygen", str(folder / str(side)), "--json"], check=True)
        trip = min(round_trip() for _ in range(3)) if relay is None else round_trip_of(relay)
        print(f"\nlink: {given.delay:g} ms one way, {given.rate:g} Mbit/s, by {how}; round trip {trip * 1000:.1f} ms\n")
        print("| run on mushroom | sent | received | rounds | the link's own | loopback | over the link |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for protocol, min_support, k, way in RUNS:
            if not _wanted(called := f"{protocol} {way}, {min_support}, k = {k}", given):
                continue
            deal(folder, min_support)
            near, far = (run(folder, protocol, min_support, k, way, far=each, relay=relay) for each in (False, True))
            _print(called, near, far, given)
        for owners in OWNERS if relay is not None else ():
            if _wanted(called := f"horizontal, {owners} owners, 40%, k = 2", given):
                near, far = (run_owners(folder, owners, relay=each) for each in (None, relay))
                _print(called, near, far, given, links=owners - 1)


def _wanted(name: str, given: argparse.Namespace) -> bool:
    return not given.names or any(each in name for each in given.names)


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        main()
