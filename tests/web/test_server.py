"""Tests of the server's properties."""

from pathlib import Path
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.trial.unittest import TestCase

from syswatch.settings.address import Address
from syswatch.web.server import Server
from tests.web.served import Served


class ServerTests(TestCase):
    """Ports that are really opened."""

    async def open(self, text: str) -> Server:
        """Open a server and close it after the test."""
        server = Server(Served().web, Address.parse(text))
        net: Any = reactor
        await server.open(net)
        self.addCleanup(lambda: Deferred.fromCoroutine(server.close()))
        return server

    def test_public(self) -> Deferred[None]:
        """A server on all interfaces is public, however that was requested."""

        async def test() -> None:
            for text, expected in {
                ":0": False,
                "localhost:0": False,
                "tcp:0:interface=127.0.0.1": False,
                f"unix:{self.mktemp()}": False,
                "0.0.0.0:0": True,
                "tcp:0": True,
            }.items():
                self.assertEqual(expected, (await self.open(text)).is_public, text)

        return Deferred.fromCoroutine(test())

    def test_urls(self) -> Deferred[None]:
        """The URL can be opened, or is the name of a socket."""
        path = Path(self.mktemp())

        async def test() -> None:
            [url] = (await self.open(":0")).urls
            self.assertRegex(url, r"\Ahttp://127\.0\.0\.1:[0-9]+/\Z")
            self.assertEqual([f"unix:{path}"], (await self.open(f"unix:{path}")).urls)

        return Deferred.fromCoroutine(test())
