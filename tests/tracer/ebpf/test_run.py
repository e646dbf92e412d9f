"""Tests of commands with eBPF: the results are those of strace and of ptrace."""

import signal

from syswatch.model.messages import Attach, Failed, RunCommand, Started, TraceOptions

# Modules, because trial runs every test case that is a name in a module of tests.
from tests.tracer.contract import commands, counting, killing
from tests.tracer.harness import Outcome, run

from .case import EbpfCase


def with_backend(name: str, *command: str, **options: object) -> Outcome:
    """Run a command under the tracer of a backend."""
    return run(RunCommand(command, options=TraceOptions(backend=name, **options)))  # type: ignore[arg-type]


class CountTests(EbpfCase, counting.CountContract):
    """Counts and errors are those of strace -c -f."""


class KillTests(EbpfCase, killing.KillContract):
    """A call is counted if it has returned."""

    def test_only_counted(self) -> None:
        """The same holds if nothing else is known of calls."""
        for how in ("blocked", "itself", "thread", "threads", "busy"):
            self.kill(how, signal.SIGKILL, mode="counts")


class CommandTests(EbpfCase, commands.CommandContract):
    """A command does not notice that it is traced, and its ending is reported."""


class SelectionTests(EbpfCase):
    """The results are those of ptrace."""

    def test_filters(self) -> None:
        """Names and results are selected as with ptrace."""
        command = ("ls", "/", "/no-such-folder")
        for options in ({"trace": "%file,!stat"}, {"status": "failed"}, {"status": "successful"}):
            one, other = self.both(*command, **options)
            self.assertEqual(other.counts, one.counts, options)

    def test_paths(self) -> None:
        """The same paths are counted, and the same ones as failed."""
        one, other = self.both("cat", "/etc/hosts", "/none", "/" + 300 * "x")
        self.assertEqual(dict(other.delta.paths), dict(one.delta.paths))
        self.assertEqual(dict(other.delta.failed_paths), dict(one.delta.failed_paths))
        self.assertEqual(1, one.delta.failed_paths["/none"])
        self.assertEqual(1, one.delta.failed_paths["/" + 300 * "x"])
        self.assertNotIn("/etc/hosts", one.delta.failed_paths)

    def test_arguments(self) -> None:
        """Failures are shown with their paths, and secrets are masked."""
        delta = self.trace("cat", "/no-such-secret", redact=("secret",)).delta
        shown = [failure.args for failure in delta.failures["openat"]]
        self.assertIn('AT_FDCWD, "/no-such-[redacted]", O_RDONLY', shown)
        self.assertIn("/no-such-[redacted]", delta.paths)
        raw = self.trace("cat", "/no-such-secret", read_arguments=False).delta
        self.assertEqual({}, dict(raw.paths))
        self.assertNotIn("secret", repr(raw))


class DiagnosisTests(EbpfCase):
    """The diagnostics of the program."""

    def test_debug(self) -> None:
        """--debug prints what did not fit and what the kernel missed."""
        errors = self.trace("true", debug=True).errors.decode()
        self.assertIn("        0 crowded\n", errors)
        self.assertIn("        0 missed by the kernel\n", errors)


class ChoiceTests(EbpfCase):
    """The choice of the backend."""

    def test_refusals(self) -> None:
        """What only eBPF can do is refused with ptrace, and makes `auto` use eBPF."""
        jobs = (
            ("--mode counts", RunCommand(("true",), options=TraceOptions(mode="counts"))),
            ("--cgroup", Attach(group="/no-such-group", options=TraceOptions())),
            ("--all", Attach(everybody=True, options=TraceOptions())),
        )
        for what, job in jobs:
            ending = run(job).ending
            assert isinstance(ending, Failed)
            self.assertIn(f"{what} is not available with --backend ptrace", ending.message)
        outcome = with_backend("auto", "true", mode="counts")
        started = next(m for m in outcome.messages if isinstance(m, Started))
        self.assertEqual("ebpf", started.backend)
        self.assertIn(b"(required by --mode counts)", outcome.errors)

    def test_auto(self) -> None:
        """If eBPF is usable, it is used, and its cost for other processes is printed."""
        outcome = with_backend("auto", "true")
        started = next(m for m in outcome.messages if isinstance(m, Started))
        self.assertEqual("ebpf", started.backend)
        self.assertIn(b"every system call on this machine", outcome.errors)
