"""Opening the ports of a listen address."""

import errno
import os
import socket

from twisted.internet.defer import maybeDeferred
from twisted.internet.endpoints import TCP4ServerEndpoint, TCP6ServerEndpoint, serverFromString
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import (
    IListeningPort,
    IProtocolFactory,
    IReactorTCP,
    IStreamServerEndpoint,
)

from syswatch.settings.address import TLS_MISSING, Address, AddressError

# When a server restarts, all its clients reconnect at once.  A client that finds the queue full
# retries after a second, so thousands would take a minute.  The kernel caps this at somaxconn.
_BACKLOG = 4096


def check(address: Address) -> None:
    """Raise AddressError if the port cannot be opened now."""
    if not address.port:
        return
    try:
        kind, _, _, _, bound = socket.getaddrinfo(
            address.host or "127.0.0.1", address.port, type=socket.SOCK_STREAM
        )[0]
        with socket.socket(kind, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(bound)
    except OSError as error:
        raise AddressError(_reason(address, error)) from error


async def listen(
    address: Address, reactor: IReactorTCP, factory: IProtocolFactory
) -> list[IListeningPort]:
    """Open the ports; raise AddressError with the reason if one cannot be opened."""
    if address.port is None:
        return [await _open(address, _endpoint(address, reactor), factory)]
    if address.host not in ("", "localhost"):
        kind = TCP6ServerEndpoint if ":" in address.host else TCP4ServerEndpoint
        endpoint = kind(reactor, address.port, _BACKLOG, address.host)
        return [await _open(address, endpoint, factory)]
    ipv4 = TCP4ServerEndpoint(reactor, address.port, _BACKLOG, "127.0.0.1")
    first = await _open(address, ipv4, factory)
    # For port 0, IPv6 gets the port that the kernel chose for IPv4.
    port: int = getattr(first.getHost(), "port", 0)
    try:
        second = await TCP6ServerEndpoint(reactor, port, _BACKLOG, "::1").listen(factory)
    except CannotListenError as error:
        if error.socketError.errno == errno.EADDRINUSE and address.port:
            await maybeDeferred(first.stopListening)
            raise AddressError(_reason(address, error.socketError)) from error
        return [first]  # A machine without IPv6.
    return [first, second]


async def _open(
    address: Address, endpoint: IStreamServerEndpoint, factory: IProtocolFactory
) -> IListeningPort:
    try:
        return await endpoint.listen(factory)
    except CannotListenError as error:
        raise AddressError(_reason(address, error.socketError)) from error
    except OSError as error:
        raise AddressError(_reason(address, error)) from error


def _endpoint(address: Address, reactor: IReactorTCP) -> IStreamServerEndpoint:
    try:
        endpoint: IStreamServerEndpoint = serverFromString(reactor, address.text)
    except ImportError as error:
        raise AddressError(f"cannot listen on {address.text}: {TLS_MISSING}") from error
    except Exception as error:  # Whatever the plugin of that endpoint raises.
        is_missing = address.text.startswith("systemd:") and isinstance(error, LookupError)
        why = "systemd passed no such socket" if is_missing else error
        raise AddressError(f"invalid endpoint description '{address.text}': {why}") from error
    return endpoint


def _reason(address: Address, error: OSError | str) -> str:
    if isinstance(error, str):
        # Twisted found the lock of a Unix socket held, without asking the kernel.
        return f"cannot listen on {address.text}: {os.strerror(errno.EADDRINUSE)}"
    reason = f"cannot listen on {address.text}: {error.strerror or error}"
    if error.errno == errno.EACCES and address.port:
        reason += " (a port below 1024 needs root or CAP_NET_BIND_SERVICE)"
    return reason
