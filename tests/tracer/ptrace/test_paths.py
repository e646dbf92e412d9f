"""Tests that a path is never credited to what it led to before."""

import os
import sys
import tempfile
from pathlib import Path

from syswatch.model.activity import TRACKED_OBJECTS
from syswatch.model.objects import ObjectKind, other_object
from tests.tracer.contract.activity import total
from tests.unmeasured import unmeasured

from .case import PtraceCase

# Opens the same paths again and again, while they lead to other files.
_SCRIPT = """
import os, sys
def write(path, size, **where):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, **where)
    os.write(fd, bytes(size))
    os.close(fd)
folders = sys.argv[1:]
swapped = f"{folders[0]}/swapped"
for turn in range(3):
    for folder, size in zip(folders, (10, 1)):
        os.chdir(folder)
        write("by-cwd", size)
        os.stat("by-cwd")
        fd = os.open(folder, os.O_RDONLY)
        write("by-fd", size, dir_fd=fd)
        os.stat("by-fd", dir_fd=fd)
        os.close(fd)
        write(swapped, size)
        os.unlink(swapped)
        os.symlink(f"{folder}/real", swapped)
        write(swapped, size)
        os.unlink(swapped)
        nameless = os.open(folder, os.O_WRONLY | os.O_TMPFILE)
        os.write(nameless, bytes(size))
        os.close(nameless)
"""


class PathTests(PtraceCase):
    """Relative paths, links and directories."""

    def test_changes(self) -> None:
        """Files are told apart although directories, links and descriptors change."""
        with tempfile.TemporaryDirectory() as folder:
            names = [os.path.realpath(Path(folder) / name) for name in ("first", "second")]
            for name in names:
                Path(name).mkdir()
            delta = self.trace(sys.executable, "-S", "-c", _SCRIPT, *names, log_rate=0).delta
        for name, size in zip(names, (10, 1), strict=True):
            for file in ("by-cwd", "by-fd", "real"):
                path = f"{name}/{file}"
                rows = total(delta, lambda _, info, path=path: info.name == path)  # type: ignore[misc]
                self.assertEqual(3 * size, rows.bytes_out, path)
            of_folder = total(delta, lambda _, info, name=name: info.name == name)  # type: ignore[misc]
            self.assertEqual(0, of_folder.bytes_out, name)
        for path in (f"{name}/{file}" for name in names for file in ("by-cwd", "by-fd")):
            asked = total(
                delta,
                lambda key, info, path=path: "stat" in key.call and info.name == path,  # type: ignore[misc]
            )
            self.assertEqual(3, asked.count, path)
        swapped = total(delta, lambda _, info: info.name == f"{names[0]}/swapped")
        self.assertEqual(3 * (10 + 1), swapped.bytes_out)

    def test_untraced_changes(self) -> None:
        """So are they if the calls that change the directory are not traced."""
        script = """
import os, sys
for turn in range(100):
    for folder in sys.argv[1:]:
        os.chdir(folder)
        os.stat("file")
"""
        with tempfile.TemporaryDirectory() as folder:
            names = [os.path.realpath(Path(folder) / name) for name in ("first", "second")]
            for name in names:
                Path(name).mkdir()
                Path(name, "file").touch()
            command = (sys.executable, "-S", "-c", script, *names)
            delta = self.trace(*command, trace="%%stat", log_rate=0).delta
        for path in (f"{name}/file" for name in names):
            asked = total(delta, lambda _, info, path=path: info.name == path)  # type: ignore[misc]
            self.assertEqual(100, asked.count, path)

    def test_second_paths(self) -> None:
        """The second path of a call has a row, though the call is counted for the first one."""
        script = """
import os, sys
os.chdir(sys.argv[1])
fd = os.open(".", os.O_RDONLY)
for second, where in (("renamed", None), ("by-fd", fd)):
    try:
        os.rename("none", second, dst_dir_fd=where)
    except FileNotFoundError:
        pass
"""
        with tempfile.TemporaryDirectory() as name:
            folder = os.path.realpath(name)
            command = (sys.executable, "-S", "-c", script, folder)
            delta = self.trace(*command, log_rate=0).delta
        rows = [
            (delta.objects[key.object].name, sums.count)
            for key, sums in delta.activity.items()
            if key.call.startswith("rename")
        ]
        second = {name for name, count in rows if not count}
        self.assertEqual({f"{folder}/renamed", f"{folder}/by-fd"}, second)
        self.assertEqual(2, sum(count for _, count in rows))

    @unmeasured()
    def test_many(self) -> None:
        """Beyond the limit all paths are one object, except those that are known."""
        script = """
import os
for turn in range(2):
    for number in range(11_000):
        os.access(f"/none/{number}", os.F_OK)
with open("/etc/passwd"): pass
"""
        delta = self.trace(sys.executable, "-S", "-c", script, log_rate=0).delta
        first = total(delta, lambda _, info: info.name == "/none/0")
        self.assertEqual((2, 2), (first.count, first.errors))
        # Python looks up paths of its own, before and after.
        others = total(
            delta,
            lambda key, _: key.object == other_object(ObjectKind.PATH) and "access" in key.call,
        )
        named = total(delta, lambda _, info: info.name.startswith("/none/"))
        self.assertEqual(2 * 11_000, named.count + others.count)
        # One that was known at first counts once, though it may have had both its calls.
        self.assertGreaterEqual(2 * delta.ledger.untracked_objects, others.count)
        self.assertLessEqual(len(delta.objects), TRACKED_OBJECTS + len(ObjectKind))
