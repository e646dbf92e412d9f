"""Tests of the verdict on processes and threads that wait for each other."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.views.budget.verdict import verdict

from .worlds import LOCK, MS, SLEEP, Did, S, Thread, world


class InsideTests(SynchronousTestCase):
    """What the others do comes first, because it explains the waits for them."""

    def test_child_elsewhere(self) -> None:
        """What a child does that is not traced is not known, so the wait comes first."""
        child = ObjectInfo(ObjectKind.CHILD, "cc1 (7)", pids=(7,))
        thread = Thread([Did("wait4", child, waiting=3 * S)], user=S)

        self.assertEqual(
            "4 s: 75 % waiting, all of it for child process cc1 (7); 25 % in its own code",
            verdict(world(thread)),
        )

    def test_child(self) -> None:
        """A child that computes is named as what runs."""
        child = ObjectInfo(ObjectKind.CHILD, "solve (2)", pids=(2,))
        shell = Thread([Did("wait4", child, waiting=2 * S)], comm="sh")

        self.assertEqual(
            "2 s (4 s in 2 threads): 50 % in its own code, all of it in solve (2); "
            "50 % waiting for each other, all of it for child process solve (2)",
            verdict(world(shell, Thread(user=2 * S, pid=2, comm="solve"))),
        )

    def test_any_child(self) -> None:
        """A wait for any child, which has not returned, is one for a traced child if all are."""
        any_child = ObjectInfo(ObjectKind.CHILD, "any child")
        named = ObjectInfo(ObjectKind.CHILD, "solve (2)", pids=(2,))
        shell = Thread([Did("wait4", named, waiting=S), Did("wait4", any_child, waiting=S)])
        child = Thread(user=2 * S, pid=2, comm="solve")

        self.assertIn("; 50 % waiting for each other", verdict(world(shell, child)))
        self.assertNotIn("each other", verdict(world(shell)))

    def test_many_children(self) -> None:
        """Of very many children, the waits for most have no row of their own."""
        others = ObjectInfo(ObjectKind.CHILD)
        named = ObjectInfo(ObjectKind.CHILD, "cc1 (2)", pids=(2,))
        waits = [Did("wait4", others, waiting=2 * S), Did("wait4", named, waiting=S)]
        compiler = Thread(user=3 * S, pid=2, comm="cc1")

        self.assertEqual(
            "3 s (6 s in 2 threads): 50 % in its own code, all of it in cc1 (2); "
            "50 % waiting for each other, 2 s of it for child processes",
            verdict(world(Thread(waits, comm="make"), compiler)),
        )

    def test_pipeline(self) -> None:
        """The process counts that does not wait for the other, unless a view is limited to one."""
        ends = "written by zcat (2), read by wc (1)"
        pipe = ObjectInfo(ObjectKind.PIPE, "pipe [9]", detail=ends, pids=(1, 2))
        disk = ObjectInfo(ObjectKind.FILE, "/srv/a.gz")
        reader = Thread([Did("read", pipe, waiting=4 * S, waits=90)], comm="wc")
        writer = Thread([Did("read", disk, waiting=3 * S)], user=S, pid=2, comm="zcat")

        self.assertEqual(
            "4 s (8 s in 2 threads): 38 % waiting, all of it reading /srv/a.gz; "
            "12 % in its own code, all of it in zcat (2); "
            f"50 % waiting for each other, all of it for pipe [9] ({ends})",
            verdict(world(reader, writer)),
        )
        self.assertEqual(
            f"4 s: 100 % waiting, all of it for pipe [9] ({ends})",
            verdict(world(reader, writer), 1),
        )

    def test_unknown_end(self) -> None:
        """A pipe of which one end is unknown may be written by any process."""
        pipe = ObjectInfo(ObjectKind.PIPE, "pipe [9]", detail="read by wc (1)", pids=(1,))
        thread = Thread([Did("read", pipe, waiting=4 * S, waits=90)], user=4 * S)

        self.assertIn("waiting, all of it for pipe [9] (read by wc (1))", verdict(world(thread)))

    def test_local_server(self) -> None:
        """A server on this machine that is traced as well is not the reason."""
        listener = ObjectInfo(ObjectKind.TCP, "listening on 127.0.0.1:80", side=Side.LISTENING)
        server = ObjectInfo(ObjectKind.TCP, "127.0.0.1:80", side=Side.CLIENT)
        client = Thread([Did("read", server, waiting=4 * S)])
        slow = [Did("accept4", listener, working=MS), Did("clock_nanosleep", SLEEP, waiting=4 * S)]

        self.assertEqual(
            "4 s (8 s in 2 threads): 50 % waiting, all of it sleeping; "
            "50 % waiting for each other, all of it for 127.0.0.1:80 (TCP)",
            verdict(world(client, Thread(slow, pid=2))),
        )

    def test_deadlock(self) -> None:
        """Threads that wait for one another are not idle."""
        locks = [ObjectInfo(ObjectKind.FUTEX, f"app (1): 0x{each} in [heap]") for each in "ab"]
        threads = [Thread([Did("futex", lock, current=16 * S)]) for lock in locks]

        self.assertEqual(
            "16 s (32 s in 2 threads): 100 % waiting for each other, "
            "still waiting 16 s for other threads (futex 0xa in [heap])",
            verdict(world(*threads)),
        )

    def test_unknown_ends(self) -> None:
        """If no end of a pipe is known, the traced processes that use it are taken for them."""
        pipe = ObjectInfo(ObjectKind.PIPE, "pipe [9]")
        reader = Thread([Did("read", pipe, waiting=4 * S, waits=90)], comm="wc")
        writer = Thread([Did("write", pipe, working=MS)], user=4 * S, pid=2, comm="zcat")

        self.assertEqual(
            "4 s (8 s in 2 threads): 50 % in its own code, all of it in zcat (2); "
            "50 % waiting for each other, "
            "all of it for pipe [9] (written by zcat (2), read by wc (1))",
            verdict(world(reader, writer)),
        )
        self.assertIn(
            "100 % waiting, all of it for pipe [9] (read by wc (1))", verdict(world(reader))
        )

    def test_make(self) -> None:
        """A poll that the ends of children interrupt is a wait for them."""
        child = ObjectInfo(ObjectKind.CHILD, "cc1 (2)", pids=(2,))
        polls = Did("pselect6", waiting=4 * S, waits=3, errors=3)
        make = Thread([polls, Did("wait4", child, working=MS)], comm="make")

        self.assertEqual(
            "4 s (8 s in 2 threads): 50 % in its own code, all of it in cc1 (2); "
            "50 % waiting for each other, all of it for a child process",
            verdict(world(make, Thread(user=4 * S, pid=2, comm="cc1"))),
        )

    def test_two_calls(self) -> None:
        """A child for which a process waits in two calls is counted once."""
        children = [ObjectInfo(ObjectKind.CHILD, f"cc1 ({pid})", pids=(pid,)) for pid in (2, 3)]
        waits = [
            Did(call, child, waiting=spent * S)
            for call, spent in (("vfork", 1), ("wait4", 2))
            for child in children
        ]

        self.assertIn("all of it for 2 child processes (cc1)", verdict(world(Thread(waits))))


class SeveralTests(SynchronousTestCase):
    """Several processes and threads of which some tell more than others."""

    def test_no_cpu(self) -> None:
        """The command that had to wait for a CPU longest is named."""
        compilers = [Thread(ready=3 * S, user=S, pid=pid, comm="cc1") for pid in (2, 3)]
        make = Thread(ready=S, user=3 * S, comm="make")

        self.assertEqual(
            "4 s (12 s in 3 threads): 58 % waiting for a free CPU, "
            "6 s of it in cc1 (2 processes); 42 % in its own code, 3 s of it in make (1)",
            verdict(world(make, *compilers)),
        )

    def test_one_command(self) -> None:
        """Of processes of the same command, one is named if it has most of the time."""
        workers = [Thread(user=S, pid=pid, comm="nginx") for pid in (2, 3, 4)]
        busy = Thread(user=9 * S, pid=5, comm="nginx")

        self.assertEqual("1 s (3 s in 3 threads): 100 % in its own code", verdict(world(*workers)))
        self.assertEqual(
            "9 s (12 s in 4 threads): 100 % in its own code, 9 s of it in nginx (5)",
            verdict(world(*workers, busy)),
        )

    def test_idle_main_thread(self) -> None:
        """What the main thread waits for tells more than that workers have no work."""
        timer = ObjectInfo(ObjectKind.TIMEOUT, "timed out")
        main = Thread([Did("epoll_wait", timer, waiting=9 * S, waits=30)], user=S)
        workers = [Thread([Did("futex", LOCK, current=10 * S)]) for _ in range(4)]

        self.assertEqual(
            "idle 98 % of 10 s (50 s in 5 threads): timer tick; busy 1 s: 100 % in its own code",
            verdict(world(main, *workers)),
        )
