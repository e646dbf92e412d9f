"""`syswatch run` and `syswatch attach` as users type them."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import (
    PATIENCE_S,
    PYTHON,
    SYSWATCH,
    Program,
    is_running,
    need_root,
    running,
    tracer_of,
    tracers_of,
    wait_for,
)
from tests.system.shell import run
from tests.tracer.contract.targets import Target
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing

# A shell that starts a process to attach to itself, waits until it is traced, and exits.
_TRACED_BY_CHILD = """
"$@" $$ &
tracer=0
while [ "$tracer" = 0 ]; do
    while read -r name value; do [ "$name" != TracerPid: ] || tracer=$value; done </proc/$$/status
done
"""
_FORGETFUL = "import pathlib, sys; [pathlib.Path(name).exists() for name in sys.argv[1:]]"


class LivingCase(SynchronousTestCase):
    """A test that is skipped where tracing is not allowed."""

    def setUp(self) -> None:
        """Skip the test if tracing is not allowed."""
        require_tracing()


class NothingTests(LivingCase):
    """A command that makes none of the selected calls."""

    def test_summary(self) -> None:
        """The summary reports that nothing was counted, in all formats."""
        for form, expected in (("text", "no system calls"), ("json", '"Total":0')):
            words = ("-e", "openat2", "--summary", "--format", form, "true")
            result = run([*SYSWATCH, "run", *words])

            self.assertEqual(0, result.returncode)
            self.assertIn(expected, result.stderr)

    def test_served(self) -> None:
        """Its server runs until it is stopped."""
        with running([*SYSWATCH, "run", "-e", "openat2", "--serve", ":0", "true"]) as server:
            wait_for(lambda: server.json("/api/status")["Done"])
            self.assertEqual(0, server.json("/api/status")["Total"])
            self.assertEqual(0, server.end())


class FlagTests(LivingCase):
    """The options of both commands."""

    def summary(self, *words: str) -> dict[str, Any]:
        """Run a command and return its summary."""
        result = run([*SYSWATCH, "run", "--backend", "ptrace", "--format", "json", *words])
        self.assertEqual(0, result.returncode, result.stderr)
        # A backend that is chosen is named in a line of its own.
        lines = (line for line in result.stderr.splitlines() if not line.startswith("syswatch:"))
        found: dict[str, Any] = json.loads("\n".join(lines))
        return found

    def names(self, summary: dict[str, Any]) -> set[str]:
        """Return the names of the calls that were counted."""
        return {row["Name"] for row in summary["Stats"]}

    def test_output(self) -> None:
        """The command keeps its stdout, and --output names the file of the summary."""
        path = Path(self.mktemp())
        # There is no start line for ptrace: it slows down only its target.
        flags = ("--backend", "ptrace", "--format", "csv", "--output", str(path))
        result = run([*SYSWATCH, "run", *flags, "echo", "hello"])
        self.assertEqual(("hello\n", ""), (result.stdout, result.stderr))
        self.assertIn("\nwrite,I/O,1,0,", path.read_text())

    def test_output_beside_server(self) -> None:
        """With --output or --format there is a summary beside a server, too."""
        path = Path(self.mktemp())
        server = ("--serve", ":0", "--exit-with-target")
        for flags in (("--output", str(path)), ("--format", "csv")):
            result = run([*SYSWATCH, "run", *server, *flags, "true"])
            written = path.read_text() if path.exists() else result.stderr
            self.assertIn("execve", written)
            path.unlink(missing_ok=True)

    def test_place(self) -> None:
        """The command runs in the given folder, with the given variables, as the given user."""
        need_root()
        flags = ("--cwd", "/usr", "--env", "HUE=red", "--env", "TONE=dark", "--user", "nobody")
        result = run([*SYSWATCH, "run", *flags, "sh", "-c", "pwd; echo $HUE $TONE; id -un"])
        self.assertEqual("/usr\nred dark\nnobody\n", result.stdout)

    def test_selection(self) -> None:
        """Calls are selected by name, by result and by path."""
        command = ("--", "cat", "/etc/passwd", "/etc/hostname")
        self.assertEqual(
            {"openat", "close"}, self.names(self.summary("-e", "openat,close", *command))
        )
        failed = self.summary("--status", "failed", *command)["Stats"]
        self.assertTrue(all(row["Errors"] == row["Count"] for row in failed))
        about_path = self.summary("-P", "/etc/hostname", *command)
        self.assertEqual(["/etc/hostname"], [file["path"] for file in about_path["Files"]])

    def test_secrets(self) -> None:
        """Masked and unread text appears in no output."""
        command = (*PYTHON, _FORGETFUL, "/none/hunter22")
        self.assertNotIn("hunter22", json.dumps(self.summary("--redact", r"hunter\d+", *command)))
        for backend in ("auto", "ptrace"):
            summary = self.summary("--backend", backend, "--no-args", *command)
            self.assertEqual([], summary["Files"])
            self.assertEqual({""}, {each["Name"] for each in summary["Objects"]}, backend)

    def test_preset(self) -> None:
        """The preset masks secrets with each backend."""
        words = ("--password=hunter22", "API_KEY=hunter22", "https://me:hunter22@web/")
        for backend in ("auto", "ptrace"):
            path = Path(self.mktemp())
            flags = ("--backend", backend, "--redact", "secrets", "--per-pid", "--debug")
            output = ("--format", "json", "--output", str(path), "--record", f"{path}.recording")
            run([*SYSWATCH, "run", *flags, *output, *PYTHON, _FORGETFUL, *words])
            self.assertIn("https://me:[redacted]@web", path.read_text())
            recorded = [each for each in Path(f"{path}.recording").rglob("*") if each.is_file()]
            self.assertTrue(recorded)
            for file in (path, *recorded):
                self.assertEqual(0, file.read_bytes().count(b"hunter22"))

    def test_processes(self) -> None:
        """Children are followed unless switched off, with a table per process if requested."""
        command = ("sh", "-c", "ls / >/dev/null; true")
        shell, child = self.summary("--per-pid", *command)["Processes"]
        self.assertEqual((shell["PID"], "ls"), (child["Parent"], child["Comm"]))
        self.assertIn("getdents64", {row["Name"] for row in child["Calls"]})
        self.assertNotIn("getdents64", self.names(self.summary("--no-children", *command)))

    def test_mistakes(self) -> None:
        """A usage error is one sentence and status 2, and nothing is started."""
        never = Path(self.mktemp())
        for flags in (
            ("-e", "opennat"),
            ("--status", "odd"),
            ("--cwd", "/no/such/folder"),
            ("--env", "HUE"),
            ("--backend", "magic"),
            ("--redact", "("),
            ("--serve", "nowhere:0"),
        ):
            result = run([*SYSWATCH, "run", *flags, "touch", str(never)])
            self.assertEqual(2, result.returncode, flags)
            self.assertEqual(1, result.stderr.count("\n"), result.stderr)
        self.assertFalse(never.exists())


class InterruptTests(LivingCase):
    """SIGINT and SIGTERM sent to syswatch alone, as with `kill`."""

    def start(self, *words: str) -> Program:
        """Start syswatch with a target whose output the test reads."""
        process = subprocess.Popen(
            [*SYSWATCH, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        # Not read to its end: a command that is still running has it open, too.
        self.addCleanup(process.__exit__, None, None, None)
        self.addCleanup(process.kill)
        return Program(process)

    def test_first_is_for_the_command(self) -> None:
        """A command that handles SIGINT keeps running, and its exit status is passed on."""
        script = "trap 'exit 7' INT; echo ready; while :; do sleep 0.1; done"
        watch = self.start("run", "--", "sh", "-c", script)
        assert watch.process.stdout is not None
        self.assertEqual(b"ready\n", watch.process.stdout.readline())
        self.assertEqual(7, watch.end(signal.SIGINT))

    def test_second_is_for_us(self) -> None:
        """After the second SIGINT, syswatch detaches from a command that ignores it."""
        script = "trap 'echo heard' INT; echo $$; while :; do sleep 0.1; done"
        watch = self.start("run", "--", "sh", "-c", script)
        assert watch.process.stdout is not None
        target = int(watch.process.stdout.readline())
        self.addCleanup(os.kill, target, signal.SIGKILL)
        watch.process.send_signal(signal.SIGINT)
        self.assertEqual(b"heard\n", watch.process.stdout.readline())
        watch.process.send_signal(signal.SIGINT)
        watch.read_until("detached; the command is still running")
        self.assertTrue(is_running(target))

    def test_stays_behind_a_filter(self) -> None:
        """The tracer of a command with a seccomp filter stays, and is not killed."""
        script = "trap 'echo heard' INT; echo $$; while :; do sleep 0.1; done"
        watch = self.start("run", "--backend", "ptrace", "-e", "write", "--", "sh", "-c", script)
        assert watch.process.stdout is not None
        target = int(watch.process.stdout.readline())
        self.addCleanup(os.kill, target, signal.SIGKILL)
        tracer = tracer_of(target)
        watch.process.send_signal(signal.SIGINT)
        self.assertEqual(b"heard\n", watch.process.stdout.readline())
        watch.process.send_signal(signal.SIGINT)
        watch.read_until("detached; the command is still running")
        self.assertEqual(0, watch.process.wait(PATIENCE_S))
        self.assertEqual(tracer, tracer_of(target))
        self.assertTrue(is_running(tracer))

    def test_detached(self) -> None:
        """SIGINT and SIGTERM detach from a process, which keeps running."""
        target = Target.begin(program("busy"))
        self.addCleanup(target.end)
        for number in (signal.SIGINT, signal.SIGTERM):
            with running(
                [*SYSWATCH, "attach", "--summary", "--serve", ":0", str(target.pid)]
            ) as server:
                wait_for(lambda: server.json("/api/status")["Total"])
                server.end(number)
            self.assertIn(b"detached; the target is still running", server.output)
            self.assertIn(b"getppid", server.output)
            self.assertEqual("0", target.status("TracerPid"))
        self.assertEqual(42, target.end())

    def test_not_ourselves(self) -> None:
        """A trace of the shell that started syswatch leaves syswatch itself out."""
        flags = ("--backend", "ptrace", "--format", "json")
        attach = [*SYSWATCH, "attach", *flags]
        summary = json.loads(run(["sh", "-c", _TRACED_BY_CHILD, "sh", *attach]).stderr)
        self.assertEqual(["sh"], [process["Comm"] for process in summary["Processes"]])
        self.assertEqual(0, summary["Fidelity"]["Ledger"]["UnfollowedProcesses"])

    def test_waits_for_a_name(self) -> None:
        """With --wait, a process is attached to once there is one with the name."""
        name = f"waited-{os.getpid()}"
        busy = shutil.copy(program("busy"), Path(self.mktemp()).with_name(name))
        flags = ("--wait", "--serve", ":0")
        with running([*SYSWATCH, "attach", *flags, name]) as server:
            target = Target.begin(str(Path(busy).absolute()))
            wait_for(lambda: server.json("/api/status")["Proc"]["PID"] == target.pid)
            wait_for(lambda: server.json("/api/status")["Total"])
            self.assertEqual(42, target.end())
            wait_for(lambda: server.json("/api/status")["Done"])
            self.assertEqual(42, server.json("/api/status")["ExitCode"])

    def test_waits_in_vain(self) -> None:
        """SIGINT while waiting for a name gives the status of an interrupted command."""
        flags = ("--container", f"never-{os.getpid()}", "--wait", "--serve", ":0")
        for number in (signal.SIGINT, signal.SIGTERM):
            with running([*SYSWATCH, "attach", *flags]) as server:
                wait_for(lambda: tracers_of(server.process.pid))
                self.assertEqual(-number, server.end(number))
            self.assertIn(b"interrupted before tracing started\n", server.output)
        # Service managers signal the tracer as well.
        with running([*SYSWATCH, "attach", *flags], start_new_session=True) as server:
            wait_for(lambda: tracers_of(server.process.pid))
            os.killpg(server.process.pid, signal.SIGTERM)
            server.process.wait(PATIENCE_S)
            self.assertEqual(-signal.SIGTERM, server.end())
        self.assertIn(b"interrupted before tracing started\n", server.output)
        self.assertNotIn(b"the tracer", server.output)

    def test_interrupted_too_early(self) -> None:
        """A tracer that is too slow to stop, as on a busy machine, is not reported as killed."""
        name = f"never-{os.getpid()}"
        with running([*SYSWATCH, "attach", "--wait", "--serve", ":0", name]) as server:
            wait_for(lambda: tracers_of(server.process.pid))
            os.kill(tracers_of(server.process.pid)[0], signal.SIGSTOP)
            self.assertEqual(-signal.SIGINT, server.end(signal.SIGINT))
        self.assertIn(b"interrupted before tracing started\n", server.output)
        self.assertNotIn(b"killed", server.output)

    def test_ends_with_target(self) -> None:
        """With --exit-with-target, a server ends with its target."""
        flags = ("--exit-with-target", "--serve", ":0")
        result = run([*SYSWATCH, "run", *flags, "sh", "-c", "exit 5"])
        self.assertEqual(5, result.returncode)
