"""Tests of the slowest calls, and of durations in the log."""

from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectKind
from tests.tracer.programs import program

from .case import EbpfCase

_MS = 1_000_000
_SLEEP = "clock_nanosleep"


class SlowestTests(EbpfCase):
    """The slowest calls are exact."""

    def test_sleeps(self) -> None:
        """They are those that slept longest, with their arguments."""
        delta = self.trace(program("sleeps")).delta
        slow = delta.slowest
        # Every sleep has a length of its own, so its row has its duration.
        rows = [(key, row) for key, row in delta.activity.items() if key.call == _SLEEP]
        self.assertEqual([1] * 60, [row.count for _, row in rows])
        sleeps = sorted((row.total_ns for _, row in rows), reverse=True)
        durations = [call.duration_ns for call in slow.overall]
        self.assertEqual(50, len(durations))
        self.assertEqual(sorted(durations, reverse=True), durations)
        found = [call for call in slow.overall if call.name == _SLEEP]
        # A machine under load may make other calls slower than some of them.
        self.assertEqual(sleeps[: len(found)], [call.duration_ns for call in found])
        self.assertLessEqual(max(sleeps[len(found) :]), durations[-1])
        for call in found:
            requested = int(call.args.partition("tv_nsec=")[2].partition("}")[0])
            self.assertEqual(
                (ObjectKind.SLEEP, f"{requested // _MS} ms"),
                (delta.objects[call.object].kind, delta.objects[call.object].name),
            )
        self.assertEqual(sleeps[:10], [call.duration_ns for call in slow.by_call[_SLEEP]])
        self.check_maxima(delta)

    def check_maxima(self, delta: Delta) -> None:
        """Check that the slowest call of each name is kept, and that none that is not is slower."""
        least_ns = delta.slowest.overall[-1].duration_ns
        named = {call.name for call in delta.slowest.overall}
        for name, tally in delta.calls.items():
            kept = delta.slowest.by_call.get(name, ())
            if tally.timed == tally.count:
                self.assertEqual(min(tally.count, 10), len(kept), name)
            if kept:
                self.assertEqual(tally.max_ns, kept[0].duration_ns, name)
            self.assertTrue(name in named or tally.max_ns <= least_ns, name)

    def test_redacted(self) -> None:
        """Arguments are redacted as in the log."""
        delta = self.trace("cat", "/etc/hosts", redact=("hosts",)).delta
        self.assertNotIn("hosts", repr(delta.slowest))
        self.assertNotIn("/etc/hosts", repr(delta.objects))

    def test_log(self) -> None:
        """Entries of the log have durations, and tell whether the call waited, and for what."""
        delta = self.trace("sleep", "0.05").delta
        (entry,) = (entry for entry in delta.log if entry.name == "clock_nanosleep")
        assert entry.duration_ns is not None
        self.assertGreaterEqual(entry.duration_ns, 50 * _MS)
        self.assertTrue(entry.waited)
        self.assertEqual("50 ms", delta.objects[entry.object].name)
        self.assertIsNone(delta.log[-1].duration_ns)
        self.assertEqual("exit_group", delta.log[-1].name)
