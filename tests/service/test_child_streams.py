"""Tests of the standard streams of a child while the terminal belongs to a user interface."""

import os

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.forking import fork_to
from syswatch.service import child_streams
from syswatch.service.child_streams import ChildStreams


class ChildStreamsTests(SynchronousTestCase):
    """A child that is forked."""

    def _written(self) -> bytes:
        """Return what a child reads and writes by its standard streams."""
        streams = ChildStreams.open()

        def write() -> int:
            streams.enter()
            os.write(1, b"read %d, " % len(os.read(0, 10)))
            os.write(2, b"an error, ")
            os.write(1, b"the end")
            return 0

        pid = fork_to(write)
        streams.child_started()
        os.waitpid(pid, 0)
        # The pipe has an end: neither the child nor this process has it open for writing.
        with os.fdopen(streams.output_fd, "rb") as output:
            return output.read()

    def test_terminal(self) -> None:
        """It reads nothing; output and errors keep their order."""
        self.patch(child_streams, "_same_terminal", lambda *_: True)
        self.assertEqual(b"read 0, an error, the end", self._written())

    def test_redirected_errors(self) -> None:
        """Errors that go elsewhere are left alone."""
        saved, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        self.addCleanup(os.close, saved)
        self.addCleanup(os.dup2, saved, 2)
        os.dup2(null, 2)
        os.close(null)
        self.assertEqual(b"read 0, the end", self._written())

    def test_close(self) -> None:
        """Nothing stays open of streams that no child got."""
        free = os.dup(0)
        os.close(free)
        ChildStreams.open().close()
        again = os.dup(0)
        os.close(again)
        self.assertEqual(free, again)
