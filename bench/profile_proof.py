"""Runs of one program for bench/profiles.py: traced, under its profile, and with injected calls."""

import functools
import http.server
import os
import shlex
import shutil
import signal
import socket
import ssl
import string
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs
import common
import profile_injections
from profile_injections import INJECTIONS, NATIVE, Injection
from profile_programs import Confined
from profile_runtimes import COUNTING, Runtime
from profile_supervisor import Refused

from syswatch.comparison.sources.evidence import read_evidence

# Far more than a run takes, also when it is traced on a busy machine.
PATIENCE_S = 300
_EPERM = "EPERM"
Process = subprocess.Popen[bytes]
_POLL_S = 0.01
_SYSWATCH = (sys.executable, "-m", "syswatch")
_NAMES = {number: name for name, number in NATIVE.numbers.items()}
_CERTIFICATE = (
    "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    " -addext subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem"
)


class TracingError(Exception):
    """A program could not be traced; the message says why."""


@attrs.frozen
class Ended:
    """How a run has ended: what went wrong, empty if nothing."""

    problem: str


@attrs.define
class Totals:
    """What all programs had, by the name of the runtime."""

    untraced: int = 0
    runs: Counter[str] = attrs.field(factory=Counter)
    bad: Counter[str] = attrs.field(factory=Counter)
    # The injections that were made, and those that were named and refused.
    injected: int = 0
    named: int = 0
    refused: Counter[str] = attrs.field(factory=Counter)

    def judge(self, programs: int) -> None:
        """Print the results."""
        common.judge(self.untraced, f"of {programs} programs could not be traced", 0)
        for how, runs in self.runs.items():
            what = f"runs of {runs} of {programs} programs failed or had a call refused ({how})"
            common.judge(self.bad[how], what, 0)
        if self.injected:
            common.judge(
                self.named,
                f"of {self.injected} injected calls named by syswatch profile check",
                self.injected,
                least=True,
            )
        for how, refused in self.refused.items():
            what = f"of {self.injected} injected calls refused by the kernel ({how})"
            common.judge(refused, what, self.injected, least=True)


@attrs.define
class Proof:
    """The runs of one program, and what went wrong in them."""

    folder: Path
    environment: Mapping[str, str]
    confined: Confined
    totals: Totals
    _recordings: list[str] = attrs.field(factory=list, init=False)
    _problems: Counter[str] = attrs.field(factory=Counter, init=False)

    def profiles(
        self, recorded: int, formats: Collection[str], options: Sequence[str]
    ) -> Mapping[str, Path]:
        """Trace the program some times, and return its profile in several formats."""
        self._recordings = [self._record(f"run-{at}", self._command) for at in range(recorded)]
        profiles = {each: self._beside(f"profile.{each}") for each in sorted(formats)}
        for each, file in profiles.items():
            words = ("profile", *options, "--format", each, "-o", str(file), *self._recordings)
            subprocess.run((*_SYSWATCH, *words), check=True)
        return profiles

    def run(self, runtime: Runtime, profile: Path, number: int) -> None:
        """Run the program under its profile so often, and count what went wrong."""
        for _ in range(number):
            ended, refused = self._enforced(runtime, profile, self._command)
            problems = [*filter(None, [ended.problem]), *dict.fromkeys(map(_sentence, refused))]
            self.totals.runs[runtime.title] += 1
            self.totals.bad[runtime.title] += bool(problems)
            if problems:
                self._problems[f"{runtime.title}: {'; '.join(problems)}"] += 1

    def inject(self, runtimes: Collection[Runtime], profiles: Mapping[str, Path]) -> None:
        """Make calls that the program does not make, and count which are named and refused."""
        command = (f"./{profile_injections.INJECTOR}", *self._command)
        recording = self._record("injected", command)
        free = profile_injections.results(self.folder)
        forbidden = self._forbidden()
        self.totals.injected += len(forbidden)
        checking = ("profile", "check", str(next(iter(profiles.values()))), recording)
        done = subprocess.run(
            (*_SYSWATCH, *checking), stdout=subprocess.PIPE, text=True, check=False
        )
        named = {each for each in forbidden if f"  {each.sentence} " in done.stdout}
        self.totals.named += len(named)
        self._add_missed("not named", forbidden - named)
        for runtime in runtimes:
            ended, refused = self._enforced(runtime, profiles[runtime.format], command)
            if ended.problem:
                self._problems[f"{runtime.title}, with injected calls: {ended.problem}"] += 1
                continue
            errors = profile_injections.results(self.folder)
            stopped = {each for each in forbidden if errors[each] == _EPERM != free[each]}
            if runtime == COUNTING:
                numbers = {(each.number, each.arguments) for each in refused}
                stopped = {each for each in stopped if (each.number, each.registers) in numbers}
            self.totals.refused[runtime.title] += len(stopped)
            self._add_missed(f"not refused by {runtime.title}", forbidden - stopped)

    @property
    def summary(self) -> str:
        """What went wrong, one line for each kind."""
        problems = [f"\n    {number} times {text}" for text, number in self._problems.items()]
        return "".join(problems) or "nothing refused, and all that was injected refused"

    def _add_missed(self, how: str, missed: Collection[Injection]) -> None:
        for each in missed:
            self._problems[f"{how}: {each.call}"] += 1

    def _forbidden(self) -> set[Injection]:
        """Return the injections that the program did not make itself; print the others."""
        made = {
            (key.call, key.values)
            for recording in self._recordings
            for key in read_evidence(recording).evidence
        }
        own = [each for each in INJECTIONS if (each.call, each.values) in made]
        for each in own:
            common.leave_out(f"{each.call} for {self.confined.name}", "the program makes this call")
        return set(INJECTIONS) - set(own)

    @property
    def _command(self) -> Sequence[str]:
        script = string.Template(self.confined.program.script)
        return shlex.split(script.substitute(self.environment))

    def _beside(self, name: str) -> Path:
        return self.folder.parent / f"{self.confined.name}-{name}".replace(" ", "-")

    def _record(self, name: str, command: Sequence[str]) -> str:
        recording = str(self._beside(name))
        options = ("--backend", "ptrace", "--profile", "--record", recording, "-o", os.devnull)
        ended = self._start((*_SYSWATCH, "run", *options, "--", *command))
        if ended.problem:
            raise TracingError(f"failed when it was traced: {ended.problem}")
        return recording

    def _enforced(
        self, runtime: Runtime, profile: Path, command: Sequence[str]
    ) -> tuple[Ended, Sequence[Refused]]:
        """Run a command under a profile; also return what was refused, if that is known."""
        with runtime.enforcing(profile, self.folder, command, self.environment) as sandbox:
            ended = self._start(sandbox.words)
        return ended, sandbox.refused

    def _start(self, words: Sequence[str]) -> Ended:
        """Run a command after its preparation, beside what uses it from outside."""
        script = functools.partial(_shell, self.folder, self.environment)
        script(self.confined.program.before).wait()
        (self.folder / profile_injections.RESULTS).unlink(missing_ok=True)
        with tempfile.TemporaryFile("w+") as errors:
            program = subprocess.Popen(
                words,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
            outside = script(self.confined.outside)
            try:
                problem = _wait(program, outside, lambda: script(self.confined.ending).wait())
            finally:
                _end(outside)
                _end(program)
            errors.seek(0)
            message = " ".join(errors.read().split())[:300]
        return Ended(problem and f"{problem}: {message}")


def _wait(program: Process, outside: Process, end: Callable[[], object]) -> str:
    """Wait until both have ended, and return what went wrong."""
    until = time.monotonic() + PATIENCE_S
    is_ending = False
    while time.monotonic() < until:
        status = program.poll()
        if status:
            return f"status {status}"
        used = outside.poll()
        if used:
            return f"what uses it ended with status {used}"
        if used == status == 0:
            return ""
        if used == 0 and not is_ending:
            end()
            is_ending = True
        time.sleep(_POLL_S)
    return f"not ended after {PATIENCE_S} s"


def _end(process: Process) -> None:
    """End a process and its descendants, if it is running."""
    if process.poll() is None:
        for pid in (*common.descendants(process.pid), process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def _shell(folder: Path, environment: Mapping[str, str], script: str) -> Process:
    shell = shutil.which("sh") or "/bin/sh"
    return subprocess.Popen(
        (shell, "-e", "-c", script),
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _sentence(refused: Refused) -> str:
    name = _NAMES.get(refused.number, f"call {refused.number}")
    arguments = ", ".join(f"{each:#x}" for each in refused.arguments)
    return f"{name}({arguments}) of {refused.program}"


@contextmanager
def surroundings(folder: Path) -> Iterator[Mapping[str, str]]:
    """Serve files with TLS while a block runs; yield the environment of the programs."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        if shutil.which("openssl"):
            subprocess.run(_CERTIFICATE.split(), cwd=folder, check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(folder),
            "PWD": str(folder),
            "TLS_PORT": str(server.server_port),
            "FREE_PORT": str(_free_port()),
        }
        server.shutdown()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class _Handler(http.server.BaseHTTPRequestHandler):
    log_message: Callable[..., None] = lambda *_: None

    def do_GET(self) -> None:
        """Answer with some text."""
        self._answer(b"number" * 10_000)

    def do_POST(self) -> None:
        """Answer with what was sent."""
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, content: bytes) -> None:
        self.send_response(http.HTTPStatus.OK)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
