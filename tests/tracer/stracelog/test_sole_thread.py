"""Tests that a line without a PID is that of the only thread."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.stracelog.lines import Chunk, Overlong
from syswatch.tracer.stracelog.sole_thread import SoleThread, has_pids, program_pid

_START = b"""\
execve("/usr/sbin/daemon", ["daemon"], 0x7f /* 3 vars */) = 0
set_tid_address(0x7f0a) = 70
clone(child_stack=NULL, flags=SIGCHLDstrace: Process 71 attached
 <unfinished ...>
[pid 71] setsid( <unfinished ...>
[pid 70] <... clone resumed>) = 71
[pid 71] <... setsid resumed>) = 71
"""
_END = b"""\
[pid 70] exit_group(0) = ?
[pid 70] +++ exited with 0 +++
"""
_SOLE = b"""\
12:00:00.000001 accept(3, NULL, NULL) = 4
  0.000012 [ 42] [00007f0000000000] read(4, "", 8) = 0
daemon: ready
NULL, 0) = 3
--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER, si_pid=1, si_uid=0} ---
+++ killed by SIGTERM +++
"""
_SOLE_WITH_PID = b"""\
[pid 71] 12:00:00.000001 accept(3, NULL, NULL) = 4
[pid 71]   0.000012 [ 42] [00007f0000000000] read(4, "", 8) = 0
daemon: ready
NULL, 0) = 3
[pid 71] --- SIGTERM {si_signo=SIGTERM, si_code=SI_USER, si_pid=1, si_uid=0} ---
[pid 71] +++ killed by SIGTERM +++
"""


def _completed(log: bytes, program: int) -> bytes:
    """Return a log, of which each line is a piece, with the PIDs that are known."""
    sole = SoleThread(program)
    pieces = [Chunk(line) for line in log.removesuffix(b"\n").split(b"\n")]
    completed = [each for piece in pieces for each in sole.receive(piece)]
    completed += sole.settle()
    return b"".join(each.lines + b"\n" for each in completed if isinstance(each, Chunk))


class ProgramTests(SynchronousTestCase):
    """The PID of the program in the first lines of a log."""

    def assert_program(self, pid: int, log: bytes) -> None:
        """Check which PID is found."""
        self.assertEqual(pid, program_pid(log.split(b"\n")))

    def test_own_tid(self) -> None:
        """The C library and the runtime of Go ask for it."""
        self.assert_program(70, _START)
        self.assert_program(7, b"1.5 brk(NULL) = 0x5\n1.6 gettid() = 7 <0.1>\n")

    def test_namespace(self) -> None:
        """The PID that strace itself sees is a comment."""
        self.assert_program(70, b"set_tid_address(0x7f0a) = 2 /* 70 in strace's PID NS */\n")

    def test_brackets(self) -> None:
        """Of two threads, the one that was not announced is the program."""
        log = b"brk(NULL) = 0x5\nstrace: Process 71 attached\n[pid 71] getpid() = 71\n"
        self.assert_program(0, log)
        self.assert_program(70, log + b"[pid 70] close(3) = 0\n")

    def test_attached(self) -> None:
        """What is announced first was attached to."""
        self.assert_program(70, b"strace: Process 70 attached\nclose(3) = 0\n")
        self.assert_program(70, b"strace: Process 70 attached with 3 threads\n[pid 71] pause(")

    def test_own_output(self) -> None:
        """What the program prints, or reads, tells nothing."""
        self.assert_program(0, b'set_tid_address\nread(3, "gettid() = 5", 12) = 12\n[pid x] a')

    def test_each_line(self) -> None:
        """A file of `strace -f -o` has a PID on each line."""
        for log, has in ((b"70 execve(", True), (b"7 12:00:00 brk(", True), (b"", False)):
            self.assertEqual(has, has_pids(log.split(b"\n")), log)
        for log in (_START, b"12:00:00 brk(", b"  0.00001 brk(", b"1700000000 brk(", b"a\nbrk("):
            self.assertFalse(has_pids(log.split(b"\n")), log)


class SoleThreadTests(SynchronousTestCase):
    """Lines without a PID."""

    def test_daemon(self) -> None:
        """When the program has ended, they are those of its child."""
        self.assertEqual(
            _START + _END + _SOLE_WITH_PID, _completed(_START + _END + _SOLE, program=70)
        )

    def test_quiet(self) -> None:
        """`strace -q` does not tell which threads there are; `-qq` not even how they ended."""
        start = _START.replace(b"strace: Process 71 attached\n", b"")
        for end in (_END, _END.splitlines(keepends=True)[0], b"[pid 70] <... exit resumed>) = ?\n"):
            log = start + end + _SOLE
            self.assertEqual(start + end + _SOLE_WITH_PID, _completed(log, program=70))

    def test_program(self) -> None:
        """Those of the program are left as they are: whose they are is known."""
        log = _START + b"[pid 71] +++ exited with 0 +++\n" + _SOLE
        self.assertEqual(log, _completed(log, program=70))

    def test_several(self) -> None:
        """As long as it is not known who is left, they are of the one before."""
        log = _START + b"strace: Process 72 attached\n" + _END + _SOLE
        self.assertEqual(log, _completed(log, program=70))
        log = log.replace(_SOLE, b"[pid 72] +++ exited with 1 +++\n" + _SOLE)
        self.assertEqual(log.replace(_SOLE, _SOLE_WITH_PID), _completed(log, program=70))

    def test_held_back(self) -> None:
        """The first lines wait for the one that tells the PID."""
        sole = SoleThread(0)
        execve, own, *_ = _START.split(b"\n")
        self.assertEqual((), sole.receive(Chunk(execve)))
        self.assertEqual((), sole.receive(Overlong(b"x")))
        self.assertEqual(
            [Chunk(b"[pid 70] " + execve), Overlong(b"x"), Chunk(b"[pid 70] " + own)],
            sole.receive(Chunk(own)),
        )

    def test_never_told(self) -> None:
        """They do not wait forever, and a child alone does not become the program."""
        for begin in (b"brk(NULL) = 0x5\n", b"x" * 2_000_000 + b"\n"):
            sole = SoleThread(0)
            held = [*sole.receive(Chunk(begin)), *sole.settle()]
            self.assertEqual([Chunk(begin)], held)
            attached = Chunk(b"strace: Process 71 attached\nclose(3) = 0")
            self.assertEqual((attached,), sole.receive(attached))
