"""Tests of the names of errors."""

import errno

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.errnos import errno_name


class ErrnoTests(SynchronousTestCase):
    """Each error that a call may return has one name."""

    def test_preferred(self) -> None:
        """Of two names, the one preferred by Linux is used, whatever the version of Python."""
        names = {errno.EAGAIN: "EAGAIN", errno.EDEADLK: "EDEADLK", errno.ENOTSUP: "EOPNOTSUPP"}
        self.assertEqual(names, {number: errno_name(-number) for number in names})

    def test_of_the_kernel(self) -> None:
        """Kernel-internal errors have names, and unknown ones are shown as numbers."""
        names = {
            512: "ERESTARTSYS",
            516: "ERESTART_RESTARTBLOCK",
            524: "ENOTSUPP",
            999: "ERRNO_999",
        }
        self.assertEqual(names, {number: errno_name(-number) for number in names})
