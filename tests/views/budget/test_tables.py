"""Tests of the tables of calls, objects, threads and slowest calls: they agree with the totals."""

import attrs
from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ANY, Sums
from syswatch.model.delta import Delta
from syswatch.model.now import Doing
from syswatch.model.objects import NO_OBJECT, ObjectInfo, ObjectKind
from syswatch.model.slowest import SlowCall, Slowest
from syswatch.views.budget.calls import calls, costs_of_processes
from syswatch.views.budget.costs import NO_COSTS, costs_by
from syswatch.views.budget.identifiers import object_number, object_text
from syswatch.views.budget.in_progress import in_progress
from syswatch.views.budget.objects import (
    ObjectSort,
    costliest_objects,
    object_stat,
    objects,
    objects_of,
    users_of,
)
from syswatch.views.budget.slowest import slowest
from syswatch.views.budget.states import TimeState
from syswatch.views.budget.threads import ThreadStat, threads, waits
from syswatch.views.forms import CallSort
from syswatch.views.paths import paths_of_process
from tests.strategies import costly_deltas

from .worlds import DATABASE, LISTENER, MS, WAL, Did, S, Thread, delta_of, snapshot_of, world

_MISSING = ObjectInfo(ObjectKind.PATH, "/etc/missing")
_APP = Thread(
    [
        Did("recvfrom", DATABASE, waiting=3 * S, waits=30, bytes_in=900),
        Did("openat", WAL, working=MS, waits=2),
        Did("openat", _MISSING, working=MS, waits=4, errors=4),
        Did("getpid", working=MS, waits=7),
        Did("recvfrom", DATABASE, current=2 * S),
    ],
    user=S,
)
_SERVER = Thread([Did("accept", LISTENER, waiting=9 * S)], pid=2, comm="server")
_BOTH = world(_APP, _SERVER)


class ObjectTests(SynchronousTestCase):
    """Objects."""

    @given(costly_deltas)
    def test_sums(self, delta: Delta) -> None:
        """The objects, and the calls without one, add up to all rows, in every order."""
        snapshot = snapshot_of(attrs.evolve(delta, now=Delta().now))
        expected = sum(snapshot.sums.activity.values(), start=Sums())
        without = object_stat(snapshot, NO_OBJECT)

        for sort in ObjectSort:
            found = objects(snapshot, sort=sort)
            total = sum((each.costs for each in found), start=NO_COSTS)
            total += without.costs if without else NO_COSTS
            self.assertEqual(expected, total.sums)
            self.assertEqual(expected.waiting_ns, total.waiting_ns)

    @given(costly_deltas)
    def test_calls_of_objects(self, delta: Delta) -> None:
        """The calls of an object, and its users, add up to it."""
        snapshot = snapshot_of(delta)

        for each in objects(snapshot):
            self.assertEqual(each.costs, sum(each.calls.values(), start=NO_COSTS))
            users = users_of(snapshot, each.id)
            self.assertEqual(each.costs, sum(users.values(), start=NO_COSTS))

    def test_users_beyond_the_limit(self) -> None:
        """Of calls without a row of their own, it is said that others may use the object."""
        delta = attrs.evolve(delta_of(_APP), now=Delta().now)
        key, row = next(iter(delta.activity.items()))
        (alone,) = objects(snapshot_of(attrs.evolve(delta, activity={key: row})))
        others = key._replace(pid=ANY, tid=ANY)
        (both,) = objects(snapshot_of(attrs.evolve(delta, activity={key: row, others: row})))
        (nameless,) = objects(snapshot_of(attrs.evolve(delta, activity={others: row})))

        self.assertEqual([1, 1, 0], [len(each.pids) for each in (alone, both, nameless)])
        # A log without PIDs has one process.
        flags = [each.has_more_users for each in (alone, both, nameless)]
        self.assertEqual([False, True, False], flags)

    @given(costly_deltas)
    def test_order(self, delta: Delta) -> None:
        """The calls of an object are in the same order, whatever that of the rows is."""
        rows = list(delta.activity.items())
        turned = attrs.evolve(delta, activity=dict(reversed(rows)))

        found, again = objects(snapshot_of(delta)), objects(snapshot_of(turned))
        self.assertEqual(found, again)
        for one, other in zip(found, again, strict=True):
            self.assertEqual(list(one.calls), list(other.calls))

    @given(costly_deltas)
    def test_groups(self, delta: Delta) -> None:
        """Rows of several objects add up to the same sums, and every object is in one of them."""
        snapshot = snapshot_of(delta)
        alone = objects(snapshot)
        found = costliest_objects(snapshot)
        members = [number for each in found for number in each.members]

        self.assertCountEqual([each.id for each in alone], members)
        self.assertEqual(
            sum((each.costs for each in alone), start=NO_COSTS),
            sum((each.costs for each in found), start=NO_COSTS),
        )

    def test_opens(self) -> None:
        """Failed opens are apart from opens."""
        found = {each.info.name: each for each in objects(_BOTH)}

        self.assertEqual((2, 0), (found[WAL.name].opens, found[WAL.name].failed_opens))
        missing = found[_MISSING.name]
        self.assertEqual((0, 4), (missing.opens, missing.failed_opens))
        self.assertEqual(
            [("/etc/missing", 4, 4), (WAL.name, 2, 0)],
            [(each.path, each.count, each.failed) for each in paths_of_process(_BOTH, 1)],
        )

    def test_filters(self) -> None:
        """Objects are limited to a process, a kind, a call, or a number."""
        self.assertEqual([LISTENER], [each.info for each in objects(_BOTH, 2)])
        self.assertEqual([WAL], [each.info for each in objects(_BOTH, kind=ObjectKind.FILE)])
        self.assertEqual(
            {WAL, _MISSING},
            {each.info for each in objects_of(_BOTH, lambda row: row.call == "openat")},
        )
        self.assertEqual([DATABASE], [each.info for each in objects(_BOTH, limit=1)])

    def test_reason(self) -> None:
        """An object says why waits for it are idle; one without waits says nothing."""
        found = {each.info.name: each.judgement for each in objects(_BOTH)}

        listener = found[LISTENER.name]
        assert listener is not None
        self.assertEqual(
            (TimeState.IDLE, "waits for connections"), (listener.state, listener.reason)
        )
        self.assertIsNone(found[WAL.name])

    @given(costly_deltas)
    def test_identifiers(self, delta: Delta) -> None:
        """An ID and its text stand for each other."""
        for number in {*delta.objects, *(key.object for key in delta.activity)}:
            self.assertEqual(number, object_number(object_text(number)))

    def test_other_texts(self) -> None:
        """Any other text is the ID of nothing, so that each object has one address."""
        for text in ("", "x", "0", "0x12", "12", "000000000000A", "other-", "other-none", "-1"):
            self.assertIsNone(object_number(text), text)
        self.assertEqual("none", object_text(NO_OBJECT))
        self.assertEqual("other-tcp", object_text(ObjectInfo(ObjectKind.TCP).id))


class CallTests(SynchronousTestCase):
    """Calls."""

    def test_order(self) -> None:
        """Calls come in the order of the time that was not idle, with waits in progress."""
        found = calls(_BOTH)

        self.assertEqual(["recvfrom", "openat", "getpid", "accept"], [call.name for call in found])
        self.assertEqual((5 * S, 1), (found[0].blocked_ns, found[0].in_progress))
        self.assertEqual(9 * S, found[3].idle_ns)

    def test_never_returned(self) -> None:
        """A call that has never returned has a row without counts."""
        [call] = calls(world(Thread([Did("recvfrom", DATABASE, current=S)])))

        self.assertEqual((0, S), (call.tally.count, call.waiting_ns))
        self.assertEqual(S, call.total_ns)

    def test_total(self) -> None:
        """The whole time of a call has all its parts, waits in progress included."""
        for call in (*calls(_BOTH), *calls(world(_APP, _SERVER, done=True))):
            parts_ns = call.working_ns + call.ready_ns + call.waiting_ns
            self.assertEqual(parts_ns, call.total_ns, call.name)

    def test_never_returned_until_the_end(self) -> None:
        """A wait that lasted until the end of the trace stays in calls and objects."""
        ended = world(_APP, _SERVER, done=True)

        self.assertEqual(calls(_BOTH), calls(ended))
        self.assertEqual(
            objects(_BOTH, 1)[0].costs.waiting_ns, objects(ended, 1)[0].costs.waiting_ns
        )
        self.assertEqual([0], [each.costs.in_progress for each in objects(ended, 2)])

    def test_of_process(self) -> None:
        """The table of a process needs no table of its own in the trace."""
        [call] = calls(_BOTH, 2)

        self.assertEqual(("accept", 1, 9 * S), (call.name, call.tally.count, call.tally.total_ns))
        self.assertEqual([1], list(costs_of_processes(_BOTH, "openat")))

    @given(costly_deltas)
    def test_complete(self, delta: Delta) -> None:
        """Whatever the order, every call has one row."""
        snapshot = snapshot_of(delta)
        names = {call.name for call in snapshot.calls}

        for sort in CallSort:
            found = [call.name for call in calls(snapshot, sort=sort)]
            self.assertEqual(len(found), len(set(found)))
            self.assertLessEqual(names, set(found))

    @given(costly_deltas)
    def test_costs(self, delta: Delta) -> None:
        """Grouping by anything keeps every sum."""
        snapshot = snapshot_of(delta)
        whole = costs_by(snapshot, lambda _: 0).get(0, NO_COSTS)

        for key in (lambda row: row.pid), (lambda row: row.call), (lambda row: row):
            groups = costs_by(snapshot, key)
            self.assertEqual(whole, sum(groups.values(), start=NO_COSTS))


class ThreadTests(SynchronousTestCase):
    """Threads, and what they are doing."""

    def test_threads(self) -> None:
        """The busiest thread comes first, with what it waited for."""
        first, second = threads(_BOTH)

        self.assertEqual((1, 2), (first.tid, second.tid))
        self.assertEqual(5 * S, first.in_state(TimeState.BLOCKED))
        self.assertEqual(0, second.busy_ns)
        self.assertEqual([(DATABASE.id, 5 * S)], _waited(first))
        self.assertEqual([2], [each.tid for each in threads(_BOTH, 2)])

    def test_in_progress(self) -> None:
        """The blocked threads come first; nothing is in progress after the end."""
        first, second = in_progress(_BOTH)

        self.assertEqual((TimeState.BLOCKED, 2 * S), (first.state, first.spent_ns))
        self.assertEqual((TimeState.USER, None), (second.state, second.spent_ns))
        self.assertEqual([], in_progress(world(_APP, done=True)))

    def test_states(self) -> None:
        """What a thread is doing is one of the states."""
        delta = delta_of(_APP)
        for doing, waiting, expected in (
            (Doing.IN_CALL, True, TimeState.BLOCKED),
            (Doing.IN_CALL, False, TimeState.WORKING),
            (Doing.RUNNING, False, TimeState.USER),
            (Doing.READY, False, TimeState.READY),
            (Doing.STOPPED, False, TimeState.STOPPED),
        ):
            thread = attrs.evolve(delta.now.threads[1], doing=doing, waits=waiting)
            now = attrs.evolve(delta.now, threads={1: thread})
            [current] = in_progress(snapshot_of(attrs.evolve(delta, now=now)))
            self.assertIs(expected, current.state)


def _waited(thread: ThreadStat) -> list[tuple[int, int]]:
    return [(each.wait.object, each.spent_ns) for each in waits(_BOTH, thread)]


class SlowestTests(SynchronousTestCase):
    """The slowest calls."""

    def test_filters(self) -> None:
        """They are limited to a name or to a process, of which rarer calls are kept, too."""
        kept = [
            *(
                SlowCall(100 + each, each, 1, 1, "read", "", "0", "", 50, DATABASE.id)
                for each in range(60)
            ),
            SlowCall(5, 70, 2, 2, "fsync", "", "0", "", 0, WAL.id),
        ]
        snapshot = snapshot_of(attrs.evolve(delta_of(_APP), slowest=Slowest.of(kept)))

        self.assertEqual(50, len(slowest(snapshot)))
        self.assertEqual([159, 158], [each.call.duration_ns for each in slowest(snapshot)[:2]])
        self.assertEqual(10, len(slowest(snapshot, call="read")))
        [fsync] = slowest(snapshot, 2)
        self.assertEqual((WAL, None), (fsync.info, fsync.state))
        self.assertIs(TimeState.BLOCKED, slowest(snapshot)[0].state)
        self.assertEqual([], slowest(snapshot, 1, "fsync"))
