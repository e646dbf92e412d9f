"""Tests of finding the budget."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.checking.finding import nearest_budget


class FindingTests(SynchronousTestCase):
    """The nearest budget upward."""

    def setUp(self) -> None:
        """Make a directory in a directory, both without a budget."""
        self.outer = Path(self.mktemp()).absolute()
        self.inner = self.outer / "a" / "b"
        self.inner.mkdir(parents=True)

    def write(self, folder: Path, name: str, text: str) -> Path:
        """Write a file."""
        (folder / name).write_text(text)
        return folder / name

    def test_nearest(self) -> None:
        """The nearest file is taken, and in one directory its own file first."""
        table = "[tool.syswatch.calls]\nread = 1\n"
        outer = self.write(self.outer, "syswatch.toml", "")
        self.assertEqual(outer, nearest_budget(self.inner))
        project = self.write(self.inner.parent, "pyproject.toml", table)
        self.assertEqual(project, nearest_budget(self.inner))
        own = self.write(self.inner.parent, "syswatch.toml", "")
        self.assertEqual(own, nearest_budget(self.inner))

    def test_other_projects(self) -> None:
        """A pyproject.toml without the table, or that cannot be read, is passed over."""
        outer = self.write(self.outer, "syswatch.toml", "")
        for text in ("", "[tool.ruff]\nx = 1", "[tool", "tool = 3"):
            self.write(self.inner, "pyproject.toml", text)
            self.assertEqual(outer, nearest_budget(self.inner))

    def test_mistake(self) -> None:
        """One that names the table is taken, so that its mistake is told."""
        self.write(self.outer, "syswatch.toml", "")
        for text in (
            "[tool.syswatch.calls]\nx = 1\nx = 2",
            "[tool.syswatch",
            "tool.syswatch = '\xff",
        ):
            (self.inner / "pyproject.toml").write_bytes(text.encode("latin-1"))
            self.assertEqual(self.inner / "pyproject.toml", nearest_budget(self.inner))

    def test_none(self) -> None:
        """Without one there is none."""
        found = nearest_budget(self.inner)
        self.assertFalse(found is not None and found.is_relative_to(self.outer))
