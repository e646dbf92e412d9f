"""Tests of what is decided about the errors of queries and exports."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.app.recordings import is_in


class FilesOfErrorsTests(SynchronousTestCase):
    """Whether an error is about an input, which has a status of its own."""

    def test_inputs(self) -> None:
        """An input itself counts, and a file in its directory; a file beside it does not."""
        for name in ("a.rec", "a.rec/calls/00000000.parquet", "dir/b.log"):
            self.assertTrue(is_in(name, ("a.rec", "dir/b.log")), name)
        for other in ("a.rec2", "dir", "out.csv", "", None, 3):
            self.assertFalse(is_in(other, ("a.rec", "dir/b.log")), other)
