"""Tests of servers that show the profile that a real program needs."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.times import SECOND_NS
from tests.system.servers import (
    LOG,
    PYTHON,
    SYSWATCH,
    TWISTD,
    Program,
    Server,
    need,
    running,
    wait_for,
)
from tests.tracer.contract.accounting import await_read
from tests.tracer.strace import require_tracing

_STARTED = re.compile(r"^(?:\d+ +)?(\d+)\.(\d{6}) (\w+)\(", re.MULTILINE)
_WAITS = "import os; os.getpgid(0); os.read(0, 1); os.getsid(0); os.read(0, 1)"
_LIVE = ("run", "--profile", "--backend", "ptrace", "--tui", "never", "--serve", ":0")


def rows(server: Server) -> list[dict[str, Any]]:
    """Return the evidence of a server."""
    found: list[dict[str, Any]] = server.json("/api/profile?format=json")["Evidence"]
    return found


def firsts(evidence: list[dict[str, Any]]) -> dict[str, int]:
    """Return when each call was first made."""
    found: dict[str, int] = {}
    for row in evidence:
        found[row["Call"]] = min(row["FirstNs"], found.get(row["Call"], row["FirstNs"]))
    return found


class LiveTests(SynchronousTestCase):
    """Programs that are traced with ptrace."""

    def setUp(self) -> None:
        """Skip the tests where nothing can be traced."""
        super().setUp()
        require_tracing()

    def test_grows(self) -> None:
        """What a program does later is in its profile at once; at the end, all is counted."""
        folder = Path(self.mktemp()).absolute()
        command = [*SYSWATCH, *_LIVE, "--record", str(folder), *PYTHON, _WAITS]
        with running(command, stdin=subprocess.PIPE) as server:
            wait_for(lambda: self.has(server, "getpgid"))
            before = server.json("/api/profile/summary")
            self.assertEqual([], before["Notes"])
            self.assertRegex(before["Verdict"], r"^\d+ system calls needed so far; nothing new")
            self.assertFalse(self.has(server, "getsid"))
            self.type(server)
            wait_for(lambda: self.has(server, "getsid"))
            after = server.json("/api/profile/summary")
            self.assertEqual(before["Calls"] + 1, after["Calls"])
            self.assertRegex(
                after["Newest"], r"^Last new: getsid \(any arguments\), made by python"
            )
            self.assertGreater(after["After"], before["After"])
            self.type(server)
            wait_for(lambda: server.json("/api/status")["Done"])
            counted = {row["Name"]: row["Count"] for row in server.json("/api/stats")}
            evidence = rows(server)
            sums: dict[str, int] = {}
            for row in evidence:
                sums[row["Call"]] = sums.get(row["Call"], 0) + row["Count"]
            # It did not return.
            self.assertEqual({**counted, "exit_group": 1}, sums)
            self.assertEqual("execve", min(firsts(evidence).items(), key=lambda each: each[1])[0])
        with running([*SYSWATCH, "replay", "--serve", ":0", str(folder)]) as server:
            wait_for(lambda: server.json("/api/status")["Done"])
            self.assertEqual(evidence, rows(server))

    def has(self, server: Server, call: str) -> bool:
        """Return whether a call is in the evidence."""
        status, body = server.ask("/api/profile?format=json")
        self.assertEqual(200, status, body)
        return any(row["Call"] == call for row in json.loads(body).get("Evidence", ()))

    def type(self, server: Program) -> None:
        """Let the program continue."""
        assert server.process.stdin is not None
        server.process.stdin.write(b"\n")
        server.process.stdin.flush()

    def test_same_as_command(self) -> None:
        """The broadest profile, and the files in it, are those of `syswatch profile`."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        script = "ls / > kept; cat kept; exec sleep 60"
        with running([*SYSWATCH, *_LIVE, "sh", "-c", script], cwd=str(folder)) as server:
            wait_for(lambda: self.has(server, "clock_nanosleep"))
            url = f"http://127.0.0.1:{server.port}"
            for form in ("json", "systemd"):
                served = server.ask(f"/api/profile?format={form}&level=broad")[1]
                asked = [*SYSWATCH, "profile", "--broad", "--format", form, url]
                ended = subprocess.run(asked, capture_output=True, check=True)
                self.assertEqual(served, ended.stdout, form)
            self.assertIn(f'ReadWritePaths="-{folder}/kept"'.encode(), served)
            self.assertRegex(
                server.ask("/api/profile?level=broad")[1], rb"likely: \S*/cat imports \w+\(\)"
            )
            (folder / "none.json").write_text('{"defaultAction": "SCMP_ACT_ERRNO"}')
            checking = [*SYSWATCH, "profile", "check", str(folder / "none.json"), url]
            checked = subprocess.run(checking, capture_output=True, text=True, check=False)
            self.assertRegex(checked.stdout, rf"once by process \d+ \(cat\) on {folder}/kept\n")
            self.assertRegex(checked.stdout, r"\n    such as openat\(AT_FDCWD, ")

    def test_attached(self) -> None:
        """The start of a program that was attached to is missing, and the profile says so."""
        with subprocess.Popen([*PYTHON, _WAITS], stdin=subprocess.PIPE) as child:
            self.addCleanup(child.wait)
            await_read(child.pid)
            command = [*SYSWATCH, "attach", *_LIVE[1:], str(child.pid)]
            with running(command) as server:
                wait_for(lambda: server.ask("/readyz")[0] == 200)
                assert child.stdin is not None
                child.stdin.write(b"\n")
                child.stdin.flush()
                wait_for(lambda: self.has(server, "getsid"))
                (note,) = server.json("/api/profile/summary")["Notes"]
                self.assertIn("The start of the program was not traced", note)
            child.stdin.close()

    def test_daemon(self) -> None:
        """A daemon serves it, too."""
        command = [*TWISTD, "--nodaemon", "--pidfile=", "syswatch", *_LIVE, "sleep", "60"]
        folder = self.mktemp()
        Path(folder).mkdir()
        with running(command, cwd=folder) as server:
            wait_for(lambda: self.has(server, "execve"))
            self.assertIn(b"SystemCallFilter=", server.ask("/api/profile?format=systemd")[1])


class LogTests(SynchronousTestCase):
    """Logs of strace."""

    def test_first_seen(self) -> None:
        """Each call is first seen when the log has it first, to the microsecond."""
        need("strace")
        log = Path(self.mktemp()).absolute()
        script = ("sh", "-c", "ls / | sort > /dev/null; sleep 0.1; cat /dev/null")
        subprocess.run(["strace", "-f", "-ttt", "-o", str(log), *script], check=True)
        expected: dict[str, int] = {}
        for seconds, micros, call in _STARTED.findall(log.read_text()):
            expected.setdefault(call, int(seconds) * SECOND_NS + int(micros) * 1000)
        command = [*SYSWATCH, "stats", "--profile", "--serve", ":0", str(log)]
        with running(command) as server:
            wait_for(lambda: server.json("/api/status")["Done"])
            self.assertEqual(expected, firsts(rows(server)))
            last = max(expected.values()) - min(expected.values())
            self.assertEqual(last, server.json("/api/profile/summary?level=exact")["After"])

    def test_without(self) -> None:
        """Without the option, the answer names it, and the dashboard has no tab for it."""
        with running([*SYSWATCH, "stats", "--serve", ":0", str(LOG)]) as server:
            status, body = server.ask("/api/profile")
            self.assertEqual((404, "no_evidence"), (status, json.loads(body)["error"]))
            self.assertIn("--profile", json.loads(body)["message"])
            self.assertNotIn("Profile", server.json("/api/dashboard"))
