"""Tests of the options --by and --groups."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine import groups
from syswatch.model.messages import Attach
from tests.options.parsing import config_of, error_of


class GroupingTests(SynchronousTestCase):
    """Which groups are told apart."""

    def setUp(self) -> None:
        """Simulate a hierarchy of control groups."""
        self.patch(groups, "mount_point", lambda: Path("/sys/fs/cgroup"))

    def test_given(self) -> None:
        """The job says what groups are made of, and how many are told apart."""
        job = config_of("attach", "--all", "--by", "pod", "--groups", "7").job
        assert isinstance(job, Attach)
        self.assertEqual(("pod", 7), (job.options.group_by, job.options.most_groups))

    def test_default(self) -> None:
        """Groups are not told apart unless that is requested; a thousand are if so."""
        for words, expected in (((), ""), (("--by", "container"), "container")):
            job = config_of("attach", "--all", *words).job
            assert isinstance(job, Attach)
            self.assertEqual((expected, 1000), (job.options.group_by, job.options.most_groups))

    def test_refused(self) -> None:
        """Each refusal is a sentence that says what to do."""
        for words, error in (
            (("-p", "1"), "--by needs --all or --cgroup: one process is in one group"),
            (("--all", "--groups", "0"), "--groups: invalid value '0'"),
            (("--all", "--groups", "5001"), "--groups: invalid value '5001'"),
            (("--all", "--backend", "ptrace"), "--all is not available with --backend ptrace"),
        ):
            self.assertIn(error, error_of("attach", "--by", "pod", *words))
        self.assertIn("did you mean 'pod'?", error_of("attach", "--all", "--by", "pods"))
        self.assertEqual(
            "--groups has no effect without --by", error_of("attach", "--all", "--groups", "5")
        )
        self.assertIn("--by is an option of attach", error_of("run", "--by", "pod", "true"))

    def test_no_hierarchy(self) -> None:
        """Without control groups, processes can still be told apart by name."""
        self.patch(groups, "mount_point", lambda: None)
        self.assertIn(
            "--by process-name works without them", error_of("attach", "--all", "--by", "pod")
        )
        self.assertEqual("", error_of("attach", "--all", "--by", "process-name"))
