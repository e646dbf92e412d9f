"""Tests of the grammar of one line."""

import tracemalloc

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.stracelog.grammar import (
    LoggedCall,
    MissingCalls,
    ModeChange,
    OtherLine,
    ParsedLine,
    ResumedCall,
    ThreadEnd,
    UnfinishedCall,
    UnknownLine,
    parse_line,
    time_of,
)
from tests import tracelines

_CLOSED = LoggedCall(0, b"", "close", b"3", b"0", "", None, returned=True)


def call(name: str, args: bytes, ret: bytes, **more: object) -> LoggedCall:
    """Return a call that returned, without prefix and duration unless they are given."""
    plain = attrs.evolve(_CLOSED, name=name, args=args, ret=ret)
    return attrs.evolve(plain, **more)  # type: ignore[arg-type]


LINES: dict[bytes, ParsedLine] = {
    # Prefixes.
    b"close(3) = 0": _CLOSED,
    b"4711  close(3) = 0": attrs.evolve(_CLOSED, pid=4711),
    b"4711<sh> close(3) = 0": attrs.evolve(_CLOSED, pid=4711),
    b"[pid  4711] close(3) = 0": attrs.evolve(_CLOSED, pid=4711),
    b"[pid  4711<cat>] close(3) = 0": attrs.evolve(_CLOSED, pid=4711),
    b"[pid 41] 09:08:07 close(3) = 0": attrs.evolve(_CLOSED, pid=41, time=b"09:08:07"),
    b"09:08:07 close(3) = 0": attrs.evolve(_CLOSED, time=b"09:08:07"),
    b"41 09:08:07.000001 close(3) = 0": attrs.evolve(_CLOSED, pid=41, time=b"09:08:07.000001"),
    b"41 1700000000.000001 close(3) = 0": attrs.evolve(_CLOSED, pid=41, time=b"1700000000.000001"),
    b"1700000000.000000001 close(3) = 0": attrs.evolve(_CLOSED, time=b"1700000000.000000001"),
    b"1700000000 close(3) = 0": attrs.evolve(_CLOSED, time=b"1700000000"),
    b"     0.000123 close(3) = 0": attrs.evolve(_CLOSED, time=b"0.000123"),
    b"41      0.000123 close(3) = 0": attrs.evolve(_CLOSED, pid=41, time=b"0.000123"),
    b"41 09:08:07.123456789 (+     0.000012) close(3) = 0": attrs.evolve(
        _CLOSED, pid=41, time=b"09:08:07.123456789"
    ),
    b"[   3] close(3) = 0": _CLOSED,
    b"[00007f0c2a9d6abc] close(3) = 0": _CLOSED,
    b"[????????????????] close(3) = 0": _CLOSED,
    # A call of number -1, with -n and -i.
    b"[???] [00007fc19f08f829] close(3) = 0": _CLOSED,
    b"41 [   3] [00007f0c2a9d6abc] close(3) = 0": attrs.evolve(_CLOSED, pid=41),
    # Padding and durations.
    b"close(3)                                = 0": _CLOSED,
    b"close(3) = 0 <0.000012>": attrs.evolve(_CLOSED, duration_ns=12_000),
    b"close(3) = 0 <12.000000345>": attrs.evolve(_CLOSED, duration_ns=12_000_000_345),
    b"close(3) = 0 <2>": attrs.evolve(_CLOSED, duration_ns=2_000_000_000),
    # Arguments that look like something else.
    b'write(1, ") = 7 <0.000001>", 14) = 14': call("write", b'1, ") = 7 <0.000001>", 14', b"14"),
    b'write(1, "\\") = 7", 6) = 6': call("write", b'1, "\\") = 7", 6', b"6"),
    b'write(1, "a\\\\", 2) = 2': call("write", b'1, "a\\\\", 2', b"2"),
    b'write(1, "<unfinished ...>", 16) = 16': call("write", b'1, "<unfinished ...>", 16', b"16"),
    b'execve("/bin/true", ["true", "(", "\\")"], 0x7ff /* 3 vars (x) */) = 0': call(
        "execve", b'"/bin/true", ["true", "(", "\\")"], 0x7ff /* 3 vars (x) */', b"0"
    ),
    b'stat("/dev/null", {st_mode=S_IFCHR|0666, st_rdev=makedev(0x1, 0x3), ...}) = 0': call(
        "stat", b'"/dev/null", {st_mode=S_IFCHR|0666, st_rdev=makedev(0x1, 0x3), ...}', b"0"
    ),
    b"capset({version=1}, {effective=1<<CAP_CHOWN|1<<CAP_KILL}) = 0": call(
        "capset", b"{version=1}, {effective=1<<CAP_CHOWN|1<<CAP_KILL}", b"0"
    ),
    b"ioctl(1</dev/pts/0<char 136:0>>, TCGETS, {c_line=0}) = 0": call(
        "ioctl", b"1</dev/pts/0<char 136:0>>, TCGETS, {c_line=0}", b"0"
    ),
    b"close(3</tmp/a) = 1>) = 0": call("close", b"3</tmp/a) = 1>", b"0"),
    b"dup2(3</tmp/a->, 4</tmp/b->) = 4</tmp/b->": call(
        "dup2", b"3</tmp/a->, 4</tmp/b->", b"4</tmp/b->"
    ),
    b"getpid() = 41": call("getpid", b"", b"41"),
    # Results.
    b"brk(NULL) = 0x55d0c1a5e000": call("brk", b"NULL", b"0x55d0c1a5e000"),
    b'open("/nope", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000020>': call(
        "open", b'"/nope", O_RDONLY', b"-1", errno="ENOENT", duration_ns=20_000
    ),
    b'openat(AT_FDCWD</tmp>, "x", O_RDONLY) = 3</tmp/x>': call(
        "openat", b'AT_FDCWD</tmp>, "x", O_RDONLY', b"3</tmp/x>"
    ),
    b'memfd_create("m", 0) = 3</memfd:m>(deleted)': call(
        "memfd_create", b'"m", 0', b"3</memfd:m>(deleted)"
    ),
    b"accept(3<TCP:[127.0.0.1:80]>, NULL, NULL) = 4<TCP:[127.0.0.1:80->127.0.0.1:4]>": call(
        "accept", b"3<TCP:[127.0.0.1:80]>, NULL, NULL", b"4<TCP:[127.0.0.1:80->127.0.0.1:4]>"
    ),
    b"poll([{fd=3, events=POLLIN}], 1, 0) = 0 (Timeout)": call(
        "poll", b"[{fd=3, events=POLLIN}], 1, 0", b"0 (Timeout)"
    ),
    b"poll([{fd=3, events=POLLIN}], 1, -1) = 1 ([{fd=3, revents=POLLIN}]) <0.5>": call(
        "poll",
        b"[{fd=3, events=POLLIN}], 1, -1",
        b"1 ([{fd=3, revents=POLLIN}])",
        duration_ns=500_000_000,
    ),
    b"select(4, [3], NULL, NULL, {tv_sec=1}) = 1 (in [3], left {tv_sec=0, tv_usec=999})": call(
        "select",
        b"4, [3], NULL, NULL, {tv_sec=1}",
        b"1 (in [3], left {tv_sec=0, tv_usec=999})",
    ),
    b"fcntl(1, F_GETFL) = 0x8002 (flags O_RDWR|O_LARGEFILE)": call(
        "fcntl", b"1, F_GETFL", b"0x8002 (flags O_RDWR|O_LARGEFILE)"
    ),
    b"fcntl(1, F_GETFD) = 0x1 (flags FD_CLOEXEC) <0.000004>": call(
        "fcntl", b"1, F_GETFD", b"0x1 (flags FD_CLOEXEC)", duration_ns=4000
    ),
    b"umask(022) = 002": call("umask", b"022", b"002"),
    b"read(0, 0x7ffe, 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)": call(
        "read", b"0, 0x7ffe, 1", b"?", errno="ERESTARTSYS"
    ),
    b"foo(1) = -1 (errno 999)": call("foo", b"1", b"-1", errno="ERRNO_999"),
    b"syscall_0x1ff(0, 0x1, 0x2) = -1 ENOSYS (Function not implemented)": call(
        "syscall_0x1ff", b"0, 0x1, 0x2", b"-1", errno="ENOSYS"
    ),
    b"restart_syscall(<... resuming interrupted nanosleep ...>) = 0 <1.5>": call(
        "restart_syscall",
        b"<... resuming interrupted nanosleep ...>",
        b"0",
        duration_ns=1_500_000_000,
    ),
    b"rt_sigreturn({mask=[]}) = 0": call("rt_sigreturn", b"{mask=[]}", b"0"),
    b"exit_group(0) = ?": call("exit_group", b"0", b"?", returned=False),
    b"pause() = ? <unavailable>": call("pause", b"", b"? <unavailable>"),
    # Halves.
    b"41 read(3,  <unfinished ...>": UnfinishedCall(41, b"", "read", b"3, "),
    b"41 pause( <unfinished ...>": UnfinishedCall(41, b"", "pause", b""),
    b'41 write(1, "a", 1 <unfinished ...>': UnfinishedCall(41, b"", "write", b'1, "a", 1'),
    b'41 execve("/bin/true", ["true"], 0x7ff /* 3 vars */ <pid changed to 40 ...>': UnfinishedCall(
        41, b"", "execve", b'"/bin/true", ["true"], 0x7ff /* 3 vars */', moves=True
    ),
    b"41 wait4(-1,  <detached ...>": UnfinishedCall(41, b"", "wait4", b"-1, "),
    b"41 clone(child_stack=NULLstrace: Process 42 attached": UnfinishedCall(
        41, b"", "clone", b"child_stack=NULL"
    ),
    b"clock_nanosleep(CLOCK_REALTIME, 0, 0x7ffd, strace: Process 42 attached": UnfinishedCall(
        0, b"", "clock_nanosleep", b"CLOCK_REALTIME, 0, 0x7ffd, "
    ),
    b'41 <... read resumed>"hello", 512) = 5 <0.003127>': ResumedCall(
        41, b"", "read", b'"hello", 512) = 5 <0.003127>'
    ),
    b"41 09:08:07 <... wait4 resumed>) = 42": ResumedCall(41, b"09:08:07", "wait4", b") = 42"),
    b"[pid    41] <... futex resumed>) = 0": ResumedCall(41, b"", "futex", b") = 0"),
    # The ends of threads.
    b"41 +++ exited with 0 +++": ThreadEnd(41, b"", None, "exited with 0", 0),
    b"41 +++ killed by SIGKILL +++": ThreadEnd(41, b"", None, "killed by SIGKILL", -9),
    b"+++ killed by SIGSEGV (core dumped) +++": ThreadEnd(0, b"", None, "killed by SIGSEGV", -11),
    b"41 09:08:07 +++ superseded by execve in pid 43 +++": ThreadEnd(41, b"09:08:07", 43),
    # Other lines of strace.
    b"": OtherLine(b""),
    b"41 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=42} ---": OtherLine(b""),
    b"--- stopped by SIGSTOP ---": OtherLine(b""),
    b" | 00000  68 69 0a                                          hi.              |": OtherLine(
        b""
    ),
    b" * 3 bytes in buffer 0": OtherLine(b""),
    b" = 1 buffers in vector 0": OtherLine(b""),
    b"???()                    = ?": OtherLine(b""),
    b"12 ???( <unfinished ...>": OtherLine(b""),
    b"12 <... ??? resumed>)                = ?": OtherLine(b""),
    b"strace: Process 42 attached": OtherLine(b""),
    b"strace: Process 41 detached": OtherLine(b""),
    b"[ Process PID=41 runs in 32 bit mode. ]": ModeChange(b"", "i386"),
    b" > /usr/lib/libc.so.6(__open64+0x56) [0xf2e46]": OtherLine(b""),
    b"% time     seconds  usecs/call     calls    errors syscall": OtherLine(b""),
    b"------ ----------- ----------- --------- --------- ----------------": OtherLine(b""),
    b" 33.33    0.000123          12        10         2 openat": OtherLine(b""),
    b"100.00    0.000369           3       101        12 total": OtherLine(b""),
    b"System call usage summary for 32 bit mode:": OtherLine(b""),
    # Calls that syswatch had to drop.
    b"41    1700000000.000000 --- 17 calls missing ---": MissingCalls(b"1700000000.000000", 17, 41),
    b"41    1700000000.000000 --- some calls missing ---": OtherLine(b"1700000000.000000"),
    b"41    1700000000.000000 --- 1234567890 calls missing ---": OtherLine(b"1700000000.000000"),
    # Lines that strace does not write.
    b"Hello, world": UnknownLine(),
    b"close(3)": UnknownLine(),
    b"close(3) = ": UnknownLine(),
    b"close(3) = zero": UnknownLine(),
    b'41 close(3, "': UnknownLine(),
    b"\x00\x01\x02": UnknownLine(),
    b"\xff\xfe(3) = 0": UnknownLine(),
}


class LineTests(SynchronousTestCase):
    """Every form of a line."""

    def test_lines(self) -> None:
        """Every line of the table is parsed as the table says."""
        for line, expected in LINES.items():
            self.assertEqual(expected, parse_line(line), line)

    @given(tracelines.logs())
    def test_generated(self, lines: list[bytes]) -> None:
        """A call with any strings, structures and decorations is complete."""
        for line in lines:
            self.assertIsInstance(parse_line(line), LoggedCall, str(line))

    @given(tracelines.names, tracelines.arguments_lists, tracelines.results)
    def test_exact(self, name: bytes, args: bytes, result: bytes) -> None:
        """Name and arguments are parsed as they were written."""
        line = name + b"(" + args + b") = " + result + b" <0.000001>"

        parsed = parse_line(line)

        self.assertIsInstance(parsed, LoggedCall, str(line))
        if isinstance(parsed, LoggedCall):
            self.assertEqual((name.decode(), args), (parsed.name, parsed.args), line)
            self.assertEqual(1000, parsed.duration_ns)

    @given(st.binary(max_size=100))
    def test_any_bytes(self, line: bytes) -> None:
        """No bytes raise an error."""
        self.assertIsInstance(parse_line(line), ParsedLine)
        self.assertIsInstance(time_of(line), bytes)

    def test_huge_numbers(self) -> None:
        """Numbers of too many digits are not parsed as numbers."""
        digits = b"9" * 5000
        for line in (
            digits + b" close(3) = 0",
            digits + b".5 close(3) = 0",
            b"[pid " + digits + b"] close(3) = 0",
            b"1 +++ superseded by execve in pid " + digits + b" +++",
        ):
            self.assertIsInstance(parse_line(line), UnknownLine | ThreadEnd, str(line[:20]))
        self.assertIsInstance(parse_line(b"close(3) = 0 <" + digits + b">"), UnknownLine)


class HostileTests(SynchronousTestCase):
    """Lines that are designed to be slow."""

    def test_linear_time(self) -> None:
        """A megabyte of unclosed parts is parsed in linear time."""
        for motif in (
            *(b"/*", b'"', b'\\"', b'"\\', b"<", b"1<", b"(", b"()", b") = 1<", b") = 1 <"),
            *(b"1<->", b"1<->0", b"D<a->", b"1<<a>", b"1<a<b>", b"[1->2]", b" <0.1", b"   "),
            *(b"<ptrace(a):", b"<pid changed to 1", b" <unfinished ...", b"1.1 ", b"E", b"-"),
        ):
            for head in (b"f(", b'openat(AT_FDCWD, "', b"<... f resumed>", b""):
                # With a quadratic expression this would take hours.
                parse_line(head + motif * (1_000_000 // len(motif)))


class MemoryTests(SynchronousTestCase):
    """Memory for long lines."""

    def test_many_repetitions(self) -> None:
        """A million escapes or arrows take no extra memory in the expressions."""
        for line in (b'1 a("' + b'\\"' * 1_000_000, b"1 a(3<" + b"->0" * 1_000_000):
            tracemalloc.start()
            self.addCleanup(tracemalloc.stop)
            parse_line(line)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()

            self.assertLess(peak, 8 * len(line))
