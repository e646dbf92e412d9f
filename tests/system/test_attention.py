"""Tests that a response is exact although no client looked before."""

import json
import os
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S, ROOT, SYSWATCH, Server, running, wait_for
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.programs import program

# A response may be a second old, and a tracer rests after two seconds at most.
_ROUNDS = 6
# Python imports this when it starts: then the tracer rests until it is asked.
_PATIENT = """
from syswatch.tracer.ebpf import pace

pace.REST_NS = 1 << 60
"""


class AttentionTests(SynchronousTestCase):
    """A program with many threads, which costs much to look at."""

    def setUp(self) -> None:
        """Start the program."""
        require_ebpf()
        self.process = subprocess.Popen(
            [program("crowd")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for clean_up in (self.process.stdout.close, self.process.wait, self.process.kill):  # type: ignore[union-attr]
            self.addCleanup(clean_up)
        self.rounds = 0
        self.round()

    def round(self) -> None:
        """Let the main thread make 100 calls that fail."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        self.assertEqual("done\n", self.process.stdout.readline())
        self.rounds += 1

    def test_details(self) -> None:
        """Responses and the stream have what was just done, and the end has everything."""
        with self.serving() as server:
            wait_for(lambda: server.ask("/readyz")[0] == 200)
            self.rounds = 0
            for _ in range(_ROUNDS):
                self.round()
                wait_for(lambda: self.failures(server) == 100 * self.rounds)
            with server.stream() as stream:
                self.round()
                wait_for(lambda: _failures(json.loads(stream.recv(PATIENCE_S))) == self.made)
                wait_for(lambda: self.failures(server) == self.made)
            assert self.process.stdin is not None
            self.process.stdin.close()
            wait_for(lambda: server.json("/api/status")["Done"])
            self.assertEqual(self.made, self.failures(server))
            total = sum(each["Count"] for each in server.json("/api/stats"))
            self.assertEqual(total, sum(each["Calls"] for each in self.threads(server)))

    def serving(self) -> AbstractContextManager[Server]:
        """Serve the program, by a tracer that rests until it is asked."""
        folder = Path(self.mktemp())
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(_PATIENT)
        paths = os.pathsep.join((str(folder.absolute()), str(ROOT)))
        command = (*SYSWATCH, "attach", "--backend", "ebpf", "--serve", ":0", str(self.process.pid))
        return running(command, {"PYTHONPATH": paths})

    @property
    def made(self) -> int:
        """How many calls failed."""
        return 100 * self.rounds

    def failures(self, server: Server) -> int:
        """Return how many calls of the main thread failed."""
        pid = self.process.pid
        return sum(each["Errors"] for each in self.threads(server) if each["TID"] == pid)

    def threads(self, server: Server) -> list[dict[str, int]]:
        """Return the table of threads."""
        rows: list[dict[str, int]] = server.json("/api/threads?limit=1000")["Threads"]
        return rows


def _failures(stats: list[dict[str, object]]) -> object:
    return next((each["Errors"] for each in stats if each["Name"] == "rmdir"), 0)
