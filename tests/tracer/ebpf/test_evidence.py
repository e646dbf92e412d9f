"""Tests of the evidence of the eBPF backend."""

import ctypes.util
import errno
import os
import subprocess
import sys
from collections import Counter
from unittest import SkipTest

from syswatch.model.evidence import ANY_PROGRAM, EvidenceKey
from syswatch.model.messages import Attach, Ended, TraceOptions
from syswatch.tracer.ebpf import evidence as reading
from syswatch.tracer.ebpf.evidence_layout import MOST_OF_PROGRAMS, MOST_OF_VALUES
from syswatch.tracer.naming import machine

# A module, because trial runs every test case that is a name in a module of tests.
from tests.tracer.contract import evidence
from tests.tracer.contract.accounting import await_read
from tests.tracer.harness import start
from tests.tracer.programs import program

from .case import EbpfCase
from .test_scopes import begin, new_group, remove

_OPTIONS = TraceOptions(backend="ebpf", profile=True)
# Lets a filter of libseccomp refuse calls: mkdir with an errno, and ioctl with one of two requests.
_LIBSECCOMP = """
import ctypes, errno, os, sys
lib = ctypes.CDLL(sys.argv[1])
lib.seccomp_init.restype = ctypes.c_void_p
class Compared(ctypes.Structure):
    _fields_ = [("at", ctypes.c_uint), ("how", ctypes.c_int), ("a", ctypes.c_uint64),
                ("b", ctypes.c_uint64)]
ALLOW, REFUSE, EQUAL = 0x7fff0000, 0x00050000, 4
context = ctypes.c_void_p(lib.seccomp_init(ALLOW))
def refuse(name, number, *conditions):
    call = lib.seccomp_syscall_resolve_name(name)
    array = (Compared * 1)(*conditions)
    assert not lib.seccomp_rule_add_array(
        context, REFUSE | number, call, len(conditions), array)
refuse(b"mkdirat", errno.EPERM)
refuse(b"ioctl", errno.ENOSYS, Compared(1, EQUAL, 0x1234, 0))
assert not lib.seccomp_load(context)
libc = ctypes.CDLL(None)
for _ in range(3):
    libc.mkdirat(-100, b"/none/such", 0)
for request in (0x1234, 0x1234, 0x1235):
    libc.ioctl(-1, ctypes.c_ulong(request), 0)
"""


class EvidenceTests(EbpfCase, evidence.EvidenceContract):
    """Whole programs."""

    def test_like_ptrace(self) -> None:
        """Rows, counts and programs are those of ptrace."""
        script = "ls / | sort > /dev/null; (exec true); cat /none; exec env sh -c 'echo $0'"
        commands = [("sh", "-c", script), (program("storm"), "50"), (program("thread_exec"),)]
        for command in commands:
            one, other = self.both(*command, profile=True)
            counts = [
                {key: tally.count for key, tally in outcome.delta.evidence.items()}
                for outcome in (one, other)
            ]
            for each in counts:
                for key in [key for key in each if key.call in evidence.DEPEND_ON_TIMING]:
                    del each[key]
            self.assertEqual(counts[1], counts[0], command)

    def test_counts_only(self) -> None:
        """The evidence is complete when only calls are counted, and of each result."""
        full = self.trace(program("ruled"), profile=True).delta
        for options in ({"mode": "counts"}, {"mode": "counts", "per_process": True}):
            delta = self.trace(program("ruled"), profile=True, **options).delta
            self.assertEqual(_counts(full), _counts(delta), options)
            self.assertEqual(0, sum(tally.timed for tally in delta.calls.values()))
        failed = self.trace(program("ruled"), profile=True, status="failed").delta
        counted = {name: tally.count for name, tally in failed.calls.items()}
        self.assertEqual(counted, evidence.by_name(failed.evidence))

    def test_several_readings(self) -> None:
        """What is taken while calls are being counted is neither lost nor counted twice."""
        self.patch(reading, "_REST_NS", 0)
        target = begin(program("total"), "300000")
        trace = self.prepare(profile=True)
        self.addCleanup(trace.reader.close)
        trace.following.take(target.pid, 0)
        trace.following.begin()
        assert target.stdin is not None
        target.stdin.write("go\n")
        target.stdin.flush()
        deltas = []
        while target.poll() is None:
            deltas.append(trace.reader.read(everything=True))
        target.communicate()
        deltas.append(trace.finish())
        counts = [
            sum(tally.count for key, tally in delta.evidence.items() if key.call == "getppid")
            for delta in deltas
        ]
        self.assertGreater(len([count for count in counts if count]), 2)
        self.assertEqual(8 * 300_000, sum(counts))

    def test_limit(self) -> None:
        """A row that finds no room loses its program, then its values; no call is lost."""
        number = 20_000
        target = begin(program("requests"), str(number))
        trace = self.prepare(profile=True)
        self.addCleanup(trace.reader.close)
        trace.following.take(target.pid, 0)
        trace.following.begin()
        target.communicate("go\n")
        delta = trace.finish()
        requests = {key: each for key, each in delta.evidence.items() if key.call == "ioctl"}
        self.assertEqual(number, sum(tally.count for tally in requests.values()))
        named = [key for key in requests if key.program == "requests"]
        unnamed = [key for key in requests if key.program == ANY_PROGRAM and key.values]
        coarsest = EvidenceKey("ioctl", (), machine())
        others = len(delta.evidence) - len(requests)
        self.assertEqual(MOST_OF_VALUES, len(unnamed))
        self.assertTrue(MOST_OF_PROGRAMS - others <= len(named) <= MOST_OF_PROGRAMS)
        kept = len(named) + len(unnamed)
        self.assertEqual(number - kept, requests[coarsest].count)
        self.assertEqual({*named, *unnamed, coarsest}, set(requests))
        # What the program does at its end finds no room, either.
        untracked = delta.ledger.untracked_evidence
        self.assertTrue(number - len(named) <= untracked <= number - len(named) + others)
        counted = {name: tally.count for name, tally in delta.calls.items()}
        self.assertEqual(counted, evidence.by_name(delta.evidence))

    def test_end_of_trace(self) -> None:
        """A call in which a thread is from before the trace until after it is counted once."""
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as child:
            await_read(child.pid)
            trace = self.prepare(profile=True)
            self.addCleanup(trace.reader.close)
            trace.following.take(child.pid, 0)
            trace.following.begin()
            found = trace.finish().evidence
            assert child.stdin is not None
            child.stdin.close()
        self.assertEqual(
            {EvidenceKey("read", (), machine(), "cat"): 1},
            {key: tally.count for key, tally in found.items()},
        )

    def test_group(self) -> None:
        """A control group has evidence, with the programs of all of its processes."""
        group = new_group()
        inside = [begin(program(name), "9", group=group) for name in ("storm", "requests")]
        tracer = start(Attach(group=str(group), options=_OPTIONS))
        tracer.await_start()
        for process in inside:
            process.communicate("go\n")
        remove(group)
        outcome = tracer.finish()
        self.assertEqual(Ended(), outcome.ending)
        self.assertEqual(2, outcome.delta.ledger.unseen_starts)
        keys = outcome.delta.evidence.keys()
        self.assertIn(EvidenceKey("ioctl", (9,), machine(), "requests"), keys)
        self.assertIn(EvidenceKey("getppid", (), machine(), "storm"), keys)
        counted = {name: tally.count for name, tally in outcome.delta.calls.items()}
        self.assertEqual(counted, evidence.by_name(outcome.delta.evidence))


class RefusalTests(EbpfCase, evidence.RefusalContract):
    """Programs whose filter refuses a call."""

    def refused(self, *command: str) -> dict[tuple[str, tuple[int, ...], bool], int]:
        """Return how often each call was made, by name, values and whether it was refused."""
        outcome = self.trace(*command, profile=True)
        self.assertEqual(Ended(exit_code=0), outcome.ending, outcome.errors)
        counts: Counter[tuple[str, tuple[int, ...], bool]] = Counter()
        for key, tally in outcome.delta.evidence.items():
            counts[key.call, key.values, key.refused] += tally.count
        return counts

    def test_errno(self) -> None:
        """A call that a filter lets fail is refused, and so is one that it kills."""
        delta = self.trace(program("seccomp_killed"), profile=True).delta

        refused = {key.call: key.refused for key in delta.evidence if key.call.startswith("getp")}
        self.assertEqual({"getppid": True, "getpgid": True}, refused)

    def test_libseccomp(self) -> None:
        """Calls with the arguments that a filter refuses are told from others of the same name."""
        library = ctypes.util.find_library("seccomp")
        if library is None:
            raise SkipTest("libseccomp is not installed (Debian: apt install libseccomp2)")
        counts = self.refused(sys.executable, "-c", _LIBSECCOMP, library)

        found = {key: count for key, count in counts.items() if key[2]}
        self.assertEqual({("mkdirat", (), True): 3, ("ioctl", (0x1234,), True): 2}, found)
        self.assertEqual(1, counts["ioctl", (0x1235,), False])

    def test_supervisor(self) -> None:
        """A call that a supervisor answers is refused if it fails."""
        counts = self.refused(program("supervised"))

        found = {key[0]: key[2] for key in counts if key[0] in {"getppid", "getpgid", "getsid"}}
        self.assertEqual({"getppid": False, "getpgid": True, "getsid": False}, found)

    def test_found_in_call(self) -> None:
        """A call that began before the trace is not refused, even if it fails."""
        read_end, write_end = os.pipe()
        script = f"import os, signal; os.read({read_end}, 1)"
        with subprocess.Popen([sys.executable, "-c", script], pass_fds=[read_end]) as child:
            os.close(read_end)
            await_read(child.pid)
            tracer = self.attach_to(child.pid, profile=True)
            child.terminate()
            os.close(write_end)
            delta = tracer.finish().delta
        self.assertEqual({False}, {key.refused for key in delta.evidence}, errno.EINTR)


def _counts(delta: object) -> dict[EvidenceKey, int]:
    """Return the counts that do not depend on timing."""
    rows = delta.evidence.items()  # type: ignore[attr-defined]
    return {key: each.count for key, each in rows if key.call not in evidence.DEPEND_ON_TIMING}
