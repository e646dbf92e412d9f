"""Tests that reading a log in parts gives the same result as in one go."""

import itertools
import multiprocessing
import os
import signal
from pathlib import Path

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.tracer import collector
from syswatch.tracer.collector import Collector
from syswatch.tracer.inputs import parallel
from syswatch.tracer.inputs.input_file import InputError, InputFile
from syswatch.tracer.stracelog import log_parser
from syswatch.tracer.stracelog.line_format import detect_format
from syswatch.tracer.stracelog.lines import LineBuffer
from syswatch.tracer.stracelog.log_clock import LogClock
from syswatch.tracer.stracelog.log_parser import LogParser
from tests import samples, tracelines
from tests.reading import without_objects

_ORIGIN_S = 1_000_000_000

# Only what the lines themselves say of descriptors is known in each part.
NAMES_LOG = b"""\
7 10:00:00.000001 execve("/bin/sh", ["sh"], 0x7f /* 3 vars */) = 0 <0.000100>
7 10:00:00.100001 clone(child_stack=NULL, flags=SIGCHLD) = 8 <0.000100>
8 10:00:00.200001 read(5<anon_inode:[eventfd]>, "", 8) = 8 <0.000100>
7 10:00:00.300001 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 9 <0.000100>
9 10:00:00.400001 futex(0x7f00, FUTEX_WAIT_PRIVATE, 2, NULL) = 0 <0.010000>
8 10:00:00.500001 execve("/bin/ls", ["ls"], 0x7f /* 3 vars */ <unfinished ...>
9 10:00:00.510001 futex(0x7f00, FUTEX_WAIT_PRIVATE, 2, NULL <unfinished ...>
8 10:00:00.520001 <... execve resumed>) = 0 <0.020000>
8 10:00:00.530001 futex(0x7f00, FUTEX_WAIT_PRIVATE, 2, NULL) = 0 <0.010000>
9 10:00:00.540001 <... futex resumed>) = 0 <0.030000>
8 10:00:00.600001 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>
10 10:00:00.610001 futex(0x7f10, FUTEX_WAIT_PRIVATE, 2, NULL) = 0 <0.010000>
8 10:00:00.620001 <... clone resumed>) = 10 <0.020000>
10 10:00:00.630001 getpid() = 10 <0.000100>
10 10:00:00.640001 +++ exited with 0 +++
8 10:00:00.650001 wait4(10, NULL, 0, NULL) = 10 <0.010000>
8 10:00:00.700001 exit_group(0) = ?
8 10:00:00.710001 +++ exited with 0 +++
7 10:00:00.720001 wait4(-1, NULL, 0, NULL) = 8 <0.010000>
9 10:00:00.730001 futex(0x7f20, FUTEX_WAIT_PRIVATE, 2, NULL) = 0 <0.010000>
9 10:00:00.740001 +++ exited with 0 +++
7 10:00:00.750001 read(6<anon_inode:[eventfd]>, "", 8) = 8 <0.000100>
7 10:00:00.760001 +++ exited with 0 +++
"""


def parser(log: bytes) -> LogParser:
    """Return a parser that knows the format of a log."""
    return LogParser(
        Collector(per_process=True),
        clock=LogClock(origin_s=_ORIGIN_S),
        fallback_pid=7,
        line_format=detect_format(log.split(b"\n")),
    )


def in_one_go(log: bytes) -> Delta:
    """Parse a log in one go."""
    whole, buffer = parser(log), LineBuffer()
    for piece in buffer.receive_data(log):
        whole.feed_piece(piece)
    for piece in buffer.close():
        whole.feed_last(piece)
    whole.advance(len(log))
    whole.end_in_progress()
    whole.close()
    return Delta() + whole.take()


def in_parts(log: bytes, path: Path, workers: int = 1) -> Delta:
    """Parse a log in parts of the current size."""
    path.write_bytes(log)
    whole, total = parser(log), Delta()
    with InputFile.open(str(path)) as source:
        for part, length in parallel.read_parts(source, workers, whole):
            total += whole.absorb(part)
            whole.advance(length)
            total += whole.take()
    whole.end_in_progress()
    whole.close()
    return total + whole.take()


class ParallelTests(SynchronousTestCase):
    """Logs that are split anywhere."""

    def setUp(self) -> None:
        """Create a path for a log."""
        self.path = Path(self.mktemp())

    def assert_same(self, log: bytes, part_bytes: int, workers: int = 1) -> None:
        """Compare the deltas in full."""
        self.patch(parallel, "RANGE_BYTES", part_bytes)
        expected, actual = in_one_go(log), in_parts(log, self.path, workers)

        for field in attrs.fields(Delta):
            left, right = (
                getattr(without_objects(delta), field.name) for delta in (expected, actual)
            )
            self.assertEqual(left, right, field.name)

    @given(tracelines.split_logs(), st.integers(1, 2000))
    def test_cut_anywhere(self, log: bytes, part_bytes: int) -> None:
        """Halves of calls and days that span parts are joined."""
        self.assert_same(log, part_bytes)

    @settings(max_examples=6)
    @given(st.integers(100, 30_000), st.integers(1, 3))
    def test_kept_logs(self, part_bytes: int, workers: int) -> None:
        """Real logs give the same result on one CPU and on several."""
        for name in ("waits.log", "threads.log", "pipeline.log", "stderr.log", "stacks.log"):
            self.assert_same((samples.LOGS / name).read_bytes(), part_bytes, workers)

    def test_names_of_processes(self) -> None:
        """Processes have their names wherever the log is cut, also in the names of objects."""
        for part_bytes in range(1, len(NAMES_LOG), 7):
            self.patch(parallel, "RANGE_BYTES", part_bytes)
            expected, actual = in_one_go(NAMES_LOG), in_parts(NAMES_LOG, self.path)

            for field in ("objects", "activity", "object_waits", "slowest", "log"):
                left, right = (getattr(delta, field) for delta in (expected, actual))
                self.assertEqual(left, right, (part_bytes, field))
            left, right = (
                {tid: (each.comm, each.times.waiting) for tid, each in delta.threads.items()}
                for delta in (expected, actual)
            )
            self.assertEqual(left, right, part_bytes)

    def test_no_gap(self) -> None:
        """The ranges cover the whole file, and each ends with a line."""
        log = (samples.LOGS / "waits.log").read_bytes()
        self.path.write_bytes(log)
        self.patch(parallel, "RANGE_BYTES", 1000)
        with InputFile.open(str(self.path)) as source:
            ranges = parallel.ranges_of(source, 2)

        self.assertEqual(log, b"".join(log[begin:end] for begin, end in ranges))
        for _, end in ranges:
            self.assertEqual(b"\n", log[end - 1 : end])

    def test_equal_shares(self) -> None:
        """All workers get as many ranges, no longer than allowed; the last are half as long."""
        self.path.write_bytes(b"close(3) = 0\n" * 3000)
        self.patch(parallel, "RANGE_BYTES", 10_000)
        with InputFile.open(str(self.path)) as source:
            lengths = [end - begin for begin, end in parallel.ranges_of(source, 2)]

        line = len(b"close(3) = 0\n")
        self.assertEqual(6, len(lengths))
        for same in (lengths[:4], lengths[4:]):
            self.assertLessEqual(max(same) - min(same), 6 * line)
        self.assertLess(max(lengths), 10_000 + line)
        self.assertLessEqual(max(lengths[4:]), max(lengths) / 2 + line)

    def test_few_ranges(self) -> None:
        """If each worker gets one range, all are about as long."""
        self.path.write_bytes(b"close(3) = 0\n" * 3000)
        with InputFile.open(str(self.path)) as source:
            first, last = parallel.ranges_of(source, 2)

        self.assertLessEqual(abs((first[1] - first[0]) - (last[1] - last[0])), 26)

    @given(tracelines.split_logs(), st.integers(1, 2000), st.integers(1, 3))
    def test_crowded(self, log: bytes, block: int, most: int) -> None:
        """A range with many processes is split into several parts with the same sum."""
        self.patch(parallel, "BLOCK", block)
        self.patch(collector, "TRACKED_PROCESSES", most)
        self.assert_same(log, len(log))

    def test_memory_is_bounded(self) -> None:
        """The number of processes and of deferred lines in a part is limited."""
        self.patch(collector, "TRACKED_PROCESSES", 100)
        self.patch(log_parser, "_MOST_DEFERRED", 100)
        self.patch(parallel, "BLOCK", 1000)
        for line in (b"%d close(3) = 0\n", b"%d +++ exited with 0 +++\n", b"%d pause(\n"):
            log = b"1 close(3) = 0\n" + b"".join(line % pid for pid in range(2000))
            self.path.write_bytes(log)
            with InputFile.open(str(self.path)) as source:
                read = list(parallel.read_parts(source, 1, parser(log)))

            self.assertEqual(len(log), sum(length for _, length in read))
            for part, _ in read:
                self.assertLess(len(part.delta.processes), 250)
                self.assertLess(len(part.deferred), 250)

    def test_messages_of_strace(self) -> None:
        """A line that a message of strace has split may be split between parts there."""
        log = (
            b"[pid 7] close(3) = 0\n"
            b"clone(flags=SIGCHLDstrace: Process 42 attached\n"
            b"strace: Process 43 attached\n, child_tidptr=0x7f2a) = 42\n, child_tidptr=0) = 43\n"
        )
        for part_bytes in range(1, len(log)):
            self.assert_same(log, part_bytes)

    def test_rest_on_the_next_line(self) -> None:
        """So may a call of which strace -z has written both halves without a line in between."""
        log = (
            b"7 1700000000.1 close(3) = 0 <0.1>\n8 1700000000.2 getppid( <unfinished ...>\n"
            b")  = 7 <0.2>\n8 1700000000.3 read(3,  <unfinished ...>\n0x7f, 1)  = 1 <0.3>\n"
        )
        self.assertEqual(0, in_one_go(log).ledger.unparsed_lines)
        for part_bytes in range(1, len(log)):
            self.assert_same(log, part_bytes)

    def test_killed_worker(self) -> None:
        """A worker that is killed is an error, and does not block."""
        self.patch(parallel, "RANGE_BYTES", 10)
        self.patch(parallel, "_work", lambda *_: os._exit(1))
        self.path.write_bytes(b"close(3) = 0\n" * 10)
        with InputFile.open(str(self.path)) as source:
            reading = parallel.read_parts(source, 2, parser(b"close(3) = 0\n"))
            error = self.assertRaises(InputError, list, reading)

        self.assertIn("ended early", str(error))

    def test_receiver_gone(self) -> None:
        """A worker ends if the receiving end is closed, because its parent was killed."""
        log = b"close(3) = 0\n" * 10
        self.path.write_bytes(log)
        receiver, sender = multiprocessing.Pipe(duplex=False)
        with InputFile.open(str(self.path)) as source:
            # More than a pipe has room for.
            ranges = [(0, len(log))] * 3000
            worker = multiprocessing.get_context("fork").Process(
                target=parallel._work, args=(sender, source, ranges, parser(log), [receiver])
            )
            worker.start()
        self.addCleanup(worker.kill)
        sender.close()
        receiver.close()
        worker.join(60)

        self.assertEqual(0, worker.exitcode)

    def test_file_becomes_shorter(self) -> None:
        """A log that becomes shorter while it is read is an error."""
        self.patch(parallel, "RANGE_BYTES", 10)
        self.path.write_bytes(b"close(3) = 0\n" * 10)
        with InputFile.open(str(self.path)) as source:
            for workers in (1, 2):
                reading = parallel.read_parts(source, workers, parser(b"close(3) = 0\n"))
                self.path.write_bytes(b"")
                error = self.assertRaises(InputError, list, reading)
                self.assertIn("shorter", str(error))
                self.path.write_bytes(b"close(3) = 0\n" * 10)

    def test_workers_exit(self) -> None:
        """All workers have exited when a reading ends, although they ignore SIGTERM."""
        self.addCleanup(
            signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, signal.SIG_IGN)
        )
        self.patch(parallel, "RANGE_BYTES", 10)
        self.path.write_bytes(b"close(3) = 0\n" * 1000)
        # Other tests may keep a cluster.
        before = multiprocessing.active_children()
        with InputFile.open(str(self.path)) as source:
            for wanted in (1, None):
                reading = parallel.read_parts(source, 3, parser(b"close(3) = 0\n"))
                for _ in itertools.islice(reading, wanted):
                    pass
                reading.close()
                self.assertEqual(set(before), set(multiprocessing.active_children()))
