"""Tests of the notifications to a service manager."""

import os
import shutil
import socket
from pathlib import Path
from tempfile import mkdtemp
from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

from syswatch.service.systemd import notify_systemd


class NotifyTests(SynchronousTestCase):
    """Datagrams to the service manager."""

    def listen(self, name: str) -> socket.socket:
        """Return a socket in place of the service manager."""
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.bind(name)
        manager.settimeout(60)
        return manager

    def test_path(self) -> None:
        """The socket may be a file."""
        # The name of a socket has at most 107 bytes.
        folder = mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        name = str(Path(folder) / "notify")
        manager = self.listen(name)

        with mock.patch.dict(os.environ, {"NOTIFY_SOCKET": name}):
            notify_systemd("READY=1")

        self.assertEqual(b"READY=1", manager.recv(100))

    def test_abstract(self) -> None:
        """The socket may have an abstract name, which starts with @."""
        manager = self.listen(f"\0syswatch-{os.getpid()}")

        with mock.patch.dict(os.environ, {"NOTIFY_SOCKET": f"@syswatch-{os.getpid()}"}):
            notify_systemd("STOPPING=1")

        self.assertEqual(b"STOPPING=1", manager.recv(100))

    def test_no_service_manager(self) -> None:
        """Without a service manager nothing happens."""
        with mock.patch.dict(os.environ, {"NOTIFY_SOCKET": "/nonexistent/socket"}):
            notify_systemd("READY=1")
        with mock.patch.dict(os.environ):
            os.environ.pop("NOTIFY_SOCKET", None)
            notify_systemd("READY=1")
