"""Tests of the waits, threads and slowest calls of logs."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.threads import Wait
from syswatch.tracer.stracelog.estimated_waits import estimated_wait

from .condensed import condensed

_US = 1000


class WaitTests(SynchronousTestCase):
    """Estimated waits, and the time of threads."""

    def test_rule(self) -> None:
        """A call that can wait has waited if it took long."""
        self.assertEqual(0, estimated_wait("read", 50 * _US))
        self.assertEqual(90 * _US, estimated_wait("read", 100 * _US))
        self.assertEqual(90 * _US, estimated_wait("fsync", 100 * _US))
        self.assertEqual(0, estimated_wait("getpid", 100 * _US))

    def test_threads(self) -> None:
        """The time between the calls of a thread is its own."""
        delta = condensed(
            """
            7 12:00:00.000000 getpid() = 7 <0.000010>
            7 12:00:00.100000 read(3, "", 1) = 0 <0.200000>
            7 12:00:00.400000 getpid() = 7 <0.000010>
            """
        )
        (tally,) = delta.threads.values()
        self.assertEqual((3, 0), (tally.calls, tally.errors))
        self.assertEqual(400_010 * _US, tally.times.wall_ns)
        self.assertEqual(30 * _US, tally.times.working_ns)
        ((wait, waiting_ns),) = tally.times.waiting.items()
        self.assertEqual(("read", 199_990 * _US), (wait.call, waiting_ns))
        self.assertIsInstance(wait, Wait)

    def test_without_pid(self) -> None:
        """The time of a thread counts to its last call, if lines have no PID, too."""
        delta = condensed(
            """
            1795230345.000000 getpid() = 7 <0.000010>
            1795230345.500000 getpid() = 7 <0.000010>
            1795230345.600000 +++ exited with 0 +++
            """
        )
        (tally,) = delta.threads.values()
        self.assertEqual(500_010 * _US, tally.times.wall_ns)

    def test_log(self) -> None:
        """Log entries have the duration, whether the call waited, and the object."""
        delta = condensed(
            """
            openat(AT_FDCWD, "/a", O_RDONLY) = 3 <0.000010>
            read(3, "", 1) = 0 <0.200000>
            getpid() = 7
            """
        )
        opened, read, getpid = delta.log
        self.assertEqual((10 * _US, False), (opened.duration_ns, opened.waited))
        self.assertEqual((200_000 * _US, True), (read.duration_ns, read.waited))
        self.assertEqual((None, None, 0), (getpid.duration_ns, getpid.waited, getpid.object))
        self.assertEqual("/a", delta.objects[read.object].name)
        self.assertEqual(read.object, opened.object)


class SlowestTests(SynchronousTestCase):
    """The slowest calls."""

    def test_all_lengths(self) -> None:
        """The slowest of each name are found, whatever the number of digits."""
        durations = [*range(1, 60), *range(9_000_000, 9_000_030), 10_000_000, 100_000_000]
        lines = [
            f"{name}({at}) = 0 <{us // 1_000_000}.{us % 1_000_000:06}>"
            for name in ("close", "fsync")
            for at, us in enumerate(durations)
        ]
        slowest = condensed("\n".join(lines)).slowest
        expected = sorted(durations, reverse=True)[:10]
        for name in ("close", "fsync"):
            actual = [call.duration_ns // _US for call in slowest.by_call[name]]
            self.assertEqual(expected, actual)
        expected = sorted([*durations, *durations], reverse=True)[:50]
        self.assertEqual(expected, [call.duration_ns // _US for call in slowest.overall])

    def test_masked(self) -> None:
        """Arguments are masked as in the log view, and so are objects."""
        delta = condensed('open("/home/secret", O_RDONLY) = 3 <1.0>', redact=("secret",))
        self.assertNotIn("secret", str(delta))
        (call,) = delta.slowest.overall
        self.assertIn("redacted", call.args)
