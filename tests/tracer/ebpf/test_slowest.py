"""Tests of the slowest calls, and of durations in the log."""

from tests.tracer.programs import program

from .case import EbpfCase

_MS = 1_000_000


class SlowestTests(EbpfCase):
    """The slowest calls are exact."""

    def test_sleeps(self) -> None:
        """They are those that slept longest, with their arguments."""
        delta = self.trace(program("sleeps")).delta
        slow = delta.slowest
        asked = [i * 37 % 61 for i in range(1, 61)]
        durations = [call.duration_ns for call in slow.overall]
        self.assertEqual(sorted(durations, reverse=True), durations)
        self.assertEqual(50, len(durations))
        sleeps = [call for call in slow.overall if call.name == "clock_nanosleep"]
        for call in sleeps:
            self.assertIn("tv_nsec=", call.args)
            requested = int(call.args.partition("tv_nsec=")[2].partition("}")[0])
            self.assertGreaterEqual(call.duration_ns, requested)
            self.assertEqual(delta.objects[call.object].kind.value, "sleep")
        found = {
            int(call.args.partition("tv_nsec=")[2].partition("}")[0]) // _MS for call in sleeps
        }
        # A machine under load may make a short one longer than a long one.
        self.assertGreaterEqual(len(found & set(sorted(asked)[-50:])), 40)
        for name, tally in delta.calls.items():
            self.assertEqual(
                min(tally.count, 10), len(slow.by_call.get(name, ())), name
            ) if tally.timed == tally.count else None
            if name in slow.by_call:
                self.assertEqual(tally.max_ns, slow.by_call[name][0].duration_ns, name)

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
