"""Tests of servers that compare what they show with earlier runs."""

import os
import signal
import subprocess
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.recording import samples
from tests.recording.samples import BEGUN_NS
from tests.system.servers import LOG, PATIENCE_S, SYSWATCH, children, running, wait_for
from tests.system.shell import run

# A call that is made as often in each run.
_LINE = b"4242 1700000000.000001 getppid() = 1 <0.000010>\n"
_BEGUN_MS = BEGUN_NS // 1_000_000


class BaselineTests(SynchronousTestCase):
    """Logs, recordings and commands that are compared."""

    def test_running(self) -> None:
        """What is missing is no change while a log is read, and is one at its end."""
        baseline = Path(self.mktemp())
        baseline.write_bytes(_LINE * 3)
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        os.write(writing, _LINE)
        command = [*SYSWATCH, "stats", "--serve", ":0", "--baseline", str(baseline), "-"]
        with running(command, stdin=reading) as server:
            wait_for(lambda: server.json("/api/status")["Total"] == 1)
            found = server.json("/api/diff")
            self.assertEqual((True, False), (found["Running"], found["Changed"]))
            os.close(writing)
            wait_for(lambda: server.json("/api/status")["Done"])
            found = server.json("/api/diff")
            self.assertEqual((False, True), (found["Running"], found["Changed"]))
            self.assertIn("3 → 1", found["Verdict"])

    def test_replay(self) -> None:
        """A recording is compared with another one, and so is a range of it."""
        recording = str(samples.write(Path(self.mktemp())))
        command = [*SYSWATCH, "replay", "--serve", ":0", "--baseline", recording, recording]
        with running(command) as server:
            wait_for(lambda: server.json("/api/status")["Done"])
            self.assertFalse(server.json("/api/diff")["Changed"])
            found = server.json(f"/api/diff?from={_BEGUN_MS + 1000}&to={_BEGUN_MS + 2000}")
            self.assertEqual((True, False), (found["Part"], found["Changed"]))

    def test_unreadable(self) -> None:
        """A command is not started if a baseline cannot be read."""
        bad, made = (Path(self.mktemp()).absolute() for _ in range(2))
        bad.write_text("hello\n")
        words = ["run", "--serve", ":0", "--baseline", str(LOG), "--baseline", str(bad)]
        result = run([*SYSWATCH, *words, "touch", str(made)], timeout=PATIENCE_S)
        self.assertEqual(2, result.returncode)
        self.assertRegex(result.stderr, rf"^syswatch: no system calls in {bad}: .*\n$")
        self.assertFalse(made.exists())

    def test_interrupted(self) -> None:
        """A signal ends it while it reads, with all processes."""
        pipe, made = (Path(self.mktemp()).absolute() for _ in range(2))
        # Nothing writes to it.
        os.mkfifo(pipe)
        words = ["run", "--serve", ":0", "--baseline", str(pipe), "touch", str(made)]
        process = subprocess.Popen([*SYSWATCH, *words])
        self.addCleanup(process.kill)
        # One reads, and the other is the tracer.
        found = wait_for(lambda: len(there := children(process.pid)) > 1 and there)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(-signal.SIGTERM, process.wait(PATIENCE_S))
        for pid in found:
            wait_for(lambda pid=pid: not Path(f"/proc/{pid}").exists())
        self.assertFalse(made.exists())
