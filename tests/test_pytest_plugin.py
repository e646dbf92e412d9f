"""Tests of the pytest plugin: pytest runs as users run it, in a process of its own."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from twisted.trial.unittest import SkipTest, TestCase

from tests.system.servers import PATIENCE_S
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing

# Other plugins of this environment are left out, and this one is there if it is not installed.
_PYTEST = (sys.executable, "-m", "pytest", "-p", "syswatch.pytest_plugin", "-q")
_LIMITS = """
import os, signal, unittest
import pytest

@pytest.mark.syscalls(max={"all": 0})
def test_empty():
    pass

@pytest.mark.syscalls(max={"all": 0})
class TestUnit(unittest.TestCase):
    def test_empty(self):
        pass

@pytest.mark.syscalls(max={"getppid": 3}, forbid=["connect", "%net"])
def test_within():
    for _ in range(3):
        os.getppid()

@pytest.mark.syscalls(max={"getppid": 3})
def test_too_many():
    for _ in range(7):
        os.getppid()

@pytest.mark.syscalls(forbid_paths=["**/secret.txt"])
class TestPaths:
    def test_forbidden(self, tmp_path):
        (tmp_path / "secret.txt").write_text("x")

    @pytest.mark.syscalls(forbid=["write"])
    def test_both(self, capfd):
        os.write(1, b"hello")

@pytest.mark.syscalls(max_errors={"openat.ENOENT": 1}, max_bytes_out="4 B", max_waiting="1 h")
def test_errors_and_bytes(tmp_path):
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            open(tmp_path / "gone")
    file = os.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT)
    os.write(file, b"12345")

@pytest.mark.syscalls(max_waiting="1 us")
def test_waiting():
    signal.sigtimedwait([signal.SIGUSR1], 0.01)

@pytest.mark.syscalls(forbid="all", allow=["getppid"])
def test_allowed():
    os.getppid()

@pytest.mark.syscalls(max={"opneat": 3})
def test_mistyped():
    pass

@pytest.mark.syscalls(maximum={})
def test_unknown():
    pass

@pytest.mark.syscalls(forbid=["write"])
def test_fails_itself():
    os.write(1, b"x")
    assert not "the error of the test"
"""
_FIXTURE = """
import os, sys

def test_run(syscalls):
    done = syscalls.run(["sh", "-c", "echo hello; exit 3"], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("hello\\n", 3)
    assert done.calls["execve"] == 1

def test_watch(syscalls):
    with syscalls.watch() as seen:
        os.getppid()
    assert dict(seen.calls) == {"getppid": 1}
    syscalls.check(seen, max={"getppid": 1}, forbid=["%net"])

def test_check(syscalls):
    with syscalls.watch() as seen:
        os.getppid()
    syscalls.check(seen, forbid=["getppid"])
"""
_BASELINE = """
import os
import pytest

@pytest.mark.syscalls(baseline=True)
@pytest.mark.parametrize("name", ["a", "b/c"])
def test_file(name, tmp_path):
    (tmp_path / "x").write_text("x")
    if "MORE" in os.environ:
        for _ in range(2):
            open(tmp_path / "x").close()
    if name == "a":
        os.getppid()

def test_part(syscalls):
    with syscalls.watch() as seen:
        os.getppid()
    syscalls.check_baseline(seen, "part")
"""
# Names of tests that differ only in where the name of a class ends, and one that is too long.
_NAMES = """
import os
import pytest

class TestA:
    class TestB:
        @pytest.mark.syscalls(baseline=True)
        def test_it(self):
            os.getppid()

class TestA_TestB:
    @pytest.mark.syscalls(baseline=True)
    def test_it(self):
        os.getuid()

class TestC:
    @pytest.mark.syscalls(baseline=True)
    @pytest.mark.parametrize("name", ["x" * 300, "x" * 299])
    def test_long(self, name):
        os.getgid()
"""
# In a test, the watcher is killed.
_KILLED = """
import os, signal
import pytest

def kill_watcher():
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline") as file:
                words = file.read().split("\\0")
        except OSError:  # It has ended meanwhile.
            continue
        if words[1:2] == ["-I"] and "watching.watcher" in words[3] and words[4] == str(os.getpid()):
            os.kill(int(name), signal.SIGKILL)

@pytest.mark.syscalls(max=10_000)
def test_marker():
    kill_watcher()

def test_fixture(syscalls):
    with syscalls.watch():
        kill_watcher()

@pytest.mark.syscalls(max=1)
def test_next():
    os.getppid()
"""
_NO_RIGHTS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
_MANY = """
import os
import pytest

@pytest.mark.syscalls(max={"all": 50}, baseline=True)
@pytest.mark.parametrize("count", range(12))
def test_count(count):
    for _ in range(count + 1):
        os.getppid()
"""


class PytestCase(TestCase):
    """Runs pytest in a directory of its own."""

    def setUp(self) -> None:
        """Skip the test if nothing can be traced."""
        require_tracing()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def pytest(
        self, script: str, *words: str, before: Sequence[str] = (), **variables: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run pytest on a script."""
        (self.folder / "test_it.py").write_text(script)
        return subprocess.run(
            [*before, *_PYTEST, "--rootdir=.", *words],
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def assert_ended(
        self, done: "subprocess.CompletedProcess[str]", passed: int, failed: int = 0
    ) -> None:
        """Check how many tests passed and failed."""
        found = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", _last(done))}
        self.assertEqual(
            (passed, failed), (found.get("passed", 0), found.get("failed", 0)), done.stdout
        )
        self.assertEqual("", done.stderr)


def _last(done: "subprocess.CompletedProcess[str]") -> str:
    return done.stdout.strip().rpartition("\n")[2]


class MarkerTests(PytestCase):
    """The marker."""

    def test_limits(self) -> None:
        """The first line says what was exceeded and where; the error of a test comes first."""
        done = self.pytest(_LIMITS)
        self.assert_ended(done, 4, 8)
        for text in (
            "7 calls of getppid, 4 more than the 3 allowed (test_it.py::test_too_many)\n",
            "secret.txt was used, which is forbidden (**/secret.txt) (test_it.py::TestPaths::",
            "2 ENOENT errors of openat, 1 more than the 1 allowed",
            "5 B written, 1 B more than the 4 B allowed",
            " waiting, 10",
            "call write was used, which is forbidden (test_it.py::TestPaths::test_both)\n",
            "syscalls: max.opneat: unknown system call 'opneat'; did you mean openat",
            "syscalls: got an unexpected keyword argument 'maximum'",
            "the error of the test",
        ):
            self.assertIn(text, done.stdout)
        self.assertNotIn("test_fails_itself)", done.stdout)

    def test_fixture(self) -> None:
        """Commands and blocks, also with other options of pytest."""
        for words in ((), ("--capture=no", "-p", "no:cacheprovider", "--syscalls-backend=ptrace")):
            done = self.pytest(_FIXTURE, *words)
            self.assert_ended(done, 2, 1)
            told = "call getppid was used, which is forbidden (test_it.py::test_check)\n"
            self.assertIn(told, done.stdout)

    def test_baseline(self) -> None:
        """A baseline is written on request only, and each change is found."""
        done = self.pytest(_BASELINE)
        self.assert_ended(done, 0, 3)
        self.assertIn("there is no baseline ", done.stdout)
        self.assert_ended(self.pytest(_BASELINE, "--syscalls-update"), 3)
        files = sorted((self.folder / "__syscalls__" / "test_it").iterdir())
        self.assertEqual(3, len(files))
        texts = [file.read_text("utf-8") for file in files]
        self.assertEqual("test_file[a].toml", files[0].name)
        self.assertIn("\ngetppid = 1\n", texts[0])
        self.assertIn('[paths]\n"‹tmp›/', texts[0])
        self.assertIn("\n[calls]\ngetppid = 1\n", texts[2])
        self.assert_ended(self.pytest(_BASELINE), 3)
        done = self.pytest(_BASELINE, MORE="1")
        self.assert_ended(done, 1, 2)
        self.assertIn("if that is intended: pytest --syscalls-update", done.stdout)
        self.assert_ended(self.pytest(_BASELINE, "--syscalls-update"), 3)
        self.assertEqual(texts, [file.read_text("utf-8") for file in files])

    def test_baseline_names(self) -> None:
        """Each test has a file of its own, with a name that file systems accept."""
        self.assert_ended(self.pytest(_NAMES, "--syscalls-update"), 4)
        folder = self.folder / "__syscalls__" / "test_it"
        self.assertEqual(4, len(list(folder.iterdir())))
        self.assert_ended(self.pytest(_NAMES), 4)
        for file in folder.iterdir():
            file.write_text("damaged", "utf-8")
        done = self.pytest(_NAMES)
        self.assert_ended(done, 0, 4)
        self.assertEqual(4, done.stdout.count("\nsyscalls: /"), done.stdout)
        self.assertNotIn("Error", done.stdout)
        shutil.rmtree(folder)
        folder.write_text("not a directory")
        done = self.pytest(_NAMES, "--syscalls-update")
        self.assert_ended(done, 0, 4)
        self.assertIn("__syscalls__/test_it", done.stdout)
        self.assertNotIn("Traceback", done.stdout)
        self.assertNotIn("Error", done.stdout)

    def test_killed(self) -> None:
        """A test whose calls are not known fails with one sentence; the next one is watched."""
        done = self.pytest(_KILLED)
        self.assert_ended(done, 1, 2)
        for name in ("test_marker", "test_fixture"):
            self.assertRegex(
                done.stdout, rf"_ {name} _+\nsyscalls: the watcher ended unexp\w+\n[_=]"
            )

    def test_xdist(self) -> None:
        """Tests in several processes are watched independently."""
        words = ("-p", "xdist", "-n", "4")
        self.assert_ended(self.pytest(_MANY, "--syscalls-update", *words), 12)
        done = self.pytest(_MANY, *words)
        self.assert_ended(done, 12)
        for count in range(12):
            file = self.folder / "__syscalls__" / "test_it" / f"test_count[{count}].toml"
            self.assertIn(f"\n[calls]\ngetppid = {count + 1}\n", file.read_text("utf-8"))


class RightsTests(PytestCase):
    """Machines on which nothing may be traced."""

    def setUp(self) -> None:
        """Skip the test unless there are capabilities to drop."""
        super().setUp()
        if os.geteuid() or shutil.which("setpriv") is None:
            raise SkipTest("only root, with setpriv, can give up capabilities")
        self.refused = (*_NO_RIGHTS, program("refused"), "ptrace")

    def test_skip(self) -> None:
        """Tests are skipped, and the reason is printed without being asked for."""
        done = self.pytest(_FIXTURE, before=self.refused)
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertIn("3 skipped", done.stdout)
        self.assertRegex(done.stdout, r"syscalls: \d tests? skipped: cannot trace ")
        self.assertIn("a seccomp filter refuses ptrace", done.stdout)

    def test_error(self) -> None:
        """With the option, they fail."""
        (self.folder / "pytest.ini").write_text("[pytest]\nsyscalls_without_rights = error\n")
        self.assert_ended(self.pytest(_FIXTURE, before=self.refused), 0, 3)

    def test_invalid(self) -> None:
        """Other values of the option are refused."""
        (self.folder / "pytest.ini").write_text("[pytest]\nsyscalls_without_rights = never\n")
        done = self.pytest(_FIXTURE)
        self.assertEqual(4, done.returncode)
        self.assertIn("syscalls_without_rights: 'never' is not one of skip, error", done.stderr)


class ImportTests(TestCase):
    """What the plugin costs where it is not used."""

    def test_light(self) -> None:
        """Loading it loads nothing else of syswatch, and no package that pytest does not load."""
        code = (
            "import sys, pytest; before = set(sys.modules); import syswatch.pytest_plugin;"
            "print(*sorted(set(sys.modules) - before))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        self.assertEqual({"syswatch", "syswatch.pytest_plugin"}, set(done.stdout.split()))
