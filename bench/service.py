"""
How fast the service answers: against a bare Twisted resource, in the same run.

Run it with nothing else running:  python bench/service.py [seconds]

The server has one CPU; everything else (the load generator, the tracer child, the feeder) has
the others.  While both servers are measured, the tracer reads 40 000 log lines a second.
"""

import argparse
import asyncio
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

LINES_A_SECOND = 40_000
CONNECTIONS = 64
_FEEDS_A_SECOND = 20
_NAMES = [
    *("read", "write", "openat", "close", "fstat", "mmap", "munmap", "mprotect", "brk", "ioctl"),
    *("pread64", "access", "lseek", "getpid", "socket", "connect", "sendto", "recvfrom", "bind"),
    *("listen", "futex", "poll", "epoll_wait", "clock_nanosleep", "getdents64", "stat", "lstat"),
    *("rename", "unlink", "mkdir", "rmdir", "chmod", "chown", "fcntl", "dup", "dup2", "pipe2"),
    *("wait4", "kill", "uname"),
]
_BARE = """
import sys
from twisted.internet import reactor
from twisted.web.resource import Resource
from twisted.web.server import Site
class Bare(Resource):
    isLeaf = True
    body = b"x" * int(sys.argv[1])
    def render_GET(self, request):
        return self.body
port = reactor.listenTCP(0, Site(Bare()), interface="127.0.0.1")
print(f"serving http://127.0.0.1:{port.getHost().port}/", file=sys.stderr, flush=True)
reactor.run()
"""


def main() -> None:
    """Measure everything and print it."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("seconds", nargs="?", type=int, default=8)
    arguments.add_argument("--clients", type=int, nargs="*", default=[2000, 5000])
    arguments.add_argument("--feed", action="store_true", help="only write the log")
    options = arguments.parse_args()
    if options.feed:
        write_log()
        return
    _open_many_files()
    print(f"start to first answer   {first_answer_s():.2f} s")
    with feed() as log, syswatch(log) as (server, url):
        while _get(f"{url}api/stats") == b"[]":
            time.sleep(0.1)
        time.sleep(2)
        body = _get(f"{url}api/stats")
        print(f"/api/stats              {len(body)} bytes, {body.count(b'Name')} calls")
        with bare(len(body)) as bare_url:
            compare(url, bare_url, options.seconds)
        print(f"resident                {_resident_mb(server.pid):.0f} MB")
        for clients in options.clients:
            stream(url, server.pid, clients, options.seconds)
        print(f"resident afterwards     {_resident_mb(server.pid):.0f} MB")


def compare(url: str, bare_url: str, seconds: int) -> None:
    """Ask ours and the bare one in turn, twice, so that a noisy moment shows."""
    rates: dict[str, list[float]] = {"bare": [], "ours": []}
    for _ in range(2):
        for name, target in (("bare", bare_url), ("ours", f"{url}api/stats")):
            rate, p99 = _wrk(target, seconds)
            rates[name].append(rate)
            print(f"{name}                    {rate:8.0f} requests/s, p99 {p99}")
    ratio = sum(rates["ours"]) / sum(rates["bare"])
    print(f"ratio                   {ratio:.2f}")


def first_answer_s() -> float:
    """Return the time from the start of the program to its first answer."""
    with feed() as log:
        began = time.monotonic()
        with syswatch(log, wait=False) as (_, url):
            _get(f"{url}healthz")
            return time.monotonic() - began


@contextmanager
def syswatch(log: int, *, wait: bool = True) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server that reads a log."""
    command = [sys.executable, "-m", "syswatch.cli", "stats", "--serve", ":0", "-"]
    with _server(command, log) as (process, url):
        if wait:
            _spread(process.pid)
        yield process, url


@contextmanager
def bare(size: int) -> Iterator[str]:
    """Run a server that gives constant bytes."""
    with _server([sys.executable, "-c", _BARE, str(size)]) as (_, url):
        yield url


@contextmanager
def feed() -> Iterator[int]:
    """Write a log without end into a pipe; give the end that it is read from."""
    reading, writing = os.pipe()
    feeder = subprocess.Popen(
        [sys.executable, __file__, "--feed"],
        stdout=writing,
        preexec_fn=lambda: _keep_to(_others()),
    )
    os.close(writing)
    try:
        yield reading
    finally:
        os.close(reading)
        feeder.kill()
        feeder.wait()


def write_log() -> None:
    """Write a log to stdout, at the given speed, until nobody reads."""
    batch = LINES_A_SECOND // _FEEDS_A_SECOND
    due = time.monotonic()
    while True:
        stamp = f"{time.time():.6f}"
        lines = (
            f'4242 {stamp} {_NAMES[i % len(_NAMES)]}(3, "x", 1) = {i % 7} <0.0000{i % 90 + 10}>\n'
            for i in range(batch)
        )
        try:
            sys.stdout.write("".join(lines))
            sys.stdout.flush()
        except OSError:
            return
        due += 1 / _FEEDS_A_SECOND
        time.sleep(max(0.0, due - time.monotonic()))


@contextmanager
def _server(
    command: list[str], stdin: int = subprocess.DEVNULL
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        command,
        stdin=stdin,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: _keep_to(_first()),
    )
    assert process.stderr is not None
    try:
        yield process, _url(process.stderr)
    finally:
        process.terminate()
        process.wait()


def _url(errors: IO[str]) -> str:
    for line in errors:
        if match := re.search(r"serving (http://\S+)", line):
            return match[1]
    raise SystemExit("the server did not start")


def _wrk(url: str, seconds: int) -> tuple[float, str]:
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "--latency", url]
    result = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: _keep_to(_others()),
    ).stdout
    rate, p99 = re.search(r"Requests/sec:\s+(\S+)", result), re.search(r"99%\s+(\S+)", result)
    assert rate and p99, result
    if "Non-2xx" in result or "Socket errors" in result:
        print(result)
    return float(rate[1]), p99[1]


def stream(url: str, pid: int, clients: int, seconds: int) -> None:
    """Let many clients listen, and see how late the last of them hears."""
    before = _cpu_s(pid)
    began = time.monotonic()
    lags = asyncio.run(_listen(url, clients, seconds, lambda: _cpu_s(pid)))
    share = (lags.cpu_s[1] - lags.cpu_s[0]) / seconds
    lags.lags_ms.sort()
    p99 = lags.lags_ms[int(len(lags.lags_ms) * 0.99)] if lags.lags_ms else float("nan")
    print(
        f"stream, {clients} clients    {lags.connected} connected, {len(lags.lags_ms)} messages, "
        f"p99 lag {p99:.0f} ms, {100 * share:.1f} % of a core, {_resident_mb(pid):.0f} MB "
        f"(all in {time.monotonic() - began:.0f} s and {_cpu_s(pid) - before:.1f} s of CPU)"
    )


class _Listening:
    """What the clients saw."""

    def __init__(self) -> None:
        self.connected = 0
        self.lags_ms: list[float] = []
        self.cpu_s = [0.0, 0.0]
        self.rounds: dict[int, float] = {}
        self.measuring = False


async def _listen(url: str, clients: int, seconds: int, cpu_s: object) -> _Listening:
    _keep_to(_others())
    seen = _Listening()
    port = int(url.rsplit(":", 1)[1].strip("/"))
    tasks = []
    for _ in range(clients):
        tasks.append(asyncio.create_task(_client(port, seen)))
        await asyncio.sleep(0.001)
    while seen.connected < clients:  # noqa: ASYNC110  a benchmark has the time
        await asyncio.sleep(0.1)
    await asyncio.sleep(2)
    seen.cpu_s[0] = cpu_s()
    seen.measuring = True
    await asyncio.sleep(seconds)
    seen.measuring = False
    seen.cpu_s[1] = cpu_s()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return seen


class _Client(asyncio.Protocol):
    """Reads frames, and notes how much later than the first client it had each whole one."""

    def __init__(self, seen: _Listening) -> None:
        self.seen, self.left, self.head, self.count = seen, 0, b"", 0
        self.upgraded = False
        self.closed = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        transport.write(
            b"GET /stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )

    def data_received(self, data: bytes) -> None:
        if not self.upgraded:
            self.head += data
            head, found, data = self.head.partition(b"\r\n\r\n")
            if not found:
                return
            self.upgraded, self.head = True, b""
            self.seen.connected += b" 101 " in head
        while data:
            if self.left:
                taken = min(self.left, len(data))
                self.left -= taken
                data = data[taken:]
                if not self.left:
                    self._whole()
                continue
            self.head += data
            size = _frame_size(self.head)
            if size is None:
                return
            header, self.left = size
            data, self.head = self.head[header:], b""

    def _whole(self) -> None:
        if not self.seen.measuring:
            return
        now = time.monotonic()
        # Messages are a second apart; those within half a second belong to one tick.
        tick = next((t for t in self.seen.rounds.values() if 0 <= now - t < 0.6), None)
        if tick is None:
            self.seen.rounds[len(self.seen.rounds)] = tick = now
        self.seen.lags_ms.append(1000 * (now - tick))

    def connection_lost(self, _error: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)


def _frame_size(head: bytes) -> tuple[int, int] | None:
    if len(head) < 2:
        return None
    short = head[1] & 0x7F
    if short < 126:
        return 2, short
    width = 2 if short == 126 else 8
    if len(head) < 2 + width:
        return None
    return 2 + width, int.from_bytes(head[2 : 2 + width], "big")


async def _client(port: int, seen: _Listening) -> None:
    loop = asyncio.get_running_loop()
    transport, client = await loop.create_connection(lambda: _Client(seen), "127.0.0.1", port)
    try:
        await client.closed
    finally:
        transport.abort()


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url) as answer:  # noqa: S310  our own server
        return bytes(answer.read())


def _first() -> set[int]:
    return {min(os.sched_getaffinity(1))}


def _others() -> set[int]:
    return os.sched_getaffinity(1) - _first() or _first()


def _keep_to(cpus: set[int]) -> None:
    os.sched_setaffinity(0, cpus)


def _spread(pid: int) -> None:
    """Give the tracer children the other CPUs."""
    time.sleep(0.5)
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    for child in found.stdout.split():
        for task in Path(f"/proc/{child}/task").iterdir():
            os.sched_setaffinity(int(task.name), _others())


def _open_many_files() -> None:
    import resource

    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
