"""Opening the ports of a listen address in a reactor."""

import re
from collections.abc import Sequence
from socket import socket
from typing import Any

from twisted.internet.endpoints import serverFromString
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import (
    IListeningPort,
    IReactorSocket,
    IStreamServerEndpoint,
)
from twisted.internet.protocol import ServerFactory

from syswatch.service.listening import listening, reason
from syswatch.settings.address import HIGHEST_PORT, TLS_MISSING, Address, AddressError

_NO_NUMBER = re.compile(r"invalid literal for int\(\) with base 10: ('.*')$")


async def listen(
    address: Address,
    reactor: IReactorSocket,
    factory: "ServerFactory[Any]",
    sockets: Sequence[socket] = (),
) -> list[IListeningPort]:
    """
    Open the ports; raise AddressError with the reason if one cannot be opened.

    If sockets are given, they are those of the address, and listen already.
    """
    if address.port is None:
        return [await _open(address, _endpoint(address, reactor), factory)]
    return [_adopted(each, reactor, factory) for each in sockets or listening(address)]


def _adopted(
    each: socket, reactor: IReactorSocket, factory: "ServerFactory[Any]"
) -> IListeningPort:
    # The reactor makes a descriptor of its own.
    with each:
        port: IListeningPort = reactor.adoptStreamPort(each.fileno(), each.family, factory)
    return port


async def _open(
    address: Address, endpoint: IStreamServerEndpoint, factory: "ServerFactory[Any]"
) -> IListeningPort:
    try:
        return await endpoint.listen(factory)
    except CannotListenError as error:
        raise AddressError(reason(address, error.socketError)) from error
    except OSError as error:
        raise AddressError(reason(address, error)) from error
    except OverflowError as error:  # A port that is none, which Twisted passes on.
        raise AddressError(f"cannot listen on {address.text}: {HIGHEST_PORT}") from error


def _endpoint(address: Address, reactor: IReactorSocket) -> IStreamServerEndpoint:
    try:
        endpoint: IStreamServerEndpoint = serverFromString(reactor, address.text)
    except ImportError as error:
        raise AddressError(f"cannot listen on {address.text}: {TLS_MISSING}") from error
    except Exception as error:  # Whatever the plugin of that endpoint raises.
        is_missing = address.text.startswith("systemd:") and isinstance(error, LookupError)
        why = "systemd passed no such socket" if is_missing else _without_python(error)
        raise AddressError(f"invalid endpoint description '{address.text}': {why}") from error
    return endpoint


def _without_python(error: Exception) -> str:
    """Return what is wrong with a description, without what Python says of its types."""
    number = _NO_NUMBER.match(str(error))
    return f"{number[1]} is not a number" if number else str(error)
