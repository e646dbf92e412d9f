"""
The classes of Autobahn for WebSockets, imported without what only WAMP needs.

That is another protocol, which Autobahn imports as well: with its ways to authenticate and to
encode messages, it takes more memory than all the rest of Autobahn, and as long to import.
"""

from syswatch.base.lazy import import_lazily, without

# Autobahn goes without the last, too: it colours debug messages, which are formatted although they
# are not logged.
with without("cbor2", "click"):
    # Of its modules, this one alone needs the library `cryptography`.
    import_lazily("autobahn.wamp.auth")
    from autobahn.twisted.resource import WebSocketResource
    from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol

__all__ = ["WebSocketResource", "WebSocketServerFactory", "WebSocketServerProtocol"]
