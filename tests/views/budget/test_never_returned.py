"""Tests of the waits that lasted until the trace ended."""

import attrs
from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta
from syswatch.model.objects import NO_OBJECT
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.views.budget.scope import never_returned
from tests.strategies import costly_deltas

from .worlds import S, snapshot_of


class NeverReturnedTests(SynchronousTestCase):
    """What the times of threads have more than the calls that returned."""

    @given(costly_deltas)
    def test_all_returned(self, delta: Delta) -> None:
        """If the calls that have returned explain all times of the threads, none is left over."""
        waiting: dict[int, dict[Wait, int]] = {}
        for key, sums in delta.activity.items():
            of_thread = waiting.setdefault(key.tid, {})
            wait = Wait(key.object, key.call)
            of_thread[wait] = of_thread.get(wait, 0) + sums.waiting_ns
        threads = {
            tid: ThreadTally(1, "app", ThreadTimes(waiting=each)) for tid, each in waiting.items()
        }
        ended = snapshot_of(attrs.evolve(delta, threads=threads), done=True)

        self.assertEqual([], list(never_returned(ended)))

    def test_small_waits_returned(self) -> None:
        """Small waits of a thread, of which only the call is known, have returned as well."""
        sums = Sums(count=1, waits=1, waiting_ns=S)
        rows = {ActivityKey(1, 1, number, "read"): sums for number in (100, 101)}
        waiting = {Wait(100, "read"): S, Wait(NO_OBJECT, "read"): S}
        threads = {1: ThreadTally(1, "app", ThreadTimes(waiting=waiting))}
        snapshot = snapshot_of(Delta(activity=rows, threads=threads), done=True)

        self.assertEqual([], list(never_returned(snapshot)))
