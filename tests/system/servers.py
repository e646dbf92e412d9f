"""Servers, started as users start them, and clients for them."""

import http.client
import json
import os
import re
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import attrs
from twisted.trial.unittest import SkipTest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

ROOT = Path(__file__).parents[2]
LOG = ROOT / "examples" / "git-clone.log"
SYSWATCH = (sys.executable, "-m", "syswatch")
# Traced programs need no installed package.  Without "-S" coverage would start in them, too, which
# makes thousands of calls.
PYTHON = (sys.executable, "-S", "-c")
TWISTD = (sys.executable, "-c", "from twisted.scripts.twistd import run; run()")
# Generous: a loaded machine must not fail a test.
PATIENCE_S = 120


def need(*programs: str) -> None:
    """Skip the test unless programs are installed."""
    for program in programs:
        if shutil.which(program) is None:
            raise SkipTest(f"{program} is not installed")


def need_root() -> None:
    """Skip the test unless it runs as root."""
    if os.geteuid() != 0:
        raise SkipTest("only root can drop privileges")


@attrs.define
class Program:
    """A running program."""

    process: subprocess.Popen[bytes]
    output: bytes = b""

    def read_until(self, pattern: str) -> re.Match[str]:
        """Read its stderr until a pattern matches."""
        assert self.process.stderr is not None
        deadline = time.monotonic() + PATIENCE_S
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stderr, selectors.EVENT_READ)
            while time.monotonic() < deadline:
                if match := re.search(pattern, self.output.decode(errors="replace")):
                    return match
                if selector.select(1):
                    data = os.read(self.process.stderr.fileno(), 65_536)
                    if not data:
                        break
                    self.output += data
        raise AssertionError(f"never printed {pattern}: {self.output.decode(errors='replace')}")

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal; return the exit status and leave all of stderr in `output`."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=PATIENCE_S)
        self.output += errors
        return self.process.returncode


@attrs.define
class Server(Program):
    """A running server."""

    port: int = 0

    def ask(self, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, bytes]:
        """Request a path; return status and body."""
        with closing(
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        ) as client:
            client.request("GET", path, headers=dict(headers or {}))
            answer = client.getresponse()
            return answer.status, answer.read()

    def json(self, path: str) -> Any:
        """Request a path and decode the JSON answer."""
        return json.loads(self.ask(path)[1])

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE_S)

    def stream(self, query: str = "", headers: Mapping[str, str] | None = None) -> ClientConnection:
        """Connect to the stream."""
        url = f"ws://127.0.0.1:{self.port}/stream{query}"
        return connect(url, additional_headers=headers, open_timeout=PATIENCE_S)

    @property
    def resident_mb(self) -> float:
        """Return the resident memory of the server."""
        return resident_mb(self.process.pid)


def close_code(client: ClientConnection) -> int | None:
    """Wait until the server closes the stream; return the code that it gives, if any."""
    try:
        # Messages may have been in transit.
        for _ in range(PATIENCE_S):
            client.recv(PATIENCE_S)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None
    return None


@contextmanager
def running(
    command: Sequence[str], environment: Mapping[str, str] | None = None, **options: Any
) -> Iterator[Server]:
    """Run a server until the end of the block; wait for its first answer."""
    process = subprocess.Popen(
        command,
        stdin=options.pop("stdin", subprocess.DEVNULL),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
        **options,
    )
    server = Server(process)
    try:
        server.port = int(server.read_until(r"serving https?://\S+:(\d+)/")[1])
        yield server
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        # Not read to its end: a child that is still running has it open, too.
        if process.stderr is not None:
            process.stderr.close()


@contextmanager
def serving(*options: str) -> Iterator[Server]:
    """Serve the sample log."""
    with running([*SYSWATCH, "stats", "--serve", ":0", *options, str(LOG)]) as server:
        wait_for(lambda: server.json("/api/status")["Done"])
        yield server


# One line of a log of strace.
RECORD = b'4242 1700000000.000001 read(3, "x", 1) = 1 <0.000010>\n'


@contextmanager
def living_log() -> Iterator[int]:
    """Yield a log that is still being written: a pipe with one record and no end."""
    reading, writing = os.pipe()
    os.write(writing, RECORD)
    try:
        yield reading
    finally:
        os.close(reading)
        os.close(writing)


def wait_for(condition: Any) -> Any:
    """Wait until a condition returns a true value, and return that."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("the condition never held")


def is_running(pid: int) -> bool:
    """Return whether a process is running, and not gone or a zombie."""
    return _state(pid) not in "XZ"


def is_waiting(pid: int) -> bool:
    """Return whether a process sleeps in a system call."""
    return _state(pid) == "S"


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2][0]
    except OSError:
        return "X"


def children(pid: int) -> list[int]:
    """Return the children of a process."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text("ascii").split()]


def tracers_of(server: int) -> list[int]:
    """Return the tracer that a server started, once it has executed its program."""
    return [pid for pid in children(server) if b"syswatch.tracer" in _command_line(pid)]


def tracer_of(pid: int) -> int:
    """Return the PID of the tracer of a process, 0 if it is not traced."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("TracerPid:"))


def command_of(server: Server) -> int:
    """Wait until a server traces its command; return the command's PID."""
    return int(wait_for(lambda: server.json("/api/status")["Proc"]["PID"]))


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # It has exited.
        return b""


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
