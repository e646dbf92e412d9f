"""A request to an HTTP server of this machine that listens on a Unix socket."""

import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from socket import AF_UNIX, SOCK_STREAM, socket

_OK = 200
_PART_BYTES = 64 * 1024


class RequestError(Exception):
    """There is no usable answer."""


class _Connection(HTTPConnection):
    """A connection to a Unix socket."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path
        self._timeout_s = timeout_s

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket(AF_UNIX, SOCK_STREAM)
        self.sock.settimeout(self._timeout_s)
        self.sock.connect(str(self._path))


def get(path: Path, target: str, timeout_s: float, most_bytes: int) -> bytes:
    """Return the body of an answer; raise RequestError if it is late, too long or not a success."""
    end = time.monotonic() + timeout_s
    connection = _Connection(path, timeout_s)
    try:
        connection.request("GET", target)
        response = connection.getresponse()
        if response.status != _OK:
            raise RequestError(f"status {response.status}")
        body = b""
        while part := response.read1(_PART_BYTES):
            body += part
            if len(body) > most_bytes or time.monotonic() > end:
                raise RequestError("too long")
    except (OSError, HTTPException) as error:
        raise RequestError(str(error)) from error
    else:
        return body
    finally:
        connection.close()
