"""Tests of what may vary because a signal ends processes, and of what may not."""

from collections.abc import Mapping

from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.changes import changes
from syswatch.comparison.of_delta import run_of_delta
from syswatch.comparison.run import Run
from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.process import ProcessTally

_FILE = 1000
_COMMS = {1: "sh", 2: "sort", 3: "seq", 4: "helper"}
_PARENTS = {2: 1, 3: 1, 4: 2}
Calls = Mapping[tuple[int, str], int]


def _run(killed: int, calls: Calls, comms: Mapping[int, str] = _COMMS) -> Run:
    """Return a run in which a signal has ended so many processes called sort, and some calls."""
    tallies: dict[str, CallTally] = {}
    for (_, call), count in calls.items():
        tallies[call] = tallies.get(call, CallTally()) + CallTally(count=count)
    processes = {
        pid: ProcessTally(_PARENTS.get(pid, 0), comm, ending="exited with 0", lives=1)
        for pid, comm in comms.items()
    }
    for pid in range(100, 100 + killed):
        processes[pid] = ProcessTally(1, "sort", ending="killed by SIGPIPE", lives=1)
    objects = {_FILE: ObjectInfo(ObjectKind.FILE, "/etc/hosts")}
    activity = {
        ActivityKey(pid, pid, _FILE if call == "openat" else 0, call): Sums(count)
        for (pid, call), count in calls.items()
    }
    return run_of_delta(
        Delta(calls=tallies, processes=processes, activity=activity, objects=objects), "run"
    )


class CutOffTests(SynchronousTestCase):
    """Processes of one program are killed, in the run after more of them than in any before."""

    def _found(self, before: Calls, after: Calls, **options: Mapping[int, str]) -> list[str]:
        runs = [_run(killed, before, **options) for killed in (1, 3, 1)]
        found = changes(runs, [_run(4, after, **options)]).findings
        return [each.text for each in found if "SIGPIPE" not in each.text]

    def test_others(self) -> None:
        """A call or an open more of a program that was not killed is a change."""
        for pid in (1, 3):
            found = self._found({(pid, "getppid"): 4}, {(pid, "getppid"): 5})
            self.assertEqual(["+1 call of getppid: 4 → 5"], found)
            found = self._found({(pid, "openat"): 1}, {(pid, "openat"): 2})
            self.assertEqual(["+1 openat of /etc/hosts: 1 → 2"], found)

    def test_killed(self) -> None:
        """One of that program, or of what it starts, may be due to the signal."""
        for pid in (2, 4):
            for call in ("getppid", "openat"):
                self.assertEqual([], self._found({(pid, call): 4}, {(pid, call): 5}))

    def test_both(self) -> None:
        """So may one if the program makes such calls in any of the runs, or may have made it."""
        both = {(1, "getppid"): 2, (2, "getppid"): 2}
        self.assertEqual([], self._found(both, {(1, "getppid"): 5}))
        self.assertEqual([], self._found({(0, "getppid"): 4}, {(0, "getppid"): 5}))

    def test_unknown(self) -> None:
        """So may each if all processes have one name, or one is not known."""
        for comms in ({1: "sort", 2: "sort"}, {1: "", 2: "sort"}):
            found = self._found({(1, "getppid"): 4}, {(1, "getppid"): 5}, comms=comms)
            self.assertEqual([], found)
