"""Tests of the program as it is fitted to the kernel, and of the file that keeps it."""

import os
import stat
from pathlib import Path

from syswatch.tracer.ebpf import fitting, kept
from syswatch.tracer.ebpf.fitted import Fitted, decoded, encoded
from syswatch.tracer.ebpf.libbpf import Libbpf
from tests.tracer.contract.targets import Target

from .case import EbpfCase

_ANOTHER_USER = 65534


class KeptTests(EbpfCase):
    """The program is fitted once, and what is kept is only used if nobody else can change it."""

    def setUp(self) -> None:
        """Keep it in a directory of the test, and count how often it is fitted."""
        super().setUp()
        self.top = Path(self.mktemp()).absolute()
        self.top.mkdir()
        self.patch(kept, "_OF_ROOT", self.top)
        self.folder = self.top / "syswatch"
        self.fits = 0
        fit = fitting.fit
        self.fitted = fit()

        def count() -> Fitted:
            self.fits += 1
            return fit()

        self.patch(kept, "fit", count)

    def file(self) -> Path:
        """Return the only file that is kept."""
        (file,) = self.folder.iterdir()
        return file

    def assert_kept(self) -> None:
        """Check that the file has the program as it fits this kernel."""
        self.assertTrue(kept._read(self.file()) == self.fitted)

    def check(self) -> None:
        """Check that the calls of a process are counted."""
        target = Target.begin("sh", "-c", "echo ready; read line; cd /; cd /; exit 42")
        self.addCleanup(target.process.communicate)
        trace = self.prepare(log_rate=0)
        self.addCleanup(trace.reader.close)
        trace.following.take(target.pid, 0)
        trace.following.begin()
        self.assertEqual(42, target.end())
        self.assertEqual(2, trace.reader.read(everything=True).calls["chdir"].count)

    def test_again(self) -> None:
        """The second trace takes what the first has kept, which is the same."""
        self.check()
        self.assertEqual(1, self.fits)
        self.assertEqual(0, stat.S_IMODE(self.folder.stat().st_mode) & 0o077)
        found, path = kept.find(Libbpf())
        self.assertEqual(self.file(), path)
        self.assertTrue(self.fitted == found)
        self.check()
        self.assertEqual(1, self.fits)

    def test_encoded(self) -> None:
        """What is decoded is what was encoded."""
        self.assertTrue(self.fitted == decoded(encoded(self.fitted)))

    def test_damaged(self) -> None:
        """A damaged or empty file is replaced."""
        self.check()
        whole = self.file().read_bytes()
        for damaged in (b"", whole[:15], whole[:-1], whole[:-9] + b"x" + whole[-8:]):
            self.file().write_bytes(damaged)
            before = self.fits
            self.check()
            self.assertEqual(before + 1, self.fits)
            self.assert_kept()

    def test_refused(self) -> None:
        """If the kernel refuses what is kept, it is fitted again, and the file is replaced."""
        self.check()
        programs = dict(self.fitted.programs)
        programs["on_exit"] = programs["on_exit"]._replace(target=1)
        kept._write(self.file(), self.fitted._replace(programs=programs))
        self.check()
        self.assertEqual(2, self.fits)
        self.assert_kept()

    def test_others(self) -> None:
        """What another user may have written is neither read nor replaced."""
        self.check()
        whole = self.file().read_bytes()
        for change, undo in (
            (lambda: self.folder.chmod(0o777), lambda: self.folder.chmod(0o700)),
            (lambda: self.chown(_ANOTHER_USER), lambda: self.chown(0)),
        ):
            change()
            before = self.fits
            self.check()
            self.check()
            self.assertEqual(before + 2, self.fits)
            undo()
            self.assertTrue(whole == self.file().read_bytes())
            self.check()
            self.assertEqual(before + 2, self.fits)

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
        self.assertEqual(2, self.fits)
        self.assertFalse(file.is_symlink())
        self.assertTrue(whole == target.read_bytes())
        self.assert_kept()

    def test_no_place(self) -> None:
        """Where no file can be written, a trace only begins later."""
        self.folder.write_text("not a directory")
        self.check()
        self.check()
        self.assertEqual((2, "not a directory"), (self.fits, self.folder.read_text()))

    def test_other_kernel(self) -> None:
        """For another kernel or other modules, it is fitted again, and only that is kept."""
        self.check()
        first = self.file()
        build = self.top / "notes"
        build.write_bytes(b"another build")
        self.patch(kept, "_BUILD", build)
        self.check()
        second = self.file()
        modules = self.top / "modules"
        modules.mkdir()
        (modules / "unix").touch()
        self.patch(kept, "_MODULES", modules)
        self.check()
        self.assertEqual(3, len({first, second, self.file()}))
        self.assertEqual(3, self.fits)
        self.patch(kept, "_BUILD", self.top / "missing")
        self.check()
        self.assertEqual(4, self.fits)

    def test_place(self) -> None:
        """Root has a directory in /run; others have theirs if the session manager made one."""
        libbpf = Libbpf()
        path = kept._path(libbpf)
        assert path is not None
        self.assertEqual(self.folder, path.parent)
        self.patch(os, "geteuid", lambda: 1000)
        for given, expected in (("/run/user/1000", "/run/user/1000/syswatch"), ("relative", None)):
            self.patch(os, "environ", {"XDG_RUNTIME_DIR": given})
            path = kept._path(libbpf)
            self.assertEqual(expected, path and str(path.parent))
        self.patch(os, "environ", {})
        self.assertIsNone(kept._path(libbpf))
