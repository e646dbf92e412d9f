"""
Overrides of Autobahn that rely on undocumented methods and attributes.

tests/web/test_private_apis.py checks every assumption, so that a new release fails there first.
"""

from inspect import isfunction
from typing import Any, TypeVar

from txaio.tx import make_logger

from .autobahn_classes import WebSocketServerFactory, WebSocketServerProtocol
from .twisted_private import write_at_once

TRIED_WITH = ("24.4.2", "26.10.2")
GOING_AWAY = 1001
# The payload of a control frame has at most 125 bytes; two of them are the code.
_MAX_CONTROL = 125
_MAX_REASON = _MAX_CONTROL - 2
# The two bytes before the payload of a control frame, of which clients send the mask as well.
_PONG, _MASKED = 0x8A, 0x80
_MASKED_HEADER = 6


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

    def send_frames(self, frames: bytes) -> None:
        """
        Send what is framed already, without Autobahn's queue.

        Autobahn formats the arguments of a debug message each time, also if it is not logged.
        """
        if self.state == self.STATE_OPEN:
            write_at_once(self.transport, frames)

    def is_only_a_pong(self, data: bytes) -> bool:
        """
        Return whether received data is one pong, which needs no answer, and nothing else.

        To parse one, Autobahn formats several debug messages, also if they are not logged.
        """
        payload = len(data) - _MASKED_HEADER
        return (
            0 <= payload <= _MAX_CONTROL
            and data[0] == _PONG
            and data[1] == _MASKED | payload
            and self.state == self.STATE_OPEN
            and not self.data
            and self.current_frame is None
        )

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


def framed(factory: WebSocketServerFactory, text: bytes) -> bytes:
    """Return the frame of a text message."""
    return bytes(factory.prepareMessage(text).payloadHybi)


def _drop_result(_protocol: object) -> None:
    pass
