"""Tests of grouping paths by directory."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.directories import by_directory


class DirectoryTests(SynchronousTestCase):
    """Few groups for many paths."""

    def test_few(self) -> None:
        """A few directories are kept as they are."""
        paths = ["/etc/hosts", "/etc/passwd", "/usr/lib/a.so", "relative"]
        groups = {directory: list(items) for directory, items in by_directory(paths, str)}
        self.assertEqual({"/etc": paths[:2], "/usr/lib": paths[2:3], "": paths[3:]}, groups)

    def test_many(self) -> None:
        """Many become those above them, the deepest ones first, and no path is lost."""
        paths = [f"/usr/lib/app/part{n}/sub/file" for n in range(20)] + ["/etc/app/conf"]
        groups = dict(by_directory(paths, str))
        self.assertEqual({"/usr/lib/app", "/etc/app"}, set(groups))
        self.assertEqual(sorted(paths), sorted(path for each in groups.values() for path in each))

    def test_roots(self) -> None:
        """However many there are, it ends."""
        paths = [f"/d{n}/f" for n in range(20)] + [f"r{n}/f" for n in range(20)]
        groups = dict(by_directory(paths, str))
        self.assertEqual({"/", ""}, set(groups))
