"""Tests of the rules that tell waits for work from waits within it."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.preferences import Preferences
from syswatch.model.threads import Wait
from syswatch.views.budget.idle import judge, judge_of
from syswatch.views.budget.idle_rules import RULES, WaitFacts
from syswatch.views.budget.states import TimeState

from .worlds import DATABASE, EPOLL, LISTENER, LOCK, MS, SLEEP, VISITOR, WAL, Did, S, Thread, world


def _info(kind: ObjectKind, name: str = "x", side: Side = Side.UNKNOWN) -> ObjectInfo:
    return ObjectInfo(kind, name, side=side)


# A wait, and the reason if it is idle.
_CASES = (
    (WaitFacts("accept4", LISTENER), "waits for connections"),
    (WaitFacts("accept", _info(ObjectKind.NONE, "")), "waits for connections"),
    (WaitFacts("epoll_wait", LISTENER), "waits for connections"),
    (
        WaitFacts("poll", _info(ObjectKind.UNIX, "/run/x", Side.LISTENING)),
        "waits for connections",
    ),
    (WaitFacts("epoll_wait", _info(ObjectKind.TIMEOUT)), "timer tick"),
    (WaitFacts("poll", _info(ObjectKind.TIMEOUT)), "timer tick"),
    (WaitFacts("read", _info(ObjectKind.TIMERFD)), "timer tick"),
    (WaitFacts("pselect6", _info(ObjectKind.NONE, ""), for_children=True), ""),
    (WaitFacts("epoll_pwait", EPOLL), "main poll of an event loop"),
    (WaitFacts("select", _info(ObjectKind.NONE, "")), "main poll of an event loop"),
    (WaitFacts("epoll_wait", VISITOR), "waits for requests"),
    (WaitFacts("recvfrom", VISITOR), "waits for requests"),
    # A peer that does not read is no lack of work.
    (WaitFacts("sendto", VISITOR), ""),
    (WaitFacts("recvfrom", DATABASE), ""),
    (WaitFacts("epoll_wait", DATABASE), ""),
    (WaitFacts("poll", _info(ObjectKind.UNIX, "/run/x", Side.CLIENT)), ""),
    (WaitFacts("read", _info(ObjectKind.EVENTFD)), "waits for events"),
    (WaitFacts("epoll_wait", _info(ObjectKind.SIGNALFD)), "waits for events"),
    (WaitFacts("read", _info(ObjectKind.INOTIFY)), "waits for events"),
    (WaitFacts("pause", _info(ObjectKind.SIGNAL)), "waits for events"),
    (WaitFacts("rt_sigtimedwait", _info(ObjectKind.NONE, "")), "waits for events"),
    (WaitFacts("read", _info(ObjectKind.TTY)), "waits for input"),
    (WaitFacts("write", _info(ObjectKind.TTY)), ""),
    (WaitFacts("poll", _info(ObjectKind.PIPE)), "waits for messages"),
    (WaitFacts("epoll_wait", _info(ObjectKind.UNIX)), "waits for messages"),
    (WaitFacts("read", _info(ObjectKind.PIPE)), ""),
    (WaitFacts("recvmsg", _info(ObjectKind.UNIX)), ""),
    (WaitFacts("futex", LOCK, average_ns=S), "a worker without work"),
    (WaitFacts("futex", LOCK, average_ns=S - 1), ""),
    (WaitFacts("futex", LOCK, average_ns=S, for_threads=True), ""),
    (WaitFacts("recvfrom", _info(ObjectKind.UDP)), "waits for datagrams"),
    (WaitFacts("poll", _info(ObjectKind.UDP)), "waits for datagrams"),
    (WaitFacts("recvfrom", _info(ObjectKind.UDP), bytes_out=40), ""),
    (WaitFacts("fsync", WAL), ""),
    (WaitFacts("clock_nanosleep", SLEEP), ""),
    (WaitFacts("wait4", _info(ObjectKind.CHILD)), ""),
    (WaitFacts("flock", WAL), ""),
    (WaitFacts("read", _info(ObjectKind.TCP)), ""),
)


class RuleTests(SynchronousTestCase):
    """The rules one by one, in their order."""

    def test_cases(self) -> None:
        """Each wait is idle for one reason, or blocked."""
        for wait, reason in _CASES:
            found = judge(wait, Preferences())
            self.assertEqual(
                (TimeState.IDLE, reason) if reason else TimeState.BLOCKED,
                (found.state, found.reason) if reason else found.state,
                wait,
            )

    def test_all_used(self) -> None:
        """There is a case for every rule, and every rule is described."""
        reasons = {judge(wait, Preferences()).reason for wait, _ in _CASES}

        self.assertEqual({rule.reason for rule in RULES}, reasons)
        for rule in RULES:
            self.assertTrue(rule.name and rule.condition and rule.reason)
        self.assertEqual(len(RULES), len({rule.name for rule in RULES}))

    def test_every_wait(self) -> None:
        """The last rule matches everything, so that every wait has a state."""
        for kind in ObjectKind:
            self.assertTrue(RULES[-1].matches(WaitFacts("read", _info(kind))))


class JudgeTests(SynchronousTestCase):
    """The rules applied to a snapshot."""

    def test_average(self) -> None:
        """The average of a lock covers all threads and the waits in progress."""
        quick = Thread([Did("futex", LOCK, waiting=400 * MS, waits=4)])
        long = Thread([Did("futex", LOCK, current=3 * S)])
        main = Thread(user=3 * S)
        wait = Wait(LOCK.id, "futex")

        self.assertIs(TimeState.BLOCKED, judge_of(world(main, quick, long))(wait).state)
        self.assertIs(TimeState.IDLE, judge_of(world(main, long))(wait).state)
        self.assertIs(TimeState.IDLE, judge_of(world(main, long, done=True))(wait).state)
        self.assertIs(TimeState.BLOCKED, judge_of(world(main, quick))(wait).state)

    def test_main_thread(self) -> None:
        """A main thread is no worker, unless the process waits for work in another way."""
        main = Thread([Did("futex", LOCK, current=9 * S)])
        server = Thread([Did("accept4", LISTENER, current=9 * S)])
        wait = Wait(LOCK.id, "futex")

        self.assertIs(TimeState.BLOCKED, judge_of(world(main, Thread(user=9 * S)))(wait).state)
        self.assertIs(TimeState.IDLE, judge_of(world(main, server))(wait).state)

    def test_deadlock(self) -> None:
        """If all threads wait for others, none of them is a worker without work."""
        locks = [ObjectInfo(ObjectKind.FUTEX, f"python3 (1): {each}") for each in "abc"]
        server = Did("accept4", LISTENER, waiting=90 * S)
        early = [Thread([Did("futex", lock, current=9 * S)]) for lock in locks]
        late = [Thread([server, Did("futex", lock, current=9 * S)]) for lock in locks]
        for threads, is_done in ((early, True), (late, False)):
            found = judge_of(world(*threads, done=is_done))
            for lock in locks:
                self.assertIs(TimeState.BLOCKED, found(Wait(lock.id, "futex")).state)

    def test_children(self) -> None:
        """A poll that only the ends of children interrupt is a wait for them."""
        child = ObjectInfo(ObjectKind.CHILD, "cc1 (2)", pids=(2,))
        reaped = Did("wait4", child, working=MS)
        interrupted = Did("pselect6", waiting=5 * S, waits=3, errors=3)
        other = Did("pselect6", waiting=5 * S, waits=3, errors=2)
        wait = Wait(0, "pselect6")

        self.assertFalse(judge_of(world(Thread([reaped, interrupted]))).is_idle(wait))
        for threads in (
            [Thread([interrupted])],
            [Thread([reaped, other])],
            [Thread([reaped, interrupted]), Thread([interrupted], pid=2)],
            [Thread([reaped, Did("pselect6", current=5 * S)])],
            [Thread([reaped, interrupted, Did("poll", LISTENER, waiting=S)])],
        ):
            self.assertTrue(judge_of(world(*threads)).is_idle(wait))

    def test_datagrams(self) -> None:
        """Bytes sent to a peer in any call make a wait for it a wait for an answer."""
        peer = ObjectInfo(ObjectKind.UDP, "10.0.0.1:53")
        waits = Did("recvfrom", peer, waiting=MS)
        asked = Thread([waits, Did("sendto", peer, working=10, bytes_out=40)])

        self.assertTrue(judge_of(world(Thread([waits]))).is_idle((peer.id, "recvfrom")))
        self.assertFalse(judge_of(world(asked)).is_idle((peer.id, "recvfrom")))

    def test_unknown_object(self) -> None:
        """A wait for an object that nothing is known of is within work."""
        self.assertFalse(judge_of(world(Thread())).is_idle((1 << 40, "read")))
        self.assertTrue(judge_of(world(Thread())).is_idle((1 << 40, "accept@i386")))
