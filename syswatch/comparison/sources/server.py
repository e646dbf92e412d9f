"""Fetches the summary of a running server; the rules are those of `syswatch top`."""

import http.client
import os
import socket
import ssl
import time
from http import HTTPStatus
from urllib.parse import urlsplit

from syswatch.settings.access import Token

from .errors import LARGEST_SUMMARY, SourceError, TokenNeededError

PATH = "api/summary"
_TIMEOUT_S = 5
# A server may send a byte now and then for ever.
_WHOLE_TIMEOUT_S = 60
_BLOCK = 1 << 18
_NOT_FOUND = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
_WITHOUT_PROFILE = " (is it traced with --profile?)"


def fetch(url: str, token: Token | None, endpoint: str = PATH) -> bytes:
    """Return the body of an endpoint, by default the summary; raise SourceError."""
    parts = urlsplit(url)
    host, path = parts.hostname or "", f"{parts.path}{endpoint}"
    headers = {"Accept": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token.secret.decode('latin-1')}"
    connection = http.client.HTTPConnection(host, parts.port, timeout=_TIMEOUT_S)
    if parts.scheme == "https":
        # The certificate and its name are verified.
        connection = http.client.HTTPSConnection(
            host, parts.port, timeout=_TIMEOUT_S, context=ssl.create_default_context()
        )
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        _check_status(url, response.status, token, endpoint)
        return _body(url, response)
    except TimeoutError as error:
        raise SourceError(f"no answer from {url} within {_TIMEOUT_S} s") from error
    except (http.client.HTTPException, ssl.SSLError, ValueError) as error:
        raise SourceError(f"unexpected answer from {url}: {_reason(error)}") from error
    except OSError as error:
        raise SourceError(f"cannot connect to {url}: {_reason(error)}") from error
    finally:
        connection.close()


def _check_status(url: str, status: int, token: Token | None, endpoint: str) -> None:
    if status == HTTPStatus.UNAUTHORIZED:
        raise TokenNeededError(url, "another" if token else "a")
    if status != HTTPStatus.OK:
        why = _WITHOUT_PROFILE if endpoint != PATH and status in _NOT_FOUND else ""
        raise SourceError(f"{url} answered {status} to /{endpoint}{why}")


def _body(url: str, response: http.client.HTTPResponse) -> bytes:
    body = bytearray()
    end = time.monotonic() + _WHOLE_TIMEOUT_S
    while block := response.read1(_BLOCK):
        body += block
        if len(body) > LARGEST_SUMMARY:
            raise SourceError(f"{url} sends more than {LARGEST_SUMMARY >> 20} MiB")
        if time.monotonic() > end:
            raise SourceError(f"{url} did not send its numbers within {_WHOLE_TIMEOUT_S} s")
    if response.length:
        raise SourceError(f"unexpected answer from {url}: it ended too early")
    return bytes(body)


def _reason(error: Exception) -> str:
    """Return why it failed, without numbers and the names of classes."""
    match error:
        case ssl.SSLCertVerificationError():
            return f"certificate verify failed: {error.verify_message}"
        case ssl.SSLError():
            return (error.reason or str(error)).replace("_", " ").lower()
        case socket.gaierror():
            return "unknown host"
        case OSError() if error.errno:
            return os.strerror(error.errno)
        case http.client.RemoteDisconnected():
            return "it closed the connection"
        case _:
            return str(error).strip() or type(error).__name__
