"""Tests of the exit status: that of the command, unless a requested output failed."""

import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import LOG, SYSWATCH, running, serving, wait_for
from tests.system.shell import run, shell
from tests.tracer.contract.targets import Target
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing

_FULL = "/dev/full"
_NO_SPACE = "No space left on device"
_RUN = ("run", "--backend", "ptrace")
# How a command ends, and the status that a shell gives for it.
_ENDINGS = {0: "true", 3: "exit 3", -signal.SIGTERM: "kill -TERM $$"}
# Outputs that cannot be written, and the messages.
_OUTPUTS: dict[tuple[str, ...], str] = {
    ("--output", _FULL): f"cannot write the summary to {_FULL}: {_NO_SPACE}",
    ("--report", _FULL, "--output", "/dev/null"): (
        f"cannot write the report to {_FULL}: {_NO_SPACE}"
    ),
}


def said(result: subprocess.CompletedProcess[str]) -> tuple[int, list[str]]:
    """Return the status and the messages, without a summary."""
    lines = result.stderr.splitlines()
    return result.returncode, [line for line in lines if line.startswith("syswatch: ")]


class CommandTests(SynchronousTestCase):
    """The exit status of `run`."""

    def setUp(self) -> None:
        """Skip the test if tracing is not allowed."""
        require_tracing()

    def assert_ends(self, command: Sequence[str], sentence: str = "", *, fails: bool) -> None:
        """Check that a failure turns status 0, and no other, into 1, with a message."""
        for status, ending in _ENDINGS.items():
            result = run([*command, "sh", "-c", ending])
            lines = [f"syswatch: {sentence}"] if sentence else []
            self.assertEqual((status or int(fails), lines), said(result))

    def test_outputs(self) -> None:
        """An output on a full device is a failure."""
        for flags, sentence in _OUTPUTS.items():
            self.assert_ends([*SYSWATCH, *_RUN, *flags], sentence, fails=True)

    def test_stderr(self) -> None:
        """A summary on a full or closed stderr is a failure only if it was requested."""
        for how, flags, fails in (
            ("2>/dev/full", (), False),
            ("2>/dev/full", ("--summary",), True),
            ("2>&-", (), False),
            ("2>&-", ("--summary",), True),
        ):
            self.assert_ends([*shell(how), *SYSWATCH, *_RUN, *flags], fails=fails)

    def test_recording(self) -> None:
        """A recording that cannot be created is a usage error; one that breaks off is a failure."""
        never = Path(self.mktemp())
        result = run([*SYSWATCH, *_RUN, "--record", _FULL, "touch", str(never)])
        sentence = f"syswatch: --record: {_FULL} is a file (a recording is a directory)"
        self.assertEqual((2, [sentence]), said(result))
        self.assertFalse(never.exists())

    def test_recording_limited(self) -> None:
        """A recording that breaks off turns status 0 into 1; one that cannot begin is refused."""
        folder = Path(self.mktemp()).absolute()
        flags = ("--output", "/dev/null", "--record", str(folder))
        limited = ("sh", "-c", 'ulimit -f 0 && exec "$@"', "sh")
        self.assertEqual(2, run([*limited, *SYSWATCH, *_RUN, *flags, "true"]).returncode)
        self.assertFalse(folder.exists())

        small = ("sh", "-c", 'ulimit -f 1 && exec "$@"', "sh")
        for status, ending in _ENDINGS.items():
            result = run([*small, *SYSWATCH, *_RUN, *flags, "sh", "-c", ending])
            shutil.rmtree(folder)
            found, lines = said(result)
            self.assertEqual(status or 1, found)
            begun, ended = lines
            self.assertIn("has stopped: File too large", begun)
            self.assertIn("stopped early (File too large)", ended)

    def test_served(self) -> None:
        """A server reports how the command ended, and ends with its status."""
        for flags, status in (((), 0), (("--output", _FULL), 1)):
            with running([*SYSWATCH, *_RUN, "--serve", ":0", *flags, "true"]) as server:
                server.read_until(
                    "true exited with 0; still serving \\(Ctrl\\+C or SIGTERM to stop\\)\n"
                )
                self.assertEqual(status, server.end())


class OtherTests(SynchronousTestCase):
    """The exit status of the other commands."""

    def test_attach(self) -> None:
        """`attach` ends with the target's status if known; a failure turns 0 into 1."""
        require_tracing()
        for number, script in ((1, "read line"), (4, "read line; exit 4")):
            with subprocess.Popen(
                ["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
            ) as target:
                flags = ("--backend", "ptrace", "--serve", ":0", "--exit-with-target")
                words = ("attach", *flags, "--output", _FULL, str(target.pid))
                with running([*SYSWATCH, *words]) as server:
                    wait_for(lambda server=server: server.ask("/readyz")[0] == 200)
                    target.communicate(b"\n")
                    server.process.wait()
                    self.assertEqual(number, server.end())
                self.assertIn(
                    f"cannot write the summary to {_FULL}: {_NO_SPACE}".encode(), server.output
                )

    def test_stats(self) -> None:
        """`stats` ends with 0, or with 1 if an output failed."""
        for flags, sentence in _OUTPUTS.items():
            result = run([*SYSWATCH, "stats", *flags, str(LOG)])
            self.assertEqual((1, [f"syswatch: {sentence}"]), said(result))
        for how, status in ((">/dev/full", 1), (">&-", 1), ("2>/dev/full", 0), ("2>&-", 0)):
            result = run([*shell(how), *SYSWATCH, "stats", str(LOG)])
            self.assertEqual(status, result.returncode, how)

    def test_stats_served(self) -> None:
        """`stats --serve` keeps serving, reports that, and ends with 0."""
        with running([*SYSWATCH, "stats", "--serve", ":0", str(LOG)]) as server:
            server.read_until("log fully read; still serving \\(Ctrl\\+C or SIGTERM to stop\\)\n")
            self.assertEqual(0, server.end())

    def test_top(self) -> None:
        """`top` fails if it cannot write."""
        with serving() as server:
            for how, status in ((">/dev/full", 1), (">&-", 1)):
                result = run([*shell(how), *SYSWATCH, "top", f"localhost:{server.port}"])
                self.assertEqual(status, result.returncode, how)


class NoticeTests(SynchronousTestCase):
    """The line about the backend."""

    def test_after_mistakes(self) -> None:
        """The line is not printed if there is nothing to trace."""
        for words, status, sentence in (
            (("run", "no-such-command"), 127, "no-such-command: command not found"),
            (("run", "-e", "opennat", "true"), 2, "-e: unknown system call 'opennat'"),
            (("attach", "999999999"), 1, "no such process: 999999999"),
        ):
            found, lines = said(run([*SYSWATCH, *words]))
            self.assertEqual((status, 1), (found, len(lines)), lines)
            self.assertIn(sentence, lines[0])


class NameTests(SynchronousTestCase):
    """Targets by name."""

    def setUp(self) -> None:
        """Create a program with a unique name."""
        require_tracing()
        self.path = Path(self.mktemp()).absolute().with_name(f"named-{id(self)}"[:15])
        shutil.copy(program("busy"), self.path)
        self.addCleanup(self.path.unlink)

    def begin(self) -> Target:
        """Start it."""
        target = Target.begin(str(self.path))
        self.addCleanup(target.process.communicate)
        self.addCleanup(target.process.kill)
        return target

    def test_found(self) -> None:
        """A process is found by its name, and names and PIDs can be combined."""
        flags = ("--serve", ":0", "--exit-with-target")
        named, numbered = self.begin(), Target.begin(program("busy"))
        self.addCleanup(numbered.process.kill)
        for words in ((self.path.name,), ("--container", self.path.name)):
            command = (*SYSWATCH, "attach", *flags, *words)
            with running(command) as server:
                wait_for(lambda server=server: server.json("/api/status")["Total"])
                self.assertEqual(named.pid, server.json("/api/status")["Proc"]["PID"])
        with running((*SYSWATCH, "attach", *flags, self.path.name, str(numbered.pid))) as server:
            wait_for(lambda: len(server.json("/api/processes")) == 2)
            self.assertEqual((42, 42), (named.end(), numbered.end()))
            self.assertEqual(42, server.process.wait())

    def test_ambiguous(self) -> None:
        """An ambiguous name is refused with a list of its matches."""
        first, second = sorted((self.begin(), self.begin()), key=lambda target: target.pid)
        for flags in ((), ("--wait",)):
            result = run([*SYSWATCH, "attach", *flags, self.path.name])
            why = f"{self.path.name}, command name {self.path.name}"
            listed = "; ".join(f"{target.pid} ({why})" for target in (first, second))
            sentence = f"syswatch: '{self.path.name}' is ambiguous; use one of these PIDs: {listed}"
            self.assertEqual((2, [sentence]), said(result))
        self.assertEqual("0", first.status("TracerPid"))

    def test_absent(self) -> None:
        """A name without a process is refused with a suggestion."""
        result = run([*SYSWATCH, "attach", self.path.name])
        sentence = (
            f"no container, service or process is named '{self.path.name}' (--wait waits for one)"
        )
        self.assertEqual((1, [f"syswatch: {sentence}"]), said(result))
