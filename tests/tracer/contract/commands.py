"""Tests of commands: they do not notice that they are traced, and their ending is reported."""

import os
import pwd
import signal
import sys
from itertools import product
from pathlib import Path
from typing import Any
from unittest import skipUnless

from syswatch.model.messages import Deliver, Detach, Ended, Failed, RunCommand
from tests.tracer.harness import run, start
from tests.tracer.programs import program

from .case import BackendCase

_HEARING = """
import os, signal, sys, time
def hear(number, _):
    os.write(1, b"%d\\n" % number)
    if number == signal.SIGUSR1:
        sys.exit()
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
    signal.signal(number, hear)
os.write(1, b"ready\\n")
while True:
    time.sleep(0.05)  # A signal may have come a moment before.
"""


class CommandContract(BackendCase):
    """Commands that are started by the tracer."""

    def refusal(self, *command: str, **how: Any) -> Failed:
        """Return why a command cannot be started."""
        job = RunCommand(argv=command, options=self.options(), **how)
        ending = run(job).ending
        assert isinstance(ending, Failed)
        return ending

    def test_exit_status(self) -> None:
        """The exit status of the command is reported."""
        self.assertEqual(Ended(exit_code=7), self.trace("sh", "-c", "exit 7").ending)

    def test_signal(self) -> None:
        """The signal that killed the command is reported."""
        for what, number in (("kill", signal.SIGKILL), ("abort", signal.SIGABRT)):
            outcome = self.trace(program("misc"), what)
            self.assertEqual(Ended(exit_signal=number), outcome.ending)

    def test_signal_to_the_group(self) -> None:
        """A signal from the service reaches the command once, in either process group."""
        hearing = (sys.executable, "-S", "-E", "-c", _HEARING)
        signals = (signal.SIGTERM, signal.SIGINT)
        for number, command in product(signals, (hearing, ("setsid", *hearing))):
            tracer = start(RunCommand(command, options=self.options()), prefix=("setsid",))
            heard = tracer.process.stdout
            assert heard is not None
            self.assertEqual(b"ready\n", heard.readline())
            os.killpg(tracer.process.pid, number)
            tracer.send(Deliver(number))
            self.assertEqual(b"%d\n" % number, heard.readline())
            tracer.send(Deliver(signal.SIGUSR1))
            self.assertEqual(b"10\n", heard.readline())
            self.assertEqual(Ended(exit_code=0), tracer.finish().ending)

    def test_standard_streams(self) -> None:
        """Input, output and errors of the command are those of the user, byte for byte."""
        read_end, write_end = os.pipe()
        os.write(write_end, b"hello\n")
        os.close(write_end)
        tracer = self.start("sh", "-c", "cat; echo bye >&2", stdin=read_end)
        os.close(read_end)
        outcome = tracer.finish()
        self.assertEqual(b"hello\n", outcome.output)
        # A backend may print its cost before the command begins.
        self.assertEqual(b"bye", outcome.errors.splitlines()[-1])

    def test_clean_state(self) -> None:
        """The command has default signal handlers, none blocked, and no descriptor of syswatch."""
        for what in ("signals", "descriptors"):
            self.assertEqual(Ended(exit_code=0), self.trace(program("misc"), what).ending)

    def test_unusual_commands(self) -> None:
        """A command may close all descriptors, and may request a signal when its parent ends."""
        for what in ("close-all", "deathsig"):
            outcome = self.trace(program("misc"), what)
            self.assertEqual(Ended(exit_code=0), outcome.ending)
            self.assertEqual((1, 0), outcome.counts["getppid"])

    @skipUnless(os.geteuid() == 0, "only root can change the user")
    def test_user_changed(self) -> None:
        """A command that changes its user is still followed."""
        outcome = self.trace(program("misc"), "uid")
        self.assertEqual(Ended(exit_code=0), outcome.ending)
        self.assertEqual((1, 0), outcome.counts["getppid"])

    def test_signals_its_parent(self) -> None:
        """A command that sends its parent a signal continues alone; its numbers are sent first."""
        tracer, write_end = self.start_with_pipe("sh", "-c", "kill -TERM $PPID; read x; echo on")
        tracer.receive_all()
        os.close(write_end)
        outcome = tracer.finish()
        self.assertEqual(b"on\n", outcome.output)
        self.assertEqual((1, 0), outcome.counts["kill"])
        assert isinstance(outcome.ending, Failed)
        self.assertIn("received SIGTERM and stopped tracing", outcome.ending.message)

    def test_missing(self) -> None:
        """An unknown command fails as in a shell."""
        for command in ("no-such-command", "/no/such/command"):
            ending = self.refusal(command)
            self.assertEqual(127, ending.exit_status)
            self.assertIn(command, ending.message)

    def test_not_executable(self) -> None:
        """A file that cannot be executed fails as in a shell."""
        plain = Path(self.mktemp())
        plain.write_text("no program")
        for name in (str(plain.absolute()), "/"):
            self.assertEqual(126, self.refusal(name).exit_status)
        found = self.refusal(plain.name, environment={"PATH": str(plain.parent.absolute())})
        self.assertEqual(Failed(f"{plain.absolute()}: Permission denied", 126), found)

    def test_directory_and_environment(self) -> None:
        """The command runs in the given directory, with the given variables."""
        command = ("sh", "-c", "pwd; echo $HUE")
        outcome = run(
            RunCommand(command, cwd="/usr", environment={"HUE": "red"}, options=self.options())
        )
        self.assertEqual(b"/usr\nred\n", outcome.output)

    def test_missing_directory(self) -> None:
        """The error names a missing directory."""
        self.assertIn("/no/such/folder", self.refusal("true", cwd="/no/such/folder").message)

    @skipUnless(os.geteuid() == 0, "only root can run a command as another user")
    def test_user(self) -> None:
        """Root can run a command as another user; the error names an unknown one."""
        other = pwd.getpwnam("nobody")
        outcome = run(RunCommand(("id", "-u"), user="nobody", options=self.options()))
        self.assertEqual(str(other.pw_uid).encode() + b"\n", outcome.output)
        self.assertIn("no-such-user", self.refusal("true", user="no-such-user").message)

    def test_announcement(self) -> None:
        """The command is described as the kernel knows it."""
        # In its own process: measuring coverage would delay its start.
        words = (sys.executable, "-I", "-S", "-c", "input()")
        tracer, write_end = self.start_with_pipe(*words)
        started = tracer.await_start()
        os.write(write_end, b"\n")
        os.close(write_end)
        tracer.finish()
        self.assertEqual(self.backend, started.backend)
        self.assertEqual(" ".join(words), started.process.cmdline)
        self.assertEqual(os.path.realpath(sys.executable), started.process.exe)

    def test_announcement_of_short_command(self) -> None:
        """The same holds for a command that may have ended before it is described."""
        for words in (("true",), ("/usr/bin/env", "--version")):
            tracer = self.start(*words)
            started = tracer.await_start()
            tracer.finish()
            self.assertEqual(Path(words[0]).name, started.process.comm)
            self.assertEqual(" ".join(words), started.process.cmdline)

    def test_process_tree(self) -> None:
        """Each process is reported with its parent, its name and its ending."""
        tracer = self.start("sh", "-c", "ls / >/dev/null; exit 3")
        main = tracer.await_start().process.pid
        processes = dict(tracer.finish().delta.processes)
        shell = processes.pop(main)
        (child,) = processes.values()
        self.assertEqual(("sh", "exited with 3"), (shell.comm, shell.ending))
        self.assertEqual((main, "ls", "exited with 0"), (child.parent, child.comm, child.ending))

    def test_unnamed_signal(self) -> None:
        """A signal without a name is reported by its number."""
        outcome = self.trace("bash", "-c", "kill -40 $$")
        self.assertEqual(Ended(exit_signal=40), outcome.ending)
        (process,) = outcome.delta.processes.values()
        self.assertEqual("killed by signal 40", process.ending)

    def test_only(self) -> None:
        """The filters in use are announced."""
        for expression, only in (("all", ""), ("openat", "-e openat")):
            tracer = self.start("true", trace=expression)
            self.assertEqual(only, tracer.await_start().only)
            tracer.finish()

    def test_deliver(self) -> None:
        """A signal is passed on to the command."""
        tracer = self.start("sleep", "600")
        tracer.await_start()
        tracer.send(Deliver(signal.SIGTERM))
        self.assertEqual(Ended(exit_signal=signal.SIGTERM), tracer.finish().ending)

    def test_signal_to_all(self) -> None:
        """A signal that the service received as well does not end the tracer."""
        script = f"trap '' TERM; exec {program('busy')}"
        tracer, write_end = self.start_with_pipe("sh", "-c", script)
        # The shell makes one of these calls before it ignores the signal.
        tracer.await_calls("getppid", 100)
        tracer.process.send_signal(signal.SIGTERM)
        tracer.send(Deliver(signal.SIGTERM))
        for _ in range(10):
            tracer.receive()
        os.close(write_end)
        self.assertEqual(Ended(exit_code=42), tracer.finish().ending)

    def test_remaining_processes(self) -> None:
        """When a command that was told to end has ended, the processes it started are detached."""
        script = f"exec 3<&0; {program('busy')} <&3 & exec sleep 600"
        tracer, write_end = self.start_with_pipe("sh", "-c", script)
        tracer.await_calls("getppid", 100)
        tracer.send(Deliver(signal.SIGTERM))
        tracer.receive_all()
        os.close(write_end)
        outcome = tracer.finish()
        self.assertEqual(Ended(exit_signal=signal.SIGTERM), outcome.ending)
        self.assertEqual(b"ready\ndone\n", outcome.output)

    def test_too_late(self) -> None:
        """A signal for a command that has ended stops the tracing of the processes it started."""
        tracer, write_end = self.start_with_pipe(
            "sh", "-c", f"exec 3<&0; {program('busy')} <&3 & exit 3"
        )
        tracer.await_calls("getppid", 100)
        tracer.await_end(tracer.await_start().process.pid)
        tracer.send(Deliver(signal.SIGINT))
        tracer.receive_all()
        os.close(write_end)
        outcome = tracer.finish()
        self.assertEqual(Ended(exit_code=3), outcome.ending)
        self.assertEqual(b"ready\ndone\n", outcome.output)

    def test_detach(self) -> None:
        """After a detach the command continues, and the tracer sends its last numbers."""
        tracer, write_end = self.start_with_pipe(program("busy"))
        tracer.await_calls("getppid", 100)
        tracer.send(Detach())
        tracer.receive_all()
        os.close(write_end)
        outcome = tracer.finish()
        self.assertEqual(Ended(), outcome.ending)
        self.assertEqual(b"ready\ndone\n", outcome.output)

    def test_name(self) -> None:
        """A process is described by the name that it gives itself, whatever is selected."""
        for expression in ("all", "getppid"):
            outcome = self.trace(program("misc"), "name", trace=expression)
            (process,) = outcome.delta.processes.values()
            self.assertEqual("hunter", process.comm)
