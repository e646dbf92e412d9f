"""Tests of the options of the flight recorder."""

import errno

from twisted.trial.unittest import SynchronousTestCase

from syswatch.recording.keeping import Keep, Trigger, decoded
from tests.options.parsing import config_of, error_of


class KeepingTests(SynchronousTestCase):
    """`--keep`, `--save-on` and `--keep-saves`."""

    def words(self, *options: str) -> tuple[str, ...]:
        """Return a command line with a recording."""
        return ("run", "--record", self.mktemp(), *options, "--", "true")

    def keep(self, *options: str) -> Keep | None:
        """Return what options ask for."""
        return config_of(*self.words(*options)).reporting.keep

    def test_amounts(self) -> None:
        """A time, a size, or both; of several, the smallest."""
        for text, expected in {
            "5m": (300, None),
            "90s": (90, None),
            "1.5h": (5400, None),
            "2GB": (None, 2 * 10**9),
            "1.5GiB": (None, 3 << 29),
            "20mb": (None, 20 * 10**6),
            "1d,2TB": (86_400, 2 * 10**12),
            "10m,5m": (300, None),
        }.items():
            keep = self.keep("--keep", text)
            assert keep is not None
            self.assertEqual(expected, (keep.seconds, keep.size), text)
        keep = self.keep("--keep", "5m", "--keep", "1GB")
        self.assertEqual(Keep(300, 10**9), keep)
        self.assertIsNone(self.keep())

    def test_triggers(self) -> None:
        """Errors, slow calls and alerts, separated by commas or one by one."""
        events = ("--save-on", "errno:ENOSPC,slower:2s", "--save-on=slower:500ms:fsync")
        keep = self.keep("--keep=5m", *events, "--save-on=alert", "--keep-saves", "3")
        assert keep is not None
        expected = (
            Trigger("errno:ENOSPC", errno.ENOSPC),
            Trigger("slower:2s", 0, 2 * 10**9),
            Trigger("slower:500ms:fsync", 0, 5 * 10**8, "fsync"),
        )
        self.assertEqual(expected, keep.triggers)
        self.assertEqual((3, True), (keep.most_saves, keep.on_alert))
        self.assertEqual(keep, decoded(keep.encode()))

    def test_errors(self) -> None:
        """A mistake is one sentence that names the value."""
        expected = "(expected a time such as 5m or a size such as 2GB)"
        for options, error in {
            ("--keep", "5"): f"--keep: invalid value '5' {expected}",
            ("--keep", "5x"): f"--keep: invalid value '5x' {expected}",
            ("--keep", ","): "--keep: the value is empty (expected a time such as 5m)",
            ("--keep", "1s"): "--keep: the time is too short (at least 2s)",
            ("--keep", "1MB"): "--keep: the size is too small (at least 10MB)",
            ("--keep=5m", "--save-on", "errno:ENOSP"): (
                "--save-on: 'ENOSP' is not the name of an error, such as ENOSPC"
            ),
            ("--keep=5m", "--save-on", "slower:2"): (
                "--save-on: invalid time '2' (expected one such as 2s or 500ms)"
            ),
            ("--keep=5m", "--save-on", "slower:0s"): (
                "--save-on: invalid time '0s' (expected one such as 2s or 500ms)"
            ),
            ("--keep=5m", "--save-on", "slower:2s:fsnc"): "--save-on: unknown system call 'fsnc'",
            ("--keep=5m", "--save-on", "alerts"): (
                "--save-on: invalid value 'alerts'; did you mean 'alert'?"
            ),
            ("--keep=5m", "--keep-saves", "0"): (
                "--keep-saves: invalid value '0' (expected a whole number, at least 1)"
            ),
            ("--keep=5m", "--keep-saves", "101"): "--keep-saves: at most 100 are possible",
            ("--save-on", "alert"): "--save-on has no effect without --keep",
            ("--keep-saves", "3"): "--keep-saves has no effect without --keep",
        }.items():
            self.assertEqual(error, error_of(*self.words(*options)), options)
        self.assertEqual(
            "--keep has no effect without --record", error_of("run", "--keep", "5m", "true")
        )
