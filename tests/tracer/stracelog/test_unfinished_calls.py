"""Tests of joining the halves of unfinished calls."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.stracelog.grammar import LoggedCall, parse_line
from syswatch.tracer.stracelog.unfinished_calls import (
    MOST_PENDING,
    MOST_PENDING_BYTES,
    UnfinishedCalls,
)


def feed(unfinished: UnfinishedCalls, *lines: bytes) -> list[LoggedCall]:
    """Return the calls that some lines are, or that they complete."""
    calls = (unfinished.feed(line, parse_line(line)) for line in lines)
    return [call for call in calls if call is not None]


class UnfinishedCallsTests(SynchronousTestCase):
    """Joining of halves."""

    def test_interleaved(self) -> None:
        """Halves are joined by thread."""
        one, two = feed(
            UnfinishedCalls(),
            b"1 read(3,  <unfinished ...>",
            b"2 read(4,  <unfinished ...>",
            b'2 <... read resumed>"b", 1) = 1',
            b'1 <... read resumed>"aa", 2) = 2',
        )

        self.assertEqual((2, b'4, "b", 1', b"1"), (one.pid, *_said(one)))
        self.assertEqual((1, b'3, "aa", 2', b"2"), (two.pid, *_said(two)))

    def test_far_apart(self) -> None:
        """Any number of lines may be between the halves."""
        unfinished = UnfinishedCalls()
        feed(unfinished, b"1 wait4(-1,  <unfinished ...>")
        feed(unfinished, *[b"2 close(3) = 0"] * 50_000)

        (call,) = feed(unfinished, b"1 <... wait4 resumed>NULL, 0, NULL) = 2 <9.5>")

        self.assertEqual((b"-1, NULL, 0, NULL", b"2"), _said(call))

    def test_pid_only_in_one_half(self) -> None:
        """Strace prints a PID only while it traces several processes."""
        (resumed_alone,) = feed(
            UnfinishedCalls(),
            b"[pid    7] wait4(-1,  <unfinished ...>",
            b"[pid    8] +++ exited with 0 +++",
            b"<... wait4 resumed>NULL, 0, NULL) = 8",
        )
        (begun_alone,) = feed(
            UnfinishedCalls(),
            b"wait4(-1,  <unfinished ...>",
            b"strace: Process 8 attached",
            b"[pid    7] <... wait4 resumed>NULL, 0, NULL) = 8",
        )

        self.assertEqual("wait4", resumed_alone.name)
        self.assertEqual((7, b"8"), (begun_alone.pid, begun_alone.ret))

    def test_another_call(self) -> None:
        """Halves of calls of different names are not joined."""
        calls = feed(
            UnfinishedCalls(), b"1 read(3,  <unfinished ...>", b"1 <... write resumed>) = 1"
        )

        self.assertEqual([b""], [call.args for call in calls])

    def test_execve_by_another_thread(self) -> None:
        """An execve by a thread is completed under the PID of the leader."""
        (call,) = feed(
            UnfinishedCalls(),
            b"40 pause( <unfinished ...>",
            b'41 execve("/bin/true", ["true"], NULL <unfinished ...>',
            b"40 <... pause resumed>) = ?",
            b"40 +++ superseded by execve in pid 41 +++",
            b"40 <... execve resumed>) = 0",
        )[1:]

        self.assertEqual((40, "execve"), (call.pid, call.name))
        self.assertEqual((b'"/bin/true", ["true"], NULL', b"0"), _said(call))

    def test_pid_changed(self) -> None:
        """The change of the PID may be on the line of the call itself."""
        (call,) = feed(
            UnfinishedCalls(),
            b'41 execve("/bin/true", ["true"], NULL <pid changed to 40 ...>',
            b"40 +++ superseded by execve in pid 41 +++",
            b"40 <... execve resumed>) = 0",
        )

        self.assertEqual((40, b"0"), (call.pid, call.ret))

    def test_killed_thread(self) -> None:
        """The call of a thread that was killed never returns, even if its PID is reused."""
        unfinished = UnfinishedCalls()
        feed(unfinished, b"1 read(3,  <unfinished ...>", b"1 +++ killed by SIGKILL +++")

        (call,) = feed(unfinished, b"1 <... read resumed>) = 0")

        self.assertEqual(b"", call.args)
        self.assertEqual([], list(unfinished.halves()))

    def test_message_within_a_call(self) -> None:
        """A message of strace may split a line; the call continues on the next one."""
        (call,) = feed(
            UnfinishedCalls(),
            b"clone(child_stack=NULL, flags=SIGCHLDstrace: Process 42 attached",
            b", child_tidptr=0x7f2a) = 42",
        )

        self.assertEqual(
            (b"child_stack=NULL, flags=SIGCHLD, child_tidptr=0x7f2a", b"42"), _said(call)
        )

    def test_rest_on_the_next_line(self) -> None:
        """With -z, strace keeps both halves until the result is known, and repeats no PID."""
        begun, rest = b"1 clock_nanosleep(0, 0, {},  <unfinished ...>", b"NULL)  = 0 <0.000586>"
        (call,) = feed(UnfinishedCalls(), begun, rest)

        self.assertEqual((1, 586_000), (call.pid, call.duration_ns))
        self.assertEqual((b"0, 0, {}, NULL", b"0"), _said(call))

    def test_not_the_rest(self) -> None:
        """A line that another one precedes, or that ends no call, is not the rest of a half."""
        begun, rest = b"1 getpid( <unfinished ...>", b")  = 1"
        for others in ((b"2 close(3) = 0",), (b"2 <... close resumed>) = 0",), (b"what?",)):
            unfinished = UnfinishedCalls()
            calls = feed(unfinished, begun, *others, rest)

            self.assertNotIn("getpid", [call.name for call in calls])
            self.assertEqual(["getpid"], [half.name for _, half in unfinished.halves()])

    def test_message_before_a_resumed_half(self) -> None:
        """If another thread's line follows the message, the call is resumed later."""
        first, second = feed(
            UnfinishedCalls(),
            b"[pid 41] clone(child_stack=NULLstrace: Process 42 attached",
            b"[pid 42] close(3) = 0",
            b"[pid 41] <... clone resumed>, child_tidptr=0x7f2a) = 42",
        )

        self.assertEqual(("close", "clone"), (first.name, second.name))
        self.assertEqual((b"child_stack=NULL, child_tidptr=0x7f2a", b"42"), _said(second))

    def test_number_of_halves_is_bounded(self) -> None:
        """The number of pending halves is limited; the oldest are dropped."""
        unfinished = UnfinishedCalls()
        for pid in range(MOST_PENDING + 10):
            feed(unfinished, b"%d read(3,  <unfinished ...>" % pid)

        halves = list(unfinished.halves())

        self.assertEqual(MOST_PENDING, len(halves))
        self.assertEqual((10, 10), (halves[0][0], halves[0][1].pid))

    def test_search_is_bounded(self) -> None:
        """A half without a PID is searched for among few pending halves only."""
        unfinished = UnfinishedCalls()
        for pid in range(1, 1000):
            feed(unfinished, b"%d read(3,  <unfinished ...>" % pid)
        feed(unfinished, b"1000 pause( <unfinished ...>")

        (call,) = feed(unfinished, b"<... pause resumed>) = 0")

        self.assertEqual(0, call.pid)
        self.assertEqual(1000, len(list(unfinished.halves())))

    def test_size_of_halves_is_bounded(self) -> None:
        """The size of all pending halves is limited."""
        unfinished = UnfinishedCalls()
        for pid in range(40):
            feed(unfinished, b'%d write(1, "%s", 9 <unfinished ...>' % (pid, b"x" * 1_000_000))

        halves = list(unfinished.halves())

        self.assertLessEqual(sum(len(half.text) for _, half in halves), MOST_PENDING_BYTES)
        self.assertEqual(39, halves[-1][0])


def _said(call: LoggedCall) -> tuple[bytes, bytes]:
    return call.args, call.ret
