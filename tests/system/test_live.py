"""Tests of what is served of a running program whose calls are known."""

import json
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.system.known import GETPPIDS, OPENED, OPENS, RMDIRS, STATUS, Known
from tests.system.servers import PATIENCE_S, SYSWATCH, Server, running, wait_for


class LiveTests(SynchronousTestCase):
    """All numbers of all endpoints, while the program runs and after its end."""

    def setUp(self) -> None:
        """Create the program."""
        self.program = Known(self)

    def test_run(self) -> None:
        """A command is traced from start to end, and its exit status is passed on."""
        with running([*SYSWATCH, "run", "--serve", ":0", "--", *self.program.command]) as server:
            self.check(server)
            self.assertEqual(STATUS, server.end())
        self.assertNotIn(b"Traceback", server.output)

    def test_attach(self) -> None:
        """A process is traced from the attach until its end."""
        pid = self.program.start()
        with running([*SYSWATCH, "attach", "--serve", ":0", str(pid)]) as server:
            wait_for(lambda: server.ask("/readyz")[0] == 200)
            self.assertEqual(pid, server.json("/api/status")["Proc"]["PID"])
            self.check(server)
            self.assertEqual(STATUS, server.end())
        self.assertNotIn(b"Traceback", server.output)

    def check(self, server: Server) -> None:
        """Compare the numbers with the program's calls, in two rounds."""
        with server.stream() as stream:
            self.program.round()
            self.check_round(server, stream, 1)
            self.assertFalse(server.json("/api/status")["Done"])
            self.program.round()
            self.check_round(server, stream, 2)
            self.program.end()
            wait_for(lambda: server.json("/api/status")["Done"])
            self.check_round(server, stream, 2)
            # The numbers no longer change.
            before = server.json("/api/status")
            stream.recv(PATIENCE_S)
            stream.recv(PATIENCE_S)
            self.assertEqual(before, server.json("/api/status"))
            self.assertEqual(0, before["Rate"])

    def check_round(self, server: Server, stream: Any, rounds: int) -> None:
        """Check all endpoints after a number of rounds."""
        known = {
            "getppid": (rounds * GETPPIDS, 0, "PROC"),
            "rmdir": (rounds * RMDIRS, rounds * RMDIRS, "FS"),
        }
        wait_for(lambda: _calls(server.json("/api/stats")).items() >= known.items())
        while not _calls(json.loads(stream.recv(PATIENCE_S))).items() >= known.items():
            pass
        detail = server.json("/api/syscall/rmdir")
        self.assertEqual({"ENOENT": rounds * RMDIRS}, detail["ErrorBreakdown"])
        self.assertEqual(rounds * RMDIRS, sum(each["count"] for each in detail["Histogram"]))
        # With eBPF, log entries arrive once a second.
        wait_for(lambda: server.json("/api/syscall/rmdir").get("RecentErrors"))
        [*_, newest] = server.json("/api/syscall/rmdir")["RecentErrors"]
        self.assertEqual('"/nonexistent/folder"', newest["Args"])
        opened = {"path": OPENED, "count": rounds * OPENS, "failed": 0}
        wait_for(lambda: opened in server.json("/api/files"))
        self.check_sums(server)
        self.check_metrics(server, known)

    def check_sums(self, server: Server) -> None:
        """Check that the sums agree within an answer, and soon between answers."""

        def agree() -> bool:
            whole = server.json("/api/dashboard")
            by_category = server.json("/api/categories").values()
            calls = sum(each["Count"] for each in whole["Stats"])
            self.assertEqual(len(whole["Stats"]), whole["Status"]["Unique"])
            self.assertEqual(calls, whole["Status"]["Total"])
            errors = sum(each["Errors"] for each in whole["Stats"])
            self.assertEqual(errors, whole["Status"]["Errors"])
            summed = [(each["Count"], each["Errs"]) for each in by_category]
            return (calls, errors) == tuple(map(sum, zip(*summed, strict=True)))

        wait_for(agree)

    def check_metrics(self, server: Server, known: dict[str, tuple[int, int, str]]) -> None:
        """Check that the Prometheus counters agree."""
        lines = server.ask("/metrics")[1].decode().splitlines()
        for name, (count, errors, category) in known.items():
            labels = f'{{category="{category}",syscall="{name}"}}'
            self.assertIn(f"syswatch_syscall_calls_total{labels} {float(count)}", lines)
            self.assertIn(f"syswatch_syscall_errors_total{labels} {float(errors)}", lines)
            self.assertIn(f"syswatch_syscall_latency_seconds_count{labels} {float(count)}", lines)


def _calls(stats: list[dict[str, Any]]) -> dict[str, tuple[int, int, str]]:
    return {each["Name"]: (each["Count"], each["Errors"], each["Category"]) for each in stats}
