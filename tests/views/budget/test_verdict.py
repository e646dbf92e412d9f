"""Tests of the verdict: the sentence that people read first."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import Started
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.threads import OTHER_THREADS, ThreadTally, ThreadTimes
from syswatch.views.budget.budget import budget
from syswatch.views.budget.states import TimeState
from syswatch.views.budget.verdict import verdict

from .worlds import (
    DATABASE,
    EPOLL,
    LISTENER,
    LOCK,
    MS,
    SLEEP,
    VISITOR,
    WAL,
    Did,
    S,
    Thread,
    world,
)

QUERY = Thread(
    [
        Did("recvfrom", DATABASE, waiting=3100 * MS, waits=30),
        Did("fsync", WAL, waiting=800 * MS, waits=9),
    ],
    user=300 * MS,
)
QUERY_VERDICT = (
    "4.2 s: 93 % waiting, 3.1 s of it for 10.0.0.5:5432 (TCP, postgresql), "
    "0.8 s in fsync of /var/lib/app/db.wal"
)


class BlockedTests(SynchronousTestCase):
    """Programs that wait within their work: the sentence names what they wait for."""

    def test_database(self) -> None:
        """The two things that cost most are named with their times."""
        self.assertEqual(QUERY_VERDICT, verdict(world(QUERY)))

    def test_in_progress(self) -> None:
        """A program that is blocked since the start is not idle."""
        peer = attrs.evolve(DATABASE, service="")

        text = verdict(world(Thread([Did("recvfrom", peer, current=16 * S)], user=2 * MS)))

        self.assertEqual("16 s: >99 % waiting, still waiting 16 s for 10.0.0.5:5432 (TCP)", text)

    def test_two_in_progress(self) -> None:
        """Of several threads, each wait that lasts is named; a sleep is expected to."""
        pipe = ObjectInfo(ObjectKind.PIPE, "pipe [7]")
        threads = (
            Thread([Did("read", pipe, current=13 * S)]),
            Thread([Did("clock_nanosleep", SLEEP, current=12 * S)]),
        )

        self.assertEqual(
            "13 s (25 s in 2 threads): "
            "100 % waiting, still waiting 13 s for pipe [7], 12 s sleeping",
            verdict(world(*threads)),
        )

    def test_sleep(self) -> None:
        """A sleep is named, although many other calls were made."""
        thread = Thread(
            [
                Did("clock_nanosleep", SLEEP, waiting=300 * MS),
                Did("read", ObjectInfo(ObjectKind.FILE, "/lib/libc.so.6"), working=40_000),
            ],
            user=900_000,
        )

        self.assertEqual(
            "301 ms: >99 % waiting, all of it sleeping", verdict(world(thread, done=True))
        )

    def test_host(self) -> None:
        """A host that the target has looked up comes before its address."""
        pypi = ObjectInfo(
            ObjectKind.TCP,
            "151.101.0.223:443",
            service="https",
            host="pypi.org",
            side=Side.CLIENT,
        )
        thread = Thread([Did("read", pypi, waiting=97 * MS, waits=3)], user=400 * MS)

        self.assertEqual(
            "497 ms: 80 % in its own code; "
            "20 % waiting, all of it for pypi.org (151.101.0.223:443, TCP, https)",
            verdict(world(thread, done=True)),
        )

    def test_pipe(self) -> None:
        """Of a pipe, the processes at its ends are named."""
        pipe = ObjectInfo(ObjectKind.PIPE, "pipe [991]", detail="written by zcat (12)")

        self.assertEqual(
            "4 s: 75 % waiting, all of it for pipe [991] (written by zcat (12)); "
            "25 % in its own code",
            verdict(world(Thread([Did("read", pipe, waiting=3 * S, waits=90)], user=S))),
        )

    def test_children(self) -> None:
        """Children with the same command are named together."""
        waits = [
            Did(
                "wait4", ObjectInfo(ObjectKind.CHILD, f"cc1 ({pid})", pids=(pid,)), waiting=500 * MS
            )
            for pid in range(2, 32)
        ]
        compilers = [Thread(user=450 * MS, pid=pid, comm="cc1") for pid in range(2, 32)]

        self.assertEqual(
            "15 s (29 s in 31 threads): 48 % in its own code, 14 s of it in cc1 (30 processes); "
            "52 % waiting for each other, all of it for 30 child processes (cc1)",
            verdict(world(Thread(waits, user=200 * MS, comm="make"), *compilers)),
        )

    def test_very_many_threads(self) -> None:
        """The time of the threads that have no row of their own is not that of one thread."""
        snapshot = world(*(Thread(user=2 * S) for _ in range(3)))
        others = ThreadTally(times=ThreadTimes(user_ns=3600 * S))
        threads = {**snapshot.sums.threads, OTHER_THREADS: others}
        snapshot = attrs.evolve(snapshot, sums=attrs.evolve(snapshot.sums, threads=threads))

        self.assertEqual(
            "2 s (1h0m6s in more than 3 threads): 100 % in its own code",
            verdict(snapshot),
        )

    def test_moved_time(self) -> None:
        """What is left of time that was moved from one state to another is never negative."""
        snapshot = world(Thread(user=2 * S))
        moved = {
            tid: attrs.evolve(tally, times=tally.times + ThreadTimes(stopped_ns=-5))
            for tid, tally in snapshot.sums.threads.items()
        }
        snapshot = attrs.evolve(snapshot, sums=attrs.evolve(snapshot.sums, threads=moved))

        self.assertEqual([TimeState.USER], [key.state for key in budget(snapshot).parts])

    def test_child(self) -> None:
        """One child is named with its PID, and an unknown one as such."""
        for name, expected in (
            ("sleep (77)", "child process sleep (77)"),
            ("any child", "a child process"),
        ):
            thread = Thread([Did("wait4", ObjectInfo(ObjectKind.CHILD, name), current=2 * S)])
            self.assertEqual(
                f"2 s: 100 % waiting, still waiting 2 s for {expected}", verdict(world(thread))
            )

    def test_nameless(self) -> None:
        """Semaphores and message queues have no names, but are known by their calls."""
        thread = Thread([Did("semtimedop", waiting=2 * S)])

        self.assertEqual(
            "2 s: 100 % waiting, all of it for a semaphore (semtimedop)", verdict(world(thread))
        )

    def test_file_lock(self) -> None:
        """A wait for the lock on a file is not one for its content."""
        thread = Thread([Did("flock", WAL, waiting=2 * S)])

        self.assertEqual(
            "2 s: 100 % waiting, all of it for the lock (flock) on /var/lib/app/db.wal",
            verdict(world(thread)),
        )

    def test_lock(self) -> None:
        """Threads that wait for a lock wait for other threads."""
        threads = [
            Thread([Did("futex", LOCK, waiting=900 * MS, waits=9)], user=100 * MS) for _ in range(4)
        ]

        self.assertEqual(
            "1 s (4 s in 4 threads): 90 % waiting, all of it for other threads "
            "(futex …12a0 in [heap]); 10 % in its own code",
            verdict(world(*threads)),
        )

    def test_many_peers(self) -> None:
        """If no object stands out, their number is given."""
        waits = [
            Did(
                "recvfrom",
                ObjectInfo(ObjectKind.TCP, f"10.0.0.{each}:80", side=Side.CLIENT),
                waiting=40 * MS,
            )
            for each in range(50)
        ]

        self.assertEqual(
            "2.3 s: 87 % waiting, all of it for 50 TCP peers; 13 % in its own code",
            verdict(world(Thread(waits, user=300 * MS))),
        )


class IdleTests(SynchronousTestCase):
    """Programs that wait for work: the sentence is about the rest, unless there is none."""

    def test_busy_server(self) -> None:
        """Waits for requests are no reason why a server is slow."""
        thread = Thread(
            [
                Did("epoll_wait", VISITOR, waiting=30 * S, waits=4000),
                Did("epoll_wait", EPOLL, waiting=14 * S, waits=40),
                Did("writev", VISITOR, working=10 * S, waits=4000),
            ],
            user=6 * S,
        )

        self.assertEqual(
            "60 s, busy 16 s: 62 % working in calls, 10 s of it in writev; "
            "38 % in its own code; idle 44 s: waits for requests",
            verdict(world(thread)),
        )

    def test_idle_server(self) -> None:
        """If a server is nearly always idle, the sentence begins with that."""
        thread = Thread(
            [
                Did("epoll_wait", LISTENER, waiting=58 * S, waits=40),
                Did("epoll_wait", EPOLL, current=2 * S),
                Did("writev", VISITOR, working=20 * MS, waits=4),
            ],
            user=30 * MS,
        )

        self.assertEqual(
            "idle >99 % of 60 s: waits for connections; busy 50 ms: "
            "60 % in its own code; 40 % working in calls, 20 ms of it in writev",
            verdict(world(thread)),
        )

    def test_pool(self) -> None:
        """Workers without work are idle, so that the one that works is seen."""
        workers = [
            Thread([Did("futex", LOCK, waiting=10 * S, waits=2, current=5 * S)]) for _ in range(8)
        ]
        busy = Thread([Did("recvfrom", DATABASE, waiting=9 * S, waits=90)], user=6 * S)

        self.assertEqual(
            "15 s (2m15s in 9 threads), busy 15 s: "
            "60 % waiting, all of it for 10.0.0.5:5432 (TCP, postgresql); "
            "40 % in its own code; idle 2m0s: a worker without work",
            verdict(world(busy, *workers)),
        )

    def test_only_idle(self) -> None:
        """A program that does nothing else is idle all the time."""
        thread = Thread([Did("accept4", LISTENER, current=9 * S)])

        self.assertEqual("idle 100 % of 9 s: waits for connections", verdict(world(thread)))


class WorkingTests(SynchronousTestCase):
    """Programs that are on a CPU, or would be."""

    def test_own_code(self) -> None:
        """A program that makes no calls is not idle."""
        self.assertEqual("4 s: 100 % in its own code", verdict(world(Thread(user=4 * S))))

    def test_working(self) -> None:
        """The call that works longest is named."""
        zero = ObjectInfo(ObjectKind.DEVICE, "/dev/zero")
        thread = Thread([Did("read", zero, working=1200 * MS, waits=1000)], user=300 * MS)

        self.assertEqual(
            "1.5 s: 80 % working in calls, 1.2 s of it in read; 20 % in its own code",
            verdict(world(thread)),
        )

    def test_stopped_by_ptrace(self) -> None:
        """The time that ptrace takes itself is not the reason why a program is slow."""
        snapshot = world(Thread(user=2 * S, stopped=3 * S))

        self.assertEqual(
            "5 s: 40 % in its own code; 60 % stopped, mostly by ptrace",
            verdict(attrs.evolve(snapshot, source=Started("ptrace"))),
        )
        self.assertEqual("5 s: 60 % stopped; 40 % in its own code", verdict(snapshot))

    def test_suspended(self) -> None:
        """Ptrace is not named for the time in which a signal had stopped the program."""
        suspended = world(Thread(user=1 * S, stopped=4 * S, suspended=3 * S))

        self.assertEqual(
            "5 s: 60 % stopped by job control; 20 % in its own code; "
            "20 % stopped, mostly by ptrace",
            verdict(attrs.evolve(suspended, source=Started("ptrace"))),
        )

    def test_no_cpu(self) -> None:
        """A program that gets no CPU is told apart from one that waits."""
        self.assertEqual(
            "4 s: 50 % in its own code; 50 % waiting for a free CPU",
            verdict(world(Thread(user=2 * S, ready=2 * S))),
        )
