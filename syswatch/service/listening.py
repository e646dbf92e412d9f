"""Sockets that listen, which need no reactor: clients may connect while a server is imported."""

import errno
import os
import socket
from collections.abc import Sequence

from syswatch.settings.address import Address, AddressError

# When a server restarts, all its clients reconnect at once.  A client that finds the queue full
# retries after a second, so thousands would take a minute.  The kernel caps this at somaxconn.
_BACKLOG = 4096
_LOOPBACK = ("", "localhost")


def check(address: Address) -> None:
    """Raise AddressError if the port cannot be opened now."""
    if address.port:
        for each in listening(address):
            each.close()


def listening(address: Address) -> Sequence[socket.socket]:
    """
    Return sockets that listen on the port of an address, or raise AddressError.

    There are none for an endpoint description: a reactor opens what it names.
    """
    if address.port is None:
        return ()
    if address.host not in _LOOPBACK:
        return [_listening(address, address.host, address.port)]
    first = _listening(address, "127.0.0.1", address.port)
    try:
        # For port 0, IPv6 gets the port that the kernel chose for IPv4.
        return [first, _opened("::1", first.getsockname()[1])]
    except OSError as error:
        if error.errno == errno.EADDRINUSE and address.port:
            first.close()
            raise AddressError(reason(address, error)) from error
        return [first]  # A machine without IPv6.


def _listening(address: Address, host: str, port: int) -> socket.socket:
    try:
        return _opened(host, port)
    except UnicodeError as error:
        raise AddressError(
            f"cannot listen on {address.text}: '{host}' is not the name of a host"
        ) from error
    except OSError as error:
        raise AddressError(reason(address, error)) from error


def _opened(host: str, port: int) -> socket.socket:
    family, kind, _, _, bound = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    opened = socket.socket(family, kind | socket.SOCK_NONBLOCK)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(bound)
        opened.listen(_BACKLOG)
    except OSError:
        opened.close()
        raise
    return opened


def reason(address: Address, error: OSError | str) -> str:
    """Return why an address cannot be listened on, from what Twisted or the kernel said."""
    if isinstance(error, str):
        # Twisted found the lock of a Unix socket held, without asking the kernel.
        return f"cannot listen on {address.text}: {os.strerror(errno.EADDRINUSE)}"
    text = f"cannot listen on {address.text}: {error.strerror or error}"
    if error.errno == errno.EACCES and address.port:
        text += " (a port below 1024 needs root or CAP_NET_BIND_SERVICE)"
    return text
