"""Commands that are started under the tracer, compared with strace and with being left alone."""

import os
import platform
import pwd
import signal
import sys
from pathlib import Path
from unittest import skipUnless

from twisted.trial.unittest import TestCase

from syswatch.model.messages import (
    Deliver,
    Detach,
    Ended,
    Failed,
    RunCommand,
    Started,
    TraceOptions,
)

from .harness import Outcome, run, start
from .programs import program
from .strace import require_tracing, strace_counts


def trace(*command: str, **options: object) -> Outcome:
    """Run a command under the tracer."""
    return run(RunCommand(argv=command, options=TraceOptions(**options)))  # type: ignore[arg-type]


class TracingCase(TestCase):
    """A test that needs to be allowed to trace."""

    def setUp(self) -> None:
        """Find out first."""
        require_tracing()


class CountTests(TracingCase):
    """Counts and errors are those of strace -c -f."""

    def assert_like_strace(self, *command: str, but_for: tuple[str, ...] = ()) -> Outcome:
        """Compare a command with itself under strace, but for calls that depend on chance."""
        expected, outcome = strace_counts(*command), trace(*command)
        actual = outcome.counts
        for name in but_for:
            expected.pop(name, None)
            actual.pop(name, None)
        self.assertEqual(expected, actual)
        return outcome

    def test_one_process(self) -> None:
        """A program with failing calls is counted as strace counts it."""
        self.assert_like_strace("ls", "/", "/no-such-folder")

    def test_shortest(self) -> None:
        """A program that ends at once is counted whole, its execve included."""
        outcome = self.assert_like_strace("true")
        self.assertEqual(1, outcome.delta.calls["execve"].count)

    def test_threads(self) -> None:
        """200 threads are all followed; how often they wait for each other is chance."""
        outcome = self.assert_like_strace(program("threads"), but_for=("futex",))
        self.assertEqual((2000, 0), outcome.counts["getppid"])
        self.assertEqual({"EBADF": 2000}, dict(outcome.delta.calls["close"].errnos))
        self.assertEqual(1, len(outcome.delta.processes))

    def test_fork_storm(self) -> None:
        """2400 processes are all followed."""
        outcome = self.assert_like_strace(program("storm"), "2000")
        self.assertEqual(2401, len(outcome.delta.processes))
        self.assertEqual(0, outcome.delta.ledger.unfollowed_processes)

    def test_vfork(self) -> None:
        """A vfork is followed into the program that its child executes."""
        self.assert_like_strace(program("vfork"))

    def test_exec_by_thread(self) -> None:
        """A thread that executes a program takes the leader's place."""
        outcome = self.assert_like_strace(program("thread_exec"))
        self.assertEqual(Ended(exit_code=0), outcome.ending)

    def test_leader_ends_first(self) -> None:
        """A process goes on without its leader."""
        outcome = self.assert_like_strace(program("leader_exit"))
        self.assertEqual(Ended(exit_code=3), outcome.ending)

    def test_group_stop(self) -> None:
        """A process that is stopped stays stopped until SIGCONT, and its parent sees all of it."""
        outcome = self.assert_like_strace(program("group_stop"))
        self.assertEqual(Ended(exit_code=0), outcome.ending)

    def test_restarts(self) -> None:
        """Interrupted calls have the errors of strace, and the program sees what it should."""
        outcome = self.assert_like_strace(program("restart"))
        self.assertEqual(Ended(exit_code=0), outcome.ending)
        self.assertEqual({"ERESTARTSYS": 2}, dict(outcome.delta.calls["read"].errnos))

    @skipUnless(platform.machine() == "x86_64", "only x86-64 has two kinds of calls")
    def test_other_kernel(self) -> None:
        """32-bit calls of a 64-bit program are counted under names of their own."""
        outcome = self.assert_like_strace(program("compat"))
        self.assertEqual((3, 0), outcome.counts["getpid@i386"])
        self.assertEqual((3, 0), outcome.counts["getpid"])
        self.assertNotIn("writev", outcome.counts)

    def test_seccomp(self) -> None:
        """A call that a filter refuses counts as failed; the end by a filter is told."""
        outcome = self.assert_like_strace(program("seccomp_killed"))
        self.assertEqual((1, 1), outcome.counts["getppid"])
        self.assertEqual(Ended(exit_signal=signal.SIGSYS), outcome.ending)

    def test_odd_clones(self) -> None:
        """Children are followed whatever signal they end with, unless the kernel forbids it."""
        outcome = self.assert_like_strace(program("odd_clone"), "untraced")
        self.assertEqual((3, 0), outcome.counts["getppid"])
        self.assertEqual(1, outcome.delta.ledger.unfollowed_processes)

    def test_ptrace_in_target(self) -> None:
        """A program that wants to be traced is told that it is."""
        outcome = self.assert_like_strace(program("misc"), "ptrace")
        self.assertEqual(Ended(exit_code=0), outcome.ending)

    def test_sums(self) -> None:
        """Seconds, processes, histogram and log each add up to the counts."""
        delta = trace(program("storm"), "40", per_process=True, log_rate=100_000).delta
        total = sum(tally.count for tally in delta.calls.values())
        seconds = delta.window.seconds.values()
        self.assertEqual(total, sum(m.count for names in seconds for m in names.values()))
        self.assertEqual(total, sum(tally.count for tally in delta.processes.values()))
        self.assertEqual(total, sum(t.count for p in delta.by_process.values() for t in p.values()))
        self.assertEqual(total, sum(tally.timed for tally in delta.calls.values()))
        assert delta.span is not None
        self.assertTrue(
            all(
                at in range(delta.span.first_ns // 10**9, delta.span.last_ns // 10**9 + 1)
                for at in delta.window.seconds
            )
        )


class CommandTests(TracingCase):
    """A command does not notice that it is traced, and its end is told."""

    def test_exit_status(self) -> None:
        """The exit status of the command is told."""
        self.assertEqual(Ended(exit_code=7), trace("sh", "-c", "exit 7").ending)

    def test_signal(self) -> None:
        """The signal that killed the command is told."""
        for what, number in (("kill", signal.SIGKILL), ("abort", signal.SIGABRT)):
            self.assertEqual(Ended(exit_signal=number), trace(program("misc"), what).ending)

    def test_standard_streams(self) -> None:
        """Input, output and errors of the command are the user's, byte for byte."""
        read_end, write_end = os.pipe()
        os.write(write_end, b"hello\n")
        os.close(write_end)
        outcome = run(RunCommand(argv=("sh", "-c", "cat; echo bye >&2")), stdin=read_end)
        os.close(read_end)
        self.assertEqual((b"hello\n", b"bye\n"), (outcome.output, outcome.errors))

    def test_clean_state(self) -> None:
        """The command has default signal handlers, none blocked, and no descriptor of ours."""
        for what in ("signals", "descriptors"):
            self.assertEqual(Ended(exit_code=0), trace(program("misc"), what).ending)

    def test_odd_deeds(self) -> None:
        """A target may close all it has, or ask for a signal when its parent dies."""
        for what in ("close-all", "deathsig"):
            outcome = trace(program("misc"), what)
            self.assertEqual(Ended(exit_code=0), outcome.ending)
            self.assertEqual((1, 0), outcome.counts["getppid"])

    @skipUnless(os.geteuid() == 0, "only root can become somebody else")
    def test_becomes_somebody_else(self) -> None:
        """A target that changes its user is still followed."""
        outcome = trace(program("misc"), "uid")
        self.assertEqual(Ended(exit_code=0), outcome.ending)
        self.assertEqual((1, 0), outcome.counts["getppid"])

    def test_terminates_its_parent(self) -> None:
        """A target that asks its parent to end goes on alone, and the tracer says what it has."""
        outcome = trace("sh", "-c", "kill -TERM $PPID; sleep 0.5; echo on")
        self.assertEqual(b"on\n", outcome.output)
        self.assertIsInstance(outcome.ending, Ended)

    def test_missing(self) -> None:
        """A command that is not there fails as in a shell."""
        for command in ("no-such-command", "/no/such/command"):
            ending = trace(command).ending
            assert isinstance(ending, Failed)
            self.assertEqual(127, ending.exit_status)
            self.assertIn(command, ending.message)

    def test_not_executable(self) -> None:
        """A file that cannot be executed fails as in a shell."""
        plain = Path(self.mktemp())
        plain.write_text("no program")
        for name in (str(plain.absolute()), "/"):
            ending = trace(name).ending
            assert isinstance(ending, Failed)
            self.assertEqual(126, ending.exit_status)

    def test_place_and_environment(self) -> None:
        """The command runs where it is told to, with the variables it is given."""
        outcome = run(
            RunCommand(("sh", "-c", "pwd; echo $HUE"), cwd="/usr", environment={"HUE": "red"})
        )
        self.assertEqual(b"/usr\nred\n", outcome.output)

    def test_missing_folder(self) -> None:
        """A folder that is not there is named."""
        ending = run(RunCommand(("true",), cwd="/no/such/folder")).ending
        assert isinstance(ending, Failed)
        self.assertIn("/no/such/folder", ending.message)

    @skipUnless(os.geteuid() == 0, "only root can run a command as somebody else")
    def test_user(self) -> None:
        """Root can run a command as another user."""
        other = pwd.getpwnam("nobody")
        outcome = run(RunCommand(("id", "-u"), user="nobody"))
        self.assertEqual(str(other.pw_uid).encode() + b"\n", outcome.output)

    @skipUnless(os.geteuid() == 0, "others may not ask for a user at all")
    def test_unknown_user(self) -> None:
        """A user that does not exist is named."""
        ending = run(RunCommand(("true",), user="no-such-user")).ending
        assert isinstance(ending, Failed)
        self.assertIn("no-such-user", ending.message)

    def test_introduction(self) -> None:
        """The command is introduced as the kernel knows it."""
        started = trace(sys.executable, "-c", "pass").messages[0]
        assert isinstance(started, Started)
        self.assertEqual("ptrace", started.backend)
        self.assertEqual(f"{sys.executable} -c pass", started.process.cmdline)
        self.assertEqual(os.path.realpath(sys.executable), started.process.exe)

    def test_process_tree(self) -> None:
        """Each process is told with its parent, its name and its end."""
        outcome = trace("sh", "-c", "ls / >/dev/null; exit 3")
        started = outcome.messages[0]
        assert isinstance(started, Started)
        main = started.process.pid
        processes = dict(outcome.delta.processes)
        shell = processes.pop(main)
        (child,) = processes.values()
        self.assertEqual(("sh", "exited with 3"), (shell.comm, shell.ending))
        self.assertEqual((main, "ls", "exited with 0"), (child.parent, child.comm, child.ending))


class ControlTests(TracingCase):
    """The service can act on a command that runs."""

    def test_deliver(self) -> None:
        """A signal is passed on to the command."""
        tracer = start(RunCommand(("sleep", "60")))
        tracer.await_start()
        tracer.tell(Deliver(signal.SIGTERM))
        self.assertEqual(Ended(exit_signal=signal.SIGTERM), tracer.finish().ending)

    def test_detach(self) -> None:
        """The command goes on without the tracer, which says its last numbers at once."""
        read_end, write_end = os.pipe()
        tracer = start(RunCommand((program("busy"),)), stdin=read_end)
        os.close(read_end)
        tracer.await_calls("getppid", 100)
        tracer.tell(Detach())
        while tracer.listen():
            pass
        os.close(write_end)
        outcome = tracer.finish()
        self.assertEqual(Ended(), outcome.ending)
        self.assertEqual(b"ready\ndone\n", outcome.output)


class FilterTests(TracingCase):
    """Only what is asked for is seen."""

    def test_names(self) -> None:
        """Only the named calls are counted, in every process, and they are counted right."""
        command = ("sh", "-c", f"{program('storm')} 20; cat /etc/passwd /none")
        expected = {n: c for n, c in strace_counts(*command).items() if n in {"openat", "execve"}}
        outcome = trace(*command, trace="openat,execve")
        self.assertEqual(expected, outcome.counts)

    def test_mistake(self) -> None:
        """A name that is no system call is an error, and nothing is started."""
        ending = trace("touch", self.mktemp(), trace="no_such_call").ending
        assert isinstance(ending, Failed)
        self.assertEqual(2, ending.exit_status)

    def test_only_leader(self) -> None:
        """Without children, threads are still followed and processes are not."""
        outcome = trace(program("storm"), "20", follow_children=False)
        self.assertNotIn("getppid", outcome.counts)
        self.assertEqual(1, len(outcome.delta.processes))
        threads = trace(program("threads"), follow_children=False)
        self.assertEqual((2000, 0), threads.counts["getppid"])

    def test_filtered_signals(self) -> None:
        """Signals and stops do not disturb a filtered trace."""
        for name in ("group_stop", "restart", "thread_exec", "leader_exit"):
            outcome = trace(program(name), trace="kill,read,exit_group")
            code = 3 if name == "leader_exit" else 0
            self.assertEqual(Ended(exit_code=code), outcome.ending)

    def test_detach_filtered(self) -> None:
        """A filtered command is not left with calls that fail when nobody watches any longer."""
        read_end, write_end = os.pipe()
        tracer = start(
            RunCommand((program("busy"),), options=TraceOptions(trace="read,write")), stdin=read_end
        )
        os.close(read_end)
        tracer.await_calls("write")
        tracer.tell(Detach())
        while tracer.listen():
            pass
        os.close(write_end)
        outcome = tracer.finish()
        self.assertEqual(b"ready\ndone\n", outcome.output)

    def test_status(self) -> None:
        """Calls are chosen by how they end."""
        command = ("cat", "/none")
        everything = trace(*command).counts
        failed = trace(*command, status="failed").counts
        succeeded = trace(*command, status="successful").counts
        self.assertEqual({n: (e, e) for n, (c, e) in everything.items() if e}, failed)
        self.assertEqual({n: (c - e, 0) for n, (c, e) in everything.items() if c > e}, succeeded)

    def test_paths(self) -> None:
        """Calls are chosen by the path they are about, whether by name or by descriptor."""
        outcome = trace("cat", "/etc/passwd", paths=("/etc/passwd",))
        names = {name for name in outcome.counts if name not in {"fadvise64", "newfstatat", "mmap"}}
        self.assertEqual({"openat", "read", "close"}, names)


class RecordTests(TracingCase):
    """What is kept of single calls."""

    def test_arguments(self) -> None:
        """Arguments are shown as strace shows them, and opened paths are counted."""
        outcome = trace("cat", "/none")
        shown = [(e.args, e.ret, e.error) for e in outcome.delta.log if e.name == "openat"]
        self.assertIn(('AT_FDCWD, "/none", O_RDONLY', "-1", "ENOENT"), shown)
        self.assertEqual(1, outcome.delta.paths["/none"])
        self.assertIn("ENOENT", {sample.errno for sample in outcome.delta.failures["openat"]})

    def test_budget(self) -> None:
        """What does not fit the budget of the log is counted in the ledger, and nowhere lost."""
        outcome = trace(program("threads"), log_rate=0)
        self.assertEqual((), tuple(e for e in outcome.delta.log if e.ret != "?"))
        total = sum(count for count, _ in outcome.counts.values())
        self.assertEqual(total, outcome.delta.ledger.sampled_entries)
        self.assertEqual(50, len(outcome.delta.failures["close"]))

    def test_blind(self) -> None:
        """With arguments switched off nothing is read from the target."""
        outcome = trace("cat", "/none", read_arguments=False)
        self.assertNotIn("/none", repr(outcome.messages[1:]).replace("cat /none", ""))

    def test_redaction(self) -> None:
        """What is to be masked leaves the tracer nowhere: not as an argument, not as a name."""
        outcome = trace("sh", "-c", "cat /none/hunter22; true", redact=(r"hunter\d+",))
        self.assertNotIn("hunter22", repr(outcome.messages))
        self.assertIn("[redacted]", repr(outcome.messages))

    def test_debug(self) -> None:
        """Debugging shows every stop, and how many there were of each kind."""
        errors = trace("true", debug=True).errors.decode()
        self.assertIn("system call", errors)
        self.assertIn("exited 0", errors)
