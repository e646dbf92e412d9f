"""Tests of opening ports."""

import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IListeningPort
from twisted.internet.threads import deferToThread
from twisted.trial.unittest import SkipTest, TestCase
from twisted.web.resource import Resource
from twisted.web.server import Site

from syswatch.service.listening import listening
from syswatch.service.reactor import Reactor
from syswatch.settings.address import Address, AddressError
from syswatch.web import listen as listen_module
from syswatch.web.listen import listen
from tests.system.servers import PATIENCE_S


class ListenTests(TestCase):
    """Ports that are really opened."""

    async def listen(
        self, text: str, sockets: Sequence[socket.socket] = ()
    ) -> list[IListeningPort]:
        """Open ports and close them after the test."""
        address = Address.parse(text)
        ports = await listen(address, cast(Reactor, reactor), Site(Resource()), sockets)
        for port in ports:
            self.addCleanup(port.stopListening)
        return ports

    def bound(self, ports: list[IListeningPort]) -> list[tuple[str, int]]:
        """Return the addresses of ports."""
        hosts: list[Any] = [port.getHost() for port in ports]
        return [(host.host, host.port) for host in hosts]

    async def refused(self, text: str) -> str:
        """Return the error of an address."""
        try:
            await self.listen(text)
        except AddressError as error:
            return str(error)
        raise AssertionError(f"{text} was opened")

    def test_loopback(self) -> Deferred[None]:
        """`:0` is a free loopback port, the same for IPv4 and IPv6."""

        async def test() -> None:
            first, *others = self.bound(await self.listen(":0"))
            self.assertEqual("127.0.0.1", first[0])
            self.assertNotEqual(0, first[1])
            if socket.has_ipv6 and others:
                self.assertEqual([("::1", first[1])], others)

        return Deferred.fromCoroutine(test())

    def test_open_already(self) -> Deferred[None]:
        """Clients that connected before there was a reactor are served."""
        sockets = listening(Address.parse(":0"))
        number = sockets[0].getsockname()[1]
        client = socket.create_connection(("127.0.0.1", number), PATIENCE_S)
        self.addCleanup(client.close)
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")

        async def test() -> None:
            ports = await self.listen(":0", sockets)
            self.assertEqual({number}, {port for _, port in self.bound(ports)})
            self.assertEqual({-1}, {each.fileno() for each in sockets})
            answer = await deferToThread(client.recv, 100)
            self.assertTrue(answer.startswith(b"HTTP/1.0 404"), answer)

        return Deferred.fromCoroutine(test())

    def test_many_at_once(self) -> Deferred[None]:
        """Many simultaneous clients can connect before any is accepted."""
        most = int(Path("/proc/sys/net/core/somaxconn").read_text("ascii"))

        async def test() -> None:
            [(_, number), *_] = self.bound(await self.listen(":0"))
            for _ in range(min(500, most)):
                # A client that finds the queue full would retry in vain: nothing is accepted.
                client = socket.create_connection(("127.0.0.1", number), PATIENCE_S)
                self.addCleanup(client.close)

        return Deferred.fromCoroutine(test())

    def test_in_use(self) -> Deferred[None]:
        """A port in use is an error, and no port stays open."""

        async def test() -> None:
            ((_, number), *_) = self.bound(await self.listen("127.0.0.1:0"))

            for text in (f":{number}", f"127.0.0.1:{number}"):
                self.assertIn("Address already in use", await self.refused(text))

        return Deferred.fromCoroutine(test())

    def test_socket_in_use(self) -> Deferred[None]:
        """A Unix socket in use is an error."""

        async def test() -> None:
            text = f"unix:{self.mktemp()}"
            await self.listen(text)

            self.assertEqual(
                f"cannot listen on {text}: Address already in use", await self.refused(text)
            )

        return Deferred.fromCoroutine(test())

    def test_half_in_use(self) -> Deferred[None]:
        """If only the IPv6 port is in use, the IPv4 port is closed again."""

        async def test() -> None:
            try:
                ((_, number), *_) = self.bound(await self.listen("[::1]:0"))
            except AddressError as error:
                raise SkipTest("this machine has no IPv6") from error

            self.assertIn("Address already in use", await self.refused(f":{number}"))
            await self.listen(f"127.0.0.1:{number}")

        return Deferred.fromCoroutine(test())

    def test_elsewhere(self) -> Deferred[None]:
        """An address of another machine is an error with the reason."""

        async def test() -> None:
            self.assertIn("cannot listen on 192.0.2.1:80: ", await self.refused("192.0.2.1:80"))
            refused = await self.refused("tcp:port=x")
            self.assertEqual(
                "invalid endpoint description 'tcp:port=x': 'x' is not a number", refused
            )
            refused = await self.refused("tcp:99999")
            self.assertEqual(
                "cannot listen on tcp:99999: the highest port number is 65535", refused
            )
            self.assertIn("'a..b' is not the name of a host", await self.refused("a..b:80"))
            given = await self.refused("systemd:domain=INET:index=0")
            self.assertIn("systemd passed no such socket", given)

            def without_tls(*_: object) -> None:
                raise ImportError("No module named 'OpenSSL'")

            self.patch(listen_module, "serverFromString", without_tls)
            self.assertIn("TLS needs pyOpenSSL", await self.refused("ssl:8443"))

        return Deferred.fromCoroutine(test())

    def test_socket_in_the_file_system(self) -> Deferred[None]:
        """An endpoint description is opened."""
        path = Path(self.mktemp())

        async def test() -> None:
            await self.listen(f"unix:{path}")

        def look(_: None) -> None:
            self.assertTrue(path.is_socket())

        return Deferred.fromCoroutine(test()).addCallback(look)
