"""Tests of `syswatch diff` with real programs."""

import json
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import LOG, PATIENCE_S, SYSWATCH, need, running, wait_for
from tests.system.shell import run, shell

_EXTRA_CALL = """
import os
for _ in range({times}):
    os.getppid()
os.stat("/proc/self/cmdline")
"""


def diff(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `syswatch diff`."""
    return run([*SYSWATCH, "diff", *words], timeout=PATIENCE_S)


def changes_of(*words: str) -> dict[tuple[str, str, str, str], int]:
    """Return by how much each figure changed, by kind, name, call and figure."""
    found = json.loads(diff("--format", "json", *words).stdout)
    return {
        (each["Kind"], each["Name"], each["Call"], each["Figure"]): each["Difference"]
        for each in found["Changes"]
    }


class ProgramTests(SynchronousTestCase):
    """Runs of programs that differ in a known way."""

    def setUp(self) -> None:
        """Make a folder for recordings."""
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def record(self, name: str, *command: str) -> str:
        """Trace a command and return its recording."""
        recording = str(self.folder / name)
        words = [*SYSWATCH, "run", "-o", "/dev/null", "--record", recording, "--", *command]
        result = run(words, timeout=PATIENCE_S)
        self.assertEqual(0, result.returncode, result.stderr)
        return recording

    def test_git_config(self) -> None:
        """A changed configuration of git shows in what `git status` reads; else, nothing does."""
        need("git")
        repository = self.folder / "repository"
        git = ("git", "-C", str(repository))
        run(["git", "init", "-q", str(repository)])
        (repository / "file").write_text("text\n")
        # The first one writes the index.
        run([*git, "status"])
        before = self.record("before", *git, "status")
        again = self.record("again", *git, "status")
        run([*git, "config", "core.excludesFile", "/etc/nowhere.ignore"])
        after = self.record("after", *git, "status")

        same = diff(before, again)
        self.assertEqual((0, ""), (same.returncode, same.stderr), same.stdout)
        self.assertRegex(same.stdout, r"^No change: \d[\d,]+ numbers compared\n")
        changed = diff(before, after)
        self.assertEqual((1, ""), (changed.returncode, changed.stderr))
        self.assertIn("/etc/nowhere.ignore", changed.stdout)

    def test_extra_call(self) -> None:
        """One more call is found with a single run on each side, and mirrored backwards."""
        # With -I Python does not list the working directory, where other tests create files.
        python = (sys.executable, "-I", "-S", "-c")
        one, two = (
            self.record(str(times), *python, _EXTRA_CALL.format(times=times)) for times in (1, 2)
        )
        key = ("call", "getppid", "", "count")
        self.assertEqual(1, changes_of(one, two)[key])
        self.assertEqual(-1, changes_of(two, one)[key])
        self.assertEqual({key: 1}, changes_of("--only", "calls", one, two))
        first, *_ = diff("--only", "calls", one, two).stdout.splitlines()
        self.assertIn("getppid", first)


class SourceTests(SynchronousTestCase):
    """Sources of different kinds, and formats."""

    def setUp(self) -> None:
        """Make a recording and a summary of one log."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        self.recording, self.summary = str(folder / "a.rec"), str(folder / "a.json")
        run([*SYSWATCH, "stats", "--record", self.recording, "--tui", "never", str(LOG)])
        written = ("--format", "json", "-o", self.summary)
        run([*SYSWATCH, "stats", *written, str(LOG)])

    def test_same(self) -> None:
        """A log, a recording of it, its summary and a server that shows it are the same."""
        for source in (self.recording, self.summary):
            result = diff(str(LOG), source)
            self.assertEqual((0, ""), (result.returncode, result.stderr), result.stdout)
        with running([*SYSWATCH, "stats", "--serve", ":0", str(LOG)]) as server:
            wait_for(lambda: server.ask("/readyz")[0] == 200)
            wait_for(lambda: server.json("/api/status")["Done"])
            url = f"localhost:{server.port}"
            for sides in ((self.summary, url), (url, f"http://{url}"), (url, url)):
                result = diff(*sides)
                self.assertEqual((0, ""), (result.returncode, result.stderr), result.stdout)

    def test_token(self) -> None:
        """A server that requires a token is asked with it; without, the error says so."""
        words = ("stats", "--serve", ":0", "--http-token", "sesame", str(LOG))
        with running([*SYSWATCH, *words]) as server:
            bearer = {"Authorization": "Bearer sesame"}
            wait_for(lambda: server.ask("/readyz", bearer)[0] == 200)
            url = f"localhost:{server.port}"
            refused = diff(url, self.summary)
            self.assertEqual((2, ""), (refused.returncode, refused.stdout))
            self.assertEqual(
                f"syswatch: http://{url}/ requires a token (use --http-token TOKEN)\n",
                refused.stderr,
            )
            self.assertNotEqual(2, diff("--http-token", "sesame", url, self.summary).returncode)

    def test_standard_input(self) -> None:
        """A side can be standard input."""
        command = [*shell(f'< "{self.summary}"'), *SYSWATCH, "diff", str(LOG), "-"]
        result = run(command, timeout=PATIENCE_S)
        self.assertEqual((0, ""), (result.returncode, result.stderr), result.stdout)

    def test_several(self) -> None:
        """With several runs on a side, their order does not matter."""
        shorter = Path(self.mktemp())
        lines = LOG.read_text().splitlines(keepends=True)
        shorter.write_text("".join(lines[: len(lines) // 2]))
        one = diff("--format", "json", str(LOG), self.summary, "--", str(shorter))
        other = diff("--format", "json", self.summary, str(LOG), "--", str(shorter))
        self.assertEqual(1, one.returncode)
        found, mirrored = json.loads(one.stdout), json.loads(other.stdout)
        self.assertTrue(found["Changes"])
        ranked = [sorted(each["Changes"], key=json.dumps) for each in (found, mirrored)]
        self.assertEqual(*ranked)

    def test_unreadable(self) -> None:
        """An input that cannot be read is one sentence and status 2, with no output."""
        no_log = Path(self.mktemp())
        no_log.write_text("hello\n")
        for source, sentence in {
            "nowhere.rec": "nowhere.rec: no such file, recording or URL",
            str(no_log): f"no system calls in {no_log}: not a log of strace",
        }.items():
            result = diff(str(LOG), source)
            self.assertEqual((2, ""), (result.returncode, result.stdout))
            self.assertTrue(result.stderr.startswith(f"syswatch: {sentence}"), result.stderr)
            self.assertEqual(1, result.stderr.count("\n"))

    def test_formats(self) -> None:
        """Each format can be written to a file, which only its owner may read."""
        for name, beginning in {
            "text": "No change: ",
            "json": '{"Verdict":"No change: ',
            "markdown": "**No change: ",
            "junit": "<?xml ",
            "html": "<!doctype html>",
        }.items():
            output = Path(self.mktemp())
            result = diff("--format", name, "-o", str(output), str(LOG), str(LOG))
            self.assertEqual((0, "", ""), (result.returncode, result.stdout, result.stderr))
            self.assertTrue(output.read_text("utf-8").startswith(beginning))
            self.assertEqual(0o600, output.stat().st_mode & 0o777)

    def test_full_disk(self) -> None:
        """Output that cannot be written is an error, and not the answer that nothing changed."""
        result = diff("-o", "/dev/full", str(LOG), str(LOG))
        self.assertEqual(2, result.returncode)
        self.assertEqual("syswatch: /dev/full: No space left on device\n", result.stderr)
