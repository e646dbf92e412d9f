"""Tests of exactness: for a log, syswatch has the numbers of strace's own table."""

import shutil
import signal
import subprocess
from functools import lru_cache
from pathlib import Path

import attrs
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.messages import Ended
from tests.reading import read_logs, total
from tests.samples import table
from tests.system.servers import PYTHON, is_waiting, need, wait_for
from tests.system.shell import run

_PROGRAMS = Path(__file__).parents[1] / "programs"
_THREADS = """
import subprocess, threading, time
def wander(number):
    for step in range(5):
        time.sleep(0.0005)
        try:
            open(f'/nope{number}-{step}')
        except OSError:
            pass
threads = [threading.Thread(target=wander, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
subprocess.run(['true'], check=True)
for thread in threads:
    thread.join()
"""
_SOCKETS = r"""
import socket
listening = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(listening.getsockname())
server, _ = listening.accept()
client.sendall(b'a"b\n) = 7 <0.1>')
server.recv(100)
try:
    socket.create_connection(('127.0.0.1', 1))
except OSError:
    pass
"""

# The shell ends before its child, which runs a program alone.
_DAEMON = "(while kill -0 $$; do sleep 0.01; done; cat /proc/self/stat; exec ls) 2>/dev/null &"


@lru_cache(maxsize=1)
def why_not() -> str:
    """Return why strace cannot be used here; nothing if it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = run(["strace", "-o", "/dev/null", "true"])
    return f"strace cannot trace here: {tried.stderr.strip()}" if tried.returncode else ""


def traced(options: str, log: Path, *command: str) -> bytes:
    """Run a program under strace and return the log."""
    subprocess.run(
        ["strace", *options.split(), "-o", str(log), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )
    return log.read_bytes() if log.exists() else b""


def read(*files: Path) -> Delta:
    """Return the sums of logs; check that every line was parsed."""
    messages = read_logs(files)
    if messages[-1] != Ended():
        raise AssertionError(messages[-1])
    delta = total(messages)
    if delta.ledger.unparsed_lines:
        raise AssertionError(delta.odd_lines)
    return delta


def as_on_terminal(log: bytes, *, announced: bool = True) -> bytes:
    """Return a log as strace writes it to standard error: with PIDs for several threads."""
    lines = log.splitlines(keepends=True)
    pids = [line.partition(b" ")[0] for line in lines]
    first = {pid: index for index, pid in reversed(list(enumerate(pids)))}
    last = {pid: index for index, pid in enumerate(pids)}
    written: list[bytes] = []
    for index, (pid, line) in enumerate(zip(pids, lines, strict=True)):
        living = sum(first[each] <= index <= last[each] for each in first)
        if announced and 0 < index == first[pid]:
            written.append(b"strace: Process %s attached\n" % pid)
        rest = line.partition(b" ")[2].lstrip()
        written.append(rest if living == 1 else b"[pid %s] %s" % (pid.rjust(5), rest))
    return b"".join(written)


def _without_reading(delta: Delta) -> Delta:
    """Return sums without what is different if a log has other lines of the same calls."""
    return attrs.evolve(delta, reading=Delta().reading)


class StraceTestCase(SynchronousTestCase):
    """A test that needs strace."""

    def setUp(self) -> None:
        """Skip the test without strace."""
        if why_not():
            raise SkipTest(why_not())
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def program(self, name: str) -> str:
        """Compile one of the programs made for these tests."""
        need("gcc")
        path = self.folder / name
        source = _PROGRAMS / f"{name}.c"
        run(["gcc", "-O1", "-w", "-pthread", "-o", str(path), str(source)]).check_returncode()
        return str(path.absolute())


class TableTests(StraceTestCase):
    """Logs that end with strace's own table."""

    def assert_exact(self, options: str, *command: str) -> None:
        """Compare calls and errors of each system call; with -w the time, too."""
        path = self.folder / "log"
        log = traced(options, path, *command)
        expected = table(log)
        self.assertNotEqual({}, expected, log[-500:])

        delta = read(path)

        self.assertEqual(
            {name: (row.calls, row.errors) for name, row in expected.items()},
            {name: (tally.count, tally.errors) for name, tally in delta.calls.items()},
        )
        self.assertEqual(log.count(b"\n"), delta.reading.lines)
        if "-w" in options.split():
            for name, row in expected.items():
                tally = delta.calls[name]
                only_in_table = row.seconds - tally.total_ns / 1e9
                # The table is rounded to microseconds.
                self.assertLessEqual(-1.001e-6, only_in_table, name)
                # It includes the time of a call that a thread's execve ended; the line does not.
                if tally.timed == tally.count:
                    self.assertLessEqual(only_in_table, 1.001e-6, name)

    def test_ls(self) -> None:
        """One process."""
        self.assert_exact("-C", "ls", "-l", "/")
        self.assert_exact("-C -T -tt", "ls", "-l", "/nope")

    def test_compiler(self) -> None:
        """A tree of processes."""
        need("gcc")
        source = str(_PROGRAMS / "waits.c")
        for options in ("-C -f -T", "-C -f -y", "-C -w -f --syscall-times=ns"):
            self.assert_exact(options, "gcc", "-w", "-o", "/dev/null", "-c", source)

    def test_threads_of_python(self) -> None:
        """Concurrent threads and a child."""
        for options in ("-C -f -ttt -T -v -s 200", "-C -w -f --syscall-times=ns"):
            self.assert_exact(options, *PYTHON, _THREADS)

    def test_sockets(self) -> None:
        """Decoded descriptors, with arrows and brackets."""
        self.assert_exact("-C -f -yy -tt -T", *PYTHON, _SOCKETS)

    def test_shell(self) -> None:
        """A pipeline, whose processes wait for each other."""
        self.assert_exact("-C -f -r", "sh", "-c", "ls / | sort | head -3; cat /nope; kill -9 $$")
        self.assert_exact("-C -f -i -n", "sh", "-c", "true & wait; exec true")

    def test_waits(self) -> None:
        """Annotated results, restarts, signals, odd strings."""
        waits = self.program("waits")
        for options in (
            "-C -f -T",
            "-C -f -yy -tt -x",
            "-C -w -f --syscall-times=ns",
            "-C -f -X raw",
        ):
            self.assert_exact(options, waits)

    def test_threads(self) -> None:
        """Threads that overlap, and one that replaces the process."""
        threads = self.program("threads")
        for options in ("-C -f -T", "-C -f -y -t", "-C -w -f --syscall-times=ns -xx"):
            self.assert_exact(options, threads)


class ShapeTests(StraceTestCase):
    """Logs of other shapes."""

    def test_a_file_for_each_process(self) -> None:
        """Several files give the same sums as one that strace-log-merge made of them."""
        need("strace-log-merge")
        prefix = self.folder / "ff"
        traced("-ff -ttt -T", prefix, self.program("waits"))
        merged = self.folder / "merged"
        with merged.open("wb") as out:
            subprocess.run(["strace-log-merge", str(prefix)], stdout=out, check=True, timeout=60)
        files = sorted(self.folder.glob("ff.*"))
        self.assertLess(2, len(files))

        apart, together = read(*files), read(merged)

        for key in ("calls", "paths", "failed_paths", "window", "span", "processes"):
            self.assertEqual(getattr(together, key), getattr(apart, key), key)

    def test_every_line_is_understood(self) -> None:
        """Lines with every option of strace are parsed."""
        waits = self.program("waits")
        for options in (
            *("-f", "-f -t", "-f -tt -T", "-f -ttt", "-f -r", "-ttt -r -f", "-f -T -k"),
            *("-f -i", "-f -n -T", "-f -v -yy", "-f -xx -s 9", "-f -X raw", "-f -X verbose"),
            "-f --absolute-timestamps=precision:ns --relative-timestamps --syscall-times=ns",
            "-f -Y -T",
        ):
            path = self.folder / "log"
            log = traced(options, path, waits)
            if not log:
                continue  # This strace does not know the option.
            calls = read(path).calls

            self.assertEqual(1, calls["pause"].count, options)
            self.assertTrue(all(tally.errors <= tally.count for tally in calls.values()))

    def test_results(self) -> None:
        """With -z and -Z, strace writes the rest of a call in threads on a line without a PID."""
        threads = self.program("threads")
        for options in ("-f -T -ttt -z", "-f -T -tt -z", "-f -T -Z"):
            if traced(options, path := self.folder / "log", threads):
                self.assertLess(0, len(read(path).calls), options)

    def test_terminal(self) -> None:
        """A terminal log, which has PIDs only while there are several processes, is parsed."""
        path = self.folder / "log"
        with path.open("wb") as out:
            subprocess.run(["strace", "-f", "-T", self.program("waits")], stderr=out, check=False)

        self.assertEqual(1, read(path).calls["pause"].count)

    def test_last_process(self) -> None:
        """The lines without a PID are those of the only process, also if it is not the first."""
        path, shown, quiet = (self.folder / name for name in ("log", "shown", "quiet"))
        log = traced("-f -ttt -T -y", path, "sh", "-c", _DAEMON)
        shown.write_bytes(as_on_terminal(log))
        quiet.write_bytes(as_on_terminal(log, announced=False))
        expected = _without_reading(read(path))

        self.assertRegex(shown.read_bytes(), rb"\n\d[^\n]+execve[^\n]+ls(?s:.*)\n\d[^\n]+\+\+\+\n$")
        for each in (shown, quiet):
            self.assertEqual(expected, _without_reading(read(each)), each)

    def test_interrupted(self) -> None:
        """A call that is unfinished at the end of a log is not counted."""
        path = self.folder / "log"
        path.touch()
        with subprocess.Popen(["sleep", "600"]) as sleeping:
            self.addCleanup(sleeping.kill)
            wait_for(lambda: is_waiting(sleeping.pid))
            with subprocess.Popen(
                ["strace", "-tt", "-T", "-o", str(path), "-p", str(sleeping.pid)],
                stderr=subprocess.DEVNULL,
            ) as strace:
                wait_for(lambda: path.stat().st_size)
                strace.send_signal(signal.SIGINT)
            sleeping.kill()

        delta = read(path)

        self.assertEqual(path.read_bytes().count(b"\n"), delta.reading.lines)
        self.assertEqual({}, delta.calls)
