"""The servers that bench/service.py compares, and what they are measured with."""

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
    """A server that runs, alone on the first CPU."""

    def __init__(self, command: Sequence[str]) -> None:
        # A file, not a pipe: nobody reads what it says later.
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115  it stays open
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._said,
            text=True,
            preexec_fn=lambda: keep_to(first_cpu()),
        )
        self.url = self._url()

    @property
    def pid(self) -> int:
        """Its process."""
        return self.process.pid

    @property
    def port(self) -> str:
        """Where it listens."""
        return self.url.rpartition(":")[2].strip("/")

    def get(self, path: str) -> bytes:
        """Ask for a path."""
        with urllib.request.urlopen(self.url + path) as answer:  # noqa: S310  our own server
            return bytes(answer.read())

    def cpu_s(self) -> float:
        """The processor time that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _url(self) -> str:
        while self.process.poll() is None:
            self._said.seek(0)
            if match := re.search(r"serving (http://\S+)", self._said.read()):
                return match[1]
            time.sleep(0.002)
        self._said.seek(0)
        raise SystemExit(f"the server did not start: {self._said.read()}")

    def end(self) -> None:
        """End it and what it has started: the program under it is nobody else's."""
        family = descendants(self.pid)
        for pid in (self.pid, *family):
            # A pid cannot have been given to another process so soon.
            subprocess.run(["kill", "-KILL", str(pid)], stderr=subprocess.DEVNULL, check=False)
        self.process.wait()


@contextmanager
def syswatch(rate: int, backend: str, *options: str) -> Iterator[Server]:
    """Watch a program that makes `rate` calls a second; on other CPUs than the server."""
    program = [sys.executable, str(_HERE / "busy.py"), str(rate)]
    server = Server([*SYSWATCH, "run", "--serve", ":0", "--backend", backend, *options, *program])
    try:
        while len(descendants(server.pid)) < 2:
            time.sleep(0.05)
        for pid in descendants(server.pid):
            for task in Path(f"/proc/{pid}/task").iterdir():
                os.sched_setaffinity(int(task.name), other_cpus())
        while not json.loads(server.get("api/stats")):
            time.sleep(0.05)
        yield server
    finally:
        server.end()


@contextmanager
def daemon(rate: int) -> Iterator[tuple[Server, int]]:
    """Attach a daemon, by ptrace, to a program that makes `rate` calls a second; give its pid."""
    program = subprocess.Popen(
        [sys.executable, str(_HERE / "busy.py"), str(rate)],
        preexec_fn=lambda: keep_to(other_cpus()),
    )
    command = [*TWISTD, "syswatch", "attach", "--backend", "ptrace", "--serve", ":0"]
    server = Server([*command, str(program.pid)])
    try:
        while not descendants(server.pid):
            time.sleep(0.05)
        for tracer in descendants(server.pid):
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
    """Attack a server all the while, from other CPUs than its own."""
    attacker = subprocess.Popen(
        [sys.executable, str(_HERE / "attacks.py"), server.port, name, str(clients)],
        stdout=subprocess.PIPE,
        preexec_fn=lambda: keep_to(other_cpus()),
    )
    try:
        assert attacker.stdout is not None
        if not attacker.stdout.readline():
            raise SystemExit(f"the attack has failed: {name}")
        yield
        if attacker.poll() is not None:
            raise SystemExit(f"the attack has ended of itself: {name}")
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
    """Ask as often as possible; return answers a second, and the 99th percentile in ms."""
    said = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}", "--latency", url],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: keep_to(other_cpus()),
    ).stdout
    rate, p99 = re.search(r"Requests/sec:\s+(\S+)", said), re.search(r"99%\s+([\d.]+)(\w+)", said)
    if rate is None or p99 is None or "Non-2xx" in said or "Socket errors" in said:
        raise SystemExit(said)
    return float(rate[1]), float(p99[1]) * {"us": 0.001, "ms": 1, "s": 1000}[p99[2]]


class Listeners:
    """Clients of the stream, in a process of their own."""

    def __init__(self, server: Server, clients: int, stalled: int = 0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(_HERE / "listeners.py"), server.port, str(clients), str(stalled)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: keep_to(other_cpus()),
        )
        self.connected = int(self.answer()["connected"])

    def ask(self, order: str) -> dict[str, object]:
        """Give an order and wait for its answer."""
        self.tell(order)
        return self.answer()

    def tell(self, order: str) -> None:
        """Give an order."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order}\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, object]:
        """Wait for an answer."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the clients have failed")
        return dict(json.loads(line))

    def end(self) -> None:
        """Disconnect all."""
        self._process.kill()
        self._process.communicate()


def first_cpu() -> set[int]:
    """The CPU that is for servers."""
    return {min(os.sched_getaffinity(1))}


def other_cpus() -> set[int]:
    """Those for everything else."""
    return os.sched_getaffinity(1) - first_cpu() or first_cpu()


def keep_to(cpus: set[int]) -> None:
    """Stay on some CPUs."""
    os.sched_setaffinity(0, cpus)


def resident_mb(pid: int) -> float:
    """Return the memory that a process has."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and theirs; the nearest first."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:
        return []
    near = [int(child) for child in children]
    return [*near, *(far for child in near for far in descendants(child))]
