"""Tests of control groups and the whole machine."""

import errno
import os
import subprocess
from pathlib import Path
from tempfile import mkdtemp

from twisted.trial.unittest import SkipTest

from syswatch.machine.groups import mount_point
from syswatch.model.messages import Attach, Detach, Ended, TraceOptions
from tests.system.servers import wait_for
from tests.tracer.harness import start
from tests.tracer.programs import program

from .case import EbpfCase

_OPTIONS = TraceOptions(backend="ebpf")


def new_group() -> Path:
    """Create a control group."""
    root = mount_point()
    if root is None:
        raise SkipTest("no control groups of version 2 are mounted")
    try:
        return Path(mkdtemp(prefix="syswatch-test-", dir=root))
    except OSError as error:
        raise SkipTest(f"no control group can be made: {error}") from error


def remove(group: Path) -> None:
    """Remove a control group, which may contain zombies for a moment."""

    def is_removed() -> bool:
        try:
            group.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            return False
        return True

    wait_for(is_removed)


def begin(*command: str, group: Path | None = None) -> "subprocess.Popen[str]":
    """Start a program in a group; it waits for a line before it does anything."""
    words = ["sh", "-c", 'echo ready; read line; exec "$@"', "sh", *command]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    if group:
        (group / "cgroup.procs").write_text(str(process.pid))
    return process


class ScopeTests(EbpfCase):
    """All processes in the scope are counted, and no others."""

    def test_group(self) -> None:
        """A group includes groups below and processes that join later; the trace ends with it."""
        group = new_group()
        (group / "inner").mkdir()
        inside = begin(program("storm"), "20", group=group)
        below = begin(program("storm"), "40", group=group / "inner")
        outside = begin(program("storm"), "80")
        tracer = start(Attach(group=str(group), options=_OPTIONS))
        tracer.await_start()
        later = begin(program("storm"), "60", group=group)
        for process in (inside, below, outside, later):
            process.communicate("go\n")
            self.assertEqual(0, process.returncode)
        remove(group / "inner")
        remove(group)
        outcome = tracer.finish()
        self.assertEqual(Ended(), outcome.ending)
        self.assertEqual((20 + 40 + 60, 0), outcome.counts["getppid"])
        seen = set(outcome.delta.processes)
        self.assertLessEqual({inside.pid, below.pid, later.pid}, seen)
        self.assertNotIn(outside.pid, seen)
        self.assertEqual("exited with 0", outcome.delta.processes[inside.pid].ending)

    def test_moved_out(self) -> None:
        """A process that leaves the group is not counted any more, in every mode."""
        for mode in ("full", "counts"):
            group = new_group()
            self.addCleanup(remove, group)
            process = begin("sh", "-c", f"echo left; read line; {program('storm')} 20", group=group)
            assert process.stdin is not None
            assert process.stdout is not None
            options = TraceOptions(backend="ebpf", mode=mode)
            tracer = start(Attach(group=str(group), options=options))
            tracer.await_start()
            process.stdin.write("go\n")
            process.stdin.flush()
            process.stdout.readline()
            (group.parent / "cgroup.procs").write_text(str(process.pid))
            process.communicate("go\n")
            tracer.send(Detach())
            outcome = tracer.finish()
            # A shell calls this once.
            self.assertLess(outcome.counts["getppid"], (20, 0), mode)
            self.assertEqual({process.pid}, set(outcome.delta.processes))
            self.assertEqual("", outcome.delta.processes[process.pid].ending)

    def test_whole_machine(self) -> None:
        """The whole machine is traced, except for the tracer and its service."""
        process = begin(program("storm"), "20")
        tracer = start(Attach(everybody=True, options=_OPTIONS))
        tracer.await_start()
        process.communicate("go\n")
        tracer.await_calls("getppid", 20)
        tracer.send(Detach())
        outcome = tracer.finish()
        seen = outcome.delta.processes
        self.assertIn(process.pid, seen)
        self.assertEqual("exited with 0", seen[process.pid].ending)
        self.assertEqual(os.getpid(), seen[process.pid].parent)
        self.assertNotIn(os.getpid(), seen)
        self.assertNotIn(tracer.process.pid, seen)

    def test_container(self) -> None:
        """The name of a group stands for all of it, whichever process was found."""
        group = new_group()
        inside, other = (begin(program("storm"), count, group=group) for count in ("20", "40"))
        tracer = start(Attach(names=(group.name,), options=_OPTIONS))
        tracer.await_start()
        for process in (inside, other):
            process.communicate("go\n")
        remove(group)
        outcome = tracer.finish()
        self.assertEqual((20 + 40, 0), outcome.counts["getppid"])
        self.assertLessEqual({inside.pid, other.pid}, set(outcome.delta.processes))
