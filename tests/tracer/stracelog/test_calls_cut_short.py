"""Tests of calls of logs in which threads have ended."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.threads import ThreadTimes
from syswatch.tracer.collector import Collector
from syswatch.tracer.inputs import parallel
from syswatch.tracer.stracelog.log_parser import LogParser
from tests.tracer.inputs.test_parallel import in_one_go, in_parts

from .condensed import condensed

_US = 1000
_S = 1_000_000 * _US
_BEFORE = "7 12:00:00.000000 getpid() = 7 <0.000010>\n"
_FUTEX = "7 12:00:01.000000 futex(0x7f0000001000, FUTEX_WAIT_PRIVATE, 0, NULL"


def _times(delta: Delta) -> ThreadTimes:
    return delta.threads[7].times


def _waits(delta: Delta) -> dict[str, tuple[str, int]]:
    """Return the object and the time of each wait of the thread."""
    found = _times(delta).waiting.items()
    return {wait.call: (delta.objects[wait.object].name, spent_ns) for wait, spent_ns in found}


class EndTests(SynchronousTestCase):
    """The time until its thread has ended was spent in the call, not in the thread's own code."""

    def assert_waits(self, end: str) -> Delta:
        """Assert that a thread has waited for a futex for three seconds until it ended."""
        delta = condensed(_BEFORE + _FUTEX + end)
        self.assertEqual({"futex": ("process 7: 0x7f0000001000", 3 * _S - 10 * _US)}, _waits(delta))
        times = _times(delta)
        self.assertEqual((4 * _S, 20 * _US), (times.wall_ns, times.working_ns))
        self.assertEqual((["getpid"], 0), (list(delta.calls), delta.ledger.estimated_waits))
        return delta

    def test_second_half(self) -> None:
        """The second half has no result."""
        end = """ <unfinished ...>
            8 12:00:01.500000 getpid() = 8 <0.000010>
            7 12:00:04.000000 <... futex resumed>) = ?
            7 12:00:04.000100 +++ killed by SIGKILL +++
            """
        delta = self.assert_waits(end)
        states = [
            bins[7].waiting_ns for _, bins in sorted(delta.timeline.bins.items()) if 7 in bins
        ]
        self.assertEqual(3 * _S - 10 * _US, sum(states))

    def test_without_a_second_half(self) -> None:
        """There is only the line on which the thread has ended."""
        self.assert_waits(" <unfinished ...>\n7 12:00:04.000000 +++ killed by SIGKILL +++")

    def test_whole_line(self) -> None:
        """The call is on one line, with the time at which it began."""
        self.assert_waits(") = ?\n7 12:00:04.000000 +++ exited with 0 +++")

    def test_first_call(self) -> None:
        """The call may be the only one of its thread."""
        delta = condensed(
            """
            8 12:00:00.000000 getpid() = 8 <0.000010>
            7 12:00:01.000000 pause( <unfinished ...>
            8 12:00:02.000000 getpid() = 8 <0.000010>
            7 12:00:03.000000 <... pause resumed>) = ?
            """
        )
        self.assertEqual({"pause": ("signals", 2 * _S - 10 * _US)}, _waits(delta))
        self.assertEqual(2 * _S, _times(delta).wall_ns)

    def test_work(self) -> None:
        """A call that cannot wait has worked."""
        delta = condensed(
            _BEFORE + "7 12:00:01.000000 munmap(0x7f0000000000, 4096 <unfinished ...>\n"
            "7 12:00:03.000000 +++ killed by SIGKILL +++"
        )
        self.assertEqual(({}, 2 * _S + 10 * _US), (_waits(delta), _times(delta).working_ns))

    def test_next_thread(self) -> None:
        """Another thread with the same ID has nothing of it."""
        delta = condensed(
            _BEFORE + _FUTEX + " <unfinished ...>\n7 12:00:04.000000 +++ killed by SIGKILL +++\n"
            "7 12:00:09.000000 getpid() = 7 <0.000010>\n7 12:00:10.000000 +++ exited with 0 +++"
        )
        self.assertEqual(3 * _S - 10 * _US, _times(delta).waiting_ns)
        self.assertEqual(4 * _S + 10 * _US, _times(delta).wall_ns)

    def test_parts(self) -> None:
        """A call may have begun in an earlier part of a log."""
        others = [f"8 12:00:02.{at:06} getpid() = 8 <0.000001>\n" for at in range(2000)]
        end = (
            "7 12:00:04.000000 <... futex resumed>) = ?\n7 12:00:04.000100 +++ exited with 0 +++\n"
        )
        log = "".join([_BEFORE, _FUTEX, " <unfinished ...>\n", *others, end]).encode()
        self.patch(parallel, "RANGE_BYTES", 10_000)
        whole, total = in_one_go(log), in_parts(log, Path(self.mktemp()), 1)
        self.assertEqual(whole.threads[7].times.wall_ns, total.threads[7].times.wall_ns)
        self.assertEqual(_waits(whole), _waits(total))
        self.assertEqual(3 * _S - 10 * _US, _times(total).waiting_ns)

    def test_cut_anywhere(self) -> None:
        """The end of the thread may come in any later part, or as the only line of a piece."""
        for half, end in (
            (_FUTEX + " <unfinished ...>\n", ""),
            (_FUTEX + ") = ?\n", ""),
            (_FUTEX + " <unfinished ...>\n", "7 12:00:04.000000 <... futex resumed>) = ?\n"),
        ):
            other = "8 12:00:02.000000 getpid() = 8 <0.000001>\n"
            dead = "7 12:00:04.000000 +++ killed by SIGKILL +++\n"
            log = f"{_BEFORE}{half}{other}{end}{dead}{other}".encode()
            whole = in_one_go(log)
            self.assertEqual(3 * _S - 10 * _US, _times(whole).waiting_ns)
            for length in range(1, len(log), 7):
                for name, other_name in (("RANGE_BYTES", "BLOCK"), ("BLOCK", "RANGE_BYTES")):
                    self.patch(parallel, name, length)
                    self.patch(parallel, other_name, len(log))
                    total = in_parts(log, Path(self.mktemp()), 1)
                    self.assertEqual(_waits(whole), _waits(total), (log, name, length))

    def test_next_thread_in_part(self) -> None:
        """The half of the next thread with this ID does not count for the one that has ended."""
        # In each part some call has a duration.
        other = "8 12:00:02.000000 getpid() = 8 <0.000001>\n"
        lines = (
            f"{_FUTEX} <unfinished ...>\n",
            "7 12:00:04.000000 +++ killed by SIGKILL +++\n",
            "7 12:00:09.000000 pause( <unfinished ...>\n",
            "7 12:00:10.000000 +++ exited with 0 +++\n",
        )
        log = (_BEFORE + other.join(lines) + other).encode()
        for length in range(120, len(log), 7):
            self.patch(parallel, "RANGE_BYTES", length)
            total = in_parts(log, Path(self.mktemp()), 1)
            self.assertEqual({"futex", "pause"}, set(_waits(total)), length)
            self.assertEqual(4 * _S - 20 * _US, _times(total).waiting_ns, length)


class EndOfLogTests(SynchronousTestCase):
    """Calls in which threads are when the log ends."""

    def test_until_the_end(self) -> None:
        """They have lasted until the time of the last line, whatever that is."""
        for last in (
            "8 12:00:04.000000 getpid() = 8 <0.000001>",
            "8 12:00:04.000000 +++ exited with 0 +++",
            "8 12:00:04.000000 pause( <unfinished ...>",
        ):
            delta = condensed(f"{_BEFORE}{_FUTEX} <unfinished ...>\n{last}")
            expected = {"futex": ("process 7: 0x7f0000001000", 3 * _S - 10 * _US)}
            self.assertEqual((expected, 4 * _S), (_waits(delta), _times(delta).wall_ns), last)
            self.assertEqual(0, delta.ledger.unparsed_lines, last)

    def test_last_line(self) -> None:
        """The last line of a log may be the beginning of a call, whose end is not known."""
        for begun in (_FUTEX, _FUTEX + " <unfinished ...>", _FUTEX + " <detached ...>"):
            delta = in_one_go((_BEFORE + begun).encode())
            self.assertEqual(({}, _S), (_waits(delta), _times(delta).wall_ns), begun)
            self.assertEqual((0, 1), (delta.ledger.unparsed_lines, delta.reading.halves), begun)

    def test_cut_off(self) -> None:
        """A last line that strace does not leave so is not understood."""
        for line in ('open("/etc/pas', "getpid() = 7 <0.0", "getpid() = "):
            delta = in_one_go(f"{_BEFORE}7 12:00:01.000000 {line}".encode())
            self.assertEqual((1, 0), (delta.ledger.unparsed_lines, delta.reading.halves), line)

    def test_whole_seconds(self) -> None:
        """The call before may seem to end after this one has begun."""
        delta = condensed(
            """
            7 12:00:01 getpid() = 7 <0.900000>
            7 12:00:01 read(0,  <unfinished ...>
            8 12:00:09 getpid() = 8 <0.000010>
            """
        )
        self.assertApproximates(8 * _S, sum(_times(delta).waiting.values()), _S)

    def test_other_pid(self) -> None:
        """A thread that executes a program continues in the log of the first thread."""
        end = b"7 12:00:04.000000 getpid() = 7 <0.000010>\n"
        call = b'9 12:00:01.000000 execve("/bin/true", ["true"], NULL <pid changed to 7 ...>\n'
        delta = in_one_go(_BEFORE.encode() + call + end)
        self.assertNotIn(9, delta.threads)

    def test_stopped(self) -> None:
        """Calls may return in what has not been read."""
        parser = LogParser(Collector())
        parser.feed(f"{_BEFORE}{_FUTEX} <unfinished ...>\n{_BEFORE}".rstrip().encode())
        parser.close()
        self.assertEqual({}, _waits(parser.take()))

    def test_lost_second_half(self) -> None:
        """A thread that has made other calls since is not in the call any more."""
        delta = condensed(
            f"{_BEFORE}{_FUTEX} <unfinished ...>\n7 12:00:02.000000 getpid() = 7 <0.000010>\n"
            "8 12:00:04.000000 getpid() = 8 <0.000010>"
        )
        self.assertEqual({}, _waits(delta))

    def test_cut_anywhere(self) -> None:
        """A log that is read in parts has the same calls."""
        other = "8 12:00:02.000000 getpid() = 8 <0.000001>\n"
        end = "8 12:00:04.000000 getpid() = 8"
        log = f"{_BEFORE}{_FUTEX} <unfinished ...>\n{other}{end} <0.000001>\n".encode()
        for text in (log, log[: log.index(end.encode())] + b"8 12:00:04.000000 read(3, "):
            whole = in_one_go(text)
            self.assertEqual(3 * _S - 10 * _US, _times(whole).waiting_ns)
            for length in range(1, len(text), 7):
                self.patch(parallel, "RANGE_BYTES", length)
                total = in_parts(text, Path(self.mktemp()), 1)
                self.assertEqual((_waits(whole), 0), (_waits(total), total.ledger.unparsed_lines))


class NoEndTests(SynchronousTestCase):
    """What is not such a call."""

    def assert_own_code(self, log: str, **options: object) -> None:
        """Assert that a thread has waited for nothing."""
        self.assertEqual({}, _waits(condensed(log, **options)))

    def test_returned(self) -> None:
        """The newest first half of a thread may be that of a call that has returned."""
        self.assert_own_code(
            _BEFORE + _FUTEX + " <unfinished ...>\n"
            "7 12:00:01.000020 <... futex resumed>) = 0 <0.000020>\n"
            "7 12:00:04.000000 +++ killed by SIGKILL +++"
        )

    def test_exit(self) -> None:
        """The end of a first thread is reported when the others have ended, too."""
        self.assert_own_code(
            _BEFORE + "7 12:00:01.000000 exit(0) = ?\n7 12:00:04.000000 +++ exited with 0 +++"
        )

    def test_left_out(self) -> None:
        """A filter leaves these calls out like others."""
        log = f"{_BEFORE}{_FUTEX} <unfinished ...>\n7 12:00:04.000000 +++ killed by SIGKILL +++"
        self.assert_own_code(log, trace="getpid")
        self.assert_own_code(log, status="successful")

    def test_without_durations(self) -> None:
        """The time of threads is not known."""
        log = """
            7 12:00:00.000000 getpid() = 7
            7 12:00:01.000000 pause() = ?
            7 12:00:04.000000 +++ exited with 0 +++
            """
        self.assertEqual(0, _times(condensed(log)).wall_ns)
