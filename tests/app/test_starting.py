"""Tests of what is started before there is a reactor."""

import socket
from typing import cast
from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

from syswatch.app.starting import _begin
from syswatch.service.early_start import EarlyTracer
from tests.options.parsing import config_of


class BeginTests(SynchronousTestCase):
    """Whether a command may run before everything else is ready."""

    def begin(self, *words: str) -> tuple[bool, list[int]]:
        """Begin a job; return whether it is held, and the ports that are open."""
        tracer = mock.Mock(spec=["begin", "ports"])
        tracer.ports = ()
        _begin(cast(EarlyTracer, tracer), config_of(*words))
        for each in tracer.ports:
            self.addCleanup(each.close)
        numbers = [each.getsockname()[1] for each in tracer.ports]
        return tracer.begin.call_args.kwargs["is_held"], numbers

    def test_without_server(self) -> None:
        """A command runs at once."""
        self.assertEqual((False, []), self.begin("run", "true"))

    def test_server(self) -> None:
        """A command runs when the port is open: clients wait until the server answers."""
        is_held, numbers = self.begin("run", "--serve", "127.0.0.1:0", "true")
        self.assertFalse(is_held)
        with socket.create_connection(("127.0.0.1", numbers[0])) as client:
            self.assertEqual(numbers[0], client.getpeername()[1])

    def test_port_in_use(self) -> None:
        """If the port is in use, no command runs; the server finds it again, and says so."""
        with socket.create_server(("127.0.0.1", 0)) as other:
            address = f"127.0.0.1:{other.getsockname()[1]}"
            self.assertEqual((True, []), self.begin("run", "--serve", address, "true"))

    def test_may_fail(self) -> None:
        """A command waits for what may still fail after the port is open."""
        for words in (
            ("--serve", "unix:/nonexistent/socket"),
            ("--serve", ":0", "--otlp", "http://127.0.0.1:1"),
            ("--serve", ":0", "--baseline", "http://127.0.0.1:1"),
        ):
            self.assertTrue(self.begin("run", *words, "true")[0], words)
