"""Tests of advice from the catalog."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.catalog.entries import documented
from syswatch.views.alerts.advice import is_harmless, of_errno, of_slowness


class AdviceTests(SynchronousTestCase):
    """One sentence from the catalog."""

    def test_advice_that_names_the_errno(self) -> None:
        """Advice that names the errno is preferred to its plain meaning."""
        self.assertEqual(
            "Many ENOENT are a loader or an interpreter searching its directories, and "
            "harmless when a success follows.",
            of_errno("openat", "ENOENT"),
        )

    def test_meaning_where_there_is_no_advice(self) -> None:
        """Without advice on an errno, its meaning is used."""
        self.assertEqual(
            "EACCES: permission denied on the file or on a directory in the path.",
            of_errno("openat", "EACCES"),
        )

    def test_errno_that_is_not_expected(self) -> None:
        """An errno that the catalog does not list for a call is called unusual."""
        self.assertIn("is unusual for this call", of_errno("openat", "EPIPE"))

    def test_restarted(self) -> None:
        """An errno that only the kernel uses is explained for every call."""
        for name in ("futex", "openat", "frob"):
            why = of_errno(name, "ERESTART_RESTARTBLOCK")
            self.assertIn("a signal interrupted the call", why, name)

    def test_unknown_call(self) -> None:
        """The text for an unknown name admits that nothing is known."""
        self.assertEqual("Nothing is known about EIO from frob.", of_errno("frob", "EIO"))
        self.assertIn("check the device", of_slowness("frob"))

    def test_slowness(self) -> None:
        """The sentence about time is found."""
        self.assertIn("as long as the disk does", of_slowness("fsync"))

    def test_slowness_alone(self) -> None:
        """The part of the sentence on an errno is omitted."""
        self.assertEqual("Slow ones wait for the journal.", of_slowness("rename"))

    def test_harmless(self) -> None:
        """Only what the catalog marks is harmless, whatever the advice says."""
        for name, errno, expected in (
            ("readlink", "EINVAL", True),
            ("lseek", "ESPIPE", True),
            ("close", "EBADF", False),
            ("setgroups", "EPERM", False),
            ("rmdir", "EIO", False),
            ("frob", "EPERM", False),
            ("openat", "ENOENT", False),
            ("openat", "EACCES", False),
        ):
            self.assertEqual(expected, is_harmless(name, errno), (name, errno))

    def test_something_for_every_call(self) -> None:
        """Every documented call has a sentence for slowness and for each of its errnos."""
        for entry in documented():
            self.assertTrue(of_slowness(entry.name), entry.name)
            for note in entry.errnos:
                self.assertTrue(of_errno(entry.name, note.name), entry.name)
