"""Tests of the filters in the announcement."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.base.redaction import Redactor
from syswatch.model.messages import TraceOptions
from syswatch.tracer.announcement import active_filters


class FilterTests(SynchronousTestCase):
    """The options that leave calls out."""

    def said(self, *patterns: str, **options: object) -> str:
        """Return the filters of some options."""
        return active_filters(TraceOptions(**options), Redactor(patterns))  # type: ignore[arg-type]

    def test_everything(self) -> None:
        """Options that leave nothing out are not announced."""
        self.assertEqual("", self.said(per_process=True, read_arguments=False, string_limit=7))

    def test_all_flags(self) -> None:
        """Each filter is announced as on the command line."""
        self.assertEqual(
            "-e %file --status failed -P /a -P /b --no-children",
            self.said(trace="%file", status="failed", paths=("/a", "/b"), follow_children=False),
        )

    def test_inert(self) -> None:
        """Control characters are escaped, and secrets are masked."""
        said = self.said("hunter2", paths=("/home/hunter2/\x1b[31m",))
        self.assertEqual("-P /home/[redacted]/\\x1b[31m", said)
