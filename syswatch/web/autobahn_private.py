"""
Overrides of Autobahn that rely on undocumented methods and attributes.

tests/web/test_private_apis.py checks every assumption, so that a new release fails there first.
"""

from inspect import isfunction
from typing import Any, TypeVar

from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
from autobahn.websocket.protocol import PreparedMessage
from txaio.tx import make_logger

from .twisted_private import write_at_once

TRIED_WITH = ("24.4.2", "26.10.2")
GOING_AWAY = 1001
# A control frame has at most 125 bytes; two of them are the code.
_MAX_REASON = 123


class AdaptableProtocol(WebSocketServerProtocol):
    """A WebSocket connection whose failures and end subclasses can handle by public methods."""

    transport: Any
    # Clients must not be able to fill the log with protocol violations.
    log = make_logger("error")

    def onOpen(self) -> None:
        """Release the reference cycle of the handshake."""
        # Autobahn fires `is_closed` with the protocol that holds it.  Only the garbage collector
        # would free that cycle, which an idle server seldom runs.
        self.is_closed.addCallback(_drop_result)

    @property
    def closed_cleanly(self) -> bool:
        """Return whether the closing handshake is complete."""
        return bool(self.wasClean)

    def send_prepared(self, message: PreparedMessage) -> None:
        """
        Send a message that is framed already, without Autobahn's queue.

        Autobahn formats the arguments of a debug message each time, also if it is not logged.
        """
        if self.state == self.STATE_OPEN:
            write_at_once(self.transport, message.payloadHybi)

    def send_going_away(self) -> None:
        """Send a close frame for the end of the server, which `sendClose` does not permit."""
        self.sendCloseFrame(GOING_AWAY, b"the server is going away")

    def close_transport(self, *, abort: bool) -> None:
        """Close the connection."""
        super()._closeConnection(abort)

    def _fail_connection(self, code: int = GOING_AWAY, reason: str = "") -> None:
        """Send a close frame with the reason before the connection is closed."""
        self.sendCloseFrame(code, reason.encode()[:_MAX_REASON])
        self.wasClean = False
        self.dropConnection()

    def _closeConnection(self, abort: bool = False) -> None:  # noqa: FBT001, FBT002  Autobahn's
        self.close_transport(abort=abort)


Protocol = TypeVar("Protocol", bound=AdaptableProtocol)


def with_class_options(protocol: type[Protocol], factory: WebSocketServerFactory) -> type[Protocol]:
    """
    Return a subclass that has the options of a factory as class attributes.

    Autobahn copies them to each connection, which takes some 2 kB, and spends two fifths of the
    time of an upgrade on a debug message about them.
    """
    options = {name: getattr(factory, name) for name in protocol.CONFIG_ATTRS}
    # A function among the attributes of a class would be a method.
    functions = {name: staticmethod(it) for name, it in options.items() if isfunction(it)}
    body = {**options, **functions, "CONFIG_ATTRS": ()}
    return type("ConfiguredProtocol", (protocol,), body)


def _drop_result(_protocol: object) -> None:
    pass
