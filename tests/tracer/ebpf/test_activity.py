"""Tests of the sums of each thread, object and call."""

import os
import subprocess
import sys
from pathlib import Path

from syswatch.model.activity import ANY, NO_SUMS
from syswatch.model.delta import Delta
from syswatch.model.threads import OTHER_THREADS
from syswatch.tracer.ebpf import activity_layout as layout
from syswatch.tracer.ebpf.details import Details
from tests.tracer.contract.targets import Target
from tests.tracer.programs import program

from .activities import sums_by, total
from .case import EbpfCase

_SCRIPT = "cat /etc/hosts | (read line; exec cat >/dev/null); cat /no-such-file; sleep 0.05"
_MESSAGES = ("sendto", "recvfrom")
# Until a second after each clock began.
_SLEEPS_UNTIL = """
import ctypes, time
for clock in (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC):
    ctypes.CDLL(None).clock_nanosleep(clock, 1, (ctypes.c_long * 2)(1, 0), None)
"""


def files(folder: Path, count: int) -> list[str]:
    """Create some files of 5000 bytes; return their names."""
    folder.mkdir()
    names = [str(folder / f"file{number}") for number in range(1, count + 1)]
    for name in names:
        Path(name).write_bytes(b"x" * 5000)
    return names


class SumTests(EbpfCase):
    """The rows add up to the counts."""

    def check_sums(self, delta: Delta) -> None:
        """Check that each call is in exactly one row, with its errors and its times."""
        rows = dict.fromkeys(delta.calls, NO_SUMS)
        for key, row in delta.activity.items():
            rows[key.call] += row
        for name, tally in delta.calls.items():
            row = rows[name]
            self.assertEqual((tally.count, tally.errors), (row.count, row.errors), name)
            self.assertEqual(tally.total_ns, row.total_ns, name)
            waits = tally.waits
            self.assertEqual(
                (row.waits, row.waiting_ns, row.ready_ns),
                (waits.count, waits.waiting_ns, waits.ready_ns),
                name,
            )
            self.assertEqual(row.waits, waits.histogram.total, name)
        self.assertEqual(rows.keys(), delta.calls.keys())
        known = {key.object for key in delta.activity if key.object}
        self.assertEqual(set(), {each for each in known if each > 31} - delta.objects.keys())

    def test_processes(self) -> None:
        """Processes and pipes."""
        delta = self.trace("sh", "-c", f"{_SCRIPT}; {program('storm')} 200").delta
        self.check_sums(delta)
        waits = sum(histogram.total for histogram in delta.object_waits.values())
        self.assertEqual(waits, sum(tally.waits.count for tally in delta.calls.values()))

    def test_threads(self) -> None:
        """Threads that end between two readings lose nothing."""
        delta = self.trace(program("short_threads"), "300").delta
        self.check_sums(delta)
        calls = {key.tid: row.count for key, row in delta.activity.items() if key.call == "getppid"}
        self.assertEqual(300, len(calls))
        self.assertEqual({100}, set(calls.values()))
        ended = [tally for tally in delta.threads.values() if tally.has_ended]
        self.assertEqual(301, len(ended))
        self.assertEqual(
            sum(tally.count for tally in delta.calls.values()),
            sum(tally.calls for tally in delta.threads.values()),
        )

    def test_more_threads_than_records(self) -> None:
        """Threads without a record of their own are counted together, and exactly."""
        target = Target.begin(
            "sh", "-c", f"echo ready; read line; {program('short_threads')} 100; exit 42"
        )
        self.addCleanup(target.process.kill)
        trace = self.prepare()
        self.addCleanup(trace.reader.close)
        trace.program.totals.unused_threads = layout.THREADS - 4
        trace.following.take(target.pid, 0)
        trace.following.begin()
        self.assertEqual(42, target.end())
        delta = trace.reader.read(everything=True, is_last=True)
        self.check_sums(delta)
        self.assertGreater(trace.program.totals.crowded_threads, 0)
        shared = [row.count for key, row in delta.activity.items() if key.tid == ANY]
        self.assertEqual(delta.threads[OTHER_THREADS].calls, sum(shared))
        self.assertGreater(sum(shared), 9000)

    def test_filters(self) -> None:
        """Only selected calls have rows."""
        delta = self.trace("sh", "-c", _SCRIPT, trace="read,wait4").delta
        self.check_sums(delta)
        self.assertEqual({"read", "wait4"}, {key.call for key in delta.activity})

    def test_off(self) -> None:
        """Without objects, or with counts only, nothing of it is read."""
        self.patch(Details, "read", self.fail)
        for options in ({"objects": False}, {"mode": "counts"}):
            delta = self.trace("sh", "-c", _SCRIPT, **options).delta
            nothing = (delta.activity, delta.objects, delta.object_waits, delta.threads)
            self.assertEqual([{}] * 4, [dict(each) for each in nothing])
            self.assertEqual(({}, 0), (dict(delta.timeline.bins), delta.now.at_ns))
            self.assertFalse(delta.slowest)
            self.assertEqual(0, sum(tally.waits.count for tally in delta.calls.values()))


class ByteTests(EbpfCase):
    """Bytes are those that the kernel counts."""

    def test_copies(self) -> None:
        """Every way of copying counts what /proc/PID/io has."""
        source, *_ = files(Path(self.mktemp()).absolute(), 1)
        outcome = self.trace(program("copies"), source, f"{source}.copy")
        lines = [line.split() for line in outcome.output.decode().splitlines()]
        before, after = (
            {name: int(value) for name, value in lines[begin : begin + 4]} for begin in (0, 7)
        )
        sizes = [sum(len(" ".join(line)) + 1 for line in lines[:7])]

        def is_meant(call: str, name: str) -> bool:
            # The kernel does not count messages there.
            return call not in _MESSAGES and name.startswith((source, "peer"))

        sums = total(outcome.delta, is_meant)
        self.assertEqual(after["rchar:"] - before["rchar:"] - sizes[0], sums.bytes_in)
        self.assertEqual(after["wchar:"] - before["wchar:"], sums.bytes_out)
        messages = total(outcome.delta, lambda call, _: call in _MESSAGES)
        self.assertEqual((1000, 1000), (messages.bytes_in, messages.bytes_out))

    def test_dd(self) -> None:
        """A program that was attached to has read and written what the kernel counts."""
        folder = Path(self.mktemp())
        folder.mkdir()
        ready, write_end = os.pipe()
        dd = subprocess.Popen(
            ["dd", f"of={folder}/copy", "bs=512"], stdin=ready, stderr=subprocess.DEVNULL
        )
        os.close(ready)
        self.addCleanup(dd.wait)
        os.write(write_end, b"x" * 512)
        tracer = self.attach_to(dd.pid)
        before = self.accounting(dd.pid)
        for _ in range(200):
            os.write(write_end, b"x" * 300)
        os.close(write_end)
        os.waitid(os.P_PID, dd.pid, os.WEXITED | os.WNOWAIT)
        after = self.accounting(dd.pid)
        sums = total(tracer.finish().delta)
        self.assertEqual(after["rchar"] - before["rchar"], sums.bytes_in)
        self.assertEqual(after["wchar"] - before["wchar"], sums.bytes_out)

    def accounting(self, pid: int) -> dict[str, int]:
        """Return /proc/PID/io."""
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
        return {name: int(value) for name, value in (line.split(": ") for line in lines)}


class DescriptorTests(EbpfCase):
    """A descriptor is credited to the file that it refers to at that moment."""

    def test_reused(self) -> None:
        """The same number refers to one file and then to another, a thousand times."""
        first, second = files(Path(self.mktemp()).absolute(), 2)
        delta = self.trace(program("reused"), first, second).delta
        for call in ("openat", "read", "close"):
            sums = sums_by(delta, call)
            self.assertEqual([500, 500], [sums[name].count for name in (first, second)], call)
        sums = sums_by(delta, "read")
        self.assertEqual([500, 1500], [sums[name].bytes_in for name in (first, second)])

    def test_passed(self) -> None:
        """Duplicates, inherited and shared descriptors, and those from another process."""
        names = files(Path(self.mktemp()).absolute(), 5)
        outcome = self.trace(program("passed"), *names)
        self.assertEqual(0, outcome.ending and getattr(outcome.ending, "exit_code", None))
        sums = sums_by(outcome.delta, "read")
        found = [(sums[name].count, sums[name].bytes_in) for name in names]
        self.assertEqual([(1, 1), (2, 4), (1, 3), (1, 4), (2, 10)], found)


class WaitTests(EbpfCase):
    """Waits are credited to what ended them."""

    def test_waits(self) -> None:
        """A call waits if its thread was off the CPU of its own accord."""
        delta = self.trace(program("waiting")).delta
        self.assertEqual(20, delta.calls["recvfrom"].waits.count)
        self.assertGreaterEqual(delta.calls["recvfrom"].waits.waiting_ns, 20 * 4_000_000)
        self.assertEqual(0, delta.calls["getppid"].waits.count)
        self.assertEqual(0, delta.calls["getppid"].waits.waiting_ns)

    def test_one_of_many(self) -> None:
        """Of 50 pipes, poll and epoll name the one that was ready; or that none was."""
        delta = self.trace(program("one_slow")).delta
        (slow,) = (name for name, row in sums_by(delta, "write").items() if row.count == 20)
        for call in ("poll", "epoll_wait"):
            counts = {name: row.count for name, row in sums_by(delta, call).items()}
            self.assertEqual({slow: 10, "timed out": 1}, counts, call)
        tid = {key.tid for key in delta.activity if key.call == "epoll_wait"}.pop()
        waits = delta.threads[tid].times.waiting
        rows = {
            (key.object, key.call): row.waiting_ns
            for key, row in delta.activity.items()
            if key.tid == tid and row.waiting_ns
        }
        # Exactly, although some of them were reported before they ended.
        self.assertEqual(rows, {tuple(wait): spent for wait, spent in waits.items() if spent})

    def test_until(self) -> None:
        """Sleeps until a time have a duration only if the program can read their clock."""
        delta = self.trace(sys.executable, "-c", _SLEEPS_UNTIL).delta
        counts = {name: row.count for name, row in sums_by(delta, "clock_nanosleep").items()}
        self.assertEqual({"until a time": 1, "0 s": 1}, counts)
