"""Servers and clients for bench/service.py."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import common

SYSWATCH = (sys.executable, "-m", "syswatch")
TWISTD = (sys.executable, "-c", "from twisted.scripts.twistd import run; run()", "-n", "--pidfile=")
_HERE = Path(__file__).parent
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


class Server:
    """A running server, alone on the first CPU."""

    def __init__(self, command: Sequence[str]) -> None:
        # A file, not a pipe: later output is not read.
        self._output = tempfile.TemporaryFile("w+")  # noqa: SIM115  it stays open
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._output,
            text=True,
            preexec_fn=lambda: keep_to(first_cpu()),
        )
        self.url = self._url()

    @property
    def pid(self) -> int:
        """Return its PID."""
        return self.process.pid

    @property
    def port(self) -> str:
        """Return its port."""
        return self.url.rpartition(":")[2].strip("/")

    def get(self, path: str) -> bytes:
        """Request a path; return the body."""
        with urllib.request.urlopen(self.url + path) as answer:  # noqa: S310  our own server
            return bytes(answer.read())

    def cpu_s(self) -> float:
        """Return the CPU time that it has used."""
        return common.cpu_s(self.pid)

    def _url(self) -> str:
        while self.process.poll() is None:
            self._output.seek(0)
            if match := re.search(r"serving (http://\S+)", self._output.read()):
                return match[1]
            time.sleep(0.002)
        self._output.seek(0)
        raise SystemExit(f"the server did not start: {self._output.read()}")

    def end(self) -> None:
        """Kill it and its descendants."""
        family = common.descendants(self.pid)
        for pid in (self.pid, *family):
            # PIDs are not reused so soon.
            subprocess.run(["kill", "-KILL", str(pid)], stderr=subprocess.DEVNULL, check=False)
        self.process.wait()


@contextmanager
def syswatch(rate: int, backend: str, *options: str) -> Iterator[Server]:
    """Trace a program that makes `rate` calls a second, on other CPUs than the server."""
    program = [sys.executable, str(_HERE / "busy.py"), str(rate)]
    server = Server([*SYSWATCH, "run", "--serve", ":0", "--backend", backend, *options, *program])
    try:
        while len(common.descendants(server.pid)) < 2:
            time.sleep(0.05)
        for pid in common.descendants(server.pid):
            for task in Path(f"/proc/{pid}/task").iterdir():
                os.sched_setaffinity(int(task.name), other_cpus())
        while not json.loads(server.get("api/stats")):
            time.sleep(0.05)
        yield server
    finally:
        server.end()


@contextmanager
def daemon(rate: int) -> Iterator[tuple[Server, int]]:
    """Attach a daemon with ptrace to a program that makes `rate` calls a second; yield both."""
    program = subprocess.Popen(
        [sys.executable, str(_HERE / "busy.py"), str(rate)],
        preexec_fn=lambda: keep_to(other_cpus()),
    )
    command = [*TWISTD, "syswatch", "attach", "--backend", "ptrace", "--serve", ":0"]
    server = Server([*command, str(program.pid)])
    try:
        while not common.descendants(server.pid):
            time.sleep(0.05)
        for tracer in common.descendants(server.pid):
            os.sched_setaffinity(tracer, other_cpus())
        while not json.loads(server.get("api/stats")):
            time.sleep(0.05)
        yield server, program.pid
    finally:
        server.end()
        program.kill()
        program.wait()


@contextmanager
def bare(size: int) -> Iterator[Server]:
    """Serve constant bytes with nothing but Twisted."""
    server = Server([sys.executable, "-c", _BARE, str(size)])
    try:
        yield server
    finally:
        server.end()


@contextmanager
def attacking(server: Server, name: str, clients: int) -> Iterator[None]:
    """Attack a server during the block, from other CPUs than its own."""
    attacker = subprocess.Popen(
        [sys.executable, str(_HERE / "attacks.py"), server.port, name, str(clients)],
        stdout=subprocess.PIPE,
        preexec_fn=lambda: keep_to(other_cpus()),
    )
    try:
        assert attacker.stdout is not None
        if not attacker.stdout.readline():
            raise SystemExit(f"attack {name} failed")
        yield
        if attacker.poll() is not None:
            raise SystemExit(f"attack {name} ended early")
    finally:
        attacker.kill()
        attacker.communicate()


def first_answer_s() -> float:
    """Return the time from the start of the command to its first answer."""
    began = time.monotonic()
    server = Server([*SYSWATCH, "run", "--serve", ":0", "--", "sleep", "60"])
    try:
        server.get("healthz")
        return time.monotonic() - began
    finally:
        server.end()


def load(url: str, connections: int, seconds: int) -> tuple[float, float]:
    """Request as often as possible; return answers a second and the 99th percentile in ms."""
    output = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}", "--latency", url],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: keep_to(other_cpus()),
    ).stdout
    rate, p99 = (
        re.search(r"Requests/sec:\s+(\S+)", output),
        re.search(r"99%\s+([\d.]+)(\w+)", output),
    )
    if rate is None or p99 is None or "Non-2xx" in output or "Socket errors" in output:
        raise SystemExit(output)
    return float(rate[1]), float(p99[1]) * {"us": 0.001, "ms": 1, "s": 1000}[p99[2]]


class Listeners:
    """Clients of the stream, in their own process."""

    def __init__(self, server: Server, clients: int, stalled: int = 0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(_HERE / "listeners.py"), server.port, str(clients), str(stalled)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: keep_to(other_cpus()),
        )
        self.connected = int(self.answer()["connected"])

    def ask(self, order: str) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self.tell(order)
        return self.answer()

    def tell(self, order: str) -> None:
        """Send a request."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order}\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Wait for an answer."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the clients failed")
        return dict(json.loads(line))

    def end(self) -> None:
        """Disconnect all."""
        self._process.kill()
        self._process.communicate()


def first_cpu() -> set[int]:
    """Return the CPU for servers."""
    return {min(os.sched_getaffinity(1))}


def other_cpus() -> set[int]:
    """Return the CPUs for everything else."""
    return os.sched_getaffinity(1) - first_cpu() or first_cpu()


def keep_to(cpus: set[int]) -> None:
    """Bind this process to some CPUs."""
    os.sched_setaffinity(0, cpus)
