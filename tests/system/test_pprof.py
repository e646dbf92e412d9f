"""Tests of the profiles with go tool pprof."""

import subprocess
from pathlib import Path
from threading import Thread

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import need, serving


class GoToolTests(SynchronousTestCase):
    """go tool pprof."""

    def test_read(self) -> None:
        """It reads every profile of a server."""
        need("go")
        names = (
            "profile?seconds=1",
            "heap?seconds=1",
            "block?seconds=1",
            "goroutine",
            "threadcreate",
        )
        with serving() as server:
            for name in names:
                file = Path(self.mktemp())
                status, profile = server.ask(f"/debug/pprof/{name}")
                self.assertEqual(200, status)
                file.write_bytes(profile)
                result = subprocess.run(
                    ["go", "tool", "pprof", "-top", file],
                    capture_output=True,
                    check=False,
                )
                self.assertEqual(0, result.returncode, (name, result.stderr))
                self.assertIn(b"flat%", result.stdout)

    def test_work_is_found(self) -> None:
        """The functions that keep the server busy are in its profile."""
        need("go")
        with serving() as server, server.connect() as client:
            found: list[bytes] = []
            asking = Thread(
                target=lambda: found.append(server.ask("/debug/pprof/profile?seconds=2")[1])
            )
            asking.start()
            while asking.is_alive():
                client.sendall(b"GET /api/syscall/openat HTTP/1.1\r\nHost: localhost\r\n\r\n")
                client.recv(65_536)
            asking.join()
            file = Path(self.mktemp())
            file.write_bytes(found[0])
            result = subprocess.run(
                ["go", "tool", "pprof", "-top", file],
                capture_output=True,
                check=False,
            )
            self.assertIn(b"cpu", result.stdout)
            self.assertIn(b"syscall", result.stdout)
