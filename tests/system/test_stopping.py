"""Tests of the order of a stop: detach, close the clients' connections, exit."""

import contextlib
import os
import signal
import socket
import threading

from twisted.trial.unittest import SynchronousTestCase

from tests.system.known import Known
from tests.system.servers import (
    PATIENCE_S,
    SYSWATCH,
    TWISTD,
    Server,
    close_code,
    command_of,
    is_running,
    running,
    tracer_of,
    wait_for,
)
from tests.web.frames import UPGRADE
from tests.web.served import request

# /proc names its tracer.
_PTRACE = ("--backend", "ptrace")
DAEMON = (*TWISTD, "-n", "--pidfile=", "syswatch")


class StopTests(SynchronousTestCase):
    """SIGTERM with clients that read, clients that stall, and clients that poll."""

    def setUp(self) -> None:
        """Create the program."""
        self.program = Known(self)

    def test_attach(self) -> None:
        """An attached process keeps running untraced."""
        for command in (SYSWATCH, DAEMON):
            pid = self.program.start()
            with running([*command, "attach", *_PTRACE, "--serve", ":0", str(pid)]) as server:
                wait_for(lambda pid=pid: tracer_of(pid))
                self.check(server, pid)
            self.program.end()

    def test_run(self) -> None:
        """The command of a daemon keeps running untraced."""
        # It outlives the server, whose output is read to the end.
        shell = ("/bin/sh", "-c", 'exec "$@" 2>/dev/null', "sh")
        command = [*DAEMON, "run", *_PTRACE, "--serve", ":0", "--", *shell, *self.program.command]
        with running(command) as server:
            pid = command_of(server)
            self.check(server, pid)
            self.assertTrue(is_running(pid))
        self.program.end()
        wait_for(lambda: not is_running(pid))

    def test_hanging_tracer(self) -> None:
        """A tracer that hangs is killed before the clients' connections are closed."""
        pid = self.program.start()
        with running([*DAEMON, "attach", *_PTRACE, "--serve", ":0", str(pid)]) as server:
            tracer = wait_for(lambda: tracer_of(pid))
            os.kill(tracer, signal.SIGSTOP)
            self.check(server, pid)
            self.assertFalse(is_running(tracer))
        self.program.end()

    def check(self, server: Server, pid: int) -> None:
        """Stop the server; check the target when a client is told, and then what is left."""
        self.stall(server)
        over = threading.Event()
        asking = threading.Thread(target=self.ask, args=(server, over))
        with server.stream() as client:
            client.recv(PATIENCE_S)
            asking.start()
            os.kill(server.process.pid, signal.SIGTERM)
            code = close_code(client)
            self.assertEqual((0, 1001), (tracer_of(pid), code))
        # Newer versions of Twisted end with the signal that stopped them.
        self.assertIn(server.end(), (0, -signal.SIGTERM))
        over.set()
        asking.join()
        self.assertTrue(is_running(pid))
        self.assertNotIn(b"Traceback", server.output)
        self.assertNotIn(b"closing handshake", server.output)

    def stall(self, server: Server) -> None:
        """Open clients that never read."""
        for _ in range(3):
            client = server.connect()
            self.addCleanup(client.close)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(request("/stream", UPGRADE))

    def ask(self, server: Server, over: threading.Event) -> None:
        """Poll until the server is gone."""
        with contextlib.suppress(OSError):
            while not over.is_set():
                server.ask("/api/stats")
