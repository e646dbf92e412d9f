"""Tests of tables of processes, paths, descriptors, arguments and modes."""

import re

import attrs

from syswatch.model.entries import LogEntry
from tests.tracer.programs import program

from .case import EbpfCase

_SCRIPT = "cat /etc/hosts; cat </etc/hosts | cat; exec 5</dev/null; cat <&5; cat /no-such-file"
_ADDRESS = re.compile(r"0x[0-9a-f]+(?: /\* \d+ vars \*/)?")
_NUMBER = re.compile(r"(\\x[0-9a-f]{2})+|\b(?:pipe:\[\d+\]|\d{3,})")


def comparable(entry: LogEntry) -> str:
    """Return a call without numbers that vary."""
    text = f"{entry.name}({entry.args}) = {entry.ret} {entry.error}"
    return _NUMBER.sub("#", _ADDRESS.sub("@", text))


class DetailTests(EbpfCase):
    """The details are those of ptrace."""

    def test_each_process(self) -> None:
        """Each process has its own table, and the tables add up to the counts."""
        delta = self.trace(
            "sh", "-c", f"{program('storm')} 200; cat /no-such-file", per_process=True
        ).delta
        self.assertEqual(set(delta.processes), set(delta.by_process))
        for pid, calls in delta.by_process.items():
            tally = delta.processes[pid]
            self.assertEqual(tally.count, sum(call.count for call in calls.values()))
            self.assertEqual(tally.errors, sum(call.errors for call in calls.values()))
            self.assertEqual(tally.total_ns, sum(call.total_ns for call in calls.values()))
        for name, whole in delta.calls.items():
            parts = [calls[name] for calls in delta.by_process.values() if name in calls]
            first, *rest = parts
            added = sum(rest, first)
            # How long single calls waited is only known of all processes together.
            waits = attrs.evolve(added.waits, histogram=whole.waits.histogram)
            self.assertEqual(whole, attrs.evolve(added, waits=waits), name)

    def test_threads_of_a_process(self) -> None:
        """Eight threads that count into one table lose nothing."""
        delta = self.trace(program("total"), "20000", per_process=True).delta
        (calls,) = delta.by_process.values()
        self.assertEqual(delta.calls["getppid"], calls["getppid"])
        self.assertEqual(160_000, calls["getppid"].timed)

    def test_paths(self) -> None:
        """Calls are selected by a path that they name or that their descriptor has."""
        for path in ("/etc/hosts", "/dev/null", "/no-such-file"):
            with_ebpf, with_ptrace = self.both("sh", "-c", _SCRIPT, paths=(path,))
            self.assertEqual(with_ptrace.counts, with_ebpf.counts, path)
            self.assertNotEqual({}, with_ebpf.counts, path)

    def test_new_path(self) -> None:
        """A file that is created later is recognized by its name, then by its inode."""
        path = self.mktemp()
        with_ebpf, with_ptrace = self.both(
            "sh", "-c", f"exec 5>{path}; echo new >&5; rm {path}", paths=(path,)
        )
        self.assertEqual(with_ptrace.counts, with_ebpf.counts)
        self.assertEqual((1, 0), with_ebpf.counts["write"])

    def test_descriptors(self) -> None:
        """Descriptors are shown with their files, even those that close invalidates."""
        with_ebpf, with_ptrace = self.both("cat", "/etc/hosts", descriptor_paths=True)
        self.assertEqual(*(list(map(comparable, o.delta.log)) for o in (with_ptrace, with_ebpf)))
        closed = [entry.args for entry in with_ebpf.delta.log if entry.name == "close"]
        self.assertIn("3</etc/hosts>", closed)

    def test_arguments(self) -> None:
        """The arguments of a command are shown, although its execve has replaced the memory."""
        # By a shell, which has just written these arguments, so that they are in memory.
        with_ebpf, with_ptrace = self.both("sh", "-c", f"exec echo a {'b' * 40} c")
        self.assertEqual(
            *(list(map(comparable, o.delta.log[1:])) for o in (with_ptrace, with_ebpf))
        )
        *_, execve = (entry for entry in with_ebpf.delta.log if entry.name == "execve")
        self.assertIn(f'["echo", "a", "{"b" * 32}"..., "c"], 0x', execve.args)

    def test_counts_only(self) -> None:
        """In counts mode, calls and errors are the same, and there are no times."""
        command = ("sh", "-c", "cat /etc/hosts; cat /no-such-file; exec cat /etc/hosts")
        counts, full = self.trace(*command, mode="counts"), self.trace(*command)
        self.assertEqual(full.counts, counts.counts)
        total = sum(tally.count for tally in counts.delta.calls.values())
        self.assertEqual(total, counts.delta.ledger.untimed_calls)
        self.assertEqual(0, sum(tally.timed for tally in counts.delta.calls.values()))
        self.assertEqual(full.delta.calls["openat"].errnos, counts.delta.calls["openat"].errnos)
        self.assertEqual((), counts.delta.log)

    def test_budget(self) -> None:
        """The log is limited to its quota, and calls beyond it are counted in the ledger."""
        outcome = self.trace(program("total"), "2000", log_rate=50)
        total = sum(tally.count for tally in outcome.delta.calls.values())
        self.assertEqual((16_000, 0), outcome.counts["getppid"])
        self.assertEqual(total, len(outcome.delta.log) + outcome.delta.ledger.sampled_entries)
        self.assertLess(len(outcome.delta.log), total)
