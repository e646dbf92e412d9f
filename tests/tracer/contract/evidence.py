"""Tests of evidence: its counts are those of strace and of the trace."""

import platform
import socket
import subprocess
import time
from unittest import skipUnless

from syswatch.model.evidence import Evidence, EvidenceKey
from tests.tracer.evidence import Seen, seen, strace_evidence
from tests.tracer.harness import Outcome
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing

from .accounting import await_read
from .case import BackendCase

_MACHINE = platform.machine()
# How often depends on how fast the threads are.
DEPEND_ON_TIMING = frozenset({"futex", "madvise", "munmap", "rt_sigreturn"})
_NOT_RETURNING = frozenset({"exit", "exit_group"})


class EvidenceContract(BackendCase):
    """Whole programs."""

    def assert_like_strace(self, *command: str, **options: object) -> Outcome:
        """Compare with the registers that strace prints for the same command."""
        require_tracing()
        expected = strace_evidence(*command, machine=_MACHINE)
        outcome = self.trace(*command, profile=True, **options)
        self.assertEqual(_steady(expected), _steady(seen(outcome.delta.evidence)))
        return outcome

    def test_arguments(self) -> None:
        """Each combination of the arguments that matter is counted as often as strace saw it."""
        outcome = self.assert_like_strace(program("ruled"))

        keys = outcome.delta.evidence.keys()
        values = (socket.AF_INET6, socket.SOCK_DGRAM, 0)
        self.assertIn(EvidenceKey("socket", values, _MACHINE, "ruled"), keys)
        self.assertIn(EvidenceKey("unshare", (0,), _MACHINE, "renamed"), keys)
        self.assertFalse(any(key.refused for key in keys))
        self.assertEqual(0, outcome.delta.ledger.unseen_starts)

    @skipUnless(_MACHINE == "x86_64", "only x86-64 runs 32-bit programs here")
    def test_other_architecture(self) -> None:
        """A 32-bit program has evidence of its own architecture."""
        outcome = self.assert_like_strace(program("ruled", "-m32"))

        self.assertIn("i386", {key.architecture for key in outcome.delta.evidence})

    @skipUnless(_MACHINE == "x86_64", "only x86-64 has such calls")
    def test_x32(self) -> None:
        """Calls with the bit of x32 are apart, whether the kernel has them or not."""
        delta = self.trace(program("x32"), profile=True).delta

        found = {key.call: key.architecture for key in delta.evidence if key.architecture == "x32"}
        marked = {name for name in delta.calls if name.endswith("@x32")}
        self.assertEqual(marked, {f"{name}@x32" for name in found})
        self.assertTrue(marked)

    def test_every_way_of_counting(self) -> None:
        """The evidence is that of the counted calls, with and without objects and a recording."""
        for options in ({}, {"objects": False}, {"trace": "socket,ioctl,clone"}):
            for traced in (self.trace, self.record):
                delta = traced(program("ruled"), profile=True, **options).delta
                counted = {name: tally.count for name, tally in delta.calls.items()}
                self.assertEqual(counted, by_name(delta.evidence), (options, traced))

    def test_many_processes(self) -> None:
        """No call of many short processes is missing or counted twice, over several flushes."""
        delta = self.trace(program("storm"), "300", profile=True).delta

        counted = {name: tally.count for name, tally in delta.calls.items()}
        self.assertEqual(counted, by_name(delta.evidence))

    def test_first_time(self) -> None:
        """The first call of each kind is dated."""
        began_ns = time.time_ns()
        evidence = self.trace("true", profile=True).delta.evidence

        first = {key.call: tally.first_ns or 0 for key, tally in evidence.items()}
        self.assertLessEqual(began_ns, first["execve"])
        self.assertLess(first["execve"], first["exit_group"])
        self.assertLessEqual(first["exit_group"], time.time_ns())

    def test_attach(self) -> None:
        """A call that began before the trace is counted once, with its arguments."""
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as child:
            await_read(child.pid)
            tracer = self.attach_to(child.pid, profile=True)
            assert child.stdin is not None
            child.stdin.close()
            delta = tracer.finish().delta

        counted = {name: tally.count for name, tally in delta.calls.items()}
        self.assertEqual(1, counted["read"])
        self.assertEqual(1, delta.ledger.unseen_starts)
        self.assertEqual(counted, by_name(delta.evidence))

    def test_off(self) -> None:
        """Without the option there is no evidence."""
        self.assertEqual({}, dict(self.trace("true").delta.evidence))


class RefusalContract(BackendCase):
    """Programs whose filter refuses a call."""

    def assert_refused(self, how: str, allowed: int, refused: int) -> Evidence:
        """Check how often `getppid` was allowed and refused, and that nothing else was refused."""
        evidence = self.trace(program("seccomp_refuses"), how, profile=True).delta.evidence
        counts = {key: tally.count for key, tally in evidence.items() if key.call == "getppid"}
        key = EvidenceKey("getppid", (), _MACHINE, "seccomp_refuses")
        self.assertEqual({key: allowed, key._replace(refused=True): refused}, counts)
        self.assertEqual({"getppid"}, {key.call for key in evidence if key.refused})
        return evidence

    def test_trap(self) -> None:
        """Calls that SIGSYS answers are refused, and the program continues."""
        self.assert_refused("trap", 1, 2)

    def test_killed_process(self) -> None:
        """The call that ends the process is refused, the calls of its other threads are not."""
        self.assert_refused("process", 1, 1)

    def test_killed_thread(self) -> None:
        """The call that ends one of several threads is refused."""
        evidence = self.assert_refused("thread", 1, 1)

        self.assertIn("exit_group", {key.call for key in evidence})


def _steady(counts: "dict[Seen, int]") -> "dict[Seen, int]":
    return {key: count for key, count in counts.items() if key[0] not in DEPEND_ON_TIMING}


def by_name(evidence: Evidence) -> dict[str, int]:
    """Return the counts of the calls that return by the names that the trace gives them."""
    counts: dict[str, int] = {}
    for key, tally in evidence.items():
        if key.call in _NOT_RETURNING:
            continue
        name = key.call if key.architecture == _MACHINE else f"{key.call}@{key.architecture}"
        counts[name] = counts.get(name, 0) + tally.count
    return counts
