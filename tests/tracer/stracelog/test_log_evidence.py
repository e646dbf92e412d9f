"""Tests of the evidence of logs: from lines, and from those of strace for a real program."""

import socket
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.model.evidence import Evidence, EvidenceKey
from syswatch.model.messages import FilterOptions, RunCommand, TraceOptions
from syswatch.tracer.naming import machine
from syswatch.tracer.stracelog.log_filter import LogFilter
from syswatch.tracer.stracelog.log_symbols import number_of
from tests.reading import condense, read_logs, total
from tests.tracer.evidence import Seen, seen
from tests.tracer.harness import run
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing

_FILTER = LogFilter(FilterOptions(profile=True))
_DEPEND_ON_TIMING = frozenset({"futex", "madvise", "munmap"})
_REFUSED = (
    b"7 --- SIGSYS {si_signo=SIGSYS, si_code=SYS_SECCOMP, si_call_addr=0x7f, "
    b"si_syscall=__NR_getppid, si_arch=AUDIT_ARCH_X86_64} ---\n"
)


def evidence_of(text: bytes) -> Evidence:
    """Return the evidence of the lines of a log."""
    return condense(text.removesuffix(b"\n"), filter=_FILTER).evidence


def counts(text: bytes) -> Mapping[EvidenceKey, int]:
    """Return the counts of evidence."""
    return {key: tally.count for key, tally in evidence_of(text).items()}


class LineTests(SynchronousTestCase):
    """Lines as strace writes them."""

    def test_in_progress(self) -> None:
        """A call in which a process is when the log ends was made, too."""
        for log in (
            b"7 getpid() = 7\n8 accept4(3,  <unfinished ...>\n7 getpid() = 7\n",
            b"8 1700000000.1 accept4(3,  <unfinished ...>\n",
            b"8 accept4(3,  <unfinished ...>) = ?\n",
        ):
            names = Counter({key.call: count for key, count in counts(log).items()})
            self.assertEqual(1, names["accept4"], log)

    def assert_values(self, line: bytes, *values: int) -> None:
        """Check the values of a call."""
        (key,) = evidence_of(line)
        self.assertEqual(values, key.values, line)

    def test_values(self) -> None:
        """Names, flags and numbers are the bits that matter."""
        self.assert_values(b"socket(AF_INET6, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_TCP) = 3", 10, 1, 6)
        self.assert_values(b"socket(0x4d /* AF_??? */, SOCK_RAW, 0) = -1 EINVAL (Inv)", 77, 3, 0)
        self.assert_values(b"socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) = 3", 16, 3, 0)
        self.assert_values(b"clone(child_stack=NULL, flags=CLONE_NEWNET|SIGCHLD) = 9", 0x40000000)
        self.assert_values(b"unshare(CLONE_NEWNS|CLONE_FS) = 0", 0x20000)
        self.assert_values(b"setns(3</proc/1/ns/net>, 0) = 0", 0)
        self.assert_values(b"ioctl(1</a, b>, TIOCGWINSZ, {ws_row=1}) = 0", 0x5413)
        self.assert_values(b"ioctl(1, SNDCTL_TMR_START or TCSETS, {c_iflags=0}) = 0", 0x5402)
        self.assert_values(
            b"ioctl(-1, _IOC(_IOC_READ|_IOC_WRITE, 0x54, 0x1, 0x4), 0) = 0", 0xC0045401
        )
        self.assert_values(b'prctl(PR_SET_NAME, "a, b") = 0', 15)
        self.assert_values(b"personality(0xffffffff) = 0 (PER_LINUX)", 0xFFFFFFFF)
        self.assert_values(b"mmap(NULL, 8, PROT_READ|PROT_EXEC, MAP_PRIVATE, 3, 0) = 0x7f", 4)
        self.assert_values(b"setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0", 1, 2)
        self.assert_values(b"fcntl(3, F_DUPFD_CLOEXEC, 0) = 4", 1030)
        self.assert_values(b"shmat(1, NULL, SHM_RDONLY|SHM_EXEC) = 0x7f", 0x8000)
        self.assert_values(b"socket(0x2, 0x80001, 0x6) = 0x3", 2, 1, 6)

    def test_unknown(self) -> None:
        """A call whose arguments can't be read as numbers is counted without values."""
        for line in (
            b"socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)) = 3",
            b"ioctl(1, SOME_NEW_REQUEST, 0) = 0",
            b"ioctl(1) = 0",
            b"ioctl(1, _IOC(_IOC_SIDEWAYS, 0x54, 0x1, 0x4), 0) = 0",
            b"fcntl(3, 0123) = 0",
        ):
            self.assert_values(line)

    def test_programs(self) -> None:
        """A process has the program that it has executed, or that of its creator."""
        text = (
            b'5 execve("/usr/bin/a-very-long-program-name", ["a"], 0x7f /* 3 vars */) = 0\n'
            b"5 clone(child_stack=NULL, flags=SIGCHLD) = 6\n"
            b"6 getpid() = 6\n"
            b'6 execve("/bin/no", ["no"], 0x7f) = -1 ENOENT (No such file or directory)\n'
            b'6 execve("/bin/sh", ["sh"], 0x7f) = 0\n'
            b"6 getpid() = 6\n"
            b"9 getpid() = 9\n"
        )
        programs = Counter(key.program for key in evidence_of(text) if key.call == "getpid")
        self.assertEqual({"a-very-long-pro": 1, "sh": 1, "": 1}, programs)

    def test_executed_before(self) -> None:
        """A child may have executed a program before the line of its parent."""
        found = counts(
            b'10 execve("/bin/make", ["make"], 0x7f) = 0\n10 vfork( <unfinished ...>\n'
            b'11 execve("/bin/cat", ["cat"], 0x7f) = 0\n10 <... vfork resumed>) = 11\n'
            b"11 getuid() = 0\n"
        )
        self.assertEqual(["cat"], [key.program for key in found if key.call == "getuid"])

    def test_refused(self) -> None:
        """A signal of a filter refuses the call before it, whichever lines are between them."""
        text = b"7 getppid() = 110\n8 getppid() = 1\n" + _REFUSED + b"7 getppid() = 1\n"

        key = EvidenceKey("getppid")
        self.assertEqual({key: 2, key._replace(refused=True): 1}, counts(text))

    def test_killed(self) -> None:
        """So does the end by SIGSYS, if the result of the last call is its number."""
        text = b"7 getppid() = 110\n7 +++ killed by SIGSYS +++\n"
        self.assertEqual({EvidenceKey("getppid", refused=True): 1}, counts(text))
        text = b"7 read(3, 0x7f, 9) = 9\n7 +++ killed by SIGSYS +++\n"
        self.assertEqual({EvidenceKey("read"): 1}, counts(text))

    def test_killed_thread(self) -> None:
        """If other threads continue, the call in which SIGSYS ended a thread was refused."""
        text = (
            b"7 clone3({flags=CLONE_VM|CLONE_THREAD, exit_signal=0}, 88) = 8\n"
            b"8 getppid() = ?\n8 +++ killed by SIGSYS +++\n"
        )
        clone, refused = EvidenceKey("clone3"), EvidenceKey("getppid", refused=True)
        expected = {clone: 1, refused: 1, EvidenceKey("getpid"): 1}
        self.assertEqual(expected, counts(text + b"7 getpid() = 7\n"))
        # Otherwise another thread made the call for which all of them were ended.
        text += b"7 +++ killed by SIGSYS +++\n"
        expected = {clone: 1, EvidenceKey("getppid"): 1, EvidenceKey("getpgid", refused=True): 1}
        together = text.replace(b"8 getppid", b"7 getpgid() = 121\n8 getppid", 1)
        self.assertEqual(expected, counts(together))

    def test_set_name(self) -> None:
        """The first thread of a process names it, for all its threads; the others do not."""
        text = (
            b'7 execve("/bin/app", [], 0x7f) = 0\n'
            b"7 clone3({flags=CLONE_VM|CLONE_THREAD, exit_signal=0}, 88) = 8\n"
            b'8 prctl(PR_SET_NAME, "worker") = 0\n7 prctl(PR_SET_NAME, "server") = 0\n'
            b"8 getppid() = 1\n"
        )
        found = {key.call: key.program for key in evidence_of(text)}
        self.assertEqual(("app", "server"), (found["clone3"], found["getppid"]))

    def test_architecture(self) -> None:
        """A change of the architecture applies to what the process does from then on."""
        text = b"getpid() = 1\n[ Process PID=1 runs in 32 bit mode. ]\nmmap(0x7f) = 0\ngetpid() = 1"
        keys = (EvidenceKey("getpid"), EvidenceKey("mmap", (), "i386"))
        self.assertEqual({*keys, EvidenceKey("getpid", (), "i386")}, set(evidence_of(text)))

    def test_architectures(self) -> None:
        """Children have the architecture of their parent, other processes do not."""
        text = (
            b"[pid 5] [ Process PID=5 runs in 32 bit mode. ]\n"
            b"[pid 4] getpid() = 4\n[pid 5] fork() = 6\n[pid 6] getppid() = 5\n"
        )
        keys = (EvidenceKey("fork", (), "i386"), EvidenceKey("getppid", (), "i386"))
        self.assertEqual({EvidenceKey("getpid"), *keys}, set(evidence_of(text)))

    def test_renamed(self) -> None:
        """A process may name itself; the name of another thread is not that of its process."""
        text = (
            b'5 execve("/bin/sh", ["sh"], 0x7f) = 0\n'
            b"5 clone3({flags=CLONE_VM|CLONE_THREAD, stack=0x7f}, 88) = 6\n"
            b'6 prctl(PR_SET_NAME, "worker") = 0\n'
            b"6 getpid() = 5\n"
            b'5 prctl(PR_SET_NAME, "a server") = 0\n'
            b"5 getppid() = 1\n"
        )
        programs = {key.call: key.program for key in counts(text)}
        self.assertEqual(
            {"getpid": "sh", "getppid": "a server"},
            {call: programs[call] for call in ("getpid", "getppid")},
        )

    def test_names_of_another_architecture(self) -> None:
        """A call that only i386 has tells the architecture until the next program is executed."""
        if machine() != "x86_64":
            raise SkipTest("only x86-64 executes programs of i386")
        text = (
            b"5 brk(NULL) = 0x5\n"
            b"5 mmap2(NULL, 8192, PROT_READ|PROT_EXEC, MAP_PRIVATE, 3, 0) = 0xf7\n"
            b"5 clone(child_stack=NULL, flags=SIGCHLD) = 6\n"
            b"6 getppid() = 5\n"
            b"5 close(3) = 0\n"
            b'5 execve("/bin/true", ["true"], 0x7f) = 0\n'
            b"5 getpid() = 5\n"
        )
        found = {key.call: (key.architecture, key.values) for key in counts(text)}
        self.assertEqual(("", ()), found["brk"])
        self.assertEqual(("i386", (4,)), found["mmap2"])
        self.assertEqual("i386", found["getppid"][0])
        self.assertEqual("i386", found["close"][0])
        self.assertEqual("", found["getpid"][0])

    def test_not_returned(self) -> None:
        """A call that does not return is counted, too; its two halves are one call."""
        text = b"1 pause( <unfinished ...>\n2 exit_group(0) = ?\n1 <... pause resumed>) = ?\n"
        self.assertEqual({EvidenceKey("pause"): 1, EvidenceKey("exit_group"): 1}, counts(text))

    def test_first_half(self) -> None:
        """A call in two halves is dated by the first one, and by no other of its process."""
        text = (
            b"1 1700000100.000000 pause( <unfinished ...>\n"
            b"2 1700000101.000000 pause() = ? ERESTARTNOHAND (To be restarted)\n"
            b"1 1700000102.000000 <... pause resumed>) = ?\n"
            b"1 1700000103.000000 wait4(2,  <unfinished ...>\n"
            b"1 1700000104.000000 getpid() = 1\n"
            b"1 1700000105.000000 dup(1) = 2 <0.500000>\n"
        )
        first = {key.call: tally.first_ns for key, tally in evidence_of(text).items()}
        seconds = {"pause": 100, "getpid": 104, "dup": 105}
        expected = {name: (1_700_000_000 + at) * 10**9 for name, at in seconds.items()}
        # That of the call whose second half is missing is not kept.
        self.assertEqual({**expected, "wait4": None}, first)

    def test_filters(self) -> None:
        """Calls that are not counted are no evidence."""
        chosen = LogFilter(FilterOptions(profile=True, trace="getpid"))
        delta = condense(b"getpid() = 1\ngetppid() = 1", filter=chosen)
        self.assertEqual({EvidenceKey("getpid")}, set(delta.evidence))

    def test_off(self) -> None:
        """Without the option there is no evidence."""
        self.assertEqual({}, dict(condense(b"getpid() = 1").evidence))

    def test_numbers(self) -> None:
        """Numbers are read, and nothing else."""
        for text, number in (("-1", -1), ("0x1f", 31), ("0", 0), ("1|0x2", 3), ("x", None)):
            self.assertEqual(number, number_of(text), text)


class StraceTests(SynchronousTestCase):
    """Logs of strace itself."""

    def setUp(self) -> None:
        """Skip the tests if strace is not available."""
        require_tracing()

    def test_like_ptrace(self) -> None:
        """The log of strace has the evidence that the registers show."""
        command = (program("ruled"), "64 bit only")
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            subprocess.run(["strace", "-f", "-y", "-ttt", "-o", str(log), *command], check=True)
            found = total(read_logs([log], profile=True, workers=4))
        options = TraceOptions(backend="ptrace", profile=True)
        expected = run(RunCommand(command, options=options)).delta

        self.assertEqual(_steady(expected.evidence), _steady(found.evidence))
        first = {key.call: tally.first_ns for key, tally in found.evidence.items()}
        assert found.span is not None
        self.assertEqual(found.span.first_ns, first["execve"])

    def test_other_interface(self) -> None:
        """What strace writes to standard error names the architecture."""
        done = subprocess.run(
            ["strace", program("ruled")], check=False, capture_output=True, stdin=subprocess.DEVNULL
        )
        keys = evidence_of(done.stderr)
        self.assertIn(EvidenceKey("prctl", (3,), "i386", "ruled"), keys)
        self.assertIn(EvidenceKey("socket", (socket.AF_INET6, 2, 0), "", "ruled"), keys)

    def test_refused(self) -> None:
        """The calls that a filter has refused are those that strace shows with SIGSYS."""
        for how in ("trap", "process"):
            with tempfile.TemporaryDirectory() as folder:
                log = Path(folder) / "log"
                command = ["strace", "-f", "-o", str(log), program("seccomp_refuses"), how]
                subprocess.run(command, check=False)
                evidence = total(read_logs([log], profile=True)).evidence
            refused = {key.call: tally.count for key, tally in evidence.items() if key.refused}
            self.assertEqual({"getppid": 2 if how == "trap" else 1}, refused, how)


def _steady(evidence: Evidence) -> Mapping[Seen, int]:
    counted: Counter[Seen] = Counter()
    for (call, _, values), count in seen(evidence).items():
        if call not in _DEPEND_ON_TIMING:
            counted[call, "", values] += count
    return counted
