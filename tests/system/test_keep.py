"""Tests of `--keep`: a flight recorder as users type it."""

import http.client
import json
import os
import signal
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

from twisted.trial.unittest import SynchronousTestCase

from syswatch.recording import manifest
from syswatch.recording.read.opening import Recording
from syswatch.recording.segments import CALLS, numbers_in
from tests.system.servers import PATIENCE_S, PYTHON, SYSWATCH, Server, running, wait_for
from tests.system.shell import run
from tests.system.test_record import calls_in
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

# As many calls as possible; how long each part takes is unknown.
_MANY_CALLS = """
import os, sys
while not os.path.exists(sys.argv[1]):
    for number in range(20_000):
        os.lseek(0, number, 0)
"""
_LARGEST = 10 * 1000**2


class PtraceKeepTests(SynchronousTestCase):
    """A flight recorder with ptrace."""

    backend: ClassVar[str] = "ptrace"

    def setUp(self) -> None:
        """Skip the test if this backend does not work here; name a directory."""
        self.require()
        self.folder = Path(self.mktemp()).absolute()
        self.start = [*SYSWATCH, "run", "--backend", self.backend, "--tui", "never"]
        self.start += ["--record", str(self.folder)]
        self.words = [*self.start, "--keep", "1h"]

    def require(self) -> None:
        """Skip the test if this backend does not work here."""
        require_tracing()

    def endless(self) -> list[str]:
        """Return a program that makes calls until a file exists: at the latest after the test."""
        stop = self.folder.with_suffix(".stop")
        self.addCleanup(stop.touch)
        return [*PYTHON, _MANY_CALLS, str(stop)]

    def saves(self) -> list[Path]:
        """Return the saves."""
        folder = self.folder / "saves"
        return sorted(folder.iterdir()) if folder.exists() else []

    def saved(self) -> tuple[Path, str]:
        """Return the only save, and why it was made."""
        (save,) = self.saves()
        return save, manifest.read(save).saved_reason

    def test_exit_status(self) -> None:
        """A command that fails is saved with its end."""
        done = run([*self.words, "--", "sh", "-c", "exit 3"])
        self.assertEqual(3, done.returncode)
        save, _ = self.saved()
        self.assertIn(f"saved {save} (", done.stderr)
        line = rf"recording {self.folder}: .* from \S+ \S+ to \S+ \S+; 1 save, the newest one is "
        self.assertRegex(done.stderr, rf"{line}saves/{save.name} \(.*exited with 3\)\n")
        self.assertEqual(3, manifest.read(save).exit_code)
        names = [each["name"] for each in calls_in(save, "name")]
        self.assertIn("exit_group", names)
        self.assertEqual(names, [each["name"] for each in calls_in(self.folder, "name")])

    def test_whole_recordings(self) -> None:
        """A save can be summarized, queried and exported, and says what it is."""
        run([*self.words, "--", "sh", "-c", "exit 3"])
        save, _ = self.saved()
        calls = calls_in(save, "name", "duration")
        shown = run([*SYSWATCH, "stats", "--format", "json", str(save)])
        self.assertEqual(0, shown.returncode, shown.stderr)
        self.assertRegex(shown.stderr, r"saved by the flight recorder at \S+Z: .* with 3\n")
        sums = json.loads(shown.stdout)["Stats"]
        returned = sum(each["duration"] is not None for each in calls)
        self.assertEqual(returned, sum(row["Count"] for row in sums))
        queried = run([*SYSWATCH, "query", str(save), "SELECT count(*) FROM calls"])
        self.assertEqual(str(returned), queried.stdout.split()[-1])
        exported = run([*SYSWATCH, "export", str(save), "--to", "strace"])
        self.assertEqual(0, exported.returncode, exported.stderr)
        self.assertIn("exit_group(3)", exported.stdout)

    def test_success(self) -> None:
        """A command that succeeds is not saved, and what is kept is a recording."""
        done = run([*self.words, "--", "true"])
        self.assertEqual((0, []), (done.returncode, self.saves()))
        self.assertEqual(0, manifest.read(self.folder).exit_code)

    def test_signal(self) -> None:
        """A command that is killed is saved, and its signal is passed on."""
        done = run([*self.words, "--", "sh", "-c", "kill -SEGV $$"])
        self.assertEqual(-signal.SIGSEGV, done.returncode)
        save, reason = self.saved()
        self.assertIn("was killed by SIGSEGV", reason)
        self.assertTrue(save.name.endswith("Z-SIGSEGV"), save)
        self.assertEqual(signal.SIGSEGV, manifest.read(save).exit_signal)

    def test_errno(self) -> None:
        """An error is a reason to save, also if the command succeeds."""
        failing = ["sh", "-c", "cd /dev/null/x; :"]
        done = run([*self.words, "--save-on", "errno:ENOTDIR", "--", *failing])
        self.assertEqual(0, done.returncode, done.stderr)
        save, reason = self.saved()
        self.assertRegex(reason, r"^chdir of thread \d+ failed with ENOTDIR$")
        self.assertIn("ENOTDIR", [each["errno"] for each in calls_in(save, "errno")])
        self.assertEqual(0, manifest.read(save).exit_code)

    def test_slow(self) -> None:
        """A call that takes long is a reason, although it waits if it is named."""
        slower = ["--save-on", "slower:50ms,slower:100ms:clock_nanosleep"]
        done = run([*self.words, *slower, "--", "sleep", "0.2"])
        self.assertEqual(0, done.returncode, done.stderr)
        _, reason = self.saved()
        # A busy machine wakes it later.
        self.assertRegex(reason, r"^clock_nanosleep of thread \d+ took ([2-9]\d\d\S* ms|\S+ s)$")

    def test_alert(self) -> None:
        """An alert is a reason."""
        failing = [
            "sh",
            "-c",
            "for i in $(seq 50); do echo >/dev/full; done 2>/dev/null; exec sleep 600",
        ]
        words = [*self.words, "--save-on", "alert", "--serve", ":0", "--", *failing]
        with running(words) as server:
            server.read_until(r'saved \S+-alert \(.*alert "write .*ENOSPC')
            server.end()

    def test_requests(self) -> None:
        """SIGUSR1 and POST save while the command continues, which does not get the signal."""
        with running([*self.words, "--serve", ":0", "--keep-saves", "2", "sleep", "600"]) as server:
            wait_for(lambda: server.json("/api/status")["Total"])
            server.process.send_signal(signal.SIGUSR1)
            server.read_until(r"saved \S+-requested\S* \(SIGUSR1\)")
            first = self.saves()
            status, answer = _post(server)
            self.assertEqual(
                (200, "HTTP request", ""), (status, answer["Reason"], answer["Trouble"])
            )
            self.assertIn(Path(answer["Place"]), self.saves())
            self.assertEqual(2, len(self.saves()))
            _post(server)
            server.read_until(r"removed \S+, the oldest save")
            self.assertNotIn(first[0], self.saves())
            (recording,) = server.json("/api/status")["Recordings"]
            places = sorted(each["Place"] for each in recording["Saves"])
            self.assertEqual(list(map(str, self.saves())), places)
            self.assertFalse(server.json("/api/status")["Done"])
            calls = calls_in(Path(answer["Place"]), "name")
            self.assertIn("execve", [each["name"] for each in calls])
            server.end()

    def test_signal_to_all(self) -> None:
        """Other processes of syswatch ignore the signal that saves."""
        with running([*self.words, "--serve", ":0", "sleep", "600"]) as server:
            wait_for(lambda: server.json("/api/recording/lanes")["Calls"])
            for pid in [server.process.pid, *_own_children(server.process.pid)]:
                os.kill(pid, signal.SIGUSR1)
            server.read_until(r"saved \S+-requested")
            self.assertTrue(server.json("/api/recording/lanes")["Calls"])
            self.assertFalse(server.json("/api/status")["Done"])
            server.end()

    def test_all_killed(self) -> None:
        """If all of our processes are killed at once, what is kept opens, and so do all saves."""
        with running([*self.words, "--serve", ":0", *self.endless()]) as server:
            wait_for(lambda: server.json("/api/status")["Total"])
            for _ in range(3):
                _post(server)
            ours = [server.process.pid, *_own_children(server.process.pid)]
            for pid in ours:
                os.kill(pid, signal.SIGKILL)
            server.process.wait(PATIENCE_S)
            self.folder.with_suffix(".stop").touch()
        self.assertEqual(3, len(self.saves()))
        for folder in (self.folder, *self.saves()):
            recording = Recording.open(folder)
            self.assertTrue(recording.segments())
            self.assertEqual({}, recording.damaged)
            shown = run([*SYSWATCH, "stats", "--format", "json", str(folder)])
            self.assertEqual(int(folder == self.folder), shown.returncode, shown.stderr)
            self.assertTrue(json.loads(shown.stdout)["Stats"])


class EbpfKeepTests(PtraceKeepTests):
    """A flight recorder with eBPF."""

    backend: ClassVar[str] = "ebpf"

    def require(self) -> None:
        """Skip the test if eBPF does not work here."""
        require_ebpf()

    def segments(self) -> list[int]:
        """Return the numbers of the segments that are kept."""
        return numbers_in(self.folder, CALLS)

    def test_size(self) -> None:
        """The directory stays small however many calls there are."""
        words = [*self.start, "--keep", "10MB", "--serve", ":0", *self.endless()]
        with running(words) as server:
            wait_for(self.segments)
            # Not always 0: of the first calls, all may be missing.
            first = min(self.segments())
            # It is removed once there is too much.
            wait_for(lambda: min(self.segments(), default=0) > first)
            sizes = []
            for _ in range(5):
                newest = max(self.segments(), default=0)
                wait_for(lambda newest=newest: max(self.segments(), default=0) > newest)
                sizes.append(_disk_usage(self.folder))
            self.folder.with_suffix(".stop").touch()
            server.read_until("recording .* from .* to ")
            server.end()
        self.assertLess(max(sizes), _LARGEST)
        self.assertLess(_disk_usage(self.folder), _LARGEST)
        self.assertIsNotNone(manifest.read(self.folder).traced_since_ns)


class AccessTests(SynchronousTestCase):
    """Clients for which the server saves."""

    def test_access(self) -> None:
        """A request needs the token and must not come from another page."""
        require_tracing()
        folder, token = Path(self.mktemp()).absolute(), Path(self.mktemp())
        token.write_text("sesame\n")
        token.chmod(0o600)
        words = [*SYSWATCH, "run", "--backend", "ptrace", "--tui", "never", "--serve", ":0"]
        words += ["--record", str(folder), "--keep", "1h", "--http-token-file", str(token)]
        with running([*words, "sleep", "600"]) as server:
            known = {"Authorization": "Bearer sesame"}
            foreign = {**known, "Origin": "https://example.org"}
            self.assertEqual(401, _post(server)[0])
            self.assertEqual(403, _post(server, foreign)[0])
            self.assertFalse((folder / "saves").exists())
            status, answer = _post(server, known)
            self.assertEqual((200, ""), (status, answer["Trouble"]))
            self.assertTrue(Path(answer["Place"]).is_dir())
            server.end()


def _disk_usage(folder: Path) -> int:
    """Return what `du` says; files may be removed meanwhile."""
    told = subprocess.run(
        ["du", "-s", "-k", "--exclude=saves", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return int(told.stdout.split()[0]) * 1024


def _own_children(pid: int) -> list[int]:
    """Return the processes that a service has started, without the traced command."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [
        int(child)
        for child in children
        if b"syswatch." in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def _post(server: Server, headers: dict[str, str] | None = None) -> tuple[int, dict[str, Any]]:
    with closing(
        http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    ) as client:
        client.request("POST", "/api/recording/save", headers=headers or {})
        answer = client.getresponse()
        return answer.status, json.loads(answer.read())
