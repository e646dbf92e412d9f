"""Tests of the first line: it names what a program waited for."""

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S, SYSWATCH, is_waiting, wait_for
from tests.system.shell import run
from tests.system.slow_disk import WRITES_PER_SECOND, slow_disk
from tests.system.waiting import CHILD, POLL, READ, RECEIVE, SYNC, WAIT_S, servers
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing

_PYTHON = (sys.executable, "-I", "-S", "-c")
_FAST, _PEERS = 0.0, 50
_SLOW_WRITES = 30
# Numbers in the first line have two digits.
_ROUNDED = 0.9


def first_line_of(output: str) -> str:
    """Return the first line of the summary, which follows messages of syswatch."""
    lines = (line for line in output.splitlines() if not line.startswith("syswatch:"))
    return next(lines, "")


def waited_s(line: str, culprit: str = "") -> float:
    """Return how long a culprit was waited for, according to the first line."""
    # Where the machine is busy, other waits may be named as well.
    wait = r"(\d+) % waiting[a-z ]*, (?:still waiting )?(all|[\d.]+ m?s) of it"
    found = re.search(rf"{wait} [\d.a-z ]*(?:{culprit})", line)
    if found is None:
        raise AssertionError(line)
    if found[2] != "all":
        return max(durations_s(found[2]))
    # The share is of the time before the last colon: of the threads, or of what was not idle.
    whole = line[: line.rindex(": ", 0, found.end())]
    return int(found[1]) / 100 * durations_s(whole)[-1]


def durations_s(text: str) -> list[float]:
    """Return the durations in a text."""
    numbers = re.findall(r"([\d.]+) (m?s)\b", text)
    return [float(number) / (1000 if unit == "ms" else 1) for number, unit in numbers]


class FirstLineTests(SynchronousTestCase):
    """The first line of the summary of programs with one known wait, traced with ptrace."""

    backend: ClassVar[str] = "ptrace"

    def setUp(self) -> None:
        """Skip the test if tracing is not allowed."""
        require_tracing()

    @property
    def tracing(self) -> tuple[str, ...]:
        """Return the command that traces another one and prints a summary."""
        return (*SYSWATCH, "run", "--backend", self.backend, "--summary", "--")

    def first_line(self, *command: str) -> str:
        """Trace a command; return the first line of the summary."""
        done = run([*self.tracing, *command])
        self.assertEqual(0, done.returncode, done.stderr)
        return first_line_of(done.stderr)

    def assert_names(self, culprit: str, line: str) -> None:
        """Check that a line names a culprit, and the time of the whole wait."""
        self.assertGreaterEqual(waited_s(line, culprit), _ROUNDED * WAIT_S, line)

    def test_sleep(self) -> None:
        """A program that sleeps."""
        self.assert_names("asleep|sleeping", self.first_line("sleep", str(WAIT_S)))

    def test_lock(self) -> None:
        """A thread that waits for a lock ten times."""
        self.assert_names("for other threads .futex", self.first_line(program("lock")))

    def test_pipe(self) -> None:
        """A program whose input comes late."""
        command = (*self.tracing, *_PYTHON, READ)
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as traced:
            assert traced.stdin is not None
            assert traced.stdout is not None
            pid = int(traced.stdout.readline())
            wait_for(lambda: is_waiting(pid))
            time.sleep(WAIT_S)
            output = traced.communicate("!", PATIENCE_S)[1]
        self.assert_names("for pipe", first_line_of(output))

    def test_peer(self) -> None:
        """A client of a slow server."""
        with servers(WAIT_S) as ports:
            line = self.first_line(*_PYTHON, RECEIVE, str(ports[0]))
        self.assert_names(f"for .*127.0.0.1:{ports[0]}", line)

    def test_slow_peer_by_epoll(self) -> None:
        """A client that polls many servers, of which one is slow."""
        self.assert_names_slow_peer("EpollSelector")

    def test_slow_peer_by_poll(self) -> None:
        """The same with poll."""
        self.assert_names_slow_peer("PollSelector")

    def test_slow_peer_by_select(self) -> None:
        """The same with select."""
        self.assert_names_slow_peer("SelectSelector")

    def assert_names_slow_peer(self, selector: str) -> None:
        """Check that one slow server of many is named."""
        delays_s = [_FAST] * _PEERS
        delays_s[_PEERS // 2] = WAIT_S
        with servers(*delays_s) as ports:
            line = self.first_line(*_PYTHON, POLL, selector, *map(str, ports))
        self.assert_names(f"for .*127.0.0.1:{ports[_PEERS // 2]}", line)

    def test_child(self) -> None:
        """A program whose child computes."""
        self.assert_names("for child", self.first_line(*_PYTHON, CHILD))

    def test_disk(self) -> None:
        """A program that synchronizes writes to a disk that the kernel slows down."""
        with slow_disk(Path(self.mktemp()).absolute()) as disk:
            program = (*_PYTHON, SYNC, disk.device, str(_SLOW_WRITES))
            line = self.first_line(*disk.command(*program))
        self.assertIn(f"in fsync of {disk.device}", line)
        # The first of them may be written at once.
        self.assertGreaterEqual(
            waited_s(line), _ROUNDED * (_SLOW_WRITES - 1) / WRITES_PER_SECOND, line
        )


class EbpfFirstLineTests(FirstLineTests):
    """The same with eBPF."""

    backend = "ebpf"

    def setUp(self) -> None:
        """Skip the test if eBPF is not usable."""
        require_ebpf()
