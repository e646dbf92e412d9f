"""Tests of the daemon: its lifetime, its privileges, and the protocol of service managers."""

import json
import os
import signal
import socket
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.system.daemon_case import DaemonCase
from tests.system.known import GETPPIDS, Known
from tests.system.servers import (
    LOG,
    PATIENCE_S,
    RECORD,
    SYSWATCH,
    TWISTD,
    close_code,
    command_of,
    is_running,
    living_log,
    need_root,
    running,
    tracers_of,
    wait_for,
)
from tests.system.shell import run

NOBODY = ("--uid=nobody", "--gid=nogroup")


def status_of(pid: int) -> dict[str, str]:
    """Return /proc/PID/status as a mapping."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def counts(stats: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Return the count of each call."""
    return [(each["Name"], each["Count"]) for each in stats]


class DaemonTests(DaemonCase):
    """twistd in the background."""

    def test_life(self) -> None:
        """It serves in the background, logs that, and leaves nothing behind."""
        pid = self.start()
        with self.server.stream() as client:
            client.recv(PATIENCE_S)

            os.kill(pid, signal.SIGTERM)
            self.assertEqual(1001, close_code(client))

        wait_for(lambda: not is_running(pid))
        wait_for(lambda: not self.pidfile.exists())
        log = self.logfile.read_text()
        self.assertIn(f"serving http://127.0.0.1:{self.port}/", log)
        self.assertNotIn("Traceback", log)

    def test_closed_streams(self) -> None:
        """It works if it was started with closed standard streams."""
        for how in ("<&-", "2>&-", "<&- >&- 2>&-"):
            pid = self.start(how=how)
            self.assertEqual((200, b"ok"), self.server.ask("/healthz"), how)
            os.kill(pid, signal.SIGTERM)
            wait_for(lambda pid=pid: not is_running(pid))
            self.assertNotIn("Traceback", self.logfile.read_text(), how)
            self.logfile.unlink()

    def test_rights(self) -> None:
        """The server drops root; the tracer child, which needs it, keeps it."""
        need_root()
        log = Path(self.mktemp()).absolute()
        os.mkfifo(log)
        # For reading as well, so that opening it does not wait, and that the log has no end.
        writer = os.open(log, os.O_RDWR)
        self.addCleanup(os.close, writer)
        os.write(writer, RECORD)
        pid = self.start(*NOBODY, what=("stats", str(log)))
        [tracer] = wait_for(lambda: tracers_of(pid))
        self.check_rights(pid, tracer)
        self.stop(pid, tracer)

    def test_standard_input(self) -> None:
        """A daemon has no standard input, so reading it is an error."""
        result = run([*TWISTD, "--pidfile=", "syswatch", "stats", "-"])
        sentence = "stats -: a daemon has no standard input; use twistd --nodaemon"
        self.assertEqual((2, f"syswatch: {sentence}\n"), (result.returncode, result.stderr))

    def test_check(self) -> None:
        """A check is not a service, and its command is not started."""
        mark = Path(self.mktemp()).absolute()
        result = run([*TWISTD, "--pidfile=", "syswatch", "check", "touch", str(mark)])
        sentence = "check: it is not a service; use syswatch without twistd"
        self.assertEqual((2, f"syswatch: {sentence}\n"), (result.returncode, result.stderr))
        self.assertFalse(mark.exists())

    def check_rights(self, pid: int, tracer: int) -> None:
        """Check the users of both processes."""
        wait_for(lambda: status_of(pid)["Uid"].split()[0] != "0")
        server, child = status_of(pid), status_of(tracer)
        for rights in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
            self.assertEqual("0" * 16, server[rights], rights)
        for owner in ("Uid", "Gid"):
            self.assertEqual(1, len(set(server[owner].split())))
            self.assertNotEqual("0", server[owner].split()[0])
            self.assertEqual({"0"}, set(child[owner].split()))
        self.assertNotIn("0", server["Groups"].split())
        self.assertNotEqual("0" * 16, child["CapEff"])

    def stop(self, pid: int, tracer: int) -> None:
        """Stop the daemon; check what it leaves."""
        os.kill(pid, signal.SIGTERM)
        wait_for(lambda: not is_running(pid) and not is_running(tracer))
        # Its pidfile stays: an unprivileged process cannot remove it from root's folder.
        self.assertNotIn("Traceback", self.logfile.read_text())

    def test_attach(self) -> None:
        """An unprivileged server shows what its privileged tracer sees of a process of root."""
        need_root()
        program = Known(self)
        target = program.start()
        pid = self.start(*NOBODY, what=("attach", "--backend", "ptrace", str(target)))
        [tracer] = wait_for(lambda: tracers_of(pid))
        self.check_rights(pid, tracer)
        wait_for(lambda: status_of(target)["TracerPid"] == str(tracer))

        self.check_sees(program)

        self.stop(pid, tracer)
        self.assertEqual("0", status_of(target)["TracerPid"])
        self.assertTrue(is_running(target))

    def test_run(self) -> None:
        """The command that it starts is traced, and left running."""
        need_root()
        program = Known(self)
        pid = self.start(*NOBODY, what=("run", "--", *program.command))
        [tracer] = wait_for(lambda: tracers_of(pid))
        target = command_of(self.server)
        self.check_rights(pid, tracer)

        self.check_sees(program)

        self.stop(pid, tracer)
        self.assertTrue(is_running(target))
        program.end()
        wait_for(lambda: not is_running(target))

    def check_sees(self, program: Known) -> None:
        """Check that new calls of the target are served."""
        program.round()
        wait_for(lambda: ("getppid", GETPPIDS) in counts(self.server.json("/api/stats")))


class ForegroundTests(SynchronousTestCase):
    """twistd -n, and syswatch itself."""

    def test_json_log(self) -> None:
        """With --log-format json, its log is lines of JSON."""
        command = [*TWISTD, "-n", "--pidfile=", "--logger", "syswatch.app.logs.json_lines"]
        with running([*command, "syswatch", "stats", "--serve", ":0", str(LOG)]) as server:
            server.ask("/healthz")
            # Newer versions of Twisted end with the signal that they were ended by.
            self.assertIn(server.end(), (0, -signal.SIGTERM))

        lines = [line for line in server.output.decode().splitlines() if line.startswith("{")]
        messages = [json.loads(line)["message"] for line in lines]
        self.assertTrue(any(message.startswith("serving http") for message in messages))
        self.assertTrue(all({"time", "level", "source"} <= set(json.loads(x)) for x in lines))

    def test_ends_child(self) -> None:
        """SIGTERM ends the server and its tracer, whatever the tracer is doing."""
        for command in (SYSWATCH, (*TWISTD, "-n", "--pidfile=", "syswatch")):
            self._check_ends_child([*command, "stats", "--serve", ":0", "-"])

    def _check_ends_child(self, command: list[str]) -> None:
        with living_log() as log, running(command, stdin=log) as server:
            [tracer] = wait_for(lambda: tracers_of(server.process.pid))
            wait_for(lambda: server.json("/api/stats"))
            server.end()
            wait_for(lambda: not is_running(tracer))
        self.assertNotIn(b"Traceback", server.output)

    def test_hang_up(self) -> None:
        """At SIGHUP the report is written and the clients' connections are closed."""
        report = Path(self.mktemp()).absolute()
        command = [*TWISTD, "-n", "--pidfile=", "syswatch", "stats", "--report", str(report)]
        with living_log() as log, running([*command, "--serve", ":0", "-"], stdin=log) as server:
            wait_for(lambda: server.json("/api/stats"))
            with server.stream() as client:
                server.process.send_signal(signal.SIGHUP)
                server.process.send_signal(signal.SIGHUP)
                self.assertEqual(1001, close_code(client))
            self.assertEqual(0, server.process.wait(PATIENCE_S))
            server.end()
        self.assertIn("<!doctype html>", report.read_text())
        self.assertNotIn(b"Traceback", server.output)

    def test_masks_tokens(self) -> None:
        """A token appears neither in the served command line nor in the output."""
        secrets = ["--ws-token", "sesame-1", "--http-token=sesame-2"]
        bearer = {"Authorization": "Bearer sesame-2"}
        for command in (SYSWATCH, (*TWISTD, "-n", "--pidfile=", "syswatch")):
            with running([*command, "stats", "--serve", ":0", *secrets, str(LOG)]) as server:
                _, shown = server.ask("/debug/pprof/cmdline", bearer)
                status = server.ask("/api/status", bearer)[1]
                server.end()
            self.assertIn(b"--ws-token\0***\0--http-token=***\0", shown)
            self.assertNotIn(b"sesame", shown + status + server.output)


class ManagerTests(SynchronousTestCase):
    """What systemd expects."""

    def test_readiness(self) -> None:
        """The service manager is notified when the server is ready and when it stops."""
        name = f"\0syswatch-test-{os.getpid()}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(name)
            manager.settimeout(PATIENCE_S)
            environment = {"NOTIFY_SOCKET": f"@{name[1:]}"}
            for what in (["stats", str(LOG)], ["run", "--", "sleep", "1000"]):
                command = [*SYSWATCH, "--serve", ":0", *what]
                with running(command, environment) as server:
                    self.assertEqual(b"READY=1", manager.recv(100))
                    server.end()
                    self.assertEqual(b"STOPPING=1", manager.recv(100))

    def test_not_for_children(self) -> None:
        """The manager's variables are not passed on to the tracer."""
        environment = {"NOTIFY_SOCKET": "/nonexistent", "WATCHDOG_USEC": "1"}
        with living_log() as log:
            command = [*SYSWATCH, "stats", "--serve", ":0", "-"]
            with running(command, environment, stdin=log) as server:
                [tracer] = wait_for(lambda: tracers_of(server.process.pid))
                # Before that it has the parent's environment.
                wait_for(lambda: b"syswatch.tracer" in Path(f"/proc/{tracer}/cmdline").read_bytes())
                inherited = Path(f"/proc/{tracer}/environ").read_bytes()
                self.assertNotIn(b"NOTIFY_SOCKET", inherited)
                self.assertNotIn(b"WATCHDOG_USEC", inherited)
                server.end()

    def test_activation(self) -> None:
        """A socket from the manager is served, and not passed on."""
        program = Known(self)
        target = program.start()
        with socket.create_server(("127.0.0.1", 0)) as given:
            port = given.getsockname()[1]

            def hand_over() -> None:
                os.dup2(given.fileno(), 3)

            shell = [
                "/bin/sh",
                "-c",
                'export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=web; exec "$@"',
                "sh",
            ]
            command = [*SYSWATCH, "attach", "--serve", "systemd:domain=INET:index=0", str(target)]
            with running([*shell, *command], preexec_fn=hand_over, pass_fds=(3,)) as server:
                self.assertEqual(port, server.port)
                self.assertEqual((200, b"ok"), server.ask("/healthz"))
                [tracer] = wait_for(lambda: tracers_of(server.process.pid))
                wait_for(lambda: server.ask("/readyz") == (200, b"ok"))
                program.round()
                wait_for(lambda: ("getppid", GETPPIDS) in counts(server.json("/api/stats")))
                self.assertNotIn(b"LISTEN_", Path(f"/proc/{tracer}/environ").read_bytes())
                server.end()
