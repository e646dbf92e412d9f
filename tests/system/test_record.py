"""Tests of `--record` as users type it: what is on the disk, and that the target never notices."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import backend_verdict
from syswatch.model.backends import EBPF
from syswatch.model.times import SECOND_NS
from syswatch.recording import manifest, segments
from syswatch.recording.extra import load
from tests.system.servers import PYTHON, SYSWATCH, running, wait_for
from tests.system.shell import run

_NO_SPACE = os.strerror(28)
_MAKES_CALLS = "import os\nfor _ in range(20000): os.getppid()\n"


def calls_in(folder: Path, *columns: str) -> list[dict[str, Any]]:
    """Return the recorded calls."""
    parquet = load("pyarrow.parquet")
    return [
        row
        for number in segments.numbers_in(folder, segments.CALLS)
        for row in parquet.read_table(
            folder / segments.CALLS / segments.name_of(number), columns=list(columns)
        ).to_pylist()
    ]


class RecordTests(SynchronousTestCase):
    """Traces with eBPF."""

    def setUp(self) -> None:
        """Name a directory."""
        verdict = backend_verdict(EBPF, read_facts())
        if not verdict.usable:
            raise SkipTest(f"eBPF is not usable here: {verdict.why}")
        self.folder = Path(self.mktemp()).absolute()
        self.flags = ("--backend", "ebpf", "--tui", "never", "--record", str(self.folder))

    def test_counts(self) -> None:
        """Every call that the summary counts is there, and the ending is that of the command."""
        summary = self.mktemp()
        flags = (*self.flags, "--format", "json", "--output", summary)
        result = run([*SYSWATCH, "run", *flags, *PYTHON, _MAKES_CALLS + "raise SystemExit(3)"])
        self.assertEqual(3, result.returncode, result.stderr)
        counted = json.loads(Path(summary).read_text())
        calls = calls_in(self.folder, "name", "errno", "duration")
        (recorded,) = counted["Status"]["Recordings"]
        returned = sum(each["duration"] is not None for each in calls)
        self.assertEqual((0, returned), (recorded["Lost"], recorded["Calls"]))
        self.assertEqual(len(calls), returned + recorded["Unfinished"])
        for row in counted["Stats"]:
            those = [each for each in calls if each["name"] == row["Name"]]
            ended = [each for each in those if each["duration"] is not None]
            errors = sum(each["errno"] is not None for each in ended)
            self.assertEqual((row["Count"], row["Errors"]), (len(ended), errors), row["Name"])
        about = manifest.read(self.folder)
        self.assertEqual(("ebpf", 3, None), (about.backend, about.exit_code, about.exit_signal))
        text = (
            f"syswatch: recording {self.folder}: {returned:,} calls and 1 that has not returned, "
        )
        self.assertIn(text, result.stderr)

    def test_no_arguments(self) -> None:
        """With `--no-args`, no argument reaches the disk, neither raw nor as text."""
        run([*SYSWATCH, "run", *self.flags, "--no-args", "--", "true"])
        found = calls_in(self.folder, "args", "a0", "a5")
        self.assertTrue(found)
        self.assertEqual(
            [], [row for row in found if any(each is not None for each in row.values())]
        )

    def test_private(self) -> None:
        """Only the owner may read any of it."""
        run([*SYSWATCH, "run", *self.flags, "--", "true"])
        for each in (self.folder, *self.folder.rglob("*")):
            self.assertEqual(0, each.stat().st_mode & 0o077, each)

    def test_pipes(self) -> None:
        """The command inherits none of the pipes."""
        listed = ["sh", "-c", "for each in /proc/self/fd/*; do readlink $each; done; true"]
        expected = run([*listed])
        result = run([*SYSWATCH, "run", *self.flags, *listed])
        self.assertEqual(expected.stdout.count("\n"), result.stdout.count("\n"), result.stdout)

    def test_not_started(self) -> None:
        """If there is nothing to trace, nothing is left."""
        result = run([*SYSWATCH, "run", *self.flags, "no-such-command"])
        self.assertEqual(127, result.returncode)
        self.assertFalse(self.folder.exists())

    def test_full_disk(self) -> None:
        """A full disk ends the recording with a sentence; the command runs to its end."""
        self.folder.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(self.folder)]
        if os.geteuid() or (tried := run(mount)).returncode:
            raise SkipTest(
                "only root can mount a small file system" if os.geteuid() else tried.stderr
            )
        self.addCleanup(subprocess.run, ["umount", str(self.folder)], check=True)
        program = f"{_MAKES_CALLS}print('whole')"
        done = run([*SYSWATCH, "run", *self.flags, *PYTHON, program])
        self.assertEqual((1, "whole\n"), (done.returncode, done.stdout), done.stderr)
        self.assertIn(f"has stopped: {_NO_SPACE}; what was written before", done.stderr)
        self.assertEqual("ebpf", manifest.read(self.folder).backend)

    def test_live_range(self) -> None:
        """While the trace runs, a range has exactly its recorded calls, and what is in progress."""
        program = f"{_MAKES_CALLS}import time; time.sleep(600)"
        command = [*SYSWATCH, "run", "--serve", ":0", *self.flags, *PYTHON, program]
        with running(command) as server:
            wait_for(lambda: calls_in(self.folder, "name"))
            path = "/api/dashboard?with=threads&from=1"

            def found() -> dict[str, Any] | None:
                board = server.json(path)
                (thread,) = board["Threads"]["Threads"] if "ExactRange" in board else [{}]
                is_asleep = thread.get("Blocked", 0) > SECOND_NS
                return board if is_asleep else None

            board = wait_for(found)
            counts = {row["Name"]: row["Count"] for row in board["Stats"]}
            self.assertEqual(20000, counts["getppid"])
            self.assertIn("not recorded yet", board["Time"]["Note"])
            self.assertGreater(board["Time"]["Unrecorded"], 0)
            server.end()

    def test_read_while_made(self) -> None:
        """A recording is only called cut short when its recorder has been killed."""
        commands = (["stats", str(self.folder)], ["query", str(self.folder), "SUMMARIZE calls"])
        with running([*SYSWATCH, "run", "--serve", ":0", *self.flags, "sleep", "60"]) as server:
            wait_for(lambda: calls_in(self.folder, "name"))
            for command in commands:
                found = run([*SYSWATCH, *command])
                self.assertEqual(0, found.returncode, found.stderr)
                self.assertIn("the recording is still being made; this is", found.stderr)
                self.assertNotIn("cut short", found.stdout + found.stderr)
            os.kill(_recorder_of(server.process.pid), signal.SIGKILL)
            wait_for(lambda: server.json("/api/status")["Recordings"][0]["Trouble"])
            for command in commands:
                self.assertIn("the recording is cut short", run([*SYSWATCH, *command]).stderr)
            server.end()

    def test_recorder_killed(self) -> None:
        """If the recorder is killed, the trace continues, and the status says that it failed."""
        with running([*SYSWATCH, "run", "--serve", ":0", *self.flags, "sleep", "60"]) as server:
            wait_for(lambda: server.json("/api/status")["Total"])
            os.kill(_recorder_of(server.process.pid), signal.SIGKILL)
            wait_for(lambda: server.json("/api/status")["Recordings"][0]["Trouble"])
            status = server.json("/api/status")
            self.assertFalse(status["Done"])
            self.assertIn("killed by signal 9", status["Recordings"][0]["Text"])
            server.end()
        manifest.read(self.folder)


def _recorder_of(pid: int) -> int:
    """Return the PID of the recorder that a service has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    (recorder,) = (
        child
        for child in children
        if b"syswatch.recording.write" in Path(f"/proc/{child}/cmdline").read_bytes()
    )
    return int(recorder)
