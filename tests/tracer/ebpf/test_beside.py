"""Tests of doing something in another thread."""

from threading import get_ident

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.ebpf.beside import run_beside


class BesideTests(SynchronousTestCase):
    """Two things are done at the same time."""

    def setUp(self) -> None:
        """Note what is discarded."""
        self.discarded: list[int] = []

    def fail_with(self, error: BaseException) -> int:
        """Raise an error."""
        raise error

    def test_both(self) -> None:
        """The other thread works, and its result is returned."""
        threads: list[int] = []
        found = run_beside(get_ident, lambda: threads.append(get_ident()), self.discarded.append)
        self.assertNotIn(found, threads)
        self.assertEqual([], self.discarded)

    def test_failed_meanwhile(self) -> None:
        """If this thread fails, what the other one has made is discarded."""
        with self.assertRaisesRegex(ValueError, "here"):
            run_beside(lambda: 7, lambda: self.fail_with(ValueError("here")), self.discarded.append)
        self.assertEqual([7], self.discarded)

    def test_failed_work(self) -> None:
        """The error of the other thread is raised, of whatever kind it is."""
        for error in (ValueError("there"), SystemExit(3)):
            with self.assertRaises(type(error)) as raised:
                run_beside(lambda: self.fail_with(error), list, self.discarded.append)  # noqa: B023
            self.assertIs(error, raised.exception)

    def test_both_failed(self) -> None:
        """The error of this thread counts."""
        with self.assertRaisesRegex(ValueError, "here"):
            run_beside(
                lambda: self.fail_with(ValueError("there")),
                lambda: self.fail_with(ValueError("here")),
                self.discarded.append,
            )
