"""SIGQUIT, by which programs print where they are: it is for the command, not for syswatch."""

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.backends import EBPF, PTRACE
from tests.system.servers import SYSWATCH
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

_ALLOWED = {PTRACE.name: require_tracing, EBPF.name: require_ebpf}
# Prints a line at each SIGQUIT, and ends when no more has come for a while.  A signal may come
# within print(), which must not be called again then.
_PROGRAM = """
import os, select, signal
arrived, arrival = os.pipe()
os.set_blocking(arrival, False)
signal.set_wakeup_fd(arrival)
signal.signal(signal.SIGQUIT, lambda *_: os.write(1, b"dump\\n"))
os.write(1, b"ready\\n")
patience_s = None
while select.select([arrived], [], [], patience_s)[0]:
    os.read(arrived, 1)
    patience_s = 0.5
raise SystemExit(3)
"""
_CONTROL_BACKSLASH = b"\x1c"


class DumpTests(SynchronousTestCase):
    """The command prints where it is, and is traced to its end."""

    def setUp(self) -> None:
        """Choose a file for the summary."""
        self.summary = Path(self.mktemp())

    def command(self, backend: str) -> list[str]:
        """Return the command line that traces the program."""
        _ALLOWED[backend]()
        options = ("-c", "--backend", backend, "--output", str(self.summary))
        return [*SYSWATCH, "run", *options, "--", sys.executable, "-c", _PROGRAM]

    def assert_traced(self, dumps: int) -> None:
        """Check how often it was asked, and that the calls after that are in the summary."""
        self.assertEqual(1, dumps)
        self.assertRegex(self.summary.read_text(), r"(?m)^p?select\d? +I/O ")

    def test_group(self) -> None:
        """A signal to the whole process group reaches the command once."""
        for backend in _ALLOWED:
            with subprocess.Popen(
                self.command(backend),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            ) as process:
                lines = _pipe_of(process)
                self.assertEqual(b"ready\n", lines.readline())
                os.killpg(process.pid, signal.SIGQUIT)
                dumps = lines.read().count(b"dump")

            self.assertEqual(3, process.returncode)
            self.assert_traced(dumps)

    def test_service(self) -> None:
        """A signal to syswatch alone is passed on, as often as it comes."""
        for backend in _ALLOWED:
            with subprocess.Popen(
                self.command(backend), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            ) as process:
                lines = _pipe_of(process)
                self.assertEqual(b"ready\n", lines.readline())
                process.send_signal(signal.SIGQUIT)
                dumps = lines.read().count(b"dump")

            self.assertEqual(3, process.returncode)
            self.assert_traced(dumps)

    def test_terminal(self) -> None:
        """Ctrl+backslash reaches the command by the terminal, and nothing is passed on."""
        for backend in _ALLOWED:
            command = self.command(backend)
            pid, terminal = pty.fork()
            if pid == 0:
                os.execvp(command[0], command)  # noqa: S606  no shell is wanted
            with open(terminal, "rb+", buffering=0) as lines:  # noqa: PTH123  a descriptor
                printed = _read_until(lines, b"ready")
                lines.write(_CONTROL_BACKSLASH)
                printed += _read_until(lines, None)
            _, status = os.waitpid(pid, 0)

            self.assertEqual(3, os.waitstatus_to_exitcode(status))
            self.assert_traced(printed.count(b"dump"))


def _pipe_of(process: "subprocess.Popen[bytes]") -> IO[bytes]:
    if process.stdout is None:
        raise AssertionError(process)
    return process.stdout


def _read_until(lines: IO[bytes], end: bytes | None) -> bytes:
    """Read what a terminal shows, up to some text or to its end, which is an error of Linux."""
    printed = b""
    while end is None or end not in printed:
        try:
            more = lines.read(4096)
        except OSError:
            break
        if not more:
            break
        printed += more
    return printed
