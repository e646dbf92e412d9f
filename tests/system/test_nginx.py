"""Tests through nginx: TLS, a path prefix, a password, the stream."""

import json
from collections.abc import Mapping
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.system.nginx import PASSWORD, proxying
from tests.system.servers import PATIENCE_S, need, serving, wait_for


class ProxyTests(SynchronousTestCase):
    """The site that deploy/nginx.conf describes."""

    def start(self, *, passing_on_passwords: bool = False) -> None:
        """Start a server behind nginx."""
        need("nginx", "openssl")
        self.server = self.enterContext(
            serving("--ws-token", "sesame", "--allow-host", "localhost")
        )
        folder = Path(self.mktemp()).absolute()
        proxy = proxying(folder, str(self.server.port), passing_on_passwords=passing_on_passwords)
        self.nginx = self.enterContext(proxy)
        self.url = f"wss://localhost:{self.nginx.port}/syswatch/stream"
        self.page = Origin(f"https://localhost:{self.nginx.port}")

    def test_password_passed_on(self) -> None:
        """The token in the query is accepted even if the proxy passes on its password."""
        self.start(passing_on_passwords=True)

        with self.listen(f"{self.url}?token=sesame", PASSWORD, self.page) as client:
            stats = json.loads(client.recv(PATIENCE_S))
            self.assertEqual(self.server.json("/api/stats"), stats)
        for query in ("", "?token=wrong"):
            self.refuse(f"{self.url}{query}", PASSWORD, self.page, 401)

    def test_through(self) -> None:
        """All endpoints work behind a password, below a prefix and over TLS."""
        self.start()
        self.assertEqual(401, self.nginx.ask("api/stats", {})[0])
        for path in ("api/stats", "api/syscall/openat", "api?per_page=100", "healthz"):
            self.assertEqual(self.server.ask(f"/{path}"), self.nginx.ask(path, PASSWORD))
        # Redirected to the path with a slash, within the prefix.
        self.assertIn(b"goroutine", self.nginx.ask("debug/pprof", PASSWORD)[1])

        url, page = self.url, self.page
        with self.listen(f"{url}?token=sesame", PASSWORD, page) as client:
            for _ in range(2):
                stats = json.loads(client.recv(PATIENCE_S))
                self.assertEqual(self.server.json("/api/stats"), stats)

        refusals: tuple[tuple[str, Origin, dict[str, str], int], ...] = (
            (f"{url}?token=sesame", page, {}, 401),
            (f"{url}?token=wrong", page, PASSWORD, 401),
            (url, page, PASSWORD, 401),
            (f"{url}?token=sesame", Origin("https://evil.example"), PASSWORD, 403),
        )
        for address, origin, headers, status in refusals:
            self.refuse(address, headers, origin, status)

        # nginx logs a request when it is complete, and its client may be faster.
        asked = 1 + len(refusals)
        wait_for(lambda: self.nginx.log.count(" /syswatch/stream") == asked)
        self.assertNotIn("sesame", self.nginx.log)

    def refuse(self, url: str, headers: Mapping[str, str], origin: Origin, status: int) -> None:
        """Connect to the stream; check that it is refused."""
        with self.assertRaises(InvalidStatus) as refused:
            self.listen(url, headers, origin).recv()
        self.assertEqual(status, refused.exception.response.status_code)

    def listen(self, url: str, headers: Mapping[str, str], origin: Origin) -> ClientConnection:
        """Connect to the stream as a page does."""
        return connect(
            url,
            ssl=self.nginx.tls,
            additional_headers=headers,
            origin=origin,
            open_timeout=PATIENCE_S,
        )
