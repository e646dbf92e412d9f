"""Tests of the stream with a client that is not ours, and with sockets that do not read."""

import json
import socket
import time
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.system.servers import PATIENCE_S, serving, wait_for
from tests.web.frames import UPGRADE
from tests.web.served import request


class ClientTests(SynchronousTestCase):
    """The websockets library."""

    def test_messages(self) -> None:
        """It gets the table at once and then each second, also after the end of the log."""
        with serving() as server, connect(f"ws://127.0.0.1:{server.port}/stream") as client:
            messages = [json.loads(client.recv(PATIENCE_S)) for _ in range(3)]

            self.assertEqual([server.json("/api/stats")] * 3, messages)

    def test_going_away(self) -> None:
        """At SIGTERM it hears that the server goes away."""
        with serving() as server, connect(f"ws://127.0.0.1:{server.port}/stream") as client:
            client.recv(PATIENCE_S)
            status = server.end()

            with self.assertRaises(ConnectionClosed) as closed:
                client.recv(PATIENCE_S)
            assert closed.exception.rcvd is not None
            self.assertEqual(1001, closed.exception.rcvd.code)
            self.assertEqual(0, status)
        self.assertNotIn(b"Traceback", server.output)

    def test_token(self) -> None:
        """It is refused without the token, and let in with it."""
        with serving("--ws-token", "sesame") as server:
            url = f"ws://127.0.0.1:{server.port}/stream"
            with self.assertRaises(InvalidStatus) as refused:
                connect(url).recv()
            response = refused.exception.response
            self.assertEqual(
                (401, "Bearer"), (response.status_code, response.headers["WWW-Authenticate"])
            )
            self.assertEqual("unauthorized", json.loads(response.body or b"")["error"])
            for address, headers in (
                (url, {"Authorization": "Bearer sesame"}),
                (f"{url}?token=sesame", {}),
            ):
                with connect(address, additional_headers=headers) as client:
                    self.assertTrue(client.recv(PATIENCE_S))

    def test_token_file(self) -> None:
        """The token may come from a file."""
        name = self.mktemp()
        Path(name).write_text("sesame\n")
        with (
            serving("--ws-token-file", name) as server,
            connect(f"ws://127.0.0.1:{server.port}/stream?token=sesame") as client,
        ):
            self.assertTrue(client.recv(PATIENCE_S))

    def test_cap(self) -> None:
        """One client too many gets 503."""
        with serving("--max-clients", "1") as server:
            url = f"ws://127.0.0.1:{server.port}/stream"
            with connect(url) as client:
                client.recv(PATIENCE_S)
                with self.assertRaises(InvalidStatus) as refused:
                    connect(url).recv()
                self.assertEqual(503, refused.exception.response.status_code)


class StalledTests(SynchronousTestCase):
    """A client that does not read."""

    def test_costs_nobody(self) -> None:
        """It is dropped and counted, while another one gets its message each second."""
        with serving() as server:
            stalled = socket.socket()
            self.addCleanup(stalled.close)
            stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stalled.connect(("127.0.0.1", server.port))
            stalled.sendall(request("/stream", UPGRADE))
            began = time.monotonic()
            heard = 0
            with connect(f"ws://127.0.0.1:{server.port}/stream") as client:

                def is_dropped() -> bool:
                    nonlocal heard
                    client.recv(PATIENCE_S)
                    heard += 1
                    return b"syswatch_ws_dropped_clients_total 1.0" in server.ask("/metrics")[1]

                deadline = time.monotonic() + 4 * PATIENCE_S
                while not is_dropped():
                    self.assertLess(time.monotonic(), deadline)
                self.assertGreaterEqual(heard, int(time.monotonic() - began) - 3)
            wait_for(lambda: b"syswatch_ws_clients 0.0" in server.ask("/metrics")[1])
