"""`syswatch check` as users type it, with real programs."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree as ET

from twisted.trial.unittest import SynchronousTestCase

from tests.recording import samples
from tests.system.servers import LOG, PATIENCE_S, ROOT, SYSWATCH, Program, running, wait_for
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

_CONNECTS = """
import socket
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
try:
    socket.create_connection(("127.0.0.1", port))
except ConnectionRefusedError:
    pass
"""
_THREADS = """
from threading import Thread
threads = [Thread(target=print) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
"""
_PYTHON = (sys.executable, "-S", "-E", "-c")


class CheckCase(SynchronousTestCase):
    """Runs `syswatch check` in a directory of its own."""

    def setUp(self) -> None:
        """Make the directory; skip the test if tracing is not allowed."""
        require_tracing()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def check(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run it; no variable of a CI system of these tests is passed on."""
        inherited = {name: v for name, v in os.environ.items() if not name.startswith("GITHUB_")}
        return subprocess.run(
            [*SYSWATCH, "check", *words],
            cwd=self.folder,
            env={"PYTHONPATH": str(ROOT), **inherited, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def budget(self, text: str) -> None:
        """Write the budget."""
        (self.folder / "syswatch.toml").write_text(text)

    def result(self, *words: str) -> tuple[int, str]:
        """Return the exit status and the first line of the result."""
        ended = self.check("--output", "result", *words)
        return ended.returncode, (self.folder / "result").read_text().splitlines()[0]


class Backends:
    """What is the same with any backend; a mixin, so that it is run by its subclasses only."""

    backend = ""
    commands: ClassVar = {
        "shell": ("sh", "-c", "ls -l / >list; sort list | wc -l"),
        "python": (*_PYTHON, "import json, subprocess; subprocess.run(['true'])"),
        "network": (*_PYTHON, _CONNECTS),
        "threads": (*_PYTHON, _THREADS),
    }

    def traced(self: Any, *words: str) -> subprocess.CompletedProcess[str]:
        """Check a command with the backend."""
        ended: subprocess.CompletedProcess[str] = self.check("--backend", self.backend, *words)
        return ended

    def test_within(self: Any) -> None:
        """The same command is within the budget that was written from it."""
        for name, command in self.commands.items():
            made = self.traced("--write", "--runs", "2", "--force", "--", *command)
            self.assertEqual(0, made.returncode, f"{name}: {made.stderr}")
            self.assertIn("wrote syswatch.toml from 2 runs of ", made.stderr)
            checked = self.traced("--", *command)
            self.assertEqual(0, checked.returncode, f"{name}: {checked.stderr}")
            self.assertIn("Within the budget: ", checked.stderr)

    def test_exceeded(self: Any) -> None:
        """What exceeds the budget is named with its call, peer and process."""
        self.budget('[forbidden]\npeers = "127.0.0.0/8"\nprograms = "curl"\n[errors]\ntotal = 999')
        ended = self.traced("--", *_PYTHON, _CONNECTS)
        self.assertEqual(1, ended.returncode, ended.stderr)
        self.assertRegex(ended.stderr, r"Budget exceeded: peer 127\.0\.0\.1:\d+ was used")
        self.assertRegex(ended.stderr, r"calls:\n +1  connect\n  processes:\n +1  python")

    def test_programs(self: Any) -> None:
        """A program that is executed is found by its name and its path."""
        path = str(Path(shutil.which("true") or "").parent)
        for pattern in ("true", f"{path}/*"):
            self.budget(f'[forbidden]\nprograms = "{pattern}"')
            ended = self.traced("--", "sh", "-c", "env true")
            self.assertEqual(1, ended.returncode, pattern)
            self.assertRegex(ended.stderr, "Budget exceeded: program .* used, which is forbidden")


class PtraceTests(Backends, CheckCase):
    """Commands that are traced by ptrace."""

    backend = "ptrace"


class EbpfTests(Backends, CheckCase):
    """Commands that are traced by eBPF."""

    backend = "ebpf"

    def setUp(self) -> None:
        """Skip the test if eBPF is not allowed."""
        require_ebpf()
        super().setUp()


class WritingTests(CheckCase):
    """First budgets."""

    def test_failed(self) -> None:
        """Nothing is written if the command fails, or would be replaced."""
        failed = self.check("--write", "--", "false")
        self.assertEqual(3, failed.returncode)
        self.assertIn("no budget was written: the command failed: it exited with 1", failed.stderr)
        self.assertEqual([], list(self.folder.iterdir()))
        self.budget("mine")
        self.assertEqual(2, self.check("--write", "--", "true").returncode)
        self.assertEqual("mine", (self.folder / "syswatch.toml").read_text())


class CommandTests(CheckCase):
    """Commands and their budgets."""

    def test_output(self) -> None:
        """The command's output and input are its own; the result is on stderr."""
        self.budget("[calls]\ntotal = 100_000")
        ended = self.check("--", "sh", "-c", "echo out; echo err >&2")
        self.assertEqual((0, "out\n"), (ended.returncode, ended.stdout))
        self.assertIn("err\n", ended.stderr)
        self.assertIn("Within the budget: 1 limit; nearest to its limit: ", ended.stderr)

    def test_failures(self) -> None:
        """The command's own failure is told apart, a signal as well."""
        self.budget("[calls]\ntotal = 100_000")
        self.assertEqual(
            (3, "Within the budget, but the command failed: it exited with 7"),
            self.result("--", "sh", "-c", "exit 7"),
        )
        self.assertEqual(
            (3, "Within the budget, but the command failed: it was killed by SIGKILL"),
            self.result("--", "sh", "-c", "kill -KILL $$"),
        )
        self.budget("[calls]\ntotal = 1")
        status, line = self.result("--", "sh", "-c", "exit 7")
        self.assertEqual(1, status)
        self.assertIn("; and the command failed: it exited with 7", line)

    def test_without_children(self) -> None:
        """What the check itself leaves out is not missing."""
        self.budget("[calls]\ntotal = 100_000\nchdir = 1")
        script = "cd /; sh -c 'cd /tmp; cd /'; true"
        self.assertEqual(1, self.result("--", "sh", "-c", script)[0])
        self.assertEqual(0, self.result("--no-children", "--", "sh", "-c", script)[0])

    def test_overwritten(self) -> None:
        """No result is written over the budget that was found, or over a baseline."""
        text = '[nothing-new]\nsince = ["old.log"]'
        self.budget(text)
        (self.folder / "old.log").write_text("getppid() = 1\n")
        for option, file in (
            ("-o", "syswatch.toml"),
            ("--junit", "./syswatch.toml"),
            ("--markdown", "old.log"),
        ):
            ended = self.check(option, file, "--", "touch", "started")
            self.assertEqual(2, ended.returncode)
            self.assertIn(f"{option}: {file} is an input and would be overwritten", ended.stderr)
        self.assertEqual(text, (self.folder / "syswatch.toml").read_text().strip())
        self.assertFalse((self.folder / "started").exists())

    def test_not_started(self) -> None:
        """A command that does not exist, and a budget with a mistake, are status 2."""
        self.budget("[calls]\ntotal = 100_000")
        ended = self.check("--", "no-such-command")
        self.assertEqual(2, ended.returncode)
        self.assertIn("no-such-command: command not found", ended.stderr)
        self.budget("[calls]\nopnat = 1")
        ended = self.check("--", "touch", "started")
        self.assertEqual(2, ended.returncode)
        self.assertEqual(
            "syswatch: syswatch.toml:2: calls.opnat: unknown system call 'opnat';"
            " did you mean openat or openat2 or open?\n",
            ended.stderr,
        )
        self.budget('[nothing-new]\nsince = "missing.json"')
        self.assertEqual(2, self.check("--", "touch", "started").returncode)
        self.assertFalse((self.folder / "started").exists())

    def test_signal(self) -> None:
        """A signal to syswatch is meant for the command, whose end is checked."""
        self.budget("[calls]\ntotal = 100_000")
        script = "trap 'exit 5' TERM; echo ready >&2; while :; do sleep 0.1; done"
        words = [*SYSWATCH, "check", "--budget", f"{self.folder}/syswatch.toml"]
        process = subprocess.Popen(
            [*words, "--", "sh", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        program = Program(process)
        program.read_until("ready")
        self.assertEqual(3, program.end(signal.SIGTERM))
        self.assertIn(b"but the command failed: it exited with 5", program.output)

    def test_nothing_new(self) -> None:
        """A run is compared with a summary of another one."""
        self.budget('[nothing-new]\nsince = "base.json"')
        flags = ("--format", "json", "--output", str(self.folder / "base.json"))
        subprocess.run([*SYSWATCH, "run", *flags, "cat", "/etc/passwd"], check=True,
                       capture_output=True, timeout=PATIENCE_S)  # fmt: skip
        self.assertEqual(
            (0, "Within the budget: nothing is new"), self.result("cat", "/etc/passwd")
        )
        status, line = self.result("cat", "/etc/passwd", "/etc/group")
        self.assertEqual(1, status)
        self.assertEqual("Budget exceeded: 1 new path, such as /etc/group", line)


class SourceTests(CheckCase):
    """Runs that exist."""

    def test_log(self) -> None:
        """A log of strace is checked."""
        self.budget('[calls]\ntotal = 100_000\n[forbidden]\ncalls = "clone"')
        ended = self.check("--recording", str(LOG))
        self.assertEqual("Budget exceeded", ended.stdout.partition(":")[0], ended.stderr)
        self.assertEqual(1, ended.returncode)
        missing = self.check("--recording", "missing")
        self.assertEqual(2, missing.returncode)
        self.assertEqual("syswatch: missing: no such file, recording or URL\n", missing.stderr)

    def test_recording(self) -> None:
        """A recording of every call tells which process exceeds the budget."""
        self.budget('[forbidden]\npaths = "/etc/passwd"')
        kept = self.check("--record", "kept", "--", "cat", "/etc/passwd")
        self.assertEqual(1, kept.returncode, kept.stderr)
        ended = self.check("--recording", "kept")
        self.assertEqual(1, ended.returncode, ended.stderr)
        self.assertRegex(ended.stdout, r"path /etc/passwd was used[^$]*processes:\n +\d+  cat \(")

    def test_written(self) -> None:
        """A budget that is written from an incomplete recording says so, and how to check it."""
        folder = samples.write(self.folder / "kept", end=None)
        made = self.check("--write", "--recording", str(folder))
        self.assertEqual(0, made.returncode, made.stderr)
        self.assertIn("syswatch: the limits may be too low: the trace is incomplete\n", made.stderr)
        first, *_ = (self.folder / "syswatch.toml").read_text().splitlines()
        self.assertEqual(f"# Checked by: syswatch check --recording {folder}", first)

    def test_url(self) -> None:
        """A server is checked, as far as its trace has come."""
        self.budget("[calls]\nopenat2 = 0\ntotal = 100_000")
        with running([*SYSWATCH, "run", "--serve", ":0", "true"]) as server:
            wait_for(lambda: server.json("/api/status")["Done"])
            ended = self.check("--url", f"localhost:{server.port}")
            self.assertEqual(0, ended.returncode, ended.stderr + ended.stdout)
            self.assertEqual(0, server.end())


class CITests(CheckCase):
    """What CI systems read."""

    def test_files(self) -> None:
        """Several formats are written at once."""
        self.budget("[calls]\ntotal = 1")
        flags = ("--format", "json", "-o", "r.json", "--junit", "r.xml", "--markdown", "r.md")
        self.assertEqual(1, self.check(*flags, "--", "true").returncode)
        found = json.loads((self.folder / "r.json").read_text())
        self.assertEqual("exceeded", found["Findings"][0]["Verdict"])
        suites = ET.parse(self.folder / "r.xml").getroot()  # noqa: S314
        self.assertEqual(("2", "1"), (suites.get("tests"), suites.get("failures")))
        self.assertIn("❌", (self.folder / "r.md").read_text())

    def test_github(self) -> None:
        """A job of GitHub gets annotations on stderr, and a summary."""
        self.budget("[calls]\n\ntotal = 1")
        summary = self.folder / "summary"
        ended = self.check(
            "--",
            "true",
            GITHUB_ACTIONS="true",
            GITHUB_WORKSPACE=str(self.folder.parent),
            GITHUB_STEP_SUMMARY=str(summary),
        )
        self.assertEqual((1, ""), (ended.returncode, ended.stdout))
        place = f"file={self.folder.name}/syswatch.toml,line=3,title=syswatch%3A calls.total"
        self.assertIn(f"::error {place}::", ended.stderr)
        self.assertIn("### syswatch check\n\n**Budget exceeded", summary.read_text())
