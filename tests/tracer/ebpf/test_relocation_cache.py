"""Tests of relocating the program for the kernel, and of the file with the result."""

import os
import stat
from pathlib import Path
from typing import Any

from syswatch.tracer.ebpf import relocation, relocation_cache
from syswatch.tracer.ebpf.libbpf import Libbpf
from syswatch.tracer.ebpf.relocated import Relocated, decoded, encoded

from .case import EbpfCase

_ANOTHER_USER = 65534


class CacheTests(EbpfCase):
    """The program is relocated once, and a file is only used if no other user can change it."""

    def setUp(self) -> None:
        """Use a directory of the test, and count how often the program is relocated."""
        super().setUp()
        self.top = Path(self.mktemp()).absolute()
        self.top.mkdir()
        self.patch(relocation_cache, "_OF_ROOT", self.top)
        self.folder = self.top / "syswatch"
        self.times = 0
        relocate = relocation.relocate
        self.relocated = relocate()

        def count() -> Relocated:
            self.times += 1
            return relocate()

        self.patch(relocation, "relocate", count)

    def file(self) -> Path:
        """Return the only file in the directory."""
        (file,) = self.folder.iterdir()
        return file

    def assert_cached(self) -> None:
        """Check that the file has the relocated program."""
        self.assertTrue(relocation_cache._read(self.file()) == self.relocated)

    def check(self) -> None:
        """Check that the calls of a process are counted."""
        self.assertEqual(2, self.watch("cd /; cd /").calls["chdir"].count)

    def test_again(self) -> None:
        """The second trace uses the file of the first."""
        self.check()
        self.assertEqual(1, self.times)
        self.assertEqual(0, stat.S_IMODE(self.folder.stat().st_mode) & 0o077)
        found, path = relocation_cache.find(Libbpf())
        self.assertEqual(self.file(), path)
        self.assertTrue(self.relocated == found)
        self.check()
        self.assertEqual(1, self.times)

    def test_encoded(self) -> None:
        """What is decoded is what was encoded."""
        self.assertTrue(self.relocated == decoded(encoded(self.relocated)))

    def test_damaged(self) -> None:
        """A damaged or empty file is replaced."""
        self.check()
        whole = self.file().read_bytes()
        for damaged in (b"", whole[:15], whole[:-1], whole[:-9] + b"x" + whole[-8:]):
            self.file().write_bytes(damaged)
            before = self.times
            self.check()
            self.assertEqual(before + 1, self.times)
            self.assert_cached()

    def test_refused(self) -> None:
        """If the kernel refuses what is cached, it is relocated again, and the file is replaced."""
        self.check()
        programs = dict(self.relocated.programs)
        programs["on_exit"] = programs["on_exit"]._replace(target=1)
        relocation_cache._write(self.file(), self.relocated._replace(programs=programs))
        self.check()
        self.assertEqual(2, self.times)
        self.assert_cached()

    def test_others(self) -> None:
        """What another user may have written is neither read nor replaced."""
        self.check()
        whole = self.file().read_bytes()
        for change, undo in (
            (lambda: self.folder.chmod(0o777), lambda: self.folder.chmod(0o700)),
            (lambda: self.chown(_ANOTHER_USER), lambda: self.chown(0)),
        ):
            change()
            before = self.times
            self.check()
            self.check()
            self.assertEqual(before + 2, self.times)
            undo()
            self.assertTrue(whole == self.file().read_bytes())
            self.check()
            self.assertEqual(before + 2, self.times)

    def test_writable(self) -> None:
        """A file that others may write to is replaced; none is made, whatever the umask is."""
        self.addCleanup(os.umask, os.umask(0))
        self.check()
        self.assertEqual(0o600, stat.S_IMODE(self.file().stat().st_mode))
        self.file().chmod(0o666)
        self.check()
        self.assertEqual(2, self.times)
        self.assertEqual(0o600, stat.S_IMODE(self.file().stat().st_mode))
        self.assert_cached()

    def test_other_version(self) -> None:
        """If the modules that know the layout change, it is relocated again, and checked."""
        self.check()
        first = self.file()
        self.patch(relocation_cache, "_MODULES_OF_FILE", ("*layout.py",))
        self.check()
        self.assertNotEqual(first, self.file())
        self.assertEqual(2, self.times)

    def test_directory_in_the_way(self) -> None:
        """What cannot be removed does not keep the file from being written."""
        (self.folder / "ebpf-directory").mkdir(parents=True, mode=0o700)
        self.check()
        self.check()
        self.assertEqual(1, self.times)

    def chown(self, user: int) -> None:
        """Give the directory to a user."""
        os.chown(self.folder, user, -1)

    def test_link(self) -> None:
        """A link is replaced, and what it points to stays as it is."""
        self.check()
        file, target = self.file(), self.top / "target"
        file.rename(target)
        file.symlink_to(target)
        whole = target.read_bytes()
        self.check()
        self.assertEqual(2, self.times)
        self.assertFalse(file.is_symlink())
        self.assertTrue(whole == target.read_bytes())
        self.assert_cached()

    def test_exchanged(self) -> None:
        """The directory that was checked is used, even if it is exchanged meanwhile."""
        self.check()
        file, other = self.file(), self.top / "other"
        other.mkdir(mode=0o700)
        relocation_cache._write(file, self.relocated._replace(programs={}))
        file.rename(other / file.name)
        relocation_cache._write(file, self.relocated)
        whole = (other / file.name).read_bytes()
        moved = self.top / "moved"
        fstat, stat_of = os.fstat, os.stat

        def exchange(info: os.stat_result) -> os.stat_result:
            if stat.S_ISDIR(info.st_mode) and not os.path.lexists(moved):
                self.folder.rename(moved)
                self.folder.symlink_to(other)
            return info

        def lstat(path: Any, *, follow_symlinks: bool = True) -> os.stat_result:
            info = stat_of(path, follow_symlinks=follow_symlinks)
            return info if follow_symlinks else exchange(info)

        # Each after the directory was looked at, by its descriptor or by its name.
        self.patch(os, "fstat", lambda descriptor: exchange(fstat(descriptor)))
        self.patch(os, "stat", lstat)
        self.assertTrue(relocation_cache._read(file) == self.relocated)
        self.folder.unlink()
        moved.rename(self.folder)
        relocation_cache._write(file, self.relocated)
        self.assertEqual([whole], [each.read_bytes() for each in other.iterdir()])

    def test_no_place(self) -> None:
        """Where no file can be written, a trace only begins later."""
        self.folder.write_text("not a directory")
        self.check()
        self.check()
        self.assertEqual((2, "not a directory"), (self.times, self.folder.read_text()))

    def test_other_kernel(self) -> None:
        """For another kernel or other modules, it is relocated again, and the file is replaced."""
        self.check()
        first = self.file()
        build = self.top / "notes"
        build.write_bytes(b"another build")
        self.patch(relocation_cache, "_BUILD", build)
        self.check()
        second = self.file()
        modules = self.top / "modules"
        modules.mkdir()
        (modules / "unix").touch()
        self.patch(relocation_cache, "_MODULES", modules)
        self.check()
        self.assertEqual(3, len({first, second, self.file()}))
        self.assertEqual(3, self.times)
        self.patch(relocation_cache, "_BUILD", self.top / "missing")
        self.check()
        self.assertEqual(4, self.times)

    def test_place(self) -> None:
        """Root has a directory in /run; others have theirs if the session manager made one."""
        libbpf = Libbpf()
        path = relocation_cache._path(libbpf)
        assert path is not None
        self.assertEqual(self.folder, path.parent)
        self.patch(os, "geteuid", lambda: 1000)
        for given, expected in (("/run/user/1000", "/run/user/1000/syswatch"), ("relative", None)):
            self.patch(os, "environ", {"XDG_RUNTIME_DIR": given})
            path = relocation_cache._path(libbpf)
            self.assertEqual(expected, path and str(path.parent))
        self.patch(os, "environ", {})
        self.assertIsNone(relocation_cache._path(libbpf))
