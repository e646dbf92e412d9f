"""Tests that calls are credited to the right objects, and waits to what they were for."""

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from syswatch.model.activity import NO_SUMS, ActivityKey, Sums
from syswatch.model.delta import Delta
from syswatch.model.now import Doing
from syswatch.model.objects import ObjectInfo, ObjectKind
from tests.system.servers import wait_for
from tests.tracer.programs import program
from tests.unmeasured import unmeasured

from .case import BackendCase
from .targets import Target

_NAMELESS = ObjectInfo(ObjectKind.NONE)
_WAITED_NS = 10 * 50_000_000
_PERCENT = 100
_BINS_BEFORE = 1000
# Copies in many ways, and prints what the kernel has counted in between.
_COPIES = """
import os, sys
def counted():
    with open("/proc/self/io", "rb", 0) as file:
        text = file.read()
    numbers = [int(line.split()[1]) for line in text.splitlines()[:2]]
    return numbers[0], numbers[1], len(text)
zeros = os.open("/dev/zero", os.O_RDONLY)
first, second = (os.open(name, os.O_RDWR | os.O_CREAT) for name in sys.argv[1:])
before = counted()
os.write(first, os.read(zeros, 5000))
os.pwrite(first, os.pread(first, 300, 0), 100)
os.preadv(first, [bytearray(100), bytearray(200)], 0)
os.writev(first, [b"x" * 50, b"y" * 60])
os.readv(zeros, [bytearray(10)])
os.pwritev(first, [b"z" * 7], 0)
os.sendfile(second, first, 0, 2000)
os.copy_file_range(first, second, 1500, 0)
# What is spliced, the kernel does not count.
read_end, write_end = os.pipe()
spliced = os.splice(first, write_end, 400, 0)
assert spliced == os.splice(read_end, second, spliced) == 400
after = counted()
print(after[0] - before[0] - before[2], after[1] - before[1])
"""

# Looks at a message in all ways before it receives it, most times in the same way.
_LOOKS = """
import ctypes, socket, struct
here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
here.send(b"x" * 100)
data = ctypes.create_string_buffer(100)
parts = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(data), len(data)))
message = ctypes.create_string_buffer(struct.pack("QQQQ24xQ", 0, 0, ctypes.addressof(parts), 1, 0))
arguments = there.fileno(), message, 1, socket.MSG_PEEK, None
assert 1 == ctypes.CDLL(None).recvmmsg(*arguments)
assert 50 == len(there.recvmsg(50, 0, socket.MSG_PEEK)[0])
for _ in range(2000):
    assert 40 == len(there.recv(40, socket.MSG_PEEK))
there.recv(200)
"""


def total(delta: Delta, is_meant: Callable[[ActivityKey, ObjectInfo], bool]) -> Sums:
    """Return the sum of the rows that are meant."""
    rows = (
        row
        for key, row in delta.activity.items()
        if is_meant(key, delta.objects.get(key.object, _NAMELESS))
    )
    return sum(rows, NO_SUMS)


class ActivityContract(BackendCase):
    """Rows by thread, object and call."""

    def assert_adds_up(self, delta: Delta) -> None:
        """Check that the rows add up to the table of calls."""
        for name, tally in delta.calls.items():
            rows = total(delta, lambda key, _, name=name: key.call == name)  # type: ignore[misc]
            waits = tally.waits
            self.assertEqual((tally.count, tally.errors), (rows.count, rows.errors), name)
            self.assertEqual((waits.count, waits.waiting_ns), (rows.waits, rows.waiting_ns), name)
            self.assertEqual(tally.total_ns, rows.total_ns, name)
        for key in delta.activity:
            self.assertTrue(key.object < len(ObjectKind) or key.object in delta.objects, key)

    def test_programs(self) -> None:
        """An execve acts on the program that it names, by an absolute path or a relative one."""
        script = "cd /usr/bin; env true; exec ./true"
        delta = self.trace("sh", "-c", script).delta
        names = {
            delta.objects[key.object].name
            for key, row in delta.activity.items()
            if key.call == "execve" and row.count > row.errors and key.object in delta.objects
        }
        ends = [each.rpartition("/")[2] for each in names]
        self.assertEqual(["env", "sh", "true"], sorted({*ends} & {"env", "sh", "true"}))
        self.assertIn("/usr/bin/true", names)

    @unmeasured()
    def test_sums(self) -> None:
        """The rows of several processes and threads add up to the calls."""
        script = f"ls / /none; cat /etc/passwd | wc; {program('threads')}"
        delta = self.trace("sh", "-c", script).delta
        self.assert_adds_up(delta)
        self.assertEqual(0, delta.ledger.untracked_objects)

    def test_dates(self) -> None:
        """The intervals of processes that end at once lie within the trace."""
        delta = self.trace("sh", "-c", "(:); (:); (:)").delta
        assert delta.span is not None
        bin_ns = delta.timeline.bin_ms * 1_000_000
        first, last = delta.span.first_ns // bin_ns, delta.span.last_ns // bin_ns
        # The process that becomes the command is there before the trace begins.
        self.assertLessEqual(first - _BINS_BEFORE, min(delta.timeline.bins))
        self.assertLessEqual(max(delta.timeline.bins), last + 1)

    def test_waits_left_out(self) -> None:
        """A wait in a call that is not selected is not for the object of one that is."""
        delta = self.trace("sleep", "0.2", trace="openat").delta
        waits = {wait for each in delta.threads.values() for wait in each.times.waiting}
        named = {delta.objects[wait.object].name for wait in waits if wait.object in delta.objects}
        self.assertEqual(set(), named)

    def test_nothing_without_objects(self) -> None:
        """With --no-objects none of it is reported."""
        delta = self.trace("sh", "-c", "cat /etc/passwd; sleep 0.01", objects=False).delta
        self.assertTrue(delta.calls)
        for part in (delta.activity, delta.objects, delta.object_waits, delta.threads):
            self.assertEqual({}, dict(part))
        self.assertFalse(delta.slowest)
        self.assertEqual({}, dict(delta.timeline.bins))
        self.assertEqual(0, sum(tally.waits.count for tally in delta.calls.values()))

    def test_bytes(self) -> None:
        """Bytes are those that the kernel has counted for the process."""
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.realpath(Path(folder) / name) for name in ("first", "second")]
            outcome = self.trace(sys.executable, "-I", "-S", "-c", _COPIES, *files)
        meant = {*files, "/dev/zero"}
        rows = total(outcome.delta, lambda _, info: info.name in meant)
        self.assertEqual([rows.bytes_in, rows.bytes_out], [int(n) for n in outcome.output.split()])
        second = total(outcome.delta, lambda _, info: info.name == files[1])
        self.assertEqual((0, 3500), (second.bytes_in, second.bytes_out))

    @unmeasured()
    def test_left_in_place(self) -> None:
        """What a program only looks at, it has not received yet."""
        delta = self.trace(sys.executable, "-I", "-c", _LOOKS).delta
        rows = total(delta, lambda key, _: key.call.startswith("recv"))
        self.assertEqual((2003, 100), (rows.count, rows.bytes_in))

    def test_impossible_bytes(self) -> None:
        """What a program returns to itself counts as bytes only if the kernel can move as many."""
        numbers = 5, -5000, 1 << 62, 1 << 31, 7
        delta = self.trace(program("answering"), *map(str, numbers)).delta
        copies = total(delta, lambda key, _: key.call in ("sendfile", ""))
        self.assertEqual((len(numbers), 12, 12), (copies.count, copies.bytes_in, copies.bytes_out))
        rows = delta.activity.items()
        (first,) = (key.object for key, row in rows if key.call == "sendfile" and row.count)
        reads = total(delta, lambda key, _: (key.call, key.object) == ("read", first))
        self.assertEqual((len(numbers), 12), (reads.count, reads.bytes_in))


class WaitContract(BackendCase):
    """Programs that wait in a known way."""

    # Of the compiler; and what is added to the names of calls.
    flags: ClassVar[tuple[str, ...]] = ()
    suffix: ClassVar[str] = ""
    delta: Delta

    def waits(self, what: str, call: str, kind: ObjectKind, *more: str) -> Sums:
        """
        Return the sums of the rows of the first thread and the costliest object of a kind.

        They are at least the delay, which began when the thread was asleep or about to sleep, and
        at most what the program has measured.
        """
        outcome = self.trace(program("known_waits", *self.flags), what, *more)
        self.delta, spent_ns = outcome.delta, int(outcome.output)
        (main,) = (
            pid
            for pid, tally in self.delta.processes.items()
            if tally.parent not in self.delta.processes
        )
        rows = [
            row
            for key, row in self.delta.activity.items()
            if (key.tid, key.call) == (main, call + self.suffix)
            and self.delta.objects.get(key.object, _NAMELESS).kind is kind
        ]
        costliest = max(rows, key=lambda row: row.waiting_ns)
        self.assertLessEqual(costliest.waiting_ns, spent_ns * 1.01)
        # On a busy machine, a thread may lose its CPU after its timer began and before it sleeps.
        self.assertGreaterEqual(costliest.waiting_ns + costliest.ready_ns, _WAITED_NS * 0.99)
        return costliest

    def test_sleep(self) -> None:
        """The waits of a program that sleeps are known to a hundredth."""
        rows = self.waits("sleep", "clock_nanosleep", ObjectKind.SLEEP)
        self.assertEqual((10, 10), (rows.count, rows.waits))

    def test_lock(self) -> None:
        """Waits for a lock are credited to the futex."""
        rows = self.waits("lock", "futex", ObjectKind.FUTEX)
        self.assertEqual(10, rows.waits)
        names = {info.name for info in self.delta.objects.values() if info.kind is ObjectKind.FUTEX}
        self.assertTrue(any("known_waits" in name for name in names), names)

    def test_pipe(self) -> None:
        """Waits for a writer are credited to the pipe, which names both processes."""
        rows = self.waits("pipe", "read", ObjectKind.PIPE)
        self.assertEqual((10, 10, 10), (rows.count, rows.waits, rows.bytes_in))
        pipes = [i for i in self.delta.objects.values() if i.kind is ObjectKind.PIPE]
        self.assertTrue(any("written by known_waits" in pipe.detail for pipe in pipes), pipes)

    def test_one_of_many(self) -> None:
        """A wait of epoll is credited to the socket that ended it, or to the timeout."""
        with tempfile.TemporaryDirectory() as folder:
            rows = self.waits("one", "epoll_wait", ObjectKind.UNIX, folder)
        self.assertEqual((10, 10), (rows.count, rows.waits))
        delta, call = self.delta, f"epoll_wait{self.suffix}"
        names = {delta.objects[key.object].name for key in delta.activity if key.call == call}
        self.assertEqual({f"{os.path.realpath(folder)}/17", "timed out"}, names)
        # The time of the thread is that of the rows, although it was credited bit by bit.
        spent = total(delta, lambda key, _: key.call == call).waiting_ns
        waiting = sum(
            ns
            for tally in delta.threads.values()
            for wait, ns in tally.times.waiting.items()
            if wait.call == call
        )
        self.assertLessEqual(abs(waiting - spent), spent / _PERCENT)

    def test_child(self) -> None:
        """A wait for any child is credited to the child that ended."""
        self.assertEqual(1, self.waits("child", "wait4", ObjectKind.CHILD).waits)
        delta = self.delta
        (child,) = (i for i in delta.objects.values() if i.kind is ObjectKind.CHILD and i.pids)
        self.assertEqual(f"known_waits ({child.pids[0]})", child.name)
        self.assertIn(child.pids[0], delta.processes)


# Waits for messages on one of two sockets, from before it is attached to.
_RECEIVER = """
import select, socket, sys
epoll, sockets = select.epoll(), {}
for name in sys.argv[1:]:
    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    receiver.bind(name)
    sockets[receiver.fileno()] = receiver
    epoll.register(receiver, select.EPOLLIN)
print("ready", flush=True)
while True:
    for fd, _ in epoll.poll():
        if sockets[fd].recv(10) == b"end":
            sys.exit(42)
"""


class InProgressContract(BackendCase):
    """Calls in progress."""

    def test_attached(self) -> None:
        """A call that began before attaching is reported, and what woke it is found."""
        with tempfile.TemporaryDirectory() as folder:
            names = [os.path.realpath(Path(folder) / name) for name in ("first", "second")]
            target = Target.begin(sys.executable, "-I", "-S", "-c", _RECEIVER, *names)
            tracer = self.attach_to(target.pid)
            now = tracer.await_now(target.pid, "epoll_wait")
            self.assertEqual((target.pid, Doing.IN_CALL), (now.pid, now.doing))
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                for text in (b"1", b"2", b"end"):
                    sender.sendto(text, names[1])
            self.assertEqual(42, target.end())
            delta = tracer.finish().delta
        rows = total(delta, lambda key, info: (key.call, info.name) == ("epoll_wait", names[1]))
        self.assertGreaterEqual(rows.count, 1)
        # Attaching with ptrace lets it fail with EINTR once.
        polled = delta.calls["epoll_wait"]
        self.assertEqual(polled.count - polled.errors, rows.count)
        received = total(delta, lambda key, info: (key.call, info.name) == ("recvfrom", names[1]))
        self.assertEqual((3, 5), (received.count, received.bytes_in))
        # The wait was in progress for some of its time only.
        self.assertGreater(sum(tally.times.waiting_ns for tally in delta.threads.values()), 0)
        self.assertEqual({}, dict(delta.now.threads))

    def test_asleep(self) -> None:
        """What a thread that was asleep before attaching waits for is a sleep."""
        target = subprocess.Popen(["sleep", "600"])
        self.addCleanup(target.wait)
        self.addCleanup(target.kill)
        wait_for(lambda: "nanosleep" in Path(f"/proc/{target.pid}/wchan").read_text())
        tracer = self.attach_to(target.pid)
        # With ptrace it is continued, by another call.
        tracer.await_now(target.pid, "clock_nanosleep", "restart_syscall")
        target.kill()
        delta = tracer.finish().delta
        waits = delta.threads[target.pid].times.waiting
        longest = max(waits, key=waits.__getitem__)
        self.assertIs(ObjectKind.SLEEP, delta.objects[longest.object].kind)

    def test_opening(self) -> None:
        """A thread that waits until a FIFO is opened by another one is reported with its path."""
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.realpath(Path(folder) / "fifo")
            os.mkfifo(fifo)
            tracer = self.start("cat", fifo)
            now = tracer.await_now(tracer.await_start().process.pid, "openat")
            self.assertIn("fifo", now.args)
            os.close(os.open(fifo, os.O_WRONLY))
            delta = tracer.finish().delta
        self.assertEqual(fifo, delta.objects[now.object].name)
        rows = total(delta, lambda key, info: (key.call, info.name) == ("openat", fifo))
        self.assertEqual((1, 1), (rows.count, rows.waits))

    def test_blocked(self) -> None:
        """A thread that is blocked is reported with object and arguments, and then no longer."""
        tracer, write_end = self.start_with_pipe("cat")
        pid = tracer.await_start().process.pid
        now = tracer.await_now(pid, "read")
        self.assertTrue(now.args.startswith("0, "), now.args)
        self.assertIsNotNone(now.since_ns)
        os.close(write_end)
        delta = tracer.finish().delta
        self.assertIs(ObjectKind.PIPE, delta.objects[now.object].kind)
        self.assertEqual({}, dict(delta.now.threads))
        # The log tells how long the call took, and that it waited.
        (entry,) = (
            entry
            for entry in delta.log
            if entry.name == "read" and entry.ret == "0" and entry.object == now.object
        )
        self.assertTrue(entry.waited)
        (slow,) = (call for call in delta.slowest.overall if call.time_ns == entry.time_ns)
        self.assertEqual((entry.duration_ns, entry.args), (slow.duration_ns, slow.args))
