"""Tests of the page that `syswatch doctor` prints."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.doctor import diagnose
from syswatch.options.diagnosis import render
from tests.machine.test_doctor import USER


class RenderTests(SynchronousTestCase):
    """The page for a terminal."""

    def test_page(self) -> None:
        """Facts are aligned, and verdicts say in words what their marks mean."""
        page = render(USER, diagnose(USER))
        self.assertIn("  kernel              6.1.0-18-amd64\n", page)
        self.assertIn("✓ ptrace, run       usable: any command that you may start\n", page)
        self.assertIn("✗ ptrace, attach    not usable: kernel.yama.ptrace_scope is 1", page)
        self.assertIn("\n      sudo syswatch …\n", page)
        self.assertIn("  eBPF                adds about 0.2 µs to every system call", page)
        self.assertTrue(page.startswith("Ways to trace\n"))
        self.assertIn("\nOnly with eBPF: --mode counts, --cgroup, --all, --by\n", page)
